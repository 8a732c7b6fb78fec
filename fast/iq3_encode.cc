// SPDX-License-Identifier: Apache-2.0
#include "fast/iq3_encode.h"

#include <cmath>

#include "fast/targets.h"
#include "quantproof/e8_iq3.h"
#include "quantproof/iq3_xxs.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/iq3_encode.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h:
#include "fast/iq3_encode-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quantproof {
namespace fast {
namespace HWY_NAMESPACE {

void EncodeIq3XxsRow(const float* x, const float* importance, std::size_t cols,
                     Iq3EncodeOptions options, std::uint8_t* bytes) {
  EncodeRow<Iq3Xxs>(x, importance, cols, options, bytes);
}

void EncodeE8Iq3Row(const float* x, const float* importance, std::size_t cols,
                    Iq3EncodeOptions options, std::uint8_t* bytes) {
  EncodeRow<E8Iq3>(x, importance, cols, options, bytes);
}

}  // namespace HWY_NAMESPACE
}  // namespace fast
}  // namespace quantproof
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantproof::fast {

HWY_EXPORT(EncodeIq3XxsRow);
HWY_EXPORT(EncodeE8Iq3Row);

EncodeIq3RowFunction encode_iq3_xxs_row(std::int64_t target) {
  return QP_KERNEL_FOR(EncodeIq3XxsRow, target);
}

EncodeIq3RowFunction encode_e8_iq3_row(std::int64_t target) {
  return QP_KERNEL_FOR(EncodeE8Iq3Row, target);
}

qp_status check_iq3_input(const float* x, std::size_t rows, std::size_t cols,
                          const float* importance, int value_shift, qp_location* where) {
  const std::size_t row_blocks = cols / kBlockWeights + (cols % kBlockWeights != 0 ? 1 : 0);
  const auto refuse = [where](qp_status status, std::size_t block, std::size_t number,
                              const char* field) {
    if (where != nullptr) *where = {block, sizeof(float) * number, field};
    return status;
  };
  for (std::size_t j = 0; importance != nullptr && rows > 0 && j < cols; ++j) {
    if (importance[j] >= 0 && importance[j] < std::numeric_limits<float>::infinity()) continue;
    return refuse(std::isfinite(importance[j]) ? QP_IMPORTANCE_NEGATIVE : QP_IMPORTANCE_NOT_FINITE,
                  j / kBlockWeights, j, "importance");
  }
  const float limit = iq3_weight_limit(value_shift);
  for (std::size_t row = 0; row < rows; ++row) {
    const float* const at = x + cols * row;
    for (std::size_t j = 0; j < cols; ++j) {
      if (std::fabs(at[j]) <= limit) continue;
      return refuse(std::isfinite(at[j]) ? QP_WEIGHT_OUT_OF_RANGE : QP_WEIGHT_NOT_FINITE,
                    row_blocks * row + j / kBlockWeights, cols * row + j, "x");
    }
  }
  return QP_OK;
}

}  // namespace quantproof::fast
#endif
