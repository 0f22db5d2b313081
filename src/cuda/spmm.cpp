// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/spmm.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/error.hpp"
#include "cuda/kernels/spmm_dense_copy_expand.hpp"
#include "cuda/kernels/spmm_kernels.hpp"
#include "cuda/spmm_cost.hpp"
#include "cuda/spmm_dense_copy.hpp"
#include "cuda/spmm_dense_tile.hpp"
#include "cuda/spmm_nnz_split.hpp"
#include "cuda/spmm_row_tile.hpp"

// Choice of the kernel, rows of op(A) for storages that have none, and the call. Kernels are in kernels/spmm_*.
namespace spk::cuda {
namespace {

bool is_small_index(IndexType type) noexcept { return type == IndexType::i32 || type == IndexType::i64; }

// What all kernels for CSR rows of 32- or 64-bit columns ask for.
template <ValueType kType>
const char* refuse_csr(const SpmmProblem& p) {
  if (p.a.value_type != kType) return "other value type";
  if (is_block_format(p.a.format)) return "blocks";
  if (!is_small_index(p.a.index_type)) return "16-bit indices";
  if (p.m > INT32_MAX || p.a.nnz > INT32_MAX) return "more than 2^31 - 1 rows or entries";
  return nullptr;
}

template <ValueType kType>
const char* refuse_rows(const SpmmProblem& p) {
  if (const char* reason = refuse_csr<kType>(p)) return reason;
  if (p.n == 1) return "one column";
  const Operand b = operand(p.b, p.op_b);
  if (b.col_stride != 1) return "rows of op(B) are not contiguous";
  return b.row_stride <= INT32_MAX / 16 ? nullptr : "rows of op(B) are more than 2^27 elements apart";
}

// Rows of op(B) beyond which walking the entries once per chunk of the panel costs more than it saves.
constexpr std::int64_t kPanelMostRows = 6144;
constexpr std::int64_t kPairMostRows = 8192;

// Whether entries of every matrix of a batch may be read four at a time.
bool starts_runs(const SparseView& a) noexcept {
  const auto aligned = [](const void* array) { return reinterpret_cast<std::uintptr_t>(array) % 16 == 0; };
  return aligned(a.values) && aligned(a.minor_indices()) && a.values_stride % 8 == 0 && a.indices_stride % 8 == 0;
}

template <ValueType kType>
const char* refuse_panel(const SpmmProblem& p) {
  if (const char* reason = refuse_csr<kType>(p)) return reason;
  if (p.a.index_type != IndexType::i32 && stored_in_rows(p)) return "64-bit indices";
  if (!stored_in_rows(p) && row_index_type(p.a) != IndexType::i32) return "64-bit indices";
  if (stored_in_rows(p) && !starts_runs(p.a)) return "entries of A do not start at 16 bytes";
  if (p.k > kPanelMostRows) return "k > 6144";
  return p.n <= std::int64_t{1} << 28 ? nullptr : "n > 2^28";
}

const char* refuse_pair_panel(const SpmmProblem& p) {
  if (const char* reason = refuse_csr<ValueType::f32>(p)) return reason;
  if ((stored_in_rows(p) ? p.a.index_type : row_index_type(p.a)) != IndexType::i32) return "64-bit indices";
  if (operand(p.b, p.op_b).col_stride != 1) return "rows of op(B) are not contiguous";
  if (p.k > kPairMostRows) return "k > 8192";
  if (stored_in_rows(p) && p.a.offset_type == IndexType::u16) return "16-bit offsets";
  // Rows are counted, and entries numbered, in 32 bits.
  if (p.m > std::int64_t{1} << 29 || p.c.batch_count > INT32_MAX) return "m > 2^29 or too many matrices";
  if (p.a.first_entry >= INT32_MAX - p.a.nnz) return "entries behind the first 2^31";
  return p.n <= std::int64_t{1} << 28 ? nullptr : "n > 2^28";
}

template <ValueType kType>
const char* refuse_turned(const SpmmProblem& p) {
  if (const char* reason = refuse_csr<kType>(p)) return reason;
  if (p.n == 1) return "one column, which cannot be turned";
  return operand(p.b, p.op_b).row_stride == 1 ? nullptr : "columns of op(B) are not contiguous";
}

template <ValueType kType>
const char* refuse_dot(const SpmmProblem& p) {
  if (const char* reason = refuse_csr<kType>(p)) return reason;
  return p.n <= 16 ? nullptr : "n > 16";
}

template <ValueType kType>
const char* refuse_sell(const SpmmProblem& p) {
  if (const char* reason = refuse_csr<kType>(p)) return reason;
  if (p.a.format != Format::sell) return "not sliced ELLPACK";
  if (p.op_a != Op::n) return "op(A) is not stored by rows";
  return p.n <= 16 ? nullptr : "n > 16";
}

template <ValueType kType>
const char* refuse_any(const SpmmProblem& p) {
  return p.a.value_type == kType ? nullptr : "other value type";
}

std::size_t no_workspace(const Device&, const SpmmProblem&) { return 0; }

std::size_t nnz_rows_workspace(const Device& device, const SpmmProblem& p) {
  return nnz_split_layout(p, nnz_split_of_rows(device, p, 0)).total;
}
std::size_t nnz_dot_workspace(const Device& device, const SpmmProblem& p) {
  return nnz_split_layout(p, nnz_split_of_dot(device, p, 0)).total;
}
// For rows that are left over, what the kernel in front needs.
std::size_t long_rows_workspace(const Device& device, const SpmmProblem& p, std::int64_t cut) {
  return cut == 0 ? 0 : nnz_split_layout(p, nnz_split_of_rows(device, p, cut)).total;
}
std::size_t rows_workspace(const Device& device, const SpmmProblem& p) {
  return long_rows_workspace(device, p, cut_of_rows(p));
}
std::size_t short_rows_workspace(const Device& device, const SpmmProblem& p) {
  return long_rows_workspace(device, p, cut_of_short_rows(p));
}
std::size_t dot_workspace(const Device& device, const SpmmProblem& p) {
  const std::int64_t cut = cut_of_dot(device, p);
  return cut == 0 ? 0 : nnz_split_layout(p, nnz_split_of_dot(device, p, cut)).total;
}

// Rows of op(B), of every matrix of B's batch; behind them, what the kernels for rows may need.
std::size_t turned_workspace(const Device& device, const SpmmProblem& p) {
  return turned_bytes(p) +
         std::max({rows_workspace(device, p), short_rows_workspace(device, p), nnz_rows_workspace(device, p)});
}

#define SPK_KERNEL(name, sm, id, refuse, cost, workspace) {{#name, id, sm, &name, &refuse}, &cost, &workspace},
constexpr SpmmRow kTable[] = {
#include "cuda/spmm_kernels.inc"
};
#undef SPK_KERNEL

// For kernels that multiply a dense copy of op(A): what kind of copy; else NULL.
const TileMath* math_of_copy(const SpmmRow& kernel) noexcept {
  static constexpr TileMath kMaths[] = {TileMath::sixteen_bit, TileMath::tf32, TileMath::split_tf32};
  if (kernel.cost == &cost_copy<TileMath::sixteen_bit>) return &kMaths[0];
  if (kernel.cost == &cost_copy<TileMath::tf32>) return &kMaths[1];
  return kernel.cost == &cost_copy<TileMath::split_tf32> ? &kMaths[2] : nullptr;
}

// Whether the kernel takes A as it is stored, so that no rows of op(A) have to be made.
bool takes_as_stored(const Device& device, const SpmmRow& kernel, const SpmmProblem& p) noexcept {
  if (stored_in_rows(p) || p.skips_product() || kernel.cost == &cost_sell) return true;
  const TileMath* math = math_of_copy(kernel);
  return math != nullptr && device.runs_sm90a && copies_columns(p, *math);
}

// The query of the workspace, the call itself and calls in a loop ask the same question, so a thread keeps its last answer.
// Problems are compared by their bytes: bytes between members can only make two of them differ.
const SpmmRow& kernel_for(const Device& device, const SpmmProblem& p) {
  static_assert(std::is_trivially_copyable_v<SpmmProblem>);
  struct Answer {
    SpmmProblem p;
    int ordinal, sm;
    const SpmmRow* row;
  };
  thread_local Answer last{};
  if (last.row != nullptr && last.ordinal == device.ordinal && last.sm == device.sm &&
      std::memcmp(&last.p, &p, sizeof p) == 0)
    return *last.row;
  if (const SpmmRow* row = select_spmm(device, p, nullptr)) {
    std::memcpy(static_cast<void*>(&last.p), &p, sizeof p);
    last.ordinal = device.ordinal;
    last.sm = device.sm;
    last.row = row;
    return *row;
  }
  throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes this product: %s", choose(device, p).text.c_str());
}

// Whether to know the longest row would spare a kernel what it does in case there is a long one.
bool wants_longest_row(const Device& device, const SpmmProblem& p) noexcept {
  if (is_block_format(p.a.format) || p.a.nnz > INT32_MAX) return false;
  return cut_of_rows(p) > 0 || cut_of_short_rows(p) > 0 || cut_of_dot(device, p) > 0;
}

// Counts the longest of `rows` and chooses the plan's kernel with that.
void see_longest_row(SpmmPlan& plan, const SpmmProblem& p, const SparseView& rows, const Launch& launch) {
  const LongestRow l{rows.offsets, rows.offset_type, p.m, rows.offsets_stride == 0 ? 1 : rows.batch_count,
                     rows.offsets_stride};
  std::int64_t found = 0;
  void* memory = nullptr;
  SPK_CUDA_CHECK(cudaMallocAsync(&memory, sizeof found, launch.stream));
  const auto release = [&](void* x) { cudaFreeAsync(x, launch.stream); };
  const std::unique_ptr<void, decltype(release)> longest(memory, release);
  find_longest_row(l, static_cast<std::int64_t*>(longest.get()), launch);
  SPK_CUDA_CHECK(cudaMemcpyAsync(&found, longest.get(), sizeof found, cudaMemcpyDeviceToHost, launch.stream));
  SPK_CUDA_CHECK(cudaStreamSynchronize(launch.stream));
  plan.longest_row = found;
  plan.kernel = &kernel_for(launch.device, plan.known(p));
}

SpmmCall call_as_stored(const SpmmProblem& p) {
  SpmmCall call{p, p.a};
  if (p.a.format == Format::csc) std::swap(call.rows.rows, call.rows.cols);
  call.by_columns = !stored_in_rows(p);
  return call;
}

// Of rows that were made the values; the dense copy, if the plan's kernel multiplies one.
void keep_values(SpmmPlan& plan, const SpmmProblem& p, const Launch& launch) {
  const bool as_stored = takes_as_stored(launch.device, *plan.kernel, p);
  SpmmCall call = as_stored ? call_as_stored(p) : call_on_rows(p, plan.layout, plan.rows);
  if (!as_stored && !is_block_format(p.a.format)) {
    plan.values = plan.allocate(planned_values_bytes(p));
    gather_planned_values(call, plan.layout, plan.rows, plan.values, launch);
  }
  if (const TileMath* math = math_of_copy(*plan.kernel)) {
    plan.copy = plan.allocate(bytes_of_copy(p, *math));
    make_dense_copy(call, {launch.device, launch.stream, plan.copy}, *math);
  }
}

}  // namespace

std::size_t turned_bytes(const SpmmProblem& p) {
  if (p.skips_product()) return 0;
  const std::int64_t matrices = p.b.batch_stride == 0 ? 1 : p.b.batch_count;
  std::int64_t elements = 0;
  if (__builtin_mul_overflow(p.k, p.n, &elements) || __builtin_mul_overflow(elements, matrices, &elements))
    throw Error(SPK_STATUS_INDEX_OVERFLOW, "the workspace of this product does not fit in 63 bits");
  return bytes_of(elements, size_of(p.b.type));
}

std::span<const SpmmRow> spmm_kernels() noexcept { return kTable; }

bool stored_in_rows(const SpmmProblem& p) noexcept {
  switch (p.a.format) {
    case Format::csr:
    case Format::bsr:
    case Format::blocked_ell: return p.op_a == Op::n;
    case Format::csc: return p.op_a != Op::n;
    case Format::coo:
    case Format::sell: break;
  }
  return false;
}

const SpmmRow* select_spmm(const Device& device, const SpmmProblem& p, std::string* refusals) {
  return select_cheapest(
      spmm_kernels(), p,
      [&](int sm) { return device.sm >= sm ? nullptr : "the device, or the code for it, is too old"; },
      [&](const SpmmRow& row) { return row.cost(device, p); }, refusals);
}

Choice choose(const Device& device, const SpmmProblem& p) {
  std::string refusals;
  const SpmmRow* row = select_spmm(device, p, &refusals);
  return row == nullptr ? Choice{0, refusals} : Choice{row->id, row->name};
}

std::size_t workspace(const Device& device, const SpmmProblem& p, const Plan* plan, const Exec&) {
  if (p.m == 0 || p.n == 0) return 0;
  const auto* own = static_cast<const SpmmPlan*>(plan);
  const SpmmRow& kernel = own != nullptr ? *own->kernel : kernel_for(device, p);
  const std::size_t bytes = kernel.workspace(device, own != nullptr ? own->known(p) : p);
  if (takes_as_stored(device, kernel, p)) return bytes;
  if (own == nullptr) return bytes + rows_layout(device, p, false).total;
  return bytes + (own->values == nullptr ? planned_values_bytes(p) : 0);
}

std::unique_ptr<Plan> prepare(const Device& device, const SpmmProblem& p, const Exec& exec) {
  const Launch launch{device, static_cast<cudaStream_t>(exec.stream), nullptr};
  auto plan = std::make_unique<SpmmPlan>(device, launch.stream, kernel_for(device, p), p.keeps_values);
  if (p.m == 0 || p.n == 0 || p.skips_product()) return plan;
  if (p.keeps_values) refuse_capture(launch.stream, "this plan copies values and waits for them; make it before");
  if (stored_in_rows(p) && wants_longest_row(device, p) && !is_captured(launch.stream))
    see_longest_row(*plan, p, p.a, launch);
  if (!takes_as_stored(device, *plan->kernel, p)) {
    refuse_capture(launch.stream, "this plan makes rows of op(A) and waits for them; make it before");
    plan->layout = rows_layout(device, p, true);
    plan->rows = plan->allocate(plan->layout.total);
    // Slots of SELL without an entry get no place; what is gathered for them must lie inside the values all the same.
    if (p.a.format == Format::sell) SPK_CUDA_CHECK(cudaMemsetAsync(plan->rows, 0, plan->layout.scratch, launch.stream));
    make_rows(p, plan->layout, true, plan->rows, launch);
    if (wants_longest_row(device, p)) see_longest_row(*plan, p, call_on_rows(p, plan->layout, plan->rows).rows, launch);
  } else if (!p.keeps_values) {
    return plan;
  }
  if (p.keeps_values) keep_values(*plan, p, launch);
  // The caller may change the arrays as soon as the plan is there.
  SPK_CUDA_CHECK(cudaStreamSynchronize(launch.stream));
  return plan;
}

void run(const Device& device, const SpmmProblem& given, const Plan* plan, const Exec& exec) {
  if (given.m == 0 || given.n == 0) return;
  const auto* own = static_cast<const SpmmPlan*>(plan);
  const SpmmProblem p = own != nullptr ? own->known(given) : given;
  const SpmmRow& kernel = own != nullptr ? *own->kernel : kernel_for(device, p);
  Launch launch{device, static_cast<cudaStream_t>(exec.stream), exec.workspace};
  if (takes_as_stored(device, kernel, p)) {
    SpmmCall call = call_as_stored(p);
    if (own != nullptr) call.kept_copy = own->copy;
    return kernel.function(call, launch);
  }
  char* memory = static_cast<char*>(launch.workspace);
  if (own == nullptr) {
    const RowsLayout layout = rows_layout(device, p, false);
    make_rows(p, layout, false, memory, launch);
    launch.workspace = memory + layout.total;
    return kernel.function(call_on_rows(p, layout, memory), launch);
  }
  SpmmCall call = call_on_rows(p, own->layout, own->rows);
  call.kept_copy = own->copy;
  if (own->values != nullptr) {
    take_values(call, own->values);
  } else if (!is_block_format(p.a.format)) {
    gather_planned_values(call, own->layout, own->rows, memory, launch);
    launch.workspace = memory + planned_values_bytes(p);
  }
  kernel.function(call, launch);
}

SpmmPlan::~SpmmPlan() {
  for (char* memory : {rows, values, copy})
    if (memory != nullptr) cudaFreeAsync(memory, stream_);
}

char* SpmmPlan::allocate(std::size_t bytes) {
  void* memory = nullptr;
  SPK_CUDA_CHECK(cudaMallocAsync(&memory, bytes, stream_));
  bytes_ += bytes;
  return static_cast<char*>(memory);
}

std::string SpmmPlan::describe() const {
  std::string text = kernel->name;
  if (longest_row >= 0) text += ", longest row " + std::to_string(longest_row);
  if (rows != nullptr) text += ", rows of op(A) made";
  if (values != nullptr) text += ", their values kept";
  if (copy != nullptr) text += ", op(A) kept as a dense matrix";
  if (bytes_ != 0) text += ", " + std::to_string(bytes_) + " bytes";
  return text;
}

}  // namespace spk::cuda
