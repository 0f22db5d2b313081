// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstdio>
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

// alg >= 256 asks for one row by id, and of that row alone the refusals speak.
template <class Row>
bool is_asked_for(const Row& row, std::int32_t alg) noexcept {
  return alg < 256 || alg == row.id;
}
inline void say_if_unknown(std::int32_t alg, std::string* refusals) {
  if (refusals != nullptr && refusals->empty()) *refusals = "no kernel has the id " + std::to_string(alg);
}

// The first row that takes p on a machine with `available`, or NULL; then `refusals` holds "name: reason; ..." of all.
// supports(available, target) says whether the machine has a target.
template <class Row, class Problem, class Available, class Supports>
const Row* select(std::span<const Row> table, const Problem& p, Available available, Supports supports,
                  std::string* refusals) {
  for (const Row& row : table) {
    if (!is_asked_for(row, p.alg)) continue;
    const char* reason = supports(available, row.target) ? row.refuse(p) : "the processor lacks the instruction set";
    if (reason == nullptr) return &row;
    if (refusals != nullptr) refusals->append(row.name).append(": ").append(reason).append("; ");
  }
  say_if_unknown(p.alg, refusals);
  return nullptr;
}

// Of the rows that take p the one with the least cost(row); else as select().
template <class Row, class Problem, class Supports, class Cost>
const Row* select_cheapest(std::span<const Row> table, const Problem& p, Supports supports, Cost cost,
                           std::string* refusals) {
  const Row* best = nullptr;
  double least = 0;
  for (const Row& row : table) {
    if (!is_asked_for(row, p.alg)) continue;
    const char* reason = supports(row.target);
    if (reason == nullptr) reason = row.refuse(p);
    if (reason == nullptr) {
      const double microseconds = cost(row);
      if (refusals != nullptr) {
        char text[64];
        std::snprintf(text, sizeof text, "%.1f us expected; ", microseconds);
        refusals->append(row.name).append(": ").append(text);
      }
      if (best == nullptr || microseconds < least) {
        best = &row;
        least = microseconds;
      }
    } else if (refusals != nullptr) {
      refusals->append(row.name).append(": ").append(reason).append("; ");
    }
  }
  if (best == nullptr) say_if_unknown(p.alg, refusals);
  return best;
}

// Of an operation that has one kernel per value type, all with ids from first_id on.
Choice choose_only(const VectorProblem& p, std::int32_t first_id);

}  // namespace spk
