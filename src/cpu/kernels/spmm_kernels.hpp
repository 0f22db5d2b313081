// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/kernels/spmm_task.hpp"

// Every SpMM kernel of every instruction set, from the table.
namespace spk::cpu {

#define SPK_KERNEL(name, isa, id, refuse) SpmmKernel name##__##isa;
#include "cpu/spmm_kernels.inc"
#undef SPK_KERNEL

}  // namespace spk::cpu
