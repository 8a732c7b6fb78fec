// SPDX-License-Identifier: Apache-2.0
//
// Every AVX-512 instruction there is: all encodings of opcode, width, opmask, memory and broadcast,
// as far as Zydis knows an instruction for them. The assembler is not asked, so none is forgotten.
#ifndef QUANTPROOF_PROOFS_MACHINE_CODE_EVEX_FORMS_H_
#define QUANTPROOF_PROOFS_MACHINE_CODE_EVEX_FORMS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "proofs/machine_code/x86.h"

namespace quantproof::proofs::machine_code {

struct EvexForm {
  std::array<std::uint8_t, 16> code{};
  std::size_t length = 0;
  Decoded decoded;
  // The parts of the encoding that a VEX twin shares.
  unsigned map = 0;
  unsigned prefix = 0;
  unsigned w = 0;
  unsigned opcode = 0;
  [[nodiscard]] bool has_immediate() const { return decoded.info.raw.imm[0].size != 0; }
};

// Memory operands are at rbx plus a compressed displacement of one, indices in the fourth vector,
// general registers among rcx, rdx, rbx and rbp.
// EVEX encodings of these instructions (names without the leading v), and VEX ones that name an
// opmask.
std::vector<EvexForm> evex_forms(const std::vector<std::string>& names);

// The same instruction as VEX has it, of registers 1, 3 and 5; `with_memory`: its memory operand as
// it is, else a register in its place. Nothing if VEX does not have it.
struct VexTwin {
  std::array<std::uint8_t, 16> code{};
  std::size_t length = 0;
  Decoded decoded;
};
std::optional<VexTwin> vex_twin(const EvexForm& form, bool with_memory);

}  // namespace quantproof::proofs::machine_code

#endif
