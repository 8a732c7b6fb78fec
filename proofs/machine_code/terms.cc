// SPDX-License-Identifier: Apache-2.0
#include "proofs/machine_code/terms.h"

#include <algorithm>
#include <bit>
#include <string>

namespace quantproof::proofs::machine_code {

namespace {

using Kind = Graph::Kind;

constexpr std::size_t kFewVariables = 5;
constexpr std::size_t kByte = 8;

bool has_operands(Kind kind) { return kind == Kind::kAnd || kind == Kind::kXor; }

// Nodes below `bits`, operands first; nothing below a leaf.
std::vector<std::uint32_t> nodes_below(
    const Graph& g, const Bits& bits,
    const std::function<bool(std::uint32_t)>& is_leaf = [](std::uint32_t) { return false; }) {
  std::vector<std::uint32_t> order;
  std::unordered_map<std::uint32_t, bool> done;
  std::vector<std::uint32_t> stack;
  for (const Bit bit : bits) stack.push_back(bit >> 1);
  while (!stack.empty()) {
    const std::uint32_t id = stack.back();
    const Graph::Node& n = g.node(id << 1);
    bool& is_done = done[id];
    bool ready = true;
    if (!is_done && has_operands(n.kind) && !is_leaf(id)) {
      for (const Bit operand : {n.a, n.b}) {
        const auto it = done.find(operand >> 1);
        if (it == done.end() || !it->second) {
          stack.push_back(operand >> 1);
          ready = false;
        }
      }
    }
    if (!ready) continue;
    stack.pop_back();
    if (done[id]) continue;
    done[id] = true;
    order.push_back(id);
  }
  return order;
}

}  // namespace

z3::expr Terms::byte(std::size_t k) { return session_.constant("b" + std::to_string(k), 8); }

z3::expr Terms::of_table(const Variables& variables, const Truth& truth) {
  std::vector<z3::expr> rest;
  for (std::size_t i = 0; i < (std::size_t{1} << variables.size()); ++i) {
    rest.push_back(session_.z3.bool_val(((truth[i >> 6] >> (i & 63)) & 1) != 0));
  }
  for (const std::uint32_t v : variables) {
    const z3::expr set = term(g_.variable(v));
    std::vector<z3::expr> half;
    for (std::size_t i = 0; i < rest.size(); i += 2) {
      half.push_back(z3::eq(rest[i], rest[i + 1]) ? rest[i] : z3::ite(set, rest[i + 1], rest[i]));
    }
    rest = std::move(half);
  }
  return rest[0];
}

// What depends on the bits of a byte is written as a table, as the text's side is.
bool Terms::is_small(std::uint32_t id) {
  const Bit node = id << 1;
  const auto variables = g_.support(&node, 1);
  return variables && variables->size() > 1 && variables->size() <= kByte;
}

// Of a few variables, by its values.
const Terms::Sum& Terms::small_sum(std::uint32_t id) {
  const auto [it, fresh] = sums_.try_emplace(id);
  Sum& sum = it->second;
  const Bit bit = id << 1;
  if (!fresh) return sum;
  const auto variables = g_.support(&bit, 1);
  if (!variables || variables->empty() || variables->size() > kFewVariables) return sum;
  const std::uint64_t truth = g_.tabulate(&bit, 1, *variables)[0][0];
  sum.one = (truth & 1) != 0;
  std::size_t used = 0;
  for (std::size_t k = 0; k < variables->size(); ++k) {
    if ((((truth >> (std::size_t{1} << k)) & 1) != 0) == sum.one) continue;
    sum.variables.insert((*variables)[k]);
    used |= std::size_t{1} << k;
  }
  sum.is_sum = true;
  for (std::size_t at = 0; at < (std::size_t{1} << variables->size()); ++at) {
    const bool value = (std::popcount(at & used) % 2 != 0) != sum.one;
    sum.is_sum = sum.is_sum && (((truth >> at) & 1) != 0) == value;
  }
  return sum;
}

// Solvers do not find that two long sums modulo 2 are the same in another order. So what is added
// only here is added here: first the variables in ascending order, then the rest.
z3::expr Terms::of_sum(std::uint32_t id, const std::unordered_map<std::uint32_t, unsigned>& uses) {
  std::set<std::uint32_t> variables;
  std::set<std::uint32_t> others;
  bool one = false;
  const auto toggle = [](std::set<std::uint32_t>& set, std::uint32_t what) {
    if (!set.erase(what)) set.insert(what);
  };
  std::vector<Bit> work = {g_.node(id << 1).a, g_.node(id << 1).b};
  while (!work.empty()) {
    const Bit bit = work.back();
    work.pop_back();
    one ^= (bit & 1) != 0;
    const Graph::Node& n = g_.node(bit);
    const Sum& small = small_sum(bit >> 1);
    const auto used = uses.find(bit >> 1);
    if (small.is_sum) {
      for (const std::uint32_t v : small.variables) toggle(variables, v);
      one ^= small.one;
    } else if (n.kind == Kind::kXor && !is_small(bit >> 1) && used != uses.end() &&
               used->second == 1) {
      work.push_back(n.a);
      work.push_back(n.b);
    } else {
      toggle(others, bit >> 1);
    }
  }
  const z3::expr set = session_.value(1, 1);
  const z3::expr clear = session_.value(0, 1);
  z3::expr sum = clear;
  for (const std::uint32_t v : variables) {
    sum = sum ^ (v < kFirstUnknown ? byte(v / 8).extract(v % 8, v % 8)
                                   : z3::ite(term(g_.variable(v)), set, clear));
  }
  for (const std::uint32_t other : others) sum = sum ^ z3::ite(terms_.at(other), set, clear);
  return sum == (one ? clear : set);
}

z3::expr Terms::term(Bit bit, const Bits& all) {
  std::unordered_map<std::uint32_t, unsigned> uses;
  const auto leaf = [&](std::uint32_t id) { return is_small(id); };
  for (const std::uint32_t id : nodes_below(g_, all, leaf)) {
    const Graph::Node& n = g_.node(id << 1);
    if (!has_operands(n.kind) || is_small(id)) continue;
    ++uses[n.a >> 1];
    ++uses[n.b >> 1];
  }
  for (const std::uint32_t id : nodes_below(g_, {bit}, leaf)) {
    if (terms_.contains(id)) continue;
    if (is_small(id)) {
      const Bit node = id << 1;
      const auto variables = *g_.support(&node, 1);
      terms_.emplace(id, of_table(variables, g_.tabulate(&node, 1, variables)[0]));
      continue;
    }
    const Graph::Node n = g_.node(id << 1);
    const auto operand = [&](Bit b) {
      const z3::expr& e = terms_.at(b >> 1);
      return (b & 1) != 0 ? !e : e;
    };
    switch (n.kind) {
      case Kind::kConstant:
        terms_.emplace(id, session_.z3.bool_val(false));
        break;
      case Kind::kVariable:
        if (n.a >= kFirstUnknown) {
          terms_.emplace(id, session_.z3.bool_const(("u" + std::to_string(n.a)).c_str()));
        } else {
          terms_.emplace(id, byte(n.a / 8).extract(n.a % 8, n.a % 8) == session_.value(1, 1));
        }
        break;
      case Kind::kAnd:
        terms_.emplace(id, operand(n.a) && operand(n.b));
        break;
      case Kind::kXor:
        terms_.emplace(id, of_sum(id, uses));
        break;
      case Kind::kTable:
        terms_.emplace(id, of_table(g_.table_variables(n.a), g_.table_truth(n.a)));
        break;
      default:
        throw Refusal("a formula with bits of an address or of a product");
    }
  }
  const z3::expr& e = terms_.at(bit >> 1);
  return (bit & 1) != 0 ? !e : e;
}

z3::expr Terms::word(const Bits& bits) {
  z3::expr_vector parts(session_.z3);
  for (std::size_t j = bits.size(); j-- > 0;) {
    parts.push_back(z3::ite(term(bits[j], bits), session_.value(1, 1), session_.value(0, 1)));
  }
  return z3::concat(parts);
}

std::set<std::uint32_t> variables_below(const Graph& g, const Bits& bits) {
  std::set<std::uint32_t> variables;
  for (const std::uint32_t id : nodes_below(g, bits)) {
    const Graph::Node& n = g.node(id << 1);
    if (n.kind == Kind::kVariable) variables.insert(n.a);
    if (n.kind == Kind::kTable) {
      const Variables& of = g.table_variables(n.a);
      variables.insert(of.begin(), of.end());
    }
  }
  return variables;
}

std::vector<bool> evaluate(const Graph& g, const Bits& bits,
                           const std::function<bool(std::uint32_t)>& value) {
  std::unordered_map<std::uint32_t, bool> values;
  const auto of = [&](Bit b) { return values.at(b >> 1) != ((b & 1) != 0); };
  for (const std::uint32_t id : nodes_below(g, bits)) {
    const Graph::Node& n = g.node(id << 1);
    bool v = false;
    switch (n.kind) {
      case Kind::kConstant:
        break;
      case Kind::kVariable:
        v = value(n.a);
        break;
      case Kind::kAnd:
        v = of(n.a) && of(n.b);
        break;
      case Kind::kXor:
        v = of(n.a) != of(n.b);
        break;
      case Kind::kTable: {
        std::size_t at = 0;
        const Variables& variables = g.table_variables(n.a);
        for (std::size_t k = 0; k < variables.size(); ++k) {
          at |= static_cast<std::size_t>(value(variables[k])) << k;
        }
        v = ((g.table_truth(n.a)[at >> 6] >> (at & 63)) & 1) != 0;
        break;
      }
      default:
        throw Refusal("a value of an address or of a product");
    }
    values[id] = v;
  }
  std::vector<bool> result;
  for (const Bit b : bits) result.push_back(of(b));
  return result;
}

bool SameShape::operator()(Bit a, Bit b) { return (a & 1) == (b & 1) && nodes(a >> 1, b >> 1); }

bool SameShape::operator()(const Bits& a, const Bits& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [&](Bit x, Bit y) { return (*this)(x, y); });
}

bool SameShape::nodes(std::uint32_t a, std::uint32_t b) {
  const std::uint64_t key = (std::uint64_t{a} << 32) | b;
  if (const auto it = seen_.find(key); it != seen_.end()) return it->second;
  const Graph::Node& m = g_.node(a << 1);
  const Graph::Node& n = g_.node(b << 1);
  bool same = m.kind == n.kind;
  if (same) {
    switch (m.kind) {
      case Kind::kConstant:
        break;
      case Kind::kVariable:
        same = m.a == n.a + shift_ && n.a < kFirstUnknown && m.a < kFirstUnknown;
        break;
      case Kind::kAnd:
      case Kind::kXor:
        same = ((*this)(m.a, n.a) && (*this)(m.b, n.b)) || ((*this)(m.a, n.b) && (*this)(m.b, n.a));
        break;
      case Kind::kTable: {
        const Variables& v = g_.table_variables(m.a);
        const Variables& w = g_.table_variables(n.a);
        same = v.size() == w.size() &&
               std::equal(v.begin(), v.end(), w.begin(),
                          [&](std::uint32_t x, std::uint32_t y) {
                            return x == y + shift_ && x < kFirstUnknown && y < kFirstUnknown;
                          }) &&
               g_.table_truth(m.a) == g_.table_truth(n.a);
        break;
      }
      default:
        same = false;
    }
  }
  return seen_[key] = same;
}

}  // namespace quantproof::proofs::machine_code
