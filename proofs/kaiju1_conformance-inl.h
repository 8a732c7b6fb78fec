// SPDX-License-Identifier: Apache-2.0
//
// OPS-CONFORM-1, the lanes of the KAIJU1 kernel: what kaiju1_kernel.h adds to leech_lanes.h, and
// the whole kernel, with constant terms, against what this level computes.

#if defined(QUANTPROOF_PROOFS_KAIJU1_CONFORMANCE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef QUANTPROOF_PROOFS_KAIJU1_CONFORMANCE_INL_H_
#undef QUANTPROOF_PROOFS_KAIJU1_CONFORMANCE_INL_H_
#else
#define QUANTPROOF_PROOFS_KAIJU1_CONFORMANCE_INL_H_
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include "fast/kaiju1-inl.h"
#include "proofs/conformance.h"
#include "proofs/kaiju1_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace quantproof {
namespace proofs {
namespace HWY_NAMESPACE {

class Kaiju1Checker {
 public:
  using Native = fast::HWY_NAMESPACE::Kaiju1Tags;
  static constexpr std::size_t kLanes = Native::kLanes;
  using Terms = lanes::Kaiju1Tags<z3::expr, kLanes>;
  template <class T>
  using Row = std::array<T, kLanes / sizeof(T)>;  // the lanes of a vector

  explicit Kaiju1Checker(Conformance* report) : report_(report) {}

  void operations(std::mt19937& random) {
    symbolic::Session session;
    lanes::Workspace workspace;
    const Native::Bytes d;
    const Native::UShorts du;
    const Native::Longs dl;
    Row<std::uint8_t> a{};
    Row<std::uint8_t> b{};
    for (auto& byte : a) byte = static_cast<std::uint8_t>(random());
    for (auto& byte : b) byte = static_cast<std::uint8_t>(random());
    const auto x = LoadU(d, a.data());
    const auto y = LoadU(d, b.data());
    const auto p = terms(a);
    const auto q = terms(b);
    same("LoadDup128", LoadDup128(d, a.data()), LoadDup128(typename Terms::Bytes(), a.data()));
    Row<std::uint8_t> index{};
    for (auto& byte : index) byte = static_cast<std::uint8_t>(random() % 16);
    same("TableLookupBytes", TableLookupBytes(x, LoadU(d, index.data())),
         TableLookupBytes(p, terms(index)));
    const typename Terms::UShorts tu;
    same("MulHigh", BitCast(d, MulHigh(BitCast(du, x), BitCast(du, y))),
         BitCast(typename Terms::Bytes(), MulHigh(BitCast(tu, p), BitCast(tu, q))));
    const typename Terms::Longs tl;
    const auto xl = BitCast(dl, x);
    const auto yl = BitCast(dl, y);
    const auto pl = BitCast(tl, p);
    const auto ql = BitCast(tl, q);
    const typename Terms::Bytes tb;
    same("InterleaveLower of 64 bits", BitCast(d, InterleaveLower(dl, xl, yl)),
         BitCast(tb, InterleaveLower(tl, pl, ql)));
    same("InterleaveUpper of 64 bits", BitCast(d, InterleaveUpper(dl, xl, yl)),
         BitCast(tb, InterleaveUpper(tl, pl, ql)));
    same("OddEven of 64 bits", BitCast(d, OddEven(xl, yl)), BitCast(tb, OddEven(pl, ql)));
  }

  // Codes of any bytes: most are invalid, and their points too must be the same.
  void kernel(std::mt19937& random) {
    symbolic::Session session;
    lanes::Workspace workspace;
    constexpr std::size_t kRead =
        fast::HWY_NAMESPACE::kBatchBytes<Native> + fast::HWY_NAMESPACE::kBatchPadding;
    std::array<std::uint8_t, kRead> codes{};
    for (std::size_t i = 0; i < kRead; ++i) {
      codes[i] = static_cast<std::uint8_t>(i % 7 < 4 ? random() % 246 : random());
    }
    std::array<std::uint8_t, kLeechDimension * kLanes> points{};
    std::array<std::uint8_t, kLeechDimension * kLanes> place{};
    workspace.add_array(place.data(), place.size(), "points");
    const auto native = fast::HWY_NAMESPACE::DecodePoints<Native>(codes.data(), points.data());
    workspace.add_array(codes.data(), codes.size(), "codes");
    for (const std::uint8_t& byte : codes) workspace.element(&byte, 1) = session.value(byte, 8);
    const auto invalid = fast::HWY_NAMESPACE::DecodePoints<Terms>(codes.data(), place.data());
    same("DecodePoints", native, invalid);
    for (std::size_t i = 0; i < points.size(); ++i) {
      compare("DecodePoints", i, points[i], number(workspace.read(&place[i], 1)));
    }
  }

  // The weights of all coordinates, and of any other byte.
  void weights() {
    using Tags = fast::HWY_NAMESPACE::Kaiju1FloatTags;
    using Evaluated = symbolic::ScaleTags<std::uint32_t, Tags::kLanes>;
    const float scale = 0.7F;
    const float step = 1.0F / 3.0F;
    constexpr std::size_t kCount = 256;
    std::array<std::int8_t, kCount> x{};
    std::array<std::uint8_t, kCount> bytes{};
    for (std::size_t i = 0; i < kCount; ++i) {
      bytes[i] = static_cast<std::uint8_t>(i);
      x[i] = static_cast<std::int8_t>(bytes[i]);
    }
    for (const std::size_t count : {std::size_t{24}, std::size_t{29}, kCount}) {
      std::array<float, kCount> native{};
      std::array<symbolic::Float<std::uint32_t>, kCount> evaluated{};
      const std::int8_t* const from = x.data();
      namespace kernel = fast::HWY_NAMESPACE;
      using Float = symbolic::Float<std::uint32_t>;
      kernel::ScaleRun<Tags>(from, count, kernel::ScaleThenStep<float>{scale, step}, native.data());
      kernel::ScaleRun<Evaluated>(
          symbolic::Pointer<const std::uint8_t>(bytes.data(), count, "coordinates"), count,
          kernel::ScaleThenStep<Float>{Float{std::bit_cast<std::uint32_t>(scale)},
                                       Float{std::bit_cast<std::uint32_t>(step)}},
          symbolic::Pointer(evaluated.data(), count, "weights"));
      for (std::size_t i = 0; i < count; ++i) {
        compare("ScaleRun", i, std::bit_cast<std::uint32_t>(native[i]), evaluated[i].bits);
      }
    }
  }

 private:
  static std::uint32_t number(const z3::expr& term) {
    const z3::expr value = term.simplify();
    if (!value.is_numeral()) throw std::logic_error("a constant term did not become a number");
    return static_cast<std::uint32_t>(value.get_numeral_uint64());
  }

  static lanes::VectorOf<Terms::Bytes> terms(const Row<std::uint8_t>& bytes) {
    return lanes::VectorOf<Terms::Bytes>::make(
        [&](std::size_t i) { return symbolic::Session::current().value(bytes[i], 8); });
  }

  template <class V, class T>
  void same(const char* operation, const V& native, const T& evaluated) {
    alignas(64) Row<std::uint8_t> got{};
    StoreU(native, Native::Bytes(), got.data());
    for (std::size_t i = 0; i < kLanes; ++i) {
      compare(operation, i, got[i], number(evaluated.lane(i)));
    }
  }

  void compare(const char* operation, std::size_t i, std::uint32_t got, std::uint32_t want) {
    ++report_->comparisons;
    if (got == want || !report_->mismatch.empty()) return;
    report_->mismatch = std::string(operation) + " of KAIJU1, lane " + std::to_string(i) +
                        ": processor " + std::to_string(got) + ", terms " + std::to_string(want);
  }

  Conformance* report_;
};

void CheckKaiju1Lanes(Conformance* report) {
  Kaiju1Checker checker(report);
  std::mt19937 random(20260907);  // fixed: the same lanes on every run
  for (int i = 0; i < 40; ++i) checker.operations(random);
  for (int i = 0; i < 4; ++i) checker.kernel(random);
  checker.weights();
}

}  // namespace HWY_NAMESPACE
}  // namespace proofs
}  // namespace quantproof
HWY_AFTER_NAMESPACE();

#endif
