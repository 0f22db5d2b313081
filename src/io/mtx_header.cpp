// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "io/mtx_header.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include "io/error.hpp"
#include "io/numbers.hpp"

namespace spk::io {
namespace {

__extension__ using Wide = unsigned __int128;  // products of two sizes

constexpr std::array<std::string_view, 4> kFields = {"real", "complex", "integer", "pattern"};
constexpr std::array<std::string_view, 4> kSymmetries = {"general", "symmetric", "skew-symmetric", "hermitian"};

std::string lower_case(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// Position of `word` in `names`; fails at line 1 if it is none of them.
template <std::size_t kCount>
std::int32_t position(const TextReader& reader, std::string_view word, const char* what,
                      const std::array<std::string_view, kCount>& names) {
  const auto found = std::find(names.begin(), names.end(), lower_case(word));
  if (found != names.end()) return static_cast<std::int32_t>(found - names.begin());
  std::string choices;
  for (const std::string_view name : names) choices.append(choices.empty() ? "" : ", ").append(name);
  reader.fail(1, format("the %s of the banner is %s but must be one of: %s", what,
                        quoted(word.data(), word.size()).c_str(), choices.c_str()));
}

void read_banner(TextReader& reader, MtxHeader& header) {
  std::string_view line;
  if (!reader.next_line(line)) reader.fail(1, "the file is empty");
  const std::vector<std::string_view> words = words_of(line);
  if (words.empty() || words[0] != kMtxBanner) {
    reader.fail(1, "the file does not begin with %%MatrixMarket");
  }
  constexpr std::size_t kBannerWords = 5;
  if (words.size() != kBannerWords) {
    reader.fail(1, format("the banner has %zu words but must have 5: %%%%MatrixMarket matrix, format, field, symmetry",
                          words.size()));
  }
  position(reader, words[1], "object", std::array<std::string_view, 1>{"matrix"});
  header.is_array = position(reader, words[2], "format", std::array<std::string_view, 2>{"coordinate", "array"}) == 1;
  header.field = position(reader, words[3], "field", kFields);
  header.symmetry = position(reader, words[4], "symmetry", kSymmetries);
  if (header.field == SPK_IO_PATTERN && header.is_array) reader.fail(1, "an array cannot be pattern");
  if (header.field == SPK_IO_PATTERN && header.symmetry != SPK_IO_GENERAL && header.symmetry != SPK_IO_SYMMETRIC) {
    reader.fail(1, format("a pattern cannot be %s", header.symmetry_name()));
  }
  if (header.symmetry == SPK_IO_HERMITIAN && header.field != SPK_IO_COMPLEX) {
    reader.fail(1, "hermitian needs the complex field");
  }
}

// The first line that is neither blank nor a comment, with a line feed behind it.
std::string find_size_line(TextReader& reader) {
  std::string_view line;
  while (reader.next_line(line)) {
    for (const char bad : {'\0', '\r'}) {
      if (line.find(bad) != std::string_view::npos) {
        reader.fail(reader.line(), format("byte 0x%02x inside the line", static_cast<unsigned>(bad)));
      }
    }
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin != std::string_view::npos && line[begin] != '%') return std::string(line) + '\n';
  }
  reader.fail(reader.line(), "the file ends before the size line");
}

// Number of values that an array file lists.
Wide listed_places(const MtxHeader& header) {
  const Wide rows = static_cast<Wide>(header.rows);
  if (header.symmetry == SPK_IO_GENERAL) return rows * static_cast<Wide>(header.cols);
  if (header.symmetry == SPK_IO_SKEW_SYMMETRIC) return rows == 0 ? 0 : rows * (rows - 1) / 2;
  return rows * (rows + 1) / 2;
}

// Refuses a count that the rest of the file cannot hold, before memory is taken for it.
void check_room(const TextReader& reader, Wide count, unsigned bytes_per_entry) {
  const std::uint64_t left = reader.most_bytes_left();
  const bool fits = left == kUnknownSize
                        ? count <= static_cast<Wide>(std::numeric_limits<std::int64_t>::max())
                        : count * bytes_per_entry <= static_cast<Wide>(left) + 1;  // the last line feed may be missing
  if (fits) return;
  if (count > std::numeric_limits<std::uint64_t>::max()) {
    reader.fail(reader.line(), "the sizes ask for more than 2^64 values");
  }
  reader.fail(reader.line(), format("%llu entries are declared, more than the rest of the file can hold",
                                    static_cast<unsigned long long>(count)));
}

}  // namespace

const char* MtxHeader::symmetry_name() const { return kSymmetries[static_cast<std::size_t>(symmetry)].data(); }

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  while ((begin = line.find_first_not_of(" \t", begin)) != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

std::string parse_integer_word(std::string_view word, const char* what, std::int64_t& value) {
  const char* p = word.data();
  const NumberStatus status = parse_integer(p, value);
  if (status == NumberStatus::kOk && p == word.data() + word.size()) return {};
  return format("the %s is %s but must be an integer%s", what, quoted(word.data(), word.size()).c_str(),
                status == NumberStatus::kTooLarge ? " of at most 64 bits" : "");
}

MtxHeader read_mtx_header(TextReader& reader) {
  MtxHeader header;
  read_banner(reader, header);
  const std::string line = find_size_line(reader);
  const std::vector<std::string_view> words = words_of(std::string_view(line).substr(0, line.size() - 1));
  const std::size_t expected = header.is_array ? 2 : 3;
  if (words.size() != expected) {
    reader.fail(reader.line(), format("the size line has %zu words but must have %zu: rows, columns%s", words.size(),
                                      expected, header.is_array ? "" : ", entries"));
  }
  constexpr const char* kNames[] = {"number of rows", "number of columns", "number of entries"};
  std::int64_t* const sizes[] = {&header.rows, &header.cols, &header.count};
  for (std::size_t i = 0; i < expected; ++i) {
    const std::string fault = parse_integer_word(words[i], kNames[i], *sizes[i]);
    if (!fault.empty()) reader.fail(reader.line(), fault);
    if (*sizes[i] < 0) {
      reader.fail(reader.line(),
                  format("the %s is %lld but must be >= 0", kNames[i], static_cast<long long>(*sizes[i])));
    }
  }
  if (header.symmetry != SPK_IO_GENERAL && header.rows != header.cols) {
    reader.fail(reader.line(),
                format("a %s matrix must be square but has %lld rows and %lld columns", header.symmetry_name(),
                       static_cast<long long>(header.rows), static_cast<long long>(header.cols)));
  }
  // A character, and a blank or line feed behind it, for each number of an entry.
  const auto numbers = static_cast<unsigned>(header.values_per_entry() + (header.is_array ? 0 : 2));
  if (header.is_array) {
    const Wide count = listed_places(header);
    check_room(reader, count, 2 * numbers);
    header.count = static_cast<std::int64_t>(count);
    return header;
  }
  const Wide places = static_cast<Wide>(header.rows) * static_cast<Wide>(header.cols);
  if (static_cast<Wide>(header.count) > places) {
    reader.fail(reader.line(), format("%lld entries are declared but %lld x %lld has fewer places",
                                      static_cast<long long>(header.count), static_cast<long long>(header.rows),
                                      static_cast<long long>(header.cols)));
  }
  check_room(reader, static_cast<Wide>(header.count), 2 * numbers);
  return header;
}

std::string explain_mtx_line(const MtxHeader& header, std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::vector<std::string_view> words = words_of(line);
  const std::size_t indices = header.is_array ? 0 : 2;
  const std::size_t expected = indices + static_cast<std::size_t>(header.values_per_entry());
  if (!words.empty() && words[0].starts_with('%')) return "a comment after the size line";
  if (line.find('\r') != std::string_view::npos) return "a carriage return inside the line";
  if (words.size() != expected) {
    return format("%zu words but %s entry has %zu", words.size(), header.is_array ? "an array" : "this kind of",
                  expected);
  }
  constexpr const char* kNames[] = {"row", "column"};
  const std::int64_t limits[] = {header.rows, header.cols};
  std::int64_t place[] = {0, 0};
  for (std::size_t i = 0; i < indices; ++i) {
    const std::string fault = parse_integer_word(words[i], kNames[i], place[i]);
    if (!fault.empty()) return fault;
    if (place[i] < 1 || place[i] > limits[i]) {
      return format("the %s is %lld but must be in 1..%lld", kNames[i], static_cast<long long>(place[i]),
                    static_cast<long long>(limits[i]));
    }
  }
  for (std::size_t i = indices; i < words.size(); ++i) {
    if (header.field == SPK_IO_INTEGER) {
      std::int64_t value = 0;
      const std::string fault = parse_integer_word(words[i], "value", value);
      if (!fault.empty()) return fault;
      continue;
    }
    double value = 0;
    const char* p = words[i].data();
    if (!parse_real(p, value) || p != words[i].data() + words[i].size()) {
      return format("the value is %s but must be a decimal number", quoted(words[i].data(), words[i].size()).c_str());
    }
  }
  const long long row = place[0];
  if (place[0] < place[1]) {
    return format("row %lld, column %lld is above the diagonal of a %s matrix", row, static_cast<long long>(place[1]),
                  header.symmetry_name());
  }
  if (header.symmetry == SPK_IO_SKEW_SYMMETRIC)
    return format("a diagonal entry (%lld) in a skew-symmetric matrix", row);
  return format("the diagonal entry %lld of a hermitian matrix has an imaginary part", row);
}

}  // namespace spk::io
