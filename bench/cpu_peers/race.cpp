// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "race.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "failure.hpp"

namespace spk::bench {
namespace {

using tool::Operation;

// Infinity where one side is not finite: such a race is no race.
double largest_difference(const float* got, const float* want, std::size_t count) {
  double largest = 0;
  double difference = 0;
  for (std::size_t t = 0; t < count; ++t) {
    if (!std::isfinite(got[t]) || !std::isfinite(want[t])) return INFINITY;
    largest = std::max(largest, std::fabs(static_cast<double>(want[t])));
    difference = std::max(difference, std::fabs(static_cast<double>(got[t]) - static_cast<double>(want[t])));
  }
  return largest > 0 ? difference / largest : difference;
}

}  // namespace

const Contender* Race::best(PeerKind kind) const {
  const Contender* found = nullptr;
  for (const Contender& peer : peers)
    if (peer.kind == kind && (found == nullptr || peer.timing.median < found->timing.median)) found = &peer;
  return found;
}

const Contender& Race::rival() const {
  const Contender* library = best(PeerKind::sparse);
  return library != nullptr ? *library : peers.front();
}

Race race(const tool::CsrMatrix& matrix, const tool::Problem& problem, const tool::Handle& handle,
          const tool::Limits& limits, int samples, const std::vector<std::string>& peers) {
  if (matrix.index_type != SPK_INDEX_32I) throw tool::Failure(matrix.name + ": the peers take 32-bit indices only");
  const tool::Workload workload(matrix, problem);
  const tool::Runner one_shot(handle, workload, false);
  const tool::Runner plan(handle, workload, true);
  std::optional<tool::Runner> kept;
  if (problem.operation == Operation::kSpmm) kept.emplace(handle, workload, true, true);
  const tool::Buffer peer_out(workload.result().bytes());
  const auto calls = peer_calls({matrix, workload, peer_out.as<float>(), limits.threads}, peers);

  std::vector<tool::Timed> contenders;
  for (const PeerCall& peer : calls) contenders.emplace_back(peer.call);
  contenders.push_back(one_shot.timed());
  contenders.push_back(plan.timed());
  if (kept) contenders.push_back(kept->timed());
  tool::TimingPlan timing;
  timing.samples = samples;
  const auto timings = tool::time_interleaved(contenders, timing);

  Race result;
  result.file = matrix.name;
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  result.nnz = matrix.nnz;
  result.sparsity = matrix.sparsity();
  result.operation = problem.operation;
  result.order = problem.order;
  result.transposed = problem.operation == Operation::kSpmm && problem.opA != SPK_OP_N;
  result.n = problem.operation == Operation::kSoftmax ? 1 : problem.n;
  result.flops = workload.flops();
  result.bytes = workload.bytes();
  result.bound_seconds = limits.bound_seconds(result.flops, result.bytes, false);
  result.one_shot_kernel = one_shot.description();
  result.plan_kernel = plan.description();
  for (std::size_t p = 0; p < calls.size(); ++p) result.peers.push_back({calls[p].name, calls[p].kind, timings[p]});
  result.one_shot = timings[calls.size()];
  result.plan = timings[calls.size() + 1];
  if (kept) {
    result.kept_kernel = kept->description();
    result.kept = timings[calls.size() + 2];
  }

  // All contenders of a side leave their result in the same place: look at each alone, against the textbook's.
  const std::size_t count = problem.operation == Operation::kSpmm ? workload.result().bytes() / sizeof(float)
                                                                  : static_cast<std::size_t>(matrix.nnz);
  const tool::Buffer want(peer_out.bytes());
  calls.front().call();
  std::memcpy(want.data(), peer_out.data(), count * sizeof(float));
  const auto compare = [&](const tool::Buffer& got) {
    result.difference = std::max(result.difference, largest_difference(got.as<float>(), want.as<float>(), count));
  };
  for (const PeerCall& peer : calls) {
    std::memset(peer_out.data(), 0xff, count * sizeof(float));
    peer.call();
    compare(peer_out);
  }
  for (const tool::Runner* runner : {&one_shot, &plan, kept ? static_cast<const tool::Runner*>(&*kept) : nullptr}) {
    if (runner == nullptr) continue;
    (*runner)();
    compare(workload.result());
  }
  return result;
}

}  // namespace spk::bench
