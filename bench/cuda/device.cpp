// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "failure.hpp"

namespace spk::bench {

void check_cuda(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw tool::Failure(fmt::format("{}: {}", call, cudaGetErrorString(status)));
}

void check_peer(cusparseStatus_t status, const char* call) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  cudaGetLastError();
  throw Unsupported(fmt::format("{}: {}", call, cusparseGetErrorString(status)));
}

void check_peer(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  cudaGetLastError();
  throw Unsupported(fmt::format("{}: {}", call, cublasGetStatusString(status)));
}

DeviceBytes::DeviceBytes(std::size_t bytes) : bytes_(bytes) {
  if (bytes != 0) check_cuda(cudaMalloc(&data_, bytes), "cudaMalloc");
}

namespace {

// The first word with two dots in what the kernel module says of itself.
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;) {
    if (std::count(word.begin(), word.end(), '.') == 2) return word;
  }
  return "unknown";
}

}  // namespace

Device::Device(bool with_spk) {
  check_cuda(cudaSetDevice(0), "cudaSetDevice");
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  name = properties.name;
  capability = properties.major * 10 + properties.minor;
  l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  driver = driver_version();
  check_cuda(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  check_peer(cusparseCreate(&cusparse), "cusparseCreate");
  check_peer(cusparseSetStream(cusparse, stream), "cusparseSetStream");
  check_peer(cusparseGetVersion(cusparse, &cusparse_version), "cusparseGetVersion");
  check_peer(cublasCreate(&cublas), "cublasCreate");
  check_peer(cublasSetStream(cublas, stream), "cublasSetStream");
  check_peer(cublasGetVersion(cublas, &cublas_version), "cublasGetVersion");
  cublas_workspace_ = DeviceBytes(std::size_t{64} << 20);
  check_peer(cublasSetWorkspace(cublas, cublas_workspace_.data(), cublas_workspace_.bytes()), "cublasSetWorkspace");
  if (with_spk) {
    spk = tool::make_handle(SPK_BACKEND_CUDA, 0);
    tool::check(spk_set_stream(spk.get(), stream), spk.get());
  }
}

Device::~Device() {
  spk.reset();
  if (cublas != nullptr) cublasDestroy(cublas);
  if (cusparse != nullptr) cusparseDestroy(cusparse);
  if (stream != nullptr) cudaStreamDestroy(stream);
}

}  // namespace spk::bench
