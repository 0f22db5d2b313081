// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "ops/convert_fixture.hpp"

namespace {

using namespace spk_test;

class Convert : public OnBackend {};
INSTANTIATE_TEST_SUITE_P(Backends, Convert, kBackends, backend_text);

constexpr spk_value_type_t kTypes[] = {SPK_R_16F, SPK_R_16BF, SPK_R_32F, SPK_R_64F, SPK_C_32F, SPK_C_64F};
constexpr spk_format_t kFormats[] = {
    0, SPK_FORMAT_CSR, SPK_FORMAT_CSC, SPK_FORMAT_COO, SPK_FORMAT_BSR, SPK_FORMAT_BLOCKED_ELL};

// A layout drawn from all options of a format; block sizes divide 12.
Layout random_layout(Random& random, spk_format_t format) {
  Layout l;
  l.format = format;
  l.offset_type = random.chance(50) ? SPK_INDEX_32I : SPK_INDEX_64I;
  l.index_type = random.chance(50) ? SPK_INDEX_32I : SPK_INDEX_64I;
  l.base = random.chance(50) ? SPK_INDEX_BASE_ZERO : SPK_INDEX_BASE_ONE;
  l.order = random.chance(50) ? SPK_ORDER_ROW : SPK_ORDER_COL;
  l.padding = random.below(3);
  constexpr Int kBlocks[] = {1, 2, 3, 4, 6};
  if (l.has_blocks()) l.block_size = kBlocks[random.below(5)];
  return l;
}

TEST_P(Convert, EveryPairOfFormatsMatchesTheModel) {
  for (const spk_format_t from : kFormats)
    for (const spk_format_t to : kFormats) {
      if (from == 0 && to == 0) continue;
      for (std::uint32_t seed = 0; seed < 36; ++seed) {
        Random random(seed * 97 + 1);
        const Layout source = random_layout(random, from), result = random_layout(random, to);
        const spk_value_type_t type = kTypes[seed % 6];
        const Int rows = 12 * random.below(4), cols = 12 * random.below(4);
        SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(rows) + " x " + std::to_string(cols) +
                     ", type " + std::to_string(type) + "\nfrom " + source.text() + "\nto " + result.text());
        const Matrix m = random_matrix(random, source, rows, cols, 5 + 40 * random.below(3), seed % 3 == 0, type);
        check(m, result, type, seed % 2 == 0);
        if (HasFatalFailure() || HasNonfatalFailure()) return;
      }
    }
}

TEST_P(Convert, OddSizesAndEmptyMatrices) {
  constexpr Int kSizes[] = {0, 1, 2, 63, 64, 65, 131};
  for (const spk_format_t from : kFormats)
    for (const spk_format_t to : kFormats)
      for (const Int rows : kSizes)
        for (const Int cols : kSizes) {
          if (from == 0 && to == 0) continue;
          Random random(static_cast<std::uint32_t>(rows * 1000 + cols));
          Layout source = random_layout(random, from), result = random_layout(random, to);
          source.block_size = result.block_size = 1;
          SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols) + "\nfrom " + source.text() + "\nto " +
                       result.text());
          check(random_matrix(random, source, rows, cols, 20, false, SPK_R_32F), result, SPK_R_32F, false);
          if (HasFatalFailure() || HasNonfatalFailure()) return;
        }
}

// Large enough for several parts everywhere; the results must not depend on the threads.
TEST_P(Convert, LargeMatricesGiveTheSameForAnyNumberOfThreads) {
  constexpr spk_format_t kPairs[][2] = {{SPK_FORMAT_CSR, SPK_FORMAT_CSC},
                                        {SPK_FORMAT_CSR, SPK_FORMAT_CSR},
                                        {SPK_FORMAT_CSC, SPK_FORMAT_COO},
                                        {SPK_FORMAT_COO, SPK_FORMAT_CSR},
                                        {SPK_FORMAT_CSC, SPK_FORMAT_BSR},
                                        {SPK_FORMAT_BSR, SPK_FORMAT_CSC},
                                        {SPK_FORMAT_BSR, SPK_FORMAT_BLOCKED_ELL},
                                        {SPK_FORMAT_BLOCKED_ELL, SPK_FORMAT_CSR},
                                        {SPK_FORMAT_COO, 0},
                                        {SPK_FORMAT_CSC, 0},
                                        {0, SPK_FORMAT_CSR},
                                        {0, SPK_FORMAT_CSC},
                                        {0, SPK_FORMAT_BSR}};
  Random random(5);
  for (const auto& [from, to] : kPairs) {
    Layout source = random_layout(random, from);
    if (source.has_blocks()) source.block_size = 2;
    const Layout result = random_layout(random, to);
    const Matrix m = random_matrix(random, source, 720, 240, source.has_blocks() ? 20 : 80, false, SPK_R_32F);
    const Matrix want = wanted(m, result);
    for (const std::int32_t threads : {1, 3}) {
      SCOPED_TRACE("threads " + std::to_string(threads) + "\nfrom " + source.text() + "\nto " + result.text());
      ASSERT_EQ(spk_set_num_threads(handle, threads), SPK_STATUS_SUCCESS);
      check(m, want, SPK_R_32F, true);
      if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
  }
}

// A row count that no array of offsets could have: COO keeps to what is stored.
TEST_P(Convert, CooWithHugeSizesIsSortedByWhatIsStored) {
  constexpr Int kHuge = Int{1} << 40;
  auto rows = placed<Int>({kHuge - 1, 7, kHuge - 1, 0}), cols = placed<Int>({3, kHuge - 2, 1, 0});
  auto values = placed<float>({1, 2, 3, 4}), values_out = placed(std::vector<float>(4));
  auto rows_out = placed(std::vector<Int>(4)), cols_out = placed(std::vector<Int>(4));
  spk_spmat_t a = nullptr, b = nullptr;
  ASSERT_EQ(spk_coo_create(&a, kHuge, kHuge, 4, rows.address(), cols.address(), values.address(), SPK_INDEX_64I,
                           SPK_INDEX_BASE_ZERO, SPK_R_32F),
            SPK_STATUS_SUCCESS);
  ASSERT_EQ(spk_coo_create(&b, kHuge, kHuge, 4, rows_out.address(), cols_out.address(), values_out.address(),
                           SPK_INDEX_64I, SPK_INDEX_BASE_ONE, SPK_R_32F),
            SPK_STATUS_SUCCESS);
  EXPECT_EQ(spk_sparse_to_sparse_convert(handle, a, b, nullptr, 0), SPK_STATUS_SUCCESS) << last_message(handle);
  EXPECT_EQ(rows_out.get(), (std::vector<Int>{1, 8, kHuge, kHuge}));
  EXPECT_EQ(cols_out.get(), (std::vector<Int>{1, kHuge - 1, 2, 4}));
  EXPECT_EQ(values_out.get(), (std::vector<float>{4, 2, 3, 1}));
  auto permutation = placed(std::vector<Int>(4));
  EXPECT_EQ(spk_spmat_sort(handle, a, permutation.address(), nullptr, 0), SPK_STATUS_SUCCESS) << last_message(handle);
  EXPECT_EQ(permutation.get(), (std::vector<Int>{3, 1, 2, 0}));
  EXPECT_EQ(values.get(), (std::vector<float>{4, 2, 3, 1}));
  spk_spmat_destroy(a);
  spk_spmat_destroy(b);
}

// A slice converts like a matrix that holds only its rows.
TEST_P(Convert, SlicesAreSourcesLikeAnyMatrix) {
  for (const spk_format_t from : {SPK_FORMAT_CSR, SPK_FORMAT_BSR})
    for (const spk_format_t to : kFormats) {
      Random random(static_cast<std::uint32_t>(to) + 11);
      Layout source = random_layout(random, from);
      if (from == SPK_FORMAT_BSR) source.block_size = 3;
      Layout result = random_layout(random, to);
      if (result.has_blocks()) result.block_size = 2;
      SCOPED_TRACE("from " + source.text() + "\nto " + result.text());
      const Matrix whole = random_matrix(random, source, 24, 12, 40, false, SPK_R_32F);
      std::vector<Entry> inside;
      for (const Entry& e : entries_of(whole))
        if (e.row >= 6 && e.row < 18) inside.push_back({e.row - 6, e.col, e.value});
      const Matrix want = assemble(result, 12, 12, inside);
      const Stored a(GetParam(), whole, SPK_R_32F, true), b(GetParam(), want, SPK_R_32F, false);
      spk_const_spmat_t slice = nullptr;
      ASSERT_EQ(spk_spmat_slice_rows(handle, a.sparse(), 6, 12, &slice), SPK_STATUS_SUCCESS);
      const spk_status_t status = result.is_dense()
                                      ? spk_sparse_to_dense(handle, slice, b.dense(), nullptr, 0)
                                      : spk_sparse_to_sparse_convert(handle, slice, b.sparse(), nullptr, 0);
      spk_spmat_destroy(slice);
      ASSERT_EQ(status, SPK_STATUS_SUCCESS) << last_message(handle);
      expect_same(b.read(), want);
      if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
}

}  // namespace
