// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cublas_v2.h>
#include <cusparse.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "device_memory.hpp"
#include "library.hpp"

namespace spk::bench {

// A contender that does not do the combination asked for: it is left out, with this reason.
class Unsupported : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Unsupported naming the call: the peers say in this way what they do not do.
void check_peer(cusparseStatus_t status, const char* call);
void check_peer(cublasStatus_t status, const char* call);

// The device, one stream for everybody, and a handle of every library.
class Device {
 public:
  explicit Device(bool with_spk);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  std::string name;
  int capability = 0;  // 90 for compute capability 9.0
  std::size_t l2_bytes = 0;
  std::string driver;  // of the kernel module, such as 580.95.05
  int runtime = 0;     // 13000 for CUDA 13.0
  int cusparse_version = 0, cublas_version = 0;
  cudaStream_t stream = nullptr;
  cusparseHandle_t cusparse = nullptr;
  cublasHandle_t cublas = nullptr;
  tool::Handle spk;  // empty when only the peers run

  void wait() const { check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize"); }

 private:
  DeviceBytes cublas_workspace_;  // without one of its own cuBLAS allocates while a graph is captured
};

}  // namespace spk::bench
