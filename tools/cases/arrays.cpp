// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cases/arrays.hpp"

#include <limits>
#include <type_traits>

namespace spk::cases {
namespace {

// More elements than this must be a virtual array: a case is a small thing.
constexpr std::int64_t kMaxItems = std::int64_t{1} << 27;

double to_real(const Json& value, const std::string& what) {
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) {
    const auto text = value.get<std::string>();
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (text == "inf") return std::numeric_limits<double>::infinity();
    if (text == "-inf") return -std::numeric_limits<double>::infinity();
    if (text == "-0.0") return -0.0;
  }
  throw CaseError(what + ": " + value.dump() + R"( is no number, nor "nan", "inf", "-inf" or "-0.0")");
}

template <class Item>
Item to_item(const Json& value, const std::string& what) {
  if constexpr (std::is_same_v<Item, Number>)
    return to_number(value, what);
  else
    return to_integer(value, what);
}

template <class Item>
class Expander {
 public:
  Expander(std::string what, bool may_pad) : what_(std::move(what)), may_pad_(may_pad) {}

  Array<Item> expand(const Json& source) {
    Array<Item> result;
    if (source.is_null()) return result;
    result.is_null = false;
    if (source.is_array()) {
      reserve(result, static_cast<std::int64_t>(source.size()));
      for (const Json& value : source) {
        if (may_pad_ && value == "pad") {
          result.pad.push_back(static_cast<std::int64_t>(result.items.size()));
          result.items.push_back(Item{});
        } else {
          result.items.push_back(to_item<Item>(value, what_));
        }
      }
      return result;
    }
    if (!source.is_object()) throw CaseError(what_ + " must be a list, null or a formula");
    Fields fields(source, what_);
    const std::string gen = fields.text("gen");
    if (gen == "const")
      constant(fields, result);
    else if (gen == "arange")
      arange(fields, result);
    else if (gen == "mod")
      mod(fields, result);
    else if (gen == "concat")
      concat(fields, result);
    else if (gen == "tile")
      tile(fields, result);
    else if (gen == "patch")
      patch(fields, result);
    else if (gen == "combine")
      combine(fields, result);
    else if (gen == "virtual")
      virtual_array(fields, result);
    else
      fields.malformed("gen", "const, arange, mod, concat, tile, patch, combine or virtual");
    fields.finish();
    return result;
  }

 private:
  void reserve(Array<Item>& result, std::int64_t count) const {
    if (count < 0) throw CaseError(what_ + ": n = " + std::to_string(count) + " but must not be negative");
    if (count > kMaxItems)
      throw CaseError(what_ + " has " + std::to_string(count) + " elements; so many must be a virtual array");
    result.count = count;
    result.items.reserve(static_cast<std::size_t>(count));
  }

  Array<Item> part(const Json& source) {
    Array<Item> result = expand(source);
    if (result.is_null || result.is_virtual) throw CaseError(what_ + ": a part of a formula is null or virtual");
    return result;
  }

  void constant(Fields& fields, Array<Item>& result) {
    reserve(result, fields.integer("n"));
    result.items.assign(static_cast<std::size_t>(result.count), to_item<Item>(fields.need("v"), what_));
  }

  void arange(Fields& fields, Array<Item>& result) {
    reserve(result, fields.integer("n"));
    const Item start = to_item<Item>(fields.need("start"), what_);
    const Item step = to_item<Item>(fields.need("step"), what_);
    for (std::int64_t i = 0; i < result.count; ++i) {
      if constexpr (std::is_same_v<Item, Number>)
        result.items.push_back(start + static_cast<double>(i) * step);
      else
        result.items.push_back(start + i * step);
    }
  }

  void mod(Fields& fields, Array<Item>& result) {
    reserve(result, fields.integer("n"));
    const std::int64_t mul = fields.integer("mul");
    const std::int64_t add = fields.integer("add");
    const std::int64_t modulus = fields.integer("mod");
    const Item off = to_item<Item>(fields.need("off"), what_);
    const Item scale = to_item<Item>(fields.need("scale"), what_);
    if (modulus < 1) fields.malformed("mod", "at least 1");
    for (std::int64_t i = 0; i < result.count; ++i) {
      const __int128 sum = static_cast<__int128>(mul) * i + add;
      auto rest = static_cast<std::int64_t>(sum % modulus);
      if (rest < 0) rest += modulus;
      if constexpr (std::is_same_v<Item, Number>)
        result.items.push_back((static_cast<double>(rest) + off) * scale);
      else
        result.items.push_back((rest + off) * scale);
    }
  }

  void concat(Fields& fields, Array<Item>& result) {
    const Json& parts = fields.need("parts");
    if (!parts.is_array()) fields.malformed("parts", "a list of arrays");
    std::vector<Array<Item>> expanded;
    std::int64_t count = 0;
    for (const Json& source : parts) {
      expanded.push_back(part(source));
      count += expanded.back().count;
    }
    reserve(result, count);
    for (const Array<Item>& piece : expanded) append(result, piece);
  }

  void tile(Fields& fields, Array<Item>& result) {
    const Array<Item> of = part(fields.need("of"));
    const std::int64_t times = fields.integer("times");
    if (times < 0 || (of.count > 0 && times > kMaxItems / of.count)) fields.malformed("times", "0 or a modest count");
    reserve(result, of.count * times);
    for (std::int64_t i = 0; i < times; ++i) append(result, of);
  }

  static void append(Array<Item>& result, const Array<Item>& piece) {
    const auto shift = static_cast<std::int64_t>(result.items.size());
    for (const std::int64_t place : piece.pad) result.pad.push_back(shift + place);
    result.items.insert(result.items.end(), piece.items.begin(), piece.items.end());
  }

  void patch(Fields& fields, Array<Item>& result) {
    result = part(fields.need("base"));
    for (const auto& [index, value] : places(fields.need("set"), result.count)) {
      result.items[static_cast<std::size_t>(index)] = value;
      std::erase(result.pad, index);
    }
  }

  void combine(Fields& fields, Array<Item>& result) {
    const Json& terms = fields.need("terms");
    if (!terms.is_array() || terms.empty()) fields.malformed("terms", "a list of [factor, array]");
    bool first = true;
    for (const Json& term : terms) {
      if (!term.is_array() || term.size() != 2) fields.malformed("terms", "a list of [factor, array]");
      const Item factor = to_item<Item>(term[0], what_);
      const Array<Item> array = part(term[1]);
      if (first) {
        reserve(result, array.count);
        result.items.assign(static_cast<std::size_t>(array.count), Item{});
        first = false;
      }
      if (array.count != result.count) throw CaseError(what_ + ": terms of combine differ in length");
      for (std::size_t i = 0; i < array.items.size(); ++i) {
        if constexpr (std::is_same_v<Item, Number>) {
          // A real factor times infinity must not make a NaN in the imaginary part.
          if (factor.imag() == 0)
            result.items[i] += factor.real() * array.items[i];
          else
            result.items[i] += factor * array.items[i];
        } else {
          result.items[i] += factor * array.items[i];
        }
      }
    }
  }

  void virtual_array(Fields& fields, Array<Item>& result) {
    result.is_virtual = true;
    result.count = fields.integer("n");
    if (result.count < 0) fields.malformed("n", "0 or more");
    result.set = places(fields.need("set"), result.count);
  }

  std::vector<std::pair<std::int64_t, Item>> places(const Json& source, std::int64_t count) const {
    std::vector<std::pair<std::int64_t, Item>> list;
    if (!source.is_array()) throw CaseError(what_ + ": places must be a list of [index, value]");
    for (const Json& pair : source) {
      if (!pair.is_array() || pair.size() != 2)
        throw CaseError(what_ + ": " + pair.dump() + " but places are pairs [index, value]");
      const std::int64_t index = to_integer(pair[0], what_ + ": index");
      if (index < 0 || index >= count)
        throw CaseError(what_ + ": index " + std::to_string(index) + " is outside the array");
      list.emplace_back(index, to_item<Item>(pair[1], what_));
    }
    return list;
  }

  std::string what_;
  bool may_pad_;
};

}  // namespace

Number to_number(const Json& value, const std::string& what) {
  if (!value.is_array()) return {to_real(value, what), 0};
  if (value.size() != 2) throw CaseError(what + ": " + value.dump() + " but a complex number is [re, im]");
  return {to_real(value[0], what), to_real(value[1], what)};
}

ValueArray expand_values(const Json& source, const std::string& what, bool may_pad) {
  return Expander<Number>(what, may_pad).expand(source);
}

IndexArray expand_indices(const Json& source, const std::string& what) {
  return Expander<std::int64_t>(what, false).expand(source);
}

std::vector<std::pair<std::int64_t, Number>> expand_places(const Json& source, const std::string& what) {
  if (!source.is_array()) throw CaseError(what + " must be a list of [index, value]");
  std::vector<std::pair<std::int64_t, Number>> list;
  for (const Json& pair : source) {
    if (!pair.is_array() || pair.size() != 2)
      throw CaseError(what + ": " + pair.dump() + " but places are pairs [index, value]");
    list.emplace_back(to_integer(pair[0], what + ": index"), to_number(pair[1], what));
  }
  return list;
}

}  // namespace spk::cases
