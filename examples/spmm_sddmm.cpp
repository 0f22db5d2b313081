// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
// SpMM and SDDMM from C++: descriptors owned by unique_ptr, errors as exceptions, column-major matrices.
#include <spk/spk.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void require(spk_status_t status) {
  if (status == SPK_STATUS_SUCCESS) return;
  std::string message(512, '\0');
  spk_last_error(nullptr, message.data(), message.size(), nullptr);
  throw std::runtime_error(std::string(spk_status_name(status)) + ": " + message.c_str());
}

template <auto kDestroy>
struct Destroy {
  void operator()(auto* object) const noexcept { kDestroy(object); }
};
using Handle = std::unique_ptr<spk_handle, Destroy<spk_destroy>>;
using Sparse = std::unique_ptr<spk_spmat, Destroy<spk_spmat_destroy>>;
using Dense = std::unique_ptr<spk_dnmat, Destroy<spk_dnmat_destroy>>;

Handle make_handle() {
  spk_config_t config{};
  config.struct_size = sizeof config;
  config.backend = SPK_BACKEND_CPU;  // the arrays below are vectors, memory of the host
  spk_handle_t handle = nullptr;
  require(spk_create(&handle, &config));
  return Handle(handle);
}

// The matrix of all examples: entries (0,0) (0,2) (1,3) (2,0) (2,1) of a 3 x 4 matrix, here with 64-bit indices.
struct Pattern {
  std::vector<std::int64_t> row_offsets{0, 2, 3, 5}, col_indices{0, 2, 3, 0, 1};
};

Sparse make_csr(Pattern& pattern, std::vector<double>& values) {
  spk_spmat_t mat = nullptr;
  require(spk_csr_create(&mat, 3, 4, 5, pattern.row_offsets.data(), pattern.col_indices.data(), values.data(),
                         SPK_INDEX_64I, SPK_INDEX_64I, SPK_INDEX_BASE_ZERO, SPK_R_64F));
  return Sparse(mat);
}

Dense make_dense(std::int64_t rows, std::int64_t cols, std::vector<double>& values) {
  spk_dnmat_t mat = nullptr;
  require(spk_dnmat_create(&mat, rows, cols, rows, values.data(), SPK_R_64F, SPK_ORDER_COL));
  return Dense(mat);
}

void expect(const char* what, const std::vector<double>& got, const std::vector<double>& want) {
  if (got != want) throw std::runtime_error(std::string(what) + ": wrong result");
}

void run() {
  Pattern pattern;
  std::vector<double> a{1, 2, 3, 4, 5}, s(5);
  std::vector<double> b{1, 3, 5, 7, 2, 4, 6, 8};  // 4 x 2, column by column
  std::vector<double> p{1, 3, 5, 2, 4, 6};        // 3 x 2
  std::vector<double> c(6, 1.0);                  // 3 x 2
  const double two = 2, one = 1, zero = 0;

  const Handle handle = make_handle();
  const Sparse matA = make_csr(pattern, a), matS = make_csr(pattern, s);
  const Dense matB = make_dense(4, 2, b), matP = make_dense(3, 2, p), matC = make_dense(3, 2, c);

  require(spk_spmm(handle.get(), SPK_OP_N, SPK_OP_N, &two, matA.get(), matB.get(), &one, matC.get(), SPK_COMPUTE_64F,
                   SPK_ALG_DEFAULT, nullptr, 0));
  expect("SpMM", c, {23, 43, 39, 29, 49, 57});

  require(spk_sddmm(handle.get(), SPK_OP_N, SPK_OP_T, &one, matP.get(), matB.get(), &zero, matS.get(), SPK_COMPUTE_64F,
                    SPK_ALG_DEFAULT, nullptr, 0));
  expect("SDDMM", s, {5, 17, 53, 17, 39});
}

}  // namespace

int main() {
  try {
    run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "C++: %s\n", error.what());
    return 1;
  }
  std::puts("C++: right");
}
