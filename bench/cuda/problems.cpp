// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "problems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <random>

#include "dataset.hpp"
#include "failure.hpp"
#include "generate.hpp"

namespace spk::bench {
namespace {

spk_order_t order_from(const std::string& word, const std::string& whole) {
  if (word == "row") return SPK_ORDER_ROW;
  if (word == "col") return SPK_ORDER_COL;
  throw tool::UsageError(fmt::format("--order = {} but must be row, col, row/col or col/row", whole));
}

spk_operation_t op_from(const std::string& word, const char* option) {
  if (word == "N") return SPK_OP_N;
  if (word == "T") return SPK_OP_T;
  throw tool::UsageError(fmt::format("{} = {} but must be N or T", option, word));
}

const char* order_name(spk_order_t order) { return order == SPK_ORDER_ROW ? "row" : "col"; }
char op_name(spk_operation_t op) { return op == SPK_OP_N ? 'N' : 'T'; }

// Row lengths proportional to (rank + 1)^-exponent, ranks shuffled over the rows; columns chosen at random.
tool::CsrMatrix generate_power_law(const Source& source, const tool::ValueType& type, std::uint64_t seed) {
  tool::SplitMix64 random(seed);
  const auto rows = static_cast<std::size_t>(source.rows);
  std::vector<double> weights(rows);
  for (std::size_t i = 0; i < rows; ++i) weights[i] = std::pow(static_cast<double>(i + 1), -source.exponent);
  for (std::size_t i = rows; i > 1; --i) std::swap(weights[i - 1], weights[random.next() % i]);
  const double entries = (1 - source.sparsity) * static_cast<double>(source.rows) * static_cast<double>(source.cols);
  const double scale = entries / std::accumulate(weights.begin(), weights.end(), 0.0);

  std::vector<std::int32_t> offsets{0};
  std::vector<std::int32_t> columns;
  for (const double weight : weights) {
    std::int64_t need = std::min(std::llround(weight * scale), static_cast<long long>(source.cols));
    for (std::int64_t j = 0; need > 0; ++j) {
      if (random.next_unit() * static_cast<double>(source.cols - j) >= static_cast<double>(need)) continue;
      columns.push_back(static_cast<std::int32_t>(j));
      --need;
    }
    offsets.push_back(static_cast<std::int32_t>(columns.size()));
  }
  tool::CsrMatrix matrix;
  matrix.rows = source.rows;
  matrix.cols = source.cols;
  matrix.nnz = static_cast<std::int64_t>(columns.size());
  matrix.type = &type;
  matrix.seed = seed;
  matrix.row_offsets = tool::Buffer(matrix.rows + 1, sizeof(std::int32_t));
  matrix.col_indices = tool::Buffer(std::max<std::int64_t>(matrix.nnz, 1), sizeof(std::int32_t));
  std::memcpy(matrix.row_offsets.data(), offsets.data(), offsets.size() * sizeof(std::int32_t));
  if (!columns.empty()) {
    std::memcpy(matrix.col_indices.data(), columns.data(), columns.size() * sizeof(std::int32_t));
  }
  matrix.values = tool::random_values(std::max<std::int64_t>(matrix.nnz, 1), type, seed);
  return matrix;
}

void shuffle_rows(tool::CsrMatrix& matrix) {
  const auto* offsets = reinterpret_cast<const std::int32_t*>(matrix.row_offsets.data());
  auto* columns = reinterpret_cast<std::int32_t*>(matrix.col_indices.data());
  std::mt19937 draw(1);
  for (std::int64_t i = 0; i < matrix.rows; ++i) std::shuffle(columns + offsets[i], columns + offsets[i + 1], draw);
}

}  // namespace

Setting::Sizes Setting::sizes(const tool::CsrMatrix& matrix, std::int64_t width) const {
  if (operation == tool::Operation::kSddmm) return {matrix.rows, matrix.cols, width};
  if (operation == tool::Operation::kSoftmax) return {matrix.rows, matrix.cols, 0};
  const std::int64_t n = operation == tool::Operation::kSpmv ? 1 : width;
  return opA == SPK_OP_N ? Sizes{matrix.rows, n, matrix.cols} : Sizes{matrix.cols, n, matrix.rows};
}

std::string Setting::order_text() const {
  if (operation == tool::Operation::kSpmv || operation == tool::Operation::kSoftmax) return "-";
  if (order_b == order_c) return order_name(order_b);
  return fmt::format("{}/{}", order_name(order_b), order_name(order_c));
}

std::string Setting::title() const {
  std::string text = fmt::format("{} {}", tool::operation_name(operation), type_name);
  if (operation == tool::Operation::kSpmv) text += fmt::format(" op {}", op_name(opA));
  if (operation == tool::Operation::kSpmm || operation == tool::Operation::kSddmm) {
    text += fmt::format(" {} op {}{}", order_text(), op_name(opA), op_name(opB));
  }
  return text;
}

Setting make_setting(tool::Operation operation, const std::string& type, const std::string& order,
                     const std::string& op_a, const std::string& op_b) {
  Setting setting;
  setting.operation = operation;
  setting.type_name = type;
  setting.type = &tool::value_type(type == "tf32" ? "f32" : type, "--type");
  if (setting.type->is_complex) throw tool::UsageError(fmt::format("--type = {} but must be real", type));
  setting.compute = type == "tf32" ? SPK_COMPUTE_TF32 : setting.type->compute;
  const std::size_t slash = order.find('/');
  setting.order_b = order_from(order.substr(0, slash), order);
  setting.order_c = slash == std::string::npos ? setting.order_b : order_from(order.substr(slash + 1), order);
  setting.opA = op_from(op_a, "--op-a");
  setting.opB = op_from(op_b, "--op-b");
  return setting;
}

std::vector<Source> sources_of(const std::string& path, const std::string& set, const std::string& option) {
  std::vector<Source> sources;
  for (const std::string& file : tool::matrix_files(path, set, option)) {
    Source source;
    source.file = file;
    source.name = tool::short_name(file, file.size());
    if (const auto entry = tool::find_in_index(file)) {
      source.name = tool::short_name(entry->file, entry->file.size());
      source.widths = entry->widths;
    }
    sources.push_back(std::move(source));
  }
  return sources;
}

Source parse_generated(const std::string& text, bool power_law) {
  double numbers[4] = {0, 0, 0, 0};
  const int wanted = power_law ? 4 : 3;
  const char* place = text.data();
  const char* end = place + text.size();
  bool good = true;
  for (int i = 0; i < wanted && good; ++i) {
    const auto [stop, error] = std::from_chars(place, end, numbers[i]);
    good = error == std::errc{} && (i + 1 == wanted ? stop == end : stop != end && *stop == ',');
    place = good && i + 1 < wanted ? stop + 1 : stop;
  }
  if (!good || !(numbers[0] >= 1 && numbers[1] >= 1 && numbers[0] < 1e8 && numbers[1] < 1e8) ||
      !(numbers[2] >= 0 && numbers[2] < 1) || (power_law && !(numbers[3] > 0))) {
    throw tool::UsageError(fmt::format("{} = {} but must be ROWS,COLS,SPARSITY{}",
                                       power_law ? "--power-law" : "--uniform", text, power_law ? ",EXPONENT" : ""));
  }
  Source source;
  source.rows = static_cast<std::int64_t>(numbers[0]);
  source.cols = static_cast<std::int64_t>(numbers[1]);
  source.sparsity = numbers[2];
  source.exponent = numbers[3];
  source.name = fmt::format("{} {}", power_law ? "power-law" : "uniform", text);
  return source;
}

tool::CsrMatrix load(const Source& source, const tool::ValueType& type) {
  constexpr std::uint64_t kSeed = 1;
  tool::CsrMatrix matrix;
  if (!source.file.empty()) {
    matrix = tool::MatrixFile(source.file, "--files").csr(type);
  } else if (source.exponent > 0) {
    matrix = generate_power_law(source, type, kSeed);
  } else {
    // The coefficient of variation of row lengths when every place is kept independently.
    const double density = 1 - source.sparsity;
    const double cov = std::sqrt(source.sparsity / (density * static_cast<double>(source.cols)));
    matrix = tool::generate_pruned({source.rows, source.cols, source.sparsity, cov, kSeed}, type);
  }
  if (matrix.index_type != SPK_INDEX_32I) {
    throw tool::Failure(fmt::format("{}: {} entries do not fit 32-bit indices", source.name, matrix.nnz));
  }
  if (source.has_shuffled_rows) shuffle_rows(matrix);
  matrix.name = source.name;
  return matrix;
}

tool::CsrMatrix transposed(const tool::CsrMatrix& matrix) {
  tool::CsrMatrix result;
  result.name = matrix.name;
  result.rows = matrix.cols;
  result.cols = matrix.rows;
  result.nnz = matrix.nnz;
  result.type = matrix.type;
  result.seed = matrix.seed;
  result.row_offsets = tool::Buffer(result.rows + 1, sizeof(std::int32_t));
  result.col_indices = tool::Buffer(std::max<std::int64_t>(result.nnz, 1), sizeof(std::int32_t));
  result.values = tool::Buffer(std::max<std::int64_t>(result.nnz, 1), matrix.type->size);
  auto* offsets = result.row_offsets.as<std::int32_t>();
  for (std::int64_t t = 0; t < matrix.nnz; ++t) ++offsets[matrix.column(t) + 1];
  std::partial_sum(offsets, offsets + result.rows + 1, offsets);
  std::vector<std::int32_t> next(offsets, offsets + result.rows);
  const std::size_t size = matrix.type->size;
  for (std::int64_t i = 0; i < matrix.rows; ++i) {
    for (std::int64_t t = matrix.offset(i); t < matrix.offset(i + 1); ++t) {
      const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(matrix.column(t))]++);
      result.col_indices.as<std::int32_t>()[place] = static_cast<std::int32_t>(i);
      std::memcpy(result.values.as<std::byte>() + place * size,
                  matrix.values.as<std::byte>() + static_cast<std::size_t>(t) * size, size);
    }
  }
  return result;
}

std::int64_t longest_row(const tool::CsrMatrix& matrix) {
  std::int64_t longest = 0;
  for (std::int64_t i = 0; i < matrix.rows; ++i) longest = std::max(longest, matrix.row_length(i));
  return longest;
}

}  // namespace spk::bench
