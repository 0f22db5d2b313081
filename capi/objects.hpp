// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <memory>

#include "capi/boundary.hpp"
#include "core/backend.hpp"

// What the opaque pointers of the C ABI point to.

namespace spk::capi {
constexpr std::size_t kErrorCapacity = 1152;  // a core Error (1024) behind a function's name
}

struct spk_handle {
  static constexpr spk::capi::Tag kTag = spk::capi::Tag::handle;
  spk::capi::Tag tag = kTag;
  const spk::Backend* backend = nullptr;
  void* stream = nullptr;
  spk_pointer_mode_t pointer_mode = SPK_POINTER_MODE_HOST;
  std::int32_t num_threads = 0;
  bool check = false;
  spk_allocator_t allocator{};  // struct_size 0: none
  spk_check_report_t check_report{};
  // Workspace kept between calls; only where the backend computes in host memory and no hooks are set.
  void* scratch = nullptr;
  std::size_t scratch_bytes = 0;
  char error[spk::capi::kErrorCapacity] = "";

  int threads() const noexcept { return num_threads != 0 ? num_threads : backend->default_threads(); }
  ~spk_handle() {
    if (scratch != nullptr) backend->deallocate(scratch, scratch_bytes, nullptr);
    tag = spk::capi::Tag{};
  }
};

struct spk_spmat {
  static constexpr spk::capi::Tag kTag = spk::capi::Tag::spmat;
  spk::capi::Tag tag = kTag;
  bool is_const = false;
  bool is_analyzed = false;  // an analyze call has set the sizes
  spk::SparseView view;
  ~spk_spmat() { tag = spk::capi::Tag{}; }
};

struct spk_dnmat {
  static constexpr spk::capi::Tag kTag = spk::capi::Tag::dnmat;
  spk::capi::Tag tag = kTag;
  bool is_const = false;
  spk::DenseView view;
  ~spk_dnmat() { tag = spk::capi::Tag{}; }
};

// A vector is a column: rows = size, cols = 1, order col.
struct spk_dnvec {
  static constexpr spk::capi::Tag kTag = spk::capi::Tag::dnvec;
  spk::capi::Tag tag = kTag;
  bool is_const = false;
  spk::DenseView view;
  ~spk_dnvec() { tag = spk::capi::Tag{}; }
};

struct spk_spvec {
  static constexpr spk::capi::Tag kTag = spk::capi::Tag::spvec;
  spk::capi::Tag tag = kTag;
  bool is_const = false;
  spk::SparseVectorView view;
  ~spk_spvec() { tag = spk::capi::Tag{}; }
};

namespace spk::capi {

// The descriptor of an output: must not have been created over memory that is only read.
template <class Object>
Object& require_output(Object* object, const char* name) {
  Object& found = require_object(object, name);
  if (found.is_const)
    throw Error(SPK_STATUS_INVALID_VALUE, "%s is an output but was created over memory that is only read", name);
  return found;
}
#define SPK_OUTPUT(name) ::spk::capi::require_output(name, #name)

}  // namespace spk::capi
