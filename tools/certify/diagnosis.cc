// SPDX-License-Identifier: Apache-2.0
#include "tools/certify/diagnosis.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include "fmt/format.h"

#include "fuzz/blocks.h"
#include "quantproof/e8_iq3.h"
#include "quantproof/iq3_codebook.h"
#include "quantproof/iq3_xxs.h"
#include "quantproof/ref/iq3_block.h"

namespace quantproof::certify {

namespace {

constexpr std::size_t kBlockBytes = Iq3Xxs::kBlockBytes;
constexpr std::uint32_t kSignBit = 0x80000000u;

float as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }

// ---- Known slips: a decoder in which one thing is done otherwise ----------------------------

// binary16 to binary32 bits, as IEEE 754 has it.
std::uint32_t widen(std::uint32_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16;
  const std::uint32_t e = (half >> 10) & 31;
  const std::uint32_t m = half & 0x3FF;
  if (e == 31) return sign | 0x7F800000u | (m << 13) | (m == 0 ? 0 : 0x400000u);
  const double value = e == 0 ? std::ldexp(m, -24) : std::ldexp(1024 + m, static_cast<int>(e) - 25);
  return sign | std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

bool subnormal(std::uint32_t half) { return (half & 0x7C00u) == 0 && (half & 0x3FFu) != 0; }
bool nan(std::uint32_t half) { return (half & 0x7C00u) == 0x7C00u && (half & 0x3FFu) != 0; }

// |value| = m * 2^exponent with the sign of the half, for slips in subnormal scales.
std::uint32_t signed_bits(std::uint32_t half, double magnitude) {
  return ((half & 0x8000u) << 16) | std::bit_cast<std::uint32_t>(static_cast<float>(magnitude));
}

struct Model {
  std::size_t scale_at = 0;
  std::size_t index_at = 2;
  std::size_t word_at = 66;
  float factor = 0.25f;
  std::size_t stride = kBlockBytes;
  bool scale_swapped = false;
  bool word_swapped = false;
  std::uint32_t (*widen)(std::uint32_t half) = certify::widen;
  std::uint32_t (*magnitude)(std::uint32_t row, std::size_t j) =
      [](std::uint32_t row, std::size_t j) { return std::uint32_t{kIq3Codebook[row][j]}; };
  unsigned field_width = 7;
  std::uint32_t (*signs)(std::uint32_t field) = [](std::uint32_t field) {  // eight bits
    return field | static_cast<std::uint32_t>(std::popcount(field) % 2) << 7;
  };
  std::uint32_t (*code)(std::uint32_t word) = [](std::uint32_t word) { return word >> 28; };
  float (*multiplier)(std::uint32_t s) = [](std::uint32_t s) {
    return static_cast<float>(2 * s + 1);
  };
  std::size_t (*subblock)(std::size_t ib) = [](std::size_t ib) { return ib; };
  std::uint32_t (*store)(std::uint32_t bits) = [](std::uint32_t bits) { return bits; };
};

Model model_of(qp_format format) {
  Model model;
  if (format == QP_E8_IQ3) {
    model.scale_at = E8Iq3::kScaleOffset;
    model.index_at = E8Iq3::kIndexOffset;
    model.word_at = E8Iq3::kSignScaleOffset;
    model.factor = 0.125f;
  }
  return model;
}

// Whether the model writes `got`; bytes beyond the row are read as 0.
bool gives(const Model& model, const WrongRow& row) {
  const auto byte = [&](std::size_t at) -> std::uint32_t {
    return at < row.bytes.size() ? row.bytes[at] : 0u;
  };
  for (std::size_t v = 0; v < row.got.size(); ++v) {
    const std::size_t block = model.stride * (v / kBlockWeights);
    const std::size_t i = v % kBlockWeights;
    std::uint32_t half = byte(block + model.scale_at) | byte(block + model.scale_at + 1) << 8;
    if (model.scale_swapped) half = (half >> 8 | half << 8) & 0xFFFF;
    const auto word_of = [&](std::size_t ib) {
      std::uint32_t word = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        const std::size_t place = model.word_swapped ? 3 - k : k;
        word |= byte(block + model.word_at + 4 * ib + place) << (8 * k);
      }
      return word;
    };
    const std::size_t ib = i / kSubblockWeights;
    const std::uint32_t field =
        (word_of(ib) >> (model.field_width * (i % kSubblockWeights / kGroupWeights))) & 0x7Fu;
    const std::uint32_t negative = (model.signs(field) >> (i % kGroupWeights)) & 1u;
    const std::uint32_t d = model.widen(half);
    const std::uint32_t magnitude =
        model.magnitude(byte(block + model.index_at + i / kRowWeights), i % kRowWeights);
    const float multiplier = model.multiplier(model.code(word_of(model.subblock(ib))));
    std::uint32_t bits = d;
    if (!std::isnan(as_float(d))) {
      bits = std::bit_cast<std::uint32_t>(as_float(d) * multiplier * static_cast<float>(magnitude) *
                                          model.factor);
    }
    if (model.store(bits ^ (negative << 31)) != row.got[v]) return false;
  }
  return true;
}

struct Slip {
  const char* name;
  void (*apply)(Model& model, qp_format format);
};

// Round to a format of fewer bits, to nearest even, by way of double.
float rounded(float value, int significant_bits) {
  if (!std::isfinite(value) || value == 0) return value;
  int exponent = 0;
  const double fraction = std::frexp(static_cast<double>(value), &exponent);
  return static_cast<float>(std::ldexp(std::nearbyint(std::ldexp(fraction, significant_bits)),
                                       exponent - significant_bits));
}

const std::vector<Slip>& slips() {
  static const std::vector<Slip> all = {
      {"magnitude 62 of the codebook decoded as 60, a stale or regularised table",
       [](Model& m, qp_format) {
         m.magnitude = [](std::uint32_t row, std::size_t j) {
           return kIq3Codebook[row][j] == 62 ? 60u : std::uint32_t{kIq3Codebook[row][j]};
         };
       }},
      {"the codebook row of a neighbouring index (index + 1)",
       [](Model& m, qp_format) {
         m.magnitude = [](std::uint32_t row, std::size_t j) {
           return std::uint32_t{kIq3Codebook[(row + 1) % 256][j]};
         };
       }},
      {"index 255 read as 254, a table one row short",
       [](Model& m, qp_format) {
         m.magnitude = [](std::uint32_t row, std::size_t j) {
           return std::uint32_t{kIq3Codebook[std::min(row, 254u)][j]};
         };
       }},
      {"the index read with 7 bits, rows from 128 on lost",
       [](Model& m, qp_format) {
         m.magnitude = [](std::uint32_t row, std::size_t j) {
           return std::uint32_t{kIq3Codebook[row & 127][j]};
         };
       }},
      {"the index read as a signed byte, clamped at 0",
       [](Model& m, qp_format) {
         m.magnitude = [](std::uint32_t row, std::size_t j) {
           return std::uint32_t{kIq3Codebook[row < 128 ? row : 0][j]};
         };
       }},
      {"the four weights of a codebook row in reverse order",
       [](Model& m, qp_format) {
         m.magnitude = [](std::uint32_t row, std::size_t j) {
           return std::uint32_t{kIq3Codebook[row][3 - j]};
         };
       }},
      {"the eighth sign missing: weight 7 of each group always positive",
       [](Model& m, qp_format) { m.signs = [](std::uint32_t field) { return field; }; }},
      {"the eighth sign inverted: odd parity for even",
       [](Model& m, qp_format) {
         m.signs = [](std::uint32_t field) {
           return field | static_cast<std::uint32_t>(std::popcount(field) % 2 == 0) << 7;
         };
       }},
      {"the eighth sign taken from bit 6 of the sign field",
       [](Model& m, qp_format) {
         m.signs = [](std::uint32_t field) { return field | (field & 0x40u) << 1; };
       }},
      {"the signs of a group in reverse order",
       [](Model& m, qp_format) {
         m.signs = [](std::uint32_t field) {
           std::uint32_t reversed = 0;
           for (unsigned j = 0; j < 7; ++j) reversed |= ((field >> j) & 1u) << (6 - j);
           return reversed | static_cast<std::uint32_t>(std::popcount(field) % 2) << 7;
         };
       }},
      {"sign fields read 8 bits apart instead of 7",
       [](Model& m, qp_format) { m.field_width = 8; }},
      {"the scale code read with 3 bits",
       [](Model& m, qp_format) { m.code = [](std::uint32_t word) { return (word >> 28) & 7u; }; }},
      {"the scale code read from the low nibble of the word's last byte",
       [](Model& m, qp_format) { m.code = [](std::uint32_t word) { return (word >> 24) & 15u; }; }},
      {"the scale code read from bits 0-3 of the word",
       [](Model& m, qp_format) { m.code = [](std::uint32_t word) { return word & 15u; }; }},
      {"the scale code ignored",
       [](Model& m, qp_format) { m.code = [](std::uint32_t) { return 0u; }; }},
      {"the scale codes of two neighbouring sub-blocks swapped",
       [](Model& m, qp_format) { m.subblock = [](std::size_t ib) { return ib ^ 1; }; }},
      {"the multiplier 2s for 2s + 1",
       [](Model& m, qp_format) {
         m.multiplier = [](std::uint32_t code) { return static_cast<float>(2 * code); };
       }},
      {"the multiplier s + 1 for 2s + 1",
       [](Model& m, qp_format) {
         m.multiplier = [](std::uint32_t code) { return static_cast<float>(code + 1); };
       }},
      {"the multiplier s + 1/2 for 2s + 1, half the value",
       [](Model& m, qp_format) {
         m.multiplier = [](std::uint32_t code) { return static_cast<float>(code) + 0.5f; };
       }},
      {"subnormal scales given an implicit 1 at exponent -14",
       [](Model& m, qp_format) {
         m.widen = [](std::uint32_t h) {
           return subnormal(h) ? signed_bits(h, std::ldexp(1024 + (h & 0x3FFu), -24)) : widen(h);
         };
       }},
      {"subnormal scales given an implicit 1 at exponent -15",
       [](Model& m, qp_format) {
         m.widen = [](std::uint32_t h) {
           return subnormal(h) ? signed_bits(h, std::ldexp(1024 + (h & 0x3FFu), -25)) : widen(h);
         };
       }},
      {"subnormal scales flushed to zero",
       [](Model& m, qp_format) {
         m.widen = [](std::uint32_t h) { return subnormal(h) ? (h & 0x8000u) << 16 : widen(h); };
       }},
      {"subnormal scales half of what they are (exponent -25)",
       [](Model& m, qp_format) {
         m.widen = [](std::uint32_t h) {
           return subnormal(h) ? signed_bits(h, std::ldexp(h & 0x3FFu, -25)) : widen(h);
         };
       }},
      {"subnormal scales twice what they are (exponent -23)",
       [](Model& m, qp_format) {
         m.widen = [](std::uint32_t h) {
           return subnormal(h) ? signed_bits(h, std::ldexp(h & 0x3FFu, -23)) : widen(h);
         };
       }},
      {"infinite scales saturated to 65504",
       [](Model& m, qp_format) {
         m.widen = [](std::uint32_t h) {
           return (h & 0x7FFFu) == 0x7C00u ? signed_bits(h, 65504) : widen(h);
         };
       }},
      {"exponent field 31 of the scale taken for a number",
       [](Model& m, qp_format) {
         m.widen = [](std::uint32_t h) {
           return (h & 0x7C00u) == 0x7C00u ? signed_bits(h, std::ldexp(1024 + (h & 0x3FFu), 6))
                                           : widen(h);
         };
       }},
      {"the payload of a NaN scale lost",
       [](Model& m, qp_format) {
         m.widen = [](std::uint32_t h) {
           return nan(h) ? ((h & 0x8000u) << 16) | 0x7FC00000u : widen(h);
         };
       }},
      {"the sign of a NaN lost",
       [](Model& m, qp_format) {
         m.store = [](std::uint32_t bits) {
           return std::isnan(as_float(bits)) ? bits & ~kSignBit : bits;
         };
       }},
      {"a signalling NaN scale not made quiet",
       [](Model& m, qp_format) {
         m.widen = [](std::uint32_t h) {
           return nan(h) ? ((h & 0x8000u) << 16) | 0x7F800000u | (h & 0x3FFu) << 13 : widen(h);
         };
       }},
      {"NaN decoded as zero",
       [](Model& m, qp_format) {
         m.store = [](std::uint32_t bits) { return std::isnan(as_float(bits)) ? 0u : bits; };
       }},
      {"the sign of the scale ignored",
       [](Model& m, qp_format) { m.widen = [](std::uint32_t h) { return widen(h & 0x7FFFu); }; }},
      {"-0 decoded as +0",
       [](Model& m, qp_format) {
         m.store = [](std::uint32_t bits) { return bits == kSignBit ? 0u : bits; };
       }},
      {"the scale read as bfloat16",
       [](Model& m, qp_format) { m.widen = [](std::uint32_t h) { return h << 16; }; }},
      {"the scale read big-endian", [](Model& m, qp_format) { m.scale_swapped = true; }},
      {"the words read big-endian", [](Model& m, qp_format) { m.word_swapped = true; }},
      {"the byte order of the other format, with its factor",
       [](Model& m, qp_format format) {
         m = model_of(format == QP_IQ3_XXS ? QP_E8_IQ3 : QP_IQ3_XXS);
       }},
      {"the scale at the other end of the block",
       [](Model& m, qp_format format) {
         const float factor = m.factor;
         m = model_of(format == QP_IQ3_XXS ? QP_E8_IQ3 : QP_IQ3_XXS);
         m.factor = factor;
       }},
      {"the scale read one byte too far", [](Model& m, qp_format) { ++m.scale_at; }},
      {"the indices read one byte too far", [](Model& m, qp_format) { ++m.index_at; }},
      {"half the value, the formula of E8/IQ3 for IQ3_XXS",
       [](Model& m, qp_format) { m.factor /= 2; }},
      {"twice the value, the formula of IQ3_XXS for E8/IQ3",
       [](Model& m, qp_format) { m.factor *= 2; }},
      {"four times the value", [](Model& m, qp_format) { m.factor *= 4; }},
      {"blocks read 96 bytes apart", [](Model& m, qp_format) { m.stride = 96; }},
      {"blocks read 100 bytes apart, a padded struct", [](Model& m, qp_format) { m.stride = 100; }},
      {"the first block decoded for every block", [](Model& m, qp_format) { m.stride = 0; }},
      {"values saturated at 65504",
       [](Model& m, qp_format) {
         m.store = [](std::uint32_t bits) {
           return std::bit_cast<std::uint32_t>(std::clamp(as_float(bits), -65504.0f, 65504.0f));
         };
       }},
      {"values rounded to the 11 bits of a binary16",
       [](Model& m, qp_format) {
         m.store = [](std::uint32_t bits) {
           return std::bit_cast<std::uint32_t>(rounded(as_float(bits), 11));
         };
       }},
      {"values rounded to the 8 bits of a bfloat16",
       [](Model& m, qp_format) {
         m.store = [](std::uint32_t bits) {
           return std::bit_cast<std::uint32_t>(rounded(as_float(bits), 8));
         };
       }},
      {"all signs ignored",
       [](Model& m, qp_format) { m.signs = [](std::uint32_t) { return 0u; }; }},
      {"all signs inverted",
       [](Model& m, qp_format) {
         m.signs = [](std::uint32_t field) {
           return ~(field | static_cast<std::uint32_t>(std::popcount(field) % 2) << 7) & 0xFFu;
         };
       }},
      {"subnormal scales decoded exactly, which profile colibri does not",
       [](Model&, qp_format) {}},
      {"small values flushed to zero",
       [](Model& m, qp_format) {
         m.store = [](std::uint32_t bits) {
           return std::fabs(as_float(bits)) < 0x1p-14f ? bits & kSignBit : bits;
         };
       }},
  };
  return all;
}

// ---- Where: what the wrong values have in common --------------------------------------------

// What one value of the row was made from.
struct Place {
  std::size_t value, n_values, block, i;
  std::uint32_t scale, row, component, magnitude, code, field, position;
  bool negative;
};

struct Trait {
  const char* name;  // with a place for the number, where there is one
  long (*of)(const Place& place);
};

const std::vector<Trait>& traits() {
  static const std::vector<Trait> all = {
      {"value {1} of codebook row {0}",
       [](const Place& p) { return long{p.row} * 4 + p.component; }},
      {"codebook row {0}", [](const Place& p) { return long{p.row}; }},
      {"magnitude {0} of the codebook", [](const Place& p) { return long{p.magnitude}; }},
      {"codebook rows from 128 on", [](const Place& p) { return p.row >= 128 ? 1L : -1L; }},
      {"weight {0} of a group", [](const Place& p) { return long{p.position}; }},
      {"sign field 0x{0:02X}", [](const Place& p) { return long{p.field}; }},
      {"scale code {0}", [](const Place& p) { return long{p.code}; }},
      {"scale codes from 8 on", [](const Place& p) { return p.code >= 8 ? 1L : -1L; }},
      {"the last value of the row",
       [](const Place& p) { return p.value + 1 == p.n_values ? 1L : -1L; }},
      {"the first value of the row", [](const Place& p) { return p.value == 0 ? 1L : -1L; }},
      {"values from 4096 on", [](const Place& p) { return p.value >= 4096 ? 1L : -1L; }},
      {"weight {0} of a block", [](const Place& p) { return static_cast<long>(p.i); }},
      {"sub-block {0}", [](const Place& p) { return static_cast<long>(p.i / kSubblockWeights); }},
      {"group {0} of a sub-block",
       [](const Place& p) { return static_cast<long>(p.i % kSubblockWeights / kGroupWeights); }},
      {"the last block of the row",
       [](const Place& p) { return p.block == (p.n_values - 1) / kBlockWeights ? 1L : -1L; }},
      {"block {0} of the row", [](const Place& p) { return static_cast<long>(p.block); }},
      {"odd blocks, whose words are at other addresses modulo 4",
       [](const Place& p) { return p.block % 2 == 1 ? 1L : -1L; }},
      {"blocks after the first", [](const Place& p) { return p.block > 0 ? 1L : -1L; }},
      {"negative weights", [](const Place& p) { return p.negative ? 1L : -1L; }},
  };
  return all;
}

const char* scale_class(std::uint32_t scale) {
  const std::uint32_t e = (scale >> 10) & 31;
  const std::uint32_t m = scale & 0x3FF;
  if (e == 31) return m == 0 ? "infinite" : "NaN";
  if (e == 0) return m == 0 ? "zero" : "subnormal";
  return (scale & 0x8000u) != 0 ? "negative" : "normal";
}

std::vector<Place> places_of(const WrongRow& row) {
  std::vector<Place> places(row.got.size());
  for (std::size_t v = 0; v < places.size(); ++v) {
    const std::uint8_t* const bytes = row.bytes.data() + kBlockBytes * (v / kBlockWeights);
    const auto fields = row.format == QP_IQ3_XXS ? ref::unpack<Iq3Xxs, std::uint32_t>(bytes)
                                                 : ref::unpack<E8Iq3, std::uint32_t>(bytes);
    const std::size_t i = v % kBlockWeights;
    Place& place = places[v];
    place.value = v;
    place.n_values = places.size();
    place.block = v / kBlockWeights;
    place.i = i;
    place.scale = fields.scale;
    place.row = fields.index[i / kRowWeights];
    place.component = static_cast<std::uint32_t>(i % kRowWeights);
    place.magnitude = kIq3Codebook[place.row][place.component];
    place.code = fields.scale_code[i / kSubblockWeights];
    place.field = fields.sign_field[i / kSubblockWeights][i % kSubblockWeights / kGroupWeights];
    place.position = static_cast<std::uint32_t>(i % kGroupWeights);
    place.negative = (row.want[v] & kSignBit) != 0;
  }
  return places;
}

// The narrowest trait that all wrong values share and not all values have, in words.
std::string common_trait(const std::vector<Place>& places, const std::vector<bool>& wrong,
                         std::size_t n_wrong) {
  std::string best;
  std::string others;  // traits of the same number of values
  std::size_t best_size = places.size();
  for (const Trait& trait : traits()) {
    long label = -1;
    bool shared = true;
    for (std::size_t v = 0; v < places.size() && shared; ++v) {
      if (!wrong[v]) continue;
      const long own = trait.of(places[v]);
      if (label == -1) label = own;
      shared = own >= 0 && own == label;
    }
    if (!shared) continue;
    const auto size = static_cast<std::size_t>(std::count_if(
        places.begin(), places.end(), [&](const Place& p) { return trait.of(p) == label; }));
    if (size > best_size || size == places.size()) continue;
    const bool component = &trait == &traits().front();
    const std::string name = fmt::format(fmt::runtime(trait.name), component ? label / 4 : label,
                                         component ? label % 4 : 0);
    if (size == best_size) {
      others += (others.empty() ? "; also: " : ", ") + name;
      continue;
    }
    best_size = size;
    others.clear();
    best = size == n_wrong ? ", exactly those of " + name
                           : fmt::format(", among the {} of {}", size, name);
  }
  return best + others;
}

// What happened to the wrong values, where it is the same to all of them.
std::string common_change(const WrongRow& row, const std::vector<bool>& wrong) {
  const auto all = [&](auto&& holds) {
    for (std::size_t v = 0; v < wrong.size(); ++v) {
      if (wrong[v] && !holds(row.got[v], row.want[v])) return false;
    }
    return true;
  };
  using Bits = std::uint32_t;
  if (all([&](Bits got, Bits) { return got == row.poison; })) return "not written";
  if (all([](Bits got, Bits want) { return want == kSignBit && got == 0; })) {
    return "+0 for -0";
  }
  if (all([](Bits got, Bits want) { return got == (want ^ kSignBit); })) return "the sign is wrong";
  if (all([](Bits got, Bits) { return (got & ~kSignBit) == 0; })) return "zero";
  if (all([](Bits got, Bits want) {
        return std::isnan(as_float(got)) && std::isnan(as_float(want));
      })) {
    return "another NaN";
  }
  if (all([](Bits got, Bits) { return !std::isfinite(as_float(got)); })) return "not finite";
  std::set<double> ratios;
  const bool finite = all([&](Bits got, Bits want) {
    const float g = as_float(got);
    const float w = as_float(want);
    if (!std::isfinite(g) || !std::isfinite(w) || w == 0.0f) return false;
    ratios.insert(static_cast<double>(g) / static_cast<double>(w));
    return true;
  });
  if (!finite) return {};
  if (ratios.size() == 1) return fmt::format("each {:.6g} times its right value", *ratios.begin());
  if (*ratios.begin() > 0.999 && *ratios.rbegin() < 1.001) return "each within 0.1% of it";
  return {};
}

}  // namespace

std::string Diagnosis::text() const {
  return slip.empty() ? where : where + "; known slip: " + slip;
}

Diagnosis diagnose(const WrongRow& row) {
  std::vector<bool> wrong(row.got.size());
  std::size_t n_wrong = 0;
  for (std::size_t v = 0; v < wrong.size(); ++v) {
    wrong[v] = row.got[v] != row.want[v];
    n_wrong += wrong[v] ? 1 : 0;
  }
  const auto places = places_of(row);
  Diagnosis diagnosis;
  diagnosis.where = fmt::format("{} of {} values are wrong", n_wrong, wrong.size());
  const std::string change = common_change(row, wrong);
  if (!change.empty()) diagnosis.where += " (" + change + ")";
  diagnosis.where += common_trait(places, wrong, n_wrong);
  std::set<std::string> classes;
  std::uint32_t scale = 0;
  for (std::size_t v = 0; v < wrong.size(); ++v) {
    if (!wrong[v]) continue;
    scale = places[v].scale;
    classes.insert(scale_class(scale));
  }
  if (classes.size() == 1 && *classes.begin() != "normal") {
    diagnosis.where += fmt::format(", under {} scales", *classes.begin());
  }
  for (const Slip& slip : slips()) {
    Model model = model_of(row.format);
    slip.apply(model, row.format);
    if (!gives(model, row)) continue;
    // One row may not tell them apart.
    diagnosis.slip += (diagnosis.slip.empty() ? "" : "; or ") + std::string(slip.name);
  }
  if (!diagnosis.slip.empty()) return diagnosis;
  // Stores or loads that missed their place: all values that stayed inside the row are moved.
  for (const std::size_t by : {1u, 2u, 3u, 4u, 8u, 256u}) {
    if (by >= row.got.size() || 2 * n_wrong < row.got.size()) break;
    const bool early = std::equal(row.want.begin() + static_cast<std::ptrdiff_t>(by),
                                  row.want.end(), row.got.begin());
    const bool late = std::equal(row.got.begin() + static_cast<std::ptrdiff_t>(by), row.got.end(),
                                 row.want.begin());
    if (!early && !late) continue;
    diagnosis.slip = fmt::format("values {} places too {}", by, early ? "early" : "late");
    return diagnosis;
  }
  if (row.previous.size() >= row.got.size() &&
      std::equal(row.got.begin(), row.got.end(), row.previous.begin())) {
    diagnosis.slip = "the values of the call before: stale state";
  }
  return diagnosis;
}

}  // namespace quantproof::certify
