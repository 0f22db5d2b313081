// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <spk/spk_types.h>

#include <complex>
#include <cstddef>
#include <string>

// Numbers of a case: every value type of the C ABI, widened to a complex double and rounded back. The rounding is
// written from the definition of the formats, on purpose apart from the library's own conversions.
namespace spk::cases {

using Number = std::complex<double>;

bool is_complex(spk_value_type_t type) noexcept;
std::size_t bytes_of(spk_value_type_t type) noexcept;
std::size_t bytes_of_index(spk_index_type_t type) noexcept;
spk_compute_type_t compute_type_of(spk_value_type_t type) noexcept;
const char* name_of(spk_value_type_t type) noexcept;

// f32, f64, f16, bf16, c64 or c128; false for any other name.
bool value_type_from_name(const std::string& name, spk_value_type_t& type) noexcept;

// Rounds to nearest even; beyond the range of `type` gives infinity, NaN stays NaN.
Number round_to(spk_value_type_t type, Number value) noexcept;

void store(spk_value_type_t type, void* where, Number value) noexcept;
Number load(spk_value_type_t type, const void* where) noexcept;

// A number as text, with the digits that tell it from its neighbours.
std::string to_text(Number value);

}  // namespace spk::cases
