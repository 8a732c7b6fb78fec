// SPDX-License-Identifier: Apache-2.0
//
// Float operations of the executor. One that depends on few input bits is run on the CPU for each
// of their values. The others must be multiplications of which every result is exact: these are
// kept as the set of their factors, so that their order does not matter.
#ifndef QUANTPROOF_PROOFS_MACHINE_CODE_FLOATS_H_
#define QUANTPROOF_PROOFS_MACHINE_CODE_FLOATS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "proofs/machine_code/bits.h"

namespace quantproof::proofs::machine_code {

// A finite binary32 magnitude: odd significand times 2^exponent, or zero.
struct Magnitude {
  std::uint64_t significand = 0;
  int exponent = 0;
};
Magnitude magnitude_of(std::uint32_t bits);

// What is known of all values of 31 bits of a binary32 number.
struct MagnitudeRange {
  enum class Kind { kFinite, kInfinite, kNan } kind = Kind::kFinite;
  bool any_nonzero = false;
  bool any_zero = false;
  unsigned width = 0;  // significant bits
  int lowest = 0;      // floor(log2) of the magnitudes that are not zero
  int highest = 0;
};

class Floats {
 public:
  explicit Floats(Graph& graph) : g_(graph) {}

  // What a CPU instruction gives for 32-bit (or wider) operands.
  using Operation = std::uint64_t (*)(std::uint64_t, std::uint64_t);
  // `operation` on every value that the operands can have, `width` bits of result.
  Bits tabulated(Operation operation, const std::vector<Bits>& operands, unsigned width);
  // mulss a, b: `a` is the operand whose NaN wins.
  Bits multiplied(const Bits& a, const Bits& b);

  // One of several words, by a few input bits: leaf a for assignment a of the variables. A product
  // with such a word is one of several products, and is known as that.
  struct Selection {
    Variables variables;
    std::vector<Bits> leaves;
  };
  Bits selected(const Variables& variables, const std::vector<Bits>& leaves);
  [[nodiscard]] const Selection* selection(const Bits& word) const;

  // Stands in for operands that depend on more than 16 input bits, if it is set: what it gives
  // must have the operand's value for every input. Nothing: it has none.
  std::function<std::optional<Bits>(const Bits&)> cut;
  // Operations on what cannot be enumerated give unknown values, instead of a Refusal.
  bool allow_unknown = false;
  // A product that does not fit 24 bits is kept as the product of its factors, rounded once.
  bool allow_rounding = false;

  // The factors of bits 0 to 30 of a word; nothing if these bits are neither enumerable nor a
  // product.
  std::optional<std::vector<Bits>> factors(const Bits& magnitude);
  // Whether these bits are such a product that is rounded.
  [[nodiscard]] bool is_rounded(const Bits& magnitude) const;
  // Whether a tabulated operation rounded, or met a subnormal, for an input that can occur. If not,
  // neither the rounding mode nor flush-to-zero matters.
  [[nodiscard]] bool all_exact() const { return all_exact_; }

 private:
  using Range = MagnitudeRange;
  Bits product(const Bits& a, const Bits& b);
  const Range& range(std::uint32_t factor);
  std::uint32_t intern(const Bits& magnitude);
  std::vector<std::uint32_t> factor_ids(const Bits& magnitude);

  [[nodiscard]] std::optional<std::uint32_t> product_of(const Bits& magnitude) const;
  Bits unknown_word(unsigned width);
  // As selected(), for a word that is only stored and multiplied: its bits have no other meaning.
  Bits selected_product(const Variables& variables, const std::vector<Bits>& leaves);

  Graph& g_;
  bool all_exact_ = true;
  std::map<Bits, Selection> selections_;
  std::map<std::pair<Variables, std::vector<Bits>>, std::uint32_t> selected_products_;
  std::map<std::tuple<Bits, Bits, std::uint64_t>, Bits> selected_results_;
  std::set<std::uint32_t> rounded_;  // products
  // Results by operation, operands and version of care.
  std::map<std::tuple<Operation, std::vector<Bits>, std::uint64_t>, Bits> results_;
  std::vector<Bits> factors_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Range>
      ranges_;  // by factor and version of care
  std::map<Bits, std::uint32_t> factor_index_;
  std::vector<std::vector<std::uint32_t>> products_;  // sorted lists of factors
  std::map<std::vector<std::uint32_t>, std::uint32_t> product_index_;
};

// The instructions themselves, by name without the leading v: "mulss", "cvtsi2ss", ...
std::optional<Floats::Operation> float_operation(const std::string& name);

}  // namespace quantproof::proofs::machine_code

#endif
