// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/sddmm.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.hpp"

namespace spk::cuda {
namespace {

// What the expected times are made of; bench/results names the runs they come from.
struct SddmmRates {
  double launch = 2.5;           // us of one kernel in a stream
  double clock = 1700;           // cycles per us
  double l2_bytes = 5.2e6;       // per us, all multiprocessors together
  double tile_start = 2.0;       // us until a block's first slice and rows are there
  double tile_round = 1500;      // cycles to look at one round of 2048 indices
  double tile_list = 2000;       // cycles of a full list besides its slices
  double slice_pipe = 300;       // cycles of a slice that blocks of one multiprocessor do not share ...
  double slice_pipe_entry = 55;  // ... and for each entry of a group
  double slice_wait = 800;       // cycles that a slice takes a block alone
  double slice_wait_entry = 60;
  double slice_across = 2.0;    // times that, where an operand is not contiguous along k
  double dense_round = 1800;    // cycles to look at one round of indices in a finished tile
  double dense_slice = 5500;    // cycles of one slice of a tile of 128 x 128, f32 in three products
  double dense_slice16 = 2200;  // with 16-bit operands
  double sm90_slice = 2700;     // the same on SM 9.0a
  double sm90_slice16 = 1400;
  double dense_across = 1.5;
  double join = 2.0;                 // us of the kernel that adds splits
  double join_bytes = 1.0e6;         // per us
  double gather_start = 7.5;         // us of searching and of the first loads
  double gather_bytes = 8.0e6;       // per us, from L1 and L2, if op(B) is small
  double gather_far = 3.6e6;         // else
  double gather_near = 8.0e6;        // bytes of a small op(B)
  double gather_entry = 6.0e-6;      // us of an entry besides its bytes, whole device
  double copy_bytes = 1.0e6;         // per us
  double split_start = 1.25;         // us of the row-splitting kernel
  double split_start16 = 1.6;        // with 16-bit operands
  double split_row_bytes = 1.1e-3;   // us of a byte of an operand's row
  double split_entries = 0.22;       // us of twice as many entries in a row
  double split_bytes = 12.2e6;       // per us, mostly from L1
  double split_bytes16 = 9.3e6;      // the same with 16-bit operands
  double split_rows = 1.05e-3;       // us of a row, whole device
  double split_steps = 1.0;          // us where warps have several steps of a row each
  double split_thin = 128;           // columns of C per entry of a row
  double split_long = 3.1e-3;        // us of an entry of a long row ...
  double split_long_bytes = 2.3e-6;  // ... and of each byte of an operand's row
  double entry_start = 8.0;          // us
  double entry_search = 7.0e-5;      // us of one entry's search, whole device
  double entry_bytes = 4.0e6;        // per us, what the entry kernel gathers
};
constexpr SddmmRates kRates;

const char* any(const SddmmProblem&) noexcept { return nullptr; }

const char* needs_csr(const SddmmProblem& p) noexcept {
  if (p.c.format != Format::csr && p.c.block_size != 1) return "C is not csr";
  if (p.c.nnz > INT32_MAX) return "more than 2^31 - 1 stored entries";
  if (p.k > INT32_MAX) return "k > 2^31 - 1";
  // The smallest number of tiles must be one that a grid may have.
  if (static_cast<double>(p.m) / 256 * (static_cast<double>(p.n) / 256) * static_cast<double>(p.c.batch_count) > 1e8)
    return "more tiles than a grid can have";
  return nullptr;
}

const char* takes_dense(const SddmmProblem& p) noexcept {
  if (sum_type(p.a.type) != ValueType::f32) return "the operands are neither f32 nor 16 bits";
  // The split of an operand costs up to 12 u of each product, the bound of a sum grows with k.
  if (p.a.type == ValueType::f32 && p.k < 16) return "k < 16";
  return needs_csr(p);
}

const char* takes_gather(const SddmmProblem& p) noexcept {
  return p.c.format != Format::csr && p.c.block_size != 1 ? "C is not csr" : nullptr;
}

const char* takes_row_split(const SddmmProblem& p) noexcept {
  if (is_complex(p.a.type)) return "the operands are complex";
  if (p.c.format != Format::csr && p.c.block_size != 1) return "C is not csr";
  if (p.m > INT32_MAX || p.n > INT32_MAX || p.c.first_entry + p.c.nnz > INT32_MAX - 8192)
    return "2^31 - 8192 or more rows, columns or stored entries";
  const Operand a = operand(p.a, p.op_a), b = operand(p.b, p.op_b);
  if (sddmm_needs_copy(p.a, a.col_stride, p.k) || sddmm_needs_copy(p.b, b.row_stride, p.k))
    return "op(A) or op(B) is not contiguous along k in whole pieces of 16 bytes";
  const auto aligned = [](const void* array) { return reinterpret_cast<std::uintptr_t>(array) % 16 == 0; };
  if (!aligned(a.values) || !aligned(b.values)) return "the operands do not start at 16 bytes";
  return p.k * static_cast<std::int64_t>(size_of(p.a.type)) <= 4096 ? nullptr : "k takes more than 4096 bytes";
}

const char* takes_strips(const SddmmProblem& p) noexcept {
  if (const char* reason = takes_dense(p)) return reason;
  if (p.skips_product() || p.k == 0) return "there is nothing to multiply";
  if (p.m > INT32_MAX - 256 || p.k > INT32_MAX - 256) return "sizes of about 2^31";
  if (p.n > std::int64_t{65535} * 64 || p.c.batch_count > 65535) return "more columns or matrices than a grid can have";
  const auto size = static_cast<std::int64_t>(size_of(p.a.type));
  const auto in_pieces = [size](const DenseView& x) {
    return reinterpret_cast<std::uintptr_t>(x.values) % 16 == 0 && x.ld * size % 16 == 0 &&
           x.batch_stride * size % 16 == 0;
  };
  if (!in_pieces(p.a) || !in_pieces(p.b)) return "lines of A or B are not aligned to 16 bytes";
  const auto is_far = [](std::int64_t elements) { return elements >= std::int64_t{1} << 37; };
  if (is_far(p.a.ld) || is_far(p.b.ld) || is_far(p.a.batch_stride) || is_far(p.b.batch_stride))
    return "strides of 2^37 elements";
  if (size == 4 && (operand(p.a, p.op_a).col_stride != 1 || operand(p.b, p.op_b).row_stride != 1))
    return "f32 operands are not contiguous along k";
  return nullptr;
}

const char* takes_clusters(const SddmmProblem& p) noexcept {
  if (const char* reason = takes_strips(p)) return reason;
  if (operand(p.a, p.op_a).col_stride != 1) return "op(A) is not contiguous along k";
  if (p.c.index_type == IndexType::u16) return "indices of 16 bits";
  if (p.m > 1 << 26) return "more rows than a grid can have";
  return sddmm_cluster_fits(p) ? nullptr : "more columns than a cluster has";
}

double stored(const SddmmProblem& p) noexcept {
  return static_cast<double>(p.c.nnz) * static_cast<double>(p.c.batch_count);
}

// Whether an operand is not contiguous along k.
bool is_across(const SddmmProblem& p) noexcept {
  return operand(p.a, p.op_a).col_stride != 1 || operand(p.b, p.op_b).row_stride != 1;
}

double entries_cost(const Device& device, const SddmmProblem& p) {
  const double sms = device.sm_count / 132.0;
  const double bytes = stored(p) * static_cast<double>(p.k) * static_cast<double>(size_of(p.a.type));
  return kRates.launch + kRates.entry_start +
         (stored(p) * kRates.entry_search + (is_across(p) ? 8 : 1) * bytes / kRates.entry_bytes) / sms;
}
double tile_cost(const Device& device, const SddmmProblem& p) { return sddmm_tiling(device, p).microseconds; }

std::size_t no_workspace(const Device&, const SddmmProblem&) noexcept { return 0; }
std::size_t partial_bytes(const SddmmProblem& p, const SddmmTiling& t) noexcept {
  if (t.splits == 1) return 0;
  return static_cast<std::size_t>(t.splits) * static_cast<std::size_t>(p.c.nnz * p.c.batch_count) *
         size_of(sum_type(p.a.type));
}
std::size_t tile_workspace(const Device& device, const SddmmProblem& p) {
  return partial_bytes(p, sddmm_tiling(device, p));
}

// Adding the parts of the inner size.
double join_time(const SddmmProblem& p, const SddmmTiling& t) noexcept {
  if (t.splits == 1) return 0;
  return kRates.join + 2 * static_cast<double>(partial_bytes(p, t)) / kRates.join_bytes;
}

// Expected time of a tiling on the device.
double tile_time(const Device& device, const SddmmProblem& p, const SddmmTiling& t) {
  const double value_bytes = static_cast<double>(size_of(p.a.type));
  const std::size_t sum_bytes = size_of(sum_type(p.a.type));
  const double slice_k = kSddmmSliceBytes / value_bytes;
  const double row_tiles = std::ceil(static_cast<double>(p.m) / t.rows);
  const double col_tiles = std::ceil(static_cast<double>(p.n) / t.cols);
  const double blocks = row_tiles * col_tiles * t.splits * static_cast<double>(p.c.batch_count);
  const double slices = std::ceil(std::ceil(static_cast<double>(p.k) / slice_k) / t.splits);
  const double entries = static_cast<double>(p.c.nnz) / (row_tiles * col_tiles);
  const double lists = std::max(1.0, std::ceil((entries + 3 * std::sqrt(entries)) / sddmm_tile_capacity(sum_bytes)));
  // Entries of a group, in steps of 4; entries of more than 4 bytes take the pipes longer.
  const double share = std::ceil(entries / lists / (kSddmmTileThreads / 8.0) / 4) * 4;
  const double looked_at = std::ceil(static_cast<double>(p.c.nnz) / row_tiles / 2048);
  const double across = is_across(p) ? kRates.slice_across : 1;
  // Blocks that a multiprocessor has at a time share its pipes, and wait for memory side by side.
  const double together =
      std::min(sum_bytes == 4 ? 2.0 : 1.0,
               std::floor(static_cast<double>(device.shared_per_sm / (sddmm_tile_shared(t) + 1024))));
  const double per_sm = std::ceil(blocks / device.sm_count), rounds = std::ceil(per_sm / together);
  const double pipe = lists * (slices * across * (kRates.slice_pipe + kRates.slice_pipe_entry * share)) +
                      looked_at * kRates.tile_round / 2;
  const double wait =
      lists * (slices * across * (kRates.slice_wait + kRates.slice_wait_entry * share) + kRates.tile_list) +
      looked_at * kRates.tile_round;
  const double bytes = blocks * lists * slices * (t.rows + t.cols) * kSddmmSliceBytes;
  const double time = std::max(
      {per_sm * pipe / kRates.clock, rounds * wait / kRates.clock, bytes / (kRates.l2_bytes * device.sm_count / 132)});
  return kRates.launch + rounds * kRates.tile_start + time + join_time(p, t);
}

double dense_time(const Device& device, const SddmmProblem& p, const SddmmTiling& t, double slice_cycles) {
  const double slice_k = kSddmmSliceBytes / static_cast<double>(size_of(p.a.type));
  const double row_tiles = std::ceil(static_cast<double>(p.m) / t.rows);
  const double col_tiles = std::ceil(static_cast<double>(p.n) / t.cols);
  const double blocks = row_tiles * col_tiles * t.splits * static_cast<double>(p.c.batch_count);
  const double slices = std::ceil(std::ceil(static_cast<double>(p.k) / slice_k) / t.splits);
  const double cycles = slice_cycles * t.cols / 128 * (is_across(p) ? kRates.dense_across : 1);
  const double looked_at = std::ceil(static_cast<double>(p.c.nnz) / row_tiles / 2048);
  const double rounds = std::ceil(blocks / device.sm_count);
  return kRates.launch + kRates.tile_start +
         rounds * (slices * cycles + looked_at * kRates.dense_round) / kRates.clock + join_time(p, t);
}

double dense_sm90_cost(const Device& device, const SddmmProblem& p) {
  return sddmm_dense_sm90_tiling(device, p).microseconds;
}
std::size_t dense_sm90_workspace(const Device& device, const SddmmProblem& p) {
  return partial_bytes(p, sddmm_dense_sm90_tiling(device, p));
}
double dense_cost(const Device& device, const SddmmProblem& p) { return sddmm_dense_tiling(device, p).microseconds; }
std::size_t dense_workspace(const Device& device, const SddmmProblem& p) {
  return partial_bytes(p, sddmm_dense_tiling(device, p));
}

std::size_t gather_workspace(const Device&, const SddmmProblem& p) {
  const Operand a = operand(p.a, p.op_a), b = operand(p.b, p.op_b);
  std::size_t bytes = 0;
  if (sddmm_needs_copy(p.a, a.col_stride, p.k))
    bytes += sddmm_packed_bytes(p.m, p.k, p.a.batch_stride == 0 ? 1 : p.c.batch_count, size_of(p.a.type));
  if (sddmm_needs_copy(p.b, b.row_stride, p.k))
    bytes += sddmm_packed_bytes(p.n, p.k, p.b.batch_stride == 0 ? 1 : p.c.batch_count, size_of(p.a.type));
  return bytes;
}
double gather_cost(const Device& device, const SddmmProblem& p) {
  const double bytes = stored(p) * static_cast<double>(p.k) * static_cast<double>(size_of(p.a.type));
  const double copies = static_cast<double>(gather_workspace(device, p));
  const double right = static_cast<double>(p.n) * static_cast<double>(p.k) * static_cast<double>(size_of(p.a.type));
  const double rate = right <= kRates.gather_near ? kRates.gather_bytes : kRates.gather_far;
  return kRates.launch + kRates.gather_start + (copies == 0 ? 0 : kRates.launch + copies / kRates.copy_bytes) +
         (bytes / rate + stored(p) * kRates.gather_entry) * 132 / device.sm_count;
}

// Fitted, like the costs of the kernel by strips, to 156 races of each type on an H200: half of the expected times lie
// within 10 %. How uneven rows are is not known.
double row_split_cost(const Device& device, const SddmmProblem& p) {
  // A group of lanes takes no fewer than 128 bytes of a row at a time.
  const double row = std::max(static_cast<double>(p.k) * static_cast<double>(size_of(p.a.type)), 128.0);
  const bool is_half = size_of(p.a.type) == 2;
  // Rows may be as uneven as the matrix is thin: then the longest must be expected to wait for its few warps.
  const double mean = static_cast<double>(p.c.nnz) / static_cast<double>(std::max<std::int64_t>(p.m, 1));
  const bool thin = static_cast<double>(p.n) > kRates.split_thin * mean;
  const double longest = thin ? static_cast<double>(std::min(p.c.nnz, p.n)) : 0;
  const double rows = static_cast<double>(p.m) * static_cast<double>(p.c.batch_count);
  return (is_half ? kRates.split_start16 : kRates.split_start) + row * kRates.split_row_bytes +
         kRates.split_entries * std::log2(2 + mean) + longest * (kRates.split_long + row * kRates.split_long_bytes) +
         (stored(p) >= 400.0 * device.sm_count ? kRates.split_steps : 0) +
         (stored(p) * row / (is_half ? kRates.split_bytes16 : kRates.split_bytes) + rows * kRates.split_rows) * 132 /
             device.sm_count;
}

// Microseconds of the kernel by strips: of a block, a chunk of 128 bytes along k, a pass over a warp's rows, a step of a
// search; the `load` ones for each block that a multiprocessor has. Fitted to 156 races of each type on an H200, of 39
// matrices with k of 32 to 512: half of the expected times lie within 7 %.
struct StripRates {
  double start, chunk, load, load_chunk, pass, load_pass, step, load_step;
};
constexpr StripRates kStripRates[2][kSddmmStripTiles] = {
    // 16 bits
    {{1.136, 0.032, 0.345, 0.127, 0.224, 0.336, 0.196, 0.085},
     {0.494, 0, 1.217, 0.205, 0, 0.580, 0, 0.342},
     {0.980, 0.161, 0.980, 0.161, 0.314, 0.314, 0.164, 0.164}},
    // f32
    {{1.203, 0.193, 0.347, 0.278, 0.365, 0.187, 0.234, 0.037},
     {0.563, 0, 1.269, 0.638, 0, 0.578, 0, 0.311},
     {1.054, 0.490, 1.054, 0.490, 0.328, 0.328, 0.158, 0.158}}};

double strips_time(const Device& device, const SddmmProblem& p, SddmmStripTile tile) {
  const StripRates& rates = kStripRates[p.a.type == ValueType::f32][static_cast<int>(tile)];
  const int rows = tile == SddmmStripTile::t64x64 ? 64 : 128, cols = tile == SddmmStripTile::t128x128 ? 128 : 64;
  const auto n = static_cast<double>(std::max<std::int64_t>(p.n, 1));
  const double chunks = std::ceil(static_cast<double>(p.k) * static_cast<double>(size_of(p.a.type)) / 128);
  const double load = std::ceil(std::ceil(static_cast<double>(p.m) / rows) * std::ceil(n / cols) *
                                static_cast<double>(p.c.batch_count) / device.sm_count);
  // The fullest of some rows, and of their parts in a strip, if columns are drawn at random.
  const double mean = static_cast<double>(p.c.nnz) / static_cast<double>(std::max<std::int64_t>(p.m, 1));
  const double left = 1 - std::min(1.0, mean / n);
  const double full = mean + 3 * std::sqrt(mean * left), part = mean * std::min(1.0, cols / n);
  double entries = full, steps = 0;
  if (full > kSddmmStripShort) {
    entries = std::min(part + 2.5 * std::sqrt(part * left), static_cast<double>(cols));
    if (p.n > cols) steps = std::ceil(std::log(std::max(mean, 1.0)) / std::log(4.0));
  }
  const double passes = std::ceil(entries / 16);
  return rates.start + chunks * (rates.chunk + load * rates.load_chunk) + load * rates.load +
         passes * (rates.pass + load * rates.load_pass) + steps * (rates.step + load * rates.load_step);
}

double strips_cost(const Device& device, const SddmmProblem& p) {
  if (!device.runs_sm90a) return 1e30;
  return strips_time(device, p, sddmm_strip_tile(device, p));
}

double clusters_cost(const Device& device, const SddmmProblem& p) {
  return device.runs_sm90a ? sddmm_cluster_tile(device, p).microseconds : 1e30;
}

SddmmTiling best_dense_tiling(const Device& device, const SddmmProblem& p, int cols, double slice_cycles) {
  constexpr int kSplits[] = {1, 2, 4, 8};
  const std::int64_t slices =
      (p.k * static_cast<std::int64_t>(size_of(p.a.type)) + kSddmmSliceBytes - 1) / kSddmmSliceBytes;
  SddmmTiling best;
  for (const int splits : kSplits) {
    if (splits > 1 && slices < 2 * splits) break;
    SddmmTiling t{128, cols, splits, 0};
    t.microseconds = dense_time(device, p, t, slice_cycles);
    if (best.rows == 0 || t.microseconds < best.microseconds) best = t;
  }
  return best;
}

using Row = SddmmRow;
const Row kTable[] = {
#define SPK_KERNEL(name, id, sm, refuse, cost, workspace) {{#name, id, sm, name, refuse}, cost, workspace},
#include "cuda/sddmm_kernels.inc"
#undef SPK_KERNEL
};

const Row& require(const Device& device, const SddmmProblem& p) {
  std::string refusals;
  if (const Row* row = select_sddmm(device, p, nullptr)) return *row;
  select_sddmm(device, p, &refusals);
  throw Error(SPK_STATUS_NOT_SUPPORTED, "spk_sddmm: %s", refusals.c_str());
}

struct SddmmPlan final : Plan {
  std::string kernel;
  std::string describe() const override { return kernel + ", nothing kept, 0 bytes"; }
};

}  // namespace

std::span<const SddmmRow> sddmm_kernels() noexcept { return kTable; }

const SddmmRow* select_sddmm(const Device& device, const SddmmProblem& p, std::string* refusals) {
  return select_cheapest<Row>(
      sddmm_kernels(), p,
      [&](int sm) { return device.sm >= sm ? nullptr : "the device, or the code for it, is too old"; },
      [&](const Row& row) { return row.cost(device, p); }, refusals);
}

SddmmTiling sddmm_tiling(const Device& device, const SddmmProblem& p) {
  constexpr int kSizes[] = {16, 32, 64, 128, 256};
  constexpr int kSplits[] = {1, 2, 4, 8, 16};
  const std::int64_t slices =
      (p.k * static_cast<std::int64_t>(size_of(p.a.type)) + kSddmmSliceBytes - 1) / kSddmmSliceBytes;
  SddmmTiling best;
  for (const int rows : kSizes)
    for (const int cols : kSizes)
      for (const int splits : kSplits) {
        if (splits > 1 && slices < 2 * splits) break;
        SddmmTiling t{rows, cols, splits, 0};
        if (sddmm_tile_shared(t) > device.shared_per_block) break;
        t.microseconds = tile_time(device, p, t);
        if (best.rows == 0 || t.microseconds < best.microseconds) best = t;
      }
  return best;
}

SddmmTiling sddmm_dense_tiling(const Device& device, const SddmmProblem& p) {
  const double cycles = p.a.type == ValueType::f32 ? kRates.dense_slice : kRates.dense_slice16;
  const SddmmTiling narrow = best_dense_tiling(device, p, 64, cycles), wide = best_dense_tiling(device, p, 128, cycles);
  return narrow.microseconds < wide.microseconds ? narrow : wide;
}
SddmmTiling sddmm_dense_sm90_tiling(const Device& device, const SddmmProblem& p) {
  return best_dense_tiling(device, p, 128, p.a.type == ValueType::f32 ? kRates.sm90_slice : kRates.sm90_slice16);
}

SddmmStripTile sddmm_strip_tile(const Device& device, const SddmmProblem& p) {
  SddmmStripTile best = SddmmStripTile::t64x64;
  for (const SddmmStripTile tile : {SddmmStripTile::t128x64, SddmmStripTile::t128x128})
    if (strips_time(device, p, tile) < strips_time(device, p, best)) best = tile;
  return best;
}

Choice choose(const Device& device, const SddmmProblem& p) {
  std::string refusals;
  const Row* row = select_sddmm(device, p, &refusals);
  return row == nullptr ? Choice{0, std::move(refusals)} : Choice{row->id, row->name};
}

std::size_t workspace(const Device& device, const SddmmProblem& p, const Plan*, const Exec&) {
  const Row* row = select_sddmm(device, p, nullptr);
  return row == nullptr || p.c.nnz == 0 || p.c.batch_count == 0 || p.skips_product() ? 0 : row->workspace(device, p);
}

std::unique_ptr<Plan> prepare(const Device& device, const SddmmProblem& p, const Exec&) {
  auto plan = std::make_unique<SddmmPlan>();
  plan->kernel = require(device, p).name;
  return plan;
}

void run(const Device& device, const SddmmProblem& p, const Plan*, const Exec& exec) {
  const Row& row = require(device, p);
  if (p.c.nnz == 0 || p.c.batch_count == 0) return;
  const Launch launch{device, static_cast<cudaStream_t>(exec.stream), exec.workspace};
  // Only beta: nothing is gathered.
  if (p.skips_product()) return sddmm_entries__sm70(p, launch);
  const std::size_t needed = row.workspace(device, p);
  if (exec.workspace_bytes < needed)
    throw Error(SPK_STATUS_WORKSPACE_TOO_SMALL, "spk_sddmm: workspace_bytes = %zu but %zu are needed",
                exec.workspace_bytes, needed);
  row.function(p, launch);
}

}  // namespace spk::cuda
