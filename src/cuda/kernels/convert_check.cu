// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/convert_device.cuh"

// Examines the source of a conversion. Follows no offset before it is known to be good, and stays inside the arrays
// however broken they are.
namespace spk::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kKindBits = 61;  // places of a fault's position

// In the order in which they are looked for.
enum Fault : unsigned { kFirstOffset, kOffsetDecreases, kLastOffset, kRowIndex, kMinorIndex };

struct Examined {
  SparseView a;
  const void *minors, *majors;  // majors: of COO, else NULL
  Int major_count, minor_limit, row_limit;
  bool sorts_by_major, checks_offsets;
};

__device__ void report(unsigned long long& fault, Fault kind, Int position) {
  fault = min(fault, (static_cast<unsigned long long>(kind) << kKindBits) + static_cast<unsigned long long>(position));
}

__global__ void __launch_bounds__(kThreads) examine_structure(const Examined e, SourceState* state) {
  const SparseView& a = e.a;
  unsigned long long fault = ~0ull, used = 0, descents = 0, repeats = 0;
  if (e.checks_offsets) {
    const Int first = a.first_entry + a.base;
    for (Int i = first_item(); i <= e.major_count; i += item_stride()) {
      const Int here = load_index(a.offsets, a.offset_type, i);
      if (i == 0 && here != first) report(fault, kFirstOffset, i);
      if (i > 0 && here < load_index(a.offsets, a.offset_type, i - 1)) report(fault, kOffsetDecreases, i);
      if (i == e.major_count && here != first + a.nnzb) report(fault, kLastOffset, i);
    }
  }
  const bool is_ell = a.format == Format::blocked_ell;
  const Int slots = is_ell ? a.ell_cols / a.block_size : 0;
  for (Int t = first_item(); t < a.nnzb; t += item_stride()) {
    const Int place = a.first_entry + t;
    const Int minor = load_index(e.minors, a.index_type, place);
    const bool is_used = !is_ell || minor != -1;
    if (is_used && is_outside(minor, a.base, e.minor_limit)) report(fault, kMinorIndex, place);
    used += is_used ? 1 : 0;
    if (e.majors != nullptr) {
      const Int major = load_index(e.majors, a.index_type, place);
      if (is_outside(major, a.base, e.row_limit)) report(fault, kRowIndex, place);
      if (t == 0) continue;
      const Int minor_before = load_index(e.minors, a.index_type, place - 1);
      const Int major_before = load_index(e.majors, a.index_type, place - 1);
      const Int here = e.sorts_by_major ? major : minor, before = e.sorts_by_major ? major_before : minor_before;
      const Int then = e.sorts_by_major ? minor : major, then_before = e.sorts_by_major ? minor_before : major_before;
      descents += here < before || (here == before && then < then_before) ? 1 : 0;
      repeats += here == before && then == then_before ? 1 : 0;
    } else if (!e.sorts_by_major) {
      descents += 1;
    } else if (t > 0 && is_used) {
      const Int before = load_index(e.minors, a.index_type, place - 1);
      if (before != -1 && before < minor) continue;
      // Neighbours do not ascend: is this the first entry of its major?
      if (is_ell) {
        if (t % slots == 0) continue;
      } else {
        const Int major = last_at_most(a.offsets, a.offset_type, place + a.base, 0, e.major_count);
        if (load_index(a.offsets, a.offset_type, major) == place + a.base) continue;
      }
      if (before == minor)
        repeats += 1;
      else
        descents += 1;
    }
  }
  add_to(&state->used, used);
  add_to(&state->descents, descents);
  add_to(&state->repeats, repeats);
  if (fault != ~0ull) atomicMin(&state->fault, fault);
}

const char* offsets_name(Format format) noexcept {
  return format == Format::csr ? "row_offsets" : format == Format::csc ? "col_offsets" : "block_row_offsets";
}
const char* minor_name(Format format) noexcept {
  return has_blocks(format) ? "block_col_indices" : format == Format::csc ? "row_indices" : "col_indices";
}

Int read_index(const void* array, IndexType type, Int position, const Exec& exec) {
  Int number = 0;
  read_back(&number, advance_bytes(array, position * static_cast<Int>(size_of(type))), size_of(type), exec);
  return index_at(&number, type, 0);
}

[[noreturn]] void throw_fault(const Examined& e, const char* name, unsigned long long fault, const Exec& exec) {
  const SparseView& a = e.a;
  const auto kind = static_cast<unsigned>(fault >> kKindBits);
  const auto position = static_cast<Int>(fault & ((1ull << kKindBits) - 1));
  const char* const offsets = offsets_name(a.format);
  if (kind == kRowIndex || kind == kMinorIndex) {
    const bool is_minor = kind == kMinorIndex;
    const Int value = read_index(is_minor ? e.minors : e.majors, a.index_type, position, exec);
    throw Error(SPK_STATUS_INVALID_STRUCTURE, "%s: %s[%lld] = %lld is outside [%d, %lld)", name,
                is_minor ? minor_name(a.format) : "row_indices", static_cast<Long>(position), static_cast<Long>(value),
                a.base, static_cast<Long>(a.base + (is_minor ? e.minor_limit : e.row_limit)));
  }
  const Int value = read_index(a.offsets, a.offset_type, position, exec);
  const Int first = a.first_entry + a.base;
  if (kind == kFirstOffset)
    throw Error(SPK_STATUS_INVALID_STRUCTURE, "%s: %s[0] = %lld but must be %lld", name, offsets,
                static_cast<Long>(value), static_cast<Long>(first));
  if (kind == kOffsetDecreases)
    throw Error(SPK_STATUS_INVALID_STRUCTURE, "%s: %s[%lld] = %lld is below the one before it, %lld", name, offsets,
                static_cast<Long>(position), static_cast<Long>(value),
                static_cast<Long>(read_index(a.offsets, a.offset_type, position - 1, exec)));
  throw Error(SPK_STATUS_INVALID_STRUCTURE, "%s: %s[%lld] = %lld but must be %lld, the number stored plus the base",
              name, offsets, static_cast<Long>(position), static_cast<Long>(value), static_cast<Long>(first + a.nnzb));
}

SourceState examine(const Device& device, const Examined& e, const char* name, SourceState* memory, const Exec& exec) {
  SPK_CUDA_CHECK(cudaMemsetAsync(memory, 0, sizeof *memory, stream_of(exec)));
  SPK_CUDA_CHECK(cudaMemsetAsync(&memory->fault, 0xff, sizeof memory->fault, stream_of(exec)));
  const Int items = std::max(e.a.nnzb, e.checks_offsets ? e.major_count + 1 : 0);
  for_items(examine_structure, device, items, exec, e, memory);
  const SourceState state = read_number(memory, exec);
  if (state.fault != ~0ull) throw_fault(e, name, state.fault, exec);
  return state;
}

}  // namespace

void read_back(void* host, const void* device, std::size_t bytes, const Exec& exec) {
  SPK_CUDA_CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream_of(exec)));
  SPK_CUDA_CHECK(cudaStreamSynchronize(stream_of(exec)));
}

SourceState examine(const Device& device, const SparseView& a, Along along, const char* name, SourceState* memory,
                    const Exec& exec) {
  const bool is_coo = a.format == Format::coo;
  const Int minor_limit = a.format == Format::csc ? a.rows : a.block_cols();
  const bool sorts_by_major = is_coo ? along == Along::rows : along == along_of(a.format);
  return examine(device,
                 {a, a.minor_indices(), is_coo ? a.row_indices : nullptr, a.major(), minor_limit, a.rows,
                  sorts_by_major, a.offset_type != IndexType::none},
                 name, memory, exec);
}

void examine_indices(const Device& device, const SparseView& a, const char* name, SourceState* memory,
                     const Exec& exec) {
  examine(device, {a, a.minor_indices(), nullptr, a.major(), a.block_cols(), a.rows, false, false}, name, memory, exec);
}

}  // namespace spk::cuda
