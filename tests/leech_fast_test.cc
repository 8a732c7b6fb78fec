// SPDX-License-Identifier: Apache-2.0
//
// The fast nearest-point decoder gives the reference's bits, ties included, on every level that
// this CPU has, and on portable vectors as wide as those it may lack.
// QUANTPROOF_LONG=1 in the environment compares more than a million points.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <ostream>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "gtest/gtest.h"

#include "fast/leech_batch-inl.h"
#include "fast/leech_fixed.h"
#include "fast/leech_word.h"
#include "fuzz/leech_points.h"
#include "fuzz/leech_vectors.h"
#include "quantproof/qp.h"
#include "quantproof/ref/leech.h"
#include "tests/levels.h"
#include "tests/long_tier.h"

namespace quantproof {
namespace {

using fuzz::LeechFamily;
using fuzz::LeechPoints;
using fuzz::LeechRow;

constexpr std::int32_t kPoison = -77'777;

// Forces a level while it lives.
class ForcedLevel {
 public:
  explicit ForcedLevel(const std::string& level) { status_ = qp_force_level(level.c_str()); }
  ~ForcedLevel() { qp_force_level(nullptr); }
  ForcedLevel(const ForcedLevel&) = delete;
  ForcedLevel& operator=(const ForcedLevel&) = delete;
  [[nodiscard]] qp_status status() const { return status_; }

 private:
  qp_status status_;
};

std::vector<std::int32_t> make_points(LeechPoints& source, LeechFamily family, std::size_t n) {
  std::vector<std::int32_t> points;
  points.reserve(kLeechDimension * n);
  for (std::size_t p = 0; p < n; ++p) {
    const LeechRow row = source.next(family);
    points.insert(points.end(), row.begin(), row.end());
  }
  return points;
}

std::vector<std::int32_t> mixed_points(std::uint64_t seed, std::size_t n) {
  LeechPoints source(seed);
  std::vector<std::int32_t> points;
  for (std::size_t p = 0; p < n; ++p) {
    const LeechRow row = source.next(fuzz::kLeechFamilies[p % fuzz::kLeechFamilies.size()]);
    points.insert(points.end(), row.begin(), row.end());
  }
  return points;
}

std::vector<std::int32_t> split_reference(const std::vector<std::int32_t>& points) {
  std::vector<std::int32_t> expected(points.size());
  for (std::size_t at = 0; at < points.size(); at += kLeechDimension) {
    const auto nearest = ref::find_nearest_leech_point_split(&points[at]);
    std::copy(nearest.point.begin(), nearest.point.end(), &expected[at]);
  }
  return expected;
}

std::string row_text(const std::int32_t* row) {
  std::string text;
  for (std::size_t i = 0; i < kLeechDimension; ++i) text.append(" ").append(std::to_string(row[i]));
  return text;
}

void expect_same(const std::vector<std::int32_t>& points, const std::vector<std::int32_t>& expected,
                 const std::vector<std::int32_t>& got, const std::string& who) {
  ASSERT_EQ(expected.size(), got.size());
  if (got == expected) return;
  std::size_t at = 0;
  while (std::equal(&got[at], &got[at] + kLeechDimension, &expected[at])) at += kLeechDimension;
  FAIL() << who << ", point " << at / kLeechDimension << " of " << got.size() / kLeechDimension
         << "\n   point:" << row_text(&points[at]) << "\nexpected:" << row_text(&expected[at])
         << "\n     got:" << row_text(&got[at]);
}

std::vector<std::int32_t> decode(const std::vector<std::int32_t>& points) {
  std::vector<std::int32_t> out(points.size(), kPoison);
  EXPECT_EQ(qp_leech_nearest(points.data(), points.size() / kLeechDimension, out.data()), QP_OK);
  return out;
}

// ------------------------------------------------------------------------- against the reference

class LeechFastFamily : public testing::TestWithParam<LeechFamily> {};

TEST_P(LeechFastFamily, IsTheSplitReferenceOnEveryLevel) {
  const std::size_t n = tests::long_tier() ? 135'000 : 6'000;
  LeechPoints source(20'260'831 + static_cast<std::uint64_t>(GetParam()));
  for (std::size_t done = 0; done < n; done += 3'000) {
    const auto points = make_points(source, GetParam(), 3'000);
    const auto expected = split_reference(points);
    for (const std::string& level : tests::supported_levels()) {
      const ForcedLevel forced(level);
      ASSERT_EQ(forced.status(), QP_OK);
      expect_same(points, expected, decode(points), level);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(LeechFastFamily, IsTheLiteralReferenceOnEveryLevel) {
  LeechPoints source(7 + static_cast<std::uint64_t>(GetParam()));
  const auto points = make_points(source, GetParam(), tests::long_tier() ? 5'000 : 400);
  std::vector<std::int32_t> expected(points.size());
  ASSERT_EQ(
      ref::leech_nearest(points.data(), points.size() / kLeechDimension, expected.data(), nullptr),
      QP_OK);
  for (const std::string& level : tests::supported_levels()) {
    const ForcedLevel forced(level);
    expect_same(points, expected, decode(points), level);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, LeechFastFamily, testing::ValuesIn(fuzz::kLeechFamilies),
                         [](const auto& family) {
                           return std::string(fuzz::leech_family_name(family.param));
                         });

// The kernel on vectors of other widths: 8 lanes as SSE, NEON and the portable level, 16 as AVX2,
// 32 as AVX-512.
template <std::size_t kLanes>
void expect_portable_lanes_agree() {
  using Batch = fast::HWY_NAMESPACE::LeechBatch<fast::HWY_NAMESPACE::PortableLeechTags<kLanes>>;
  const auto batch = std::make_unique<Batch>();
  const auto points = mixed_points(99, Batch::kChunkPoints * (tests::long_tier() ? 100 : 6));
  const auto expected = split_reference(points);
  std::vector<std::int32_t> got(points.size(), kPoison);
  const std::size_t step = kLeechDimension * Batch::kChunkPoints;
  for (std::size_t at = 0; at < points.size(); at += step) {
    batch->DecodeChunk(&points[at], Batch::kChunkPoints, &got[at]);
  }
  expect_same(points, expected, got, std::to_string(kLanes) + " portable lanes");
}

TEST(LeechFast, PortableLanesAgree) {
  expect_portable_lanes_agree<8>();
  expect_portable_lanes_agree<16>();
  expect_portable_lanes_agree<32>();
}

// ---------------------------------------------------------------------------- known nearest points

TEST(LeechFast, EveryMinimalVectorIsItsOwnNearestPoint) {
  std::vector<std::int32_t> vectors;
  fuzz::visit_minimal_vectors(
      [&](const LeechRow& v) { vectors.insert(vectors.end(), v.begin(), v.end()); });
  ASSERT_EQ(vectors.size(), kLeechDimension * static_cast<std::size_t>(kLeechShell4));
  std::vector<std::int32_t> points(vectors.size());
  std::transform(vectors.begin(), vectors.end(), points.begin(),
                 [](std::int32_t x) { return x * kLeechUnit; });
  for (const std::string& level : tests::supported_levels()) {
    const ForcedLevel forced(level);
    expect_same(points, vectors, decode(points), level);
  }
}

TEST(LeechFast, SampledVectorsOfNorm6And8AreTheirOwnNearestPoints) {
  LeechPoints source(68);
  std::vector<std::int32_t> vectors;
  for (int i = 0; i < (tests::long_tier() ? 1'000'000 : 50'000); ++i) {
    const LeechRow row = source.short_vector(3 + i % 12);
    vectors.insert(vectors.end(), row.begin(), row.end());
  }
  std::vector<std::int32_t> points(vectors.size());
  std::transform(vectors.begin(), vectors.end(), points.begin(),
                 [](std::int32_t x) { return x * kLeechUnit; });
  for (const std::string& level : tests::supported_levels()) {
    const ForcedLevel forced(level);
    expect_same(points, vectors, decode(points), level);
  }
}

// No word's cheapest patterns have the right parities, and word 0 is the answer: a filter that
// takes word 0 for a favourite without evaluating it loses it.
TEST(LeechFast, NothingFitsTheFilter) {
  const std::vector<std::int32_t> point = {16267, 6,   -78,    0,     0,  1,     6776, 7235,
                                           -2,    10,  -11778, 6,     99, -3503, 19,   -31932,
                                           85,    581, 24,     14587, 1,  38,    -453, -12};
  const auto expected = split_reference(point);
  for (const std::string& level : tests::supported_levels()) {
    const ForcedLevel forced(level);
    expect_same(point, expected, decode(point), level);
  }
}

// Half-integer coordinates: two choices within one word are often equally near. The first two
// points need the tie rule's choice for a word that the filter found without it.
TEST(LeechFast, HalfIntegerPoints) {
  std::vector<std::int32_t> points = {0,  -8, 7,  7,  5,  2,  2, 3,  6,  1,  -6, -7, 5,  6, 0,  -8,
                                      -6, -5, -4, 4,  -8, -4, 0, -2, 4,  1,  -7, -8, -4, 3, -8, 8,
                                      4,  -4, -4, -8, 2,  4,  3, -2, -3, -2, 3,  -7, -7, 6, -5, -2};
  LeechPoints source(2);
  while (points.size() < kLeechDimension * (tests::long_tier() ? 200'000 : 5'000)) {
    points.push_back(source.between(-8, 8));
  }
  for (auto& y : points) y *= kLeechUnit / 2;
  const auto expected = split_reference(points);
  for (const std::string& level : tests::supported_levels()) {
    const ForcedLevel forced(level);
    expect_same(points, expected, decode(points), level);
  }
}

// Inputs made of ties, on which the filter excludes nothing: the list fills and is emptied within
// a block.
TEST(LeechFast, BatchesOfDeepHoles) {
  std::vector<std::int32_t> points(kLeechDimension * 300);
  for (std::size_t p = 0; p < 300; ++p) {
    points[kLeechDimension * p + p % kLeechDimension] = (p % 2 == 0 ? 4 : -4) * kLeechUnit;
  }
  const auto expected = split_reference(points);
  for (const std::string& level : tests::supported_levels()) {
    const ForcedLevel forced(level);
    expect_same(points, expected, decode(points), level);
  }
}

// ------------------------------------------------------------------------------- counts and memory

// Rows of int32 between two pages that cannot be touched.
class GuardedRows {
 public:
  explicit GuardedRows(std::size_t rows) {
    page_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    bytes_ = (sizeof(std::int32_t) * kLeechDimension * rows + page_ - 1) / page_ * page_;
    base_ = mmap(nullptr, bytes_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base_ == MAP_FAILED) std::abort();
    first_ = static_cast<std::uint8_t*>(base_) + page_;
    if (mprotect(first_, bytes_, PROT_READ | PROT_WRITE) != 0) std::abort();
  }
  ~GuardedRows() { munmap(base_, bytes_ + 2 * page_); }
  GuardedRows(const GuardedRows&) = delete;
  GuardedRows& operator=(const GuardedRows&) = delete;

  // `rows` rows that end at the guard page, or that start right after one.
  [[nodiscard]] std::int32_t* last(std::size_t rows) const {
    return reinterpret_cast<std::int32_t*>(first_ + bytes_ -
                                           sizeof(std::int32_t) * kLeechDimension * rows);
  }
  [[nodiscard]] std::int32_t* first() const { return reinterpret_cast<std::int32_t*>(first_); }
  void fill(std::int32_t value) const {
    std::fill_n(first(), bytes_ / sizeof(std::int32_t), value);
  }

 private:
  void* base_ = nullptr;
  std::uint8_t* first_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t page_ = 0;
};

TEST(LeechFast, AnyCountInsideItsMemory) {
  constexpr std::size_t kMost = 600;
  const auto points = mixed_points(3, kMost);
  const auto expected = split_reference(points);
  const GuardedRows in(kMost);
  const GuardedRows out(kMost);
  std::vector<std::size_t> counts;
  for (std::size_t n = 0; n <= 140; ++n) counts.push_back(n);
  counts.insert(counts.end(), {255, 256, 257, 287, 288, 289, 511, 512, 513, 600});
  for (const std::string& level : tests::supported_levels()) {
    const ForcedLevel forced(level);
    for (const std::size_t n : counts) {
      for (const bool at_end : {false, true}) {
        std::int32_t* const from = at_end ? in.last(n) : in.first();
        std::int32_t* const to = at_end ? out.last(n) : out.first();
        std::copy_n(points.begin(), kLeechDimension * n, from);
        out.fill(kPoison);
        ASSERT_EQ(qp_leech_nearest(from, n, to), QP_OK);
        ASSERT_TRUE(std::equal(to, to + kLeechDimension * n, expected.begin()))
            << level << ' ' << n;
        ASSERT_TRUE(std::equal(from, from + kLeechDimension * n, points.begin()))
            << level << ' ' << n;
        // Nothing beside the rows was touched.
        const std::int32_t* const beside = at_end ? out.first() : to + kLeechDimension * n;
        const std::int32_t* const beside_end = at_end ? to : out.last(0);
        ASSERT_TRUE(std::all_of(beside, beside_end, [](std::int32_t v) { return v == kPoison; }))
            << level << ' ' << n;
      }
    }
  }
}

TEST(LeechFast, RowsNeedNoAlignmentBeyondInt32) {
  constexpr std::size_t kRows = 100;
  const auto points = mixed_points(4, kRows);
  const auto expected = split_reference(points);
  std::vector<std::int32_t> in(kLeechDimension * kRows + 16);
  std::vector<std::int32_t> out(kLeechDimension * kRows + 16);
  for (const std::string& level : tests::supported_levels()) {
    const ForcedLevel forced(level);
    for (std::size_t shift = 0; shift < 16; ++shift) {
      std::int32_t* const from = in.data() + shift;
      std::int32_t* const to = out.data() + (7 * shift) % 16;
      std::copy(points.begin(), points.end(), from);
      ASSERT_EQ(qp_leech_nearest(from, kRows, to), QP_OK);
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), to)) << level << ' ' << shift;
    }
  }
}

// ------------------------------------------------------------------------------------- refusals

TEST(LeechFast, RefusesNullPointers) {
  std::int32_t row[kLeechDimension] = {};
  float float_row[kLeechDimension] = {};
  qp_location where{9, 9, ""};
  EXPECT_EQ(qp_leech_nearest(nullptr, 0, nullptr), QP_OK);
  EXPECT_EQ(qp_leech_nearest_float(nullptr, 0, nullptr), QP_OK);
  EXPECT_EQ(qp_leech_nearest_at(nullptr, 1, row, &where), QP_BAD_ARGUMENT);
  EXPECT_STREQ(where.field, "points");
  EXPECT_EQ(qp_leech_nearest_at(row, 1, nullptr, &where), QP_BAD_ARGUMENT);
  EXPECT_STREQ(where.field, "out");
  EXPECT_EQ(qp_leech_nearest_float_at(nullptr, 1, row, &where), QP_BAD_ARGUMENT);
  EXPECT_STREQ(where.field, "points");
  EXPECT_EQ(qp_leech_nearest_float_at(float_row, 1, nullptr, &where), QP_BAD_ARGUMENT);
  EXPECT_STREQ(where.field, "out");
}

// One bad coordinate: its place is told, the points before it are written, nothing else.
template <class Coordinate, class Decode>
void expect_refused(const std::vector<Coordinate>& good, Coordinate bad, qp_status expected_status,
                    const std::vector<std::int32_t>& expected, Decode decode_at) {
  const std::size_t n = good.size() / kLeechDimension;
  for (const std::string& level : tests::supported_levels()) {
    const ForcedLevel forced(level);
    for (const std::size_t point : {std::size_t{0}, std::size_t{1}, std::size_t{31},
                                    std::size_t{255}, std::size_t{256}, std::size_t{300}, n - 1}) {
      for (const std::size_t i : {std::size_t{0}, std::size_t{11}, std::size_t{23}}) {
        auto points = good;
        points[kLeechDimension * point + i] = bad;
        if (point + 1 < n) points[kLeechDimension * (point + 1)] = bad;  // only the first is told
        std::vector<std::int32_t> out(points.size(), kPoison);
        qp_location where{};
        ASSERT_EQ(decode_at(points.data(), n, out.data(), &where), expected_status) << level;
        EXPECT_EQ(where.block, point);
        EXPECT_EQ(where.offset, sizeof(Coordinate) * (kLeechDimension * point + i));
        EXPECT_STREQ(where.field, "coordinate");
        const std::size_t written = kLeechDimension * point;
        EXPECT_TRUE(std::equal(&out[0], &out[0] + written, expected.begin())) << level;
        EXPECT_TRUE(std::all_of(out.begin() + static_cast<std::ptrdiff_t>(written), out.end(),
                                [](std::int32_t v) { return v == kPoison; }))
            << level;
        // No place is asked for.
        EXPECT_EQ(decode_at(points.data(), n, out.data(), nullptr), expected_status);
      }
    }
  }
}

TEST(LeechFast, RefusesCoordinatesOutOfRange) {
  const auto points = mixed_points(5, 310);
  const auto expected = split_reference(points);
  for (const std::int32_t bad :
       {kLeechPointLimit + 1, -kLeechPointLimit - 1, std::numeric_limits<std::int32_t>::max(),
        std::numeric_limits<std::int32_t>::min()}) {
    expect_refused(points, bad, QP_POINT_OUT_OF_RANGE, expected, qp_leech_nearest_at);
  }
}

// ------------------------------------------------------------------------------- binary32 points

TEST(LeechFast, RefusesFloatsThatAreNotFiniteOrOutOfRange) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto limit = static_cast<float>(kLeechPointLimit / kLeechUnit);
  const std::vector<float> points(kLeechDimension * 310, limit);
  std::vector<std::int32_t> expected(points.size());
  ASSERT_EQ(ref::leech_nearest_f32(points.data(), 310, expected.data(), nullptr), QP_OK);
  const auto decode_at = qp_leech_nearest_float_at;
  for (const float bad : {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN(),
                          std::bit_cast<float>(0xFF800001u)}) {
    expect_refused(points, bad, QP_POINT_NOT_FINITE, expected, decode_at);
  }
  for (const float bad :
       {std::nextafter(limit, kInfinity), -2 * limit, std::numeric_limits<float>::max()}) {
    expect_refused(points, bad, QP_POINT_OUT_OF_RANGE, expected, decode_at);
  }
}

TEST(LeechFast, FloatPointsAreRoundedToNearestEven) {
  LeechPoints source(11);
  std::vector<float> points;
  const std::size_t n = tests::long_tier() ? 20'000 : 2'000;
  for (std::size_t i = 0; i < kLeechDimension * n; ++i) {
    const auto bits =
        static_cast<std::uint32_t>(source.between(0, std::numeric_limits<std::int32_t>::max()));
    // Exponents around the unit of the fixed point and up to the limit, subnormals, exact halves.
    const std::uint32_t exponent = i % 7 == 0 ? 0 : 110 + bits % 34;
    const std::uint32_t mantissa = i % 3 == 0 ? (bits >> 9) & 0x7C0000u : bits >> 8 & 0x7FFFFFu;
    points.push_back(
        std::bit_cast<float>(static_cast<std::uint32_t>(i) << 31 | exponent << 23 | mantissa));
  }
  std::vector<std::int32_t> fixed;
  for (const float y : points) {
    // The product is exact in binary64; tests run in the default rounding mode.
    fixed.push_back(static_cast<std::int32_t>(std::nearbyint(static_cast<double>(y) * kLeechUnit)));
    ASSERT_EQ(fast::leech_fixed_point(y), fixed.back()) << y;
  }
  const auto expected = split_reference(fixed);
  std::vector<std::int32_t> by_reference(points.size());
  for (const std::string& level : tests::supported_levels()) {
    const ForcedLevel forced(level);
    std::vector<std::int32_t> got(points.size(), kPoison);
    ASSERT_EQ(qp_leech_nearest_float(points.data(), n, got.data()), QP_OK);
    expect_same(fixed, expected, got, level);
  }
  ASSERT_EQ(ref::leech_nearest_f32(points.data(), 100, by_reference.data(), nullptr), QP_OK);
  EXPECT_TRUE(
      std::equal(&by_reference[0], &by_reference[0] + 100 * kLeechDimension, expected.begin()));
}

// ------------------------------------------------------------------------------- the word numbers

// The kernel's 256 words times 64 choices of top rows, half of which have the right parity, are
// the 2 times 4096 pairs of m and Golay word.
TEST(LeechFast, WordsAndTopRowsAreTheGolayCode) {
  std::vector<int> seen(2 * kGolayWordCount, 0);
  for (unsigned word = 0; word < fast::kLeechWords; ++word) {
    for (unsigned tops = 0; tops < 64; ++tops) {
      if ((std::popcount(tops) & 1) != static_cast<int>(word >> 6 & 1u)) continue;
      std::uint32_t pattern = fast::word_pattern(word);
      unsigned choice = 0;
      for (std::size_t j = 0; j < kMogColumns; ++j) {
        if ((tops >> j & 1u) == 0) continue;
        pattern ^= 0xFu << mog_coordinate(j, 0);
        choice |= 1u << fast::top_bit(j);
      }
      ASSERT_TRUE(is_golay_word(pattern)) << word << ' ' << tops;
      const unsigned rank = fast::leech_rank(word, choice);
      ASSERT_EQ(rank, (word >> 7) * kGolayWordCount + golay_index(pattern));
      ++seen[rank];
    }
  }
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int count) { return count == 1; }));
}

}  // namespace
}  // namespace quantproof
