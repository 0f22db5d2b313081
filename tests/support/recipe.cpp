// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "support/random_product.hpp"

namespace spk::test {
namespace {

using cases::ProductKind;

struct Types {
  spk_value_type_t in, out;
};
constexpr Types kTypes[] = {{SPK_R_32F, SPK_R_32F},   {SPK_R_64F, SPK_R_64F}, {SPK_R_16F, SPK_R_16F},
                            {SPK_R_16BF, SPK_R_16BF}, {SPK_C_32F, SPK_C_32F}, {SPK_C_64F, SPK_C_64F},
                            {SPK_R_16F, SPK_R_32F},   {SPK_R_16BF, SPK_R_32F}};
constexpr spk_format_t kFormats[] = {SPK_FORMAT_CSR, SPK_FORMAT_CSC,         SPK_FORMAT_COO,
                                     SPK_FORMAT_BSR, SPK_FORMAT_BLOCKED_ELL, SPK_FORMAT_SELL};
constexpr std::int64_t kPads[] = {0, 1, 7};
constexpr double kAlphas[] = {1, 0, -2.5};
constexpr double kBetas[] = {0, 1, 0.5};
constexpr spk_order_t kOrders[] = {SPK_ORDER_ROW, SPK_ORDER_COL};

// Digits of an index, least significant first.
class Digits {
 public:
  explicit Digits(std::int64_t index) noexcept : rest_(index) {}
  std::size_t next(std::int64_t radix) noexcept {
    const std::int64_t digit = rest_ % radix;
    rest_ /= radix;
    return static_cast<std::size_t>(digit);
  }

 private:
  std::int64_t rest_;
};

const char* letter(spk_operation_t operation) {
  return operation == SPK_OP_N ? "N" : operation == SPK_OP_T ? "T" : "C";
}

}  // namespace

std::int64_t recipe_count() noexcept { return std::int64_t{3} * 6 * 8 * 4 * 2 * 3 * 3 * 2 * 2 * 3 * 3 * 3 * 3; }

Recipe recipe(std::int64_t index) {
  Digits digits(index);
  Recipe r;
  r.kind = static_cast<ProductKind>(digits.next(3));
  r.format = kFormats[digits.next(6)];
  const Types types = kTypes[digits.next(8)];
  r.type = types.in;
  r.output_type = types.out;
  const std::size_t widths = digits.next(4);
  r.offset_type = (widths & 1) != 0 ? SPK_INDEX_64I : SPK_INDEX_32I;
  r.index_type = (widths & 2) != 0 ? SPK_INDEX_64I : SPK_INDEX_32I;
  r.index_base = static_cast<std::int32_t>(digits.next(2));
  r.op_a = static_cast<spk_operation_t>(digits.next(3));
  r.op_b = static_cast<spk_operation_t>(digits.next(3));
  r.order_b = kOrders[digits.next(2)];
  r.order_c = kOrders[digits.next(2)];
  r.pad_b = kPads[digits.next(3)];
  r.pad_c = kPads[digits.next(3)];
  r.alpha = kAlphas[digits.next(3)];
  r.beta = kBetas[digits.next(3)];

  r.seed = static_cast<std::uint64_t>(index) + 1;
  Draw draw(r.seed * 7919);
  for (std::int64_t* size : {&r.m, &r.n, &r.k})
    *size = draw.chance(6) ? 0 : draw.pick<std::int64_t>({1, 3, 16, 17, 33, 64, 129});
  r.block = draw.pick<std::int64_t>({1, 2, 3, 8, 16});
  r.block_order = draw.chance(50) ? SPK_ORDER_ROW : SPK_ORDER_COL;
  r.fill_percent = draw.pick<int>({0, 3, 20, 60, 100});
  r.has_dense_row = draw.chance(25);
  r.is_unsorted = draw.chance(40);
  r.has_duplicates = draw.chance(25);
  if (draw.chance(25)) r.batch_count = draw.pick<std::int64_t>({2, 5});
  r.shares_values = draw.chance(35);
  r.shares_structure = r.shares_values || draw.chance(50);
  r.shares_b = draw.chance(40);
  r.has_integers = draw.chance(60);
  if (r.kind == ProductKind::sddmm) {
    r.format = r.format == SPK_FORMAT_BSR || r.format == SPK_FORMAT_BLOCKED_ELL ? SPK_FORMAT_BSR : SPK_FORMAT_CSR;
    r.shares_values = false;
  }
  if (r.kind == ProductKind::spmv) {
    r.n = 1;
    r.op_b = SPK_OP_N;
    r.batch_count = 1;
  }
  return r;
}

Recipe large_recipe(std::int64_t index, std::int64_t most_products) {
  Recipe r = recipe(index);
  Draw draw(r.seed * 104729);
  r.m = draw.pick<std::int64_t>({1, 40, 256, 511, 1024, 2051});
  r.k = draw.pick<std::int64_t>({64, 250, 512, 1031, 2304});
  if (r.kind != ProductKind::spmv) r.n = draw.pick<std::int64_t>({1, 2, 8, 24, 32, 100, 128, 257, 512});
  if (r.kind == ProductKind::sddmm) std::swap(r.n, r.k);
  r.fill_percent = draw.pick<int>({1, 2, 5, 10, 20, 35, 50, 80});
  r.batch_count = std::min<std::int64_t>(r.batch_count, 2);
  const auto products = [&] { return r.batch_count * r.m * r.k / 100 * r.fill_percent * r.n; };
  std::int64_t& inner = r.kind == ProductKind::sddmm ? r.k : r.n;
  while (products() > most_products && inner > 8) inner /= 2;
  while (products() > most_products && r.fill_percent > 1) r.fill_percent /= 2;
  r.has_odd_values = draw.chance(40);
  if (r.has_odd_values) r.has_integers = false;
  if (r.kind == ProductKind::spmm && !cases::is_complex(r.type) && draw.chance(60)) {
    r.activation = draw.pick<std::int32_t>({SPK_ACTIVATION_NONE, SPK_ACTIVATION_RELU, SPK_ACTIVATION_GELU});
    r.bias_kind = draw.pick<std::int32_t>({SPK_BIAS_NONE, SPK_BIAS_PER_ROW, SPK_BIAS_PER_COL});
    r.has_residual = draw.chance(60);
  }
  return r;
}

std::int64_t seed_of_recipes() {
  const char* wanted = std::getenv("SPK_TEST_SEED");
  const auto count = static_cast<unsigned long long>(recipe_count());
  return wanted == nullptr ? 0 : static_cast<std::int64_t>(std::strtoull(wanted, nullptr, 10) % count);
}

bool wants_every_recipe() {
  const char* wanted = std::getenv("SPK_TEST_FULL");
  return wanted != nullptr && std::string(wanted) == "1";
}

std::string Recipe::describe() const {
  std::ostringstream text;
  constexpr const char* kKinds[] = {"spmm", "spmv", "sddmm"};
  text << kKinds[static_cast<int>(kind)] << ' ' << cases::name_of_format(format) << ' ' << cases::name_of(type) << "->"
       << cases::name_of(output_type) << " offsets i" << (offset_type == SPK_INDEX_64I ? 64 : 32) << " indices i"
       << (index_type == SPK_INDEX_64I ? 64 : 32) << " base " << index_base << " op " << letter(op_a) << letter(op_b)
       << " orders " << (order_b == SPK_ORDER_ROW ? "row" : "col") << '/' << (order_c == SPK_ORDER_ROW ? "row" : "col")
       << " pads " << pad_b << '/' << pad_c << " alpha " << alpha << " beta " << beta << " m " << m << " n " << n
       << " k " << k << " block " << block << " fill " << fill_percent << "% batch " << batch_count
       << (has_integers     ? " integers"
           : has_odd_values ? " odd values"
                            : " reals")
       << " activation " << activation << " bias " << bias_kind << (has_residual ? " residual" : "") << " seed "
       << seed;
  return text.str();
}

}  // namespace spk::test
