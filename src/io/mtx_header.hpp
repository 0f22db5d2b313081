// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <spk/spk_io.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/text_reader.hpp"

namespace spk::io {

// Banner and size line of a Matrix Market file.
struct MtxHeader {
  spk_io_field_t field = SPK_IO_REAL;
  spk_io_symmetry_t symmetry = SPK_IO_GENERAL;
  bool is_array = false;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t count = 0;  // entries in the file; of an array file, values of the part that is listed

  std::int64_t values_per_entry() const { return field == SPK_IO_PATTERN ? 0 : field == SPK_IO_COMPLEX ? 2 : 1; }
  const char* symmetry_name() const;
};

inline constexpr std::string_view kMtxBanner = "%%MatrixMarket";

// Reads up to and including the size line. Counts are checked against the shape and against what can still follow.
MtxHeader read_mtx_header(TextReader& reader);

// What is wrong with a line of entries that could not be taken: `line` without its line feed, followed by one.
std::string explain_mtx_line(const MtxHeader& header, std::string_view line);

// The words of a line, split at blanks and tabs.
std::vector<std::string_view> words_of(std::string_view line);

// An integer that is exactly `word`, which something else than a digit follows in memory. `what` names it in the
// message, which is empty if all is well.
std::string parse_integer_word(std::string_view word, const char* what, std::int64_t& value);

}  // namespace spk::io
