// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "capi/workspace.hpp"

#include "capi/pointers.hpp"

namespace spk::capi {
namespace {

// A kept block larger than this goes back at the end of the call.
constexpr std::size_t kMostKept = std::size_t{64} << 20;

}  // namespace

Workspace::Workspace(spk_handle& handle, std::size_t needed, void* given, std::size_t given_bytes) : handle_(handle) {
  const Backend& backend = *handle.backend;
  if (given == nullptr && given_bytes != 0)
    throw Error(SPK_STATUS_INVALID_VALUE, "workspace is NULL but workspace_bytes = %zu", given_bytes);
  if (needed == 0) return;
  if (given != nullptr) {
    if (given_bytes < needed)
      throw Error(SPK_STATUS_WORKSPACE_TOO_SMALL, "workspace_bytes = %zu but must be at least %zu", given_bytes,
                  needed);
    const std::size_t alignment = backend.computes_in_host_memory() ? 16 : 256;
    if (reinterpret_cast<std::uintptr_t>(given) % alignment != 0)
      throw Error(SPK_STATUS_INVALID_VALUE, "workspace = %p but must be aligned to %zu bytes", given, alignment);
    check_pointer(backend, given, "workspace");
    data_ = given;
    bytes_ = given_bytes;
    return;
  }
  bytes_ = needed;
  if (handle.allocator.struct_size != 0) {
    data_ = handle.allocator.allocate(handle.allocator.user, needed, handle.stream);
    owned_ = true;
  } else if (handle.scratch_bytes >= needed) {
    data_ = handle.scratch;
  } else {
    data_ = backend.allocate(needed, handle.stream);
    owned_ = true;
    if (data_ != nullptr && backend.computes_in_host_memory() && needed <= kMostKept) {
      backend.deallocate(handle.scratch, handle.scratch_bytes, handle.stream);
      handle.scratch = data_;
      handle.scratch_bytes = needed;
      owned_ = false;
    }
  }
  if (data_ == nullptr)
    throw Error(SPK_STATUS_ALLOC_FAILED, "no memory for a workspace of %zu bytes%s", needed,
                backend.computes_in_host_memory() ? "" : " (under stream capture the caller must bring it)");
}

Workspace::~Workspace() {
  if (!owned_ || data_ == nullptr) return;
  if (handle_.allocator.struct_size != 0)
    handle_.allocator.deallocate(handle_.allocator.user, data_, bytes_, handle_.stream);
  else
    handle_.backend->deallocate(data_, bytes_, handle_.stream);
}

Exec make_exec(const spk_handle& handle) {
  Exec exec;
  exec.threads = handle.threads();
  exec.stream = handle.stream;
  return exec;
}

}  // namespace spk::capi
