// SPDX-License-Identifier: Apache-2.0
//
// The function under proof on the CPU: between guard pages, in a process of its own.
#ifndef QUANTPROOF_PROOFS_MACHINE_CODE_REPLAY_H_
#define QUANTPROOF_PROOFS_MACHINE_CODE_REPLAY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "proofs/machine_code/iq3_code.h"

namespace quantproof::proofs::machine_code {

// Runs the function on one row, qp_decode_at with a place for an error or without. What is wrong
// with its answer by the reference, with the block's bytes; empty if nothing is.
std::string replay(const Code& code, const std::vector<std::uint8_t>& bytes, std::size_t n_values,
                   bool with_place = false);

// Blocks that find common mistakes, and random ones: the first that shows a difference, or empty.
std::string search(const Code& code, std::size_t n_random);

}  // namespace quantproof::proofs::machine_code

#endif
