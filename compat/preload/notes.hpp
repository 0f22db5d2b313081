// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstddef>
#include <cstdint>

// What a program has agreed upon with cuSPARSE about a sparse matrix and cuSPARSE does not tell.
namespace spk::preload {

// cuSPARSE has preprocessed the buffer for the matrix, so its contents are cuSPARSE's own, until the matrix is destroyed
// or gets other arrays.
void note_buffer(const void* matrix, const void* buffer);
bool has_buffer(const void* matrix, const void* buffer);
void forget_buffers(const void* matrix);

// An attribute (fill mode, diagonal type) was set, which products refuse; one that was set to the default looks unset.
void note_attribute(const void* matrix);
bool has_attribute(const void* matrix);

// The program was told to bring a buffer of at least so many bytes for a product, because spk needs them. Where it was
// not, its buffer may be smaller: the question may have come while no handle could be made. `product` stands for all that
// the need depends on.
void note_bytes(const void* matrix, std::uint64_t product, std::size_t bytes);
bool find_bytes(const void* matrix, std::uint64_t product, std::size_t* bytes);

void forget(const void* matrix);

}  // namespace spk::preload
