// SPDX-License-Identifier: Apache-2.0
#include "fast/kaiju1.h"

#include "fast/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/kaiju1.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h:
#include "fast/kaiju1_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quantproof {
namespace fast {
namespace HWY_NAMESPACE {

qp_status Kaiju1Rows(const Kaiju1Tensor& tensor, std::uint64_t first_row, std::uint64_t rows,
                     float* out, qp_location* where) {
  Kaiju1RowDecoder decoder(tensor, rows, out);
  const qp_status status = decoder.Decode(first_row, rows, out, where);
  if (decoder.streams()) hwy::FlushStream();
  return status;
}

}  // namespace HWY_NAMESPACE
}  // namespace fast
}  // namespace quantproof
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantproof::fast {

HWY_EXPORT(Kaiju1Rows);

Kaiju1RowsFunction kaiju1_rows(std::int64_t target) { return QP_KERNEL_FOR(Kaiju1Rows, target); }

}  // namespace quantproof::fast
#endif
