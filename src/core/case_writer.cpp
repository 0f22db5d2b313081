// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/case_writer.hpp"

#include <cmath>

#include "core/error.hpp"

namespace spk {
namespace {

Scalar value_at(const void* data, ValueType type, std::int64_t i) {
  return visit(type, [&](auto tag) -> Scalar {
    using T = typename decltype(tag)::type;
    const T value = static_cast<const T*>(data)[i];
    if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>)
      return {static_cast<double>(to_float(value)), 0};
    else if constexpr (std::is_same_v<T, c64> || std::is_same_v<T, c128>)
      return {static_cast<double>(value.real()), static_cast<double>(value.imag())};
    else
      return {static_cast<double>(value), 0};
  });
}

const void* first_value(const SparseView& a) {
  const std::int64_t position = a.first_entry * a.block_size * a.block_size;
  return advance_bytes(static_cast<const void*>(a.values), position * static_cast<std::int64_t>(size_of(a.value_type)));
}

void print(std::FILE* file, double value) {
  if (std::isnan(value))
    std::fputs("\"nan\"", file);
  else if (std::isinf(value))
    std::fputs(value > 0 ? "\"inf\"" : "\"-inf\"", file);
  else if (value == 0 && std::signbit(value))
    std::fputs("\"-0.0\"", file);
  else
    std::fprintf(file, "%.17g", value);
}

void print(std::FILE* file, Scalar value, bool is_complex) {
  if (!is_complex) return print(file, value.re);
  std::fputc('[', file);
  print(file, value.re);
  std::fputs(", ", file);
  print(file, value.im);
  std::fputc(']', file);
}

}  // namespace

CaseWriter::CaseWriter(std::string path) : path_(std::move(path)), file_(std::fopen((path_ + ".part").c_str(), "w")) {
  if (file_ == nullptr) throw Error(SPK_STATUS_IO_ERROR, "SPK_DUMP_DIR: cannot write %s", path_.c_str());
  std::fputs("{\n", file_);
}

CaseWriter::~CaseWriter() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::remove((path_ + ".part").c_str());
}

void CaseWriter::key(const char* name) {
  std::fprintf(file_, "%s  \"%s\": ", first_ ? "" : ",\n", name);
  first_ = false;
}

void CaseWriter::text(const char* name, const char* value) {
  key(name);
  std::fprintf(file_, "\"%s\"", value);
}

void CaseWriter::integer(const char* name, std::int64_t value) {
  key(name);
  std::fprintf(file_, "%lld", static_cast<long long>(value));
}

void CaseWriter::raw(const char* name, const char* json) {
  key(name);
  std::fputs(json, file_);
}

void CaseWriter::number(const char* name, Scalar value, bool is_complex) {
  key(name);
  print(file_, value, is_complex);
}

void CaseWriter::list(const void* data, ValueType type, std::int64_t count) {
  if (data == nullptr) {
    std::fputs("null", file_);
    return;
  }
  std::fputc('[', file_);
  for (std::int64_t i = 0; i < count; ++i) {
    if (i != 0) std::fputs(", ", file_);
    print(file_, value_at(data, type, i), is_complex(type));
  }
  std::fputc(']', file_);
}

void CaseWriter::values(const char* name, const void* data, ValueType type, std::int64_t count) {
  key(name);
  list(data, type, count);
}

void CaseWriter::indices(const char* name, const void* data, IndexType type, std::int64_t first, std::int64_t count,
                         std::int64_t subtract) {
  key(name);
  if (data == nullptr) {
    std::fputs("null", file_);
    return;
  }
  std::fputc('[', file_);
  for (std::int64_t i = 0; i < count; ++i)
    std::fprintf(file_, "%s%lld", i == 0 ? "" : ", ",
                 static_cast<long long>(index_at(data, type, first + i) - subtract));
  std::fputc(']', file_);
}

void CaseWriter::sparse(const SparseView& a, bool with_values) {
  const bool has_blocks = a.format == Format::bsr || a.format == Format::blocked_ell;
  text("format", name_of(a.format));
  text("index_type", name_of(a.index_type));
  text("offset_type", name_of(a.offset_type == IndexType::none ? a.index_type : a.offset_type));
  integer("index_base", a.base);
  integer("a_rows", a.rows);
  integer("a_cols", a.cols);
  const bool is_sell = a.format == Format::sell;
  integer("nnz", a.format == Format::bsr ? a.nnzb : is_sell ? a.unpadded_nnz : a.nnz);
  if (is_sell) integer("slice_size", a.slice_size);
  if (has_blocks) integer("block_dim", a.block_size);
  if (a.format == Format::bsr) text("block_layout", name_of(a.block_order));
  if (a.format == Format::blocked_ell) integer("ell_cols", a.ell_cols);
  // A slice is written as a matrix of its own: offsets from the base, arrays from its first entry.
  const std::int64_t last = a.batch_count - 1;
  if (a.offset_type != IndexType::none)
    indices(a.format == Format::csc ? "col_offsets"
            : is_sell               ? "slice_offsets"
                                    : "row_offsets",
            a.offsets, a.offset_type, 0, last * a.offsets_stride + a.major() + 1, a.first_entry);
  const std::int64_t stored = last * a.indices_stride + a.nnzb;
  if (a.format == Format::csc || a.format == Format::coo)
    indices("row_indices", a.row_indices, a.index_type, a.first_entry, stored);
  if (a.format != Format::csc)
    indices(a.format == Format::blocked_ell ? "ell_col_ind" : "col_indices", a.col_indices, a.index_type, a.first_entry,
            stored);
  if (with_values) sparse_values("values", a);
  if (a.batch_count > 1) {
    integer("batch_count", a.batch_count);
    integer("batch_strideA_offsets", a.offsets_stride);
    integer("batch_strideA_values", a.values_stride);
  }
}

void CaseWriter::sparse_values(const char* name, const SparseView& a) {
  values(name, first_value(a), a.value_type, (a.batch_count - 1) * a.values_stride + a.nnz);
}

void CaseWriter::expected_values(const SparseView& a) {
  expected("values", first_value(a), a.value_type, (a.batch_count - 1) * a.values_stride + a.nnz);
}

void CaseWriter::dense(const char* name, const DenseView& x) {
  values(name, x.values, x.type, x.extent() == 0 ? 0 : (x.batch_count - 1) * x.batch_stride + x.extent());
}

void CaseWriter::expected(const char* name, const void* data, ValueType type, std::int64_t count) {
  expected({{name, data, type, count}});
}

void CaseWriter::expected(std::initializer_list<Result> results) {
  key("expected");
  for (const Result& result : results) {
    std::fprintf(file_, "%s\"%s\": ", &result == results.begin() ? "{" : ", ", result.key);
    list(result.data, result.type, result.count);
  }
  std::fputc('}', file_);
}

void CaseWriter::finish() {
  std::fputs("\n}\n", file_);
  const bool written = std::ferror(file_) == 0 && std::fclose(file_) == 0;
  file_ = nullptr;
  if (!written || std::rename((path_ + ".part").c_str(), path_.c_str()) != 0) {
    std::remove((path_ + ".part").c_str());
    throw Error(SPK_STATUS_IO_ERROR, "SPK_DUMP_DIR: cannot write %s", path_.c_str());
  }
}

}  // namespace spk
