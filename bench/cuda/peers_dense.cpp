// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "contenders.hpp"

// cuBLAS on the full matrix. SpMM, SpMV: the sparse matrix with its zeros. SDDMM: the dense product, not sampled.
namespace spk::bench {
namespace {

struct Precision {
  cublasComputeType_t compute;
  cublasMath_t mode = CUBLAS_DEFAULT_MATH;
};

struct Matrix {
  StoredDense shape;
  spk_operation_t op;
};

// C = op(A) op(B). cuBLAS sees every matrix by columns, so a row-major one is its transpose there; for a row-major C
// the product is turned round: C^T = op(B)^T op(A)^T.
void gemm(const Device& device, const Setting& setting, Precision precision, std::int64_t m, std::int64_t n,
          std::int64_t k, const Matrix& a, const void* a_values, const Matrix& b, const void* b_values,
          const StoredDense& c, void* c_values) {
  const tool::Scalar one = tool::make_scalar(1, *setting.type), zero = tool::make_scalar(0, *setting.type);
  const bool turned = c.order == SPK_ORDER_ROW;
  const auto transpose = [turned](const Matrix& x) {
    const bool flipped = (x.op != SPK_OP_N) != (x.shape.order == SPK_ORDER_ROW);
    return flipped != turned ? CUBLAS_OP_T : CUBLAS_OP_N;
  };
  const Matrix& first = turned ? b : a;
  const Matrix& second = turned ? a : b;
  const auto type = static_cast<cudaDataType>(setting.type->type);
  check_peer(cublasSetMathMode(device.cublas, precision.mode), "cublasSetMathMode");
  check_peer(cublasGemmEx(device.cublas, transpose(first), transpose(second), static_cast<int>(turned ? n : m),
                          static_cast<int>(turned ? m : n), static_cast<int>(k), one.storage,
                          turned ? b_values : a_values, type, static_cast<int>(first.shape.ld),
                          turned ? a_values : b_values, type, static_cast<int>(second.shape.ld), zero.storage, c_values,
                          type, static_cast<int>(c.ld), precision.compute, CUBLAS_GEMM_DEFAULT),
             "cublasGemmEx");
}

Contender product(const Device& device, const Operands& operands, Precision precision) {
  const Setting& setting = operands.setting();
  if (!operands.has_expanded()) throw Unsupported("the full matrix takes more than 16 GiB");
  const StoredDense expanded{operands.rows(), operands.cols(), operands.cols(), SPK_ORDER_ROW};
  const Matrix a{expanded, setting.opA};
  const Matrix b{operands.right(), setting.operation == tool::Operation::kSpmv ? SPK_OP_N : setting.opB};
  Contender contender;
  contender.launch = [=, &device, &operands](std::size_t i) {
    const Operands::Copy& copy = operands.copy(i);
    gemm(device, operands.setting(), precision, operands.m(), operands.n(), operands.k(), a, copy.expanded, b,
         copy.right, operands.output(), copy.output);
  };
  return contender;
}

// The dense result goes to one array of its own: where it lies is no matter of the rotation, it is written only.
Contender dense_sddmm(const Device& device, const Operands& operands, Precision precision) {
  const Setting& setting = operands.setting();
  const StoredDense c{operands.m(), operands.n(), operands.n(), SPK_ORDER_ROW};
  const auto result = std::make_shared<DeviceBytes>(static_cast<std::size_t>(c.elements()) * setting.type->size);
  const Matrix a{operands.left(), setting.opA}, b{operands.right(), setting.opB};
  Contender contender;
  contender.launch = [=, &device, &operands](std::size_t i) {
    const Operands::Copy& copy = operands.copy(i);
    gemm(device, operands.setting(), precision, operands.m(), operands.n(), operands.k(), a, copy.left, b, copy.right,
         c, result->data());
  };
  contender.finish = [=, &device, &operands] {
    gather_places(operands.csr(), c.view(result->data(), SPK_OP_N), operands.copy(0).output,
                  operands.setting().type->type, device.stream);
  };
  return contender;
}

}  // namespace

void add_dense(Field& field, const Device& device, const Operands& operands) {
  const Setting& setting = operands.setting();
  const auto enter = [&](const char* name, Kind kind, Precision precision) {
    field.add(name, kind, [&] {
      return setting.operation == tool::Operation::kSddmm ? dense_sddmm(device, operands, precision)
                                                          : product(device, operands, precision);
    });
  };
  if (setting.tf32()) {
    enter("cublas TF32", Kind::kDense, {CUBLAS_COMPUTE_32F_FAST_TF32});
  } else if (setting.type_name == "f32") {
    enter("cublas f32", Kind::kDense, {CUBLAS_COMPUTE_32F_PEDANTIC});
    enter("cublas TF32", Kind::kDenseTf32, {CUBLAS_COMPUTE_32F_FAST_TF32});
  } else if (setting.type_name == "f64") {
    enter("cublas f64", Kind::kDense, {CUBLAS_COMPUTE_64F});
  } else {
    enter("cublas f32 sums", Kind::kDense, {CUBLAS_COMPUTE_32F, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION});
    enter("cublas default", Kind::kDense, {CUBLAS_COMPUTE_32F});
  }
}

}  // namespace spk::bench
