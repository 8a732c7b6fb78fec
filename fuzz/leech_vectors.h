// SPDX-License-Identifier: Apache-2.0
//
// All lattice points of norm 4 and of norm 6, shape by shape in the order of leech.md 4.2.
#ifndef QUANTPROOF_FUZZ_LEECH_VECTORS_H_
#define QUANTPROOF_FUZZ_LEECH_VECTORS_H_

#include <bit>
#include <cstddef>
#include <cstdint>

#include "fuzz/leech_points.h"

namespace quantproof::fuzz {

// +-2 on the ones of a word, with the bits of `signs` as minus signs in ascending order.
inline LeechRow leech_twos(std::uint32_t word, unsigned signs) {
  LeechRow v{};
  unsigned next = 0;
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    if ((word >> i & 1u) != 0) v[i] = (signs >> next++ & 1u) != 0 ? -2 : 2;
  }
  return v;
}

// -1 on the ones of a word and 1 elsewhere.
inline LeechRow leech_ones(std::uint32_t word) {
  LeechRow v{};
  for (std::size_t i = 0; i < kLeechDimension; ++i) v[i] = (word >> i & 1u) != 0 ? -1 : 1;
  return v;
}

// Calls visit(v) for each of the 196,560 vectors of norm 4.
template <class Visit>
void visit_minimal_vectors(const Visit& visit) {
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    for (std::size_t j = i + 1; j < kLeechDimension; ++j) {
      for (unsigned signs = 0; signs < 4; ++signs) {
        LeechRow v{};
        v[i] = (signs & 1u) != 0 ? -4 : 4;
        v[j] = (signs & 2u) != 0 ? -4 : 4;
        visit(v);
      }
    }
  }
  for (std::uint32_t k = 0; k < kGolayWordCount; ++k) {
    const std::uint32_t word = golay_word(k);
    for (unsigned signs = 0; std::popcount(word) == 8 && signs < 256; ++signs) {
      if (std::popcount(signs) % 2 == 0) visit(leech_twos(word, signs));
    }
    for (std::size_t i = 0; i < kLeechDimension; ++i) {
      LeechRow v = leech_ones(word);
      v[i] *= -3;
      visit(v);
    }
  }
}

// Calls visit(v) for each of the 16,773,120 vectors of norm 6.
template <class Visit>
void visit_norm_6_vectors(const Visit& visit) {
  for (std::uint32_t k = 0; k < kGolayWordCount; ++k) {
    const std::uint32_t word = golay_word(k);
    for (unsigned signs = 0; std::popcount(word) == 12 && signs < 4096; ++signs) {
      if (std::popcount(signs) % 2 == 0) visit(leech_twos(word, signs));
    }
    for (unsigned signs = 0; std::popcount(word) == 8 && signs < 256; ++signs) {
      if (std::popcount(signs) % 2 == 0) continue;
      LeechRow v = leech_twos(word, signs);
      for (std::size_t i = 0; i < kLeechDimension; ++i) {
        if ((word >> i & 1u) != 0) continue;
        for (const std::int32_t four : {4, -4}) {
          v[i] = four;
          visit(v);
        }
        v[i] = 0;
      }
    }
    LeechRow v = leech_ones(word);
    for (std::size_t a = 0; a < kLeechDimension; ++a) {
      v[a] *= 5;
      visit(v);
      v[a] /= -5;
      v[a] *= 3;
      for (std::size_t b = a + 1; b < kLeechDimension; ++b) {
        v[b] *= -3;
        for (std::size_t c = b + 1; c < kLeechDimension; ++c) {
          v[c] *= -3;
          visit(v);
          v[c] /= -3;
        }
        v[b] /= -3;
      }
      v[a] /= -3;
    }
  }
}

}  // namespace quantproof::fuzz

#endif
