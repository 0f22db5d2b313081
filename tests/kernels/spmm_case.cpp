// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "kernels/spmm_case.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "cpu/reference/operations.hpp"
#include "cpu/spmm.hpp"

namespace spk::test {
void* SpmmCase::array(std::int64_t count, std::size_t size) {
  memory_.emplace_back(static_cast<std::size_t>(count) * size);
  return memory_.back().data();
}

double SpmmCase::number() {
  if (integers_) return static_cast<double>(std::uniform_int_distribution<int>(-4, 3)(random_));
  return std::uniform_real_distribution<double>(-1, 1)(random_);
}

void SpmmCase::put(ValueType type, void* values, std::int64_t at) {
  switch (type) {
    case ValueType::f32: static_cast<float*>(values)[at] = static_cast<float>(number()); break;
    case ValueType::f64: static_cast<double*>(values)[at] = number(); break;
    case ValueType::f16: static_cast<f16*>(values)[at] = to_f16(number()); break;
    case ValueType::bf16: static_cast<bf16*>(values)[at] = to_bf16(number()); break;
    case ValueType::c64: {
      const double re = number();
      static_cast<c64*>(values)[at] = c64(static_cast<float>(re), static_cast<float>(number()));
      break;
    }
    case ValueType::c128: {
      const double re = number();
      static_cast<c128*>(values)[at] = c128(re, number());
      break;
    }
  }
}

DenseView SpmmCase::make_dense(std::int64_t rows, std::int64_t cols, Order order, std::int64_t padding, ValueType type,
                               std::int64_t batch, bool leave_nan) {
  DenseView x;
  x.type = type;
  x.order = order;
  x.rows = rows;
  x.cols = cols;
  x.ld = std::max<std::int64_t>(1, (order == Order::row ? cols : rows) + padding);
  x.batch_count = batch;
  x.batch_stride = batch > 1 ? x.extent() + padding : 0;
  const std::int64_t count = (batch - 1) * x.batch_stride + x.extent();
  x.values = array(count, size_of(type));
  if (leave_nan) return x;
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < cols; ++j)
        put(type, x.values, b * x.batch_stride + i * x.row_stride() + j * x.col_stride());
  return x;
}

void SpmmCase::make_a(const SpmmShape& s) {
  SparseView& a = problem_.a;
  a.format = s.format;
  a.value_type = s.type;
  a.index_type = s.index_type;
  a.base = s.base;
  a.block_size = s.block_size;
  const bool blocks = s.format == Format::bsr || s.format == Format::blocked_ell;
  const std::int64_t edge = s.block_size;
  a.rows = s.op_a == Op::n ? problem_.m : problem_.k;
  a.cols = s.op_a == Op::n ? problem_.k : problem_.m;
  a.batch_count = s.batch;
  // Places of entries (or blocks): unsorted, some of them twice, unless asked otherwise.
  struct Place {
    std::int64_t row, col;
  };
  std::vector<Place> places;
  const std::int64_t rows = a.rows / edge + s.slice_from, cols = a.cols / edge;
  std::bernoulli_distribution present(s.density);
  for (std::int64_t i = 0; i < rows; ++i) {
    std::vector<Place> row;
    for (std::int64_t j = 0; j < cols; ++j)
      if (present(random_)) row.push_back({i, j});
    if (!s.distinct && !row.empty() && i % 3 == 1 && static_cast<std::int64_t>(row.size()) < cols)
      row.push_back(row[0]);
    if (i == rows / 2)
      for (std::int64_t e = 0; e < s.long_row; ++e) row.push_back({i, (e * 7) % cols});
    if (!s.sorted) std::shuffle(row.begin(), row.end(), random_);
    places.insert(places.end(), row.begin(), row.end());
  }
  if (s.format == Format::coo && !s.sorted) std::shuffle(places.begin(), places.end(), random_);
  if (s.format == Format::csc)
    std::stable_sort(places.begin(), places.end(), [](const Place& x, const Place& y) { return x.col < y.col; });
  a.nnzb = static_cast<std::int64_t>(places.size());
  a.nnz = a.nnzb * edge * edge;
  const auto indices = [&](auto&& pick) {
    void* p = array(a.nnzb, size_of(a.index_type));
    for (std::int64_t e = 0; e < a.nnzb; ++e)
      set_index(p, a.index_type, e, pick(places[static_cast<std::size_t>(e)]) + a.base);
    return p;
  };
  const auto row_of = [](const Place& p) { return p.row; };
  const auto col_of = [](const Place& p) { return p.col; };
  if (s.format == Format::blocked_ell) {
    std::vector<std::vector<std::int64_t>> slots(static_cast<std::size_t>(rows));
    for (const Place& p : places) slots[static_cast<std::size_t>(p.row)].push_back(p.col);
    std::size_t most = 0;
    for (const auto& row : slots) most = std::max(most, row.size());
    const std::int64_t per_row = static_cast<std::int64_t>(most) + 1;
    a.ell_cols = per_row * edge;
    a.nnzb = rows * per_row;
    a.nnz = a.rows * a.ell_cols;
    void* cols_of = array(a.nnzb, size_of(a.index_type));
    for (std::int64_t i = 0; i < rows; ++i) {
      auto& row = slots[static_cast<std::size_t>(i)];
      row.resize(most + 1, -1 - a.base);
      std::swap(row[0], row[most]);  // unused slots may stand anywhere
      for (std::int64_t e = 0; e < per_row; ++e)
        set_index(cols_of, a.index_type, i * per_row + e, row[static_cast<std::size_t>(e)] + a.base);
    }
    a.col_indices = cols_of;
  } else if (s.format == Format::coo) {
    a.row_indices = indices(row_of);
    a.col_indices = indices(col_of);
  } else {
    const bool csc = s.format == Format::csc;
    (csc ? a.row_indices : a.col_indices) = csc ? indices(row_of) : indices(col_of);
    a.offset_type = s.offset_type;
    const std::int64_t majors = csc ? cols : rows;
    void* offsets = array(majors + 1, size_of(a.offset_type));
    std::size_t e = 0;
    for (std::int64_t i = 0; i <= majors; ++i) {
      while (e < places.size() && (csc ? places[e].col : places[e].row) < i) ++e;
      set_index(offsets, a.offset_type, i, static_cast<std::int64_t>(e) + a.base);
    }
    a.offsets = advance_bytes(static_cast<const void*>(offsets),
                              s.slice_from * static_cast<std::int64_t>(size_of(a.offset_type)));
    if (s.slice_from > 0) {
      a.first_entry = a.offset(0);
      a.nnz -= a.first_entry;
      a.nnzb = a.nnz;
    }
  }
  if (blocks && s.format == Format::bsr) a.block_order = s.block_order;
  const std::int64_t stored = a.first_entry + a.nnz;
  a.values_stride = s.batch > 1 ? stored : 0;
  a.values = array(stored * s.batch, size_of(s.type));
  for (std::int64_t e = 0; e < stored * s.batch; ++e) put(s.type, a.values, e);
}

SpmmCase::SpmmCase(const SpmmShape& s) : random_(s.seed), integers_(s.integers) {
  SpmmProblem& p = problem_;
  const auto round_up = [&](std::int64_t x) { return (x + s.block_size - 1) / s.block_size * s.block_size; };
  p.op_a = s.op_a;
  p.op_b = s.op_b;
  p.m = round_up(s.m);
  p.n = s.n;
  p.k = round_up(s.k);
  p.compute = sum_type(s.type);
  p.scalars.alpha = s.alpha;
  p.scalars.beta = s.beta;
  make_a(s);
  const bool turned = s.op_b != Op::n;
  p.b = make_dense(turned ? p.n : p.k, turned ? p.k : p.n, s.b_order, s.b_padding, s.type, s.shared_b ? 1 : s.batch,
                   false);
  if (s.equal_columns) {
    const Operand b = operand(p.b, s.op_b);
    const std::size_t size = size_of(s.type);
    char* values = static_cast<char*>(p.b.values);
    for (std::int64_t i = 0; i < p.k; ++i)
      for (std::int64_t j = 1; j < p.n; ++j)
        std::memcpy(values + static_cast<std::size_t>(i * b.row_stride + j * b.col_stride) * size,
                    values + static_cast<std::size_t>(i * b.row_stride) * size, size);
  }
  p.b.batch_count = s.batch;
  const ValueType c_type = s.c_is_f32 ? ValueType::f32 : s.type;
  p.c = make_dense(p.m, p.n, s.c_order, s.c_padding, c_type, s.batch, s.beta.is_zero());
  c_bytes_ = memory_.back().bytes();
  Epilogue& e = p.epilogue;
  e.activation = s.activation;
  e.bias_kind = s.bias;
  if (s.bias != BiasKind::none) {
    e.bias_type = s.bias_in_sum_type ? sum_type(s.type) : c_type;
    const std::int64_t count = s.bias == BiasKind::per_row ? p.m : p.n;
    void* bias = array(count, size_of(e.bias_type));
    for (std::int64_t i = 0; i < count; ++i) put(e.bias_type, bias, i);
    e.bias = bias;
  }
  e.has_residual = s.residual;
  if (s.residual) e.residual = make_dense(p.m, p.n, s.residual_order, s.c_padding, c_type, s.batch, false);
}

DenseView SpmmCase::fresh_c() {
  DenseView c = problem_.c;
  memory_.emplace_back(c_bytes_);
  c.values = memory_.back().data();
  if (c_bytes_ != 0) std::memcpy(c.values, problem_.c.values, c_bytes_);
  return c;
}

namespace {

// Calls f(offset in bytes) for every element.
template <class F>
void for_each_element(const DenseView& c, F&& f) {
  for (std::int64_t b = 0; b < c.batch_count; ++b)
    for (std::int64_t i = 0; i < c.rows; ++i)
      for (std::int64_t j = 0; j < c.cols; ++j)
        f(static_cast<std::size_t>(b * c.batch_stride + i * c.row_stride() + j * c.col_stride()) * size_of(c.type));
}

}  // namespace

bool SpmmCase::padding_is_intact(const DenseView& c) const {
  std::vector<bool> element(c_bytes_, false);
  for_each_element(c, [&](std::size_t at) {
    for (std::size_t byte = 0; byte < size_of(c.type); ++byte) element[at + byte] = true;
  });
  const char* now = static_cast<const char*>(c.values);
  const char* before = static_cast<const char*>(problem_.c.values);
  for (std::size_t byte = 0; byte < c_bytes_; ++byte)
    if (!element[byte] && now[byte] != before[byte]) return false;
  return true;
}

void SpmmCase::leave_out_column(std::int64_t column) {
  const SparseView& a = problem_.a;
  auto* columns = static_cast<std::int32_t*>(const_cast<void*>(a.col_indices));
  std::replace(columns, columns + a.nnz, static_cast<std::int32_t>(column + a.base),
               static_cast<std::int32_t>(column - 1 + a.base));
  const DenseView& b = problem_.b;
  for (std::int64_t j = 0; j < b.cols; ++j) {
    if (b.type == ValueType::f32)
      static_cast<float*>(b.values)[column * b.ld + j] = INFINITY;
    else
      static_cast<double*>(b.values)[column * b.ld + j] = INFINITY;
  }
}

bool SpmmCase::equal_bits(const DenseView& x, const DenseView& y) const {
  bool equal = true;
  for_each_element(x, [&](std::size_t at) {
    equal = equal && std::memcmp(static_cast<const char*>(x.values) + at, static_cast<const char*>(y.values) + at,
                                 size_of(x.type)) == 0;
  });
  return equal;
}

std::string to_string(const SpmmShape& s) {
  std::ostringstream out;
  out << "m " << s.m << " n " << s.n << " k " << s.k << " density " << s.density << ' ' << name_of(s.format) << ' '
      << name_of(s.type) << (s.c_is_f32 ? " C f32" : "") << " opA " << name_of(s.op_a) << " opB " << name_of(s.op_b)
      << " B " << name_of(s.b_order) << '+' << s.b_padding << " C " << name_of(s.c_order) << '+' << s.c_padding
      << " offsets " << name_of(s.offset_type) << " indices " << name_of(s.index_type) << " base " << s.base
      << " block " << s.block_size << ' ' << name_of(s.block_order) << " batch " << s.batch << " alpha " << s.alpha.re
      << '+' << s.alpha.im << "i beta " << s.beta.re << '+' << s.beta.im << "i activation "
      << static_cast<int>(s.activation) << " bias " << static_cast<int>(s.bias) << " residual " << s.residual
      << " long " << s.long_row << " seed " << s.seed;
  return out.str();
}

bool needs_kept_values(std::int32_t alg) {
  for (const cpu::SpmmRow& row : cpu::spmm_kernels())
    if (row.id == alg) return cpu::method_of(row) == cpu::SpmmMethod::windows;
  return false;
}

DenseView run_spmm(SpmmCase& c, std::int32_t alg, int threads) {
  SpmmProblem p = c.problem();
  p.c = c.fresh_c();
  p.alg = alg;
  Exec exec;
  exec.threads = threads;
  std::unique_ptr<Plan> plan;
  if (needs_kept_values(alg)) {
    p.keeps_values = true;
    plan = cpu::prepare(p, exec);
    p.keeps_values = false;
  }
  const Guarded workspace(cpu::workspace(p, plan.get(), exec) + 64);
  // 16 bytes of alignment are all that is promised, and the last byte is the last one.
  const std::size_t bytes = workspace.bytes() - 64;
  const std::size_t end = reinterpret_cast<std::uintptr_t>(workspace.data()) + workspace.bytes();
  exec.workspace = reinterpret_cast<void*>((end - bytes) / 16 * 16);
  exec.workspace_bytes = bytes;
  cpu::run(p, plan.get(), exec);
  return p.c;
}

DenseView expect_right(SpmmCase& c, const SpmmShape& shape, std::int32_t alg, int threads) {
  const DenseView got = run_spmm(c, alg, threads);
  const Verdict verdict = reference::judge(c.problem(), got);
  EXPECT_LE(verdict.worst, 1.0) << to_string(shape) << "\n  kernel " << alg << " threads " << threads << " at ("
                                << verdict.row << ", " << verdict.col << ") of matrix " << verdict.batch << ": got "
                                << verdict.got.re << " want " << verdict.want.re << " bound " << verdict.bound;
  EXPECT_TRUE(c.padding_is_intact(got)) << to_string(shape);
  return got;
}

}  // namespace spk::test
