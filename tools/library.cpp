// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "library.hpp"

#include <fmt/format.h>

#include "failure.hpp"

namespace spk::tool {

void check(spk_status_t status, spk_handle_t handle) {
  if (status == SPK_STATUS_SUCCESS) return;
  std::size_t needed = 0;
  spk_last_error(handle, nullptr, 0, &needed);
  std::string message(needed, '\0');
  spk_last_error(handle, message.data(), message.size(), nullptr);
  while (!message.empty() && message.back() == '\0') message.pop_back();
  if (message.empty()) message = spk_status_string(status);
  throw Failure(fmt::format("{} ({})", message, spk_status_name(status)));
}

spk_backend_t backend_from_name(std::string_view name, std::string_view option) {
  if (name == "auto") return SPK_BACKEND_AUTO;
  if (name == "cpu") return SPK_BACKEND_CPU;
  if (name == "cuda") return SPK_BACKEND_CUDA;
  if (name == "reference") return SPK_BACKEND_REFERENCE;
  throw UsageError(fmt::format("{} = {} but must be auto, cpu, cuda or reference", option, name));
}

Handle make_handle(spk_backend_t backend, int threads) {
  spk_config_t config{};
  config.struct_size = sizeof config;
  config.backend = backend;
  config.num_threads = threads;
  spk_handle_t handle = nullptr;
  check(spk_create(&handle, &config));
  return Handle(handle);
}

std::vector<spk_backend_info_t> all_backends() {
  std::vector<spk_backend_info_t> backends;
  for (const spk_backend_t backend : {SPK_BACKEND_CPU, SPK_BACKEND_CUDA, SPK_BACKEND_REFERENCE}) {
    spk_backend_info_t info{};
    info.struct_size = sizeof info;
    check(spk_backend_info(backend, &info));
    backends.push_back(info);
  }
  return backends;
}

spk_backend_t backend_of(const Handle& handle) {
  spk_backend_t backend = SPK_BACKEND_AUTO;
  check(spk_get_backend(handle.get(), &backend), handle.get());
  return backend;
}

std::string backend_name(const Handle& handle) {
  spk_backend_info_t info{};
  info.struct_size = sizeof info;
  check(spk_backend_info(backend_of(handle), &info));
  return info.name;
}

}  // namespace spk::tool
