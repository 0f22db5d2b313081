// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "support/random_product.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spk::test {
namespace {

using cases::DenseSpec;
using cases::ProductKind;
using cases::SparseSpec;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool is_blocked(spk_format_t format) { return format == SPK_FORMAT_BSR || format == SPK_FORMAT_BLOCKED_ELL; }

std::int64_t round_up(std::int64_t size, std::int64_t unit) { return (size + unit - 1) / unit * unit; }

Number draw_value(Draw& draw, const Recipe& r) {
  const auto part = [&] { return r.has_integers ? static_cast<double>(draw.below(5) - 2) : draw.real(); };
  const double re = part();
  return cases::round_to(r.type, {re, cases::is_complex(r.type) ? part() : 0.0});
}

// One place of a line: an entry, or a block of the block formats.
struct Place {
  std::int64_t major = 0, minor = 0;
};

// Places line by line, as the storage holds them.
std::vector<Place> draw_places(Draw& draw, const Recipe& r, std::int64_t majors, std::int64_t minors) {
  std::vector<Place> places;
  const std::int64_t full_line = r.has_dense_row && majors > 0 ? draw.below(majors) : -1;
  for (std::int64_t i = 0; i < majors; ++i) {
    // Whole lines stay empty now and then, also where the others are full.
    const bool is_empty = i != full_line && draw.chance(15);
    const auto first = static_cast<std::ptrdiff_t>(places.size());
    for (std::int64_t j = 0; j < minors && !is_empty; ++j) {
      if (i != full_line && !draw.chance(r.fill_percent)) continue;
      places.push_back({i, j});
      // The number of entries may not exceed rows * cols, so repeats take the place of others.
      if (r.has_duplicates && j + 1 < minors && draw.chance(20)) {
        places.push_back({i, j});
        ++j;
      }
    }
    if (!r.is_unsorted) continue;
    for (auto left = static_cast<std::int64_t>(places.end() - places.begin() - first); left > 1; --left)
      std::swap(places[static_cast<std::size_t>(first + left - 1)],
                places[static_cast<std::size_t>(first + draw.below(left))]);
  }
  return places;
}

template <class Array, class Item>
void put(Array& array, std::int64_t at, Item item, Item filler) {
  if (static_cast<std::int64_t>(array.items.size()) <= at) array.items.resize(static_cast<std::size_t>(at) + 1, filler);
  array.items[static_cast<std::size_t>(at)] = item;
}

// Writes the arrays of one sparse operand, matrix after matrix.
class SparseWriter {
 public:
  SparseWriter(const Recipe& r, SparseSpec& spec, Draw& draw) : r_(r), spec_(spec), draw_(draw) {
    spec.format = r.format;
    spec.offset_type = r.offset_type;
    spec.index_type = r.index_type;
    spec.index_base = r.index_base;
    spec.block_order = r.block_order;
    by_column_ = r.format == SPK_FORMAT_CSC;
    if (is_blocked(r.format)) spec.block_dim = r.block;
    edge_ = is_blocked(r.format) ? r.block : 1;
    majors_ = (by_column_ ? spec.cols : spec.rows) / edge_;
    minors_ = (by_column_ ? spec.rows : spec.cols) / edge_;
  }

  std::vector<std::vector<Entry>> write() {
    std::vector<Place> places = draw_places(draw_, r_, majors_, minors_);
    if (r_.format == SPK_FORMAT_COO && r_.is_unsorted) std::reverse(places.begin(), places.end());
    if (r_.format == SPK_FORMAT_BLOCKED_ELL) return write_ell(places);
    if (r_.format == SPK_FORMAT_SELL) return write_sell(places);
    const auto stored = static_cast<std::int64_t>(places.size());
    spec_.nnz = stored;
    const std::int64_t area = edge_ * edge_;
    set_batch(majors_ + 1, stored, stored * area);
    std::vector<std::vector<Entry>> all;
    for (std::int64_t batch = 0; batch < matrices(); ++batch) {
      std::vector<Entry> entries;
      const std::vector<Place> turned = turn(places, r_.shares_structure ? 0 : batch);
      std::vector<std::int64_t> counts(static_cast<std::size_t>(majors_), 0);
      for (std::int64_t t = 0; t < stored; ++t) {
        const Place place = turned[static_cast<std::size_t>(t)];
        ++counts[static_cast<std::size_t>(place.major)];
        write_place(batch, t, place, entries);
      }
      if (r_.format != SPK_FORMAT_COO) write_offsets(batch, counts);
      all.push_back(std::move(entries));
    }
    finish();
    return all;
  }

 private:
  std::int64_t matrices() const { return r_.shares_values ? 1 : r_.batch_count; }

  // Lines move round by `by`, so that every matrix of the batch has its own structure and the same count.
  std::vector<Place> turn(std::vector<Place> places, std::int64_t by) const {
    if (by == 0) return places;
    for (Place& place : places) place.major = (place.major + by) % majors_;
    if (r_.format != SPK_FORMAT_COO)
      std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.major < b.major; });
    return places;
  }

  void set_batch(std::int64_t offsets, std::int64_t indices, std::int64_t values) {
    if (r_.batch_count == 1) return;
    spec_.has_batch = true;
    spec_.batch_count = r_.batch_count;
    const bool has_offsets = r_.format != SPK_FORMAT_COO && r_.format != SPK_FORMAT_BLOCKED_ELL;
    if (!r_.shares_structure) {
      spec_.offsets_stride = has_offsets ? offsets + 2 : 0;
      spec_.indices_stride = indices + 3;
    }
    if (!r_.shares_values) spec_.values_stride = values + 5;
  }

  void write_offsets(std::int64_t batch, const std::vector<std::int64_t>& counts) {
    if (batch > 0 && r_.shares_structure) return;
    std::int64_t sum = spec_.index_base;
    const std::int64_t first = batch * spec_.offsets_stride;
    put(spec_.offsets, first, sum, std::int64_t{-9});
    for (std::size_t i = 0; i < counts.size(); ++i)
      put(spec_.offsets, first + static_cast<std::int64_t>(i) + 1, sum += counts[i], std::int64_t{-9});
  }

  void write_place(std::int64_t batch, std::int64_t t, const Place& place, std::vector<Entry>& entries) {
    const std::int64_t row = by_column_ ? place.minor : place.major;
    const std::int64_t col = by_column_ ? place.major : place.minor;
    if (batch == 0 || !r_.shares_structure) {
      const std::int64_t at = batch * spec_.indices_stride + t;
      if (by_column_ || r_.format == SPK_FORMAT_COO)
        put(spec_.row_indices, at, row + spec_.index_base, std::int64_t{-9});
      if (!by_column_) put(spec_.col_indices, at, col + spec_.index_base, std::int64_t{-9});
    }
    // Row by row or column by column inside a block.
    const std::int64_t first = batch * spec_.values_stride + t * edge_ * edge_;
    for (std::int64_t e = 0; e < edge_ * edge_; ++e) {
      const bool by_row = spec_.block_order == SPK_ORDER_ROW;
      const std::int64_t i = by_row ? e / edge_ : e % edge_;
      const std::int64_t j = by_row ? e % edge_ : e / edge_;
      const Number value = draw_value(draw_, r_);
      put(spec_.values, first + e, value, Number{kNan, 0});
      entries.push_back({row * edge_ + i, col * edge_ + j, value});
    }
  }

  std::vector<std::vector<Entry>> write_ell(const std::vector<Place>& places) {
    std::vector<std::vector<std::int64_t>> lines(static_cast<std::size_t>(majors_));
    for (const Place& place : places) lines[static_cast<std::size_t>(place.major)].push_back(place.minor);
    std::int64_t width = 0;
    for (auto& line : lines) width = std::max(width, static_cast<std::int64_t>(line.size()));
    // Unused slots lie anywhere in a line.
    for (auto& line : lines)
      while (static_cast<std::int64_t>(line.size()) < width)
        line.insert(line.begin() + draw_.below(static_cast<std::int64_t>(line.size()) + 1), -1);
    spec_.ell_cols = width * edge_;
    spec_.nnz = spec_.rows * spec_.ell_cols;
    set_batch(0, majors_ * width, spec_.nnz);
    std::vector<std::vector<Entry>> all;
    for (std::int64_t batch = 0; batch < matrices(); ++batch) {
      std::vector<Entry> entries;
      for (std::int64_t i = 0; i < majors_; ++i) {
        const std::int64_t from = r_.shares_structure ? i : (i + batch) % majors_;
        for (std::int64_t slot = 0; slot < width; ++slot) {
          const std::int64_t col = lines[static_cast<std::size_t>(from)][static_cast<std::size_t>(slot)];
          if (batch == 0 || !r_.shares_structure)
            put(spec_.col_indices, batch * spec_.indices_stride + i * width + slot,
                col < 0 ? col : col + spec_.index_base, std::int64_t{-9});
          write_slot(batch, i, slot, col, entries);
        }
      }
      all.push_back(std::move(entries));
    }
    finish();
    return all;
  }

  // Slices as wide as their longest row. Matrices of a batch with structures of their own have their columns moved round.
  std::vector<std::vector<Entry>> write_sell(const std::vector<Place>& places) {
    std::vector<std::vector<std::int64_t>> lines(static_cast<std::size_t>(majors_));
    for (const Place& place : places) lines[static_cast<std::size_t>(place.major)].push_back(place.minor);
    const std::int64_t height = r_.block;
    std::vector<std::int64_t> begins(1, 0);
    for (std::int64_t first = 0; first < majors_; first += height) {
      const std::int64_t last = std::min(first + height, majors_);
      std::size_t width = draw_.chance(20) ? 1 : 0;
      for (std::int64_t i = first; i < last; ++i) width = std::max(width, lines[static_cast<std::size_t>(i)].size());
      for (std::int64_t i = first; i < last; ++i) {
        auto& line = lines[static_cast<std::size_t>(i)];
        while (line.size() < width) line.insert(line.begin() + draw_.below(std::ssize(line) + 1), -1);
      }
      begins.push_back(begins.back() + height * static_cast<std::int64_t>(width));
    }
    const auto slices = static_cast<std::int64_t>(begins.size()) - 1;
    spec_.slice_size = height;
    spec_.values_size = begins.back();
    spec_.nnz = static_cast<std::int64_t>(places.size());
    set_batch(slices + 1, spec_.values_size, spec_.values_size);
    std::vector<std::vector<Entry>> all;
    for (std::int64_t batch = 0; batch < matrices(); ++batch) {
      std::vector<Entry> entries;
      const bool has_indices = batch == 0 || !r_.shares_structure;
      for (std::int64_t i = 0; i <= slices && has_indices; ++i)
        put(spec_.offsets, batch * spec_.offsets_stride + i, begins[static_cast<std::size_t>(i)] + spec_.index_base,
            std::int64_t{-9});
      for (std::int64_t slice = 0; slice < slices; ++slice) {
        const std::int64_t begin = begins[static_cast<std::size_t>(slice)];
        for (std::int64_t at = begin; at < begins[static_cast<std::size_t>(slice) + 1]; ++at) {
          const std::int64_t row = slice * height + (at - begin) % height;
          const bool exists = row < majors_;
          std::int64_t col = exists
                                 ? lines[static_cast<std::size_t>(row)][static_cast<std::size_t>((at - begin) / height)]
                                 : draw_.below(minors_ + 1) - 1;
          if (col >= 0 && !r_.shares_structure) col = (col + batch) % minors_;
          if (has_indices)
            put(spec_.col_indices, batch * spec_.indices_stride + at, col < 0 ? col : col + spec_.index_base,
                std::int64_t{-9});
          // What lies in an unused slot must not matter.
          const bool is_used = exists && col >= 0;
          const Number value = is_used ? draw_value(draw_, r_) : Number{kNan, 0};
          put(spec_.values, batch * spec_.values_stride + at, value, Number{kNan, 0});
          if (is_used) entries.push_back({row, col, value});
        }
      }
      all.push_back(std::move(entries));
    }
    finish();
    return all;
  }

  void write_slot(std::int64_t batch, std::int64_t major, std::int64_t slot, std::int64_t col,
                  std::vector<Entry>& entries) {
    for (std::int64_t i = 0; i < edge_; ++i) {
      for (std::int64_t j = 0; j < edge_; ++j) {
        const std::int64_t row = major * edge_ + i;
        // What lies in an unused slot must not matter.
        const Number value = col < 0 ? Number{kNan, 0} : draw_value(draw_, r_);
        put(spec_.values, batch * spec_.values_stride + row * spec_.ell_cols + slot * edge_ + j, value,
            Number{kNan, 0});
        if (col >= 0) entries.push_back({row, col * edge_ + j, value});
      }
    }
  }

  void finish() {
    for (cases::IndexArray* array : {&spec_.offsets, &spec_.row_indices, &spec_.col_indices}) {
      array->is_null = false;
      array->count = static_cast<std::int64_t>(array->items.size());
    }
    spec_.values.is_null = false;
    spec_.values.count = static_cast<std::int64_t>(spec_.values.items.size());
  }

  const Recipe& r_;
  SparseSpec& spec_;
  Draw& draw_;
  bool by_column_ = false;
  std::int64_t edge_ = 1, majors_ = 0, minors_ = 0;
};

DenseSpec make_dense(const char* name, std::int64_t rows, std::int64_t cols, spk_order_t order, std::int64_t pad,
                     std::int64_t batch_count, bool is_shared, spk_value_type_t type) {
  DenseSpec spec;
  spec.name = name;
  spec.rows = rows;
  spec.cols = cols;
  spec.order = order;
  spec.ld = std::max<std::int64_t>(1, (order == SPK_ORDER_ROW ? cols : rows) + pad);
  spec.value_type = type;
  const std::int64_t lines = order == SPK_ORDER_ROW ? rows : cols;
  const std::int64_t one = lines * spec.ld;
  if (batch_count > 1) {
    spec.has_batch = true;
    spec.batch_count = batch_count;
    spec.batch_stride = is_shared ? 0 : one + 3;
  }
  spec.values.is_null = false;
  spec.values.count = (batch_count - 1) * spec.batch_stride + one;
  spec.values.items.assign(static_cast<std::size_t>(spec.values.count), Number{kNan, 0});
  return spec;
}

// Padding stays NaN: whoever reads it shows it.
void fill_dense(DenseSpec& spec, Draw& draw, const Recipe& r, bool with_nan) {
  for (std::int64_t batch = 0; batch < (spec.batch_stride == 0 ? 1 : spec.batch_count); ++batch)
    for (std::int64_t i = 0; i < spec.rows; ++i)
      for (std::int64_t j = 0; j < spec.cols; ++j)
        spec.values.items[static_cast<std::size_t>(place_of(spec, batch, i, j))] =
            with_nan ? Number{kNan, 0} : draw_value(draw, r);
}

// Up to six values become NaN or infinite, or a fiftieth huge, but not both, since what overflows hides an infinity of the
// other sign; and a fiftieth tiny.
void put_odd_values(std::vector<Number>& values, Draw& draw, const Recipe& r) {
  const auto put_some = [&](std::int64_t count, std::initializer_list<double> from) {
    for (; count > 0 && !values.empty(); --count) {
      Number& value = values[static_cast<std::size_t>(draw.below(static_cast<std::int64_t>(values.size())))];
      const double odd = draw.pick(from);
      if (!std::isnan(value.real()))
        value = cases::round_to(r.type, {odd, cases::is_complex(r.type) ? value.imag() : 0});
    }
  };
  Draw kinds(r.seed);  // the same for all arrays
  const bool is_narrow = r.type == SPK_R_16F;
  const double large = is_narrow ? 300 : 1e15, huge = is_narrow ? 6e4 : 1e35;
  const double tiny = is_narrow ? 6e-8 : 3e-42, small = is_narrow ? 3e-6 : 1e-38;
  const auto some = static_cast<std::int64_t>(values.size()) / 50;
  if (kinds.chance(60))
    put_some(draw.below(7), {kNan, HUGE_VAL, -HUGE_VAL, -0.0, 0.0});
  else if (kinds.chance(60))
    put_some(some, {large, -large, huge});
  if (kinds.chance(40)) put_some(some, {tiny, -small, 0});
}

void add_epilogue(cases::ProductSpec& spec, Draw& draw, const Recipe& r) {
  cases::EpilogueSpec& end = spec.epilogue;
  end.activation = r.activation;
  end.bias_kind = r.bias_kind;
  end.has_residual = r.has_residual;
  end.is_used = end.activation != SPK_ACTIVATION_NONE || end.bias_kind != SPK_BIAS_NONE || end.has_residual;
  if (end.bias_kind != SPK_BIAS_NONE) {
    end.bias =
        make_dense("bias", end.bias_kind == SPK_BIAS_PER_ROW ? r.m : r.n, 1, SPK_ORDER_COL, 0, 1, true, r.output_type);
    fill_dense(end.bias, draw, r, false);
  }
  if (end.has_residual) {
    end.residual = make_dense("residual", r.m, r.n, r.order_c, r.pad_c, r.batch_count, draw.chance(50), r.output_type);
    fill_dense(end.residual, draw, r, false);
  }
}

}  // namespace

std::int64_t place_of(const DenseSpec& spec, std::int64_t batch, std::int64_t row, std::int64_t col) noexcept {
  return batch * spec.batch_stride + (spec.order == SPK_ORDER_ROW ? row * spec.ld + col : col * spec.ld + row);
}

RandomProduct::RandomProduct(const Recipe& given) : recipe(given) {
  Recipe& r = recipe;
  Draw draw(r.seed);
  spec.kind = r.kind;
  spec.type = r.type;
  spec.output_type = r.output_type;
  spec.op_a = r.op_a;
  spec.op_b = r.op_b;
  const bool complex = cases::is_complex(r.type);
  spec.alpha = {r.alpha, complex && r.alpha != 0 && r.alpha != 1 ? 0.5 : 0};
  spec.beta = {r.beta, complex && r.beta != 0 && r.beta != 1 ? -0.5 : 0};
  const bool is_sddmm = r.kind == ProductKind::sddmm;
  if (is_blocked(r.format)) {
    r.m = round_up(r.m, r.block);
    (is_sddmm ? r.n : r.k) = round_up(is_sddmm ? r.n : r.k, r.block);
  }
  spec.m = r.m;
  spec.n = r.n;
  spec.k = r.k;
  const bool a_flips = r.op_a != SPK_OP_N;
  const bool b_flips = r.op_b != SPK_OP_N;
  spec.sparse.rows = is_sddmm ? r.m : a_flips ? r.k : r.m;
  spec.sparse.cols = is_sddmm ? r.n : a_flips ? r.m : r.k;
  spec.sparse.value_type = is_sddmm ? r.output_type : r.type;
  entries = SparseWriter(r, spec.sparse, draw).write();
  // With alpha = 0 nobody may look at the operands of the product.
  const bool hidden = r.alpha == 0;
  const std::int64_t b_rows = b_flips ? r.n : r.k;
  const std::int64_t b_cols = b_flips ? r.k : r.n;
  if (r.kind == ProductKind::spmv) {
    spec.b = make_dense("x", r.k, 1, SPK_ORDER_COL, 0, 1, true, r.type);
    spec.c = make_dense("y", r.m, 1, SPK_ORDER_COL, 0, 1, true, r.output_type);
  } else {
    spec.b = make_dense("B", b_rows, b_cols, r.order_b, r.pad_b, r.batch_count, r.shares_b, r.type);
    if (is_sddmm) {
      spec.a = make_dense("A", a_flips ? r.k : r.m, a_flips ? r.m : r.k, r.order_c, r.pad_c, r.batch_count, !r.shares_b,
                          r.type);
      fill_dense(spec.a, draw, r, hidden);
    } else {
      spec.c = make_dense("C", r.m, r.n, r.order_c, r.pad_c, r.batch_count, false, r.output_type);
    }
  }
  fill_dense(spec.b, draw, r, hidden);
  if (r.has_odd_values && !hidden) {
    put_odd_values(is_sddmm ? spec.a.values.items : spec.sparse.values.items, draw, r);
    put_odd_values(spec.b.values.items, draw, r);
  }
  add_epilogue(spec, draw, r);
  if (!is_sddmm) {
    fill_dense(spec.c, draw, r, r.beta == 0);
  } else if (r.beta == 0) {
    std::fill(spec.sparse.values.items.begin(), spec.sparse.values.items.end(), Number{kNan, 0});
  }
}

std::int64_t RandomProduct::outputs() const noexcept {
  return spec.kind == ProductKind::sddmm ? spec.sparse.values.count : spec.c.values.count;
}

}  // namespace spk::test
