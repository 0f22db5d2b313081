// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <limits>

#include "io_matrix.hpp"

using namespace io_test;

namespace {

const std::string kReal = "%%MatrixMarket matrix coordinate real general\n";

Result read_mtx(const std::string& text) { return read_text("m.mtx", text); }

struct Case {
  const char* text;
  const char* message;
};

void expect_parse_errors(std::initializer_list<Case> cases) {
  for (const Case& bad : cases) {
    SCOPED_TRACE(bad.text);
    expect_rejected(read_mtx(bad.text), SPK_STATUS_PARSE_ERROR, std::string("m.mtx: ") + bad.message);
  }
}

}  // namespace

TEST(Mtx, ReadsEntriesInFileOrder) {
  const Result result = read_mtx(kReal + "3 4 4\n3 4 -2\n1 1 1.5\n2 3 4e2\n1 2 0\n");
  ASSERT_EQ(result.status, SPK_STATUS_SUCCESS) << result.message;
  const std::vector<Entry> expected = {{2, 3, -2.0}, {0, 0, 1.5}, {1, 2, 400.0}, {0, 1, 0.0}};
  EXPECT_EQ(coo_of(result.matrix), expected);
  const spk_io_info_t info = info_of(result.matrix);
  EXPECT_EQ(info.field, SPK_IO_REAL);
  EXPECT_EQ(info.symmetry, SPK_IO_GENERAL);
  EXPECT_EQ(info.is_array, 0);
  EXPECT_EQ(info.is_row_ordered, 0);
  EXPECT_EQ(info.index_type, SPK_INDEX_32I);
  EXPECT_EQ(info.rows, 3);
  EXPECT_EQ(info.cols, 4);
  EXPECT_EQ(info.stored, 4);
  EXPECT_EQ(info.nnz, 4);
}

TEST(Mtx, TakesEveryHarmlessLayout) {
  const std::vector<Entry> expected = {{0, 0, 1.0}, {2, 3, 2.5}};
  const std::string banner = "%%MatrixMarket matrix coordinate real general";
  for (const std::string& text : {
           banner + "\n3 4 2\n1 1 1\n3 4 2.5\n",
           banner + "\n3 4 2\n1 1 1\n3 4 2.5",
           banner + "\r\n3 4 2\r\n1 1 1\r\n3 4 2.5\r\n",
           banner + "\r\n3 4 2\r\n1 1 1\r\n3 4 2.5\r",
           banner + "\n%\n% a comment\n \t%another\n\n\t\n3 4 2\n\n1 1 1\n \n\r\n3 4 2.5\n\n\n",
           banner + "\n \t3\t 4  2 \n\t1 1   +1.\t\n  3 4 25e-1  \n",
           std::string("%%MatrixMarket\tMATRIX  Coordinate REAL gEnErAl \n3 4 2\n+1 01 1\n3 4 2.5\n"),
           banner + "\n%" + std::string(5000, 'x') + "\n3 4 2\n1 1 1\n3 4 2.5\n",
           banner + "\n% caf\xc3\xa9 \xff\n3 4 2\n1 1 1\n3 4 2.5\n",
       }) {
    SCOPED_TRACE(text);
    const Result result = read_mtx(text);
    ASSERT_EQ(result.status, SPK_STATUS_SUCCESS) << result.message;
    EXPECT_EQ(coo_of(result.matrix), expected);
  }
}

TEST(Mtx, TakesEmptyMatrices) {
  for (const char* size : {"0 0 0", "3 4 0", "0 4 0", "4 0 0"}) {
    SCOPED_TRACE(size);
    const Result result = read_mtx(kReal + size + "\n");
    ASSERT_EQ(result.status, SPK_STATUS_SUCCESS) << result.message;
    EXPECT_TRUE(coo_of(result.matrix).empty());
    EXPECT_EQ(info_of(result.matrix).is_row_ordered, 1);
  }
}

TEST(Mtx, KnowsWhenEntriesAreRowByRow) {
  EXPECT_EQ(info_of(read_mtx(kReal + "2 2 3\n1 2 1\n1 1 1\n2 1 1\n").matrix).is_row_ordered, 1);
  EXPECT_EQ(info_of(read_mtx(kReal + "2 2 3\n1 1 1\n2 1 1\n1 2 1\n").matrix).is_row_ordered, 0);
  const std::string symmetric = "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n";
  EXPECT_EQ(info_of(read_mtx(symmetric + "1 1\n2 1\n").matrix).is_row_ordered, 0);
  EXPECT_EQ(info_of(read_mtx(symmetric + "1 1\n2 2\n").matrix).is_row_ordered, 1);
}

TEST(Mtx, MirrorsWhatIsStoredOnce) {
  const std::complex<double> i(0, 1);
  const struct {
    const char* kind;
    const char* entries;
    std::vector<Entry> expected;
  } cases[] = {
      {"real symmetric", "1 1 1\n2 1 2\n", {{0, 0, 1.0}, {1, 0, 2.0}, {0, 1, 2.0}}},
      {"integer skew-symmetric", "2 1 2\n", {{1, 0, 2.0}, {0, 1, -2.0}}},
      {"pattern symmetric", "2 1\n2 2\n", {{1, 0, 1.0}, {0, 1, 1.0}, {1, 1, 1.0}}},
      {"complex symmetric",
       "1 1 1 2\n2 1 3 -4\n",
       {{0, 0, 1.0 + 2.0 * i}, {1, 0, 3.0 - 4.0 * i}, {0, 1, 3.0 - 4.0 * i}}},
      {"complex hermitian", "1 1 1 0\n2 1 3 -4\n", {{0, 0, 1.0}, {1, 0, 3.0 - 4.0 * i}, {0, 1, 3.0 + 4.0 * i}}},
      {"complex skew-symmetric", "2 1 3 -4\n", {{1, 0, 3.0 - 4.0 * i}, {0, 1, -3.0 + 4.0 * i}}},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.kind);
    const std::string entries = one.entries;
    const auto stored = std::count(entries.begin(), entries.end(), '\n');
    const std::string text = std::string("%%MatrixMarket matrix coordinate ") + one.kind + "\n2 2 " +
                             std::to_string(stored) + "\n" + entries;
    const Result result = read_mtx(text);
    ASSERT_EQ(result.status, SPK_STATUS_SUCCESS) << result.message;
    EXPECT_EQ(coo_of(result.matrix), one.expected);
    EXPECT_EQ(info_of(result.matrix).stored, stored);

    spk_io_options_t options = options_with();
    options.keep_stored_triangle = 1;
    const Result kept = read_text("m.mtx", text, options);
    ASSERT_EQ(kept.status, SPK_STATUS_SUCCESS);
    EXPECT_EQ(info_of(kept.matrix).nnz, stored);
  }
}

TEST(Mtx, ReadsArraysColumnByColumn) {
  const std::string array = "%%MatrixMarket matrix array ";
  const struct {
    std::string text;
    std::vector<Entry> expected;
  } cases[] = {
      {"real general\n2 3\n1\n2\n\n3\n4\n5\n6\n",
       {{0, 0, 1.0}, {1, 0, 2.0}, {0, 1, 3.0}, {1, 1, 4.0}, {0, 2, 5.0}, {1, 2, 6.0}}},
      {"integer symmetric\n2 2\n1\n2\n3\n", {{0, 0, 1.0}, {1, 0, 2.0}, {0, 1, 2.0}, {1, 1, 3.0}}},
      {"real skew-symmetric\n3 3\n1\n2\n3\n",
       {{1, 0, 1.0}, {0, 1, -1.0}, {2, 0, 2.0}, {0, 2, -2.0}, {2, 1, 3.0}, {1, 2, -3.0}}},
      {"complex hermitian\n2 2\n1 0\n2 5\n3 0\n", {{0, 0, 1.0}, {1, 0, {2, 5}}, {0, 1, {2, -5}}, {1, 1, 3.0}}},
      {"real general\n0 3\n", {}},
      {"real skew-symmetric\n1 1\n", {}},
      {"real skew-symmetric\n0 0\n", {}},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.text);
    const Result result = read_mtx(array + one.text);
    ASSERT_EQ(result.status, SPK_STATUS_SUCCESS) << result.message;
    EXPECT_EQ(coo_of(result.matrix), one.expected);
    EXPECT_EQ(info_of(result.matrix).is_array, 1);
  }
}

TEST(Mtx, RefusesWrongBanners) {
  expect_parse_errors({
      {"", "line 1: the file is empty"},
      {"3 4 0\n", "line 1: the file does not begin with %%MatrixMarket"},
      {"\n%%MatrixMarket matrix coordinate real general\n1 1 0\n", "line 1: the file does not begin"},
      {"%%matrixmarket matrix coordinate real general\n1 1 0\n", "line 1: the file does not begin"},
      {"%MatrixMarket matrix coordinate real general\n1 1 0\n", "line 1: the file does not begin"},
      {"\xef\xbb\xbf%%MatrixMarket matrix coordinate real general\n1 1 0\n", "line 1: the file does not begin"},
      {"%%MatrixMarket matrix coordinate real\n1 1 0\n", "line 1: the banner has 4 words but must have 5"},
      {"%%MatrixMarket matrix coordinate real general x\n1 1 0\n", "line 1: the banner has 6 words"},
      {"%%MatrixMarket graph coordinate real general\n1 1 0\n", "line 1: the object of the banner is \"graph\""},
      {"%%MatrixMarket matrix sparse real general\n1 1 0\n", "line 1: the format of the banner is \"sparse\""},
      {"%%MatrixMarket matrix coordinate double general\n1 1 0\n", "line 1: the field of the banner is \"double\""},
      {"%%MatrixMarket matrix coordinate real upper\n1 1 0\n", "line 1: the symmetry of the banner is \"upper\""},
      {"%%MatrixMarket matrix array pattern general\n1 1\n", "line 1: an array cannot be pattern"},
      {"%%MatrixMarket matrix coordinate pattern skew-symmetric\n1 1 0\n",
       "line 1: a pattern cannot be skew-symmetric"},
      {"%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n", "line 1: hermitian needs the complex field"},
      {"%%MatrixMarket matrix coordinate real general", "line 1: the file ends before the size line"},
      {"%%MatrixMarket matrix coordinate real general\r3 4 0\r", "line 1: the banner has"},
  });
}

TEST(Mtx, RefusesWrongSizes) {
  const std::string array = "%%MatrixMarket matrix array real general\n";
  const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
  for (const auto& [text, message] : std::initializer_list<std::pair<std::string, const char*>>{
           {kReal + "%\n%\n", "line 3: the file ends before the size line"},
           {kReal + "3 4\n", "line 2: the size line has 2 words but must have 3"},
           {kReal + "%\n3 4 0 0\n", "line 3: the size line has 4 words but must have 3"},
           {kReal + "-3 4 0\n", "line 2: the number of rows is -3 but must be >= 0"},
           {kReal + "3 4.0 0\n", "line 2: the number of columns is \"4.0\" but must be an integer"},
           {kReal + "^\n", "line 2: the size line has 1 words but must have 3"},
           {kReal + "9223372036854775808 1 0\n",
            "line 2: the number of rows is \"9223372036854775808\" but must be an "
            "integer of at most 64 bits"},
           {kReal + "3 4 18446744073709551617\n1 1 1\n", "line 2: the number of entries is \"18446744073709551617\""},
           {kReal + "2000000 2000000 1000000000000\n1 1 1\n",
            "line 2: 1000000000000 entries are declared, more than "
            "the rest of the file can hold"},
           {kReal + "1 3 4\n1 1 1\n1 1 1\n1 1 1\n1 1 1\n", "line 2: 4 entries are declared but 1 x 3 has fewer places"},
           {symmetric + "2 3 1\n2 1 4\n", "line 2: a symmetric matrix must be square but has 2 rows and 3 columns"},
           {array + "2 2 4\n1\n2\n3\n4\n", "line 2: the size line has 3 words but must have 2"},
           {array + "4000000000 4000000000\n1\n", "line 2: 16000000000000000000 entries are declared, more than"},
           {array + "9000000000000000000 9000000000000000000\n1\n", "line 2: the sizes ask for more than 2^64 values"},
           {kReal + "%\r%\n1 1 0\n", "line 2: byte 0x0d inside the line"},
           {kReal + std::string("%\0\n1 1 0\n", 9), "line 2: byte 0x00 inside the line"},
       }) {
    SCOPED_TRACE(text);
    expect_rejected(read_mtx(text), SPK_STATUS_PARSE_ERROR, std::string("m.mtx: ") + message);
  }
}

TEST(Mtx, RefusesWrongEntries) {
  const std::string head = kReal + "3 4 2\n";
  const std::string zeros = "2 2 0.00000000\n";
  for (const auto& [line, message] : std::initializer_list<std::pair<std::string, const char*>>{
           {"4 1 1", "the row is 4 but must be in 1..3"},
           {"0 1 1", "the row is 0 but must be in 1..3"},
           {"-1 1 1", "the row is -1 but must be in 1..3"},
           {"1 5 1", "the column is 5 but must be in 1..4"},
           {"1 0 1", "the column is 0 but must be in 1..4"},
           {"4294967297 1 1", "the row is 4294967297 but must be in 1..3"},
           {"18446744073709551617 1 1",
            "the row is \"18446744073709551617\" but must be an integer of at most 64 bits"},
           {"1.0 1 1", "the row is \"1.0\" but must be an integer"},
           {"1 one 1", "the column is \"one\" but must be an integer"},
           {"1 1", "2 words but this kind of entry has 3"},
           {"1 1 1 1", "4 words but this kind of entry has 3"},
           {"1 1 x", "the value is \"x\" but must be a decimal number"},
           {"1 1 1.5x", "the value is \"1.5x\""},
           {"1 1 1,5", "the value is \"1,5\""},
           {"1 1 1.5D0", "the value is \"1.5D0\""},
           {"1 1 0x1p3", "the value is \"0x1p3\""},
           {"1 1 1e", "the value is \"1e\""},
           {"1 1 1e+", "the value is \"1e+\""},
           {"1 1 .", "the value is \".\""},
           {"1 1 +-1", "the value is \"+-1\""},
           {"1 1 1.2.3", "the value is \"1.2.3\""},
           {"1 1 infinite", "the value is \"infinite\""},
           {"1 1 nan(1)", "the value is \"nan(1)\""},
           {"1 1 1\v", "the value is \"1\\x0b\""},
           {"1 1 \xe2\x88\x9e", "the value is \"\\xe2\\x88\\x9e\""},
           {std::string("1 1 1\0", 6), "the value is \"1\\x00\""},
           {"1 1\r1", "a carriage return inside the line"},
           {"% 1 1 1", "a comment after the size line"},
       }) {
    SCOPED_TRACE(line);
    // also at the end of the file, without a line feed; and the blank line counts
    for (const std::string& text : {head + line + "\n1 1 1.00000000\n", head + "\n" + zeros + line}) {
      const int number = text.starts_with(head + "\n") ? 5 : 3;
      expect_rejected(read_mtx(text), SPK_STATUS_PARSE_ERROR, "m.mtx: line " + std::to_string(number) + ": " + message);
    }
  }
}

TEST(Mtx, RefusesEntriesOfOtherFields) {
  const std::string banner = "%%MatrixMarket matrix coordinate ";
  for (const auto& [text, message] : std::initializer_list<std::pair<std::string, const char*>>{
           {"pattern general\n2 2 1\n1 1 1\n", "3 words but this kind of entry has 2"},
           {"complex general\n2 2 1\n1 1 1.000000\n", "3 words but this kind of entry has 4"},
           {"complex general\n2 2 1\n1 1 1 i\n", "the value is \"i\""},
           {"integer general\n2 2 1\n1 1 1.5\n", "the value is \"1.5\" but must be an integer"},
           {"integer general\n2 2 1\n1 1 9223372036854775808\n",
            "the value is \"9223372036854775808\" but must be an integer of at most 64 bits"},
           {"integer general\n2 2 1\n1 1 -9223372036854775809\n", "the value is \"-9223372036854775809\""},
           {"integer general\n2 2 1\n1 1 100000000000000000000000000000000000000000000000\n",
            "the value is \"1000000000000000000000000000000000000000\"... but must be an integer of at most"},
           {"real symmetric\n2 2 1\n1 2 1\n", "row 1, column 2 is above the diagonal of a symmetric matrix"},
           {"integer skew-symmetric\n2 2 1\n2 2 1\n", "a diagonal entry (2) in a skew-symmetric matrix"},
           {"complex hermitian\n2 2 1\n2 2 1 1\n", "the diagonal entry 2 of a hermitian matrix has an imaginary part"},
       }) {
    SCOPED_TRACE(text);
    expect_rejected(read_mtx(banner + text), SPK_STATUS_PARSE_ERROR, "m.mtx: line 3: ");
    if (std::string(message).find("...") == std::string::npos) {
      expect_rejected(read_mtx(banner + text), SPK_STATUS_PARSE_ERROR, message);
    }
  }
}

TEST(Mtx, RefusesAnotherNumberOfEntries) {
  const std::string array = "%%MatrixMarket matrix array real general\n2 2\n";
  for (const auto& [text, message] : std::initializer_list<std::pair<std::string, const char*>>{
           {kReal + "2 2 2\n1 1 123456789\n", "line 3: the file ends after 1 of 2 entries"},
           {kReal + "2 2 1\n1 1 1\n\n2 2 2\n", "line 5: more entries than the 1 that are declared"},
           {kReal + "2 2 2\n\n1 1 1\n\n\n2 2 2\n\n1 2 3\n", "line 9: more entries than the 2 that are declared"},
           {kReal + "2 2 0\n1 1 1\n", "line 3: more entries than the 0 that are declared"},
           {array + "1\n2\n34\n", "line 5: the file ends after 3 of 4 entries"},
           {array + "1\n2\n\n3\n4\n5\n", "line 8: more entries than the 4 that are declared"},
           {array + "1 2\n3 4\n", "line 3: 2 words but an array entry has 1"},
           {"%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n\n2 5\n3 1\n",
            "line 6: the diagonal entry 2 of a hermitian matrix has an imaginary part"},
       }) {
    SCOPED_TRACE(text);
    expect_rejected(read_mtx(text), SPK_STATUS_PARSE_ERROR, std::string("m.mtx: ") + message);
  }
}

TEST(Mtx, RefusesTheFileCutAtAnyByte) {
  const std::string text =
      "%%MatrixMarket matrix coordinate real general\r\n% comment\n\n12 12 3\n1 10 -1.5e10\n\n 2 2 +0.25\n12 11 37";
  ASSERT_EQ(read_mtx(text).status, SPK_STATUS_SUCCESS);
  for (std::size_t size = 0; size < text.size(); ++size) {
    const Result result = read_mtx(text.substr(0, size));
    // "3" for "37" is a whole number: nobody can know that a digit is missing
    const bool is_whole = size == text.size() - 1;
    EXPECT_EQ(result.status, is_whole ? SPK_STATUS_SUCCESS : SPK_STATUS_PARSE_ERROR) << "cut at " << size;
  }
}

TEST(Mtx, ChecksTheIndexWidthThatWasAskedFor) {
  const std::string large = kReal + "2147483649 3 1\n2147483649 2 5\n";
  EXPECT_EQ(read_text("m.mtx", large, options_with(0, SPK_INDEX_32I)).status, SPK_STATUS_INDEX_OVERFLOW);
  for (const spk_index_type_t asked : {0, static_cast<int>(SPK_INDEX_64I)}) {
    const Result result = read_text("m.mtx", large, options_with(0, asked));
    ASSERT_EQ(result.status, SPK_STATUS_SUCCESS) << result.message;
    EXPECT_EQ(info_of(result.matrix).index_type, SPK_INDEX_64I);
    const std::vector<Entry> expected = {{2147483648, 1, 5.0}};
    EXPECT_EQ(coo_of(result.matrix), expected);
    std::int64_t nnz = 0;
    EXPECT_EQ(spk_io_get_csr(result.matrix.get(), SPK_INDEX_64I, 0, SPK_R_32F, &nnz, nullptr, nullptr, nullptr),
              SPK_STATUS_SUCCESS);
    EXPECT_EQ(nnz, 1);
    EXPECT_EQ(spk_io_get_csr(result.matrix.get(), SPK_INDEX_32I, 0, SPK_R_32F, &nnz, nullptr, nullptr, nullptr),
              SPK_STATUS_INDEX_OVERFLOW);
  }
  const std::string small = kReal + "2147483647 3 1\n2147483647 2 5\n";
  EXPECT_EQ(info_of(read_text("m.mtx", small, options_with(0, SPK_INDEX_32I)).matrix).index_type, SPK_INDEX_32I);
  EXPECT_EQ(info_of(read_text("m.mtx", small, options_with(0, SPK_INDEX_64I)).matrix).index_type, SPK_INDEX_64I);
  EXPECT_EQ(info_of(read_text("m.mtx", small).matrix).index_type, SPK_INDEX_32I);
  EXPECT_EQ(read_text("m.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 2147483648 0\n",
                      options_with(0, SPK_INDEX_32I))
                .status,
            SPK_STATUS_INDEX_OVERFLOW);
}

TEST(Mtx, RefusesLinesOfMoreThanAMebibyte) {
  const std::string blanks(3 << 20, ' ');
  expect_rejected(read_mtx(kReal + "%" + blanks + "\n1 1 0\n"), SPK_STATUS_PARSE_ERROR, "line 2: the line is longer");
  expect_rejected(read_mtx(kReal + "1 1 1\n\n1 1" + blanks + "1\n"), SPK_STATUS_PARSE_ERROR,
                  "line 4: the line is longer");
  expect_rejected(read_mtx(kReal + "1 1 1\n1 1 1\n" + blanks + "\n"), SPK_STATUS_PARSE_ERROR,
                  "line 4: the line is longer");
}
