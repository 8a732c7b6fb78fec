// SPDX-License-Identifier: Apache-2.0
//
// The codebook of IQ3_XXS and E8/IQ3, spec/formats/iq3_xxs.md clause 3: 256 rows of four
// magnitudes. Written down once, as levels; every other form is made from this list.
//
// The list of levels is a fact of the format, read from llama.cpp v0.4.0, whose tables carry
// this notice: MIT License, Copyright (c) 2023-2026 The ggml authors.
#ifndef QUANTPROOF_IQ3_CODEBOOK_H_
#define QUANTPROOF_IQ3_CODEBOOK_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "quantproof/iq3_block.h"

namespace quantproof {

inline constexpr std::size_t kCodebookRows = 256;
inline constexpr std::size_t kLevels = 8;

// Magnitude of a level: 8 l + 4, except that level 7 is 62 and not 60.
inline constexpr std::array<std::uint8_t, kLevels> kLevelMagnitude = {4,  12, 20, 28,
                                                                      36, 44, 52, 62};

// Row r as four octal digits: the first digit is the level of the row's first weight.
// clang-format off
inline constexpr std::array<std::uint16_t, kCodebookRows> kIq3RowLevels = {
    00000, 02000, 04000, 01100, 03100, 07100, 00200, 02200, 01300, 02400,
    03700, 05700, 01010, 03010, 00110, 02110, 01210, 05210, 00310, 02310,
    01410, 04510, 00710, 00020, 02020, 04020, 01120, 00220, 02220, 01320,
    03320, 07320, 01520, 07520, 05720, 01030, 07030, 00130, 02130, 05230,
    00730, 03140, 07340, 04440, 07540, 03740, 05740, 01050, 07050, 02350,
    02550, 05360, 04660, 00170, 04170, 06170, 03470, 01670, 01001, 03001,
    00101, 02101, 01201, 03201, 00301, 02301, 04301, 07401, 00501, 00011,
    02011, 01111, 00211, 02211, 01021, 03021, 00121, 02121, 01221, 00321,
    02721, 00031, 02031, 00231, 01331, 06431, 06631, 01041, 05041, 00541,
    00251, 04251, 06451, 01751, 05061, 02271, 00471, 00002, 02002, 01102,
    03102, 00202, 02202, 06202, 01302, 02402, 01012, 03012, 05012, 00112,
    02112, 01212, 00312, 03612, 07612, 00712, 00022, 02022, 01122, 07122,
    00222, 02222, 07322, 00422, 05522, 01032, 00132, 04132, 00732, 04732,
    05342, 03542, 03052, 07252, 01452, 04752, 01072, 03072, 06172, 05472,
    01003, 00103, 02103, 01203, 03203, 00503, 05603, 02703, 00013, 02013,
    00213, 01313, 04413, 06413, 01023, 03023, 00123, 05223, 02523, 02723,
    01133, 03333, 00343, 07443, 02743, 00053, 06053, 02253, 05553, 04163,
    06363, 03663, 03373, 00673, 04004, 07104, 05304, 07304, 03504, 07504,
    04714, 00224, 07324, 00424, 00624, 06624, 07034, 05434, 04044, 01544,
    04644, 05254, 03454, 00754, 05074, 00174, 02174, 00374, 02105, 01405,
    00705, 00015, 06015, 06215, 05515, 04125, 02325, 02725, 02035, 03535,
    00145, 03245, 07245, 02745, 02055, 01355, 00565, 04275, 02475, 04206,
    04406, 06406, 04606, 01216, 01616, 07126, 04626, 00336, 06336, 04446,
    05056, 02556, 03366, 03076, 01276, 03007, 05007, 07007, 00107, 02307,
    02507, 06217, 00417, 02127, 05427, 02527, 00037, 05137, 03337, 00637,
    01247, 01447, 00057, 02057, 04257, 00367,
};
// clang-format on

using Iq3Codebook = std::array<std::array<std::uint8_t, kRowWeights>, kCodebookRows>;

constexpr Iq3Codebook make_iq3_codebook() {
  Iq3Codebook rows{};
  for (std::size_t r = 0; r < kCodebookRows; ++r) {
    for (std::size_t j = 0; j < kRowWeights; ++j) {
      const unsigned digit_shift = 3 * static_cast<unsigned>(kRowWeights - 1 - j);
      rows[r][j] = kLevelMagnitude[(kIq3RowLevels[r] >> digit_shift) & 7u];
    }
  }
  return rows;
}

inline constexpr Iq3Codebook kIq3Codebook = make_iq3_codebook();

// SHA-256 of the 1,024 magnitude bytes, row by row (claim IQ3-CODEBOOK-1).
inline constexpr const char* kIq3CodebookSha256 =
    "46e35f5a997efdee6c99ce57854c8a0d4f0ff8ca57e5e8a60c0793ea580acf5d";

}  // namespace quantproof

#endif
