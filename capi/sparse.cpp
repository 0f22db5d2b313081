// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "capi/sparse.hpp"

#include "capi/pointers.hpp"
#include "core/checked.hpp"

using namespace spk;
using namespace spk::capi;

namespace {

using Long = long long;

template <class Out>
void create(Out* out, bool is_const, const SparseView& view) {
  auto object = std::make_unique<spk_spmat>();
  object->is_const = is_const;
  object->view = view;
  *out = object.release();
}

}  // namespace

// The const and the plain form of a create function differ in the descriptor they make and nothing else.
#define SPK_CREATE(make)                                                         \
  guarded(__func__, [&] {                                                        \
    SPK_REQUIRE_PTR(out) = nullptr;                                              \
    constexpr bool is_const = std::is_same_v<decltype(out), spk_const_spmat_t*>; \
    create(out, is_const, make);                                                 \
  })

extern "C" spk_status_t spk_csr_create(spk_spmat_t* out, int64_t rows, int64_t cols, int64_t nnz, void* row_offsets,
                                       void* col_indices, void* values, spk_index_type_t offset_type,
                                       spk_index_type_t index_type, spk_index_base_t index_base,
                                       spk_value_type_t value_type) {
  return SPK_CREATE(make_compressed(Format::csr, rows, cols, nnz, row_offsets, col_indices, values, offset_type,
                                    index_type, index_base, value_type));
}

extern "C" spk_status_t spk_csr_create_const(spk_const_spmat_t* out, int64_t rows, int64_t cols, int64_t nnz,
                                             const void* row_offsets, const void* col_indices, const void* values,
                                             spk_index_type_t offset_type, spk_index_type_t index_type,
                                             spk_index_base_t index_base, spk_value_type_t value_type) {
  return SPK_CREATE(make_compressed(Format::csr, rows, cols, nnz, row_offsets, col_indices, values, offset_type,
                                    index_type, index_base, value_type));
}

extern "C" spk_status_t spk_csc_create(spk_spmat_t* out, int64_t rows, int64_t cols, int64_t nnz, void* col_offsets,
                                       void* row_indices, void* values, spk_index_type_t offset_type,
                                       spk_index_type_t index_type, spk_index_base_t index_base,
                                       spk_value_type_t value_type) {
  return SPK_CREATE(make_compressed(Format::csc, rows, cols, nnz, col_offsets, row_indices, values, offset_type,
                                    index_type, index_base, value_type));
}

extern "C" spk_status_t spk_csc_create_const(spk_const_spmat_t* out, int64_t rows, int64_t cols, int64_t nnz,
                                             const void* col_offsets, const void* row_indices, const void* values,
                                             spk_index_type_t offset_type, spk_index_type_t index_type,
                                             spk_index_base_t index_base, spk_value_type_t value_type) {
  return SPK_CREATE(make_compressed(Format::csc, rows, cols, nnz, col_offsets, row_indices, values, offset_type,
                                    index_type, index_base, value_type));
}

extern "C" spk_status_t spk_coo_create(spk_spmat_t* out, int64_t rows, int64_t cols, int64_t nnz, void* row_indices,
                                       void* col_indices, void* values, spk_index_type_t index_type,
                                       spk_index_base_t index_base, spk_value_type_t value_type) {
  return SPK_CREATE(make_coo(rows, cols, nnz, row_indices, col_indices, values, index_type, index_base, value_type));
}

extern "C" spk_status_t spk_coo_create_const(spk_const_spmat_t* out, int64_t rows, int64_t cols, int64_t nnz,
                                             const void* row_indices, const void* col_indices, const void* values,
                                             spk_index_type_t index_type, spk_index_base_t index_base,
                                             spk_value_type_t value_type) {
  return SPK_CREATE(make_coo(rows, cols, nnz, row_indices, col_indices, values, index_type, index_base, value_type));
}

extern "C" spk_status_t spk_bsr_create(spk_spmat_t* out, int64_t block_rows, int64_t block_cols, int64_t nnzb,
                                       int64_t row_block, int64_t col_block, void* block_row_offsets,
                                       void* block_col_indices, void* values, spk_index_type_t offset_type,
                                       spk_index_type_t index_type, spk_index_base_t index_base,
                                       spk_value_type_t value_type, spk_order_t block_order) {
  return SPK_CREATE(make_bsr(block_rows, block_cols, nnzb, row_block, col_block, block_row_offsets, block_col_indices,
                             values, offset_type, index_type, index_base, value_type, block_order));
}

extern "C" spk_status_t spk_bsr_create_const(spk_const_spmat_t* out, int64_t block_rows, int64_t block_cols,
                                             int64_t nnzb, int64_t row_block, int64_t col_block,
                                             const void* block_row_offsets, const void* block_col_indices,
                                             const void* values, spk_index_type_t offset_type,
                                             spk_index_type_t index_type, spk_index_base_t index_base,
                                             spk_value_type_t value_type, spk_order_t block_order) {
  return SPK_CREATE(make_bsr(block_rows, block_cols, nnzb, row_block, col_block, block_row_offsets, block_col_indices,
                             values, offset_type, index_type, index_base, value_type, block_order));
}

extern "C" spk_status_t spk_blocked_ell_create(spk_spmat_t* out, int64_t rows, int64_t cols, int64_t block_size,
                                               int64_t ell_cols, void* block_col_indices, void* values,
                                               spk_index_type_t index_type, spk_index_base_t index_base,
                                               spk_value_type_t value_type) {
  return SPK_CREATE(make_blocked_ell(rows, cols, block_size, ell_cols, block_col_indices, values, index_type,
                                     index_base, value_type));
}

extern "C" spk_status_t spk_blocked_ell_create_const(spk_const_spmat_t* out, int64_t rows, int64_t cols,
                                                     int64_t block_size, int64_t ell_cols,
                                                     const void* block_col_indices, const void* values,
                                                     spk_index_type_t index_type, spk_index_base_t index_base,
                                                     spk_value_type_t value_type) {
  return SPK_CREATE(make_blocked_ell(rows, cols, block_size, ell_cols, block_col_indices, values, index_type,
                                     index_base, value_type));
}

extern "C" spk_status_t spk_sell_create(spk_spmat_t* out, int64_t rows, int64_t cols, int64_t nnz, int64_t values_size,
                                        int64_t slice_size, void* slice_offsets, void* col_indices, void* values,
                                        spk_index_type_t offset_type, spk_index_type_t index_type,
                                        spk_index_base_t index_base, spk_value_type_t value_type) {
  return SPK_CREATE(make_sell(rows, cols, nnz, values_size, slice_size, slice_offsets, col_indices, values, offset_type,
                              index_type, index_base, value_type));
}

extern "C" spk_status_t spk_sell_create_const(spk_const_spmat_t* out, int64_t rows, int64_t cols, int64_t nnz,
                                              int64_t values_size, int64_t slice_size, const void* slice_offsets,
                                              const void* col_indices, const void* values, spk_index_type_t offset_type,
                                              spk_index_type_t index_type, spk_index_base_t index_base,
                                              spk_value_type_t value_type) {
  return SPK_CREATE(make_sell(rows, cols, nnz, values_size, slice_size, slice_offsets, col_indices, values, offset_type,
                              index_type, index_base, value_type));
}

extern "C" void spk_spmat_destroy(spk_const_spmat_t mat) {
  if (mat != nullptr && mat->tag == Tag::spmat) delete mat;
}

extern "C" spk_status_t spk_spmat_get_info(spk_const_spmat_t mat, spk_spmat_info_t* info) {
  return guarded(__func__, [&] {
    const SparseView& view = SPK_OBJECT(mat).view;
    check_struct_size(SPK_REQUIRE_PTR(info).struct_size, sizeof(spk_spmat_info_t), "info");
    const bool has_blocks = view.format == Format::bsr || view.format == Format::blocked_ell;
    spk_spmat_info_t answer{};
    answer.struct_size = info->struct_size;
    answer.format = static_cast<std::int32_t>(view.format);
    answer.offset_type = static_cast<std::int32_t>(view.offset_type);
    answer.index_type = static_cast<std::int32_t>(view.index_type);
    answer.index_base = view.base;
    answer.value_type = static_cast<std::int32_t>(view.value_type);
    answer.block_order = static_cast<std::int32_t>(view.block_order);
    answer.is_const = mat->is_const ? 1 : 0;
    answer.rows = view.rows;
    answer.cols = view.cols;
    const bool is_sell = view.format == Format::sell;
    answer.nnz = is_sell ? view.unpadded_nnz : view.nnz;
    answer.block_size = is_sell ? view.slice_size : has_blocks ? view.block_size : 0;
    answer.nnzb = is_sell || has_blocks ? view.nnzb : 0;
    answer.ell_cols = view.ell_cols;
    answer.batch_count = view.batch_count;
    answer.offsets_stride = view.offsets_stride;
    answer.indices_stride = view.indices_stride;
    answer.values_stride = view.values_stride;
    answer.offsets = view.offsets;
    answer.row_indices = view.row_indices;
    answer.col_indices = view.col_indices;
    answer.values = view.values;
    *info = answer;
  });
}

extern "C" spk_status_t spk_spmat_set_pointers(spk_spmat_t mat, void* offsets, void* indices, void* values) {
  return guarded(__func__, [&] {
    SparseView& view = SPK_OUTPUT(mat).view;
    const bool is_coo = view.format == Format::coo;
    if (view.format == Format::blocked_ell && offsets != nullptr)
      throw Error(SPK_STATUS_INVALID_VALUE, "offsets = %p but Blocked-ELL has none: it must be NULL", offsets);
    check_alignment(offsets, size_of(is_coo ? view.index_type : view.offset_type), "offsets");
    check_alignment(indices, size_of(view.index_type), "indices");
    check_alignment(values, align_of(view.value_type), "values");
    (is_coo ? view.row_indices : view.offsets) = offsets;
    (view.format == Format::csc ? view.row_indices : view.col_indices) = indices;
    view.values = values;
  });
}

extern "C" spk_status_t spk_spmat_set_values(spk_spmat_t mat, void* values) {
  return guarded(__func__, [&] {
    SparseView& view = SPK_OUTPUT(mat).view;
    check_alignment(values, align_of(view.value_type), "values");
    view.values = values;
  });
}

extern "C" spk_status_t spk_spmat_get_values(spk_const_spmat_t mat, const void** values) {
  return guarded(__func__, [&] { SPK_REQUIRE_PTR(values) = SPK_OBJECT(mat).view.values; });
}

extern "C" spk_status_t spk_spmat_set_batch(spk_spmat_t mat, int64_t count, int64_t offsets_stride,
                                            int64_t indices_stride, int64_t values_stride) {
  return guarded(__func__, [&] {
    SparseView& view = SPK_OBJECT(mat).view;
    if (count < 1)
      throw Error(SPK_STATUS_INVALID_VALUE, "count = %lld but must be at least 1", static_cast<Long>(count));
    if (count > 1 && view.first_entry != 0)
      throw Error(SPK_STATUS_INVALID_VALUE, "count = %lld but a row slice cannot be a batch", static_cast<Long>(count));
    if (view.offset_type == IndexType::none && offsets_stride != 0)
      throw Error(SPK_STATUS_INVALID_VALUE, "offsets_stride = %lld but %s has no offsets",
                  static_cast<Long>(offsets_stride), name_of(view.format));
    if (view.offset_type != IndexType::none)
      check_stride(offsets_stride, view.major() + 1, count, size_of(view.offset_type), "offsets_stride");
    check_stride(indices_stride, view.nnzb, count, size_of(view.index_type), "indices_stride");
    check_stride(values_stride, view.nnz, count, size_of(view.value_type), "values_stride");
    view.batch_count = count;
    view.offsets_stride = offsets_stride;
    view.indices_stride = indices_stride;
    view.values_stride = values_stride;
  });
}

extern "C" spk_status_t spk_spmat_slice_rows(spk_handle_t handle, spk_const_spmat_t mat, int64_t first_row,
                                             int64_t row_count, spk_const_spmat_t* out) {
  return guarded(__func__, handle, [&] {
    const Backend& backend = *SPK_OBJECT(handle).backend;
    SPK_REQUIRE_PTR(out) = nullptr;
    create(out, true, slice_rows(backend, handle->stream, SPK_OBJECT(mat).view, first_row, row_count));
  });
}

extern "C" spk_status_t spk_spmat_validate(spk_handle_t handle, spk_const_spmat_t mat,
                                           spk_validation_report_t* report) {
  return guarded(__func__, handle, [&] {
    SPK_OBJECT(handle);
    const SparseView& view = SPK_OBJECT(mat).view;
    if (report != nullptr) check_struct_size(report->struct_size, sizeof(spk_validation_report_t), "report");
    spk_validation_report_t found{};
    found.struct_size = report == nullptr ? 0 : report->struct_size;
    Exec exec;
    exec.threads = handle->threads();
    exec.stream = handle->stream;
    check_structure_pointers(*handle->backend, view, "mat");
    if (view.nnz != 0) check_pointer(*handle->backend, view.values, "mat's values");
    handle->backend->validate(view, found, exec);
    if (report != nullptr) *report = found;
    throw_if_broken(found, view, "mat");
  });
}
