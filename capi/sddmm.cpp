// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "capi/execute.hpp"
#include "capi/problems.hpp"

using namespace spk;
using namespace spk::capi;

extern "C" spk_status_t spk_sddmm(spk_handle_t handle, spk_operation_t opA, spk_operation_t opB, const void* alpha,
                                  spk_const_dnmat_t matA, spk_const_dnmat_t matB, const void* beta, spk_spmat_t matC,
                                  spk_compute_type_t compute_type, spk_algorithm_t alg, void* workspace,
                                  size_t workspace_bytes) {
  return guarded(__func__, handle, [&] {
    SPK_OBJECT(handle);
    SPK_OUTPUT(matC);
    const ScalarPointers scalars{alpha, beta};
    execute(*handle, make_sddmm(*handle, opA, opB, &scalars, matA, matB, matC, compute_type, alg), nullptr, workspace,
            workspace_bytes);
  });
}

extern "C" spk_status_t spk_sddmm_workspace(spk_handle_t handle, spk_operation_t opA, spk_operation_t opB,
                                            spk_const_dnmat_t matA, spk_const_dnmat_t matB, spk_const_spmat_t matC,
                                            spk_compute_type_t compute_type, spk_algorithm_t alg,
                                            size_t* workspace_bytes) {
  return guarded(__func__, handle, [&] {
    SPK_REQUIRE_PTR(workspace_bytes) = 0;
    SPK_OBJECT(handle);
    *workspace_bytes =
        workspace_of(*handle, make_sddmm(*handle, opA, opB, nullptr, matA, matB, matC, compute_type, alg));
  });
}
