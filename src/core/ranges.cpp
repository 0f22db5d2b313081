// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/validate_operations.hpp"

namespace spk {
namespace {

ByteRange make_range(const void* pointer, std::int64_t first, std::int64_t length, std::int64_t count,
                     std::int64_t stride, std::size_t element_size) noexcept {
  if (pointer == nullptr || length <= 0) return {};
  const auto size = static_cast<std::int64_t>(element_size);
  const char* begin = static_cast<const char*>(pointer) + first * size;
  return {begin, begin + ((count - 1) * stride + length) * size};
}

}  // namespace

ByteRange range_of(const DenseView& x) noexcept {
  return make_range(x.values, 0, x.extent(), x.batch_count, x.batch_stride, size_of(x.type));
}

ByteRange offsets_range(const SparseView& a) noexcept {
  if (a.offset_type == IndexType::none) return {};
  return make_range(a.offsets, 0, a.major() + 1, a.batch_count, a.offsets_stride, size_of(a.offset_type));
}

ByteRange indices_range(const SparseView& a, const void* indices) noexcept {
  return make_range(indices, a.first_entry, a.nnzb, a.batch_count, a.indices_stride, size_of(a.index_type));
}

ByteRange values_range(const SparseView& a) noexcept {
  return make_range(a.values, a.first_entry * a.block_size * a.block_size, a.nnz, a.batch_count, a.values_stride,
                    size_of(a.value_type));
}

bool overlap(const DenseView& x, const DenseView& y) noexcept {
  if (!range_of(x).meets(range_of(y))) return false;
  // Lines of one array at different places of the leading dimension interleave without meeting.
  const bool same_grid = x.order == y.order && x.ld == y.ld && size_of(x.type) == size_of(y.type) &&
                         (x.batch_count == 1 || x.batch_stride % x.ld == 0) &&
                         (y.batch_count == 1 || y.batch_stride % y.ld == 0);
  if (!same_grid) return true;
  const auto size = static_cast<std::int64_t>(size_of(x.type));
  const std::int64_t bytes = static_cast<const char*>(y.values) - static_cast<const char*>(x.values);
  if (bytes % size != 0) return true;
  const std::int64_t place = ((bytes / size) % x.ld + x.ld) % x.ld;  // where y's lines begin inside x's ld
  const std::int64_t x_width = x.order == Order::row ? x.cols : x.rows;
  const std::int64_t y_width = y.order == Order::row ? y.cols : y.rows;
  return place < x_width || place + y_width > x.ld;
}

}  // namespace spk
