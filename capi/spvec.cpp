// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "capi/objects.hpp"
#include "core/checked.hpp"

using namespace spk;
using namespace spk::capi;

namespace {

using Long = long long;

template <class Out>
void create(Out* out, std::int64_t size, std::int64_t nnz, const void* indices, const void* values,
            std::int32_t index_type, std::int32_t index_base, std::int32_t value_type) {
  *out = nullptr;
  check_size(size, "size");
  check_size(nnz, "nnz");
  if (nnz > size)
    throw Error(SPK_STATUS_INVALID_VALUE, "nnz = %lld but the vector has size = %lld elements", static_cast<Long>(nnz),
                static_cast<Long>(size));
  auto object = std::make_unique<spk_spvec>();
  SparseVectorView& view = object->view;
  view.index_type = index_type_of(index_type, "index_type");
  view.base = index_base_of(index_base, "index_base");
  view.value_type = value_type_of(value_type, "value_type");
  if (size > max_of(view.index_type) - view.base)
    throw Error(SPK_STATUS_INDEX_OVERFLOW, "size = %lld with base %d does not fit index_type = %s",
                static_cast<Long>(size), view.base, name_of(view.index_type));
  check_bytes(nnz, 1, size_of(view.index_type), "indices");
  check_bytes(nnz, 1, size_of(view.value_type), "values");
  check_alignment(indices, size_of(view.index_type), "indices");
  check_alignment(values, align_of(view.value_type), "values");
  view.size = size;
  view.nnz = nnz;
  view.indices = indices;
  view.values = const_cast<void*>(values);
  object->is_const = std::is_same_v<Out, spk_const_spvec_t>;
  *out = object.release();
}

}  // namespace

extern "C" spk_status_t spk_spvec_create(spk_spvec_t* out, int64_t size, int64_t nnz, void* indices, void* values,
                                         spk_index_type_t index_type, spk_index_base_t index_base,
                                         spk_value_type_t value_type) {
  return guarded(
      __func__, [&] { create(&SPK_REQUIRE_PTR(out), size, nnz, indices, values, index_type, index_base, value_type); });
}

extern "C" spk_status_t spk_spvec_create_const(spk_const_spvec_t* out, int64_t size, int64_t nnz, const void* indices,
                                               const void* values, spk_index_type_t index_type,
                                               spk_index_base_t index_base, spk_value_type_t value_type) {
  return guarded(
      __func__, [&] { create(&SPK_REQUIRE_PTR(out), size, nnz, indices, values, index_type, index_base, value_type); });
}

extern "C" void spk_spvec_destroy(spk_const_spvec_t vec) {
  if (vec != nullptr && vec->tag == Tag::spvec) delete vec;
}

extern "C" spk_status_t spk_spvec_get(spk_const_spvec_t vec, int64_t* size, int64_t* nnz, const void** indices,
                                      const void** values, spk_index_type_t* index_type, spk_index_base_t* index_base,
                                      spk_value_type_t* value_type) {
  return guarded(__func__, [&] {
    const SparseVectorView& view = SPK_OBJECT(vec).view;
    if (size != nullptr) *size = view.size;
    if (nnz != nullptr) *nnz = view.nnz;
    if (indices != nullptr) *indices = view.indices;
    if (values != nullptr) *values = view.values;
    if (index_type != nullptr) *index_type = static_cast<std::int32_t>(view.index_type);
    if (index_base != nullptr) *index_base = view.base;
    if (value_type != nullptr) *value_type = static_cast<std::int32_t>(view.value_type);
  });
}

extern "C" spk_status_t spk_spvec_set_values(spk_spvec_t vec, void* values) {
  return guarded(__func__, [&] {
    SparseVectorView& view = SPK_OUTPUT(vec).view;
    check_alignment(values, align_of(view.value_type), "values");
    view.values = values;
  });
}
