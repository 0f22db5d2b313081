// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cmath>
#include <limits>

#include "cases/cuda_driver.hpp"
#include "cuda/narrow.hpp"
#include "support/kernel_ids.hpp"
#include "support/require.hpp"

// Matrices of more than 2^31 elements, dense ones and sparse ones, on every kernel, asked for by id. Arrays repeat a short
// pattern of small integers, so that lines of a result can be known without the whole of it.
namespace spk::test {
namespace {

constexpr std::int64_t kLimit = std::int64_t{1} << 31;
constexpr std::int64_t kPeriod = 9973;  // of the patterns; a prime

// Number of the pattern that stands at element i of an array.
int pattern(std::int64_t i, int salt) { return static_cast<int>((i % kPeriod * 31 + salt) % 5) - 2; }

// An array of numbers on the device that repeats the pattern, unless there is no room for it.
class LargeArray {
 public:
  LargeArray(spk_handle_t handle, spk_value_type_t type, std::int64_t count, int salt)
      : handle_(handle), type_(type), count_(count), salt_(salt) {
    if (spk_memory_alloc(handle, bytes(), &data_) != SPK_STATUS_SUCCESS) return;
    std::vector<std::byte> chunk(static_cast<std::size_t>(kPeriod) * 4096 * size());
    for (std::int64_t i = 0; i < kPeriod * 4096; ++i) {
      const auto x = static_cast<float>(pattern(i, salt));
      const std::uint16_t bits = narrow(x, type);
      std::memcpy(chunk.data() + static_cast<std::size_t>(i) * size(), is_wide() ? static_cast<const void*>(&x) : &bits,
                  size());
    }
    for (std::size_t at = 0; at < bytes(); at += chunk.size())
      SPK_EXPECT_OK(spk_memory_upload(handle, static_cast<std::byte*>(data_) + at, chunk.data(),
                                      std::min(chunk.size(), bytes() - at)));
  }
  LargeArray(const LargeArray&) = delete;
  LargeArray& operator=(const LargeArray&) = delete;
  ~LargeArray() { spk_memory_free(handle_, data_, bytes()); }

  void* data() const { return data_; }
  int at(std::int64_t i) const { return pattern(i, salt_); }
  std::vector<std::byte> read(std::int64_t first, std::int64_t count) const {
    std::vector<std::byte> items(static_cast<std::size_t>(count) * size());
    SPK_EXPECT_OK(spk_memory_download(handle_, items.data(), place(first), items.size()));
    return items;
  }
  void spoil(std::int64_t first, std::int64_t count) const {
    const std::vector<std::byte> items(static_cast<std::size_t>(count) * size(), std::byte{0xff});  // NaN in every type
    SPK_EXPECT_OK(spk_memory_upload(handle_, place(first), items.data(), items.size()));
  }
  double number(const std::vector<std::byte>& items, std::int64_t i) const {
    float x = 0;
    std::uint16_t bits = 0;
    std::memcpy(is_wide() ? static_cast<void*>(&x) : &bits, items.data() + static_cast<std::size_t>(i) * size(),
                size());
    return is_wide() ? x : widened(bits, type_);
  }

 private:
  bool is_wide() const { return type_ == SPK_R_32F; }
  std::size_t size() const { return is_wide() ? 4 : 2; }
  std::size_t bytes() const { return static_cast<std::size_t>(count_) * size(); }
  std::byte* place(std::int64_t i) const {
    return static_cast<std::byte*>(data_) + static_cast<std::size_t>(i) * size();
  }

  spk_handle_t handle_;
  spk_value_type_t type_;
  std::int64_t count_;
  int salt_;
  void* data_ = nullptr;
};

class Beyond32Bits : public ::testing::TestWithParam<spk_value_type_t> {
 protected:
  void SetUp() override {
    SPK_SKIP_WITHOUT_BACKEND(SPK_BACKEND_CUDA);
    handle_ = std::make_unique<DeviceHandle>();
    SPK_ASSERT_OK(handle_->status());
    if (cases::CudaDriver::find() == nullptr) GTEST_SKIP() << "a stand-in has the memory of the host";
  }

  // `check` after the default and after every kernel that takes the problem.
  void run_all(const std::function<spk_status_t(spk_algorithm_t)>& run, const std::function<void()>& spoil,
               const std::function<std::string()>& check) {
    int taken = 0;
    for (spk_algorithm_t kernel = kFirstKernel - 1; kernel < kMostKernels; ++kernel) {
      const spk_algorithm_t asked = kernel < kFirstKernel ? SPK_ALG_DEFAULT : kernel;
      spoil();
      const spk_status_t status = run(asked);
      if (asked != SPK_ALG_DEFAULT && (status == SPK_STATUS_NOT_SUPPORTED || status == SPK_STATUS_ALLOC_FAILED))
        continue;
      ASSERT_EQ(status, SPK_STATUS_SUCCESS) << "kernel " << asked << ": " << message(*handle_);
      SPK_ASSERT_OK(spk_synchronize(*handle_));
      EXPECT_EQ(check(), "") << "kernel " << asked;
      ++taken;
    }
    EXPECT_GT(taken, 1);
  }

  std::unique_ptr<DeviceHandle> handle_;
  const float one_ = 1, zero_ = 0;
};

#define SPK_SKIP_WITHOUT_ROOM(array) \
  if ((array).data() == nullptr) GTEST_SKIP() << "not enough memory on the device"

constexpr std::int64_t kWide = 54'001, kTall = 40'009;
static_assert(kWide * kTall > kLimit);

// Two entries a row: columns and values that follow from the row.
struct TwoARow {
  std::int64_t column(std::int64_t row, int which) const {
    return which == 0 ? row * 7 % (cols / 2) : cols - 1 - row % 31;
  }
  static int value(std::int64_t row, int which) { return which == 0 ? 1 + static_cast<int>(row % 2) : -1; }

  TwoARow(spk_handle_t handle, std::int64_t m, std::int64_t n, spk_value_type_t type) : cols(n) {
    std::vector<std::int32_t> starts{0}, columns;
    std::vector<float> numbers;
    for (std::int64_t i = 0; i < m; ++i) {
      for (int e = 0; e < 2; ++e) {
        columns.push_back(static_cast<std::int32_t>(column(i, e)));
        numbers.push_back(static_cast<float>(value(i, e)));
      }
      starts.push_back(static_cast<std::int32_t>(columns.size()));
    }
    offsets = std::make_unique<DeviceArray<std::int32_t>>(handle, starts);
    indices = std::make_unique<DeviceArray<std::int32_t>>(handle, columns);
    values = std::make_unique<NarrowArray>(handle, numbers, type);
    SPK_EXPECT_OK(spk_csr_create(&mat, m, cols, 2 * m, offsets->data(), indices->data(), values->data(), SPK_INDEX_32I,
                                 SPK_INDEX_32I, 0, type));
  }
  TwoARow(const TwoARow&) = delete;
  TwoARow& operator=(const TwoARow&) = delete;
  ~TwoARow() { spk_spmat_destroy(mat); }

  std::int64_t cols;
  std::unique_ptr<DeviceArray<std::int32_t>> offsets, indices;
  std::unique_ptr<NarrowArray> values;
  spk_spmat_t mat = nullptr;
};

// B and C hold more than 2^31 elements each.
TEST_P(Beyond32Bits, DenseMatricesOfAProduct) {
  const std::int64_t m = kTall, n = kWide, k = kTall;
  const TwoARow a(*handle_, m, k, GetParam());
  const LargeArray b(*handle_, GetParam(), k * n, 1), c(*handle_, GetParam(), m * n, 2);
  SPK_SKIP_WITHOUT_ROOM(b);
  SPK_SKIP_WITHOUT_ROOM(c);
  for (const spk_order_t order : {SPK_ORDER_ROW, SPK_ORDER_COL}) {
    for (const spk_operation_t op_b : {SPK_OP_N, SPK_OP_T}) {
      SCOPED_TRACE("order " + std::to_string(order) + ", opB " + std::to_string(op_b));
      const bool by_rows = order == SPK_ORDER_ROW, b_by_rows = by_rows == (op_b == SPK_OP_N);
      const std::int64_t b_rows = op_b == SPK_OP_N ? k : n, b_cols = op_b == SPK_OP_N ? n : k;
      spk_dnmat_t mat_b = nullptr, mat_c = nullptr;
      SPK_ASSERT_OK(spk_dnmat_create(&mat_b, b_rows, b_cols, by_rows ? b_cols : b_rows, b.data(), GetParam(), order));
      SPK_ASSERT_OK(spk_dnmat_create(&mat_c, m, n, by_rows ? n : m, c.data(), GetParam(), order));
      const std::int64_t lines = by_rows ? m : n, length = by_rows ? n : m;
      const std::vector<std::int64_t> sample{0,        1, kLimit / length - 1, kLimit / length, kLimit / length + 1,
                                             lines - 1};
      run_all(
          [&](spk_algorithm_t kernel) {
            return spk_spmm(*handle_, SPK_OP_N, op_b, &one_, a.mat, mat_b, &zero_, mat_c, SPK_COMPUTE_32F, kernel,
                            nullptr, 0);
          },
          [&] {
            for (const std::int64_t line : sample) c.spoil(line * length, length);
          },
          [&]() -> std::string {
            for (const std::int64_t line : sample) {
              const std::vector<std::byte> got = c.read(line * length, length);
              for (std::int64_t i = 0; i < length; ++i) {
                const std::int64_t row = by_rows ? line : i, col = by_rows ? i : line;
                double want = 0;
                for (int e = 0; e < 2; ++e) {
                  const std::int64_t p = a.column(row, e);
                  want += TwoARow::value(row, e) * b.at(b_by_rows ? p * n + col : col * k + p);
                }
                if (!(c.number(got, i) == want))
                  return "row " + std::to_string(row) + ", column " + std::to_string(col);
              }
            }
            return "";
          });
      spk_dnmat_destroy(mat_b);
      spk_dnmat_destroy(mat_c);
    }
  }
}

// A or B holds more than 2^31 elements.
TEST_P(Beyond32Bits, DenseMatricesOfASampledProduct) {
  const std::int64_t k = kWide;
  for (const bool has_large_a : {true, false}) {
    const std::int64_t m = has_large_a ? kTall : 64, n = has_large_a ? 64 : kTall;
    const TwoARow c(*handle_, m, n, SPK_R_32F);
    const LargeArray a(*handle_, GetParam(), m * k, 3), b(*handle_, GetParam(), k * n, 4);
    SPK_SKIP_WITHOUT_ROOM(a);
    SPK_SKIP_WITHOUT_ROOM(b);
    std::vector<std::int64_t> sample{0, 1, m / 2, m - 2, m - 1};
    if (has_large_a) sample.insert(sample.end(), {kLimit / k - 1, kLimit / k, kLimit / k + 1});
    for (const spk_order_t order : {SPK_ORDER_ROW, SPK_ORDER_COL}) {
      SCOPED_TRACE("m " + std::to_string(m) + ", order " + std::to_string(order));
      const bool by_rows = order == SPK_ORDER_ROW;
      spk_dnmat_t mat_a = nullptr, mat_b = nullptr;
      SPK_ASSERT_OK(spk_dnmat_create(&mat_a, m, k, by_rows ? k : m, a.data(), GetParam(), order));
      SPK_ASSERT_OK(spk_dnmat_create(&mat_b, k, n, by_rows ? n : k, b.data(), GetParam(), order));
      std::vector<float> want;
      for (const std::int64_t row : sample)
        for (int e = 0; e < 2; ++e) {
          const std::int64_t col = c.column(row, e);
          double sum = 0;
          for (std::int64_t p = 0; p < k; ++p)
            sum += a.at(by_rows ? row * k + p : p * m + row) * b.at(by_rows ? p * n + col : col * k + p);
          want.push_back(static_cast<float>(sum));
        }
      run_all(
          [&](spk_algorithm_t kernel) {
            return spk_sddmm(*handle_, SPK_OP_N, SPK_OP_N, &one_, mat_a, mat_b, &zero_, c.mat, SPK_COMPUTE_32F, kernel,
                             nullptr, 0);
          },
          [&] { c.values->write(std::vector<float>(static_cast<std::size_t>(2 * m), std::nanf(""))); },
          [&]() -> std::string {
            const std::vector<float> got = c.values->read();
            for (std::size_t s = 0; s < want.size(); ++s)
              if (got[static_cast<std::size_t>(2 * sample[s / 2]) + s % 2] != want[s])
                return "row " + std::to_string(sample[s / 2]);
            return "";
          });
      spk_dnmat_destroy(mat_a);
      spk_dnmat_destroy(mat_b);
    }
  }
}

// A holds more than 2^31 entries, the same number in every row.
TEST_P(Beyond32Bits, EntriesOfASparseMatrix) {
  const std::int64_t m = 1'100'003, each = 1953, k = 2000, nnz = m * each;
  ASSERT_GT(nnz, kLimit);
  const LargeArray values(*handle_, GetParam(), nnz, 1);
  SPK_SKIP_WITHOUT_ROOM(values);
  void* columns = nullptr;
  const auto row_bytes = static_cast<std::size_t>(each) * 4, bytes = row_bytes * static_cast<std::size_t>(m);
  if (spk_memory_alloc(*handle_, bytes, &columns) != SPK_STATUS_SUCCESS)
    GTEST_SKIP() << "not enough memory on the device";
  const std::size_t rows_at_once = 10'000;
  std::vector<std::int32_t> chunk;
  for (std::size_t i = 0; i < rows_at_once; ++i)
    for (std::int32_t j = 0; j < each; ++j) chunk.push_back(j + 47);
  for (std::size_t at = 0; at < bytes; at += rows_at_once * row_bytes)
    SPK_ASSERT_OK(spk_memory_upload(*handle_, static_cast<std::byte*>(columns) + at, chunk.data(),
                                    std::min(rows_at_once * row_bytes, bytes - at)));
  std::vector<std::int64_t> starts;
  for (std::int64_t i = 0; i <= m; ++i) starts.push_back(i * each);
  const DeviceArray<std::int64_t> offsets(*handle_, starts);
  spk_spmat_t mat = nullptr;
  SPK_ASSERT_OK(spk_csr_create(&mat, m, k, nnz, offsets.data(), columns, values.data(), SPK_INDEX_64I, SPK_INDEX_32I, 0,
                               GetParam()));
  const std::vector<std::int64_t> sample{0, 1, kLimit / each - 1, kLimit / each, kLimit / each + 1, m - 1};
  for (const std::int64_t n : {1, 9}) {
    SCOPED_TRACE("n " + std::to_string(n));
    const LargeArray b(*handle_, GetParam(), k * n, 3);
    DeviceArray<float> c(*handle_, std::vector<float>(static_cast<std::size_t>(m * n)));
    spk_dnmat_t mat_b = nullptr, mat_c = nullptr;
    SPK_ASSERT_OK(spk_dnmat_create(&mat_b, k, n, n, b.data(), GetParam(), SPK_ORDER_ROW));
    SPK_ASSERT_OK(spk_dnmat_create(&mat_c, m, n, n, c.data(), SPK_R_32F, SPK_ORDER_ROW));
    run_all(
        [&](spk_algorithm_t kernel) {
          return spk_spmm(*handle_, SPK_OP_N, SPK_OP_N, &one_, mat, mat_b, &zero_, mat_c, SPK_COMPUTE_32F, kernel,
                          nullptr, 0);
        },
        [&] { c.write(std::vector<float>(static_cast<std::size_t>(m * n), std::nanf(""))); },
        [&]() -> std::string {
          const std::vector<float> got = c.read();
          for (const std::int64_t row : sample)
            for (std::int64_t j = 0; j < n; ++j) {
              double want = 0;
              for (std::int64_t e = 0; e < each; ++e) want += values.at(row * each + e) * b.at((e + 47) * n + j);
              if (got[static_cast<std::size_t>(row * n + j)] != static_cast<float>(want))
                return "row " + std::to_string(row) + ", column " + std::to_string(j);
            }
          return "";
        });
    spk_dnmat_destroy(mat_b);
    spk_dnmat_destroy(mat_c);
  }
  // Rows of a softmax, in place; the last test of these values.
  SPK_ASSERT_OK(spk_softmax(*handle_, 1.0, mat, nullptr, mat, SPK_ALG_DEFAULT, nullptr, 0));
  SPK_ASSERT_OK(spk_synchronize(*handle_));
  for (const std::int64_t row : sample) {
    double sum = 0, worst = 0;
    for (std::int64_t e = 0; e < each; ++e) sum += std::exp(values.at(row * each + e));
    const std::vector<std::byte> got = values.read(row * each, each);
    for (std::int64_t e = 0; e < each; ++e) {
      const double want = std::exp(values.at(row * each + e)) / sum;
      worst = std::max(worst, std::fabs(values.number(got, e) - want) / want);
    }
    EXPECT_LT(worst, GetParam() == SPK_R_32F ? 1e-5 : 2e-2) << "row " << row;
  }
  spk_spmat_destroy(mat);
  spk_memory_free(*handle_, columns, bytes);
}

INSTANTIATE_TEST_SUITE_P(All, Beyond32Bits, ::testing::Values(SPK_R_32F, SPK_R_16F),
                         [](const auto& type) { return type.param == SPK_R_32F ? "f32" : "f16"; });

}  // namespace
}  // namespace spk::test
