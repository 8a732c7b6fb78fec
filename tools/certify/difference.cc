// SPDX-License-Identifier: Apache-2.0
#include "tools/certify/difference.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "quantproof/iq3_xxs.h"
#include "quantproof/qp.h"
#include "tools/certify/comparer.h"
#include "tools/certify/decoder.h"
#include "tools/certify/guarded_buffer.h"
#include "tools/certify/isolate.h"
#include "tools/certify/references.h"

namespace quantproof::certify {

namespace {

using nlohmann::json;
constexpr std::size_t kBlockBytes = Iq3Xxs::kBlockBytes;  // E8/IQ3 has as many
constexpr std::size_t kRowBlocks = Comparer::kMaxBlocks;
constexpr std::chrono::seconds kCallLimit{10};  // of a command
// Signalling NaNs, which no decoder may produce; one each, so that two that write nothing differ.
constexpr std::uint32_t kPoison[] = {0x7FA0000Au, 0x7FA0000Bu};

class ReferenceDecoder final : public Decoder {
 public:
  explicit ReferenceDecoder(qp_format format) : format_(format) {}
  bool has_status() const override { return true; }
  bool has_location() const override { return true; }
  bool has_partial_blocks() const override { return true; }
  qp_status decode(qp_profile profile, const std::uint8_t* bytes, std::size_t n_bytes, float* out,
                   std::size_t n_values, qp_location* where) override {
    return reference_decode(format_, profile, {bytes, n_bytes}, out, n_values, where);
  }

 private:
  qp_format format_;
};

// Null where the library lacks the symbol.
std::unique_ptr<Decoder> open(const std::string& text, qp_format format, std::string& missing) {
  if (text == "ref") return std::make_unique<ReferenceDecoder>(format);
  const TargetSpec target = parse_target(text);
  if (target.builtin) return builtin_decoder(format);
  if (!target.command.empty()) return command_decoder(target, format, kCallLimit);
  const bool fits =
      target.preset == Preset::kQp || (target.preset == Preset::kGgml) == (format == QP_IQ3_XXS);
  if (!fits) {
    throw UsageError(fmt::format("preset {} does not decode {}", preset_name(target.preset),
                                 format_name(format)));
  }
  auto decoder = library_decoder(target, format);
  if (decoder == nullptr) {
    missing = fmt::format("{} has no symbol {}", target.path, symbol_for(target, format));
  }
  return decoder;
}

// Both sides' view of the same blocks.
class Pair {
 public:
  Pair(Decoder& a, Decoder& b, qp_profile profile, Situation& situation)
      : decoders_{&a, &b}, profile_(profile), situation_(situation) {
    situation_.watch(input_, "input");
    situation_.watch(output_, "output");
  }

  // The first difference in `row`, whose first block is number `first`; null: none.
  json compare(std::span<const std::uint8_t> row, std::size_t first) {
    const std::size_t blocks = row.size() / kBlockBytes;
    for (std::size_t side = 0; side < 2; ++side) decode(side, row, first);
    if (status_[0] != QP_OK || status_[1] != QP_OK) {
      if (blocks == 1) return refusals(first);
      for (std::size_t b = 0; b < blocks; ++b) {
        json found = compare(row.subspan(b * kBlockBytes, kBlockBytes), first + b);
        if (!found.is_null()) return found;
      }
      return nullptr;
    }
    for (std::size_t b = 0; b < blocks; ++b) {
      json weights = json::array();
      for (std::size_t w = 0; w < kBlockWeights; ++w) {
        const std::size_t i = b * kBlockWeights + w;
        if (bits_[0][i] == bits_[1][i]) continue;
        weights.push_back({w, shown(0, i), shown(1, i)});
      }
      if (!weights.empty()) {
        return {{"block", first + b}, {"row_blocks", blocks}, {"weights", weights}};
      }
    }
    return nullptr;
  }

 private:
  void decode(std::size_t side, std::span<const std::uint8_t> row, std::size_t first) {
    const std::size_t n = row.size() / kBlockBytes * kBlockWeights;
    bits_[side].assign(n, kPoison[side]);
    std::uint8_t* in = input_.last(row.size());
    std::memcpy(in, row.data(), row.size());
    std::uint8_t* out = output_.last(n * sizeof(float));
    std::memcpy(out, bits_[side].data(), n * sizeof(float));
    situation_.describe(fmt::format("target {}, {} blocks from block {}", side == 0 ? 'A' : 'B',
                                    row.size() / kBlockBytes, first));
    situation_.input(row);
    status_[side] = decoders_[side]->decode(profile_, in, row.size(), reinterpret_cast<float*>(out),
                                            n, nullptr);
    std::memcpy(bits_[side].data(), out, n * sizeof(float));
  }

  json refusals(std::size_t block) const {
    const bool told = decoders_[0]->has_location() && decoders_[1]->has_location();
    const bool same =
        told ? status_[0] == status_[1] : (status_[0] == QP_OK) == (status_[1] == QP_OK);
    if (same) return nullptr;
    return {{"block", block},
            {"a_status", qp_status_name(status_[0])},
            {"b_status", qp_status_name(status_[1])}};
  }

  json shown(std::size_t side, std::size_t i) const {
    return bits_[side][i] == kPoison[side] ? json(nullptr) : json(bits_[side][i]);
  }

  Decoder* decoders_[2];
  qp_profile profile_;
  Situation& situation_;
  GuardedBuffer input_{kRowBlocks * kBlockBytes};
  GuardedBuffer output_{kRowBlocks * kBlockWeights * sizeof(float)};
  qp_status status_[2] = {QP_OK, QP_OK};
  std::vector<std::uint32_t> bits_[2];
};

Difference parse(const std::string& text) {
  const json found = json::parse(text);
  Difference difference;
  difference.block = found.at("block");
  difference.row_blocks = found.value("row_blocks", std::size_t{1});
  difference.a_status = found.value("a_status", "");
  difference.b_status = found.value("b_status", "");
  const auto bits = [](const json& value) {
    return value.is_null() ? std::nullopt : std::optional<std::uint32_t>(value);
  };
  for (const json& weight : found.value("weights", json::array())) {
    difference.weights.push_back({weight.at(0), bits(weight.at(1)), bits(weight.at(2))});
  }
  return difference;
}

}  // namespace

std::optional<Difference> first_difference(const std::string& a, const std::string& b,
                                           qp_format format, qp_profile profile,
                                           std::span<const std::uint8_t> bytes,
                                           std::string& missing) {
  const auto decoder_a = open(a, format, missing);
  const auto decoder_b = open(b, format, missing);
  if (decoder_a == nullptr || decoder_b == nullptr) return std::nullopt;
  const std::size_t blocks = bytes.size() / kBlockBytes;
  const std::chrono::seconds limit(60 + static_cast<long>(blocks / 1000));
  const Outcome outcome = run_isolated(limit, [&](Situation& situation) {
    Pair pair(*decoder_a, *decoder_b, profile, situation);
    for (std::size_t first = 0; first < blocks; first += kRowBlocks) {
      const std::size_t n = std::min(kRowBlocks, blocks - first);
      const json found = pair.compare(bytes.subspan(first * kBlockBytes, n * kBlockBytes), first);
      if (!found.is_null()) return Outcome{Verdict::kFail, found.dump()};
    }
    return Outcome{Verdict::kPass, ""};
  });
  if (outcome.verdict == Verdict::kPass) return std::nullopt;
  if (!outcome.detail.empty() && outcome.detail.front() == '{') return parse(outcome.detail);
  Difference difference;
  difference.crash = outcome.detail;
  return difference;
}

std::optional<qp_profile> profile_of_target(const std::string& target) {
  if (target == "ref") return std::nullopt;
  const TargetSpec spec = parse_target(target);
  if (spec.builtin || !spec.command.empty()) return std::nullopt;
  switch (spec.preset) {
    case Preset::kGgml:
      return QP_PROFILE_GGML;
    case Preset::kColibri:
      return QP_PROFILE_COLIBRI;
    case Preset::kQp:
      break;
  }
  return QP_PROFILE_STRICT;
}

}  // namespace quantproof::certify
