// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "capi/objects.hpp"
#include "capi/pointers.hpp"

using namespace spk;
using namespace spk::capi;

namespace {

void check_copy(const Backend& backend, const void* device, const void* host, std::size_t bytes) {
  if (bytes == 0) return;
  if (device == nullptr) throw Error(SPK_STATUS_INVALID_VALUE, "device is NULL but bytes = %zu", bytes);
  if (host == nullptr) throw Error(SPK_STATUS_INVALID_VALUE, "host is NULL but bytes = %zu", bytes);
  check_pointer(backend, device, "device");
  check_host_pointer(host, "host");
}

}  // namespace

extern "C" spk_status_t spk_memory_alloc(spk_handle_t handle, size_t bytes, void** pointer) {
  return guarded(__func__, handle, [&] {
    SPK_REQUIRE_PTR(pointer) = nullptr;
    const Backend& backend = *SPK_OBJECT(handle).backend;
    if (bytes == 0) return;
    *pointer = backend.allocate(bytes, handle->stream);
    if (*pointer == nullptr) throw Error(SPK_STATUS_ALLOC_FAILED, "no memory for bytes = %zu", bytes);
  });
}

extern "C" spk_status_t spk_memory_free(spk_handle_t handle, void* pointer, size_t bytes) {
  return guarded(__func__, handle, [&] {
    const Backend& backend = *SPK_OBJECT(handle).backend;
    if (pointer == nullptr) {
      if (bytes != 0) throw Error(SPK_STATUS_INVALID_VALUE, "pointer is NULL but bytes = %zu", bytes);
      return;
    }
    if (bytes == 0) throw Error(SPK_STATUS_INVALID_VALUE, "bytes = 0 but pointer = %p, and 0 bytes are NULL", pointer);
    check_pointer(backend, pointer, "pointer");
    backend.deallocate(pointer, bytes, handle->stream);
  });
}

extern "C" spk_status_t spk_memory_upload(spk_handle_t handle, void* device, const void* host, size_t bytes) {
  return guarded(__func__, handle, [&] {
    const Backend& backend = *SPK_OBJECT(handle).backend;
    check_copy(backend, device, host, bytes);
    if (bytes != 0) backend.copy_from_host(device, host, bytes, handle->stream);
  });
}

extern "C" spk_status_t spk_memory_download(spk_handle_t handle, void* host, const void* device, size_t bytes) {
  return guarded(__func__, handle, [&] {
    const Backend& backend = *SPK_OBJECT(handle).backend;
    check_copy(backend, device, host, bytes);
    if (bytes != 0) backend.copy_to_host(host, device, bytes, handle->stream);
  });
}
