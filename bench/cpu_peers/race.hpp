// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <string>
#include <vector>

#include "limits.hpp"
#include "matrix_file.hpp"
#include "peers.hpp"
#include "timing.hpp"
#include "workload.hpp"

namespace spk::bench {

struct Contender {
  std::string name;
  PeerKind kind;
  tool::Timing timing;
};

// One problem, all contenders, timed in turn in one process with warm caches.
struct Race {
  std::string file;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  double sparsity = 0;
  tool::Operation operation = tool::Operation::kSpmm;
  spk_order_t order = SPK_ORDER_ROW;
  bool transposed = false;  // SpMM: op(A) is A^T
  std::int64_t n = 0;
  double flops = 0;
  double bytes = 0;
  double bound_seconds = 0;  // no program with warm caches is faster on this machine
  std::string one_shot_kernel;
  std::string plan_kernel;
  std::string kept_kernel;       // empty: not SpMM
  std::vector<Contender> peers;  // the textbook's loop first
  tool::Timing one_shot, plan;
  tool::Timing kept;      // a plan that keeps values, as MKL's optimize does; SpMM only
  double difference = 0;  // largest |result - textbook| of any contender, over the largest textbook value

  const tool::Timing& textbook() const { return peers.front().timing; }
  // The fastest of a kind, NULL if there is none.
  const Contender* best(PeerKind kind) const;
  // Of the sparse libraries; the textbook's loop where none takes part.
  const Contender& rival() const;
  double one_shot_ratio() const { return rival().timing.median / one_shot.median; }
  double plan_ratio() const { return rival().timing.median / plan.median; }
  bool has_kept() const { return !kept_kernel.empty(); }
  double kept_ratio() const { return rival().timing.median / kept.median; }
};

// f32, 32-bit indices. `n` is the inner size for SDDMM and has no meaning for softmax.
// `peers`: names, empty for all.
Race race(const tool::CsrMatrix& matrix, const tool::Problem& problem, const tool::Handle& handle,
          const tool::Limits& limits, int samples, const std::vector<std::string>& peers);

}  // namespace spk::bench
