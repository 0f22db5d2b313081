// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cstdint>
#include <cstring>

#include "host_runtime/blocks.hpp"
#include "host_runtime/queues.hpp"

using namespace spk::host_runtime;

namespace {

constexpr std::size_t kPitch = 512;

// One side of a copy, from its first to its last byte.
struct Side {
  const char* name;
  const void* pointer;
  std::size_t bytes;
  bool is_device;  // the direction of the copy says so
  bool is_host;
};

cudaError_t check_side(const char* call, const Side& side) {
  if (side.pointer == nullptr) return refuse(cudaErrorInvalidValue, "%s: %s is NULL", call, side.name);
  const Place place = place_of(side.pointer);
  if (side.is_device && place.kind == Kind::unknown)
    return refuse(cudaErrorInvalidValue, "%s: %s = %p is no memory of the device", call, side.name, side.pointer);
  if (side.is_host && place.kind == Kind::device)
    return refuse(cudaErrorInvalidValue, "%s: %s = %p is memory of the device, not of the host", call, side.name,
                  side.pointer);
  if (place.kind != Kind::unknown && side.bytes > place.left)
    return refuse(cudaErrorInvalidValue, "%s: %s = %p has %zu bytes left of a block of %zu, but %zu are needed", call,
                  side.name, side.pointer, place.left, place.bytes, side.bytes);
  return cudaSuccess;
}

cudaError_t check_copy(const char* call, const void* dst, std::size_t dst_bytes, const void* src, std::size_t src_bytes,
                       cudaMemcpyKind kind) {
  const bool is_default = kind == cudaMemcpyDefault;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const cudaError_t error = check_side(call, {"dst", dst, dst_bytes, to_device, !is_default && !to_device});
  if (error != cudaSuccess) return error;
  return check_side(call, {"src", src, src_bytes, from_device, !is_default && !from_device});
}

bool is_direction(cudaMemcpyKind kind) {
  const int number = static_cast<int>(kind);
  return number >= cudaMemcpyHostToHost && number <= cudaMemcpyDefault;
}

cudaError_t copy(const char* call, void* dst, const void* src, std::size_t count, cudaMemcpyKind kind,
                 cudaStream_t stream) {
  cudaError_t error = check_stream(call, stream);
  if (error != cudaSuccess) return error;
  if (!is_direction(kind))
    return refuse(cudaErrorInvalidMemcpyDirection, "%s: kind = %d", call, static_cast<int>(kind));
  if (count == 0) return cudaSuccess;
  error = check_copy(call, dst, count, src, count, kind);
  if (error != cudaSuccess) return error;
  std::memmove(dst, src, count);
  return cudaSuccess;
}

// Bytes from the first to the last byte of `height` > 0 rows; false if they do not fit in size_t.
bool extent(std::size_t pitch, std::size_t width, std::size_t height, std::size_t* bytes) {
  return !__builtin_mul_overflow(pitch, height - 1, bytes) && !__builtin_add_overflow(*bytes, width, bytes);
}

cudaError_t copy_rows(const char* call, void* dst, std::size_t dpitch, const void* src, std::size_t spitch,
                      std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  cudaError_t error = check_stream(call, stream);
  if (error != cudaSuccess) return error;
  if (!is_direction(kind))
    return refuse(cudaErrorInvalidMemcpyDirection, "%s: kind = %d", call, static_cast<int>(kind));
  if (width > dpitch || width > spitch)
    return refuse(cudaErrorInvalidPitchValue, "%s: width = %zu, but dpitch = %zu and spitch = %zu", call, width, dpitch,
                  spitch);
  if (width == 0 || height == 0) return cudaSuccess;
  std::size_t dst_bytes = 0, src_bytes = 0;
  if (!extent(dpitch, width, height, &dst_bytes) || !extent(spitch, width, height, &src_bytes))
    return refuse(cudaErrorInvalidValue, "%s: %zu rows do not fit in memory", call, height);
  error = check_copy(call, dst, dst_bytes, src, src_bytes, kind);
  if (error != cudaSuccess) return error;
  for (std::size_t row = 0; row < height; ++row)
    std::memmove(static_cast<char*>(dst) + row * dpitch, static_cast<const char*>(src) + row * spitch, width);
  return cudaSuccess;
}

cudaError_t fill_rows(const char* call, void* pointer, std::size_t pitch, int value, std::size_t width,
                      std::size_t height, cudaStream_t stream) {
  cudaError_t error = check_stream(call, stream);
  if (error != cudaSuccess) return error;
  if (width == 0 || height == 0) return cudaSuccess;
  std::size_t bytes = 0;
  if ((height > 1 && width > pitch) || !extent(pitch, width, height, &bytes))
    return refuse(cudaErrorInvalidPitchValue, "%s: width = %zu, pitch = %zu, height = %zu", call, width, pitch, height);
  error = check_side(call, {"devPtr", pointer, bytes, true, false});
  if (error != cudaSuccess) return error;
  for (std::size_t row = 0; row < height; ++row) std::memset(static_cast<char*>(pointer) + row * pitch, value, width);
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaMalloc(void** devPtr, size_t size) {
  return guarded([&] { return allocate("cudaMalloc", Kind::device, devPtr, size); });
}

cudaError_t cudaMallocPitch(void** devPtr, size_t* pitch, size_t width, size_t height) {
  return guarded([&] {
    if (pitch == nullptr) return refuse(cudaErrorInvalidValue, "cudaMallocPitch: pitch is NULL");
    size_t bytes = 0;
    if (width > SIZE_MAX - kPitch) return refuse(cudaErrorMemoryAllocation, "cudaMallocPitch: width = %zu", width);
    const size_t rounded = (width + kPitch - 1) / kPitch * kPitch;
    if (__builtin_mul_overflow(rounded, height, &bytes))
      return refuse(cudaErrorMemoryAllocation, "cudaMallocPitch: %zu rows of %zu bytes", height, rounded);
    const cudaError_t error = allocate("cudaMallocPitch", Kind::device, devPtr, bytes);
    if (error == cudaSuccess) *pitch = rounded;
    return error;
  });
}

cudaError_t cudaMallocHost(void** ptr, size_t size) {
  return guarded([&] { return allocate("cudaMallocHost", Kind::pinned, ptr, size); });
}

cudaError_t cudaHostAlloc(void** pHost, size_t size, unsigned int flags) {
  return guarded([&] {
    constexpr unsigned int known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if ((flags & ~known) != 0) return refuse(cudaErrorInvalidValue, "cudaHostAlloc: flags = %u", flags);
    return allocate("cudaHostAlloc", Kind::pinned, pHost, size);
  });
}

cudaError_t cudaMallocManaged(void** devPtr, size_t size, unsigned int flags) {
  return guarded([&] {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
      return refuse(cudaErrorInvalidValue, "cudaMallocManaged: flags = %u", flags);
    // The one allocation of CUDA that refuses to hold nothing.
    if (size == 0) return refuse(cudaErrorInvalidValue, "cudaMallocManaged: size = 0");
    return allocate("cudaMallocManaged", Kind::managed, devPtr, size);
  });
}

cudaError_t cudaMallocAsync(void** devPtr, size_t size, cudaStream_t hStream) {
  return guarded([&] {
    const cudaError_t error = check_stream("cudaMallocAsync", hStream);
    return error != cudaSuccess ? error : allocate("cudaMallocAsync", Kind::device, devPtr, size);
  });
}

cudaError_t cudaFree(void* devPtr) {
  return guarded([&] { return release("cudaFree", devPtr, false); });
}

cudaError_t cudaFreeHost(void* ptr) {
  return guarded([&] { return release("cudaFreeHost", ptr, true); });
}

cudaError_t cudaFreeAsync(void* devPtr, cudaStream_t hStream) {
  return guarded([&] {
    const cudaError_t error = check_stream("cudaFreeAsync", hStream);
    return error != cudaSuccess ? error : release("cudaFreeAsync", devPtr, false);
  });
}

cudaError_t cudaHostRegister(void* ptr, size_t size, unsigned int flags) {
  return guarded([&] {
    if (flags > 0xF) return refuse(cudaErrorInvalidValue, "cudaHostRegister: flags = %u", flags);
    return register_range(ptr, size);
  });
}

cudaError_t cudaHostUnregister(void* ptr) {
  return guarded([&] { return unregister_range(ptr); });
}

cudaError_t cudaHostGetDevicePointer(void** pDevice, void* pHost, unsigned int flags) {
  return guarded([&] {
    if (pDevice == nullptr || flags != 0)
      return refuse(cudaErrorInvalidValue, "cudaHostGetDevicePointer: flags = %u, or pDevice is NULL", flags);
    const Kind kind = place_of(pHost).kind;
    if (kind != Kind::pinned && kind != Kind::registered)
      return refuse(cudaErrorInvalidValue, "cudaHostGetDevicePointer: %p is not page-locked memory", pHost);
    *pDevice = pHost;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return guarded([&] {
    if (free == nullptr || total == nullptr) return refuse(cudaErrorInvalidValue, "cudaMemGetInfo: NULL");
    *total = machine_bytes();
    const size_t taken = allocated_bytes();
    *free = *total > taken ? *total - taken : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* ptr) {
  return guarded([&] {
    if (attributes == nullptr) return refuse(cudaErrorInvalidValue, "cudaPointerGetAttributes: attributes is NULL");
    void* address = const_cast<void*>(ptr);
    switch (place_of(ptr).kind) {
      case Kind::unknown: *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, address}; break;
      case Kind::device: *attributes = {cudaMemoryTypeDevice, 0, address, nullptr}; break;
      case Kind::managed: *attributes = {cudaMemoryTypeManaged, 0, address, address}; break;
      case Kind::pinned:
      case Kind::registered: *attributes = {cudaMemoryTypeHost, 0, address, address}; break;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpy(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  return guarded([&] { return copy("cudaMemcpy", dst, src, count, kind, nullptr); });
}

cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  return guarded([&] { return copy("cudaMemcpyAsync", dst, src, count, kind, stream); });
}

cudaError_t cudaMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  return guarded([&] { return copy_rows("cudaMemcpy2D", dst, dpitch, src, spitch, width, height, kind, nullptr); });
}

cudaError_t cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return guarded([&] { return copy_rows("cudaMemcpy2DAsync", dst, dpitch, src, spitch, width, height, kind, stream); });
}

cudaError_t cudaMemset(void* devPtr, int value, size_t count) {
  return guarded([&] { return fill_rows("cudaMemset", devPtr, count, value, count, 1, nullptr); });
}

cudaError_t cudaMemsetAsync(void* devPtr, int value, size_t count, cudaStream_t stream) {
  return guarded([&] { return fill_rows("cudaMemsetAsync", devPtr, count, value, count, 1, stream); });
}

cudaError_t cudaMemset2D(void* devPtr, size_t pitch, int value, size_t width, size_t height) {
  return guarded([&] { return fill_rows("cudaMemset2D", devPtr, pitch, value, width, height, nullptr); });
}

cudaError_t cudaMemset2DAsync(void* devPtr, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
  return guarded([&] { return fill_rows("cudaMemset2DAsync", devPtr, pitch, value, width, height, stream); });
}
