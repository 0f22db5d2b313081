// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/spmm_dense_tile.hpp"

#include <algorithm>
#include <cmath>

#include "cuda/spmm.hpp"

namespace spk::cuda {
namespace {

struct TileSize {
  int rows, cols;
};

TileSize size_of_tile(TileShape shape) noexcept {
  return shape == TileShape::middle ? TileSize{64, 128} : TileSize{32, 64};
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) noexcept { return a / b + (a % b != 0); }

bool aligned(const void* pointer, std::uintptr_t bytes) noexcept {
  return reinterpret_cast<std::uintptr_t>(pointer) % bytes == 0;
}

// Microseconds by shape, measured on an H200: a block takes `line` per 128 bytes along k, `entry` per stored entry that
// it expands, and `store` to write C.
struct Rates {
  double line[2], entry, store[2];
};
constexpr double kLaunch = 3.0;
constexpr Rates kRates[3] = {
    {{1.4, 0.8}, 0.3e-3, {1.0, 0.7}}, {{1.4, 0.8}, 0.3e-3, {1.0, 0.7}}, {{2.5, 1.6}, 0.4e-3, {1.0, 0.7}}};

double cost(const Device& device, const SpmmProblem& p, TileMath math, TileShape shape) noexcept {
  const Rates& rates = kRates[static_cast<int>(math)];
  const TileSize size = size_of_tile(shape);
  const double blocks = static_cast<double>(ceil_div(p.m, size.rows)) * static_cast<double>(ceil_div(p.n, size.cols)) *
                        static_cast<double>(p.c.batch_count);
  const double lines = static_cast<double>(ceil_div(p.k, math == TileMath::sixteen_bit ? 64 : 32));
  const double entries = static_cast<double>(p.a.nnz) / static_cast<double>(std::max<std::int64_t>(p.m, 1)) * size.rows;
  const double block =
      lines * rates.line[static_cast<int>(shape)] + entries * rates.entry + rates.store[static_cast<int>(shape)];
  // Split products make rows of fewer than a dozen entries again, which hold up the others of their tile.
  const bool again = math == TileMath::split_tf32 && static_cast<double>(p.a.nnz) < 48 * static_cast<double>(p.m);
  return kLaunch + std::ceil(blocks / device.sm_count) * block * (again ? 3 : 1);
}

const char* refuse(const SpmmProblem& p, TileMath math, ValueType type) {
  if (p.a.value_type != type) return "other value type";
  if (math == TileMath::tf32 && !p.allow_tf32) return "tf32 was not allowed";
  if (p.skips_product() || p.m == 0 || p.n == 0) return "there is nothing to multiply";
  if (p.a.format != Format::csr && p.a.format != Format::csc && p.a.format != Format::coo) return "blocks";
  const bool stored = stored_in_rows(p);
  if ((stored ? p.a.index_type : row_index_type(p.a)) != IndexType::i32) return "indices are not 32-bit";
  constexpr std::int64_t kMost = INT32_MAX - 256;
  if (p.a.first_entry + p.a.nnz > kMost || p.k > kMost || p.n > kMost) return "sizes of 2^31";
  if (ceil_div(p.m, 32) > kMost / ceil_div(p.n, 64) / p.c.batch_count) return "more than 2^31 - 1 tiles";
  const auto size = static_cast<std::int64_t>(size_of(type));
  if (stored && (!aligned(p.a.minor_indices(), 16) || !aligned(p.a.values, static_cast<std::uintptr_t>(4 * size)) ||
                 p.a.indices_stride % 4 != 0 || p.a.values_stride % 4 != 0))
    return "indices and values of A are not aligned to four";
  if (!aligned(p.b.values, 16) || p.b.ld * size % 16 != 0 || p.b.batch_stride * size % 16 != 0)
    return "lines of B are not aligned to 16 bytes";
  if (p.b.ld * size >= std::int64_t{1} << 40 || p.b.batch_stride * size >= std::int64_t{1} << 40)
    return "strides of B of 2^40 bytes";
  return nullptr;
}

}  // namespace

const char* refuse_tile_f16(const SpmmProblem& p) { return refuse(p, TileMath::sixteen_bit, ValueType::f16); }
const char* refuse_tile_bf16(const SpmmProblem& p) { return refuse(p, TileMath::sixteen_bit, ValueType::bf16); }
const char* refuse_tile_split(const SpmmProblem& p) { return refuse(p, TileMath::split_tf32, ValueType::f32); }
const char* refuse_tile_tf32(const SpmmProblem& p) { return refuse(p, TileMath::tf32, ValueType::f32); }

double cost_of_tiles(const Device& device, const SpmmProblem& p, TileMath math) {
  return cost(device, p, math, best_tile_shape(device, p, math));
}

TileShape best_tile_shape(const Device& device, const SpmmProblem& p, TileMath math) {
  return cost(device, p, math, TileShape::middle) <= cost(device, p, math, TileShape::small) ? TileShape::middle
                                                                                             : TileShape::small;
}

}  // namespace spk::cuda
