// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "products.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace {

std::string describe(const Case& c) {
  return "format " + std::to_string(c.sparse.format) + " op " + std::to_string(c.op_a) + std::to_string(c.op_b) +
         " orders " + std::to_string(c.first.order) + std::to_string(c.second.order) + " index " +
         std::to_string(c.sparse.index_type) + " base " + std::to_string(c.sparse.base) + " types " +
         std::to_string(c.type) + std::to_string(c.out_type) + " batch " + std::to_string(c.batch) + " alg " +
         std::to_string(c.alg) + " beta " + std::to_string(c.beta.real());
}

Matrix multiply(const Matrix& a, const Matrix& b) {
  Matrix c(a.rows, b.cols);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < b.cols; ++j)
      for (int l = 0; l < a.cols; ++l) c.at(i, j) += a.at(i, l) * b.at(l, j);
  return c;
}

// alpha * product + beta * before; beta = 0 does not look at what was there.
Matrix combine(const Case& c, const Matrix& product, const Matrix& before) {
  Matrix result = product;
  for (std::size_t i = 0; i < result.places.size(); ++i)
    result.places[i] = c.alpha * product.places[i] + (c.beta == Value() ? Value() : c.beta * before.places[i]);
  return result;
}

// What was in the output before: NaN where it must not be looked at.
Matrix before_output(Draw& draw, const Case& c, int rows, int cols) {
  Matrix before = draw_dense(draw, rows, cols, is_complex(c.type));
  if (c.beta == Value())
    for (Value& value : before.places) value = std::numeric_limits<double>::quiet_NaN();
  return before;
}

// alpha and beta where the pointer mode says.
class Scalars {
 public:
  Scalars(cusparseHandle_t handle, const Case& c)
      : on_device_(upload(std::vector<Value>{c.alpha, c.beta}, c.compute)),
        on_host_(on_device_.bytes()),
        at_(c.scalars_on_device ? static_cast<char*>(on_device_.data()) : on_host_.data()),
        size_(bytes_of(c.compute)) {
    EXPECT_EQ(
        cusparseSetPointerMode(handle, c.scalars_on_device ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST),
        kSuccess);
  }
  const void* alpha() const noexcept { return at_; }
  const void* beta() const noexcept { return at_ + size_; }

 private:
  DeviceMemory on_device_;
  std::vector<char> on_host_;
  const char* at_;
  std::size_t size_;
};

}  // namespace

void run_spmm(cusparseHandle_t handle, const Case& c) {
  SCOPED_TRACE("SpMM " + describe(c));
  Draw draw(1);
  const bool complex_numbers = is_complex(c.type);
  const int block =
      c.sparse.format == CUSPARSE_FORMAT_BSR || c.sparse.format == CUSPARSE_FORMAT_BLOCKED_ELL ? c.sparse.block : 1;
  std::vector<Matrix> a, b, before;
  for (int i = 0; i < c.batch; ++i) {
    const bool repeats = i > 0 && c.sparse.sharing == Sharing::all;
    const int shift = c.sparse.sharing == Sharing::offsets ? 0 : i;
    a.push_back(
        repeats ? a[0]
                : draw_sparse(draw, c.op_a == kN ? c.m : c.k, c.op_a == kN ? c.k : c.m, block, shift, complex_numbers));
    b.push_back(i > 0 && c.shares_first
                    ? b[0]
                    : draw_dense(draw, c.op_b == kN ? c.k : c.n, c.op_b == kN ? c.n : c.k, complex_numbers));
    before.push_back(before_output(draw, c, c.m, c.n));
  }
  SparseOperand sparse(a, c.sparse, c.type);
  const DenseOperand first(b, c.first, c.type, c.shares_first);
  const DenseOperand out(before, c.second, c.out_type, false);
  const Scalars scalars(handle, c);
  const auto alg = static_cast<cusparseSpMMAlg_t>(c.alg);

  std::size_t bytes = ~std::size_t{0};
  ASSERT_EQ(cusparseSpMM_bufferSize(handle, c.op_a, c.op_b, scalars.alpha(), sparse.descriptor(), first.descriptor(),
                                    scalars.beta(), out.descriptor(), c.compute, alg, &bytes),
            kSuccess);
  const DeviceMemory buffer = scratch(bytes);
  const auto execute = [&] {
    return cusparseSpMM(handle, c.op_a, c.op_b, scalars.alpha(), sparse.descriptor(), first.descriptor(),
                        scalars.beta(), out.descriptor(), c.compute, alg, buffer.data());
  };
  if (c.prepares) {
    ASSERT_EQ(cusparseSpMM_preprocess(handle, c.op_a, c.op_b, scalars.alpha(), sparse.descriptor(), first.descriptor(),
                                      scalars.beta(), out.descriptor(), c.compute, alg, buffer.data()),
              kSuccess);
    out.expect(before);
    for (Matrix& matrix : a) matrix = redraw(draw, matrix, complex_numbers);
    if (c.sparse.sharing == Sharing::all) a.assign(a.size(), a[0]);
    sparse.replace_values(a);
  }
  ASSERT_EQ(execute(), kSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::vector<Matrix> want;
  for (std::size_t i = 0; i < a.size(); ++i)
    want.push_back(combine(c, multiply(a[i].under(c.op_a), b[i].under(c.op_b)), before[i]));
  out.expect(want);
  sparse.expect_values(a);
  first.expect(c.shares_first ? std::vector<Matrix>{b[0]} : b);
}

void run_spmv(cusparseHandle_t handle, const Case& c) {
  SCOPED_TRACE("SpMV " + describe(c));
  Draw draw(2);
  const bool complex_numbers = is_complex(c.type);
  const int block =
      c.sparse.format == CUSPARSE_FORMAT_BSR || c.sparse.format == CUSPARSE_FORMAT_BLOCKED_ELL ? c.sparse.block : 1;
  std::vector<Matrix> a{
      draw_sparse(draw, c.op_a == kN ? c.m : c.k, c.op_a == kN ? c.k : c.m, block, 0, complex_numbers)};
  const Matrix x = draw_dense(draw, c.k, 1, complex_numbers);
  const Matrix before = before_output(draw, c, c.m, 1);
  SparseOperand sparse(a, c.sparse, c.type);
  const DeviceMemory x_memory = upload(x.places, c.type);
  const DeviceMemory y_memory = upload(before.places, c.out_type);
  cusparseConstDnVecDescr_t vec_x = nullptr;
  cusparseDnVecDescr_t vec_y = nullptr;
  ASSERT_EQ(cusparseCreateConstDnVec(&vec_x, c.k, x_memory.data(), c.type), kSuccess);
  ASSERT_EQ(cusparseCreateDnVec(&vec_y, c.m, y_memory.data(), c.out_type), kSuccess);
  const Scalars scalars(handle, c);
  const auto alg = static_cast<cusparseSpMVAlg_t>(c.alg);
  std::size_t bytes = ~std::size_t{0};
  ASSERT_EQ(cusparseSpMV_bufferSize(handle, c.op_a, scalars.alpha(), sparse.descriptor(), vec_x, scalars.beta(), vec_y,
                                    c.compute, alg, &bytes),
            kSuccess);
  const DeviceMemory buffer = scratch(bytes);
  if (c.prepares) {
    ASSERT_EQ(cusparseSpMV_preprocess(handle, c.op_a, scalars.alpha(), sparse.descriptor(), vec_x, scalars.beta(),
                                      vec_y, c.compute, alg, buffer.data()),
              kSuccess);
    a[0] = redraw(draw, a[0], complex_numbers);
    sparse.replace_values(a);
  }
  ASSERT_EQ(cusparseSpMV(handle, c.op_a, scalars.alpha(), sparse.descriptor(), vec_x, scalars.beta(), vec_y, c.compute,
                         alg, buffer.data()),
            kSuccess);
  EXPECT_EQ(download(y_memory, c.out_type), combine(c, multiply(a[0].under(c.op_a), x), before).places);
  EXPECT_EQ(cusparseDestroyDnVec(vec_x), kSuccess);
  EXPECT_EQ(cusparseDestroyDnVec(vec_y), kSuccess);
}

void run_sddmm(cusparseHandle_t handle, const Case& c) {
  SCOPED_TRACE("SDDMM " + describe(c));
  Draw draw(3);
  const bool complex_numbers = is_complex(c.type);
  const int block = c.sparse.format == CUSPARSE_FORMAT_BSR ? c.sparse.block : 1;
  std::vector<Matrix> a, b, before;
  for (int i = 0; i < c.batch; ++i) {
    a.push_back(i > 0 && c.shares_first
                    ? a[0]
                    : draw_dense(draw, c.op_a == kN ? c.m : c.k, c.op_a == kN ? c.k : c.m, complex_numbers));
    b.push_back(draw_dense(draw, c.op_b == kN ? c.k : c.n, c.op_b == kN ? c.n : c.k, complex_numbers));
    before.push_back(draw_sparse(draw, c.m, c.n, block, c.sparse.sharing == Sharing::offsets ? 0 : i, complex_numbers));
    if (c.beta == Value())
      for (Value& value : before.back().places)
        if (value != Value()) value = std::numeric_limits<double>::quiet_NaN();
  }
  const DenseOperand first(a, c.first, c.type, c.shares_first);
  const DenseOperand second(b, c.second, c.type, false);
  const SparseOperand out(before, c.sparse, c.out_type);
  const Scalars scalars(handle, c);
  const auto alg = CUSPARSE_SDDMM_ALG_DEFAULT;
  std::size_t bytes = ~std::size_t{0};
  ASSERT_EQ(cusparseSDDMM_bufferSize(handle, c.op_a, c.op_b, scalars.alpha(), first.descriptor(), second.descriptor(),
                                     scalars.beta(), out.descriptor(), c.compute, alg, &bytes),
            kSuccess);
  const DeviceMemory buffer = scratch(bytes);
  if (c.prepares) {
    ASSERT_EQ(cusparseSDDMM_preprocess(handle, c.op_a, c.op_b, scalars.alpha(), first.descriptor(), second.descriptor(),
                                       scalars.beta(), out.descriptor(), c.compute, alg, buffer.data()),
              kSuccess);
  }
  ASSERT_EQ(cusparseSDDMM(handle, c.op_a, c.op_b, scalars.alpha(), first.descriptor(), second.descriptor(),
                          scalars.beta(), out.descriptor(), c.compute, alg, buffer.data()),
            kSuccess);
  std::vector<Matrix> want;
  for (std::size_t i = 0; i < a.size(); ++i)
    want.push_back(combine(c, multiply(a[i].under(c.op_a), b[i].under(c.op_b)), before[i]));
  out.expect_values(want);
}
