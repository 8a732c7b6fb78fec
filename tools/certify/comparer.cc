// SPDX-License-Identifier: Apache-2.0
#include "tools/certify/comparer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "fmt/format.h"

#include "fuzz/blocks.h"
#include "quantproof/iq3_block.h"
#include "quantproof/qp.h"
#include "quantproof/ref/e8_iq3.h"
#include "quantproof/ref/iq3_xxs.h"
#include "tools/certify/hex.h"

namespace quantproof::certify {

namespace {

constexpr std::size_t kBlockBytes = 98;
constexpr std::size_t kCanaryWords = 64;  // checked before the output

std::string value_text(std::uint32_t bits) {
  return fmt::format("{:.9g} (0x{:08X})", std::bit_cast<float>(bits), bits);
}

// The commonest ways to be wrong, in words.
std::string difference_in_words(std::uint32_t got, std::uint32_t want) {
  if (got == (want ^ 0x80000000u)) return ", the sign is wrong";
  const float g = std::bit_cast<float>(got);
  const float w = std::bit_cast<float>(want);
  if (!std::isfinite(g) || !std::isfinite(w) || w == 0.0f) return {};
  return fmt::format(", {:.6g} times the right value",
                     static_cast<double>(g) / static_cast<double>(w));
}

}  // namespace

qp_status reference_decode(qp_format format, qp_profile profile,
                           std::span<const std::uint8_t> bytes, float* out, std::size_t n_values,
                           qp_location* where) {
  return format == QP_IQ3_XXS
             ? ref::decode_iq3_xxs(profile, bytes.data(), bytes.size(), out, n_values, where)
             : ref::decode_e8_iq3(profile, bytes.data(), bytes.size(), out, n_values, where);
}

Comparer::Comparer(Decoder& decoder, qp_format format, std::vector<qp_profile> profiles,
                   std::uint64_t seed, Situation& situation)
    : decoder_(decoder),
      format_(format),
      profiles_(std::move(profiles)),
      situation_(situation),
      input_(kMaxBlocks * kBlockBytes),
      output_((kMaxBlocks * kBlockWeights + kCanaryWords) * sizeof(float)),
      variants_(decoder.variants()),
      salt_(static_cast<std::uint32_t>(seed)) {
  situation_.watch(input_, "input");
  situation_.watch(output_, "output");
}

void Comparer::place_input(std::span<const std::uint8_t> bytes) {
  if (!bytes.empty()) std::memcpy(input_.last(bytes.size()), bytes.data(), bytes.size());
}

// Poison: signalling NaNs, which no decoder may produce, with a salt that changes every call.
float* Comparer::place_output(std::size_t n_values) {
  ++salt_;
  const std::uint32_t poison = 0x7FA00000u | (salt_ & 0x000FFFFFu);
  auto* out = reinterpret_cast<float*>(output_.last(n_values * sizeof(float)));
  for (std::size_t i = 0; i < n_values + kCanaryWords; ++i) {
    std::memcpy(out - kCanaryWords + i, &poison, sizeof(poison));
  }
  return out;
}

bool Comparer::report(const std::string& text) {
  failure_ = text;
  return false;
}

bool Comparer::compare(std::span<const std::uint8_t> bytes, std::size_t n_values,
                       const std::string& what) {
  for (const qp_profile profile : profiles_) {
    Expected expected;
    std::vector<float> values(n_values);
    expected.status =
        reference_decode(format_, profile, bytes, values.data(), n_values, &expected.where);
    std::size_t written = n_values;
    if (expected.status == QP_SCALE_NOT_FINITE) {
      written = static_cast<std::size_t>(expected.where.block) * kBlockWeights;
    } else if (expected.status != QP_OK) {
      written = 0;
    }
    for (std::size_t i = 0; i < written; ++i) {
      expected.bits.push_back(std::bit_cast<std::uint32_t>(values[i]));
    }
    if (!compare_with(expected, profile, bytes, n_values, what)) return false;
  }
  return true;
}

bool Comparer::compare_with(const Expected& expected, qp_profile profile,
                            std::span<const std::uint8_t> bytes, std::size_t n_values,
                            const std::string& what) {
  if (expected.status != QP_OK && !decoder_.has_status()) {
    ++left_out_;
    return true;
  }
  ++cases_;
  for (const std::string& variant : variants_) {
    const auto name = [&] {
      return fmt::format("{}{}profile {}, {}", variant, variant.empty() ? "" : ", ",
                         profile_name(profile), what);
    };
    decoder_.select(variant);
    place_input(bytes);
    float* const out = place_output(n_values);
    const std::uint32_t poison = 0x7FA00000u | (salt_ & 0x000FFFFFu);
    situation_.describe(variant.empty() ? what : variant + ", " + what);
    situation_.input(bytes);
    qp_location where{};
    const qp_status status =
        decoder_.decode(profile, input_.last(bytes.size()), bytes.size(), out, n_values, &where);
    if ((status == QP_OK) != (expected.status == QP_OK) ||
        (decoder_.has_location() && status != expected.status)) {
      return report(fmt::format("{}: got status {}, want {}", name(), qp_status_name(status),
                                qp_status_name(expected.status)));
    }
    if (status != QP_OK && decoder_.has_location() &&
        (where.block != expected.where.block || where.offset != expected.where.offset ||
         where.field == nullptr || std::string(where.field) != expected.where.field)) {
      return report(fmt::format(
          "{}: the error is placed at block {}, offset {}, field {}; want "
          "block {}, offset {}, field {}",
          name(), where.block, where.offset, where.field == nullptr ? "(null)" : where.field,
          expected.where.block, expected.where.offset, expected.where.field));
    }
    const auto* got = reinterpret_cast<const std::uint8_t*>(out);
    const bool equal = n_values > 0 && expected.bits.size() == n_values &&
                       std::memcmp(got, expected.bits.data(), n_values * sizeof(float)) == 0;
    for (std::size_t i = 0; i < n_values && !equal; ++i) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, got + i * sizeof(bits), sizeof(bits));
      const bool written = i < expected.bits.size();
      const std::uint32_t want = written ? expected.bits[i] : poison;
      if (bits == want) continue;
      const std::size_t block = i / kBlockWeights;
      const auto block_hex = block * kBlockBytes + kBlockBytes <= bytes.size()
                                 ? to_hex(bytes.subspan(block * kBlockBytes, kBlockBytes))
                                 : std::string("(none)");
      if (!written) {
        return report(
            fmt::format("{}: weight {} was written, but nothing may be written there", name(), i));
      }
      return report(
          fmt::format("{}: block {}, weight {}: got {}, want {}{}; block bytes {}", name(), block,
                      i % kBlockWeights, bits == poison ? "nothing written" : value_text(bits),
                      value_text(want),
                      bits == poison ? std::string{} : difference_in_words(bits, want), block_hex));
    }
    for (std::size_t i = 1; i <= kCanaryWords; ++i) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, got - i * sizeof(bits), sizeof(bits));
      if (bits != poison) {
        return report(fmt::format("{}: wrote {} values before the start of the output", name(), i));
      }
    }
  }
  return true;
}

std::optional<Outcome> Comparer::not_exercised() {
  constexpr int kProbes = 6;
  fuzz::Random random(salt_);
  std::vector<std::vector<std::uint32_t>> outputs;
  bool all_untouched = true;
  decoder_.select(variants_.front());
  for (int probe = 0; probe < kProbes; ++probe) {
    auto fields = fuzz::random_fields(random);
    fields.scale = 0x3C00u + static_cast<std::uint32_t>(probe);  // 1.0 and a little more
    const auto block = fuzz::pack(format_, fields);
    place_input(block);
    float* const out = place_output(kBlockWeights);
    const std::uint32_t poison = 0x7FA00000u | (salt_ & 0x000FFFFFu);
    situation_.describe("a salted probe block");
    situation_.input(block);
    decoder_.decode(profiles_.front(), input_.last(block.size()), block.size(), out, kBlockWeights,
                    nullptr);
    auto& bits = outputs.emplace_back(kBlockWeights);
    std::memcpy(bits.data(), out, kBlockWeights * sizeof(float));
    all_untouched = all_untouched && std::all_of(bits.begin(), bits.end(),
                                                 [&](std::uint32_t b) { return b == poison; });
  }
  if (all_untouched) {
    return Outcome{Verdict::kNotExercised,
                   fmt::format("the target left its output untouched in {} calls", kProbes)};
  }
  const bool constant =
      std::all_of(outputs.begin(), outputs.end(), [&](const auto& o) { return o == outputs[0]; });
  if (constant) {
    return Outcome{Verdict::kNotExercised,
                   fmt::format("the target gave the same output for {} different blocks", kProbes)};
  }
  return std::nullopt;
}

Outcome Comparer::outcome(const std::string& passed) const {
  if (!failure_.empty()) return {Verdict::kFail, failure_};
  return {Verdict::kPass, passed};
}

}  // namespace quantproof::certify
