// SPDX-License-Identifier: Apache-2.0
//
// Rows of a KAIJU1 tensor around the kernel of kaiju1-inl.h: where each column comes from
// (kaiju1.md 2.3), and that an invalid row leaves no trace (6.3).
//
// A row is written in segments. Those of a row that is one segment share what they need to know of
// the columns; of a longer row all codes are checked before the first segment is written.

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
    const Segment first = SegmentFrom({});
    const bool single = first.end_column == cols_;
    if (single) Survey(first);
    for (std::uint64_t r = first_row; r < first_row + rows; ++r, out += cols_) {
      next_row_ = r + 1 < first_row + rows ? out + cols_ : out;
      const bool valid = single ? ReadRow(r) && DecodeCodes(first) : ReadRow(r) && CheckCodes();
      if (!valid) return judge_kaiju1_row(tensor_, r, where);
      if (single) {
        WriteSegment(first, r, out);
        continue;
      }
      for (Segment s = first; s.first_column < cols_; s = SegmentFrom(s)) {
        Survey(s);
        DecodeCodes(s);
        WriteSegment(s, r, out);
      }
    }
    return QP_OK;
  }

  [[nodiscard]] bool streams() const { return stream_; }

 private:
  static constexpr std::size_t kMaxBlocks = 1344;
  static constexpr std::size_t kMaxColumns = kKaiju1BlockCols * (kMaxBlocks - 2);
  static constexpr std::size_t kMaxChannels = 4096;
  static constexpr std::size_t kBatch = Kaiju1Tags::kLanes;
  static constexpr std::size_t kTooMuch = 8;
  static constexpr auto kFirstLanes = [] {  // kBatch lanes of all ones, then as many of zeros
    std::array<std::uint8_t, 2 * kBatch> lanes{};
    for (std::size_t i = 0; i < kBatch; ++i) lanes[i] = 0xFF;
    return lanes;
  }();

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE
  using EightBytes = portable::Tag<std::uint8_t, 8>;
#else
  using EightBytes = hwy::HWY_NAMESPACE::CappedTag<std::uint8_t, 8>;
#endif

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

  // What all rows share: scales and columns of the channels, and where each block begins, in
  // columns of the segment. Columns of the side-band before the first bulk column belong to its
  // block.
  void Survey(const Segment& s) {
    for (std::size_t j = 0; j < s.channels(); ++j) {
      const std::uint32_t half = read_half(tensor_.channel(s.first_channel + j));
      channel_scale_[j] = std::bit_cast<float>(WidenScale(QP_PROFILE_STRICT, half));
      channel_column_[j] =
          static_cast<std::uint32_t>(tensor_.column_of(s.first_channel + j) - s.first_column);
    }
    std::size_t channel = 0;
    for (std::size_t b = 0; b < s.blocks(); ++b) {
      const std::uint64_t number = kKaiju1BlockCols * (s.first_block() + b);  // of a bulk column
      const std::size_t bulk =
          static_cast<std::size_t>(std::max(s.first_bulk(), number) - s.first_bulk());
      while (channel < s.channels() && channel_column_[channel] <= bulk + channel) ++channel;
      block_begin_[b] = static_cast<std::uint32_t>(bulk + channel);
    }
    if (s.blocks() > 0) block_begin_[0] = 0;
    block_begin_[s.blocks()] = static_cast<std::uint32_t>(s.columns());
    std::memset(side_band_, 0, (s.columns() + 7) / 8);
    for (std::size_t j = 0; j < s.channels(); ++j) {
      const std::uint32_t column = channel_column_[j];
      side_band_[column / 8] = static_cast<std::uint8_t>(side_band_[column / 8] | 1u << column % 8);
    }
  }

  // Scale and multipliers of row r. False: not valid.
  bool ReadRow(std::uint64_t r) {
    const std::uint8_t* const row = tensor_.row(r);
    const std::uint32_t half = read_half(row);
    multipliers_ = row + kKaiju1ScaleBytes;
    codes_ = row + tensor_.codes_in_row();
    const float scale = std::bit_cast<float>(WidenScale(QP_PROFILE_STRICT, half));
    const float step = exact_step_ ? tensor_.step : 1.0F;
    for (std::size_t q = 0; q < 16; ++q) scale_[q] = scale * static_cast<float>(q) * step;
    return is_finite_half(half) &&
           (tensor_.layout.blocks % 2 == 0 || codes_[-1] <= kKaiju1MaxMultiplier);
  }

  // The points of `n` blocks from block `first` on to points_. Returns whether all are valid.
  HWY_NOINLINE bool DecodeBlocks(std::uint64_t first, std::size_t n) {
    constexpr std::size_t kRead = kBatchBytes<Kaiju1Tags> + kBatchPadding;
    const Kaiju1Tags::Bytes d;
    const std::uint8_t* codes = codes_ + kLeechCodeBytes * first;
    auto invalid = Zero(d);
    for (std::size_t b = 0; b < n; b += kBatch, codes += kBatchBytes<Kaiju1Tags>) {
      const std::size_t rest = std::min(kBatch, n - b);
      const std::uint8_t* from = codes;
      std::uint8_t copy[kRead];
      if (static_cast<std::size_t>(end_ - codes) < kRead) {
        std::memcpy(copy, codes, kLeechCodeBytes * rest);
        std::memset(copy + kLeechCodeBytes * rest, 0, kRead - kLeechCodeBytes * rest);
        from = copy;
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

  bool DecodeCodes(const Segment& s) { return DecodeBlocks(s.first_block(), s.blocks()); }

  bool CheckCodes() {
    for (std::uint64_t b = 0; b < tensor_.layout.blocks; b += kMaxBlocks) {
      const std::uint64_t rest = tensor_.layout.blocks - b;
      if (!DecodeBlocks(b, static_cast<std::size_t>(std::min<std::uint64_t>(kMaxBlocks, rest)))) {
        return false;
      }
    }
    return true;
  }

  // Asks for the lines of the next row's block: columns [column, column + count).
  void AskAhead(std::uint64_t column, std::size_t count) const {
    hwy::Prefetch(next_row_ + column);
    hwy::Prefetch(next_row_ + column + count - 1);
  }

  void WriteSegment(const Segment& s, std::uint64_t r, float* row) {
    if (exact_step_) {
      WriteColumns<true>(s, r, row + s.first_column);
    } else {
      WriteColumns<false>(s, r, row + s.first_column);
    }
  }

  template <bool kExactStep>
  void WriteColumns(const Segment& s, std::uint64_t r, float* out) {
    const std::uint8_t* const points =
        points_ + (s.first_bulk() - kKaiju1BlockCols * s.first_block());
    if (s.is_whole_blocks()) {
      WriteBlocks<kExactStep>(s, reinterpret_cast<const std::int8_t*>(points), out);
    } else {
      SpreadColumns(s, points);
      WriteSpreadBlocks<kExactStep>(s, reinterpret_cast<const std::int8_t*>(columns_), out);
      WriteChannels(s, r, out);
    }
  }

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
  template <bool kExactStep>
  void WriteBlocks(const Segment& s, const std::int8_t* points, float* out) const {
    const std::uint8_t* multipliers = multipliers_ + s.first_block() / 2;
    const std::size_t end = kKaiju1BlockCols * s.blocks();
    std::size_t at = 0;
    for (; at + 2 * kKaiju1BlockCols <= end; at += 2 * kKaiju1BlockCols, ++multipliers) {
      WriteBlock(points + at, Factors<kExactStep>(*multipliers & 15u), out + at);
      WriteBlock(points + at + kKaiju1BlockCols, Factors<kExactStep>(*multipliers >> 4),
                 out + at + kKaiju1BlockCols);
      if (far_ && !stream_) {
        AskAhead(s.first_column + at, kKaiju1BlockCols);
        AskAhead(s.first_column + at + kKaiju1BlockCols, kKaiju1BlockCols);
      }
    }
    if (at < end) WriteBlock(points + at, Factors<kExactStep>(*multipliers & 15u), out + at);
  }

  template <class Factors>
  HWY_INLINE void WriteBlock(const std::int8_t* points, const Factors& factors, float* out) const {
    if (!stream_) {
      ScaleRun<Kaiju1FloatTags>(points, kKaiju1BlockCols, factors, out);
      return;
    }
    const Kaiju1StreamTags::Floats df;
    const auto vectors = SetScale(df, factors);
    for (std::size_t i = 0; i < kKaiju1BlockCols; i += Kaiju1StreamTags::kLanes) {
      StreamVector(df, ScaledVector<Kaiju1StreamTags>(points + i, vectors), out + i);
    }
  }

  // Coordinates to columns_, one byte for each column of the segment, by eights. What the columns
  // of the side-band get does not matter.
  void SpreadColumns(const Segment& s, const std::uint8_t* points) {
    const EightBytes d;
    const std::size_t eights = (s.columns() + 7) / 8;
    for (std::size_t g = 0; g < eights; ++g) {
      const unsigned mask = side_band_[g];
      const auto from = LoadU(d, kKaiju1Spread[mask].data());
      StoreU(TableLookupBytes(LoadU(d, points), from), d, columns_ + 8 * g);
      points += 8 - static_cast<std::size_t>(hwy::PopCount(mask));
    }
  }

  // Each block from its first column to that of the next, side-band and all.
  template <bool kExactStep>
  void WriteSpreadBlocks(const Segment& s, const std::int8_t* columns, float* out) const {
    constexpr std::size_t kUsual = 32;  // columns that are enough for most blocks
    const std::size_t blocks = s.blocks();
    const std::size_t end = s.columns();
    const std::uint64_t first = s.first_block();
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::size_t at = block_begin_[b];
      const std::size_t count = block_begin_[b + 1] - at;
      const std::uint64_t block = first + b;
      const auto factors = Factors<kExactStep>(multipliers_[block / 2] >> 4 * (block % 2) & 15u);
      if (count <= kUsual && at + kUsual <= end) {
        // What is too much is the next block's, and so written again.
        ScaleRun<Kaiju1FloatTags>(columns + at, kUsual, factors, out + at);
      } else if (count >= Kaiju1FloatTags::kLanes) {
        ScaleRun<Kaiju1FloatTags>(columns + at, count, factors, out + at);
      } else {
        for (std::size_t i = 0; i < count; ++i) {
          out[at + i] = ScalarWeight(factors, static_cast<float>(columns[at + i]));
        }
      }
      if (far_) AskAhead(s.first_column + at, count);
    }
  }

  static float ScalarWeight(const ScaleThenStep<float>& factors, float x) {
    return factors.scale * x * factors.step;
  }
  static float ScalarWeight(const ScaleWithStep<float>& factors, float x) {
    return factors.scale * x;
  }

  // 4.1.
  void WriteChannels(const Segment& s, std::uint64_t r, float* out) const {
    const std::size_t channels = s.channels();
    const std::uint64_t channel_bytes = tensor_.layout.channel_bytes;
    const std::uint8_t* q = tensor_.channel(s.first_channel) + kKaiju1ScaleBytes + r;
    for (std::size_t j = 0; j < channels; ++j, q += channel_bytes) {
      out[channel_column_[j]] =
          channel_scale_[j] * static_cast<float>(static_cast<std::int8_t>(*q));
    }
  }

  const Kaiju1Tensor& tensor_;
  const std::uint8_t* const end_;
  const std::uint64_t cols_;
  const bool exact_step_;  // a power of two
  const bool far_;
  const bool stream_;
  // Of the row at hand.
  const std::uint8_t* multipliers_ = nullptr;
  const std::uint8_t* codes_ = nullptr;
  const float* next_row_ = nullptr;
  float scale_[16];
  // Of the segment at hand; eights of columns may read and write up to kTooMuch bytes too much.
  alignas(64) std::uint8_t points_[kLeechDimension * kMaxBlocks + kTooMuch];
  alignas(64) std::uint8_t columns_[kMaxColumns + kTooMuch];
  std::uint8_t side_band_[kMaxColumns / 8 + 1];  // a bit for each column
  std::uint32_t block_begin_[kMaxBlocks + 1];
  float channel_scale_[kMaxChannels];
  std::uint32_t channel_column_[kMaxChannels];
};

}  // namespace HWY_NAMESPACE
}  // namespace fast
}  // namespace quantproof
HWY_AFTER_NAMESPACE();

#endif
