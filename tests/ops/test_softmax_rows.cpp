// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors

// Softmax and its gradient over drawn structures, types, masks and scales, against a loop of the test's own in double.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/backends.hpp"
#include "support/random_product.hpp"
#include "support/require.hpp"

namespace spk::test {
namespace {

using cases::Placement;

constexpr int kDraws = 150;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Scores {
  cases::SparseSpec sparse;
  std::vector<std::uint8_t> mask;  // empty for none
  std::vector<double> gradient;
  double scale = 1;
};

Scores draw_scores(int number) {
  Draw draw(static_cast<std::uint64_t>(number) * 977 + 3);
  Scores scores;
  cases::SparseSpec& s = scores.sparse;
  s.rows = draw.pick<std::int64_t>({0, 1, 5, 33});
  s.cols = draw.pick<std::int64_t>({1, 7, 64, 300});
  s.value_type = draw.pick<spk_value_type_t>({SPK_R_32F, SPK_R_64F, SPK_R_16F, SPK_R_16BF});
  s.offset_type = draw.pick<spk_index_type_t>({SPK_INDEX_32I, SPK_INDEX_64I});
  s.index_type = draw.pick<spk_index_type_t>({SPK_INDEX_32I, SPK_INDEX_64I});
  s.index_base = static_cast<std::int32_t>(draw.below(2));
  scores.scale = draw.pick<double>({1.0, 0.125, -3.0, 0.0});
  const bool has_mask = draw.chance(50);
  const int fill = draw.pick<int>({0, 10, 70});
  const double spread = draw.pick<double>({1.0, 30.0});
  s.offsets.items.push_back(s.index_base);
  for (std::int64_t i = 0; i < s.rows; ++i) {
    const int kind = static_cast<int>(draw.below(12));
    for (std::int64_t j = 0; j < s.cols; ++j) {
      if (!draw.chance(fill)) continue;
      double value = spread * draw.real();
      if (kind == 0) value = -kInfinity;
      if (kind == 1 && draw.chance(30)) value = -kInfinity;
      if (kind == 2 && draw.chance(10)) value = std::nan("");
      if (kind == 3 && draw.chance(10)) value = kInfinity;
      s.col_indices.items.push_back(j + s.index_base);
      s.values.items.push_back(cases::round_to(s.value_type, {value, 0}));
      scores.gradient.push_back(cases::round_to(s.value_type, {draw.real(), 0}).real());
      if (has_mask) scores.mask.push_back(kind == 4 ? 0 : static_cast<std::uint8_t>(draw.below(3)));
    }
    s.offsets.items.push_back(static_cast<std::int64_t>(s.col_indices.items.size()) + s.index_base);
  }
  s.nnz = static_cast<std::int64_t>(s.col_indices.items.size());
  for (cases::IndexArray* array : {&s.offsets, &s.col_indices}) {
    array->is_null = false;
    array->count = static_cast<std::int64_t>(array->items.size());
  }
  s.values.is_null = false;
  s.values.count = s.nnz;
  return scores;
}

bool is_left_out(const Scores& scores, std::size_t at) { return !scores.mask.empty() && scores.mask[at] == 0; }

std::vector<double> softmax_loop(const Scores& scores) {
  const cases::SparseSpec& s = scores.sparse;
  std::vector<double> result(static_cast<std::size_t>(s.nnz), 0);
  for (std::int64_t i = 0; i < s.rows; ++i) {
    const auto first = static_cast<std::size_t>(s.offsets.items[static_cast<std::size_t>(i)] - s.index_base);
    const auto last = static_cast<std::size_t>(s.offsets.items[static_cast<std::size_t>(i) + 1] - s.index_base);
    double most = -kInfinity;
    bool has_nan = false;
    for (std::size_t t = first; t < last; ++t) {
      if (is_left_out(scores, t)) continue;
      const double x = scores.scale * s.values.items[t].real();
      has_nan = has_nan || std::isnan(x) || x == kInfinity;
      most = std::max(most, x);
    }
    if (most == -kInfinity && !has_nan) continue;
    double sum = 0;
    for (std::size_t t = first; t < last; ++t)
      if (!is_left_out(scores, t)) sum += std::exp(scores.scale * s.values.items[t].real() - most);
    for (std::size_t t = first; t < last; ++t) {
      if (is_left_out(scores, t)) continue;
      result[t] = has_nan ? std::nan("") : std::exp(scores.scale * s.values.items[t].real() - most) / sum;
    }
  }
  return result;
}

// Relative error of exp of a difference of rounded numbers, of a sum and of a quotient; arguments reach 100 here.
double tolerance(spk_value_type_t type) {
  switch (type) {
    case SPK_R_64F: return 300 * 0x1p-53;
    case SPK_R_16F: return 0x1p-10;
    case SPK_R_16BF: return 0x1p-7;
    default: return 400 * 0x1p-24;
  }
}

// Distance of subnormal numbers: what the rounding of the result alone may cost.
double least_unit(spk_value_type_t type) {
  switch (type) {
    case SPK_R_64F: return 0x1p-1074;
    case SPK_R_16F: return 0x1p-24;
    case SPK_R_16BF: return 0x1p-133;
    default: return 0x1p-149;
  }
}

template <class Backend>
class SoftmaxRows : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = missing_isa(); !missing.empty()) SPK_SKIP_WITHOUT(wanted_isa(), missing);
    SPK_SKIP_WITHOUT_BACKEND(Backend::kBackend);
    make_handle(handle_, Backend::kBackend, 0, true);
  }

  // Y over the structure in `memory`, with values of its own under `name`.
  void describe(cases::SparseMatrix& matrix, const Scores& scores, cases::Memory& memory, void* values) {
    const cases::SparseSpec& s = scores.sparse;
    spk_spmat_t made = nullptr;
    ASSERT_EQ(spk_csr_create(&made, s.rows, s.cols, s.nnz, memory.find("row_offsets")->address(),
                             memory.find("col_indices")->address(), values, s.offset_type, s.index_type, s.index_base,
                             s.value_type),
              SPK_STATUS_SUCCESS);
    matrix.reset(made);
  }

  void expect_close(const cases::Buffer& got, const std::vector<double>& want, spk_value_type_t type, int number) {
    const double rel = tolerance(type);
    const double abs = type == SPK_R_16F ? 0x1p-24 : type == SPK_R_64F ? 1e-18 : 1e-9;
    for (std::size_t t = 0; t < want.size(); ++t) {
      const Number value = cases::load(type, got.at(static_cast<std::int64_t>(t)));
      ASSERT_TRUE(cases::close_enough(value, {want[t], 0}, {rel, abs}))
          << "entry " << t << " is " << cases::to_text(value) << " but must be " << want[t] << ", draw " << number;
    }
  }

  cases::Handle handle_;
};
TYPED_TEST_SUITE(SoftmaxRows, AllBackends, BackendNames);

TYPED_TEST(SoftmaxRows, FollowTheDefinition) {
  for (int number = 0; number < kDraws; ++number) {
    const Scores scores = draw_scores(number);
    const std::vector<double> want = softmax_loop(scores);
    const cases::Switches switches;
    cases::Memory memory(switches, number % 2 == 0 ? Placement::page_end : Placement::plain, TypeParam::kBackend);
    cases::SparseMatrix matX, matY;
    ASSERT_TRUE(cases::create_sparse(matX, scores.sparse, memory, cases::Access::write).ok());
    const bool in_place = number % 3 == 0;
    const char* name = in_place ? "values" : "result";
    void* values = in_place ? memory.find("values")->address()
                            : memory.blank("result", cases::bytes_of(scores.sparse.value_type), scores.sparse.nnz);
    this->describe(matY, scores, memory, values);
    const std::uint8_t* mask = scores.mask.empty() ? nullptr : memory.bytes("mask", scores.mask);
    const spk_status_t status = spk_softmax(this->handle_.get(), scores.scale, matX.get(), mask, cases::writable(matY),
                                            SPK_ALG_DEFAULT, nullptr, 0);
    ASSERT_EQ(status, SPK_STATUS_SUCCESS) << cases::outcome_of(status, this->handle_.get()).describe();
    ASSERT_TRUE(memory.fetch(this->handle_.get()).ok());
    this->expect_close(*memory.find(name), want, scores.sparse.value_type, number);
    EXPECT_EQ(memory.check_untouched({name}), "") << "draw " << number;
  }
}

TYPED_TEST(SoftmaxRows, GradientFollowsTheDefinition) {
  for (int number = 0; number < kDraws; ++number) {
    const Scores scores = draw_scores(number);
    const cases::SparseSpec& s = scores.sparse;
    // Y is whatever the caller has: the rounded result of the forward loop, without NaN.
    cases::SparseSpec forward = s;
    std::vector<double> y = softmax_loop(scores);
    for (std::size_t t = 0; t < y.size(); ++t) {
      if (std::isnan(y[t])) y[t] = 0.5;
      y[t] = cases::round_to(s.value_type, {y[t], 0}).real();
      forward.values.items[t] = y[t];
    }
    const cases::Switches switches;
    cases::Memory memory(switches, Placement::plain, TypeParam::kBackend);
    cases::SparseMatrix matY, matDY, matDX;
    ASSERT_TRUE(cases::create_sparse(matY, forward, memory, cases::Access::write).ok());
    cases::ValueArray gradient;
    gradient.is_null = false;
    gradient.count = s.nnz;
    for (const double value : scores.gradient) gradient.items.emplace_back(value, 0);
    this->describe(matDY, scores, memory, memory.values("gradient", s.value_type, gradient));
    this->describe(matDX, scores, memory, memory.blank("result", cases::bytes_of(s.value_type), s.nnz));
    const spk_status_t status = spk_softmax_backward(this->handle_.get(), scores.scale, matY.get(), matDY.get(),
                                                     cases::writable(matDX), SPK_ALG_DEFAULT, nullptr, 0);
    ASSERT_EQ(status, SPK_STATUS_SUCCESS) << cases::outcome_of(status, this->handle_.get()).describe();
    ASSERT_TRUE(memory.fetch(this->handle_.get()).ok());
    for (std::int64_t i = 0; i < s.rows; ++i) {
      const auto first = static_cast<std::size_t>(s.offsets.items[static_cast<std::size_t>(i)] - s.index_base);
      const auto last = static_cast<std::size_t>(s.offsets.items[static_cast<std::size_t>(i) + 1] - s.index_base);
      double dot = 0, size = 0;
      for (std::size_t t = first; t < last; ++t) {
        dot += y[t] * scores.gradient[t];
        size += std::fabs(y[t] * scores.gradient[t]);
      }
      const double u = s.value_type == SPK_R_64F ? 0x1p-53 : 0x1p-24;
      for (std::size_t t = first; t < last; ++t) {
        const double want = scores.scale * y[t] * (scores.gradient[t] - dot);
        const double difference = std::fabs(scores.gradient[t] - dot);
        // The first product, s Y or Y times the difference, and the last may be rounded among the subnormal numbers.
        const double slack = std::fabs(scores.scale * y[t]) * static_cast<double>(last - first + 6) * u *
                                 (size + std::fabs(scores.gradient[t])) +
                             (1 + difference + std::fabs(scores.scale)) * least_unit(s.value_type);
        const Number value = cases::load(s.value_type, memory.find("result")->at(static_cast<std::int64_t>(t)));
        const double rel = cases::bytes_of(s.value_type) == 2 ? tolerance(s.value_type) : 0;
        ASSERT_TRUE(cases::close_enough(value, {want, 0}, {rel, slack}))
            << "entry " << t << " is " << cases::to_text(value) << " but must be " << want << ", draw " << number;
      }
    }
    EXPECT_EQ(memory.check_untouched({"result"}), "") << "draw " << number;
  }
}

}  // namespace
}  // namespace spk::test
