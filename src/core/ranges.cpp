// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/validate_operations.hpp"

namespace spk {

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
