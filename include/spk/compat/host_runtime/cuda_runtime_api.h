/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#ifndef SPK_HOST_RUNTIME_CUDA_RUNTIME_API_H
#define SPK_HOST_RUNTIME_CUDA_RUNTIME_API_H

/** \file
 *  A CUDA runtime on host memory: programs that use CUDA's libraries compile with a plain C99 or C++17 compiler and run
 *  on a machine with no CUDA, as a check of the program. One device is played; "device memory" is the host's, filled
 *  with 0xFF when it is fresh (NaN in every float type). Work is done when the call returns, so streams are in order by
 *  themselves; events carry the time at which they were recorded.
 *
 *  What the CUDA runtime refuses is refused here too: memory of the wrong kind for the direction of a copy, copies that
 *  leave a block, pointers that no call has handed out, a second free, destroyed streams and events. The environment
 *  variable SPK_HOST_RUNTIME names more, separated by commas: "debug" puts guard bytes around every block, checks them
 *  when it is freed and at exit, and writes a line to stderr for everything that is refused; "leaks" lists at exit what
 *  was not freed.
 *
 *  What is not here (kernels, graphs, textures, memory pools) is not declared. The functions live in
 *  libspk_host_runtime under names of their own (spk_host_cudaMalloc ...), so that a CUDA runtime may be loaded into the
 *  same process. This folder is not meant for the default include path: link spk::host_runtime to get it.
 *
 *  Threads  any; the last error belongs to the calling thread, as in CUDA.
 *  Since    0.1.
 */

#include "driver_types.h"
#include "library_types.h"

#ifdef __CUDA_RUNTIME_API_H__
#error "cuda_runtime_api.h of a CUDA toolkit came first; put spk/compat/host_runtime on the include path instead of it"
#endif
#define __CUDA_RUNTIME_API_H__

/** Tells that this header is spk's stand-in. */
#define SPK_HOST_RUNTIME 1

/** The CUDA whose interface is played. */
#define CUDART_VERSION 13000
#define CUDART_API_VERSION CUDART_VERSION

#define SPK_HOST_CALL(name) __asm__("spk_host_" #name) __attribute__((visibility("default")))
#ifdef __cplusplus
#define SPK_HOST_DEFAULT(value) = value
extern "C" {
#else
#define SPK_HOST_DEFAULT(value)
#endif

/* Errors. The last error of a thread stays until cudaGetLastError has read it. */
cudaError_t cudaGetLastError(void) SPK_HOST_CALL(cudaGetLastError);
cudaError_t cudaPeekAtLastError(void) SPK_HOST_CALL(cudaPeekAtLastError);
const char* cudaGetErrorName(cudaError_t error) SPK_HOST_CALL(cudaGetErrorName);
const char* cudaGetErrorString(cudaError_t error) SPK_HOST_CALL(cudaGetErrorString);

/* Device. There is one, number 0. */
cudaError_t cudaGetDeviceCount(int* count) SPK_HOST_CALL(cudaGetDeviceCount);
cudaError_t cudaGetDevice(int* device) SPK_HOST_CALL(cudaGetDevice);
cudaError_t cudaSetDevice(int device) SPK_HOST_CALL(cudaSetDevice);
cudaError_t cudaSetDeviceFlags(unsigned int flags) SPK_HOST_CALL(cudaSetDeviceFlags);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp* prop, int device) SPK_HOST_CALL(cudaGetDeviceProperties);
cudaError_t cudaDeviceGetAttribute(int* value, enum cudaDeviceAttr attr, int device)
    SPK_HOST_CALL(cudaDeviceGetAttribute);
cudaError_t cudaDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority)
    SPK_HOST_CALL(cudaDeviceGetStreamPriorityRange);
cudaError_t cudaDeviceSynchronize(void) SPK_HOST_CALL(cudaDeviceSynchronize);
/** Frees every block, stream and event. */
cudaError_t cudaDeviceReset(void) SPK_HOST_CALL(cudaDeviceReset);
cudaError_t cudaDriverGetVersion(int* driverVersion) SPK_HOST_CALL(cudaDriverGetVersion);
cudaError_t cudaRuntimeGetVersion(int* runtimeVersion) SPK_HOST_CALL(cudaRuntimeGetVersion);

/* Memory. No bytes give success and NULL; blocks are aligned to 256 bytes. */
cudaError_t cudaMalloc(void** devPtr, size_t size) SPK_HOST_CALL(cudaMalloc);
cudaError_t cudaMallocPitch(void** devPtr, size_t* pitch, size_t width, size_t height) SPK_HOST_CALL(cudaMallocPitch);
cudaError_t cudaMallocHost(void** ptr, size_t size) SPK_HOST_CALL(cudaMallocHost);
cudaError_t cudaHostAlloc(void** pHost, size_t size, unsigned int flags) SPK_HOST_CALL(cudaHostAlloc);
cudaError_t cudaMallocManaged(void** devPtr, size_t size, unsigned int flags SPK_HOST_DEFAULT(cudaMemAttachGlobal))
    SPK_HOST_CALL(cudaMallocManaged);
cudaError_t cudaMallocAsync(void** devPtr, size_t size, cudaStream_t hStream) SPK_HOST_CALL(cudaMallocAsync);
cudaError_t cudaFree(void* devPtr) SPK_HOST_CALL(cudaFree);
cudaError_t cudaFreeHost(void* ptr) SPK_HOST_CALL(cudaFreeHost);
cudaError_t cudaFreeAsync(void* devPtr, cudaStream_t hStream) SPK_HOST_CALL(cudaFreeAsync);
cudaError_t cudaHostRegister(void* ptr, size_t size, unsigned int flags) SPK_HOST_CALL(cudaHostRegister);
cudaError_t cudaHostUnregister(void* ptr) SPK_HOST_CALL(cudaHostUnregister);
cudaError_t cudaHostGetDevicePointer(void** pDevice, void* pHost, unsigned int flags)
    SPK_HOST_CALL(cudaHostGetDevicePointer);
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) SPK_HOST_CALL(cudaMemGetInfo);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes* attributes, const void* ptr)
    SPK_HOST_CALL(cudaPointerGetAttributes);

cudaError_t cudaMemcpy(void* dst, const void* src, size_t count, enum cudaMemcpyKind kind) SPK_HOST_CALL(cudaMemcpy);
cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count, enum cudaMemcpyKind kind,
                            cudaStream_t stream SPK_HOST_DEFAULT(0)) SPK_HOST_CALL(cudaMemcpyAsync);
cudaError_t cudaMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind) SPK_HOST_CALL(cudaMemcpy2D);
cudaError_t cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream SPK_HOST_DEFAULT(0))
    SPK_HOST_CALL(cudaMemcpy2DAsync);
cudaError_t cudaMemset(void* devPtr, int value, size_t count) SPK_HOST_CALL(cudaMemset);
cudaError_t cudaMemsetAsync(void* devPtr, int value, size_t count, cudaStream_t stream SPK_HOST_DEFAULT(0))
    SPK_HOST_CALL(cudaMemsetAsync);
cudaError_t cudaMemset2D(void* devPtr, size_t pitch, int value, size_t width, size_t height)
    SPK_HOST_CALL(cudaMemset2D);
cudaError_t cudaMemset2DAsync(void* devPtr, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream SPK_HOST_DEFAULT(0)) SPK_HOST_CALL(cudaMemset2DAsync);

/* Streams. */
cudaError_t cudaStreamCreate(cudaStream_t* pStream) SPK_HOST_CALL(cudaStreamCreate);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* pStream, unsigned int flags)
    SPK_HOST_CALL(cudaStreamCreateWithFlags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* pStream, unsigned int flags, int priority)
    SPK_HOST_CALL(cudaStreamCreateWithPriority);
cudaError_t cudaStreamDestroy(cudaStream_t stream) SPK_HOST_CALL(cudaStreamDestroy);
cudaError_t cudaStreamSynchronize(cudaStream_t stream) SPK_HOST_CALL(cudaStreamSynchronize);
cudaError_t cudaStreamQuery(cudaStream_t stream) SPK_HOST_CALL(cudaStreamQuery);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags SPK_HOST_DEFAULT(0))
    SPK_HOST_CALL(cudaStreamWaitEvent);
cudaError_t cudaStreamGetFlags(cudaStream_t hStream, unsigned int* flags) SPK_HOST_CALL(cudaStreamGetFlags);
cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int* priority) SPK_HOST_CALL(cudaStreamGetPriority);
/** Calls fn at once: everything before it on the stream is done. */
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void* userData) SPK_HOST_CALL(cudaLaunchHostFunc);

/* Events. */
cudaError_t cudaEventCreate(cudaEvent_t* event) SPK_HOST_CALL(cudaEventCreate);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) SPK_HOST_CALL(cudaEventCreateWithFlags);
cudaError_t cudaEventDestroy(cudaEvent_t event) SPK_HOST_CALL(cudaEventDestroy);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream SPK_HOST_DEFAULT(0)) SPK_HOST_CALL(cudaEventRecord);
cudaError_t cudaEventSynchronize(cudaEvent_t event) SPK_HOST_CALL(cudaEventSynchronize);
cudaError_t cudaEventQuery(cudaEvent_t event) SPK_HOST_CALL(cudaEventQuery);
/** Milliseconds between the records of two events. */
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) SPK_HOST_CALL(cudaEventElapsedTime);

#ifdef __cplusplus
}
#endif

#endif
