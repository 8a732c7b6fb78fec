// SPDX-License-Identifier: Apache-2.0
//
// OPS-CONFORM-1. Each vector operation of symbolic.h, computed with W = std::uint32_t, and of
// leech_lanes.h and kaiju1_kernel.h, with W = Number, against Highway's on every level that was
// compiled and that this CPU runs. Then the scalar operations of the symbolic words against C++.
#include "fast/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "proofs/conformance.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h:
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fast/codebook.h"
#include "fast/iq3_block-inl.h"
#include "proofs/conformance.h"
#include "proofs/leech_conformance-inl.h"
#include "proofs/symbolic.h"
#include "quantproof/e8_iq3.h"
#include "quantproof/iq3_xxs.h"

HWY_BEFORE_NAMESPACE();
namespace quantproof {
namespace proofs {
namespace HWY_NAMESPACE {

namespace kernel = fast::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;
namespace sy = symbolic;

using Word = std::uint32_t;
using Tags = kernel::NativeTags;

// Runs both sides on the same lanes and counts.
class Checker {
 public:
  static constexpr std::size_t kN = Tags::kLanes;
  using Evaluated = sy::Tags<Word, kN>;
  template <sy::Kind kKind>
  using Lanes = sy::Vector<Word, kKind, kN>;
  using Bits = std::array<Word, kN>;

  explicit Checker(Conformance* report) : report_(report) {}

  template <std::size_t n>
  void same(const char* operation, const std::array<Word, n>& got,
            const std::array<Word, n>& want) {
    report_->comparisons += n;
    for (std::size_t i = 0; i < n; ++i) {
      if (got[i] == want[i] || !report_->mismatch.empty()) continue;
      report_->mismatch = std::string(operation) + ", lane " + std::to_string(i) + ": processor " +
                          std::to_string(got[i]) + ", symbolic " + std::to_string(want[i]);
    }
  }

  // The lanes of a Highway vector, as bits.
  template <class D, class V>
  static Bits bits(D d, V v) {
    static_assert(sizeof(hn::TFromD<D>) == 4);
    std::array<hn::TFromD<D>, kN> lanes{};
    hn::StoreU(v, d, lanes.data());
    return std::bit_cast<Bits>(lanes);
  }
  template <class D>
  static hn::Vec<D> vector(D d, const Bits& lanes) {
    return hn::LoadU(d, std::bit_cast<std::array<hn::TFromD<D>, kN>>(lanes).data());
  }

  void bitwise(const Bits& a, const Bits& b) {
    const Tags::Masks du;
    const auto x = vector(du, a);
    const auto y = vector(du, b);
    const Lanes<sy::Kind::kUint> p{a};
    const Lanes<sy::Kind::kUint> q{b};
    same("And", bits(du, hn::And(x, y)), And(p, q).lane);
    same("Or", bits(du, hn::Or(x, y)), Or(p, q).lane);
    same("Xor", bits(du, hn::Xor(x, y)), Xor(p, q).lane);
    same("Sub", bits(du, hn::Sub(x, y)), Sub(p, q).lane);
    // Magnitudes: the sign bit is 0, as CopySignToAbs asks.
    Bits magnitude = a;
    for (Word& lane : magnitude) lane &= 0x7FFFFFFFu;
    const Tags::Floats df;
    const Lanes<sy::Kind::kFloat> m{magnitude};
    same("CopySignToAbs", bits(df, hn::CopySignToAbs(vector(df, magnitude), hn::BitCast(df, y))),
         CopySignToAbs(m, BitCast(typename Evaluated::Floats(), q)).lane);
    same("BitCast", bits(df, hn::BitCast(df, x)), BitCast(typename Evaluated::Floats(), p).lane);
    const hn::Rebind<std::int32_t, Tags::Masks> di;
    same("BitCast to int", bits(di, hn::BitCast(di, x)),
         BitCast(sy::Tag<Word, sy::Kind::kInt, kN>(), p).lane);
  }

  template <int kBits>
  void shift(const Bits& a) {
    const Tags::Masks du;
    const auto x = vector(du, a);
    const Lanes<sy::Kind::kUint> p{a};
    same("ShiftLeft", bits(du, hn::ShiftLeft<kBits>(x)), ShiftLeft<kBits>(p).lane);
    same("ShiftRight", bits(du, hn::ShiftRight<kBits>(x)), ShiftRight<kBits>(p).lane);
    Bits amounts{};
    for (std::size_t i = 0; i < kN; ++i) amounts[i] = (kBits + static_cast<Word>(i)) % 32;
    same("Shl", bits(du, hn::Shl(x, vector(du, amounts))),
         Shl(p, Lanes<sy::Kind::kUint>{amounts}).lane);
  }

  template <int... kBits>
  void shifts(const Bits& a, std::integer_sequence<int, kBits...>) {
    (shift<kBits>(a), ...);
  }

  // Operands whose product and integers whose conversion the kernels meet, and any others that are
  // finite: the exact cases, and rounding to nearest too.
  void arithmetic(const Bits& a, const Bits& b) {
    const Tags::Floats df;
    const hn::Rebind<std::int32_t, Tags::Masks> di;
    same("Mul", bits(df, hn::Mul(vector(df, a), vector(df, b))),
         Mul(Lanes<sy::Kind::kFloat>{a}, Lanes<sy::Kind::kFloat>{b}).lane);
    same("ConvertTo", bits(df, hn::ConvertTo(df, vector(di, a))),
         ConvertTo(typename Evaluated::Floats(), Lanes<sy::Kind::kInt>{a}).lane);
  }

  void sources(Word value, float number) {
    const Tags::Masks du;
    const Tags::Floats df;
    same("Set", bits(du, hn::Set(du, value)), Set(typename Evaluated::Masks(), value).lane);
    same("Set of a float", bits(df, hn::Set(df, number)),
         Set(typename Evaluated::Floats(), sy::Float<Word>{std::bit_cast<Word>(number)}).lane);
    same("Iota", bits(du, hn::Iota(du, value)), Iota(typename Evaluated::Masks(), value).lane);
    same("Lanes", std::array{static_cast<Word>(hn::Lanes(du))},
         std::array{static_cast<Word>(Lanes_of(typename Evaluated::Masks()))});
  }

  template <class T>
  static std::size_t Lanes_of(T tag) {
    return symbolic::Lanes(tag);
  }

  // Loads from and stores to any address.
  void memory(const std::uint8_t* bytes, std::size_t size) {
    const Tags::Words dw;
    const Tags::Floats df;
    constexpr std::size_t kWords = Evaluated::kWords;
    const sy::Pointer<const std::uint8_t> all(bytes, size, "bytes");
    std::array<Word, kWords> words{};
    for (std::size_t at = 0; at + 4 * kWords <= size; ++at) {
      hn::StoreU(kernel::LoadWords(dw, bytes + at), dw, words.data());
      same("LoadWords", words, LoadWords(typename Evaluated::Words(), all + at).lane);
      std::array<std::uint8_t, 4 * kWords> copy{};
      hn::StoreU(kernel::LoadWords(dw, bytes + at), dw, words.data());
      std::memcpy(copy.data(), words.data(), copy.size());
      if constexpr (std::endian::native == std::endian::little) {
        std::array<Word, kWords> again{};
        std::memcpy(again.data(), bytes + at, copy.size());
        same("StoreU", words, again);
      }
    }
    const float* const codebook = &fast::kCodebookRowsFloat[0][0];
    constexpr std::size_t kLoad = kN < kRowWeights ? kN : kRowWeights;
    for (std::size_t at = 0; at + kN <= sy::kCodebookElements; at += kLoad) {
      same("LoadU", bits(df, hn::LoadU(df, codebook + at)),
           LoadU(typename Evaluated::Floats(), sy::CodebookPointer<Word>(codebook) + at).lane);
    }
  }

  void halves([[maybe_unused]] const Bits& a) {
#if HWY_TARGET != HWY_SCALAR
    if constexpr (kN > 1) {
      const Tags::Floats df;
      const hn::Half<Tags::Floats> half;
      std::array<float, kN> lanes = std::bit_cast<std::array<float, kN>>(a);
      const auto lower = hn::LoadU(half, lanes.data());
      const auto upper = hn::LoadU(half, lanes.data() + kN / 2);
      sy::Vector<Word, sy::Kind::kFloat, kN / 2> p{};
      sy::Vector<Word, sy::Kind::kFloat, kN / 2> q{};
      std::copy_n(a.begin(), kN / 2, p.lane.begin());
      std::copy_n(a.begin() + kN / 2, kN / 2, q.lane.begin());
      same("Combine", bits(df, hn::Combine(df, upper, lower)),
           Combine(typename Evaluated::Floats(), q, p).lane);
    }
#endif
  }

  // The whole kernels, native and evaluated.
  template <class Layout>
  void kernels(const std::array<std::uint8_t, Layout::kBlockBytes>& block, float d,
               Word bits_of_d) {
    const float* const codebook = &fast::kCodebookRowsFloat[0][0];
    std::array<float, kBlockWeights> native{};
    std::array<sy::Float<Word>, kBlockWeights> evaluated{};
    const std::uint8_t* const in = block.data();
    const sy::Pointer<const std::uint8_t> place(block.data(), block.size(), "block");
    const sy::Pointer target(evaluated.data(), evaluated.size(), "weights");
    const auto compare = [&](const char* name) {
      std::array<Word, kBlockWeights> want{};
      for (std::size_t i = 0; i < kBlockWeights; ++i) want[i] = evaluated[i].bits;
      same(name, std::bit_cast<std::array<Word, kBlockWeights>>(native), want);
    };
    kernel::DecodeBlock<Layout, Tags>(in, codebook, d, native.data());
    kernel::DecodeBlock<Layout, Evaluated>(place, sy::CodebookPointer<Word>(codebook),
                                           sy::Float<Word>{std::bit_cast<Word>(d)}, target);
    compare("DecodeBlock");
    kernel::FillNonFinite<Layout, Tags>(in, bits_of_d, native.data());
    kernel::FillNonFinite<Layout, Evaluated>(place, bits_of_d, target);
    compare("FillNonFinite");
  }

  void row_offsets() {
    for (Word i = 0; i < kCodebookRows; ++i) {
      same("RowOffset",
           std::array{static_cast<Word>(kernel::RowOffset(static_cast<std::uint8_t>(i)))},
           std::array{static_cast<Word>(kRowWeights) * i});
    }
  }

 private:
  Conformance* report_;
};

Conformance CheckOperations() {
  Conformance report;
  Checker checker(&report);
  using Bits = Checker::Bits;
  std::mt19937 random(20240601);  // fixed: the same lanes on every run
  const auto word = [&] { return static_cast<Word>(random()); };
  // All pairs of bytes, four at a time.
  std::vector<Word> left;
  std::vector<Word> right;
  for (Word pair = 0; pair < 0x10000; pair += 4) {
    Word a = 0;
    Word b = 0;
    for (Word k = 0; k < 4; ++k) {
      a |= ((pair + k) >> 8) << (8 * k);
      b |= ((pair + k) & 0xFFu) << (8 * k);
    }
    left.push_back(a);
    right.push_back(b);
  }
  constexpr std::array<Word, 10> kEdges = {
      0, 1, 2, 0x7FFFFFFFu, 0x80000000u, 0x80000001u, 0xFFFFFFFFu, 0x55555555u, 0xAAAAAAAAu, 0x7Fu};
  for (const Word a : kEdges) {
    for (const Word b : kEdges) {
      left.push_back(a);
      right.push_back(b);
    }
  }
  while (left.size() % Checker::kN != 0 || left.size() < 24'000) {
    left.push_back(word());
    right.push_back(word());
  }
  for (std::size_t i = 0; i < left.size(); i += Checker::kN) {
    Bits a{};
    Bits b{};
    std::copy_n(left.begin() + static_cast<std::ptrdiff_t>(i), Checker::kN, a.begin());
    std::copy_n(right.begin() + static_cast<std::ptrdiff_t>(i), Checker::kN, b.begin());
    checker.bitwise(a, b);
    checker.halves(a);
    if (i % 16 == 0) checker.shifts(a, std::make_integer_sequence<int, 32>());
  }
  // Products of finite normal numbers that stay finite and normal; integers of every size.
  for (int i = 0; i < 4000; ++i) {
    Bits a{};
    Bits b{};
    for (std::size_t k = 0; k < Checker::kN; ++k) {
      a[k] = (word() & 0x807FFFFFu) | ((100 + word() % 50) << 23);
      b[k] = (word() & 0x807FFFFFu) | ((100 + word() % 50) << 23);
    }
    checker.arithmetic(a, b);
  }
  for (Word integer = 0; integer < 64; ++integer) {
    Bits a{};
    a.fill(integer);
    Bits b{};
    b.fill(0x3F800000u);
    checker.arithmetic(a, b);
    checker.sources(integer, static_cast<float>(integer));
  }
  for (const Word edge : kEdges) checker.sources(edge, -0.0f);
  std::array<std::uint8_t, 512> bytes{};
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(word());
  checker.memory(bytes.data(), bytes.size());
  checker.row_offsets();
  for (int i = 0; i < 500; ++i) {
    std::array<std::uint8_t, 98> block{};
    for (auto& byte : block) byte = static_cast<std::uint8_t>(word());
    const float d = static_cast<float>(static_cast<std::int32_t>(word() % 4096) - 2048) / 1024.0f;
    const Word special = 0x7F800000u | (word() & 0x807FFFFFu);
    checker.kernels<Iq3Xxs>(block, d, special);
    checker.kernels<E8Iq3>(block, d, special);
  }
  CheckLeechLanes(&report);
  return report;
}

}  // namespace HWY_NAMESPACE
}  // namespace proofs
}  // namespace quantproof
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "proofs/obligation.h"

namespace quantproof::proofs {

HWY_EXPORT(CheckOperations);

namespace {

using symbolic::Session;
using symbolic::Uint32;

std::uint32_t simplified(const z3::expr& term) {
  const z3::expr value = term.simplify();
  if (!value.is_numeral()) throw std::logic_error("a constant term did not simplify to a number");
  return static_cast<std::uint32_t>(value.get_numeral_uint64());
}

// The scalar operations of Uint32, Byte and Size against C++'s on constants. In Z3 a constant is
// simplified by the same rules that a proof uses.
void check_scalars(Obligation& o) {
  constexpr std::array<std::uint32_t, 9> kEdges = {
      0, 1, 0x7Fu, 0x80u, 0xFFFFu, 0x7FFFFFFFu, 0x80000000u, 0xDEADBEEFu, 0xFFFFFFFFu};
  Session session;
  const auto same = [&](const char* operation, const Uint32& got, std::uint32_t want) {
    o.check(simplified(got.term()) == want, std::string("Z3 and C++ differ on ") + operation);
  };
  for (const std::uint32_t a : kEdges) {
    const Uint32 x(a);
    for (const std::uint32_t b : kEdges) {
      const Uint32 y(b);
      same("&", x & y, a & b);
      same("|", x | y, a | b);
      same("^", x ^ y, a ^ b);
      same("+", x + y, a + b);
      same("-", x - y, a - b);
      same("==", Select(x == y, 1u, 0u), a == b ? 1 : 0);
      same("!=", Select(x != y, 1u, 0u), a != b ? 1 : 0);
      same("<", Select(x < y, 1u, 0u), a < b ? 1 : 0);
      if (b != 0) same("%", x % b, a % b);
    }
    for (unsigned n = 0; n < 32; ++n) {
      same("<<", x << n, a << n);
      same(">>", x >> n, a >> n);
      same("shift_left", symbolic::shift_left(x, Uint32(n)), a << n);
    }
    const symbolic::Byte byte(x);
    same("Byte", Uint32(byte), a & 0xFFu);
    const std::uint64_t offset = symbolic::RowOffset(byte).term().simplify().get_numeral_uint64();
    o.check(offset == kRowWeights * (a & 0xFFu), "Z3 and C++ differ on RowOffset");
  }
  for (const auto& condition : session.take_conditions()) {
    o.check(condition.holds.simplify().is_true(), condition.what);
  }
}

// The rules of lanes for terms against those for numbers, and these against C++.
void check_lane_words(Obligation& o) {
  using N = lanes::Bits<lanes::Number>;
  using T = lanes::Bits<z3::expr>;
  Session session;
  for (const unsigned width : {8u, 16u, 32u}) {
    const auto sign = std::int64_t{1} << (width - 1);
    const auto cxx_signed = [&](lanes::Number a) { return (std::int64_t{a.bits} ^ sign) - sign; };
    const auto same = [&](const char* operation, const z3::expr& term, lanes::Number want,
                          std::int64_t cxx) {
      o.check(simplified(term) == want.bits && term.get_sort().bv_size() == want.width &&
                  want.bits == lanes::make_number(static_cast<std::uint64_t>(cxx), want.width).bits,
              std::string("terms, numbers and C++ differ on ") + operation);
    };
    const auto same_flag = [&](const char* operation, const z3::expr& term, bool want, bool cxx) {
      o.check(term.simplify().is_true() == want && term.simplify().is_bool() && want == cxx,
              std::string("terms, numbers and C++ differ on ") + operation);
    };
    for (const std::uint32_t a : {0u, 1u, 2u, 0x7Fu, 0x80u, 0xFFu, 0x7FFFu, 0x8000u, 0xFFFEu,
                                  0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu, 0xC001D00Du}) {
      const lanes::Number x = N::value(a, width);
      const z3::expr tx = T::value(a, width);
      const std::int64_t cx = x.bits;
      same("~", ~tx, ~x, ~cx);
      for (unsigned n = 0; n < width; ++n) {
        same("shift_left", T::shift_left(tx, n), N::shift_left(x, n), cx << n);
        same("shift_right", T::shift_right(tx, n), N::shift_right(x, n), cx >> n);
        same("shift_right_signed", T::shift_right_signed(tx, n), N::shift_right_signed(x, n),
             cxx_signed(x) >> n);
        same("part", T::part(tx, width - 1, n), N::part(x, width - 1, n), cx >> n);
      }
      for (const std::uint32_t b : {0u, 1u, 0x7Fu, 0x80u, 0xFFFFu, 0x8000u, 0x7FFFFFFFu,
                                    0x80000000u, 0xFFFFFFFFu, 0xC001D00Du}) {
        const lanes::Number y = N::value(b, width);
        const z3::expr ty = T::value(b, width);
        const std::int64_t cy = y.bits;
        same("+", tx + ty, x + y, cx + cy);
        same("-", tx - ty, x - y, cx - cy);
        same("&", tx & ty, x & y, cx & cy);
        same("|", tx | ty, x | y, cx | cy);
        same("^", tx ^ ty, x ^ y, cx ^ cy);
        same_flag("equal", T::equal(tx, ty), N::equal(x, y), cx == cy);
        same_flag("less", T::less(tx, ty), N::less(x, y), cx < cy);
        same_flag("less_signed", T::less_signed(tx, ty), N::less_signed(x, y),
                  cxx_signed(x) < cxx_signed(y));
        same("select", T::select(T::less(tx, ty), tx, ty), N::select(N::less(x, y), x, y),
             cx < cy ? cx : cy);
        if (width < 32) same("join", T::join(tx, ty), N::join(x, y), cx << width | cy);
      }
    }
  }
}

// FloatBits against the native one: for these values no other bits are possible.
void check_float_bits(Obligation& o) {
  for (const std::uint32_t value : {0u, 1u, 2u, 3u, 1023u, 1024u, 2047u, 31743u, 32767u}) {
    Session session;
    const std::uint32_t native =
        std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(value)));
    o.prove(session, "float_bits_" + std::to_string(value), Obligation::Logic::kFloats,
            symbolic::FloatBits(Uint32(value)).term() == session.value(native, 32),
            [&](const z3::model&) { return "FloatBits of " + std::to_string(value); });
  }
}

}  // namespace

void ops_conform_1(Obligation& o) {
  check_scalars(o);
  check_lane_words(o);
  check_float_bits(o);
  std::string run;
  std::string not_run;
  std::uint64_t comparisons = 0;
  for (std::uint64_t rest = HWY_TARGETS; rest != 0; rest &= rest - 1) {
    const auto target = static_cast<std::int64_t>(rest & (~rest + 1));
    const std::string name = hwy::TargetName(target);
    if ((hwy::SupportedTargets() & target) == 0) {
      not_run += " " + name;
      continue;
    }
    const Conformance report = QP_KERNEL_FOR(CheckOperations, target)();
    o.check(report.mismatch.empty(), name + ": " + report.mismatch);
    o.check(report.comparisons > 100'000, name + ": too few comparisons");
    const Conformance kaiju1 = check_kaiju1_lanes(target);
    o.check(kaiju1.mismatch.empty(), name + ": " + kaiju1.mismatch);
    o.check(kaiju1.comparisons > 1'000, name + ": too few comparisons");
    comparisons += report.comparisons + kaiju1.comparisons;
    run += " " + name;
  }
  o.check(!run.empty(), "no level ran");
  o.note("levels run:" + run);
  o.note("levels not run:" + (not_run.empty() ? " none" : not_run));
  o.note(std::to_string(comparisons) + " lanes compared");
}

}  // namespace quantproof::proofs
#endif
