// SPDX-License-Identifier: Apache-2.0
//
// Rows of a KAIJU1 tensor around the kernel of kaiju1-inl.h: where each column comes from
// (kaiju1.md 2.3), and that an invalid row leaves no trace (6.3).
//
// A row is written in segments, and rows share what they need to know of a segment's columns. All
// codes of a row are checked before its first segment is written.

#if defined(QUANTPROOF_FAST_KAIJU1_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef QUANTPROOF_FAST_KAIJU1_ROWS_INL_H_
#undef QUANTPROOF_FAST_KAIJU1_ROWS_INL_H_
#else
#define QUANTPROOF_FAST_KAIJU1_ROWS_INL_H_
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "hwy/base.h"
#include "hwy/cache_control.h"

#include "fast/half.h"
#include "fast/kaiju1-inl.h"
#include "fast/kaiju1_tables.h"
#include "fast/kaiju1_tensor.h"

HWY_BEFORE_NAMESPACE();
namespace quantproof {
namespace fast {
namespace HWY_NAMESPACE {

// An output of this size does not stay in a cache. It is written past the caches where that is
// possible, else its lines are asked for one row ahead.
inline constexpr std::uint64_t kFarOutputBytes = std::uint64_t{4} << 20;

// Widths that divide 24.
struct Kaiju1StreamTags {
  static constexpr std::size_t kLanes = HWY_MIN(8, Kaiju1FloatTags::kLanes);
  using Floats = hwy::HWY_NAMESPACE::CappedTag<float, kLanes>;
  using Ints = hwy::HWY_NAMESPACE::CappedTag<std::int32_t, kLanes>;
  using SmallInts = hwy::HWY_NAMESPACE::Rebind<std::int8_t, Ints>;
};

// Past the caches, in pieces of at most 16 bytes, for which allocators align.
inline constexpr std::size_t kStreamLanes = HWY_MIN(4, Kaiju1StreamTags::kLanes);

template <class D, class V>
HWY_INLINE void StreamVector(D d, V v, float* out) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (Kaiju1StreamTags::kLanes > kStreamLanes) {
    const hwy::HWY_NAMESPACE::Half<D> half;
    hwy::HWY_NAMESPACE::Stream(LowerHalf(half, v), half, out);
    hwy::HWY_NAMESPACE::Stream(UpperHalf(half, v), half, out + kStreamLanes);
    return;
  }
#endif
  hwy::HWY_NAMESPACE::Stream(v, d, out);
}

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE
using EightBytes = portable::Tag<std::uint8_t, 8>;
#else
using EightBytes = hwy::HWY_NAMESPACE::CappedTag<std::uint8_t, 8>;
#endif

// As SetScale, for lanes of different scales.
template <class D>
HWY_INLINE auto LoadScales(D d, const ScaleWithStep<const float*>& factors, std::size_t i) {
  const auto scale = LoadU(d, factors.scale + i);
  return ScaleWithStep<decltype(scale)>{scale};
}

template <class D>
HWY_INLINE auto LoadScales(D d, const ScaleThenStep<const float*>& factors, std::size_t i) {
  const auto scale = LoadU(d, factors.scale + i);
  return ScaleThenStep<decltype(scale)>{scale, Set(d, *factors.step)};
}

// Eight weights of the coordinates `x`, each with its own scale.
template <class Tags, class V, class Factors>
HWY_INLINE void ScaleEight(const V& x, const Factors& factors, float* out) {
  const typename Tags::Floats df;
  if constexpr (Tags::kLanes == 8) {
    const typename Tags::Ints di;
    const typename Tags::SmallInts ds;
    const auto points = ConvertTo(df, PromoteTo(di, BitCast(ds, x)));
    StoreU(Scaled(LoadScales(df, factors, 0), points), df, out);
  } else {
    std::int8_t bytes[8];
    StoreU(x, EightBytes(), reinterpret_cast<std::uint8_t*>(bytes));
    for (std::size_t i = 0; i < 8; i += Tags::kLanes) {
      StoreU(ScaledVector<Tags>(bytes + i, LoadScales(df, factors, i)), df, out + i);
    }
  }
}

class Kaiju1RowDecoder {
 public:
  Kaiju1RowDecoder(const Kaiju1Tensor& tensor, std::uint64_t rows, float* out)
      : tensor_(tensor),
        end_(tensor.bytes + tensor.layout.size),
        cols_(tensor.header.cols),
        exact_step_((std::bit_cast<std::uint32_t>(tensor.step) & 0x7FFFFFu) == 0),
        far_(rows * cols_ >= kFarOutputBytes / sizeof(float)),
        stream_(far_ && tensor.header.hi_count == 0 && IsAligned(out) &&
                cols_ % kStreamLanes == 0) {}

  qp_status Decode(std::uint64_t first_row, std::uint64_t rows, float* out, qp_location* where) {
    end_row_ = first_row + rows;
    const Segment first = SegmentFrom({});
    return first.end_column == cols_ ? DecodeShortRows(first, first_row, out, where)
                                     : DecodeLongRows(first, first_row, out, where);
  }

  [[nodiscard]] bool streams() const { return stream_; }

 private:
  static constexpr std::size_t kMaxBlocks = 1344;
  static constexpr std::size_t kMaxColumns = kKaiju1BlockCols * (kMaxBlocks - 2);
  static constexpr std::size_t kMaxChannels = 4096;
  static constexpr std::size_t kBatch = Kaiju1Tags::kLanes;
  static constexpr std::size_t kTooMuch = 8;
  // Rows whose codes are decoded together, so that fewer batches are not full; their points stay in
  // the first cache.
  static constexpr std::size_t kMaxRowsAtOnce = 32;
  static constexpr std::size_t kMaxBlocksAtOnce = 672;
  // Rows whose side-band is read together: eights of rows and channels change places.
  static constexpr std::size_t kChannelRows = 8;
  // Eights of columns that take their scales from one table, and the blocks that these can touch.
  // So many that the first scales are in the cache when the last ones have been stored: a load
  // across two stores waits for both.
  static constexpr std::size_t kEightsAtOnce = 512;
  static constexpr std::size_t kTouchedBlocks = 8 * kEightsAtOnce / kKaiju1BlockCols + 3;
  static constexpr auto kFirstLanes = [] {  // kBatch lanes of all ones, then as many of zeros
    std::array<std::uint8_t, 2 * kBatch> lanes{};
    for (std::size_t i = 0; i < kBatch; ++i) lanes[i] = 0xFF;
    return lanes;
  }();

  // Columns [first_column, end_column) of a row and the channels of the side-band in it.
  struct Segment {
    std::uint64_t first_column = 0;
    std::uint64_t end_column = 0;
    std::uint64_t first_channel = 0;
    std::uint64_t end_channel = 0;

    [[nodiscard]] std::size_t columns() const {
      return static_cast<std::size_t>(end_column - first_column);
    }
    [[nodiscard]] std::size_t channels() const {
      return static_cast<std::size_t>(end_channel - first_channel);
    }
    [[nodiscard]] bool is_whole_blocks() const {
      return channels() == 0 && first_bulk() % (2 * kKaiju1BlockCols) == 0 &&
             end_bulk() % kKaiju1BlockCols == 0;
    }
    // Numbers within the bulk, and the blocks that they are in.
    [[nodiscard]] std::uint64_t first_bulk() const { return first_column - first_channel; }
    [[nodiscard]] std::uint64_t end_bulk() const { return end_column - end_channel; }
    [[nodiscard]] std::uint64_t first_block() const { return first_bulk() / kKaiju1BlockCols; }
    [[nodiscard]] std::size_t blocks() const {
      if (first_bulk() == end_bulk()) return 0;
      const std::uint64_t end = (end_bulk() + kKaiju1BlockCols - 1) / kKaiju1BlockCols;
      return static_cast<std::size_t>(end - first_block());
    }
  };

  // Eight columns: where the next coordinate of the bulk is in the points of the segment; where
  // their eight scales begin in block_scales_, which has that of each block eight times.
  struct Eight {
    std::uint16_t point;
    std::uint16_t scale;
  };

  static bool IsAligned(const float* out) {
    return reinterpret_cast<std::uintptr_t>(out) % (sizeof(float) * kStreamLanes) == 0;
  }

  // The segment after `s`.
  [[nodiscard]] Segment SegmentFrom(const Segment& s) const {
    Segment next{s.end_column, std::min<std::uint64_t>(cols_, s.end_column + kMaxColumns),
                 s.end_channel, s.end_channel};
    const std::uint64_t hi_count = tensor_.header.hi_count;
    while (next.end_channel < hi_count && tensor_.column_of(next.end_channel) < next.end_column) {
      if (next.channels() == kMaxChannels) {
        next.end_column = tensor_.column_of(next.end_channel);
        break;
      }
      ++next.end_channel;
    }
    return next;
  }

  // What all rows share: scales and columns of the channels, and each eight of columns.
  void Survey(const Segment& s) {
    if (s.is_whole_blocks()) return;
    std::memset(side_band_, 0, (s.columns() + 7) / 8);
    for (std::size_t j = 0; j < s.channels(); ++j) {
      const std::uint32_t half = read_half(tensor_.channel(s.first_channel + j));
      channel_scale_[j] = std::bit_cast<float>(WidenScale(QP_PROFILE_STRICT, half));
      const auto column =
          static_cast<std::uint16_t>(tensor_.column_of(s.first_channel + j) - s.first_column);
      channel_column_[j] = column;
      side_band_[column / 8] = static_cast<std::uint8_t>(side_band_[column / 8] | 1u << column % 8);
    }
    constexpr std::uint64_t kOnes = 0x0101010101010101u;
    auto point = static_cast<std::size_t>(s.first_bulk() - kKaiju1BlockCols * s.first_block());
    std::size_t block = 0;                        // that of the point, in block_scales_
    std::size_t left = kKaiju1BlockCols - point;  // points of this block
    for (std::size_t g = 0; g < (s.columns() + 7) / 8; ++g) {
      if (g % kEightsAtOnce == 0) block = 0;
      const auto& spread = kKaiju1Spread[side_band_[g]];
      // Columns whose coordinate is in the next block: a byte of at least `left`, which is at most
      // 24, gets its highest bit.
      std::uint64_t next;
      std::memcpy(&next, spread.data(), sizeof next);
      next = (next + kOnes * (0x80 - left)) & kOnes << 7;
      eights_[g] = {static_cast<std::uint16_t>(point),
                    static_cast<std::uint16_t>(8 * block + hwy::PopCount(next))};
      const std::size_t count = 8 - static_cast<std::size_t>(hwy::PopCount(side_band_[g]));
      point += count;
      if (count >= left) {
        ++block;
        left += kKaiju1BlockCols;
      }
      left -= count;
    }
  }

  // How many rows of n blocks waste the fewest lanes.
  static std::uint64_t RowsAtOnce(std::size_t n) {
    const auto batches = [n](std::size_t rows) { return (n * rows + kBatch - 1) / kBatch; };
    std::size_t best = 1;
    for (std::size_t rows = 2; rows <= kMaxRowsAtOnce && n * rows <= kMaxBlocksAtOnce; ++rows) {
      if (batches(rows) * best < batches(best) * rows) best = rows;
    }
    return best;
  }

  // Rows that are one segment.
  qp_status DecodeShortRows(const Segment& s, std::uint64_t first_row, float* out,
                            qp_location* where) {
    Survey(s);
    const std::uint64_t most = RowsAtOnce(s.blocks());
    for (std::uint64_t r = first_row; r < end_row_;) {
      std::uint64_t rows = std::min(most, end_row_ - r);
      // If one of several is not valid, those before it come one by one.
      if (rows > 1 && !ReadRows(s, r, rows)) rows = 1;
      if (rows == 1 && !ReadRows(s, r, 1)) return judge_kaiju1_row(tensor_, r, where);
      const std::uint8_t* points = points_;
      for (const std::uint64_t end = r + rows; r < end; ++r, out += cols_) {
        WriteSegment(s, r, points, out);
        points += kKaiju1BlockCols * s.blocks();
      }
    }
    return QP_OK;
  }

  // Rows of several segments. Their codes are decoded twice, as all of a row is checked first.
  qp_status DecodeLongRows(const Segment& first, std::uint64_t first_row, float* out,
                           qp_location* where) {
    for (std::uint64_t r = first_row; r < end_row_;) {
      const std::uint64_t end = std::min(end_row_, r + kChannelRows);
      std::uint64_t valid = r;
      while (valid < end && IsValidHead(valid) && CheckCodes(valid)) ++valid;
      for (Segment s = first; r < valid && s.first_column < cols_; s = SegmentFrom(s)) {
        Survey(s);
        float* row = out;
        for (std::uint64_t i = r; i < valid; ++i, row += cols_) {
          DecodeBlocks(i, 1, s.first_block(), s.blocks());
          WriteSegment(s, i, points_, row);
        }
      }
      if (valid < end) return judge_kaiju1_row(tensor_, valid, where);
      out += cols_ * (end - r);
      r = end;
    }
    return QP_OK;
  }

  // The points of whole rows. Returns whether all of each row is valid.
  bool ReadRows(const Segment& s, std::uint64_t r, std::uint64_t rows) {
    for (std::uint64_t j = 0; j < rows; ++j) {
      if (!IsValidHead(r + j)) return false;
    }
    return DecodeBlocks(r, rows, 0, s.blocks());
  }

  // Whether scale and multipliers of row r are valid.
  [[nodiscard]] bool IsValidHead(std::uint64_t r) const {
    const std::uint8_t* const row = tensor_.row(r);
    return is_finite_half(read_half(row)) &&
           (tensor_.layout.blocks % 2 == 0 ||
            row[tensor_.codes_in_row() - 1] <= kKaiju1MaxMultiplier);
  }

  [[nodiscard]] const std::uint8_t* CodesOf(std::uint64_t r) const {
    return tensor_.row(r) + tensor_.codes_in_row();
  }

  // The points of blocks [first, first + n) of `rows` rows from row r on to points_. Returns
  // whether all are valid.
  HWY_NOINLINE bool DecodeBlocks(std::uint64_t r, std::uint64_t rows, std::uint64_t first,
                                 std::size_t n) {
    constexpr std::size_t kRead = kBatchBytes<Kaiju1Tags> + kBatchPadding;
    const Kaiju1Tags::Bytes d;
    auto invalid = Zero(d);
    const std::uint8_t* codes = CodesOf(r) + kLeechCodeBytes * first;
    std::size_t left = n;  // in row r
    const std::size_t end = n * static_cast<std::size_t>(rows);
    for (std::size_t b = 0; b < end; b += kBatch) {
      const std::size_t rest = std::min(kBatch, end - b);
      const std::uint8_t* from = codes;
      std::uint8_t copy[kRead];
      if (rest > left || static_cast<std::size_t>(end_ - codes) < kRead) {
        for (std::size_t done = 0; done < rest;) {
          if (left == 0) {
            codes = CodesOf(++r) + kLeechCodeBytes * first;
            left = n;
          }
          const std::size_t count = std::min(rest - done, left);
          std::memcpy(copy + kLeechCodeBytes * done, codes, kLeechCodeBytes * count);
          done += count;
          codes += kLeechCodeBytes * count;
          left -= count;
        }
        std::memset(copy + kLeechCodeBytes * rest, 0, kRead - kLeechCodeBytes * rest);
        from = copy;
      } else {
        codes += kLeechCodeBytes * rest;
        left -= rest;
      }
      // What follows the last code is decoded with it, and does not matter.
      const auto counts = LoadU(d, kFirstLanes.data() + kBatch - rest);
      invalid =
          Or(invalid, And(counts, DecodePoints<Kaiju1Tags>(from, points_ + kLeechDimension * b)));
    }
    alignas(64) std::uint8_t lanes[kBatch];
    StoreU(invalid, d, lanes);
    return std::all_of(lanes, lanes + kBatch, [](std::uint8_t lane) { return lane == 0; });
  }

  bool CheckCodes(std::uint64_t r) {
    for (std::uint64_t b = 0; b < tensor_.layout.blocks; b += kMaxBlocks) {
      const std::uint64_t rest = tensor_.layout.blocks - b;
      if (!DecodeBlocks(r, 1, b,
                        static_cast<std::size_t>(std::min<std::uint64_t>(kMaxBlocks, rest)))) {
        return false;
      }
    }
    return true;
  }

  // Row r, of which `points` are the points of the segment's blocks.
  void WriteSegment(const Segment& s, std::uint64_t r, const std::uint8_t* points, float* row) {
    const std::uint8_t* const bytes = tensor_.row(r);
    multipliers_ = bytes + kKaiju1ScaleBytes;
    const float scale = std::bit_cast<float>(WidenScale(QP_PROFILE_STRICT, read_half(bytes)));
    const float step = exact_step_ ? tensor_.step : 1.0F;
    for (std::size_t q = 0; q < 16; ++q) scale_[q] = scale * static_cast<float>(q) * step;
    float* const out = row + s.first_column;
    next_ = r + 1 < end_row_ ? out + cols_ : out;
    if (exact_step_) {
      WriteColumns<true>(s, r, points, out);
    } else {
      WriteColumns<false>(s, r, points, out);
    }
  }

  template <bool kExactStep>
  void WriteColumns(const Segment& s, std::uint64_t r, const std::uint8_t* points, float* out) {
    if (s.is_whole_blocks()) {
      const auto* const x = reinterpret_cast<const std::int8_t*>(points);
      if (stream_) {
        WriteBlocks<kExactStep, Writing::kPastTheCaches>(s, x, out);
      } else if (far_) {
        WriteBlocks<kExactStep, Writing::kAskingAhead>(s, x, out);
      } else {
        WriteBlocks<kExactStep, Writing::kNear>(s, x, out);
      }
    } else {
      WriteEights<kExactStep>(s, points, out);
      WriteChannels(s, r, out);
    }
  }

  enum class Writing : char { kNear, kAskingAhead, kPastTheCaches };

  // The factors of the weights of a block with this multiplier.
  template <bool kExactStep>
  [[nodiscard]] auto Factors(unsigned multiplier) const {
    if constexpr (kExactStep) {
      return ScaleWithStep<float>{scale_[multiplier]};
    } else {
      return ScaleThenStep<float>{scale_[multiplier], tensor_.step};
    }
  }

  // A segment of whole blocks without side-band, the first with an even number.
  template <bool kExactStep, Writing kWriting>
  void WriteBlocks(const Segment& s, const std::int8_t* points, float* out) const {
    const std::uint8_t* multipliers = multipliers_ + s.first_block() / 2;
    const std::size_t end = kKaiju1BlockCols * s.blocks();
    std::size_t at = 0;
    for (; at + 2 * kKaiju1BlockCols <= end; at += 2 * kKaiju1BlockCols, ++multipliers) {
      WriteBlock<kWriting>(points + at, Factors<kExactStep>(*multipliers & 15u), out + at);
      WriteBlock<kWriting>(points + at + kKaiju1BlockCols, Factors<kExactStep>(*multipliers >> 4),
                           out + at + kKaiju1BlockCols);
      if constexpr (kWriting == Writing::kAskingAhead) {
        for (std::size_t i = 0; i < 2 * kKaiju1BlockCols; i += kLineColumns) {
          hwy::Prefetch(next_ + at + i);
        }
      }
    }
    if (at < end) {
      WriteBlock<kWriting>(points + at, Factors<kExactStep>(*multipliers & 15u), out + at);
    }
  }

  template <Writing kWriting, class Factors>
  static HWY_INLINE void WriteBlock(const std::int8_t* points, const Factors& factors, float* out) {
    if constexpr (kWriting != Writing::kPastTheCaches) {
      ScaleRun<Kaiju1FloatTags>(points, kKaiju1BlockCols, factors, out);
    } else {
      const Kaiju1StreamTags::Floats df;
      const auto vectors = SetScale(df, factors);
      for (std::size_t i = 0; i < kKaiju1BlockCols; i += Kaiju1StreamTags::kLanes) {
        StreamVector(df, ScaledVector<Kaiju1StreamTags>(points + i, vectors), out + i);
      }
    }
  }

  // All columns of the segment, by eights; what those of the side-band get does not matter.
  template <bool kExactStep>
  void WriteEights(const Segment& s, const std::uint8_t* points, float* out) {
    const std::size_t whole = s.columns() / 8;
    const bool asks_ahead = far_;
    for (std::size_t g = 0; g < whole; g += kEightsAtOnce) {
      const std::size_t end = std::min(whole, g + kEightsAtOnce);
      SpreadScales(s, g);
      for (std::size_t i = g; i < end; ++i) {
        WriteEight<kExactStep>(i, points, out + 8 * i);
        if (asks_ahead && i % (kLineColumns / 8) == 0) hwy::Prefetch(next_ + 8 * i);
      }
    }
    if (s.columns() % 8 != 0) {
      float last[8];
      SpreadScales(s, whole - whole % kEightsAtOnce);
      WriteEight<kExactStep>(whole, points, last);
      std::copy(last, last + s.columns() % 8, out + 8 * whole);
    }
  }

  // The scales for kEightsAtOnce eights, the first of which is `eight`.
  void SpreadScales(const Segment& s, std::size_t eight) {
    const std::uint64_t first = s.first_block() + eights_[eight].point / kKaiju1BlockCols;
    const std::uint64_t end = std::min(s.first_block() + s.blocks(), first + kTouchedBlocks);
    float* scales = block_scales_;
    for (std::uint64_t b = first; b < end; ++b, scales += 8) {
      SpreadScale(scale_[multipliers_[b / 2] >> 4 * (b % 2) & 15u], scales);
    }
    // No column takes the scale after the last.
    if (end < first + kTouchedBlocks) SpreadScale(0.0F, scales);
  }

  static void SpreadScale(float scale, float* scales) {
    const Kaiju1StreamTags::Floats df;
    const auto vector = Set(df, scale);
    for (std::size_t i = 0; i < 8; i += Kaiju1StreamTags::kLanes) StoreU(vector, df, scales + i);
  }

  template <bool kExactStep>
  HWY_INLINE void WriteEight(std::size_t g, const std::uint8_t* points, float* out) const {
    const EightBytes d;
    const auto from = LoadU(d, kKaiju1Spread[side_band_[g]].data());
    const auto x = TableLookupBytes(LoadU(d, points + eights_[g].point), from);
    const float* const scales = block_scales_ + eights_[g].scale;
    if constexpr (kExactStep) {
      ScaleEight<Kaiju1StreamTags>(x, ScaleWithStep<const float*>{scales}, out);
    } else {
      ScaleEight<Kaiju1StreamTags>(x, ScaleThenStep<const float*>{scales, &tensor_.step}, out);
    }
  }

  // 4.1.
  void WriteChannels(const Segment& s, std::uint64_t r, float* out) {
    const Kaiju1StreamTags::Floats df;
    const std::size_t channels = s.channels();
    if (channels == 0) return;
    if (s.first_channel != read_channel_ || r >= read_row_ + read_rows_) ReadChannels(s, r);
    const auto* const q = reinterpret_cast<const std::int8_t*>(channels_[r - read_row_]);
    for (std::size_t j = 0; j < channels; j += 8) {
      float weights[8];
      for (std::size_t i = 0; i < 8; i += Kaiju1StreamTags::kLanes) {
        const auto scale = LoadU(df, channel_scale_ + j + i);
        const ScaleWithStep<decltype(scale)> factors{scale};
        StoreU(ScaledVector<Kaiju1StreamTags>(q + j + i, factors), df, weights + i);
      }
      const std::size_t count = std::min<std::size_t>(8, channels - j);
      for (std::size_t i = 0; i < count; ++i) out[channel_column_[j + i]] = weights[i];
    }
  }

  // The side-band of the segment in row r and the next rows.
  void ReadChannels(const Segment& s, std::uint64_t r) {
    const std::size_t channels = s.channels();
    read_channel_ = s.first_channel;
    read_row_ = r;
    read_rows_ = std::min<std::uint64_t>(kChannelRows, end_row_ - r);
    const std::uint64_t step = tensor_.layout.channel_bytes;
    const std::uint8_t* q = tensor_.channel(s.first_channel) + kKaiju1ScaleBytes + r;
    std::size_t j = 0;
    if (read_rows_ == kChannelRows) {
      const EightBytes d;
      for (; j + 8 <= channels; j += 8) {
        decltype(LoadU(d, q)) v[8];
        for (std::size_t i = 0; i < 8; ++i, q += step) v[i] = LoadU(d, q);
        // Vector c2 c1 c0, lane r2 r1 r0, for row r of channel c, becomes vector r, lane c.
        InterleaveVectors<2>(d, v);
        InterleaveVectors<1>(d, v);
        InterleaveVectors<0>(d, v);
        for (std::size_t i = 0; i < 8; ++i) StoreU(v[i], d, channels_[i] + j);
      }
    }
    for (; j < channels; ++j, q += step) {
      for (std::size_t i = 0; i < read_rows_; ++i) channels_[i][j] = q[i];
    }
  }

  static constexpr std::size_t kLineColumns = 64 / sizeof(float);

  const Kaiju1Tensor& tensor_;
  const std::uint8_t* const end_;
  const std::uint64_t cols_;
  const bool exact_step_;  // a power of two
  const bool far_;
  const bool stream_;
  std::uint64_t end_row_ = 0;
  // Of the row at hand.
  const std::uint8_t* multipliers_ = nullptr;
  const float* next_ = nullptr;  // the segment in the next row of the output
  float scale_[16];
  float block_scales_[8 * kTouchedBlocks];
  // What channels_ has: the channels from this one on, of so many rows.
  std::uint64_t read_channel_ = 0;
  std::uint64_t read_row_ = 0;
  std::uint64_t read_rows_ = 0;
  // Of the segment at hand; eights of columns may read up to kTooMuch bytes too much.
  alignas(64) std::uint8_t points_[kLeechDimension * kMaxBlocks + kTooMuch];
  std::uint8_t side_band_[kMaxColumns / 8 + 1];  // a bit for each column
  Eight eights_[kMaxColumns / 8 + 1];
  float channel_scale_[kMaxChannels];
  std::uint16_t channel_column_[kMaxChannels];
  std::uint8_t channels_[kChannelRows][kMaxChannels];
};

}  // namespace HWY_NAMESPACE
}  // namespace fast
}  // namespace quantproof
HWY_AFTER_NAMESPACE();

#endif
