// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "dense_copy.hpp"
#include "peers.hpp"
#include "shared_library.hpp"

// sgemm of OpenBLAS on a dense copy of A. Loaded apart from everything else: MKL exports the same names.
namespace spk::bench {

std::vector<PeerCall> openblas_calls(const PeerProblem& given) {
  if (given.workload.problem().operation != tool::Operation::kSpmm || !has_dense_copy(given)) return {};
  struct OpenBlas {
    SharedLibrary library{"SPK_OPENBLAS", {"libopenblas.so.0"}, true};
    Gemm gemm = nullptr;
    void (*set_num_threads)(int) = nullptr;
    OpenBlas() {
      library.find("cblas_sgemm", gemm);
      library.find("openblas_set_num_threads", set_num_threads);
    }
  };
  static const OpenBlas loaded;
  if (!loaded.library) return {};
  loaded.set_num_threads(given.threads);
  return {{"openblas_sgemm", PeerKind::dense, dense_call(given, loaded.gemm)}};
}

}  // namespace spk::bench
