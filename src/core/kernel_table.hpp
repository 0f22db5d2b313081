// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <span>
#include <string>

#include "core/backend.hpp"

namespace spk {

// One row of an operation's kernel table (see docs/architecture.md). Rows stand best first.
template <class Problem, class Target, class Function>
struct KernelRow {
  const char* name;
  std::int32_t id;  // 256 and above, written out in the table, never reused
  Target target;    // least instruction set or SM
  Function* function;
  const char* (*refuse)(const Problem&);  // NULL, or why the row cannot take the problem
};

// The first row that takes p on a machine with `available`, or NULL; then `refusals` holds "name: reason; ..." of all.
// alg >= 256 asks for one row by id. supports(available, target) says whether the machine has a target.
template <class Row, class Problem, class Available, class Supports>
const Row* select(std::span<const Row> table, const Problem& p, Available available, Supports supports,
                  std::string* refusals) {
  for (const Row& row : table) {
    const char* reason = nullptr;
    if (p.alg >= 256 && p.alg != row.id)
      reason = "another kernel was asked for";
    else if (!supports(available, row.target))
      reason = "the processor lacks the instruction set";
    else
      reason = row.refuse(p);
    if (reason == nullptr) return &row;
    if (refusals != nullptr) refusals->append(row.name).append(": ").append(reason).append("; ");
  }
  return nullptr;
}

}  // namespace spk
