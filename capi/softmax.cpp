// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "capi/execute.hpp"
#include "capi/problems.hpp"

using namespace spk;
using namespace spk::capi;

extern "C" spk_status_t spk_softmax(spk_handle_t handle, double scale, spk_const_spmat_t matX, const uint8_t* mask,
                                    spk_spmat_t matY, spk_algorithm_t alg, void* workspace, size_t workspace_bytes) {
  return guarded(__func__, handle, [&] {
    SPK_OBJECT(handle);
    SPK_OUTPUT(matY);
    execute(*handle, make_softmax(scale, matX, mask, matY, alg), nullptr, workspace, workspace_bytes);
  });
}

extern "C" spk_status_t spk_softmax_workspace(spk_handle_t handle, spk_const_spmat_t matX, spk_const_spmat_t matY,
                                              spk_algorithm_t alg, size_t* workspace_bytes) {
  return guarded(__func__, handle, [&] {
    SPK_REQUIRE_PTR(workspace_bytes) = 0;
    SPK_OBJECT(handle);
    *workspace_bytes = workspace_of(*handle, make_softmax(1, matX, nullptr, matY, alg));
  });
}

extern "C" spk_status_t spk_softmax_backward(spk_handle_t handle, double scale, spk_const_spmat_t matY,
                                             spk_const_spmat_t matDY, spk_spmat_t matDX, spk_algorithm_t alg,
                                             void* workspace, size_t workspace_bytes) {
  return guarded(__func__, handle, [&] {
    SPK_OBJECT(handle);
    SPK_OUTPUT(matDX);
    execute(*handle, make_softmax_backward(scale, matY, matDY, matDX, alg), nullptr, workspace, workspace_bytes);
  });
}

extern "C" spk_status_t spk_softmax_backward_workspace(spk_handle_t handle, spk_const_spmat_t matY,
                                                       spk_const_spmat_t matDY, spk_const_spmat_t matDX,
                                                       spk_algorithm_t alg, size_t* workspace_bytes) {
  return guarded(__func__, handle, [&] {
    SPK_REQUIRE_PTR(workspace_bytes) = 0;
    SPK_OBJECT(handle);
    *workspace_bytes = workspace_of(*handle, make_softmax_backward(1, matY, matDY, matDX, alg));
  });
}
