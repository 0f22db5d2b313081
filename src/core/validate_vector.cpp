// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/validate_vector.hpp"

#include "core/error.hpp"
#include "core/validate_operations.hpp"

namespace spk {
namespace {

using Long = long long;

ByteRange range(const void* pointer, std::int64_t count, std::size_t size) noexcept {
  if (pointer == nullptr) return {};
  const auto* begin = static_cast<const char*>(pointer);
  return {begin, begin + count * static_cast<std::int64_t>(size)};
}

struct NamedRange {
  ByteRange bytes;
  const char* name;
};

void check_apart(const NamedRange& output, const NamedRange& input) {
  if (output.bytes.meets(input.bytes))
    throw Error(SPK_STATUS_INVALID_VALUE, "%s overlaps %s in memory", output.name, input.name);
}

}  // namespace

void validate(const VectorProblem& p) {
  if (p.x.size != p.y.rows)
    throw Error(SPK_STATUS_INVALID_VALUE, "size of vecX = %lld but must equal size of vecY = %lld",
                static_cast<Long>(p.x.size), static_cast<Long>(p.y.rows));
  if (p.x.value_type != p.y.type)
    throw Error(SPK_STATUS_NOT_SUPPORTED, "vecX holds %s and vecY %s: no kernel mixes them", name_of(p.x.value_type),
                name_of(p.y.type));
  if (p.compute != sum_type(p.y.type))
    throw Error(SPK_STATUS_NOT_SUPPORTED, "compute_type = %d but %s operands are summed in %s",
                static_cast<std::int32_t>(p.compute), name_of(p.y.type), name_of(sum_type(p.y.type)));
}

void validate_memory(const VectorProblem& p) {
  if (is_empty(p)) return;
  if (!p.skips_x()) {
    if (p.x.indices == nullptr) throw Error(SPK_STATUS_INVALID_VALUE, "vecX has NULL indices");
    if (p.x.values == nullptr) throw Error(SPK_STATUS_INVALID_VALUE, "vecX has NULL values");
  }
  const bool needs_y = p.op == VectorOp::axpby || !p.skips_x();
  if (needs_y && p.y.values == nullptr && p.y.rows != 0)
    throw Error(SPK_STATUS_INVALID_VALUE, "vecY has NULL values but %lld elements", static_cast<Long>(p.y.rows));
  const NamedRange indices{range(p.x.indices, p.x.nnz, size_of(p.x.index_type)), "vecX's indices"};
  const NamedRange values{range(p.x.values, p.x.nnz, size_of(p.x.value_type)), "vecX's values"};
  const NamedRange y{range(p.y.values, p.y.rows, size_of(p.y.type)), "vecY"};
  if (p.writes_y()) {
    check_apart(y, indices);
    check_apart(y, values);
  }
  if (p.writes_x()) {
    check_apart(values, indices);
    check_apart(values, y);
  }
  if (p.op != VectorOp::spvv) return;
  const NamedRange result{range(p.result, 1, size_of(p.compute)), "result"};
  check_apart(result, indices);
  check_apart(result, values);
  check_apart(result, y);
}

void check_entries(const SparseVectorView& x, const char* name) {
  for (std::int64_t i = 0; i < x.nnz; ++i) {
    const std::int64_t index = index_at(x.indices, x.index_type, i);
    if (index < x.base || index - x.base >= x.size)
      throw Error(SPK_STATUS_INVALID_STRUCTURE, "%s: indices[%lld] = %lld but must be in [%d, %lld)", name,
                  static_cast<Long>(i), static_cast<Long>(index), static_cast<int>(x.base),
                  static_cast<Long>(x.size + x.base));
  }
}

}  // namespace spk
