// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/problems.hpp"
#include "kernels/guarded.hpp"

namespace spk::test {

// What an SpMM problem should look like; make_case() fills it with random entries and values.
struct SpmmShape {
  std::int64_t m = 8, n = 8, k = 8;
  double density = 0.3;
  Format format = Format::csr;
  ValueType type = ValueType::f32;
  bool c_is_f32 = false;  // C of f32 with 16-bit A and B
  Op op_a = Op::n, op_b = Op::n;
  Order b_order = Order::row, c_order = Order::row;
  std::int64_t b_padding = 0, c_padding = 0;  // ld beyond its least value
  IndexType offset_type = IndexType::i32, index_type = IndexType::i32;
  std::int32_t base = 0;
  Order block_order = Order::row;
  std::int64_t block_size = 1;  // m and k are rounded up to multiples of it
  std::int64_t batch = 1;
  bool shared_b = false;
  Scalar alpha{1, 0}, beta{0, 0};
  Activation activation = Activation::none;
  BiasKind bias = BiasKind::none;
  bool bias_in_sum_type = false, residual = false;
  Order residual_order = Order::row;
  std::int64_t long_row = 0;    // entries of one row, over the density
  std::int64_t slice_from = 0;  // CSR: first row of a larger matrix
  bool sorted = false;          // entries by columns (COO: by rows)
  bool distinct = false;        // no place twice
  bool integers = false;        // small integers, whose sums are exact
  bool equal_columns = false;   // of op(B)
  unsigned seed = 1;
};

// A problem and the memory behind it, every array against a page that may not be touched.
class SpmmCase {
 public:
  explicit SpmmCase(const SpmmShape& shape);
  const SpmmProblem& problem() const { return problem_; }
  SpmmProblem& problem() { return problem_; }
  // A copy of C to compute into.
  DenseView fresh_c();
  // Everything outside the elements of C is as it was.
  bool padding_is_intact(const DenseView& c) const;
  bool equal_bits(const DenseView& x, const DenseView& y) const;
  // CSR of 32-bit indices: entries that name this column of A name the one before, and its row of a row-major B holds
  // infinities, which then must not reach C.
  void leave_out_column(std::int64_t column);

 private:
  void* array(std::int64_t count, std::size_t size);
  void make_a(const SpmmShape& shape);
  DenseView make_dense(std::int64_t rows, std::int64_t cols, Order order, std::int64_t padding, ValueType type,
                       std::int64_t batch, bool leave_nan);
  void put(ValueType type, void* values, std::int64_t at);
  double number();

  std::mt19937 random_;
  bool integers_ = false;
  std::vector<Guarded> memory_;
  SpmmProblem problem_;
  std::size_t c_bytes_ = 0;
};

std::string to_string(const SpmmShape& shape);

// Whether a kernel is of plans that keep values alone. It runs by such a plan, then.
bool needs_kept_values(std::int32_t alg);
// Runs one kernel (id >= 256, or 0) into a fresh C; the workspace is exactly what the query asks for.
DenseView run_spmm(SpmmCase& c, std::int32_t alg, int threads);
// Runs, and expects the result within the oracle's bound and nothing else touched. Answers the result.
DenseView expect_right(SpmmCase& c, const SpmmShape& shape, std::int32_t alg, int threads);

}  // namespace spk::test
