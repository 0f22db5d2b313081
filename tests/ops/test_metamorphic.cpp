// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors

// Two ways of saying one product must give one answer. Integers, so that equal means equal bits whatever the order of summation;
// where the library promises bits, real numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "support/backends.hpp"
#include "support/random_product.hpp"
#include "support/require.hpp"

namespace spk::test {
namespace {

using cases::Outcome;
using cases::Placement;
using cases::Product;
using cases::ProductKind;
using cases::ProductSpec;
using cases::Scratch;

constexpr int kDraws = 60;

template <class Backend>
class Metamorphic : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = missing_isa(); !missing.empty()) SPK_SKIP_WITHOUT(wanted_isa(), missing);
    SPK_SKIP_WITHOUT_BACKEND(Backend::kBackend);
  }

  // A recipe of kind and format with the other options drawn; no NaN, so that equal is a plain comparison.
  static Recipe draw(int number, ProductKind kind, spk_format_t format, bool has_integers) {
    Recipe r = recipe((std::int64_t{number} * 48611 + 101) % recipe_count());
    r.kind = kind;
    r.format = format;
    r.has_integers = has_integers;
    r.alpha = number % 2 == 0 ? 1 : -2.5;
    r.beta = number % 3 == 0 ? 0.5 : 0;
    if (kind == ProductKind::spmv) {
      r.n = 1;
      r.op_b = SPK_OP_N;
      r.batch_count = 1;
    }
    if (kind == ProductKind::sddmm) r.shares_values = false;
    return r;
  }

  // The output's elements after a run, in the order of the buffer.
  static std::vector<std::byte> bytes(const ProductSpec& spec, std::int32_t threads = 0, bool with_plan = false) {
    const cases::Switches switches;
    cases::Handle handle;
    make_handle(handle, Backend::kBackend, threads);
    Product run(spec, switches, Placement::plain, Backend::kBackend);
    Outcome outcome = run.create();
    cases::Plan plan;
    if (outcome.ok() && with_plan) outcome = run.create_plan(handle.get(), plan);
    if (outcome.ok()) {
      outcome = with_plan ? run.run_plan(handle.get(), plan, Scratch::exact)
                          : run.run(handle.get(), SPK_ALG_DEFAULT, Scratch::exact);
    }
    EXPECT_TRUE(outcome.ok()) << outcome.describe();
    const cases::Buffer* buffer = run.output();
    return {buffer->data(), buffer->at(buffer->count())};
  }
  static std::vector<Number> values(const ProductSpec& spec, std::int32_t threads = 0, bool with_plan = false) {
    const std::vector<std::byte> raw = bytes(spec, threads, with_plan);
    const std::size_t size = cases::bytes_of(spec.output_type);
    std::vector<Number> list;
    for (std::size_t at = 0; at < raw.size(); at += size) list.push_back(cases::load(spec.output_type, &raw[at]));
    return list;
  }
  // Elements of matrix `batch` of C, row by row.
  static std::vector<Number> result(const ProductSpec& spec, std::int64_t batch = 0, std::int32_t threads = 0) {
    const std::vector<Number> all = values(spec, threads);
    std::vector<Number> list;
    for (std::int64_t i = 0; i < spec.c.rows; ++i)
      for (std::int64_t j = 0; j < spec.c.cols; ++j)
        list.push_back(all[static_cast<std::size_t>(place_of(spec.c, batch, i, j))]);
    return list;
  }
};
TYPED_TEST_SUITE(Metamorphic, AllBackends, BackendNames);

constexpr spk_format_t kFormats[] = {SPK_FORMAT_CSR, SPK_FORMAT_CSC,         SPK_FORMAT_COO,
                                     SPK_FORMAT_BSR, SPK_FORMAT_BLOCKED_ELL, SPK_FORMAT_SELL};

// The same memory, said once as k x n by rows and once as the transpose of n x k by columns.
TYPED_TEST(Metamorphic, TransposedBByRowsIsBByColumns) {
  for (int i = 0; i < kDraws; ++i) {
    Recipe r = this->draw(i, ProductKind::spmm, kFormats[i % 6], true);
    r.op_b = SPK_OP_N;
    const RandomProduct product(r);
    ProductSpec flipped = product.spec;
    flipped.op_b = SPK_OP_T;
    std::swap(flipped.b.rows, flipped.b.cols);
    flipped.b.order = flipped.b.order == SPK_ORDER_ROW ? SPK_ORDER_COL : SPK_ORDER_ROW;
    EXPECT_EQ(this->result(product.spec), this->result(flipped)) << product.recipe.describe();
  }
}

// The arrays of a CSC matrix are those of its transpose in CSR.
TYPED_TEST(Metamorphic, CscIsTransposedCsr) {
  for (int i = 0; i < kDraws; ++i) {
    Recipe r = this->draw(i, i % 3 == 0 ? ProductKind::spmv : ProductKind::spmm, SPK_FORMAT_CSC, true);
    if (r.op_a == SPK_OP_C) r.op_a = SPK_OP_T;
    const RandomProduct product(r);
    ProductSpec csr = product.spec;
    csr.sparse.format = SPK_FORMAT_CSR;
    std::swap(csr.sparse.rows, csr.sparse.cols);
    csr.sparse.col_indices = csr.sparse.row_indices;
    csr.sparse.row_indices = {};
    csr.op_a = csr.op_a == SPK_OP_N ? SPK_OP_T : SPK_OP_N;
    EXPECT_EQ(this->result(product.spec), this->result(csr)) << product.recipe.describe();
  }
}

TYPED_TEST(Metamorphic, BatchIsALoop) {
  for (int i = 0; i < kDraws; ++i) {
    Recipe r = this->draw(i, ProductKind::spmm, kFormats[i % 6], true);
    r.batch_count = 3;
    r.shares_structure = r.shares_values = true;  // of A: B and C move
    r.shares_b = i % 2 == 0;
    const RandomProduct product(r);
    for (std::int64_t batch = 0; batch < 3; ++batch) {
      ProductSpec one = product.spec;
      one.sparse.has_batch = one.b.has_batch = one.c.has_batch = false;
      for (cases::DenseSpec* dense : {&one.b, &one.c}) {
        auto& items = dense->values.items;
        const std::int64_t first = std::min(batch * dense->batch_stride, static_cast<std::int64_t>(items.size()));
        items.erase(items.begin(), items.begin() + first);
        dense->values.count = static_cast<std::int64_t>(items.size());
        dense->batch_count = 1;
        dense->batch_stride = 0;
      }
      EXPECT_EQ(this->result(product.spec, batch), this->result(one)) << product.recipe.describe();
    }
  }
}

TYPED_TEST(Metamorphic, BaseOneIsBaseZeroBitForBit) {
  for (int i = 0; i < kDraws; ++i) {
    for (const ProductKind kind : {ProductKind::spmm, ProductKind::spmv, ProductKind::sddmm}) {
      Recipe r = this->draw(i, kind, kind == ProductKind::sddmm ? kFormats[i % 2 * 3] : kFormats[i % 6], false);
      r.index_base = 0;
      const RandomProduct zero(r);
      r.index_base = 1;
      const RandomProduct one(r);
      EXPECT_EQ(this->bytes(zero.spec), this->bytes(one.spec)) << zero.recipe.describe();
    }
  }
}

TYPED_TEST(Metamorphic, ThreadsDoNotChangeBits) {
  for (int i = 0; i < kDraws; ++i) {
    for (const ProductKind kind : {ProductKind::spmm, ProductKind::spmv, ProductKind::sddmm}) {
      const Recipe r = this->draw(i, kind, kind == ProductKind::sddmm ? kFormats[i % 2 * 3] : kFormats[i % 6], false);
      const RandomProduct product(r);
      const std::vector<std::byte> one = this->bytes(product.spec, 1);
      for (const std::int32_t threads : {1, 2, 3, 7})
        EXPECT_EQ(one, this->bytes(product.spec, threads)) << threads << " threads, " << product.recipe.describe();
      const std::vector<std::byte> planned = this->bytes(product.spec, 1, true);
      for (const std::int32_t threads : {1, 3})
        EXPECT_EQ(planned, this->bytes(product.spec, threads, true)) << "plan, " << product.recipe.describe();
    }
  }
}

// Long rows and many columns, where work is cut into pieces.
TYPED_TEST(Metamorphic, ThreadsDoNotChangeBitsOfLargeProducts) {
  for (const spk_format_t format : kFormats) {
    for (const spk_operation_t op : {SPK_OP_N, SPK_OP_T}) {
      Recipe r;
      r.format = format;
      r.op_a = op;
      r.m = r.k = 512;
      r.n = 65;
      r.block = 16;
      r.has_dense_row = true;
      r.fill_percent = 20;
      r.has_integers = false;
      const RandomProduct product(r);
      const std::vector<std::byte> one = this->bytes(product.spec, 1);
      for (const std::int32_t threads : {2, 5, 16})
        EXPECT_EQ(one, this->bytes(product.spec, threads)) << threads << " threads, " << product.recipe.describe();
    }
  }
}

TYPED_TEST(Metamorphic, PlanGivesTheOneShotResult) {
  for (int i = 0; i < kDraws; ++i) {
    for (const ProductKind kind : {ProductKind::spmm, ProductKind::spmv, ProductKind::sddmm}) {
      const Recipe r = this->draw(i, kind, kind == ProductKind::sddmm ? kFormats[i % 2 * 3] : kFormats[i % 6], true);
      const RandomProduct product(r);
      const std::vector<Number> once = this->values(product.spec);
      const std::vector<Number> planned = this->values(product.spec, 0, true);
      ASSERT_EQ(once.size(), planned.size());
      for (std::size_t at = 0; at < once.size(); ++at)
        ASSERT_TRUE(cases::close_enough(planned[at], once[at], {})) << at << " of " << product.recipe.describe();
    }
  }
}

TYPED_TEST(Metamorphic, OrderOfEntriesDoesNotMatter) {
  for (int i = 0; i < kDraws; ++i) {
    Recipe r = this->draw(i, ProductKind::spmm, SPK_FORMAT_COO, true);
    r.batch_count = 1;
    const RandomProduct product(r);
    ProductSpec shuffled = product.spec;
    Draw draw(r.seed + 5);
    for (std::int64_t left = shuffled.sparse.nnz; left > 1; --left) {
      const auto a = static_cast<std::size_t>(left - 1);
      const auto b = static_cast<std::size_t>(draw.below(left));
      std::swap(shuffled.sparse.row_indices.items[a], shuffled.sparse.row_indices.items[b]);
      std::swap(shuffled.sparse.col_indices.items[a], shuffled.sparse.col_indices.items[b]);
      std::swap(shuffled.sparse.values.items[a], shuffled.sparse.values.items[b]);
    }
    EXPECT_EQ(this->result(product.spec), this->result(shuffled)) << product.recipe.describe();
  }
}

TYPED_TEST(Metamorphic, SliceIsRowsOfTheWhole) {
  for (int i = 0; i < kDraws; ++i) {
    Recipe r = this->draw(i, ProductKind::spmm, i % 2 == 0 ? SPK_FORMAT_CSR : SPK_FORMAT_BSR, true);
    r.op_a = SPK_OP_N;
    r.batch_count = 1;
    r.beta = 0;  // the slice has a C of its own
    r.m = 48;
    r.block = 8;
    const RandomProduct product(r);
    const ProductSpec& spec = product.spec;
    const std::vector<Number> whole = this->result(spec);
    const std::int64_t first = 16, count = 24;

    const cases::Switches switches;
    cases::Memory memory(switches, Placement::plain, TypeParam::kBackend);
    cases::Handle handle;
    make_handle(handle, TypeParam::kBackend);
    cases::SparseMatrix matA, slice;
    cases::DenseMatrix matB, matC;
    cases::DenseSpec c = spec.c;
    c.rows = count;
    c.order = SPK_ORDER_ROW;
    c.ld = std::max<std::int64_t>(1, spec.n);
    c.values.items.assign(static_cast<std::size_t>(count * c.ld), Number{0, 0});
    c.values.count = count * c.ld;
    ASSERT_TRUE(cases::create_sparse(matA, spec.sparse, memory, cases::Access::read).ok());
    ASSERT_TRUE(cases::create_dense(matB, spec.b, memory, cases::Access::read).ok());
    ASSERT_TRUE(cases::create_dense(matC, c, memory, cases::Access::write).ok());
    spk_const_spmat_t made = nullptr;
    Outcome outcome =
        cases::outcome_of(spk_spmat_slice_rows(handle.get(), matA.get(), first, count, &made), handle.get());
    slice.reset(made);
    ASSERT_TRUE(outcome.ok()) << outcome.describe();
    alignas(16) unsigned char alpha[16], beta[16];
    const spk_compute_type_t compute = cases::compute_type_of(spec.type);
    cases::store(compute, alpha, spec.alpha);
    cases::store(compute, beta, {0, 0});
    outcome = cases::outcome_of(spk_spmm(handle.get(), spec.op_a, spec.op_b, alpha, slice.get(), matB.get(), beta,
                                         cases::writable(matC), compute, SPK_ALG_DEFAULT, nullptr, 0),
                                handle.get());
    if (outcome.ok()) outcome = memory.fetch(handle.get());
    ASSERT_TRUE(outcome.ok()) << outcome.describe();
    for (std::int64_t row = 0; row < count; ++row) {
      for (std::int64_t col = 0; col < spec.n; ++col) {
        const Number part = cases::load(spec.output_type, memory.find("C")->at(row * c.ld + col));
        ASSERT_EQ(part, whole[static_cast<std::size_t>((first + row) * spec.n + col)]) << product.recipe.describe();
      }
    }
  }
}

}  // namespace
}  // namespace spk::test
