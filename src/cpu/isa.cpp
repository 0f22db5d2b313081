// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cpu/isa.hpp"

#if SPK_HAS_amx
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "core/env.hpp"

namespace spk::cpu {
namespace {

#if SPK_HAS_avx2
constexpr bool kBuiltAvx2 = true;
#else
[[maybe_unused]] constexpr bool kBuiltAvx2 = false;
#endif
#if SPK_HAS_avx512
constexpr bool kBuiltAvx512 = true;
#else
[[maybe_unused]] constexpr bool kBuiltAvx512 = false;
#endif

#if SPK_HAS_amx
// Tiles of bf16 in the processor (cpuid 7), saved by the system (xgetbv), and allowed to this process, which Linux has to
// be asked for: Documentation/arch/x86/xstate.rst.
bool detect_amx() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kBf16 = 1u << 22, kTile = 1u << 24, kVbmi2 = 1u << 6;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & kBf16) == 0 || (d & kTile) == 0 || (c & kVbmi2) == 0)
    return false;
  std::uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  constexpr std::uint32_t kTileState = 3u << 17;
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return (low & kTileState) == kTileState && syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}
#endif

// gcc's and clang's cpu model asks cpuid and, for the wide registers, xgetbv: what the system does not save is "no".
Isa detect() noexcept {
  Isa best = Isa::scalar;
#if defined(__x86_64__)
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("bmi");
  const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512vl");
  if (kBuiltAvx2 && has_avx2) best = Isa::avx2;
  if (kBuiltAvx512 && has_avx512) best = Isa::avx512;
#if SPK_HAS_amx
  if (best == Isa::avx512 && detect_amx()) best = Isa::amx;
#endif
#elif defined(__aarch64__) && SPK_HAS_neon
  best = Isa::neon;
#endif
  return best;
}

Isa cap(Isa best) noexcept {
  const char* wanted = env::text(env::SPK_CPU_ISA);
  if (wanted == nullptr) return best;
  for (const Isa isa : {Isa::scalar, Isa::neon, Isa::avx2, Isa::avx512, Isa::amx})
    if (std::strcmp(wanted, name_of(isa)) == 0 && isa_supports(best, isa)) return isa;
  return best;
}

}  // namespace

Isa available_isa() noexcept {
  static const Isa isa = cap(detect());
  return isa;
}

const char* name_of(Isa isa) noexcept {
  switch (isa) {
    case Isa::scalar: return "scalar";
    case Isa::neon: return "neon";
    case Isa::avx2: return "avx2";
    case Isa::avx512: return "avx512";
    case Isa::amx: return "amx";
  }
  return "?";
}

}  // namespace spk::cpu
