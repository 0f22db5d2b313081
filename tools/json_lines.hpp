// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace spk::tool {

// An object's text, with one line for each number or text in it and for each element of an array, so that files of results
// can be searched and compared line by line.
inline std::string json_lines(const nlohmann::ordered_json& object) {
  std::string text = "{";
  const char* before = "\n ";
  for (const auto& [key, value] : object.items()) {
    text += before + nlohmann::ordered_json(key).dump() + ": ";
    before = ",\n ";
    if (!value.is_array()) {
      text += value.dump();
      continue;
    }
    const char* lead = "[\n  ";
    for (const auto& element : value) {
      text += lead + element.dump();
      lead = ",\n  ";
    }
    text += value.empty() ? "[]" : "\n ]";
  }
  return text + "\n}\n";
}

}  // namespace spk::tool
