// SPDX-License-Identifier: Apache-2.0
#include "proofs/iq3_block.h"

#include <array>
#include <cstdio>

namespace quantproof::proofs {

using symbolic::Byte;
using symbolic::Session;
using symbolic::Uint32;
using symbolic::Violation;

std::string hex(std::uint32_t value, int digits) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "0x%0*X", digits, value);
  return text.data();
}

std::string hex(const Block& block) {
  std::string text;
  for (const std::uint8_t byte : block) text += hex(byte, 2).substr(2);
  return text;
}

SymbolicBlock SymbolicBlock::any(Session& session) {
  SymbolicBlock block;
  for (std::size_t i = 0; i < kBlockBytes; ++i) {
    std::string name = "b";
    name += std::to_string(i);
    block.data()[i] = Byte(session.constant(name, 8));
  }
  return block;
}

void SymbolicBlock::expect_written() const {
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    const bool inside = i >= kGuardBytes && i < kGuardBytes + kBlockBytes;
    if (bytes_[i].determinate() == inside) continue;
    const auto at = static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(kGuardBytes);
    throw Violation(inside ? "byte " + std::to_string(at) + " of the block is never written"
                           : "byte " + std::to_string(at) + ", outside the block, is written");
  }
}

Block SymbolicBlock::value(const z3::model& model) const {
  Block block{};
  for (std::size_t i = 0; i < kBlockBytes; ++i) {
    block[i] = static_cast<std::uint8_t>(number(model, data()[i].term()));
  }
  return block;
}

z3::expr SymbolicBlock::same_bytes(Session& session, const SymbolicBlock& other) const {
  std::vector<z3::expr> terms;
  for (std::size_t i = 0; i < kBlockBytes; ++i) {
    terms.push_back(data()[i].term() == other.data()[i].term());
  }
  return session.all(terms);
}

std::uint32_t number(const z3::model& model, const z3::expr& term) {
  return static_cast<std::uint32_t>(model.eval(term, true).get_numeral_uint64());
}

Uint32 weight(const FiniteScale& scale, const Uint32& multiplier, const Uint32& magnitude,
              const symbolic::Bool& negative, int /*value_shift*/) {
  const Uint32 sign = Select(negative, 0x80000000u, 0u);
  return multiply_floats(multiply_floats(scale.d, float_of_int(multiplier)), magnitude | sign);
}

Uint32 weight(const NonFiniteScale& scale, const Uint32& /*multiplier*/,
              const Uint32& /*magnitude*/, const symbolic::Bool& negative, int /*value_shift*/) {
  return scale.bits ^ Select(negative, 0x80000000u, 0u);
}

Uint32 ReferenceCodebook::Row::operator[](std::size_t j) const {
  Session& s = Session::current();
  if (j >= kRowWeights) throw Violation("a codebook row has four magnitudes");
  s.require(z3::ult(index_.term(), s.value(kCodebookRows, 32)), "the codebook has 256 rows");
  return codebook_->element(z3::concat(index_.term().extract(7, 0), s.value(0, 2)), j);
}

void check_non_finite_weights(Obligation& o, int value_shift) {
  for (std::uint32_t half = 0; half < 0x10000; ++half) {
    if ((half & 0x7C00u) != 0x7C00u) continue;
    for (const qp_profile profile : {QP_PROFILE_GGML, QP_PROFILE_COLIBRI}) {
      ref::Scale scale;
      const qp_status status = ref::read_scale(profile, static_cast<std::uint16_t>(half), &scale);
      const std::uint32_t bits = fast::WidenScale(profile, half);
      bool same = status == QP_OK && bits == ref::widen(scale);
      for (std::uint32_t s = 0; s < 16; ++s) {
        for (const std::uint8_t magnitude : kLevelMagnitude) {
          for (const bool negative : {false, true}) {
            const std::uint32_t want = bits ^ (negative ? 0x80000000u : 0u);
            same = same && ref::weight(scale, ref::scale_multiplier(s), magnitude, negative,
                                       value_shift) == want;
          }
        }
      }
      o.check(same, "weights of scale " + hex(half, 4));
    }
  }
}

const z3::expr& SymbolicWeights::operator[](std::size_t i) const {
  try {
    return weights_[i].bits.term();
  } catch (const Violation&) {
    throw Violation("weight " + std::to_string(i) + " is never written");
  }
}

namespace {

// Implies a == b, and is easier: applications of the same uninterpreted function are equal when
// their arguments are.
z3::expr congruent(const z3::expr& a, const z3::expr& b) {
  const bool same_function = a.is_app() && b.is_app() && a.num_args() > 0 &&
                             a.decl().decl_kind() == Z3_OP_UNINTERPRETED &&
                             z3::eq(a.decl(), b.decl());
  if (!same_function) return a == b;
  z3::expr all = congruent(a.arg(0), b.arg(0));
  for (unsigned i = 1; i < a.num_args(); ++i) all = all && congruent(a.arg(i), b.arg(i));
  return all;
}

}  // namespace

std::vector<z3::expr> same_weights(const SymbolicWeights& got,
                                   const std::array<Uint32, kBlockWeights>& want) {
  std::vector<z3::expr> terms;
  for (std::size_t i = 0; i < kBlockWeights; ++i) {
    terms.push_back(congruent(got[i], want[i].term()));
  }
  return terms;
}

void prove_weights(Obligation& o, Session& session, const std::string& query,
                   const std::vector<z3::expr>& weights, const SymbolicBlock& block,
                   const Witness& witness) {
  Evidence evidence;
  const auto explain = [&](const z3::model& model) {
    evidence = witness(block.value(model));
    return evidence.text;
  };
  const auto ask = [&](const std::string& part, std::size_t first, std::size_t count) {
    const auto begin = weights.begin() + static_cast<std::ptrdiff_t>(first);
    const std::vector<z3::expr> some(begin, begin + static_cast<std::ptrdiff_t>(count));
    return o.prove(session, query + part, Obligation::Logic::kBitVectors, session.all(some),
                   explain);
  };
  for (std::size_t ib = 0; ib < kSubblocks && !evidence.differs; ++ib) {
    const std::size_t first = kSubblockWeights * ib;
    if (ask(".subblock_" + std::to_string(ib), first, kSubblockWeights)) continue;
    if (!o.failed()) return;  // refused
    for (std::size_t i = first; i < first + kSubblockWeights && !evidence.differs; ++i) {
      ask(".weight_" + std::to_string(i), i, 1);
    }
  }
}

Iq3Fields<Uint32> any_fields(Session& session) {
  const auto any = [&](const std::string& name, unsigned bits) {
    return Uint32(z3::zext(session.constant(name, bits), 32 - bits));
  };
  Iq3Fields<Uint32> fields;
  fields.scale = any("scale", 16);
  for (std::size_t k = 0; k < kIndices; ++k) fields.index[k] = any("index" + std::to_string(k), 8);
  for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
    for (std::size_t l = 0; l < kGroupsPerSubblock; ++l) {
      fields.sign_field[ib][l] =
          any("sign_field" + std::to_string(kGroupsPerSubblock * ib + l), kSignFieldBits);
    }
    fields.scale_code[ib] = any("scale_code" + std::to_string(ib), 4);
  }
  return fields;
}

namespace {

template <class Int>
std::vector<Int> list(const Iq3Fields<Int>& fields) {
  std::vector<Int> all = {fields.scale};
  all.insert(all.end(), fields.index.begin(), fields.index.end());
  for (const auto& four : fields.sign_field) all.insert(all.end(), four.begin(), four.end());
  all.insert(all.end(), fields.scale_code.begin(), fields.scale_code.end());
  return all;
}

}  // namespace

z3::expr same_fields(Session& session, const Iq3Fields<Uint32>& a, const Iq3Fields<Uint32>& b) {
  const auto left = list(a);
  const auto right = list(b);
  std::vector<z3::expr> terms;
  for (std::size_t i = 0; i < left.size(); ++i) terms.push_back(left[i].term() == right[i].term());
  return session.all(terms);
}

Iq3Fields<std::uint32_t> value(const z3::model& model, const Iq3Fields<Uint32>& fields) {
  Iq3Fields<std::uint32_t> numbers;
  numbers.scale = number(model, fields.scale.term());
  for (std::size_t k = 0; k < kIndices; ++k)
    numbers.index[k] = number(model, fields.index[k].term());
  for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
    for (std::size_t l = 0; l < kGroupsPerSubblock; ++l) {
      numbers.sign_field[ib][l] = number(model, fields.sign_field[ib][l].term());
    }
    numbers.scale_code[ib] = number(model, fields.scale_code[ib].term());
  }
  return numbers;
}

}  // namespace quantproof::proofs
