// SPDX-License-Identifier: Apache-2.0
//
// One decoded instruction and its meaning.
#ifndef QUANTPROOF_PROOFS_MACHINE_CODE_X86_H_
#define QUANTPROOF_PROOFS_MACHINE_CODE_X86_H_

#include <Zydis/Zydis.h>
#include <optional>
#include <string>
#include <vector>

#include "proofs/machine_code/machine.h"

namespace quantproof::proofs::machine_code {

struct Decoded {
  ZydisDecodedInstruction info{};
  std::vector<ZydisDecodedOperand> operands;  // the explicit ones, without opmasks
  std::string mnemonic;
  std::string name;   // the mnemonic, without the v of a VEX or EVEX form
  bool wide = false;  // VEX or EVEX: the rest of the vector register becomes zero
  std::string text;   // for messages
  std::uint64_t next = 0;
};

// The instruction that these bytes start with, as if it stood at `ip`.
std::optional<Decoded> decode_bytes(const std::uint8_t* code, std::size_t length, std::uint64_t ip);

// The meaning of everything but jumps, calls and returns. Throws Refusal for what has none here.
void execute(Executor& executor, State& state, const Decoded& instruction);

// The condition of jcc, setcc and cmovcc by its letters ("nz", "be"). Throws Refusal.
Bit condition(Graph& g, const Flags& flags, const std::string& letters);

// The names that execute() knows.
std::vector<std::string> modelled_instructions();

}  // namespace quantproof::proofs::machine_code

#endif
