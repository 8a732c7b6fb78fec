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
#include "tools/certify/guarded_buffer.h"
#include "tools/certify/isolate.h"
#include "tools/certify/references.h"
#include "tools/certify/target.h"

namespace quantproof::certify {

namespace {

using nlohmann::json;
constexpr std::size_t kBlockBytes = Iq3Xxs::kBlockBytes;  // E8/IQ3 has as many
constexpr std::size_t kRowBlocks = 64;
constexpr std::chrono::milliseconds kCallLimit{10'000};
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

struct Side {
  std::shared_ptr<Decoder> decoder;   // null: the library lacks the symbol
  std::optional<qp_profile> profile;  // its own; none: it takes any
};

Side open_side(const std::string& text, qp_format format) {
  if (text == "ref") return {std::make_shared<ReferenceDecoder>(format), std::nullopt};
  const TargetSpec spec = parse_target(text);
  Target target = open_target(spec, {format}, std::nullopt, kCallLimit);
  if (spec.builtin) return {target.decoders[format], std::nullopt};
  return {target.decoders[format], target.profiles.front()};
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

Comparison compare_targets(const std::string& a, const std::string& b, qp_format format,
                           std::optional<qp_profile> profile, std::span<const std::uint8_t> bytes) {
  Comparison comparison;
  {
    const Side side_a = open_side(a, format);
    const Side side_b = open_side(b, format);
    comparison.profile =
        profile.value_or(side_a.profile.value_or(side_b.profile.value_or(QP_PROFILE_STRICT)));
    for (const auto& [side, name] : {std::pair{side_a, a}, std::pair{side_b, b}}) {
      if (side.decoder != nullptr) continue;
      const TargetSpec spec = parse_target(name);
      comparison.not_run = fmt::format("{} has no symbol {}", spec.path, symbol_for(spec, format));
    }
  }
  const std::size_t blocks = bytes.size() / kBlockBytes;
  if (blocks == 0) comparison.not_run = "there is no block to compare";
  if (!comparison.not_run.empty()) return comparison;
  const std::chrono::seconds limit(60 + static_cast<long>(blocks / 100));
  const auto check = [&](Situation& situation) {
    // Opened again: a command must be the child's own.
    const Side side_a = open_side(a, format);
    const Side side_b = open_side(b, format);
    Pair pair(*side_a.decoder, *side_b.decoder, comparison.profile, situation);
    try {
      for (std::size_t first = 0; first < blocks; first += kRowBlocks) {
        const std::size_t n = std::min(kRowBlocks, blocks - first);
        const json found = pair.compare(bytes.subspan(first * kBlockBytes, n * kBlockBytes), first);
        if (!found.is_null()) return Outcome{Verdict::kFail, found.dump()};
      }
    } catch (const TargetFailure& failure) {
      return Outcome{Verdict::kFail, failure.what()};
    }
    return Outcome{Verdict::kPass, ""};
  };
  const Outcome outcome = run_isolated(limit, check, 2 * kCallLimit);
  if (outcome.verdict == Verdict::kPass) return comparison;
  if (!outcome.detail.empty() && outcome.detail.front() == '{') {
    comparison.difference = parse(outcome.detail);
  } else {
    comparison.difference.emplace().crash = outcome.detail;
  }
  return comparison;
}

}  // namespace quantproof::certify
