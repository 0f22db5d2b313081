// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "capi/objects.hpp"

namespace spk::capi {

// Scratch memory of one call: the caller's, or else from the handle (its hooks, or a block it keeps). Throws
// WORKSPACE_TOO_SMALL, INVALID_VALUE (misaligned) or ALLOC_FAILED.
class Workspace {
 public:
  Workspace(spk_handle& handle, std::size_t needed, void* given, std::size_t given_bytes);
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace();
  void* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  spk_handle& handle_;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  bool owned_ = false;
};

// The circumstances of a call on this handle.
Exec make_exec(const spk_handle& handle);

}  // namespace spk::capi
