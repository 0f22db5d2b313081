// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/kernel_table.hpp"
#include "cpu/isa.hpp"
#include "cpu/kernels/spmm_task.hpp"
#include "cpu/operations.hpp"
#include "cpu/spmm_windows.hpp"

// The inside of SpMM on the CPU, shared by the table of kernels (spmm_table.cpp), the launcher (spmm.cpp, spmm_layout.cpp,
// spmm_matrix.cpp), plans (spmm_plan.cpp) and tests of single kernels.
namespace spk::cpu {

enum class SpmmMethod : std::int32_t { dot, scatter, tile, amx, windows };

using SpmmRow = KernelRow<SpmmProblem, Isa, SpmmKernel>;
std::span<const SpmmRow> spmm_kernels() noexcept;
SpmmMethod method_of(const SpmmRow& row) noexcept;
// The kernel that takes p, or NULL.
const SpmmRow* select_spmm(const SpmmProblem& p, std::string* refusals) noexcept;

// The kernel of AMX if a plan of p is faster with it, else NULL.
const SpmmRow* select_amx_for_plan(const SpmmProblem& p) noexcept;

// The kernel of windows if it can take a plan of p that keeps values, else NULL; whether it pays is seen when they are made.
const SpmmRow* select_windows_for_plan(const SpmmProblem& p) noexcept;

bool entries_stored_in_rows(const SpmmProblem& p) noexcept;
bool is_block_format(Format format) noexcept;
// Whether rows of C go straight there from sums of entries that are read where they are (kernels/spmm_direct.hpp).
bool is_direct(const SpmmProblem& p) noexcept;
std::int64_t vector_bytes(Isa isa) noexcept;

// How op(A) becomes rows of entries or blocks.
enum class RowForm : std::int32_t {
  stored,   // it is stored that way
  sorted,   // entries are brought into rows, values with them
  turned,   // blocks are brought into block rows, by their places
  scatter,  // it stays the other way round, for the scatter kernel
};
RowForm row_form(const SpmmProblem& p, SpmmMethod method) noexcept;

// Rows made from another storage of A, in memory of the workspace or of a plan.
struct RowArrays {
  std::int64_t* offsets = nullptr;  // m + 2 (block rows for blocks); the last one is scratch
  void* indices = nullptr;          // of type index_type
  IndexType index_type = IndexType::i32;
  std::int64_t* positions = nullptr;  // place of every entry or block in A's arrays, or NULL
  void* values = nullptr;             // entries' values, or NULL
  bool in_place = false;              // out: only offsets were needed (COO sorted by rows)
};
IndexType sorted_index_type(const SparseView& a) noexcept;
// Stable: entries of a row keep the order in which they are stored. a is one matrix, not a batch.
void sort_into_rows(const SparseView& a, Op op, RowArrays& rows) noexcept;

// A run of entries of a long row.
struct RowSegment {
  std::int64_t row, begin, end;
};
struct LongRow {
  std::int64_t row, first_segment, segments;
};
// Rows of more than long_row entries are cut into runs of segment_length; decided by A's size alone.
std::int64_t segment_length(std::int64_t nnz) noexcept;
std::int64_t most_segments(std::int64_t nnz) noexcept;

// Memory of one call: where each array lies in the workspace, in bytes from the start of a slice.
struct SpmmLayout {
  const SpmmRow* kernel = nullptr;
  SpmmMethod method = SpmmMethod::tile;
  RowForm form = RowForm::stored;
  BAccess b_access = BAccess::rows;
  bool complex = false;
  int threads = 1;          // inside one matrix
  std::int64_t slices = 1;  // matrices of a batch at work at the same time
  std::int64_t real_bytes = 4, lanes = 1;
  std::int64_t columns = 0, vectors = 0, tiles = 0, pitch = 0;
  std::int32_t sets = 1;
  bool whole_rows = false;         // rows of C take all tiles, one after the other, where they go straight to C
  std::int64_t block_rows = 0;     // of op(B), passed by many rows of C while the first-level cache holds them; 0: all
  std::int64_t panels = 0;         // held at the same time
  std::int64_t chunk_bytes = 0;    // of a thread
  std::int64_t scatter_parts = 1;  // sets of partial rows of C
  std::int64_t segment_limit = 0;  // most segments of long rows
  std::size_t offsets = 0, indices = 0, positions = 0, values = 0, panel = 0, chunks = 0, segments = 0, long_rows = 0,
              partials = 0;
  std::size_t slice_bytes = 0;
  std::size_t bytes() const noexcept { return static_cast<std::size_t>(slices) * slice_bytes; }
};
// planned: a plan keeps the rows that are made from another storage of A.
SpmmLayout layout_of(const SpmmProblem& p, bool planned, const SpmmRow& kernel, int threads);

// values[i] = stored[positions[i]] for all i, in an order that the caches like. Positions are distinct.
class ValueMoves {
 public:
  ValueMoves() = default;
  explicit ValueMoves(std::vector<std::int64_t> positions);
  // Values of `size` bytes.
  void run(const void* stored, void* values, std::size_t size, int threads) const noexcept;
  std::size_t bytes() const noexcept;

 private:
  template <class Value>
  void move(const Value* stored, Value* values, int threads) const noexcept;

  std::int64_t first_ = 0;               // position of the first stored value
  std::vector<std::uint32_t> from_;      // by regions of the result: places from there on, ascending,
  std::vector<std::uint16_t> to_;        // and where they go in the region
  std::vector<std::int64_t> positions_;  // instead, where 32 bits are too few
};

// op(A) with its values as rows of entries: a matrix of its own, which a plan has made from another storage of A.
struct KeptRows {
  SparseView a;           // CSR, base 0
  bool in_place = false;  // entries were stored in this order
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> indices32;
  std::vector<std::int64_t> indices64;
  std::vector<char> values;

  // The product that p asks for, of these rows.
  SpmmProblem problem(const SpmmProblem& p) const noexcept {
    SpmmProblem q = p;
    q.op_a = Op::n;
    q.a = a;
    return q;
  }
  // A plan has them in another form: no kernel looks at them.
  void forget_entries() noexcept {
    offsets = {};
    indices32 = {};
    indices64 = {};
    values = {};
    a.offsets = a.col_indices = nullptr;
    a.values = nullptr;
  }
  std::size_t bytes() const noexcept {
    return 8 * (offsets.size() + indices64.size()) + 4 * indices32.size() + values.size();
  }
};
// p.a holds entries, not blocks; its structure is one for the whole batch, and right.
void make_kept_rows(const SpmmProblem& p, KeptRows& rows);

// What a plan keeps: the layout, rows made from another storage of A, 16-bit indices, masks for AMX; values only if it is
// told to (docs/adr/0008): in windows, or in rows with a plan of their product. Why no order of rows: docs/adr/0006. Where a row's entries pass from one block of B's rows to the next is found at every call, by comparing a
// vector of indices.
class SpmmPlan final : public Plan {
 public:
  std::string describe() const override;

  const SpmmRow* kernel = nullptr;
  int threads = 0;    // that layout is for
  SpmmLayout layout;  // unless C is empty
  struct Matrix {     // per matrix of the batch, or one for all
    std::vector<std::int64_t> offsets;
    std::vector<std::int64_t> positions;  // of blocks
    ValueMoves moves;                     // of entries' values
    std::vector<std::int32_t> indices32;
    std::vector<std::int64_t> indices64;
    std::vector<std::uint16_t> indices16;
    std::vector<std::uint32_t> amx_masks;
    Windows windows;
    bool in_place = false;
  };
  RowForm form = RowForm::stored;
  std::vector<Matrix> matrices;
  KeptRows rows;
  std::unique_ptr<SpmmPlan> plan_of_rows;  // if there are such rows: nothing else counts then
  const Matrix& matrix(std::int64_t batch) const noexcept {
    return matrices[matrices.size() == 1 ? 0 : static_cast<std::size_t>(batch)];
  }
  std::size_t bytes() const noexcept;
};

// Masks of A's columns for the AMX kernel.
void make_amx_masks(const SpmmProblem& p, const SpmmLayout& layout, std::vector<std::uint32_t>& masks);

// One matrix of the batch; `memory` is its slice of the workspace.
void run_matrix(const SpmmProblem& p, const SpmmLayout& layout, const SpmmPlan::Matrix* prepared,
                char* memory) noexcept;

}  // namespace spk::cpu
