// SPDX-License-Identifier: Apache-2.0
//
// Blocks to try a decoder on: seeded, the same on every machine, extremes first.
#ifndef QUANTPROOF_FUZZ_BLOCKS_H_
#define QUANTPROOF_FUZZ_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "quantproof/iq3_block.h"
#include "quantproof/status.h"

namespace quantproof::fuzz {

// Only the raw output of the engine is used: the standard fixes it, unlike its distributions.
using Random = std::mt19937_64;

std::size_t block_bytes(qp_format format);

// `fields` in the byte order of `format`; 98 bytes.
std::vector<std::uint8_t> pack(qp_format format, const Iq3Fields<std::uint32_t>& fields);

// Fields with every bit random, but for a scale that is finite and not zero.
Iq3Fields<std::uint32_t> random_fields(Random& random);

// `n_blocks` blocks. About half are plain random bytes; the others have scales of one class
// (zero, subnormal, huge, infinite, NaN), equal or extreme indices, equal sign fields, or
// extreme scale codes, so that the rare paths of a decoder are not rare here.
std::vector<std::uint8_t> structured_blocks(qp_format format, std::size_t n_blocks, Random& random);

// Row `number` of the sequence `seed`, 1 to 64 blocks; each can be made without those before.
// Fields at their ends, blocks that are almost an earlier one (of the row, or of one of the 16 rows
// before), few fields set, scales of every class, what encoders write and what they never do.
std::vector<std::uint8_t> adversarial_row(qp_format format, std::uint64_t seed,
                                          std::uint64_t number);

// Changes a block in a way that means something to a decoder: one field to an extreme, a near or a
// random value, two fields exchanged, or one bit.
void mutate_block(qp_format format, std::span<std::uint8_t> block, Random& random);

}  // namespace quantproof::fuzz

#endif
