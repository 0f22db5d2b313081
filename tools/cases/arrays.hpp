// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cases/fields.hpp"
#include "cases/numbers.hpp"

namespace spk::cases {

// An array of a case, written out. A virtual array has only the elements of `set`; the others are zero and may be far
// more than memory holds.
template <class Item>
struct Array {
  bool is_null = true;  // JSON null: a null pointer is passed
  bool is_virtual = false;
  std::int64_t count = 0;
  std::vector<Item> items;                         // count elements unless virtual
  std::vector<std::pair<std::int64_t, Item>> set;  // virtual only
  std::vector<std::int64_t> pad;                   // places of "pad", ascending; their items are 0
};

using ValueArray = Array<Number>;
using IndexArray = Array<std::int64_t>;

// A number, "nan", "inf", "-inf", "-0.0", or [re, im].
Number to_number(const Json& value, const std::string& what);

// Expand a list, null or formula. `what` names the array in messages. "pad" is accepted where may_pad says so.
ValueArray expand_values(const Json& source, const std::string& what, bool may_pad = false);
IndexArray expand_indices(const Json& source, const std::string& what);

// [[index, value], ..] of a field such as C_at.
std::vector<std::pair<std::int64_t, Number>> expand_places(const Json& source, const std::string& what);

}  // namespace spk::cases
