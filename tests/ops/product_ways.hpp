// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <map>
#include <optional>
#include <string>

#include "support/backends.hpp"
#include "support/random_product.hpp"
#include "support/require.hpp"

// Ways to compute a drawn product through the C ABI.
namespace spk::test {

// One way to compute a product.
struct Way {
  const char* name;
  spk_backend_t backend;
  bool with_plan = false;
  bool has_placed_scalars = false;  // alpha and beta lie where the backend computes
  // Kernels for SpMM, asked for by id, by the type of the values; what they refuse is left out.
  std::map<spk_value_type_t, spk_algorithm_t> kernels = {};
  bool keeps_values = false;                 // of a plan
  spk_algorithm_t kernel = SPK_ALG_DEFAULT;  // likewise, of any operation and type
};

// The kernel of a way; nothing: the way is not for this product.
inline std::optional<spk_algorithm_t> algorithm_of(const Way& way, const Recipe& recipe) {
  if (way.kernels.empty()) return way.kernel;
  const auto kernel = way.kernels.find(recipe.type);
  if (recipe.kind != cases::ProductKind::spmm || kernel == way.kernels.end()) return std::nullopt;
  return kernel->second;
}

// What is wrong with one run, empty if nothing is; none where there is no such run. Judged by the library's shadow check, and by
// `model` if there is one.
inline std::optional<std::string> run_way(const RandomProduct& product, const Model* model, const Way& way,
                                          cases::Placement placement, const cases::Switches& switches = {}) {
  const std::optional<spk_algorithm_t> algorithm = algorithm_of(way, product.recipe);
  if (!algorithm || (way.keeps_values && product.recipe.kind == cases::ProductKind::sddmm)) return std::nullopt;
  cases::Handle handle;
  cases::Outcome outcome = cases::create_handle(handle, way.backend, 0);
  if (outcome.ok()) outcome = cases::outcome_of(spk_set_check(handle.get(), 1), handle.get());
  cases::Product run(product.spec, switches, placement, way.backend);
  if (outcome.ok()) outcome = run.create();
  if (outcome.ok() && way.has_placed_scalars) outcome = run.place_scalars(handle.get());
  cases::Plan plan;
  if (outcome.ok() && way.with_plan) outcome = run.create_plan(handle.get(), plan, *algorithm);
  if (outcome.ok() && way.keeps_values) outcome = run.keep_values(handle.get(), plan);
  if (outcome.ok()) {
    outcome = way.with_plan ? run.run_plan(handle.get(), plan, cases::Scratch::exact)
                            : run.run(handle.get(), *algorithm, cases::Scratch::exact);
  }
  if (*algorithm != SPK_ALG_DEFAULT && outcome.status == SPK_STATUS_NOT_SUPPORTED) return std::nullopt;
  if (!outcome.ok()) return "answered " + outcome.describe();
  spk_check_report_t report{};
  report.struct_size = sizeof report;
  outcome = cases::outcome_of(spk_get_check_report(handle.get(), &report), handle.get());
  if (!outcome.ok()) return "spk_get_check_report answered " + outcome.describe();
  if (!(report.worst <= 1)) return "the check reports error / bound = " + std::to_string(report.worst);
  std::string reason = run.check_memory();
  if (reason.empty() && model != nullptr) reason = compare(*model, *run.output(), product.spec.output_type);
  return reason;
}

}  // namespace spk::test
