// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "capi/objects.hpp"

// Problems out of C arguments, their shapes and types validated (execute() validates the memory). scalars is NULL for
// queries and plans, which do not depend on them.
namespace spk::capi {

struct ScalarPointers {
  const void* alpha = nullptr;
  const void* beta = nullptr;
  const char* alpha_name = "alpha";
  const char* beta_name = "beta";
};

SpmmProblem make_spmm(const spk_handle& handle, std::int32_t opA, std::int32_t opB, const ScalarPointers* scalars,
                      spk_const_spmat_t matA, spk_const_dnmat_t matB, spk_const_dnmat_t matC, std::int32_t compute_type,
                      std::int32_t alg, const spk_epilogue_t* epilogue);

SpmmProblem make_spmv(const spk_handle& handle, std::int32_t opA, const ScalarPointers* scalars, spk_const_spmat_t matA,
                      spk_const_dnvec_t vecX, spk_const_dnvec_t vecY, std::int32_t compute_type, std::int32_t alg);

SddmmProblem make_sddmm(const spk_handle& handle, std::int32_t opA, std::int32_t opB, const ScalarPointers* scalars,
                        spk_const_dnmat_t matA, spk_const_dnmat_t matB, spk_const_spmat_t matC,
                        std::int32_t compute_type, std::int32_t alg);

SoftmaxProblem make_softmax(double scale, spk_const_spmat_t matX, const std::uint8_t* mask, spk_const_spmat_t matY,
                            std::int32_t alg);

SoftmaxBackwardProblem make_softmax_backward(double scale, spk_const_spmat_t matY, spk_const_spmat_t matDY,
                                             spk_const_spmat_t matDX, std::int32_t alg);

// Of spk_vector.h. make_vector_copy: gather and scatter.
VectorProblem make_axpby(const spk_handle& handle, const ScalarPointers* scalars, spk_const_spvec_t vecX,
                         spk_const_dnvec_t vecY);
VectorProblem make_vector_copy(VectorOp op, spk_const_spvec_t vecX, spk_const_dnvec_t vecY);
VectorProblem make_rot(const spk_handle& handle, const ScalarPointers* scalars, spk_const_spvec_t vecX,
                       spk_const_dnvec_t vecY);
VectorProblem make_spvv(std::int32_t opX, spk_const_spvec_t vecX, spk_const_dnvec_t vecY, std::int32_t compute_type);
// Where the dot product goes, as the handle's pointer mode says.
void set_result(const spk_handle& handle, VectorProblem& p, void* result);

// alg of an operation without named algorithms: the default or a kernel's id.
void check_algorithm(std::int32_t alg);

// alpha and beta out of two values of the sum's type in host memory.
Scalars scalars_from(const void* alpha, const void* beta, ValueType compute);

}  // namespace spk::capi
