// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <spk/spk.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cases/arrays.hpp"
#include "cases/buffer.hpp"
#include "cases/judge.hpp"

namespace spk::cases {

// The optional switches of a case.
struct Switches {
  std::int32_t threads = 0;
  std::int64_t repeat = 1;
  bool bitwise_repeat = false;
  bool columns_bitwise_equal = false;
  bool page_guard = false;
  bool validate = false;
  std::map<std::string, std::int64_t> elem_offset;  // by array name without _in
  std::map<std::string, std::string> alias;
  std::vector<std::string> null_arrays;
  // Placements to run the case with.
  std::vector<Placement> placements() const;
};
Switches read_switches(Fields& fields);

// The arrays of one run by name ("values", "B", "C", ..), laid out as the switches ask.
class Memory {
 public:
  Memory(const Switches& switches, Placement placement, spk_backend_t backend)
      : switches_(&switches), placement_(placement), backend_(backend) {}

  // Lays out an array and fills it; NULL for a null array. At least `declared` elements are there in plain placement, so that
  // a case whose sizes disagree on purpose stays within memory of its own.
  void* values(const std::string& name, spk_value_type_t type, const ValueArray& array, std::int64_t declared = 0);
  void* indices(const std::string& name, spk_index_type_t type, const IndexArray& array, std::int64_t declared = 0);
  const std::uint8_t* bytes(const std::string& name, const std::vector<std::uint8_t>& items);
  // Memory of `count` elements that nobody fills.
  void* blank(const std::string& name, std::size_t element_bytes, std::int64_t count);
  // Memory that is aligned as a workspace of the backend must be; NULL for no bytes.
  void* workspace(std::size_t bytes);

  Buffer* find(const std::string& name);
  // Overwrites an array that was laid out, and remembers that.
  void rewrite_values(const std::string& name, spk_value_type_t type, const ValueArray& array);
  void rewrite_indices(const std::string& name, spk_index_type_t type, const IndexArray& array);
  // Gives an array new memory with the same contents and frees the old.
  void* move_away(const std::string& name);

  // Waits for the handle's stream and brings every array back to where the host can look at it. Arrays of host memory
  // are there already.
  Outcome fetch(spk_handle_t handle);

  // Empty, or the array (not in `outputs`) that was written to, or whose surroundings were.
  std::string check_untouched(const std::vector<std::string>& outputs) const;

 private:
  std::shared_ptr<Buffer> shared_by_alias(const std::string& name);
  Placement placement_of(bool is_virtual) const noexcept { return is_virtual ? Placement::reserved : placement_; }

  const Switches* switches_;
  Placement placement_;
  spk_backend_t backend_;
  std::map<std::string, std::shared_ptr<Buffer>> buffers_;
};

// A sparse operand as a case describes it.
struct SparseSpec {
  spk_format_t format = SPK_FORMAT_CSR;
  std::int64_t rows = 0, cols = 0, nnz = 0;
  std::int32_t index_base = 0;
  spk_index_type_t offset_type = SPK_INDEX_32I, index_type = SPK_INDEX_32I;
  spk_value_type_t value_type = SPK_R_32F;
  IndexArray offsets;                   // row_offsets, col_offsets of CSC, slice_offsets of SELL
  IndexArray row_indices, col_indices;  // ell_col_ind of Blocked-ELL is col_indices
  ValueArray values;
  std::int64_t block_dim = 0, ell_cols = 0;
  std::int64_t slice_size = 0, values_size = 0;  // SELL
  spk_order_t block_order = SPK_ORDER_ROW;
  bool has_batch = false;
  std::int64_t batch_count = 1, offsets_stride = 0, indices_stride = 0, values_stride = 0;
};

const char* name_of_format(spk_format_t format) noexcept;
spk_format_t read_format(Fields& fields, const char* key);
spk_index_type_t read_index_type(Fields& fields, const char* key);
spk_order_t read_order(Fields& fields, const char* key);
spk_operation_t read_operation(Fields& fields, const char* key);

// Reads the arrays and options of `format`; rows, cols and value_type are set by the caller.
void read_sparse_fields(Fields& fields, SparseSpec& spec, const char* values_key);
// index_base, offset_type and index_type alone.
void read_index_options(Fields& fields, SparseSpec& spec);

struct DenseSpec {
  std::string name;  // "A", "B", "C"
  std::int64_t rows = 0, cols = 0, ld = 0;
  spk_order_t order = SPK_ORDER_ROW;
  spk_value_type_t value_type = SPK_R_32F;
  ValueArray values;
  bool has_batch = false;
  std::int64_t batch_count = 1, batch_stride = 0;
};

// Descriptors of one run; destroyed with it.
template <class Object, void (*kDestroy)(Object)>
class Owner {
 public:
  Owner() = default;
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() { reset(); }
  void reset(Object object = nullptr) {
    if (object_ != nullptr) kDestroy(object_);
    object_ = object;
  }
  Object get() const noexcept { return object_; }

 private:
  Object object_ = nullptr;
};
using Handle = Owner<spk_handle_t, spk_destroy>;
using SparseMatrix = Owner<spk_const_spmat_t, spk_spmat_destroy>;
using DenseMatrix = Owner<spk_const_dnmat_t, spk_dnmat_destroy>;
using DenseVector = Owner<spk_const_dnvec_t, spk_dnvec_destroy>;
using Plan = Owner<spk_plan_t, spk_plan_destroy>;

// The object behind a descriptor that this runner created over memory that may be written.
spk_spmat_t writable(const SparseMatrix& matrix) noexcept;
spk_dnmat_t writable(const DenseMatrix& matrix) noexcept;
spk_dnvec_t writable(const DenseVector& vector) noexcept;

enum class Access { read, write };

Outcome create_handle(Handle& handle, spk_backend_t backend, std::int32_t threads);
Outcome create_sparse(SparseMatrix& matrix, const SparseSpec& spec, Memory& memory, Access access);
Outcome create_dense(DenseMatrix& matrix, const DenseSpec& spec, Memory& memory, Access access);
Outcome create_vector(DenseVector& vector, const DenseSpec& spec, Memory& memory, Access access);

// Elements of a sparse matrix's values array, all batches.
std::int64_t values_needed(const SparseSpec& spec) noexcept;

}  // namespace spk::cases
