// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

// Questions to the CUDA driver that the program has loaded. Without a driver: device 0, no name, no capture.
namespace spk::preload {

// Ordinal of the calling thread's device, or -1 where the thread has none.
int current_device();

// Whether the device is of the model that the table of speed-ups was measured on.
bool is_measured(int device);

// Whether work on the stream is being recorded into a graph.
bool is_capturing(void* stream);

}  // namespace spk::preload
