// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <sys/wait.h>

#include <cstring>
#include <random>
#include <thread>

#include "io_matrix.hpp"

using namespace io_test;

namespace {

// Several blocks of text, with blank lines here and there.
std::string large_mtx(std::int64_t count) {
  std::mt19937_64 random(11);
  std::string text =
      "%%MatrixMarket matrix coordinate real general\n% generated\n100000 90000 " + std::to_string(count) + "\n";
  for (std::int64_t i = 0; i < count; ++i) {
    char line[96];
    const double value = static_cast<double>(static_cast<std::int64_t>(random())) * 1e-12;
    std::snprintf(line, sizeof line, "%d %d %.17g\n", static_cast<int>(random() % 100000 + 1),
                  static_cast<int>(random() % 90000 + 1), value);
    text += line;
    if (random() % 50 == 0) text += "\n";
  }
  return text;
}

std::string large_smtx(std::int64_t rows, std::int64_t cols) {
  std::mt19937_64 random(12);
  std::string offsets = "0";
  std::string indices;
  std::int64_t nnz = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t col = static_cast<std::int64_t>(random() % 5); col < cols;
         col += 1 + static_cast<std::int64_t>(random() % 9)) {
      indices += std::to_string(col) + " ";
      ++nnz;
    }
    offsets.append(" ").append(std::to_string(nnz));
  }
  return std::to_string(rows) + ", " + std::to_string(cols) + ", " + std::to_string(nnz) + "\n" + offsets + "\n" +
         indices + "\n";
}

struct Coo {
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> cols;
  std::vector<std::uint64_t> value_bits;
  bool operator==(const Coo&) const = default;
};

Coo bits_of(const Matrix& matrix) {
  const auto nnz = static_cast<std::size_t>(info_of(matrix).nnz);
  Coo coo{std::vector<std::int32_t>(nnz), std::vector<std::int32_t>(nnz), std::vector<std::uint64_t>(nnz)};
  EXPECT_EQ(spk_io_get_coo(matrix.get(), SPK_INDEX_32I, SPK_INDEX_BASE_ZERO, SPK_R_64F, coo.rows.data(),
                           coo.cols.data(), coo.value_bits.data()),
            SPK_STATUS_SUCCESS);
  return coo;
}

std::string replace_line(std::string text, std::int64_t line, const std::string& with) {
  std::size_t begin = 0;
  for (std::int64_t i = 1; i < line; ++i) begin = text.find('\n', begin) + 1;
  return text.replace(begin, text.find('\n', begin) - begin, with);
}

}  // namespace

TEST(Parallel, GivesTheSameBitsForAnyThreadCount) {
  const std::string mtx = large_mtx(250000);
  const std::string smtx = large_smtx(4000, 3500);
  ASSERT_GT(mtx.size(), 6U << 20);
  ASSERT_GT(smtx.size(), 6U << 20);
  for (const auto& [name, text] : {std::pair<std::string, const std::string&>("m.mtx", mtx), {"m.smtx", smtx}}) {
    const Result serial = read_text(name, text, options_with(1));
    ASSERT_EQ(serial.status, SPK_STATUS_SUCCESS) << serial.message;
    const Coo expected = bits_of(serial.matrix);
    for (const int threads : {0, 2, 3, 8}) {
      const Result parallel = read_text(name, text, options_with(threads));
      ASSERT_EQ(parallel.status, SPK_STATUS_SUCCESS) << parallel.message;
      EXPECT_TRUE(bits_of(parallel.matrix) == expected) << name << " with " << threads << " threads";
    }
  }
}

TEST(Parallel, AgreesWithThePlainCLibrary) {
  const std::string text = large_mtx(100000);
  const Result result = read_text("m.mtx", text, options_with(4));
  ASSERT_EQ(result.status, SPK_STATUS_SUCCESS) << result.message;
  const Coo coo = bits_of(result.matrix);
  const char* p = std::strstr(text.c_str(), "generated\n") + std::strlen("generated\n");
  p = std::strchr(p, '\n');
  for (std::size_t k = 0; k < coo.rows.size(); ++k) {
    char* next = nullptr;
    ASSERT_EQ(coo.rows[k], std::strtol(p, &next, 10) - 1);
    ASSERT_EQ(coo.cols[k], std::strtol(next, &next, 10) - 1);
    const double value = std::strtod(next, &next);
    ASSERT_EQ(coo.value_bits[k], std::bit_cast<std::uint64_t>(value)) << "entry " << k;
    p = next;
  }
}

TEST(Parallel, ReportsTheFirstFaultOfTheFile) {
  const std::string text = large_mtx(150000);
  const auto lines = std::count(text.begin(), text.end(), '\n');
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 6; ++trial) {
    std::string bad = text;
    std::int64_t first = lines;
    for (int fault = 0; fault < 5; ++fault) {
      const auto line = static_cast<std::int64_t>(4 + random() % static_cast<unsigned long>(lines - 3));
      first = std::min(first, line);
      bad = replace_line(std::move(bad), line, "1 oops 1");
    }
    const std::string expected =
        "m.mtx: line " + std::to_string(first) + ": the column is \"oops\" but must be an integer";
    for (const int threads : {1, 2, 7}) {
      expect_rejected(read_text("m.mtx", bad, options_with(threads)), SPK_STATUS_PARSE_ERROR, expected);
    }
  }
}

TEST(Parallel, CountsEntriesAcrossBlocks) {
  const std::string text = large_mtx(150000);
  const auto lines = std::count(text.begin(), text.end(), '\n');
  const std::string size_line = "100000 90000 ";
  for (const int threads : {1, 3}) {
    expect_rejected(read_text("m.mtx", replace_line(text, 3, size_line + "150001"), options_with(threads)),
                    SPK_STATUS_PARSE_ERROR,
                    "line " + std::to_string(lines) + ": the file ends after 150000 of 150001 entries");
    for (const std::int64_t declared : {0, 1, 77777, 149999}) {
      std::int64_t line = 3;
      std::size_t p = 0;
      for (int i = 0; i < 3; ++i) p = text.find('\n', p) + 1;
      for (std::int64_t seen = 0; seen <= declared; ++line) {
        if (text[p] != '\n') ++seen;
        p = text.find('\n', p) + 1;
      }
      expect_rejected(
          read_text("m.mtx", replace_line(text, 3, size_line + std::to_string(declared)), options_with(threads)),
          SPK_STATUS_PARSE_ERROR,
          "line " + std::to_string(line) + ": more entries than the " + std::to_string(declared) +
              " that are declared");
    }
  }
}

TEST(Parallel, NumbersTheFaultsOfSmtx) {
  std::string text = large_smtx(3000, 2500);
  const std::size_t place = text.find(' ', text.size() * 9 / 10) + 1;
  const std::size_t indices = text.rfind('\n', text.size() - 2) + 1;
  const auto number = std::count(text.begin() + static_cast<std::ptrdiff_t>(indices),
                                 text.begin() + static_cast<std::ptrdiff_t>(place), ' ') +
                      1;
  text[place] = 'x';
  text[text.size() - 3] = 'y';
  for (const int threads : {1, 2, 5}) {
    expect_rejected(read_text("m.smtx", text, options_with(threads)), SPK_STATUS_PARSE_ERROR,
                    "line 3: column index " + std::to_string(number) + " is \"x");
  }
}

TEST(Parallel, ReadsFromManyThreadsAtOnce) {
  const std::string text = large_mtx(60000);
  const Coo expected = bits_of(read_text("m.mtx", text, options_with(1)).matrix);
  const Result shared = read_text("m.mtx", text, options_with(1));
  std::vector<std::thread> threads;
  std::vector<int> same(4, 0);
  for (std::size_t t = 0; t < same.size(); ++t) {
    threads.emplace_back([&, t] {
      std::int64_t nnz = -1;
      const spk_status_t status = spk_io_get_csr(shared.matrix.get(), SPK_INDEX_32I, SPK_INDEX_BASE_ZERO, SPK_R_64F,
                                                 &nnz, nullptr, nullptr, nullptr);
      const Result own = read_text("m.mtx", text, options_with(2));
      same[t] = status == SPK_STATUS_SUCCESS && nnz > 0 && bits_of(own.matrix) == expected ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(same, std::vector<int>(4, 1));
}

TEST(Parallel, ReadsInAForkedChild) {
  const std::string text = large_mtx(60000);
  ASSERT_EQ(read_text("m.mtx", text, options_with(2)).status, SPK_STATUS_SUCCESS);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);
    _exit(read_text("m.mtx", text, options_with(2)).status == SPK_STATUS_SUCCESS ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}
