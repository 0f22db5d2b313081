// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <string>

#include "core/backend.hpp"
#include "core/oracle.hpp"

namespace spk::capi {

// The backend behind a spk_backend_t, made at its first use and kept for the life of the process. AUTO gives CUDA where
// a device works, else the CPU. NULL if it cannot run here; then `reason` says why.
const Backend* find_backend(spk_backend_t kind, std::int32_t device, std::string& reason);

// Judges results of every backend.
const Oracle& oracle();

// Why CUDA is not available, as text that lives as long as the library; "" if it is.
const char* cuda_unavailable_reason();

}  // namespace spk::capi
