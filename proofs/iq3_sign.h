// SPDX-License-Identifier: Apache-2.0
//
// IQ3-SIGN-1 and IQ3-SIGN-2: the signs of a group, spec/formats/iq3_xxs.md clause 4.2.
#ifndef QUANTPROOF_PROOFS_IQ3_SIGN_H_
#define QUANTPROOF_PROOFS_IQ3_SIGN_H_

#include "proofs/iq3_block.h"

namespace quantproof::proofs {

// A block of scale 1 whose first word is `word`: shows a wrong sign as a wrong weight.
template <class Layout>
Block block_with_word(std::uint32_t word) {
  Block block{};
  block[Layout::kScaleOffset + 1] = 0x3C;
  for (unsigned i = 0; i < 4; ++i) {
    block[Layout::kSignScaleOffset + i] = static_cast<std::uint8_t>(word >> (8 * i));
  }
  return block;
}

// The eight signs of a group as one byte, weight 0 in bit 0.
template <class Parts>
z3::expr sign_byte(const symbolic::Uint32& field) {
  const auto negative = Parts::Reference::group_signs(field);
  symbolic::Uint32 byte(0u);
  for (unsigned j = 0; j < kGroupWeights; ++j) byte = byte | (negative[j] << j);
  return byte.term();
}

// The kernel's sign word of a word of four fields.
template <class Parts>
z3::expr kernel_sign_word(const z3::expr& word) {
  using D = symbolic::Tag<symbolic::Uint32, symbolic::Kind::kUint, 1>;
  const symbolic::Vector<symbolic::Uint32, symbolic::Kind::kUint, 1> words{
      {symbolic::Uint32(word)}};
  return Parts::Kernel::sign_words(D(), words).lane[0].term();
}

// The sign word that the reference's group_signs makes of the same fields.
template <class Parts>
z3::expr reference_sign_word(const z3::expr& word) {
  symbolic::Uint32 signs(0u);
  for (unsigned l = 0; l < kGroupsPerSubblock; ++l) {
    const symbolic::Uint32 field = (symbolic::Uint32(word) >> (7 * l)) & 0x7Fu;
    signs = signs | (symbolic::Uint32(sign_byte<Parts>(field)) << (8 * l));
  }
  return signs.term();
}

template <class Parts>
void prove_sign_words(Obligation& o, const Witness& witness) {
  symbolic::Session session;
  const z3::expr word = session.constant("word", 32);
  o.prove(session, "sign_words", Obligation::Logic::kBitVectors,
          kernel_sign_word<Parts>(word) == reference_sign_word<Parts>(word),
          [&](const z3::model& model) {
            return witness(block_with_word<typename Parts::Layout>(number(model, word))).text;
          });
}

// Bit k of the result is 1 iff an odd number of the bits of byte k of `word` are set.
inline z3::expr odd_bytes(const z3::expr& word, unsigned bytes) {
  z3::expr odd = word.extract(0, 0);
  for (unsigned j = 1; j < 8; ++j) odd = odd ^ word.extract(j, j);
  for (unsigned k = 1; k < bytes; ++k) {
    z3::expr byte = word.extract(8 * k, 8 * k);
    for (unsigned j = 1; j < 8; ++j) byte = byte ^ word.extract(8 * k + j, 8 * k + j);
    odd = z3::concat(byte, odd);
  }
  return odd;
}

template <class Parts>
void prove_even_signs(Obligation& o, const Witness& witness) {
  using Layout = typename Parts::Layout;
  symbolic::Session session;
  const z3::expr a = session.constant("a", kSignFieldBits);
  const z3::expr b = session.constant("b", kSignFieldBits);
  const auto signs = [&](const z3::expr& field) {
    return sign_byte<Parts>(symbolic::Uint32(z3::zext(field, 25))).extract(7, 0);
  };
  const auto show = [&](const z3::model& model) {
    return witness(block_with_word<Layout>(number(model, a) | (number(model, b) << 7))).text;
  };
  using enum Obligation::Logic;
  o.prove(session, "even", kBitVectors, odd_bytes(signs(a), 1) == session.value(0, 1), show);
  o.prove(session, "linear", kBitVectors, signs(a ^ b) == (signs(a) ^ signs(b)), show);
  const z3::expr difference = signs(a) ^ signs(b);
  const z3::expr one = session.value(1, 8);
  o.prove(session, "distance", kBitVectors,
          z3::implies(a != b, difference != session.value(0, 8) &&
                                  (difference & (difference - one)) != session.value(0, 8)),
          show);
  const z3::expr even = session.constant("even_choice", 8);
  o.prove(session, "onto", kBitVectors,
          z3::implies(odd_bytes(even, 1) == session.value(0, 1), signs(even.extract(6, 0)) == even),
          [&](const z3::model& model) {
            return witness(block_with_word<Layout>(number(model, even) & 0x7Fu)).text;
          });
  const z3::expr word = session.constant("word", 32);
  o.prove(session, "kernel_even", kBitVectors,
          odd_bytes(kernel_sign_word<Parts>(word), 4) == session.value(0, 4),
          [&](const z3::model& model) {
            return witness(block_with_word<Layout>(number(model, word))).text;
          });
}

}  // namespace quantproof::proofs

#endif
