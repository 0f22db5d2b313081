// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/validate_convert.hpp"
#include "cuda/kernels/convert_bits.cuh"
#include "cuda/kernels/convert_device.cuh"
#include "cuda/operations.hpp"

// Sparse from dense where the result stores entries; results with blocks are in convert_from_dense_blocks.cu. Majors
// are cut into chunks of kChunk places, whose counts are summed up in the order of the result; then they are filled.
namespace spk::cuda {
namespace {

constexpr int kChunk = 128;
constexpr int kThreads = 256;

struct Scan {
  Int majors, minors, chunks;      // chunks of one major
  Int major_stride, minor_stride;  // in the dense matrix
};

Scan scan_of(const DenseToSparseProblem& p) noexcept {
  const bool by_rows = p.b.format != Format::csc;
  Scan scan{};
  scan.majors = by_rows ? p.b.rows : p.b.cols;
  scan.minors = by_rows ? p.b.cols : p.b.rows;
  scan.chunks = std::max<Int>(ceil_div(scan.minors, kChunk), 1);
  scan.major_stride = by_rows ? p.a.row_stride() : p.a.col_stride();
  scan.minor_stride = by_rows ? p.a.col_stride() : p.a.row_stride();
  return scan;
}

struct ScanSpace {
  ScanSpace(const Device& device, const Scan& scan, Pieces& pieces) {
    if (scan.majors > INT64_MAX / 64 / scan.chunks)
      throw Error(SPK_STATUS_INDEX_OVERFLOW, "the workspace needs %lld x %lld numbers, which do not fit in 63 bits",
                  static_cast<Long>(scan.majors), static_cast<Long>(scan.chunks));
    counts = pieces.take<Int>(scan.majors * scan.chunks + 1);
    scratch_bytes = sum_scratch(device, scan.majors * scan.chunks + 1);
    scratch = pieces.take<char>(static_cast<Int>(scratch_bytes));
  }
  Int* counts;  // (majors, chunks): entries, then entries before; and one more, all entries
  std::size_t scratch_bytes;
  void* scratch;
};

struct Sink {
  void *majors, *minors, *values;
  IndexType type;
  int base;
};

template <class Bits>
__device__ void put(const Sink& to, Int entry, Int major, Int minor, const Bits& value) {
  if (to.majors != nullptr) store_index(to.majors, to.type, entry, major + to.base);
  store_index(to.minors, to.type, entry, minor + to.base);
  static_cast<Bits*>(to.values)[entry] = value;
}

// Majors contiguous along their places: a warp takes a chunk. kFills: counts are the places of entries; else they are
// found.
template <class Bits, bool kFills>
__global__ void __launch_bounds__(kThreads) scan_along(const Bits* dense, const Scan scan, Int* counts, const Sink to) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const Int warps = item_stride() / 32, all = scan.majors * scan.chunks;
  for (Int item = first_item() / 32; item < all; item += warps) {
    const Int major = item / scan.chunks, begin = item % scan.chunks * kChunk;
    const Bits* const line = dense + major * scan.major_stride;
    Int entry = kFills ? counts[item] : 0;
#pragma unroll
    for (int step = 0; step < kChunk; step += 32) {
      const Int minor = begin + step + lane;
      Bits value{};
      if (minor < scan.minors) value = line[minor];
      const bool stored = minor < scan.minors && !is_zero_bits(value);
      const unsigned found = __ballot_sync(0xffffffffu, stored);
      if (kFills && stored) put(to, entry + __popc(found & ((1u << lane) - 1)), major, minor, value);
      entry += __popc(found);
    }
    if (!kFills && lane == 0) counts[item] = entry;
  }
}

// Majors side by side: a thread takes a chunk, neighbours take neighbouring majors.
template <class Bits, bool kFills>
__global__ void __launch_bounds__(kThreads)
    scan_across(const Bits* dense, const Scan scan, Int* counts, const Sink to) {
  const Int all = scan.majors * scan.chunks;
  for (Int item = first_item(); item < all; item += item_stride()) {
    const Int major = item % scan.majors, chunk = item / scan.majors;
    const Int end = min(scan.minors, (chunk + 1) * kChunk);
    Int entry = kFills ? counts[major * scan.chunks + chunk] : 0;
#pragma unroll 8
    for (Int minor = chunk * kChunk; minor < end; ++minor) {
      const Bits value = dense[minor * scan.minor_stride + major];
      if (is_zero_bits(value)) continue;
      if (kFills) put(to, entry, major, minor, value);
      ++entry;
    }
    if (!kFills) counts[major * scan.chunks + chunk] = entry;
  }
}

template <bool kFills>
void scan_dense(const Device& device, const DenseToSparseProblem& p, const Scan& scan, const ScanSpace& space,
                const Exec& exec) {
  const bool by_rows = p.b.format != Format::csc;
  Sink to{};
  if (p.b.format == Format::coo) to.majors = writable(p.b.row_indices);
  to.minors = writable(by_rows ? p.b.col_indices : p.b.row_indices);
  to.values = p.b.values;
  to.type = p.b.index_type;
  to.base = p.b.base;
  visit_bits(p.a.type, [&](auto tag) {
    using Bits = typename decltype(tag)::type;
    const Bits* const dense = static_cast<const Bits*>(p.a.values);
    const Int items = scan.majors * scan.chunks;
    if (scan.minor_stride == 1)
      for_items(scan_along<Bits, kFills>, device, items * 32, exec, dense, scan, space.counts, to);
    else
      for_items(scan_across<Bits, kFills>, device, items, exec, dense, scan, space.counts, to);
  });
}

Int count_dense(const Device& device, const DenseToSparseProblem& p, const Scan& scan, const ScanSpace& space,
                const Exec& exec) {
  const Int items = scan.majors * scan.chunks;
  SPK_CUDA_CHECK(cudaMemsetAsync(space.counts + items, 0, sizeof(Int), stream_of(exec)));
  scan_dense<false>(device, p, scan, space, exec);
  sum_in_place(space.counts, items + 1, false, space.scratch, space.scratch_bytes, exec);
  return read_number(space.counts + items, exec);
}

__global__ void gather_offsets(const Int* counts, Int chunks, const SparseView b, Int majors) {
  for (Int i = first_item(); i <= majors; i += item_stride())
    store_index(const_cast<void*>(b.offsets), b.offset_type, i, counts[i * chunks] + b.base);
}
void finish_offsets(const Device& device, const DenseToSparseProblem& p, const Scan& scan, const ScanSpace& space,
                    const Exec& exec) {
  if (p.b.offset_type == IndexType::none) return;
  for_items(gather_offsets, device, scan.majors + 1, exec, space.counts, scan.chunks, p.b, scan.majors);
}

}  // namespace

std::size_t workspace(const Device& device, const DenseToSparseProblem& p, const Exec&) {
  if (has_blocks(p.b.format)) return blocks_workspace(device, p);
  Pieces pieces;
  ScanSpace(device, scan_of(p), pieces);
  return pieces.bytes();
}

std::int64_t analyze(const Device& device, const DenseToSparseProblem& p, const Exec& exec) {
  if (has_blocks(p.b.format)) return analyze_blocks(device, p, exec);
  Pieces pieces(exec.workspace);
  const Scan scan = scan_of(p);
  const ScanSpace space(device, scan, pieces);
  const Int count = count_dense(device, p, scan, space, exec);
  check_result(p.b, count);
  finish_offsets(device, p, scan, space, exec);
  return count;
}

std::int64_t run(const Device& device, const DenseToSparseProblem& p, const Exec& exec) {
  if (has_blocks(p.b.format)) return run_blocks(device, p, exec);
  Pieces pieces(exec.workspace);
  const Scan scan = scan_of(p);
  const ScanSpace space(device, scan, pieces);
  const Int count = count_dense(device, p, scan, space, exec);
  check_destination(p.b, count);
  scan_dense<true>(device, p, scan, space, exec);
  finish_offsets(device, p, scan, space, exec);
  return count;
}

}  // namespace spk::cuda
