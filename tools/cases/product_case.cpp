// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cmath>
#include <cstdio>

#include "cases/operations.hpp"
#include "cases/product.hpp"

namespace spk::cases {
namespace {

// Cases larger than this are not run again for every named algorithm.
constexpr std::int64_t kManyAlgorithmsUpTo = 200000;

enum class Path { one_shot, plan };

struct Attempt {
  Path path = Path::one_shot;
  spk_algorithm_t alg = SPK_ALG_DEFAULT;
  Scratch scratch = Scratch::exact;
};

template <class Item>
Array<Item> array_of(std::initializer_list<Item> items) {
  Array<Item> array;
  array.is_null = false;
  array.items = items;
  array.count = static_cast<std::int64_t>(items.size());
  return array;
}

DenseSpec column(const char* name, std::initializer_list<Number> items) {
  DenseSpec spec;
  spec.name = name;
  spec.rows = static_cast<std::int64_t>(items.size());
  spec.cols = spec.ld = 1;
  spec.values = array_of(items);
  return spec;
}

// A small product whose answer is known: whatever went wrong before must not show up in it.
std::string innocent_call(spk_handle_t handle, spk_backend_t backend) {
  ProductSpec spec;
  spec.m = spec.k = 2;
  spec.sparse.rows = spec.sparse.cols = 2;
  spec.sparse.nnz = 3;
  spec.sparse.offsets = array_of<std::int64_t>({0, 1, 3});
  spec.sparse.col_indices = array_of<std::int64_t>({1, 0, 1});
  spec.sparse.values = array_of<Number>({2, 3, 4});
  spec.b = column("B", {10, 100});
  spec.c = column("C", {-1, -1});
  Product product(spec, {}, Placement::plain, backend);
  Outcome outcome = product.create();
  if (outcome.ok()) outcome = product.run(handle, SPK_ALG_DEFAULT, Scratch::library);
  if (!outcome.ok()) return "a good call afterwards answered " + outcome.describe();
  const Buffer& c = *product.output();
  if (load(SPK_R_32F, c.at(0)) != 200.0 || load(SPK_R_32F, c.at(1)) != 430.0)
    return "a good call afterwards gave a wrong answer";
  return {};
}

// The oracle's verdict of the last operation, for cases that carry no answer of their own.
std::string judge_by_oracle(spk_handle_t handle, std::string& note) {
  spk_check_report_t report{};
  report.struct_size = sizeof report;
  const Outcome outcome = outcome_of(spk_get_check_report(handle, &report), handle);
  if (!outcome.ok()) return "spk_get_check_report answered " + outcome.describe();
  char text[128];
  std::snprintf(text, sizeof text, "largest error / bound = %.3g at batch %lld, row %lld, column %lld", report.worst,
                static_cast<long long>(report.batch), static_cast<long long>(report.row),
                static_cast<long long>(report.col));
  if (!(report.worst <= 1)) return text;
  note = std::string("against the reference backend: ") + text;
  return {};
}

class ProductCase {
 public:
  ProductCase(const Context& context, const ProductSpec& spec, const Switches& switches, const Expectation& expectation)
      : context_(context), spec_(spec), switches_(switches), expectation_(expectation) {}

  // Empty, or why the attempt fails.
  std::string attempt(Placement placement, const Attempt& how) {
    Handle handle;
    Outcome outcome = create_handle(handle, context_.options.backend, switches_.threads);
    if (handle.get() == nullptr) return "spk_create answered " + outcome.describe();
    Product product(spec_, switches_, placement, context_.options.backend);
    if (outcome.ok()) outcome = product.create();
    Outcome verdict = outcome;
    const bool with_check = switches_.validate || !expectation_.has_verdict();
    if (outcome.ok() && with_check) {
      outcome = outcome_of(spk_set_check(handle.get(), 1), handle.get());
      if (outcome.ok() && switches_.validate) verdict = product.validate(handle.get());
    }
    std::string reason;
    if (outcome.ok()) outcome = run(handle.get(), product, how, reason);
    if (!reason.empty()) return reason;
    if (!verdict.ok() && product.created()) {
      if (outcome.ok()) return "the check answered " + verdict.describe() + " but the checked product ran";
      outcome = verdict;
    }
    reason = judge(handle.get(), product, outcome, how);
    return reason.empty() ? innocent_call(handle.get(), context_.options.backend) : reason;
  }

  const std::string& note() const noexcept { return note_; }

 private:
  Outcome run(spk_handle_t handle, Product& product, const Attempt& how, std::string& reason) {
    Plan plan;
    Outcome outcome;
    if (how.path == Path::plan) outcome = product.create_plan(handle, plan);
    std::vector<std::byte> first;
    for (std::int64_t turn = 0; turn < switches_.repeat && outcome.ok(); ++turn) {
      if (turn > 0) product.reset_output();
      outcome = how.path == Path::plan ? product.run_plan(handle, plan, how.scratch)
                                       : product.run(handle, how.alg, how.scratch);
      Buffer* buffer = product.output();
      if (!outcome.ok() || buffer == nullptr || buffer->is_reserved()) continue;
      const std::byte* begin = buffer->data();
      const std::byte* end = buffer->at(buffer->count());
      if (turn == 0) {
        if (switches_.repeat > 1) first.assign(begin, end);
      } else if (switches_.bitwise_repeat && !std::equal(begin, end, first.begin())) {
        reason = "call " + std::to_string(turn + 1) + " gave other bits than call 1";
        return outcome;
      } else if (!switches_.bitwise_repeat && expectation_.expected != nullptr && turn + 1 < switches_.repeat) {
        reason = product.compare(*expectation_.expected, expectation_.tolerance);
        if (!reason.empty()) reason += " in call " + std::to_string(turn + 1);
        if (!reason.empty()) return outcome;
      }
    }
    return outcome;
  }

  std::string judge(spk_handle_t handle, Product& product, const Outcome& outcome, const Attempt& how) {
    if (!outcome.ok()) {
      const bool may_refuse = how.alg != SPK_ALG_DEFAULT && outcome.status == SPK_STATUS_NOT_SUPPORTED;
      std::string reason = may_refuse ? std::string() : judge_failure(outcome, expectation_);
      if (reason.empty()) reason = product.check_output_untouched();
      return reason.empty() ? product.check_memory() : reason;
    }
    if (!expectation_.has_verdict()) {
      const std::string reason = judge_by_oracle(handle, note_);
      return reason.empty() ? product.check_memory() : reason;
    }
    if (expectation_.expected == nullptr) return "succeeded but must answer " + classes();
    std::string reason = product.compare(*expectation_.expected, expectation_.tolerance);
    if (reason.empty()) reason = product.check_memory();
    if (reason.empty() && switches_.columns_bitwise_equal) reason = product.check_columns_equal();
    return reason;
  }

  std::string classes() const {
    std::string text;
    for (const std::string& name : expectation_.errors) text += (text.empty() ? "" : " or ") + name;
    return text;
  }

  const Context& context_;
  const ProductSpec& spec_;
  const Switches& switches_;
  const Expectation& expectation_;
  std::string note_;
};

const char* name_of(Placement placement) {
  switch (placement) {
    case Placement::page_end: return " with arrays that end at a page";
    case Placement::page_start: return " with arrays that begin at a page";
    default: return "";
  }
}

}  // namespace

Judgement run_product_case(Fields& fields, const Context& context, const std::string& op) {
  const Expectation expectation = read_expectation(fields);
  const Switches switches = read_switches(fields);
  const ProductKind kind = op == "spmm" ? ProductKind::spmm : op == "spmv" ? ProductKind::spmv : ProductKind::sddmm;
  const ProductSpec spec = read_product(fields, kind, context.type);
  fields.finish();

  ProductCase product(context, spec, switches, expectation);
  for (const Placement placement : switches.placements()) {
    std::string reason = product.attempt(placement, {});
    if (!reason.empty()) return Judgement::fail(reason + name_of(placement));
    reason = product.attempt(placement, {Path::plan, SPK_ALG_DEFAULT, Scratch::exact});
    if (!reason.empty()) return Judgement::fail("(plan) " + reason + name_of(placement));
    if (expectation.expected == nullptr || switches.repeat > 1 || spec.c.values.count > kManyAlgorithmsUpTo) continue;
    for (const spk_algorithm_t alg : named_algorithms(kind, spec.sparse.format)) {
      reason = product.attempt(placement, {Path::one_shot, alg, Scratch::library});
      if (!reason.empty()) return Judgement::fail("(algorithm " + std::to_string(alg) + ") " + reason);
    }
  }
  return Judgement::pass(product.note());
}

}  // namespace spk::cases
