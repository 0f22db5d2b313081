// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors

// SpMM, SpMV and SDDMM over the product of their options: a fixed sample of it, with SPK_TEST_SEED=N another one, or with
// SPK_TEST_FULL=1 all of it (more than two million, some hours: start the program itself, not ctest). Each is judged twice: by
// the library's own shadow check, and by a dense loop that shares nothing with the library.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <optional>

#include "support/backends.hpp"
#include "support/random_product.hpp"
#include "support/require.hpp"

namespace spk::test {
namespace {

using cases::Outcome;
using cases::Placement;
using cases::Product;
using cases::Scratch;

constexpr std::int64_t kSample = 2400;

bool wants_all() {
  const char* wanted = std::getenv("SPK_TEST_FULL");
  return wanted != nullptr && std::string(wanted) == "1";
}

std::int64_t seed() {
  const char* wanted = std::getenv("SPK_TEST_SEED");
  const auto count = static_cast<unsigned long long>(recipe_count());
  return wanted == nullptr ? 0 : static_cast<std::int64_t>(std::strtoull(wanted, nullptr, 10) % count);
}

// Numbers of the recipes of part `part` of `parts`. The stride has no factor in common with the count of recipes (2 and 3 only),
// so that every option meets every other.
std::vector<std::int64_t> numbers(int part, int parts) {
  const std::int64_t stride = wants_all() ? 1 : recipe_count() / kSample / 30 * 30 + 7;
  const std::int64_t count = wants_all() ? recipe_count() : kSample;
  std::vector<std::int64_t> list;
  for (std::int64_t i = part; i < count; i += parts) list.push_back((i * stride + seed()) % recipe_count());
  return list;
}

// One way to compute a product.
struct Way {
  const char* name;
  spk_backend_t backend;
  bool with_plan = false;
  bool has_placed_scalars = false;  // alpha and beta lie where the backend computes
  // Kernels for SpMM, asked for by id, by the type of the values; what they refuse is left out.
  std::map<spk_value_type_t, spk_algorithm_t> kernels = {};
  bool keeps_values = false;                // of a plan
  spk_algorithm_t sddmm = SPK_ALG_DEFAULT;  // likewise, for SDDMM in any type
};

// The kernel of a way; nothing: the way is not for this product.
std::optional<spk_algorithm_t> algorithm_of(const Way& way, const Recipe& recipe) {
  if (way.sddmm != SPK_ALG_DEFAULT)
    return recipe.kind == cases::ProductKind::sddmm ? std::optional(way.sddmm) : std::nullopt;
  if (way.kernels.empty()) return SPK_ALG_DEFAULT;
  const auto kernel = way.kernels.find(recipe.type);
  if (recipe.kind != cases::ProductKind::spmm || kernel == way.kernels.end()) return std::nullopt;
  return kernel->second;
}

// Empty, or what is wrong with one run.
std::string run(const RandomProduct& product, const Model& model, const Way& way, Placement placement) {
  const std::optional<spk_algorithm_t> algorithm = algorithm_of(way, product.recipe);
  if (!algorithm || (way.keeps_values && product.recipe.kind == cases::ProductKind::sddmm)) return "";
  const cases::Switches switches;
  cases::Handle handle;
  Outcome outcome = cases::create_handle(handle, way.backend, 0);
  if (outcome.ok()) outcome = cases::outcome_of(spk_set_check(handle.get(), 1), handle.get());
  Product run(product.spec, switches, placement, way.backend);
  if (outcome.ok()) outcome = run.create();
  if (outcome.ok() && way.has_placed_scalars) outcome = run.place_scalars(handle.get());
  cases::Plan plan;
  if (outcome.ok() && way.with_plan) outcome = run.create_plan(handle.get(), plan, *algorithm);
  if (outcome.ok() && way.keeps_values) outcome = run.keep_values(handle.get(), plan);
  if (outcome.ok()) {
    outcome = way.with_plan ? run.run_plan(handle.get(), plan, Scratch::exact)
                            : run.run(handle.get(), *algorithm, Scratch::exact);
  }
  if (*algorithm != SPK_ALG_DEFAULT && outcome.status == SPK_STATUS_NOT_SUPPORTED) return "";
  if (!outcome.ok()) return "answered " + outcome.describe();
  spk_check_report_t report{};
  report.struct_size = sizeof report;
  outcome = cases::outcome_of(spk_get_check_report(handle.get(), &report), handle.get());
  if (!outcome.ok()) return "spk_get_check_report answered " + outcome.describe();
  if (!(report.worst <= 1)) return "the check reports error / bound = " + std::to_string(report.worst);
  std::string reason = run.check_memory();
  if (reason.empty()) reason = compare(model, *run.output(), product.spec.output_type);
  return reason;
}

constexpr int kParts = 8;

void expect_right(int part, std::initializer_list<Way> ways) {
  int failures = 0;
  for (const std::int64_t number : numbers(part, kParts)) {
    const RandomProduct product(recipe(number));
    const Model model = dense_loop(product);
    const Placement placement = number % 4 == 0 ? Placement::page_end : Placement::plain;
    for (const Way& way : ways) {
      const std::string reason = run(product, model, way, placement);
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
       {"cuda, panels and pairs", SPK_BACKEND_CUDA, false, true, {{SPK_R_32F, 624}}},
       {.name = "cuda, SDDMM by strips", .backend = SPK_BACKEND_CUDA, .has_placed_scalars = true, .sddmm = 775},
       {.name = "cuda, SDDMM by clusters", .backend = SPK_BACKEND_CUDA, .has_placed_scalars = true, .sddmm = 776},
       {.name = "cuda plan with values", .backend = SPK_BACKEND_CUDA, .with_plan = true, .keeps_values = true}});
}

std::string part_name(const ::testing::TestParamInfo<int>& part) { return "Part" + std::to_string(part.param); }
INSTANTIATE_TEST_SUITE_P(Sample, Products, ::testing::Range(0, kParts), part_name);
INSTANTIATE_TEST_SUITE_P(Sample, ProductsCuda, ::testing::Range(0, kParts), part_name);

}  // namespace
}  // namespace spk::test
