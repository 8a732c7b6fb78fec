// SPDX-License-Identifier: Apache-2.0
//
// Every form of the instructions that the executor models: all encodings of opcode, width, opmask,
// memory and broadcast that Zydis knows an instruction for. Nobody writes them down, so none is
// forgotten.
#ifndef QUANTPROOF_PROOFS_MACHINE_CODE_INSTRUCTION_FORMS_H_
#define QUANTPROOF_PROOFS_MACHINE_CODE_INSTRUCTION_FORMS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "proofs/machine_code/x86.h"

namespace quantproof::proofs::machine_code {

struct InstructionForm {
  std::array<std::uint8_t, 16> code{};
  std::size_t length = 0;
  Decoded decoded;
  // The parts of an EVEX encoding that its VEX twin shares.
  unsigned map = 0;
  unsigned prefix = 0;
  unsigned w = 0;
  unsigned opcode = 0;
  // A number; vblendvps and its like have a register in that place.
  [[nodiscard]] bool has_immediate() const {
    return !decoded.operands.empty() &&
           decoded.operands.back().type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
  }
  // Another immediate.
  void set_immediate(std::uint64_t value);
};

// EVEX encodings of these instructions (names without the leading v), and VEX ones that name an
// opmask. Memory operands are at rbx plus a compressed displacement of one, indices in the fourth
// vector, general registers among rcx, rdx and rbp.
std::vector<InstructionForm> evex_forms(const std::vector<std::string>& names);

// The other encodings, without the stack, strings, and rsp or rbx as numbers. Memory
// operands are at rbx plus 32.
std::vector<InstructionForm> older_forms(const std::vector<std::string>& names);

// The same instruction as VEX has it, of registers 1, 3 and 5; `with_memory`: its memory operand as
// it is, else a register in its place. Nothing if VEX does not have it.
struct VexTwin {
  std::array<std::uint8_t, 16> code{};
  std::size_t length = 0;
  Decoded decoded;
};
std::optional<VexTwin> vex_twin(const InstructionForm& form, bool with_memory);

}  // namespace quantproof::proofs::machine_code

#endif
