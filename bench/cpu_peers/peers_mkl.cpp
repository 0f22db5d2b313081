// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cstdlib>

#include "dense_copy.hpp"
#include "peers.hpp"
#include "shared_library.hpp"

// oneMKL, loaded at run time where it is installed (SPK_MKL names libmkl_rt.so otherwise): the inspector-executor
// routines with and without mkl_sparse_optimize, the deprecated scsrmm, and sgemm on a dense copy. Names, values and
// arguments are those of its reference manual.
namespace spk::bench {
namespace {

constexpr int kSuccess = 0, kNonTranspose = 10, kTranspose = 11, kBaseZero = 0, kRowMajor = 101, kColMajor = 102;
struct Description {
  int type = 20;  // general
  int mode = 0, diagonal = 0;
};

struct Mkl {
  SharedLibrary library{"SPK_MKL", {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"}, false};
  int (*create_csr)(void**, int, int, int, int*, int*, int*, float*) = nullptr;
  int (*set_mm_hint)(void*, int, Description, int, int, int) = nullptr;
  int (*set_mv_hint)(void*, int, Description, int) = nullptr;
  int (*optimize)(void*) = nullptr;
  int (*mm)(int, float, void*, Description, int, const float*, int, int, float, float*, int) = nullptr;
  int (*mv)(int, float, void*, Description, const float*, float, float*) = nullptr;
  int (*destroy)(void*) = nullptr;
  void (*scsrmm)(const char*, const int*, const int*, const int*, const float*, const char*, const float*, const int*,
                 const int*, const int*, const float*, const int*, const float*, float*, const int*) = nullptr;
  Gemm gemm = nullptr;
  void (*set_num_threads)(int) = nullptr;
  int (*set_threading_layer)(int) = nullptr;

  Mkl() {
    library.find("mkl_sparse_s_create_csr", create_csr);
    library.find("mkl_sparse_set_mm_hint", set_mm_hint);
    library.find("mkl_sparse_set_mv_hint", set_mv_hint);
    library.find("mkl_sparse_optimize", optimize);
    library.find("mkl_sparse_s_mm", mm);
    library.find("mkl_sparse_s_mv", mv);
    library.find("mkl_sparse_destroy", destroy);
    library.find("MKL_Set_Num_Threads", set_num_threads);
    library.find_optional("MKL_Set_Threading_Layer", set_threading_layer);  // of libmkl_rt alone
    library.find("cblas_sgemm", gemm);
    library.find_optional("mkl_scsrmm", scsrmm);
  }
};

// NULL where there is no MKL. The layer of threads cannot be changed after the first call.
const Mkl* mkl(int threads) {
  static const Mkl loaded;
  static const bool usable = [threads] {
    constexpr int kSequential = 1, kGnu = 3;
    if (!loaded.library) return false;
    if (loaded.set_threading_layer != nullptr) loaded.set_threading_layer(threads == 1 ? kSequential : kGnu);
    return true;
  }();
  if (!usable) return nullptr;
  loaded.set_num_threads(threads);
  return &loaded;
}

std::shared_ptr<void> make_matrix(const Mkl& mkl, const tool::CsrMatrix& matrix) {
  void* made = nullptr;
  int* offsets = matrix.row_offsets.as<int>();
  if (mkl.create_csr(&made, kBaseZero, static_cast<int>(matrix.rows), static_cast<int>(matrix.cols), offsets,
                     offsets + 1, matrix.col_indices.as<int>(), matrix.values.as<float>()) != kSuccess)
    return nullptr;
  return {made, [destroy = mkl.destroy](void* p) { destroy(p); }};
}

}  // namespace

std::vector<PeerCall> mkl_calls(const PeerProblem& given) {
  const tool::Problem& problem = given.workload.problem();
  if (problem.operation != tool::Operation::kSpmm) return {};
  const Mkl* const api = mkl(given.threads);
  if (api == nullptr) return {};
  const bool row = problem.order == SPK_ORDER_ROW;
  const int m = static_cast<int>(given.matrix.rows), k = static_cast<int>(given.matrix.cols);
  const int op = given.transposed() ? kTranspose : kNonTranspose;
  const int rows_of_c = static_cast<int>(given.rows_of_c()), inner = static_cast<int>(given.inner());
  const int n = static_cast<int>(problem.n), layout = row ? kRowMajor : kColMajor;
  const float* b = given.workload.right().as<float>();
  float* c = given.out;
  std::vector<PeerCall> calls;
  for (const bool optimized : {false, true}) {
    const std::shared_ptr<void> a = make_matrix(*api, given.matrix);
    if (a == nullptr) continue;
    if (optimized) {
      constexpr int kCalls = 1000;
      const int hinted = n == 1 ? api->set_mv_hint(a.get(), op, Description(), kCalls)
                                : api->set_mm_hint(a.get(), op, Description(), layout, n, kCalls);
      if (hinted != kSuccess || api->optimize(a.get()) != kSuccess) continue;
    }
    const char* name = optimized ? "mkl_optimized" : "mkl";
    if (n == 1)
      calls.push_back({name, PeerKind::sparse, [=] { api->mv(op, 1, a.get(), Description(), b, 0, c); }});
    else
      calls.push_back(
          {name, PeerKind::sparse,
           [=] { api->mm(op, 1, a.get(), Description(), layout, b, n, row ? n : inner, 0, c, row ? n : rows_of_c); }});
  }
  if (api->scsrmm != nullptr && row) {  // base 0 means row-major to this routine
    const float* values = given.matrix.values.as<float>();
    const int* indices = given.matrix.col_indices.as<int>();
    const int* offsets = given.matrix.row_offsets.as<int>();
    calls.push_back({"mkl_scsrmm", PeerKind::sparse, [=] {
                       const float one = 1, zero = 0;
                       api->scsrmm(op == kTranspose ? "T" : "N", &m, &n, &k, &one, "GxxC", values, indices, offsets,
                                   offsets + 1, b, &n, &zero, c, &n);
                     }});
  }
  if (has_dense_copy(given)) calls.push_back({"mkl_sgemm", PeerKind::dense, dense_call(given, api->gemm)});
  return calls;
}

}  // namespace spk::bench
