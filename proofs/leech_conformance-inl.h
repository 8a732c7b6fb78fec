// SPDX-License-Identifier: Apache-2.0
//
// OPS-CONFORM-1, the lanes of the Leech kernel: each vector operation of leech_lanes.h, computed
// with numbers, against the one that the kernel of this level uses.

#if defined(QUANTPROOF_PROOFS_LEECH_CONFORMANCE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef QUANTPROOF_PROOFS_LEECH_CONFORMANCE_INL_H_
#undef QUANTPROOF_PROOFS_LEECH_CONFORMANCE_INL_H_
#else
#define QUANTPROOF_PROOFS_LEECH_CONFORMANCE_INL_H_
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>

#include "fast/leech-inl.h"
#include "proofs/conformance.h"
#include "proofs/leech_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace quantproof {
namespace proofs {
namespace HWY_NAMESPACE {

class LeechChecker {
 public:
  using Native = fast::HWY_NAMESPACE::LeechTags;
  static constexpr std::size_t kLanes = Native::kLanes;
  using Evaluated = lanes::Tags<lanes::Number, kLanes>;
  template <class T>
  using Row = std::array<T, 2 * kLanes / sizeof(T)>;  // the lanes of a vector
  template <class T>
  using Lanes = lanes::Vector<lanes::Number, T, 2 * kLanes / sizeof(T)>;

  explicit LeechChecker(Conformance* report) : report_(report) {}

  static auto tag(std::uint8_t) { return std::pair<Native::Bytes, Evaluated::Bytes>(); }
  static auto tag(std::int16_t) { return std::pair<Native::Shorts, Evaluated::Shorts>(); }
  static auto tag(std::uint16_t) { return std::pair<Native::UShorts, Evaluated::UShorts>(); }
  static auto tag(std::int32_t) { return std::pair<Native::Ints, Evaluated::Ints>(); }
  static auto tag(std::uint32_t) { return std::pair<Native::Words, Evaluated::Words>(); }

  template <class T, class V>
  void same(const char* operation, const V& native, const Lanes<T>& evaluated) {
    alignas(64) Row<T> got{};
    alignas(64) Row<T> want{};
    Store(native, tag(T()).first, got.data());
    Store(evaluated, tag(T()).second, want.data());
    report_->comparisons += got.size();
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (got[i] == want[i] || !report_->mismatch.empty()) continue;
      report_->mismatch = std::string(operation) + " of " + std::to_string(8 * sizeof(T)) +
                          " bits, lane " + std::to_string(i) + ": processor " +
                          std::to_string(got[i]) + ", lanes " + std::to_string(want[i]);
    }
  }

  // What all kinds of lane have.
  template <class T>
  void common(const Row<T>& left, const Row<T>& right) {
    const auto [d, e] = tag(T());
    const auto x = LoadU(d, left.data());
    const auto y = LoadU(d, right.data());
    const auto p = LoadU(e, left.data());
    const auto q = LoadU(e, right.data());
    same<T>("Load", x, p);
    same<T>("Set", Set(d, left[0]), Set(e, left[0]));
    same<T>("Zero", Zero(d), Zero(e));
    same<T>("Add", Add(x, y), Add(p, q));
    same<T>("Sub", Sub(x, y), Sub(p, q));
    same<T>("And", And(x, y), And(p, q));
    same<T>("AndNot", AndNot(x, y), AndNot(p, q));
    same<T>("Or", Or(x, y), Or(p, q));
    same<T>("Xor", Xor(x, y), Xor(p, q));
    same<T>("Min", Min(x, y), Min(p, q));
    same<T>("Max", Max(x, y), Max(p, q));
    // Some lanes equal, some not.
    Row<T> mixed = right;
    for (std::size_t i = 0; i < mixed.size(); i += 2) mixed[i] = left[i];
    const auto z = LoadU(d, mixed.data());
    const auto r = LoadU(e, mixed.data());
    same<T>("Eq, VecFromMask", VecFromMask(d, Eq(x, z)), VecFromMask(e, Eq(p, r)));
    same<T>("IfThenElse", IfThenElse(Eq(x, z), x, y), IfThenElse(Eq(p, r), p, q));
    same<T>("IfThenElseZero", IfThenElseZero(Eq(x, z), y), IfThenElseZero(Eq(p, r), q));
    same<T>("IfThenZeroElse", IfThenZeroElse(Eq(x, z), y), IfThenZeroElse(Eq(p, r), q));
    same<T>("MaskFromVec", IfThenElse(MaskFromVec(VecFromMask(d, Eq(x, z))), x, y),
            IfThenElse(MaskFromVec(VecFromMask(e, Eq(p, r))), p, q));
    if constexpr (sizeof(T) < 4) {
      same<T>("OddEven", OddEven(x, y), OddEven(p, q));
      if constexpr (std::is_unsigned_v<T>) {
        same<T>("SaturatedAdd", SaturatedAdd(x, y), SaturatedAdd(p, q));
      }
    }
    if constexpr (sizeof(T) > 1) {
      same<T>("InterleaveLower", InterleaveLower(d, x, y), InterleaveLower(e, p, q));
      same<T>("InterleaveUpper", InterleaveUpper(d, x, y), InterleaveUpper(e, p, q));
    }
    casts<T>(x, p, std::uint8_t());
    casts<T>(x, p, std::int16_t());
    casts<T>(x, p, std::uint16_t());
    casts<T>(x, p, std::int32_t());
    casts<T>(x, p, std::uint32_t());
  }

  template <class T, class V, class To>
  void casts(const V& x, const Lanes<T>& p, To) {
    const auto [d, e] = tag(To());
    same<To>("BitCast", BitCast(d, x), BitCast(e, p));
  }

  template <class T, int... kCounts>
  void shifts(const Row<T>& lanes_of) {
    const auto [d, e] = tag(T());
    const auto x = LoadU(d, lanes_of.data());
    const auto p = LoadU(e, lanes_of.data());
    (same<T>("ShiftLeft", ShiftLeft<kCounts>(x), ShiftLeft<kCounts>(p)), ...);
    (same<T>("ShiftRight", ShiftRight<kCounts>(x), ShiftRight<kCounts>(p)), ...);
    if constexpr (std::is_signed_v<T>) {
      same<T>("BroadcastSignBit", BroadcastSignBit(x), BroadcastSignBit(p));
      if constexpr (sizeof(T) == 2) same<T>("Abs", Abs(x), Abs(p));
    }
  }

  void narrow(const Row<std::int32_t>& left, const Row<std::int32_t>& right) {
    const auto [d, e] = tag(std::int32_t());
    const auto [ds, es] = tag(std::int16_t());
    same<std::int16_t>("ReorderDemote2To",
                       ReorderDemote2To(ds, LoadU(d, left.data()), LoadU(d, right.data())),
                       ReorderDemote2To(es, LoadU(e, left.data()), LoadU(e, right.data())));
  }

  void halves(const Row<std::int32_t>& all) {
    const typename Native::template Half<Native::Ints> half;
    const typename Evaluated::template Half<Evaluated::Ints> evaluated_half;
    const auto [d, e] = tag(std::int32_t());
    const auto x = LoadU(d, all.data());
    const auto p = LoadU(e, all.data());
    // The halves change places.
    same<std::int32_t>("Combine, LowerHalf, UpperHalf",
                       Combine(d, LowerHalf(half, x), UpperHalf(half, x)),
                       Combine(e, LowerHalf(evaluated_half, p), UpperHalf(evaluated_half, p)));
  }

 private:
  Conformance* report_;
};

inline void CheckLeechLanes(Conformance* report) {
  LeechChecker checker(report);
  std::mt19937 random(20240602);  // fixed: the same lanes on every run
  const auto fill = [&]<class T>(LeechChecker::Row<T>& row) {
    constexpr std::array<std::uint32_t, 8> kEdges = {
        0, 1, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu, 0x00007FFFu, 0xFFFF8000u, 0x00008000u};
    for (T& lane : row) {
      const auto bits = static_cast<std::uint32_t>(random());
      // Edges of 32 bits, of the lane, small numbers, and any.
      const std::uint32_t edge = kEdges[bits >> 8 & 7u];
      const auto shift = static_cast<unsigned>(8 * (4 - sizeof(T)));
      lane = static_cast<T>(bits % 4 == 0   ? edge
                            : bits % 4 == 1 ? edge >> shift
                            : bits % 4 == 2 ? bits >> 24
                                            : static_cast<std::uint32_t>(random()));
    }
  };
  // All pairs of bytes.
  for (std::uint32_t pair = 0; pair < 0x10000;) {
    LeechChecker::Row<std::uint8_t> left{};
    LeechChecker::Row<std::uint8_t> right{};
    for (std::size_t i = 0; i < left.size(); ++i, ++pair) {
      left[i] = static_cast<std::uint8_t>(pair >> 8);
      right[i] = static_cast<std::uint8_t>(pair);
    }
    checker.common<std::uint8_t>(left, right);
  }
  for (int i = 0; i < 1500; ++i) {
    LeechChecker::Row<std::int16_t> shorts[2];
    LeechChecker::Row<std::uint16_t> ushorts[2];
    LeechChecker::Row<std::int32_t> ints[2];
    LeechChecker::Row<std::uint32_t> words[2];
    for (std::size_t k = 0; k < 2; ++k) {
      fill(shorts[k]);
      fill(ushorts[k]);
      fill(ints[k]);
      fill(words[k]);
    }
    checker.common<std::int16_t>(shorts[0], shorts[1]);
    checker.common<std::uint16_t>(ushorts[0], ushorts[1]);
    checker.common<std::int32_t>(ints[0], ints[1]);
    checker.common<std::uint32_t>(words[0], words[1]);
    // The counts that the kernel uses.
    checker.shifts<std::int16_t, 1, 2, 8, 9, 10, 11, 12, 13, 14, 15>(shorts[0]);
    checker.shifts<std::uint16_t, 4, 8>(ushorts[0]);
    checker.shifts<std::int32_t, 1, 8, 12, 13, 16>(ints[0]);
    checker.shifts<std::uint32_t, 4>(words[0]);
    checker.narrow(ints[0], ints[1]);
    checker.halves(ints[0]);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace proofs
}  // namespace quantproof
HWY_AFTER_NAMESPACE();

#endif
