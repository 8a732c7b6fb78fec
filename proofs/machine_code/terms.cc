// SPDX-License-Identifier: Apache-2.0
#include "proofs/machine_code/terms.h"

#include <algorithm>
#include <string>

namespace quantproof::proofs::machine_code {

namespace {

using Kind = Graph::Kind;

bool has_operands(Kind kind) { return kind == Kind::kAnd || kind == Kind::kXor; }

// Nodes below `bits`, operands first.
std::vector<std::uint32_t> nodes_below(const Graph& g, const Bits& bits) {
  std::vector<std::uint32_t> order;
  std::unordered_map<std::uint32_t, bool> done;
  std::vector<std::uint32_t> stack;
  for (const Bit bit : bits) stack.push_back(bit >> 1);
  while (!stack.empty()) {
    const std::uint32_t id = stack.back();
    const Graph::Node& n = g.node(id << 1);
    bool& is_done = done[id];
    bool ready = true;
    if (!is_done && has_operands(n.kind)) {
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

z3::expr Terms::of_table(std::uint32_t table) {
  const Variables& variables = g_.table_variables(table);
  const Truth& truth = g_.table_truth(table);
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

z3::expr Terms::term(Bit bit) {
  for (const std::uint32_t id : nodes_below(g_, {bit})) {
    if (terms_.contains(id)) continue;
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
        terms_.emplace(id, operand(n.a) != operand(n.b));
        break;
      case Kind::kTable:
        terms_.emplace(id, of_table(n.a));
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
    parts.push_back(z3::ite(term(bits[j]), session_.value(1, 1), session_.value(0, 1)));
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
