// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <spk/spk.h>

#include <cstdint>

// One call of SpMM or SDDMM as cuSPARSE's getters describe it, and whether spk should run it.
namespace spk::preload {

enum class Operation { spmm, sddmm };

// Arguments as cuSPARSE gets them: A and B, then C, one of A and C is sparse.
struct Arguments {
  Operation operation;
  void* handle;
  int op_a, op_b;
  const void* alpha;
  const void* mat_a;
  const void* mat_b;
  const void* beta;
  const void* mat_c;
  int compute_type;
  int alg;

  bool operator==(const Arguments&) const = default;
};

struct SparseMatrix {
  int format;
  int64_t rows, cols, nnz;
  const void *offsets, *indices, *values;  // COO: row and column indices
  int offset_type, index_type, base, type;
};

struct DenseMatrix {
  int64_t rows, cols, ld;
  const void* values;
  int type, order;
};

struct Product {
  SparseMatrix sparse;
  DenseMatrix first;   // SpMM: B; SDDMM: A
  DenseMatrix second;  // SpMM: C; SDDMM: B
  int64_t n;           // SpMM: columns of C; SDDMM: the inner size
  double density;
};

const void* sparse_matrix(const Arguments& arguments);

// A number for all that the need of workspace depends on: everything but pointers and scalars.
std::uint64_t shape(const Arguments& arguments, const Product& product);

// The lowest speed-up measured for products like this one, if B has the order of C; 0 where none was measured.
double measured_speedup(const Arguments& arguments, const Product& product);

// Fills `product`; NULL, or why it is left to cuSPARSE.
const char* refuse(const Arguments& arguments, Product* product);

// One line about a decision, if they are asked for.
void log_decision(const Arguments& arguments, const Product& product, const char* call, const char* decision);

}  // namespace spk::preload
