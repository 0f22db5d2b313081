// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
// Streams and events. Work is done when its call returns, so a stream has nothing to wait for and an event is a time.
#include "host_runtime/queues.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <mutex>

using Clock = std::chrono::steady_clock;

struct CUstream_st {
  unsigned int flags;
  int priority;
};

struct CUevent_st {
  unsigned int flags;
  bool is_recorded;
  Clock::time_point time;
};

namespace spk::host_runtime {
namespace {

constexpr int kGreatestPriority = -5;

// Objects of one type that are not destroyed yet.
template <class Object>
using Objects = std::map<Object*, std::unique_ptr<Object>>;

struct Registry {
  std::mutex mutex;
  Objects<CUstream_st> streams;
  Objects<CUevent_st> events;
};

// Never destroyed: destructors of the program's own objects may still destroy streams.
Registry& registry() {
  static Registry* const only = new Registry;
  return *only;
}

bool has_fixed_name(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

template <class Object>
Object* add(Objects<Object>& objects, const Object& object) {
  auto owned = std::make_unique<Object>(object);
  Object* const key = owned.get();
  objects.emplace(key, std::move(owned));
  return key;
}

cudaError_t create_stream(const char* call, cudaStream_t* out, unsigned int flags, int priority) {
  if (out == nullptr || flags > cudaStreamNonBlocking)
    return refuse(cudaErrorInvalidValue, "%s: flags = %u, or the pointer to the result is NULL", call, flags);
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  // Priorities out of range are taken to its ends.
  const int clamped = priority > 0 ? 0 : priority < kGreatestPriority ? kGreatestPriority : priority;
  *out = add(all.streams, CUstream_st{flags, clamped});
  return cudaSuccess;
}

cudaError_t create_event(const char* call, cudaEvent_t* out, unsigned int flags) {
  constexpr unsigned int known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  if (out == nullptr || (flags & ~known) != 0)
    return refuse(cudaErrorInvalidValue, "%s: flags = %u, or the pointer to the result is NULL", call, flags);
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  *out = add(all.events, CUevent_st{flags, false, {}});
  return cudaSuccess;
}

// Calls body(event) while the registry is locked.
template <class Body>
cudaError_t with_event(const char* call, cudaEvent_t event, Body&& body) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.events.find(event);
  if (found == all.events.end())
    return refuse(cudaErrorInvalidResourceHandle, "%s: %p is no event, or was destroyed before", call,
                  static_cast<void*>(event));
  return body(*found->second);
}

}  // namespace

cudaError_t check_stream(const char* call, cudaStream_t stream) {
  if (has_fixed_name(stream)) return cudaSuccess;
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  if (all.streams.count(stream) != 0) return cudaSuccess;
  return refuse(cudaErrorInvalidResourceHandle, "%s: %p is no stream, or was destroyed before", call,
                static_cast<void*>(stream));
}

void reset_queues() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.streams.clear();
  all.events.clear();
}

}  // namespace spk::host_runtime

using namespace spk::host_runtime;

cudaError_t cudaDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  if (leastPriority != nullptr) *leastPriority = 0;
  if (greatestPriority != nullptr) *greatestPriority = kGreatestPriority;
  return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t* pStream) {
  return guarded([&] { return create_stream("cudaStreamCreate", pStream, cudaStreamDefault, 0); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* pStream, unsigned int flags) {
  return guarded([&] { return create_stream("cudaStreamCreateWithFlags", pStream, flags, 0); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* pStream, unsigned int flags, int priority) {
  return guarded([&] { return create_stream("cudaStreamCreateWithPriority", pStream, flags, priority); });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return guarded([&] {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    if (all.streams.erase(stream) == 1) return cudaSuccess;
    return refuse(cudaErrorInvalidResourceHandle, "cudaStreamDestroy: %p is no stream, or was destroyed before",
                  static_cast<void*>(stream));
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return guarded([&] { return check_stream("cudaStreamSynchronize", stream); });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return guarded([&] { return check_stream("cudaStreamQuery", stream); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  return guarded([&] {
    if (flags > 1) return refuse(cudaErrorInvalidValue, "cudaStreamWaitEvent: flags = %u", flags);
    const cudaError_t error = check_stream("cudaStreamWaitEvent", stream);
    return error != cudaSuccess ? error
                                : with_event("cudaStreamWaitEvent", event, [](CUevent_st&) { return cudaSuccess; });
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t hStream, unsigned int* flags) {
  return guarded([&] {
    if (flags == nullptr) return refuse(cudaErrorInvalidValue, "cudaStreamGetFlags: flags is NULL");
    const cudaError_t error = check_stream("cudaStreamGetFlags", hStream);
    if (error == cudaSuccess) *flags = has_fixed_name(hStream) ? cudaStreamDefault : hStream->flags;
    return error;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int* priority) {
  return guarded([&] {
    if (priority == nullptr) return refuse(cudaErrorInvalidValue, "cudaStreamGetPriority: priority is NULL");
    const cudaError_t error = check_stream("cudaStreamGetPriority", hStream);
    if (error == cudaSuccess) *priority = has_fixed_name(hStream) ? 0 : hStream->priority;
    return error;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void* userData) {
  return guarded([&] {
    if (fn == nullptr) return refuse(cudaErrorInvalidValue, "cudaLaunchHostFunc: fn is NULL");
    const cudaError_t error = check_stream("cudaLaunchHostFunc", stream);
    if (error == cudaSuccess) fn(userData);
    return error;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return guarded([&] { return create_event("cudaEventCreate", event, cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return guarded([&] { return create_event("cudaEventCreateWithFlags", event, flags); });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return guarded([&] {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    if (all.events.erase(event) == 1) return cudaSuccess;
    return refuse(cudaErrorInvalidResourceHandle, "cudaEventDestroy: %p is no event, or was destroyed before",
                  static_cast<void*>(event));
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return guarded([&] {
    const cudaError_t error = check_stream("cudaEventRecord", stream);
    if (error != cudaSuccess) return error;
    return with_event("cudaEventRecord", event, [](CUevent_st& recorded) {
      recorded.is_recorded = true;
      recorded.time = Clock::now();
      return cudaSuccess;
    });
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return guarded([&] { return with_event("cudaEventSynchronize", event, [](CUevent_st&) { return cudaSuccess; }); });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return guarded([&] { return with_event("cudaEventQuery", event, [](CUevent_st&) { return cudaSuccess; }); });
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  return guarded([&] {
    if (ms == nullptr) return refuse(cudaErrorInvalidValue, "cudaEventElapsedTime: ms is NULL");
    Clock::time_point times[2];
    const cudaEvent_t events[2] = {start, end};
    for (int i = 0; i < 2; ++i) {
      const cudaError_t error = with_event("cudaEventElapsedTime", events[i], [&](CUevent_st& event) {
        if (!event.is_recorded || (event.flags & cudaEventDisableTiming) != 0)
          return refuse(cudaErrorInvalidResourceHandle, "cudaEventElapsedTime: %s event %s", i == 0 ? "start" : "end",
                        event.is_recorded ? "has no timing" : "was never recorded");
        times[i] = event.time;
        return cudaSuccess;
      });
      if (error != cudaSuccess) return error;
    }
    *ms = std::chrono::duration<float, std::milli>(times[1] - times[0]).count();
    return cudaSuccess;
  });
}
