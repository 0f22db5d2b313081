// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors

// Products of the sizes at which kernels for large problems are chosen, some with NaN, infinite, huge and tiny values, with
// epilogues, and with arrays that are aligned to elements only, judged by the shadow check. A few of them, with SPK_TEST_SEED=N
// others, with SPK_TEST_FULL=1 a thousand.
#include <gtest/gtest.h>

#include <cstdlib>

#include "cases/cuda_driver.hpp"
#include "ops/product_ways.hpp"
#include "support/kernel_ids.hpp"

namespace spk::test {
namespace {

struct Failures {
  int count = 0;
  void note(std::int64_t number, const RandomProduct& product, const Way& way,
            const std::optional<std::string>& reason) {
    if (!reason || reason->empty()) return;
    ++count;
    ADD_FAILURE() << "large recipe " << number << " on " << way.name << ", kernel " << way.kernel << ": " << *reason
                  << "\n  " << product.recipe.describe();
  }
};

// The CPU on memory of its own: no kernels that are asked for by id.
bool is_stand_in(spk_backend_t backend) { return backend == SPK_BACKEND_CUDA && cases::CudaDriver::find() == nullptr; }

std::vector<spk_algorithm_t> kernels_that_take(const RandomProduct& product, spk_backend_t backend) {
  std::vector<spk_algorithm_t> kernels;
  cases::Handle handle;
  make_handle(handle, backend);
  cases::Product asked(product.spec, {}, cases::Placement::plain, backend);
  const cases::Outcome created = asked.create();
  EXPECT_TRUE(created.ok()) << created.describe();
  std::size_t bytes = 0;
  for (spk_algorithm_t kernel = kFirstKernel; kernel < kMostKernels; ++kernel)
    if (asked.workspace_bytes(handle.get(), kernel, bytes).ok()) kernels.push_back(kernel);
  return kernels;
}

// Of the short sample every instruction set and number of threads has products of its own.
std::int64_t first_of_run() {
  if (wants_every_recipe()) return 0;
  const char* threads = std::getenv("SPK_NUM_THREADS");
  std::int64_t sum = 0;
  for (const char c : wanted_isa() + (threads == nullptr ? "" : threads)) sum += c;
  return 40 * sum;
}

// The default, a plan, a plan that keeps values, and some kernels by their ids.
void expect_right(int part, spk_backend_t backend, std::int64_t most_products) {
  Failures failures;
  const std::int64_t first = first_of_run();
  const std::int64_t count = wants_every_recipe() ? 125 : is_stand_in(backend) ? 1 : 5;
  for (std::int64_t i = 0; i < count && failures.count < 10; ++i) {
    const std::int64_t number = (seed_of_recipes() + first + part + 8 * i) * 60'013 % recipe_count();
    const RandomProduct product(large_recipe(number, most_products));
    Draw draw(product.recipe.seed);
    cases::Switches switches;
    for (const char* name : {"A", "B", "C", "x", "y", "values", "row_indices", "col_indices", "bias", "residual"})
      if (draw.chance(30)) switches.elem_offset[name] = draw.pick<std::int64_t>({1, 2, 3, 5});
    const auto run = [&](const Way& way) {
      const std::optional<std::string> reason = run_way(product, nullptr, way, cases::Placement::plain, switches);
      failures.note(number, product, way, reason);
      return reason.has_value();
    };
    run({.name = "default", .backend = backend, .has_placed_scalars = draw.chance(50)});
    run({.name = "plan", .backend = backend, .with_plan = true});
    run({.name = "plan with values", .backend = backend, .with_plan = true, .keeps_values = true});
    std::vector<spk_algorithm_t> kernels;
    if (!is_stand_in(backend)) kernels = kernels_that_take(product, backend);
    for (int left = 3; left > 0 && !kernels.empty(); --left) {
      const auto taken = kernels.begin() + draw.below(static_cast<std::int64_t>(kernels.size()));
      run({.name = "kernel", .backend = backend, .with_plan = draw.chance(30), .kernel = *taken});
      kernels.erase(taken);
    }
  }
}

class LargeProducts : public ::testing::TestWithParam<int> {};

TEST_P(LargeProducts, AreRightOnTheCpu) {
  if (const std::string missing = missing_isa(); !missing.empty()) SPK_SKIP_WITHOUT(wanted_isa(), missing);
  expect_right(GetParam(), SPK_BACKEND_CPU, 1'000'000);
}

TEST_P(LargeProducts, AreRightOnCuda) {
  SPK_SKIP_WITHOUT_BACKEND(SPK_BACKEND_CUDA);
  expect_right(GetParam(), SPK_BACKEND_CUDA, is_stand_in(SPK_BACKEND_CUDA) ? 1'000'000 : 20'000'000);
}

INSTANTIATE_TEST_SUITE_P(Sample, LargeProducts, ::testing::Range(0, 8),
                         [](const ::testing::TestParamInfo<int>& part) { return "Part" + std::to_string(part.param); });

}  // namespace
}  // namespace spk::test
