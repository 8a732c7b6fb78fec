// SPDX-License-Identifier: Apache-2.0
//
// SIMDe without the compiler's intrinsics: only its loops and the vectors of the language.
#include "proofs/machine_code/evex_simde.h"

#ifdef QUANTPROOF_HAVE_SIMDE

#define SIMDE_NO_NATIVE
#include <cstring>
#include <simde/x86/avx512.h>
#include <tuple>
#include <type_traits>
#include <unordered_map>

#ifdef SIMDE_X86_SSE_NATIVE
#error "SIMDe uses the instructions that it is to be compared with"
#endif

namespace quantproof::proofs::machine_code {

namespace {

struct Source {
  const std::vector<VectorBytes>& vectors;
  std::uint64_t scalar;
  std::size_t next = 0;
};

template <class T>
T take(Source& source) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(source.scalar);
  } else {
    T value;
    std::memcpy(&value, source.vectors.at(source.next++).data(), sizeof value);
    return value;
  }
}

// A function of SIMDe, whatever its type, and how to call it.
struct Function {
  void (*address)() = nullptr;
  VectorBytes (*call)(void (*)(), Source&) = nullptr;
};

template <class R, class... A>
Function function(R (*f)(A...)) {
  return {
      reinterpret_cast<void (*)()>(f), [](void (*address)(), Source& source) {
        // Braces: from left to right.
        const std::tuple<std::remove_cv_t<A>...> arguments{take<std::remove_cv_t<A>>(source)...};
        const R result = std::apply(reinterpret_cast<R (*)(A...)>(address), arguments);
        VectorBytes bytes{};
        std::memcpy(bytes.data(), &result, sizeof result);
        return bytes;
      }};
}

// For 128, 256 and 512 bits. Where only 512 is given and `local`, narrower vectors are its low
// part.
struct Row {
  Function of[3];
  bool local = false;
};

#define QP_ALL(name)                                                                          \
  {                                                                                           \
    { function(simde_mm_##name), function(simde_mm256_##name), function(simde_mm512_##name) } \
  }
#define QP_SIZED(name)                                                         \
  {                                                                            \
    {                                                                          \
      function(simde_mm_##name##_si128), function(simde_mm256_##name##_si256), \
          function(simde_mm512_##name##_si512)                                 \
    }                                                                          \
  }
#define QP_NARROW(name)                                           \
  {                                                               \
    {                                                             \
      function(simde_mm_##name), function(simde_mm256_##name), {} \
    }                                                             \
  }
#define QP_WIDE(name)                        \
  {                                          \
    { {}, {}, function(simde_mm512_##name) } \
  }
#define QP_LOCAL(name) \
  { {{}, {}, function(simde_mm512_##name)}, true }
#define QP_ACROSS(name)                                                \
  {                                                                    \
    { {}, function(simde_mm256_##name), function(simde_mm512_##name) } \
  }

const std::unordered_map<std::string, Row>& rows() {
  static const std::unordered_map<std::string, Row> kRows = {
      {"paddb", QP_ALL(add_epi8)},
      {"paddw", QP_ALL(add_epi16)},
      {"paddd", QP_ALL(add_epi32)},
      {"paddq", QP_ALL(add_epi64)},
      {"psubb", QP_ALL(sub_epi8)},
      {"psubw", QP_ALL(sub_epi16)},
      {"psubd", QP_ALL(sub_epi32)},
      {"psubq", QP_ALL(sub_epi64)},
      {"pabsb", QP_ALL(abs_epi8)},
      {"pabsw", QP_ALL(abs_epi16)},
      {"pabsd", QP_ALL(abs_epi32)},
      {"pmullw", QP_ALL(mullo_epi16)},
      {"pmulld", QP_ALL(mullo_epi32)},
      {"pmuludq", QP_ALL(mul_epu32)},
      {"pmuldq", QP_ALL(mul_epi32)},
      {"pmaddwd", QP_ALL(madd_epi16)},
      {"pmaxsb", QP_ALL(max_epi8)},
      {"pmaxsw", QP_ALL(max_epi16)},
      {"pmaxsd", QP_ALL(max_epi32)},
      {"pmaxub", QP_ALL(max_epu8)},
      {"pmaxuw", QP_ALL(max_epu16)},
      {"pmaxud", QP_ALL(max_epu32)},
      {"pminsb", QP_ALL(min_epi8)},
      {"pminsw", QP_ALL(min_epi16)},
      {"pminsd", QP_ALL(min_epi32)},
      {"pminub", QP_ALL(min_epu8)},
      {"pminuw", QP_ALL(min_epu16)},
      {"pminud", QP_ALL(min_epu32)},
      {"packsswb", QP_ALL(packs_epi16)},
      {"packssdw", QP_ALL(packs_epi32)},
      {"packuswb", QP_ALL(packus_epi16)},
      {"packusdw", QP_ALL(packus_epi32)},
      {"punpcklbw", QP_ALL(unpacklo_epi8)},
      {"punpcklwd", QP_ALL(unpacklo_epi16)},
      {"punpckldq", QP_ALL(unpacklo_epi32)},
      {"punpcklqdq", QP_ALL(unpacklo_epi64)},
      {"punpckhbw", QP_ALL(unpackhi_epi8)},
      {"punpckhwd", QP_ALL(unpackhi_epi16)},
      {"punpckhdq", QP_ALL(unpackhi_epi32)},
      {"punpckhqdq", QP_ALL(unpackhi_epi64)},
      {"unpcklps", QP_ALL(unpacklo_ps)},
      {"unpckhps", QP_ALL(unpackhi_ps)},
      {"unpcklpd", QP_ALL(unpacklo_pd)},
      {"unpckhpd", QP_ALL(unpackhi_pd)},
      {"pshufb", QP_ALL(shuffle_epi8)},
      {"pandd", QP_SIZED(and)},
      {"pandq", QP_SIZED(and)},
      {"pandnd", QP_SIZED(andnot)},
      {"pandnq", QP_SIZED(andnot)},
      {"pord", QP_SIZED(or)},
      {"porq", QP_SIZED(or)},
      {"pxord", QP_SIZED(xor)},
      {"pxorq", QP_SIZED(xor)},
      {"andps", QP_ALL(and_ps)},
      {"andpd", QP_ALL(and_pd)},
      {"andnps", QP_NARROW(andnot_ps)},
      {"andnpd", QP_NARROW(andnot_pd)},
      {"orps", QP_ALL(or_ps)},
      {"orpd", QP_ALL(or_pd)},
      {"xorps", QP_ALL(xor_ps)},
      {"xorpd", QP_ALL(xor_pd)},
      {"pternlogd", QP_ALL(ternarylogic_epi32)},
      {"pternlogq", QP_ALL(ternarylogic_epi32)},
      {"psllw i", QP_ALL(slli_epi16)},
      {"pslld i", QP_ALL(slli_epi32)},
      {"psllq i", QP_ALL(slli_epi64)},
      {"psrlw i", QP_ALL(srli_epi16)},
      {"psrld i", QP_ALL(srli_epi32)},
      {"psrlq i", QP_ALL(srli_epi64)},
      {"psraw i", QP_ALL(srai_epi16)},
      {"psrad i", QP_NARROW(srai_epi32)},
      {"psllw", QP_ALL(sll_epi16)},
      {"pslld", QP_ALL(sll_epi32)},
      {"psllq", QP_ALL(sll_epi64)},
      // Those of 128 bits are wrong in 0.7.4 for amounts beyond the width or from 2^63 on.
      {"psrlw", QP_LOCAL(srl_epi16)},
      {"psrld", QP_LOCAL(srl_epi32)},
      {"psrlq", QP_LOCAL(srl_epi64)},
      {"psraw", QP_LOCAL(sra_epi16)},
      {"psrad", QP_NARROW(sra_epi32)},
      {"psllvw", QP_LOCAL(sllv_epi16)},
      {"psllvd", QP_ALL(sllv_epi32)},
      {"psllvq", QP_ALL(sllv_epi64)},
      {"psrlvw", QP_ALL(srlv_epi16)},
      {"psrlvd", QP_ALL(srlv_epi32)},
      {"psrlvq", QP_ALL(srlv_epi64)},
      {"psravw", QP_LOCAL(srav_epi16)},
      {"psravd", QP_NARROW(srav_epi32)},
      {"pmovzxbw", QP_NARROW(cvtepu8_epi16)},
      {"pmovzxbd", QP_NARROW(cvtepu8_epi32)},
      {"pmovzxbq", QP_NARROW(cvtepu8_epi64)},
      {"pmovzxwd", QP_NARROW(cvtepu16_epi32)},
      {"pmovzxwq", QP_NARROW(cvtepu16_epi64)},
      {"pmovzxdq", QP_NARROW(cvtepu32_epi64)},
      {"pmovsxbw", QP_ALL(cvtepi8_epi16)},
      {"pmovsxbd", QP_NARROW(cvtepi8_epi32)},
      {"pmovsxbq", QP_NARROW(cvtepi8_epi64)},
      {"pmovsxwd", QP_NARROW(cvtepi16_epi32)},
      {"pmovsxwq", QP_NARROW(cvtepi16_epi64)},
      {"pmovsxdq", QP_NARROW(cvtepi32_epi64)},
      {"pshufd", QP_NARROW(shuffle_epi32)},
      {"permilps", QP_NARROW(permute_ps)},
      {"palignr", QP_NARROW(alignr_epi8)},
      {"movsldup", QP_NARROW(moveldup_ps)},
      {"movshdup", QP_NARROW(movehdup_ps)},
      {"permd", QP_ACROSS(permutexvar_epi32)},
      {"permps", QP_ACROSS(permutexvar_ps)},
      {"permt2d", QP_ALL(permutex2var_epi32)},
      {"permt2q", QP_ALL(permutex2var_epi64)},
      {"pbroadcastb", QP_ALL(broadcastb_epi8)},
      {"pbroadcastw", QP_ALL(broadcastw_epi16)},
      {"pbroadcastd", QP_ALL(broadcastd_epi32)},
      {"pbroadcastq", QP_ALL(broadcastq_epi64)},
      {"pbroadcastb r", QP_ALL(set1_epi8)},
      {"pbroadcastw r", QP_ALL(set1_epi16)},
      {"pbroadcastd r", QP_ALL(set1_epi32)},
      {"pbroadcastq r", QP_LOCAL(set1_epi64)},
      {"broadcastss", QP_ALL(broadcastss_ps)},
      {"broadcastsd", QP_ACROSS(broadcastsd_pd)},
      {"broadcastf32x4", QP_ACROSS(broadcast_f32x4)},
      {"broadcasti32x4",
       {{{}, function(simde_mm256_broadcastsi128_si256), function(simde_mm512_broadcast_i32x4)}}},
      {"insertf32x4", QP_WIDE(insertf32x4)},
      {"inserti32x4", QP_WIDE(inserti32x4)},
      {"insertf64x2", QP_WIDE(insertf64x2)},
      {"inserti64x2", QP_WIDE(inserti64x2)},
      {"insertf32x8", QP_WIDE(insertf32x8)},
      {"inserti32x8", QP_WIDE(inserti32x8)},
      {"insertf64x4", QP_WIDE(insertf64x4)},
      {"inserti64x4", QP_WIDE(inserti64x4)},
      {"extractf32x4", QP_WIDE(extractf32x4_ps)},
      {"extracti32x4", QP_WIDE(extracti32x4_epi32)},
      // Here and below: unmasked, the width of the lanes does not matter.
      {"extractf64x2", QP_WIDE(extractf32x4_ps)},
      {"extracti64x2", QP_WIDE(extracti32x4_epi32)},
      {"extractf32x8", QP_WIDE(extractf64x4_pd)},
      {"extracti32x8", QP_WIDE(extracti64x4_epi64)},
      {"extractf64x4", QP_WIDE(extractf64x4_pd)},
      {"extracti64x4", QP_WIDE(extracti64x4_epi64)},
      {"pcmpeqb", QP_WIDE(cmpeq_epi8_mask)},
      {"pcmpeqd", QP_WIDE(cmpeq_epi32_mask)},
      {"pcmpeqq", QP_WIDE(cmpeq_epi64_mask)},
      {"pcmpgtb", QP_WIDE(cmpgt_epi8_mask)},
      {"pcmpgtd", QP_WIDE(cmpgt_epi32_mask)},
      {"pcmpgtq", QP_WIDE(cmpgt_epi64_mask)},
      {"pcmpb le", QP_ALL(cmple_epi8_mask)},
      {"pcmpb ge", QP_ALL(cmpge_epi8_mask)},
      {"pcmpub le", QP_ALL(cmple_epu8_mask)},
      {"pcmpub ge", QP_ALL(cmpge_epu8_mask)},
      {"pcmpw le", QP_ALL(cmple_epi16_mask)},
      {"pcmpw ge", QP_ALL(cmpge_epi16_mask)},
      {"pcmpuw le", QP_ALL(cmple_epu16_mask)},
      {"pcmpuw ge", QP_ALL(cmpge_epu16_mask)},
      {"pcmpd le", QP_ALL(cmple_epi32_mask)},
      {"pcmpd ge", QP_ALL(cmpge_epi32_mask)},
      {"pcmpud le", QP_ALL(cmple_epu32_mask)},
      {"pcmpud ge", QP_ALL(cmpge_epu32_mask)},
      {"pcmpq le", QP_ALL(cmple_epi64_mask)},
      {"pcmpq ge", QP_ALL(cmpge_epi64_mask)},
      {"pcmpuq le", QP_ALL(cmple_epu64_mask)},
      {"pcmpuq ge", QP_ALL(cmpge_epu64_mask)},
      {"ptestmb", QP_LOCAL(test_epi8_mask)},
      {"pmovm2b r", QP_ALL(movm_epi8)},
      {"ptestmw", QP_LOCAL(test_epi16_mask)},
      {"pmovm2w r", QP_ALL(movm_epi16)},
      {"ptestmd", QP_LOCAL(test_epi32_mask)},
      {"pmovm2d r", QP_ALL(movm_epi32)},
      {"ptestmq", QP_LOCAL(test_epi64_mask)},
      {"pmovm2q r", QP_ALL(movm_epi64)},
      {"pmulhuw", QP_NARROW(mulhi_epu16)},
      {"shufi32x4", QP_ACROSS(shuffle_i32x4)},
      {"shuff32x4", QP_ACROSS(shuffle_i32x4)},
      {"shufi64x2", QP_ACROSS(shuffle_i32x4)},
      {"shuff64x2", QP_ACROSS(shuffle_i32x4)},
  };
  return kRows;
}

}  // namespace

bool simde_available() { return true; }

std::optional<VectorBytes> simde_result(const std::string& name, std::size_t bits,
                                        const std::vector<VectorBytes>& vectors,
                                        std::uint64_t scalar) {
  const auto it = rows().find(name);
  if (it == rows().end()) return std::nullopt;
  const Row& row = it->second;
  const Function& f = row.of[row.local || bits == 512 ? 2 : bits == 256 ? 1 : 0];
  if (f.address == nullptr) return std::nullopt;
  Source source{vectors, scalar};
  VectorBytes result = f.call(f.address, source);
  if (row.local) std::memset(result.data() + bits / 8, 0, result.size() - bits / 8);
  return result;
}

VectorBytes simde_masked(std::size_t lane_bits, std::uint64_t mask, bool zeroing,
                         const VectorBytes& old, const VectorBytes& value) {
  simde__m512i o;
  simde__m512i v;
  std::memcpy(&o, old.data(), sizeof o);
  std::memcpy(&v, value.data(), sizeof v);
  simde__m512i r{};
#define QP_CASE(n, type)                                                                     \
  case n: {                                                                                  \
    const auto k = static_cast<type>(mask);                                                  \
    r = zeroing ? simde_mm512_maskz_mov_epi##n(k, v) : simde_mm512_mask_mov_epi##n(o, k, v); \
    break;                                                                                   \
  }
  switch (lane_bits) {
    QP_CASE(8, simde__mmask64)
    QP_CASE(16, simde__mmask32)
    QP_CASE(32, simde__mmask16)
    QP_CASE(64, simde__mmask8)
    default:
      break;
  }
#undef QP_CASE
  VectorBytes bytes{};
  std::memcpy(bytes.data(), &r, sizeof r);
  return bytes;
}

}  // namespace quantproof::proofs::machine_code

#else

namespace quantproof::proofs::machine_code {

bool simde_available() { return false; }

std::optional<VectorBytes> simde_result(const std::string&, std::size_t,
                                        const std::vector<VectorBytes>&, std::uint64_t) {
  return std::nullopt;
}

VectorBytes simde_masked(std::size_t, std::uint64_t, bool, const VectorBytes&,
                         const VectorBytes& value) {
  return value;
}

}  // namespace quantproof::proofs::machine_code

#endif
