// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cpu/backend.hpp"

#include "core/backend_from_functions.hpp"
#include "core/validate_structure.hpp"
#include "cpu/host_memory.hpp"
#include "cpu/isa.hpp"
#include "cpu/operations.hpp"
#include "cpu/parallel.hpp"

namespace spk::cpu {

void HostBackend::validate(const SparseView& a, spk_validation_report_t& report, const Exec&) const {
  validate_structure(a, report);
}

namespace {

struct Functions {
  static auto choose(const auto& p) { return cpu::choose(p); }
  static auto prepare(const auto& p, const Exec& exec) { return cpu::prepare(p, exec); }
  static auto analyze(const auto& p, const Exec& exec) { return cpu::analyze(p, exec); }
  static auto workspace(const auto& p, const auto&... rest) { return cpu::workspace(p, rest...); }
  static auto run(const auto& p, const auto&... rest) { return cpu::run(p, rest...); }
};

class CpuBackend final : public BackendFromFunctions<HostBackend, Functions> {
 public:
  spk_backend_t kind() const noexcept override { return SPK_BACKEND_CPU; }
  const char* name() const noexcept override { return "cpu"; }
  const char* detail() const noexcept override { return name_of(available_isa()); }
  int default_threads() const noexcept override { return cpu::default_threads(); }
};

}  // namespace

std::unique_ptr<Backend> make_backend() { return std::make_unique<CpuBackend>(); }

}  // namespace spk::cpu
