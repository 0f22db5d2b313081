// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "core/error.hpp"
#include "cpu/isa.hpp"
#include "cpu/operations.hpp"
#include "cpu/reference/operations.hpp"
#include "kernels/guarded.hpp"
#include "reference/arrays.hpp"

// Every row of the SDDMM table that this machine can run, forced by its id, against the oracle.
namespace spk::test {
namespace {

using cpu::Isa;

struct TableRow {
  const char* name;
  std::int32_t id;
  Isa isa;
  Format format;
  ValueType type;
};

template <Format kFormat, ValueType kType>
TableRow row_of(const char* name, std::int32_t id, Isa isa) {
  return {name, id, isa, kFormat, kType};
}
#define needs row_of
#define SPK_EXPAND(...) __VA_ARGS__
#define SPK_KERNEL(name, id, isa, refuse) (SPK_EXPAND refuse)(#name, id, isa),
const TableRow kRows[] = {
#include "cpu/sddmm_kernels.inc"
};
#undef SPK_KERNEL
#undef needs

struct Shape {
  std::int64_t m = 7, n = 11, k = 13;  // m and n in blocks
  std::int64_t block_size = 1;
  double density = 0.4;
  Op op_a = Op::n, op_b = Op::n;
  Order order_a = Order::row, order_b = Order::col, block_order = Order::row;
  std::int64_t pad = 0;
  IndexType offset_type = IndexType::i32, index_type = IndexType::i32;
  std::int32_t base = 0;
  std::int64_t batch = 1;
  bool shared_a = false, shared_b = false, shared_structure = true;
  bool float_output = false;
  Scalar alpha{1, 0}, beta{0, 0};
  std::int64_t slice_begin = 0, slice_rows = -1;  // in block rows
};

// An SDDMM with memory of its own. C starts full of NaN if beta is 0.
class Case {
 public:
  Case(const TableRow& row, const Shape& s) : shape_(s), random_(static_cast<unsigned>(s.m * 131 + s.n * 17 + s.k)) {
    const bool blocks = row.format == Format::bsr;
    const std::int64_t edge = blocks ? std::max<std::int64_t>(2, s.block_size) : 1;  // one element is CSR
    problem.op_a = s.op_a;
    problem.op_b = s.op_b;
    problem.m = s.m * edge;
    problem.n = s.n * edge;
    problem.k = s.k;
    problem.alg = row.id;
    problem.compute = sum_type(row.type);
    problem.scalars.alpha = s.alpha;
    problem.scalars.beta = s.beta;
    problem.a = dense(row.type, s.op_a, s.order_a, problem.m, s.k, s.shared_a);
    problem.b = dense(row.type, s.op_b, s.order_b, s.k, problem.n, s.shared_b);
    sparse(row, edge);
  }

  // Runs on `threads` threads and returns the bytes of C's values.
  std::vector<char> run(int threads, bool with_plan) {
    Exec exec;
    exec.threads = threads;
    std::memcpy(c_values_[0].data(), old_.data(), old_.size());
    std::unique_ptr<Plan> plan;
    if (with_plan) plan = cpu::prepare(problem, exec);
    Guarded workspace((cpu::workspace(problem, plan.get(), exec) + 63) / 64 * 64);
    exec.workspace = workspace.data();
    exec.workspace_bytes = workspace.bytes();
    cpu::run(problem, plan.get(), exec);
    EXPECT_TRUE(c_values_[0].front_is_intact());
    const char* values = static_cast<const char*>(c_values_[0].data());
    return {values, values + old_.size()};
  }

  Verdict judge(std::vector<char> result) {
    SddmmProblem before = problem;
    std::vector<char> old = old_;
    before.c.values = old.data();
    SparseView got = problem.c;
    got.values = result.data();
    return reference::judge(before, got);
  }

  // Elements that do not belong to the row slice.
  bool outside_is_intact(const std::vector<char>& result) const {
    const std::size_t block = size_of(problem.c.value_type) * static_cast<std::size_t>(elements_per_entry());
    const std::size_t begin = static_cast<std::size_t>(problem.c.first_entry) * block;
    const std::size_t end = begin + static_cast<std::size_t>(problem.c.nnzb) * block;
    for (std::size_t i = 0; i < result.size(); ++i)
      if ((i < begin || i >= end) && problem.c.batch_count == 1 && result[i] != old_[i]) return false;
    return true;
  }

  std::int64_t elements_per_entry() const { return problem.c.block_size * problem.c.block_size; }

  SddmmProblem problem;

 private:
  Number number() {
    std::uniform_real_distribution<double> pick(-1, 1);
    const double re = pick(random_);
    return {re, pick(random_)};
  }

  DenseView dense(ValueType type, Op op, Order order, std::int64_t rows, std::int64_t cols, bool shared) {
    DenseView x;
    x.type = type;
    x.order = order;
    x.rows = op == Op::n ? rows : cols;
    x.cols = op == Op::n ? cols : rows;
    x.ld = std::max<std::int64_t>(1, order == Order::row ? x.cols : x.rows) + shape_.pad;
    x.batch_count = shared ? 1 : shape_.batch;
    x.batch_stride = x.batch_count == 1 ? 0 : x.extent() + shape_.pad;
    const std::int64_t count = x.extent() + (x.batch_count - 1) * x.batch_stride;
    dense_.emplace_back(static_cast<std::size_t>(count) * size_of(type));
    x.values = dense_.back().data();
    for (std::int64_t b = 0; b < x.batch_count; ++b)
      for (std::int64_t i = 0; i < x.rows; ++i)
        for (std::int64_t j = 0; j < x.cols; ++j)
          put(type, x.values, b * x.batch_stride + i * x.row_stride() + j * x.col_stride(), number());
    x.batch_count = shape_.batch;
    return x;
  }

  void sparse(const TableRow& row, std::int64_t edge) {
    const Shape& s = shape_;
    SparseView& c = problem.c;
    c.format = row.format;
    c.value_type = s.float_output ? ValueType::f32 : row.type;
    c.offset_type = s.offset_type;
    c.index_type = s.index_type;
    c.base = s.base;
    c.block_order = row.format == Format::bsr ? s.block_order : Order::none;
    c.block_size = edge;
    c.rows = s.m * edge;
    c.cols = s.n * edge;
    c.batch_count = s.batch;
    std::bernoulli_distribution stored(s.density);
    std::vector<std::int64_t> offsets, columns;
    const std::int64_t structures = s.shared_structure ? 1 : s.batch;
    std::vector<std::vector<std::int64_t>> all(static_cast<std::size_t>(structures));
    std::int64_t longest = 0;
    for (std::int64_t b = 0; b < structures; ++b) {
      // The same count in every matrix, in rows of different lengths.
      std::vector<std::int64_t>& mine = all[static_cast<std::size_t>(b)];
      offsets.push_back(s.base);
      for (std::int64_t i = 0; i < s.m; ++i) {
        const bool dense_row = s.m > 3 && i == (s.m / 2 + b) % s.m;
        std::vector<std::int64_t> cols;
        for (std::int64_t j = 0; j < s.n; ++j)
          if (dense_row || (i % 3 != 1 && b == 0 && stored(random_))) cols.push_back(j + s.base);
        if (i % 2 == 1) std::reverse(cols.begin(), cols.end());
        if (i % 4 == 3 && !cols.empty()) cols.push_back(cols.front());  // a duplicate
        mine.insert(mine.end(), cols.begin(), cols.end());
        offsets.push_back(static_cast<std::int64_t>(mine.size()) + s.base);
      }
      longest = std::max(longest, static_cast<std::int64_t>(mine.size()));
    }
    for (std::int64_t b = 0; b < structures; ++b) {
      std::vector<std::int64_t>& mine = all[static_cast<std::size_t>(b)];
      while (static_cast<std::int64_t>(mine.size()) < longest) mine.push_back(s.base + (s.n - 1));
      offsets[static_cast<std::size_t>((b + 1) * (s.m + 1) - 1)] = longest + s.base;
      columns.insert(columns.end(), mine.begin(), mine.end());
    }
    offsets_ = indices(s.offset_type, offsets);
    columns_ = indices(s.index_type, columns);
    c.offsets = offsets_.data();
    c.col_indices = columns_.data();
    c.nnzb = longest;
    c.nnz = longest * edge * edge;
    c.offsets_stride = s.shared_structure ? 0 : s.m + 1;
    c.indices_stride = s.shared_structure ? 0 : longest;
    c.values_stride = c.nnz + 3;
    const std::int64_t count = c.nnz + (s.batch - 1) * c.values_stride;
    c_values_.emplace_back(static_cast<std::size_t>(count) * size_of(c.value_type));
    c.values = c_values_[0].data();
    if (!s.beta.is_zero())
      for (std::int64_t i = 0; i < count; ++i) put(c.value_type, c.values, i, number());
    const char* bytes = static_cast<const char*>(c.values);
    old_.assign(bytes, bytes + c_values_[0].bytes());
    if (s.slice_rows >= 0) slice();
  }

  void slice() {
    SparseView& c = problem.c;
    const std::int64_t first = c.offset(shape_.slice_begin);
    const std::int64_t last = c.offset(shape_.slice_begin + shape_.slice_rows);
    c.offsets = advance_bytes(c.offsets, shape_.slice_begin * static_cast<std::int64_t>(size_of(c.offset_type)));
    c.first_entry = first;
    c.rows = shape_.slice_rows * c.block_size;
    c.nnzb = last - first;
    c.nnz = c.nnzb * c.block_size * c.block_size;
    problem.m = c.rows;
    if (shape_.op_a == Op::n)
      problem.a.rows = c.rows;
    else
      problem.a.cols = c.rows;
  }

  Shape shape_;
  std::mt19937 random_;
  std::vector<Guarded> dense_, c_values_;
  Buffer offsets_, columns_;
  std::vector<char> old_;
};

class SddmmKernel : public ::testing::TestWithParam<TableRow> {
 protected:
  void SetUp() override {
    if (!cpu::isa_supports(cpu::available_isa(), GetParam().isa)) GTEST_SKIP() << "needs " << name_of(GetParam().isa);
  }
  void expect_right(const Shape& shape, bool with_plan = false) {
    Case c(GetParam(), shape);
    ASSERT_EQ(cpu::choose(c.problem).id, GetParam().id) << cpu::choose(c.problem).text;
    const std::vector<char> result = c.run(1, with_plan);
    const Verdict verdict = c.judge(result);
    EXPECT_LE(verdict.worst, 1) << "m = " << shape.m << ", n = " << shape.n << ", k = " << shape.k << ", block "
                                << shape.block_size << ", batch " << shape.batch << ", at (" << verdict.batch << ", "
                                << verdict.row << ", " << verdict.col << "): " << verdict.got.re << " instead of "
                                << verdict.want.re;
    EXPECT_TRUE(c.outside_is_intact(result));
  }
};

class SddmmBlockKernel : public SddmmKernel {};
class Sddmm16BitKernel : public SddmmKernel {};

TEST_P(SddmmKernel, MeetsTheBoundForEveryInnerSize) {
  for (const std::int64_t k : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 257})
    expect_right({.m = 5, .n = 19, .k = k, .block_size = 3});
}

TEST_P(SddmmKernel, MeetsTheBoundForEveryRowLength) {
  for (const std::int64_t n : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 34, 65})
    expect_right({.m = 6, .n = n, .k = 21, .block_size = 2});
}

TEST_P(SddmmBlockKernel, MeetsTheBoundForEveryBlockSize) {
  for (const std::int64_t edge : {2, 3, 4, 5, 7, 8, 9, 16, 32})
    for (const Order order : {Order::row, Order::col})
      expect_right({.m = 5, .n = 4, .k = 18, .block_size = edge, .block_order = order, .beta = {0.5, 0.25}});
}

TEST_P(SddmmKernel, TakesEveryOperationAndOrder) {
  for (const Op op_a : {Op::n, Op::t, Op::c})
    for (const Op op_b : {Op::n, Op::t, Op::c})
      for (const Order order_a : {Order::row, Order::col})
        for (const Order order_b : {Order::row, Order::col})
          for (const double density : {0.4, 0.02})
            expect_right({.m = 37,
                          .n = 41,
                          .k = 19,
                          .block_size = 2,
                          .density = density,
                          .op_a = op_a,
                          .op_b = op_b,
                          .order_a = order_a,
                          .order_b = order_b,
                          .pad = 3,
                          .alpha = {0.75, -0.5},
                          .beta = {2, 1}});
}

TEST_P(SddmmKernel, GathersWhereFewEntriesNeedTheOperands) {
  for (const Op op : {Op::n, Op::t})
    expect_right({.m = 3,
                  .n = 301,
                  .k = 40,
                  .block_size = 3,
                  .density = 0.01,
                  .op_a = op,
                  .op_b = op,
                  .order_a = Order::col,
                  .order_b = Order::row,
                  .pad = 1});
  expect_right({.m = 400, .n = 2, .k = 9, .density = 0, .order_a = Order::col, .order_b = Order::row, .base = 1});
}

TEST_P(SddmmKernel, TakesEveryIndexTypeAndBase) {
  for (const IndexType offset_type : {IndexType::i32, IndexType::i64})
    for (const IndexType index_type : {IndexType::i32, IndexType::i64})
      for (const std::int32_t base : {0, 1})
        for (const Order order_b : {Order::row, Order::col})
          expect_right({.m = 9,
                        .n = 23,
                        .k = 10,
                        .block_size = 4,
                        .order_b = order_b,
                        .offset_type = offset_type,
                        .index_type = index_type,
                        .base = base});
}

TEST_P(SddmmKernel, TakesBatchesWithSharedOperands) {
  for (const bool shared_a : {false, true})
    for (const bool shared_b : {false, true})
      for (const bool shared_structure : {false, true})
        for (const Order order : {Order::row, Order::col})
          for (const std::int64_t n : {21, 301})
            expect_right({.m = 6,
                          .n = n,
                          .k = 11,
                          .block_size = 2,
                          .density = 0.01,
                          .order_a = order,
                          .order_b = order,
                          .pad = 2,
                          .batch = 3,
                          .shared_a = shared_a,
                          .shared_b = shared_b,
                          .shared_structure = shared_structure,
                          .beta = {1, 0}});
}

TEST_P(SddmmKernel, TakesRowSlices) {
  for (const Order order : {Order::row, Order::col})
    for (const std::int64_t rows : {0, 1, 5})
      for (const bool with_plan : {false, true})
        expect_right({.m = 12,
                      .n = 31,
                      .k = 9,
                      .block_size = 3,
                      .order_a = order,
                      .order_b = order,
                      .base = 1,
                      .beta = {1, 0},
                      .slice_begin = 4,
                      .slice_rows = rows},
                     with_plan);
}

TEST_P(Sddmm16BitKernel, WritesFloat) {
  for (const double beta : {0.0, -1.5})
    expect_right({.m = 7, .n = 29, .k = 35, .block_size = 5, .float_output = true, .beta = {beta, 0}});
}

TEST_P(SddmmKernel, LeavesBetaTimesCWithoutAProduct) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double beta : {0.0, 1.0, -0.5}) {
    expect_right({.m = 5, .n = 9, .k = 0, .block_size = 3, .beta = {beta, beta / 2}});
    Case c(GetParam(), {.m = 5, .n = 9, .k = 4, .block_size = 3, .alpha = {0, 0}, .beta = {beta, 0}});
    put(GetParam().type, c.problem.a.values, 0, {nan, nan});
    EXPECT_LE(c.judge(c.run(1, false)).worst, 1) << "beta = " << beta;
  }
  expect_right({.m = 5, .n = 0, .k = 4});
  expect_right({.m = 0, .n = 5, .k = 4});
}

TEST_P(SddmmKernel, GivesTheSameBitsForAnyThreads) {
  for (const Order order : {Order::row, Order::col})
    for (const std::int64_t block : {1, 4}) {
      Case c(GetParam(), {.m = 60,
                          .n = 67,
                          .k = 260,
                          .block_size = block,
                          .density = 0.7,
                          .order_a = order,
                          .order_b = order,
                          .alpha = {0.3, 0.1},
                          .beta = {0.7, 0}});
      const std::vector<char> one = c.run(1, false);
      for (const int threads : {2, 5}) {
        EXPECT_TRUE(c.run(threads, false) == one) << threads << " threads";
        EXPECT_TRUE(c.run(threads, true) == one) << threads << " threads with a plan";
      }
    }
}

TEST_P(SddmmKernel, GivesTheSameBitsInColumnBlocks) {
  const std::int64_t edge = GetParam().format == Format::bsr ? 2 : 1;
  const std::int64_t k = 8192 / static_cast<std::int64_t>(size_of(GetParam().type));
  Case c(GetParam(), {.m = 9, .n = 401 / edge, .k = k, .block_size = edge, .density = 0.5});
  const std::vector<char> one = c.run(1, false);
  EXPECT_LE(c.judge(one).worst, 1);
  EXPECT_NE(cpu::prepare(c.problem, Exec{})->describe().find("column blocks"), std::string::npos);
  for (const int threads : {1, 2, 5}) {
    EXPECT_TRUE(c.run(threads, false) == one) << threads << " threads";
    EXPECT_TRUE(c.run(threads, true) == one) << threads << " threads with a plan";
  }
}

TEST_P(SddmmKernel, GivesEqualColumnsEqualBitsWhereverTheyStand) {
  // One column of B, every entry of the dense row of C meets it.
  Case c(GetParam(), {.m = 4, .n = 61, .k = 37, .density = 0});
  const SparseView& v = c.problem.c;
  for (std::int64_t e = 0; e < v.nnzb; ++e) set_index(const_cast<void*>(v.col_indices), v.index_type, e, 5);
  const std::vector<char> result = c.run(1, false);
  const std::size_t size = size_of(v.value_type) * static_cast<std::size_t>(c.elements_per_entry());
  for (std::size_t e = 1; e < static_cast<std::size_t>(v.nnzb); ++e)
    EXPECT_EQ(std::memcmp(result.data(), result.data() + e * size, size), 0) << "entry " << e;
}

TEST_P(SddmmKernel, PlansRefuseBrokenStructure) {
  Case c(GetParam(), {.m = 5, .n = 9, .k = 4, .block_size = 2});
  void* columns = const_cast<void*>(c.problem.c.col_indices);
  const std::int64_t column = index_at(columns, IndexType::i32, 2);
  for (const std::int64_t wrong : {-1, 9}) {
    set_index(columns, IndexType::i32, 2, wrong);
    EXPECT_THROW(cpu::prepare(c.problem, Exec{}), Error) << wrong;
  }
  set_index(columns, IndexType::i32, 2, column);
  EXPECT_NO_THROW(cpu::prepare(c.problem, Exec{}));
  void* offsets = const_cast<void*>(c.problem.c.offsets);
  set_index(offsets, IndexType::i32, 1, c.problem.c.nnzb + 1);
  EXPECT_THROW(cpu::prepare(c.problem, Exec{}), Error);
}

template <class Predicate>
std::vector<TableRow> rows_where(Predicate&& predicate) {
  std::vector<TableRow> rows;
  std::copy_if(std::begin(kRows), std::end(kRows), std::back_inserter(rows), predicate);
  return rows;
}
std::string name_of_row(const ::testing::TestParamInfo<TableRow>& row) { return row.param.name; }

INSTANTIATE_TEST_SUITE_P(Table, SddmmKernel, ::testing::ValuesIn(kRows), name_of_row);
INSTANTIATE_TEST_SUITE_P(Table, SddmmBlockKernel,
                         ::testing::ValuesIn(rows_where([](const TableRow& r) { return r.format == Format::bsr; })),
                         name_of_row);
INSTANTIATE_TEST_SUITE_P(Table, Sddmm16BitKernel,
                         ::testing::ValuesIn(rows_where([](const TableRow& r) { return is_16bit(r.type); })),
                         name_of_row);

TEST(SddmmTable, IdsAreUniqueAndAtLeast256) {
  std::vector<std::int32_t> ids;
  for (const TableRow& row : kRows) ids.push_back(row.id);
  std::sort(ids.begin(), ids.end());
  EXPECT_GE(ids.front(), 256);
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
}

TEST(Sddmm, ListsEveryRefusal) {
  const TableRow row{"", 0, Isa::scalar, Format::csr, ValueType::f32};
  Case c(row, {});
  c.problem.compute = ValueType::f64;
  const Choice choice = cpu::choose(c.problem);
  EXPECT_EQ(choice.id, 0);
  EXPECT_NE(choice.text.find("sddmm_csr_f32__scalar: the compute type is not that of the sums"), std::string::npos)
      << choice.text;
}

}  // namespace
}  // namespace spk::test
