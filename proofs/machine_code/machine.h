// SPDX-License-Identifier: Apache-2.0
//
// The machine that the executor runs on: registers and memory as terms. Memory is a few arrays
// whose addresses are not known, and the process as it is loaded.
#ifndef QUANTPROOF_PROOFS_MACHINE_CODE_MACHINE_H_
#define QUANTPROOF_PROOFS_MACHINE_CODE_MACHINE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "proofs/machine_code/bits.h"
#include "proofs/machine_code/floats.h"

namespace quantproof::proofs::machine_code {

// The code does something that is wrong for every input that takes the path: an access outside
// what it was given, a fault, a broken ABI.
struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// An array that the code was given, or its stack.
struct Region {
  std::string name;
  std::size_t size = 0;
  bool writable = false;
  // What the bytes hold at the start, 8 bits each, the lowest first. A byte of a writable array
  // may be read once it was written.
  Bits initial;
  bool readable_before_written = true;
};

struct Flags {
  Bit carry = kFalse;
  Bit zero = kFalse;
  Bit sign = kFalse;
  Bit overflow = kFalse;
  Bit parity = kFalse;
};

// Indices into State::gpr.
inline constexpr unsigned kRax = 0;
inline constexpr unsigned kRcx = 1;
inline constexpr unsigned kRdx = 2;
inline constexpr unsigned kRbx = 3;
inline constexpr unsigned kRsp = 4;
inline constexpr unsigned kRbp = 5;
inline constexpr unsigned kRsi = 6;
inline constexpr unsigned kRdi = 7;
inline constexpr unsigned kR8 = 8;
inline constexpr unsigned kR9 = 9;
inline constexpr unsigned kR11 = 11;

struct State {
  std::array<Bits, 16> gpr;     // 64 bits
  std::array<Bits, 32> vector;  // 512 bits
  std::array<Bits, 8> mask;     // 64 bits
  Flags flags;
  std::vector<Bits> memory;  // of each region
  std::uint64_t ip = 0;
  int depth = 0;  // calls that have not returned
};

// What of the process the code may look at: read-only data and relocated addresses; and writable
// data only where `words` says what it holds.
class Process {
 public:
  Process();
  [[nodiscard]] bool executable(std::uint64_t address) const;
  // One byte, or a Fault. Bytes of writable data are noted in `writable_reads`.
  std::uint8_t read(std::uint64_t address);
  // Whether the byte is writable data that `overrides` says nothing of.
  [[nodiscard]] bool varies(std::uint64_t address) const;
  // "libm.so+0x1234" for messages.
  [[nodiscard]] std::string name_of(std::uint64_t address) const;

  // memcpy and memmove of the C library: a call of these copies, and leaves what a call may change
  // unknown. Their own code depends on the CPU, and on writable data of that library.
  std::set<std::uint64_t> copies;

  std::map<std::uint64_t, std::uint8_t> overrides;  // read instead of the process's own bytes
  bool allow_writable = false;                      // else reading writable data is a Refusal
  std::set<std::uint64_t> writable_reads;

 private:
  struct Segment {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool writable = false;
    bool executable = false;
  };
  std::vector<Segment> segments_;
  std::size_t last_ = 0;            // the segment of the last read
  std::vector<Segment> relocated_;  // read-only after relocation, and the slots of called functions
  std::map<std::uint64_t, std::string> bases_;
};

// A branch that depends on a scale alone, and whose paths meet again far away, if at all: the proof
// starts again twice, for the scales that take it and for those that do not.
struct Split {
  Bit condition = kFalse;
};

struct Decoded;  // one instruction

class Executor {
 public:
  Executor(Graph& graph, Floats& floats, Process& process);
  ~Executor();

  // Indices into State::memory are those of `regions`. The stack is one of them.
  std::vector<Region> regions;
  std::uint32_t stack = 0;

  // A state with unknown registers and the regions' initial contents, about to run `entry`; the
  // stack pointer stands `stack_offset` bytes into the stack, at the return address.
  State start(std::uint64_t entry, std::int64_t stack_offset);
  // Runs to the return of the function. Throws Split.
  void run(State& state);
  // Exactly one instruction that is no jump, for the comparison with the CPU.
  void step(State& state);
  // After run(): what the ABI says a function leaves as it was. Throws Fault.
  void check_abi(const State& state) const;

  // Names of the instructions that ran, and how many.
  std::set<std::string> mnemonics;
  std::set<std::uint64_t> code_pages;  // of 4,096 bytes, by number
  std::size_t steps = 0;
  std::size_t merges = 0;       // branches on data, joined again
  std::size_t table_loads = 0;  // loads at an address that depends on data
  std::size_t copies = 0;       // calls of memcpy and memmove

  Graph& g;
  Floats& floats;
  Process& process;

  // Used by the instructions (x86.cc).
  const Decoded& decode(std::uint64_t ip);
  Bits load(const State& state, const Bits& address, std::size_t bytes);
  void store(State& state, const Bits& address, const Bits& value);
  void require_aligned(const Bits& address, std::size_t bytes);
  std::optional<bool> decide(Bit condition) {
    const auto known = g.constant(condition);
    return known || !oracle ? known : oracle(condition);
  }

  // Decides conditions that cannot be enumerated, given `path`. None: they stay undecided.
  std::function<std::optional<bool>(Bit)> oracle;
  // The conditions under which the present path is taken.
  std::vector<Bit> path;
  // Writable data of the process holds anything, each time it is read; else reading it is a
  // Refusal.
  bool unknown_data = false;

 private:
  void run_until(State& state, std::uint64_t stop, int stop_depth, int branches);
  void copy(State& state);
  void merge(Bit condition, State& yes, const State& no);
  struct Join {
    std::uint64_t ip = 0;
    std::size_t distance = 0;  // instructions of the shortest path
  };
  Join join_of(std::uint64_t ip);
  std::uint64_t concrete(const Bits& address, const char* what);
  Bits load_table(const Bits& address, std::size_t bytes, bool* varies);
  Bits load_indexed(const State& state, const Graph::Indexed& place, std::size_t bytes);
  Bits load_by_bits(const State& state, const Graph::Indexed& place, std::size_t bytes);
  std::int64_t offset_in(const State& state, const Pointer& pointer, std::size_t bytes,
                         bool write) const;
  std::string place(std::uint64_t ip);

  State entry_;
  std::optional<State> unknown_;  // registers of any value, the same for all executions
  std::uint64_t at_ = 0;          // the instruction at work
  std::unordered_map<std::uint64_t, std::unique_ptr<Decoded>> decoded_;
  std::unordered_map<std::uint64_t, Join> joins_;
  // Loads from tables by address, size and version of care; and whether the address varies.
  std::map<std::tuple<Bits, std::size_t, std::uint64_t>, std::pair<Bits, bool>> loads_;
};

}  // namespace quantproof::proofs::machine_code

#endif
