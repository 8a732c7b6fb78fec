// SPDX-License-Identifier: Apache-2.0
//
// Checks of the encoder of IQ3_XXS and E8/IQ3, spec/formats/encoding.md, and of the rotation of
// rows, spec/formats/rotation.md: the fast ones on every level that this CPU has.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "fuzz/iq3_weights.h"
#include "quantproof/e8_iq3.h"
#include "quantproof/iq3_codebook.h"
#include "quantproof/iq3_encoding.h"
#include "quantproof/iq3_rotation.h"
#include "quantproof/iq3_xxs.h"
#include "quantproof/qp.h"
#include "quantproof/ref/iq3_block.h"
#include "quantproof/ref/iq3_encode.h"
#include "quantproof/ref/iq3_rotation.h"
#include "tools/certify/checks.h"
#include "tools/certify/hex.h"
#include "tools/certify/levels.h"
#include "tools/certify/spec_data.h"

namespace quantproof::certify {

namespace {

using fuzz::Floats;
using fuzz::Iq3Weights;
using fuzz::kIq3Families;
using fuzz::WeightRandom;
using Bytes = std::vector<std::uint8_t>;

constexpr qp_format kFormats[] = {QP_IQ3_XXS, QP_E8_IQ3};
constexpr qp_effort kEfforts[] = {QP_EFFORT_FAST, QP_EFFORT_DEFAULT, QP_EFFORT_BEST};

qp_encode_options options_of(qp_effort effort, qp_weighting weighting = QP_WEIGHTING_IMPORTANCE) {
  return {sizeof(qp_encode_options), effort, weighting};
}

ref::Iq3EncodeOptions reference_options(const qp_encode_options& options) {
  return {options.effort == QP_EFFORT_FAST   ? Iq3Effort::kFast
          : options.effort == QP_EFFORT_BEST ? Iq3Effort::kBest
                                             : Iq3Effort::kDefault,
          options.weighting == QP_WEIGHTING_GGML ? Iq3Weighting::kGgml : Iq3Weighting::kImportance};
}

// Empty where an encoder refuses.
Bytes encode(qp_format format, const Iq3Weights& weights, const qp_encode_options& options) {
  Bytes bytes(qp_encoded_size(format, 1, weights.x.size()));
  const qp_status status =
      qp_encode(format, weights.x.data(), 1, weights.x.size(), weights.importance_or_null(),
                bytes.data(), bytes.size(), &options);
  return status == QP_OK ? bytes : Bytes();
}

Bytes encode_by_reference(qp_format format, const Iq3Weights& weights,
                          const qp_encode_options& options) {
  Bytes bytes(qp_encoded_size(format, 1, weights.x.size()));
  const qp_status status =
      ref::encode_iq3(format, weights.x.data(), 1, weights.x.size(), weights.importance_or_null(),
                      reference_options(options), bytes.data(), bytes.size(), nullptr);
  return status == QP_OK ? bytes : Bytes();
}

Floats decode(qp_format format, const Bytes& bytes, std::size_t n) {
  Floats y(n, std::numeric_limits<float>::quiet_NaN());
  qp_decode(format, bytes.data(), bytes.size(), y.data(), n);
  return y;
}

double squared_error(const Floats& x, const Floats& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double e = static_cast<double>(x[i]) - static_cast<double>(y[i]);
    sum += e * e;
  }
  return sum;
}

template <class Check>
std::string on_levels(Situation& situation, const Check& check) {
  return on_every_level(situation, "encoding", check);
}

// IQ3ENC-FAST-1
Outcome check_fast(const CheckInput& input, Situation& situation) {
  WeightRandom random(input.seed);
  std::size_t count = 0;
  const std::string failure = repeat(input, 26, count, [&]() -> std::string {
    const auto& family = kIq3Families[count % std::size(kIq3Families)];
    const qp_format format = kFormats[count / std::size(kIq3Families) % 2];
    const std::size_t cols = format == QP_E8_IQ3 && count % 3 == 0 ? 300 : 512;
    const Iq3Weights weights = family.make(random, cols);
    for (const qp_effort effort : kEfforts) {
      const qp_encode_options options =
          options_of(effort, count % 4 == 3 ? QP_WEIGHTING_GGML : QP_WEIGHTING_IMPORTANCE);
      const Bytes want = encode_by_reference(format, weights, options);
      if (want.empty()) return fmt::format("the reference refuses {}", family.name);
      const std::string found = on_levels(situation, [&]() -> std::string {
        return encode(format, weights, options) == want
                   ? ""
                   : fmt::format("other bytes for {}", family.name);
      });
      if (!found.empty()) return found;
    }
    return {};
  });
  if (!failure.empty()) return fail(failure);
  return {Verdict::kPass, fmt::format("{} rows x 3 efforts, on every level", count)};
}

// IQ3ENC-VALID-1
Outcome check_valid(const CheckInput& input, Situation& situation) {
  situation.describe("valid blocks");
  WeightRandom random(input.seed);
  std::size_t count = 0;
  const std::string failure = repeat(input, 26, count, [&]() -> std::string {
    const auto& family = kIq3Families[count % std::size(kIq3Families)];
    const Iq3Weights weights = family.make(random, 4 * kBlockWeights);
    for (const qp_format format : kFormats) {
      for (const qp_effort effort : kEfforts) {
        const Bytes bytes = encode(format, weights, options_of(effort));
        if (bytes.empty()) return fmt::format("{} is refused", family.name);
        for (std::size_t at = 0; at < bytes.size(); at += Iq3Xxs::kBlockBytes) {
          const std::size_t scale =
              at + (format == QP_IQ3_XXS ? Iq3Xxs::kScaleOffset : E8Iq3::kScaleOffset);
          if (bytes[scale + 1] >= 0x7C) return fmt::format("{}: the scale of a block", family.name);
        }
        if (!weights.importance.empty()) continue;
        const Floats y = decode(format, bytes, weights.x.size());
        if (squared_error(weights.x, y) > squared_error(weights.x, Floats(y.size()))) {
          return fmt::format("{}: worse than zeros", family.name);
        }
      }
    }
    return {};
  });
  if (!failure.empty()) return fail(failure);
  return {Verdict::kPass, fmt::format("{} rows of 4 blocks, 2 formats, 3 efforts", count)};
}

// IQ3ENC-EXACT-1
Outcome check_exact(const CheckInput& input, Situation& situation) {
  WeightRandom random(input.seed);
  std::size_t count = 0;
  const std::string failure = repeat(input, 400, count, [&]() -> std::string {
    const qp_format format = kFormats[count % 2];
    Bytes block(Iq3Xxs::kBlockBytes);
    for (auto& byte : block) byte = static_cast<std::uint8_t>(random.next());
    auto& high = block[(format == QP_IQ3_XXS ? Iq3Xxs::kScaleOffset : E8Iq3::kScaleOffset) + 1];
    if ((high & 0x7C) == 0x7C) high &= 0xBF;
    if (count % 10 == 0) high &= 0x83;
    const Floats x = decode(format, block, kBlockWeights);
    return on_levels(situation, [&]() -> std::string {
      return decode(format, encode(format, {x, {}}, options_of(kEfforts[count % 3])),
                    kBlockWeights) == x
                 ? ""
                 : fmt::format("block {} does not come back", count);
    });
  });
  if (!failure.empty()) return fail(failure);
  return {Verdict::kPass, fmt::format("{} decoded blocks", count)};
}

// IQ3ENC-ROWS-1
Outcome check_rows(const CheckInput& /*input*/, Situation& situation) {
  const std::string failure = on_levels(situation, []() -> std::string {
    for (const qp_format format : kFormats) {
      for (std::uint32_t row = 0; row < kCodebookRows; ++row) {
        Iq3Fields<std::uint32_t> fields;
        fields.scale = 0x2C00 + 7 * row;
        fields.index.fill(row);
        for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
          fields.scale_code[ib] = (row + 5 * static_cast<std::uint32_t>(ib)) % 16;
        }
        Bytes block(Iq3Xxs::kBlockBytes);
        if (format == QP_IQ3_XXS) {
          ref::pack<Iq3Xxs>(fields, block.data());
        } else {
          ref::pack<E8Iq3>(fields, block.data());
        }
        const Floats x = decode(format, block, kBlockWeights);
        for (const qp_effort effort : kEfforts) {
          if (decode(format, encode(format, {x, {}}, options_of(effort)), kBlockWeights) != x) {
            return fmt::format("row {} does not come back", row);
          }
        }
      }
    }
    return {};
  });
  if (!failure.empty()) return fail(failure);
  return {Verdict::kPass, "256 rows x 2 formats x 3 efforts"};
}

// IQ3ENC-REFUSE-1
Outcome check_refusals(const CheckInput& /*input*/, Situation& situation) {
  situation.describe("refusals");
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  struct Refusal {
    std::size_t at;
    float value;
    bool importance;
    qp_status status;
  };
  const std::vector<Refusal> refusals = {{48, nan, false, QP_WEIGHT_NOT_FINITE},
                                         {511, infinity, false, QP_WEIGHT_NOT_FINITE},
                                         {600, -infinity, false, QP_WEIGHT_NOT_FINITE},
                                         {1023, 1e8f, false, QP_WEIGHT_OUT_OF_RANGE},
                                         {16, nan, true, QP_IMPORTANCE_NOT_FINITE},
                                         {300, infinity, true, QP_IMPORTANCE_NOT_FINITE},
                                         {5, -1, true, QP_IMPORTANCE_NEGATIVE}};
  for (const Refusal& r : refusals) {
    Floats x(1024, 1.0f);
    Floats importance(512, 1.0f);
    (r.importance ? importance : x)[r.at] = r.value;
    for (const bool reference : {false, true}) {
      Bytes bytes(4 * Iq3Xxs::kBlockBytes, 0x77);
      qp_location where{};
      const qp_status status =
          reference ? ref::encode_iq3(QP_IQ3_XXS, x.data(), 2, 512, importance.data(), {},
                                      bytes.data(), bytes.size(), &where)
                    : qp_encode_at(QP_IQ3_XXS, x.data(), 2, 512, importance.data(), bytes.data(),
                                   bytes.size(), nullptr, &where);
      if (status != r.status || where.offset != 4 * r.at || where.block != r.at / kBlockWeights ||
          bytes != Bytes(bytes.size(), 0x77)) {
        return fail(fmt::format("number {} of {}: {} at block {}, offset {}", r.at,
                                r.importance ? "importance" : "x", qp_status_name(status),
                                where.block, where.offset));
      }
    }
  }
  return {Verdict::kPass, fmt::format("{} refusals in both encoders", refusals.size())};
}

// IQ3ENC-IMPORTANCE-1
Outcome check_importance(const CheckInput& input, Situation& situation) {
  WeightRandom random(input.seed);
  const Floats x = kIq3Families[0].make(random, 512).x;
  const std::string failure = on_levels(situation, [&]() -> std::string {
    for (const qp_effort effort : kEfforts) {
      const Bytes none = encode(QP_IQ3_XXS, {x, {}}, options_of(effort));
      for (const float h : {0.0f, -0.0f, 1.0f, 1e-44f, 1e30f}) {
        if (encode(QP_IQ3_XXS, {x, Floats(512, h)}, options_of(effort)) != none) {
          return fmt::format("importances of {} give other bytes than none", h);
        }
      }
      Floats some(512, 1.0f);
      std::fill(some.begin() + 32, some.begin() + 64, 0.0f);
      const Floats y = decode(QP_IQ3_XXS, encode(QP_IQ3_XXS, {x, some}, options_of(effort)), 512);
      const Floats part_x(x.begin() + 32, x.begin() + 64);
      const Floats part_y(y.begin() + 32, y.begin() + 64);
      if (16 * squared_error(part_x, part_y) > squared_error(part_x, Floats(32))) {
        return "a sub-block without importance is lost";
      }
    }
    return {};
  });
  if (!failure.empty()) return fail(failure);
  return {Verdict::kPass, "2 blocks, 5 values, 3 efforts"};
}

// IQ3ENC-QUALITY-1
Outcome check_quality(const CheckInput& /*input*/, Situation& situation) {
  situation.describe("relative errors");
  WeightRandom random(11);
  Floats x(256 * kBlockWeights);
  for (float& v : x) v = static_cast<float>(random.normal());
  const double all = squared_error(x, Floats(x.size()));
  std::string measured;
  const struct {
    qp_effort effort;
    const char* name;
    double limit;
  } efforts[] = {{QP_EFFORT_FAST, "fast", 0.1790},
                 {QP_EFFORT_DEFAULT, "default", 0.1770},
                 {QP_EFFORT_BEST, "best", 0.1758}};
  for (const auto& e : efforts) {
    const Bytes bytes = encode(QP_IQ3_XXS, {x, {}}, options_of(e.effort));
    const double error = std::sqrt(squared_error(x, decode(QP_IQ3_XXS, bytes, x.size())) / all);
    if (!(error <= e.limit)) return fail(fmt::format("effort {}: {:.5f}", e.name, error));
    measured += fmt::format("{}{} {:.5f}", measured.empty() ? "" : ", ", e.name, error);
  }
  return {Verdict::kPass, "relative error " + measured};
}

// IQ3ENC-CONSTANTS-1
Outcome check_constants(const CheckInput& /*input*/, Situation& situation) {
  situation.describe("constants");
  for (std::size_t i = 0; i < kIq3GridFraction.size(); ++i) {
    if (kIq3GridFraction[i] != static_cast<float>(std::exp2(static_cast<long double>(i) / 32))) {
      return fail(fmt::format("grid value {}", i));
    }
  }
  if (kIq3GridHalfStep != static_cast<float>(std::exp2(1.0L / 64))) return fail("half a step");
  for (std::size_t s = 0; s < kIq3CodeStep.size(); ++s) {
    const auto multiplier = static_cast<long double>(2 * s + 1);
    if (kIq3CodeStep[s] != std::lround(32 * std::log2(multiplier))) {
      return fail(fmt::format("the step of code {}", s));
    }
  }
  return {Verdict::kPass, "32 grid values, half a step, 16 code steps"};
}

Floats floats_of(const nlohmann::json& hex) {
  const Bytes bytes = hex.is_null() ? Bytes() : parse_hex(hex.get<std::string>());
  Floats values(bytes.size() / 4);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::bit_cast<float>(bytes[4 * i] | std::uint32_t{bytes[4 * i + 1]} << 8 |
                                     std::uint32_t{bytes[4 * i + 2]} << 16 |
                                     std::uint32_t{bytes[4 * i + 3]} << 24);
  }
  return values;
}

// One encoder on a case of task encode.
std::string judge_encode(const nlohmann::json& test, bool reference) {
  const qp_format format = parse_format(test.at("format"));
  const std::string effort = test.at("effort");
  const qp_encode_options options =
      options_of(effort == "fast"   ? QP_EFFORT_FAST
                 : effort == "best" ? QP_EFFORT_BEST
                                    : QP_EFFORT_DEFAULT,
                 test.at("weighting") == "ggml" ? QP_WEIGHTING_GGML : QP_WEIGHTING_IMPORTANCE);
  const Floats x = floats_of(test.at("weights"));
  const Floats importance = floats_of(test.at("importance"));
  const float* h = importance.empty() ? nullptr : importance.data();
  const std::size_t rows = test.at("rows");
  const std::size_t cols = test.at("cols");
  const nlohmann::json& expect = test.at("expect");
  Bytes bytes(rows * ((cols + kBlockWeights - 1) / kBlockWeights) * Iq3Xxs::kBlockBytes);
  qp_location where{0, 0, ""};
  const qp_status status =
      reference ? ref::encode_iq3(format, x.data(), rows, cols, h, reference_options(options),
                                  bytes.data(), bytes.size(), &where)
                : qp_encode_at(format, x.data(), rows, cols, h, bytes.data(), bytes.size(),
                               &options, &where);
  if (expect.at("status") != qp_status_name(status)) return qp_status_name(status);
  if (status == QP_OK) {
    return bytes == parse_hex(expect.at("bytes").get<std::string>()) ? "" : "other bytes";
  }
  const bool same_place = where.block == expect.at("block").get<std::uint64_t>() &&
                          where.offset == expect.at("offset").get<std::uint64_t>() &&
                          expect.at("field") == where.field;
  return same_place ? "" : "another place";
}

// The fast or the reference rotation on a case of task rotate or unrotate.
std::string judge_rotation(const nlohmann::json& test, bool reference) {
  const bool back = test.at("task") == "unrotate";
  Floats row = floats_of(test.at("weights"));
  const Floats want = floats_of(test.at("expect").at("bits"));
  if (reference) {
    (back ? ref::unrotate : ref::rotate)(row.data(), row.size());
  } else if ((back ? qp_unrotate : qp_rotate)(row.data(), 1, row.size()) != QP_OK) {
    return "refused";
  }
  return std::memcmp(row.data(), want.data(), row.size() * sizeof(float)) == 0 ? "" : "other bits";
}

// IQ3ENC-VECTORS-1
Outcome check_vectors(const CheckInput& /*input*/, Situation& situation) {
  const auto file = nlohmann::json::parse(spec_file("vectors/encoding.json"));
  for (const nlohmann::json& test : file.at("cases")) {
    const auto judge = test.at("task") == "encode" ? judge_encode : judge_rotation;
    std::string failure = judge(test, true);
    if (!failure.empty()) failure = "the reference: " + failure;
    if (failure.empty()) failure = on_levels(situation, [&] { return judge(test, false); });
    if (failure.empty()) continue;
    return fail(fmt::format("vector {} ({}): {}", test.at("id").get<int>(),
                            test.at("comment").get<std::string>(), failure));
  }
  return {Verdict::kPass, fmt::format("{} cases", file.at("cases").size())};
}

// IQ3ROT-FAST-1
Outcome check_rotation(const CheckInput& input, Situation& situation) {
  std::vector<std::size_t> widths = {768, 1536, 3584, 6144, 98304};
  for (std::size_t n = 0; n <= 70; ++n) widths.push_back(n);
  WeightRandom random(input.seed);
  for (const std::size_t n : widths) {
    const Floats row = kIq3Families[0].make(random, n).x;
    for (const bool back : {false, true}) {
      Floats want = row;
      (back ? ref::unrotate : ref::rotate)(want.data(), n);
      const std::string failure = on_levels(situation, [&]() -> std::string {
        Floats got = row;
        const qp_status status = (back ? qp_unrotate : qp_rotate)(got.data(), 1, n);
        const bool same = n == 0 || std::memcmp(got.data(), want.data(), n * sizeof(float)) == 0;
        return status == QP_OK && same ? "" : fmt::format("a row of {}", n);
      });
      if (!failure.empty()) return fail(failure);
    }
  }
  return {Verdict::kPass, fmt::format("{} widths, both ways", widths.size())};
}

// IQ3ROT-INVERSE-1
Outcome check_inverse(const CheckInput& input, Situation& situation) {
  WeightRandom random(input.seed);
  const std::string failure = on_levels(situation, [&]() -> std::string {
    for (const std::size_t b : {1u, 4u, 16u, 256u, 1024u, 4096u, 16384u}) {
      Floats row(b);
      for (float& v : row) v = static_cast<float>(random.below(129)) - 64.0f;
      const Floats before = row;
      qp_rotate(row.data(), 1, b);
      qp_unrotate(row.data(), 1, b);
      if (row != before) return fmt::format("a tile of {}", b);
    }
    return {};
  });
  if (!failure.empty()) return fail(failure);
  return {Verdict::kPass, "7 tile sizes"};
}

// IQ3ROT-SIGNS-1
Outcome check_signs(const CheckInput& /*input*/, Situation& situation) {
  situation.describe("sign streams");
  const struct {
    std::size_t tile;
    std::array<std::uint8_t, 8> bytes;
  } literals[] = {{4, {0xE8, 0x5A, 0x53, 0x27, 0x0B, 0x5D, 0x25, 0x8E}},
                  {8, {0x23, 0x55, 0xF9, 0xC1, 0xE4, 0x0C, 0x8B, 0x6F}},
                  {256, {0xDE, 0x65, 0x8F, 0x16, 0x78, 0xEE, 0xA0, 0x3B}},
                  {512, {0x15, 0x33, 0x31, 0xEA, 0x11, 0xC0, 0x78, 0xFC}},
                  {1024, {0x3B, 0xC2, 0xAC, 0x6A, 0xEA, 0xB1, 0x51, 0x46}},
                  {2048, {0xA0, 0x38, 0xF9, 0x27, 0xCB, 0x70, 0x35, 0x2E}},
                  {4096, {0x0B, 0x17, 0x8F, 0xD2, 0xCC, 0xF1, 0x30, 0x27}}};
  for (const auto& literal : literals) {
    RotationSigns signs(literal.tile);
    for (const std::uint8_t byte : literal.bytes) {
      if (signs.next_byte() != byte) return fail(fmt::format("a tile of {}", literal.tile));
    }
  }
  return {Verdict::kPass, "7 tile sizes, 8 bytes each"};
}

}  // namespace

std::vector<CheckEntry> iq3_encode_checks() {
  return {
      {"IQ3ENC-CONSTANTS-1", check_constants, false, true},
      {"IQ3ENC-EXACT-1", check_exact, false, true},
      {"IQ3ENC-FAST-1", check_fast, false, true},
      {"IQ3ENC-IMPORTANCE-1", check_importance, false, true},
      {"IQ3ENC-QUALITY-1", check_quality, false, true},
      {"IQ3ENC-REFUSE-1", check_refusals, false, true},
      {"IQ3ENC-ROWS-1", check_rows, false, true},
      {"IQ3ENC-VALID-1", check_valid, false, true},
      {"IQ3ENC-VECTORS-1", check_vectors, false, true},
      {"IQ3ROT-FAST-1", check_rotation, false, true},
      {"IQ3ROT-INVERSE-1", check_inverse, false, true},
      {"IQ3ROT-SIGNS-1", check_signs, false, true},
  };
}

}  // namespace quantproof::certify
