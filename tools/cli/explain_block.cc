// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/explain_block.h"

#include <array>
#include <bit>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "nlohmann/json.hpp"

#include "quantproof/e8_iq3.h"
#include "quantproof/iq3_codebook.h"
#include "quantproof/iq3_xxs.h"
#include "quantproof/qp.h"
#include "quantproof/ref/half.h"
#include "quantproof/ref/iq3_block.h"
#include "tools/certify/decoder.h"
#include "tools/certify/hex.h"

namespace quantproof::cli {

namespace {

using nlohmann::ordered_json;
constexpr qp_profile kProfiles[] = {QP_PROFILE_STRICT, QP_PROFILE_GGML, QP_PROFILE_COLIBRI};

const char* class_of(std::uint32_t half) {
  if ((half & 0x7C00) == 0x7C00) return (half & 0x3FF) != 0 ? "NaN" : "infinite";
  if ((half & 0x7C00) != 0) return "normal";
  return (half & 0x3FF) != 0 ? "subnormal" : "zero";
}

// Where the fields of a format stand.
struct Places {
  const char* name;
  std::size_t scale;
  std::size_t index;
  std::size_t words;
  int shift;
};

template <class Layout>
Places places_of(const char* name) {
  return {name, Layout::kScaleOffset, Layout::kIndexOffset, Layout::kSignScaleOffset,
          Layout::kValueShift};
}

// One weight and all that it is made of.
struct Weight {
  Places places;
  Iq3Fields<std::uint32_t> fields;
  std::size_t number;
  std::size_t subblock;
  std::size_t group;     // of its sub-block
  std::size_t in_group;  // 7: its sign is a parity
  std::size_t index_offset;
  std::size_t word_offset;
  std::uint32_t index;
  std::array<std::uint8_t, kRowWeights> row;
  std::uint32_t magnitude;
  std::uint32_t multiplier;
  bool negative;
  ordered_json values;  // by profile: the number, or the error
};

Weight weight_of(qp_format format, std::span<const std::uint8_t> block, std::size_t w) {
  Weight weight;
  if (format == QP_IQ3_XXS) {
    weight.places = places_of<Iq3Xxs>("IQ3_XXS");
    weight.fields = ref::unpack<Iq3Xxs, std::uint32_t>(block.data());
  } else {
    weight.places = places_of<E8Iq3>("E8/IQ3");
    weight.fields = ref::unpack<E8Iq3, std::uint32_t>(block.data());
  }
  const auto& fields = weight.fields;
  weight.number = w;
  weight.subblock = w / kSubblockWeights;
  weight.group = w % kSubblockWeights / kGroupWeights;
  weight.in_group = w % kGroupWeights;
  weight.index_offset = weight.places.index + w / kRowWeights;
  weight.word_offset = weight.places.words + 4 * weight.subblock;
  weight.index = fields.index[w / kRowWeights];
  weight.row = kIq3Codebook[weight.index];
  weight.magnitude = weight.row[w % kRowWeights];
  weight.multiplier = ref::scale_multiplier(fields.scale_code[weight.subblock]);
  weight.negative =
      ref::group_signs(fields.sign_field[weight.subblock][weight.group])[weight.in_group] != 0;
  for (const qp_profile profile : kProfiles) {
    ref::Scale scale;
    const qp_status status =
        ref::read_scale(profile, static_cast<std::uint16_t>(fields.scale), &scale);
    weight.values[certify::profile_name(profile)] =
        status != QP_OK ? fmt::format("error {}", qp_status_name(status))
                        : value_text(ref::weight(scale, weight.multiplier, weight.magnitude,
                                                 weight.negative, weight.places.shift));
  }
  return weight;
}

// One line of the table of fields, with a mark where the weight is made of it.
void add_field(std::string& text, std::size_t first, std::size_t n_bytes, const std::string& bits,
               const std::string& field, const std::string& value, bool marked,
               std::size_t weight) {
  const std::string bytes = n_bytes == 0 ? "" : fmt::format("[{}, {})", first, first + n_bytes);
  text += fmt::format("{:9} {:6} {:14} {}", bytes, bits, field, value);
  text += marked ? fmt::format("  <- weight {}\n", weight) : "\n";
}

void add_formula(std::string& text, const Weight& w, float scale) {
  auto out = std::back_inserter(text);
  const char* sign = w.negative ? "negative" : "positive";
  fmt::format_to(out, "\nweight {}: sub-block {}, group {}, number {} of 8\n", w.number, w.subblock,
                 w.group, w.in_group);
  fmt::format_to(out, "  index byte {} is {}: codebook row {} = {}, number {}: G = {}\n",
                 w.index_offset, w.index, w.index, fmt::join(w.row, " "), w.number % kRowWeights,
                 w.magnitude);
  if (w.in_group < kSignFieldBits) {
    fmt::format_to(out, "  sign: bit {} of the word at {} is {}: {}\n", 7 * w.group + w.in_group,
                   w.word_offset, w.negative ? 1 : 0, sign);
  } else {
    fmt::format_to(out, "  sign: bits {}-{} of the word at {} hold {} ones, {}: {}\n", 7 * w.group,
                   7 * w.group + 6, w.word_offset,
                   std::popcount(w.fields.sign_field[w.subblock][w.group]),
                   w.negative ? "odd" : "even", sign);
  }
  const char* minus = w.negative ? "-" : "";
  const int divisor = 1 << w.places.shift;
  fmt::format_to(out, "  value = {}d (2s + 1) G / {} = {}{:.9g} x {} x {} / {}\n", minus, divisor,
                 minus, scale, w.multiplier, w.magnitude, divisor);
  const ordered_json& values = w.values;
  if (values["strict"] == values["ggml"] && values["ggml"] == values["colibri"]) {
    fmt::format_to(out, "        = {}\n", values["strict"].get<std::string>());
    return;
  }
  for (const auto& [profile, value] : values.items()) {
    fmt::format_to(out, "        profile {:8} {}\n", profile, value.get<std::string>());
  }
}

}  // namespace

std::string value_text(std::uint32_t bits) {
  return fmt::format("{:.9g} (0x{:08X})", std::bit_cast<float>(bits), bits);
}

std::string explain_block(qp_format format, std::span<const std::uint8_t> block, std::size_t w) {
  const Weight weight = weight_of(format, block, w);
  const auto& fields = weight.fields;
  const Places& places = weight.places;
  ref::Scale exact;
  ref::read_scale(QP_PROFILE_GGML, static_cast<std::uint16_t>(fields.scale), &exact);
  const float scale = std::bit_cast<float>(ref::widen(exact));
  std::string text =
      fmt::format("{} block: {} bytes, {} weights\n\n", places.name, block.size(), kBlockWeights);
  text += "bytes     bits   field          value\n";
  const auto add_scale = [&] {
    add_field(text, places.scale, 2, "0-15", "scale d",
              fmt::format("0x{:04X} = {:.9g}, {}", fields.scale, scale, class_of(fields.scale)),
              true, w);
  };
  if (places.scale < places.index) add_scale();
  for (std::size_t s = 0; s < kSubblocks; ++s) {
    const auto first = fields.index.begin() + static_cast<std::ptrdiff_t>(8 * s);
    add_field(text, places.index + 8 * s, 8, "", fmt::format("index {}-{}", 8 * s, 8 * s + 7),
              fmt::format("{}", fmt::join(first, first + 8, " ")), s == weight.subblock, w);
  }
  for (std::size_t s = 0; s < kSubblocks; ++s) {
    add_field(text, places.words + 4 * s, 4, "", fmt::format("word {}", s),
              fmt::format("weights {}-{}", kSubblockWeights * s,
                          kSubblockWeights * s + kSubblockWeights - 1),
              false, w);
    for (std::size_t g = 0; g < kGroupsPerSubblock; ++g) {
      std::string signs;
      for (const std::uint32_t bit : ref::group_signs(fields.sign_field[s][g])) {
        signs += bit != 0 ? '-' : '+';
      }
      add_field(text, 0, 0, fmt::format("{}-{}", 7 * g, 7 * g + 6), fmt::format("sign field {}", g),
                fmt::format("0x{:02X}   {}", fields.sign_field[s][g], signs),
                s == weight.subblock && g == weight.group, w);
    }
    add_field(text, 0, 0, "28-31", "scale code s",
              fmt::format("{:<6} 2s + 1 = {}", fields.scale_code[s],
                          ref::scale_multiplier(fields.scale_code[s])),
              s == weight.subblock, w);
  }
  if (places.scale > places.index) add_scale();
  add_formula(text, weight, scale);
  return text;
}

ordered_json explain_block_json(qp_format format, std::span<const std::uint8_t> block,
                                std::size_t w) {
  const Weight weight = weight_of(format, block, w);
  return {{"format", certify::format_name(format)},
          {"bytes", certify::to_hex(block)},
          {"scale",
           {{"offset", weight.places.scale},
            {"bits", weight.fields.scale},
            {"class", class_of(weight.fields.scale)}}},
          {"index", weight.fields.index},
          {"sign_field", weight.fields.sign_field},
          {"scale_code", weight.fields.scale_code},
          {"weight",
           {{"number", w},
            {"index_offset", weight.index_offset},
            {"row", weight.row},
            {"magnitude", weight.magnitude},
            {"negative", weight.negative},
            {"multiplier", weight.multiplier},
            {"divisor", 1 << weight.places.shift},
            {"value", weight.values}}}};
}

}  // namespace quantproof::cli
