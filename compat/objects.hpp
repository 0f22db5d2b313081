// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <memory>

#include "compat/boundary.hpp"

// What the opaque pointers of the cuSPARSE names point to. A descriptor keeps what the caller said, also where libspk has
// no descriptor for it (8-bit integers), and beside it the descriptor of libspk that operations use; setters change both.
namespace spk::compat {

enum class Tag : std::uint32_t {
  context = 0x73706b41,
  spmat = 0x73706b42,
  dnmat = 0x73706b43,
  dnvec = 0x73706b44,
  spvec = 0x73706b45,
  matdescr = 0x73706b46
};

struct Free {
  void operator()(spk_handle_t object) const noexcept { spk_destroy(object); }
  void operator()(spk_const_spmat_t object) const noexcept { spk_spmat_destroy(object); }
  void operator()(spk_const_dnmat_t object) const noexcept { spk_dnmat_destroy(object); }
  void operator()(spk_const_dnvec_t object) const noexcept { spk_dnvec_destroy(object); }
  void operator()(spk_const_spvec_t object) const noexcept { spk_spvec_destroy(object); }
  void operator()(spk_plan_t object) const noexcept { spk_plan_destroy(object); }
};
template <class Pointer>
using Owned = std::unique_ptr<std::remove_pointer_t<Pointer>, Free>;

// First member of every object; zero after the end, so that a destroyed object is recognised while its memory is not
// used again.
template <Tag kValue>
struct Tagged {
  static constexpr Tag kTag = kValue;
  Tag tag = kValue;
  Tagged() = default;
  Tagged(const Tagged&) = delete;
  Tagged& operator=(const Tagged&) = delete;
  ~Tagged() { *static_cast<volatile Tag*>(&tag) = Tag{}; }
};

// Options, types and shapes that a plan was made for.
struct PlanKey {
  std::int32_t operation = 0;
  std::int32_t backend = 0;
  std::int32_t op_a = 0;
  std::int32_t op_b = 0;
  std::int32_t compute_type = 0;
  std::int32_t alg = 0;
  struct Dense {
    std::int64_t rows = 0, cols = 0, ld = 0, batch_count = 1, batch_stride = 0;
    std::int32_t value_type = 0, order = 0;
    bool operator==(const Dense&) const = default;
  };
  Dense first;
  Dense second;
  bool operator==(const PlanKey&) const = default;
};

// What a preprocess function leaves with a sparse matrix: valid with this buffer while the arrays stay.
struct Prepared {
  void* buffer = nullptr;
  PlanKey key;
  Owned<spk_plan_t> plan;
  std::size_t workspace_bytes = 0;
};

}  // namespace spk::compat

struct cusparseContext : spk::compat::Tagged<spk::compat::Tag::context> {
  spk::compat::Owned<spk_handle_t> native;
};

struct cusparseDnVecDescr : spk::compat::Tagged<spk::compat::Tag::dnvec> {
  std::int64_t size = 0;
  void* values = nullptr;
  cudaDataType value_type{};
  spk::compat::Owned<spk_dnvec_t> native;  // NULL: not described by libspk
};

struct cusparseSpVecDescr : spk::compat::Tagged<spk::compat::Tag::spvec> {
  std::int64_t size = 0;
  std::int64_t nnz = 0;
  void* indices = nullptr;
  void* values = nullptr;
  cusparseIndexType_t index_type{};
  cusparseIndexBase_t base{};
  cudaDataType value_type{};
  spk::compat::Owned<spk_spvec_t> native;
};

struct cusparseDnMatDescr : spk::compat::Tagged<spk::compat::Tag::dnmat> {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t ld = 0;
  void* values = nullptr;
  cudaDataType value_type{};
  cusparseOrder_t order{};
  int batch_count = 1;
  std::int64_t batch_stride = 0;
  spk::compat::Owned<spk_dnmat_t> native;
};

struct cusparseSpMatDescr : spk::compat::Tagged<spk::compat::Tag::spmat> {
  cusparseFormat_t format{};
  std::int64_t rows = 0;  // elements, also for block formats
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  std::int64_t block_size = 1;  // BSR, Blocked-ELL
  std::int64_t ell_cols = 0;    // Blocked-ELL
  void* offsets = nullptr;      // COO: row indices; Blocked-ELL: none
  void* indices = nullptr;
  void* values = nullptr;
  cusparseIndexType_t offset_type{};
  cusparseIndexType_t index_type{};
  cusparseIndexBase_t base{};
  cudaDataType value_type{};
  cusparseOrder_t block_order{};  // BSR
  int batch_count = 1;
  std::int64_t offsets_stride = 0;
  std::int64_t indices_stride = 0;
  std::int64_t values_stride = 0;
  int fill_mode = CUSPARSE_FILL_MODE_LOWER;
  int diag_type = CUSPARSE_DIAG_TYPE_NON_UNIT;
  bool has_attribute = false;
  spk::compat::Owned<spk_spmat_t> native;
  std::unique_ptr<spk::compat::Prepared> prepared;

  std::int64_t stored_blocks() const noexcept { return nnz / (block_size * block_size); }
};

namespace spk::compat {

// Arguments of several functions. Each throws INVALID_VALUE or NOT_SUPPORTED with the argument's name and value.
void check_size(std::int64_t value, const char* name);
void check_base(cusparseIndexBase_t base, const char* name);
void check_order(cusparseOrder_t order, const char* name);
void check_index_type(cusparseIndexType_t type, const char* name);
void check_value_type(cudaDataType type, const char* name);
void check_alignment(const void* pointer, std::size_t bytes, const char* name);
void check_batch_count(int count);
void check_compute_type(cudaDataType type);

spk_handle_t native_context(cusparseHandle_t handle);

std::size_t bytes_of(cusparseIndexType_t type);
std::size_t bytes_of(cudaDataType type);
bool is_type_of_spk(cudaDataType type);

// The descriptor of libspk; NOT_SUPPORTED where it has none.
template <class Descriptor>
auto native_of(const Descriptor* descriptor, const char* name) {
  const Descriptor& object = require_object(descriptor, name);
  if (object.native == nullptr)
    throw Failure(CUSPARSE_STATUS_NOT_SUPPORTED,
                  "%s (cudaDataType %d) is of no kind that spk computes with: its type, its index type or its size",
                  name, static_cast<int>(object.value_type));
  return object.native.get();
}
#define SPK_NATIVE(name) ::spk::compat::native_of(name, #name)

}  // namespace spk::compat
