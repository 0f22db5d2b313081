// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>

#include "cpu/spmm.hpp"

// What a plan that keeps values makes of another storage of A than by rows: CSR of op(A).
namespace spk::cpu {
namespace {

std::size_t index(std::int64_t i) noexcept { return static_cast<std::size_t>(i); }

// Entries in the order of rows need nothing but offsets; theirs are copied.
template <class To>
void copy_indices(const SparseView& a, Op op, std::vector<To>& to) {
  const void* from = op == Op::n ? a.col_indices : a.row_indices;
  for (std::int64_t e = 0; e < a.nnz; ++e) to[index(e)] = static_cast<To>(index_at(from, a.index_type, e) - a.base);
}

void conjugate(ValueType type, char* values, std::int64_t count) noexcept {
  const auto run = [&](auto* pairs) {
    for (std::int64_t e = 0; e < count; ++e) pairs[2 * e + 1] = -pairs[2 * e + 1];
  };
  if (type == ValueType::c64) run(reinterpret_cast<float*>(values));
  if (type == ValueType::c128) run(reinterpret_cast<double*>(values));
}

}  // namespace

void make_kept_rows(const SpmmProblem& p, KeptRows& kept) {
  const std::int64_t matrices = p.a.values_stride == 0 ? 1 : p.a.batch_count;
  const std::size_t size = size_of(p.a.value_type);
  kept.offsets.resize(index(p.m + 2));
  RowArrays rows;
  rows.offsets = kept.offsets.data();
  rows.index_type = sorted_index_type(p.a);
  if (rows.index_type == IndexType::i64) {
    kept.indices64.resize(index(p.a.nnz));
    rows.indices = kept.indices64.data();
  } else {
    kept.indices32.resize(index(p.a.nnz));
    rows.indices = kept.indices32.data();
  }
  std::int64_t nnz = 0;  // fewer than p.a.nnz where slots are unused
  for (std::int64_t b = 0; b < matrices; ++b) {
    const SparseView a = p.a.batch(b);
    kept.values.resize(index(b * nnz + a.nnz) * size);
    rows.values = kept.values.data() + index(b * nnz) * size;
    sort_into_rows(a, p.op_a, rows);
    nnz = kept.offsets[index(p.m)];
    if (rows.in_place) {
      rows.index_type == IndexType::i64 ? copy_indices(a, p.op_a, kept.indices64)
                                        : copy_indices(a, p.op_a, kept.indices32);
      std::copy_n(static_cast<const char*>(a.values), index(nnz) * size, static_cast<char*>(rows.values));
    }
    if (p.op_a == Op::c) conjugate(a.value_type, static_cast<char*>(rows.values), nnz);
  }
  kept.values.resize(index(matrices * nnz) * size);
  kept.in_place = rows.in_place;
  SparseView& view = kept.a;
  view.format = Format::csr;
  view.value_type = p.a.value_type;
  view.offset_type = IndexType::i64;
  view.index_type = rows.index_type;
  view.rows = p.m;
  view.cols = p.k;
  view.nnz = view.nnzb = view.unpadded_nnz = nnz;
  view.offsets = kept.offsets.data();
  view.col_indices = rows.indices;
  view.values = kept.values.data();
  view.batch_count = p.a.batch_count;
  view.values_stride = matrices == 1 ? 0 : nnz;
}

}  // namespace spk::cpu
