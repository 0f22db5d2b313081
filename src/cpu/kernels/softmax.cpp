// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cpu/kernels/softmax_task.hpp"

#include "cpu/kernels/exponential.hpp"
#include "cpu/kernels/filled_rows.hpp"

// Softmax along the rows of CSR, and its gradient: serial, for a range of rows. Three passes over a row: its maximum,
// the exponentials and their sum, the quotients. Between the passes exponentials stay in y where y has the type of the
// sum, else in a buffer, else (long rows of 16-bit values) they are computed twice. The order of all sums depends on the
// row's length only. docs/papers.md, Sputnik (sparse attention).
namespace spk::cpu {
namespace {

constexpr int kBufferLength = 4096;

SPK_INLINE std::int64_t offset_in(const void* offsets, IndexType type, std::int32_t base, std::int64_t row) noexcept {
  return (type == IndexType::i32 ? std::int64_t{static_cast<const std::int32_t*>(offsets)[row]}
                                 : static_cast<const std::int64_t*>(offsets)[row]) -
         base;
}

// Calls f(begin, lanes, is_full) for the registers of a row; is_full is a constant.
template <class Real, class F>
SPK_INLINE void each_register(std::int64_t length, F&& f) noexcept {
  std::int64_t i = 0;
  for (; i + kLanes<Real> <= length; i += kLanes<Real>) f(i, kLanes<Real>, std::true_type{});
  if (i < length) f(i, static_cast<int>(length - i), std::false_type{});
}
template <class Real, class Stored, class Full>
SPK_INLINE Raw<Real> read(const Stored* p, int n, Full) noexcept {
  if constexpr (Full::value)
    return raw<Real>(load(p));
  else
    return raw<Real>(load_first(p, n));
}
template <class Real, class Stored, class Full>
SPK_INLINE void write(Stored* p, Raw<Real> v, int n, Full) noexcept {
  if constexpr (Full::value)
    store(p, Vec<Real>(v));
  else
    store_first(p, Vec<Real>(v), n);
}

template <class Stored, bool kMasked>
struct SoftmaxRow {
  using Real = SumOf<Stored>;
  using R = Raw<Real>;
  static constexpr Real kInfinity = static_cast<Real>(__builtin_inf());
  static constexpr bool kInPlace = std::is_same_v<Stored, Real>;  // exponentials wait in y

  const Stored* x;
  Stored* y;
  const std::uint8_t* mask;
  std::int64_t length;
  R before, one, two;

  template <class Full>
  SPK_INLINE Bits<Real> taken(std::int64_t i, int n, Full) const noexcept {
    Bits<Real> lanes = first_lanes<Real>(n);
    if constexpr (kMasked) lanes &= nonzero_bytes<Real>(mask + i, n);
    return lanes;
  }
  // x times the first factor; -infinity where there is no entry.
  template <class Full>
  SPK_INLINE R scaled(std::int64_t i, int n, Full full) const noexcept {
    const R v = read<Real>(x + i, n, full) * before;
    if constexpr (Full::value && !kMasked) return v;
    return taken(i, n, full) ? v : raw_splat(-kInfinity);
  }
  template <class Full>
  SPK_INLINE R exponential(std::int64_t i, int n, R largest, Full full) const noexcept {
    const R e = exp_not_above_zero<Real>((scaled(i, n, full) - largest) * one * two);
    if constexpr (Full::value && !kMasked) return e;
    return taken(i, n, full) ? e : raw_splat(Real{0});
  }

  // Without a finite maximum: 0 everywhere, but NaN where it takes part makes the row NaN.
  void write_degenerate() const noexcept {
    bool nan = false;
    for (std::int64_t i = 0; i < length; ++i) {
      const Real v = widen(x[i]) * before[0];
      nan = nan || (v != v && (!kMasked || mask[i] != 0));
    }
    for (std::int64_t i = 0; i < length; ++i)
      y[i] = narrow<Stored>(nan && (!kMasked || mask[i] != 0) ? static_cast<Real>(__builtin_nan("")) : Real{0});
  }

  // A row that fits a register never leaves it.
  SPK_INLINE void run_short() const noexcept {
    const int n = static_cast<int>(length);
    const R v = scaled(0, n, std::false_type{});
    const Real largest_value = largest_lane(v);
    if (largest_value == -kInfinity) return write_degenerate();
    const Bits<Real> lanes = taken(0, n, std::false_type{});
    R e = exp_not_above_zero<Real>((v - raw_splat(largest_value)) * one * two);
    e = lanes ? e : raw_splat(Real{0});
    R result = e * raw_splat(Real{1} / sum_of_lanes<Real>(e));
    if constexpr (kMasked) result = lanes ? result : raw_splat(Real{0});
    write<Real>(y, result, n, std::false_type{});
  }

  SPK_INLINE void run() const noexcept {
    if (length <= kLanes<Real>) return run_short();
    R top = raw_splat(-kInfinity);
    each_register<Real>(length, [&](std::int64_t i, int n, auto full) {
      const R v = scaled(i, n, full);
      top = larger(v, top);
    });
    const Real largest_value = largest_lane(top);
    if (largest_value == -kInfinity) return write_degenerate();

    const R largest = raw_splat(largest_value);
    R sums = raw_splat(Real{0});
    Real buffer[kInPlace ? 1 : kBufferLength];
    const bool keep = kInPlace || length <= kBufferLength;
    each_register<Real>(length, [&](std::int64_t i, int n, auto full) {
      const R e = exponential(i, n, largest, full);
      sums += e;
      if constexpr (kInPlace)
        write<Real>(y + i, e, n, full);
      else if (keep)
        write<Real>(buffer + i, e, n, full);
    });
    const R share = raw_splat(Real{1} / sum_of_lanes<Real>(sums));
    each_register<Real>(length, [&](std::int64_t i, int n, auto full) {
      R e;
      if constexpr (kInPlace)
        e = read<Real>(y + i, n, full);
      else
        e = keep ? read<Real>(buffer + i, n, full) : exponential(i, n, largest, full);
      R result = e * share;
      if constexpr (kMasked) result = taken(i, n, full) ? result : raw_splat(Real{0});
      write<Real>(y + i, result, n, full);
    });
  }
};

template <class Stored, bool kMasked>
void softmax_rows(const SoftmaxTask& t, std::int64_t row_begin, std::int64_t row_end) noexcept {
  using Row = SoftmaxRow<Stored, kMasked>;
  using Real = typename Row::Real;
  Row row{};
  row.before = raw_splat(static_cast<Real>(t.scale.before));
  row.one = raw_splat(static_cast<Real>(t.scale.one));
  row.two = raw_splat(static_cast<Real>(t.scale.two));
  for (std::int64_t i = row_begin; i < row_end; ++i) {
    const std::int64_t begin = offset_in(t.offsets, t.offset_type, t.base, i);
    row.length = offset_in(t.offsets, t.offset_type, t.base, i + 1) - begin;
    if (row.length <= 0) {
      i = next_filled_row(t.offsets, t.offset_type, i + 1, row_end) - 1;
      continue;
    }
    row.x = static_cast<const Stored*>(t.x) + begin;
    row.y = static_cast<Stored*>(t.y) + (begin + t.y_shift);
    if constexpr (kMasked) row.mask = t.mask + (begin - t.first_entry);
    row.run();
  }
}

template <class Stored>
void softmax(const SoftmaxTask& t, std::int64_t row_begin, std::int64_t row_end) noexcept {
  if (t.mask != nullptr)
    softmax_rows<Stored, true>(t, row_begin, row_end);
  else
    softmax_rows<Stored, false>(t, row_begin, row_end);
}

template <class Stored>
void softmax_backward(const SoftmaxBackwardTask& t, std::int64_t row_begin, std::int64_t row_end) noexcept {
  using Real = SumOf<Stored>;
  using R = Raw<Real>;
  const R one = raw_splat(static_cast<Real>(t.scale.one)), two = raw_splat(static_cast<Real>(t.scale.two));
  for (std::int64_t row = row_begin; row < row_end; ++row) {
    const std::int64_t begin = offset_in(t.offsets, t.offset_type, t.base, row);
    const std::int64_t length = offset_in(t.offsets, t.offset_type, t.base, row + 1) - begin;
    if (length <= 0) {
      row = next_filled_row(t.offsets, t.offset_type, row + 1, row_end) - 1;
      continue;
    }
    const Stored* y = static_cast<const Stored*>(t.y) + begin;
    const Stored* dy = static_cast<const Stored*>(t.dy) + (begin + t.dy_shift);
    Stored* dx = static_cast<Stored*>(t.dx) + (begin + t.dx_shift);
    R sums = raw_splat(Real{0});
    each_register<Real>(length, [&](std::int64_t i, int n, auto full) {
      sums = raw_fma<Real>(read<Real>(y + i, n, full), read<Real>(dy + i, n, full), sums);
    });
    const R dot = raw_splat(sum_of_lanes<Real>(sums));
    each_register<Real>(length, [&](std::int64_t i, int n, auto full) {
      const R difference = read<Real>(dy + i, n, full) - dot;
      write<Real>(dx + i, read<Real>(y + i, n, full) * difference * one * two, n, full);
    });
  }
}

}  // namespace

void SPK_ARCH_SYMBOL(softmax_csr_f32)(const SoftmaxTask& t, std::int64_t begin, std::int64_t end) noexcept {
  softmax<float>(t, begin, end);
}
void SPK_ARCH_SYMBOL(softmax_csr_f64)(const SoftmaxTask& t, std::int64_t begin, std::int64_t end) noexcept {
  softmax<double>(t, begin, end);
}
void SPK_ARCH_SYMBOL(softmax_csr_f16_f32)(const SoftmaxTask& t, std::int64_t begin, std::int64_t end) noexcept {
  softmax<f16>(t, begin, end);
}
void SPK_ARCH_SYMBOL(softmax_csr_bf16_f32)(const SoftmaxTask& t, std::int64_t begin, std::int64_t end) noexcept {
  softmax<bf16>(t, begin, end);
}
void SPK_ARCH_SYMBOL(softmax_backward_csr_f32)(const SoftmaxBackwardTask& t, std::int64_t begin,
                                               std::int64_t end) noexcept {
  softmax_backward<float>(t, begin, end);
}
void SPK_ARCH_SYMBOL(softmax_backward_csr_f64)(const SoftmaxBackwardTask& t, std::int64_t begin,
                                               std::int64_t end) noexcept {
  softmax_backward<double>(t, begin, end);
}
void SPK_ARCH_SYMBOL(softmax_backward_csr_f16_f32)(const SoftmaxBackwardTask& t, std::int64_t begin,
                                                   std::int64_t end) noexcept {
  softmax_backward<f16>(t, begin, end);
}
void SPK_ARCH_SYMBOL(softmax_backward_csr_bf16_f32)(const SoftmaxBackwardTask& t, std::int64_t begin,
                                                    std::int64_t end) noexcept {
  softmax_backward<bf16>(t, begin, end);
}

}  // namespace spk::cpu
