// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <spk/spk_io.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

#include "io/csr.hpp"
#include "io/error.hpp"
#include "io/read.hpp"
#include "io/write.hpp"

// Every entry point of libspk_io, and its checks of arguments.
namespace spk::io {
namespace {

constexpr std::uint32_t kFirstOptionsSize = sizeof(spk_io_options_t);
constexpr std::uint32_t kFirstInfoSize = sizeof(spk_io_info_t);
constexpr int kMostThreads = 4096;

[[noreturn]] void invalid(const std::string& what) { throw Error(SPK_STATUS_INVALID_VALUE, what); }

void require(const void* pointer, const char* name) {
  if (pointer == nullptr) invalid(format("%s is NULL", name));
}

void require_array(const void* pointer, const char* name, std::int64_t elements, std::size_t alignment) {
  if (pointer == nullptr && elements > 0) {
    invalid(format("%s is NULL but has %lld elements", name, static_cast<long long>(elements)));
  }
  if (reinterpret_cast<std::uintptr_t>(pointer) % alignment != 0) {
    invalid(format("%s = %p but must be a multiple of %zu bytes, the size of its elements", name, pointer, alignment));
  }
}

// Of a complex value, that of its parts.
std::size_t value_alignment(spk_value_type_t type) {
  switch (type) {
    case SPK_R_16F:
    case SPK_R_16BF: return sizeof(std::uint16_t);
    case SPK_R_32F:
    case SPK_C_32F: return sizeof(float);
    default: return sizeof(double);
  }
}

ReadRequest check_options(const spk_io_options_t* options) {
  ReadRequest request;
  if (options == nullptr) return request;
  if (options->struct_size < kFirstOptionsSize) {
    invalid(format("options->struct_size = %u but must be >= %u", options->struct_size, kFirstOptionsSize));
  }
  if (options->struct_size > sizeof(spk_io_options_t)) {
    // A caller built against a later release may leave the members that this one does not know at zero only.
    const auto* const bytes = reinterpret_cast<const unsigned char*>(options);
    if (std::any_of(bytes + sizeof(spk_io_options_t), bytes + options->struct_size,
                    [](unsigned char b) { return b != 0; })) {
      invalid(format("options->struct_size = %u: a member beyond the %zu bytes that this release knows is set",
                     options->struct_size, sizeof(spk_io_options_t)));
    }
  }
  if (options->index_type != 0 && options->index_type != SPK_INDEX_32I && options->index_type != SPK_INDEX_64I) {
    invalid(
        format("options->index_type = %d but must be 0, SPK_INDEX_32I (2) or SPK_INDEX_64I (3)", options->index_type));
  }
  if (options->threads < 0 || options->threads > kMostThreads) {
    invalid(format("options->threads = %d but must be in 0..%d", options->threads, kMostThreads));
  }
  request.index_type = options->index_type;
  request.threads = options->threads;
  request.keep_stored_triangle = options->keep_stored_triangle != 0;
  return request;
}

// Types of a copy, and whether the matrix fits them.
ArrayTypes check_copy(const spk_io_matrix& matrix, spk_index_type_t index_type, spk_index_base_t index_base,
                      spk_value_type_t value_type) {
  const ArrayTypes types{index_type, index_base, value_type};
  check_types(types);
  if (matrix.field == SPK_IO_COMPLEX && value_type != SPK_C_32F && value_type != SPK_C_64F) {
    invalid(format("value_type = %d is real but the matrix is complex", value_type));
  }
  if (index_type == SPK_INDEX_32I && needs_wide(std::max(matrix.rows, matrix.cols))) {
    throw Error(SPK_STATUS_INDEX_OVERFLOW,
                format("index_type = SPK_INDEX_32I but the matrix is %lld x %lld", static_cast<long long>(matrix.rows),
                       static_cast<long long>(matrix.cols)));
  }
  return types;
}

template <class Open>
spk_status_t read(const char* function, spk_io_matrix_t* out, const char* name, const char* name_argument,
                  const spk_io_options_t* options, const Open& open) {
  return guarded(function, [&] {
    require(out, "out");
    *out = nullptr;
    require(name, name_argument);
    const ReadRequest request = check_options(options);
    *out = read_matrix(name, open(), request).release();
  });
}

}  // namespace
}  // namespace spk::io

extern "C" {

spk_status_t spk_io_read(spk_io_matrix_t* out, const char* path, const spk_io_options_t* options) {
  return spk::io::read(__func__, out, path, "path", options, [&] { return spk::io::open_file(path); });
}

spk_status_t spk_io_read_memory(spk_io_matrix_t* out, const char* name, const void* data, size_t size,
                                const spk_io_options_t* options) {
  return spk::io::read(__func__, out, name, "name", options, [&] {
    if (size > 0) spk::io::require(data, "data");
    return spk::io::open_memory(name, data, size);
  });
}

void spk_io_matrix_destroy(spk_io_const_matrix_t matrix) { delete matrix; }

spk_status_t spk_io_get_info(spk_io_const_matrix_t matrix, spk_io_info_t* info) {
  using namespace spk::io;
  return guarded(__func__, [&] {
    require(matrix, "matrix");
    require(info, "info");
    if (info->struct_size < kFirstInfoSize) {
      invalid(format("info->struct_size = %u but must be >= %u", info->struct_size, kFirstInfoSize));
    }
    spk_io_info_t facts{};
    facts.struct_size = info->struct_size;
    facts.field = matrix->field;
    facts.symmetry = matrix->symmetry;
    facts.is_array = matrix->is_array ? 1 : 0;
    facts.index_type = matrix->index_type;
    facts.is_row_ordered = matrix->is_row_ordered ? 1 : 0;
    facts.rows = matrix->rows;
    facts.cols = matrix->cols;
    facts.stored = matrix->stored;
    facts.nnz = matrix->nnz;
    std::memcpy(info, &facts, sizeof facts);
  });
}

spk_status_t spk_io_get_csr(spk_io_const_matrix_t matrix, spk_index_type_t index_type, spk_index_base_t index_base,
                            spk_value_type_t value_type, int64_t* nnz, void* row_offsets, void* col_indices,
                            void* values) {
  using namespace spk::io;
  return guarded(__func__, [&] {
    require(matrix, "matrix");
    const ArrayTypes types = check_copy(*matrix, index_type, index_base, value_type);
    const bool is_query = row_offsets == nullptr && col_indices == nullptr && values == nullptr;
    if (is_query) require(nnz, "nnz");
    const std::int64_t count = count_csr(*matrix);
    if (index_type == SPK_INDEX_32I && needs_wide(count + index_base)) {
      throw Error(SPK_STATUS_INDEX_OVERFLOW,
                  format("index_type = SPK_INDEX_32I but the matrix has %lld entries", static_cast<long long>(count)));
    }
    if (!is_query) {
      require_array(row_offsets, "row_offsets", matrix->rows + 1, index_bytes(index_type));
      require_array(col_indices, "col_indices", count, index_bytes(index_type));
      require_array(values, "values", 0, value_alignment(value_type));
      fill_csr(*matrix, types, row_offsets, col_indices, values);
    }
    if (nnz != nullptr) *nnz = count;
  });
}

spk_status_t spk_io_get_coo(spk_io_const_matrix_t matrix, spk_index_type_t index_type, spk_index_base_t index_base,
                            spk_value_type_t value_type, void* row_indices, void* col_indices, void* values) {
  using namespace spk::io;
  return guarded(__func__, [&] {
    require(matrix, "matrix");
    const ArrayTypes types = check_copy(*matrix, index_type, index_base, value_type);
    require_array(row_indices, "row_indices", matrix->nnz, index_bytes(index_type));
    require_array(col_indices, "col_indices", matrix->nnz, index_bytes(index_type));
    require_array(values, "values", 0, value_alignment(value_type));
    fill_coo(*matrix, types, row_indices, col_indices, values);
  });
}

spk_status_t spk_io_write_csr(const char* path, int64_t rows, int64_t cols, int64_t nnz, const void* row_offsets,
                              const void* col_indices, const void* values, spk_index_type_t index_type,
                              spk_index_base_t index_base, spk_value_type_t value_type) {
  using namespace spk::io;
  return guarded(__func__, [&] {
    require(path, "path");
    const ArrayTypes types{index_type, index_base, value_type};
    check_types(types);
    const auto require_size = [](const char* name, std::int64_t size) {
      if (size < 0) invalid(format("%s = %lld but must be >= 0", name, static_cast<long long>(size)));
    };
    require_size("rows", rows);
    require_size("cols", cols);
    require_size("nnz", nnz);
    if (rows == std::numeric_limits<std::int64_t>::max()) invalid("rows = 2^63 - 1 but rows + 1 must fit 64 bits");
    require_array(row_offsets, "row_offsets", rows + 1, index_bytes(index_type));
    require_array(col_indices, "col_indices", nnz, index_bytes(index_type));
    require_array(values, "values", 0, value_alignment(value_type));
    write_csr(path, {rows, cols, nnz, row_offsets, col_indices, values, types});
  });
}

const char* spk_io_last_error(void) { return spk::io::last_error(); }

}  // extern "C"
