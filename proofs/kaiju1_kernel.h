// SPDX-License-Identifier: Apache-2.0
//
// The proofs of fast/kaiju1-inl.h, as templates over a kernel: the shipped text, or one with a
// seeded mistake (kaiju1_mutants.cc).
#ifndef QUANTPROOF_PROOFS_KAIJU1_KERNEL_H_
#define QUANTPROOF_PROOFS_KAIJU1_KERNEL_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fast/kaiju1-inl.h"
#include "proofs/kaiju1_text.h"
#include "proofs/leech_lanes.h"
#include "proofs/obligation.h"
#include "proofs/symbolic.h"
#include "quantproof/kaiju1.h"
#include "quantproof/ref/kaiju1.h"

// ------------------------------------------------------------------- more operations on lanes

namespace quantproof::lanes {

// The `Tags` of fast/kaiju1-inl.h.
template <class W, std::size_t kLaneCount>
struct Kaiju1Tags {
  static constexpr std::size_t kLanes = kLaneCount;
  using Bytes = Tag<W, std::uint8_t, kLanes>;
  using UShorts = Tag<W, std::uint16_t, kLanes / 2>;
  using Longs = Tag<W, std::uint64_t, kLanes / 8>;
  template <class D>
  using V = VectorOf<D>;
  template <class D>
  using Half = Tag<typename D::Word, typename D::Lane, D::kCount / 2>;
};

// 16 bytes of a constant table to each block.
template <class W, std::size_t N>
Vector<W, std::uint8_t, N> LoadDup128(Tag<W, std::uint8_t, N>, const std::uint8_t* table) {
  return Vector<W, std::uint8_t, N>::make(
      [&](std::size_t i) { return Bits<W>::value(table[i % 16], 8); });
}

// Byte `index` of the sixteen from `bytes` on. Asks for a proof that the index is below 16.
inline z3::expr choose_byte(const z3::expr* bytes, const z3::expr& index) {
  const z3::expr known = index.simplify();
  if (known.is_numeral()) {
    const std::uint64_t i = known.get_numeral_uint64();
    if (i >= 16) throw Violation("an index is not below 16");
    return bytes[i];
  }
  Session& s = Session::current();
  s.require(z3::ult(index, s.value(16, 8)), "an index is not below 16");
  std::vector<z3::expr> rest(bytes, bytes + 16);
  for (unsigned bit = 0; bit < 4; ++bit) {
    const z3::expr set = index.extract(bit, bit) == s.value(1, 1);
    std::vector<z3::expr> half;
    for (std::size_t i = 0; i < rest.size(); i += 2) {
      half.push_back(z3::eq(rest[i], rest[i + 1]) ? rest[i] : z3::ite(set, rest[i + 1], rest[i]));
    }
    rest = half;
  }
  return rest[0];
}

template <std::size_t N>
Vector<z3::expr, std::uint8_t, N> TableLookupBytes(
    const Vector<z3::expr, std::uint8_t, N>& bytes,
    const Vector<z3::expr, std::uint8_t, N>& indices) {
  return Vector<z3::expr, std::uint8_t, N>::make(
      [&](std::size_t i) { return choose_byte(&bytes.lane(i / 16 * 16), indices.lane(i)); });
}

template <std::size_t N>
Vector<z3::expr, std::uint16_t, N> MulHigh(const Vector<z3::expr, std::uint16_t, N>& a,
                                           const Vector<z3::expr, std::uint16_t, N>& b) {
  return map(a, b, [](const z3::expr& x, const z3::expr& y) {
    return (z3::zext(x, 16) * z3::zext(y, 16)).extract(31, 16);
  });
}

}  // namespace quantproof::lanes

// ------------------------------------------------------------ more operations on weight vectors

namespace quantproof::symbolic {

template <std::size_t N>
struct SmallTag {};

// The `Tags` of ScaleRun.
template <class W, std::size_t kLaneCount>
struct ScaleTags {
  static constexpr std::size_t kLanes = kLaneCount;
  using Floats = Tag<W, Kind::kFloat, kLanes>;
  using Ints = Tag<W, Kind::kInt, kLanes>;
  using SmallInts = SmallTag<kLanes>;
};

// A byte as a number with sign, in 32 bits.
inline Uint32 extend_sign(const Byte& byte) { return Uint32(z3::sext(byte.term(), 24)); }
inline std::uint32_t extend_sign(std::uint8_t byte) {
  return static_cast<std::uint32_t>(static_cast<std::int8_t>(byte));
}

template <std::size_t N, class B>
std::array<B, N> LoadU(SmallTag<N>, const Pointer<const B>& bytes) {
  std::array<B, N> v;
  for (std::size_t i = 0; i < N; ++i) v[i] = bytes[i];
  return v;
}

template <class W, std::size_t N, class B>
Vector<W, Kind::kInt, N> PromoteTo(Tag<W, Kind::kInt, N>, const std::array<B, N>& bytes) {
  return make_lanes<W, Kind::kInt, N>([&](std::size_t i) { return extend_sign(bytes[i]); });
}

}  // namespace quantproof::symbolic

// --------------------------------------------------------------------------------- obligations

// The text in namespace quantproof::`where`.
#define QP_KAIJU1_KERNEL(Name, where)                                              \
  struct Name {                                                                    \
    template <std::size_t kLanes>                                                  \
    using Portable = where::HWY_NAMESPACE::PortableKaiju1Tags<kLanes>;             \
    template <class Float>                                                         \
    using ScaleThenStep = where::HWY_NAMESPACE::ScaleThenStep<Float>;              \
    template <class Float>                                                         \
    using ScaleWithStep = where::HWY_NAMESPACE::ScaleWithStep<Float>;              \
    template <class Tags>                                                          \
    static auto decode_points(const std::uint8_t* codes, std::uint8_t* x) {        \
      return where::HWY_NAMESPACE::DecodePoints<Tags>(codes, x);                   \
    }                                                                              \
    template <class Tags, class X, class Factors, class Out>                       \
    static void scale_run(X x, std::size_t count, const Factors& factors, Out o) { \
      where::HWY_NAMESPACE::ScaleRun<Tags>(x, count, factors, o);                  \
    }                                                                              \
  };

namespace quantproof::proofs {

using CodeBytes = std::array<std::uint8_t, kLeechCodeBytes>;

// What a processor says about seven bytes: "" where it shows no difference from the reference.
using CodeReplay = std::function<std::string(const CodeBytes&)>;

std::string code_text(const CodeBytes& code);
CodeBytes code_of_model(const z3::model& model, const std::vector<Term>& bytes);

// Replays seeded codes until one shows a difference. Returns what was seen, or "".
std::string search_code(const CodeReplay& replay);

// 3.5: for valid codes the sum of the residuals has the parity that text_of_code uses.
void prove_residual_parity(Obligation& o);

// Proves that `outputs`, 24 coordinates and a byte that is 0 iff the code is valid, are those of
// the text for all seven bytes of `code`, which are constants of the session.
bool prove_code(Obligation& o, symbolic::Session& session, const std::string& query,
                const std::vector<Term>& code, const std::vector<Term>& outputs,
                const CodeReplay& replay);

// The number of the pair of codes whose bytes are the only constants in `term`, if there is one.
// Pair p has bytes 14 p to 14 p + 13.
std::optional<std::size_t> only_pair(const Term& term, const std::vector<Term>& bytes);

// A kernel on portable vectors, with a code in every other lane between codes of the origin,
// against the reference: where they differ, or "".
template <class Kernel>
std::string replay_code(const CodeBytes& code) {
  constexpr std::size_t kLanes = 16;
  for (std::size_t first = 0; first < 2; ++first) {
    std::array<std::uint8_t, kLeechCodeBytes * kLanes + fast::HWY_NAMESPACE::kBatchPadding> bytes{};
    std::array<std::uint8_t, kLeechDimension * kLanes> x{};
    for (std::size_t c = 0; c < kLanes; ++c) {
      const CodeBytes& own = c % 2 == first ? code : kLeechCodeOrigin;
      std::copy(own.begin(), own.end(), &bytes[kLeechCodeBytes * c]);
    }
    const auto invalid = Kernel::template decode_points<typename Kernel::template Portable<kLanes>>(
        bytes.data(), x.data());
    for (std::size_t c = 0; c < kLanes; ++c) {
      const auto fields = unpack_leech_code<std::uint32_t>(&bytes[kLeechCodeBytes * c]);
      const bool valid = ref::check_leech_code(fields, nullptr) == QP_OK;
      const std::string lane = "lane " + std::to_string(c);
      if ((invalid.lane[c] == 0) != valid) return lane + (valid ? " refuses it" : " accepts it");
      if (!valid) continue;
      const auto point = ref::leech_code_point(fields);
      for (std::size_t i = 0; i < kLeechDimension; ++i) {
        const int got = static_cast<std::int8_t>(x[kLeechDimension * c + i]);
        if (got == point[i]) continue;
        return lane + ", coordinate " + std::to_string(i) + ": got " + std::to_string(got) +
               ", want " + std::to_string(point[i]);
      }
    }
  }
  return "";
}

// KAIJU1-KERNEL-1. The vectors compute with pairs of bytes. Lanes 0 and 1 are proved with vectors
// of 16 codes. Each other pair of lanes, also of wider vectors, must compute the same terms of
// other bytes: what holds for all bytes of the first pair then holds for it.
template <class Kernel>
class PointsProof {
 public:
  static constexpr std::size_t kMostLanes = 64;
  static constexpr std::size_t kPairBytes = 2 * kLeechCodeBytes;

  PointsProof(Obligation& o, CodeReplay replay) : o_(o), replay_(std::move(replay)) {
    workspace_.add_array(codes_.data(), codes_.size(), "codes");
    for (std::size_t i = 0; i < codes_.size(); ++i) {
      bytes_.push_back(session_.constant("b" + std::to_string(i), 8));
      workspace_.element(&codes_[i], 1) = bytes_[i];
    }
  }

  // False at the first thing that is not so; o_ says what.
  template <std::size_t kLanes>
  bool prove() {
    using Tags = lanes::Kaiju1Tags<Term, kLanes>;
    workspace_.add_array(points_.data(), kLeechDimension * kLanes, "points");
    const auto invalid = Kernel::template decode_points<Tags>(codes_.data(), points_.data());
    const std::string query = "lanes_" + std::to_string(kLanes);
    if (!prove_conditions(query)) return false;
    for (std::size_t c = 0; c < kLanes; ++c) {
      std::vector<Term> outputs;
      for (std::size_t i = 0; i < kLeechDimension; ++i) {
        outputs.push_back(workspace_.read(&points_[kLeechDimension * c + i], 1));
      }
      outputs.push_back(invalid.lane(c));
      if (proved_[c % 2].empty()) {
        const auto at = bytes_.begin() + static_cast<std::ptrdiff_t>(kLeechCodeBytes * c);
        const std::string code = query + ".code_" + std::to_string(c);
        if (!prove_code(o_, session_, code, {at, at + kLeechCodeBytes}, outputs, replay_)) {
          return false;
        }
        proved_[c % 2] = outputs;
      }
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (!o_.check(z3::eq(as_first_pair(outputs[i], c / 2), proved_[c % 2][i]),
                      query + ": output " + std::to_string(i) + " of lane " + std::to_string(c) +
                          " is another term than that of lane " + std::to_string(c % 2))) {
          return false;
        }
      }
    }
    return true;
  }

 private:
  Term as_first_pair(Term term, std::size_t pair) {
    z3::expr_vector own(session_.z3);
    z3::expr_vector first(session_.z3);
    for (std::size_t t = 0; t < kPairBytes; ++t) {
      own.push_back(bytes_[kPairBytes * pair + t]);
      first.push_back(bytes_[t]);
    }
    return term.substitute(own, first);
  }

  bool prove_conditions(const std::string& query) {
    for (const auto& condition : session_.take_conditions()) {
      const auto pair = only_pair(condition.holds, bytes_);
      const Term needed = pair ? as_first_pair(condition.holds, *pair) : condition.holds;
      const bool known = std::any_of(conditions_.begin(), conditions_.end(),
                                     [&](const Term& other) { return z3::eq(other, needed); });
      if (known) continue;
      conditions_.push_back(needed);
      if (!o_.prove(session_, query + ".condition_" + std::to_string(conditions_.size()),
                    Obligation::Logic::kBitVectors, needed,
                    [&](const z3::model&) { return condition.what; })) {
        return false;
      }
    }
    return true;
  }

  Obligation& o_;
  CodeReplay replay_;
  symbolic::Session session_;
  lanes::Workspace workspace_;
  std::array<std::uint8_t, kLeechCodeBytes * kMostLanes + fast::HWY_NAMESPACE::kBatchPadding>
      codes_{};
  std::array<std::uint8_t, kLeechDimension * kMostLanes> points_{};
  std::vector<Term> bytes_;
  std::vector<Term> conditions_;  // proved
  std::vector<Term> proved_[2];   // outputs of lanes 0 and 1
};

// KAIJU1-KERNEL-2: each of `count` weights is the term of kaiju1.md 4.3, whatever multiplication
// and conversion are; with a step that is in the scale, without the last product.
template <class Kernel, std::size_t kLanes>
bool prove_scale_run(Obligation& o, std::size_t count) {
  using Word = symbolic::Uint32;
  using Float = symbolic::Float<Word>;
  symbolic::Session session;
  std::vector<symbolic::Byte> x;
  for (std::size_t i = 0; i < count; ++i) {
    x.emplace_back(session.constant("x" + std::to_string(i), 8));
  }
  const symbolic::Pointer<const symbolic::Byte> from(x.data(), count, "coordinates");
  const Word scale(session.constant("scale", 32));
  const Word step(session.constant("step", 32));
  const auto same = [&](const std::vector<Float>& out, bool with_step) {
    for (std::size_t i = 0; i < count; ++i) {
      const Word point = symbolic::float_of_int(symbolic::extend_sign(x[i]));
      const Word product = symbolic::multiply_floats(scale, point);
      const Word want = with_step ? symbolic::multiply_floats(product, step) : product;
      if (!o.check(z3::eq(out[i].bits.term(), want.term()),
                   "weight " + std::to_string(i) + " of " + std::to_string(count) + " in " +
                       std::to_string(kLanes) + " lanes is another product")) {
        return false;
      }
    }
    return true;
  };
  using Tags = symbolic::ScaleTags<Word, kLanes>;
  std::vector<Float> out(count);
  const symbolic::Pointer<Float> to(out.data(), count, "weights");
  Kernel::template scale_run<Tags>(
      from, count, typename Kernel::template ScaleThenStep<Float>{Float{scale}, Float{step}}, to);
  if (!same(out, true)) return false;
  out.assign(count, Float{});
  Kernel::template scale_run<Tags>(
      from, count, typename Kernel::template ScaleWithStep<Float>{Float{scale}}, to);
  return same(out, false);
}

// ScaleRun of a kernel, evaluated with 8 lanes, against C++: where they differ, or "".
template <class Kernel>
std::string replay_run() {
  using Float = symbolic::Float<std::uint32_t>;
  using Tags = symbolic::ScaleTags<std::uint32_t, 8>;
  constexpr std::size_t kCount = 29;
  const float scale = 0.7F;
  const float step = 1.0F / 3.0F;
  const Float scale_bits{std::bit_cast<std::uint32_t>(scale)};
  const Float step_bits{std::bit_cast<std::uint32_t>(step)};
  std::array<std::uint8_t, kCount> x{};
  for (std::size_t i = 0; i < kCount; ++i) x[i] = static_cast<std::uint8_t>(i % 21 - 10);
  const symbolic::Pointer<const std::uint8_t> from(x.data(), kCount, "coordinates");
  std::array<Float, kCount> with_step{};
  std::array<Float, kCount> without{};
  Kernel::template scale_run<Tags>(
      from, kCount, typename Kernel::template ScaleThenStep<Float>{scale_bits, step_bits},
      symbolic::Pointer<Float>(with_step.data(), kCount, "weights"));
  Kernel::template scale_run<Tags>(from, kCount,
                                   typename Kernel::template ScaleWithStep<Float>{scale_bits},
                                   symbolic::Pointer<Float>(without.data(), kCount, "weights"));
  for (std::size_t i = 0; i < kCount; ++i) {
    const float product = scale * static_cast<float>(static_cast<std::int8_t>(x[i]));
    for (const auto& [bits, want] :
         {std::pair(with_step[i].bits, product * step), std::pair(without[i].bits, product)}) {
      if (bits == std::bit_cast<std::uint32_t>(want)) continue;
      return "weight " + std::to_string(i) + ": got " + std::to_string(std::bit_cast<float>(bits)) +
             ", want " + std::to_string(want);
    }
  }
  return "";
}

}  // namespace quantproof::proofs

#endif
