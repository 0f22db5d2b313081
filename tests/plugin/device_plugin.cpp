// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>
#include <cstring>

#include "core/backend_from_functions.hpp"
#include "core/error.hpp"
#include "core/plugin.hpp"
#include "cpu/backend.hpp"
#include "plugin/arena.hpp"

// The CPU backend's operations on memory that the host must not touch, in the place of libspk_cuda.so: whatever in the
// library, its tools or its tests takes a device pointer for a host pointer faults, on a machine that has no device.
namespace {

using namespace spk;
using fake_device::Arena;

// Neither is ever destroyed: handles may be used until the end of the process.
Arena& arena() {
  static Arena& memory = *new Arena;
  return memory;
}
const Backend& cpu_backend() {
  static const Backend& backend = *spk::cpu::make_backend().release();
  return backend;
}

Exec on_cpu(Exec exec) {
  exec.threads = std::max(1, exec.threads);
  exec.stream = nullptr;
  return exec;
}

template <class T>
Scalar read_as(const void* pointer) {
  T value;
  std::memcpy(&value, pointer, sizeof value);
  if constexpr (requires { value.imag(); })
    return {value.real(), value.imag()};
  else
    return {value, 0};
}

Scalar read_scalar(const void* pointer, ValueType type) {
  switch (type) {
    case ValueType::f64: return read_as<double>(pointer);
    case ValueType::c64: return read_as<c64>(pointer);
    case ValueType::c128: return read_as<c128>(pointer);
    default: return read_as<float>(pointer);
  }
}

// A problem as the CPU takes it: scalars of the device pointer mode are read, as a kernel would read them.
template <class Problem>
Problem with_scalars(Problem p) {
  if constexpr (requires { p.scalars; }) {
    if (p.scalars.device_alpha != nullptr) {
      const Scalars& given = p.scalars;
      p.scalars = Scalars{read_scalar(given.device_alpha, p.compute), read_scalar(given.device_beta, p.compute),
                          nullptr, nullptr};
    }
  }
  return p;
}

// Choosing a kernel and sizing its workspace must not look at arrays, so they leave the arena shut.
struct Functions {
  static Choice choose(const auto& p) { return cpu_backend().choose(p); }
  static std::size_t workspace(const auto& p, const Plan* plan, const Exec& exec) {
    return cpu_backend().workspace(p, plan, on_cpu(exec));
  }
  static std::size_t workspace(const auto& p, const Exec& exec) { return cpu_backend().workspace(p, on_cpu(exec)); }
  static std::unique_ptr<Plan> prepare(const auto& p, const Exec& exec) {
    const Arena::Open open(arena());
    return cpu_backend().prepare(p, on_cpu(exec));
  }
  static void run(const auto& p, const Plan* plan, const Exec& exec) {
    const Arena::Open open(arena());
    cpu_backend().run(with_scalars(p), plan, on_cpu(exec));
  }
  static std::int64_t analyze(const auto& p, const Exec& exec) {
    const Arena::Open open(arena());
    return cpu_backend().analyze(p, on_cpu(exec));
  }
  static auto run(const auto& p, const Exec& exec) {
    const Arena::Open open(arena());
    return cpu_backend().run(with_scalars(p), on_cpu(exec));
  }
};

class Base : public Backend {
 public:
  spk_backend_t kind() const noexcept override { return SPK_BACKEND_CUDA; }
  const char* name() const noexcept override { return "cuda"; }
  const char* detail() const noexcept override { return "stand-in device: the CPU on memory of its own"; }
  int default_threads() const noexcept override { return 1; }
  void validate(const SparseView& a, spk_validation_report_t& report, const Exec& exec) const override {
    const Arena::Open open(arena());
    cpu_backend().validate(a, report, on_cpu(exec));
  }
  void synchronize(void*) const override {}
  void* allocate(std::size_t bytes, void*) const noexcept override { return arena().allocate(bytes); }
  void deallocate(void* pointer, std::size_t, void*) const noexcept override {
    if (pointer != nullptr) arena().deallocate(pointer);
  }
  bool computes_in_host_memory() const noexcept override { return false; }
  void copy_to_host(void* host, const void* device, std::size_t bytes, void*) const override {
    copy(host, device, device, bytes);
  }
  void copy_from_host(void* device, const void* host, std::size_t bytes, void*) const override {
    copy(device, host, device, bytes);
  }
  const char* refuse_pointer(const void* p) const noexcept override {
    return arena().owns(p) ? nullptr : "is host memory, which the device cannot read";
  }

 private:
  static void copy(void* to, const void* from, const void* device, std::size_t bytes) {
    if (bytes == 0) return;
    if (!arena().owns(device)) throw Error(SPK_STATUS_EXECUTION_FAILED, "copy with %p, not of the device", device);
    const Arena::Open open(arena());
    std::memcpy(to, from, bytes);
  }
};

class DeviceBackend final : public BackendFromFunctions<Base, Functions> {};

}  // namespace

extern "C" __attribute__((visibility("default"))) const spk::PluginTable* spk_plugin_entry();

extern "C" const spk::PluginTable* spk_plugin_entry() {
  static const spk::PluginTable table{sizeof(spk::PluginTable), spk::kPluginAbi, "0.1.0",
                                      [](std::int32_t device, char* reason, std::size_t capacity) -> spk::Backend* {
                                        if (device == 0) return new DeviceBackend;
                                        std::snprintf(reason, capacity, "there is no device %d", device);
                                        return nullptr;
                                      }};
  return &table;
}
