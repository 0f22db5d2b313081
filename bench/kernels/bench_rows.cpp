// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "cpu/isa.hpp"
#include "cpu/operations.hpp"

// Every row of the SDDMM and softmax tables that this machine can run, forced by its id, on one thread and warm caches:
// a random 512 x 1024 mask, a tenth of it stored, and for SDDMM k = 128.
namespace spk {
namespace {

using cpu::Isa;

struct TableRow {
  const char* name;
  std::int32_t id;
  Isa isa;
  Format format;
  ValueType type;
};
struct Kind {
  Format format;
  ValueType type;
};

constexpr std::int64_t kRows = 512, kCols = 1024, kInner = 128;

// Values that are finite and of ordinary size in every type: 0x3c3c repeated is about 0.01 as float, 1.06 as f16.
std::vector<std::uint16_t> values(std::int64_t count, ValueType type) {
  return std::vector<std::uint16_t>(static_cast<std::size_t>(count) * size_of(type) / 2, std::uint16_t{0x3c3c});
}

// A random structure in blocks of 16 for BSR, in single elements else.
struct Mask {
  explicit Mask(const TableRow& row) : type(row.type) {
    const std::int64_t edge = row.format == Format::bsr ? 16 : 1;
    std::mt19937 random(1);
    std::bernoulli_distribution stored(0.1);
    offsets.push_back(0);
    for (std::int64_t i = 0; i < kRows / edge; ++i) {
      for (std::int32_t j = 0; j < kCols / edge; ++j)
        if (stored(random)) columns.push_back(j);
      offsets.push_back(static_cast<std::int32_t>(columns.size()));
    }
    view.format = row.format;
    view.value_type = type;
    view.offset_type = IndexType::i32;
    view.block_order = row.format == Format::bsr ? Order::row : Order::none;
    view.block_size = edge;
    view.rows = kRows;
    view.cols = kCols;
    view.nnzb = static_cast<std::int64_t>(columns.size());
    view.nnz = view.nnzb * edge * edge;
    view.offsets = offsets.data();
    view.col_indices = columns.data();
    for (auto& v : memory) v = values(view.nnz, type);
  }
  SparseView matrix(std::size_t i) {
    SparseView v = view;
    v.values = memory[i].data();
    return v;
  }
  ValueType type;
  std::vector<std::int32_t> offsets, columns;
  std::vector<std::uint16_t> memory[3];
  SparseView view;
};

template <class Problem>
void measure(benchmark::State& state, const Problem& p, double flops) {
  Exec exec;
  std::vector<std::max_align_t> workspace(cpu::workspace(p, nullptr, exec) / sizeof(std::max_align_t) + 1);
  exec.workspace = workspace.data();
  exec.workspace_bytes = workspace.size() * sizeof(std::max_align_t);
  for (auto _ : state) cpu::run(p, nullptr, exec);
  state.counters["flops"] =
      benchmark::Counter(flops * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void sddmm(benchmark::State& state, const TableRow& row) {
  Mask mask(row);
  auto a = values(kRows * kInner, row.type), b = values(kCols * kInner, row.type);
  SddmmProblem p;
  p.m = kRows;
  p.n = kCols;
  p.k = kInner;
  p.a = {row.type, Order::row, kRows, kInner, kInner, a.data()};
  p.b = {row.type, Order::col, kInner, kCols, kInner, b.data()};
  p.c = mask.matrix(0);
  p.compute = sum_type(row.type);
  p.alg = row.id;
  measure(state, p, 2.0 * static_cast<double>(p.c.nnz * kInner) * (is_complex(row.type) ? 4 : 1));
}

void softmax(benchmark::State& state, const TableRow& row) {
  Mask mask(row);
  SoftmaxProblem p;
  p.x = mask.matrix(0);
  p.y = mask.matrix(1);
  p.alg = row.id;
  measure(state, p, static_cast<double>(p.x.nnz));  // counted as one an element
}

void softmax_backward(benchmark::State& state, const TableRow& row) {
  Mask mask(row);
  SoftmaxBackwardProblem p;
  p.y = mask.matrix(0);
  p.dy = mask.matrix(1);
  p.dx = mask.matrix(2);
  p.alg = row.id;
  measure(state, p, static_cast<double>(p.y.nnz));
}

void add(void (*run)(benchmark::State&, const TableRow&), const TableRow& row) {
  if (!cpu::isa_supports(cpu::available_isa(), row.isa)) return;
  benchmark::RegisterBenchmark(row.name, [run, row](benchmark::State& state) { run(state, row); });
}

#define SPK_EXPAND(...) __VA_ARGS__
namespace sddmm_table {
template <Format kFormat, ValueType kType>
constexpr Kind needs{kFormat, kType};
void add_all() {
#define SPK_KERNEL(name, isa, id, refuse) \
  add(sddmm, {#name "__" #isa, id, cpu::Isa::isa, (SPK_EXPAND refuse).format, (SPK_EXPAND refuse).type});
#include "cpu/sddmm_kernels.inc"
#undef SPK_KERNEL
}
}  // namespace sddmm_table

namespace softmax_tables {
template <ValueType kType>
constexpr ValueType needs = kType;
void add_all() {
#define SPK_KERNEL(name, isa, id, refuse) add(softmax, {#name "__" #isa, id, cpu::Isa::isa, Format::csr, refuse});
#include "cpu/softmax_kernels.inc"
#undef SPK_KERNEL
#define SPK_KERNEL(name, isa, id, refuse) \
  add(softmax_backward, {#name "__" #isa, id, cpu::Isa::isa, Format::csr, refuse});
#include "cpu/softmax_backward_kernels.inc"
#undef SPK_KERNEL
}
}  // namespace softmax_tables

}  // namespace
}  // namespace spk

int main(int argc, char** argv) {
  spk::sddmm_table::add_all();
  spk::softmax_tables::add_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
