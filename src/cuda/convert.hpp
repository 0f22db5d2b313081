// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <algorithm>

#include "core/backend.hpp"
#include "core/error.hpp"
#include "cuda/device.hpp"

// What the conversions of the CUDA backend share. The source is examined as a whole before anything follows it; its
// state is read back, so that conversions wait for the stream, and everything after relies on the answer. A matrix is
// seen as a list of entries in storage order, numbered from 0; every place of a stored block is one.
namespace spk::cuda {

using Int = std::int64_t;
using Long = long long;

inline cudaStream_t stream_of(const Exec& exec) noexcept { return static_cast<cudaStream_t>(exec.stream); }

// Hands out pieces of scratch memory, each aligned to 256 bytes. Without memory it only measures, so that the query
// and the run share one layout.
class Pieces {
 public:
  explicit Pieces(void* memory = nullptr) noexcept : memory_(static_cast<char*>(memory)) {}
  template <class T>
  T* take(Int count) {
    constexpr Int kMost = INT64_MAX / 4, kSize = sizeof(T);
    if (count > kMost / kSize || bytes_ > kMost)
      throw Error(SPK_STATUS_INDEX_OVERFLOW, "the workspace needs %lld numbers, which do not fit in 63 bits of bytes",
                  static_cast<Long>(count));
    T* const here = memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + bytes_);
    bytes_ += (count * kSize + 255) / 256 * 256;
    return here;
  }
  std::size_t bytes() const noexcept { return static_cast<std::size_t>(bytes_); }

 private:
  char* memory_;
  Int bytes_ = 0;
};

inline bool has_blocks(Format format) noexcept { return format == Format::bsr || format == Format::blocked_ell; }

// Order in which entries are wanted, or in which a source is asked to stand already.
enum class Along { rows, cols };
inline Along along_of(Format format) noexcept { return format == Format::csc ? Along::cols : Along::rows; }

// What examine() finds. In device memory first.
struct SourceState {
  unsigned long long fault;     // smallest of kind * 2^61 + position; all ones: none
  unsigned long long used;      // stored blocks or entries; unused slots of Blocked-ELL do not count
  unsigned long long descents;  // neighbours that do not stand in ascending order
  unsigned long long repeats;   // neighbours at one place
};
// Reads all of a's structure. Throws INVALID_STRUCTURE with the first place that contradicts itself.
SourceState examine(const Device& device, const SparseView& a, Along along, const char* name, SourceState* memory,
                    const Exec& exec);
// The part of it for indices alone; -1 is an unused slot where that is allowed.
void examine_indices(const Device& device, const SparseView& a, const char* name, SourceState* memory,
                     const Exec& exec);

// Copies bytes to the host and waits.
void read_back(void* host, const void* device, std::size_t bytes, const Exec& exec);
template <class T>
T read_number(const T* device, const Exec& exec) {
  T number;
  read_back(&number, device, sizeof number, exec);
  return number;
}

// How entries are sorted: by row and column, by column and row, or by block, with rows and columns inside.
enum class SortBy { rows, cols, blocks };

// Workspace of a sort; depends on sizes only.
struct SortSpace {
  SortSpace(const Device& device, Int count, Pieces& pieces);
  SortSpace(const Device& device, const SparseView& a, Pieces& pieces) : SortSpace(device, a.nnz, pieces) {}
  std::uint64_t* keys[2];
  Int* entries[2];
  void* scratch;
  std::size_t scratch_bytes;
};
// Sorts entries[from] by keys[0], of which the lowest `bits` count; stable. Answers in which of `entries` they are then.
int sort_pass(const SortSpace& space, int from, Int count, int bits, const Exec& exec);
// Numbers of a's entries in ascending order, those of one place in storage order, unused slots last. `edge` is that of
// the blocks of SortBy::blocks.
const Int* sort_entries(const Device& device, const SparseView& a, SortBy by, Int edge, const SortSpace& space,
                        const Exec& exec);

// Sums of counts, in place: counts[i] becomes the sum of those before; with `inclusive`, and itself.
std::size_t sum_scratch(const Device& device, Int count);
void sum_in_place(Int* counts, Int count, bool inclusive, void* scratch, std::size_t scratch_bytes, const Exec& exec);

// Offsets of a result: numbers from 0 in workspace memory, to which the base is added.
void write_offsets(const Device& device, const SparseView& b, const Int* offsets, const Exec& exec);

// Offsets of a's entries along an order.
struct CountSpace {
  CountSpace(const Device& device, Int majors, Pieces& pieces)
      : offsets(pieces.take<Int>(majors + 1)), scratch_bytes(sum_scratch(device, majors + 1)) {
    scratch = pieces.take<char>(static_cast<Int>(scratch_bytes));
  }
  Int* offsets;
  std::size_t scratch_bytes;
  void* scratch;
};
void count_entries(const Device& device, const SparseView& a, Along along, Int majors, const CountSpace& space,
                   const Exec& exec);

inline void* writable(const void* array) noexcept { return const_cast<void*>(array); }

// All values 0, all block columns -1.
void clear_blocks(const SparseView& b, const Exec& exec);

// Results with blocks (convert_blocks.cu, convert_from_dense_blocks.cu). Answers as Conversion in core/backend.hpp.
std::size_t blocks_workspace(const Device& device, const SparseToSparseProblem& p);
Int analyze_blocks(const Device& device, const SparseToSparseProblem& p, const Exec& exec);
Int run_blocks(const Device& device, const SparseToSparseProblem& p, const Exec& exec);
std::size_t blocks_workspace(const Device& device, const DenseToSparseProblem& p);
Int analyze_blocks(const Device& device, const DenseToSparseProblem& p, const Exec& exec);
Int run_blocks(const Device& device, const DenseToSparseProblem& p, const Exec& exec);

}  // namespace spk::cuda
