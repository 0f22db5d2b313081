// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/backend.hpp"

#include "core/backend_from_functions.hpp"
#include "core/device_pointer.hpp"
#include "cuda/operations.hpp"

namespace spk::cuda {
namespace {

cudaStream_t stream_of(void* stream) noexcept { return static_cast<cudaStream_t>(stream); }

constexpr const char* kConversionWaits = "a conversion reads what it finds in A and so waits for the stream";

// Every call makes the backend's device the current one.
struct Functions {
  const Device* device = nullptr;

  auto choose(const auto& p) const { return cuda::choose(*device, p); }
  auto prepare(const auto& p, const Exec& exec) const {
    const DeviceGuard guard(device->ordinal);
    return cuda::prepare(*device, p, exec);
  }
  auto analyze(const auto& p, const Exec& exec) const {
    const DeviceGuard guard(device->ordinal);
    refuse_capture(stream_of(exec.stream), kConversionWaits);
    return cuda::analyze(*device, p, exec);
  }
  auto workspace(const auto& p, const auto&... rest) const { return cuda::workspace(*device, p, rest...); }
  auto run(const auto& p, const auto&... rest) const {
    const DeviceGuard guard(device->ordinal);
    // Conversions answer a number, operations nothing.
    if constexpr (!std::is_void_v<decltype(cuda::run(*device, p, rest...))>)
      (refuse_capture(stream_of(rest.stream), kConversionWaits), ...);
    return cuda::run(*device, p, rest...);
  }
};

class DeviceMemory : public Backend {
 public:
  spk_backend_t kind() const noexcept override { return SPK_BACKEND_CUDA; }
  const char* name() const noexcept override { return "cuda"; }
  const char* detail() const noexcept override { return device_.detail.c_str(); }
  int default_threads() const noexcept override { return 1; }
  bool computes_in_host_memory() const noexcept override { return false; }

  void validate(const SparseView& a, spk_validation_report_t& report, const Exec& exec) const override {
    const DeviceGuard guard(device_.ordinal);
    refuse_capture(stream_of(exec.stream), "a validation waits for its report");
    cuda::validate(device_, a, report, exec);
  }
  void synchronize(void* stream) const override {
    const DeviceGuard guard(device_.ordinal);
    refuse_capture(stream_of(stream), "it cannot be waited for");
    SPK_CUDA_CHECK(cudaStreamSynchronize(stream_of(stream)));
  }
  void* allocate(std::size_t bytes, void* stream) const noexcept override {
    // Under capture an allocation would become a part of the graph, and its address mean nothing outside.
    if (is_captured(stream_of(stream))) return nullptr;
    int current = 0;
    if (cudaGetDevice(&current) != cudaSuccess || cudaSetDevice(device_.ordinal) != cudaSuccess) return nullptr;
    void* pointer = nullptr;
    if (cudaMallocAsync(&pointer, bytes, stream_of(stream)) != cudaSuccess) pointer = nullptr;
    cudaGetLastError();
    cudaSetDevice(current);
    return pointer;
  }
  void deallocate(void* pointer, std::size_t, void* stream) const noexcept override {
    int current = 0;
    if (pointer == nullptr || cudaGetDevice(&current) != cudaSuccess) return;
    if (current != device_.ordinal) cudaSetDevice(device_.ordinal);
    cudaFreeAsync(pointer, stream_of(stream));
    if (current != device_.ordinal) cudaSetDevice(current);
  }
  void copy_to_host(void* host, const void* device, std::size_t bytes, void* stream) const override {
    copy(host, device, bytes, cudaMemcpyDeviceToHost, stream);
  }
  void copy_from_host(void* device, const void* host, std::size_t bytes, void* stream) const override {
    copy(device, host, bytes, cudaMemcpyHostToDevice, stream);
  }

  const char* refuse_pointer(const void* p) const noexcept override {
    if (device_.reads_pageable_memory || kind_of_pointer(p) != PointerKind::host) return nullptr;
    return "is host memory, which the device cannot read";
  }

 protected:
  void open(int ordinal) {
    device_ = open_device(ordinal);
    find_device_driver();
  }

  Device device_;

 private:
  void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, void* stream) const {
    if (bytes == 0) return;
    const DeviceGuard guard(device_.ordinal);
    refuse_capture(stream_of(stream), "a copy between host and device memory is waited for");
    SPK_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, kind, stream_of(stream)));
    SPK_CUDA_CHECK(cudaStreamSynchronize(stream_of(stream)));
  }
};

class CudaBackend final : public BackendFromFunctions<DeviceMemory, Functions> {
 public:
  explicit CudaBackend(int ordinal) {
    open(ordinal);
    functions_.device = &device_;
  }
};

}  // namespace

std::unique_ptr<Backend> make_backend(int device) { return std::make_unique<CudaBackend>(device); }

}  // namespace spk::cuda
