// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cpu/sddmm_pack.hpp"

#include <algorithm>
#include <cstring>

namespace spk::cpu {
namespace {

struct Unit16 {
  std::uint64_t low, high;
};

// Square tiles of 16-byte registers, kEdge elements wide.
template <class Unit>
struct Tile {
  static constexpr int kEdge = static_cast<int>(16 / sizeof(Unit));
  typedef Unit Register __attribute__((vector_size(16)));

  static Register low(Register x, Register y) noexcept {
    if constexpr (kEdge == 8)
      return __builtin_shufflevector(x, y, 0, 8, 1, 9, 2, 10, 3, 11);
    else if constexpr (kEdge == 4)
      return __builtin_shufflevector(x, y, 0, 4, 1, 5);
    else
      return __builtin_shufflevector(x, y, 0, 2);
  }
  static Register high(Register x, Register y) noexcept {
    if constexpr (kEdge == 8)
      return __builtin_shufflevector(x, y, 4, 12, 5, 13, 6, 14, 7, 15);
    else if constexpr (kEdge == 4)
      return __builtin_shufflevector(x, y, 2, 6, 3, 7);
    else
      return __builtin_shufflevector(x, y, 1, 3);
  }
  // to[j * to_ld + i] = from[i * from_ld + j]: log2(kEdge) rounds of interleaving rows i and i + kEdge / 2.
  static void transpose(const Unit* from, std::int64_t from_ld, Unit* to, std::int64_t to_ld) noexcept {
    Register r[kEdge], s[kEdge];
    for (int i = 0; i < kEdge; ++i) std::memcpy(&r[i], from + i * from_ld, 16);
    for (int round = 1; round < kEdge; round *= 2) {
      for (int i = 0; i < kEdge / 2; ++i) {
        s[2 * i] = low(r[i], r[i + kEdge / 2]);
        s[2 * i + 1] = high(r[i], r[i + kEdge / 2]);
      }
      for (int i = 0; i < kEdge; ++i) r[i] = s[i];
    }
    for (int i = 0; i < kEdge; ++i) std::memcpy(to + i * to_ld, &r[i], 16);
  }
};
template <>
struct Tile<Unit16> {
  static constexpr int kEdge = 1;
  static void transpose(const Unit16* from, std::int64_t, Unit16* to, std::int64_t) noexcept {
    std::memcpy(to, from, sizeof(Unit16));
  }
};

template <class Unit>
void pack(const Unit* from, std::int64_t from_ld, std::int64_t begin, std::int64_t end, std::int64_t length, Unit* to,
          std::int64_t to_ld) noexcept {
  constexpr std::int64_t kEdge = Tile<Unit>::kEdge;
  constexpr std::int64_t kPanel = static_cast<std::int64_t>(64 / sizeof(Unit));  // vectors read together: a cache line
  for (std::int64_t panel = begin; panel < end; panel += kPanel) {
    const std::int64_t panel_end = std::min(panel + kPanel, end);
    std::int64_t p = 0;
    for (; p + kEdge <= length; p += kEdge) {
      std::int64_t v = panel;
      for (; v + kEdge <= panel_end; v += kEdge)
        Tile<Unit>::transpose(from + p * from_ld + v, from_ld, to + v * to_ld + p, to_ld);
      for (; v < panel_end; ++v)
        for (std::int64_t q = p; q < p + kEdge; ++q) to[v * to_ld + q] = from[q * from_ld + v];
    }
    for (; p < length; ++p)
      for (std::int64_t v = panel; v < panel_end; ++v) to[v * to_ld + p] = from[p * from_ld + v];
  }
}

// Calls f with a null pointer to an unsigned type of `size` bytes.
template <class F>
void visit_unit(std::size_t size, F&& f) noexcept {
  if (size == 2) return f(static_cast<std::uint16_t*>(nullptr));
  if (size == 4) return f(static_cast<std::uint32_t*>(nullptr));
  if (size == 8) return f(static_cast<std::uint64_t*>(nullptr));
  f(static_cast<Unit16*>(nullptr));
}

}  // namespace

void pack_vectors(const Strided& from, std::int64_t begin, std::int64_t end, std::int64_t length, void* to,
                  std::int64_t ld) noexcept {
  visit_unit(from.size, [&](auto* unit) {
    using Unit = std::remove_pointer_t<decltype(unit)>;
    pack(static_cast<const Unit*>(from.values), from.step, begin, end, length, static_cast<Unit*>(to), ld);
  });
}

void gather_vectors(const Strided& from, std::span<const Gathered> vectors, std::int64_t length) noexcept {
  visit_unit(from.size, [&](auto* unit) {
    using Unit = std::remove_pointer_t<decltype(unit)>;
    // Element by element of all: vectors stand side by side, their elements a page or so apart.
    const Unit* source = static_cast<const Unit*>(from.values);
    for (std::int64_t p = 0; p < length; ++p, source += from.step)
      for (const Gathered& g : vectors) static_cast<Unit*>(g.to)[p] = source[g.vector * from.vector_stride];
  });
}

}  // namespace spk::cpu
