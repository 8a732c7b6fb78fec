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
#include "tools/certify/diagnosis.h"
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

std::vector<std::uint32_t> bits_at(const float* values, std::size_t n) {
  std::vector<std::uint32_t> bits(n);
  if (n > 0) std::memcpy(bits.data(), values, n * sizeof(float));
  return bits;
}

}  // namespace

Comparer::Comparer(Decoder& decoder, qp_format format, std::vector<qp_profile> profiles,
                   std::uint64_t seed, Situation& situation, Reference reference,
                   Coverage* coverage)
    : decoder_(decoder),
      format_(format),
      profiles_(std::move(profiles)),
      situation_(situation),
      reference_(reference),
      coverage_(coverage),
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
  auto* out = reinterpret_cast<float*>(output_.last(n_values * sizeof(float)));
  for (std::size_t i = 0; i < n_values + kCanaryWords; ++i) {
    const std::uint32_t word = poison();
    std::memcpy(out - kCanaryWords + i, &word, sizeof(word));
  }
  return out;
}

bool Comparer::report(const std::string& text) {
  verdict_ = Verdict::kFail;
  failure_ = text;
  return false;
}

bool Comparer::refuse(const std::string& text) {
  verdict_ = Verdict::kRefused;
  failure_ = text;
  return false;
}

bool Comparer::report_values(qp_profile profile, std::span<const std::uint8_t> bytes,
                             const Answer& want, std::span<const std::uint32_t> got,
                             std::uint32_t poison, const std::string& what) {
  std::size_t i = 0;
  while (got[i] == want.bits[i]) ++i;
  const std::size_t block = i / kBlockWeights;
  const bool untouched = got[i] == poison;
  const Answer answer{QP_OK, {0, 0, ""}, {got.begin(), got.end()}};
  const Vote voted = vote(reference_, format_, profile, bytes, want.bits.size(), answer, &want);
  const Diagnosis diagnosis = diagnose({format_, bytes, want.bits, got, previous_, poison});
  report(fmt::format("{}: block {}, weight {}: got {}, want {}{}; {}; {}; block bytes {}", what,
                     block, i % kBlockWeights, untouched ? "nothing written" : value_text(got[i]),
                     value_text(want.bits[i]),
                     untouched ? std::string{} : difference_in_words(got[i], want.bits[i]),
                     diagnosis.text(), voted.text,
                     to_hex(bytes.subspan(block * kBlockBytes, kBlockBytes))));
  if (voted.reference_is_outlier) verdict_ = Verdict::kRefused;
  return false;
}

bool Comparer::compare(std::span<const std::uint8_t> bytes, std::size_t n_values,
                       const std::string& what) {
  for (const qp_profile profile : profiles_) {
    const Answer expected = reference_(format_, profile, bytes, n_values);
    if (!compare_answer(expected, nullptr, profile, bytes, n_values, what)) return false;
  }
  return true;
}

bool Comparer::compare_with(const Answer& pinned, qp_profile profile,
                            std::span<const std::uint8_t> bytes, std::size_t n_values,
                            const std::string& what) {
  return compare_answer(pinned, &pinned, profile, bytes, n_values, what);
}

bool Comparer::compare_answer(const Answer& expected, const Answer* pinned, qp_profile profile,
                              std::span<const std::uint8_t> bytes, std::size_t n_values,
                              const std::string& what) {
  if (expected.status != QP_OK && !decoder_.has_status()) {
    ++left_out_;
    return true;
  }
  ++cases_;
  if (coverage_ != nullptr) coverage_->add(bytes);
  for (const std::string& variant : variants_) {
    const auto name = [&] {
      return fmt::format("{}{}profile {}, {}", variant, variant.empty() ? "" : ", ",
                         profile_name(profile), what);
    };
    decoder_.select(variant);
    place_input(bytes);
    float* const out = place_output(n_values);
    situation_.describe(variant.empty() ? what : variant + ", " + what);
    situation_.input(bytes);
    qp_location where{};
    const qp_status status =
        decoder_.decode(profile, input_.last(bytes.size()), bytes.size(), out, n_values, &where);
    // A target that is right where the reference is wrong must not be blamed.
    const auto doubt = [&](const std::string& text) {
      Answer got{status, where, bits_at(out, status == QP_OK ? n_values : 0)};
      if (got.where.field == nullptr) got.where.field = "";
      const Vote voted = vote(reference_, format_, profile, bytes, n_values, got, pinned);
      report(text + "; " + voted.text);
      if (voted.reference_is_outlier) verdict_ = Verdict::kRefused;
      return false;
    };
    if ((status == QP_OK) != (expected.status == QP_OK) ||
        (decoder_.has_location() && status != expected.status)) {
      return doubt(fmt::format("{}: got status {}, want {}", name(), qp_status_name(status),
                               qp_status_name(expected.status)));
    }
    if (status != QP_OK && decoder_.has_location() &&
        (where.block != expected.where.block || where.offset != expected.where.offset ||
         where.field == nullptr || std::string(where.field) != expected.where.field)) {
      return doubt(fmt::format(
          "{}: the error is placed at block {}, offset {}, field {}; want "
          "block {}, offset {}, field {}",
          name(), where.block, where.offset, where.field == nullptr ? "(null)" : where.field,
          expected.where.block, expected.where.offset, expected.where.field));
    }
    const bool equal = n_values > 0 && expected.bits.size() == n_values &&
                       std::memcmp(out, expected.bits.data(), n_values * sizeof(float)) == 0;
    if (!equal && n_values > 0) {
      const auto got = bits_at(out, n_values);
      const std::size_t written = expected.bits.size();
      if (!std::equal(expected.bits.begin(), expected.bits.end(), got.begin())) {
        if (written == n_values) {
          return report_values(profile, bytes, expected, got, poison(), name());
        }
        return doubt(
            fmt::format("{}: not the values of the blocks before the refused one", name()));
      }
      for (std::size_t i = written; i < n_values; ++i) {
        if (got[i] == poison()) continue;
        return report(
            fmt::format("{}: weight {} was written, but nothing may be written there", name(), i));
      }
    }
    for (std::size_t i = 1; i <= kCanaryWords; ++i) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, out - i, sizeof(bits));
      if (bits != poison()) {
        return report(fmt::format("{}: wrote {} values before the start of the output", name(), i));
      }
    }
    if (bytes.size() > 0 &&
        std::memcmp(input_.last(bytes.size()), bytes.data(), bytes.size()) != 0) {
      return report(fmt::format("{}: the input was changed", name()));
    }
  }
  previous_ = expected.bits;
  return true;
}

std::optional<Outcome> Comparer::not_exercised() {
  constexpr int kProbes = 6;
  fuzz::Random random(salt_);
  std::vector<std::vector<std::uint32_t>> outputs;
  bool all_untouched = true;
  bool all_refused = true;
  bool all_echo = true;
  decoder_.select(variants_.front());
  for (int probe = 0; probe < kProbes; ++probe) {
    auto fields = fuzz::random_fields(random);
    fields.scale = 0x3C00u + static_cast<std::uint32_t>(probe);  // 1.0 and a little more
    const auto block = fuzz::pack(format_, fields);
    place_input(block);
    float* const out = place_output(kBlockWeights);
    situation_.describe("a salted probe block");
    situation_.input(block);
    const qp_status status = decoder_.decode(profiles_.front(), input_.last(block.size()),
                                             block.size(), out, kBlockWeights, nullptr);
    const auto& bits = outputs.emplace_back(bits_at(out, kBlockWeights));
    all_refused = all_refused && status != QP_OK;
    all_echo = all_echo && std::memcmp(bits.data(), block.data(), block.size()) == 0;
    all_untouched = all_untouched && std::all_of(bits.begin(), bits.end(),
                                                 [&](std::uint32_t b) { return b == poison(); });
  }
  const auto dead = [&](const std::string& text) {
    return Outcome{Verdict::kNotExercised, fmt::format(fmt::runtime(text), kProbes)};
  };
  if (all_refused) return dead("the target refused {} blocks that no profile refuses");
  if (all_untouched) return dead("the target left its output untouched in {} calls");
  if (all_echo) return dead("the target gave the bytes of {} blocks back as values");
  const bool constant =
      std::all_of(outputs.begin(), outputs.end(), [&](const auto& o) { return o == outputs[0]; });
  if (constant) return dead("the target gave the same output for {} different blocks");
  return std::nullopt;
}

Outcome Comparer::outcome(const std::string& passed) const {
  if (verdict_ != Verdict::kPass) return {verdict_, failure_};
  return {Verdict::kPass, passed};
}

}  // namespace quantproof::certify
