// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cpu/backend.hpp"
#include "core/backend_from_functions.hpp"
#include "cpu/host_memory.hpp"
#include "cpu/reference/operations.hpp"

namespace spk::reference {
namespace {

// The oracle has nothing to prepare; a plan only says that it was asked for.
class NothingPrepared final : public Plan {
 public:
  std::string describe() const override { return "reference: nothing is kept"; }
};

struct Functions {
  static Choice choose(const auto& p) {
    if (p.alg >= 256) return {0, "reference: has no kernels to choose from"};
    return {256, "reference"};
  }
  static std::unique_ptr<Plan> prepare(const auto&, const Exec&) { return std::make_unique<NothingPrepared>(); }
  static std::size_t workspace(const auto&, const auto&...) { return 0; }
  static std::int64_t analyze(const auto& p, const Exec&) { return reference::analyze(p); }
  static auto run(const auto& p, const auto&...) { return reference::run(p); }
};

class ReferenceBackend final : public BackendFromFunctions<cpu::HostBackend, Functions> {
 public:
  spk_backend_t kind() const noexcept override { return SPK_BACKEND_REFERENCE; }
  const char* name() const noexcept override { return "reference"; }
  const char* detail() const noexcept override { return "plain loops, one thread"; }
  int default_threads() const noexcept override { return 1; }
};

class ReferenceOracle final : public Oracle {
 public:
  Verdict judge(const SpmmProblem& p, const DenseView& got) const override { return reference::judge(p, got); }
  Verdict judge(const SddmmProblem& p, const SparseView& got) const override { return reference::judge(p, got); }
  Verdict judge(const SoftmaxProblem& p, const SparseView& got) const override { return reference::judge(p, got); }
  Verdict judge(const SoftmaxBackwardProblem& p, const SparseView& got) const override {
    return reference::judge(p, got);
  }
  Verdict judge(const VectorProblem& p, const VectorProblem& got) const override { return reference::judge(p, got); }
};

}  // namespace

const Oracle& oracle() {
  static const ReferenceOracle judge;
  return judge;
}

std::unique_ptr<Backend> make_backend() { return std::make_unique<ReferenceBackend>(); }

}  // namespace spk::reference
