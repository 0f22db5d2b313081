// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "ops/convert_fixture.hpp"

namespace {

using namespace spk_test;

class Transpose : public OnBackend {};
class Sort : public OnBackend {};
class Coalesce : public OnBackend {};
INSTANTIATE_TEST_SUITE_P(Backends, Transpose, kBackends, backend_text);
INSTANTIATE_TEST_SUITE_P(Backends, Sort, kBackends, backend_text);
INSTANTIATE_TEST_SUITE_P(Backends, Coalesce, kBackends, backend_text);

constexpr spk_value_type_t kTypes[] = {SPK_R_16F, SPK_R_16BF, SPK_R_32F, SPK_R_64F, SPK_C_32F, SPK_C_64F};

Layout layout_of(spk_format_t format, std::uint32_t seed) {
  Layout l;
  l.format = format;
  l.offset_type = seed % 2 == 0 ? SPK_INDEX_32I : SPK_INDEX_64I;
  l.index_type = seed % 4 < 2 ? SPK_INDEX_32I : SPK_INDEX_64I;
  l.base = seed % 3 == 0 ? SPK_INDEX_BASE_ONE : SPK_INDEX_BASE_ZERO;
  return l;
}

// value t of `result` is value permutation[t] of `source`.
void expect_permuted(const Matrix& result, const Matrix& source, const std::vector<Int>& permutation) {
  ASSERT_EQ(permutation.size(), result.values.size());
  std::vector<bool> met(permutation.size());
  for (std::size_t t = 0; t < permutation.size(); ++t) {
    const auto from = static_cast<std::size_t>(permutation[t]);
    ASSERT_LT(from, source.values.size());
    EXPECT_FALSE(met[from]) << "position " << from << " twice";
    met[from] = true;
    EXPECT_EQ(text_of(result.values[t]), text_of(source.values[from]));
  }
}

TEST_P(Transpose, MatchesTheModelWithAndWithoutPermutation) {
  for (std::uint32_t seed = 0; seed < 48; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed + 1);
    const spk_value_type_t type = kTypes[seed % 6];
    const Int rows = random.below(40), cols = random.below(40);
    const Matrix m = random_matrix(random, layout_of(SPK_FORMAT_CSR, seed), rows, cols, 30, seed % 5 == 0, type);
    std::vector<Entry> turned;
    for (const Entry& e : entries_of(m)) turned.push_back({e.col, e.row, e.value});
    const Matrix want = assemble(layout_of(SPK_FORMAT_CSR, seed + 1), cols, rows, turned);
    const Stored a(GetParam(), m, type, true), b(GetParam(), want, type, false);
    auto permutation = placed(std::vector<Int>(m.values.size()));
    const auto transpose = [&](std::int64_t* numbers) {
      return with_workspace(
          seed % 2 == 0, [&](std::size_t* n) { return spk_csr_transpose_workspace(handle, a.sparse(), b.sparse(), n); },
          [&](void* w, std::size_t n) { return spk_csr_transpose(handle, a.sparse(), b.sparse(), numbers, w, n); });
    };
    ASSERT_EQ(transpose(seed % 3 == 0 ? nullptr : permutation.address()), SPK_STATUS_SUCCESS) << last_message(handle);
    expect_same(b.read(), want);
    EXPECT_TRUE(b.is_intact());
    if (seed % 3 != 0) expect_permuted(want, m, permutation.get());
    if (HasFailure()) return;
  }
}

TEST_P(Transpose, ValuesMayBeLeftOutWhenAPermutationIsAskedFor) {
  auto offsets = placed<std::int32_t>({0, 2, 3}), columns = placed<std::int32_t>({2, 0, 2});
  auto offsets_out = placed(std::vector<std::int32_t>(4)), columns_out = placed(std::vector<std::int32_t>(3));
  auto permutation = placed(std::vector<Int>(3));
  spk_const_spmat_t a = nullptr;
  spk_spmat_t b = nullptr;
  ASSERT_EQ(spk_csr_create_const(&a, 2, 3, 3, offsets.address(), columns.address(), nullptr, SPK_INDEX_32I,
                                 SPK_INDEX_32I, SPK_INDEX_BASE_ZERO, SPK_R_32F),
            SPK_STATUS_SUCCESS);
  ASSERT_EQ(spk_csr_create(&b, 3, 2, 3, offsets_out.address(), columns_out.address(), nullptr, SPK_INDEX_32I,
                           SPK_INDEX_32I, SPK_INDEX_BASE_ZERO, SPK_R_32F),
            SPK_STATUS_SUCCESS);
  EXPECT_EQ(spk_csr_transpose(handle, a, b, permutation.address(), nullptr, 0), SPK_STATUS_SUCCESS)
      << last_message(handle);
  EXPECT_EQ(offsets_out.get(), (std::vector<int>{0, 1, 1, 3}));
  EXPECT_EQ(columns_out.get(), (std::vector<int>{0, 0, 1}));
  EXPECT_EQ(permutation.get(), (std::vector<Int>{1, 0, 2}));
  EXPECT_EQ(spk_csr_transpose(handle, a, b, nullptr, nullptr, 0), SPK_STATUS_INVALID_VALUE);
  spk_spmat_destroy(a);
  spk_spmat_destroy(b);
}

TEST_P(Transpose, PermutationOfASliceCountsInTheWholeMatrixsValues) {
  auto offsets = placed<std::int32_t>({1, 3, 5, 6}), columns = placed<std::int32_t>({1, 2, 2, 1, 1});
  auto values = placed<float>({10, 11, 12, 13, 14}), values_out = placed(std::vector<float>(3));
  auto offsets_out = placed(std::vector<Int>(3)), columns_out = placed(std::vector<Int>(3));
  auto permutation = placed(std::vector<Int>(3));
  spk_const_spmat_t whole = nullptr, slice = nullptr;
  spk_spmat_t b = nullptr;
  ASSERT_EQ(spk_csr_create_const(&whole, 3, 2, 5, offsets.address(), columns.address(), values.address(), SPK_INDEX_32I,
                                 SPK_INDEX_32I, SPK_INDEX_BASE_ONE, SPK_R_32F),
            SPK_STATUS_SUCCESS);
  ASSERT_EQ(spk_spmat_slice_rows(handle, whole, 1, 2, &slice), SPK_STATUS_SUCCESS);
  ASSERT_EQ(spk_csr_create(&b, 2, 2, 3, offsets_out.address(), columns_out.address(), values_out.address(),
                           SPK_INDEX_64I, SPK_INDEX_64I, SPK_INDEX_BASE_ZERO, SPK_R_32F),
            SPK_STATUS_SUCCESS);
  EXPECT_EQ(spk_csr_transpose(handle, slice, b, permutation.address(), nullptr, 0), SPK_STATUS_SUCCESS)
      << last_message(handle);
  EXPECT_EQ(offsets_out.get(), (std::vector<Int>{0, 2, 3}));
  EXPECT_EQ(columns_out.get(), (std::vector<Int>{0, 1, 0}));
  EXPECT_EQ(values_out.get(), (std::vector<float>{13, 14, 12}));
  EXPECT_EQ(permutation.get(), (std::vector<Int>{3, 4, 2}));
  spk_spmat_destroy(b);
  spk_spmat_destroy(slice);
  spk_spmat_destroy(whole);
}

TEST_P(Sort, MatchesTheModelAndAnswersThePermutation) {
  for (const spk_format_t format : {SPK_FORMAT_CSR, SPK_FORMAT_CSC, SPK_FORMAT_COO})
    for (std::uint32_t seed = 0; seed < 24; ++seed) {
      SCOPED_TRACE("format " + std::to_string(format) + ", seed " + std::to_string(seed));
      Random random(seed + 3);
      const spk_value_type_t type = kTypes[seed % 6];
      const Layout l = layout_of(format, seed);
      const Matrix m = random_matrix(random, l, random.below(40), random.below(40), 35, seed % 4 == 0, type);
      const Matrix want = assemble(l, m.rows, m.cols, entries_of(m));
      const Stored a(GetParam(), m, type, true);
      auto permutation = placed(std::vector<Int>(m.values.size()));
      ASSERT_EQ(with_workspace(
                    seed % 2 == 0, [&](std::size_t* n) { return spk_spmat_sort_workspace(handle, a.sparse(), n); },
                    [&](void* w, std::size_t n) {
                      return spk_spmat_sort(handle, a.sparse(), seed % 3 == 0 ? nullptr : permutation.address(), w, n);
                    }),
                SPK_STATUS_SUCCESS)
          << last_message(handle);
      expect_same(a.read(), want);
      EXPECT_TRUE(a.is_intact());
      if (seed % 3 != 0) expect_permuted(want, m, permutation.get());
      if (HasFailure()) return;
    }
}

TEST_P(Coalesce, MatchesTheModelForAnyNumberOfThreads) {
  for (const spk_format_t format : {SPK_FORMAT_CSR, SPK_FORMAT_CSC, SPK_FORMAT_COO})
    for (std::uint32_t seed = 0; seed < 26; ++seed) {
      SCOPED_TRACE("format " + std::to_string(format) + ", seed " + std::to_string(seed));
      Random random(seed + 3);
      const spk_value_type_t type = kTypes[seed % 6];
      const Layout l = layout_of(format, seed);
      const Int size = seed >= 24 ? 300 : 40;  // the last ones are worth several threads
      const Matrix m =
          random_matrix(random, l, size - random.below(40), size - random.below(40), 35, seed % 8 == 0, type);
      std::vector<Entry> summed;
      for (const auto& [place, sum] : sums_of(entries_of(m))) summed.push_back({place.first, place.second, sum});
      const Matrix want = assemble(l, m.rows, m.cols, summed);
      const Stored a(GetParam(), m, type, true);
      ASSERT_EQ(spk_set_num_threads(handle, 1 + static_cast<std::int32_t>(seed % 3)), SPK_STATUS_SUCCESS);
      ASSERT_EQ(with_workspace(
                    seed % 2 == 0, [&](std::size_t* n) { return spk_spmat_coalesce_workspace(handle, a.sparse(), n); },
                    [&](void* w, std::size_t n) { return spk_spmat_coalesce(handle, a.sparse(), w, n); }),
                SPK_STATUS_SUCCESS)
          << last_message(handle);
      spk_spmat_info_t info{};
      info.struct_size = sizeof info;
      ASSERT_EQ(spk_spmat_get_info(a.sparse(), &info), SPK_STATUS_SUCCESS);
      ASSERT_EQ(info.nnz, want.count());
      Matrix got = a.read();
      got.values.resize(want.values.size());
      if (!got.row_indices.empty()) got.row_indices.resize(want.row_indices.size());
      if (!got.col_indices.empty()) got.col_indices.resize(want.col_indices.size());
      expect_same(got, want);
      EXPECT_TRUE(a.is_intact());
      if (HasFailure()) return;
    }
}

// 2048 + 1 rounds back to 2048 in binary16: a sum that rounds once gives 2050, one that rounds at each step 2048.
TEST_P(Coalesce, SixteenBitSumsAreRoundedOnce) {
  auto rows = placed<std::int32_t>({0, 0, 0}), cols = placed<std::int32_t>({2, 2, 2});
  auto values = placed<std::uint16_t>({half_bits(2048), half_bits(1), half_bits(1)});
  spk_spmat_t a = nullptr;
  ASSERT_EQ(spk_coo_create(&a, 1, 3, 3, rows.address(), cols.address(), values.address(), SPK_INDEX_32I,
                           SPK_INDEX_BASE_ZERO, SPK_R_16F),
            SPK_STATUS_SUCCESS);
  EXPECT_EQ(spk_spmat_coalesce(handle, a, nullptr, 0), SPK_STATUS_SUCCESS) << last_message(handle);
  EXPECT_EQ(values.get()[0], half_bits(2050));
  spk_spmat_destroy(a);
}

TEST_P(Coalesce, EntriesWithoutRepeatsKeepTheirBits) {
  auto offsets = placed<std::int32_t>({0, 2}), cols = placed<std::int32_t>({1, 0});
  auto values = placed<std::uint32_t>({0x7fa12345u, 0x80000000u});  // a signalling NaN, -0.0
  spk_spmat_t a = nullptr;
  ASSERT_EQ(spk_csr_create(&a, 1, 2, 2, offsets.address(), cols.address(), values.address(), SPK_INDEX_32I,
                           SPK_INDEX_32I, SPK_INDEX_BASE_ZERO, SPK_R_32F),
            SPK_STATUS_SUCCESS);
  EXPECT_EQ(spk_spmat_coalesce(handle, a, nullptr, 0), SPK_STATUS_SUCCESS) << last_message(handle);
  EXPECT_EQ(cols.get()[0], 0);
  EXPECT_EQ(values.get(), (std::vector<std::uint32_t>{0x80000000u, 0x7fa12345u}));
  spk_spmat_destroy(a);
}

}  // namespace
