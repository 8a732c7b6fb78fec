// SPDX-License-Identifier: Apache-2.0
#include "proofs/half.h"

namespace quantproof::proofs {

WideningRules::WideningRules(symbolic::Session& session, const z3::expr& half,
                             const z3::expr& widened)
    : s_(session),
      half_(half),
      widened_(widened),
      exponent_(half.extract(14, 10)),
      fraction_(half.extract(9, 0)),
      sign_(half.extract(15, 15)) {}

z3::expr WideningRules::ieee() const {
  z3::context& z3 = s_.z3;
  const z3::sort binary16 = z3.fpa_sort(5, 11);
  const z3::sort binary32 = z3.fpa_sort(8, 24);
  const z3::expr nearest(z3, Z3_mk_fpa_rne(z3));
  const z3::expr scale(z3, Z3_mk_fpa_to_fp_bv(z3, half_, binary16));
  const z3::expr want(z3, Z3_mk_fpa_to_fp_float(z3, nearest, scale, binary32));
  const z3::expr got(z3, Z3_mk_fpa_to_fp_bv(z3, widened_, binary32));
  return got == want;  // identity, not fp.eq: +0 and -0 differ
}

z3::expr WideningRules::nan_bits() const {
  const z3::expr nan = exponent_ == s_.value(31, 5) && fraction_ != s_.value(0, 10);
  const z3::expr quiet_fraction = fraction_ | s_.value(0x200, 10);
  const z3::expr want =
      z3::concat(sign_, z3::concat(s_.value(255, 8), z3::concat(quiet_fraction, s_.value(0, 13))));
  return z3::implies(nan, widened_ == want);
}

z3::expr WideningRules::never_subnormal() const {
  return z3::implies(widened_.extract(30, 23) == s_.value(0, 8),
                     widened_.extract(22, 0) == s_.value(0, 23));
}

z3::expr WideningRules::subnormal() const {
  return exponent_ == s_.value(0, 5) && fraction_ != s_.value(0, 10);
}

z3::expr WideningRules::colibri_bits() const {
  return widened_ ==
         z3::concat(sign_, z3::concat(s_.value(113, 8), z3::concat(fraction_, s_.value(0, 13))));
}

namespace {

// half.md 2 and 3 in integers, apart from ref/ and from the solver.
std::uint32_t widened_by_the_text(qp_profile profile, std::uint32_t half) {
  const std::uint32_t sign = (half / 0x8000) << 31;
  const std::uint32_t e = (half / 0x400) % 32;
  const std::uint32_t m = half % 0x400;
  if (e == 31 && m == 0) return sign + 255 * 0x800000u;                         // 2.4
  if (e == 31) return sign + 255 * 0x800000u + 0x400000u + (m % 512) * 8192;    // 2.5
  if (e > 0) return sign + (e + 112) * 0x800000u + m * 8192;                    // 2.3
  if (m == 0) return sign;                                                      // 2.1
  if (profile == QP_PROFILE_COLIBRI) return sign + 113 * 0x800000u + m * 8192;  // 3.3
  std::uint32_t p = 0;  // 2.2: floor(log2 m)
  while ((2u << p) <= m) ++p;
  return sign + (103 + p) * 0x800000u + (m << (23 - p)) % 0x800000u;
}

}  // namespace

void half_widen_2(Obligation& o) {
  using Parts = Shipped<Iq3Xxs>;
  prove_widening<Parts>(o, replay<Parts>);
  for (const qp_profile profile : {QP_PROFILE_STRICT, QP_PROFILE_GGML, QP_PROFILE_COLIBRI}) {
    for (std::uint32_t half = 0; half < 0x10000; ++half) {
      const std::uint32_t got = fast::WidenScale(profile, half);
      const std::uint32_t want = widened_by_the_text(profile, half);
      if (got == want) continue;
      o.check(false, "scale " + hex(half, 4) + ", profile " + std::to_string(profile) + ": got " +
                         hex(got, 8) + ", want " + hex(want, 8));
      return;
    }
  }
  o.note("65,536 patterns x 3 profiles computed");
}

}  // namespace quantproof::proofs
