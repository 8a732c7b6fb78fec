// SPDX-License-Identifier: Apache-2.0
//
// The encoder of IQ3_XXS and E8/IQ3 blocks, spec/formats/encoding.md. Half-groups are lanes: each
// vector holds as many half-groups of four weights as it has lanes, and walks through the 256 rows
// of the codebook. A row is a pair of its first two levels and a pair of its last two; whatever
// depends on one pair only is computed once for each of the 64 pairs.

#if defined(QUANTPROOF_FAST_IQ3_ENCODE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef QUANTPROOF_FAST_IQ3_ENCODE_INL_H_
#undef QUANTPROOF_FAST_IQ3_ENCODE_INL_H_
#else
#define QUANTPROOF_FAST_IQ3_ENCODE_INL_H_
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "hwy/highway.h"

#include "fast/half_nearest.h"
#include "fast/iq3_encode.h"
#include "fast/iq3_exact.h"
#include "fast/iq3_tables.h"
#include "quantproof/iq3_block.h"
#include "quantproof/iq3_codebook.h"
#include "quantproof/iq3_encoding.h"

HWY_BEFORE_NAMESPACE();
namespace quantproof {
namespace fast {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

inline constexpr std::size_t kHalfGroups = kBlockWeights / kRowWeights;             // 64
inline constexpr std::size_t kSubblockHalfGroups = kSubblockWeights / kRowWeights;  // 8
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

#if HWY_HAVE_SCALABLE
inline constexpr std::size_t kEncodeLanes = 4;
#else
inline constexpr std::size_t kEncodeLanes = HWY_MIN(16, HWY_LANES(float));
#endif
using EncodeFloats = hn::CappedTag<float, kEncodeLanes>;

// Clause 4.2, of numbers that stand one beside the other.
template <std::size_t kCount>
HWY_INLINE float TreeSum(const float* y) {
  if constexpr (kCount == 1) {
    return y[0];
  } else {
    return TreeSum<kCount / 2>(y) + TreeSum<kCount / 2>(y + kCount / 2);
  }
}

// Clause 4.3. `exponent`: -126 to 127.
HWY_INLINE float PowerOfTwo(int exponent) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(127 + exponent) << 23);
}

HWY_INLINE int GridOctave(int k) { return k >> 5; }
static_assert(kIq3GridSteps == 32);

HWY_INLINE float GridValue(int k) {
  return kIq3GridFraction[static_cast<std::size_t>(k & 31)] * PowerOfTwo(GridOctave(k));
}

HWY_INLINE int ExponentOf(float value) {  // of a positive normal number
  return static_cast<int>(std::bit_cast<std::uint32_t>(value) >> 23) - 127;
}

HWY_INLINE int GridStep(float value) {
  const int octave = ExponentOf(value);
  const float fraction = value * PowerOfTwo(-octave);
  int i = 0;
  for (const float step : kIq3GridFraction) i += step <= fraction ? 1 : 0;
  return kIq3GridSteps * octave + i - 1;
}

// Clause 5: a block in working numbers. Arrays of 64 go by half-group.
struct WorkingBlock {
  alignas(64) float x[kBlockWeights];
  alignas(64) float w[kRowWeights][kHalfGroups];
  alignas(64) float p[kRowWeights][kHalfGroups];  // w |x|
  alignas(64) std::uint32_t odd[kHalfGroups];     // all ones where an odd number of x is negative
  float square_sum[kSubblocks];                   // A
  bool zero[kSubblocks];
  int greatest_step[kSubblocks];
  int exponent;  // a working scale d stands for d 2^exponent
};

// 5.3: to `h`, 256 numbers.
inline void WorkingImportance(const float* importance, std::size_t count, float* h) {
  std::fill(h, h + count, 1.0f);
  std::fill(h + count, h + kBlockWeights, PowerOfTwo(kIq3ImportanceFloor));
  if (importance == nullptr) return;
  float greatest = 0;
  for (std::size_t i = 0; i < count; ++i) greatest = HWY_MAX(greatest, importance[i]);
  if (greatest < std::numeric_limits<float>::min()) return;
  // Up to 2^126, in two steps; a result that is not exact lies below the floor.
  const int exponent = ExponentOf(greatest);
  const float scale1 = PowerOfTwo(-exponent / 2);
  const float scale2 = PowerOfTwo(-exponent - -exponent / 2);
  for (std::size_t i = 0; i < count; ++i) {
    h[i] = HWY_MAX(importance[i] * scale1 * scale2, PowerOfTwo(kIq3ImportanceFloor));
  }
}

// 5; false for a block of zeros.
inline bool Prepare(const float* x, const float* importance, std::size_t count,
                    Iq3Weighting weighting, int value_shift, WorkingBlock& block) {
  float greatest = 0;
  for (std::size_t i = 0; i < count; ++i) greatest = HWY_MAX(greatest, std::fabs(x[i]));
  if (greatest <= iq3_zero_limit(value_shift)) return false;
  const int exponent = ExponentOf(greatest);
  block.exponent = exponent + value_shift - 2;
  const float least = PowerOfTwo(exponent + kIq3MagnitudeFloor);
  const float scale = PowerOfTwo(-exponent);
  for (std::size_t i = 0; i < count; ++i) {
    block.x[i] = std::fabs(x[i]) >= least ? x[i] * scale : 0.0f;
  }
  std::fill(block.x + count, block.x + kBlockWeights, 0.0f);
  float w[kBlockWeights];
  WorkingImportance(importance, count, w);
  if (weighting == Iq3Weighting::kGgml) {
    float squares[kBlockWeights];
    for (std::size_t i = 0; i < kBlockWeights; ++i) squares[i] = block.x[i] * block.x[i];
    const float sigma2 = TreeSum<kBlockWeights>(squares) / 128.0f;
    for (std::size_t i = 0; i < kBlockWeights; ++i) w[i] *= std::sqrt(sigma2 + squares[i]);
  }
  float terms[kBlockWeights];
  for (std::size_t h = 0; h < kHalfGroups; ++h) {
    std::uint32_t negatives = 0;
    for (std::size_t j = 0; j < kRowWeights; ++j) {
      const float v = block.x[kRowWeights * h + j];
      const float p = w[kRowWeights * h + j] * std::fabs(v);
      block.w[j][h] = w[kRowWeights * h + j];
      block.p[j][h] = p;
      terms[kRowWeights * h + j] = p * std::fabs(v);
      negatives += v < 0 ? 1 : 0;
    }
    block.odd[h] = 0u - (negatives & 1u);
  }
  for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
    block.square_sum[ib] = TreeSum<kSubblockWeights>(terms + kSubblockWeights * ib);
    float most = 0;
    for (std::size_t i = 0; i < kSubblockWeights; ++i) {
      most = HWY_MAX(most, std::fabs(block.x[kSubblockWeights * ib + i]));
    }
    block.zero[ib] = most == 0;
    block.greatest_step[ib] = block.zero[ib] ? 0 : GridStep(most);
  }
  return true;
}

// Clause 6.1 for the half-groups of one vector, lane by lane. By level: what each of the four
// weights adds to a row's sums. By pair of levels: what the first two, [0], and the last two add.
struct LaneTables {
  alignas(64) float product[kRowWeights][kLevels * kEncodeLanes];  // p g
  alignas(64) float square[kRowWeights][kLevels * kEncodeLanes];   // w g^2
  alignas(64) float flip[2][kLevelPairs * kEncodeLanes];           // 2 min(p g)
  alignas(64) float value[2][kLevelPairs * kEncodeLanes];          // P - u Q
};

// The tables by level of half-groups [h, h + lanes).
HWY_INLINE void BuildLevels(const WorkingBlock& block, std::size_t h, LaneTables& tables) {
  const EncodeFloats d;
  for (std::size_t j = 0; j < kRowWeights; ++j) {
    const auto p = hn::Load(d, block.p[j] + h);
    const auto w = hn::Load(d, block.w[j] + h);
    for (std::size_t l = 0; l < kLevels; ++l) {
      const auto g = hn::Set(d, static_cast<float>(kLevelMagnitude[l]));
      hn::Store(hn::Mul(p, g), d, tables.product[j] + hn::Lanes(d) * l);
      hn::Store(hn::Mul(w, hn::Mul(g, g)), d, tables.square[j] + hn::Lanes(d) * l);
    }
  }
}

// From those, what a flipped sign costs by pair of levels.
HWY_INLINE void BuildFlips(LaneTables& tables) {
  const EncodeFloats d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t side = 0; side < 2; ++side) {
    float* to = tables.flip[side];
    for (std::size_t l0 = 0; l0 < kLevels; ++l0) {
      const auto product0 = hn::Load(d, tables.product[2 * side] + lanes * l0);
      for (std::size_t l1 = 0; l1 < kLevels; ++l1, to += lanes) {
        const auto product1 = hn::Load(d, tables.product[2 * side + 1] + lanes * l1);
        const auto least = hn::Min(product0, product1);
        hn::Store(hn::Add(least, least), d, to);
      }
    }
  }
}

// And the values by pair of levels, at half the effective scale of each lane.
HWY_INLINE void ComputeValues(const float* u, LaneTables& tables) {
  const EncodeFloats d;
  const std::size_t lanes = hn::Lanes(d);
  const auto unit = hn::Load(d, u);
  for (std::size_t side = 0; side < 2; ++side) {
    float* to = tables.value[side];
    for (std::size_t l0 = 0; l0 < kLevels; ++l0) {
      const auto product0 = hn::Load(d, tables.product[2 * side] + lanes * l0);
      const auto square0 = hn::Load(d, tables.square[2 * side] + lanes * l0);
      for (std::size_t l1 = 0; l1 < kLevels; ++l1, to += lanes) {
        const auto product =
            hn::Add(product0, hn::Load(d, tables.product[2 * side + 1] + lanes * l1));
        const auto square = hn::Add(square0, hn::Load(d, tables.square[2 * side + 1] + lanes * l1));
        hn::Store(hn::Sub(product, hn::Mul(unit, square)), d, to);
      }
    }
  }
}

// 6.1: c of a row, and the cost of its cheapest flip, in one lane.
HWY_INLINE float RowSquare(const LaneTables& tables, std::size_t row, std::size_t lanes,
                           std::size_t lane) {
  const auto term = [&](std::size_t j) {
    return tables.square[j][lanes * kRowLevel[j][row] + lane];
  };
  return (term(0) + term(1)) + (term(2) + term(3));
}

HWY_INLINE float RowFlip(const LaneTables& tables, std::size_t row, std::size_t lanes,
                         std::size_t lane) {
  const auto term = [&](std::size_t j) {
    return tables.product[j][lanes * kRowLevel[j][row] + lane];
  };
  return 2 * HWY_MIN(HWY_MIN(term(0), term(1)), HWY_MIN(term(2), term(3)));
}

// Clauses 6.2 and 6.3 for all half-groups of a block: [0] with an even number of negative weights,
// [1] with an odd one.
struct RowsFound {
  alignas(64) float value[2][kHalfGroups];
  alignas(64) float square[2][kHalfGroups];
  alignas(64) std::int32_t row[2][kHalfGroups];
};

// What 6.2 alone finds: the value, c and the cost of the cheapest flip of each half-group's row.
struct KeptRows {
  alignas(64) float value[kHalfGroups];
  alignas(64) float square[kHalfGroups];
  alignas(64) float flip[kHalfGroups];
};

// The lanes whose half-group has an odd number of negative weights.
HWY_INLINE hn::Mask<EncodeFloats> OddMask(const WorkingBlock& block, std::size_t h) {
  const EncodeFloats d;
  const hn::RebindToUnsigned<EncodeFloats> du;
  return hn::MaskFromVec(hn::BitCast(d, hn::Load(du, block.odd + h)));
}

// Row r for the half-groups in a vector's lanes. Rows ascend and a later one must be better: the
// least row wins a tie.
template <class D, class V>
HWY_INLINE void VisitRow(D d, std::size_t r, V value, V& best, V& best_row) {
  best_row = hn::IfThenElse(hn::Gt(value, best), hn::Set(d, kRowNumber[r]), best_row);
  best = hn::Max(value, best);
}

template <class D>
HWY_INLINE hn::Vec<D> KeptValue(D d, const LaneTables& tables, std::size_t r) {
  return hn::Add(hn::Load(d, tables.value[0] + hn::Lanes(d) * kFirstPair[r]),
                 hn::Load(d, tables.value[1] + hn::Lanes(d) * kSecondPair[r]));
}

template <class D>
HWY_INLINE hn::Vec<D> FlipCost(D d, const LaneTables& tables, std::size_t r) {
  return hn::Min(hn::Load(d, tables.flip[0] + hn::Lanes(d) * kFirstPair[r]),
                 hn::Load(d, tables.flip[1] + hn::Lanes(d) * kSecondPair[r]));
}

// 6.2: the best rows with the signs as they are, of half-groups [h, h + lanes) at half the
// effective scale of each, u[h + lane].
inline HWY_ATTR void FindKeptRows(const float* u, std::size_t h, LaneTables& tables,
                                  KeptRows& found) {
  const EncodeFloats d;
  const hn::RebindToSigned<EncodeFloats> di;
  const std::size_t lanes = hn::Lanes(d);
  ComputeValues(u + h, tables);
  auto kept = hn::Set(d, -kInfinity);
  auto kept_row = hn::Zero(d);
  for (std::size_t r = 0; r < kCodebookRows; r += 4) {
    VisitRow(d, r, KeptValue(d, tables, r), kept, kept_row);
    VisitRow(d, r + 1, KeptValue(d, tables, r + 1), kept, kept_row);
    VisitRow(d, r + 2, KeptValue(d, tables, r + 2), kept, kept_row);
    VisitRow(d, r + 3, KeptValue(d, tables, r + 3), kept, kept_row);
  }
  hn::Store(kept, d, found.value + h);
  HWY_ALIGN std::int32_t rows[kEncodeLanes];
  hn::Store(hn::ConvertTo(di, kept_row), di, rows);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const auto row = static_cast<std::size_t>(rows[lane]);
    found.square[h + lane] = RowSquare(tables, row, lanes, lane);
    found.flip[h + lane] = RowFlip(tables, row, lanes, lane);
  }
}

// 6.2 and 6.3: the same, and the best rows with one sign flipped.
inline HWY_ATTR void FindRows(const WorkingBlock& block, const float* u, std::size_t h,
                              LaneTables& tables, RowsFound& found) {
  const EncodeFloats d;
  const hn::RebindToSigned<EncodeFloats> di;
  const std::size_t lanes = hn::Lanes(d);
  ComputeValues(u + h, tables);
  auto kept = hn::Set(d, -kInfinity);
  auto flipped = kept;
  auto kept_row = hn::Zero(d);
  auto flipped_row = kept_row;
  const auto visit = [&](std::size_t r) HWY_ATTR {
    const auto value = KeptValue(d, tables, r);
    VisitRow(d, r, value, kept, kept_row);
    VisitRow(d, r, hn::Sub(value, FlipCost(d, tables, r)), flipped, flipped_row);
  };
  for (std::size_t r = 0; r < kCodebookRows; r += 4) {
    visit(r);
    visit(r + 1);
    visit(r + 2);
    visit(r + 3);
  }
  const auto odd = OddMask(block, h);
  hn::Store(hn::IfThenElse(odd, flipped, kept), d, found.value[0] + h);
  hn::Store(hn::IfThenElse(odd, kept, flipped), d, found.value[1] + h);
  hn::Store(hn::ConvertTo(di, hn::IfThenElse(odd, flipped_row, kept_row)), di, found.row[0] + h);
  hn::Store(hn::ConvertTo(di, hn::IfThenElse(odd, kept_row, flipped_row)), di, found.row[1] + h);
  for (std::size_t parity = 0; parity < 2; ++parity) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const auto row = static_cast<std::size_t>(found.row[parity][h + lane]);
      found.square[parity][h + lane] = RowSquare(tables, row, lanes, lane);
    }
  }
}

// The best rows of the whole block.
inline void FindAllRows(const WorkingBlock& block, const float* u, LaneTables& tables,
                        RowsFound& found) {
  for (std::size_t h = 0; h < kHalfGroups; h += hn::Lanes(EncodeFloats())) {
    BuildLevels(block, h, tables);
    BuildFlips(tables);
    FindRows(block, u, h, tables, found);
  }
}

// Clauses 6.4 and 6.5: content and error of one encoding.
struct Encoding {
  std::uint32_t scale;
  std::uint32_t code[kSubblocks];
  std::uint8_t row[kHalfGroups];
  bool flipped[kHalfGroups];
  float product[kSubblocks];
  float square[kSubblocks];
  float error[kSubblocks];
  float total;
};

// The better parity of each group of sub-block `ib`, for effective scale `t`.
HWY_INLINE void ChooseParity(const WorkingBlock& block, const RowsFound& found, std::size_t ib,
                             float t, Encoding& encoding) {
  float values[kGroupsPerSubblock];
  float squares[kGroupsPerSubblock];
  for (std::size_t l = 0; l < kGroupsPerSubblock; ++l) {
    const std::size_t h = kSubblockHalfGroups * ib + 2 * l;
    const float even = found.value[0][h] + found.value[0][h + 1];
    const float odd = found.value[1][h] + found.value[1][h + 1];
    const std::size_t parity = odd > even ? 1 : 0;
    values[l] = HWY_MAX(even, odd);
    squares[l] = found.square[parity][h] + found.square[parity][h + 1];
    for (std::size_t k = h; k < h + 2; ++k) {
      encoding.row[k] = static_cast<std::uint8_t>(found.row[parity][k]);
      encoding.flipped[k] = (block.odd[k] & 1u) != parity;
    }
  }
  const float value = TreeSum<kGroupsPerSubblock>(values);
  const float square = TreeSum<kGroupsPerSubblock>(squares);
  encoding.square[ib] = square;
  encoding.product[ib] = value + t / 2 * square;
  encoding.error[ib] = block.square_sum[ib] - 2 * t * value;
}

// Clause 8.2: what the probes of a block found, each row as a line b - u c.
struct Probes {
  alignas(64) float b[kIq3MaxProbes][2][kHalfGroups];
  alignas(64) float c[kIq3MaxProbes][2][kHalfGroups];
};

// Clauses 8.3 and 8.4: estimated errors of each sub-block at its grid steps, from its first probe
// to its last.
inline constexpr std::size_t kMaxEstimates = 97;
inline constexpr std::size_t kEstimatePad = 16;  // infinite, so that vectors may reach beyond

struct Estimates {
  alignas(64) float error[kSubblocks][kMaxEstimates + 2 * kEstimatePad];
};

class BlockSearch {
 public:
  BlockSearch(const WorkingBlock& block, const Iq3Search& search)
      : block_(block), search_(search), last_(search.probe_step * (search.probes - 1)) {}

  const Encoding& Run() {
    Probe();
    for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
      if (!block_.zero[ib]) Estimate(ib);
    }
    best_.total = kInfinity;
    ChooseTrials();
    for (int i = 0; i < search_.trials; ++i) Follow(ScaleAt(trials_[i]));
    Settle();
    return best_;
  }

 private:
  [[nodiscard]] int FirstStep(std::size_t ib) const {
    return block_.greatest_step[ib] + search_.first_probe;
  }

  void Probe() {
    const EncodeFloats d;
    alignas(64) float u[kIq3MaxProbes][kHalfGroups];
    for (int q = 0; q < search_.probes; ++q) {
      for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
        const float t = GridValue(FirstStep(ib) + search_.probe_step * q);
        std::fill_n(u[q] + kSubblockHalfGroups * ib, kSubblockHalfGroups, t / 2);
      }
    }
    for (std::size_t h = 0; h < kHalfGroups; h += hn::Lanes(d)) {
      BuildLevels(block_, h, tables_);
      if (search_.flipped_rows) BuildFlips(tables_);
      for (int q = 0; q < search_.probes; ++q) {
        const auto unit = hn::Load(d, u[q] + h);
        float* const b0 = probes_.b[q][0] + h;
        float* const b1 = probes_.b[q][1] + h;
        float* const c0 = probes_.c[q][0] + h;
        float* const c1 = probes_.c[q][1] + h;
        if (search_.flipped_rows) {
          FindRows(block_, u[q], h, tables_, found_);
          const auto even = hn::Load(d, found_.square[0] + h);
          const auto odd = hn::Load(d, found_.square[1] + h);
          hn::Store(hn::Add(hn::Load(d, found_.value[0] + h), hn::Mul(unit, even)), d, b0);
          hn::Store(hn::Add(hn::Load(d, found_.value[1] + h), hn::Mul(unit, odd)), d, b1);
          hn::Store(even, d, c0);
          hn::Store(odd, d, c1);
        } else {
          FindKeptRows(u[q], h, tables_, kept_);
          const auto is_odd = OddMask(block_, h);
          const auto square = hn::Load(d, kept_.square + h);
          const auto kept = hn::Add(hn::Load(d, kept_.value + h), hn::Mul(unit, square));
          const auto flipped = hn::Sub(kept, hn::Load(d, kept_.flip + h));
          hn::Store(hn::IfThenElse(is_odd, flipped, kept), d, b0);
          hn::Store(hn::IfThenElse(is_odd, kept, flipped), d, b1);
          hn::Store(square, d, c0);
          hn::Store(square, d, c1);
        }
      }
    }
  }

  // 8.3, at grid steps [i, i + lanes) after the first probe, by the lines of probes q and q + 1.
  template <class D>
  HWY_INLINE hn::Vec<D> EstimateAt(D d, std::size_t ib, int i, int q) const {
    const int k = FirstStep(ib) + i;
    const auto t = hn::Mul(hn::LoadU(d, &kGridOctaves[static_cast<std::size_t>(k & 31)]),
                           hn::Set(d, PowerOfTwo(GridOctave(k))));
    const auto u = hn::Mul(t, hn::Set(d, 0.5f));
    const auto best = [&](std::size_t parity, std::size_t h) HWY_ATTR {
      const auto at = [&](int probe) HWY_ATTR {
        return hn::Sub(hn::Set(d, probes_.b[probe][parity][h]),
                       hn::Mul(u, hn::Set(d, probes_.c[probe][parity][h])));
      };
      return hn::Max(at(q), at(q + 1));
    };
    const auto group = [&](std::size_t l) HWY_ATTR {
      const std::size_t h = kSubblockHalfGroups * ib + 2 * l;
      return hn::Max(hn::Add(best(0, h), best(0, h + 1)), hn::Add(best(1, h), best(1, h + 1)));
    };
    const auto value = hn::Add(hn::Add(group(0), group(1)), hn::Add(group(2), group(3)));
    return hn::Sub(hn::Set(d, block_.square_sum[ib]), hn::Mul(hn::Add(t, t), value));
  }

  template <std::size_t kLanes>
  void EstimateBySteps(std::size_t ib) {
    const hn::CappedTag<float, kLanes> d;
    float* const error = estimates_.error[ib] + kEstimatePad;
    for (int q = 0; q + 1 < search_.probes; ++q) {
      for (int i = 0; i < search_.probe_step; i += static_cast<int>(hn::Lanes(d))) {
        const int step = search_.probe_step * q + i;
        hn::StoreU(EstimateAt(d, ib, step, q), d, error + step);
      }
    }
  }

  void Estimate(std::size_t ib) {
    float* const error = estimates_.error[ib] + kEstimatePad;
    if (search_.probe_step % 8 == 0) {
      EstimateBySteps<HWY_MIN(8, kEncodeLanes)>(ib);
    } else {
      EstimateBySteps<HWY_MIN(4, kEncodeLanes)>(ib);
    }
    error[last_] = EstimateBeyond(ib, last_);
    std::fill_n(error - kEstimatePad, kEstimatePad, kInfinity);
    std::fill_n(error + last_ + 1, kEstimatePad, kInfinity);
  }

  // From the last probe on.
  [[nodiscard]] float EstimateBeyond(std::size_t ib, int i) const {
    const hn::CappedTag<float, 1> d;
    return hn::GetLane(EstimateAt(d, ib, i, search_.probes - 2));
  }

  struct CodeEstimate {
    std::uint32_t code;
    float error;
  };

  // 8.4
  [[nodiscard]] CodeEstimate EstimateCode(std::size_t ib, int j) const {
    if (block_.zero[ib]) return {0, 0.0f};
    const int offset = j - 2 * kIq3GridSteps - FirstStep(ib);
    CodeEstimate best = {16, kInfinity};
    for (std::uint32_t code = 0; code < 16; ++code) {
      const int i = offset + kIq3CodeStep[code];
      if (i < 0) continue;
      if (i > last_) {
        if (best.code == 16) best = {code, EstimateBeyond(ib, i)};
        break;
      }
      const float error = estimates_.error[ib][kEstimatePad + static_cast<std::size_t>(i)];
      if (best.code == 16 || error < best.error) best = {code, error};
    }
    if (best.code == 16) return {15, block_.square_sum[ib]};
    return best;
  }

  // 8.5
  [[nodiscard]] float WorkingScale(std::uint32_t scale) const {
    return static_cast<float>(HalfValue(scale) * PowerOfTwo(-block_.exponent));
  }

  [[nodiscard]] std::uint32_t ScaleAt(int j) const {
    return NearestHalf(static_cast<double>(GridValue(j)) * PowerOfTwo(block_.exponent));
  }

  [[nodiscard]] int StepOfScale(std::uint32_t scale) const {
    return GridStep(WorkingScale(scale) * kIq3GridHalfStep);
  }

  // 8.5, of grid steps [first, first + n).
  void Score(int first, int n) {
    const EncodeFloats d;
    const auto lanes = static_cast<int>(hn::Lanes(d));
    alignas(64) float terms[kSubblocks][kMaxScores + kEstimatePad];
    for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
      float* const term = terms[ib];
      std::fill_n(term, n + static_cast<int>(kEstimatePad), block_.zero[ib] ? 0.0f : kInfinity);
      if (block_.zero[ib]) continue;
      const float* const error = estimates_.error[ib] + kEstimatePad;
      const int offset = first - 2 * kIq3GridSteps - FirstStep(ib);
      for (const int step : kIq3CodeStep) {
        // Steps that lead inside the table.
        const int from = std::max(0, -(offset + step));
        const int to = std::min(n, last_ + 1 - (offset + step));
        if (from >= to) continue;
        for (int j = from; j < to; j += lanes) {
          const auto least =
              hn::Min(hn::LoadU(d, term + j), hn::LoadU(d, error + offset + step + j));
          hn::StoreU(least, d, term + j);
        }
      }
      for (int j = 0; j < n; ++j) {
        if (term[j] == kInfinity) term[j] = EstimateCode(ib, first + j).error;
      }
    }
    for (int j = 0; j < n; ++j) {
      float errors[kSubblocks];
      for (std::size_t ib = 0; ib < kSubblocks; ++ib) errors[ib] = terms[ib][j];
      scores_[j] = TreeSum<kSubblocks>(errors);
    }
    // A grid step has another step's score where the scale that is stored lies there: near the
    // least binary16 numbers, which lie far apart, and beyond the greatest.
    int j = 0;
    while (j < n && ScaleAt(first + j) < kLeastDense) RescoreStored(first, j++);
    for (j = n - 1; j >= 0 && ScaleAt(first + j) == kGreatestHalf; --j) RescoreStored(first, j);
  }

  void RescoreStored(int first, int j) {
    const int step = StepOfScale(ScaleAt(first + j));
    float errors[kSubblocks];
    for (std::size_t ib = 0; ib < kSubblocks; ++ib) errors[ib] = EstimateCode(ib, step).error;
    scores_[j] = TreeSum<kSubblocks>(errors);
  }

  // 8.5 and 8.6
  void ChooseTrials() {
    int greatest = std::numeric_limits<int>::min();
    for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
      if (!block_.zero[ib]) greatest = std::max(greatest, block_.greatest_step[ib]);
    }
    const int first = greatest + search_.first_probe + 2 * kIq3GridSteps - kIq3CodeStep[15];
    const int n = last_ + kIq3CodeStep[15] - kIq3CodeStep[kIq3LeastGreatCode] + 1;
    Score(first, n);
    for (int trial = 0; trial < search_.trials; ++trial) {
      const int best = static_cast<int>(std::min_element(scores_, scores_ + n) - scores_);
      trials_[trial] = first + best;
      for (int j = std::max(0, best - 2); j <= std::min(n - 1, best + 2); ++j) {
        scores_[j] = kInfinity;
      }
    }
  }

  // The content of every sub-block under best.scale and code[], to `encoding`.
  void FillContent(Encoding& encoding) {
    alignas(64) float u[kHalfGroups];
    float t[kSubblocks];
    const float scale = WorkingScale(encoding.scale);
    for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
      t[ib] = scale * static_cast<float>(2 * encoding.code[ib] + 1) / 4;
      std::fill_n(u + kSubblockHalfGroups * ib, kSubblockHalfGroups, t[ib] / 2);
    }
    FindAllRows(block_, u, tables_, found_);
    for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
      ChooseParity(block_, found_, ib, t[ib], encoding);
    }
    encoding.total = TreeSum<kSubblocks>(encoding.error);
  }

  // 8.8
  [[nodiscard]] std::uint32_t Refit(const Encoding& encoding) const {
    float products[kSubblocks];
    float squares[kSubblocks];
    for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
      const auto multiplier = static_cast<float>(2 * encoding.code[ib] + 1);
      products[ib] = multiplier * encoding.product[ib];
      squares[ib] = multiplier * multiplier * encoding.square[ib];
    }
    const float scale = 4 * (TreeSum<kSubblocks>(products) / TreeSum<kSubblocks>(squares));
    return NearestHalf(static_cast<double>(scale) * PowerOfTwo(block_.exponent));
  }

  // 8.7
  void Follow(std::uint32_t scale) {
    float before = kInfinity;
    for (int round = 0; round <= search_.refits; ++round) {
      Encoding encoding;
      encoding.scale = scale;
      const int j = StepOfScale(scale);
      for (std::size_t ib = 0; ib < kSubblocks; ++ib) encoding.code[ib] = EstimateCode(ib, j).code;
      FillContent(encoding);
      if (encoding.total < best_.total) best_ = encoding;
      if (!(encoding.total < before) || round == search_.refits) return;
      before = encoding.total;
      const std::uint32_t next = Refit(encoding);
      if (next == scale) return;
      scale = next;
    }
  }

  // 8.9: codes below the chosen one first, downwards, where a tie is won by the lower one.
  void Settle() {
    const Encoding centre = best_;
    const auto visit = [&](int distance, bool below) {
      Encoding other;
      other.scale = centre.scale;
      bool any = false;
      bool inside[kSubblocks];
      for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
        const int code = static_cast<int>(centre.code[ib]) + (below ? -distance : distance);
        inside[ib] = code >= 0 && code < 16;
        any = any || inside[ib];
        other.code[ib] = inside[ib] ? static_cast<std::uint32_t>(code) : centre.code[ib];
      }
      if (!any) return;
      FillContent(other);
      for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
        const bool better =
            below ? other.error[ib] <= best_.error[ib] : other.error[ib] < best_.error[ib];
        if (inside[ib] && better) CopySubblock(other, ib);
      }
    };
    for (int distance = 1; distance <= search_.settle; ++distance) visit(distance, true);
    for (int distance = 1; distance <= search_.settle; ++distance) visit(distance, false);
    best_.total = TreeSum<kSubblocks>(best_.error);
  }

  void CopySubblock(const Encoding& from, std::size_t ib) {
    const std::size_t h = kSubblockHalfGroups * ib;
    best_.code[ib] = from.code[ib];
    best_.error[ib] = from.error[ib];
    std::copy_n(from.row + h, kSubblockHalfGroups, best_.row + h);
    std::copy_n(from.flipped + h, kSubblockHalfGroups, best_.flipped + h);
  }

  static constexpr std::size_t kMaxScores = 160;
  static constexpr std::uint32_t kLeastDense = 128;  // scales from here on are closer than steps
  static constexpr std::uint32_t kGreatestHalf = 0x7BFF;

  const WorkingBlock& block_;
  const Iq3Search search_;
  const int last_;  // grid steps from the first probe to the last
  LaneTables tables_;
  RowsFound found_;
  KeptRows kept_;
  Probes probes_;
  Estimates estimates_;
  float scores_[kMaxScores + kEstimatePad];
  int trials_[kIq3MaxTrials];
  Encoding best_;
};

// The sign field of group l of a sub-block: weights are negative as x is, but for a flipped one.
HWY_INLINE std::uint32_t SignField(const WorkingBlock& block, const Encoding& encoding,
                                   std::size_t group) {
  std::uint32_t field = 0;
  for (std::size_t i = 0; i < kGroupWeights; ++i) {
    if (block.x[kGroupWeights * group + i] < 0) field |= 1u << i;
  }
  for (std::size_t h = 2 * group; h < 2 * group + 2; ++h) {
    if (!encoding.flipped[h]) continue;
    const auto& row = kIq3Codebook[encoding.row[h]];
    std::size_t flip = 0;
    for (std::size_t j = 1; j < kRowWeights; ++j) {
      if (block.p[j][h] * row[j] < block.p[flip][h] * row[flip]) flip = j;
    }
    field ^= 1u << (kRowWeights * (h % 2) + flip);
  }
  return field & 0x7Fu;
}

template <class Layout>
void PutFields(std::uint32_t scale, const std::uint8_t* index, const std::uint32_t* words,
               std::uint8_t* bytes) {
  bytes[Layout::kScaleOffset] = static_cast<std::uint8_t>(scale);
  bytes[Layout::kScaleOffset + 1] = static_cast<std::uint8_t>(scale >> 8);
  std::memcpy(bytes + Layout::kIndexOffset, index, kIndices);
  for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
    for (std::size_t i = 0; i < 4; ++i) {
      bytes[Layout::kSignScaleOffset + 4 * ib + i] =
          static_cast<std::uint8_t>(words[ib] >> (8 * i));
    }
  }
}

template <class Layout>
void EncodeBlock(const float* x, const float* importance, std::size_t count,
                 const Iq3EncodeOptions& options, std::uint8_t* bytes) {
  std::uint32_t words[kSubblocks];
  Iq3Fields<std::uint32_t> exact;
  if (count == kBlockWeights && find_exact_iq3(x, Layout::kValueShift, &exact)) {
    std::uint8_t index[kIndices];
    for (std::size_t k = 0; k < kIndices; ++k) index[k] = static_cast<std::uint8_t>(exact.index[k]);
    for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
      words[ib] = exact.scale_code[ib] << 28;
      for (std::size_t l = 0; l < kGroupsPerSubblock; ++l) {
        words[ib] |= exact.sign_field[ib][l] << (7 * l);
      }
    }
    return PutFields<Layout>(exact.scale, index, words, bytes);
  }
  WorkingBlock block;
  if (Prepare(x, importance, count, options.weighting, Layout::kValueShift, block)) {
    BlockSearch search(block, iq3_search(options.effort));
    const Encoding& encoding = search.Run();
    if (encoding.total < TreeSum<kSubblocks>(block.square_sum)) {  // 8.10
      for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
        words[ib] = encoding.code[ib] << 28;
        for (std::size_t l = 0; l < kGroupsPerSubblock; ++l) {
          words[ib] |= SignField(block, encoding, kGroupsPerSubblock * ib + l) << (7 * l);
        }
      }
      return PutFields<Layout>(encoding.scale, encoding.row, words, bytes);
    }
  }
  std::memset(bytes, 0, Layout::kBlockBytes);
}

template <class Layout>
void EncodeRow(const float* x, const float* importance, std::size_t cols, Iq3EncodeOptions options,
               std::uint8_t* bytes) {
  for (std::size_t first = 0; first < cols; first += kBlockWeights) {
    EncodeBlock<Layout>(x + first, importance == nullptr ? nullptr : importance + first,
                        std::min(kBlockWeights, cols - first), options, bytes);
    bytes += Layout::kBlockBytes;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace fast
}  // namespace quantproof
HWY_AFTER_NAMESPACE();

#endif
