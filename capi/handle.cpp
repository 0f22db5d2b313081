// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cstring>

#include "capi/backends.hpp"
#include "capi/objects.hpp"
#include "core/device_pointer.hpp"
#include "core/env.hpp"

using namespace spk;
using namespace spk::capi;

namespace {

constexpr std::int32_t kMaxThreads = 4096;

spk_backend_t backend_from_environment() {
  const char* wanted = env::text(env::SPK_BACKEND);
  if (wanted == nullptr || *wanted == '\0' || std::strcmp(wanted, "auto") == 0) return SPK_BACKEND_AUTO;
  if (std::strcmp(wanted, "cpu") == 0) return SPK_BACKEND_CPU;
  if (std::strcmp(wanted, "cuda") == 0) return SPK_BACKEND_CUDA;
  if (std::strcmp(wanted, "reference") == 0) return SPK_BACKEND_REFERENCE;
  throw Error(SPK_STATUS_INVALID_VALUE, "SPK_BACKEND = \"%s\" but must be auto, cpu, cuda or reference", wanted);
}

spk_backend_t known_backend(std::int32_t number, const char* name) {
  if (number < SPK_BACKEND_AUTO || number > SPK_BACKEND_REFERENCE)
    throw Error(SPK_STATUS_INVALID_VALUE, "%s = %d is not a backend", name, number);
  return number;
}

void check_threads(std::int32_t threads, const char* name) {
  if (threads < 0 || threads > kMaxThreads)
    throw Error(SPK_STATUS_INVALID_VALUE, "%s = %d but must be 0 (default) to %d", name, threads, kMaxThreads);
}

void check_allocator(const spk_allocator_t& hooks) {
  check_struct_size(hooks.struct_size, sizeof(spk_allocator_t), "config->allocator");
  if (hooks.allocate == nullptr || hooks.deallocate == nullptr)
    throw Error(SPK_STATUS_INVALID_VALUE, "config->allocator has a NULL hook; it needs allocate and deallocate");
}

}  // namespace

extern "C" spk_status_t spk_create(spk_handle_t* out, const spk_config_t* config) {
  return guarded(__func__, [&] {
    SPK_REQUIRE_PTR(out) = nullptr;
    spk_config_t choice{};
    if (config != nullptr) {
      check_struct_size(config->struct_size, sizeof choice, "config");
      choice = *config;
    }
    known_backend(choice.backend, "config->backend");
    check_threads(choice.num_threads, "config->num_threads");
    if (choice.device < 0)
      throw Error(SPK_STATUS_INVALID_VALUE, "config->device = %d but must not be negative", choice.device);
    if (choice.allocator != nullptr) check_allocator(*choice.allocator);
    if (choice.backend == SPK_BACKEND_AUTO) choice.backend = backend_from_environment();

    std::string reason;
    const Backend* backend = find_backend(choice.backend, choice.device, reason);
    if (backend == nullptr) throw Error(SPK_STATUS_BACKEND_UNAVAILABLE, "%s", reason.c_str());
    auto handle = std::make_unique<spk_handle>();
    handle->backend = backend;
    find_device_driver();
    handle->num_threads = choice.num_threads;
    handle->check = env::check();
    if (choice.allocator != nullptr) handle->allocator = *choice.allocator;
    *out = handle.release();
  });
}

extern "C" void spk_destroy(spk_handle_t handle) {
  if (handle != nullptr && handle->tag == Tag::handle) delete handle;
}

extern "C" spk_status_t spk_set_stream(spk_handle_t handle, void* stream) {
  return guarded(__func__, handle, [&] { SPK_OBJECT(handle).stream = stream; });
}

extern "C" spk_status_t spk_get_stream(spk_handle_t handle, void** stream) {
  return guarded(__func__, handle, [&] { SPK_REQUIRE_PTR(stream) = SPK_OBJECT(handle).stream; });
}

extern "C" spk_status_t spk_set_pointer_mode(spk_handle_t handle, spk_pointer_mode_t mode) {
  return guarded(__func__, handle, [&] {
    SPK_OBJECT(handle);
    if (mode != SPK_POINTER_MODE_HOST && mode != SPK_POINTER_MODE_DEVICE)
      throw Error(SPK_STATUS_INVALID_VALUE, "mode = %d but must be 0 (host) or 1 (device)", mode);
    handle->pointer_mode = mode;
  });
}

extern "C" spk_status_t spk_get_pointer_mode(spk_handle_t handle, spk_pointer_mode_t* mode) {
  return guarded(__func__, handle, [&] { SPK_REQUIRE_PTR(mode) = SPK_OBJECT(handle).pointer_mode; });
}

extern "C" spk_status_t spk_set_num_threads(spk_handle_t handle, int32_t num_threads) {
  return guarded(__func__, handle, [&] {
    SPK_OBJECT(handle);
    check_threads(num_threads, "num_threads");
    handle->num_threads = num_threads;
  });
}

extern "C" spk_status_t spk_get_num_threads(spk_handle_t handle, int32_t* num_threads) {
  return guarded(__func__, handle, [&] { SPK_REQUIRE_PTR(num_threads) = SPK_OBJECT(handle).threads(); });
}

extern "C" spk_status_t spk_get_backend(spk_handle_t handle, spk_backend_t* backend) {
  return guarded(__func__, handle, [&] { SPK_REQUIRE_PTR(backend) = SPK_OBJECT(handle).backend->kind(); });
}

extern "C" spk_status_t spk_backend_info(spk_backend_t backend, spk_backend_info_t* info) {
  return guarded(__func__, [&] {
    check_struct_size(SPK_REQUIRE_PTR(info).struct_size, sizeof(spk_backend_info_t), "info");
    known_backend(backend, "backend");
    spk_backend_info_t answer{};
    answer.struct_size = info->struct_size;
    std::string reason;
    if (const Backend* found = find_backend(backend, 0, reason); found != nullptr) {
      answer.backend = found->kind();
      answer.available = 1;
      answer.default_threads = found->default_threads();
      answer.name = found->name();
      answer.detail = found->detail();
    } else {
      answer.backend = backend;
      answer.name = "cuda";
      answer.detail = cuda_unavailable_reason();
    }
    *info = answer;
  });
}

extern "C" spk_status_t spk_synchronize(spk_handle_t handle) {
  return guarded(__func__, handle, [&] { SPK_OBJECT(handle).backend->synchronize(handle->stream); });
}

extern "C" spk_status_t spk_set_check(spk_handle_t handle, int32_t on) {
  return guarded(__func__, handle, [&] {
    SPK_OBJECT(handle);
    if (on != 0 && on != 1) throw Error(SPK_STATUS_INVALID_VALUE, "on = %d but must be 0 or 1", on);
    handle->check = on == 1;
  });
}

extern "C" spk_status_t spk_get_check_report(spk_handle_t handle, spk_check_report_t* report) {
  return guarded(__func__, handle, [&] {
    SPK_OBJECT(handle);
    check_struct_size(SPK_REQUIRE_PTR(report).struct_size, sizeof(spk_check_report_t), "report");
    const std::uint32_t size = report->struct_size;
    *report = handle->check_report;
    report->struct_size = size;
  });
}
