// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace spk::cases {

using Json = nlohmann::json;

// The case itself is wrong: a field is missing, malformed or unknown.
class CaseError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The case cannot be carried out here; the text says why.
class SkipCase : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Reads the fields of one JSON object and remembers which, so that a field nobody asked for is found by finish().
class Fields {
 public:
  // `where` names the object in messages ("step 2"); `object` must outlive this.
  Fields(const Json& object, std::string where);

  const std::string& where() const noexcept { return where_; }
  bool has(const char* key) const { return object_->contains(key); }
  // NULL if the field is absent or null.
  const Json* find(const char* key);
  const Json& need(const char* key);

  std::string text(const char* key);
  std::string text_or(const char* key, const std::string& otherwise);
  std::int64_t integer(const char* key);
  std::int64_t integer_or(const char* key, std::int64_t otherwise);
  double real_or(const char* key, double otherwise);
  bool flag_or(const char* key, bool otherwise);
  // A list of texts, or one text; empty if absent or null.
  std::vector<std::string> texts(const char* key);

  // Fields that are allowed but mean nothing here.
  void ignore(std::initializer_list<const char*> keys);
  std::vector<std::string> unread() const;
  // CaseError if a field was never asked for.
  void finish() const;

  [[noreturn]] void malformed(const std::string& key, const std::string& must_be) const;

 private:
  const Json* object_;
  std::string where_;
  std::set<std::string> read_;
};

// An integer, also when written as 1e6; CaseError otherwise.
std::int64_t to_integer(const Json& value, const std::string& what);

}  // namespace spk::cases
