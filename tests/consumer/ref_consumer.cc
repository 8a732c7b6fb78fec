// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <vector>

#include <quantproof/qp.h>
#include <quantproof/ref/iq3_xxs.h>

int main() {
  std::vector<unsigned char> block(quantproof::Iq3Xxs::kBlockBytes, 0x35);
  std::vector<float> fast(quantproof::kBlockWeights), ref(quantproof::kBlockWeights, 1.0F);
  qp_decode(QP_IQ3_XXS, block.data(), block.size(), fast.data(), fast.size());
  quantproof::ref::decode_iq3_xxs(QP_PROFILE_STRICT, block.data(), block.size(), ref.data(),
                                  ref.size(), nullptr);
  std::cout << "ref " << ref[0] << ", fast " << fast[0] << '\n';
  return ref == fast ? 0 : 1;
}
