// SPDX-License-Identifier: Apache-2.0
//
// Batches of points around the kernel of leech-inl.h: rows in, rows out, any count.

#if defined(QUANTPROOF_FAST_LEECH_BATCH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef QUANTPROOF_FAST_LEECH_BATCH_INL_H_
#undef QUANTPROOF_FAST_LEECH_BATCH_INL_H_
#else
#define QUANTPROOF_FAST_LEECH_BATCH_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <cstring>

#include "fast/leech-inl.h"
#include "quantproof/status.h"

HWY_BEFORE_NAMESPACE();
namespace quantproof {
namespace fast {
namespace HWY_NAMESPACE {

// Decodes points in chunks. A word whose bound does not exclude it joins a list of words to
// evaluate; the list has a fixed size and is emptied when full. Whatever the input, a point costs
// at most 256 evaluations beyond its two favourites, and no memory but this object.
template <class Tags>
class LeechBatch {
 public:
  static constexpr std::size_t kLanes = Tags::kLanes;
  static constexpr std::size_t kBlockPoints = kBlockHalves * kLanes;
  static constexpr std::size_t kBlocks = std::max<std::size_t>(1, 256 / kBlockPoints);
  static constexpr std::size_t kChunkPoints = kBlocks * kBlockPoints;

  // `points`, `out`: n rows of 24; n <= kChunkPoints and a multiple of kBlockPoints; every
  // coordinate in range.
  HWY_NOINLINE void DecodeChunk(const std::int32_t* points, std::size_t n, std::int32_t* out) {
    points_ = points;
    for (std::size_t block = 0; block < n / kBlockPoints; ++block) DecodeBlock(block);
    EvaluateList();
    for (std::size_t first = 0; first < n; first += kLanes) {
      const std::int16_t* const planes = PlanesOf(first);
      EmitResiduals<Tags>(planes, kStride, word_ + first, choice_ + first, residuals_);
      StorePoints<Tags>(residuals_, RowsInOrder{points + kLeechDimension * first},
                        out + kLeechDimension * first);
    }
  }

 private:
  using Shorts = typename Tags::Shorts;
  using UShorts = typename Tags::UShorts;
  using Ints = typename Tags::Ints;
  using V16 = typename Tags::template V<Shorts>;
  using VU16 = typename Tags::template V<UShorts>;
  using V32 = typename Tags::template V<Ints>;
  static constexpr std::size_t kStride = LeechPlanes<Tags>::kStride;
  static constexpr std::size_t kListSize = 1024;
  static constexpr std::size_t kWordsAtOnce = 16;

  const std::int16_t* PlanesOf(std::size_t first) const {
    return planes_[first / kBlockPoints].plane(0, first % kBlockPoints / kLanes);
  }

  HWY_INLINE void DecodeBlock(std::size_t block) {
    const std::size_t first = kBlockPoints * block;
    for (std::size_t half = 0; half < kBlockHalves; ++half) {
      const RowsInOrder rows{points_ + kLeechDimension * (first + kLanes * half)};
      LoadPlanes<Tags>(rows, planes_[block].plane(0, half), kStride);
    }
    FilterBlock<Tags>(planes_[block], k_ + first, bounds_[0], best_word_, fitting_word_,
                      fitting_bound_);
    // Here, and not next to the loads of ListWords, which would have to wait for these stores.
    ExcludeFavourites();
    for (std::size_t half = 0; half < kBlockHalves; ++half) {
      EvaluateFavourites(first + kLanes * half, half);
    }
    ListUnsettled(first);
    ListWords(first);
  }

  // The comparable cost of a word, at 2^-14: see FilterBlock.
  HWY_INLINE V32 Comparable(V32 cost, V32 word, V32 k) {
    const Ints di;
    const V32 is_odd = BroadcastSignBit(ShiftLeft<24>(word));
    return Add(Add(cost, cost), Sub(Max(k, Zero(di)), And(is_odd, k)));
  }

  // The two favourites of half `half` of a block, whose points start at `first`: best cost so far,
  // its word and choice, the bound that a word must not exceed.
  HWY_INLINE void EvaluateFavourites(std::size_t first, std::size_t half) {
    const Shorts ds;
    const UShorts du;
    const Ints di;
    const std::int16_t* const planes = PlanesOf(first);
    std::uint16_t* const best_words = best_word_ + kLanes * half;
    std::uint16_t* const fitting_words = fitting_word_ + kLanes * half;
    alignas(64) std::int32_t best_costs[kLanes];
    alignas(64) std::uint16_t best_choices[kLanes];
    alignas(64) std::uint16_t fitting_costs[kLanes];
    alignas(64) std::uint16_t fitting_choices[kLanes];
    alignas(64) std::uint16_t unsure_lanes[kLanes];
    EvaluateWords<Tags>(planes, kStride, best_words, best_costs, best_choices);
    EvaluateFreeWords<Tags>(planes, kStride, fitting_words, fitting_costs, fitting_choices,
                            unsure_lanes);
    const VU16 best_word = Load(du, best_words);
    const VU16 fitting_word = Load(du, fitting_words);
    const VU16 fitting_cost = Load(du, fitting_costs);
    const VU16 zero = Zero(du);
    V32 prefers_fitting[2];
    V32 ties[2];
    V32 limits[2];
    for (std::size_t side = 0; side < 2; ++side) {
      const auto widen = [&](VU16 v) HWY_ATTR {
        return BitCast(di, side == 0 ? InterleaveLower(du, v, zero) : InterleaveUpper(du, v, zero));
      };
      const V32 k = Load(di, k_ + first + kLanes / 2 * side);
      const V32 best = Comparable(Load(di, best_costs + kLanes / 2 * side), widen(best_word), k);
      const V32 free_cost = widen(fitting_cost);
      const V32 fitting =
          Comparable(IfThenElse(Eq(free_cost, Set(di, 65535)), Set(di, 1 << 24), free_cost),
                     widen(fitting_word), k);
      const V32 least = Min(best, fitting);
      ties[side] = VecFromMask(di, Eq(best, fitting));
      // The favourite by bound wins ties: its choice is the tie rule's, the other's may not be.
      prefers_fitting[side] = IfThenZeroElse(Eq(least, best), Set(di, -1));
      limits[side] = Min(ShiftRight<8>(least), Set(di, 255));
      Store(least, di, cost_ + first + kLanes / 2 * side);
    }
    const auto fitting_wins =
        MaskFromVec(BitCast(du, ReorderDemote2To(ds, prefers_fitting[0], prefers_fitting[1])));
    Store(IfThenElse(fitting_wins, fitting_word, best_word), du, word_ + first);
    Store(IfThenElse(fitting_wins, Load(du, fitting_choices), Load(du, best_choices)), du,
          choice_ + first);
    Store(BitCast(du, ReorderDemote2To(ds, limits[0], limits[1])), du, limit_ + kLanes * half);
    const VU16 tie = BitCast(du, ReorderDemote2To(ds, ties[0], ties[1]));
    Store(IfThenZeroElse(Eq(best_word, fitting_word), Or(tie, Load(du, unsure_lanes))), du,
          unsettled_ + kLanes * half);
  }

  HWY_INLINE void ExcludeFavourites() {
    for (std::size_t half = 0; half < kBlockHalves; ++half) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::size_t point = kLanes * half + lane;
        bounds_[best_word_[point]][ByteOfPoint(half, lane)] = 255;
        bounds_[fitting_word_[point]][ByteOfPoint(half, lane)] = 255;
      }
    }
  }

  // The favourites of free choice that EvaluateFreeWords could not settle.
  HWY_INLINE void ListUnsettled(std::size_t first) {
    const typename Tags::Bytes d8;
    const UShorts du;
    using V8 = typename Tags::template V<typename Tags::Bytes>;
    const VU16 low_byte = Set(du, std::uint16_t{0x00FF});
    const V8 unsettled = BitCast(
        d8, Or(And(Load(du, unsettled_), low_byte), ShiftLeft<8>(Load(du, unsettled_ + kLanes))));
    const V8 bound = Load(d8, fitting_bound_);
    const V8 limit = Limits();
    std::uint64_t some = Bits(Eq(And(unsettled, VecFromMask(d8, Eq(Min(bound, limit), bound))),
                                 Set(d8, std::uint8_t{255})));
    if (listed_ > kListSize - kBlockPoints) EvaluateList();
    for (; some != 0; some &= some - 1) {
      const std::size_t point = PointOfByte(static_cast<std::size_t>(std::countr_zero(some)));
      list_[listed_++] = static_cast<std::uint32_t>((first + point) << 8 | fitting_word_[point]);
    }
  }

  HWY_INLINE typename Tags::template V<typename Tags::Bytes> Limits() {
    const UShorts du;
    const typename Tags::Bytes d8;
    return BitCast(d8, Or(Load(du, limit_), ShiftLeft<8>(Load(du, limit_ + kLanes))));
  }

  template <class Mask>
  HWY_INLINE std::uint64_t Bits(Mask mask) {
    const typename Tags::Bytes d8;
    std::uint8_t bytes[kBlockPoints / 8];
    StoreMaskBits(d8, mask, bytes);
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < sizeof(bytes); ++i) bits |= std::uint64_t{bytes[i]} << (8 * i);
    return bits;
  }

  static std::size_t PointOfByte(std::size_t byte) { return byte / 2 + kLanes * (byte % 2); }

  // Lists the words of a block that may still be the answer: bound <= limit. A limit of 255 lets
  // every word in, as a bound of 255 says no more than "at least 255".
  HWY_INLINE void ListWords(std::size_t first) {
    const typename Tags::Bytes d8;
    using V8 = typename Tags::template V<typename Tags::Bytes>;
    const V8 limit = Limits();
    for (std::size_t word = 0; word < kLeechWords; word += kWordsAtOnce) {
      V8 least = Load(d8, bounds_[word]);
      for (std::size_t i = 1; i < kWordsAtOnce; ++i)
        least = Min(least, Load(d8, bounds_[word + i]));
      std::uint64_t some = Bits(Eq(Min(least, limit), least));
      for (; some != 0; some &= some - 1) {
        const auto byte = static_cast<std::size_t>(std::countr_zero(some));
        const std::size_t point = PointOfByte(byte);
        if (listed_ > kListSize - kWordsAtOnce) EvaluateList();
        const auto entry = static_cast<std::uint32_t>((first + point) << 8 | word);
        const unsigned point_limit = limit_[point];
        std::uint32_t* next = list_ + listed_;
        for (std::uint32_t i = 0; i < kWordsAtOnce; ++i) {
          *next = entry + i;
          next += bounds_[word + i][byte] <= point_limit ? 1 : 0;
        }
        listed_ = static_cast<std::size_t>(next - list_);
      }
    }
  }

  HWY_NOINLINE void EvaluateList() {
    for (std::size_t first = 0; first < listed_; first += kLanes) {
      const std::size_t n = std::min(kLanes, listed_ - first);
      alignas(64) std::uint32_t rows[kLanes];
      alignas(64) std::uint16_t words[kLanes];
      alignas(64) std::int32_t costs[kLanes];
      alignas(64) std::uint16_t choices[kLanes];
      for (std::size_t i = 0; i < kLanes; ++i) {
        const std::uint32_t entry = list_[first + std::min(i, n - 1)];
        rows[i] = entry >> 8;
        words[i] = entry & 0xFF;
      }
      LoadPlanes<Tags>(RowsByNumber{points_, rows}, residuals_, kLanes);
      EvaluateWords<Tags>(residuals_, kLanes, words, costs, choices);
      for (std::size_t i = 0; i < n; ++i) {
        Improve(rows[i], words[i], costs[WidePosition<Tags>(i)], choices[i]);
      }
    }
    listed_ = 0;
  }

  void Improve(std::size_t point, std::uint16_t word, std::int32_t cost, std::uint16_t choice) {
    const std::size_t wide = point / kLanes * kLanes + WidePosition<Tags>(point % kLanes);
    const std::int32_t k = k_[wide];
    const std::int32_t comparable = 2 * cost + std::max(word < 128 ? k : -k, 0);
    if (comparable > cost_[wide]) return;
    if (comparable == cost_[wide] &&
        leech_rank(word, choice) >= leech_rank(word_[point], choice_[point])) {
      return;
    }
    cost_[wide] = comparable;
    word_[point] = word;
    choice_[point] = choice;
  }

  // Per chunk. Positions of k_ and cost_ are wide within each half.
  LeechPlanes<Tags> planes_[kBlocks];
  alignas(64) std::int32_t k_[kChunkPoints];
  alignas(64) std::int32_t cost_[kChunkPoints];
  alignas(64) std::uint16_t word_[kChunkPoints];
  alignas(64) std::uint16_t choice_[kChunkPoints];
  // Per block.
  alignas(64) std::uint8_t bounds_[kLeechWords][kBlockPoints];
  alignas(64) std::uint16_t best_word_[kBlockPoints];
  alignas(64) std::uint16_t fitting_word_[kBlockPoints];
  alignas(64) std::uint8_t fitting_bound_[kBlockPoints];
  alignas(64) std::uint16_t unsettled_[kBlockPoints];  // all ones or zero
  alignas(64) std::uint16_t limit_[kBlockPoints];
  // Scratch.
  alignas(64) std::int16_t residuals_[kLeechDimension * kLanes];
  std::uint32_t list_[kListSize];
  std::size_t listed_ = 0;
  const std::int32_t* points_ = nullptr;
};

}  // namespace HWY_NAMESPACE
}  // namespace fast
}  // namespace quantproof
HWY_AFTER_NAMESPACE();

#endif
