// SPDX-License-Identifier: Apache-2.0
//
// Checks of the nearest-point decoders of the Leech lattice, spec/formats/leech.md: the fast one on
// every level that this CPU has, and the two reference decoders and the certificate among each
// other.
#include <algorithm>
#include <bit>
#include <cfenv>
#include <limits>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "nlohmann/json.hpp"

#include "fuzz/leech_points.h"
#include "fuzz/leech_vectors.h"
#include "quantproof/qp.h"
#include "quantproof/ref/leech.h"
#include "quantproof/ref/leech_certificate.h"
#include "tools/certify/checks.h"
#include "tools/certify/guarded_buffer.h"
#include "tools/certify/hex.h"
#include "tools/certify/levels.h"
#include "tools/certify/spec_data.h"

namespace quantproof::certify {

namespace {

using fuzz::LeechFamily;
using fuzz::LeechPoints;
using fuzz::LeechRow;
using Rows = std::vector<std::int32_t>;

constexpr std::int32_t kPoison = 0x5A5A5A5A;

// The decoder on every level.
template <class Check>
std::string on_levels(Situation& situation, const Check& check) {
  return on_every_level(situation, "nearest points", check);
}

void append(Rows& rows, const LeechRow& row) { rows.insert(rows.end(), row.begin(), row.end()); }

Rows scaled(Rows rows) {
  for (std::int32_t& value : rows) value *= kLeechUnit;
  return rows;
}

std::string row_text(const std::int32_t* row) {
  return fmt::format("{}", fmt::join(row, row + kLeechDimension, " "));
}

// Where `got` differs from `want`, row by row; empty where it does not.
std::string first_difference(const Rows& points, const Rows& want, const Rows& got) {
  if (got == want) return {};
  std::size_t at = 0;
  while (std::equal(&got[at], &got[at] + kLeechDimension, &want[at])) at += kLeechDimension;
  return fmt::format("point {} ({}) gives {}, want {}", at / kLeechDimension, row_text(&points[at]),
                     row_text(&got[at]), row_text(&want[at]));
}

// The fast decoder on the level in use.
std::string compare_fast(const Rows& points, const Rows& want) {
  Rows got(points.size(), kPoison);
  const qp_status status =
      qp_leech_nearest(points.data(), points.size() / kLeechDimension, got.data());
  if (status != QP_OK) return fmt::format("valid points are refused: {}", qp_status_name(status));
  return first_difference(points, want, got);
}

LeechFamily family_of(std::size_t i) {
  return fuzz::kLeechFamilies[i % fuzz::kLeechFamilies.size()];
}

// ---------------------------------------------------------------------------------- the vectors

struct VectorCase {
  std::string name;
  std::size_t n_points = 0;
  Rows points;                // or
  std::vector<float> floats;  // one of them is empty
  std::string status;
  qp_location where{0, 0, ""};
  std::string field;
  Rows nearest;
};

std::vector<float> floats_of(const std::string& hex) {
  const std::vector<std::uint8_t> bytes = parse_hex(hex);
  std::vector<float> floats;
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 4; ++i) bits |= std::uint32_t{bytes[at + i]} << (8 * i);
    floats.push_back(std::bit_cast<float>(bits));
  }
  return floats;
}

std::vector<VectorCase> read_vectors() {
  std::vector<VectorCase> cases;
  const auto file = nlohmann::json::parse(spec_file("vectors/leech.json"));
  for (const auto& entry : file.at("cases")) {
    VectorCase vector;
    vector.name = fmt::format("vector {} ({})", entry.at("id").get<int>(),
                              entry.at("comment").get<std::string>());
    vector.n_points = entry.at("n_points");
    if (entry.contains("floats")) {
      vector.floats = floats_of(entry.at("floats"));
    } else {
      vector.points = entry.at("points").get<Rows>();
    }
    const auto& expect = entry.at("expect");
    vector.status = expect.at("status");
    if (expect.contains("field")) {
      vector.where.block = expect.at("block");
      vector.where.offset = expect.at("offset");
      vector.field = expect.at("field");
    }
    vector.nearest = expect.at("nearest").get<Rows>();
    vector.nearest.resize(kLeechDimension * vector.n_points, kPoison);
    cases.push_back(std::move(vector));
  }
  return cases;
}

std::string judge(const VectorCase& vector, qp_status status, const qp_location& where,
                  const Rows& out) {
  if (qp_status_name(status) != vector.status) {
    return fmt::format("status {}, want {}", qp_status_name(status), vector.status);
  }
  if (status != QP_OK && (where.block != vector.where.block ||
                          where.offset != vector.where.offset || where.field != vector.field)) {
    return fmt::format("error at block {}, offset {}, field {}; want {}, {}, {}", where.block,
                       where.offset, where.field, vector.where.block, vector.where.offset,
                       vector.field);
  }
  return out == vector.nearest ? "" : "another point is written";
}

Outcome run_vectors(Situation& situation, bool only_refused) {
  std::size_t count = 0;
  for (const VectorCase& vector : read_vectors()) {
    if (only_refused && vector.status == "ok") continue;
    ++count;
    Rows out(kLeechDimension * vector.n_points, kPoison);
    qp_location where{};
    const qp_status status =
        vector.floats.empty()
            ? ref::leech_nearest(vector.points.data(), vector.n_points, out.data(), &where)
            : ref::leech_nearest_f32(vector.floats.data(), vector.n_points, out.data(), &where);
    if (const auto wrong = judge(vector, status, where, out); !wrong.empty()) {
      return fail(fmt::format("the reference on {}: {}", vector.name, wrong));
    }
    const std::string failure = on_levels(situation, [&] {
      std::fill(out.begin(), out.end(), kPoison);
      where = {};
      const qp_status fast =
          vector.floats.empty()
              ? qp_leech_nearest_at(vector.points.data(), vector.n_points, out.data(), &where)
              : qp_leech_nearest_float_at(vector.floats.data(), vector.n_points, out.data(),
                                          &where);
      return judge(vector, fast, where, out);
    });
    if (!failure.empty()) return fail(fmt::format("{}: {}", vector.name, failure));
  }
  if (count == 0) return {Verdict::kNotExercised, "there is no such vector"};
  return {Verdict::kPass, fmt::format("{} cases on each level", count)};
}

Outcome check_vectors(const CheckInput& /*input*/, Situation& situation) {
  return run_vectors(situation, false);
}

// ---------------------------------------------------------------------------------- known answers

// LEECH-MINIMAL-1
Outcome check_minimal(const CheckInput& /*input*/, Situation& situation) {
  Rows vectors;
  fuzz::visit_minimal_vectors([&](const LeechRow& v) { append(vectors, v); });
  const std::size_t count = vectors.size() / kLeechDimension;
  if (count != static_cast<std::size_t>(kLeechShell4)) return fail("not all vectors were built");
  const Rows points = scaled(vectors);
  const std::string failure = on_levels(situation, [&] { return compare_fast(points, vectors); });
  if (!failure.empty()) return fail(failure);
  return {Verdict::kPass, fmt::format("{} vectors on each level", count)};
}

// LEECH-SHORT-1: norm 6 completely and norm 8 by sample, on the best level.
Outcome check_short(const CheckInput& input, Situation& situation) {
  constexpr std::size_t kBatch = 4096;
  constexpr std::size_t kSample = 1'000'000;
  situation.describe("vectors of norm 6 and 8");
  Rows vectors;
  std::size_t of_norm_6 = 0;
  std::string failure;
  const auto flush = [&] {
    if (failure.empty()) failure = compare_fast(scaled(vectors), vectors);
    vectors.clear();
  };
  fuzz::visit_norm_6_vectors([&](const LeechRow& v) {
    ++of_norm_6;
    append(vectors, v);
    if (vectors.size() == kLeechDimension * kBatch) flush();
  });
  flush();
  if (!failure.empty()) return fail(failure);
  if (of_norm_6 != static_cast<std::size_t>(kLeechShell6))
    return fail("not all vectors were built");
  LeechPoints source(input.seed);
  for (std::size_t i = 0; i < kSample && failure.empty(); ++i) {
    const LeechRow v = source.short_vector(7 + static_cast<int>(i % 8));
    if (fuzz::leech_product(v, v) != 64) return fail("a vector that is not of norm 8 was built");
    append(vectors, v);
    if (vectors.size() == kLeechDimension * kBatch) flush();
  }
  flush();
  if (!failure.empty()) return fail(failure);
  return {Verdict::kPass, fmt::format("{} vectors of norm 6, {} of norm 8, on level {}", of_norm_6,
                                      kSample, qp_level())};
}

// LEECH-NORM6-1
Outcome check_norm_6(const CheckInput& input, Situation& situation) {
  LeechPoints source(input.seed);
  for (int shape = 3; shape < 7; ++shape) {
    const LeechRow v = source.short_vector(shape);
    LeechRow y = v;
    for (std::int32_t& value : y) value *= kLeechUnit / 2 + 1;
    std::int64_t worst = std::numeric_limits<std::int64_t>::min();
    fuzz::visit_minimal_vectors([&](const LeechRow& u) {
      worst = std::max(worst, 2 * fuzz::leech_product(y, u) - std::int64_t{kLeechUnit} * 32);
    });
    if (worst > 0) return fail("a minimal vector is nearer than the origin: " + row_text(y.data()));
    const LeechRow origin{};
    const auto certificate = ref::check_nearest_leech_point(y.data(), origin.data());
    if (!certificate.in_lattice || certificate.nearest || certificate.facet != v ||
        certificate.norm != 6) {
      return fail("the certificate does not name v: " + row_text(v.data()));
    }
    const Rows points(y.begin(), y.end());
    const Rows want(v.begin(), v.end());
    const std::string failure = on_levels(situation, [&] { return compare_fast(points, want); });
    if (!failure.empty()) return fail(failure);
  }
  return {Verdict::kPass, "one v of each of the four shapes"};
}

// ------------------------------------------------------------------------ fast against reference

// LEECH-RANDOM-1: every level against the split reference; the certificate has the last word.
Outcome check_random(const CheckInput& input, Situation& situation) {
  constexpr std::size_t kBatch = 500;
  constexpr std::size_t kJudged = 4;
  LeechPoints source(input.seed);
  std::size_t rounds = 0;
  std::size_t judged = 0;
  const std::string failure = repeat(input, 16, rounds, [&]() -> std::string {
    const LeechFamily family = family_of(rounds);
    Rows points;
    for (std::size_t i = 0; i < kBatch; ++i) append(points, source.next(family));
    Rows want(points.size());
    for (std::size_t at = 0; at < points.size(); at += kLeechDimension) {
      const auto nearest = ref::find_nearest_leech_point_split(&points[at]);
      std::copy(nearest.point.begin(), nearest.point.end(), &want[at]);
    }
    const auto wrong = on_levels(situation, [&] { return compare_fast(points, want); });
    if (!wrong.empty()) return fmt::format("{}, {}", fuzz::leech_family_name(family), wrong);
    // The reference's answer, which is the fast one's, held against all facets.
    for (std::size_t k = 0; k < kJudged; ++k, ++judged) {
      const std::size_t at = kLeechDimension * (k * kBatch / kJudged);
      const auto certificate = ref::check_nearest_leech_point(&points[at], &want[at]);
      if (!certificate.nearest) {
        return fmt::format("the certificate refuses {} for {}: {} is nearer", row_text(&want[at]),
                           row_text(&points[at]), row_text(certificate.facet.data()));
      }
    }
    return {};
  });
  if (!failure.empty()) return fail(failure);
  return {Verdict::kPass, fmt::format("{} points of eight families on each level; {} outputs held "
                                      "against 16,969,680 facets",
                                      rounds * kBatch, judged)};
}

// LEECH-MEMORY-1: rows against guard pages, any count and alignment.
Outcome check_memory(const CheckInput& input, Situation& situation) {
  constexpr std::size_t kMost = 600;
  LeechPoints source(input.seed);
  Rows points;
  for (std::size_t i = 0; i < kMost; ++i) append(points, source.next(family_of(i)));
  Rows want(points.size());
  for (std::size_t at = 0; at < points.size(); at += kLeechDimension) {
    const auto nearest = ref::find_nearest_leech_point_split(&points[at]);
    std::copy(nearest.point.begin(), nearest.point.end(), &want[at]);
  }
  const GuardedBuffer in(sizeof(std::int32_t) * points.size());
  const GuardedBuffer out(sizeof(std::int32_t) * points.size());
  situation.watch(in, "input");
  situation.watch(out, "output");
  std::vector<std::size_t> counts;
  for (std::size_t n = 0; n <= 140; ++n) counts.push_back(n);
  counts.insert(counts.end(), {255, 256, 257, 287, 288, 289, 511, 512, 513, kMost});
  std::size_t runs = 0;
  const std::string failure = on_levels(situation, [&]() -> std::string {
    runs = 0;
    for (const std::size_t n : counts) {
      const std::size_t values = kLeechDimension * n;
      for (const bool at_end : {false, true}) {
        ++runs;
        auto* const from = reinterpret_cast<std::int32_t*>(
            at_end ? in.last(sizeof(std::int32_t) * values) : in.first());
        auto* const to = reinterpret_cast<std::int32_t*>(
            at_end ? out.last(sizeof(std::int32_t) * values) : out.first());
        auto* const all = reinterpret_cast<std::int32_t*>(out.first());
        const std::size_t room = out.capacity() / sizeof(std::int32_t);
        std::copy_n(points.begin(), values, from);
        std::fill_n(all, room, kPoison);
        if (qp_leech_nearest(from, n, to) != QP_OK) return fmt::format("{} points: refused", n);
        if (!std::equal(to, to + values, want.begin())) {
          return fmt::format("{} points: another answer", n);
        }
        if (!std::equal(from, from + values, points.begin())) {
          return fmt::format("{} points: the input was changed", n);
        }
        const auto untouched = std::count(all, all + room, kPoison);
        if (static_cast<std::size_t>(untouched) != room - values) {
          return fmt::format("{} points: written beside the output", n);
        }
      }
    }
    for (std::size_t shift = 1; shift < 16; ++shift) {
      ++runs;
      auto* const from = reinterpret_cast<std::int32_t*>(in.first()) + shift;
      auto* const to = reinterpret_cast<std::int32_t*>(out.first()) + 7 * shift % 16;
      std::copy_n(points.begin(), kLeechDimension * 100, from);
      if (qp_leech_nearest(from, 100, to) != QP_OK ||
          !std::equal(to, to + kLeechDimension * 100, want.begin())) {
        return fmt::format("another answer {} integers beyond a page", shift);
      }
    }
    return {};
  });
  if (!failure.empty()) return fail(failure);
  return {Verdict::kPass, fmt::format("{} runs between guard pages on each level", runs)};
}

// LEECH-REFUSE-1
Outcome check_refusals(const CheckInput& /*input*/, Situation& situation) {
  const Outcome vectors = run_vectors(situation, true);
  if (vectors.verdict != Verdict::kPass) return vectors;
  std::size_t runs = 0;
  const std::string failure = on_levels(situation, [&]() -> std::string {
    runs = 0;
    Rows row(kLeechDimension, kPoison);
    const std::vector<float> floats(kLeechDimension, 0.0F);
    const Rows zeros(kLeechDimension, 0);
    qp_location where{7, 7, ""};
    const auto refused = [&](qp_status status, const char* field) {
      ++runs;
      const bool right = status == QP_BAD_ARGUMENT && where.block == 0 && where.offset == 0 &&
                         std::string(where.field) == field;
      where = {7, 7, ""};
      return right && std::count(row.begin(), row.end(), kPoison) == kLeechDimension;
    };
    if (!refused(qp_leech_nearest_at(nullptr, 1, row.data(), &where), "points") ||
        !refused(qp_leech_nearest_at(zeros.data(), 1, nullptr, &where), "out") ||
        !refused(qp_leech_nearest_float_at(nullptr, 1, row.data(), &where), "points") ||
        !refused(qp_leech_nearest_float_at(floats.data(), 1, nullptr, &where), "out")) {
      return "a null pointer is not refused as stated";
    }
    if (qp_leech_nearest(nullptr, 0, nullptr) != QP_OK ||
        qp_leech_nearest_float(nullptr, 0, nullptr) != QP_OK) {
      return "no points are refused";
    }
    // One bad coordinate in each of 24 places of rows about the edges of a batch.
    constexpr std::size_t kRows = 310;
    for (const std::size_t point : {0, 1, 31, 32, 255, 256, 309}) {
      for (std::size_t i = 0; i < kLeechDimension; ++i) {
        ++runs;
        Rows points(kLeechDimension * kRows, 4 * kLeechUnit);
        Rows out(points.size(), kPoison);
        const std::size_t bad = kLeechDimension * point + i;
        points[bad] = i % 2 == 0 ? kLeechPointLimit + 1 : std::numeric_limits<std::int32_t>::min();
        points.back() = kLeechPointLimit + 1;
        const qp_status status = qp_leech_nearest_at(points.data(), kRows, out.data(), &where);
        const std::size_t written = kLeechDimension * point;
        if (status != QP_POINT_OUT_OF_RANGE || where.block != point || where.offset != 4 * bad ||
            std::string(where.field) != "coordinate") {
          return fmt::format("coordinate {} of row {}: another error or place", i, point);
        }
        const auto untouched = static_cast<std::size_t>(
            std::count(out.begin() + static_cast<std::ptrdiff_t>(written), out.end(), kPoison));
        if (untouched != out.size() - written ||
            std::count(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(written), kPoison) !=
                0) {
          return fmt::format("coordinate {} of row {}: other rows are written", i, point);
        }
      }
    }
    return {};
  });
  if (!failure.empty()) return fail(failure);
  return {Verdict::kPass, fmt::format("{}; {} more refusals", vectors.detail, runs)};
}

// ----------------------------------------------------------------------------------- float entry

// LEECH-FLOAT-1: multiples of a quarter of a unit, whose rounding integers tell.
Outcome check_floats(const CheckInput& input, Situation& situation) {
  constexpr std::size_t kRows = 2000;
  LeechPoints source(input.seed);
  std::vector<float> floats;
  Rows points;
  for (std::size_t i = 0; i < kRows; ++i) {
    const LeechRow row = source.next(family_of(i));
    for (const std::int32_t whole : row) {
      // At most 2^22 quarters, so that binary32 has them all.
      const std::int32_t quarters = whole % (1 << 20) * 4 + source.between(-3, 3);
      floats.push_back(static_cast<float>(quarters) / (4.0F * kLeechUnit));
      const std::int32_t floor = quarters >> 2;
      const std::int32_t rest = quarters & 3;
      points.push_back(floor + (rest == 3 || (rest == 2 && (floor & 1) != 0) ? 1 : 0));
    }
  }
  Rows want(points.size());
  for (std::size_t at = 0; at < points.size(); at += kLeechDimension) {
    const auto nearest = ref::find_nearest_leech_point_split(&points[at]);
    std::copy(nearest.point.begin(), nearest.point.end(), &want[at]);
  }
  constexpr int kModes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
  std::string failure;
  for (const int mode : kModes) {
    std::fesetround(mode);
    failure = on_levels(situation, [&]() -> std::string {
      Rows got(points.size(), kPoison);
      const qp_status status = qp_leech_nearest_float(floats.data(), kRows, got.data());
      if (status != QP_OK) return fmt::format("refused: {}", qp_status_name(status));
      return first_difference(points, want, got);
    });
    Rows reference(kLeechDimension * 20, kPoison);
    const qp_status status = ref::leech_nearest_f32(floats.data(), 20, reference.data(), nullptr);
    if (failure.empty() &&
        (status != QP_OK || !std::equal(reference.begin(), reference.end(), want.begin()))) {
      failure = "the reference rounds otherwise";
    }
    if (!failure.empty()) {
      failure += fmt::format(" (rounding mode {})", mode);
      break;
    }
  }
  std::fesetround(FE_TONEAREST);
  if (!failure.empty()) return fail(failure);
  return {Verdict::kPass,
          fmt::format("{} coordinates, 4 rounding modes, each level", floats.size())};
}

// --------------------------------------------------------------------- the reference among itself

// LEECH-SPLIT-1
Outcome check_split(const CheckInput& input, Situation& situation) {
  situation.describe("the two reference decoders");
  LeechPoints source(input.seed);
  std::size_t count = 0;
  const std::string failure = repeat(input, 400, count, [&]() -> std::string {
    const LeechRow y = source.next(family_of(count));
    const auto nearest = ref::find_nearest_leech_point(y.data());
    const auto split = ref::find_nearest_leech_point_split(y.data());
    if (nearest.point != split.point || nearest.m != split.m ||
        nearest.golay_index != split.golay_index ||
        nearest.squared_distance != split.squared_distance) {
      return "the decoders differ at " + row_text(y.data());
    }
    if (nearest.squared_distance != fuzz::leech_squared_distance(y, nearest.point) ||
        nearest.squared_distance > kLeechCoveringCost) {
      return "the distance is wrong at " + row_text(y.data());
    }
    if (!ref::is_leech_point(nearest.point.data()) ||
        !ref::check_nearest_leech_point(y.data(), nearest.point.data()).nearest) {
      return "the certificate refuses the answer at " + row_text(y.data());
    }
    return {};
  });
  if (!failure.empty()) return fail(failure);
  return {Verdict::kPass, fmt::format("{} points of eight families", count)};
}

// 2 <r, v> - <v, v> of every facet vector, one by one; the greatest.
std::int64_t greatest_excess(const LeechRow& r, std::size_t& count) {
  std::int64_t worst = std::numeric_limits<std::int64_t>::min();
  const auto visit = [&](std::int64_t norm) {
    return [&, norm](const LeechRow& v) {
      ++count;
      worst = std::max(worst, 2 * fuzz::leech_product(r, v) - std::int64_t{kLeechUnit} * 8 * norm);
    };
  };
  fuzz::visit_minimal_vectors(visit(4));
  fuzz::visit_norm_6_vectors(visit(6));
  return worst;
}

// LEECH-CERTIFICATE-1
Outcome check_certificate(const CheckInput& input, Situation& situation) {
  situation.describe("the certificate");
  LeechPoints source(input.seed);
  std::size_t count = 0;
  std::size_t refused = 0;
  const std::string failure = repeat(input, 160, count, [&]() -> std::string {
    const LeechRow y = source.next(family_of(count));
    const auto nearest = ref::find_nearest_leech_point(y.data());
    const LeechRow x =
        count % 2 == 0 ? nearest.point
                       : fuzz::leech_sum(nearest.point, source.short_vector(source.between(0, 14)));
    const std::int64_t distance = fuzz::leech_squared_distance(y, x);
    const auto certificate = ref::check_nearest_leech_point(y.data(), x.data());
    refused += certificate.nearest ? 0 : 1;
    if (!certificate.in_lattice || certificate.nearest != (distance == nearest.squared_distance)) {
      return "a wrong verdict at " + row_text(y.data());
    }
    const std::int64_t beside =
        fuzz::leech_squared_distance(y, fuzz::leech_sum(x, certificate.facet));
    if (!ref::is_leech_point(certificate.facet.data()) ||
        fuzz::leech_product(certificate.facet, certificate.facet) != 8 * certificate.norm ||
        distance - beside != kLeechUnit * certificate.excess) {
      return "the facet is not the reason at " + row_text(y.data());
    }
    LeechRow outside = x;
    outside[static_cast<std::size_t>(source.between(0, 23))] += source.between(1, 7);
    if (ref::check_nearest_leech_point(y.data(), outside.data()).in_lattice) {
      return "a point outside the lattice is taken: " + row_text(outside.data());
    }
    return {};
  });
  if (!failure.empty()) return fail(failure);
  if (refused == 0 || refused == count) return fail("only one verdict was seen");
  std::size_t vectors = 0;
  constexpr std::size_t kComplete = 2;
  for (std::size_t k = 0; k < kComplete; ++k) {
    const LeechRow y = source.next(LeechFamily::kUniform);
    const LeechRow x =
        k % 2 == 0 ? ref::find_nearest_leech_point(y.data()).point : source.lattice_point(20);
    LeechRow r{};
    for (std::size_t i = 0; i < kLeechDimension; ++i) r[i] = y[i] - kLeechUnit * x[i];
    if (greatest_excess(r, vectors) != ref::check_nearest_leech_point(y.data(), x.data()).excess) {
      return fail("another facet has a greater excess at " + row_text(y.data()));
    }
  }
  if (vectors != kComplete * static_cast<std::size_t>(kLeechFacets)) {
    return fail("not all facet vectors were built");
  }
  return {Verdict::kPass, fmt::format("{} lattice points, {} of them refused; {} residuals "
                                      "against all facet vectors one by one",
                                      count, refused, kComplete)};
}

}  // namespace

std::vector<CheckEntry> leech_checks() {
  return {
      {"LEECH-CERTIFICATE-1", check_certificate, false, true},
      {"LEECH-FLOAT-1", check_floats, false, true},
      {"LEECH-MEMORY-1", check_memory, false, true},
      {"LEECH-MINIMAL-1", check_minimal, false, true},
      {"LEECH-NORM6-1", check_norm_6, false, true},
      {"LEECH-RANDOM-1", check_random, false, true},
      {"LEECH-REFUSE-1", check_refusals, false, true},
      {"LEECH-SHORT-1", check_short, false, true},
      {"LEECH-SPLIT-1", check_split, false, true},
      {"LEECH-VECTORS-1", check_vectors, false, true},
  };
}

}  // namespace quantproof::certify
