// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/spmm_made_rows.hpp"

#include "core/error.hpp"
#include "cuda/spmm.hpp"

namespace spk::cuda {
namespace {

constexpr std::size_t kAlignment = 256;
constexpr std::size_t padded(std::size_t bytes) noexcept { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

bool is_block_format(Format format) noexcept { return format == Format::bsr || format == Format::blocked_ell; }

std::size_t bytes_of(std::int64_t count, std::size_t size) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(count, static_cast<std::int64_t>(size), &bytes) || bytes > INT64_MAX / 4)
    throw Error(SPK_STATUS_INDEX_OVERFLOW, "the workspace of this product does not fit in 63 bits");
  return padded(static_cast<std::size_t>(bytes));
}

RowsLayout rows_layout(const Device& device, const SpmmProblem& p, bool planned) {
  RowsLayout l;
  const SparseView& a = p.a;
  const bool places = planned || is_block_format(a.format);
  const bool shared = a.offsets_stride == 0 && a.indices_stride == 0 && (planned || a.values_stride == 0);
  l.type = row_index_type(a);
  l.matrices = shared ? 1 : a.batch_count;
  const std::size_t index = size_of(l.type);
  l.indices = l.offsets + bytes_of(p.m / a.block_size + 1, index);
  l.values = l.indices + bytes_of(a.nnzb, index);
  l.matrix_bytes = l.values + bytes_of(a.nnzb, places ? index : size_of(a.value_type));
  l.scratch = bytes_of(l.matrices, l.matrix_bytes);
  l.total = l.scratch + padded(sort_into_rows_scratch(device, a, p.op_a));
  return l;
}

void make_rows(const SpmmProblem& p, const RowsLayout& l, bool planned, char* memory, const Launch& launch) {
  const bool places = planned || is_block_format(p.a.format);
  for (std::int64_t i = 0; i < l.matrices; ++i) {
    char* matrix = memory + static_cast<std::size_t>(i) * l.matrix_bytes;
    RowArrays rows;
    rows.index_type = l.type;
    rows.offsets = matrix + l.offsets;
    rows.indices = matrix + l.indices;
    (places ? rows.positions : rows.values) = matrix + l.values;
    sort_into_rows(launch, p.a.batch(i), p.op_a, rows, memory + l.scratch);
  }
}

SpmmCall call_on_rows(const SpmmProblem& p, const RowsLayout& l, char* memory) {
  SpmmCall call{p, p.a};
  const bool blocks = is_block_format(p.a.format);
  SparseView& v = call.rows;
  const auto stride = [&](std::size_t size) {
    return l.matrices == 1 ? 0 : static_cast<std::int64_t>(l.matrix_bytes / size);
  };
  v.format = blocks ? Format::bsr : Format::csr;
  v.rows = p.m;
  v.cols = p.k;
  v.base = 0;
  v.first_entry = 0;
  v.offset_type = v.index_type = l.type;
  v.offsets = memory + l.offsets;
  v.row_indices = nullptr;
  v.col_indices = memory + l.indices;
  v.offsets_stride = v.indices_stride = stride(size_of(l.type));
  if (blocks) {
    call.block_positions = memory + l.values;
    call.position_stride = v.indices_stride;
    call.position_type = l.type;
    call.turned = p.op_a != Op::n;
  } else {
    v.values = memory + l.values;
    v.values_stride = stride(size_of(v.value_type));
  }
  return call;
}

std::size_t planned_values_bytes(const SpmmProblem& p) {
  if (is_block_format(p.a.format)) return 0;
  const std::int64_t matrices = p.a.values_stride == 0 && p.a.indices_stride == 0 ? 1 : p.a.batch_count;
  return bytes_of(matrices, bytes_of(p.a.nnz, size_of(p.a.value_type)));
}

void take_values(SpmmCall& call, char* values) {
  const SpmmProblem& p = call.p;
  call.rows.values = values;
  call.rows.values_stride =
      p.a.values_stride == 0 && call.rows.indices_stride == 0
          ? 0
          : static_cast<std::int64_t>(bytes_of(p.a.nnz, size_of(p.a.value_type)) / size_of(p.a.value_type));
}
void gather_planned_values(SpmmCall& call, const RowsLayout& layout, char* rows, char* values, const Launch& launch) {
  const SpmmProblem& p = call.p;
  take_values(call, values);
  GatherValues g{};
  g.from = p.a.values;
  g.positions = rows + layout.values;
  g.to = values;
  g.type = p.a.value_type;
  g.position_type = layout.type;
  g.count = p.a.nnz;
  g.from_stride = p.a.values_stride;
  g.position_stride = call.rows.indices_stride;
  g.matrices = call.rows.values_stride == 0 ? 1 : p.a.batch_count;
  g.to_stride = call.rows.values_stride;
  gather_values(g, launch);
}

}  // namespace spk::cuda
