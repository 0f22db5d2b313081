// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>

#include "cases/operations.hpp"
#include "cases/product.hpp"

namespace spk::cases {
namespace {

using Clock = std::chrono::steady_clock;
// A sample lasts at least this long, so that the clock's own cost does not count.
constexpr double kShortestSample = 2e-4;

struct Workload {
  ProductSpec product;
  Switches switches;
};

// Column indices of one row, distinct and ascending.
void draw_row(std::mt19937_64& random, std::int64_t count, std::int64_t cols, std::vector<std::int64_t>& out) {
  std::vector<std::int64_t> row;
  if (count * 3 >= cols) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(cols));
    std::iota(all.begin(), all.end(), 0);
    std::sample(all.begin(), all.end(), std::back_inserter(row), count, random);
  } else {
    std::uniform_int_distribution<std::int64_t> column(0, cols - 1);
    while (static_cast<std::int64_t>(row.size()) < count) {
      for (auto missing = count - static_cast<std::int64_t>(row.size()); missing > 0; --missing)
        row.push_back(column(random));
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
    }
  }
  out.insert(out.end(), row.begin(), row.end());
}

ValueArray small_integers(std::int64_t count) {
  ValueArray array;
  array.is_null = false;
  array.count = count;
  array.items.resize(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < array.items.size(); ++i) array.items[i] = static_cast<double>(i % 7) - 3;
  return array;
}

DenseSpec dense(const char* name, std::int64_t rows, std::int64_t cols, spk_order_t order, spk_value_type_t type) {
  DenseSpec spec;
  spec.name = name;
  spec.rows = rows;
  spec.cols = cols;
  spec.order = order;
  spec.ld = std::max<std::int64_t>(1, order == SPK_ORDER_ROW ? cols : rows);
  spec.value_type = type;
  spec.values = small_integers(rows * cols);
  return spec;
}

void fill_structure(SparseSpec& sparse, std::int64_t nnz_per_row, const std::string& pattern) {
  std::mt19937_64 random(20240601);
  const std::int64_t total = sparse.rows * nnz_per_row;
  const bool has_hub = pattern == "one_row_has_half";
  if (has_hub && (sparse.rows < 2 || total / 2 > sparse.cols))
    throw CaseError("workload: half of the entries do not fit in one row");
  sparse.offsets.is_null = sparse.col_indices.is_null = false;
  sparse.offsets.items = {0};
  const std::int64_t hub = has_hub ? total / 2 : 0;
  std::int64_t placed = 0;
  for (std::int64_t row = 0; row < sparse.rows; ++row) {
    std::int64_t count = nnz_per_row;
    if (has_hub) {
      // The rest is spread evenly: the row ends where its share of it ends.
      count = row == 0 ? hub : hub + (total - hub) * row / (sparse.rows - 1) - placed;
    }
    draw_row(random, count, sparse.cols, sparse.col_indices.items);
    placed += count;
    sparse.offsets.items.push_back(placed);
  }
  sparse.nnz = placed;
  sparse.offsets.count = sparse.rows + 1;
  sparse.col_indices.count = placed;
  sparse.values = small_integers(placed);
}

Workload read_workload(Fields& fields, spk_value_type_t type) {
  Workload work;
  ProductSpec& p = work.product;
  p.type = type;
  const std::string op = fields.text("op");
  if (op == "spmm")
    p.kind = ProductKind::spmm;
  else if (op == "spmv")
    p.kind = ProductKind::spmv;
  else if (op == "sddmm")
    p.kind = ProductKind::sddmm;
  else
    fields.malformed("op", "spmm, spmv or sddmm");
  const std::int64_t rows = fields.integer("rows");
  const std::int64_t cols = fields.integer("cols");
  const std::int64_t nnz_per_row = fields.integer("nnz_per_row");
  if (rows < 1 || cols < 1 || nnz_per_row < 0 || nnz_per_row > cols)
    fields.malformed("nnz_per_row", "0 to cols, with rows and cols of 1 or more");
  const std::string pattern = fields.text("pattern");
  if (pattern != "uniform" && pattern != "one_row_has_half") fields.malformed("pattern", "uniform or one_row_has_half");
  const std::int64_t n = fields.integer_or("n", 1);
  p.op_a = read_operation(fields, "opA");
  const spk_order_t layout_b = read_order(fields, "layoutB");
  const spk_order_t layout_c = read_order(fields, "layoutC");
  if (const Json* threads = fields.find("threads"); threads != nullptr && *threads != "max")
    work.switches.threads = static_cast<std::int32_t>(fields.integer("threads"));
  fields.finish();

  p.sparse.rows = rows;
  p.sparse.cols = cols;
  p.sparse.value_type = type;
  fill_structure(p.sparse, nnz_per_row, pattern);
  const bool flips = p.op_a != SPK_OP_N;
  p.m = flips ? cols : rows;
  p.k = flips ? rows : cols;
  p.n = p.kind == ProductKind::spmv ? 1 : n;
  if (p.kind == ProductKind::sddmm) {
    // The pattern is rows x cols; n is the inner size.
    p.m = rows;
    p.n = cols;
    p.k = n;
    p.a = flips ? dense("A", n, rows, layout_c, type) : dense("A", rows, n, layout_c, type);
    p.b = dense("B", n, cols, layout_b, type);
  } else {
    p.b = dense(p.kind == ProductKind::spmv ? "x" : "B", p.k, p.n, layout_b, type);
    p.c = dense(p.kind == ProductKind::spmv ? "y" : "C", p.m, p.n, layout_c, type);
  }
  return work;
}

class Runner {
 public:
  Runner(const Workload& work, spk_backend_t backend)
      : product_(work.product, work.switches, Placement::plain, backend) {
    Outcome outcome = create_handle(handle_, backend, work.switches.threads);
    if (outcome.ok()) outcome = product_.create();
    if (outcome.ok()) outcome = call();
    if (!outcome.ok()) failure_ = outcome.describe();
  }

  const std::string& failure() const noexcept { return failure_; }

  // Sets how many calls make one sample.
  void calibrate() {
    const double one = std::max(1e-9, sample());
    calls_ = std::clamp(static_cast<int>(kShortestSample / one) + 1, 1, 2000);
  }

  // Seconds per call.
  double sample() {
    const auto start = Clock::now();
    for (int i = 0; i < calls_; ++i) {
      if (!call().ok()) failure_ = "a call failed while it was timed";
    }
    if (spk_synchronize(handle_.get()) != SPK_STATUS_SUCCESS) failure_ = "a call failed while it was timed";
    return std::chrono::duration<double>(Clock::now() - start).count() / calls_;
  }

 private:
  Outcome call() { return product_.launch(handle_.get(), SPK_ALG_DEFAULT, Scratch::library); }

  Handle handle_;
  Product product_;
  int calls_ = 1;
  std::string failure_;
};

double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 2];
}

double ratio_of_medians(Runner& a, Runner& b, std::int64_t repeats) {
  std::vector<double> times_a, times_b;
  for (std::int64_t i = 0; i < repeats; ++i) {
    times_a.push_back(a.sample());
    times_b.push_back(b.sample());
  }
  return median(times_a) / median(times_b);
}

}  // namespace

Judgement run_perf_case(Fields& fields, const Context& context) {
  const Expectation expectation = read_expectation(fields);
  Fields fields_a(fields.need("workload_a"), "workload_a");
  Fields fields_b(fields.need("workload_b"), "workload_b");
  const Workload work_a = read_workload(fields_a, context.type);
  const Workload work_b = read_workload(fields_b, context.type);
  const double max_ratio = fields.real_or("max_ratio", 0);
  if (!(max_ratio > 0)) fields.malformed("max_ratio", "a number above 0");
  const std::int64_t repeats = fields.integer_or("repeats", 9);
  if (repeats < 1) fields.malformed("repeats", "at least 1");
  fields.finish();
  if (std::getenv("CI") != nullptr) throw SkipCase("timing is not judged in CI");
  if (context.options.backend == SPK_BACKEND_REFERENCE) throw SkipCase("the reference backend is not meant to be fast");

  Runner a(work_a, context.options.backend);
  Runner b(work_b, context.options.backend);
  for (const Runner* runner : {&a, &b}) {
    if (runner->failure().empty()) continue;
    return Judgement::fail("a workload answered " + runner->failure());
  }
  a.calibrate();
  b.calibrate();
  double best = ratio_of_medians(a, b, repeats);
  for (int turn = 0; turn < 2 && best > max_ratio; ++turn) best = std::min(best, ratio_of_medians(a, b, repeats));
  if (!a.failure().empty() || !b.failure().empty()) return Judgement::fail("a call failed while it was timed");
  char text[80];
  std::snprintf(text, sizeof text, "time(a) / time(b) = %.2f, at most %.2f", best, max_ratio);
  return best <= max_ratio ? Judgement::pass(text) : Judgement::fail(text);
}

}  // namespace spk::cases
