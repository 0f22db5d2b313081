// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cuda_runtime_api.h>
#include <cusparse.h>

#include <complex>
#include <cstdint>
#include <vector>

// Memory of the device that the runtime plays or has, filled from numbers of the host. The same tests run with the
// stand-in runtime and with a CUDA toolkit's.

using Value = std::complex<double>;

std::size_t bytes_of(cudaDataType type);

// One number in memory. Tests use numbers that every type holds exactly.
void store(void* at, cudaDataType type, Value value);
Value load(const void* at, cudaDataType type);

class DeviceMemory {
 public:
  DeviceMemory() = default;
  explicit DeviceMemory(const std::vector<char>& bytes);
  DeviceMemory(DeviceMemory&& other) noexcept : data_(other.data_), bytes_(other.bytes_) { other.data_ = nullptr; }
  DeviceMemory& operator=(DeviceMemory&&) = delete;
  ~DeviceMemory() { cudaFree(data_); }

  void* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return bytes_; }
  std::vector<char> bytes() const;

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// Numbers as an array of the device, of a value type or of an index type.
DeviceMemory upload(const std::vector<Value>& values, cudaDataType type);
DeviceMemory upload(const std::vector<std::int64_t>& numbers, cusparseIndexType_t type);
// Memory of a size that a bufferSize function has answered; NULL for 0.
DeviceMemory scratch(std::size_t bytes);
std::vector<Value> download(const DeviceMemory& memory, cudaDataType type);
