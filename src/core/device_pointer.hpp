// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

// Tells memory of a CUDA device from memory that the CPU may touch, without needing CUDA: only a driver that the process
// has loaded already is asked.
namespace spk {

// Looks for the driver in the process. Called when a handle is created: by then whoever hands device memory to it has
// loaded the driver, or loads it later and is not protected.
void find_device_driver() noexcept;

// NULL, or why the CPU cannot read p, as the end of a sentence. Managed and page-locked memory is fine.
const char* refuse_device_pointer(const void* p) noexcept;

}  // namespace spk
