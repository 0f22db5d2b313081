// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <spk/spk.h>

#include <cstddef>

#include "preload/product.hpp"

// libspk, opened when the first product is taken over: LD_PRELOAD reaches every child process, most of which multiply
// nothing.
namespace spk::preload {

// What a product needs: bytes of workspace; false if spk refuses it. `may_create` lets it make a handle first.
bool workspace(const Arguments& arguments, const Product& product, void* stream, bool may_create, std::size_t* bytes);

// Runs it on the stream with workspace from the caller. Returns spk's status; NOT_SUPPORTED if there is no handle.
int run(const Arguments& arguments, const Product& product, void* stream, bool may_create, void* buffer);

}  // namespace spk::preload
