// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
// The interposer between this program, a fake cuSPARSE and libspk on a stand-in for a device. Options are read once, so
// every suite is a process of its own, with the environment that CMakeLists.txt gives it.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <spk/spk.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "compat/preload/fake_cusparse.hpp"

namespace {

using fake_cusparse::Dense;
using fake_cusparse::Handle;
using fake_cusparse::kMarker;
using fake_cusparse::Sparse;
using fake_cusparse::State;

spk_handle_t device() {
  static spk_handle_t handle = [] {
    spk_config_t config = {};
    config.struct_size = sizeof config;
    config.backend = SPK_BACKEND_CUDA;
    spk_handle_t made = nullptr;
    EXPECT_EQ(spk_create(&made, &config), SPK_STATUS_SUCCESS);
    return made;
  }();
  return handle;
}

// An array where the host cannot look.
template <class T>
class Array {
 public:
  explicit Array(const std::vector<T>& values) : bytes_(values.size() * sizeof(T)), size_(values.size()) {
    EXPECT_EQ(spk_memory_alloc(device(), bytes_, &data_), SPK_STATUS_SUCCESS);
    EXPECT_EQ(spk_memory_upload(device(), data_, values.data(), bytes_), SPK_STATUS_SUCCESS);
  }
  ~Array() { spk_memory_free(device(), data_, bytes_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  void* data() const { return data_; }
  std::vector<T> values() const {
    std::vector<T> host(size_);
    EXPECT_EQ(spk_memory_download(device(), host.data(), data_, bytes_), SPK_STATUS_SUCCESS);
    return host;
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_, size_;
};

// (1 0 2; 0 3 0) times (1 2; 3 4; 5 6) = (11 14; 9 12), and back: SDDMM at the places of the sparse matrix.
struct Problem {
  Array<std::int32_t> offsets{{0, 2, 3}}, rows{{0, 0, 1}}, cols{{0, 2, 1}};
  Array<float> values{{1, 2, 3}}, b{{1, 2, 3, 4, 5, 6}}, c{{-1, -1, -1, -1}}, x{{1, 2, 3, 4}}, y{{1, 2, 3, 4, 5, 6}};
  Array<char> buffer{std::vector<char>(1 << 16)};
  Handle handle;
  Sparse sparse{1, 1, 2, 3, 3, offsets.data(), cols.data(), values.data()};
  Dense dense_b{3, 2, 2, b.data()}, dense_c{2, 2, 2, c.data()}, dense_x{2, 2, 2, x.data()}, dense_y{2, 3, 3, y.data()};
  float alpha = 1, beta = 0;
  int compute = 0, alg = 0;

  int spmm(void* workspace) {
    return cusparseSpMM(&handle, 0, 0, &alpha, &sparse, &dense_b, &beta, &dense_c, compute, alg, workspace);
  }
  Problem() = default;
  ~Problem() { cusparseDestroySpMat(&sparse); }

  // As a program does it: the size first.
  int spmm() {
    std::size_t bytes = 0;
    spmm_bytes(&bytes);
    return spmm(buffer.data());
  }
  int spmm_bytes(std::size_t* bytes) {
    return cusparseSpMM_bufferSize(&handle, 0, 0, &alpha, &sparse, &dense_b, &beta, &dense_c, compute, alg, bytes);
  }
  int preprocess(void* workspace) {
    return cusparseSpMM_preprocess(&handle, 0, 0, &alpha, &sparse, &dense_b, &beta, &dense_c, compute, alg, workspace);
  }
  int sddmm() {
    std::size_t bytes = 0;
    cusparseSDDMM_bufferSize(&handle, 0, 0, &alpha, &dense_x, &dense_y, &beta, &sparse, compute, alg, &bytes);
    return cusparseSDDMM(&handle, 0, 0, &alpha, &dense_x, &dense_y, &beta, &sparse, compute, alg, buffer.data());
  }
};

State& fake() { return *fake_cusparse_state(); }

struct Force : testing::Test {
  void SetUp() override { fake() = {}; }
  Problem p;
};

TEST_F(Force, SpmmOfCsrIsTaken) {
  EXPECT_EQ(p.spmm(), 0);
  EXPECT_EQ(p.c.values(), (std::vector<float>{11, 14, 9, 12}));
  EXPECT_EQ(fake().executions, 0);
}

TEST_F(Force, SpmmOfCooIsTaken) {
  p.sparse.format = 3;
  p.sparse.offsets = p.rows.data();
  EXPECT_EQ(p.spmm(), 0);
  EXPECT_EQ(p.c.values(), (std::vector<float>{11, 14, 9, 12}));
}

TEST_F(Force, SddmmOfCsrIsTaken) {
  p.beta = 1;
  EXPECT_EQ(p.sddmm(), 0);
  // x y = (9 12 15; 19 26 33)
  EXPECT_EQ(p.values.values(), (std::vector<float>{1 + 9, 2 + 15, 3 + 26}));
  EXPECT_EQ(fake().executions, 0);
}

TEST_F(Force, OrdersScalarsAndTransposesArrive) {
  // B as it lies is 2 x 3 by rows, so its transpose by columns is 3 x 2; C by columns.
  p.dense_b = Dense{2, 3, 2, p.b.data(), 0, 1};
  p.dense_c.order = 1;
  p.alpha = 2;
  p.beta = 1;
  const int status =
      cusparseSpMM(&p.handle, 0, 1, &p.alpha, &p.sparse, &p.dense_b, &p.beta, &p.dense_c, 0, 6, p.buffer.data());
  EXPECT_EQ(status, 0);
  EXPECT_EQ(p.c.values(), (std::vector<float>{21, 17, 27, 23}));
}

TEST_F(Force, ScalarsMayLieOnTheDevice) {
  const Array<float> two{{2}}, one{{1}};
  p.handle.pointer_mode = 1;
  const int status =
      cusparseSpMM(&p.handle, 0, 0, two.data(), &p.sparse, &p.dense_b, one.data(), &p.dense_c, 0, 0, p.buffer.data());
  EXPECT_EQ(status, 0);
  EXPECT_EQ(p.c.values(), (std::vector<float>{21, 27, 17, 23}));
}

TEST_F(Force, WhatSpkDoesNotDoIsForwarded) {
  struct Case {
    const char* what;
    void (*change)(Problem&);
  };
  const Case cases[] = {{"a batch of A", [](Problem& q) { q.sparse.batches = 2; }},
                        {"a batch of B", [](Problem& q) { q.dense_b.batches = 2; }},
                        {"a batch of C", [](Problem& q) { q.dense_c.batches = 2; }},
                        {"BSR", [](Problem& q) { q.sparse.format = 6; }},
                        {"CSC", [](Problem& q) { q.sparse.format = 2; }},
                        {"int8", [](Problem& q) { q.sparse.type = q.dense_b.type = 3; }},
                        {"sums in half", [](Problem& q) { q.compute = 2; }},
                        {"mixed types", [](Problem& q) { q.dense_b.type = 1; }},
                        {"no entries", [](Problem& q) { q.sparse.nnz = 0; }},
                        {"sizes that disagree", [](Problem& q) { q.dense_b.rows = 4; }},
                        {"host memory", [](Problem& q) { q.dense_b.values = &q; }}};
  for (const Case& one : cases) {
    Problem q;
    one.change(q);
    fake() = {};
    EXPECT_EQ(q.spmm(), kMarker) << one.what;
    EXPECT_EQ(fake().executions, 1) << one.what;
    EXPECT_EQ(q.c.values(), (std::vector<float>(4, -1))) << one.what;
  }
  EXPECT_EQ(cusparseSpMM(nullptr, 0, 0, &p.alpha, &p.sparse, &p.dense_b, &p.beta, &p.dense_c, 0, 0, nullptr), kMarker);
  EXPECT_EQ(cusparseSpMM(&p.handle, 0, 0, nullptr, &p.sparse, &p.dense_b, &p.beta, &p.dense_c, 0, 0, nullptr), kMarker);
}

TEST_F(Force, BufferSizeIsNeverBelowCusparses) {
  std::size_t bytes = 0;
  fake().buffer_bytes = 123456;
  EXPECT_EQ(p.spmm_bytes(&bytes), 0);
  EXPECT_EQ(bytes, 123456u);
  EXPECT_EQ(fake().buffer_sizes, 1);
}

TEST_F(Force, BufferSizeOfWhatCusparseRefusesIsOurs) {
  std::size_t bytes = 77;
  fake().buffer_status = 10;
  EXPECT_EQ(p.spmm_bytes(&bytes), 10);
  EXPECT_EQ(bytes, 77u);
  p.sparse.type = p.dense_b.type = p.dense_c.type = 2;
  EXPECT_EQ(p.spmm_bytes(&bytes), 0);
  EXPECT_NE(bytes, 77u);
  fake().buffer_status = 3;
  EXPECT_EQ(p.spmm_bytes(&bytes), 3);
}

TEST_F(Force, BuffersWhoseSizeWasNeverAskedForAreNotUsed) {
  p.sparse.format = 3;
  p.sparse.offsets = p.rows.data();
  std::size_t bytes = 0;
  EXPECT_EQ(p.spmm(p.buffer.data()), kMarker);
  EXPECT_EQ(p.spmm_bytes(&bytes), 0);
  EXPECT_GT(bytes, 0u);
  EXPECT_EQ(p.spmm(nullptr), kMarker);
  EXPECT_EQ(p.spmm(p.buffer.data()), 0);
  EXPECT_EQ(cusparseDestroySpMat(&p.sparse), 0);
  EXPECT_EQ(p.spmm(p.buffer.data()), kMarker);
}

TEST_F(Force, PreprocessingStaysHereWhereTheProductDoes) {
  EXPECT_EQ(p.preprocess(p.buffer.data()), 0);
  EXPECT_EQ(fake().preprocesses, 0);
  EXPECT_EQ(p.spmm(), 0);
}

TEST_F(Force, BuffersThatCusparseHasPreprocessedStayItsOwn) {
  Array<char> other(std::vector<char>(1 << 16));
  const auto let_cusparse_preprocess = [&] {
    p.sparse.batches = 2;
    EXPECT_EQ(p.preprocess(p.buffer.data()), 0);
    p.sparse.batches = 1;
  };
  let_cusparse_preprocess();
  EXPECT_EQ(fake().preprocesses, 1);
  EXPECT_EQ(p.spmm(), kMarker);
  EXPECT_EQ(p.spmm(other.data()), 0);
  // The next preprocessing of that buffer is cuSPARSE's as well.
  EXPECT_EQ(p.preprocess(p.buffer.data()), 0);
  EXPECT_EQ(fake().preprocesses, 2);
  EXPECT_EQ(cusparseCsrSetPointers(&p.sparse, p.offsets.data(), p.cols.data(), p.values.data()), 0);
  EXPECT_EQ(p.spmm(), 0);
  let_cusparse_preprocess();
  EXPECT_EQ(p.spmm(), kMarker);
  // A new matrix may get the address of the old one.
  EXPECT_EQ(cusparseDestroySpMat(&p.sparse), 0);
  EXPECT_EQ(fake().destroys, 1);
  EXPECT_EQ(p.spmm(), 0);
}

TEST_F(Force, MatricesWithAnAttributeAreLeftToCusparse) {
  const int lower = 0;
  EXPECT_EQ(cusparseSpMatSetAttribute(&p.sparse, 7, &lower, sizeof lower), 3);
  EXPECT_EQ(p.spmm(), 0);
  EXPECT_EQ(cusparseSpMatSetAttribute(&p.sparse, 0, &lower, sizeof lower), 0);
  EXPECT_EQ(p.spmm(), kMarker);
  EXPECT_EQ(cusparseCsrSetPointers(&p.sparse, p.offsets.data(), p.cols.data(), p.values.data()), 0);
  EXPECT_EQ(p.spmm(), kMarker);
  EXPECT_EQ(cusparseDestroySpMat(&p.sparse), 0);
  EXPECT_EQ(p.spmm(), 0);
}

TEST_F(Force, ArraysMayBeExchangedBetweenProducts) {
  EXPECT_EQ(p.spmm(), 0);
  // The same addresses with other contents: nothing of the structure may be kept.
  const std::int32_t cols[] = {1, 2, 0};
  ASSERT_EQ(spk_memory_upload(device(), p.cols.data(), cols, sizeof cols), SPK_STATUS_SUCCESS);
  EXPECT_EQ(p.spmm(), 0);
  EXPECT_EQ(p.c.values(), (std::vector<float>{13, 16, 3, 6}));
}

TEST_F(Force, ThreadsMultiplyAtOnce) {
  std::vector<Problem> problems(4);
  std::vector<std::thread> threads;
  for (Problem& q : problems) {
    threads.emplace_back([&q] {
      for (int i = 0; i < 100; ++i) ASSERT_EQ(q.spmm(), 0);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Problem& q : problems) EXPECT_EQ(q.c.values(), (std::vector<float>{11, 14, 9, 12}));
}

// A problem as large as those in the table; what it computes is seen above.
struct Layer {
  explicit Layer(int layer_size = 64, int entries_of_a_row = 6) : size(layer_size), per_row(entries_of_a_row) {}
  static std::vector<std::int32_t> counted(int count, int step, int modulus) {
    std::vector<std::int32_t> values;
    for (int i = 0; i < count; ++i) values.push_back(i * step % modulus);
    return values;
  }
  static std::vector<float> ones(int count) { return std::vector<float>(static_cast<std::size_t>(count), 1.0f); }
  const int size, per_row;
  Array<std::int32_t> offsets{counted(size + 1, per_row, 1 << 20)}, cols{counted(per_row * size, 7, size)};
  Array<float> values{ones(per_row * size)}, b{ones(size * 128)}, c{b.values()};
  Array<char> buffer{std::vector<char>(1 << 20)};
  Handle handle;
  Sparse sparse{1, 1, size, size, per_row* size, offsets.data(), cols.data(), values.data()};
  float alpha = 1, beta = 0;

  int spmm(std::int64_t n, int order, int alg) {
    const std::int64_t ld = order == 2 ? n : size;
    Dense dense_b{size, n, ld, b.data(), 0, order}, dense_c{size, n, ld, c.data(), 0, order};
    std::size_t bytes = 0;
    cusparseSpMM_bufferSize(&handle, 0, 0, &alpha, &sparse, &dense_b, &beta, &dense_c, 0, alg, &bytes);
    return cusparseSpMM(&handle, 0, 0, &alpha, &sparse, &dense_b, &beta, &dense_c, 0, alg, buffer.data());
  }
};

// With a driver whose device is the one that the table was measured on.
struct OnMeasured : testing::Test {
  void SetUp() override { ASSERT_NE(dlopen(FAKE_DRIVER_FILE, RTLD_NOW | RTLD_GLOBAL), nullptr) << dlerror(); }
  Layer p;
};

TEST_F(OnMeasured, WhatIsFasterIsTaken) {
  EXPECT_EQ(p.spmm(8, 2, 0), 0);
  EXPECT_EQ(p.spmm(32, 2, 6), 0);
  EXPECT_EQ(p.spmm(128, 2, 4), 0);
  EXPECT_EQ(p.c.values()[0], 6);
}

TEST_F(OnMeasured, WhatIsSlowerOrWasNotMeasuredIsForwarded) {
  EXPECT_EQ(p.spmm(32, 2, 12), kMarker);  // an algorithm that is faster
  EXPECT_EQ(p.spmm(4, 1, 0), kMarker);    // narrower than what was measured
  p.sparse.nnz = 1;                       // sparser than what was measured
  EXPECT_EQ(p.spmm(8, 2, 0), kMarker);
}

struct OnOther : OnMeasured {};
TEST_F(OnOther, EverythingIsForwarded) { EXPECT_EQ(p.spmm(8, 2, 0), kMarker); }

struct Demanding : OnMeasured {};
TEST_F(Demanding, TheLowestSpeedUpCounts) {
  EXPECT_EQ(p.spmm(32, 2, 0), kMarker);  // 1.06 is below the 1.7 asked for
  EXPECT_EQ(p.spmm(32, 2, 4), 0);        // 1.81
}

struct Small : OnMeasured {};
TEST_F(Small, IsForwardedBecauseTheHostTakesLonger) { EXPECT_EQ(p.spmm(128, 2, 0), kMarker); }

TEST_F(Small, EndsWhereTheDeviceTakesLonger) {
  Layer columns(512, 92), narrow(1024, 367), rows(2048, 382), fewer(2048, 381);
  EXPECT_EQ(columns.spmm(127, 1, 0), kMarker);  // 5.98e6 products
  EXPECT_EQ(columns.spmm(128, 1, 0), 0);        // 6.03e6
  EXPECT_EQ(columns.spmm(128, 2, 0), kMarker);
  EXPECT_EQ(narrow.spmm(8, 1, 0), 0);       // 6.01e6, counted as of 16 columns
  EXPECT_EQ(fewer.spmm(8, 2, 0), kMarker);  // 4.99e7, as of 64
  EXPECT_EQ(rows.spmm(8, 2, 0), 0);         // 5.01e7
}

struct FromSoMany : OnMeasured {};
TEST_F(FromSoMany, ProductsOnItIsTaken) {
  EXPECT_EQ(p.spmm(8, 2, 0), kMarker);  // 3,072 products of an entry and a column
  EXPECT_EQ(p.spmm(9, 2, 0), 0);
}

TEST_F(FromSoMany, AnAnswerAboutASizeServesOneProduct) {
  Dense b{p.size, 8, 8, p.b.data(), 0, 2}, c{p.size, 8, 8, p.c.data(), 0, 2};
  const auto call = [&](auto function, auto last) {
    return function(&p.handle, 0, 0, &p.alpha, &p.sparse, &b, &p.beta, &c, 0, 0, last);
  };
  std::size_t bytes = 0;
  EXPECT_EQ(call(cusparseSpMM_bufferSize, &bytes), 0);
  EXPECT_EQ(call(cusparseSpMM, p.buffer.data()), kMarker);
  EXPECT_EQ(call(cusparseSpMM_bufferSize, &bytes), 0);
  b.cols = b.ld = c.cols = c.ld = 9;    // another matrix where the one asked about was
  call(cusparseSpMM, p.buffer.data());  // wherever it goes
  EXPECT_EQ(call(cusparseSpMM, p.buffer.data()), 0);
}

struct Captured : OnMeasured {};
TEST_F(Captured, NothingIsMadeWhileAStreamIsRecorded) {
  p.handle.stream = reinterpret_cast<void*>(std::uintptr_t{1});
  EXPECT_EQ(p.spmm(8, 2, 0), kMarker);
  p.handle.stream = nullptr;
  EXPECT_EQ(p.spmm(8, 2, 0), 0);
  // There is a handle now, which may be used.
  p.handle.stream = reinterpret_cast<void*>(std::uintptr_t{1});
  EXPECT_EQ(p.spmm(8, 2, 0), 0);
}

struct Off : Force {};
TEST_F(Off, EverythingIsForwarded) {
  EXPECT_EQ(p.spmm(), kMarker);
  EXPECT_EQ(p.sddmm(), kMarker);
}

// Descriptors are all that is used where there is no device.
TEST(NoDevice, EverythingIsForwarded) {
  Handle handle;
  const float one = 1;
  Sparse sparse{1, 1, 2, 3, 3};
  Dense b{3, 2, 2}, c{2, 2, 2};
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(cusparseSpMM(&handle, 0, 0, &one, &sparse, &b, &one, &c, 0, 0, nullptr), kMarker);
}

}  // namespace
