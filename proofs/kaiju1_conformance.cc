// SPDX-License-Identifier: Apache-2.0
//
// A unit of its own: the kernels of IQ3 and KAIJU1 bring operations of the same names.
#include "fast/targets.h"
#include "proofs/conformance.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "proofs/kaiju1_conformance.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h:
#include "proofs/kaiju1_conformance-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quantproof {
namespace proofs {
namespace HWY_NAMESPACE {

Conformance CheckKaiju1() {
  Conformance report;
  CheckKaiju1Lanes(&report);
  return report;
}

}  // namespace HWY_NAMESPACE
}  // namespace proofs
}  // namespace quantproof
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantproof::proofs {

HWY_EXPORT(CheckKaiju1);

Conformance check_kaiju1_lanes(std::int64_t target) { return QP_KERNEL_FOR(CheckKaiju1, target)(); }

}  // namespace quantproof::proofs
#endif
