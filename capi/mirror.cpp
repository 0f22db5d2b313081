// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "capi/mirror.hpp"

#include <algorithm>

#include "capi/problems.hpp"
#include "core/validate_operations.hpp"

namespace spk::capi {

char* Mirror::allocate(std::int64_t bytes) {
  blocks_.push_back(std::make_unique<char[]>(static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1))));
  return blocks_.back().get();
}

void* Mirror::copy(const void* data, std::int64_t bytes) {
  if (data == nullptr) return nullptr;
  char* block = allocate(bytes);
  backend_.copy_to_host(block, data, static_cast<std::size_t>(bytes), stream_);
  return block;
}

DenseView Mirror::copy(const DenseView& x) {
  DenseView y = x;
  if (x.values == nullptr) return y;
  const bool by_rows = x.order == Order::row;
  const std::int64_t lines = by_rows ? x.rows : x.cols;
  const std::int64_t length = by_rows ? x.cols : x.rows;
  const auto size = static_cast<std::int64_t>(size_of(x.type));
  y.ld = std::max<std::int64_t>(length, 1);
  const bool shared = x.batch_stride == 0;
  const std::int64_t copies = shared ? 1 : x.batch_count;
  y.batch_stride = shared ? 0 : lines * y.ld;
  char* block = allocate(copies * lines * y.ld * size);
  y.values = block;
  const auto copy_part = [&](std::int64_t from, std::int64_t to, std::int64_t count) {
    backend_.copy_to_host(block + to * size, advance_bytes(static_cast<const void*>(x.values), from * size),
                          static_cast<std::size_t>(count * size), stream_);
  };
  for (std::int64_t b = 0; b < copies; ++b) {
    if (x.ld == length) {
      copy_part(b * x.batch_stride, b * lines * y.ld, lines * length);
      continue;
    }
    for (std::int64_t line = 0; line < lines; ++line)
      copy_part(b * x.batch_stride + line * x.ld, (b * lines + line) * y.ld, length);
  }
  return y;
}

SparseView Mirror::copy(const SparseView& a) {
  SparseView c = a;
  // Entries of a slice keep their positions: the copy stands where the whole array would begin.
  const auto copy_array = [&](const void* array, ByteRange range) -> void* {
    if (range.begin == range.end) return const_cast<void*>(array);
    char* block = static_cast<char*>(copy(range.begin, range.end - range.begin));
    const std::int64_t skipped = range.begin - static_cast<const char*>(array);
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(block) - static_cast<std::uintptr_t>(skipped));
  };
  c.offsets = copy_array(a.offsets, offsets_range(a));
  c.row_indices = copy_array(a.row_indices, indices_range(a, a.row_indices));
  c.col_indices = copy_array(a.col_indices, indices_range(a, a.col_indices));
  c.values = copy_array(a.values, values_range(a));
  return c;
}

SpmmProblem Mirror::before(const SpmmProblem& p) {
  SpmmProblem q = p;
  if (!p.skips_product()) {
    q.a = on_host(p.a);
    q.b = on_host(p.b);
  }
  q.c = copy(p.c);
  Epilogue& e = q.epilogue;
  if (e.bias_kind != BiasKind::none && !backend_.computes_in_host_memory()) {
    const std::int64_t length = e.bias_kind == BiasKind::per_row ? p.m : p.n;
    e.bias = copy(e.bias, length * static_cast<std::int64_t>(size_of(e.bias_type)));
  }
  if (e.has_residual) e.residual = e.residual.values == p.c.values ? q.c : on_host(e.residual);
  if (p.scalars.device_alpha != nullptr) {
    const auto bytes = static_cast<std::int64_t>(size_of(p.compute));
    q.scalars = scalars_from(copy(p.scalars.device_alpha, bytes), copy(p.scalars.device_beta, bytes), p.compute);
  }
  return q;
}

SddmmProblem Mirror::before(const SddmmProblem& p) {
  SddmmProblem q = p;
  if (!p.skips_product()) {
    q.a = on_host(p.a);
    q.b = on_host(p.b);
  }
  q.c = copy(p.c);
  if (p.scalars.device_alpha != nullptr) {
    const auto bytes = static_cast<std::int64_t>(size_of(p.compute));
    q.scalars = scalars_from(copy(p.scalars.device_alpha, bytes), copy(p.scalars.device_beta, bytes), p.compute);
  }
  return q;
}

SoftmaxProblem Mirror::before(const SoftmaxProblem& p) {
  SoftmaxProblem q = p;
  q.x = copy(p.x);
  q.y = p.y.values == p.x.values ? q.x : copy(p.y);
  if (p.mask != nullptr && !backend_.computes_in_host_memory())
    q.mask = static_cast<const std::uint8_t*>(copy(p.mask, p.x.nnz));
  return q;
}

SoftmaxBackwardProblem Mirror::before(const SoftmaxBackwardProblem& p) {
  SoftmaxBackwardProblem q = p;
  q.y = copy(p.y);
  q.dy = copy(p.dy);
  q.dx = copy(p.dx);
  return q;
}

SparseVectorView Mirror::copy(const SparseVectorView& x) {
  SparseVectorView c = x;
  c.indices = copy(x.indices, x.nnz * static_cast<std::int64_t>(size_of(x.index_type)));
  c.values = copy(x.values, x.nnz * static_cast<std::int64_t>(size_of(x.value_type)));
  return c;
}

VectorProblem Mirror::before(const VectorProblem& p) {
  VectorProblem q = p;
  if (!p.skips_x()) q.x = copy(p.x);
  q.y = p.writes_y() ? copy(p.y) : on_host(p.y);
  if (p.scalars.device_alpha != nullptr) {
    const auto bytes = static_cast<std::int64_t>(size_of(p.compute));
    q.scalars = scalars_from(copy(p.scalars.device_alpha, bytes), copy(p.scalars.device_beta, bytes), p.compute);
  }
  return q;
}

VectorProblem Mirror::on_host(const VectorProblem& p) {
  VectorProblem q = p;
  if (p.writes_x()) q.x = on_host(p.x);
  if (p.writes_y()) q.y = on_host(p.y);
  const bool is_away = !backend_.computes_in_host_memory() && !p.brings_result_home;
  if (p.op == VectorOp::spvv && is_away) q.result = copy(p.result, static_cast<std::int64_t>(size_of(p.compute)));
  return q;
}

}  // namespace spk::capi
