// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
// The one device that is played. It claims what an H100 can do, so that no program turns away a type for its sake.
#include <unistd.h>

#include <cstdio>

#include "host_runtime/blocks.hpp"
#include "host_runtime/queues.hpp"

using namespace spk::host_runtime;

namespace {

cudaDeviceProp describe() {
  cudaDeviceProp prop = {};
  std::snprintf(prop.name, sizeof prop.name, "spk host runtime");
  prop.totalGlobalMem = machine_bytes();
  prop.sharedMemPerBlock = 49152;
  prop.sharedMemPerBlockOptin = 232448;
  prop.sharedMemPerMultiprocessor = 233472;
  prop.regsPerBlock = 65536;
  prop.regsPerMultiprocessor = 65536;
  prop.warpSize = 32;
  prop.memPitch = 2147483647;
  prop.maxThreadsPerBlock = 1024;
  prop.maxThreadsDim[0] = 1024;
  prop.maxThreadsDim[1] = 1024;
  prop.maxThreadsDim[2] = 64;
  prop.maxGridSize[0] = 2147483647;
  prop.maxGridSize[1] = 65535;
  prop.maxGridSize[2] = 65535;
  prop.totalConstMem = 65536;
  prop.major = 9;
  prop.minor = 0;
  prop.textureAlignment = 512;
  prop.multiProcessorCount = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  prop.integrated = 1;
  prop.canMapHostMemory = 1;
  prop.concurrentKernels = 1;
  prop.asyncEngineCount = 1;
  prop.unifiedAddressing = 1;
  prop.memoryBusWidth = 64;
  prop.l2CacheSize = 1 << 20;
  prop.maxThreadsPerMultiProcessor = 2048;
  prop.streamPrioritiesSupported = 1;
  prop.managedMemory = 1;
  prop.pageableMemoryAccess = 1;
  prop.concurrentManagedAccess = 1;
  return prop;
}

cudaError_t check_device(const char* call, int device) {
  return device == 0 ? cudaSuccess
                     : refuse(cudaErrorInvalidDevice, "%s: device = %d but there is only 0", call, device);
}

cudaError_t write_version(const char* call, int* version) {
  if (version == nullptr) return refuse(cudaErrorInvalidValue, "%s: the pointer to the result is NULL", call);
  *version = CUDART_VERSION;
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  return guarded([&] {
    if (count == nullptr) return refuse(cudaErrorInvalidValue, "cudaGetDeviceCount: count is NULL");
    *count = 1;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return guarded([&] {
    if (device == nullptr) return refuse(cudaErrorInvalidValue, "cudaGetDevice: device is NULL");
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return guarded([&] { return check_device("cudaSetDevice", device); });
}

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  return guarded([&] {
    constexpr unsigned int known =
        cudaDeviceScheduleSpin | cudaDeviceScheduleYield | cudaDeviceScheduleBlockingSync | cudaDeviceMapHost;
    return (flags & ~known) == 0 ? cudaSuccess : refuse(cudaErrorInvalidValue, "cudaSetDeviceFlags: flags = %u", flags);
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* prop, int device) {
  return guarded([&] {
    if (prop == nullptr) return refuse(cudaErrorInvalidValue, "cudaGetDeviceProperties: prop is NULL");
    const cudaError_t error = check_device("cudaGetDeviceProperties", device);
    if (error == cudaSuccess) *prop = describe();
    return error;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attr, int device) {
  return guarded([&] {
    if (value == nullptr) return refuse(cudaErrorInvalidValue, "cudaDeviceGetAttribute: value is NULL");
    const cudaError_t error = check_device("cudaDeviceGetAttribute", device);
    if (error != cudaSuccess) return error;
    const cudaDeviceProp prop = describe();
    switch (attr) {
      case cudaDevAttrMaxThreadsPerBlock: *value = prop.maxThreadsPerBlock; break;
      case cudaDevAttrMaxBlockDimX: *value = prop.maxThreadsDim[0]; break;
      case cudaDevAttrMaxGridDimX: *value = prop.maxGridSize[0]; break;
      case cudaDevAttrMaxSharedMemoryPerBlock: *value = static_cast<int>(prop.sharedMemPerBlock); break;
      case cudaDevAttrWarpSize: *value = prop.warpSize; break;
      case cudaDevAttrClockRate: *value = prop.clockRate; break;
      case cudaDevAttrMultiProcessorCount: *value = prop.multiProcessorCount; break;
      case cudaDevAttrIntegrated: *value = prop.integrated; break;
      case cudaDevAttrCanMapHostMemory: *value = prop.canMapHostMemory; break;
      case cudaDevAttrConcurrentKernels: *value = prop.concurrentKernels; break;
      case cudaDevAttrMemoryClockRate: *value = prop.memoryClockRate; break;
      case cudaDevAttrGlobalMemoryBusWidth: *value = prop.memoryBusWidth; break;
      case cudaDevAttrL2CacheSize: *value = prop.l2CacheSize; break;
      case cudaDevAttrMaxThreadsPerMultiProcessor: *value = prop.maxThreadsPerMultiProcessor; break;
      case cudaDevAttrUnifiedAddressing: *value = prop.unifiedAddressing; break;
      case cudaDevAttrComputeCapabilityMajor: *value = prop.major; break;
      case cudaDevAttrComputeCapabilityMinor: *value = prop.minor; break;
      case cudaDevAttrManagedMemory: *value = prop.managedMemory; break;
      case cudaDevAttrPageableMemoryAccess: *value = prop.pageableMemoryAccess; break;
      case cudaDevAttrConcurrentManagedAccess: *value = prop.concurrentManagedAccess; break;
      case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = static_cast<int>(prop.sharedMemPerBlockOptin); break;
      case cudaDevAttrMemoryPoolsSupported: *value = 0; break;
      default:
        return refuse(cudaErrorInvalidValue, "cudaDeviceGetAttribute: attr = %d is not known here",
                      static_cast<int>(attr));
    }
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }

cudaError_t cudaDeviceReset() {
  return guarded([&] {
    reset_blocks();
    reset_queues();
    return cudaSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int* driverVersion) {
  return guarded([&] { return write_version("cudaDriverGetVersion", driverVersion); });
}

cudaError_t cudaRuntimeGetVersion(int* runtimeVersion) {
  return guarded([&] { return write_version("cudaRuntimeGetVersion", runtimeVersion); });
}
