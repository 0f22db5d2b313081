// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <spk/spk.h>

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace spk::tool {

// Failure with the library's message unless status is SUCCESS. `handle` may be NULL: then the thread's last message.
void check(spk_status_t status, spk_handle_t handle = nullptr);

struct HandleDeleter {
  void operator()(spk_handle_t handle) const { spk_destroy(handle); }
};
struct SparseDeleter {
  void operator()(spk_const_spmat_t mat) const { spk_spmat_destroy(mat); }
};
struct DenseDeleter {
  void operator()(spk_const_dnmat_t mat) const { spk_dnmat_destroy(mat); }
};
struct VectorDeleter {
  void operator()(spk_const_dnvec_t vec) const { spk_dnvec_destroy(vec); }
};
struct PlanDeleter {
  void operator()(spk_plan_t plan) const { spk_plan_destroy(plan); }
};

using Handle = std::unique_ptr<std::remove_pointer_t<spk_handle_t>, HandleDeleter>;
using Sparse = std::unique_ptr<std::remove_pointer_t<spk_spmat_t>, SparseDeleter>;
using Dense = std::unique_ptr<std::remove_pointer_t<spk_dnmat_t>, DenseDeleter>;
using Vector = std::unique_ptr<std::remove_pointer_t<spk_dnvec_t>, VectorDeleter>;
using Plan = std::unique_ptr<std::remove_pointer_t<spk_plan_t>, PlanDeleter>;

// auto, cpu, cuda or reference; UsageError naming `option` otherwise.
spk_backend_t backend_from_name(std::string_view name, std::string_view option);

// Threads 0 = the library's default. Failure with the backend's reason if it cannot run here.
Handle make_handle(spk_backend_t backend, int threads);

// CPU, CUDA and REFERENCE as the library describes them.
std::vector<spk_backend_info_t> all_backends();

// CPU, CUDA or REFERENCE of a handle, and as "cpu", "cuda" or "reference".
spk_backend_t backend_of(const Handle& handle);
std::string backend_name(const Handle& handle);

}  // namespace spk::tool
