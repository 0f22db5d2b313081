// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cmath>

#include "support/random_product.hpp"

namespace spk::test {
namespace {

using cases::DenseSpec;
using cases::ProductKind;

double roundoff(spk_value_type_t type) {
  switch (type) {
    case SPK_R_64F:
    case SPK_C_64F: return 0x1p-53;
    case SPK_R_16F: return 0x1p-11;
    case SPK_R_16BF: return 0x1p-8;
    default: return 0x1p-24;
  }
}

// The sum's type is float at least.
double sum_roundoff(spk_value_type_t type) { return roundoff(type) == 0x1p-53 ? 0x1p-53 : 0x1p-24; }

Number element(const DenseSpec& spec, spk_operation_t operation, std::int64_t batch, std::int64_t row,
               std::int64_t col) {
  const bool flips = operation != SPK_OP_N;
  const Number value =
      spec.values.items[static_cast<std::size_t>(place_of(spec, batch, flips ? col : row, flips ? row : col))];
  return operation == SPK_OP_C ? std::conj(value) : value;
}

// More than double, of whose last bits the bound for products of doubles is made.
using Wide = std::complex<long double>;
Wide widen(Number x) { return {x.real(), x.imag()}; }

// Real times complex without the NaN that infinity times an imaginary zero would make.
Wide times(Wide a, Wide b) { return a.imag() == 0 && b.imag() == 0 ? Wide{a.real() * b.real(), 0} : a * b; }

struct Sum {
  Wide value;
  double size = 0;
  double terms = 0;
};

class Loop {
 public:
  Loop(const RandomProduct& product, Model& model) : product_(product), spec_(product.spec), model_(model) {
    const auto count = static_cast<std::size_t>(product.outputs());
    model.want.assign(count, Number{});
    model.bound.assign(count, 0);
    model.described.assign(count, 0);
  }

  void spmm() {
    for (std::int64_t batch = 0; batch < spec_.c.batch_count; ++batch) {
      const auto& entries = product_.entries[product_.entries.size() == 1 ? 0 : static_cast<std::size_t>(batch)];
      std::vector<Sum> sums(static_cast<std::size_t>(spec_.m * spec_.c.cols));
      const bool flips = spec_.op_a != SPK_OP_N;
      for (const Entry& entry : entries) {
        const std::int64_t row = flips ? entry.col : entry.row;
        const std::int64_t inner = flips ? entry.row : entry.col;
        const Number a = spec_.op_a == SPK_OP_C ? std::conj(entry.value) : entry.value;
        for (std::int64_t j = 0; j < spec_.c.cols; ++j) {
          const Number b = element(spec_.b, spec_.op_b, batch, inner, j);
          add(sums[static_cast<std::size_t>(row * spec_.c.cols + j)], a, b);
        }
      }
      for (std::int64_t i = 0; i < spec_.m; ++i) {
        for (std::int64_t j = 0; j < spec_.c.cols; ++j) {
          const std::int64_t place = place_of(spec_.c, batch, i, j);
          set(place, sums[static_cast<std::size_t>(i * spec_.c.cols + j)],
              spec_.c.values.items[static_cast<std::size_t>(place)]);
        }
      }
    }
  }

  void sddmm() {
    for (std::int64_t batch = 0; batch < spec_.sparse.batch_count; ++batch) {
      std::int64_t place = batch * spec_.sparse.values_stride;
      for (const Entry& entry : product_.entries[static_cast<std::size_t>(batch)]) {
        Sum sum;
        for (std::int64_t l = 0; l < spec_.k; ++l)
          add(sum, element(spec_.a, spec_.op_a, batch, entry.row, l),
              element(spec_.b, spec_.op_b, batch, l, entry.col));
        set(place, sum, spec_.sparse.values.items[static_cast<std::size_t>(place)]);
        ++place;
      }
    }
  }

 private:
  static void add(Sum& sum, Number a, Number b) {
    sum.value += times(widen(a), widen(b));
    sum.size += std::abs(a) * std::abs(b);
    sum.terms += 1;
  }

  void set(std::int64_t place, const Sum& sum, Number old) {
    const auto at = static_cast<std::size_t>(place);
    const spk_value_type_t out = spec_.output_type;
    Wide exact{};
    double size = 0;
    if (spec_.alpha != 0.0) {
      exact += times(widen(spec_.alpha), sum.value);
      size += std::abs(spec_.alpha) * sum.size;
    }
    if (spec_.beta != 0.0) {
      exact += times(widen(spec_.beta), widen(old));
      size += std::abs(spec_.beta) * std::abs(old);
    }
    const Number want{static_cast<double>(exact.real()), static_cast<double>(exact.imag())};
    model_.described[at] = 1;
    model_.want[at] = cases::round_to(out, want);
    if (product_.recipe.has_integers) return;
    // A complex product is four real ones and two sums.
    const double parts = cases::is_complex(spec_.type) ? 4 : 1;
    const bool rounds_again = roundoff(out) > sum_roundoff(spec_.type);
    const double least = out == SPK_R_16F ? 0x1p-24 : 0;  // unit of subnormal results
    model_.bound[at] = parts * (sum.terms + 2) * sum_roundoff(spec_.type) * size +
                       (rounds_again ? 2 * roundoff(out) * std::abs(want) + least : 0x1p-53 * std::abs(want));
  }

  const RandomProduct& product_;
  const cases::ProductSpec& spec_;
  Model& model_;
};

}  // namespace

Model dense_loop(const RandomProduct& product) {
  Model model;
  Loop loop(product, model);
  if (product.spec.kind == ProductKind::sddmm)
    loop.sddmm();
  else
    loop.spmm();
  return model;
}

std::string compare(const Model& model, const cases::Buffer& got, spk_value_type_t type) {
  for (std::size_t i = 0; i < model.want.size(); ++i) {
    if (model.described[i] == 0) {
      if (got.is_as_remembered(static_cast<std::int64_t>(i))) continue;
      return "element " + std::to_string(i) + " is not part of the output but was written";
    }
    const Number value = cases::load(type, got.at(static_cast<std::int64_t>(i)));
    if (cases::close_enough(value, model.want[i], {0, model.bound[i]})) continue;
    return "element " + std::to_string(i) + " is " + cases::to_text(value) + " but must be " +
           cases::to_text(model.want[i]) + ", allowed error " + cases::to_text(model.bound[i]);
  }
  return {};
}

}  // namespace spk::test
