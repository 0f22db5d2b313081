// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "capi/backends.hpp"

#include <map>
#include <mutex>

#include "core/plugin.hpp"
#include "cpu/backend.hpp"

namespace spk::capi {
namespace {

constexpr const char* kCudaPlugin = "libspk_cuda.so";

// One opened device, or the reason why it did not open. Both are remembered: a probe is not repeated.
struct Device {
  Backend* backend = nullptr;
  std::string reason;
};

const Device& cuda_device(std::int32_t ordinal) {
  struct Cuda {
    std::mutex mutex;
    const PluginTable* plugin = nullptr;
    std::string reason;
    std::map<std::int32_t, Device> devices;
    Cuda() { plugin = load_plugin(kCudaPlugin, reason); }
  };
  // Never destroyed: a handle of the application may be used until the very end of the process.
  static Cuda& cuda = *new Cuda;
  const std::lock_guard lock(cuda.mutex);
  const auto [place, is_new] = cuda.devices.try_emplace(ordinal);
  Device& device = place->second;
  if (is_new && cuda.plugin == nullptr) {
    device.reason = cuda.reason;
  } else if (is_new) {
    char text[512] = "";
    device.backend = cuda.plugin->open(ordinal, text, sizeof text);
    if (device.backend == nullptr) device.reason = text;
  }
  return device;
}

}  // namespace

const Backend* find_backend(spk_backend_t kind, std::int32_t device, std::string& reason) {
  static const Backend* const cpu = cpu::make_backend().release();
  static const Backend* const oracle = reference::make_backend().release();
  if (kind == SPK_BACKEND_CPU) return cpu;
  if (kind == SPK_BACKEND_REFERENCE) return oracle;
  const Device& cuda = cuda_device(device);
  if (cuda.backend != nullptr) return cuda.backend;
  if (kind == SPK_BACKEND_AUTO) return cpu;
  reason = "cuda: " + cuda.reason;
  return nullptr;
}

const Oracle& oracle() { return reference::oracle(); }

const char* cuda_unavailable_reason() { return cuda_device(0).reason.c_str(); }

}  // namespace spk::capi
