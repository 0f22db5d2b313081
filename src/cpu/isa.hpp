// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

// Instruction sets of the CPU kernels and which of them this machine has.
namespace spk::cpu {

// Each set includes those before it that belong to the same processor family.
// amx: AVX-512 with VBMI2, and tiles of bf16.
enum class Isa : int { scalar = 0, neon = 1, avx2 = 2, avx512 = 3, amx = 4 };

// The best set that is built in, that processor and system support, and that SPK_CPU_ISA allows. Fixed at first use.
Isa available_isa() noexcept;

constexpr bool isa_supports(Isa available, Isa needed) noexcept {
  return needed == Isa::scalar || available == needed ||
         (needed >= Isa::avx2 && static_cast<int>(available) > static_cast<int>(needed));
}

const char* name_of(Isa isa) noexcept;

}  // namespace spk::cpu
