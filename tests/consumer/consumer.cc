// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <vector>

#include <quantproof/qp.h>

int main() {
  std::vector<unsigned char> block(98);
  block[97] = 0x3C;  // E8/IQ3, d = 1: every weight is 4 / 8
  std::vector<float> weights(256);
  const qp_status status =
      qp_decode(QP_E8_IQ3, block.data(), block.size(), weights.data(), weights.size());
  std::cout << "C++ " << qp_version() << ": " << qp_status_name(status) << ", " << weights[255]
            << '\n';
  return status == QP_OK && weights == std::vector<float>(256, 0.5F) ? 0 : 1;
}
