// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/backend_from_functions.hpp"
#include "core/error.hpp"
#include "core/plugin.hpp"

// A backend in a shared library of its own: SpMM sets every element of C to 42, SDDMM throws, the rest refuses.
namespace {

using namespace spk;

#ifndef FAKE_VERSION
#define FAKE_VERSION "0.1.0"
#endif
#ifndef FAKE_ABI
#define FAKE_ABI kPluginAbi
#endif

[[noreturn]] void refuse() { throw Error(SPK_STATUS_NOT_SUPPORTED, "the fake plug-in does not do this"); }

class NoPlan final : public Plan {
 public:
  std::string describe() const override { return "fake"; }
};

struct Functions {
  static Choice choose(const auto&) { return {256, "fake"}; }
  static std::unique_ptr<Plan> prepare(const auto&, const Exec&) { return std::make_unique<NoPlan>(); }
  static std::size_t workspace(const auto&, const auto&...) { return 64; }
  static std::int64_t analyze(const auto&, const Exec&) { refuse(); }
  static void run(const SpmmProblem& p, const Plan*, const Exec& exec) {
    if (exec.workspace_bytes < 64) throw Error(SPK_STATUS_INTERNAL_ERROR, "no workspace arrived");
    // Scalars of the device pointer mode arrive as pointers, unread.
    const float value = p.scalars.device_alpha == nullptr ? 42 : *static_cast<const float*>(p.scalars.device_alpha);
    for (std::int64_t i = 0; i < p.c.extent(); ++i) static_cast<float*>(p.c.values)[i] = value;
  }
  static void run(const SddmmProblem&, const Plan*, const Exec&) {
    throw Error(SPK_STATUS_EXECUTION_FAILED, "thrown inside the plug-in");
  }
  static void run(const auto&, const Plan*, const Exec&) { refuse(); }
  static std::int64_t run(const auto&, const Exec&) { refuse(); }
};

class Base : public Backend {
 public:
  spk_backend_t kind() const noexcept override { return SPK_BACKEND_CUDA; }
  const char* name() const noexcept override { return "cuda"; }
  const char* detail() const noexcept override { return "fake device"; }
  int default_threads() const noexcept override { return 0; }
  void validate(const SparseView&, spk_validation_report_t&, const Exec&) const override { refuse(); }
  void synchronize(void*) const override {}
  void* allocate(std::size_t bytes, void*) const noexcept override {
    return std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  }
  void deallocate(void* pointer, std::size_t, void*) const noexcept override { std::free(pointer); }
  bool computes_in_host_memory() const noexcept override { return false; }
  void copy_to_host(void* host, const void* device, std::size_t bytes, void*) const override {
    std::memcpy(host, device, bytes);
  }
  void copy_from_host(void* device, const void* host, std::size_t bytes, void*) const override {
    std::memcpy(device, host, bytes);
  }
};

class FakeBackend final : public BackendFromFunctions<Base, Functions> {};

}  // namespace

#ifndef FAKE_NO_ENTRY
extern "C" __attribute__((visibility("default"))) const spk::PluginTable* spk_plugin_entry();

extern "C" const spk::PluginTable* spk_plugin_entry() {
  static const spk::PluginTable table{sizeof(spk::PluginTable), FAKE_ABI, FAKE_VERSION,
                                      [](std::int32_t device, char* reason, std::size_t capacity) -> spk::Backend* {
#ifdef FAKE_NO_DEVICE
                                        std::snprintf(reason, capacity, "driver too old for device %d", device);
                                        return nullptr;
#else
                                        if (device == 0) return new FakeBackend;
                                        std::snprintf(reason, capacity, "there is no device %d", device);
                                        return nullptr;
#endif
                                      }};
  return &table;
}
#endif
