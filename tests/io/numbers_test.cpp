// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include "io_matrix.hpp"

using namespace io_test;

namespace {

std::vector<double> read_values(const std::vector<std::string>& words) {
  std::string text = "%%MatrixMarket matrix array real general\n1 " + std::to_string(words.size()) + "\n";
  for (const std::string& word : words) text += word + "\n";
  const Result result = read_text("m.mtx", text);
  EXPECT_EQ(result.status, SPK_STATUS_SUCCESS) << result.message;
  std::vector<double> values;
  if (result.matrix == nullptr) return values;
  for (const Entry& entry : coo_of(result.matrix)) values.push_back(std::get<2>(entry).real());
  return values;
}

// strtod of the C library rounds correctly and is nobody's relative here.
void expect_as_strtod(const std::vector<std::string>& words) {
  const std::vector<double> values = read_values(words);
  ASSERT_EQ(values.size(), words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const double expected = std::strtod(words[i].c_str(), nullptr);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(values[i])) << words[i];
      continue;
    }
    EXPECT_EQ(values[i], expected) << words[i];
    EXPECT_EQ(std::signbit(values[i]), std::signbit(expected)) << words[i];
  }
}

}  // namespace

TEST(Numbers, AreReadAsStrtodReadsThem) {
  expect_as_strtod({"0",
                    "-0",
                    "+0.0",
                    "1",
                    "-1",
                    "+1",
                    "1.",
                    ".5",
                    "-.5",
                    "00012",
                    "1E+2",
                    "-1e-02",
                    "1e0",
                    "1e+00",
                    "0.1",
                    "0.3",
                    "123456789012345678",
                    "9007199254740992",
                    "9007199254740993",
                    "9007199254740995",
                    "9007199254740993.0000000000000000000000000000000000001",
                    "18446744073709551615",
                    "18446744073709551616",
                    "123456789012345678901234567890",
                    "1e22",
                    "1e23",
                    "1e-22",
                    "1e-23",
                    "8.5e22",
                    "4.35",
                    "0.000001",
                    "1.7976931348623157e308",
                    "1.7976931348623158e308",
                    "2.2250738585072014e-308",
                    "2.2250738585072011e-308",
                    "4.9406564584124654e-324",
                    "3e-324",
                    "2e-324",
                    "2.4703282292062328e-324",
                    "2.4703282292062327e-324",
                    "nan",
                    "NaN",
                    "-nan",
                    "inf",
                    "-inf",
                    "+INF",
                    "Infinity",
                    "-infinity",
                    "1e400",
                    "-1e400",
                    "1e-400",
                    "-1e-400",
                    "1e99999999999999999999",
                    "1e-99999999999999999999",
                    "0e99999999999999999999",
                    "1.8e308",
                    "-1.8e308",
                    "0.00000000000000000000000000000000000000000000000001e-400",
                    "100000000000000000000000000000000000000000000000000e290",
                    "0.00000000000000000000000000000000000000000000000001e50"});
}

TEST(Numbers, AreReadAsStrtodReadsThemAtAnyLength) {
  std::vector<std::string> words;
  for (int zeros = 0; zeros < 800; zeros += 37) {
    const std::string run(static_cast<std::size_t>(zeros), '0');
    const std::string length = std::to_string(zeros);
    words.push_back(std::string("1").append(run));
    words.push_back(std::string("-1").append(run).append("e-").append(length));
    words.push_back(std::string("0.").append(run).append("1"));
    words.push_back(std::string("0.").append(run).append("1e").append(length));
    words.push_back(std::string(".").append(run).append("7e400"));
  }
  expect_as_strtod(words);
}

TEST(Numbers, AreReadAsStrtodReadsThemForRandomDigits) {
  std::mt19937_64 random(20240607);
  std::vector<std::string> words;
  for (int i = 0; i < 20000; ++i) {
    std::string word = random() % 2 ? "-" : "";
    const std::size_t whole = random() % 19;
    const std::size_t fraction = random() % 19;
    for (std::size_t k = 0; k < whole; ++k) word += static_cast<char>('0' + random() % 10);
    if (whole == 0 || random() % 2) word += '.';
    if (word.back() == '.' || random() % 2) {
      if (word.find('.') == std::string::npos) word += '.';
      for (std::size_t k = 0; k < fraction + (whole == 0 ? 1 : 0); ++k) word += static_cast<char>('0' + random() % 10);
    }
    if (random() % 2) word.append("e").append(std::to_string(static_cast<int>(random() % 60) - 30));
    words.push_back(word);
  }
  expect_as_strtod(words);
}

TEST(Numbers, KeepSixtyFourBitsOfIntegers) {
  const Result result = read_text("m.mtx",
                                  "%%MatrixMarket matrix coordinate integer general\n1 5 5\n1 1 9223372036854775807\n"
                                  "1 2 -9223372036854775808\n1 3 +000000000000000000000000000012\n1 4 -0\n"
                                  "1 5 9007199254740993\n");
  ASSERT_EQ(result.status, SPK_STATUS_SUCCESS) << result.message;
  const auto csr = csr_of<std::int32_t, double>(result.matrix, SPK_R_64F);
  EXPECT_EQ(csr.values, (std::vector<double>{0x1p63, -0x1p63, 12, 0, 9007199254740992.0}));
}

TEST(Numbers, DoNotDependOnTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  const Folder folder;
  const char* found = nullptr;
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "it_IT.UTF-8", "ru_RU.UTF-8"}) {
    if (found == nullptr) found = std::setlocale(LC_ALL, name);
  }
  if (found == nullptr) {
    // Many systems come without locales but with what makes them.
    const std::string command = "localedef --no-archive -i de_DE -f UTF-8 '" + folder.file("de_DE.UTF-8") + "' 2>&1";
    if (std::system(command.c_str()) == 0 && setenv("LOCPATH", folder.file("").c_str(), 1) == 0) {
      found = std::setlocale(LC_ALL, "de_DE.UTF-8");
    }
  }
  if (found == nullptr) GTEST_SKIP() << "no locale with a decimal comma here, nor localedef to make one";
  ASSERT_EQ(std::strtod("1,5", nullptr), 1.5) << "the locale has no decimal comma";
  const std::vector<double> values = read_values({"1.5", "-0.25e1", "12345678901234567.25"});
  const Result comma = read_text("m.mtx", "%%MatrixMarket matrix array real general\n1 1\n1,5\n");
  const std::int32_t offsets[] = {0, 1};
  const std::int32_t cols[] = {0};
  const double value[] = {-2.5};
  const std::string path = folder.file("m.mtx");
  const spk_status_t written =
      spk_io_write_csr(path.c_str(), 1, 1, 1, offsets, cols, value, SPK_INDEX_32I, SPK_INDEX_BASE_ZERO, SPK_R_64F);
  std::setlocale(LC_ALL, before.c_str());
  EXPECT_EQ(values, (std::vector<double>{1.5, -2.5, 12345678901234567.25}));
  EXPECT_EQ(comma.status, SPK_STATUS_PARSE_ERROR);
  ASSERT_EQ(written, SPK_STATUS_SUCCESS);
  EXPECT_EQ(slurp(path), "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 -2.5\n");
}
