// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "capi/backends.hpp"

#include "cpu/backend.hpp"

namespace spk::capi {

const Backend* find_backend(spk_backend_t kind, std::int32_t, std::string& reason) {
  // Never destroyed: a handle of the application may be used until the very end of the process.
  static const Backend* const cpu = cpu::make_backend().release();
  static const Backend* const oracle = reference::make_backend().release();
  if (kind == SPK_BACKEND_REFERENCE) return oracle;
  if (kind != SPK_BACKEND_CUDA) return cpu;
  reason = "cuda: the plug-in libspk_cuda.so was not found";
  return nullptr;
}

}  // namespace spk::capi
