// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

// The log of cuSPARSE's interface: levels, mask, file and callback of cusparseLogger*.
namespace spk::compat::log {

enum class Kind : int { error = 1, api = 5 };

bool wants(Kind kind) noexcept;

// One line about a call; function without the prefix spk_. Only after wants(kind).
void write(Kind kind, const char* function, const char* text) noexcept;

}  // namespace spk::compat::log
