// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <random>
#include <vector>

#include "core/error.hpp"
#include "cpu/isa.hpp"
#include "cpu/operations.hpp"
#include "cpu/reference/operations.hpp"
#include "kernels/guarded.hpp"
#include "reference/arrays.hpp"
#include "support/require.hpp"

// Every row of the two softmax tables that this machine can run, forced by its id, against the oracle.
namespace spk::test {
namespace {

using cpu::Isa;

struct TableRow {
  const char* name;
  std::int32_t id;
  Isa isa;
  ValueType type;
};
// What GoogleTest prints of a parameter; without it, its bytes.
void PrintTo(const TableRow& row, std::ostream* out) { *out << row.name; }
template <ValueType kType>
constexpr ValueType needs = kType;
#define SPK_KERNEL(name, isa, id, refuse) {#name "__" #isa, id, Isa::isa, refuse},
const TableRow kForward[] = {
#include "cpu/softmax_kernels.inc"
};
const TableRow kBackward[] = {
#include "cpu/softmax_backward_kernels.inc"
};
#undef SPK_KERNEL

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

using Lengths = std::vector<std::int64_t>;
const Lengths kLengths = {0, 1, 2, 3, 0, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 131, 0};

// CSR matrices of one structure with memory of their own.
struct Matrices {
  Matrices(ValueType value_type, const Lengths& lengths, int count, IndexType index_type = IndexType::i32,
           std::int32_t base = 0, std::int64_t batch = 1)
      : type(value_type) {
    std::vector<std::int64_t> starts{base}, columns;
    std::int64_t widest = 1;
    for (const std::int64_t length : lengths) {
      starts.push_back(starts.back() + length);
      for (std::int64_t j = 0; j < length; ++j) columns.push_back(length - 1 - j + base);
      widest = std::max(widest, length);
    }
    offsets = indices(index_type, starts);
    cols = indices(index_type, columns);
    view.value_type = type;
    view.offset_type = view.index_type = index_type;
    view.base = base;
    view.rows = static_cast<std::int64_t>(lengths.size());
    view.cols = widest;
    view.nnz = view.nnzb = static_cast<std::int64_t>(columns.size());
    view.offsets = offsets.data();
    view.col_indices = cols.data();
    view.batch_count = batch;
    view.values_stride = batch == 1 ? 0 : view.nnz + 5;
    elements = view.nnz + (batch - 1) * view.values_stride;
    for (int i = 0; i < count; ++i) values.emplace_back(static_cast<std::size_t>(elements) * size_of(type));
  }
  void fill(int i, double low, double high) {
    std::mt19937 random(static_cast<unsigned>(7 + i));
    std::uniform_real_distribution<double> pick(low, high);
    for (std::int64_t e = 0; e < elements; ++e) set(i, e, pick(random));
  }
  void set(int i, std::int64_t e, double x) { put(type, values[static_cast<std::size_t>(i)].data(), e, x); }
  double at(int i, std::int64_t e) const { return get(type, values[static_cast<std::size_t>(i)].data(), e).real(); }
  SparseView matrix(int i) const {
    SparseView v = view;
    v.values = values[static_cast<std::size_t>(i)].data();
    return v;
  }
  std::vector<char> bytes(int i) const {
    const Guarded& g = values[static_cast<std::size_t>(i)];
    EXPECT_TRUE(g.front_is_intact());
    return {static_cast<const char*>(g.data()), static_cast<const char*>(g.data()) + g.bytes()};
  }

  ValueType type;
  Buffer offsets, cols;
  std::vector<Guarded> values;
  SparseView view;
  std::int64_t elements = 0;
};

class TableTest : public ::testing::TestWithParam<TableRow> {
 protected:
  void SetUp() override {
    const char* isa = name_of(GetParam().isa);
    if (!cpu::isa_supports(cpu::available_isa(), GetParam().isa)) SPK_SKIP_WITHOUT(isa, "no " << isa << " is here");
  }
};

class SoftmaxKernel : public TableTest {
 protected:
  SoftmaxProblem problem(const Matrices& m, double scale, const std::uint8_t* mask = nullptr) {
    SoftmaxProblem p;
    p.x = m.matrix(0);
    p.y = m.matrix(1);
    p.scale = scale;
    p.mask = mask;
    p.alg = GetParam().id;
    EXPECT_EQ(cpu::choose(p).id, GetParam().id) << cpu::choose(p).text;
    return p;
  }
  void expect_right(const SoftmaxProblem& p) {
    cpu::run(p, nullptr, Exec{});
    const Verdict v = reference::judge(p, p.y);
    EXPECT_LE(v.worst, 1) << "scale " << p.scale << ", batch " << v.batch << ", row " << v.row << ": " << v.got.re
                          << " instead of " << v.want.re << ", bound " << v.bound;
  }
};

TEST_P(SoftmaxKernel, MeetsTheBound) {
  for (const double range : {1e-3, 1.0, 20.0, 300.0})
    for (const double scale : {1.0, 0.125, -0.7, 3.3}) {
      Matrices m(GetParam().type, kLengths, 2);
      m.fill(0, -range, range);
      expect_right(problem(m, scale));
    }
}

TEST_P(SoftmaxKernel, MeetsTheBoundInLongRows) {
  Matrices m(GetParam().type, {4095, 4096, 4097, 20011}, 2);
  m.fill(0, -5, 5);
  expect_right(problem(m, 0.37));
}

TEST_P(SoftmaxKernel, TakesEveryScale) {
  const double largest = GetParam().type == ValueType::f16 ? 60000 : 1e38;
  for (const double scale : {0.0, 1e-300, -1e-45, 1e-38, 1e-30, 1e30, -1e39, 1e100, 1e300})
    for (const double range : {1 / largest, 1e-3, 1.0, largest}) {
      if (std::isinf(scale * range)) continue;  // beyond the oracle's own numbers
      Matrices m(GetParam().type, kLengths, 2);
      m.fill(0, -range, range);
      for (std::int64_t e = 0; e < m.view.nnz; e += 3) m.set(0, e, 0);
      expect_right(problem(m, scale));
    }
}

TEST_P(SoftmaxKernel, LeavesMaskedEntriesOut) {
  Matrices m(GetParam().type, kLengths, 2);
  m.fill(0, -4, 4);
  Guarded mask(static_cast<std::size_t>(m.view.nnz));
  auto* bytes = static_cast<std::uint8_t*>(mask.data());
  std::mt19937 random(3);
  for (std::int64_t e = 0; e < m.view.nnz; ++e) {
    bytes[e] = random() % 3 == 0 ? 0 : static_cast<std::uint8_t>(1 + random() % 255);
    if (bytes[e] == 0 && e % 2 == 0) m.set(0, e, e % 4 == 0 ? kNan : kInf);
  }
  // The last long row is left out as a whole.
  for (std::int64_t e = m.view.nnz - 131; e < m.view.nnz; ++e) bytes[e] = 0;
  expect_right(problem(m, 1.5, bytes));
  for (std::int64_t e = 0; e < m.view.nnz; ++e) {
    if (bytes[e] != 0) continue;
    EXPECT_EQ(m.at(1, e), 0) << "entry " << e;
  }
}

TEST_P(SoftmaxKernel, GivesZeroForRowsOfNothingButMinusInfinity) {
  for (const double scale : {1.0, 2.5}) {
    Matrices m(GetParam().type, {1, 16, 0, 37, 3}, 2);
    m.fill(0, -1, 1);
    for (std::int64_t e = 0; e < 54; ++e) m.set(0, e, -kInf);
    expect_right(problem(m, scale));
    for (std::int64_t e = 0; e < 54; ++e) EXPECT_EQ(m.at(1, e), 0);
  }
}

TEST_P(SoftmaxKernel, GivesExactlyZeroForMinusInfinityAmongOthers) {
  Matrices m(GetParam().type, {5, 33}, 2);
  m.fill(0, -1, 1);
  m.set(0, 3, -kInf);
  m.set(0, 20, -kInf);
  expect_right(problem(m, 0.5));
  EXPECT_EQ(m.at(1, 3), 0);
  EXPECT_EQ(m.at(1, 20), 0);
}

TEST_P(SoftmaxKernel, SpreadsNanAndInfinityOverTheirRow) {
  for (const double bad : {kNan, kInf})
    for (const double scale : {1.0, -2.0, 0.0})
      for (const double others : {0.25, -kInf})
        for (const std::int64_t place : {5, 6, 20, 37}) {
          Matrices m(GetParam().type, {5, 33, 4}, 2);
          for (std::int64_t e = 0; e < m.view.nnz; ++e) m.set(0, e, e < 5 || e > 37 ? 0.5 : others);
          m.set(0, place, scale < 0 ? -bad : bad);
          expect_right(problem(m, scale));
          EXPECT_TRUE(std::isnan(m.at(1, 5)) && std::isnan(m.at(1, 37)));
          EXPECT_FALSE(std::isnan(m.at(1, 4)) || std::isnan(m.at(1, 38)));
        }
}

TEST_P(SoftmaxKernel, WorksInPlace) {
  Matrices m(GetParam().type, {4, 0, 5000, 77, 16}, 2);
  m.fill(0, -3, 3);
  SoftmaxProblem p = problem(m, 0.9);
  cpu::run(p, nullptr, Exec{});
  p.y.values = p.x.values;
  cpu::run(p, nullptr, Exec{});
  EXPECT_TRUE(m.bytes(0) == m.bytes(1));
}

TEST_P(SoftmaxKernel, GivesTheSameBitsForAnyThreads) {
  Lengths lengths;
  for (std::int64_t i = 0; i < 900; ++i) lengths.push_back(i % 90 == 3 ? 3000 : i % 50);
  Matrices m(GetParam().type, lengths, 2, IndexType::i64, 1, 2);
  m.fill(0, -3, 3);
  const SoftmaxProblem p = problem(m, 0.3);
  expect_right(p);
  const std::vector<char> one = m.bytes(1);
  const auto plan = cpu::prepare(p, Exec{});
  for (const int threads : {2, 5}) {
    m.fill(1, 0, 1);
    Exec exec;
    exec.threads = threads;
    cpu::run(p, threads == 5 ? plan.get() : nullptr, exec);
    // Between the matrices of the batch lie elements that are not described.
    const std::vector<char> now = m.bytes(1);
    const std::size_t matrix = static_cast<std::size_t>(m.view.nnz) * size_of(m.type);
    EXPECT_TRUE(std::equal(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(matrix), now.begin()));
    EXPECT_TRUE(std::equal(one.rbegin(), one.rbegin() + static_cast<std::ptrdiff_t>(matrix), now.rbegin()));
  }
}

TEST_P(SoftmaxKernel, TakesRowSlices) {
  Matrices m(GetParam().type, {3, 20, 17, 5}, 2, IndexType::i32, 1);
  m.fill(0, -3, 3);
  m.fill(1, 2, 3);
  SoftmaxProblem p = problem(m, 1);
  for (SparseView* v : {&p.x, &p.y}) {
    v->offsets = advance_bytes(v->offsets, 4);
    v->rows = 2;
    v->first_entry = 3;
    v->nnz = v->nnzb = 37;
  }
  std::vector<std::uint8_t> mask(37, 1);
  mask[0] = 0;
  p.mask = mask.data();
  expect_right(p);
  EXPECT_EQ(m.at(1, 3), 0);
  for (const std::int64_t e : {0, 1, 2, 40, 44}) EXPECT_GE(m.at(1, e), 1.9) << "entry " << e;
  EXPECT_NO_THROW(cpu::prepare(p, Exec{}));
}

TEST_P(SoftmaxKernel, PlansRefuseBrokenStructure) {
  Matrices m(GetParam().type, {3, 20}, 2);
  const SoftmaxProblem p = problem(m, 1);
  set_index(m.offsets.data(), IndexType::i32, 1, 24);
  EXPECT_THROW(cpu::prepare(p, Exec{}), Error);
  set_index(m.offsets.data(), IndexType::i32, 1, 3);
  EXPECT_NO_THROW(cpu::prepare(p, Exec{}));
  set_index(m.cols.data(), IndexType::i32, 22, 20);
  EXPECT_THROW(cpu::prepare(p, Exec{}), Error);
}

INSTANTIATE_TEST_SUITE_P(Table, SoftmaxKernel, ::testing::ValuesIn(kForward),
                         [](const auto& row) { return std::string(row.param.name); });

class SoftmaxBackwardKernel : public TableTest {
 protected:
  // 0 = Y, 1 = dY, 2 = dX
  SoftmaxBackwardProblem problem(const Matrices& m, double scale) {
    SoftmaxBackwardProblem p;
    p.y = m.matrix(0);
    p.dy = m.matrix(1);
    p.dx = m.matrix(2);
    p.scale = scale;
    p.alg = GetParam().id;
    EXPECT_EQ(cpu::choose(p).id, GetParam().id) << cpu::choose(p).text;
    return p;
  }
  void expect_right(const SoftmaxBackwardProblem& p) {
    cpu::run(p, nullptr, Exec{});
    const Verdict v = reference::judge(p, p.dx);
    EXPECT_LE(v.worst, 1) << "scale " << p.scale << ", row " << v.row << ": " << v.got.re << " instead of " << v.want.re
                          << ", bound " << v.bound;
  }
};

TEST_P(SoftmaxBackwardKernel, MeetsTheBound) {
  for (const double range : {1e-3, 1.0, 100.0})
    for (const double scale : {1.0, -0.7, 0.0, 1e-30, 1e39}) {
      Matrices m(GetParam().type, kLengths, 3);
      m.fill(0, 0, 1);
      m.fill(1, -range, range);
      expect_right(problem(m, scale));
    }
}

TEST_P(SoftmaxBackwardKernel, MeetsTheBoundInLongRows) {
  Matrices m(GetParam().type, {4097, 20011}, 3, IndexType::i64, 1);
  m.fill(0, 0, 1e-3);
  m.fill(1, -1, 1);
  expect_right(problem(m, 0.5));
}

TEST_P(SoftmaxBackwardKernel, KeepsNanInItsRow) {
  Matrices m(GetParam().type, {5, 33, 4}, 3);
  m.fill(0, 0, 1);
  m.fill(1, -1, 1);
  m.set(1, 9, kNan);
  expect_right(problem(m, 1));
  EXPECT_FALSE(std::isnan(m.at(2, 4)) || std::isnan(m.at(2, 38)));
}

TEST_P(SoftmaxBackwardKernel, WorksInPlaceOfEitherInput) {
  for (const int place : {0, 1}) {
    Matrices m(GetParam().type, {4, 0, 5000, 77, 16}, 3);
    m.fill(0, 0, 1);
    m.fill(1, -3, 3);
    SoftmaxBackwardProblem p = problem(m, 0.9);
    cpu::run(p, nullptr, Exec{});
    p.dx = m.matrix(place);
    cpu::run(p, nullptr, Exec{});
    EXPECT_TRUE(m.bytes(place) == m.bytes(2)) << "in place of operand " << place;
  }
}

TEST_P(SoftmaxBackwardKernel, GivesTheSameBitsForAnyThreads) {
  Lengths lengths;
  for (std::int64_t i = 0; i < 900; ++i) lengths.push_back(i % 90 == 3 ? 3000 : i % 50);
  Matrices m(GetParam().type, lengths, 3);
  m.fill(0, 0, 1);
  m.fill(1, -3, 3);
  const SoftmaxBackwardProblem p = problem(m, 0.3);
  expect_right(p);
  const std::vector<char> one = m.bytes(2);
  const auto plan = cpu::prepare(p, Exec{});
  for (const int threads : {2, 5}) {
    m.fill(2, 0, 1);
    Exec exec;
    exec.threads = threads;
    cpu::run(p, threads == 5 ? plan.get() : nullptr, exec);
    EXPECT_TRUE(m.bytes(2) == one) << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(Table, SoftmaxBackwardKernel, ::testing::ValuesIn(kBackward),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(SoftmaxTables, IdsAreUniqueAndAtLeast256) {
  std::vector<std::int32_t> ids;
  for (const TableRow& row : kForward) ids.push_back(row.id);
  for (const TableRow& row : kBackward) ids.push_back(row.id);
  std::sort(ids.begin(), ids.end());
  EXPECT_GE(ids.front(), 256);
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
}

TEST(Softmax, ListsEveryRefusal) {
  Matrices m(ValueType::f32, {3}, 2);
  SoftmaxProblem p;
  p.x = m.matrix(0);
  p.y = m.matrix(1);
  p.x.value_type = p.y.value_type = ValueType::c64;
  const Choice choice = cpu::choose(p);
  EXPECT_EQ(choice.id, 0);
  EXPECT_NE(choice.text.find("softmax_csr_f32__scalar: the values have another type"), std::string::npos);
}

}  // namespace
}  // namespace spk::test
