// SPDX-License-Identifier: Apache-2.0
//
// What SIMDe's portable C says AVX-512 instructions do: a meaning by other authors.
#ifndef QUANTPROOF_PROOFS_MACHINE_CODE_EVEX_SIMDE_H_
#define QUANTPROOF_PROOFS_MACHINE_CODE_EVEX_SIMDE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace quantproof::proofs::machine_code {

using VectorBytes = std::array<std::uint8_t, 64>;

// Whether this program was built with SIMDe.
bool simde_available();

// The instruction `name` (no leading v) on `bits` wide vectors, without an opmask. Vectors in the
// order of the operands; `scalar` is the immediate or the general register. A comparison gives the
// bits of an opmask. Nothing where SIMDe 0.7.4 has no portable form, or one that needs constants.
std::optional<VectorBytes> simde_result(const std::string& name, std::size_t bits,
                                        const std::vector<VectorBytes>& vectors,
                                        std::uint64_t scalar);

// `value` in the lanes that `mask` selects; elsewhere `old`, or zero.
VectorBytes simde_masked(std::size_t lane_bits, std::uint64_t mask, bool zeroing,
                         const VectorBytes& old, const VectorBytes& value);

}  // namespace quantproof::proofs::machine_code

#endif
