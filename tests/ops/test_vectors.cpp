// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors

// Operations on sparse vectors over drawn types, bases, orders of entries and scalars, against loops of the test's own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "support/backends.hpp"
#include "support/draw.hpp"
#include "support/require.hpp"

namespace spk::test {
namespace {

using cases::Number;
using cases::Placement;

constexpr int kDraws = 500;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using SparseVector = cases::Owner<spk_const_spvec_t, spk_spvec_destroy>;

// Everything that makes one call.
struct Problem {
  std::int32_t operation = SPK_OPERATION_AXPBY;
  spk_value_type_t type = SPK_R_32F;
  spk_index_type_t index_type = SPK_INDEX_32I;
  std::int32_t base = 0;
  std::int64_t size = 0;
  std::vector<std::int64_t> elements;  // of the entries, from 0
  std::vector<Number> x, y;
  Number alpha{1, 0}, beta{0, 0};  // or c and s
  bool conjugates = false;
  bool is_exact = true;             // numbers whose sums and products are exact
  bool has_device_scalars = false;  // scalars and result where the backend computes

  std::int64_t nnz() const { return static_cast<std::int64_t>(elements.size()); }
  bool is(std::int32_t other) const { return operation == other; }
  std::string describe() const {
    return "operation " + std::to_string(operation) + " " + cases::name_of(type) + " indices " +
           (index_type == SPK_INDEX_64I ? "i64" : "i32") + " base " + std::to_string(base) + " size " +
           std::to_string(size) + " nnz " + std::to_string(nnz()) + (is_exact ? " exact" : "") +
           (has_device_scalars ? " device scalars" : "");
  }
};

// Unit roundoff, and the least positive number, of a type's real part.
double roundoff(spk_value_type_t type) {
  switch (type) {
    case SPK_R_16F: return 0x1p-11;
    case SPK_R_16BF: return 0x1p-8;
    case SPK_R_64F:
    case SPK_C_64F: return 0x1p-53;
    default: return 0x1p-24;
  }
}
double least(spk_value_type_t type) {
  switch (type) {
    case SPK_R_16F: return 0x1p-24;
    case SPK_R_16BF: return 0x1p-133;
    case SPK_R_64F:
    case SPK_C_64F: return 0x1p-1074;
    default: return 0x1p-149;
  }
}
spk_value_type_t sum_type(spk_value_type_t type) { return type == SPK_R_16F || type == SPK_R_16BF ? SPK_R_32F : type; }

Problem draw_problem(int number) {
  Draw draw(static_cast<std::uint64_t>(number) * 7349 + 11);
  Problem p;
  p.operation = SPK_OPERATION_AXPBY + static_cast<std::int32_t>(draw.below(5));
  p.type = draw.pick<spk_value_type_t>({SPK_R_32F, SPK_R_64F, SPK_R_16F, SPK_R_16BF, SPK_C_32F, SPK_C_64F});
  p.index_type = draw.pick<spk_index_type_t>({SPK_INDEX_32I, SPK_INDEX_64I});
  p.base = static_cast<std::int32_t>(draw.below(2));
  p.size = draw.pick<std::int64_t>({0, 1, 2, 31, 32, 33, 257, 1000, 5003});
  p.has_device_scalars = draw.chance(40);
  const bool may_repeat = p.is(SPK_OPERATION_AXPBY) || p.is(SPK_OPERATION_GATHER) || p.is(SPK_OPERATION_SPVV);
  const bool repeats = may_repeat && draw.chance(30);
  const int fill = draw.pick<int>({0, 3, 40, 100});
  for (std::int64_t i = 0; i < p.size; ++i)
    if (draw.chance(fill)) p.elements.push_back(repeats ? draw.below(p.size) : i);
  if (!repeats && draw.chance(50))
    for (std::int64_t left = p.nnz(); left > 1; --left)
      std::swap(p.elements[static_cast<std::size_t>(left - 1)], p.elements[static_cast<std::size_t>(draw.below(left))]);
  p.is_exact = draw.chance(60);
  // Sums of the least numbers stay exact while scalars are 1: a flush to zero would show.
  const bool is_tiny = p.is(SPK_OPERATION_AXPBY) && p.is_exact && draw.chance(40);
  const double unit = is_tiny ? least(p.type) : 1;
  const auto value = [&] {
    const auto part = [&] { return p.is_exact ? unit * static_cast<double>(draw.below(5) - 2) : draw.real(); };
    const double re = part();
    return cases::round_to(p.type, {re, cases::is_complex(p.type) ? part() : 0.0});
  };
  for (std::int64_t i = 0; i < p.nnz(); ++i) p.x.push_back(value());
  for (std::int64_t i = 0; i < p.size; ++i) p.y.push_back(value());
  const auto scalar = [&](double re) { return Number{re, cases::is_complex(p.type) && re != 0 && re != 1 ? 0.5 : 0}; };
  if (p.is(SPK_OPERATION_ROT)) {
    p.alpha = scalar(draw.pick<double>({1, 0, 2}));
    p.beta = scalar(draw.pick<double>({0, 1, -3}));
  } else {
    p.alpha = is_tiny ? 1 : scalar(draw.pick<double>({1, 0, -2.5}));
    p.beta = is_tiny ? 1 : scalar(draw.pick<double>({1, 0, 0.5}));
  }
  p.conjugates = draw.chance(50);
  // What nobody may look at.
  if (p.is(SPK_OPERATION_AXPBY) && p.beta == Number{}) std::fill(p.y.begin(), p.y.end(), Number{kNan, 0});
  if (p.is(SPK_OPERATION_AXPBY) && p.alpha == Number{}) std::fill(p.x.begin(), p.x.end(), Number{kNan, 0});
  if (p.is(SPK_OPERATION_GATHER)) std::fill(p.x.begin(), p.x.end(), Number{kNan, 0});
  return p;
}

// What x, y and the result must be, and how far off they may be.
struct Wanted {
  std::vector<Number> x, y;
  std::vector<double> x_bound, y_bound;
  Number result{};
  double result_bound = 0;
};

Wanted loop(const Problem& p) {
  Wanted w{p.x, p.y, std::vector<double>(p.x.size(), 0), std::vector<double>(p.y.size(), 0)};
  // The loop itself rounds to double, which is no better than what it checks for f64.
  const double slack = (cases::is_complex(p.type) ? 2 : 1) * (roundoff(p.type) < 0x1p-50 ? 2 : 1);
  const double u = roundoff(p.type), u_sum = roundoff(sum_type(p.type));
  if (p.is(SPK_OPERATION_AXPBY)) {
    std::vector<double> terms(p.y.size(), 0), sizes(p.y.size(), 0);
    for (std::size_t i = 0; i < p.y.size(); ++i) {
      w.y[i] = p.beta == Number{} ? Number{} : p.beta * p.y[i];
      sizes[i] = std::abs(w.y[i]);
    }
    for (std::size_t i = 0; i < p.x.size() && p.alpha != Number{}; ++i) {
      const auto at = static_cast<std::size_t>(p.elements[i]);
      w.y[at] += p.alpha * p.x[i];
      sizes[at] += std::abs(p.alpha) * std::abs(p.x[i]);
      ++terms[at];
    }
    const bool rounds = !p.is_exact || cases::bytes_of(p.type) == 2;
    for (std::size_t i = 0; i < p.y.size() && rounds; ++i)
      w.y_bound[i] = slack * (terms[i] + 2) * (u * sizes[i] + least(p.type) / 2);
    return w;
  }
  double sum_size = 0;
  for (std::size_t i = 0; i < p.x.size(); ++i) {
    const auto at = static_cast<std::size_t>(p.elements[i]);
    if (p.is(SPK_OPERATION_GATHER)) w.x[i] = p.y[at];
    if (p.is(SPK_OPERATION_SCATTER)) w.y[at] = p.x[i];
    if (p.is(SPK_OPERATION_SPVV)) {
      w.result += (p.conjugates ? std::conj(p.x[i]) : p.x[i]) * p.y[at];
      sum_size += std::abs(p.x[i]) * std::abs(p.y[at]);
    }
    if (!p.is(SPK_OPERATION_ROT)) continue;
    const Number a = p.x[i], b = p.y[at];
    w.x[i] = p.alpha * a + p.beta * b;
    w.y[at] = p.alpha * b - p.beta * a;
    if (p.is_exact) continue;
    w.x_bound[i] = slack * (3 * u_sum + u) * (std::abs(p.alpha) * std::abs(a) + std::abs(p.beta) * std::abs(b));
    w.y_bound[at] = slack * (3 * u_sum + u) * (std::abs(p.alpha) * std::abs(b) + std::abs(p.beta) * std::abs(a));
  }
  if (!p.is_exact) w.result_bound = slack * static_cast<double>(p.nnz() + 2) * u_sum * sum_size;
  return w;
}

cases::ValueArray array_of(const std::vector<Number>& items) {
  cases::ValueArray array;
  array.is_null = false;
  array.count = static_cast<std::int64_t>(items.size());
  array.items = items;
  return array;
}

// Arrays and descriptors of one call.
class Run {
 public:
  Run(const Problem& p, Placement placement, spk_backend_t backend) : p_(p), memory_(switches_, placement, backend) {
    cases::IndexArray indices;
    indices.is_null = false;
    indices.count = p.nnz();
    for (const std::int64_t element : p.elements) indices.items.push_back(element + p.base);
    void* const index_array = memory_.indices("indices", p.index_type, indices);
    void* const x_values = memory_.values("x", p.type, array_of(p.x));
    void* const y_values = memory_.values("y", p.type, array_of(p.y));
    spk_spvec_t x = nullptr;
    spk_dnvec_t y = nullptr;
    EXPECT_EQ(spk_spvec_create(&x, p.size, p.nnz(), index_array, x_values, p.index_type, p.base, p.type), 0);
    EXPECT_EQ(spk_dnvec_create(&y, p.size, y_values, p.type), 0);
    x_.reset(x);
    y_.reset(y);
    const spk_value_type_t sum = sum_type(p.type);
    cases::store(sum, alpha_, p.alpha);
    cases::store(sum, beta_, p.beta);
    if (!p.has_device_scalars) return;
    alpha_at_ = memory_.values("alpha", sum, array_of({p.alpha}));
    beta_at_ = memory_.values("beta", sum, array_of({p.beta}));
    result_at_ = memory_.values("result", sum, array_of({Number{kNan, 0}}));
  }

  spk_status_t launch(spk_handle_t handle) {
    spk_set_pointer_mode(handle, p_.has_device_scalars ? SPK_POINTER_MODE_DEVICE : SPK_POINTER_MODE_HOST);
    auto* const x = const_cast<spk_spvec_t>(x_.get());
    auto* const y = const_cast<spk_dnvec_t>(y_.get());
    switch (p_.operation) {
      case SPK_OPERATION_AXPBY: return spk_axpby(handle, alpha_at_, x, beta_at_, y);
      case SPK_OPERATION_GATHER: return spk_gather(handle, y, x);
      case SPK_OPERATION_SCATTER: return spk_scatter(handle, x, y);
      case SPK_OPERATION_ROT: return spk_rot(handle, alpha_at_, beta_at_, x, y);
      default: break;
    }
    const spk_operation_t op = p_.conjugates ? SPK_OP_C : SPK_OP_N;
    const spk_compute_type_t compute = cases::compute_type_of(p_.type);
    std::size_t bytes = 0;
    if (const spk_status_t status = spk_spvv_workspace(handle, op, x, y, compute, &bytes); status != 0) return status;
    return spk_spvv(handle, op, x, y, result_at_, compute, memory_.workspace(bytes), bytes);
  }

  // Empty, or what is wrong with one call.
  std::string check(spk_handle_t handle) {
    const spk_status_t status = launch(handle);
    if (status != SPK_STATUS_SUCCESS) return "answered " + cases::outcome_of(status, handle).describe();
    if (const cases::Outcome outcome = memory_.fetch(handle); !outcome.ok()) return outcome.describe();
    const Wanted want = loop(p_);
    std::string wrong = compare("x", want.x, want.x_bound);
    if (wrong.empty()) wrong = compare("y", want.y, want.y_bound);
    if (wrong.empty() && p_.is(SPK_OPERATION_SPVV) && !is_close(result(), want.result, want.result_bound))
      wrong = "result is " + cases::to_text(result()) + " but must be " + cases::to_text(want.result);
    if (wrong.empty()) wrong = memory_.check_untouched({"x", "y", "result", "workspace"});
    return wrong;
  }

  Number result() {
    const void* const at = p_.has_device_scalars ? static_cast<const void*>(memory_.find("result")->data()) : result_;
    return cases::load(sum_type(p_.type), at);
  }
  cases::Memory& memory() { return memory_; }

 private:
  static bool is_close(Number got, Number want, double bound) {
    const auto part = [&](double g, double w) { return std::isnan(w) ? std::isnan(g) : std::fabs(g - w) <= bound; };
    return part(got.real(), want.real()) && part(got.imag(), want.imag());
  }
  std::string compare(const char* name, const std::vector<Number>& want, const std::vector<double>& bounds) {
    for (std::size_t i = 0; i < want.size(); ++i) {
      const Number got = cases::load(p_.type, memory_.find(name)->at(static_cast<std::int64_t>(i)));
      if (!is_close(got, want[i], bounds[i]))
        return std::string(name) + "[" + std::to_string(i) + "] is " + cases::to_text(got) + " but must be " +
               cases::to_text(want[i]) + " within " + std::to_string(bounds[i]);
    }
    return {};
  }

  const Problem& p_;
  cases::Switches switches_;
  cases::Memory memory_;
  SparseVector x_;
  cases::DenseVector y_;
  alignas(16) unsigned char alpha_[16] = {}, beta_[16] = {}, result_[16] = {};
  const void* alpha_at_ = alpha_;
  const void* beta_at_ = beta_;
  void* result_at_ = result_;
};

template <class Backend>
class Vectors : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = missing_isa(); !missing.empty()) SPK_SKIP_WITHOUT(wanted_isa(), missing);
    SPK_SKIP_WITHOUT_BACKEND(Backend::kBackend);
    make_handle(handle_, Backend::kBackend, 0, true);
  }
  cases::Handle handle_;
};
TYPED_TEST_SUITE(Vectors, AllBackends, BackendNames);

TYPED_TEST(Vectors, FollowTheirDefinitions) {
  int failures = 0;
  for (int number = 0; number < kDraws; ++number) {
    const Problem problem = draw_problem(number);
    Run run(problem, number % 3 == 0 ? Placement::page_end : Placement::plain, TypeParam::kBackend);
    const std::string wrong = run.check(this->handle_.get());
    if (wrong.empty()) continue;
    ADD_FAILURE() << "draw " << number << ": " << wrong << "\n  " << problem.describe();
    ASSERT_LT(++failures, 10) << "too many failures to go on";
  }
}

// A vector large enough for several threads and blocks; every second element.
Problem large_problem(std::int32_t operation, spk_value_type_t type, bool is_sorted) {
  Problem p;
  p.operation = operation;
  p.type = type;
  p.size = 300007;
  p.is_exact = false;
  p.alpha = {0.75, 0};
  p.beta = {0.5, 0};
  Draw draw(static_cast<std::uint64_t>(operation) * 131 + static_cast<std::uint64_t>(type));
  for (std::int64_t i = 0; i < p.size; i += 2) p.elements.push_back(i);
  if (operation == SPK_OPERATION_AXPBY)  // each fourth of the elements twice, in places next to each other
    for (std::size_t i = 1; i < p.elements.size(); i += 2) p.elements[i] = p.elements[i - 1];
  if (!is_sorted) std::reverse(p.elements.begin() + 5, p.elements.end());
  const auto value = [&] { return cases::round_to(type, {draw.real(), cases::is_complex(type) ? draw.real() : 0}); };
  for (std::int64_t i = 0; i < p.nnz(); ++i) p.x.push_back(value());
  for (std::int64_t i = 0; i < p.size; ++i) p.y.push_back(value());
  return p;
}

TYPED_TEST(Vectors, LargeOnesAreRightToo) {
  for (std::int32_t operation = SPK_OPERATION_AXPBY; operation <= SPK_OPERATION_SPVV; ++operation)
    for (const bool is_sorted : {true, false})
      for (const spk_value_type_t type : {SPK_R_32F, SPK_R_16F, SPK_C_64F}) {
        const Problem problem = large_problem(operation, type, is_sorted);
        Run run(problem, Placement::plain, TypeParam::kBackend);
        EXPECT_EQ(run.check(this->handle_.get()), "") << problem.describe();
      }
}

// The bits of everything that a call writes.
template <class Backend>
std::string bits_of(const Problem& problem, spk_handle_t handle) {
  Run run(problem, Placement::plain, Backend::kBackend);
  EXPECT_EQ(run.check(handle), "") << problem.describe();
  std::string bits;
  for (const char* name : {"x", "y"}) {
    const cases::Buffer& buffer = *run.memory().find(name);
    bits.append(reinterpret_cast<const char*>(buffer.data()),
                static_cast<std::size_t>(buffer.count()) * buffer.element_bytes());
  }
  const Number result = run.result();
  return bits.append(reinterpret_cast<const char*>(&result), sizeof result);
}

TYPED_TEST(Vectors, RepeatBitForBitForAnyNumberOfThreads) {
  for (std::int32_t operation = SPK_OPERATION_AXPBY; operation <= SPK_OPERATION_SPVV; ++operation)
    for (const bool is_sorted : {true, false}) {
      Problem problem = large_problem(operation, SPK_R_32F, is_sorted);
      if (TypeParam::kBackend == SPK_BACKEND_CUDA && operation == SPK_OPERATION_AXPBY) {
        // Two terms of an element besides y may meet in either order there.
        std::sort(problem.elements.begin(), problem.elements.end());
        for (std::size_t i = 0; i < problem.elements.size(); ++i)
          problem.elements[i] = static_cast<std::int64_t>(2 * i);
      }
      cases::Handle one, more;
      make_handle(one, TypeParam::kBackend, 1);
      make_handle(more, TypeParam::kBackend, 3);
      const std::string want = bits_of<TypeParam>(problem, one.get());
      EXPECT_EQ(want == bits_of<TypeParam>(problem, one.get()), true) << problem.describe();
      EXPECT_EQ(want == bits_of<TypeParam>(problem, more.get()), true) << problem.describe();
    }
}

TYPED_TEST(Vectors, SupportIsAnswered) {
  spk_spvec_t x = nullptr;
  spk_dnvec_t y = nullptr;
  ASSERT_EQ(spk_spvec_create(&x, 10, 3, nullptr, nullptr, SPK_INDEX_32I, SPK_INDEX_BASE_ZERO, SPK_R_16BF), 0);
  ASSERT_EQ(spk_dnvec_create(&y, 10, nullptr, SPK_R_16BF), 0);
  for (std::int32_t operation = SPK_OPERATION_AXPBY; operation <= SPK_OPERATION_SPVV; ++operation) {
    spk_support_query_t query{};
    query.struct_size = sizeof query;
    query.operation = operation;
    query.compute_type = SPK_COMPUTE_32F;
    query.spvec = x;
    query.vec_in = query.vec_out = y;
    spk_algorithm_t id = 0;
    char text[200] = "";
    EXPECT_EQ(spk_query_support(this->handle_.get(), &query, &id, text, sizeof text, nullptr), 0) << text;
    EXPECT_GE(id, 256);
    query.alg = 1 << 29;
    EXPECT_EQ(spk_query_support(this->handle_.get(), &query, &id, text, sizeof text, nullptr),
              SPK_STATUS_NOT_SUPPORTED);
    // A program that was built before the query knew of vectors.
    query.alg = 0;
    query.struct_size = offsetof(spk_support_query_t, spvec);
    EXPECT_EQ(spk_query_support(this->handle_.get(), &query, &id, text, sizeof text, nullptr),
              SPK_STATUS_INVALID_VALUE);
  }
  spk_dnvec_destroy(y);
  spk_spvec_destroy(x);
}

}  // namespace
}  // namespace spk::test
