// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors

// SpMM, SpMV and SDDMM over the product of their options: a fixed sample of it, with SPK_TEST_SEED=N another one, or with
// SPK_TEST_FULL=1 all of it (more than two million, some hours: start the program itself, not ctest). Each is judged twice: by
// the library's own shadow check, and by a dense loop that shares nothing with the library.
#include <gtest/gtest.h>

#include "cases/cuda_driver.hpp"
#include "ops/product_ways.hpp"

namespace spk::test {
namespace {

using cases::Placement;

constexpr std::int64_t kSample = 2400;

// Numbers of the recipes of part `part` of `parts`. The stride has no factor in common with the count of recipes (2 and 3 only),
// so that every option meets every other.
std::vector<std::int64_t> numbers(int part, int parts) {
  const std::int64_t stride = wants_every_recipe() ? 1 : recipe_count() / kSample / 30 * 30 + 7;
  const std::int64_t count = wants_every_recipe() ? recipe_count() : kSample;
  std::vector<std::int64_t> list;
  for (std::int64_t i = part; i < count; i += parts) list.push_back((i * stride + seed_of_recipes()) % recipe_count());
  return list;
}

constexpr int kParts = 8;

void expect_right(int part, std::initializer_list<Way> ways) {
  int failures = 0;
  for (const std::int64_t number : numbers(part, kParts)) {
    const RandomProduct product(recipe(number));
    const Model model = dense_loop(product);
    const Placement placement = number % 4 == 0 ? Placement::page_end : Placement::plain;
    for (const Way& way : ways) {
      // A stand-in for a device has none of the kernels that are asked for by id.
      const bool is_by_id = way.kernel != SPK_ALG_DEFAULT || !way.kernels.empty();
      if (is_by_id && cases::CudaDriver::find() == nullptr) continue;
      const std::string reason = run_way(product, &model, way, placement).value_or("");
      if (reason.empty()) continue;
      ADD_FAILURE() << "recipe " << number << " on " << way.name << ": " << reason << "\n  "
                    << product.recipe.describe();
      ASSERT_LT(++failures, 10) << "too many failures to go on";
    }
  }
}

class Products : public ::testing::TestWithParam<int> {};

TEST_P(Products, AreRightOnEveryBackendAndPath) {
  if (const std::string missing = missing_isa(); !missing.empty()) SPK_SKIP_WITHOUT(wanted_isa(), missing);
  expect_right(GetParam(),
               {{"cpu", SPK_BACKEND_CPU},
                {"cpu plan", SPK_BACKEND_CPU, true},
                {.name = "cpu plan with values", .backend = SPK_BACKEND_CPU, .with_plan = true, .keeps_values = true},
                {"reference", SPK_BACKEND_REFERENCE, false, true}});
}

class ProductsCuda : public ::testing::TestWithParam<int> {};

TEST_P(ProductsCuda, AreRightOnEveryPath) {
  SPK_SKIP_WITHOUT_BACKEND(SPK_BACKEND_CUDA);
  const std::map<spk_value_type_t, spk_algorithm_t> dense_copy = {
      {SPK_R_16F, 592}, {SPK_R_16BF, 593}, {SPK_R_32F, 594}};
  const std::map<spk_value_type_t, spk_algorithm_t> short_rows = {
      {SPK_R_32F, 608}, {SPK_R_64F, 609}, {SPK_R_16F, 610}, {SPK_R_16BF, 611}, {SPK_C_32F, 612}, {SPK_C_64F, 613}};
  expect_right(
      GetParam(),
      {{"cuda", SPK_BACKEND_CUDA},
       {"cuda plan", SPK_BACKEND_CUDA, true},
       {"cuda, alpha and beta on the device", SPK_BACKEND_CUDA, false, true},
       {"cuda, dense copy", SPK_BACKEND_CUDA, false, true, dense_copy},
       {"cuda plan with a dense copy", SPK_BACKEND_CUDA, true, false, dense_copy, true},
       {"cuda, short rows", SPK_BACKEND_CUDA, false, true, short_rows},
       {"cuda, rows in shared memory", SPK_BACKEND_CUDA, false, true, {{SPK_R_16F, 632}, {SPK_R_16BF, 633}}},
       {"cuda, panels and pairs", SPK_BACKEND_CUDA, false, true, {{SPK_R_32F, 624}}},
       {.name = "cuda, SDDMM by strips", .backend = SPK_BACKEND_CUDA, .has_placed_scalars = true, .kernel = 775},
       {.name = "cuda, SDDMM by clusters", .backend = SPK_BACKEND_CUDA, .has_placed_scalars = true, .kernel = 776},
       {.name = "cuda plan with values", .backend = SPK_BACKEND_CUDA, .with_plan = true, .keeps_values = true}});
}

std::string part_name(const ::testing::TestParamInfo<int>& part) { return "Part" + std::to_string(part.param); }
INSTANTIATE_TEST_SUITE_P(Sample, Products, ::testing::Range(0, kParts), part_name);
INSTANTIATE_TEST_SUITE_P(Sample, ProductsCuda, ::testing::Range(0, kParts), part_name);

}  // namespace
}  // namespace spk::test
