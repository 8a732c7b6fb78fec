// SPDX-License-Identifier: Apache-2.0
//
// The terms of the machine-code executor: single bits over the bits of the input, shared and
// simplified as they are built. A bit that depends on few input bits can be enumerated, and that is
// how conditions, addresses and float operations are decided.
#ifndef QUANTPROOF_PROOFS_MACHINE_CODE_BITS_H_
#define QUANTPROOF_PROOFS_MACHINE_CODE_BITS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace quantproof::proofs::machine_code {

// The executor met something that it has no exact meaning for. Never guessed: the proof ends.
struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Bit = std::uint32_t;  // a node and, in bit 0, whether it is inverted
using Bits = std::vector<Bit>;
using Truth = std::vector<std::uint64_t>;  // one bit per assignment; padded to a whole word
using Variables = std::vector<std::uint32_t>;

inline constexpr Bit kFalse = 0;
inline constexpr Bit kTrue = 1;
// Enumerations stop here: 2^16 assignments, the patterns of a scale.
inline constexpr std::size_t kMaxVariables = 16;
// Variables from here on are values that nothing is known of.
inline constexpr std::uint32_t kFirstUnknown = 1u << 24;

// An address: `offset` bytes into an array whose place is not known, except for the low six bits of
// its address.
struct Pointer {
  std::uint32_t region = 0;
  std::int64_t offset = 0;
  bool operator==(const Pointer&) const = default;
};

struct MagnitudeRange;

class Graph {
 public:
  // Hears what enumerations found for all possible inputs, so that somebody else can be asked.
  class Listener {
   public:
    // Operand k of a function has the value at[k].
    struct Point {
      std::array<std::uint64_t, 2> at{};
      std::uint64_t result = 0;
    };
    virtual ~Listener() = default;
    virtual void constant(Bit bit, bool value) = 0;
    virtual void function(const std::vector<Bits>& operands, std::vector<Point> points,
                          const Bits& result) = 0;
    virtual void range(const Bits& magnitude, const MagnitudeRange& range) = 0;
  };
  Listener* listener = nullptr;

  enum class Kind : std::uint8_t {
    kConstant,
    kVariable,
    kAnd,
    kXor,
    kTable,
    kProduct,
    kPointer,
    kIndexed,
    kSelected
  };
  struct Node {
    Kind kind = Kind::kConstant;
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::uint32_t support = 0;
  };

  Graph();
  [[nodiscard]] const Node& node(Bit bit) const { return nodes_[bit >> 1]; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

  Bit variable(std::uint32_t id);
  Bit unknown();  // a value that nothing is known of; equal to nothing else
  Bit opaque();   // the same, and never enumerated
  Bit land(Bit a, Bit b);
  Bit lor(Bit a, Bit b) { return land(a ^ 1, b ^ 1) ^ 1; }
  Bit lxor(Bit a, Bit b);
  Bit mux(Bit condition, Bit yes, Bit no);
  // The bit whose value for assignment i of `variables` is bit i of `truth`.
  Bit table(const Variables& variables, const Truth& truth);
  Bit product_bit(std::uint32_t product, unsigned i);
  Bit selected_bit(std::uint32_t selection, unsigned i);

  Bits pointer(const Pointer& pointer);
  // The address that 64 bits spell. Low bits that were masked off count as known.
  std::optional<Pointer> as_pointer(const Bits& bits);
  // An address inside an array that depends on data: `offset` bytes, 64 bits wide, past a pointer.
  struct Indexed {
    Pointer base;
    Bits offset;
  };
  Bits indexed(const Pointer& base, const Bits& offset);
  [[nodiscard]] std::optional<Indexed> as_indexed(const Bits& bits) const;
  // The low six bits of the address of each region, and whether anything looked at them.
  std::vector<unsigned> residues;
  std::vector<bool> residue_used;
  // Six bits of a region's residue that are not known; empty, or missing, where `residues` has it.
  std::vector<Bits> free_residues;

  // The input bits that these bits depend on; nothing if they are too many or not enumerable.
  [[nodiscard]] std::optional<Variables> support(const Bit* bits, std::size_t n);
  [[nodiscard]] std::optional<Variables> support(const Bits& bits) {
    return support(bits.data(), bits.size());
  }
  // The value of each bit for all assignments of `variables`.
  std::vector<Truth> tabulate(const Bit* bits, std::size_t n, const Variables& variables);
  // leaves[a] for assignment a of `variables`: words of one width.
  Bits chosen_by(const Variables& variables, const std::vector<Bits>& leaves);
  // The value of a bit that has the same value for all possible inputs.
  std::optional<bool> constant(Bit bit);
  std::optional<std::uint64_t> constant(const Bits& bits);

  // Which assignments of 16 variables can occur: the scales of the class under proof, and of the
  // path. Every enumeration ignores the others.
  struct Care {
    Variables variables;
    Truth possible;
    std::uint64_t version = 0;  // equal versions, equal sets
  };
  struct Cares {
    std::vector<Care> sets;
    std::uint64_t version = 0;  // of all sets together
    Bits path;                  // what was assumed to get there
  };
  Cares care;
  // The version of those sets that these bits depend on.
  std::uint64_t care_version(const std::vector<Bits>& words);
  std::uint64_t care_version_over(const Variables& variables);
  // Assignments of `variables` that can occur.
  const Truth& possible(const Variables& variables);
  void set_care(std::vector<Care> sets);
  // Narrows `care` to where `condition` holds, if it depends on nothing else; else does nothing.
  // Whether it did.
  bool assume(Bit condition);

  [[nodiscard]] bool is_of_address(Bit bit) const {
    return node(bit).kind == Kind::kPointer || node(bit).kind == Kind::kIndexed;
  }
  // The same bit, of no more variables than matter; itself, if it cannot be enumerated.
  Bit simplified(Bit bit);
  [[nodiscard]] const Variables& table_variables(std::uint32_t t) const { return tables_[t].first; }
  [[nodiscard]] const Truth& table_truth(std::uint32_t t) const { return tables_[t].second; }
  [[nodiscard]] const Pointer& pointer_of(std::uint32_t p) const { return pointers_[p]; }

 private:
  static constexpr std::uint32_t kOpaque = 1;  // as a support: not enumerable
  Bit make(Kind kind, std::uint32_t a, std::uint32_t b, std::uint32_t support);
  std::uint32_t intern_support(const Variables& variables);
  std::uint32_t join_supports(std::uint32_t a, std::uint32_t b);
  void number_care();
  std::uint64_t version_for(std::uint32_t support);
  Bit known_low_bit(Bit bit);
  [[nodiscard]] bool has_free_residue(std::uint32_t region) const;

  std::vector<Node> nodes_;
  // Two numbers in one: their plain hash puts many into the same place.
  struct PairHash {
    std::size_t operator()(std::uint64_t key) const {
      key ^= key >> 32;
      key *= 0x9E3779B97F4A7C15u;
      return static_cast<std::size_t>(key ^ (key >> 29));
    }
  };
  std::unordered_map<std::uint64_t, std::uint32_t, PairHash> index_[10];
  std::vector<Variables> supports_;
  std::map<Variables, std::uint32_t> support_index_;
  std::unordered_map<std::uint64_t, std::uint32_t, PairHash> support_joins_;
  std::vector<std::pair<Variables, Truth>> tables_;
  std::map<std::pair<Variables, Truth>, std::uint32_t> table_index_;
  std::vector<Pointer> pointers_;
  std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t> pointer_index_;
  std::vector<Indexed> indexed_;
  std::map<std::tuple<std::uint32_t, std::int64_t, Bits>, std::uint32_t> indexed_index_;
  std::uint32_t next_unknown_ = kFirstUnknown;
  std::map<std::pair<Variables, Truth>, std::uint64_t> care_index_;
  std::map<std::vector<std::uint64_t>, std::uint64_t> cares_index_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> versions_;  // by support
  std::map<std::pair<Bit, std::uint64_t>, Bit> folded_;
  std::map<std::pair<Variables, std::uint64_t>, Truth> possible_;  // by version of `care`
};

// ------------------------------------------------------------------------------ integer words

Bits word(std::uint64_t value, unsigned width);
Bits slice(const Bits& a, std::size_t from, std::size_t n);
Bits zero_extended(Bits a, std::size_t width);
Bits sign_extended(Bits a, std::size_t width);
Bits bitwise_not(Bits a);
Bits shifted_left(const Bits& a, std::size_t n);   // zeros come in
Bits shifted_right(const Bits& a, std::size_t n);  // zeros come in
Bits shifted_right_signed(const Bits& a, std::size_t n);

Bits map2(const Bits& a, const Bits& b, const std::function<Bit(Bit, Bit)>& f);
Bits select(Graph& g, Bit condition, const Bits& yes, const Bits& no);

struct Sum {
  Bits value;
  Bit carry;     // out of the top bit
  Bit overflow;  // signed
};
Sum add(Graph& g, const Bits& a, const Bits& b, Bit carry_in);
Bits subtract(Graph& g, const Bits& a, const Bits& b);
Bits multiply(Graph& g, const Bits& a, const Bits& b);  // modulo 2^width
Bit equal(Graph& g, const Bits& a, const Bits& b);
Bit is_zero(Graph& g, const Bits& a);
Bit less_unsigned(Graph& g, const Bits& a, const Bits& b);
Bit less_signed(Graph& g, const Bits& a, const Bits& b);
// By an amount that may be symbolic; `step` shifts by a power of two.
Bits shifted_by(Graph& g, Bits a, const Bits& amount,
                const std::function<Bits(const Bits&, std::size_t)>& step);

}  // namespace quantproof::proofs::machine_code

#endif
