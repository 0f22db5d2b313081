// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cases/judge.hpp"

#include <spk/spk.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace spk::cases {
namespace {

bool same(double a, double b) noexcept { return a == b || (std::isnan(a) && std::isnan(b)); }

std::string difference(const std::string& name, std::int64_t index, Number got, Number want, const Tolerance& tol) {
  std::string text = name + "[" + std::to_string(index) + "] = " + to_text(got) + " but must be " + to_text(want);
  if (tol.rel != 0 || tol.abs != 0) {
    text +=
        " (off by " + to_text(std::abs(got - want)) + ", allowed " + to_text(tol.abs + tol.rel * std::abs(want)) + ")";
  }
  return text;
}

}  // namespace

const char* error_class(spk_status_t status) noexcept {
  switch (status) {
    case SPK_STATUS_INVALID_VALUE:
    case SPK_STATUS_NOT_INITIALIZED:
    case SPK_STATUS_WORKSPACE_TOO_SMALL: return "invalid_value";
    case SPK_STATUS_INVALID_STRUCTURE: return "invalid_index";
    case SPK_STATUS_NOT_SUPPORTED:
    case SPK_STATUS_MATRIX_TYPE_NOT_SUPPORTED:
    case SPK_STATUS_NOT_DETERMINISTIC: return "not_supported";
    case SPK_STATUS_INDEX_OVERFLOW: return "overflow";
    case SPK_STATUS_ALLOC_FAILED:
    case SPK_STATUS_INSUFFICIENT_RESOURCES: return "alloc_failed";
    case SPK_STATUS_ARCH_MISMATCH:
    case SPK_STATUS_BACKEND_UNAVAILABLE: return "arch_mismatch";
    case SPK_STATUS_PARSE_ERROR: return "parse_error";
    case SPK_STATUS_IO_ERROR: return "io_error";
    default: return spk_status_name(status);
  }
}

std::string Outcome::describe() const {
  if (ok()) return "success";
  return std::string(error_class(status)) + " (" + message + ")";
}

Outcome outcome_of(spk_status_t status, spk_handle_t handle) {
  if (status == SPK_STATUS_SUCCESS) return {};
  char text[1024] = "";
  spk_last_error(handle, text, sizeof text, nullptr);
  return {status, text[0] != '\0' ? text : spk_status_string(status)};
}

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

void check_classes(const std::vector<std::string>& classes, const std::string& where) {
  static const std::vector<std::string> known = {"invalid_value", "invalid_index", "not_supported", "overflow",
                                                 "alloc_failed",  "arch_mismatch", "parse_error",   "io_error"};
  for (const std::string& name : classes)
    if (!contains(known, name)) throw CaseError(where + ": " + name + " is no error class");
}

Expectation read_expectation(Fields& fields) {
  Expectation result;
  Fields tol(fields.need("tol"), fields.where() + ": tol");
  result.tolerance = {tol.real_or("rel", 0), tol.real_or("abs", 0)};
  tol.finish();
  result.expected = fields.find("expected");
  if (result.expected != nullptr && !result.expected->is_object()) fields.malformed("expected", "an object or null");
  result.errors = fields.texts("expected_error");
  check_classes(result.errors, fields.where() + ": expected_error");
  return result;
}

std::string judge_failure(const Outcome& outcome, const Expectation& expectation) {
  if (contains(expectation.errors, error_class(outcome.status))) return {};
  std::string text = "answered " + outcome.describe() + " but must ";
  if (expectation.expected != nullptr || !expectation.wants_error()) text += "succeed";
  if (expectation.expected != nullptr && expectation.wants_error()) text += " or ";
  if (expectation.wants_error()) {
    text += "answer";
    for (const std::string& name : expectation.errors) text += " " + name;
  }
  return text;
}

bool close_enough(Number got, Number want, const Tolerance& tolerance) noexcept {
  if (same(got.real(), want.real()) && same(got.imag(), want.imag())) return true;
  const auto hopeless = [](double g, double w) { return !same(g, w) && (!std::isfinite(g) || !std::isfinite(w)); };
  if (hopeless(got.real(), want.real()) || hopeless(got.imag(), want.imag())) return false;
  // Parts that are the same infinity or both NaN say nothing about the distance.
  const double re = std::isfinite(want.real()) ? got.real() - want.real() : 0;
  const double im = std::isfinite(want.imag()) ? got.imag() - want.imag() : 0;
  const double size = std::hypot(std::isfinite(want.real()) ? want.real() : 0,  //
                                 std::isfinite(want.imag()) ? want.imag() : 0);
  return std::hypot(re, im) <= tolerance.abs + tolerance.rel * size;
}

std::string compare_values(const std::string& name, spk_value_type_t type, const Buffer& got, const ValueArray& want,
                           const Tolerance& tolerance) {
  if (want.is_null) return {};
  if (want.count != got.count()) {
    return name + " has " + std::to_string(got.count()) + " elements but must have " + std::to_string(want.count);
  }
  auto pad = want.pad.begin();
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(want.items.size()); ++i) {
    if (pad != want.pad.end() && *pad == i) {
      ++pad;
      if (!got.is_as_remembered(i)) return name + "[" + std::to_string(i) + "] is padding but was written";
      continue;
    }
    const Number value = load(type, got.at(i));
    const Number wanted = round_to(type, want.items[static_cast<std::size_t>(i)]);
    if (!close_enough(value, wanted, tolerance)) return difference(name, i, value, wanted, tolerance);
  }
  return compare_places(name, type, got, want.set, tolerance);
}

std::string compare_places(const std::string& name, spk_value_type_t type, const Buffer& got,
                           const std::vector<std::pair<std::int64_t, Number>>& want, const Tolerance& tolerance) {
  for (const auto& [index, wide] : want) {
    if (index < 0 || index >= got.count()) return name + "[" + std::to_string(index) + "] is outside the buffer";
    const Number value = load(type, got.at(index));
    const Number wanted = round_to(type, wide);
    if (!close_enough(value, wanted, tolerance)) return difference(name, index, value, wanted, tolerance);
  }
  return {};
}

std::int64_t load_index(spk_index_type_t type, const void* where) noexcept {
  if (type == SPK_INDEX_64I) {
    std::int64_t value = 0;
    std::memcpy(&value, where, sizeof value);
    return value;
  }
  std::int32_t value = 0;
  std::memcpy(&value, where, sizeof value);
  return value;
}

std::string compare_indices(const std::string& name, spk_index_type_t type, const Buffer& got, const IndexArray& want) {
  if (want.is_null) return {};
  if (want.is_virtual) return name + ": an expected index array may not be virtual";
  if (want.count != got.count()) {
    return name + " has " + std::to_string(got.count()) + " elements but must have " + std::to_string(want.count);
  }
  for (std::int64_t i = 0; i < want.count; ++i) {
    const std::int64_t value = load_index(type, got.at(i));
    const std::int64_t wanted = want.items[static_cast<std::size_t>(i)];
    if (value != wanted) {
      return name + "[" + std::to_string(i) + "] = " + std::to_string(value) + " but must be " + std::to_string(wanted);
    }
  }
  return {};
}

std::string compare_field(Fields& expected, const std::string& name, spk_value_type_t type, const Buffer& got,
                          const Tolerance& tolerance) {
  const std::string at = name + "_at";
  if (const Json* whole = expected.find(name.c_str())) {
    const std::string reason =
        compare_values(name, type, got, expand_values(*whole, "expected " + name, true), tolerance);
    if (!reason.empty()) return reason;
  }
  if (const Json* places = expected.find(at.c_str()))
    return compare_places(name, type, got, expand_places(*places, "expected " + at), tolerance);
  return {};
}

}  // namespace spk::cases
