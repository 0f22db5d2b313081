// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/error.hpp"
#include "core/kernel_table.hpp"
#include "cuda/kernels/convert_device.cuh"
#include "cuda/operations.hpp"

// Sparse vectors: a thread per entry of x (or element of y), coalesced in x and a random access to y each.
namespace spk::cuda {
namespace {

constexpr std::int32_t kFirstId = 4224;
constexpr int kThreads = 256;
constexpr Int kDotEntries = 16 * kThreads;  // of a block, before there are more blocks than kDotBlocks
constexpr Int kDotBlocks = 1024;
constexpr std::size_t kResultBytes = 256;  // of the workspace, for a result on its way home; more than it is, to align

template <class T, class Index>
struct Args {
  T* x;
  T* y;
  const Index* indices;
  Int nnz, size;
  int base;
  ScalarArgument<Sum<T>> alpha, beta;  // c and s of a rotation

  __device__ T& element(Int entry) const { return y[static_cast<Int>(indices[entry]) - base]; }
};

template <class T, class Index>
__global__ void __launch_bounds__(kThreads) scale(const Args<T, Index> a) {
  const Sum<T> beta = a.beta.get();
  if (is_one(beta)) return;
  const bool clears = is_zero(beta);
  for (Int i = first_item(); i < a.size; i += item_stride())
    a.y[i] = clears ? FromSum<T>::of(Sum<T>{}) : FromSum<T>::of(multiply(beta, to_sum(a.y[i])));
}

// Entries may repeat an index, so every addition is a compare and swap of the element, which rounds and keeps subnormal
// numbers as plain arithmetic does (the atomic addition of floats does not).
template <class T>
__device__ void add_to_element(T* to, Sum<T> term) {
  if constexpr (kIsComplex<T>) {
    add_to_element(&to->re, term.re);
    add_to_element(&to->im, term.im);
  } else {
    using Word = std::conditional_t<sizeof(T) == 2, unsigned short,
                                    std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>>;
    auto* const address = reinterpret_cast<Word*>(to);
    Word found = *address, before;
    do {
      before = found;
      T value;
      memcpy(&value, &before, sizeof value);
      value = FromSum<T>::of(add(to_sum(value), term));
      Word after;
      memcpy(&after, &value, sizeof after);
      found = atomicCAS(address, before, after);
    } while (found != before);
  }
}

template <class T, class Index>
__global__ void __launch_bounds__(kThreads) add_entries(const Args<T, Index> a) {
  const Sum<T> alpha = a.alpha.get();
  if (is_zero(alpha)) return;
  for (Int i = first_item(); i < a.nnz; i += item_stride())
    add_to_element(&a.element(i), multiply(alpha, to_sum(a.x[i])));
}

template <class T, class Index>
__global__ void __launch_bounds__(kThreads) gather(const Args<T, Index> a) {
  for (Int i = first_item(); i < a.nnz; i += item_stride()) a.x[i] = a.element(i);
}

template <class T, class Index>
__global__ void __launch_bounds__(kThreads) scatter(const Args<T, Index> a) {
  for (Int i = first_item(); i < a.nnz; i += item_stride()) a.element(i) = a.x[i];
}

template <class T, class Index>
__global__ void __launch_bounds__(kThreads) rotate(const Args<T, Index> a) {
  const Sum<T> c = a.alpha.get(), s = a.beta.get();
  Sum<T> minus_s;
  if constexpr (kIsComplex<T>)
    minus_s = {-s.re, -s.im};
  else
    minus_s = -s;
  for (Int i = first_item(); i < a.nnz; i += item_stride()) {
    const Sum<T> x = to_sum(a.x[i]), y = to_sum(a.element(i));
    a.x[i] = FromSum<T>::of(multiply_add(s, y, multiply(c, x)));
    a.element(i) = FromSum<T>::of(multiply_add(minus_s, x, multiply(c, y)));
  }
}

// Sum over a block, the same tree in every run; thread 0 has it. 8 * sizeof(S) bytes of shared memory.
template <class S>
__device__ S sum_over_block(S sum) {
  __shared__ S of_warps[kThreads / 32];
#pragma unroll
  for (int step = 16; step > 0; step /= 2) sum = add(sum, shuffle_xor(sum, step));
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = of_warps[0];
#pragma unroll
  for (int w = 1; w < kThreads / 32; ++w) sum = add(sum, of_warps[w]);
  return sum;
}

// A block sums `length` entries that follow each other; how many there are depends on nnz alone.
template <class T, class Index>
__global__ void __launch_bounds__(kThreads)
    dot_parts(const Args<T, Index> a, bool conjugates_x, Int length, Sum<T>* sums) {
  const Int begin = blockIdx.x * length, end = min(begin + length, a.nnz);
  Sum<T> sum{};
  for (Int i = begin + threadIdx.x; i < end; i += kThreads)
    sum = multiply_add(conjugate_if(conjugates_x, to_sum(a.x[i])), to_sum(a.element(i)), sum);
  sum = sum_over_block(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// One block.
template <class S>
__global__ void __launch_bounds__(kThreads) add_parts(const S* sums, int count, S* result) {
  S sum{};
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kThreads) sum = add(sum, sums[i]);
  sum = sum_over_block(sum);
  if (threadIdx.x == 0) *result = sum;
}

Int dot_blocks(Int nnz) noexcept { return std::clamp<Int>(ceil_div(nnz, kDotEntries), 1, kDotBlocks); }

template <class T, class Index>
void run_dot(const VectorProblem& p, const Args<T, Index>& a, const Exec& exec) {
  using S = Sum<T>;
  const Int blocks = dot_blocks(p.x.nnz), length = ceil_div(p.x.nnz, blocks);
  auto* const home = static_cast<S*>(exec.workspace);
  auto* const parts = static_cast<S*>(advance_bytes(exec.workspace, Int{kResultBytes}));
  S* const result = p.brings_result_home ? home : static_cast<S*>(p.result);
  const dim3 grid(static_cast<unsigned>(blocks));
  launch_kernel(dot_parts<T, Index>, {grid, kThreads}, stream_of(exec), a, p.conjugate_x, length,
                blocks == 1 ? result : parts);
  if (blocks > 1) launch_kernel(add_parts<S>, {1, kThreads}, stream_of(exec), parts, static_cast<int>(blocks), result);
  if (!p.brings_result_home) return;
  SPK_CUDA_CHECK(cudaMemcpyAsync(p.result, home, sizeof(S), cudaMemcpyDeviceToHost, stream_of(exec)));
  SPK_CUDA_CHECK(cudaStreamSynchronize(stream_of(exec)));
}

template <class T, class Index>
void run_typed(const Device& device, const VectorProblem& p, const Exec& exec) {
  Args<T, Index> a{};
  a.x = static_cast<T*>(p.x.values);
  a.y = static_cast<T*>(p.y.values);
  a.indices = static_cast<const Index*>(p.x.indices);
  a.nnz = p.x.nnz;
  a.size = p.y.rows;
  a.base = p.x.base;
  a.alpha = scalar_argument<Sum<T>>(p.scalars.alpha, p.scalars.device_alpha);
  a.beta = scalar_argument<Sum<T>>(p.scalars.beta, p.scalars.device_beta);
  switch (p.op) {
    case VectorOp::axpby:
      if (p.scalars.device_beta != nullptr || !p.scalars.beta.is_one())
        for_items(scale<T, Index>, device, a.size, exec, a);
      if (!p.skips_x()) for_items(add_entries<T, Index>, device, a.nnz, exec, a);
      break;
    case VectorOp::gather: for_items(gather<T, Index>, device, a.nnz, exec, a); break;
    case VectorOp::scatter: for_items(scatter<T, Index>, device, a.nnz, exec, a); break;
    case VectorOp::rot: for_items(rotate<T, Index>, device, a.nnz, exec, a); break;
    case VectorOp::spvv: run_dot(p, a, exec); break;
  }
}

}  // namespace

Choice choose(const Device&, const VectorProblem& p) { return choose_only(p, kFirstId); }

std::size_t workspace(const Device&, const VectorProblem& p, const Exec&) {
  if (p.op != VectorOp::spvv) return 0;
  const Int blocks = dot_blocks(p.x.nnz);
  return kResultBytes + (blocks == 1 ? 0 : static_cast<std::size_t>(blocks) * size_of(p.compute));
}

void run(const Device& device, const VectorProblem& p, const Exec& exec) {
  if (p.brings_result_home)
    refuse_capture(stream_of(exec),
                   "result is in host memory, which would have to be waited for; use the device pointer mode");
  visit_device(p.y.type, [&](auto value) {
    using T = typename decltype(value)::type;
    if (p.x.index_type == IndexType::i64)
      run_typed<T, std::int64_t>(device, p, exec);
    else
      run_typed<T, std::int32_t>(device, p, exec);
  });
}

}  // namespace spk::cuda
