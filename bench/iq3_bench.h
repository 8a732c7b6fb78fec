// SPDX-License-Identifier: Apache-2.0
//
// Decoding of IQ3_XXS and E8/IQ3, per level and size, beside ggml and the limits of the memory.
#ifndef QUANTPROOF_BENCH_IQ3_BENCH_H_
#define QUANTPROOF_BENCH_IQ3_BENCH_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/summary.h"
#include "quantproof/status.h"

namespace quantproof::bench {

// void dequantize_row_iq3_xxs(const block_iq3_xxs *x, float *y, int64_t k)
using GgmlDecode = void (*)(const void*, float*, std::int64_t);

// The decoder of the library at `path`; null, with a message on stderr, when it cannot be had.
GgmlDecode load_ggml(const std::string& path);

// The same weights in both formats: random bytes with finite scales that double exactly, so that
// every decoder here must give the very same bits.
struct Iq3Data {
  explicit Iq3Data(std::size_t n_blocks);

  std::vector<std::uint8_t> iq3_xxs;
  std::vector<std::uint8_t> e8_iq3;
  std::vector<float> expected;     // by the reference
  std::vector<float> out;          // what every contestant writes
  std::vector<float> copy_source;  // what the copy limit reads
};

// The numbers of blocks of a row that are measured; each divides the next, and the data are as
// long as the last.
inline constexpr std::size_t kBlockCounts[] = {32, 1024, 65536};

// Decodes the data with every contestant and compares bits. On a difference says on stderr which,
// and returns false: speed is shown only of right code. `ggml` may be null.
bool outputs_equal(Iq3Data& data, GgmlDecode ggml);

// Registers one benchmark per format, supported level and size, and adds its row to `rows`.
void register_iq3(Iq3Data& data, GgmlDecode ggml, std::vector<Row>& rows);

}  // namespace quantproof::bench

#endif
