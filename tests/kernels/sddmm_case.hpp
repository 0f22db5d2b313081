// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <ostream>
#include <random>
#include <vector>

#include "core/oracle.hpp"
#include "cpu/isa.hpp"
#include "cpu/operations.hpp"
#include "cpu/reference/operations.hpp"
#include "kernels/guarded.hpp"
#include "reference/arrays.hpp"

namespace spk::test {

// A row of the SDDMM table and what it takes.
struct SddmmTableRow {
  const char* name;
  std::int32_t id;
  cpu::Isa isa;
  Format format;
  ValueType type;
};
// What GoogleTest prints of a parameter; without it, its bytes.
inline void PrintTo(const SddmmTableRow& row, std::ostream* out) { *out << row.name; }

struct SddmmShape {
  std::int64_t m = 7, n = 11, k = 13;  // m and n in blocks
  std::int64_t block_size = 1;
  double density = 0.4;
  Op op_a = Op::n, op_b = Op::n;
  Order order_a = Order::row, order_b = Order::col, block_order = Order::row;
  std::int64_t pad = 0;
  IndexType offset_type = IndexType::i32, index_type = IndexType::i32;
  std::int32_t base = 0;
  std::int64_t batch = 1;
  bool shared_a = false, shared_b = false, shared_structure = true;
  bool float_output = false;
  Scalar alpha{1, 0}, beta{0, 0};
  std::int64_t slice_begin = 0, slice_rows = -1;  // in block rows
};

// An SDDMM with memory of its own. C starts full of NaN if beta is 0.
class SddmmCase {
 public:
  SddmmCase(const SddmmTableRow& row, const SddmmShape& s)
      : shape_(s), random_(static_cast<unsigned>(s.m * 131 + s.n * 17 + s.k)) {
    const bool blocks = row.format == Format::bsr;
    const std::int64_t edge = blocks ? std::max<std::int64_t>(2, s.block_size) : 1;  // one element is CSR
    problem.op_a = s.op_a;
    problem.op_b = s.op_b;
    problem.m = s.m * edge;
    problem.n = s.n * edge;
    problem.k = s.k;
    problem.alg = row.id;
    problem.compute = sum_type(row.type);
    problem.scalars.alpha = s.alpha;
    problem.scalars.beta = s.beta;
    problem.a = dense(row.type, s.op_a, s.order_a, problem.m, s.k, s.shared_a);
    problem.b = dense(row.type, s.op_b, s.order_b, s.k, problem.n, s.shared_b);
    sparse(row, edge);
  }

  // Runs on `threads` threads and returns the bytes of C's values.
  std::vector<char> run(int threads, bool with_plan) {
    Exec exec;
    exec.threads = threads;
    if (!old_.empty()) std::memcpy(c_values_[0].data(), old_.data(), old_.size());
    std::unique_ptr<Plan> plan;
    if (with_plan) plan = cpu::prepare(problem, exec);
    Guarded workspace((cpu::workspace(problem, plan.get(), exec) + 63) / 64 * 64);
    exec.workspace = workspace.data();
    exec.workspace_bytes = workspace.bytes();
    cpu::run(problem, plan.get(), exec);
    EXPECT_TRUE(c_values_[0].front_is_intact());
    const char* values = static_cast<const char*>(c_values_[0].data());
    return {values, values + old_.size()};
  }

  Verdict judge(std::vector<char> result) {
    SddmmProblem before = problem;
    std::vector<char> old = old_;
    before.c.values = old.data();
    SparseView got = problem.c;
    got.values = result.data();
    return reference::judge(before, got);
  }

  // Elements that do not belong to the row slice.
  bool outside_is_intact(const std::vector<char>& result) const {
    const std::size_t block = size_of(problem.c.value_type) * static_cast<std::size_t>(elements_per_entry());
    const std::size_t begin = static_cast<std::size_t>(problem.c.first_entry) * block;
    const std::size_t end = begin + static_cast<std::size_t>(problem.c.nnzb) * block;
    for (std::size_t i = 0; i < result.size(); ++i)
      if ((i < begin || i >= end) && problem.c.batch_count == 1 && result[i] != old_[i]) return false;
    return true;
  }

  std::int64_t elements_per_entry() const { return problem.c.block_size * problem.c.block_size; }

  SddmmProblem problem;

 private:
  Number number() {
    std::uniform_real_distribution<double> pick(-1, 1);
    const double re = pick(random_);
    return {re, pick(random_)};
  }

  DenseView dense(ValueType type, Op op, Order order, std::int64_t rows, std::int64_t cols, bool shared) {
    DenseView x;
    x.type = type;
    x.order = order;
    x.rows = op == Op::n ? rows : cols;
    x.cols = op == Op::n ? cols : rows;
    x.ld = std::max<std::int64_t>(1, order == Order::row ? x.cols : x.rows) + shape_.pad;
    x.batch_count = shared ? 1 : shape_.batch;
    x.batch_stride = x.batch_count == 1 ? 0 : x.extent() + shape_.pad;
    const std::int64_t count = x.extent() + (x.batch_count - 1) * x.batch_stride;
    dense_.emplace_back(static_cast<std::size_t>(count) * size_of(type));
    x.values = dense_.back().data();
    for (std::int64_t b = 0; b < x.batch_count; ++b)
      for (std::int64_t i = 0; i < x.rows; ++i)
        for (std::int64_t j = 0; j < x.cols; ++j)
          put(type, x.values, b * x.batch_stride + i * x.row_stride() + j * x.col_stride(), number());
    x.batch_count = shape_.batch;
    return x;
  }

  void sparse(const SddmmTableRow& row, std::int64_t edge) {
    const SddmmShape& s = shape_;
    SparseView& c = problem.c;
    c.format = row.format;
    c.value_type = s.float_output ? ValueType::f32 : row.type;
    c.offset_type = s.offset_type;
    c.index_type = s.index_type;
    c.base = s.base;
    c.block_order = row.format == Format::bsr ? s.block_order : Order::none;
    c.block_size = edge;
    c.rows = s.m * edge;
    c.cols = s.n * edge;
    c.batch_count = s.batch;
    std::bernoulli_distribution stored(s.density);
    std::vector<std::int64_t> offsets, columns;
    const std::int64_t structures = s.shared_structure ? 1 : s.batch;
    std::vector<std::vector<std::int64_t>> all(static_cast<std::size_t>(structures));
    std::int64_t longest = 0;
    for (std::int64_t b = 0; b < structures; ++b) {
      // The same count in every matrix, in rows of different lengths.
      std::vector<std::int64_t>& mine = all[static_cast<std::size_t>(b)];
      offsets.push_back(s.base);
      for (std::int64_t i = 0; i < s.m; ++i) {
        const bool dense_row = s.m > 3 && i == (s.m / 2 + b) % s.m;
        std::vector<std::int64_t> cols;
        for (std::int64_t j = 0; j < s.n; ++j)
          if (dense_row || (i % 3 != 1 && b == 0 && stored(random_))) cols.push_back(j + s.base);
        if (i % 2 == 1) std::reverse(cols.begin(), cols.end());
        if (i % 4 == 3 && !cols.empty()) cols.push_back(cols.front());  // a duplicate
        mine.insert(mine.end(), cols.begin(), cols.end());
        offsets.push_back(static_cast<std::int64_t>(mine.size()) + s.base);
      }
      longest = std::max(longest, static_cast<std::int64_t>(mine.size()));
    }
    for (std::int64_t b = 0; b < structures; ++b) {
      std::vector<std::int64_t>& mine = all[static_cast<std::size_t>(b)];
      while (static_cast<std::int64_t>(mine.size()) < longest) mine.push_back(s.base + (s.n - 1));
      offsets[static_cast<std::size_t>((b + 1) * (s.m + 1) - 1)] = longest + s.base;
      columns.insert(columns.end(), mine.begin(), mine.end());
    }
    offsets_ = indices(s.offset_type, offsets);
    columns_ = indices(s.index_type, columns);
    c.offsets = offsets_.data();
    c.col_indices = columns_.data();
    c.nnzb = longest;
    c.nnz = longest * edge * edge;
    c.offsets_stride = s.shared_structure ? 0 : s.m + 1;
    c.indices_stride = s.shared_structure ? 0 : longest;
    c.values_stride = c.nnz + 3;
    const std::int64_t count = c.nnz + (s.batch - 1) * c.values_stride;
    c_values_.emplace_back(static_cast<std::size_t>(count) * size_of(c.value_type));
    c.values = c_values_[0].data();
    if (!s.beta.is_zero())
      for (std::int64_t i = 0; i < count; ++i) put(c.value_type, c.values, i, number());
    const char* bytes = static_cast<const char*>(c.values);
    old_.assign(bytes, bytes + c_values_[0].bytes());
    if (s.slice_rows >= 0) slice();
  }

  void slice() {
    SparseView& c = problem.c;
    const std::int64_t first = c.offset(shape_.slice_begin);
    const std::int64_t last = c.offset(shape_.slice_begin + shape_.slice_rows);
    c.offsets = advance_bytes(c.offsets, shape_.slice_begin * static_cast<std::int64_t>(size_of(c.offset_type)));
    c.first_entry = first;
    c.rows = shape_.slice_rows * c.block_size;
    c.nnzb = last - first;
    c.nnz = c.nnzb * c.block_size * c.block_size;
    problem.m = c.rows;
    if (shape_.op_a == Op::n)
      problem.a.rows = c.rows;
    else
      problem.a.cols = c.rows;
  }

  SddmmShape shape_;
  std::mt19937 random_;
  std::vector<Guarded> dense_, c_values_;
  Buffer offsets_, columns_;
  std::vector<char> old_;
};

}  // namespace spk::test
