// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <map>

#include "failure.hpp"

namespace spk::tool {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> words(1);
  for (const char c : line) {
    if (c == separator) {
      words.emplace_back();
    } else if (c != '\r') {
      words.back() += c;
    }
  }
  return words;
}

template <class Number>
Number number(const std::string& word, const fs::path& path, std::size_t line) {
  Number value{};
  if (word.empty()) return value;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc{} || stop != end) {
    throw Failure(fmt::format("{}, line {}: \"{}\" is not a number", path.string(), line, word));
  }
  return value;
}

bool is_matrix_name(const std::string& name) {
  for (const std::string_view ending : {".smtx", ".mtx", ".smtx.gz", ".mtx.gz"}) {
    if (name.ends_with(ending)) return true;
  }
  return false;
}

}  // namespace

std::vector<IndexEntry> read_index(const fs::path& path) {
  std::ifstream in(path);
  if (!in) throw Failure(fmt::format("{} cannot be opened", path.string()));
  std::string line;
  std::getline(in, line);
  std::map<std::string, std::size_t> columns;
  const auto titles = split(line, ',');
  for (std::size_t c = 0; c < titles.size(); ++c) columns[titles[c]] = c;
  if (!columns.contains("file")) throw Failure(fmt::format("{}, line 1: there is no column \"file\"", path.string()));

  std::vector<IndexEntry> entries;
  for (std::size_t line_number = 2; std::getline(in, line); ++line_number) {
    if (line.empty()) continue;
    const auto words = split(line, ',');
    if (words.size() != titles.size()) {
      throw Failure(fmt::format("{}, line {}: {} columns but the title line has {}", path.string(), line_number,
                                words.size(), titles.size()));
    }
    const auto word = [&](const char* title) {
      const auto found = columns.find(title);
      return found == columns.end() ? std::string() : words[found->second];
    };
    IndexEntry entry;
    entry.file = word("file");
    entry.rows = number<std::int64_t>(word("nrows"), path, line_number);
    entry.cols = number<std::int64_t>(word("ncols"), path, line_number);
    entry.nnz = number<std::int64_t>(word("nnz"), path, line_number);
    entry.sparsity = number<double>(word("sparsity"), path, line_number);
    entry.row_mean = number<double>(word("row_mean"), path, line_number);
    entry.row_cov = number<double>(word("row_cov"), path, line_number);
    entry.set = word("set");
    if (const std::string widths = word("n_list"); !widths.empty()) {
      for (const std::string& width : split(widths, ';')) {
        entry.widths.push_back(number<std::int64_t>(width, path, line_number));
      }
    }
    entry.sha256_text = word("sha256_text");
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::optional<IndexEntry> find_in_index(const std::string& file) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(file, error);
  if (error) return std::nullopt;
  for (fs::path folder = whole.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    if (!fs::is_regular_file(folder / "index.csv", error)) continue;
    const std::string relative = whole.lexically_relative(folder).generic_string();
    for (IndexEntry& entry : read_index(folder / "index.csv")) {
      if (entry.file == relative) return std::move(entry);
    }
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<fs::path> data_folder() {
  std::error_code error;
  const char* set = std::getenv("SPK_DATA_DIR");
  const fs::path folder = set != nullptr && *set != '\0' ? fs::path(set) : fs::path("../shared/data");
  if (!fs::is_regular_file(folder / "dlmc" / "index.csv", error)) return std::nullopt;
  return folder;
}

std::optional<fs::path> sample_folder() {
  std::error_code error;
  std::vector<fs::path> candidates = {"tests/data"};
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    candidates.push_back(program.parent_path() / "../../tests/data");
    candidates.push_back(program.parent_path() / "../share/spk/samples");
  }
  for (const fs::path& folder : candidates) {
    if (fs::is_directory(folder, error)) return folder.lexically_normal();
  }
  return std::nullopt;
}

std::vector<std::string> matrix_files(const fs::path& path, const std::string& set, const std::string& argument) {
  std::error_code error;
  std::vector<std::string> files;
  if (fs::is_directory(path, error)) {
    for (const auto& item : fs::recursive_directory_iterator(path)) {
      if (item.is_regular_file() && is_matrix_name(item.path().string())) files.push_back(item.path().string());
    }
    std::sort(files.begin(), files.end());
  } else if (!fs::is_regular_file(path, error)) {
    throw UsageError(fmt::format("{} = {} is neither a file nor a folder", argument, path.string()));
  } else if (path.extension() == ".csv") {
    const auto sets = split(set, ',');
    for (const IndexEntry& entry : read_index(path)) {
      if (set.empty() || std::find(sets.begin(), sets.end(), entry.set) != sets.end()) {
        files.push_back((path.parent_path() / entry.file).string());
      }
    }
  } else {
    files.push_back(path.string());
  }
  if (files.empty()) {
    throw UsageError(fmt::format("{} = {} holds no .smtx or .mtx file{}", argument, path.string(),
                                 set.empty() ? "" : fmt::format(" of set {}", set)));
  }
  return files;
}

std::optional<CollectionAverages> dlmc_averages() {
  const auto folder = data_folder();
  if (!folder) return std::nullopt;
  CollectionAverages averages{0, 0, 0, 0};
  for (const IndexEntry& entry : read_index(*folder / "dlmc" / "index.csv")) {
    averages.matrices += 1;
    averages.row_mean += entry.row_mean;
    averages.row_cov += entry.row_cov;
    averages.sparsity += entry.sparsity;
  }
  if (averages.matrices == 0) return std::nullopt;
  const auto count = static_cast<double>(averages.matrices);
  averages.row_mean /= count;
  averages.row_cov /= count;
  averages.sparsity /= count;
  return averages;
}

}  // namespace spk::tool
