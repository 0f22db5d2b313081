// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/types.hpp"

namespace spk {

const char* name_of(ValueType t) noexcept {
  switch (t) {
    case ValueType::f32: return "f32";
    case ValueType::f64: return "f64";
    case ValueType::f16: return "f16";
    case ValueType::bf16: return "bf16";
    case ValueType::c64: return "c64";
    case ValueType::c128: return "c128";
  }
  return "?";
}

const char* name_of(IndexType t) noexcept {
  switch (t) {
    case IndexType::none: return "none";
    case IndexType::u16: return "u16";
    case IndexType::i32: return "i32";
    case IndexType::i64: return "i64";
  }
  return "?";
}

const char* name_of(Order t) noexcept { return t == Order::row ? "row" : t == Order::col ? "col" : "none"; }

const char* name_of(Op t) noexcept { return t == Op::n ? "N" : t == Op::t ? "T" : "C"; }

const char* name_of(Format t) noexcept {
  switch (t) {
    case Format::csr: return "csr";
    case Format::csc: return "csc";
    case Format::coo: return "coo";
    case Format::blocked_ell: return "blocked_ell";
    case Format::bsr: return "bsr";
    case Format::sell: return "sell";
  }
  return "?";
}

}  // namespace spk
