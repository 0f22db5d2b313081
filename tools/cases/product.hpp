// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <string>
#include <vector>

#include "cases/operands.hpp"

namespace spk::cases {

enum class ProductKind { spmm, spmv, sddmm };

// End of an SpMM: bias, activation, residual. Beyond the schema; case dumps of the library have it.
struct EpilogueSpec {
  bool is_used = false;
  std::int32_t activation = SPK_ACTIVATION_NONE, bias_kind = SPK_BIAS_NONE;
  DenseSpec bias;  // a vector, if there is a bias kind
  bool has_residual = false;
  DenseSpec residual;
};

// SpMM, SpMV or SDDMM as a case describes it.
struct ProductSpec {
  ProductKind kind = ProductKind::spmm;
  spk_operation_t op_a = SPK_OP_N, op_b = SPK_OP_N;
  spk_value_type_t type = SPK_R_32F;         // of the inputs
  spk_value_type_t output_type = SPK_R_32F;  // `type` unless dtypeC says otherwise
  std::int64_t m = 0, n = 1, k = 0;
  Number alpha{1, 0}, beta{0, 0};
  bool null_alpha = false, null_beta = false;
  SparseSpec sparse;  // A, or C of SDDMM
  DenseSpec a;        // SDDMM only
  DenseSpec b;        // B, or x
  DenseSpec c;        // C, or y; not for SDDMM
  EpilogueSpec epilogue;
};
ProductSpec read_product(Fields& fields, ProductKind kind, spk_value_type_t type);

// Who brings the workspace of a call.
enum class Scratch { exact, library };

// Arrays and descriptors of one product, and the calls on them.
class Product {
 public:
  // Arrays lie where `backend` computes. With Access::write the descriptors of inputs can be pointed elsewhere later.
  Product(const ProductSpec& spec, const Switches& switches, Placement placement, spk_backend_t backend,
          Access inputs = Access::read);

  // `other` lends A and B (SpMM) or x; only the output is this object's own.
  void borrow_inputs(const Product& other) { lender_ = &other; }

  Outcome create();
  Outcome validate(spk_handle_t handle) const;
  Outcome workspace_bytes(spk_handle_t handle, spk_algorithm_t alg, std::size_t& bytes) const;
  // One call; launch() may return before it is done (spk_synchronize), and leaves the arrays where they are.
  Outcome launch(spk_handle_t handle, spk_algorithm_t alg, Scratch scratch);
  Outcome run(spk_handle_t handle, spk_algorithm_t alg, Scratch scratch);
  // Has alpha and beta read where the backend computes: the handle's pointer mode, and memory for them.
  Outcome place_scalars(spk_handle_t handle);
  Outcome create_plan(spk_handle_t handle, Plan& plan, spk_algorithm_t alg = SPK_ALG_DEFAULT) const;
  Outcome run_plan(spk_handle_t handle, const Plan& plan, Scratch scratch);
  Outcome update_plan(spk_handle_t handle, const Plan& plan) const;
  Outcome keep_values(spk_handle_t handle, const Plan& plan) const;

  // Puts the output back to what the case starts from.
  void reset_output();
  Buffer* output();
  const char* output_name() const noexcept;

  // Empty, or why the state of memory is wrong.
  std::string compare(const Json& expected, const Tolerance& tolerance);
  std::string check_memory();  // inputs, guards, elements of the output's buffer that are not the output
  std::string check_output_untouched();
  std::string check_columns_equal();

  Memory& memory() noexcept { return memory_; }
  const ProductSpec& spec() const noexcept { return spec_; }
  // Replaces the contents of an array in place, by name without _in.
  void write(const std::string& name, const Json& data);
  // Moves every array to fresh memory, points the descriptors there and frees the old.
  Outcome point_at_moved_arrays();
  bool created() const noexcept { return created_; }
  // Destroys descriptors: "A", "B", "C" or "all".
  void destroy(const std::string& what);

 private:
  Outcome create_missing();
  Outcome create_epilogue();
  const spk_epilogue_t* epilogue() const noexcept { return spec_.epilogue.is_used ? &epilogue_ : nullptr; }
  spk_const_spmat_t sparse() const noexcept { return lender_ != nullptr ? lender_->sparse() : sparse_.get(); }
  spk_const_dnmat_t dense_b() const noexcept { return lender_ != nullptr ? lender_->dense_b() : b_.get(); }
  spk_const_dnvec_t vector_x() const noexcept { return lender_ != nullptr ? lender_->vector_x() : x_.get(); }
  Outcome take_scratch(std::size_t bytes, Scratch scratch, void*& workspace, std::size_t& given);
  Outcome launch_plan(spk_handle_t handle, const Plan& plan, Scratch scratch);
  Outcome collect(spk_handle_t handle, const Outcome& launched);
  const void* alpha() const noexcept {
    return spec_.null_alpha ? nullptr : placed_alpha_ != nullptr ? placed_alpha_ : alpha_;
  }
  const void* beta() const noexcept {
    return spec_.null_beta ? nullptr : placed_beta_ != nullptr ? placed_beta_ : beta_;
  }

  ProductSpec spec_;
  Switches switches_;
  Memory memory_;
  Access inputs_;
  const Product* lender_ = nullptr;
  alignas(16) unsigned char alpha_[16] = {};
  alignas(16) unsigned char beta_[16] = {};
  const void* placed_alpha_ = nullptr;
  const void* placed_beta_ = nullptr;
  SparseMatrix sparse_;
  DenseMatrix a_, b_, c_, residual_;
  DenseVector x_, y_, bias_;
  spk_epilogue_t epilogue_{};
  bool created_ = false;
};

// Named algorithms of cuSPARSE that the format may be computed with, besides the default.
std::vector<spk_algorithm_t> named_algorithms(ProductKind kind, spk_format_t format);

}  // namespace spk::cases
