// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "preload/product.hpp"

#include <algorithm>
#include <cstdio>

#include "preload/driver.hpp"
#include "preload/notes.hpp"
#include "preload/options.hpp"
#include "preload/real.hpp"

namespace spk::preload {
namespace {

const char* read_sparse(const void* mat, SparseMatrix* out) {
  int batches = 0;
  if (call_real(Name::SpMatGetFormat, mat, &out->format) != kSuccess) return "the sparse matrix cannot be read";
  if (call_real(Name::SpMatGetStridedBatch, mat, &batches) != kSuccess || batches > 1)
    return "a batch, whose strides cuSPARSE does not tell";
  int status = kNotSupported;
  if (out->format == SPK_FORMAT_CSR) {
    status = call_real(Name::ConstCsrGet, mat, &out->rows, &out->cols, &out->nnz, &out->offsets, &out->indices,
                       &out->values, &out->offset_type, &out->index_type, &out->base, &out->type);
  } else if (out->format == SPK_FORMAT_COO) {
    status = call_real(Name::ConstCooGet, mat, &out->rows, &out->cols, &out->nnz, &out->offsets, &out->indices,
                       &out->values, &out->index_type, &out->base, &out->type);
    out->offset_type = out->index_type;
  } else {
    return "neither CSR nor COO";
  }
  return status == kSuccess ? nullptr : "the sparse matrix cannot be read";
}

const char* read_dense(const void* mat, DenseMatrix* out) {
  int batches = 0;
  int64_t stride = 0;
  if (call_real(Name::DnMatGetStridedBatch, mat, &batches, &stride) != kSuccess || batches > 1)
    return "a batch of dense matrices";
  const int status =
      call_real(Name::ConstDnMatGet, mat, &out->rows, &out->cols, &out->ld, &out->values, &out->type, &out->order);
  return status == kSuccess ? nullptr : "a dense matrix cannot be read";
}

bool is_half(int type) { return type == SPK_R_16F || type == SPK_R_16BF; }

// The combinations whose scalars and sums have the same type in cuSPARSE and spk.
bool has_known_types(int in, int other, int out, int compute) {
  if (in != other) return false;
  if (is_half(in)) return compute == SPK_COMPUTE_32F && (out == in || out == SPK_R_32F);
  if (in != SPK_R_32F && in != SPK_R_64F && in != SPK_C_32F && in != SPK_C_64F) return false;
  return out == in && compute == in;
}

// Whether the device, not the host, is what the product takes its time from: whether cuSPARSE needs more than about 40 us
// for it, which is what one call takes PyTorch on the host. Its time goes with the products of an entry and a column, a
// narrow B being as good as one of 64 or 16 columns (bench/results/cusparse-preload-09fd256.json). It is quickest by far
// with everything by rows.
bool keeps_device_busy(const Arguments& a, const Product& p) {
  const bool by_rows = p.second.order == SPK_ORDER_ROW && a.op_b == SPK_OP_N;
  const auto products = [&p](int64_t narrowest) {
    return static_cast<double>(p.sparse.nnz) * static_cast<double>(std::max(p.n, narrowest));
  };
  if (options().min_products >= 0) return products(1) >= options().min_products;
  return by_rows ? products(64) >= 5e7 : products(16) >= 6e6;
}

// What the choice goes by: the sparse matrix, and of SpMM C, of SDDMM B. NULL, or why spk does not take it.
const char* describe_size(const Arguments& a, Product* p) {
  if (a.handle == nullptr || a.mat_a == nullptr || a.mat_b == nullptr || a.mat_c == nullptr || a.alpha == nullptr ||
      a.beta == nullptr)
    return "an argument is NULL";
  const bool is_spmm = a.operation == Operation::spmm;
  if (const char* why = read_sparse(sparse_matrix(a), &p->sparse)) return why;
  if (const char* why = read_dense(is_spmm ? a.mat_c : a.mat_b, &p->second)) return why;
  const SparseMatrix& s = p->sparse;
  if (!is_spmm && s.format != SPK_FORMAT_CSR) return "SDDMM other than CSR";
  const bool inner_is_cols = a.op_b != SPK_OP_N;
  p->n = is_spmm || inner_is_cols ? p->second.cols : p->second.rows;
  if (s.rows <= 0 || s.cols <= 0 || s.nnz <= 0 || p->n <= 0) return "nothing to multiply";
  p->density = static_cast<double>(s.nnz) / static_cast<double>(s.rows) / static_cast<double>(s.cols);
  return nullptr;
}

// The rest.
const char* describe_operands(const Arguments& a, Product* p) {
  const bool is_spmm = a.operation == Operation::spmm;
  if (has_attribute(sparse_matrix(a))) return "an attribute of the sparse matrix";
  if (const char* why = read_dense(is_spmm ? a.mat_b : a.mat_a, &p->first)) return why;
  const int in = is_spmm ? p->sparse.type : p->first.type, out = is_spmm ? p->second.type : p->sparse.type;
  return has_known_types(in, is_spmm ? p->first.type : p->second.type, out, a.compute_type) ? nullptr : "types";
}

}  // namespace

const void* sparse_matrix(const Arguments& a) { return a.operation == Operation::spmm ? a.mat_a : a.mat_c; }

std::uint64_t shape(const Arguments& a, const Product& p) {
  const SparseMatrix& s = p.sparse;
  std::uint64_t hash = 14695981039346656037u;
  const auto add = [&](std::int64_t value) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 1099511628211u;
    hash ^= hash >> 29;
  };
  for (const int value : {static_cast<int>(a.operation), a.op_a, a.op_b, a.compute_type, s.format, s.offset_type,
                          s.index_type, s.base, s.type, current_device()})
    add(value);
  for (const std::int64_t value : {s.rows, s.cols, s.nnz}) add(value);
  for (const DenseMatrix* d : {&p.first, &p.second}) {
    for (const std::int64_t value : {d->rows, d->cols, d->ld}) add(value);
    add(d->type);
    add(d->order);
  }
  return hash;
}

double measured_speedup(const Arguments& a, const Product& p) {
  enum Values { F32, HALF, OTHER };
  enum { N = SPK_OP_N, T = SPK_OP_T, ROW = SPK_ORDER_ROW, COL = SPK_ORDER_COL };
  enum { DEFAULT = 1, ALG1 = 2, ALG2 = 4, ALG3 = 8 };
  struct Row {
    Values values;
    int order, op_b, algs;
    int64_t least_size, most_size, least_n, most_n;
    double least_density, most_density, lowest;
  };
  constexpr Row kRows[] = {
#define SPK_SPEEDUP(values, order, op_b, algs, least_size, most_size, least_n, most_n, least_density, most_density, \
                    lowest)                                                                                         \
  {values, order, op_b, algs, least_size, most_size, least_n, most_n, least_density, most_density, lowest},
#include "preload/speedups.inc"
#undef SPK_SPEEDUP
  };
  const SparseMatrix& s = p.sparse;
  if (a.operation != Operation::spmm || s.format != SPK_FORMAT_CSR || a.op_a != SPK_OP_N) return 0;
  const Values values = s.type == SPK_R_32F ? F32 : is_half(s.type) ? HALF : OTHER;
  const int alg = a.alg == SPK_ALG_DEFAULT     ? DEFAULT
                  : a.alg == SPK_SPMM_CSR_ALG1 ? ALG1
                  : a.alg == SPK_SPMM_CSR_ALG2 ? ALG2
                  : a.alg == SPK_SPMM_CSR_ALG3 ? ALG3
                                               : 0;
  const int64_t least = std::min(s.rows, s.cols), most = std::max(s.rows, s.cols);
  for (const Row& row : kRows) {
    if (row.values == values && least >= row.least_size && most <= row.most_size && row.order == p.second.order &&
        row.op_b == a.op_b && (row.algs & alg) != 0 && p.n >= row.least_n && p.n <= row.most_n &&
        p.density >= row.least_density && p.density <= row.most_density)
      return row.lowest;
  }
  return 0;
}

const char* refuse(const Arguments& a, Product* p) {
  const Options& asked = options();
  if (asked.is_off) return "off";
  if (const char* why = describe_size(a, p)) return why;
  // What most products that are left to cuSPARSE are left for comes first, since for them every question costs time.
  if (!asked.takes_all) {
    const double speedup = measured_speedup(a, *p);
    if (speedup == 0) return "no measurement says that spk is faster";
    if (!keeps_device_busy(a, *p)) return "too small: the host would take longer";
    if (speedup < asked.min_speedup) return "below SPK_CUSPARSE_MIN_SPEEDUP";
    if (!is_measured(current_device())) return "nothing was measured on this device";
  }
  if (const char* why = describe_operands(a, p)) return why;
  if (!asked.takes_all && p->first.order != p->second.order) return "B and C are in different orders";
  return nullptr;
}

void log_decision(const Arguments& a, const Product& p, const char* call, const char* decision) {
  if (!options().logs) return;
  const SparseMatrix& s = p.sparse;
  std::fprintf(
      stderr,
      "spk cusparse preload: %s format %d type %d %lldx%lld nnz %lld n %lld ops %d %d orders %d %d alg %d: %s\n", call,
      s.format, s.type, static_cast<long long>(s.rows), static_cast<long long>(s.cols), static_cast<long long>(s.nnz),
      static_cast<long long>(p.n), a.op_a, a.op_b, p.first.order, p.second.order, a.alg, decision);
}

}  // namespace spk::preload
