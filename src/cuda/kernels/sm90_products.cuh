// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/sm90.cuh"

// Warpgroup products of 16-bit types with both operands in shared memory, either of them turned, and what goes with
// them. Names and rules: PTX ISA, "wgmma.mma_async", "prefetch".
namespace spk::cuda::sm90 {

__device__ inline void prefetch_map(const CUtensorMap* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
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

// D (64 x kN) = M N, one step of 16 along k, added to D or (accumulate = 0) overwriting it. Turned operands are MN-major,
// others K-major.
template <class T, int kN, bool kTurnedM, bool kTurnedN>
struct HalfProduct;

#define SPK_SUMS                                                                                              \
  "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), \
      "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),  \
      "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), \
      "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
#define SPK_NAMES                                          \
  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15," \
  "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define SPK_PRODUCT(Type, name)                                                                                 \
  template <bool kTurnedM, bool kTurnedN>                                                                       \
  struct HalfProduct<Type, 64, kTurnedM, kTurnedN> {                                                            \
    static __device__ void add(float (&d)[32], std::uint64_t m, std::uint64_t n, int accumulate) {              \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\nwgmma.mma_async.sync.aligned.m64n64k16.f32." name \
                   "." name " {" SPK_NAMES "}, %32, %33, p, 1, 1, %35, %36;\n}\n"                               \
                   : SPK_SUMS                                                                                   \
                   : "l"(m), "l"(n), "r"(accumulate), "n"(kTurnedM ? 1 : 0), "n"(kTurnedN ? 1 : 0));            \
    }                                                                                                           \
  };
SPK_PRODUCT(__half, "f16")
SPK_PRODUCT(__nv_bfloat16, "bf16")
#undef SPK_PRODUCT
#undef SPK_NAMES
#undef SPK_SUMS

#define SPK_SUMS                                                                                              \
  "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), \
      "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),  \
      "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), \
      "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), \
      "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), \
      "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), \
      "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), \
      "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
#define SPK_NAMES                                                    \
  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"           \
  "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31," \
  "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47," \
  "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define SPK_PRODUCT(Type, name)                                                                                  \
  template <bool kTurnedM, bool kTurnedN>                                                                        \
  struct HalfProduct<Type, 128, kTurnedM, kTurnedN> {                                                            \
    static __device__ void add(float (&d)[64], std::uint64_t m, std::uint64_t n, int accumulate) {               \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\nwgmma.mma_async.sync.aligned.m64n128k16.f32." name \
                   "." name " {" SPK_NAMES "}, %64, %65, p, 1, 1, %67, %68;\n}\n"                                \
                   : SPK_SUMS                                                                                    \
                   : "l"(m), "l"(n), "r"(accumulate), "n"(kTurnedM ? 1 : 0), "n"(kTurnedN ? 1 : 0));             \
    }                                                                                                            \
  };
SPK_PRODUCT(__half, "f16")
SPK_PRODUCT(__nv_bfloat16, "bf16")
#undef SPK_PRODUCT
#undef SPK_NAMES
#undef SPK_SUMS

#define SPK_SUMS                                                                                                      \
  "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),         \
      "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),          \
      "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),         \
      "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]),         \
      "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]),         \
      "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),         \
      "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]),         \
      "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]), "+f"(d[64]),         \
      "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]), "+f"(d[72]),         \
      "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79]), "+f"(d[80]),         \
      "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]),         \
      "+f"(d[89]), "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]), "+f"(d[96]),         \
      "+f"(d[97]), "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]), "+f"(d[104]),    \
      "+f"(d[105]), "+f"(d[106]), "+f"(d[107]), "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111]), "+f"(d[112]), \
      "+f"(d[113]), "+f"(d[114]), "+f"(d[115]), "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]), "+f"(d[120]), \
      "+f"(d[121]), "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])
#define SPK_NAMES                                                                \
  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"                       \
  "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"             \
  "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,"             \
  "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,"             \
  "%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,"             \
  "%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,"             \
  "%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111," \
  "%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"
#define SPK_PRODUCT(Type, name)                                                                                   \
  template <bool kTurnedM, bool kTurnedN>                                                                         \
  struct HalfProduct<Type, 256, kTurnedM, kTurnedN> {                                                             \
    static __device__ void add(float (&d)[128], std::uint64_t m, std::uint64_t n, int accumulate) {               \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %130, 0;\nwgmma.mma_async.sync.aligned.m64n256k16.f32." name \
                   "." name " {" SPK_NAMES "}, %128, %129, p, 1, 1, %131, %132;\n}\n"                             \
                   : SPK_SUMS                                                                                     \
                   : "l"(m), "l"(n), "r"(accumulate), "n"(kTurnedM ? 1 : 0), "n"(kTurnedN ? 1 : 0));              \
    }                                                                                                             \
  };
SPK_PRODUCT(__half, "f16")
SPK_PRODUCT(__nv_bfloat16, "bf16")
#undef SPK_PRODUCT
#undef SPK_NAMES
#undef SPK_SUMS

}  // namespace spk::cuda::sm90
