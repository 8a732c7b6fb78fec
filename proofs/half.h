// SPDX-License-Identifier: Apache-2.0
//
// HALF-WIDEN-2: widening a scale, spec/formats/half.md clauses 2 and 3.
#ifndef QUANTPROOF_PROOFS_HALF_H_
#define QUANTPROOF_PROOFS_HALF_H_

#include "proofs/iq3_block.h"

namespace quantproof::proofs {

// Facts about the widened bits of one symbolic pattern, stated without the code under proof.
class WideningRules {
 public:
  WideningRules(symbolic::Session& session, const z3::expr& half, const z3::expr& widened);
  // 2.1 to 2.4 by IEEE 754: the number that binary16 pattern stands for. NaN to some NaN.
  [[nodiscard]] z3::expr ieee() const;
  // 2.5 and 2.8: the bits of a NaN. SMT-LIB has one NaN only, so these are said in bits.
  [[nodiscard]] z3::expr nan_bits() const;
  // 2.7: zero or a normal number.
  [[nodiscard]] z3::expr never_subnormal() const;
  [[nodiscard]] z3::expr subnormal() const;  // the pattern is subnormal
  // 3.3: the bits of a subnormal pattern in profile colibri.
  [[nodiscard]] z3::expr colibri_bits() const;

 private:
  symbolic::Session& s_;
  z3::expr half_;     // 16 bits
  z3::expr widened_;  // 32 bits
  z3::expr exponent_;
  z3::expr fraction_;
  z3::expr sign_;
};

template <class Parts>
void prove_widening(Obligation& o, const Witness& witness) {
  for (const qp_profile profile : {QP_PROFILE_STRICT, QP_PROFILE_GGML, QP_PROFILE_COLIBRI}) {
    symbolic::Session session;
    const z3::expr half = session.constant("half", 16);
    const symbolic::Uint32 widened =
        Parts::Half::widen(profile, symbolic::Uint32(z3::zext(half, 16)));
    const WideningRules rules(session, half, widened.term());
    const z3::expr value = profile == QP_PROFILE_COLIBRI
                               ? z3::ite(rules.subnormal(), rules.colibri_bits(), rules.ieee())
                               : rules.ieee();
    const auto explain = [&](const z3::model& model) {
      Block block{};
      const std::uint32_t pattern = number(model, half);
      block[Parts::Layout::kScaleOffset] = static_cast<std::uint8_t>(pattern);
      block[Parts::Layout::kScaleOffset + 1] = static_cast<std::uint8_t>(pattern >> 8);
      return "scale " + hex(pattern, 4) + ", profile " + std::to_string(profile) + ": " +
             witness(block).text;
    };
    const std::string name = "profile_" + std::to_string(profile);
    using enum Obligation::Logic;
    o.prove(session, name + ".nan", kFloats, rules.nan_bits(), explain);
    o.prove(session, name, kFloats, value && rules.never_subnormal(), explain);
    if (o.failed()) return;
  }
}

}  // namespace quantproof::proofs

#endif
