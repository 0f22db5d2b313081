// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cpu/kernels/dots.hpp"
#include "cpu/kernels/filled_rows.hpp"
#include "cpu/kernels/sddmm_task.hpp"

// SDDMM, serial, for one share of the entries. CSR: the entries of a row meet the row's part of A kDots at a time, so
// that one load of A serves all of them. BSR: tiles of kRows x kCols dots inside a block share the loads of both
// operands. Nothing is asked of the entries' order. docs/papers.md, Sputnik (SDDMM).
namespace spk::cpu {
namespace {

constexpr int kBatch = 32;  // entries decoded, multiplied and written together

SPK_INLINE std::int64_t number_at(const void* array, IndexType type, std::int64_t i) noexcept {
  if (type == IndexType::i32) return static_cast<const std::int32_t*>(array)[i];
  if (type == IndexType::i64) return static_cast<const std::int64_t*>(array)[i];
  return static_cast<const std::uint16_t*>(array)[i];
}
SPK_INLINE std::int64_t offset_of(const SddmmTask& t, std::int64_t row) noexcept {
  return number_at(t.offsets, t.offset_type, row) - t.base;
}
SPK_INLINE std::int64_t smaller(std::int64_t a, std::int64_t b) noexcept { return a < b ? a : b; }

// What differs between the stored types.
template <class StoredType>
struct RealDots {
  using Stored = StoredType;
  using Sum = SumOf<Stored>;
  static constexpr int kWidth = 1;  // real numbers of an element
  static constexpr int kDots = 8;   // of a row at once
  static constexpr int kRows = kVectorBytes == 64 ? 4 : 2, kCols = 4;
  explicit RealDots(const SddmmTask& t) noexcept
      : alpha(static_cast<Sum>(t.alpha.re)), beta(static_cast<Sum>(t.beta.re)) {}

  template <int kR, int kC>
  SPK_INLINE void dots(const Stored* const* a, const Stored* const* b, std::int64_t k, Sum* sums) const noexcept {
    real_dots<Stored, kR, kC>(a, b, k, sums);
  }
  template <class Out>
  SPK_INLINE void finish(Out* c, const Sum* sums, int n) const noexcept {
    for (int i = 0; i < n; i += kLanes<Sum>) {
      const int left = n - i < kLanes<Sum> ? n - i : kLanes<Sum>;
      Vec<Sum> v = splat(alpha) * load_first(sums + i, left);
      if (beta != 0) v = fma(splat(beta), load_first(c + i, left), v);
      store_first(c + i, v, left);
    }
  }
  template <class Out>
  SPK_INLINE void finish_one(Out* c, const Sum* sum) const noexcept {
    Sum v = alpha * *sum;
    if (beta != 0) v = fma_one(beta, widen(*c), v);
    *c = narrow<Out>(v);
  }
  Sum alpha, beta;
};

template <class Real>
struct ComplexDots {
  using Stored = Real;
  using Sum = Real;
  static constexpr int kWidth = 2;
  static constexpr int kDots = 4;
  static constexpr int kRows = 2, kCols = 2;
  explicit ComplexDots(const SddmmTask& t) noexcept
      : alpha_re(static_cast<Real>(t.alpha.re)),
        alpha_im(static_cast<Real>(t.alpha.im)),
        beta_re(static_cast<Real>(t.beta.re)),
        beta_im(static_cast<Real>(t.beta.im)),
        sign(signs<Real>(t.conj_a, t.conj_b)) {}

  template <int kR, int kC>
  SPK_INLINE void dots(const Real* const* a, const Real* const* b, std::int64_t k, Real* sums) const noexcept {
    complex_dots<Real, kR, kC>(a, b, k, sign, sums);
  }
  SPK_INLINE void finish(Real* c, const Real* sums, int n) const noexcept {
    for (int i = 0; i < n; ++i) finish_one(c + 2 * i, sums + 2 * i);
  }
  SPK_INLINE void finish_one(Real* c, const Real* sum) const noexcept {
    Real re = alpha_re * sum[0], im = alpha_re * sum[1];
    if (alpha_im != 0) {
      re = fma_one(-alpha_im, sum[1], re);
      im = fma_one(alpha_im, sum[0], im);
    }
    if (beta_re != 0 || beta_im != 0) {
      re = fma_one(beta_re, c[0], re);
      im = fma_one(beta_re, c[1], im);
      if (beta_im != 0) {
        re = fma_one(-beta_im, c[1], re);
        im = fma_one(beta_im, c[0], im);
      }
    }
    c[0] = re;
    c[1] = im;
  }
  Real alpha_re, alpha_im, beta_re, beta_im;
  Signs<Real> sign;
};

// Operands of up to n entries from e on that lie left of column `limit`; returns how many there are.
template <class Stored, class Index>
SPK_INLINE int columns_of(const SddmmTask& t, std::int64_t e, int n, std::int64_t limit,
                          const Stored** columns) noexcept {
  const Stored* b = static_cast<const Stored*>(t.b);
  const Index* indices = static_cast<const Index*>(t.indices) + e;
  const std::int64_t step = t.b_ld * t.block_size;
  for (int i = 0; i < n; ++i) {
    const std::int64_t col = static_cast<std::int64_t>(indices[i]) - t.base;
    if (col >= limit) return i;
    columns[i] = b + (t.b_gathered ? e - t.first_entry + i : col) * step;
  }
  return n;
}
template <class Stored>
SPK_INLINE int find_columns(const SddmmTask& t, std::int64_t e, std::int64_t count, std::int64_t limit,
                            const Stored** columns) noexcept {
  const int n = static_cast<int>(smaller(count, kBatch));
  if (t.index_type == IndexType::i32) return columns_of<Stored, std::int32_t>(t, e, n, limit, columns);
  return columns_of<Stored, std::int64_t>(t, e, n, limit, columns);
}

// Entries [begin, end) of a row up to the first one at or right of `limit`; returns where it stopped.
template <class Dots, class Out>
struct CsrRow {
  using Stored = typename Dots::Stored;

  // The last n <= kMost dots, together.
  template <int kMost>
  SPK_INLINE static void few(const SddmmTask& t, const Dots& dots, const Stored* const* a, const Stored* const* columns,
                             int n, typename Dots::Sum* sums) noexcept {
    if (n == kMost)
      dots.template dots<1, kMost>(a, columns, t.k, sums);
    else if constexpr (kMost > 1)
      few<kMost - 1>(t, dots, a, columns, n, sums);
  }

  static std::int64_t run(const SddmmTask& t, const Dots& dots, std::int64_t row, std::int64_t begin, std::int64_t end,
                          std::int64_t limit) noexcept {
    constexpr int kDots = Dots::kDots;
    const Stored* columns[kBatch];
    typename Dots::Sum sums[kBatch * Dots::kWidth + 16];
    const std::int64_t place = t.a_gathered ? offset_of(t, row) - t.first_entry : row;
    const Stored* a = static_cast<const Stored*>(t.a) + place * t.a_ld;
    Out* c = static_cast<Out*>(t.values);
    while (begin < end) {
      const int n = find_columns(t, begin, end - begin, limit, columns);
      if (n == 0) break;
      int i = 0;
      for (; i + kDots <= n; i += kDots) dots.template dots<1, kDots>(&a, columns + i, t.k, sums + i * Dots::kWidth);
      few<kDots - 1>(t, dots, &a, columns + i, n - i, sums + i * Dots::kWidth);
      dots.finish(c + begin * Dots::kWidth, sums, n);
      begin += n;
    }
    return begin;
  }
};

// The same for a row of blocks.
template <class Dots, class Out>
struct BsrRow {
  using Stored = typename Dots::Stored;

  template <int kRows, int kCols>
  static void block(const SddmmTask& t, const Dots& dots, const Stored* a, const Stored* b, Out* c) noexcept {
    const std::int64_t edge = t.block_size;
    const std::int64_t down = (t.row_major_blocks ? edge : 1) * Dots::kWidth;
    const std::int64_t right = (t.row_major_blocks ? 1 : edge) * Dots::kWidth;
    typename Dots::Sum sums[kRows * kCols * Dots::kWidth + 16];
    const Stored* rows[kRows];
    const Stored* cols[kCols];
    for (std::int64_t i = 0; i < edge; i += kRows) {
      // Past the edge the last row or column is repeated, and its result not written.
      for (int r = 0; r < kRows; ++r) rows[r] = a + smaller(i + r, edge - 1) * t.a_ld;
      for (std::int64_t j = 0; j < edge; j += kCols) {
        for (int s = 0; s < kCols; ++s) cols[s] = b + smaller(j + s, edge - 1) * t.b_ld;
        dots.template dots<kRows, kCols>(rows, cols, t.k, sums);
        for (int r = 0; r < kRows && i + r < edge; ++r)
          for (int s = 0; s < kCols && j + s < edge; ++s)
            dots.finish_one(c + (i + r) * down + (j + s) * right, sums + (r * kCols + s) * Dots::kWidth);
      }
    }
  }

  static std::int64_t run(const SddmmTask& t, const Dots& dots, std::int64_t row, std::int64_t begin, std::int64_t end,
                          std::int64_t limit) noexcept {
    const Stored* columns[kBatch];
    const std::int64_t place = t.a_gathered ? offset_of(t, row) - t.first_entry : row;
    const Stored* a = static_cast<const Stored*>(t.a) + place * t.block_size * t.a_ld;
    const std::int64_t elements = t.block_size * t.block_size * Dots::kWidth;
    Out* c = static_cast<Out*>(t.values);
    while (begin < end) {
      const int n = find_columns(t, begin, end - begin, limit, columns);
      if (n == 0) break;
      for (int i = 0; i < n; ++i) {
        if (t.block_size <= 2)
          block<2, 2>(t, dots, a, columns[i], c + (begin + i) * elements);
        else
          block<Dots::kRows, Dots::kCols>(t, dots, a, columns[i], c + (begin + i) * elements);
      }
      begin += n;
    }
    return begin;
  }
};

template <class Row, class Dots>
void run_part(const SddmmTask& t, const SddmmPart& part) noexcept {
  const Dots dots(t);
  if (part.segments != nullptr) {
    for (std::int64_t s = 0; s < part.segment_count; ++s)
      Row::run(t, dots, part.segments[s].row, part.segments[s].begin, part.segments[s].end, INT64_MAX);
    return;
  }
  if (t.col_step == 0) {
    std::int64_t row = part.first_row;
    const std::int64_t rows_end = row + part.rows;
    for (std::int64_t e = part.begin; e < part.end; ++row) {
      if (offset_of(t, row + 1) == e) {
        row = next_filled_row(t.offsets, t.offset_type, row + 1, rows_end) - 1;
        continue;
      }
      const std::int64_t end = smaller(offset_of(t, row + 1), part.end);
      e = Row::run(t, dots, row, e, end, INT64_MAX);
    }
    return;
  }
  for (std::int64_t r = 0; r < part.rows; ++r) part.cursors[r] = offset_of(t, part.first_row + r);
  if (part.rows > 0) part.cursors[0] = part.begin;
  for (std::int64_t limit = t.col_step;; limit += t.col_step) {
    const bool last = limit >= t.cols;
    for (std::int64_t r = 0; r < part.rows; ++r) {
      const std::int64_t row = part.first_row + r;
      const std::int64_t end = smaller(offset_of(t, row + 1), part.end);
      part.cursors[r] = Row::run(t, dots, row, part.cursors[r], end, last ? INT64_MAX : limit);
    }
    if (last) break;
  }
}

// The type of C: the operands' own, or float with 16-bit operands.
template <template <class, class> class Row, class Stored>
void run_real(const SddmmTask& t, const SddmmPart& part) noexcept {
  using Dots = RealDots<Stored>;
  if constexpr (sizeof(Stored) == 2) {
    if (t.c_type == ValueType::f32) return run_part<Row<Dots, float>, Dots>(t, part);
  }
  run_part<Row<Dots, Stored>, Dots>(t, part);
}
template <template <class, class> class Row, class Real>
void run_complex(const SddmmTask& t, const SddmmPart& part) noexcept {
  run_part<Row<ComplexDots<Real>, Real>, ComplexDots<Real>>(t, part);
}

}  // namespace

void SPK_ARCH_SYMBOL(sddmm_csr_f32)(const SddmmTask& t, const SddmmPart& part) noexcept {
  run_real<CsrRow, float>(t, part);
}
void SPK_ARCH_SYMBOL(sddmm_csr_f64)(const SddmmTask& t, const SddmmPart& part) noexcept {
  run_real<CsrRow, double>(t, part);
}
void SPK_ARCH_SYMBOL(sddmm_csr_f16_f32)(const SddmmTask& t, const SddmmPart& part) noexcept {
  run_real<CsrRow, f16>(t, part);
}
void SPK_ARCH_SYMBOL(sddmm_csr_bf16_f32)(const SddmmTask& t, const SddmmPart& part) noexcept {
  run_real<CsrRow, bf16>(t, part);
}
void SPK_ARCH_SYMBOL(sddmm_csr_c64)(const SddmmTask& t, const SddmmPart& part) noexcept {
  run_complex<CsrRow, float>(t, part);
}
void SPK_ARCH_SYMBOL(sddmm_csr_c128)(const SddmmTask& t, const SddmmPart& part) noexcept {
  run_complex<CsrRow, double>(t, part);
}
void SPK_ARCH_SYMBOL(sddmm_bsr_f32)(const SddmmTask& t, const SddmmPart& part) noexcept {
  run_real<BsrRow, float>(t, part);
}
void SPK_ARCH_SYMBOL(sddmm_bsr_f64)(const SddmmTask& t, const SddmmPart& part) noexcept {
  run_real<BsrRow, double>(t, part);
}
void SPK_ARCH_SYMBOL(sddmm_bsr_f16_f32)(const SddmmTask& t, const SddmmPart& part) noexcept {
  run_real<BsrRow, f16>(t, part);
}
void SPK_ARCH_SYMBOL(sddmm_bsr_bf16_f32)(const SddmmTask& t, const SddmmPart& part) noexcept {
  run_real<BsrRow, bf16>(t, part);
}
void SPK_ARCH_SYMBOL(sddmm_bsr_c64)(const SddmmTask& t, const SddmmPart& part) noexcept {
  run_complex<BsrRow, float>(t, part);
}
void SPK_ARCH_SYMBOL(sddmm_bsr_c128)(const SddmmTask& t, const SddmmPart& part) noexcept {
  run_complex<BsrRow, double>(t, part);
}

}  // namespace spk::cpu
