// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <dlfcn.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>

namespace spk::cases {

// Streams and graphs of the CUDA driver that the process has loaded, for programs that are built without CUDA. Failures
// throw std::runtime_error.
class CudaDriver {
 public:
  // NULL where no driver is loaded: before the first handle on CUDA, and on a stand-in device. Makes the primary context
  // of a device the thread's current one.
  static const CudaDriver* find(int device = 0) {
    static const CudaDriver driver;
    if (driver.library_ == nullptr) return nullptr;
    driver.make_current(device);
    return &driver;
  }

  void make_current(int device) const {
    check(init_(0), "cuInit");
    int found = 0;
    check(device_get_(&found, device), "cuDeviceGet");
    void* context = nullptr;
    check(context_retain_(&context, found), "cuDevicePrimaryCtxRetain");
    check(context_set_(context), "cuCtxSetCurrent");
  }
  int attribute(int name, int device) const {
    int value = 0;
    check(device_attribute_(&value, name, device), "cuDeviceGetAttribute");
    return value;
  }
  // Whether the device follows every pointer of the host.
  bool reads_pageable_memory(int device = 0) const { return attribute(88, device) != 0; }

  void* create_stream() const {  // one that does not wait for the default stream
    void* stream = nullptr;
    check(stream_create_(&stream, 1), "cuStreamCreate");
    return stream;
  }
  void destroy_stream(void* stream) const { check(stream_destroy_(stream), "cuStreamDestroy"); }
  void wait(void* stream) const { check(stream_wait_(stream), "cuStreamSynchronize"); }

  // Everything that this thread queues on the stream becomes a graph; calls that a capture does not allow fail in
  // every thread.
  void begin_capture(void* stream) const { check(begin_capture_(stream, 0), "cuStreamBeginCapture"); }
  void* end_capture(void* stream) const {
    void* graph = nullptr;
    check(end_capture_(stream, &graph), "cuStreamEndCapture");
    void* executable = nullptr;
    check(graph_instantiate_(&executable, graph, 0), "cuGraphInstantiateWithFlags");
    check(graph_destroy_(graph), "cuGraphDestroy");
    return executable;
  }
  void launch(void* executable, void* stream) const { check(graph_launch_(executable, stream), "cuGraphLaunch"); }
  void destroy_graph(void* executable) const { check(executable_destroy_(executable), "cuGraphExecDestroy"); }

  // Holds the stream up for a while.
  void pause(void* stream, const std::chrono::milliseconds& time) const {
    const auto sleep = [](void* count) {
      std::this_thread::sleep_for(std::chrono::milliseconds(reinterpret_cast<std::intptr_t>(count)));
    };
    check(host_function_(stream, sleep, reinterpret_cast<void*>(static_cast<std::intptr_t>(time.count()))),
          "cuLaunchHostFunc");
  }
  // Page-locked memory, so that copies are queued rather than done at once.
  void* allocate_host(std::size_t bytes) const {
    void* memory = nullptr;
    check(allocate_host_(&memory, bytes), "cuMemAllocHost");
    return memory;
  }
  void free_host(void* memory) const { check(free_host_(memory), "cuMemFreeHost"); }
  void copy(void* to, const void* from, std::size_t bytes, void* stream) const {
    check(copy_(reinterpret_cast<std::uintptr_t>(to), reinterpret_cast<std::uintptr_t>(from), bytes, stream),
          "cuMemcpyAsync");
  }

 private:
  using Status = int;

  CudaDriver() : library_(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD)) {
    if (library_ == nullptr) return;
    load(init_, "cuInit");
    load(device_get_, "cuDeviceGet");
    load(device_attribute_, "cuDeviceGetAttribute");
    load(context_retain_, "cuDevicePrimaryCtxRetain");
    load(context_set_, "cuCtxSetCurrent");
    load(stream_create_, "cuStreamCreate");
    load(stream_destroy_, "cuStreamDestroy_v2");
    load(stream_wait_, "cuStreamSynchronize");
    load(begin_capture_, "cuStreamBeginCapture_v2");
    load(end_capture_, "cuStreamEndCapture");
    load(graph_instantiate_, "cuGraphInstantiateWithFlags");
    load(graph_destroy_, "cuGraphDestroy");
    load(graph_launch_, "cuGraphLaunch");
    load(executable_destroy_, "cuGraphExecDestroy");
    load(host_function_, "cuLaunchHostFunc");
    load(allocate_host_, "cuMemAllocHost_v2");
    load(free_host_, "cuMemFreeHost");
    load(copy_, "cuMemcpyAsync");
  }

  template <class Function>
  void load(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(library_, name));
    if (function == nullptr) throw std::runtime_error(std::string("the CUDA driver has no ") + name);
  }
  static void check(Status status, const char* call) {
    if (status != 0) throw std::runtime_error(std::string(call) + " answered " + std::to_string(status));
  }

  void* library_;
  Status (*init_)(unsigned) = nullptr;
  Status (*device_get_)(int*, int) = nullptr;
  Status (*device_attribute_)(int*, int, int) = nullptr;
  Status (*context_retain_)(void**, int) = nullptr;
  Status (*context_set_)(void*) = nullptr;
  Status (*stream_create_)(void**, unsigned) = nullptr;
  Status (*stream_destroy_)(void*) = nullptr;
  Status (*stream_wait_)(void*) = nullptr;
  Status (*begin_capture_)(void*, int) = nullptr;
  Status (*end_capture_)(void*, void**) = nullptr;
  Status (*graph_instantiate_)(void**, void*, unsigned long long) = nullptr;
  Status (*graph_destroy_)(void*) = nullptr;
  Status (*graph_launch_)(void*, void*) = nullptr;
  Status (*executable_destroy_)(void*) = nullptr;
  Status (*host_function_)(void*, void (*)(void*), void*) = nullptr;
  Status (*allocate_host_)(void**, std::size_t) = nullptr;
  Status (*free_host_)(void*) = nullptr;
  Status (*copy_)(std::uintptr_t, std::uintptr_t, std::size_t, void*) = nullptr;
};

}  // namespace spk::cases
