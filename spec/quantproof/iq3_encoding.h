// SPDX-License-Identifier: Apache-2.0
//
// What the reference and the fast encoder of IQ3_XXS and E8/IQ3 share: the options, the grid of
// scales and the numbers of the efforts. Text: spec/formats/encoding.md.
#ifndef QUANTPROOF_IQ3_ENCODING_H_
#define QUANTPROOF_IQ3_ENCODING_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "quantproof/iq3_block.h"

namespace quantproof {

enum class Iq3Effort { kFast, kDefault, kBest };

// encoding.md 3.2
enum class Iq3Weighting {
  kImportance,  // w = h
  kGgml,        // w = h sqrt(sigma2 + x^2)
};

// encoding.md 9: what an effort spends.
struct Iq3Search {
  int first_probe;    // grid steps from the sub-block's greatest magnitude to the first probe
  int probe_step;     // grid steps between two probes
  int probes;         // at most kIq3MaxProbes
  int trials;         // scales that are tried, each with its refits
  int refits;         // of one trial
  int settle;         // codes on each side that are tried at the end
  bool flipped_rows;  // whether probes look for the best row with a flipped sign
};

inline constexpr int kIq3MaxProbes = 25;
inline constexpr int kIq3MaxTrials = 8;

constexpr Iq3Search iq3_search(Iq3Effort effort) {
  switch (effort) {
    case Iq3Effort::kFast:
      return {-204, 12, 3, 1, 0, 0, false};
    case Iq3Effort::kDefault:
      return {-208, 8, 6, 1, 0, 0, true};
    case Iq3Effort::kBest:
      break;
  }
  return {-228, 4, 25, 8, 3, 15, true};
}

// encoding.md 4.3: 2^(i / 32) as binary32, nearest. Grid step k stands for
// kIq3GridFraction[k mod 32] 2^floor(k / 32).
inline constexpr int kIq3GridSteps = 32;
// clang-format off
inline constexpr std::array<float, kIq3GridSteps> kIq3GridFraction = {
    0x1.000000p+0f, 0x1.059b0ep+0f, 0x1.0b5586p+0f, 0x1.11301ep+0f,
    0x1.172b84p+0f, 0x1.1d4874p+0f, 0x1.2387a6p+0f, 0x1.29e9e0p+0f,
    0x1.306fe0p+0f, 0x1.371a74p+0f, 0x1.3dea64p+0f, 0x1.44e086p+0f,
    0x1.4bfdaep+0f, 0x1.5342b6p+0f, 0x1.5ab07ep+0f, 0x1.6247ecp+0f,
    0x1.6a09e6p+0f, 0x1.71f75ep+0f, 0x1.7a1148p+0f, 0x1.82589ap+0f,
    0x1.8ace54p+0f, 0x1.93737cp+0f, 0x1.9c4918p+0f, 0x1.a5503cp+0f,
    0x1.ae89fap+0f, 0x1.b7f770p+0f, 0x1.c199bep+0f, 0x1.cb720ep+0f,
    0x1.d5818ep+0f, 0x1.dfc974p+0f, 0x1.ea4afap+0f, 0x1.f50766p+0f,
};
// clang-format on

// encoding.md 4.3: 2^(1 / 64), half a step.
inline constexpr float kIq3GridHalfStep = 0x1.02c9a4p+0f;

// encoding.md 8.4: 32 log2(2s + 1) for each scale code, to the nearest integer.
inline constexpr std::array<int, 16> kIq3CodeStep = {0,   51,  74,  90,  101, 111, 118, 125,
                                                     131, 136, 141, 145, 149, 152, 155, 159};

// encoding.md 8.5: of the sub-block with the greatest magnitude, the code of the least scale
// searched is 15 at the first probe, and of the greatest this one at the last probe.
inline constexpr std::size_t kIq3LeastGreatCode = 5;

// encoding.md 5.2 and 5.3, as exponents of two.
inline constexpr int kIq3MagnitudeFloor = -40;
inline constexpr int kIq3ImportanceFloor = -24;

// encoding.md 2.2: the greatest magnitude of a weight, 31 * 62 / 2^value_shift * 65,504.
constexpr float iq3_weight_limit(int value_shift) {
  return 65504.0f * 1922.0f / static_cast<float>(1 << value_shift);
}

// encoding.md 5.1: half the least magnitude but 0 that a block can hold.
constexpr float iq3_zero_limit(int value_shift) {
  return 0x1p-23f / static_cast<float>(1 << value_shift);
}

}  // namespace quantproof

#endif
