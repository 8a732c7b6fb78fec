// SPDX-License-Identifier: Apache-2.0
#include "fuzz/decode_fuzz.h"
#include "quantproof/ref/e8_iq3.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  quantproof::fuzz::fuzz_decode(QP_E8_IQ3, quantproof::ref::decode_e8_iq3, data, size);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  return quantproof::fuzz::mutate_blocks(QP_E8_IQ3, data, size, max_size, seed);
}
