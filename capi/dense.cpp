// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "capi/objects.hpp"
#include "core/checked.hpp"

using namespace spk;
using namespace spk::capi;

namespace {

DenseView make_view(std::int64_t rows, std::int64_t cols, std::int64_t ld, const void* values, std::int32_t type,
                    std::int32_t order) {
  check_size(rows, "rows");
  check_size(cols, "cols");
  DenseView view;
  view.type = value_type_of(type, "value_type");
  view.order = order_of(order, "order");
  const bool by_rows = view.order == Order::row;
  const std::int64_t least = by_rows ? cols : rows;
  if (ld < least || ld < 1)
    throw Error(SPK_STATUS_INVALID_VALUE, "ld = %lld but must be at least %s = %lld and at least 1",
                static_cast<long long>(ld), by_rows ? "cols" : "rows", static_cast<long long>(least));
  const std::int64_t lines = by_rows ? rows : cols;
  check_bytes(lines, ld, size_of(view.type), "the matrix");
  check_alignment(values, align_of(view.type), "values");
  view.rows = rows;
  view.cols = cols;
  view.ld = ld;
  view.values = const_cast<void*>(values);
  return view;
}

template <class Out>
void create_matrix(Out* out, bool is_const, const DenseView& view) {
  auto object = std::make_unique<spk_dnmat>();
  object->is_const = is_const;
  object->view = view;
  *out = object.release();
}

template <class Out>
void create_vector(Out* out, bool is_const, std::int64_t size, const void* values, std::int32_t type) {
  check_size(size, "size");
  auto object = std::make_unique<spk_dnvec>();
  object->is_const = is_const;
  object->view = make_view(size, 1, size == 0 ? 1 : size, values, type, SPK_ORDER_COL);
  *out = object.release();
}

}  // namespace

extern "C" spk_status_t spk_dnmat_create(spk_dnmat_t* out, int64_t rows, int64_t cols, int64_t ld, void* values,
                                         spk_value_type_t value_type, spk_order_t order) {
  return guarded(__func__, [&] {
    SPK_REQUIRE_PTR(out) = nullptr;
    create_matrix(out, false, make_view(rows, cols, ld, values, value_type, order));
  });
}

extern "C" spk_status_t spk_dnmat_create_const(spk_const_dnmat_t* out, int64_t rows, int64_t cols, int64_t ld,
                                               const void* values, spk_value_type_t value_type, spk_order_t order) {
  return guarded(__func__, [&] {
    SPK_REQUIRE_PTR(out) = nullptr;
    create_matrix(out, true, make_view(rows, cols, ld, values, value_type, order));
  });
}

extern "C" void spk_dnmat_destroy(spk_const_dnmat_t mat) {
  if (mat != nullptr && mat->tag == Tag::dnmat) delete mat;
}

extern "C" spk_status_t spk_dnmat_set_batch(spk_dnmat_t mat, int64_t count, int64_t stride) {
  return guarded(__func__, [&] {
    DenseView& view = SPK_OBJECT(mat).view;
    if (count < 1)
      throw Error(SPK_STATUS_INVALID_VALUE, "count = %lld but must be at least 1", static_cast<long long>(count));
    check_stride(stride, view.extent(), count, size_of(view.type), "stride");
    view.batch_count = count;
    view.batch_stride = stride;
  });
}

extern "C" spk_status_t spk_dnmat_get_batch(spk_const_dnmat_t mat, int64_t* count, int64_t* stride) {
  return guarded(__func__, [&] {
    const DenseView& view = SPK_OBJECT(mat).view;
    if (count != nullptr) *count = view.batch_count;
    if (stride != nullptr) *stride = view.batch_stride;
  });
}

extern "C" spk_status_t spk_dnmat_get(spk_const_dnmat_t mat, int64_t* rows, int64_t* cols, int64_t* ld,
                                      const void** values, spk_value_type_t* value_type, spk_order_t* order) {
  return guarded(__func__, [&] {
    const DenseView& view = SPK_OBJECT(mat).view;
    if (rows != nullptr) *rows = view.rows;
    if (cols != nullptr) *cols = view.cols;
    if (ld != nullptr) *ld = view.ld;
    if (values != nullptr) *values = view.values;
    if (value_type != nullptr) *value_type = static_cast<std::int32_t>(view.type);
    if (order != nullptr) *order = static_cast<std::int32_t>(view.order);
  });
}

extern "C" spk_status_t spk_dnmat_set_values(spk_dnmat_t mat, void* values) {
  return guarded(__func__, [&] {
    DenseView& view = SPK_OUTPUT(mat).view;
    check_alignment(values, align_of(view.type), "values");
    view.values = values;
  });
}

extern "C" spk_status_t spk_dnvec_create(spk_dnvec_t* out, int64_t size, void* values, spk_value_type_t value_type) {
  return guarded(__func__, [&] {
    SPK_REQUIRE_PTR(out) = nullptr;
    create_vector(out, false, size, values, value_type);
  });
}

extern "C" spk_status_t spk_dnvec_create_const(spk_const_dnvec_t* out, int64_t size, const void* values,
                                               spk_value_type_t value_type) {
  return guarded(__func__, [&] {
    SPK_REQUIRE_PTR(out) = nullptr;
    create_vector(out, true, size, values, value_type);
  });
}

extern "C" void spk_dnvec_destroy(spk_const_dnvec_t vec) {
  if (vec != nullptr && vec->tag == Tag::dnvec) delete vec;
}

extern "C" spk_status_t spk_dnvec_get(spk_const_dnvec_t vec, int64_t* size, const void** values,
                                      spk_value_type_t* value_type) {
  return guarded(__func__, [&] {
    const DenseView& view = SPK_OBJECT(vec).view;
    if (size != nullptr) *size = view.rows;
    if (values != nullptr) *values = view.values;
    if (value_type != nullptr) *value_type = static_cast<std::int32_t>(view.type);
  });
}

extern "C" spk_status_t spk_dnvec_set_values(spk_dnvec_t vec, void* values) {
  return guarded(__func__, [&] {
    DenseView& view = SPK_OUTPUT(vec).view;
    check_alignment(values, align_of(view.type), "values");
    view.values = values;
  });
}
