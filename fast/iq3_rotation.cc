// SPDX-License-Identifier: Apache-2.0
#include "fast/iq3_rotation.h"

#include <bit>
#include <cmath>

#include "fast/targets.h"
#include "quantproof/iq3_rotation.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/iq3_rotation.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h:
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace quantproof {
namespace fast {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// rotation.md 3.2. A byte of signs goes with eight numbers; only the only byte of a tile that is
// smaller has bits to spare.
inline void ChangeSigns(float* tile, std::size_t b) {
  RotationSigns signs(b);
  for (std::size_t i = 0; i < b; i += 8) {
    const std::uint32_t byte = signs.next_byte();
    for (std::size_t j = 0; j < HWY_MIN(8, b); ++j) {
      const std::uint32_t flip = (byte >> j & 1u) << 31;
      tile[i + j] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(tile[i + j]) ^ flip);
    }
  }
}

// One level of the transform on pairs `length` apart. The pairs of a level are independent, so
// that vectors of them give the text's bits.
inline void Butterflies(float* tile, std::size_t b, std::size_t length) {
  const hn::ScalableTag<float> d;
  for (std::size_t first = 0; first < b; first += 2 * length) {
    float* const low = tile + first;
    float* const high = low + length;
    std::size_t i = 0;
    for (; i + hn::Lanes(d) <= length; i += hn::Lanes(d)) {
      const auto u = hn::LoadU(d, low + i);
      const auto v = hn::LoadU(d, high + i);
      hn::StoreU(hn::Add(u, v), d, low + i);
      hn::StoreU(hn::Sub(u, v), d, high + i);
    }
    for (; i < length; ++i) {
      const float u = low[i];
      const float v = high[i];
      low[i] = u + v;
      high[i] = u - v;
    }
  }
}

// Levels that reach at most this far are done piece by piece, while a piece is in the first cache.
inline constexpr std::size_t kPiece = 2048;

// rotation.md 3.3
inline void Transform(float* tile, std::size_t b) {
  const std::size_t piece = HWY_MIN(b, kPiece);
  for (std::size_t first = 0; first < b; first += piece) {
    for (std::size_t length = 1; length < piece; length *= 2) {
      Butterflies(tile + first, piece, length);
    }
  }
  for (std::size_t length = piece; length < b; length *= 2) Butterflies(tile, b, length);
  const float factor = 1.0f / std::sqrt(static_cast<float>(b));
  for (std::size_t i = 0; i < b; ++i) tile[i] *= factor;
}

void RotateIq3Row(float* row, std::size_t n) {
  for (std::size_t done = 0; done < n;) {
    const std::size_t b = rotation_tile(n - done);
    ChangeSigns(row + done, b);
    Transform(row + done, b);
    done += b;
  }
}

void UnrotateIq3Row(float* row, std::size_t n) {
  for (std::size_t done = 0; done < n;) {
    const std::size_t b = rotation_tile(n - done);
    Transform(row + done, b);
    ChangeSigns(row + done, b);
    done += b;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace fast
}  // namespace quantproof
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantproof::fast {

HWY_EXPORT(RotateIq3Row);
HWY_EXPORT(UnrotateIq3Row);

RotateRowFunction rotate_iq3_row(std::int64_t target) {
  return QP_KERNEL_FOR(RotateIq3Row, target);
}

RotateRowFunction unrotate_iq3_row(std::int64_t target) {
  return QP_KERNEL_FOR(UnrotateIq3Row, target);
}

}  // namespace quantproof::fast
#endif
