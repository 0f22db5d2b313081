// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

// What a program has told cuSPARSE about a sparse matrix and cuSPARSE does not tell: products it concerns stay there.
namespace spk::preload {

// cuSPARSE has preprocessed the buffer for the matrix, so its contents are cuSPARSE's own, until the matrix is destroyed
// or gets other arrays.
void remember_buffer(const void* matrix, const void* buffer);
bool has_buffer(const void* matrix, const void* buffer);
void forget_buffers(const void* matrix);

// An attribute (fill mode, diagonal type) was set, which products refuse; one that was set to the default looks unset.
void remember_attribute(const void* matrix);
bool has_attribute(const void* matrix);

void forget(const void* matrix);

}  // namespace spk::preload
