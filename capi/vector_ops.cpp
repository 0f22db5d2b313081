// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "capi/execute.hpp"
#include "capi/problems.hpp"

using namespace spk;
using namespace spk::capi;

extern "C" spk_status_t spk_axpby(spk_handle_t handle, const void* alpha, spk_const_spvec_t vecX, const void* beta,
                                  spk_dnvec_t vecY) {
  return guarded(__func__, handle, [&] {
    SPK_OBJECT(handle);
    SPK_OUTPUT(vecY);
    const ScalarPointers scalars{alpha, beta};
    execute(*handle, make_axpby(*handle, &scalars, vecX, vecY), nullptr, nullptr, 0);
  });
}

extern "C" spk_status_t spk_gather(spk_handle_t handle, spk_const_dnvec_t vecY, spk_spvec_t vecX) {
  return guarded(__func__, handle, [&] {
    SPK_OBJECT(handle);
    SPK_OUTPUT(vecX);
    execute(*handle, make_vector_copy(VectorOp::gather, vecX, vecY), nullptr, nullptr, 0);
  });
}

extern "C" spk_status_t spk_scatter(spk_handle_t handle, spk_const_spvec_t vecX, spk_dnvec_t vecY) {
  return guarded(__func__, handle, [&] {
    SPK_OBJECT(handle);
    SPK_OUTPUT(vecY);
    execute(*handle, make_vector_copy(VectorOp::scatter, vecX, vecY), nullptr, nullptr, 0);
  });
}

extern "C" spk_status_t spk_rot(spk_handle_t handle, const void* c_coeff, const void* s_coeff, spk_spvec_t vecX,
                                spk_dnvec_t vecY) {
  return guarded(__func__, handle, [&] {
    SPK_OBJECT(handle);
    SPK_OUTPUT(vecX);
    SPK_OUTPUT(vecY);
    const ScalarPointers scalars{c_coeff, s_coeff, "c_coeff", "s_coeff"};
    execute(*handle, make_rot(*handle, &scalars, vecX, vecY), nullptr, nullptr, 0);
  });
}

extern "C" spk_status_t spk_spvv(spk_handle_t handle, spk_operation_t opX, spk_const_spvec_t vecX,
                                 spk_const_dnvec_t vecY, void* result, spk_compute_type_t compute_type, void* workspace,
                                 size_t workspace_bytes) {
  return guarded(__func__, handle, [&] {
    SPK_OBJECT(handle);
    VectorProblem p = make_spvv(opX, vecX, vecY, compute_type);
    set_result(*handle, p, result);
    execute(*handle, p, nullptr, workspace, workspace_bytes);
  });
}

extern "C" spk_status_t spk_spvv_workspace(spk_handle_t handle, spk_operation_t opX, spk_const_spvec_t vecX,
                                           spk_const_dnvec_t vecY, spk_compute_type_t compute_type,
                                           size_t* workspace_bytes) {
  return guarded(__func__, handle, [&] {
    SPK_REQUIRE_PTR(workspace_bytes) = 0;
    SPK_OBJECT(handle);
    *workspace_bytes = workspace_of(*handle, make_spvv(opX, vecX, vecY, compute_type));
  });
}
