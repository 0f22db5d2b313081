// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <sys/stat.h>
#include <zlib.h>

#include <thread>

#include "io_matrix.hpp"

using namespace io_test;

namespace {

const std::string kMtx = "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 1.5\n2 3 -2\n";
const std::string kSmtx = "2, 3, 2\n0 1 2\n0 2\n";

std::string gzip(const std::string& text) {
  z_stream stream{};
  constexpr int kGzipWindow = 15 + 16;
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(compressBound(static_cast<uLong>(text.size())) + 64, '\0');
  std::string input = text;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  return packed;
}

void expect_reads(const Result& result) {
  ASSERT_EQ(result.status, SPK_STATUS_SUCCESS) << result.message;
  EXPECT_EQ(info_of(result.matrix).nnz, 2);
  EXPECT_EQ(coo_of(result.matrix).size(), 2U);
}

}  // namespace

TEST(Source, NameThenTextDecideTheFormat) {
  expect_reads(read_text("a.mtx", kMtx));
  expect_reads(read_text("a.smtx", kSmtx));
  expect_reads(read_text("a", kMtx));
  expect_reads(read_text("a", kSmtx));
  expect_reads(read_text("a.txt", kMtx));
  EXPECT_EQ(read_text("a.smtx", kMtx).status, SPK_STATUS_PARSE_ERROR);
  EXPECT_EQ(read_text("a.mtx", kSmtx).status, SPK_STATUS_PARSE_ERROR);
  expect_rejected(read_text("a", ""), SPK_STATUS_PARSE_ERROR, "a: line 1: the file is empty");
}

TEST(Source, NameOrFirstBytesRevealGzip) {
  expect_reads(read_text("a.mtx.gz", gzip(kMtx)));
  expect_reads(read_text("a.smtx.gz", gzip(kSmtx)));
  expect_reads(read_text("a.mtx", gzip(kMtx)));
  expect_reads(read_text("a", gzip(kSmtx)));
  expect_reads(read_text("a.gz", gzip(kMtx)));
  expect_rejected(read_text("a.mtx.gz", kMtx), SPK_STATUS_IO_ERROR,
                  "a.mtx.gz: the name ends in .gz but the file is not");
  expect_rejected(read_text("a.mtx.gz", ""), SPK_STATUS_IO_ERROR, "is not a gzip stream");
}

TEST(Source, GzipMembersAreOneStream) {
  for (std::size_t cut = 0; cut <= kMtx.size(); cut += 7) {
    expect_reads(read_text("a.mtx.gz", gzip(kMtx.substr(0, cut)) + gzip(kMtx.substr(cut))));
  }
  expect_reads(read_text("a.mtx.gz", gzip("") + gzip(kMtx) + gzip("") + gzip("\n")));
}

TEST(Source, BrokenGzipIsRefused) {
  const std::string packed = gzip(kMtx);
  for (std::size_t size = 0; size < packed.size(); ++size) {
    EXPECT_EQ(read_text("a.mtx.gz", packed.substr(0, size)).status, SPK_STATUS_IO_ERROR) << "cut at " << size;
    EXPECT_EQ(read_text("a.mtx.gz", gzip("%%MatrixMarket") + packed.substr(0, size)).status == SPK_STATUS_SUCCESS,
              false);
  }
  expect_rejected(read_text("a.mtx.gz", packed.substr(0, packed.size() - 1)), SPK_STATUS_IO_ERROR,
                  "a.mtx.gz: gzip member 1: the gzip stream is cut short");
  std::string wrong = packed;
  wrong[packed.size() - 6] = static_cast<char>(wrong[packed.size() - 6] ^ 1);
  expect_rejected(read_text("a.mtx.gz", wrong), SPK_STATUS_IO_ERROR, "gzip member 1: incorrect data check");
  expect_rejected(read_text("a.mtx.gz", packed + "more"), SPK_STATUS_IO_ERROR, "gzip member 2: incorrect header check");
  expect_rejected(read_text("a.mtx.gz", packed + packed.substr(0, 5)), SPK_STATUS_IO_ERROR, "gzip member 2: ");
}

TEST(Source, AParseErrorBeforeTheBrokenPartComesFirst) {
  const std::string bad =
      "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 x 1.5\n" + std::string(4 << 20, '\n');
  const std::string packed = gzip(bad);
  expect_rejected(read_text("a.mtx.gz", packed.substr(0, packed.size() - 3)), SPK_STATUS_PARSE_ERROR,
                  "a.mtx.gz: line 3: the column is \"x\"");
}

TEST(Source, CountsBeyondWhatGzipCanHoldFailAtOnce) {
  const std::string huge = "%%MatrixMarket matrix coordinate real general\n2000000 2000000 1000000000000\n1 1 1\n";
  expect_rejected(read_text("a.mtx.gz", gzip(huge)), SPK_STATUS_PARSE_ERROR,
                  "line 2: 1000000000000 entries are declared");
  expect_rejected(read_text("a.smtx.gz", gzip("1000000000, 5, 0\n0 0\n")), SPK_STATUS_PARSE_ERROR,
                  "line 1: 1000000000 rows");
}

TEST(Source, FilesAreRead) {
  const Folder folder;
  expect_reads(read_file(folder.put("a.mtx", kMtx)));
  expect_reads(read_file(folder.put("a.mtx.gz", gzip(kMtx))));
  expect_reads(read_file(folder.put("a.smtx", kSmtx)));
  expect_rejected(read_file(folder.file("none.mtx")), SPK_STATUS_IO_ERROR, "none.mtx: cannot open: No such file");
  expect_rejected(read_file(folder.file("")), SPK_STATUS_IO_ERROR, "cannot read: Is a directory");
}

TEST(Source, PipesAreRead) {
  const Folder folder;
  const std::string path = folder.file("pipe.mtx");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  for (const auto& [text, good] :
       {std::pair(kMtx, true), std::pair(gzip(kMtx), true),
        // no size is known that could refuse the count
        std::pair(std::string("%%MatrixMarket matrix coordinate real general\n2000000 2000000 "
                              "1000000000000\n1 1 1\n"),
                  false)}) {
    std::thread writer([&path, &text = text] { std::ofstream(path, std::ios::binary) << text; });
    const Result result = read_file(path);
    writer.join();
    if (good) {
      expect_reads(result);
    } else {
      expect_rejected(result, SPK_STATUS_PARSE_ERROR, "line 3: the file ends after 1 of 1000000000000 entries");
    }
  }
}
