// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cases/arrays.hpp"
#include "cases/buffer.hpp"

namespace spk::cases {

// What a sequence of calls answered: success, or the first failing call.
struct Outcome {
  spk_status_t status = SPK_STATUS_SUCCESS;
  std::string message;  // of the library
  bool ok() const noexcept { return status == SPK_STATUS_SUCCESS; }
  // "invalid_value (spk_csr_create: rows = -1 ...)" or "success"
  std::string describe() const;
};

// The schema's class of a status; many statuses map to one class.
const char* error_class(spk_status_t status) noexcept;

// Outcome of a call that just returned `status` on this thread.
Outcome outcome_of(spk_status_t status, spk_handle_t handle = nullptr);

struct Tolerance {
  double rel = 0, abs = 0;
};

// The fields tol, expected and expected_error of a case.
struct Expectation {
  Tolerance tolerance;
  const Json* expected = nullptr;   // object, or NULL
  std::vector<std::string> errors;  // classes
  bool wants_error() const noexcept { return !errors.empty(); }
  bool has_verdict() const noexcept { return expected != nullptr || wants_error(); }
};
Expectation read_expectation(Fields& fields);

// Throws CaseError for a class that the schema does not have.
void check_classes(const std::vector<std::string>& classes, const std::string& where);

bool contains(const std::vector<std::string>& list, const std::string& item);

// Whether the failure is one the expectation allows; empty, or the reason why not.
std::string judge_failure(const Outcome& outcome, const Expectation& expectation);

// An element within tolerance of `want` after rounding `want` to the type.
bool close_enough(Number got, Number want, const Tolerance& tolerance) noexcept;

// Compare a whole buffer, or some places of it. Empty, or the first difference. Places of "pad" must be as remembered.
std::string compare_values(const std::string& name, spk_value_type_t type, const Buffer& got, const ValueArray& want,
                           const Tolerance& tolerance);
std::string compare_places(const std::string& name, spk_value_type_t type, const Buffer& got,
                           const std::vector<std::pair<std::int64_t, Number>>& want, const Tolerance& tolerance);
std::string compare_indices(const std::string& name, spk_index_type_t type, const Buffer& got, const IndexArray& want);

// Compares the fields NAME (whole) and NAME_at (places) of `expected` with `got`.
std::string compare_field(Fields& expected, const std::string& name, spk_value_type_t type, const Buffer& got,
                          const Tolerance& tolerance);

std::int64_t load_index(spk_index_type_t type, const void* where) noexcept;

}  // namespace spk::cases
