// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/kernel_table.hpp"

#include "core/describe.hpp"

namespace spk {

Choice choose_only(const VectorProblem& p, std::int32_t first_id) {
  constexpr std::int32_t kTypes = 16;  // above the largest number of a value type
  const std::int32_t id = first_id + static_cast<std::int32_t>(p.op) * kTypes + static_cast<std::int32_t>(p.y.type);
  const std::string name = std::string(name_of(p.op)) + "_" + name_of(p.y.type);
  if (p.alg >= 256 && p.alg != id) return {0, name + ": another kernel was asked for"};
  return {id, name};
}

}  // namespace spk
