// SPDX-License-Identifier: Apache-2.0
//
// Included before Highway by every file that compiles kernels, so that all of them compile the
// same levels: each one that the compiler can build, the portable one included.
#ifndef QUANTPROOF_FAST_TARGETS_H_
#define QUANTPROOF_FAST_TARGETS_H_

#define HWY_COMPILE_ALL_ATTAINABLE
#define HWY_WANT_AVX3_DL

#include "hwy/targets.h"

// The entry of `function`'s dispatch table for one target bit. Highway's table is indexed by the
// process-wide chosen target; a ChosenTarget of our own leaves that alone.
#if (HWY_TARGETS & (HWY_TARGETS - 1)) == 0
#define QP_KERNEL_FOR(function, target) ((void)(target), HWY_DISPATCH_TABLE(function)[0])
#else
#define QP_KERNEL_FOR(function, target) \
  HWY_DISPATCH_TABLE(function)[::quantproof::fast::dispatch_index(target)]
#endif

namespace quantproof::fast {

inline std::size_t dispatch_index(std::int64_t target) {
  hwy::ChosenTarget chosen;
  chosen.Update(target);
  return chosen.GetIndex();
}

}  // namespace quantproof::fast

#endif
