#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spk authors
# cuda_resources.sh CUOBJDUMP FILE: what the compiler gave the kernels of a CUDA library, one line for each chip it holds
# code for, and one for each kernel that keeps anything on a stack: spilled registers, or arrays it could not hold in any.
set -eu
"$1" --dump-resource-usage "$2" | awk '
  /^arch = / { arch = $3 }
  / Function .*:$/ { name = $NF; sub(/:$/, "", name) }
  /REG:[0-9]+ STACK:[0-9]+/ {
    match($0, /REG:[0-9]+/); registers = substr($0, RSTART + 4, RLENGTH - 4) + 0
    match($0, /STACK:[0-9]+/); stack = substr($0, RSTART + 6, RLENGTH - 6) + 0
    ++kernels[arch]
    if (registers > most[arch]) most[arch] = registers
    if (stack > 0) {
      ++spilling[arch]
      print arch ": " stack " bytes on the stack, " registers " registers: " name | "c++filt"
    }
  }
  END {
    close("c++filt")
    for (arch in kernels)
      print arch ": " kernels[arch] " kernels, at most " most[arch] " registers, " spilling[arch] + 0 " with a stack"
  }'
