#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spk authors
# Everything that needs a GPU, in one command, from a build with SPK_WITH_CUDA=ON, tests and benchmarks:
#   sh tools/check_cuda.sh BUILD CASES OUT [INDEX]
# runs the suites on the device, the case files in the folder CASES, some suites under compute-sanitizer where there is
# one, and, given the index.csv of the DLMC, the races against cuSPARSE and cuBLAS, with their JSON in OUT. Ends with a line of counts.
# A missing device is a failure.
set -u
[ $# -ge 3 ] || { echo "usage: sh tools/check_cuda.sh BUILD CASES OUT [INDEX]" >&2; exit 2; }
build=$1 cases=$2 out=$3 index=${4-}
mkdir -p "$out" || exit 2
export SPK_TEST_REQUIRE=cuda SPK_PLUGIN_DIR="$build/capi/spk"
passed=0 failed=0

step() { # NAME COMMAND...
  name=$1
  shift
  if "$@" >"$out/$name.log" 2>&1; then
    passed=$((passed + 1))
    echo "$name: passed"
  else
    failed=$((failed + 1))
    echo "$name: FAILED, the end of $out/$name.log:"
    tail -n 15 "$out/$name.log"
  fi
}

step device "$build/tests/cuda/test_cuda" --gtest_brief=1
for suite in batches convert large_products metamorphic products softmax_rows; do
  step "ops_$suite" "$build/tests/ops/test_ops_$suite" '--gtest_filter=*Cuda*' --gtest_brief=1
done
step cusparse env SPK_BACKEND=cuda "$build/tests/compat/cusparse/test_cusparse_device" --gtest_brief=1
if command -v cuobjdump >/dev/null && cuobjdump --list-ptx "$SPK_PLUGIN_DIR/libspk_cuda.so" 2>/dev/null | grep -q PTX; then
  # What newer devices run: nothing may be chosen that such code does not hold.
  step ptx_cuda env CUDA_FORCE_PTX_JIT=1 "$build/tests/cuda/test_cuda" --gtest_brief=1
  step ptx_products env CUDA_FORCE_PTX_JIT=1 "$build/tests/ops/test_ops_products" '--gtest_filter=*Cuda*' --gtest_brief=1
else
  echo "ptx: skipped, the plug-in holds none, or there is no cuobjdump"
fi
step cases "$build/tests/cases/spk_case_runner" "$cases" --backend cuda
if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck; do
    step "$tool" compute-sanitizer --tool "$tool" --error-exitcode 1 "$build/tests/cuda/test_cuda" --gtest_brief=1 \
      '--gtest_filter=-*Repeat*:*FourThreads*:*Beyond32Bits*'
  done
  step initcheck compute-sanitizer --tool initcheck --error-exitcode 1 "$build/tests/ops/test_ops_softmax_rows" \
    '--gtest_filter=*Cuda*' --gtest_brief=1
else
  echo "compute-sanitizer: skipped, it is not installed"
fi
if [ -n "$index" ] && [ -x "$build/bench/bench_cuda_peers" ]; then
  for type in f32 f16; do
    step "race_spmm_$type" "$build/bench/bench_cuda_peers" --index "$index" --set smoke,core --type "$type" \
      --n 1,8,32,128,512,2048 --json "$out/spmm_$type.json"
  done
  step race_columns "$build/bench/bench_cuda_peers" --index "$index" --set smoke,core --type f32 --order col \
    --op-a N,T --op-b N,T --n 32,512 --json "$out/spmm_columns.json"
  step race_others "$build/bench/bench_cuda_peers" --index "$index" --set smoke,core --type f32,f16 --n 128 \
    --op spmv,sddmm,softmax,oneshot --json "$out/others.json"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
