// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace spk::tool {

// One row of an index.csv. Only `file` is demanded; columns that an index lacks keep their defaults.
struct IndexEntry {
  std::string file;  // relative to the folder of the index
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  double sparsity = 0;
  double row_mean = 0;
  double row_cov = 0;
  std::string set;                   // smoke, core or full
  std::vector<std::int64_t> widths;  // column n_list: columns of the dense operand, separated by semicolons
  std::string sha256_text;
};

// Failure naming path and line if it is no such table.
std::vector<IndexEntry> read_index(const std::filesystem::path& path);

// The row about `file` in the nearest index.csv above it.
std::optional<IndexEntry> find_in_index(const std::string& file);

// The folder with dlmc/ and mtx/: SPK_DATA_DIR if set, else ../shared/data below the current folder.
std::optional<std::filesystem::path> data_folder();

// The samples that come with the project, seen from the current folder or from the program's own place.
std::optional<std::filesystem::path> sample_folder();

// Matrix files of a folder (all levels, sorted by name), of an index, or the file itself. `set` keeps only rows of an
// index whose set is listed there, separated by commas; "" keeps all. UsageError naming `argument` if nothing is left.
std::vector<std::string> matrix_files(const std::filesystem::path& path, const std::string& set,
                                      const std::string& argument);

// Averages over the matrices of the DLMC index.
struct CollectionAverages {
  std::size_t matrices;
  double row_mean;
  double row_cov;
  double sparsity;
};
std::optional<CollectionAverages> dlmc_averages();

}  // namespace spk::tool
