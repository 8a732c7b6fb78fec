// SPDX-License-Identifier: Apache-2.0
#include "quantproof/ref/iq3_rotation.h"

#include <cmath>

#include "quantproof/iq3_rotation.h"

namespace quantproof::ref {

namespace {

// 3.2
void change_signs(float* tile, std::size_t b) {
  RotationSigns signs(b);
  std::uint8_t byte = 0;
  for (std::size_t i = 0; i < b; ++i) {
    if (i % 8 == 0) byte = signs.next_byte();
    if ((byte >> (i % 8) & 1) != 0) tile[i] = -tile[i];
  }
}

// 3.3
void transform(float* tile, std::size_t b) {
  for (std::size_t length = 1; length < b; length *= 2) {
    for (std::size_t i = 0; i < b; ++i) {
      if ((i & length) != 0) continue;
      const float u = tile[i];
      const float v = tile[i + length];
      tile[i] = u + v;
      tile[i + length] = u - v;
    }
  }
  const float factor = 1.0f / std::sqrt(static_cast<float>(b));
  for (std::size_t i = 0; i < b; ++i) tile[i] *= factor;
}

}  // namespace

void rotate(float* row, std::size_t n) {
  for (std::size_t done = 0; done < n;) {
    const std::size_t b = rotation_tile(n - done);
    change_signs(row + done, b);
    transform(row + done, b);
    done += b;
  }
}

void unrotate(float* row, std::size_t n) {
  for (std::size_t done = 0; done < n;) {
    const std::size_t b = rotation_tile(n - done);
    transform(row + done, b);
    change_signs(row + done, b);
    done += b;
  }
}

}  // namespace quantproof::ref
