// SPDX-License-Identifier: Apache-2.0
#include "fast/leech.h"

#include "fast/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/leech.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h:
#include "fast/leech_batch-inl.h"
#include "fast/leech_fixed.h"

HWY_BEFORE_NAMESPACE();
namespace quantproof {
namespace fast {
namespace HWY_NAMESPACE {

// A chunk of points as it was given and as fixed point.
inline const std::int32_t* FixedPoint(const std::int32_t* points, std::size_t /*n_coordinates*/,
                                      std::int32_t* /*room*/) {
  return points;
}

inline const std::int32_t* FixedPoint(const float* points, std::size_t n_coordinates,
                                      std::int32_t* room) {
  for (std::size_t i = 0; i < n_coordinates; ++i) room[i] = leech_fixed_point(points[i]);
  return room;
}

inline bool AllInRange(const std::int32_t* coordinates, std::size_t n) {
  std::int32_t least = 0;
  std::int32_t greatest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    least = std::min(least, coordinates[i]);
    greatest = std::max(greatest, coordinates[i]);
  }
  return least >= -kLeechPointLimit && greatest <= kLeechPointLimit;
}

template <class Coordinate>
qp_status Nearest(const Coordinate* points, std::size_t n, std::int32_t* out, qp_location* where) {
  using Batch = LeechBatch<LeechTags>;
  Batch batch;
  alignas(64) std::int32_t room[kLeechDimension * Batch::kChunkPoints];
  for (std::size_t first = 0; first < n; first += Batch::kChunkPoints) {
    std::size_t count = std::min(Batch::kChunkPoints, n - first);
    const Coordinate* const chunk = points + kLeechDimension * first;
    std::int32_t* const chunk_out = out + kLeechDimension * first;
    const std::int32_t* fixed = FixedPoint(chunk, kLeechDimension * count, room);
    qp_status status = QP_OK;
    if (!AllInRange(fixed, kLeechDimension * count)) {
      std::size_t i = 0;
      while ((status = leech_coordinate_status(chunk[i])) == QP_OK) ++i;
      count = i / kLeechDimension;
      if (where != nullptr) {
        *where = {first + count, sizeof(Coordinate) * (kLeechDimension * first + i), "coordinate"};
      }
    }
    const std::size_t whole = count - count % Batch::kBlockPoints;
    batch.DecodeChunk(fixed, whole, chunk_out);
    if (whole < count) {
      // The last block of the call is wider than what is left of it.
      std::int32_t rest[kLeechDimension * Batch::kBlockPoints] = {};
      const std::size_t rest_bytes = sizeof(std::int32_t) * kLeechDimension * (count - whole);
      std::memcpy(rest, fixed + kLeechDimension * whole, rest_bytes);
      std::int32_t rest_out[kLeechDimension * Batch::kBlockPoints];
      batch.DecodeChunk(rest, Batch::kBlockPoints, rest_out);
      std::memcpy(chunk_out + kLeechDimension * whole, rest_out, rest_bytes);
    }
    if (status != QP_OK) return status;
  }
  return QP_OK;
}

qp_status LeechNearest(const std::int32_t* points, std::size_t n, std::int32_t* out,
                       qp_location* where) {
  return Nearest(points, n, out, where);
}

qp_status LeechNearestFloat(const float* points, std::size_t n, std::int32_t* out,
                            qp_location* where) {
  return Nearest(points, n, out, where);
}

}  // namespace HWY_NAMESPACE
}  // namespace fast
}  // namespace quantproof
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantproof::fast {

HWY_EXPORT(LeechNearest);
HWY_EXPORT(LeechNearestFloat);

LeechFunction leech_nearest(std::int64_t target) { return QP_KERNEL_FOR(LeechNearest, target); }

LeechFloatFunction leech_nearest_float(std::int64_t target) {
  return QP_KERNEL_FOR(LeechNearestFloat, target);
}

}  // namespace quantproof::fast
#endif
