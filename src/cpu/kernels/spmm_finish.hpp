// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/kernels/filled_rows.hpp"
#include "cpu/kernels/simd.hpp"
#include "cpu/kernels/spmm_stage.hpp"
#include "cpu/kernels/spmm_task.hpp"
#include "cpu/kernels/spmm_transpose.hpp"

// From sums to C: alpha, beta, epilogue, one rounding to C's type, in any order of C. Every element takes the same
// operations wherever it lies, so equal columns stay equal.
namespace spk::cpu {
namespace {

constexpr int kMaxVectors = 8;     // of a tile
constexpr int kBufferedRows = 16;  // a multiple of every vector length
template <class Real>
constexpr int kTileColumns = kMaxVectors* kLanes<Real>;

// A run of C along a row or along a column: element j is c[j * c_step].
struct Line {
  std::int64_t row = 0, col = 0;  // of the first element, in elements of C
  std::int64_t count = 0;         // elements
  bool along_row = true;
};

SPK_INLINE std::int64_t step_of(const DenseView& x, bool along_row) noexcept {
  return (x.order == Order::row) == along_row ? 1 : x.ld;
}

// Both forms of GELU without the cancellation of 1 + erf and 1 + tanh for negative x.
template <class Real>
SPK_INLINE Real activate(Activation activation, Real x) noexcept {
  constexpr Real kHalf = Real(0.5), kInverseSqrt2 = Real(0.70710678118654752440);
  // sqrt(2 / pi) and 0.044715: Hendrycks & Gimpel, section 2. (1 + tanh u) / 2 = 1 / (1 + exp(-2 u)).
  constexpr Real kMinusTwoSqrt2OverPi = Real(-1.59576912160573071176), kCubic = Real(0.044715);
  if constexpr (sizeof(Real) == 4) {
    if (activation == Activation::gelu) return kHalf * x * __builtin_erfcf(-x * kInverseSqrt2);
    return x / (Real{1} + __builtin_expf(kMinusTwoSqrt2OverPi * (x + kCubic * x * x * x)));
  } else {
    if (activation == Activation::gelu) return kHalf * x * __builtin_erfc(-x * kInverseSqrt2);
    return x / (Real{1} + __builtin_exp(kMinusTwoSqrt2OverPi * (x + kCubic * x * x * x)));
  }
}

template <class Value, class Real>
SPK_INLINE Vec<Real> load_strided(const Value* p, std::int64_t step, int count) noexcept {
  if (step == 1) return count == kLanes<Real> ? load(p) : load_first(p, count);
  Real lanes[kLanes<Real>] = {};
  for (int j = 0; j < count; ++j) lanes[j] = widen(p[j * step]);
  return load(lanes);
}

// Rows without entries become zeros by memset, which is faster than sums and stores and reads nothing of C first. Not
// where zeros are not the answer: C is read, an epilogue follows, or alpha is no finite number.
SPK_INLINE bool may_clear_rows(const SpmmTask& t) noexcept {
  return t.beta.is_zero() && t.epilogue.is_identity() && t.alpha.re * 0 == 0 && t.alpha.im * 0 == 0;
}

// Whether sums of no entries, times alpha, may be zeros of another sign than cleared ones. Rows without entries shall be alike
// wherever they are.
SPK_INLINE bool turns_zeros(const SpmmTask& t) noexcept { return t.alpha.re < 0 || t.alpha.im != 0; }

// Last of the rows without entries that follow the empty row p, below end.
inline std::int64_t last_empty_row(const SpmmTask& t, std::int64_t p, std::int64_t end) noexcept {
  if (t.empty) return end - 1;
  if (t.block_size != 0) return p;
  return next_filled_row(t.offsets, t.offset_type, p, end) - 1;
}

// Zeros in rows [first, last] of C, columns [col, col + width).
SPK_OUT_OF_LINE inline void clear_rows(const SpmmTask& t, std::int64_t first, std::int64_t last, std::int64_t col,
                                       std::int64_t width) noexcept {
  const std::int64_t size = static_cast<std::int64_t>(size_of(t.c_type));
  char* c = static_cast<char*>(t.c) + (first * t.c_row_stride + col * t.c_col_stride) * size;
  std::int64_t lines = last - first + 1, length = width, stride = t.c_row_stride;
  if (t.c_col_stride != 1) {
    lines = width;
    length = last - first + 1;
    stride = t.c_col_stride;
  }
  if (stride == length) {
    length *= lines;
    lines = 1;
  }
  // A long memset may bypass the caches, which costs more than it saves where C is in one.
  constexpr std::int64_t kMost = 1 << 16;
  for (std::int64_t i = 0; i < lines; ++i)
    for (std::int64_t done = 0; done < length * size; done += kMost) {
      const std::int64_t left = length * size - done;
      __builtin_memset(c + i * stride * size + done, 0, static_cast<std::size_t>(left < kMost ? left : kMost));
    }
}

// C of one line from its sums x; x has room for whole vectors.
template <class CValue, class Real>
SPK_OUT_OF_LINE void finish_line(const SpmmTask& t, const Line& line, const Real* x) noexcept {
  const Epilogue& epilogue = t.epilogue;
  const std::int64_t c_step = line.along_row ? t.c_col_stride : t.c_row_stride;
  CValue* c = static_cast<CValue*>(t.c) + line.row * t.c_row_stride + line.col * t.c_col_stride;
  const Vec<Real> alpha = splat(static_cast<Real>(t.alpha.re));
  const Vec<Real> beta = splat(static_cast<Real>(t.beta.re));
  const bool reads_c = !t.beta.is_zero();
  if (c_step == 1 && epilogue.is_identity()) {
    std::int64_t j = 0;
    for (; j + kLanes<Real> <= line.count; j += kLanes<Real>) {
      const Vec<Real> v = alpha * load(x + j);
      store(c + j, reads_c ? fma(beta, load(c + j), v) : v);
    }
    const int count = static_cast<int>(line.count - j);
    if (count == 0) return;
    const Vec<Real> v = alpha * load(x + j);
    return store_first(c + j, reads_c ? fma(beta, load_first(c + j, count), v) : v, count);
  }
  // Elements from one bias value to the next along the line.
  const std::int64_t bias_step = (epilogue.bias_kind == BiasKind::per_col) == line.along_row ? 1 : 0;
  const std::int64_t bias_first = epilogue.bias_kind == BiasKind::per_col ? line.col : line.row;
  const bool bias_in_c_type = epilogue.bias_type == t.c_type;
  for (std::int64_t j = 0; j < line.count; j += kLanes<Real>) {
    const std::int64_t left = line.count - j;
    const int count = left < kLanes<Real> ? static_cast<int>(left) : kLanes<Real>;
    Vec<Real> v = alpha * load(x + j);
    if (reads_c) v = fma(beta, load_strided<CValue, Real>(c + j * c_step, c_step, count), v);
    if (epilogue.bias_kind != BiasKind::none) {
      const std::int64_t at = bias_first + j * bias_step;
      if (bias_in_c_type)
        v = v + load_strided<CValue, Real>(static_cast<const CValue*>(epilogue.bias) + at, bias_step, count);
      else
        v = v + load_strided<Real, Real>(static_cast<const Real*>(epilogue.bias) + at, bias_step, count);
    }
    if (epilogue.activation == Activation::relu) {
      v = xsimd::select(v < Vec<Real>(Real{0}), Vec<Real>(Real{0}), v);
    } else if (epilogue.activation != Activation::none) {
      Real lanes[kLanes<Real>];
      store(lanes, v);
      for (int i = 0; i < count; ++i) lanes[i] = activate(epilogue.activation, lanes[i]);
      v = load(lanes);
    }
    if (epilogue.has_residual) {
      const DenseView& r = epilogue.residual;
      const std::int64_t r_step = step_of(r, line.along_row);
      const std::int64_t at = line.row * step_of(r, false) + line.col * step_of(r, true) + j * r_step;
      v = v + load_strided<CValue, Real>(static_cast<const CValue*>(r.values) + at, r_step, count);
    }
    CValue* to = c + j * c_step;
    if (c_step == 1 && count == kLanes<Real>) {
      store(to, v);
    } else if (c_step == 1) {
      store_first(to, v, count);
    } else {
      CValue lanes[kLanes<Real>];
      store(lanes, v);
      for (int i = 0; i < count; ++i) to[i * c_step] = lanes[i];
    }
  }
}

// The same for complex numbers: x holds pairs. Fused operations are written out, because gcc fuses pairs of products
// in some copies of a loop and not in others, and then equal columns would not stay equal.
template <class Real>
inline void finish_complex_line(const SpmmTask& t, const Line& line, const Real* x) noexcept {
  const std::int64_t c_step = 2 * (line.along_row ? t.c_col_stride : t.c_row_stride);
  Real* c = static_cast<Real*>(t.c) + 2 * (line.row * t.c_row_stride + line.col * t.c_col_stride);
  const Real alpha_re = static_cast<Real>(t.alpha.re), alpha_im = static_cast<Real>(t.alpha.im);
  const Real beta_re = static_cast<Real>(t.beta.re), beta_im = static_cast<Real>(t.beta.im);
  const bool reads_c = !t.beta.is_zero(), scales = !t.alpha.is_one();
  for (std::int64_t j = 0; j < line.count; ++j) {
    Real re = x[2 * j], im = x[2 * j + 1];
    if (scales) {
      const Real x_re = re;
      re = fma1(alpha_re, x_re, -(alpha_im * im));
      im = fma1(alpha_re, im, alpha_im * x_re);
    }
    Real* to = c + j * c_step;
    if (reads_c) {
      const Real c_re = to[0], c_im = to[1];
      re = fma1(beta_re, c_re, fma1(-beta_im, c_im, re));
      im = fma1(beta_re, c_im, fma1(beta_im, c_re, im));
    }
    to[0] = re;
    to[1] = im;
  }
}

template <class Real, bool kComplex>
SPK_INLINE void finish_any_line(const SpmmTask& t, const Line& line, const Real* x) noexcept {
  if constexpr (kComplex) {
    finish_complex_line(t, line, x);
  } else if constexpr (std::is_same_v<Real, float>) {
    if (t.c_type == ValueType::f16)
      finish_line<f16>(t, line, x);
    else if (t.c_type == ValueType::bf16)
      finish_line<bf16>(t, line, x);
    else
      finish_line<float>(t, line, x);
  } else {
    finish_line<Real>(t, line, x);
  }
}

// Sums of up to kBufferedRows rows of a tile. For complex products `real` holds sum(re(a) b) and `imag` sum(im(a) b),
// b in pairs; they meet in finish_rows.
template <class Real, bool kComplex>
struct RowBuffer {
  alignas(64) Real real[kBufferedRows][kTileColumns<Real>];
  alignas(64) Real imag[kComplex ? kBufferedRows : 1][kTileColumns<Real>];
  std::int64_t rows[kBufferedRows];
  int used = 0;
};

template <class Real>
inline void join_complex(const SpmmTask& t, Real* real, const Real* imag, int width) noexcept {
  const Real sign_a = t.conjugate_a ? Real{-1} : Real{1}, sign_b = t.conjugate_b ? Real{-1} : Real{1};
  const Real cross = -sign_a * sign_b;
  for (int j = 0; j < width; j += 2) {
    const Real re = real[j] + cross * imag[j + 1];
    const Real im = sign_b * real[j + 1] + sign_a * imag[j];
    real[j] = re;
    real[j + 1] = im;
  }
}

// Buffered rows, which follow each other, to a C whose columns are contiguous, changed by alpha and beta alone: turned by
// squares.
template <class Real>
inline void store_turned(const SpmmTask& t, const RowBuffer<Real, false>& buffer, int used, std::int64_t column,
                         int width) noexcept {
  constexpr int kSize = kLanes<Real>;
  const Vec<Real> alpha = splat(static_cast<Real>(t.alpha.re)), beta = splat(static_cast<Real>(t.beta.re));
  const bool reads_c = !t.beta.is_zero();
  const std::int64_t stride = t.c_col_stride;
  Real* const c = static_cast<Real*>(t.c) + buffer.rows[0] + column * stride;
  alignas(64) Real square[kSize * kSize];
  for (int j = 0; j < width; j += kSize)
    for (int r = 0; r < used; r += kSize) {
      transpose_square(&buffer.real[r][j], kTileColumns<Real>, square, kSize);
      const int lines = width - j < kSize ? width - j : kSize, count = used - r < kSize ? used - r : kSize;
      Real* to = c + j * stride + r;
      for (int i = 0; i < lines; ++i, to += stride) {
        const Vec<Real> v = alpha * load(square + i * kSize);
        if (count < kSize)
          store_first(to, reads_c ? fma(beta, load_first(to, count), v) : v, count);
        else
          store(to, reads_c ? fma(beta, load(to), v) : v);
      }
    }
}

// C of the buffered rows, columns [column, column + width) (reals). Empties the buffer.
template <class Real, bool kComplex>
SPK_OUT_OF_LINE void finish_rows(const SpmmTask& t, RowBuffer<Real, kComplex>& buffer, std::int64_t column,
                                 int width) noexcept {
  constexpr int kPer = kComplex ? 2 : 1;
  const int used = buffer.used;
  buffer.used = 0;
  if (used == 0) return;
  if constexpr (kComplex)
    for (int r = 0; r < used; ++r) join_complex(t, buffer.real[r], buffer.imag[r], width);
  constexpr int kFewRows = 2;  // not worth a turn: as columns they would be `width` lines of one or two elements
  if (t.c_col_stride == 1 || t.c_row_stride != 1 || used <= kFewRows) {
    for (int r = 0; r < used; ++r)
      finish_any_line<Real, kComplex>(t, {buffer.rows[r], column / kPer, width / kPer, true}, buffer.real[r]);
    return;
  }
  if constexpr (!kComplex)
    if (t.epilogue.is_identity() && t.c_type == (sizeof(Real) == 4 ? ValueType::f32 : ValueType::f64))
      return store_turned(t, buffer, used, column, width);
  // Column-major C: turn the tile so that lines run along columns.
  alignas(64) Real turned[kTileColumns<Real> * kBufferedRows];
  if constexpr (kComplex) {
    for (int j = 0; j < width; j += 2)
      for (int r = 0; r < used; ++r) {
        turned[j * kBufferedRows + 2 * r] = buffer.real[r][j];
        turned[j * kBufferedRows + 2 * r + 1] = buffer.real[r][j + 1];
      }
  } else {
    for (int j = 0; j < width; j += kLanes<Real>)
      for (int r = 0; r < used; r += kLanes<Real>)
        transpose_square(&buffer.real[r][j], kTileColumns<Real>, turned + j * kBufferedRows + r, kBufferedRows);
  }
  for (int j = 0; j < width; j += kPer)
    finish_any_line<Real, kComplex>(t, {buffer.rows[0], (column + j) / kPer, used, false}, turned + j * kBufferedRows);
}

}  // namespace
}  // namespace spk::cpu
