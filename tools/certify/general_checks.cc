// SPDX-License-Identifier: Apache-2.0
//
// Checks that belong to no single format: the scale, the codebook and the transcoding of scales.
#include <bit>
#include <set>

#include "fmt/format.h"

#include "fast/codebook.h"
#include "fast/half.h"
#include "quantproof/iq3_codebook.h"
#include "quantproof/qp.h"
#include "quantproof/ref/half.h"
#include "tools/certify/checks.h"
#include "tools/certify/sha256.h"
#include "tools/certify/vectors.h"

namespace quantproof::certify {

namespace {

void append_little_endian(std::uint32_t value, unsigned n, std::string& bytes) {
  for (unsigned i = 0; i < n; ++i) bytes.push_back(static_cast<char>((value >> (8 * i)) & 0xFF));
}

Outcome check_widening(const CheckInput& /*input*/, Situation& situation) {
  for (const qp_profile profile : {QP_PROFILE_STRICT, QP_PROFILE_GGML, QP_PROFILE_COLIBRI}) {
    for (std::uint32_t half = 0; half < 0x10000; ++half) {
      situation.describe(fmt::format("widening 0x{:04X}", half));
      ref::Scale scale;
      const qp_status status = ref::read_scale(profile, static_cast<std::uint16_t>(half), &scale);
      const bool finite = (half & 0x7C00) != 0x7C00;
      if ((status == QP_OK) != (finite || profile != QP_PROFILE_STRICT)) {
        return {Verdict::kFail,
                fmt::format("the reference gives the wrong verdict on 0x{:04X}", half)};
      }
      if (status != QP_OK) continue;
      const std::uint32_t got = fast::WidenScale(profile, half);
      const std::uint32_t want = ref::widen(scale);
      if (got != want) {
        return {Verdict::kFail,
                fmt::format("0x{:04X} widens to 0x{:08X}, want 0x{:08X}", half, got, want)};
      }
    }
  }
  for (const HalfCase& vector : half_vectors()) {
    for (const auto& [profile, want] : vector.widened) {
      ref::Scale scale;
      const qp_status status = ref::read_scale(profile, vector.half, &scale);
      const std::uint32_t bits =
          status == QP_OK ? fast::WidenScale<std::uint32_t>(profile, vector.half) : 0;
      if (status != want.first || bits != want.second) {
        return {Verdict::kFail, fmt::format("half.json case {}: 0x{:04X} widens to 0x{:08X}",
                                            vector.id, vector.half, bits)};
      }
    }
  }
  const auto digests = half_digests();
  for (const qp_profile profile : {QP_PROFILE_STRICT, QP_PROFILE_GGML, QP_PROFILE_COLIBRI}) {
    std::string table;
    for (std::uint32_t half = 0; half < 0x10000; ++half) {
      if (profile == QP_PROFILE_STRICT && (half & 0x7C00) == 0x7C00) continue;
      append_little_endian(fast::WidenScale(profile, half), 4, table);
    }
    if (sha256(table) != digests.at(profile_name(profile))) {
      return {Verdict::kFail, fmt::format("the widened scales of profile {} have another SHA-256",
                                          profile_name(profile))};
    }
  }
  return {Verdict::kPass, fmt::format("65,536 scales x 3 profiles, {} literal cases, 3 digests",
                                      half_vectors().size())};
}

Outcome check_codebook(const CheckInput& /*input*/, Situation& /*situation*/) {
  std::string bytes;
  std::set<std::uint32_t> rows;
  std::uint32_t previous = 0;
  for (std::size_t r = 0; r < kCodebookRows; ++r) {
    std::uint32_t ascending = 0;  // the levels as one number, the last weight's on top
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < kRowWeights; ++j) {
      const std::uint8_t magnitude = kIq3Codebook[r][j];
      const unsigned level = (kIq3RowLevels[r] >> (3 * (kRowWeights - 1 - j))) & 7u;
      bytes.push_back(static_cast<char>(magnitude));
      ascending |= level << (3 * j);
      word |= std::uint32_t{magnitude} << (8 * j);
      if (magnitude != (level == 7 ? 62 : 8 * level + 4)) {
        return {Verdict::kFail,
                fmt::format("row {} weight {}: level {} has magnitude {}", r, j, level, magnitude)};
      }
      if (fast::kCodebookRowsFloat[r][j] != static_cast<float>(magnitude)) {
        return {Verdict::kFail, fmt::format("the kernels' row {} differs", r)};
      }
    }
    if (r > 0 && ascending <= previous) {
      return {Verdict::kFail, fmt::format("row {} is not above row {}", r, r - 1)};
    }
    previous = ascending;
    rows.insert(word);
  }
  if (rows.size() != kCodebookRows) return {Verdict::kFail, "two rows are equal"};
  const std::string digest = sha256(bytes);
  if (digest != kIq3CodebookSha256) {
    return {Verdict::kFail, fmt::format("SHA-256 is {}, want {}", digest, kIq3CodebookSha256)};
  }
  return {Verdict::kPass, fmt::format("256 distinct rows, SHA-256 {}...", digest.substr(0, 16))};
}

// Every scale in both directions, with the value itself as the judge.
Outcome check_transcode_scales(const CheckInput& /*input*/, Situation& situation) {
  struct Direction {
    const char* name;
    qp_status (*reference)(std::uint16_t, std::uint16_t*);
    std::uint32_t (*fast)(const std::uint32_t&);
    double factor;
  };
  const Direction directions[] = {
      {"double", ref::double_scale, fast::DoubleHalf<std::uint32_t>, 2.0},
      {"halve", ref::halve_scale, fast::HalveHalf<std::uint32_t>, 0.5},
  };
  // All values a scale can have; the sign of zero counts.
  const auto value_of = [](std::uint32_t half) {
    ref::Scale scale;
    ref::read_scale(QP_PROFILE_STRICT, static_cast<std::uint16_t>(half), &scale);
    return static_cast<double>(std::bit_cast<float>(ref::widen(scale)));
  };
  const auto finite = [](std::uint32_t half) { return (half & 0x7C00) != 0x7C00; };
  std::set<std::uint64_t> values;
  for (std::uint32_t half = 0; half < 0x10000; ++half) {
    if (finite(half)) values.insert(std::bit_cast<std::uint64_t>(value_of(half)));
  }
  const auto digests = half_digests();
  std::string accepted;
  for (const Direction& direction : directions) {
    std::string table;
    std::size_t count = 0;
    for (std::uint32_t half = 0; half < 0x10000; ++half) {
      situation.describe(fmt::format("transcoding scale 0x{:04X}", half));
      std::uint16_t result = 0;
      const qp_status status = direction.reference(static_cast<std::uint16_t>(half), &result);
      const double want = direction.factor * (finite(half) ? value_of(half) : 0.0);
      const bool possible = finite(half) && values.count(std::bit_cast<std::uint64_t>(want)) != 0;
      if ((status == QP_OK) != possible) {
        return {Verdict::kFail,
                fmt::format("{} 0x{:04X}: {}, but the result {} a scale", direction.name, half,
                            qp_status_name(status), possible ? "is" : "is not")};
      }
      if (status != QP_OK) continue;
      ++count;
      append_little_endian(result, 2, table);
      if (std::bit_cast<std::uint64_t>(value_of(result)) != std::bit_cast<std::uint64_t>(want) ||
          direction.fast(half) != result) {
        return {Verdict::kFail, fmt::format("{} 0x{:04X}: got 0x{:04X}", direction.name, half,
                                            direction.fast(half))};
      }
    }
    if (sha256(table) != digests.at(direction.name)) {
      return {Verdict::kFail, fmt::format("the table of {} has another SHA-256", direction.name)};
    }
    accepted += fmt::format(", {} {}", direction.name, count);
  }
  return {Verdict::kPass, fmt::format("65,536 scales{}; all others refused", accepted)};
}

}  // namespace

std::vector<CheckEntry> general_checks() {
  return {
      {"HALF-WIDEN-1", check_widening, false, true},
      {"IQ3-CODEBOOK-1", check_codebook, false, true},
      {"TRANSCODE-2", check_transcode_scales, false, true},
  };
}

}  // namespace quantproof::certify
