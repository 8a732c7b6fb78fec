// SPDX-License-Identifier: Apache-2.0
#include "fuzz/decode_fuzz.h"
#include "quantproof/ref/iq3_xxs.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  quantproof::fuzz::fuzz_decode(QP_IQ3_XXS, quantproof::ref::decode_iq3_xxs, data, size);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  return quantproof::fuzz::mutate_blocks(QP_IQ3_XXS, data, size, max_size, seed);
}
