// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <gtest/gtest.h>
#include <spk/spk.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/draw.hpp"

// One problem for every operation, in memory of a handle's device, for tests of what only a device has: streams, graphs,
// several devices.
namespace spk::test {

inline std::string message(spk_handle_t handle = nullptr) {
  char text[1200] = "";
  spk_last_error(handle, text, sizeof text, nullptr);
  return text;
}

// Whether a kernel asked for by id does not exist on this device or in this plug-in: any other refusal is a fault of a test
// that means the kernel to take its problem.
inline bool lacks_kernel(spk_status_t status, const std::string& text) {
  const auto says = [&](const char* words) { return text.find(words) != std::string::npos; };
  return status == SPK_STATUS_NOT_SUPPORTED && (says("is too old") || says("no kernel has the id"));
}

#define SPK_ASSERT_OK(call)                                                                  \
  do {                                                                                       \
    const spk_status_t status_ = (call);                                                     \
    ASSERT_EQ(status_, SPK_STATUS_SUCCESS) << spk_status_name(status_) << ": " << message(); \
  } while (false)
#define SPK_EXPECT_OK(call)                                                                  \
  do {                                                                                       \
    const spk_status_t status_ = (call);                                                     \
    EXPECT_EQ(status_, SPK_STATUS_SUCCESS) << spk_status_name(status_) << ": " << message(); \
  } while (false)

// A handle on a device.
class DeviceHandle {
 public:
  explicit DeviceHandle(int device = 0) {
    spk_config_t config{};
    config.struct_size = sizeof config;
    config.backend = SPK_BACKEND_CUDA;
    config.device = device;
    status_ = spk_create(&handle_, &config);
  }
  DeviceHandle(const DeviceHandle&) = delete;
  DeviceHandle& operator=(const DeviceHandle&) = delete;
  ~DeviceHandle() { spk_destroy(handle_); }
  operator spk_handle_t() const { return handle_; }
  spk_status_t status() const { return status_; }

 private:
  spk_handle_t handle_ = nullptr;
  spk_status_t status_;
};

// Items on the device of a handle, which must outlive them.
template <class T>
class DeviceArray {
 public:
  DeviceArray(spk_handle_t handle, std::vector<T> items) : handle_(handle), items_(std::move(items)) {
    SPK_EXPECT_OK(spk_memory_alloc(handle_, bytes(), &data_));
    write(items_);
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { spk_memory_free(handle_, data_, bytes()); }

  T* data() const { return static_cast<T*>(data_); }
  std::size_t bytes() const { return items_.size() * sizeof(T); }
  const std::vector<T>& written() const { return items_; }
  void write(const std::vector<T>& items) {
    items_ = items;
    SPK_EXPECT_OK(spk_memory_upload(handle_, data_, items_.data(), bytes()));
  }
  std::vector<T> read() const {
    std::vector<T> items(items_.size());
    SPK_EXPECT_OK(spk_memory_download(handle_, items.data(), data_, bytes()));
    return items;
  }

 private:
  spk_handle_t handle_;
  std::vector<T> items_;
  void* data_ = nullptr;
};

inline std::vector<float> draw_floats(std::uint64_t seed, std::int64_t count) {
  Draw draw(seed);
  std::vector<float> items(static_cast<std::size_t>(count));
  for (float& item : items) item = static_cast<float>(draw.real());
  return items;
}

// S, m x k with entries in about a fifth of its places, and dense matrices that go with it, f32 by rows.
class DeviceProblem {
 public:
  explicit DeviceProblem(spk_handle_t handle, std::int64_t m = 300, std::int64_t n = 37, std::int64_t k = 200);
  DeviceProblem(const DeviceProblem&) = delete;
  DeviceProblem& operator=(const DeviceProblem&) = delete;
  ~DeviceProblem();

  // One way to compute, with workspace or the handle's; its result lies in `result`.
  struct Call {
    const char* name;
    std::function<spk_status_t(spk_handle_t, std::size_t*)> query;
    std::function<spk_status_t(spk_handle_t, void*, std::size_t)> run;
    DeviceArray<float>* result;
  };
  // SpMM plain, transposed, with epilogue and from COO, SpMV, SDDMM, softmax, its gradient; a sparse vector's operations.
  std::vector<Call> calls();
  // The same through plans; the problem owns them.
  std::vector<Call> planned_calls(spk_handle_t handle);

  // Gives all inputs other values.
  void change(std::uint64_t seed);

  std::int64_t m, n, k, nnz;
  std::unique_ptr<DeviceArray<std::int32_t>> offsets, rows, columns, elements;
  std::unique_ptr<DeviceArray<float>> values, left, right, tall, bias, c, tall_c, y, sampled, soft, gradient, dx,
      spread, gathered, dot;
  std::unique_ptr<DeviceArray<std::uint8_t>> mask;
  spk_spmat_t S = nullptr, coo = nullptr, out = nullptr, Y = nullptr, dY = nullptr, dX = nullptr;
  spk_dnmat_t L = nullptr, B = nullptr, T = nullptr, C = nullptr, tallC = nullptr;
  spk_dnvec_t x = nullptr, vec_y = nullptr, bias_vec = nullptr, vec_spread = nullptr;
  spk_spvec_t sparse = nullptr, sparse_out = nullptr;  // every second element of m
  spk_epilogue_t epilogue{};
  float alpha = 1.5f, beta = 0;

 private:
  std::vector<spk_plan_t> plans_;
};

// Runs a call with workspace of exactly the size that it asks for.
void run_alone(spk_handle_t handle, const DeviceProblem::Call& call);

}  // namespace spk::test
