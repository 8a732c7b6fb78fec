// SPDX-License-Identifier: Apache-2.0
//
// The CPU as the other side of a comparison: one instruction, run from given registers.
#ifndef QUANTPROOF_PROOFS_MACHINE_CODE_COSIM_H_
#define QUANTPROOF_PROOFS_MACHINE_CODE_COSIM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <string>

namespace quantproof::proofs {
class Obligation;
}

namespace quantproof::proofs::machine_code {

// What an instruction may name here: general registers (not rsp, nor r10 and above), six vectors
// of 256 bits.
struct Registers {
  std::array<std::uint64_t, 16> gpr{};
  std::array<std::array<std::uint64_t, 4>, 16> vector{};
  std::uint64_t flags = 0;
};

// The same with AVX-512: all vectors and opmasks.
struct WideRegisters {
  std::array<std::uint64_t, 16> gpr{};
  std::array<std::array<std::uint64_t, 8>, 32> vector{};
  std::array<std::uint64_t, 8> mask{};
  std::uint64_t flags = 0;
};

inline constexpr std::array<unsigned, 8> kCosimRegisters = {0, 1, 2, 3, 5, 6, 8, 9};
inline constexpr unsigned kCosimVectors = 6;
inline constexpr std::uint64_t kNoFlags = 0x202;
inline constexpr std::array<unsigned, 5> kFlagBits = {0, 2, 6, 7, 11};  // CF PF ZF SF OF

class Cpu {
 public:
  Cpu();
  ~Cpu();
  Cpu(const Cpu&) = delete;
  Cpu& operator=(const Cpu&) = delete;

  // AVX2, BMI, F16C, and memory that can be executed.
  [[nodiscard]] bool usable() const { return page_ != nullptr; }
  [[nodiscard]] static bool has_avx512();
  // One instruction that is no jump and does not touch the stack. False if it faults.
  bool run(const std::uint8_t* code, std::size_t length, Registers& registers);
  bool run(const std::uint8_t* code, std::size_t length, WideRegisters& registers);

 private:
  bool run(const std::uint8_t* code, std::size_t length, void (*enter)(void*, const void*),
           const void* home, void* registers);
  std::uint8_t* page_ = nullptr;
};

// Small functions in the executor and on the CPU, and some that the executor must refuse.
struct FunctionComparison {
  std::size_t functions = 0;
  std::size_t refused = 0;
  std::set<std::string> mnemonics;
};
FunctionComparison compare_functions(Obligation& o);

// Edges of lanes and of floats, else anything.
std::uint64_t interesting(std::mt19937_64& random);

}  // namespace quantproof::proofs::machine_code

#endif
