// SPDX-License-Identifier: Apache-2.0
//
// Bits as formulas of Z3, for what cannot be enumerated.
#ifndef QUANTPROOF_PROOFS_MACHINE_CODE_TERMS_H_
#define QUANTPROOF_PROOFS_MACHINE_CODE_TERMS_H_

#include <cstdint>
#include <functional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "proofs/machine_code/bits.h"
#include "proofs/symbolic.h"

namespace quantproof::proofs::machine_code {

class Terms {
 public:
  // Variable 8 k + j is bit j of the constant "b<k>" of 8 bits; unknown values are constants of
  // their own.
  Terms(Graph& graph, symbolic::Session& session) : g_(graph), session_(session) {}

  // Throws Refusal for bits of addresses and of products.
  z3::expr term(Bit bit) { return term(bit, {bit}); }
  z3::expr word(const Bits& bits);  // lowest first
  z3::expr byte(std::size_t k);

 private:
  // A sum modulo 2: of variables and a constant, for nodes that are no more than that.
  struct Sum {
    std::set<std::uint32_t> variables;
    bool one = false;
    bool is_sum = false;
  };
  z3::expr term(Bit bit, const Bits& all);
  z3::expr of_table(const Variables& variables, const Truth& truth);
  z3::expr of_sum(std::uint32_t id, const std::unordered_map<std::uint32_t, unsigned>& uses);
  const Sum& small_sum(std::uint32_t id);
  bool is_small(std::uint32_t id);

  Graph& g_;
  symbolic::Session& session_;
  std::unordered_map<std::uint32_t, z3::expr> terms_;  // by node
  std::unordered_map<std::uint32_t, Sum> sums_;        // by node
};

// The variables below `bits`.
std::set<std::uint32_t> variables_below(const Graph& g, const Bits& bits);

// Their values where variables have these.
std::vector<bool> evaluate(const Graph& g, const Bits& bits,
                           const std::function<bool(std::uint32_t)>& value);

// Whether `a` is the same function as `b` once `shift` is added to the number of each variable of
// `b`. Compares shapes: false says nothing.
class SameShape {
 public:
  SameShape(const Graph& graph, std::uint32_t shift) : g_(graph), shift_(shift) {}
  bool operator()(Bit a, Bit b);
  bool operator()(const Bits& a, const Bits& b);

 private:
  bool nodes(std::uint32_t a, std::uint32_t b);

  const Graph& g_;
  std::uint32_t shift_;
  std::unordered_map<std::uint64_t, bool> seen_;
};

}  // namespace quantproof::proofs::machine_code

#endif
