// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "capi/contract.hpp"

// Sparse vectors: what the calls refuse, and that they leave everything as it was.
namespace {

std::int32_t indices[4] = {0, 2, 3, 1};
std::int64_t wide_indices[4] = {};
double numbers[8] = {};

struct Create {
  std::int64_t size = 5, nnz = 3;
  void *index_array = indices, *values = numbers;
  std::int32_t index_type = SPK_INDEX_32I, base = 0, type = SPK_R_64F;
  template <class Change>
  static spk_status_t with(Change&& change) {
    Create c;
    change(c);
    auto* out = reinterpret_cast<spk_spvec_t>(16);
    const spk_status_t status =
        spk_spvec_create(&out, c.size, c.nnz, c.index_array, c.values, c.index_type, c.base, c.type);
    if (status != SPK_STATUS_SUCCESS)
      EXPECT_EQ(out, nullptr) << "a descriptor that was not created is NULL";
    else
      spk_spvec_destroy(out);
    return status;
  }
};

TEST(SpvecCreate, NamesTheWrongArgument) {
  constexpr std::int64_t k2p31 = std::int64_t{1} << 31;
  EXPECT_EQ(Create::with([](Create&) {}), SPK_STATUS_SUCCESS);
  EXPECT_REFUSED(spk_spvec_create(nullptr, 5, 3, indices, numbers, 2, 0, 1), SPK_STATUS_INVALID_VALUE, "out is NULL");
  EXPECT_REFUSED(Create::with([](Create& c) { c.size = -1; }), SPK_STATUS_INVALID_VALUE, "size = -1");
  EXPECT_REFUSED(Create::with([](Create& c) { c.nnz = -2; }), SPK_STATUS_INVALID_VALUE, "nnz = -2");
  EXPECT_REFUSED(Create::with([](Create& c) { c.nnz = 6; }), SPK_STATUS_INVALID_VALUE, "nnz = 6");
  EXPECT_REFUSED(Create::with([](Create& c) { c.base = 2; }), SPK_STATUS_INVALID_VALUE, "index_base = 2");
  EXPECT_REFUSED(Create::with([](Create& c) { c.type = 3; }), SPK_STATUS_INVALID_VALUE, "value_type = 3");
  EXPECT_REFUSED(Create::with([](Create& c) { c.index_type = 0; }), SPK_STATUS_INVALID_VALUE, "index_type = 0");
  EXPECT_REFUSED(Create::with([](Create& c) { c.index_type = SPK_INDEX_16U; }), SPK_STATUS_NOT_SUPPORTED, "index_type");
  EXPECT_REFUSED(Create::with([](Create& c) { c.size = k2p31; }), SPK_STATUS_INDEX_OVERFLOW, "size = 2147483648");
  EXPECT_REFUSED(Create::with([](Create& c) { c.size = k2p31 - 1, c.base = 1; }), SPK_STATUS_INDEX_OVERFLOW, "size");
  EXPECT_EQ(Create::with([](Create& c) { c.size = k2p31 - 1; }), SPK_STATUS_SUCCESS);
  EXPECT_REFUSED(Create::with([](Create& c) {
                   c.index_type = SPK_INDEX_64I;
                   c.size = c.nnz = INT64_MAX - 1;
                   c.index_array = wide_indices;
                 }),
                 SPK_STATUS_INDEX_OVERFLOW, "indices");
  EXPECT_REFUSED(Create::with([](Create& c) { c.index_array = reinterpret_cast<char*>(indices) + 2; }),
                 SPK_STATUS_INVALID_VALUE, "indices");
  EXPECT_REFUSED(Create::with([](Create& c) { c.values = reinterpret_cast<char*>(numbers) + 4; }),
                 SPK_STATUS_INVALID_VALUE, "values");
  EXPECT_EQ(Create::with([](Create& c) { c.index_array = c.values = nullptr; }), SPK_STATUS_SUCCESS);
  EXPECT_EQ(Create::with([](Create& c) { c.size = c.nnz = 0; }), SPK_STATUS_SUCCESS);
}

TEST(SpvecCreate, TheDescriptorSaysWhatItWasGiven) {
  spk_const_spvec_t vec = nullptr;
  ASSERT_OK(spk_spvec_create_const(&vec, 7, 4, indices, numbers, SPK_INDEX_32I, SPK_INDEX_BASE_ONE, SPK_C_32F));
  std::int64_t size = 0, nnz = 0;
  const void *index_array = nullptr, *values = nullptr;
  std::int32_t index_type = 0, base = 0, type = 0;
  ASSERT_OK(spk_spvec_get(vec, &size, &nnz, &index_array, &values, &index_type, &base, &type));
  EXPECT_EQ(size, 7);
  EXPECT_EQ(nnz, 4);
  EXPECT_EQ(index_array, indices);
  EXPECT_EQ(values, numbers);
  EXPECT_EQ(index_type, SPK_INDEX_32I);
  EXPECT_EQ(base, 1);
  EXPECT_EQ(type, SPK_C_32F);
  ASSERT_OK(spk_spvec_get(vec, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr));
  EXPECT_REFUSED(spk_spvec_set_values(const_cast<spk_spvec_t>(vec), numbers), SPK_STATUS_INVALID_VALUE, "vec");
  EXPECT_REFUSED(spk_spvec_get(nullptr, &size, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
                 SPK_STATUS_INVALID_VALUE, "vec is NULL");
  spk_spvec_destroy(vec);
  spk_spvec_destroy(nullptr);
  spk_spvec_t other = nullptr;
  ASSERT_OK(spk_spvec_create(&other, 7, 4, indices, numbers, SPK_INDEX_32I, 0, SPK_R_64F));
  ASSERT_OK(spk_spvec_set_values(other, numbers + 1));
  ASSERT_OK(spk_spvec_get(other, nullptr, nullptr, nullptr, &values, nullptr, nullptr, nullptr));
  EXPECT_EQ(values, numbers + 1);
  EXPECT_REFUSED(spk_spvec_set_values(other, reinterpret_cast<char*>(numbers) + 1), SPK_STATUS_INVALID_VALUE, "values");
  spk_spvec_destroy(other);
}

// x = (1, ., 2, 3), y of four elements, on the CPU.
class VectorCalls : public spk_test::SmallProblem {
 protected:
  void SetUp() override {
    SmallProblem::SetUp();
    ASSERT_OK(spk_spvec_create(&x, 4, 3, indices, values, SPK_INDEX_32I, 0, SPK_R_32F));
    ASSERT_OK(spk_dnvec_create(&y, 4, elements, SPK_R_32F));
    ASSERT_OK(spk_dnvec_create(&longer, 5, elements, SPK_R_32F));
    ASSERT_OK(spk_dnvec_create(&wide, 4, numbers, SPK_R_64F));
    ASSERT_OK(spk_dnvec_create_const(&fixed, 4, elements, SPK_R_32F));
    ASSERT_OK(spk_spvec_create_const(&fixed_x, 4, 3, indices, values, SPK_INDEX_32I, 0, SPK_R_32F));
  }
  void TearDown() override {
    spk_spvec_destroy(fixed_x);
    spk_dnvec_destroy(fixed);
    spk_dnvec_destroy(wide);
    spk_dnvec_destroy(longer);
    spk_dnvec_destroy(y);
    spk_spvec_destroy(x);
    SmallProblem::TearDown();
  }
  void expect_nothing_written() const {
    for (int i = 0; i < 5; ++i) EXPECT_EQ(elements[i], static_cast<float>(10 + i));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(values[i], static_cast<float>(1 + i));
    EXPECT_EQ(result, -7.f);
  }
  spk_status_t axpby(spk_const_spvec_t vecX, spk_dnvec_t vecY) { return spk_axpby(handle, &alpha, vecX, &beta, vecY); }
  spk_status_t dot(std::int32_t opX, spk_const_spvec_t vecX, spk_const_dnvec_t vecY, void* to, std::int32_t compute) {
    return spk_spvv(handle, opX, vecX, vecY, to, compute, nullptr, 0);
  }

  float values[3] = {1, 2, 3};
  float elements[5] = {10, 11, 12, 13, 14};
  float result = -7;
  spk_spvec_t x = nullptr;
  spk_dnvec_t y = nullptr, longer = nullptr, wide = nullptr;
  spk_const_dnvec_t fixed = nullptr;
  spk_const_spvec_t fixed_x = nullptr;
};

TEST_F(VectorCalls, EachWrongArgumentIsNamed) {
  constexpr spk_status_t kInvalid = SPK_STATUS_INVALID_VALUE;
  EXPECT_REFUSED(spk_axpby(nullptr, &alpha, x, &beta, y), kInvalid, "handle is NULL");
  EXPECT_REFUSED(spk_axpby(handle, nullptr, x, &beta, y), kInvalid, "alpha is NULL");
  EXPECT_REFUSED(spk_axpby(handle, &alpha, x, nullptr, y), kInvalid, "beta is NULL");
  EXPECT_REFUSED(axpby(nullptr, y), kInvalid, "vecX is NULL");
  EXPECT_REFUSED(axpby(x, nullptr), kInvalid, "vecY is NULL");
  EXPECT_REFUSED(axpby(reinterpret_cast<spk_const_spvec_t>(y), y), kInvalid, "vecX");
  EXPECT_REFUSED(axpby(x, longer), kInvalid, "size of vecX = 4 but must equal size of vecY = 5");
  EXPECT_REFUSED(axpby(x, wide), SPK_STATUS_NOT_SUPPORTED, "f64");
  EXPECT_REFUSED(axpby(x, const_cast<spk_dnvec_t>(fixed)), kInvalid, "vecY is an output");
  EXPECT_REFUSED(spk_gather(handle, nullptr, x), kInvalid, "vecY is NULL");
  EXPECT_REFUSED(spk_gather(handle, y, nullptr), kInvalid, "vecX is NULL");
  EXPECT_REFUSED(spk_gather(handle, y, const_cast<spk_spvec_t>(fixed_x)), kInvalid, "vecX is an output");
  EXPECT_REFUSED(spk_scatter(handle, x, const_cast<spk_dnvec_t>(fixed)), kInvalid, "vecY is an output");
  EXPECT_REFUSED(spk_rot(handle, nullptr, &beta, x, y), kInvalid, "c_coeff is NULL");
  EXPECT_REFUSED(spk_rot(handle, &alpha, nullptr, x, y), kInvalid, "s_coeff is NULL");
  EXPECT_REFUSED(spk_rot(handle, &alpha, &beta, const_cast<spk_spvec_t>(fixed_x), y), kInvalid, "vecX is an output");
  EXPECT_REFUSED(dot(SPK_OP_T, x, y, &result, SPK_COMPUTE_32F), SPK_STATUS_NOT_SUPPORTED, "opX = SPK_OP_T");
  EXPECT_REFUSED(dot(5, x, y, &result, SPK_COMPUTE_32F), kInvalid, "opX = 5");
  EXPECT_REFUSED(dot(SPK_OP_N, x, y, nullptr, SPK_COMPUTE_32F), kInvalid, "result is NULL");
  EXPECT_REFUSED(dot(SPK_OP_N, x, y, &result, SPK_COMPUTE_64F), SPK_STATUS_NOT_SUPPORTED, "compute_type = 1");
  EXPECT_REFUSED(dot(SPK_OP_N, x, y, &result, 77), kInvalid, "compute_type = 77");
  EXPECT_REFUSED(dot(SPK_OP_N, x, y, reinterpret_cast<char*>(&result) + 1, SPK_COMPUTE_32F), kInvalid, "result");
  EXPECT_REFUSED(dot(SPK_OP_N, x, y, elements + 1, SPK_COMPUTE_32F), kInvalid, "result overlaps vecY");
  std::size_t bytes = 99;
  EXPECT_REFUSED(spk_spvv_workspace(handle, SPK_OP_N, x, longer, SPK_COMPUTE_32F, &bytes), kInvalid, "size of vecX");
  EXPECT_EQ(bytes, 0u);
  EXPECT_REFUSED(spk_spvv_workspace(handle, SPK_OP_N, x, y, SPK_COMPUTE_32F, nullptr), kInvalid, "workspace_bytes");
  expect_nothing_written();
}

TEST_F(VectorCalls, MissingAndOverlappingArraysAreNamed) {
  ASSERT_OK(spk_spvec_set_values(x, nullptr));
  EXPECT_REFUSED(axpby(x, y), SPK_STATUS_INVALID_VALUE, "vecX has NULL values");
  EXPECT_REFUSED(spk_gather(handle, y, x), SPK_STATUS_INVALID_VALUE, "vecX has NULL values");
  alpha = 0;  // then nobody asks for x
  beta = 1;
  ASSERT_OK(axpby(x, y));
  ASSERT_OK(spk_spvec_set_values(x, elements + 3));
  EXPECT_REFUSED(spk_scatter(handle, x, y), SPK_STATUS_INVALID_VALUE, "vecY overlaps vecX's values");
  EXPECT_REFUSED(spk_gather(handle, y, x), SPK_STATUS_INVALID_VALUE, "vecX's values overlaps vecY");
  ASSERT_OK(spk_spvec_set_values(x, values));
  ASSERT_OK(spk_dnvec_set_values(y, nullptr));
  EXPECT_REFUSED(spk_scatter(handle, x, y), SPK_STATUS_INVALID_VALUE, "vecY has NULL values");
  expect_nothing_written();
}

TEST_F(VectorCalls, AnIndexOutsideIsFoundInShadowMode) {
  std::int32_t wrong[3] = {0, 4, 1};
  spk_spvec_t broken = nullptr;
  ASSERT_OK(spk_spvec_create(&broken, 4, 3, wrong, values, SPK_INDEX_32I, 0, SPK_R_32F));
  ASSERT_OK(spk_set_check(handle, 1));
  EXPECT_REFUSED(axpby(broken, y), SPK_STATUS_INVALID_STRUCTURE, "indices[1] = 4 but must be in [0, 4)");
  EXPECT_REFUSED(dot(SPK_OP_N, broken, y, &result, SPK_COMPUTE_32F), SPK_STATUS_INVALID_STRUCTURE, "indices[1] = 4");
  wrong[1] = -1;
  EXPECT_REFUSED(spk_scatter(handle, broken, y), SPK_STATUS_INVALID_STRUCTURE, "indices[1] = -1");
  spk_spvec_destroy(broken);
  expect_nothing_written();
}

TEST_F(VectorCalls, ComputeWhatTheyPromise) {
  beta = 1;
  ASSERT_OK(axpby(x, y));  // (11, 11, 14, 16)
  EXPECT_EQ(elements[0], 11.f);
  EXPECT_EQ(elements[1], 11.f);
  EXPECT_EQ(elements[2], 14.f);
  EXPECT_EQ(elements[3], 16.f);
  ASSERT_OK(dot(SPK_OP_N, x, y, &result, SPK_COMPUTE_32F));
  EXPECT_EQ(result, 87.f);
  const float c_coeff = 2, s_coeff = 3;
  ASSERT_OK(spk_rot(handle, &c_coeff, &s_coeff, x, y));
  EXPECT_EQ(values[0], 35.f);    // 2 * 1 + 3 * 11
  EXPECT_EQ(elements[0], 19.f);  // 2 * 11 - 3 * 1
  EXPECT_EQ(elements[1], 11.f);
  ASSERT_OK(spk_gather(handle, y, x));
  EXPECT_EQ(values[0], 19.f);
  EXPECT_EQ(values[2], 23.f);
  values[2] = 5;
  ASSERT_OK(spk_scatter(handle, x, y));
  EXPECT_EQ(elements[3], 5.f);
  EXPECT_EQ(elements[4], 14.f);
}

}  // namespace
