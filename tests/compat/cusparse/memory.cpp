// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "memory.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace {

// A number with at most 11 significant bits in the range of normal numbers, as every number of these tests.
std::uint16_t half_bits(double value) {
  if (value == 0) return 0;
  if (std::isnan(value)) return 0x7E00;
  int exponent = 0;
  const double mantissa = std::frexp(std::fabs(value), &exponent);  // [0.5, 1)
  const auto fraction = static_cast<unsigned>(mantissa * 2048) & 1023U;
  return static_cast<std::uint16_t>((value < 0 ? 0x8000U : 0U) | (static_cast<unsigned>(exponent + 14) << 10U) |
                                    fraction);
}

double half_value(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const double magnitude = exponent == 31  ? std::nan("")
                           : exponent == 0 ? std::ldexp(bits & 1023, -24)
                                           : std::ldexp(1024 + (bits & 1023), exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

template <class T>
void put(void* at, T value) {
  std::memcpy(at, &value, sizeof value);
}
template <class T>
T get(const void* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

}  // namespace

std::size_t bytes_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_16F:
    case CUDA_R_16BF: return 2;
    case CUDA_R_32F: return 4;
    case CUDA_C_64F: return 16;
    default: return 8;
  }
}

void store(void* at, cudaDataType type, Value value) {
  switch (type) {
    case CUDA_R_16F: return put(at, half_bits(value.real()));
    case CUDA_R_16BF: {
      const auto single = static_cast<float>(value.real());
      return put(at, static_cast<std::uint16_t>(get<std::uint32_t>(&single) >> 16U));
    }
    case CUDA_R_32F: return put(at, static_cast<float>(value.real()));
    case CUDA_R_64F: return put(at, value.real());
    case CUDA_C_32F: return put(at, std::complex<float>(value));
    default: return put(at, value);
  }
}

Value load(const void* at, cudaDataType type) {
  switch (type) {
    case CUDA_R_16F: return half_value(get<std::uint16_t>(at));
    case CUDA_R_16BF: {
      const std::uint32_t bits = static_cast<std::uint32_t>(get<std::uint16_t>(at)) << 16U;
      return get<float>(&bits);
    }
    case CUDA_R_32F: return get<float>(at);
    case CUDA_R_64F: return get<double>(at);
    case CUDA_C_32F: return Value(get<std::complex<float>>(at));
    default: return get<Value>(at);
  }
}

DeviceMemory::DeviceMemory(const std::vector<char>& bytes) : bytes_(bytes.size()) {
  if (bytes_ == 0) return;
  if (cudaMalloc(&data_, bytes_) != cudaSuccess ||
      cudaMemcpy(data_, bytes.data(), bytes_, cudaMemcpyHostToDevice) != cudaSuccess)
    ADD_FAILURE() << "no memory of " << bytes_ << " bytes";
}

std::vector<char> DeviceMemory::bytes() const {
  std::vector<char> bytes(bytes_);
  if (bytes_ == 0) return bytes;
  EXPECT_EQ(cudaMemcpy(bytes.data(), data_, bytes_, cudaMemcpyDeviceToHost), cudaSuccess);
  return bytes;
}

DeviceMemory upload(const std::vector<Value>& values, cudaDataType type) {
  std::vector<char> bytes(values.size() * bytes_of(type));
  for (std::size_t i = 0; i < values.size(); ++i) store(&bytes[i * bytes_of(type)], type, values[i]);
  return DeviceMemory(bytes);
}

DeviceMemory upload(const std::vector<std::int64_t>& numbers, cusparseIndexType_t type) {
  const std::size_t size = type == CUSPARSE_INDEX_64I ? 8 : 4;
  std::vector<char> bytes(numbers.size() * size);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (size == 8)
      put(&bytes[i * size], numbers[i]);
    else
      put(&bytes[i * size], static_cast<std::int32_t>(numbers[i]));
  }
  return DeviceMemory(bytes);
}

DeviceMemory scratch(std::size_t bytes) { return DeviceMemory(std::vector<char>(bytes, char(0xEE))); }

std::vector<Value> download(const DeviceMemory& memory, cudaDataType type) {
  const std::vector<char> bytes = memory.bytes();
  std::vector<Value> values(bytes.size() / bytes_of(type));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = load(&bytes[i * bytes_of(type)], type);
  return values;
}
