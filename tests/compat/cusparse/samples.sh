#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spk authors
# samples.sh FOLDER SCRATCH CC CXX FLAG...: compiles NVIDIA's samples of cuSPARSE as they are, each as a stranger would, and
# runs them. They exit with 0 whatever they find, so their words count. Exit code 77 without the folder.
set -u
samples=$1
scratch=$2
cc=$3
cxx=$4
shift 4
if [ ! -d "$samples" ]; then
  echo "SKIPPED: no samples (set SPK_CUDA_SAMPLES_DIR to the folder cuSPARSE of NVIDIA's CUDALibrarySamples)"
  exit 77
fi
mkdir -p "$scratch"

failed=0
for name in spmm_csr spmm_csr_batched spmm_coo spmm_coo_batched spmm_blockedell sddmm_csr sddmm_csr_batched sddmm_bsr \
  dense2sparse_csr dense2sparse_blockedell sparse2dense_csr spmv_csr spmv_coo spmv_sell gather scatter axpby rot spvv \
  coosort; do
  program=$scratch/$name
  source=$samples/$name/${name}_example.c
  compiler="$cc -std=c99"
  if [ ! -f "$source" ]; then
    source=${source}pp
    compiler="$cxx -std=c++17"
  fi
  if $compiler "$source" -o "$program" "$@" && "$program" >"$program.out" 2>&1 && grep -q PASSED "$program.out"; then
    echo "$name PASSED"
  else
    echo "$name FAILED"
    [ ! -f "$program.out" ] || tail -n 5 "$program.out"
    failed=1
  fi
done
exit $failed
