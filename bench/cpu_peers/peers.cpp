// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "peers.hpp"

#include <algorithm>
#include <iterator>

namespace spk::bench {

std::vector<PeerCall> peer_calls(const PeerProblem& problem, const std::vector<std::string>& names) {
  std::vector<PeerCall> calls;
  for (const auto peer : {textbook_calls, mkl_calls, eigen_calls, rsb_calls, openblas_calls}) {
    auto more = peer(problem);
    std::move(more.begin(), more.end(), std::back_inserter(calls));
  }
  if (!names.empty()) {
    std::erase_if(calls, [&](const PeerCall& call) {
      return call.kind != PeerKind::loop && std::find(names.begin(), names.end(), call.name) == names.end();
    });
  }
  return calls;
}

}  // namespace spk::bench
