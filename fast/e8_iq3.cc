// SPDX-License-Identifier: Apache-2.0
#include "quantproof/e8_iq3.h"

#include "fast/level.h"
#include "fast/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/e8_iq3.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h:
#include "fast/iq3_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quantproof {
namespace fast {
namespace HWY_NAMESPACE {

qp_status DecodeE8Iq3Row(qp_profile profile, const std::uint8_t* bytes, float* out,
                         std::size_t n_values, qp_location* where) {
  return DecodeRow<E8Iq3>(profile, bytes, out, n_values, where);
}

}  // namespace HWY_NAMESPACE
}  // namespace fast
}  // namespace quantproof
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantproof::fast {

HWY_EXPORT(DecodeE8Iq3Row);

DecodeRowFunction e8_iq3_row(std::int64_t target) { return QP_KERNEL_FOR(DecodeE8Iq3Row, target); }

}  // namespace quantproof::fast
#endif
