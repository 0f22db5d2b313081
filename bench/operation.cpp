// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "failure.hpp"
#include "generate.hpp"
#include "library.hpp"
#include "workload.hpp"

// Benchmarks of one operation (SPK_BENCH_OPERATION), named OPERATION/csr/TYPE/m/n/k/sparsity[/plan]. Caches are warm:
// every iteration uses the same operands. Threads: SPK_NUM_THREADS, as everywhere in the library.
namespace spk::tool {
namespace {

// m x n is the result; for SDDMM and softmax it is also the sparse matrix, for products that is m x k.
struct BenchShape {
  std::int64_t m, n, k;
  double sparsity, row_cov;
};

std::vector<BenchShape> read_shapes(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw Failure(fmt::format("{} cannot be opened", path));
  std::vector<BenchShape> shapes;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    BenchShape shape{};
    std::string rest;
    if (!(words >> shape.m >> shape.n >> shape.k >> shape.sparsity >> shape.row_cov) || (words >> rest)) {
      throw Failure(fmt::format("{}, line {}: must be m n k sparsity row_cov", path, number));
    }
    shapes.push_back(shape);
  }
  return shapes;
}

void run_shape(benchmark::State& state, Operation operation, const BenchShape& shape, const ValueType& type,
               bool with_plan) {
  const bool product = operation == Operation::kSpmm || operation == Operation::kSpmv;
  const CsrMatrix matrix =
      generate_pruned({shape.m, product ? shape.k : shape.n, shape.sparsity, shape.row_cov, 1}, type);
  Problem problem;
  problem.operation = operation;
  problem.n = operation == Operation::kSddmm ? shape.k : shape.n;
  if (operation == Operation::kSddmm) problem.opB = SPK_OP_T;
  try {
    const Handle handle = make_handle(SPK_BACKEND_AUTO, 0);
    const Workload workload(matrix, problem, backend_of(handle));
    const Runner runner(handle, workload, with_plan);
    const Timed timed = runner.timed();
    // Where calls return before they are done, the wait is shared by several.
    const benchmark::IterationCount calls = cases::has_own_memory(workload.backend()) ? 32 : 1;
    while (state.KeepRunningBatch(calls)) {
      for (benchmark::IterationCount call = 0; call < calls; ++call) timed.call();
      timed.wait();
      benchmark::ClobberMemory();
    }
    const auto rate = benchmark::Counter::kIsIterationInvariantRate;
    state.counters["flops"] = benchmark::Counter(workload.flops(), rate);
    state.counters["dense_flops"] = benchmark::Counter(workload.dense_flops(), rate);
    state.counters["bytes"] = benchmark::Counter(workload.bytes(), rate);
    state.SetLabel(runner.description());
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

void register_all() {
  const Operation operation = operation_from_name(SPK_BENCH_OPERATION, "SPK_BENCH_OPERATION");
  for (const BenchShape& shape : read_shapes(SPK_BENCH_SHAPES)) {
    for (const char* type_name : {"f32", "f16"}) {
      const ValueType& type = value_type(type_name, "type");
      for (const bool with_plan : {false, true}) {
        const std::string name = fmt::format("{}/csr/{}/{}/{}/{}/{}{}", SPK_BENCH_OPERATION, type_name, shape.m,
                                             shape.n, shape.k, shape.sparsity, with_plan ? "/plan" : "");
        benchmark::RegisterBenchmark(name.c_str(), run_shape, operation, shape, type, with_plan);
      }
    }
  }
}

}  // namespace
}  // namespace spk::tool

int main(int argc, char** argv) {
  try {
    spk::tool::register_all();
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_{}: {}\n", SPK_BENCH_OPERATION, error.what());
    return EXIT_FAILURE;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return EXIT_SUCCESS;
}
