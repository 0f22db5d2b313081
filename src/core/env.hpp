// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

// Environment variables (core/env.inc), read once. A value that is not understood counts as not set, except where said.
namespace spk::env {

enum Variable {
#define SPK_ENV(name, values, meaning) name,
#include "core/env.inc"
#undef SPK_ENV
};

// Text of a variable, or NULL. Fixed at the first call.
const char* text(Variable variable) noexcept;

// SPK_NUM_THREADS, or 0 if it is not set to a number in range.
int num_threads() noexcept;

// SPK_CHECK is set to something other than "" and "0".
bool check() noexcept;

}  // namespace spk::env
