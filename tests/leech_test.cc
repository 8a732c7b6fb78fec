// SPDX-License-Identifier: Apache-2.0
//
// spec/formats/leech.md: the lattice, the two reference decoders, the certificate, the vectors.
// QUANTPROOF_LONG=1 in the environment runs every minimal vector and many more points.
#include "quantproof/leech.h"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "rapidcheck/gtest.h"

#include "fuzz/leech_points.h"
#include "fuzz/leech_vectors.h"
#include "quantproof/ref/leech.h"
#include "quantproof/ref/leech_certificate.h"
#include "tests/long_tier.h"

namespace quantproof {
namespace {

using fuzz::kLeechFamilies;
using fuzz::LeechFamily;
using fuzz::LeechPoints;
using fuzz::LeechRow;

std::string text_of(const LeechRow& row) {
  std::string text;
  for (const std::int32_t value : row) text += std::to_string(value) + " ";
  return text;
}

// ---- The lattice ------------------------------------------------------------------------------

TEST(Leech, MembershipFollowsTheDefinition) {
  LeechRow x{};
  EXPECT_TRUE(ref::is_leech_point(x.data()));
  x[0] = 8;
  EXPECT_TRUE(ref::is_leech_point(x.data()));
  x[0] = 4;
  EXPECT_FALSE(ref::is_leech_point(x.data()));  // sum
  x[0] = x[1] = 2;
  EXPECT_FALSE(ref::is_leech_point(x.data()));  // 9.2: not a Golay word
  x[0] = x[1] = 4;
  EXPECT_TRUE(ref::is_leech_point(x.data()));
  x[1] = 3;
  EXPECT_FALSE(ref::is_leech_point(x.data()));  // parity
  x.fill(1);
  EXPECT_FALSE(ref::is_leech_point(x.data()));  // sum 24 is not 4 mod 8
  x[5] = -3;
  EXPECT_TRUE(ref::is_leech_point(x.data()));
}

TEST(Leech, BothMembershipTestsAgree) {
  LeechPoints points(3);
  int members = 0;
  for (int k = 0; k < 20000; ++k) {
    LeechRow x = points.lattice_point(50);
    const int changes = points.between(0, 3);
    for (int c = 0; c < changes; ++c) {
      const auto i = static_cast<std::size_t>(points.between(0, 23));
      x[i] += points.between(-4, 4);
    }
    const bool member = ref::is_leech_point(x.data());
    if (changes == 0) {
      EXPECT_TRUE(member) << text_of(x);
    }
    EXPECT_EQ(member, ref::certificate_accepts_leech_point(x.data())) << text_of(x);
    members += member ? 1 : 0;
  }
  EXPECT_GT(members, 5000);
  EXPECT_LT(members, 15000);
}

// leech.md 2.4: a coset's points are in the lattice iff the sum of z has the parity of m.
TEST(Leech, CosetsAreTranslatesOf4D24) {
  LeechPoints points(5);
  int wrong = 0;
  for (int m = 0; m < 2; ++m) {
    for (std::uint32_t k = 0; k < kGolayWordCount; ++k) {
      for (int parity = 0; parity < 2; ++parity) {
        LeechRow x{};
        std::int32_t sum_z = 0;
        for (std::size_t i = 0; i < kLeechDimension; ++i) {
          const std::int32_t z = i == 0 ? 0 : points.between(-2, 2);
          x[i] = leech_offset(m, static_cast<int>(golay_word(k) >> i & 1u)) + 4 * z;
          sum_z += z;
        }
        if ((sum_z & 1) != parity) x[0] += 4;
        wrong += ref::is_leech_point(x.data()) != (parity == m) ? 1 : 0;
      }
    }
  }
  EXPECT_EQ(wrong, 0);
}

// leech.md 4.1, complete: the theta series of each coset, by weight of the Golay word.
TEST(Leech, ShellsFromTheCosets) {
  constexpr std::size_t kTerms = 65;  // squared lengths 0 to 64
  using Series = std::array<std::int64_t, kTerms>;
  const auto times = [](const Series& a, const Series& b) {
    Series c{};
    for (std::size_t i = 0; i < kTerms; ++i) {
      for (std::size_t j = 0; i + j < kTerms; ++j) c[i + j] += a[i] * b[j];
    }
    return c;
  };
  Series total{};
  for (const auto& [weight, words] : {std::pair{0, 1}, {8, 759}, {12, 2576}, {16, 759}, {24, 1}}) {
    for (int m = 0; m < 2; ++m) {
      Series all = {1};    // every z
      Series signs = {1};  // z counted with the sign (-1)^z
      for (int i = 0; i < 24; ++i) {
        Series one{};
        Series signed_one{};
        for (int z = -3; z <= 3; ++z) {
          const int x = leech_offset(m, i < weight ? 1 : 0) + 4 * z;
          if (x * x >= static_cast<int>(kTerms)) continue;
          one[static_cast<std::size_t>(x * x)] += 1;
          signed_one[static_cast<std::size_t>(x * x)] += z % 2 == 0 ? 1 : -1;
        }
        all = times(all, one);
        signs = times(signs, signed_one);
      }
      for (std::size_t n = 0; n < kTerms; ++n) {
        total[n] += words * (all[n] + (m == 0 ? signs[n] : -signs[n])) / 2;
      }
    }
  }
  Series want{};
  want[0] = 1;
  want[32] = kLeechShell4;
  want[48] = kLeechShell6;
  want[64] = kLeechShell8;
  EXPECT_EQ(total, want);
  EXPECT_EQ(1 + kLeechShell4 / 2 + kLeechShell6 / 2 + kLeechShell8 / 48, 1 << 24);
  EXPECT_EQ(kLeechFacets, 16'969'680);
}

TEST(Leech, MinimalVectorsAreInTheLatticeAndDistinct) {
  std::set<LeechRow> seen;
  int wrong = 0;
  fuzz::visit_minimal_vectors([&](const LeechRow& v) {
    wrong += ref::is_leech_point(v.data()) && fuzz::leech_product(v, v) == 32 ? 0 : 1;
    seen.insert(v);
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(kLeechShell4));
}

// ---- The decoders -----------------------------------------------------------------------------

TEST(Leech, DecodesTheWorkedExample) {
  const LeechRow y = {700, -1200, 300, 0,     -500, 250,   0,   900,   100,  -14000, -600, 3000,
                      0,   17000, 450, 15500, -350, 16000, 800, 17500, -200, 16384,  50,   14000};
  const LeechRow x = {0, 0, 0, 0, 0, 0, 0, 0, 0, -2, 0, -2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2};
  const ref::LeechNearest nearest = ref::find_nearest_leech_point(y.data());
  EXPECT_EQ(nearest.point, x);
  EXPECT_EQ(nearest.m, 0);
  EXPECT_EQ(nearest.golay_index, 256u);
  EXPECT_EQ(nearest.squared_distance, 394'180'192);
  const ref::LeechCertificate certificate = ref::check_nearest_leech_point(y.data(), x.data());
  EXPECT_TRUE(certificate.nearest);
  EXPECT_EQ(certificate.excess, -88'000);
  EXPECT_EQ(certificate.norm, 4);
  LeechRow facet{};
  facet[9] = facet[11] = 4;
  EXPECT_EQ(certificate.facet, facet);
}

// All 196,560 in the long tier, every sixteenth otherwise.
TEST(Leech, MinimalVectorsDecodeToThemselves) {
  const int stride = tests::long_tier() ? 1 : 16;
  int visited = 0;
  int wrong = 0;
  fuzz::visit_minimal_vectors([&](const LeechRow& v) {
    if (visited++ % stride != 0) return;
    const LeechRow y = fuzz::leech_scaled(v, kLeechUnit);
    wrong += ref::find_nearest_leech_point(y.data()).point == v ? 0 : 1;
  });
  EXPECT_EQ(visited, kLeechShell4);
  EXPECT_EQ(wrong, 0);
}

TEST(Leech, ShortVectorsDecodeToThemselves) {
  LeechPoints points(11);
  for (int k = 0; k < (tests::long_tier() ? 30000 : 1500); ++k) {
    const int shape = k % 15;
    const LeechRow v = points.short_vector(shape);
    ASSERT_EQ(fuzz::leech_product(v, v), shape < 3 ? 32 : shape < 7 ? 48 : 64);
    ASSERT_TRUE(ref::is_leech_point(v.data())) << text_of(v);
    const LeechRow y = fuzz::leech_scaled(v, kLeechUnit);
    ASSERT_EQ(ref::find_nearest_leech_point(y.data()).point, v);
  }
}

class LeechFamilies : public testing::TestWithParam<LeechFamily> {};

INSTANTIATE_TEST_SUITE_P(All, LeechFamilies, testing::ValuesIn(kLeechFamilies),
                         [](const auto& named) { return fuzz::leech_family_name(named.param); });

void expect_one_answer(const LeechRow& y) {
  const ref::LeechNearest nearest = ref::find_nearest_leech_point(y.data());
  const ref::LeechNearest split = ref::find_nearest_leech_point_split(y.data());
  ASSERT_EQ(nearest.point, split.point) << text_of(y);
  ASSERT_EQ(nearest.m, split.m) << text_of(y);
  ASSERT_EQ(nearest.golay_index, split.golay_index) << text_of(y);
  ASSERT_EQ(nearest.squared_distance, split.squared_distance) << text_of(y);
  ASSERT_EQ(nearest.squared_distance, fuzz::leech_squared_distance(y, nearest.point)) << text_of(y);
  ASSERT_LE(nearest.squared_distance, kLeechCoveringCost) << text_of(y);
  ASSERT_TRUE(ref::is_leech_point(nearest.point.data())) << text_of(y);
  for (const std::int32_t x : nearest.point) ASSERT_LE(std::abs(x), kLeechCoordinateLimit);
  const auto certificate = ref::check_nearest_leech_point(y.data(), nearest.point.data());
  ASSERT_TRUE(certificate.nearest) << text_of(y);
}

TEST_P(LeechFamilies, OraclesAndCertificateAgree) {
  LeechPoints points(100 + static_cast<std::uint64_t>(GetParam()));
  for (int k = 0; k < (tests::long_tier() ? 20000 : 300); ++k) {
    ASSERT_NO_FATAL_FAILURE(expect_one_answer(points.next(GetParam())));
  }
}

// The certificate's verdict on a moved point is the truth that the distances tell, and the facet
// that it names is the reason.
TEST_P(LeechFamilies, CertificateJudgesMovedPoints) {
  LeechPoints points(200 + static_cast<std::uint64_t>(GetParam()));
  int rejected = 0;
  const int count = tests::long_tier() ? 5000 : 150;
  for (int k = 0; k < count; ++k) {
    const LeechRow y = points.next(GetParam());
    const ref::LeechNearest nearest = ref::find_nearest_leech_point(y.data());
    LeechRow x = fuzz::leech_sum(nearest.point, points.short_vector(points.between(0, 14)));
    const std::int64_t distance = fuzz::leech_squared_distance(y, x);
    const auto certificate = ref::check_nearest_leech_point(y.data(), x.data());
    ASSERT_TRUE(certificate.in_lattice);
    ASSERT_EQ(certificate.nearest, distance == nearest.squared_distance) << text_of(y);
    rejected += certificate.nearest ? 0 : 1;
    ASSERT_TRUE(ref::is_leech_point(certificate.facet.data()));
    ASSERT_EQ(fuzz::leech_product(certificate.facet, certificate.facet), 8 * certificate.norm);
    const std::int64_t beside =
        fuzz::leech_squared_distance(y, fuzz::leech_sum(x, certificate.facet));
    ASSERT_EQ(distance - beside, kLeechUnit * certificate.excess) << text_of(y);
    x[static_cast<std::size_t>(points.between(0, 23))] += points.between(1, 7);
    ASSERT_FALSE(ref::check_nearest_leech_point(y.data(), x.data()).in_lattice);
  }
  EXPECT_GT(rejected, count / 2);
}

// ---- The certificate --------------------------------------------------------------------------

TEST(LeechCertificate, BuildsTheSameCode) {
  std::vector<std::uint32_t> words = ref::certificate_golay_words();
  std::vector<std::uint32_t> want;
  for (std::uint32_t k = 0; k < kGolayWordCount; ++k) want.push_back(golay_word(k));
  std::sort(words.begin(), words.end());
  std::sort(want.begin(), want.end());
  EXPECT_EQ(words, want);
}

// Visits <r, v> and the norm for all v of norm 4 and 6, one by one (leech.md 4.2).
template <class Visit>
void visit_facet_products(const LeechRow& r, const Visit& visit) {
  fuzz::visit_minimal_vectors([&](const LeechRow& v) { visit(fuzz::leech_product(r, v), 4); });
  std::vector<std::int64_t> signed_sum(1u << 12);
  for (std::uint32_t k = 0; k < kGolayWordCount; ++k) {
    const std::uint32_t word = golay_word(k);
    const int weight = std::popcount(word);
    if (weight == 8 || weight == 12) {
      signed_sum[0] = 0;
      std::size_t filled = 1;
      for (std::size_t i = 0; i < kLeechDimension; ++i) {
        if ((word >> i & 1u) == 0) continue;
        for (std::size_t s = 0; s < filled; ++s) {
          signed_sum[s + filled] = signed_sum[s] - 2 * std::int64_t{r[i]};
          signed_sum[s] += 2 * std::int64_t{r[i]};
        }
        filled *= 2;
      }
      for (std::size_t s = 0; s < filled; ++s) {
        const bool odd = std::popcount(s) % 2 != 0;
        if (weight == 12 && !odd) visit(signed_sum[s], 6);
        if (weight == 12 || !odd) continue;
        for (std::size_t i = 0; i < kLeechDimension; ++i) {
          if ((word >> i & 1u) != 0) continue;
          visit(signed_sum[s] + 4 * std::int64_t{r[i]}, 6);
          visit(signed_sum[s] - 4 * std::int64_t{r[i]}, 6);
        }
      }
    }
    LeechRow term = r;
    std::int64_t total = 0;
    for (std::size_t i = 0; i < kLeechDimension; ++i) {
      if ((word >> i & 1u) != 0) term[i] = -term[i];
      total += term[i];
    }
    for (std::size_t a = 0; a < kLeechDimension; ++a) {
      visit(total + 4 * std::int64_t{term[a]}, 6);
      for (std::size_t b = a + 1; b < kLeechDimension; ++b) {
        for (std::size_t c = b + 1; c < kLeechDimension; ++c) {
          visit(total - 4 * (std::int64_t{term[a]} + term[b] + term[c]), 6);
        }
      }
    }
  }
}

TEST(LeechCertificate, GroupedShapesAreAllFacetVectors) {
  LeechPoints points(17);
  for (int k = 0; k < (tests::long_tier() ? 64 : 3); ++k) {
    const LeechRow y = points.next(kLeechFamilies[static_cast<std::size_t>(k) % 8]);
    const LeechRow x =
        k % 2 == 0 ? ref::find_nearest_leech_point(y.data()).point : points.lattice_point(20);
    LeechRow r{};
    for (std::size_t i = 0; i < kLeechDimension; ++i) r[i] = y[i] - kLeechUnit * x[i];
    std::int64_t count = 0;
    std::int64_t worst = std::numeric_limits<std::int64_t>::min();
    visit_facet_products(r, [&](std::int64_t with_v, int norm) {
      ++count;
      worst = std::max(worst, 2 * with_v - std::int64_t{kLeechUnit} * 8 * norm);
    });
    EXPECT_EQ(count, kLeechFacets);
    EXPECT_EQ(worst, ref::check_nearest_leech_point(y.data(), x.data()).excess);
  }
}

// leech.md 4.8
TEST(LeechCertificate, MinimalVectorsDoNotSuffice) {
  LeechPoints points(23);
  for (int shape = 3; shape < 7; ++shape) {
    const LeechRow v = points.short_vector(shape);
    const LeechRow y = fuzz::leech_scaled(v, kLeechUnit / 2 + 1);
    std::int64_t worst = std::numeric_limits<std::int64_t>::min();
    fuzz::visit_minimal_vectors([&](const LeechRow& u) {
      worst = std::max(worst, 2 * fuzz::leech_product(y, u) - std::int64_t{kLeechUnit} * 32);
    });
    EXPECT_LE(worst, 0) << text_of(v);
    const LeechRow origin{};
    const auto certificate = ref::check_nearest_leech_point(y.data(), origin.data());
    EXPECT_TRUE(certificate.in_lattice);
    EXPECT_FALSE(certificate.nearest);
    EXPECT_EQ(certificate.facet, v);
    EXPECT_EQ(certificate.norm, 6);
    EXPECT_EQ(certificate.excess, 2 * fuzz::leech_product(y, v) - std::int64_t{kLeechUnit} * 48);
    EXPECT_EQ(ref::find_nearest_leech_point(y.data()).point, v);
  }
}

// ---- Rows, refusals, floats -------------------------------------------------------------------

constexpr std::int32_t kUntouched = 0x5A5A5A5A;

TEST(Leech, RefusesByPlaceAndWritesTheRowsBefore) {
  for (const std::int32_t bad :
       {kLeechPointLimit + 1, -kLeechPointLimit - 1, std::numeric_limits<std::int32_t>::min(),
        std::numeric_limits<std::int32_t>::max()}) {
    for (std::size_t place : {0u, 23u, 24u, 40u, 71u}) {
      std::vector<std::int32_t> y(72, 8192);
      y[place] = bad;
      if (place < 71) y[71] = bad;
      std::vector<std::int32_t> x(72, kUntouched);
      qp_location where{};
      EXPECT_EQ(ref::leech_nearest(y.data(), 3, x.data(), &where), QP_POINT_OUT_OF_RANGE);
      EXPECT_EQ(where.block, place / 24);
      EXPECT_EQ(where.offset, 4 * place);
      EXPECT_STREQ(where.field, "coordinate");
      const std::size_t written = place / 24 * 24;
      for (std::size_t i = 0; i < 72; ++i) EXPECT_EQ(x[i] == kUntouched, i >= written);
      EXPECT_EQ(ref::leech_nearest(y.data(), 3, x.data(), nullptr), QP_POINT_OUT_OF_RANGE);
    }
  }
}

TEST(Leech, RefusesNullPointers) {
  std::array<std::int32_t, 24> row{};
  std::array<float, 24> floats{};
  qp_location where{};
  EXPECT_EQ(ref::leech_nearest(nullptr, 1, row.data(), &where), QP_BAD_ARGUMENT);
  EXPECT_STREQ(where.field, "points");
  EXPECT_EQ(ref::leech_nearest(row.data(), 1, nullptr, &where), QP_BAD_ARGUMENT);
  EXPECT_STREQ(where.field, "out");
  EXPECT_EQ(ref::leech_nearest_f32(nullptr, 1, row.data(), &where), QP_BAD_ARGUMENT);
  EXPECT_STREQ(where.field, "points");
  EXPECT_EQ(ref::leech_nearest_f32(floats.data(), 1, nullptr, &where), QP_BAD_ARGUMENT);
  EXPECT_STREQ(where.field, "out");
  EXPECT_EQ(ref::leech_nearest(nullptr, 0, nullptr, nullptr), QP_OK);
  EXPECT_EQ(ref::leech_nearest_f32(nullptr, 0, nullptr, nullptr), QP_OK);
}

TEST(Leech, RangeEndsAreAllowed) {
  LeechRow y{};
  y.fill(kLeechPointLimit);
  y[7] = -kLeechPointLimit;
  LeechRow x{};
  EXPECT_EQ(ref::leech_nearest(y.data(), 1, x.data(), nullptr), QP_OK);
  LeechRow want{};  // 2^17 is a multiple of 8, so y is a lattice point
  want.fill(1 << 17);
  want[7] = -(1 << 17);
  EXPECT_EQ(x, want);
}

// leech.md 7.1: two coordinates about 2, in quarters of a unit of 2^-13. Their rounding decides on
// which side of the wall between 0 and (4, 4, 0^22) the point is.
TEST(Leech, FloatsRoundToNearestEvenInEveryRoundingMode) {
  const int before = std::fegetround();
  for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    ASSERT_EQ(std::fesetround(mode), 0);
    LeechPoints points(29);
    std::set<LeechRow> answers;
    for (int k = 0; k < 300; ++k) {
      std::array<float, 24> floats{};
      LeechRow fixed{};
      for (std::size_t place : {3u, 17u}) {
        const std::int32_t sign = 1 - 2 * points.between(0, 1);
        const std::int32_t quarters = sign * (4 * 16384 + points.between(-8, 8));
        floats[place] = std::ldexp(static_cast<float>(quarters), -15);
        const std::int32_t low = quarters >> 2;
        const std::int32_t rest = quarters & 3;
        fixed[place] = low + (rest == 3 || (rest == 2 && low % 2 != 0) ? 1 : 0);
      }
      LeechRow from_floats{};
      LeechRow from_fixed{};
      ASSERT_EQ(ref::leech_nearest_f32(floats.data(), 1, from_floats.data(), nullptr), QP_OK);
      ASSERT_EQ(ref::leech_nearest(fixed.data(), 1, from_fixed.data(), nullptr), QP_OK);
      ASSERT_EQ(from_floats, from_fixed) << text_of(fixed);
      answers.insert(from_fixed);
    }
    EXPECT_EQ(answers.size(), 5u);  // 0 and the four choices of signs
  }
  ASSERT_EQ(std::fesetround(before), 0);
}

// ---- Vectors ----------------------------------------------------------------------------------

const char* status_name(qp_status status) {
  switch (status) {
    case QP_OK:
      return "ok";
    case QP_POINT_OUT_OF_RANGE:
      return "point_out_of_range";
    case QP_POINT_NOT_FINITE:
      return "point_not_finite";
    default:
      return "another status";
  }
}

std::vector<float> floats_of(const std::string& hex) {
  std::vector<float> floats;
  for (std::size_t at = 0; at + 8 <= hex.size(); at += 8) {
    std::uint32_t bits = 0;
    for (std::size_t byte = 0; byte < 4; ++byte) {
      const auto value = std::stoul(hex.substr(at + 2 * byte, 2), nullptr, 16);
      bits |= static_cast<std::uint32_t>(value) << (8 * byte);
    }
    floats.push_back(std::bit_cast<float>(bits));
  }
  return floats;
}

TEST(Leech, Vectors) {
  std::ifstream file(QUANTPROOF_SOURCE_DIR "/spec/vectors/leech.json");
  const auto document = nlohmann::json::parse(file);
  ASSERT_FALSE(document["cases"].empty());
  for (const auto& test : document["cases"]) {
    SCOPED_TRACE(test["id"].dump() + " " + test["comment"].get<std::string>());
    const auto n = test["n_points"].get<std::size_t>();
    std::vector<std::int32_t> out(24 * n, kUntouched);
    qp_location where{};
    qp_status status = QP_OK;
    if (test.contains("floats")) {
      const auto floats = floats_of(test["floats"].get<std::string>());
      ASSERT_EQ(floats.size(), 24 * n);
      status = ref::leech_nearest_f32(floats.data(), n, out.data(), &where);
    } else {
      const auto points = test["points"].get<std::vector<std::int32_t>>();
      ASSERT_EQ(points.size(), 24 * n);
      status = ref::leech_nearest(points.data(), n, out.data(), &where);
    }
    const auto& expect = test["expect"];
    EXPECT_EQ(status_name(status), expect["status"].get<std::string>());
    if (status != QP_OK) {
      EXPECT_EQ(where.block, expect["block"].get<std::uint64_t>());
      EXPECT_EQ(where.offset, expect["offset"].get<std::uint64_t>());
      EXPECT_EQ(where.field, expect["field"].get<std::string>());
    }
    auto want = expect["nearest"].get<std::vector<std::int32_t>>();
    want.resize(24 * n, kUntouched);
    EXPECT_EQ(out, want);
    if (!test.contains("points")) continue;
    for (std::size_t p = 0; p < expect["rows"].size(); ++p) {
      const auto points = test["points"].get<std::vector<std::int32_t>>();
      const auto nearest = ref::find_nearest_leech_point(points.data() + 24 * p);
      EXPECT_EQ(nearest.m, expect["rows"][p]["m"].get<int>());
      EXPECT_EQ(nearest.golay_index, expect["rows"][p]["k"].get<std::uint32_t>());
      EXPECT_EQ(nearest.squared_distance,
                expect["rows"][p]["squared_distance"].get<std::int64_t>());
    }
  }
}

// ---- Properties -------------------------------------------------------------------------------

RC_GTEST_PROP(LeechProperty, OraclesAgree, ()) {
  const auto family =
      *rc::gen::elementOf(std::vector<LeechFamily>(kLeechFamilies.begin(), kLeechFamilies.end()));
  LeechPoints points(*rc::gen::arbitrary<std::uint64_t>());
  const LeechRow y = points.next(family);
  const auto nearest = ref::find_nearest_leech_point(y.data());
  const auto split = ref::find_nearest_leech_point_split(y.data());
  RC_ASSERT(nearest.point == split.point);
  RC_ASSERT(nearest.golay_index == split.golay_index);
  RC_ASSERT(ref::check_nearest_leech_point(y.data(), nearest.point.data()).nearest);
}

// leech.md 5.8
RC_GTEST_PROP(LeechProperty, StepsOfEightCarryOver, ()) {
  const auto family = *rc::gen::element(LeechFamily::kUniform, LeechFamily::kWall,
                                        LeechFamily::kDyadic, LeechFamily::kDeepHole);
  LeechPoints points(*rc::gen::arbitrary<std::uint64_t>());
  const LeechRow y = points.next(family);
  LeechRow steps{};
  for (std::int32_t& step : steps) step = 8 * *rc::gen::inRange(-1000, 1000);
  const LeechRow moved = fuzz::leech_sum(y, fuzz::leech_scaled(steps, kLeechUnit));
  const auto nearest = ref::find_nearest_leech_point(y.data());
  const auto there = ref::find_nearest_leech_point(moved.data());
  RC_ASSERT(there.point == fuzz::leech_sum(nearest.point, steps));
  RC_ASSERT(there.m == nearest.m);
  RC_ASSERT(there.golay_index == nearest.golay_index);
}

}  // namespace
}  // namespace quantproof
