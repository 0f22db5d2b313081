// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cases/fields.hpp"

#include <cmath>
#include <limits>

namespace spk::cases {

std::int64_t to_integer(const Json& value, const std::string& what) {
  if (value.is_number_unsigned()) {
    const auto wide = value.get<std::uint64_t>();
    if (wide <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return static_cast<std::int64_t>(wide);
  } else if (value.is_number_integer()) {
    return value.get<std::int64_t>();
  } else if (value.is_number_float()) {
    const double real = value.get<double>();
    if (std::trunc(real) == real && std::fabs(real) < 0x1p63) return static_cast<std::int64_t>(real);
  }
  throw CaseError(what + " = " + value.dump() + " but must be a 64-bit integer");
}

Fields::Fields(const Json& object, std::string where) : object_(&object), where_(std::move(where)) {
  if (!object.is_object()) throw CaseError(where_ + " must be a JSON object");
}

void Fields::malformed(const std::string& key, const std::string& must_be) const {
  const auto found = object_->find(key);
  if (found == object_->end()) throw CaseError(where_ + ": field " + key + " is missing; it must be " + must_be);
  std::string shown = found->dump();
  if (shown.size() > 60) shown = shown.substr(0, 57) + "...";
  throw CaseError(where_ + ": " + key + " = " + shown + " but must be " + must_be);
}

const Json* Fields::find(const char* key) {
  read_.insert(key);
  const auto found = object_->find(key);
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

const Json& Fields::need(const char* key) {
  read_.insert(key);
  const auto found = object_->find(key);
  if (found == object_->end()) throw CaseError(where_ + ": field " + key + " is missing");
  return *found;
}

std::string Fields::text(const char* key) {
  const Json& value = need(key);
  if (!value.is_string()) malformed(key, "a text");
  return value.get<std::string>();
}

std::string Fields::text_or(const char* key, const std::string& otherwise) {
  return find(key) == nullptr ? otherwise : text(key);
}

std::int64_t Fields::integer(const char* key) { return to_integer(need(key), where_ + ": " + key); }

std::int64_t Fields::integer_or(const char* key, std::int64_t otherwise) {
  return find(key) == nullptr ? otherwise : integer(key);
}

double Fields::real_or(const char* key, double otherwise) {
  const Json* value = find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_number()) malformed(key, "a number");
  return value->get<double>();
}

bool Fields::flag_or(const char* key, bool otherwise) {
  const Json* value = find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) malformed(key, "true or false");
  return value->get<bool>();
}

std::vector<std::string> Fields::texts(const char* key) {
  const Json* value = find(key);
  if (value == nullptr) return {};
  if (value->is_string()) return {value->get<std::string>()};
  if (!value->is_array()) malformed(key, "a list of texts");
  std::vector<std::string> list;
  for (const Json& item : *value) {
    if (!item.is_string()) malformed(key, "a list of texts");
    list.push_back(item.get<std::string>());
  }
  return list;
}

void Fields::ignore(std::initializer_list<const char*> keys) {
  for (const char* key : keys) read_.insert(key);
}

std::vector<std::string> Fields::unread() const {
  std::vector<std::string> keys;
  for (const auto& item : object_->items())
    if (!read_.contains(item.key())) keys.push_back(item.key());
  return keys;
}

void Fields::finish() const {
  const std::vector<std::string> keys = unread();
  if (!keys.empty()) throw CaseError(where_ + ": unknown field " + keys.front());
}

}  // namespace spk::cases
