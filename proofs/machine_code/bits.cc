// SPDX-License-Identifier: Apache-2.0
#include "proofs/machine_code/bits.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace quantproof::proofs::machine_code {

namespace {

std::size_t words_of(std::size_t variables) {
  return variables <= 6 ? 1 : std::size_t{1} << (variables - 6);
}

// The truth table of variable `i` of `n`.
Truth projection(std::size_t i, std::size_t n) {
  static constexpr std::array<std::uint64_t, 6> kPattern = {
      0xAAAAAAAAAAAAAAAAu, 0xCCCCCCCCCCCCCCCCu, 0xF0F0F0F0F0F0F0F0u,
      0xFF00FF00FF00FF00u, 0xFFFF0000FFFF0000u, 0xFFFFFFFF00000000u};
  Truth truth(words_of(n));
  for (std::size_t w = 0; w < truth.size(); ++w) {
    truth[w] = i < 6 ? kPattern[i] : ((w >> (i - 6)) & 1) != 0 ? ~std::uint64_t{0} : 0;
  }
  return truth;
}

bool bit_of(const Truth& truth, std::size_t i) { return ((truth[i >> 6] >> (i & 63)) & 1) != 0; }

// Fewer than six variables: the table repeats, so that words compare.
void repeat(Truth* truth, std::size_t variables) {
  for (std::size_t n = variables; n < 6; ++n) {
    const std::uint64_t mask = (std::uint64_t{1} << (std::size_t{1} << n)) - 1;
    truth->front() = (truth->front() & mask) | ((truth->front() & mask) << (std::size_t{1} << n));
  }
}

// Whether variable `i` changes the value for any pair of assignments that can both occur.
bool matters(const Truth& truth, const Truth& possible, std::size_t i) {
  if (i >= 6) {
    const std::size_t step = std::size_t{1} << (i - 6);
    for (std::size_t w = 0; w < truth.size(); ++w) {
      if ((w & step) != 0) continue;
      const std::uint64_t both = possible[w] & possible[w | step];
      if (((truth[w] ^ truth[w | step]) & both) != 0) return true;
    }
    return false;
  }
  const std::size_t step = std::size_t{1} << i;
  const std::uint64_t low = ~projection(i, 6)[0];
  for (std::size_t w = 0; w < truth.size(); ++w) {
    const std::uint64_t both = possible[w] & (possible[w] >> step) & low;
    if (((truth[w] ^ (truth[w] >> step)) & both) != 0) return true;
  }
  return false;
}

// The table of the same function with one more variable, at place `i`, that does not matter.
Truth with_variable(const Truth& truth, std::size_t n, std::size_t i) {
  Truth wide(words_of(n + 1));
  if (n < 6) {
    wide[0] = truth[0];  // it repeats
    if (i == n) return wide;
  }
  for (std::size_t w = 0; w < wide.size(); ++w) {
    if (i >= 6) {
      const std::size_t low = w & ((std::size_t{1} << (i - 6)) - 1);
      wide[w] = truth[((w >> (i - 5)) << (i - 6)) | low];
      continue;
    }
    // Each group of 2^i bits twice.
    const std::uint64_t half = truth[w / 2] >> (w % 2 * 32);
    const std::size_t step = std::size_t{1} << i;
    const std::uint64_t group = (std::uint64_t{1} << step) - 1;
    std::uint64_t spread = 0;
    for (std::size_t k = 0; k < 32; k += step) {
      const std::uint64_t bits = (half >> k) & group;
      spread |= (bits | (bits << step)) << (2 * k);
    }
    wide[w] = spread;
  }
  return wide;
}

// The table of "for one of the two values of variable `i`".
Truth without_variable(const Truth& truth, std::size_t n, std::size_t i) {
  Truth narrow(words_of(n - 1));
  if (i >= 6) {
    for (std::size_t w = 0; w < narrow.size(); ++w) {
      const std::size_t low = w & ((std::size_t{1} << (i - 6)) - 1);
      const std::size_t from = ((w >> (i - 6)) << (i - 5)) | low;
      narrow[w] = truth[from] | truth[from | (std::size_t{1} << (i - 6))];
    }
    return narrow;
  }
  const std::size_t step = std::size_t{1} << i;
  const std::uint64_t group = (std::uint64_t{1} << step) - 1;
  for (std::size_t w = 0; w < truth.size(); ++w) {
    const std::uint64_t either = truth[w] | (truth[w] >> step);
    std::uint64_t packed = 0;
    for (std::size_t k = 0; k < 32; k += step) packed |= ((either >> (2 * k)) & group) << k;
    narrow[w / 2] |= packed << (w % 2 * 32);
  }
  if (truth.size() == 1) narrow[0] |= narrow[0] << 32;
  return narrow;
}

// The same function over more variables.
Truth over(Truth truth, const Variables& have, const Variables& want) {
  std::size_t n = have.size();
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (!std::binary_search(have.begin(), have.end(), want[i])) {
      truth = with_variable(truth, n++, i);
    }
  }
  return truth;
}

}  // namespace

Graph::Graph() {
  supports_ = {{}, {}};
  support_index_[{}] = 0;
  cares_index_[{}] = 0;  // the version of no sets
  nodes_.push_back({});  // the constant false
}

Bit Graph::make(Kind kind, std::uint32_t a, std::uint32_t b, std::uint32_t support) {
  const std::uint64_t key = (std::uint64_t{a} << 32) | b;
  const auto [it, fresh] = index_[static_cast<std::size_t>(kind)].try_emplace(
      key, static_cast<std::uint32_t>(nodes_.size()));
  if (fresh) nodes_.push_back({kind, a, b, support});
  return it->second << 1;
}

std::uint32_t Graph::intern_support(const Variables& variables) {
  if (variables.size() > kMaxVariables) return kOpaque;
  const auto [it, fresh] =
      support_index_.try_emplace(variables, static_cast<std::uint32_t>(supports_.size()));
  if (fresh) supports_.push_back(variables);
  return it->second;
}

std::uint32_t Graph::join_supports(std::uint32_t a, std::uint32_t b) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  if (a == kOpaque || b == kOpaque) return kOpaque;
  if (a > b) std::swap(a, b);
  const std::uint64_t key = (std::uint64_t{a} << 32) | b;
  if (const auto it = support_joins_.find(key); it != support_joins_.end()) return it->second;
  Variables joined;
  std::set_union(supports_[a].begin(), supports_[a].end(), supports_[b].begin(), supports_[b].end(),
                 std::back_inserter(joined));
  return support_joins_[key] = intern_support(joined);
}

Bit Graph::variable(std::uint32_t id) {
  const auto& known = index_[static_cast<std::size_t>(Kind::kVariable)];
  const auto it = known.find(std::uint64_t{id} << 32);
  return it != known.end() ? it->second << 1 : make(Kind::kVariable, id, 0, intern_support({id}));
}

Bit Graph::opaque() {
  nodes_.push_back({Kind::kVariable, next_unknown_++, 0, kOpaque});
  return static_cast<Bit>(nodes_.size() - 1) << 1;
}

Bit Graph::unknown() { return variable(next_unknown_++); }

bool Graph::has_free_residue(std::uint32_t region) const {
  return region < free_residues.size() && !free_residues[region].empty();
}

// A low bit of an address that meets something other than a mask: from here on it is known.
Bit Graph::known_low_bit(Bit bit) {
  const Node& n = node(bit);
  if (n.kind != Kind::kPointer || n.b >= 6) return bit;
  const Pointer& p = pointers_[n.a];
  residue_used[p.region] = true;
  if (has_free_residue(p.region)) {
    const Bits offset = word(static_cast<std::uint64_t>(p.offset), 6);
    return add(*this, free_residues[p.region], offset, kFalse).value[n.b] ^ (bit & 1);
  }
  const auto address =
      static_cast<std::uint64_t>(residues[p.region]) + static_cast<std::uint64_t>(p.offset);
  return static_cast<Bit>((address >> n.b) & 1) ^ (bit & 1);
}

Bit Graph::land(Bit a, Bit b) {
  if (a > b) std::swap(a, b);
  if (a == kFalse || a == (b ^ 1)) return kFalse;
  if (a == kTrue || a == b) return b;
  const Bit known_a = known_low_bit(a);
  const Bit known_b = known_low_bit(b);
  if (known_a != a || known_b != b) return land(known_a, known_b);
  return make(Kind::kAnd, a, b, join_supports(node(a).support, node(b).support));
}

Bit Graph::lxor(Bit a, Bit b) {
  const Bit inverted = (a ^ b) & 1;
  a &= ~1u;
  b &= ~1u;
  if (a > b) std::swap(a, b);
  if (a == b) return inverted;
  if (a == kFalse) return b ^ inverted;
  const Bit known_a = known_low_bit(a);
  const Bit known_b = known_low_bit(b);
  if (known_a != a || known_b != b) return lxor(known_a, known_b) ^ inverted;
  return make(Kind::kXor, a, b, join_supports(node(a).support, node(b).support)) ^ inverted;
}

Bit Graph::mux(Bit condition, Bit yes, Bit no) {
  if (yes == no) return yes;
  if (yes == (no ^ 1)) return lxor(condition, no);
  if (yes == kTrue) return lor(condition, no);
  if (yes == kFalse) return land(condition ^ 1, no);
  if (no == kTrue) return lor(condition ^ 1, yes);
  if (no == kFalse) return land(condition, yes);
  if (condition == kTrue) return yes;
  if (condition == kFalse) return no;
  return lor(land(condition, yes), land(condition ^ 1, no));
}

Bit Graph::product_bit(std::uint32_t product, unsigned i) {
  return make(Kind::kProduct, product, i, kOpaque);
}

Bit Graph::table(const Variables& variables, const Truth& truth) {
  const Truth& care_set = possible(variables);
  const std::size_t n = variables.size();
  // What cannot occur is false, so that equal tables are one node.
  Truth masked(words_of(n));
  bool any_true = false;
  bool any_false = false;
  for (std::size_t w = 0; w < masked.size(); ++w) {
    masked[w] = truth[w] & care_set[w];
    any_true = any_true || masked[w] != 0;
    any_false = any_false || (~truth[w] & care_set[w]) != 0;
  }
  if (!any_true) return kFalse;
  if (!any_false) return kTrue;
  // Variables that do not matter go: what cannot occur may have either value.
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t step = std::size_t{1} << i;
    if (matters(truth, care_set, i)) continue;
    Variables fewer = variables;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    Truth smaller(words_of(n - 1));
    for (std::size_t at = 0; at < (std::size_t{1} << (n - 1)); ++at) {
      const std::size_t low = at & (step - 1);
      const std::size_t from = ((at - low) << 1) | low;
      const bool value = bit_of(care_set, from) ? bit_of(truth, from) : bit_of(truth, from | step);
      if (value) smaller[at >> 6] |= std::uint64_t{1} << (at & 63);
    }
    repeat(&smaller, n - 1);
    return table(fewer, smaller);
  }
  if (n == 1) return variable(variables[0]) ^ ((masked[0] & 1) != 0 ? 1u : 0u);
  const auto [it, fresh] =
      table_index_.try_emplace({variables, masked}, static_cast<std::uint32_t>(tables_.size()));
  if (fresh) tables_.emplace_back(variables, masked);
  return make(Kind::kTable, it->second, 0, intern_support(variables));
}

Bit Graph::selected_bit(std::uint32_t selection, unsigned i) {
  return make(Kind::kSelected, selection, i, kOpaque);
}

Bits Graph::pointer(const Pointer& pointer) {
  const auto [it, fresh] = pointer_index_.try_emplace({pointer.region, pointer.offset},
                                                      static_cast<std::uint32_t>(pointers_.size()));
  if (fresh) pointers_.push_back(pointer);
  Bits bits(64);
  for (std::uint32_t j = 0; j < 64; ++j) bits[j] = make(Kind::kPointer, it->second, j, kOpaque);
  return bits;
}

std::optional<Pointer> Graph::as_pointer(const Bits& bits) {
  if (bits.size() != 64 || node(bits[63]).kind != Kind::kPointer) return std::nullopt;
  const std::uint32_t id = node(bits[63]).a;
  Pointer p = pointers_[id];
  bool masked = false;
  std::uint64_t low = 0;
  for (std::uint32_t j = 0; j < 64; ++j) {
    const Node& n = node(bits[j]);
    if (n.kind == Kind::kPointer && n.a == id && n.b == j && (bits[j] & 1) == 0) {
      const auto address =
          static_cast<std::uint64_t>(residues[p.region]) + static_cast<std::uint64_t>(p.offset);
      if (j < 6) low |= address & (std::uint64_t{1} << j);
    } else if (j < 6 && bits[j] <= kTrue) {
      masked = true;
      low |= std::uint64_t{bits[j]} << j;
    } else {
      return std::nullopt;
    }
  }
  if (masked && has_free_residue(p.region)) {
    residue_used[p.region] = true;
    const Bits offset = word(static_cast<std::uint64_t>(p.offset), 6);
    const Bits address = add(*this, free_residues[p.region], offset, kFalse).value;
    for (std::uint32_t j = 0; j < 6; ++j) {
      if (bits[j] > kTrue) continue;
      if (address[j] > kTrue) return std::nullopt;
      p.offset += (std::int64_t{bits[j]} - std::int64_t{address[j]}) * (std::int64_t{1} << j);
    }
  } else if (masked) {
    residue_used[p.region] = true;
    const auto address =
        static_cast<std::uint64_t>(residues[p.region]) + static_cast<std::uint64_t>(p.offset);
    p.offset += static_cast<std::int64_t>(low) - static_cast<std::int64_t>(address & 63);
  }
  return p;
}

Bits Graph::indexed(const Pointer& base, const Bits& offset) {
  const auto [it, fresh] = indexed_index_.try_emplace({base.region, base.offset, offset},
                                                      static_cast<std::uint32_t>(indexed_.size()));
  if (fresh) indexed_.push_back({base, offset});
  Bits bits(64);
  for (std::uint32_t j = 0; j < 64; ++j) bits[j] = make(Kind::kIndexed, it->second, j, kOpaque);
  return bits;
}

std::optional<Graph::Indexed> Graph::as_indexed(const Bits& bits) const {
  if (bits.size() != 64 || node(bits[63]).kind != Kind::kIndexed) return std::nullopt;
  const std::uint32_t id = node(bits[63]).a;
  for (std::uint32_t j = 0; j < 64; ++j) {
    const Node& n = node(bits[j]);
    if (n.kind != Kind::kIndexed || n.a != id || n.b != j || (bits[j] & 1) != 0) {
      return std::nullopt;
    }
  }
  return indexed_[id];
}

Bits Graph::chosen_by(const Variables& variables, const std::vector<Bits>& leaves) {
  std::vector<Bits> rest = leaves;
  for (const std::uint32_t v : variables) {  // the lowest place of an assignment first
    const Bit set = variable(v);
    std::vector<Bits> half;
    for (std::size_t i = 0; i < rest.size(); i += 2) {
      half.push_back(select(*this, set, rest[i + 1], rest[i]));
    }
    rest = std::move(half);
  }
  return rest[0];
}

std::optional<Variables> Graph::support(const Bit* bits, std::size_t n) {
  std::uint32_t joined = 0;
  for (std::size_t i = 0; i < n; ++i) joined = join_supports(joined, node(bits[i]).support);
  if (joined == kOpaque) return std::nullopt;
  return supports_[joined];
}

std::vector<Truth> Graph::tabulate(const Bit* bits, std::size_t n, const Variables& variables) {
  std::unordered_map<std::uint32_t, Truth> values;
  values[0] = Truth(words_of(variables.size()));
  std::vector<std::uint32_t> stack;
  for (std::size_t i = 0; i < n; ++i) stack.push_back(bits[i] >> 1);
  while (!stack.empty()) {
    const std::uint32_t id = stack.back();
    if (values.contains(id)) {
      stack.pop_back();
      continue;
    }
    const Node& at = nodes_[id];
    if (at.kind == Kind::kVariable) {
      const auto place = std::lower_bound(variables.begin(), variables.end(), at.a);
      values[id] =
          projection(static_cast<std::size_t>(place - variables.begin()), variables.size());
    } else if (at.kind == Kind::kTable) {
      const auto& [of, truth] = tables_[at.a];
      if (of == variables) {
        values[id] = truth;
      } else {
        values[id] = over(truth, of, variables);
      }
    } else {
      const auto a = values.find(at.a >> 1);
      const auto b = values.find(at.b >> 1);
      if (a == values.end() || b == values.end()) {
        if (a == values.end()) stack.push_back(at.a >> 1);
        if (b == values.end()) stack.push_back(at.b >> 1);
        continue;
      }
      const std::uint64_t flip_a = (at.a & 1) != 0 ? ~std::uint64_t{0} : 0;
      const std::uint64_t flip_b = (at.b & 1) != 0 ? ~std::uint64_t{0} : 0;
      Truth result(a->second.size());
      for (std::size_t w = 0; w < result.size(); ++w) {
        const std::uint64_t x = a->second[w] ^ flip_a;
        const std::uint64_t y = b->second[w] ^ flip_b;
        result[w] = at.kind == Kind::kAnd ? x & y : x ^ y;
      }
      values[id] = std::move(result);
    }
    stack.pop_back();
  }
  std::vector<Truth> result(n);
  for (std::size_t i = 0; i < n; ++i) {
    result[i] = values[bits[i] >> 1];
    if ((bits[i] & 1) != 0) {
      for (std::uint64_t& w : result[i]) w = ~w;
    }
  }
  return result;
}

Bit Graph::simplified(Bit bit) {
  const auto variables = support(&bit, 1);
  if (!variables) return bit;
  const auto [it, fresh] = folded_.try_emplace({bit, version_for(node(bit).support)});
  if (fresh) {
    it->second = table(*variables, tabulate(&bit, 1, *variables)[0]);
    if (it->second <= kTrue && listener != nullptr) listener->constant(bit, it->second == kTrue);
  }
  return it->second;
}

std::optional<bool> Graph::constant(Bit bit) {
  bit = known_low_bit(bit);
  if (bit <= kTrue) return bit == kTrue;
  const Bit folded = simplified(bit);
  if (folded > kTrue) return std::nullopt;
  return folded == kTrue;
}

std::optional<std::uint64_t> Graph::constant(const Bits& bits) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const auto bit = constant(bits[i]);
    if (!bit) return std::nullopt;
    if (i < 64) value |= std::uint64_t{*bit} << i;
  }
  return value;
}

const Truth& Graph::possible(const Variables& variables) {
  const auto [it, fresh] = possible_.try_emplace({variables, care_version_over(variables)});
  Truth& result = it->second;
  if (!fresh) return result;
  result.assign(words_of(variables.size()), ~std::uint64_t{0});
  for (const Care& c : care.sets) {
    Variables shared;
    std::set_intersection(variables.begin(), variables.end(), c.variables.begin(),
                          c.variables.end(), std::back_inserter(shared));
    if (shared.empty()) continue;
    Truth projected = c.possible;
    std::size_t n = c.variables.size();
    for (std::size_t i = n; i-- > 0;) {
      if (std::binary_search(shared.begin(), shared.end(), c.variables[i])) continue;
      projected = without_variable(projected, n--, i);
    }
    projected = over(projected, shared, variables);
    for (std::size_t w = 0; w < result.size(); ++w) result[w] &= projected[w];
  }
  return result;
}

void Graph::set_care(std::vector<Care> sets) {
  care = {std::move(sets), 0, {}};
  number_care();
}

void Graph::number_care() {
  std::vector<std::uint64_t> versions;
  for (Care& c : care.sets) {
    c.version =
        care_index_.try_emplace({c.variables, c.possible}, care_index_.size()).first->second;
    versions.push_back(c.version);
  }
  care.version = cares_index_.try_emplace(versions, cares_index_.size()).first->second;
}

std::uint64_t Graph::version_for(std::uint32_t support) {
  if (support == kOpaque) return care.version;
  const auto [it, fresh] = versions_.try_emplace({support, care.version});
  if (fresh) {
    std::vector<std::uint64_t> versions;
    for (const Care& c : care.sets) {
      const Variables& variables = supports_[support];
      const bool shares = std::any_of(variables.begin(), variables.end(), [&](std::uint32_t v) {
        return std::binary_search(c.variables.begin(), c.variables.end(), v);
      });
      if (shares) versions.push_back(c.version);
    }
    it->second = cares_index_.try_emplace(versions, cares_index_.size()).first->second;
  }
  return it->second;
}

std::uint64_t Graph::care_version_over(const Variables& variables) {
  return version_for(intern_support(variables));
}

std::uint64_t Graph::care_version(const std::vector<Bits>& words) {
  std::uint32_t joined = 0;
  for (const Bits& bits : words) {
    for (const Bit bit : bits) joined = join_supports(joined, node(bit).support);
  }
  return version_for(joined);
}

bool Graph::assume(Bit condition) {
  const auto variables = support(&condition, 1);
  if (!variables || variables->empty()) return false;
  for (Care& c : care.sets) {
    if (!std::includes(c.variables.begin(), c.variables.end(), variables->begin(),
                       variables->end())) {
      continue;
    }
    const Truth holds = tabulate(&condition, 1, c.variables)[0];
    for (std::size_t w = 0; w < holds.size(); ++w) c.possible[w] &= holds[w];
    number_care();
    care.path.push_back(condition);
    return true;
  }
  return false;
}

// ------------------------------------------------------------------------------ integer words

Bits word(std::uint64_t value, unsigned width) {
  Bits bits(width);
  for (unsigned i = 0; i < width; ++i) bits[i] = i < 64 ? (value >> i) & 1 : 0;
  return bits;
}

Bits slice(const Bits& a, std::size_t from, std::size_t n) {
  if (from > a.size() || n > a.size() - from) throw Refusal("an operand of another width");
  return {a.begin() + static_cast<std::ptrdiff_t>(from),
          a.begin() + static_cast<std::ptrdiff_t>(from + n)};
}

Bits zero_extended(Bits a, std::size_t width) {
  a.resize(width, kFalse);
  return a;
}

Bits sign_extended(Bits a, std::size_t width) {
  const Bit sign = a.back();
  a.resize(width, sign);
  return a;
}

Bits bitwise_not(Bits a) {
  for (Bit& bit : a) bit ^= 1;
  return a;
}

Bits shifted_left(const Bits& a, std::size_t n) {
  Bits result(a.size(), kFalse);
  for (std::size_t i = n; i < a.size(); ++i) result[i] = a[i - n];
  return result;
}

Bits shifted_right(const Bits& a, std::size_t n) {
  Bits result(a.size(), kFalse);
  for (std::size_t i = n; i < a.size(); ++i) result[i - n] = a[i];
  return result;
}

Bits shifted_right_signed(const Bits& a, std::size_t n) {
  Bits result(a.size(), a.back());
  for (std::size_t i = n; i < a.size(); ++i) result[i - n] = a[i];
  return result;
}

Bits map2(const Bits& a, const Bits& b, const std::function<Bit(Bit, Bit)>& f) {
  if (a.size() != b.size()) throw Refusal("operands of two widths");
  Bits result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = f(a[i], b[i]);
  return result;
}

Bits select(Graph& g, Bit condition, const Bits& yes, const Bits& no) {
  return map2(yes, no, [&](Bit y, Bit n) { return g.mux(condition, y, n); });
}

Sum add(Graph& g, const Bits& a, const Bits& b, Bit carry_in) {
  Sum sum{Bits(a.size()), carry_in, kFalse};
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Bit differ = g.lxor(a[i], b[i]);
    sum.value[i] = g.lxor(differ, sum.carry);
    const Bit carry = g.mux(differ, sum.carry, a[i]);
    if (i + 1 == a.size()) sum.overflow = g.lxor(carry, sum.carry);
    sum.carry = carry;
  }
  return sum;
}

Bits subtract(Graph& g, const Bits& a, const Bits& b) {
  return add(g, a, bitwise_not(b), kTrue).value;
}

Bits multiply(Graph& g, const Bits& a, const Bits& b) {
  Bits result(a.size(), kFalse);
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (b[i] == kFalse) continue;
    Bits partial = shifted_left(a, i);
    for (Bit& bit : partial) bit = g.land(bit, b[i]);
    result = add(g, result, partial, kFalse).value;
  }
  return result;
}

Bit is_zero(Graph& g, const Bits& a) {
  Bit any = kFalse;
  for (const Bit bit : a) any = g.lor(any, bit);
  return any ^ 1;
}

Bit equal(Graph& g, const Bits& a, const Bits& b) {
  return is_zero(g, map2(a, b, [&](Bit x, Bit y) { return g.lxor(x, y); }));
}

Bit less_unsigned(Graph& g, const Bits& a, const Bits& b) {
  return add(g, a, bitwise_not(b), kTrue).carry ^ 1;
}

Bit less_signed(Graph& g, const Bits& a, const Bits& b) {
  const Sum difference = add(g, a, bitwise_not(b), kTrue);
  return g.lxor(difference.value.back(), difference.overflow);
}

Bits shifted_by(Graph& g, Bits a, const Bits& amount,
                const std::function<Bits(const Bits&, std::size_t)>& step) {
  for (std::size_t k = 0; k < amount.size(); ++k) {
    if (amount[k] == kFalse) continue;
    const std::size_t n = k < 10 ? std::min(std::size_t{1} << k, a.size()) : a.size();
    a = select(g, amount[k], step(a, n), a);
  }
  return a;
}

}  // namespace quantproof::proofs::machine_code
