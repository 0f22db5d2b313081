// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/kernels/fours.hpp"
#include "cpu/kernels/spmm_finish.hpp"
#include "cpu/kernels/spmm_task.hpp"

// The columns of a tile: which they are, where rows of op(B) have them, and where rows of C get them.
namespace spk::cpu {
namespace {

struct TileColumns {
  std::int64_t first = 0;  // real column
  int vectors = 0;
  int width = 0;  // reals
  int last = 0;   // columns in the last vector
};

template <class Real>
SPK_INLINE std::int64_t tile_vector(const SpmmTask& t, std::int64_t tile) noexcept {
  if (t.tiles == 1) return tile * t.vectors;
  // floor(tile * vectors / tiles) without overflow
  const std::int64_t each = t.vectors / t.tiles, rest = t.vectors - each * t.tiles;
  return tile * each + tile * rest / t.tiles;
}

template <class Real>
SPK_INLINE TileColumns columns_of(const SpmmTask& t, std::int64_t tile) noexcept {
  constexpr int kSize = kLanes<Real>;
  const std::int64_t begin = tile_vector<Real>(t, tile), end = tile_vector<Real>(t, tile + 1);
  TileColumns columns;
  columns.first = begin * kSize;
  columns.vectors = static_cast<int>(end - begin);
  const std::int64_t left = t.columns - columns.first;
  columns.width = left < columns.vectors * kSize ? static_cast<int>(left) : columns.vectors * kSize;
  columns.last = columns.width - (columns.vectors - 1) * kSize;
  return columns;
}

// Distance of rows in a panel, in reals: whole vectors of the widest tile.
template <class Real>
SPK_INLINE std::int64_t panel_pitch(const SpmmTask& t) noexcept {
  return (t.vectors + t.tiles - 1) / t.tiles * kLanes<Real>;
}

// Where row r of op(B) starts: at b + r * stride + shift. The shift is added once, not for every entry. What it leads to may
// lie outside of B, so it is no pointer yet. kNarrow: every r * stride takes less than 32 bits, in bytes.
template <class BValue, bool kNarrow = false>
class RowAddress {
 public:
  SPK_INLINE RowAddress(const BValue* b, std::int64_t stride, std::int64_t shift) noexcept
      : first_(reinterpret_cast<std::uintptr_t>(b) + static_cast<std::uintptr_t>(shift) * sizeof(BValue)),
        row_bytes_(static_cast<std::uint64_t>(stride) * sizeof(BValue)) {}
  template <class Index>
  SPK_INLINE const BValue* operator()(Index r) const noexcept {
    return at(static_cast<std::uint64_t>(static_cast<std::int64_t>(r)) * row_bytes_);
  }

  // The rows of four indices, of which two share a multiplication where both products fit in a word.
  struct Four {
    const BValue* row[4];
  };
  template <class Index>
  SPK_INLINE Four four(const Index* indices) const noexcept {
    if constexpr (kNarrow && sizeof(Index) == 4) {
      std::uint64_t words[2];
      __builtin_memcpy(words, indices, sizeof words);
      const std::uint64_t low = words[0] * row_bytes_, high = words[1] * row_bytes_;
      return {{at(low & UINT32_MAX), at(low >> 32), at(high & UINT32_MAX), at(high >> 32)}};
    } else {
      const FourIndices<Index> r(indices);
      return {{at(r[0] * row_bytes_), at(r[1] * row_bytes_), at(r[2] * row_bytes_), at(r[3] * row_bytes_)}};
    }
  }

 private:
  SPK_INLINE const BValue* at(std::uint64_t bytes) const noexcept {
    return reinterpret_cast<const BValue*>(first_ + bytes);
  }

  std::uintptr_t first_;
  std::uint64_t row_bytes_;
};

// Rows of a step without entries, whose C is made of zeros without sums where several follow each other: in a row-major C
// by the first tile for all columns, in a column-major one by every tile for its own. Where few rows of a column-major C
// are left, a tile clears all of its columns beforehand: short pieces of a column cost more than zeros that are written over.
class EmptyRows {
 public:
  SPK_INLINE EmptyRows(const SpmmTask& t, const SpmmStep& step, const TileColumns& columns) noexcept
      : t_(t), step_(step), columns_(columns), offsets_(t) {
    constexpr std::int64_t kLeastRun = 4;
    least_run_ = turns_zeros(t) ? 1 : kLeastRun;
    passes_ = step.kind == SpmmStep::rows && may_clear_rows(t) && (t.c_col_stride == 1 || t.c_row_stride == 1);
    if (!passes_ || t.c_col_stride == 1 || t.empty || t.block_size != 0 || step.begin == step.end) return;
    cleared_ = 4 * (offsets_.at(step.end) - offsets_.at(step.begin)) < step.end - step.begin;
    if (cleared_) clear(step.begin, step.end - 1);
  }
  SPK_INLINE bool pass() const noexcept { return passes_; }

  // Whether the empty row is the first of as many as are better cleared.
  template <class Offset>
  SPK_INLINE bool begin_run(const Offset* row, const Offset* end) const noexcept {
    return end - row >= least_run_ && row[least_run_] == row[0];
  }
  // Clears the empty row p and those that follow it; answers the last.
  SPK_OUT_OF_LINE std::int64_t clear_run(std::int64_t p) const noexcept {
    const std::int64_t last = last_empty_row(t_, p, step_.end);
    if (!cleared_) clear(p, last);
    return last;
  }
  // The same where that pays; else answers p - 1, and row p is left to the caller.
  SPK_INLINE std::int64_t clear_from(std::int64_t p) const noexcept {
    if (t_.empty || cleared_ || least_run_ == 1) return clear_run(p);
    const bool few = t_.block_size != 0 || step_.end - p < least_run_ || offsets_.at(p + least_run_) != offsets_.at(p);
    return few ? p - 1 : clear_run(p);
  }

 private:
  SPK_INLINE void clear(std::int64_t first, std::int64_t last) const noexcept {
    const std::int64_t per = t_.complex ? 2 : 1;
    if (t_.c_col_stride != 1)
      clear_rows(t_, first, last, columns_.first / per, columns_.width / per);
    else if (step_.tile == 0)
      clear_rows(t_, first, last, 0, t_.columns / per);
  }

  const SpmmTask& t_;
  const SpmmStep& step_;
  const TileColumns& columns_;
  RowOffsets offsets_;
  std::int64_t least_run_;
  bool passes_ = false, cleared_ = false;
};

// Whether rows go straight from registers to C.
template <class Real>
SPK_INLINE bool stores_rows(const SpmmTask& t) noexcept {
  return t.c_col_stride == 1 && t.epilogue.is_identity() &&
         t.c_type == (sizeof(Real) == 4 ? ValueType::f32 : ValueType::f64);
}

// Not a member function of Scalar, of which compilers make copies where it is not inlined, with this file's instructions.
SPK_INLINE bool reads_c_of(const SpmmTask& t) noexcept { return !(t.beta.re == 0 && t.beta.im == 0); }

// A tile's columns of such rows. Here and below members of the task are copied first: a compiler reads them again after
// every store of a vector.
template <class Real>
struct RowTarget {
  Real* c;
  std::int64_t stride;
  Vec<Real> alpha, beta;
  bool reads_c;
  int last;

  SPK_INLINE RowTarget(const SpmmTask& t, const TileColumns& columns) noexcept
      : c(static_cast<Real*>(t.c) + columns.first),
        stride(t.c_row_stride),
        alpha(splat(static_cast<Real>(t.alpha.re))),
        beta(splat(static_cast<Real>(t.beta.re))),
        reads_c(reads_c_of(t)),
        last(columns.last) {}

  // Whole vectors, and nothing of C is read.
  template <int kVectors>
  SPK_INLINE void put_whole(Real* to, const Vec<Real> (&sum)[kVectors]) const noexcept {
    SPK_UNROLL
    for (int v = 0; v < kVectors; ++v) store(to + v * kLanes<Real>, alpha * sum[v]);
  }

  template <int kVectors>
  SPK_INLINE void put(std::int64_t row, const Vec<Real> (&sum)[kVectors]) const noexcept {
    put(c + row * stride, sum);
  }

  template <int kVectors>
  SPK_INLINE void put(Real* first, const Vec<Real> (&sum)[kVectors]) const noexcept {
    constexpr int kSize = kLanes<Real>;
    SPK_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      const bool part = v == kVectors - 1 && last < kSize;
      Real* to = first + v * kSize;
      Vec<Real> x = alpha * sum[v];
      if (reads_c) x = fma(beta, part ? load_first(to, last) : load(to), x);
      if (part)
        store_first(to, x, last);
      else
        store(to, x);
    }
  }
};

// Where a tile finds row r of op(B): at b + r * stride + shift.
template <class Real, bool kComplex, class BValue>
struct RowSource {
  const BValue* b;
  std::int64_t stride, shift;

  SPK_INLINE RowSource(const SpmmTask& t, const SpmmStep& step, const TileColumns& columns) noexcept
      : b(static_cast<const BValue*>(t.b)), stride((kComplex ? 2 : 1) * t.b_row_stride), shift(columns.first) {
    if (t.b_access != BAccess::panel) return;
    stride = panel_pitch<Real>(t);
    shift = (step.tile - t.b_first_panel) * t.b_panel_stride;
  }

  // For indices that count from `base`.
  template <bool kNarrow = false>
  SPK_INLINE RowAddress<BValue, kNarrow> rows(std::int64_t base) const noexcept {
    return {b, stride, shift - base * stride};
  }
  SPK_INLINE bool is_narrow(const SpmmTask& t) const noexcept {
    constexpr std::int64_t kMost = UINT32_MAX / sizeof(BValue);
    return stride == 0 || t.k + t.index_base <= kMost / stride;
  }
};

}  // namespace
}  // namespace spk::cpu
