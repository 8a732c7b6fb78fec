// SPDX-License-Identifier: Apache-2.0
#include "tools/certify/encoder_digests.h"

#include <chrono>
#include <string_view>

#include "fmt/format.h"

#include "fuzz/iq3_weights.h"
#include "quantproof/kaiju1.h"
#include "quantproof/qp.h"
#include "tools/certify/decoder.h"
#include "tools/certify/isolate.h"
#include "tools/certify/sha256.h"

namespace quantproof::certify {

namespace {

constexpr std::uint64_t kSeed = 20'260'906;
constexpr std::size_t kWeights = 1024;  // of each family
constexpr std::size_t kKaiju1Rows = 2;
constexpr std::chrono::seconds kLimit{60};

struct Effort {
  const char* name;
  qp_effort effort;
};
constexpr Effort kEfforts[] = {
    {"fast", QP_EFFORT_FAST}, {"default", QP_EFFORT_DEFAULT}, {"best", QP_EFFORT_BEST}};

// Calls encode(weights, importance or null, bytes) for each family. A refusal counts, too.
template <class Encode>
std::string digest(const Encode& encode) {
  fuzz::WeightRandom random(kSeed);
  std::string all;
  for (const fuzz::Iq3Family& family : fuzz::kIq3Families) {
    const fuzz::Iq3Weights input = family.make(random, kWeights);
    encode(input.x.data(), input.importance_or_null(), all);
  }
  return sha256(all);
}

void append(std::string& all, qp_status status, std::string_view bytes) {
  all += qp_status_name(status);
  if (status == QP_OK) all += bytes;
}

std::string iq3_digest(qp_format format, qp_effort effort) {
  return digest([&](const float* x, const float* importance, std::string& all) {
    for (const qp_weighting weighting : {QP_WEIGHTING_IMPORTANCE, QP_WEIGHTING_GGML}) {
      const qp_encode_options options{sizeof(qp_encode_options), effort, weighting};
      std::string bytes(qp_encoded_size(format, 1, kWeights), '\0');
      append(all,
             qp_encode(format, x, 1, kWeights, importance, bytes.data(), bytes.size(), &options),
             bytes);
    }
  });
}

std::string kaiju1_digest() {
  constexpr std::size_t kCols = kWeights / kKaiju1Rows;
  return digest([&](const float* x, const float* importance, std::string& all) {
    std::string bytes(qp_kaiju1_size(kKaiju1Rows, kCols, kKaiju1DefaultHiFrac), '\0');
    append(all,
           qp_kaiju1_encode(x, kKaiju1Rows, kCols, importance, kKaiju1DefaultHiFrac, 1,
                            bytes.data(), bytes.size()),
           bytes);
  });
}

}  // namespace

std::vector<EncoderDigest> encoder_digests(const std::vector<qp_format>& formats, bool kaiju1,
                                           std::vector<std::string>& notes) {
  std::vector<EncoderDigest> digests;
  const auto add = [&](const std::string& format, const std::string& effort,
                       const std::string& shape, const auto& compute) {
    const Outcome outcome = run_isolated(kLimit, [&](Situation& situation) {
      situation.describe("encoding the corpus");
      return Outcome{Verdict::kPass, compute()};
    });
    if (outcome.verdict != Verdict::kPass) {
      notes.push_back(fmt::format("the encoder of {}, effort {}, gave no digest: {}", format,
                                  effort, outcome.detail));
      return;
    }
    digests.push_back({format, effort,
                       fmt::format("{} families of {} weights, {}, seed {}",
                                   std::size(fuzz::kIq3Families), kWeights, shape, kSeed),
                       outcome.detail});
  };
  for (const qp_format format : formats) {
    for (const Effort& effort : kEfforts) {
      add(format_name(format), effort.name, "both weightings",
          [&] { return iq3_digest(format, effort.effort); });
    }
  }
  if (kaiju1) {
    add("kaiju1", "default", fmt::format("{} rows each", kKaiju1Rows),
        [] { return kaiju1_digest(); });
  }
  return digests;
}

}  // namespace quantproof::certify
