// SPDX-License-Identifier: Apache-2.0
#include "proofs/machine_code/iq3_queries.h"

#include <algorithm>
#include <bit>
#include <set>

#include "fmt/format.h"

#include "quantproof/iq3_codebook.h"

namespace quantproof::proofs::machine_code {

namespace {

using Term = SmtScript::Term;

constexpr unsigned kMagnitudeBits = 31;
constexpr unsigned kFractionBits = 23;
constexpr int kExponentBias = 150;   // of a significand that is an integer
constexpr unsigned kScaleBits = 40;  // a finite binary16 in units of 2^-24

std::vector<Term> terms_of(SmtScript* script, const Bits& bits) {
  std::vector<Term> terms;
  for (const Bit bit : bits) terms.push_back(script->bit(bit));
  return terms;
}

std::string constant_word(std::uint64_t value, unsigned width) {
  return fmt::format("(_ bv{} {})", value, width);
}

std::string widened(const std::string& word, unsigned from, unsigned to) {
  return from == to ? word : fmt::format("((_ zero_extend {}) {})", to - from, word);
}

}  // namespace

// half.md 1.2
Term Iq3Queries::scales(SmtScript* script, const Variables& scale, Scales scales) {
  Term top = SmtScript::kYes;
  for (unsigned j = 10; j < 15; ++j) top = script->both(script->variable(scale[j]), top);
  Term fraction = SmtScript::kNo;
  for (unsigned j = 0; j < 10; ++j) fraction = script->either(script->variable(scale[j]), fraction);
  switch (scales) {
    case Scales::kFinite:
      return top ^ 1;
    case Scales::kInfinite:
      return script->both(top, fraction ^ 1);
    case Scales::kNan:
      return script->both(top, fraction);
    case Scales::kNotFinite:
      return top;
    case Scales::kAny:
      break;
  }
  return SmtScript::kYes;
}

void Iq3Queries::write(const std::string& kind, SmtScript* script, const std::string& violated) {
  // What is assumed of the scales that occur. Less would do: an assumption that is left out makes a
  // statement stronger.
  for (const auto& [scale, class_of] : blocks_) {
    const bool used =
        std::any_of(scale.begin(), scale.end(), [&](std::uint32_t v) { return script->uses(v); });
    if (!used) continue;
    script->assume(scales(script, scale, class_of));
    for (const Bit condition : g_.care.path) {
      const auto of = g_.support(&condition, 1);
      if (of && std::includes(scale.begin(), scale.end(), of->begin(), of->end())) {
        script->assume(script->bit(condition));
      }
    }
  }
  const std::string text = script->text(violated);
  auto& known = (*written_)[kind];
  const auto [it, fresh] = known.try_emplace(text);
  if (!fresh) return;
  it->second = fmt::format("{}_{:04}", kind, known.size());
  o_.write_export(it->second + ".smt2", fmt::format("(set-logic QF_BV)\n; first met: {}\n{}{}",
                                                    where_, script->legend(), text));
}

void Iq3Queries::equal(const std::string& kind, const std::vector<std::pair<Bit, Bit>>& pairs) {
  SmtScript script(g_);
  Term violated = SmtScript::kNo;
  for (const auto& [got, want] : pairs) {
    if (got == want) continue;  // one term
    violated = script.either(script.differ(script.bit(got), script.bit(want)), violated);
  }
  if (violated != SmtScript::kNo) write(kind, &script, script.reference(violated));
}

void Iq3Queries::constant(Bit bit, bool value) {
  equal("constant", {{bit, value ? kTrue : kFalse}});
}

void Iq3Queries::function(const std::vector<Bits>& operands, std::vector<Point> points,
                          const Bits& result) {
  const auto less = [](const Point& a, const Point& b) {
    return a.at[1] != b.at[1] ? a.at[1] < b.at[1] : a.at[0] < b.at[0];
  };
  std::sort(points.begin(), points.end(), less);
  points.erase(std::unique(points.begin(), points.end(),
                           [](const Point& a, const Point& b) { return a.at == b.at; }),
               points.end());
  SmtScript script(g_);
  std::vector<Term> arguments;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    arguments.resize(64 * k, SmtScript::kNo);
    for (const Term term : terms_of(&script, operands[k])) arguments.push_back(term);
  }
  Term violated = script.is_listed(arguments, points) ^ 1;
  for (unsigned j = 0; j < result.size(); ++j) {
    violated = script.either(
        script.differ(script.value_of(arguments, points, j), script.bit(result[j])), violated);
  }
  if (violated != SmtScript::kNo) write("table", &script, script.reference(violated));
}

void Iq3Queries::range(const Bits& magnitude, const MagnitudeRange& range) {
  SmtScript script(g_);
  const std::string m = script.word("m", terms_of(&script, magnitude));
  std::string holds;
  switch (range.kind) {
    case MagnitudeRange::Kind::kInfinite:
      holds = fmt::format("(= {} {})", m, constant_word(0x7F800000u, kMagnitudeBits));
      break;
    case MagnitudeRange::Kind::kNan:
      holds = fmt::format("(bvugt {} {})", m, constant_word(0x7F800000u, kMagnitudeBits));
      break;
    case MagnitudeRange::Kind::kFinite: {
      // A normal number from 2^lowest on and below 2^(highest + 1), of at most `width` significant
      // bits. Zeros only where they were found.
      std::string nonzero = "false";
      if (range.any_nonzero) {
        const auto exponent = [](int log) {
          return constant_word(static_cast<std::uint64_t>(log + 127), 8);
        };
        const std::string e = fmt::format("((_ extract 30 23) {})", m);
        nonzero = fmt::format("(and (bvuge {} {}) (bvule {} {})", e, exponent(range.lowest), e,
                              exponent(range.highest));
        const unsigned zeros = kFractionBits + 1 - range.width;
        if (zeros > 0) {
          nonzero +=
              fmt::format(" (= ((_ extract {} 0) {}) {})", zeros - 1, m, constant_word(0, zeros));
        }
        nonzero += ")";
      }
      holds = range.any_zero
                  ? fmt::format("(or (= {} {}) {})", m, constant_word(0, kMagnitudeBits), nonzero)
                  : nonzero;
      break;
    }
  }
  write("range", &script, "(not " + holds + ")");
}

void Iq3Queries::product(const std::vector<Bits>& factors,
                         const std::vector<std::pair<unsigned, unsigned>>& exponents,
                         const std::vector<std::pair<int, Variables>>& fields, std::size_t element,
                         const Ratio& ratio) {
  SmtScript script(g_);
  // Both sides as integers: have 2^have_exponent = want 2^want_exponent ratio.
  struct Part {
    std::string word;
    unsigned width;
  };
  std::vector<Part> have;
  std::vector<Part> want;
  int shift = -ratio.exponent;
  std::string violated = "(or";
  for (std::size_t k = 0; k < factors.size(); ++k) {
    const auto [least, greatest] = exponents[k];
    const std::string f = script.word(fmt::format("f{}", k), terms_of(&script, factors[k]));
    const std::string e = fmt::format("((_ extract 30 23) {})", f);
    const unsigned width = kFractionBits + 1 + (greatest - least);
    const std::string zero = fmt::format("(= {} {})", f, constant_word(0, kMagnitudeBits));
    const std::string value = script.let(
        fmt::format("v{}", k),
        fmt::format(
            "(ite {} {} (bvshl {} {}))", zero, constant_word(0, width),
            widened(fmt::format("(concat #b1 ((_ extract 22 0) {}))", f), kFractionBits + 1, width),
            widened(fmt::format("(bvsub {} {})", e, constant_word(least, 8)), 8, width)));
    // Neither subnormal nor infinite, and in the range that the integers have room for.
    violated += fmt::format(" (and (not {}) (or (bvult {} {}) (bvugt {} {})))", zero, e,
                            constant_word(std::max(least, 1u), 8), e,
                            constant_word(std::min(greatest, 254u), 8));
    have.push_back({value, width});
    shift += static_cast<int>(least) - kExponentBias;
  }
  have.push_back({constant_word(ratio.denominator, 64), 64});
  for (const auto& [field, variables] : fields) {
    std::vector<Term> bits;
    for (const std::uint32_t v : variables) bits.push_back(script.variable(v));
    if (field == 0) {  // half.md 1.2 and 3, in units of 2^-24
      script.word("scale", bits);
      const std::string m = widened("((_ extract 9 0) scale)", 10, kScaleBits);
      const std::string e = "((_ extract 14 10) scale)";
      const std::string normal = fmt::format("(bvadd {} {})", constant_word(1024, kScaleBits), m);
      const std::string small =
          profile_ != QP_PROFILE_COLIBRI
              ? m
              : fmt::format("(ite (= {} {}) {} {})", m, constant_word(0, kScaleBits), m, normal);
      const std::string d = script.let(
          "d", fmt::format("(ite (= {} #b00000) {} (bvshl {} {}))", e, small, normal,
                           widened(fmt::format("(bvsub {} #b00001)", e), 5, kScaleBits)));
      want.push_back({d, kScaleBits});
      shift += 24;
    } else if (field == 1) {  // 4.3
      std::vector<Term> odd = {SmtScript::kYes};
      odd.insert(odd.end(), bits.begin(), bits.end());
      want.push_back({script.word("multiplier", odd), 5});
    } else {  // 4.1
      script.word("row", bits);
      std::string& g = codebook_[element];
      if (g.empty()) {
        g = constant_word(kIq3Codebook[255][element], 6);
        for (unsigned row = 255; row-- > 0;) {
          g = fmt::format("(ite (= row {}) {} {})", constant_word(row, 8),
                          constant_word(kIq3Codebook[row][element], 6), g);
        }
      }
      want.push_back({script.let("g", g), 6});
    }
  }
  want.push_back({constant_word(ratio.numerator, 64), 64});
  // have 2^shift = want, on whichever side the shift is to the left.
  const auto width_of = [](const std::vector<Part>& parts, int left) {
    unsigned width = left > 0 ? static_cast<unsigned>(left) : 0;
    for (const Part& part : parts) width += part.width;
    return width;
  };
  const unsigned width = std::max(width_of(have, shift), width_of(want, -shift));
  const auto side = [&](const std::vector<Part>& parts, int left) {
    std::string product;
    for (const Part& part : parts) {
      const std::string factor = widened(part.word, part.width, width);
      product = product.empty() ? factor : fmt::format("(bvmul {} {})", product, factor);
    }
    return left <= 0 ? product
                     : fmt::format("(bvshl {} {})", product,
                                   constant_word(static_cast<std::uint64_t>(left), width));
  };
  violated += fmt::format(" (not (= {} {})))", side(have, shift), side(want, -shift));
  write("product", &script, violated);
}

void Iq3Queries::ratios(const std::vector<Ratio>& all, int shift) {
  SmtScript script(g_);
  const auto width = static_cast<unsigned>(64 * all.size());
  std::string numerator = constant_word(1, width);
  std::string denominator = numerator;
  std::string exponent = constant_word(static_cast<std::uint32_t>(shift), 32);
  for (const Ratio& ratio : all) {
    numerator = fmt::format("(bvmul {} {})", numerator, constant_word(ratio.numerator, width));
    denominator =
        fmt::format("(bvmul {} {})", denominator, constant_word(ratio.denominator, width));
    exponent = fmt::format("(bvadd {} {})", exponent,
                           constant_word(static_cast<std::uint32_t>(ratio.exponent), 32));
  }
  write("ratio", &script,
        fmt::format("(not (and (= {} {}) (= {} {})))", numerator, denominator, exponent,
                    constant_word(0, 32)));
}

}  // namespace quantproof::proofs::machine_code
