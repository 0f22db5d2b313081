// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "core/backend.hpp"

namespace spk::cuda {

// The backend on one device; throws Error if there is no such device.
std::unique_ptr<Backend> make_backend(int device);

}  // namespace spk::cuda
