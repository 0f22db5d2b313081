// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "host_runtime/status.hpp"

namespace spk::host_runtime {

// cudaErrorInvalidResourceHandle for what is neither a stream nor one of the streams with fixed names.
cudaError_t check_stream(const char* call, cudaStream_t stream);

// Destroys every stream and event.
void reset_queues();

}  // namespace spk::host_runtime
