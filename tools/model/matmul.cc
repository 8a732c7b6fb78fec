// SPDX-License-Identifier: Apache-2.0
#include "tools/model/matmul.h"

#include <cstring>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tools/model/matmul.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h:
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace quantproof {
namespace model {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Four rows by two vectors of positions: their sums stay in registers.
void Multiply(const float* w, std::size_t rows, std::size_t cols, const float* x,
              std::size_t stride, float* y) {
  const hn::CappedTag<float, kLanes / 2> d;
  const std::size_t n = hn::Lanes(d);
  // The positions of a tile side by side: columns of x are a power of two of bytes apart, and few
  // of them at a time would find room in the cache.
  std::vector<float> tile(cols * 2 * n);
  for (std::size_t t = 0; t < stride; t += 2 * n) {
    for (std::size_t c = 0; c < cols; ++c) {
      std::memcpy(&tile[c * 2 * n], x + c * stride + t, 2 * n * sizeof(float));
    }
    std::size_t r = 0;
    for (; r + 4 <= rows; r += 4) {
      const float* const w0 = w + r * cols;
      const float* const w1 = w0 + cols;
      const float* const w2 = w1 + cols;
      const float* const w3 = w2 + cols;
      auto a0 = hn::Zero(d), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
      for (std::size_t c = 0; c < cols; ++c) {
        const auto a = hn::LoadU(d, &tile[c * 2 * n]);
        const auto b = hn::LoadU(d, &tile[c * 2 * n + n]);
        const auto v0 = hn::Set(d, w0[c]), v1 = hn::Set(d, w1[c]);
        const auto v2 = hn::Set(d, w2[c]), v3 = hn::Set(d, w3[c]);
        a0 = hn::Add(a0, hn::Mul(v0, a));
        b0 = hn::Add(b0, hn::Mul(v0, b));
        a1 = hn::Add(a1, hn::Mul(v1, a));
        b1 = hn::Add(b1, hn::Mul(v1, b));
        a2 = hn::Add(a2, hn::Mul(v2, a));
        b2 = hn::Add(b2, hn::Mul(v2, b));
        a3 = hn::Add(a3, hn::Mul(v3, a));
        b3 = hn::Add(b3, hn::Mul(v3, b));
      }
      float* const out = y + r * stride + t;
      hn::StoreU(a0, d, out);
      hn::StoreU(b0, d, out + n);
      hn::StoreU(a1, d, out + stride);
      hn::StoreU(b1, d, out + stride + n);
      hn::StoreU(a2, d, out + 2 * stride);
      hn::StoreU(b2, d, out + 2 * stride + n);
      hn::StoreU(a3, d, out + 3 * stride);
      hn::StoreU(b3, d, out + 3 * stride + n);
    }
    for (; r < rows; ++r) {
      auto a = hn::Zero(d), b = a;
      for (std::size_t c = 0; c < cols; ++c) {
        const auto v = hn::Set(d, w[r * cols + c]);
        a = hn::Add(a, hn::Mul(v, hn::LoadU(d, &tile[c * 2 * n])));
        b = hn::Add(b, hn::Mul(v, hn::LoadU(d, &tile[c * 2 * n + n])));
      }
      hn::StoreU(a, d, y + r * stride + t);
      hn::StoreU(b, d, y + r * stride + t + n);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace model
}  // namespace quantproof
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace quantproof::model {

HWY_EXPORT(Multiply);

void matmul(const float* w, std::size_t rows, std::size_t cols, const float* x, std::size_t stride,
            float* y) {
  HWY_DYNAMIC_DISPATCH(Multiply)(w, rows, cols, x, stride, y);
}

}  // namespace quantproof::model

#endif
