// SPDX-License-Identifier: Apache-2.0
//
// Layout of a KAIJU1 tensor and of its LeechCode, spec/formats/kaiju1.md clauses 2, 3 and 5.
// Offsets are in bytes; multi-byte fields are little-endian and have no alignment.
#ifndef QUANTPROOF_KAIJU1_H_
#define QUANTPROOF_KAIJU1_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "quantproof/leech.h"
#include "quantproof/status.h"

namespace quantproof {

// ---- The tensor (2) ---------------------------------------------------------------------------

inline constexpr std::size_t kKaiju1HeaderBytes = 28;
inline constexpr std::uint32_t kKaiju1Magic = 0x31554A4B;  // the bytes "KJU1"
inline constexpr std::size_t kKaiju1RowsOffset = 4;
inline constexpr std::size_t kKaiju1ColsOffset = 8;
inline constexpr std::size_t kKaiju1HiCountOffset = 12;
inline constexpr std::size_t kKaiju1BulkColsOffset = 16;
inline constexpr std::size_t kKaiju1StepNumOffset = 20;
inline constexpr std::size_t kKaiju1StepDenOffset = 24;

inline constexpr std::size_t kKaiju1IndexBytes = 4;               // one column number of HiIndex
inline constexpr std::size_t kKaiju1ScaleBytes = 2;               // binary16
inline constexpr std::size_t kKaiju1BlockCols = kLeechDimension;  // 24 columns of a row, one code
inline constexpr std::uint32_t kKaiju1MaxMultiplier = 15;         // q: 4 bits

// 2.2, without the magic. Any values.
struct Kaiju1Header {
  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
  std::uint32_t hi_count = 0;
  std::uint32_t bulk_cols = 0;
  std::uint32_t step_num = 0;
  std::uint32_t step_den = 0;

  bool operator==(const Kaiju1Header&) const = default;
};

// 2.1: where the parts of a tensor lie. Offsets count from the start of the tensor.
struct Kaiju1Layout {
  std::uint64_t blocks = 0;            // in a row
  std::uint64_t multiplier_bytes = 0;  // of a row, two multipliers in a byte
  std::uint64_t row_bytes = 0;         // of BulkRows: scale, multipliers, codes
  std::uint64_t channel_bytes = 0;     // of HiBand: scale, one byte for each row
  std::uint64_t hi_index_offset = 0;
  std::uint64_t hi_band_offset = 0;
  std::uint64_t bulk_rows_offset = 0;
  std::uint64_t size = 0;  // of the tensor

  bool operator==(const Kaiju1Layout&) const = default;
};

constexpr std::uint32_t read_kaiju1_u32(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} | std::uint32_t{bytes[1]} << 8 | std::uint32_t{bytes[2]} << 16 |
         std::uint32_t{bytes[3]} << 24;
}

// `bytes`: kKaiju1HeaderBytes of them. The magic is not looked at.
constexpr Kaiju1Header read_kaiju1_header(const std::uint8_t* bytes) {
  return {
      read_kaiju1_u32(bytes + kKaiju1RowsOffset),    read_kaiju1_u32(bytes + kKaiju1ColsOffset),
      read_kaiju1_u32(bytes + kKaiju1HiCountOffset), read_kaiju1_u32(bytes + kKaiju1BulkColsOffset),
      read_kaiju1_u32(bytes + kKaiju1StepNumOffset), read_kaiju1_u32(bytes + kKaiju1StepDenOffset)};
}

// ---- The LeechCode (3) ------------------------------------------------------------------------

inline constexpr std::size_t kLeechCodeBytes = 7;
inline constexpr std::size_t kTritGroups = 5;  // coordinates 5 g to 5 g + 4; the last has four
inline constexpr std::size_t kTritGroupTrits = 5;
inline constexpr std::uint32_t kTritGroupLimit = 242;     // groups 0 to 3: 3^5 - 1
inline constexpr std::uint32_t kLastTritGroupLimit = 80;  // group 4: 3^4 - 1
inline constexpr std::uint32_t kNoFix = 31;               // no coordinate is outward
inline constexpr std::array<std::uint32_t, kTritGroupTrits> kPowersOfThree = {1, 3, 9, 27, 81};

// The origin: every trit 0, Golay index 0, no fix.
inline constexpr std::array<std::uint8_t, kLeechCodeBytes> kLeechCodeOrigin = {
    0x79, 0x79, 0x79, 0x79, 0x00, 0x80, 0xFA};

// 3.1: the bit fields of a code. `Int` is uint32_t in programs and a symbolic integer in proofs.
template <class Int>
struct LeechCode {
  std::array<Int, kTritGroups> trit_group{};  // 8 bits each, the last 7
  Int golay_index{};                          // 12 bits
  Int fix{};                                  // 5 bits

  bool operator==(const LeechCode&) const = default;
};

// 3.1: the fields of any seven bytes, whether they are a valid code or not.
template <class Int, class Byte>
constexpr LeechCode<Int> unpack_leech_code(const Byte* bytes) {
  LeechCode<Int> code;
  for (std::size_t g = 0; g + 1 < kTritGroups; ++g) code.trit_group[g] = Int(bytes[g]);
  const Int word = Int(bytes[4]) | (Int(bytes[5]) << 8) | (Int(bytes[6]) << 16);
  code.golay_index = word & Int(0xFFFu);
  code.trit_group[kTritGroups - 1] = (word >> 12) & Int(0x7Fu);
  code.fix = word >> 19;
  return code;
}

// 3.1: the seven bytes. Each field must be within its bits.
template <class Int, class Byte>
constexpr void pack_leech_code(const LeechCode<Int>& code, Byte* bytes) {
  for (std::size_t g = 0; g + 1 < kTritGroups; ++g) {
    bytes[g] = static_cast<Byte>(code.trit_group[g] & Int(0xFFu));
  }
  const Int word = code.golay_index | (code.trit_group[kTritGroups - 1] << 12) | (code.fix << 19);
  bytes[4] = static_cast<Byte>(word & Int(0xFFu));
  bytes[5] = static_cast<Byte>((word >> 8) & Int(0xFFu));
  bytes[6] = static_cast<Byte>((word >> 16) & Int(0xFFu));
}

// 3.2: the group and the place in it of the trit of coordinate i.
constexpr std::size_t trit_group_of(std::size_t i) { return i / kTritGroupTrits; }
constexpr std::size_t trit_place_of(std::size_t i) { return i % kTritGroupTrits; }

// 3.2: trit `place` of a group: -1, 0 or 1.
constexpr int trit_of(std::uint32_t group, std::size_t place) {
  return static_cast<int>(group / kPowersOfThree[place] % 3) - 1;
}

// 3.5: an outward coordinate has z = +-2, so that a coordinate of a representable point is at most
// 10 in magnitude.
inline constexpr int kKaiju1CoordinateLimit = 10;

// ---- Sizes (2.1, 5) ---------------------------------------------------------------------------

// The parts of a tensor with this header. Nothing iff the size is 2^64 or more. The header need
// not be valid: hi_count and bulk_cols are taken as they are, `blocks` is bulk_cols / 24 rounded
// down. Every term fits 64 bits; only the last two sums may not. KAIJU1-LAYOUT-1.
constexpr std::optional<Kaiju1Layout> kaiju1_layout(const Kaiju1Header& header) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  Kaiju1Layout layout;
  layout.blocks = header.bulk_cols / kKaiju1BlockCols;
  layout.multiplier_bytes = (layout.blocks + 1) / 2;
  layout.row_bytes = kKaiju1ScaleBytes + layout.multiplier_bytes + kLeechCodeBytes * layout.blocks;
  layout.channel_bytes = kKaiju1ScaleBytes + std::uint64_t{header.rows};
  layout.hi_index_offset = kKaiju1HeaderBytes;
  layout.hi_band_offset =
      layout.hi_index_offset + kKaiju1IndexBytes * std::uint64_t{header.hi_count};
  const std::uint64_t hi_band = header.hi_count * layout.channel_bytes;  // <= 2^64 - 1
  if (hi_band > kMost - layout.hi_band_offset) return std::nullopt;
  layout.bulk_rows_offset = layout.hi_band_offset + hi_band;
  const std::uint64_t bulk_rows = header.rows * layout.row_bytes;  // < 2^63
  if (bulk_rows > kMost - layout.bulk_rows_offset) return std::nullopt;
  layout.size = layout.bulk_rows_offset + bulk_rows;
  return layout;
}

// 5.3: hi_frac in millionths, from 0 to 1,000,000; the default is 0.10.
inline constexpr std::uint32_t kKaiju1HiFracUnit = 1'000'000;
inline constexpr std::uint32_t kKaiju1DefaultHiFrac = 100'000;

// 5.3: the columns of the bulk: as many whole blocks as leave at least hi_frac of the columns.
constexpr std::uint32_t kaiju1_bulk_cols(std::uint32_t cols, std::uint32_t hi_frac) {
  const std::uint64_t least_hi =
      (std::uint64_t{cols} * hi_frac + (kKaiju1HiFracUnit - 1)) / kKaiju1HiFracUnit;
  const std::uint64_t most_bulk = cols - least_hi;
  return static_cast<std::uint32_t>(most_bulk - most_bulk % kKaiju1BlockCols);
}

// 5.4: bytes of a tensor of this shape. Nothing iff they are 2^64 or more.
constexpr std::optional<std::uint64_t> kaiju1_size(std::uint32_t rows, std::uint32_t cols,
                                                   std::uint32_t hi_frac) {
  const std::uint32_t bulk_cols = kaiju1_bulk_cols(cols, hi_frac);
  const auto layout = kaiju1_layout({rows, cols, cols - bulk_cols, bulk_cols, 1, 1});
  return layout ? std::optional(layout->size) : std::nullopt;
}

}  // namespace quantproof

#endif
