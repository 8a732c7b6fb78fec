// SPDX-License-Identifier: Apache-2.0
#include "proofs/machine_code/floats.h"

#include <algorithm>
#include <bit>
#include <xmmintrin.h>

#include "quantproof/ref/half.h"

namespace quantproof::proofs::machine_code {

namespace {

constexpr unsigned kMagnitudeBits = 31;
constexpr std::size_t kFewVariables = 10;
// MXCSR: invalid, denormal, overflow, underflow, inexact have happened. Division by zero is not
// one of ours.
constexpr unsigned kHappened = 0x3Au;

// The values of `bits` for all assignments, one word each.
std::vector<std::uint64_t> values_of(Graph& g, const Bits& bits, const Variables& variables) {
  std::vector<std::uint64_t> values(std::size_t{1} << variables.size());
  const auto truths = g.tabulate(bits.data(), bits.size(), variables);
  for (std::size_t j = 0; j < truths.size() && j < 64; ++j) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] |= ((truths[j][i >> 6] >> (i & 63)) & 1) << j;
    }
  }
  return values;
}

Bits low_31(const Bits& a) { return slice(a, 0, kMagnitudeBits); }

}  // namespace

Magnitude magnitude_of(std::uint32_t bits) {
  const std::uint32_t exponent = (bits >> 23) & 255;
  std::uint64_t significand = bits & 0x7FFFFFu;
  if (exponent != 0) significand |= 0x800000u;
  if (significand == 0) return {};
  const int shift = std::countr_zero(significand);
  return {significand >> shift, static_cast<int>(exponent == 0 ? 1 : exponent) - 150 + shift};
}

Bits Floats::unknown_word(unsigned width) {
  Bits bits(width);
  for (Bit& bit : bits) bit = g_.unknown();
  return bits;
}

Bits Floats::selected(const Variables& variables, const std::vector<Bits>& leaves) {
  const Bits word = g_.chosen_by(variables, leaves);
  selections_[word] = {variables, leaves};
  return word;
}

Bits Floats::selected_product(const Variables& variables, const std::vector<Bits>& leaves) {
  const auto [it, fresh] = selected_products_.try_emplace(
      {variables, leaves}, static_cast<std::uint32_t>(selected_products_.size()));
  Bits word(32);
  for (unsigned j = 0; j < 32; ++j) word[j] = g_.selected_bit(it->second, j);
  if (fresh) selections_[word] = {variables, leaves};
  return word;
}

const Floats::Selection* Floats::selection(const Bits& word) const {
  const auto it = selections_.find(word);
  return it == selections_.end() ? nullptr : &it->second;
}

Bits Floats::tabulated(Operation operation, const std::vector<Bits>& operands, unsigned width) {
  const auto key = std::tuple{operation, operands, g_.care_version(operands)};
  if (const auto it = results_.find(key); it != results_.end()) return it->second;
  Bits all;
  for (const Bits& operand : operands) all.insert(all.end(), operand.begin(), operand.end());
  const auto variables = g_.support(all);
  if (!variables) {
    bool changed = false;
    std::vector<Bits> replaced = operands;
    for (Bits& operand : replaced) {
      if (!cut || g_.support(operand)) continue;
      if (const auto instead = cut(operand)) {
        operand = *instead;
        changed = true;
      }
    }
    if (changed) return tabulated(operation, replaced, width);
    if (allow_unknown) return results_[key] = unknown_word(width);
    throw Refusal("a float operation depends on more than 16 bits of the input");
  }
  std::vector<std::vector<std::uint64_t>> values;
  for (const Bits& operand : operands) values.push_back(values_of(g_, operand, *variables));
  values.resize(2, std::vector<std::uint64_t>(std::size_t{1} << variables->size()));
  const Truth& possible = g_.possible(*variables);
  std::vector<Truth> truths(width, Truth(possible.size()));
  std::vector<Graph::Listener::Point> points;
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(
      0x1F80u);  // as the ABI has it at a call: round to nearest, no flushing, nothing happened
  for (std::size_t i = 0; i < values[0].size(); ++i) {
    if (((possible[i >> 6] >> (i & 63)) & 1) == 0) continue;
    const std::uint64_t result = operation(values[0][i], values[1][i]);
    for (unsigned j = 0; j < width; ++j) truths[j][i >> 6] |= ((result >> j) & 1) << (i & 63);
    if (g_.listener != nullptr) points.push_back({{values[0][i], values[1][i]}, result});
  }
  all_exact_ = all_exact_ && (_mm_getcsr() & kHappened) == 0;
  _mm_setcsr(saved);
  for (std::size_t n = variables->size(); n < 6; ++n) {
    for (Truth& truth : truths) truth[0] |= truth[0] << (std::size_t{1} << n);
  }
  Bits result(width);
  for (unsigned j = 0; j < width; ++j) result[j] = g_.table(*variables, truths[j]);
  if (g_.listener != nullptr && !variables->empty()) {
    g_.listener->function(operands, std::move(points), result);
  }
  results_[key] = result;
  return result;
}

std::uint32_t Floats::intern(const Bits& magnitude) {
  const auto [it, fresh] =
      factor_index_.try_emplace(magnitude, static_cast<std::uint32_t>(factors_.size()));
  if (fresh) factors_.push_back(magnitude);
  return it->second;
}

std::optional<std::uint32_t> Floats::product_of(const Bits& magnitude) const {
  const auto& first = g_.node(magnitude[0]);
  bool product = first.kind == Graph::Kind::kProduct;
  for (unsigned j = 0; product && j < kMagnitudeBits; ++j) {
    const auto& n = g_.node(magnitude[j]);
    product =
        n.kind == Graph::Kind::kProduct && n.a == first.a && n.b == j && (magnitude[j] & 1) == 0;
  }
  if (!product) return std::nullopt;
  return first.a;
}

bool Floats::is_rounded(const Bits& magnitude) const {
  const auto product = product_of(magnitude);
  return product && rounded_.contains(*product);
}

std::vector<std::uint32_t> Floats::factor_ids(const Bits& magnitude) {
  if (const auto product = product_of(magnitude)) return products_[*product];
  if (!g_.support(magnitude)) return {};
  return {intern(magnitude)};
}

std::optional<std::vector<Bits>> Floats::factors(const Bits& magnitude) {
  std::vector<Bits> result;
  for (const std::uint32_t id : factor_ids(magnitude)) result.push_back(factors_[id]);
  if (result.empty()) return std::nullopt;
  return result;
}

const Floats::Range& Floats::range(std::uint32_t factor) {
  const auto [it, fresh] = ranges_.try_emplace({factor, g_.care_version({factors_[factor]})});
  Range& range = it->second;
  if (!fresh) return range;
  const Bits magnitude = factors_[factor];
  const auto variables = *g_.support(magnitude);
  const auto values = values_of(g_, magnitude, variables);
  const Truth& possible = g_.possible(variables);
  bool first = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (((possible[i >> 6] >> (i & 63)) & 1) == 0) continue;
    const auto bits = static_cast<std::uint32_t>(values[i]);
    const auto kind = bits < 0x7F800000u    ? Range::Kind::kFinite
                      : bits == 0x7F800000u ? Range::Kind::kInfinite
                                            : Range::Kind::kNan;
    if (!first && kind != range.kind) {
      ranges_.erase(it);
      throw Refusal("a float operand is finite for some scales of a class and not for others");
    }
    range.kind = kind;
    first = false;
    if (kind != Range::Kind::kFinite) continue;
    if (bits == 0) {
      range.any_zero = true;
      continue;
    }
    const Magnitude m = magnitude_of(bits);
    const auto width = static_cast<unsigned>(std::bit_width(m.significand));
    const int log = m.exponent + static_cast<int>(width) - 1;
    range.width = std::max(range.width, width);
    range.lowest = range.any_nonzero ? std::min(range.lowest, log) : log;
    range.highest = range.any_nonzero ? std::max(range.highest, log) : log;
    range.any_nonzero = true;
  }
  if (g_.listener != nullptr && !variables.empty()) g_.listener->range(magnitude, range);
  return range;
}

Bits Floats::multiplied(const Bits& a, const Bits& b) {
  for (const bool first : {true, false}) {
    if (selections_.empty()) break;
    const Selection* const found = selection(first ? a : b);
    if (found == nullptr) continue;
    Bits& known = selected_results_[{a, b, g_.care.version}];
    if (!known.empty()) return known;
    const Selection chosen = *found;
    std::vector<Bits> leaves;
    for (const Bits& leaf : chosen.leaves) {
      leaves.push_back(first ? multiplied(leaf, b) : multiplied(a, leaf));
    }
    return known = selected_product(chosen.variables, leaves);
  }
  Bits both = a;
  both.insert(both.end(), b.begin(), b.end());
  // Few values, or a constant factor: run it. Else it stays a product, which is as good.
  const auto joint = g_.support(both);
  const bool one_is_constant = g_.support(a) == joint || g_.support(b) == joint;
  if (joint && (one_is_constant || joint->size() <= kFewVariables)) {
    return tabulated(*float_operation("mulss"), {a, b}, 32);
  }
  try {
    return product(a, b);
  } catch (const Refusal&) {
    if (!joint) throw;
    return tabulated(*float_operation("mulss"), {a, b}, 32);
  }
}

Bits Floats::product(const Bits& a, const Bits& b) {
  std::vector<std::uint32_t> ids[2] = {factor_ids(low_31(a)), factor_ids(low_31(b))};
  if (is_rounded(low_31(a)) || is_rounded(low_31(b))) {
    throw Refusal("a product of a product that was rounded");
  }
  if (ids[0].empty() || ids[1].empty()) {
    if (allow_unknown) return unknown_word(32);
    throw Refusal("a factor depends on more than 16 bits of the input and is no product");
  }
  std::vector<Range> ranges[2];
  for (int k = 0; k < 2; ++k) {
    for (const std::uint32_t id : ids[k]) ranges[k].push_back(range(id));
  }
  for (int k = 0; k < 2; ++k) {  // the first NaN wins, as a quiet one, with its sign
    if (ranges[k].size() != 1 || ranges[k][0].kind != Range::Kind::kNan) continue;
    if (k == 1) {
      for (const Range& r : ranges[0]) {
        if (r.kind != Range::Kind::kFinite) throw Refusal("a product of infinities and NaNs");
      }
    }
    Bits nan = k == 0 ? a : b;
    nan[22] = kTrue;
    return nan;
  }
  const std::array<Bit, 2> signs = {a[31], b[31]};
  const bool few = g_.support(signs.data(), 2).has_value();
  const Bit sign =
      few ? g_.lxor(a[31], b[31]) : g_.lxor(g_.simplified(a[31]), g_.simplified(b[31]));
  bool infinite = false;
  unsigned width = 0;
  int lowest = 0;
  int highest = 0;
  for (const auto& side : ranges) {
    for (const Range& r : side) {
      if (r.kind == Range::Kind::kNan) throw Refusal("a product with a NaN inside");
      infinite = infinite || r.kind == Range::Kind::kInfinite;
      width += r.width;
      lowest += r.lowest;
      highest += r.highest + 1;
    }
  }
  if (infinite) {
    for (const auto& side : ranges) {
      for (const Range& r : side) {
        if (r.any_zero) throw Refusal("infinity times zero");
      }
    }
    Bits infinity = word(0x7F800000u, 32);
    infinity[31] = sign;
    return infinity;
  }
  // Exact: fits 24 bits, is normal or zero, does not overflow.
  const bool rounded = width > 24 && allow_rounding && highest < 128;
  if ((width > 24 && !rounded) || lowest < -126 || highest > 128) {
    throw Refusal("a multiplication may round: its operands have " + std::to_string(width) +
                  " significant bits together");
  }
  std::vector<std::uint32_t> joined = ids[0];
  joined.insert(joined.end(), ids[1].begin(), ids[1].end());
  const std::uint32_t one = intern(word(0x3F800000u, kMagnitudeBits));
  std::erase(joined, one);
  std::sort(joined.begin(), joined.end());
  Bits result(32);
  if (joined.empty()) joined.push_back(one);
  if (joined.size() == 1 && !rounded) {
    result = factors_[joined[0]];
    result.push_back(sign);
    return result;
  }
  const auto [it, fresh] =
      product_index_.try_emplace(joined, static_cast<std::uint32_t>(products_.size()));
  if (fresh) products_.push_back(joined);
  if (rounded) rounded_.insert(it->second);
  for (unsigned j = 0; j < kMagnitudeBits; ++j) result[j] = g_.product_bit(it->second, j);
  result[31] = sign;
  return result;
}

namespace {

template <class T>
T as(std::uint64_t bits) {
  if constexpr (sizeof(T) == 4) {
    return std::bit_cast<T>(static_cast<std::uint32_t>(bits));
  } else {
    return std::bit_cast<T>(bits);
  }
}

std::uint64_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

// The instruction itself, not what a compiler makes of an operator: which NaN comes out depends on
// the order of the operands.
#define QP_BINARY(name)                                   \
  [](std::uint64_t x, std::uint64_t y) -> std::uint64_t { \
    auto a = as<float>(x);                                \
    const auto b = as<float>(y);                          \
    asm volatile(name " %1, %0" : "+x"(a) : "x"(b));      \
    return bits_of(a);                                    \
  }

std::uint64_t compare(std::uint64_t x, std::uint64_t y) {
  bool carry = false;
  bool zero = false;
  bool parity = false;
  asm volatile("ucomiss %4, %3"
               : "=@ccc"(carry), "=@ccz"(zero), "=@ccp"(parity)
               : "x"(as<float>(x)), "x"(as<float>(y)));
  return static_cast<std::uint64_t>(carry) | static_cast<std::uint64_t>(zero) << 1 |
         static_cast<std::uint64_t>(parity) << 2;
}

}  // namespace

std::optional<Floats::Operation> float_operation(const std::string& name) {
  static const std::map<std::string, Floats::Operation> kOperations = {
      {"mulss", QP_BINARY("mulss")},
      {"addss", QP_BINARY("addss")},
      {"subss", QP_BINARY("subss")},
      {"divss", QP_BINARY("divss")},
      {"minss", QP_BINARY("minss")},
      {"maxss", QP_BINARY("maxss")},
      {"ucomiss", compare},
      {"cvtsi2ss",  // from 64 bits; 32 bits come in sign-extended
       [](std::uint64_t x, std::uint64_t) -> std::uint64_t {
         float a = 0;
         asm volatile("cvtsi2ssq %1, %0" : "+x"(a) : "r"(x));
         return bits_of(a);
       }},
      {"cvtps2dq",
       [](std::uint64_t x, std::uint64_t) -> std::uint64_t {
         std::uint32_t a = 0;
         asm volatile("cvtss2si %1, %0" : "=r"(a) : "x"(as<float>(x)));
         return a;
       }},
      {"cvttps2dq",
       [](std::uint64_t x, std::uint64_t) -> std::uint64_t {
         std::uint32_t a = 0;
         asm volatile("cvttss2si %1, %0" : "=r"(a) : "x"(as<float>(x)));
         return a;
       }},
      {"cvtph2ps",  // not on every CPU: the reference's widening, which quiets NaNs as it does
       [](std::uint64_t x, std::uint64_t) -> std::uint64_t {
         ref::Scale scale;
         ref::read_scale(QP_PROFILE_GGML, static_cast<std::uint16_t>(x), &scale);
         return ref::widen(scale);
       }},
  };
  const auto it = kOperations.find(name);
  if (it == kOperations.end()) return std::nullopt;
  return it->second;
}

#undef QP_BINARY

}  // namespace quantproof::proofs::machine_code
