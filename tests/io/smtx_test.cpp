// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "io_matrix.hpp"

using namespace io_test;

namespace {

Result read_smtx(const std::string& text) { return read_text("m.smtx", text); }

}  // namespace

TEST(Smtx, TakesEveryHarmlessLayout) {
  const std::vector<Entry> expected = {{0, 1, 1.0}, {0, 3, 1.0}, {2, 0, 1.0}, {2, 2, 1.0}, {2, 1, 1.0}};
  for (const char* text : {
           "3, 4, 5\n0 2 2 5 \n1 3 0 2 1 \n",
           "3, 4, 5\n0 2 2 5\n1 3 0 2 1",
           "3, 4, 5\r\n0 2 2 5 \r\n1 3 0 2 1 \r\n",
           "3, 4, 5\r\n0 2 2 5 \r\n1 3 0 2 1\r",
           "3 4 5\n0 2 2 5\n1 3 0 2 1\n\n \n",
           "\t3,4,5 \n 0\t2  2 5\n+1 03 0 2 1\n",
       }) {
    SCOPED_TRACE(text);
    const Result result = read_smtx(text);
    ASSERT_EQ(result.status, SPK_STATUS_SUCCESS) << result.message;
    EXPECT_EQ(coo_of(result.matrix), expected);
    const spk_io_info_t info = info_of(result.matrix);
    EXPECT_EQ(info.field, SPK_IO_PATTERN);
    EXPECT_EQ(info.symmetry, SPK_IO_GENERAL);
    EXPECT_EQ(info.is_array, 0);
    EXPECT_EQ(info.is_row_ordered, 1);
    EXPECT_EQ(info.rows, 3);
    EXPECT_EQ(info.cols, 4);
    EXPECT_EQ(info.stored, 5);
    EXPECT_EQ(info.nnz, 5);
  }
}

TEST(Smtx, SortsColumnsInCsr) {
  const Result result = read_smtx("2, 4, 3\n0 3 3\n3 0 2\n");
  const auto csr = csr_of<std::int32_t, float>(result.matrix, SPK_R_32F);
  EXPECT_EQ(csr.row_offsets, (std::vector<std::int32_t>{0, 3, 3}));
  EXPECT_EQ(csr.col_indices, (std::vector<std::int32_t>{0, 2, 3}));
  EXPECT_EQ(csr.values, (std::vector<float>{1, 1, 1}));
}

TEST(Smtx, TakesEmptyMatrices) {
  for (const char* text : {"3, 4, 0\n0 0 0 0\n\n", "3, 4, 0\n0 0 0 0\n", "3, 4, 0\n0 0 0 0", "0, 4, 0\n0\n\n",
                           "0, 0, 0\n0\n", "2, 0, 0\n0 0 0\n"}) {
    SCOPED_TRACE(text);
    const Result result = read_smtx(text);
    ASSERT_EQ(result.status, SPK_STATUS_SUCCESS) << result.message;
    EXPECT_TRUE(coo_of(result.matrix).empty());
  }
}

TEST(Smtx, RefusesWhatDepartsFromTheFormat) {
  for (const auto& [text, message] : std::initializer_list<std::pair<std::string, const char*>>{
           {"", "line 1: the file is empty"},
           {"3, 4\n0 0 0 0\n", "line 1: the line has 2 words but must have 3"},
           {"3; 4; 0\n0 0 0 0\n", "line 1: the number of rows is \"3;\" but must be an integer"},
           {"-3, 4, 0\n0\n", "line 1: the number of rows is -3 but must be >= 0"},
           {"3, 4, 18446744073709551621\n0 2 2 5\n0 1 2 3 0\n", "line 1: the number of entries is"},
           {"3, 4, 13\n0 2 2 5\n0 1 2 3 0\n", "line 1: 13 entries are declared but 3 x 4 has fewer places"},
           {"1000000, 1000000, 1000000000000\n0\n",
            "line 1: 1000000 rows and 1000000000000 entries are declared, more"},
           {"9223372036854775807, 1, 0\n0\n", "line 1: 9223372036854775807 rows and 0 entries are declared"},
           {"%%MatrixMarket matrix coordinate real general\n3 4 0\n", "line 1: the line has 5 words"},
           {"3, 4, 0          \n", "line 1: 3 rows and 0 entries are declared"},
           {"3, 4, 5\n0 2 5  \n0 1 2 3 0\n", "line 2: 3 row offsets but the first line asks for 4"},
           {"3, 4, 5\n0 2 2 2 5\n0 1 2 3 0\n", "line 2: more row offsets than the 4 that the first line asks for"},
           {"3, 4, 5\n0 4 2 5\n0 1 2 3 0\n", "line 2: row offset 3 is 2 but must be >= 4"},
           {"3, 4, 5\n1 2 2 5\n0 1 2 3 0\n", "line 2: row offset 1 is 1 but must be = 0"},
           {"3, 4, 5\n0 2 9 5\n0 1 2 3 0\n", "line 2: row offset 3 is \"9\" but must be an integer in 0..5"},
           {"3, 4, 5\n0 2 2 4\n0 1 2 3 0\n", "line 2: the last row offset is 4 but the first line declares 5"},
           {"3, 4, 5\n0 2 2 5\n0 1 2  3 \n", "line 3: 4 column indices but"},
           {"3, 4, 5\n0 2 2 5\n0 1 2 3 0 1\n", "line 3: more column indices than the 5"},
           {"3, 4, 5\n0 2 2 5\n0 1 2 4 0\n", "line 3: column index 4 is \"4\" but must be an integer in 0..3"},
           {"3, 4, 5\n0 2 2 5\n0 1 -2 3 0\n", "line 3: column index 3 is \"-2\" but must be"},
           {"3, 4, 5\n0 2 2 5\n0 1 two 3 0\n", "line 3: column index 3 is \"two\" but must be"},
           {"3, 4, 5\n0 2 2 5\n0 1 2,3 0\n", "line 3: column index 3 is \"2,3\" but must be"},
           {"3, 4, 5\n0 2 2 5\n0 1 18446744073709551616 3 0\n", "line 3: column index 3 is \"18446744073709551616\""},
           {"3, 4, 5\n0 2 2 5\n0 1 0 3 0\n", "line 3: column index 0 stands twice in row 2 (both counted from 0)"},
           {"3, 4, 5\n0 2 2 5\n\n0 1 2 3 0\n", "line 3: 0 column indices but"},
           {"3, 4, 5\n0 2 2 5\n0 1 2 3 0\n\n7\n", "line 5: more than three lines"},
           {"3, 4, 5\n0 2 2\r5\n0 1 2 3 0\n", "line 2: row offset 4 is"},
           {"3, 0, 0\n0 0 0 0\n0\n", "line 3: column index 1 is \"0\" but must be"},
       }) {
    SCOPED_TRACE(text);
    expect_rejected(read_smtx(text), SPK_STATUS_PARSE_ERROR, std::string("m.smtx: ") + message);
  }
}

TEST(Smtx, RefusesTheFileCutAtAnyByte) {
  const std::string text = "3, 14, 5\r\n0 2 2 5 \n0 13 0 1 12";
  ASSERT_EQ(read_smtx(text).status, SPK_STATUS_SUCCESS);
  for (std::size_t size = 0; size < text.size(); ++size) {
    const Result result = read_smtx(text.substr(0, size));
    // "1" for "12" would be a whole number but stands in its row already
    EXPECT_EQ(result.status, SPK_STATUS_PARSE_ERROR) << "cut at " << size;
  }
}

TEST(Smtx, RefusesWordsOfMoreThanAMebibyte) {
  const std::string zeros(3 << 20, '0');
  expect_rejected(read_smtx("1, 4, 2\n0 2\n1 " + zeros + "\n"), SPK_STATUS_PARSE_ERROR,
                  "line 3: column index 2 is a word longer than");
}
