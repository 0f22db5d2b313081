// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/sm90.cuh"

// Warpgroup products of 16-bit types with both operands in shared memory, either of them turned, and of tf32, and what goes
// with them. Names and rules: PTX ISA, "wgmma.mma_async", "prefetch".
namespace spk::cuda::sm90 {

__device__ inline void prefetch_map(const CUtensorMap* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}
// The way back, of what the threads of this warp have written to shared memory and fenced for bulk copies; nothing is
// written outside of the tensor.
__device__ inline void tensor_store(const CUtensorMap* map, std::uint32_t from, int x, int y, int z) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(map), "r"(from),
               "r"(x), "r"(y), "r"(z)
               : "memory");
}
// This thread's stores have read shared memory.
__device__ inline void tensor_stores_wait() {
  asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
}
// Four 8 x 8 matrices of 16-bit elements, of which a lane has a pair of each: lane l gives the place of row l % 8 of matrix
// l / 8.
__device__ inline void store_matrices(std::uint32_t to, const std::uint32_t (&pairs)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(pairs[0]),
               "r"(pairs[1]), "r"(pairs[2]), "r"(pairs[3])
               : "memory");
}
// 16 bytes to shared memory of any block of the cluster, and their number to a barrier there, some time; both addresses are
// ones of address_in().
__device__ inline void store_there(std::uint32_t to, float x, float y, float z, float w, std::uint32_t barrier) {
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(to),
      "f"(x), "f"(y), "f"(z), "f"(w), "r"(barrier)
      : "memory");
}
__device__ inline void load_four(std::uint32_t from, float* x) {
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3])
               : "r"(from)
               : "memory");
}
// 16 bytes of shared memory of any block of the cluster; the address is one of address_in().
__device__ inline float4 load_there(std::uint32_t address) {
  float4 x;
  asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w)
               : "r"(address)
               : "memory");
  return x;
}

// Of an operand that is MN-major and longer than 64: panels of 64, `panel` bytes apart, of which k has one line of 128
// bytes each, with the 128-byte swizzle.
__device__ inline std::uint64_t descriptor_of_panels(std::uint32_t address, std::uint32_t panel) {
  constexpr std::uint64_t kStride = 1024 >> 4, kSwizzle128 = 1;
  return ((address & 0x3ffff) >> 4) | static_cast<std::uint64_t>(panel >> 4) << 16 | kStride << 32 | kSwizzle128 << 62;
}

// The registers of sums: "%0,%1,..." and "+f"(d[0]), "+f"(d[1]), ..., 4 to 128 of them. The instructions name each.
#define SPK_EIGHT(i)                                                                                          \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), \
      "+f"(d[i + 7])
#define SPK_SUMS_4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SPK_SUMS_8(i) SPK_EIGHT(i)
#define SPK_SUMS_16(i) SPK_EIGHT(i), SPK_EIGHT(i + 8)
#define SPK_SUMS_32(i) SPK_SUMS_16(i), SPK_SUMS_16(i + 16)
#define SPK_SUMS_64(i) SPK_SUMS_32(i), SPK_SUMS_32(i + 32)
#define SPK_SUMS_128(i) SPK_SUMS_64(i), SPK_SUMS_64(i + 64)
#define SPK_NAMES_4 "%0,%1,%2,%3"
#define SPK_NAMES_8 "%0,%1,%2,%3,%4,%5,%6,%7"
#define SPK_NAMES_16 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15"
#define SPK_NAMES_32 \
  SPK_NAMES_16       \
  ",%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define SPK_NAMES_64                                                 \
  SPK_NAMES_32                                                       \
  ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47" \
  ",%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define SPK_NAMES_128                                                            \
  SPK_NAMES_64                                                                   \
  ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79"             \
  ",%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95"             \
  ",%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111" \
  ",%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"

// D (64 x kN) = M N, one step of 16 along k, added to D or (accumulate = 0) overwriting it. Turned operands are MN-major,
// others K-major.
template <class T, int kN, bool kTurnedM, bool kTurnedN>
struct HalfProduct;

// The numbers of the operands behind kN / 2 = `count` sums: m, n, whether to add, which operands are turned.
#define SPK_PRODUCT(Type, name, kN, count, m_at, n_at, add_at, turned_m, turned_n)                                   \
  template <bool kTurnedM, bool kTurnedN>                                                                            \
  struct HalfProduct<Type, kN, kTurnedM, kTurnedN> {                                                                 \
    static __device__ void add(float (&d)[count], std::uint64_t m, std::uint64_t n, int accumulate) {                \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #add_at ", 0;\nwgmma.mma_async.sync.aligned.m64n" #kN        \
                   "k16.f32." name "." name " {" SPK_NAMES_##count "}, %" #m_at ", %" #n_at ", p, 1, 1, %" #turned_m \
                                                                   ", %" #turned_n ";\n}\n"                          \
                   : SPK_SUMS_##count(0)                                                                             \
                   : "l"(m), "l"(n), "r"(accumulate), "n"(kTurnedM ? 1 : 0), "n"(kTurnedN ? 1 : 0));                 \
    }                                                                                                                \
  };
#define SPK_PRODUCTS(kN, count, m_at, n_at, add_at, turned_m, turned_n)         \
  SPK_PRODUCT(__half, "f16", kN, count, m_at, n_at, add_at, turned_m, turned_n) \
  SPK_PRODUCT(__nv_bfloat16, "bf16", kN, count, m_at, n_at, add_at, turned_m, turned_n)
SPK_PRODUCTS(8, 4, 4, 5, 6, 7, 8)
SPK_PRODUCTS(16, 8, 8, 9, 10, 11, 12)
SPK_PRODUCTS(32, 16, 16, 17, 18, 19, 20)
SPK_PRODUCTS(64, 32, 32, 33, 34, 35, 36)
SPK_PRODUCTS(128, 64, 64, 65, 66, 67, 68)
SPK_PRODUCTS(256, 128, 128, 129, 130, 131, 132)
#undef SPK_PRODUCTS
#undef SPK_PRODUCT

// The same for tf32, one step of 8, with M in registers: rows lane / 4 (+ 8), columns lane % 4 (+ 4) of each warp's 16 x 8
// part; N is K-major.
template <int kN>
struct ProductTf32;

#define SPK_PRODUCT(kN, count, m0, m1, m2, m3, n_at, add_at)                                                      \
  template <>                                                                                                     \
  struct ProductTf32<kN> {                                                                                        \
    static __device__ void add(float (&d)[count], const std::uint32_t (&m)[4], std::uint64_t n, int accumulate) { \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #add_at ", 0;\nwgmma.mma_async.sync.aligned.m64n" #kN     \
                   "k8.f32.tf32.tf32 {" SPK_NAMES_##count "}, {%" #m0 ",%" #m1 ",%" #m2 ",%" #m3 "}, %" #n_at     \
                                                          ", p, 1, 1;\n}\n"                                       \
                   : SPK_SUMS_##count(0)                                                                          \
                   : "r"(m[0]), "r"(m[1]), "r"(m[2]), "r"(m[3]), "l"(n), "r"(accumulate));                        \
    }                                                                                                             \
  };
SPK_PRODUCT(8, 4, 4, 5, 6, 7, 8, 9)
SPK_PRODUCT(16, 8, 8, 9, 10, 11, 12, 13)
SPK_PRODUCT(32, 16, 16, 17, 18, 19, 20, 21)
SPK_PRODUCT(64, 32, 32, 33, 34, 35, 36, 37)
SPK_PRODUCT(128, 64, 64, 65, 66, 67, 68, 69)
#undef SPK_PRODUCT
#undef SPK_NAMES_128
#undef SPK_NAMES_64
#undef SPK_NAMES_32
#undef SPK_NAMES_16
#undef SPK_NAMES_8
#undef SPK_NAMES_4
#undef SPK_SUMS_128
#undef SPK_SUMS_64
#undef SPK_SUMS_32
#undef SPK_SUMS_16
#undef SPK_SUMS_8
#undef SPK_SUMS_4
#undef SPK_EIGHT

}  // namespace spk::cuda::sm90
