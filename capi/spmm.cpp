// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "capi/execute.hpp"
#include "capi/problems.hpp"

using namespace spk;
using namespace spk::capi;

extern "C" spk_status_t spk_spmm(spk_handle_t handle, spk_operation_t opA, spk_operation_t opB, const void* alpha,
                                 spk_const_spmat_t matA, spk_const_dnmat_t matB, const void* beta, spk_dnmat_t matC,
                                 spk_compute_type_t compute_type, spk_algorithm_t alg, void* workspace,
                                 size_t workspace_bytes) {
  return guarded(__func__, handle, [&] {
    SPK_OBJECT(handle);
    SPK_OUTPUT(matC);
    const ScalarPointers scalars{alpha, beta};
    execute(*handle, make_spmm(*handle, opA, opB, &scalars, matA, matB, matC, compute_type, alg, nullptr), nullptr,
            workspace, workspace_bytes);
  });
}

extern "C" spk_status_t spk_spmm_epilogue(spk_handle_t handle, spk_operation_t opA, spk_operation_t opB,
                                          const void* alpha, spk_const_spmat_t matA, spk_const_dnmat_t matB,
                                          const void* beta, spk_dnmat_t matC, spk_compute_type_t compute_type,
                                          spk_algorithm_t alg, const spk_epilogue_t* epilogue, void* workspace,
                                          size_t workspace_bytes) {
  return guarded(__func__, handle, [&] {
    SPK_OBJECT(handle);
    SPK_OUTPUT(matC);
    const ScalarPointers scalars{alpha, beta};
    execute(*handle, make_spmm(*handle, opA, opB, &scalars, matA, matB, matC, compute_type, alg, epilogue), nullptr,
            workspace, workspace_bytes);
  });
}

extern "C" spk_status_t spk_spmm_workspace(spk_handle_t handle, spk_operation_t opA, spk_operation_t opB,
                                           spk_const_spmat_t matA, spk_const_dnmat_t matB, spk_const_dnmat_t matC,
                                           spk_compute_type_t compute_type, spk_algorithm_t alg,
                                           size_t* workspace_bytes) {
  return guarded(__func__, handle, [&] {
    SPK_REQUIRE_PTR(workspace_bytes) = 0;
    SPK_OBJECT(handle);
    *workspace_bytes =
        workspace_of(*handle, make_spmm(*handle, opA, opB, nullptr, matA, matB, matC, compute_type, alg, nullptr));
  });
}

extern "C" spk_status_t spk_spmv(spk_handle_t handle, spk_operation_t opA, const void* alpha, spk_const_spmat_t matA,
                                 spk_const_dnvec_t vecX, const void* beta, spk_dnvec_t vecY,
                                 spk_compute_type_t compute_type, spk_algorithm_t alg, void* workspace,
                                 size_t workspace_bytes) {
  return guarded(__func__, handle, [&] {
    SPK_OBJECT(handle);
    SPK_OUTPUT(vecY);
    const ScalarPointers scalars{alpha, beta};
    execute(*handle, make_spmv(*handle, opA, &scalars, matA, vecX, vecY, compute_type, alg), nullptr, workspace,
            workspace_bytes);
  });
}

extern "C" spk_status_t spk_spmv_workspace(spk_handle_t handle, spk_operation_t opA, spk_const_spmat_t matA,
                                           spk_const_dnvec_t vecX, spk_const_dnvec_t vecY,
                                           spk_compute_type_t compute_type, spk_algorithm_t alg,
                                           size_t* workspace_bytes) {
  return guarded(__func__, handle, [&] {
    SPK_REQUIRE_PTR(workspace_bytes) = 0;
    SPK_OBJECT(handle);
    *workspace_bytes = workspace_of(*handle, make_spmv(*handle, opA, nullptr, matA, vecX, vecY, compute_type, alg));
  });
}
