// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cases/product.hpp"
#include "support/draw.hpp"

// Products drawn from the options of the C ABI, with their answers from a dense loop of the tests' own.
namespace spk::test {

using cases::Number;

// Everything that makes one product; arrays follow from `seed`.
struct Recipe {
  cases::ProductKind kind = cases::ProductKind::spmm;
  spk_format_t format = SPK_FORMAT_CSR;
  spk_value_type_t type = SPK_R_32F, output_type = SPK_R_32F;
  spk_index_type_t offset_type = SPK_INDEX_32I, index_type = SPK_INDEX_32I;
  std::int32_t index_base = 0;
  spk_operation_t op_a = SPK_OP_N, op_b = SPK_OP_N;
  spk_order_t order_b = SPK_ORDER_ROW, order_c = SPK_ORDER_ROW;  // order_c is A's for SDDMM
  std::int64_t pad_b = 0, pad_c = 0;                             // ld beyond the tight one
  double alpha = 1, beta = 0;
  std::int64_t m = 8, n = 8, k = 8;
  std::int64_t block = 2;  // SELL: rows of a slice
  spk_order_t block_order = SPK_ORDER_ROW;
  int fill_percent = 30;       // of the places of a row
  bool has_dense_row = false;  // one line holds an entry in every place
  bool is_unsorted = false, has_duplicates = false;
  std::int64_t batch_count = 1;
  bool shares_structure = true, shares_values = true;  // A's, over the batch
  bool shares_b = true;
  bool has_integers = true;     // small integers, whose sums are exact in every order
  bool has_odd_values = false;  // a few are NaN, infinite, huge, tiny or a negative zero
  std::int32_t activation = SPK_ACTIVATION_NONE, bias_kind = SPK_BIAS_NONE;
  bool has_residual = false;
  std::uint64_t seed = 1;

  std::string describe() const;
};

// Recipe number `index` of recipe_count(): every combination of operation, format, types, base, transposes, orders,
// paddings, alpha and beta has a number; sizes, structure and batches are drawn from the number.
std::int64_t recipe_count() noexcept;
Recipe recipe(std::int64_t index);

// The same options with sizes at which kernels for large problems are chosen, now and then with odd values and an
// epilogue, which the dense loop does not know. About `most_products` products of two elements at the most.
Recipe large_recipe(std::int64_t index, std::int64_t most_products);

// What the environment says of the sample to take: SPK_TEST_SEED, SPK_TEST_FULL=1.
std::int64_t seed_of_recipes();
bool wants_every_recipe();

// One stored element, for block formats the elements of the block one by one.
struct Entry {
  std::int64_t row = 0, col = 0;
  Number value;
};

struct RandomProduct {
  Recipe recipe;
  cases::ProductSpec spec;
  std::vector<std::vector<Entry>>
      entries;  // of each matrix of the batch (one if everything is shared), in storage order

  explicit RandomProduct(const Recipe& recipe);
  std::int64_t outputs() const noexcept;  // elements of the output's buffer
};

// What the output's buffer must hold. Elements that are not the output have no place in `described`.
struct Model {
  std::vector<Number> want;
  std::vector<double> bound;  // allowed error; 0 for integers
  std::vector<char> described;
};
Model dense_loop(const RandomProduct& product);

// Empty, or the first element that is outside its bound, or was written without being part of the output.
std::string compare(const Model& model, const cases::Buffer& got, spk_value_type_t type);

// Where element (row, col) of matrix `batch` lies.
std::int64_t place_of(const cases::DenseSpec& spec, std::int64_t batch, std::int64_t row, std::int64_t col) noexcept;

}  // namespace spk::test
