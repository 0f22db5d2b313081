// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

// Buffers that cuSPARSE has preprocessed for a sparse matrix. Their contents are its own, so a product of that matrix with
// that buffer stays with cuSPARSE, until the matrix is destroyed or gets other arrays.
namespace spk::preload {

void remember(const void* matrix, const void* buffer);
bool is_remembered(const void* matrix, const void* buffer);
void forget(const void* matrix);

}  // namespace spk::preload
