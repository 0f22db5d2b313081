// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

// Tells memory of a CUDA device from memory that the CPU may touch, without needing CUDA: only a driver that the process
// has loaded already is asked.
namespace spk {

enum class PointerKind {
  unknown,     // there is no driver, or it does not answer (after fork)
  host,        // of the host, or of nobody
  registered,  // of the host, page-locked: a device reads it too
  device,
  managed
};

// Looks for the driver in the process and says whether it is there. Called when a handle is created: by then whoever
// hands device memory to it has loaded the driver, or loads it later and is not protected.
bool find_device_driver() noexcept;
// Whether it was found: without it no pointer is known to be a device's.
bool has_device_driver() noexcept;

PointerKind kind_of_pointer(const void* p) noexcept;

// NULL, or why the CPU cannot read p, as the end of a sentence.
const char* refuse_device_pointer(const void* p) noexcept;

}  // namespace spk
