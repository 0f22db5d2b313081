// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <gtest/gtest.h>

#include <limits>

#include "cpu/reference/operations.hpp"
#include "cpu/spmm.hpp"
#include "kernels/spmm_case.hpp"

namespace spk::test {
namespace {

constexpr ValueType kTypes[] = {ValueType::f32,  ValueType::f64, ValueType::f16,
                                ValueType::bf16, ValueType::c64, ValueType::c128};

bool takes(const cpu::SpmmRow& row, const SpmmCase& c) {
  SpmmProblem p = c.problem();
  p.alg = row.id;
  p.keeps_values = needs_kept_values(row.id);
  return row.refuse(p) == nullptr;
}

// Every bit set: NaN in every type.
void put_nan(ValueType type, void* values, std::int64_t at) {
  std::memset(static_cast<char*>(values) + static_cast<std::size_t>(at) * size_of(type), 0xff, size_of(type));
}

// Moves the entries of the last column (block column) to the first one, and makes that column's rows of op(B) NaN.
void poison_unstored(SpmmCase& c) {
  SpmmProblem& p = c.problem();
  SparseView& a = p.a;
  void* columns = const_cast<void*>(a.col_indices);
  for (std::int64_t e = 0; e < a.nnzb; ++e) {
    const std::int64_t column = index_at(columns, a.index_type, e);
    if (column - a.base == a.block_cols() - 1) set_index(columns, a.index_type, e, a.base);
    if (a.format == Format::blocked_ell && column < 0)
      for (std::int64_t r = 0; r < a.block_size; ++r)
        for (std::int64_t s = 0; s < a.block_size; ++s)
          put_nan(a.value_type, a.values,
                  (e / a.slots_per_row() * a.block_size + r) * a.ell_cols + e % a.slots_per_row() * a.block_size + s);
  }
  const Operand b = operand(p.b, p.op_b);
  for (std::int64_t i = p.k - a.block_size; i < p.k; ++i)
    for (std::int64_t j = 0; j < p.n; ++j) put_nan(p.b.type, p.b.values, i * b.row_stride + j * b.col_stride);
}

TEST(SpmmValues, WhatIsNotStoredNeverMeetsB) {
  for (const cpu::SpmmRow& row : cpu::spmm_kernels()) {
    if (!cpu::isa_supports(cpu::available_isa(), row.target)) continue;
    for (const Format format : {Format::csr, Format::coo, Format::bsr, Format::blocked_ell})
      for (const ValueType type : kTypes)
        for (const Order order : {Order::row, Order::col})
          for (const std::int64_t n : {1, 3, 40, 140}) {
            SpmmShape s;
            s.format = format;
            s.type = type;
            s.b_order = s.c_order = order;
            s.n = n;
            s.m = 30;
            s.k = 24;
            if (format == Format::bsr || format == Format::blocked_ell) s.block_size = 3;
            SpmmCase c(s);
            if (!takes(row, c)) continue;
            poison_unstored(c);
            expect_right(c, s, row.id, 1);
          }
  }
}

TEST(SpmmValues, NanAndInfinityOfStoredEntriesArrive) {
  for (const cpu::SpmmRow& row : cpu::spmm_kernels()) {
    if (!cpu::isa_supports(cpu::available_isa(), row.target)) continue;
    for (const Activation activation : {Activation::none, Activation::relu})
      for (const std::int64_t n : {1, 4, 70}) {
        SpmmShape s;
        s.n = n;
        s.m = 20;
        s.type = ValueType::f32;
        s.activation = activation;
        s.op_a = cpu::method_of(row) == cpu::SpmmMethod::scatter ? Op::t : Op::n;
        if (n <= 4) s.b_order = Order::col;
        SpmmCase c(s);
        if (!takes(row, c)) continue;
        ASSERT_GT(c.problem().a.nnz, 8);
        float* values = static_cast<float*>(c.problem().a.values);
        values[2] = std::numeric_limits<float>::quiet_NaN();
        values[5] = std::numeric_limits<float>::infinity();
        values[7] = 0;
        static_cast<float*>(c.problem().b.values)[0] = -std::numeric_limits<float>::infinity();
        expect_right(c, s, row.id, 1);
      }
  }
}

// Rows of op(B) so far apart that offsets in bytes just fit in 32 bits, or do not: memory that is there where it is used.
TEST(SpmmValues, RowsOfBMayLieFarApart) {
  for (const cpu::SpmmRow& row : cpu::spmm_kernels()) {
    if (!cpu::isa_supports(cpu::available_isa(), row.target)) continue;
    for (const ValueType type : {ValueType::f32, ValueType::f64})
      for (const std::int64_t n : {1, 2, 4, 7, 8, 12, 32, 48, 140})
        for (const bool fits : {true, false}) {
          SpmmShape s;
          s.type = type;
          s.m = 30;
          s.n = n;
          s.k = 40;
          s.base = 1;
          s.density = 0.4;
          SpmmCase c(s);
          DenseView& b = c.problem().b;
          const std::size_t size = size_of(type);
          const std::int64_t most = UINT32_MAX / static_cast<std::int64_t>(size) / (s.k + s.base);
          const std::int64_t ld = fits ? most : most + most / 4, near_ld = b.ld;
          b.ld = ld;
          if (!takes(row, c)) continue;
          const std::size_t bytes = static_cast<std::size_t>((s.k - 1) * ld + n) * size;
          void* memory =
              mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
          ASSERT_NE(memory, MAP_FAILED);
          for (std::int64_t i = 0; i < s.k; ++i)
            std::memcpy(static_cast<char*>(memory) + static_cast<std::size_t>(i * ld) * size,
                        static_cast<const char*>(b.values) + static_cast<std::size_t>(i * near_ld) * size,
                        static_cast<std::size_t>(n) * size);
          b.values = memory;
          expect_right(c, s, row.id, 1);
          munmap(memory, bytes);
        }
  }
}

TEST(SpmmValues, ResidualMayBeCItself) {
  for (const Order order : {Order::row, Order::col})
    for (const std::int64_t n : {1, 9, 140}) {
      SpmmShape s;
      s.m = 40;
      s.n = n;
      s.c_order = s.residual_order = order;
      s.residual = true;
      s.beta = {0.5, 0};
      s.activation = Activation::relu;
      SpmmCase c(s);
      c.problem().epilogue.residual.values = c.problem().c.values;
      SpmmProblem p = c.problem();
      p.c = c.fresh_c();
      p.epilogue.residual.values = p.c.values;
      Exec exec;
      std::vector<double> workspace(cpu::workspace(p, nullptr, exec) / 8 + 2);
      exec.workspace = workspace.data();
      cpu::run(p, nullptr, exec);
      EXPECT_LE(reference::judge(c.problem(), p.c).worst, 1.0) << to_string(s);
    }
}

}  // namespace
}  // namespace spk::test
