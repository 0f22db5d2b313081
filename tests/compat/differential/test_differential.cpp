// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
// One table of calls on two libraries. What cuSPARSE 12.6.3 answers is recorded in a file, so that libspk_cusparse is held
// against it where cuSPARSE is not installed; where it is, the record itself is checked. To record anew, set
// SPK_TRANSCRIPT to the name of a file.
#include <dlfcn.h>
#include <fcntl.h>
#include <glob.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "compat/differential/transcript.hpp"

namespace {

using spk::test::Transcript;

std::vector<std::string> recorded() {
  std::ifstream file(SPK_TRANSCRIPT_FILE);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// cuSPARSE writes about every refusal to stderr; here most calls are refused.
class Quiet {
 public:
  Quiet() : saved_(dup(2)) {
    const int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, 2);
    close(nothing);
  }
  ~Quiet() {
    dup2(saved_, 2);
    close(saved_);
  }

 private:
  int saved_;
};

std::vector<std::string> call_everything(void* library, const char* prefix) {
  const Quiet quiet;
  Transcript t(library, prefix);
  spk::test::call_management(t);
  spk::test::call_vectors(t);
  spk::test::call_dense(t);
  spk::test::call_compressed(t);
  spk::test::call_coordinates(t);
  spk::test::call_blocks(t);
  spk::test::call_slices(t);
  spk::test::call_common(t);
  spk::test::call_products(t);
  return t.lines();
}

void expect_same(const std::vector<std::string>& got, const std::vector<std::string>& want) {
  std::size_t different = 0;
  for (std::size_t i = 0; i < std::min(got.size(), want.size()); ++i) {
    if (got[i] == want[i]) continue;
    // Once a creation differs, so do the calls on what it made, and lines no longer stand side by side.
    if (++different <= 20)
      ADD_FAILURE_AT(SPK_TRANSCRIPT_FILE, static_cast<int>(i + 1)) << "got  " << got[i] << "\nwant " << want[i];
  }
  EXPECT_EQ(different, 0u);
  EXPECT_EQ(got.size(), want.size());
}

void* open_real() {
  if (const char* file = std::getenv("SPK_REAL_CUSPARSE")) return dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (void* library = dlopen("libcusparse.so.12", RTLD_NOW | RTLD_LOCAL)) return library;
  glob_t found = {};
  glob("/usr/local/cuda*/lib64/libcusparse.so.12", 0, nullptr, &found);
  glob("/usr/local/cuda*/lib/libcusparse.so.12", GLOB_APPEND, nullptr, &found);
  void* library = nullptr;
  for (std::size_t i = 0; i < found.gl_pathc && library == nullptr; ++i)
    library = dlopen(found.gl_pathv[i], RTLD_NOW | RTLD_LOCAL);
  globfree(&found);
  return library;
}

TEST(Differential, TheTableHasCallsOfEveryKind) {
  const std::vector<std::string> lines = recorded();
  EXPECT_GE(lines.size(), 150u);
  for (const char* status : {" = 0", " = 3", " = 10"}) {
    const auto count = std::count_if(lines.begin(), lines.end(),
                                     [&](const std::string& line) { return line.find(status) != std::string::npos; });
    EXPECT_GE(count, 20) << status;
  }
}

TEST(Differential, CusparseAnswersAsRecorded) {
  void* library = open_real();
  if (library == nullptr)
    GTEST_SKIP() << "libcusparse.so.12 is not here (SPK_REAL_CUSPARSE may name it): " << dlerror();
  auto* get_property = reinterpret_cast<int (*)(int, int*)>(dlsym(library, "cusparseGetProperty"));
  ASSERT_NE(get_property, nullptr);
  int version[3] = {};
  for (int i = 0; i < 3; ++i) get_property(i, &version[i]);
  if (version[0] != 12 || version[1] != 6 || version[2] != 3)
    GTEST_SKIP() << "libcusparse is " << version[0] << '.' << version[1] << '.' << version[2]
                 << ", but 12.6.3 was recorded";
  const std::vector<std::string> lines = call_everything(library, "cusparse");
  if (const char* file = std::getenv("SPK_TRANSCRIPT")) {
    std::ofstream out(file);
    for (const std::string& line : lines) out << line << '\n';
  }
  expect_same(lines, recorded());
}

#ifdef SPK_CUSPARSE_FILE
TEST(Differential, SpkAnswersAsCusparse) {
  void* library = dlopen(SPK_CUSPARSE_FILE, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  expect_same(call_everything(library, "spk_cusparse"), recorded());
}
#endif

}  // namespace
