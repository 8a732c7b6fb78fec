// SPDX-License-Identifier: Apache-2.0
//
// The vocabulary of fast/leech-inl.h over symbolic values: vectors of 8, 16 and 32-bit lanes under
// the names of Highway's operations, and memory.
//
// Vectors are templates over what a lane holds, `W`. With W = z3::expr (bit-vector terms) they
// prove; with W = Number they compute, and OPS-CONFORM-1 compares that with the processor. So the
// meaning of every vector operation is written down once, here, and apart from
// fast/portable_vectors.h.
#ifndef QUANTPROOF_PROOFS_LEECH_LANES_H_
#define QUANTPROOF_PROOFS_LEECH_LANES_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "z3++.h"

#include "proofs/symbolic.h"

namespace quantproof::lanes {

using symbolic::Session;
using symbolic::Violation;

// --------------------------------------------------------------------------------- what a lane is

// Up to 32 bits.
struct Number {
  std::uint32_t bits;
  unsigned width;
};

constexpr Number make_number(std::uint64_t bits, unsigned width) {
  return {static_cast<std::uint32_t>(bits & ((std::uint64_t{1} << width) - 1)), width};
}

constexpr Number operator+(Number a, Number b) {
  return make_number(std::uint64_t{a.bits} + b.bits, a.width);
}
constexpr Number operator-(Number a, Number b) {
  return make_number(std::uint64_t{a.bits} - b.bits, a.width);
}
constexpr Number operator&(Number a, Number b) { return make_number(a.bits & b.bits, a.width); }
constexpr Number operator|(Number a, Number b) { return make_number(a.bits | b.bits, a.width); }
constexpr Number operator^(Number a, Number b) { return make_number(a.bits ^ b.bits, a.width); }
constexpr Number operator~(Number a) { return make_number(~std::uint64_t{a.bits}, a.width); }

// The rules beside + - & | ^ ~.
template <class W>
struct Bits;

template <>
struct Bits<Number> {
  using Flag = bool;
  static constexpr Number value(std::uint64_t v, unsigned width) { return make_number(v, width); }
  static constexpr unsigned width(Number a) { return a.width; }
  static constexpr std::int64_t as_signed(Number a) {
    const auto sign = std::int64_t{1} << (a.width - 1);
    return (std::int64_t{a.bits} ^ sign) - sign;
  }
  static constexpr Number shift_left(Number a, unsigned n) {
    return make_number(std::uint64_t{a.bits} << n, a.width);
  }
  static constexpr Number shift_right(Number a, unsigned n) {
    return make_number(std::uint64_t{a.bits} >> n, a.width);
  }
  static constexpr Number shift_right_signed(Number a, unsigned n) {
    return make_number(static_cast<std::uint64_t>(as_signed(a) >> n), a.width);
  }
  static constexpr bool equal(Number a, Number b) { return a.bits == b.bits; }
  static constexpr bool less(Number a, Number b) { return a.bits < b.bits; }
  static constexpr bool less_signed(Number a, Number b) { return as_signed(a) < as_signed(b); }
  static constexpr Number select(bool flag, Number yes, Number no) { return flag ? yes : no; }
  static constexpr Number join(Number high, Number low) {
    return make_number(std::uint64_t{high.bits} << low.width | low.bits, high.width + low.width);
  }
  static constexpr Number part(Number a, unsigned high, unsigned low) {
    return make_number(a.bits >> low, high - low + 1);
  }
  static void require(bool holds, const char* what) {
    if (!holds) throw Violation(what);
  }
};

template <>
struct Bits<z3::expr> {
  using Flag = z3::expr;
  static z3::expr value(std::uint64_t v, unsigned width) {
    return Session::current().value(v & ((std::uint64_t{1} << width) - 1), width);
  }
  static unsigned width(const z3::expr& a) { return a.get_sort().bv_size(); }
  static z3::expr shift_left(const z3::expr& a, unsigned n) {
    return z3::shl(a, value(n, width(a)));
  }
  static z3::expr shift_right(const z3::expr& a, unsigned n) {
    return z3::lshr(a, value(n, width(a)));
  }
  static z3::expr shift_right_signed(const z3::expr& a, unsigned n) {
    return z3::ashr(a, value(n, width(a)));
  }
  static z3::expr equal(const z3::expr& a, const z3::expr& b) { return a == b; }
  static z3::expr less(const z3::expr& a, const z3::expr& b) { return z3::ult(a, b); }
  static z3::expr less_signed(const z3::expr& a, const z3::expr& b) { return z3::slt(a, b); }
  static z3::expr select(const z3::expr& flag, const z3::expr& yes, const z3::expr& no) {
    return z3::ite(flag, yes, no);
  }
  static z3::expr join(const z3::expr& high, const z3::expr& low) { return z3::concat(high, low); }
  static z3::expr part(const z3::expr& a, unsigned high, unsigned low) {
    return a.extract(high, low);
  }
  static void require(const z3::expr& holds, const char* what) {
    Session::current().require(holds, what);
  }
};

// ---------------------------------------------------------------------------------------- memory

// Keeps the terms of the vectors of one session, and the contents of arrays. The text under proof
// works with real addresses; what is there are terms. Every access is checked against the arrays.
// At most one is alive in a thread, and not longer than its session.
class Workspace {
 public:
  Workspace() {
    if (current_ != nullptr) throw std::logic_error("a workspace is already alive");
    current_ = this;
  }
  ~Workspace() { current_ = nullptr; }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  static Workspace& current() {
    if (current_ == nullptr) throw std::logic_error("symbolic vector without a workspace");
    return *current_;
  }

  const z3::expr* keep(std::vector<z3::expr> terms) {
    return kept_.emplace_back(std::move(terms)).data();
  }

  // Makes the n elements at `base` symbolic memory. They are indeterminate until written.
  template <class T>
  void add_array(const T* base, std::size_t n, const char* name) {
    // An array of a function that has returned may lie in the way.
    const std::uintptr_t end = address(base) + sizeof(T) * n;
    for (auto it = arrays_.begin(); it != arrays_.end();) {
      const std::uintptr_t its_end = it->first + it->second.element * it->second.values.size();
      it = it->first < end && its_end > address(base) ? arrays_.erase(it) : std::next(it);
    }
    arrays_.emplace(address(base), Array{sizeof(T), name, {n, std::nullopt}});
  }
  std::optional<z3::expr>& element(const void* at, std::size_t size) {
    auto after = arrays_.upper_bound(address(at));
    if (after == arrays_.begin()) throw Violation("access before all arrays");
    Array& array = std::prev(after)->second;
    const std::size_t bytes = address(at) - std::prev(after)->first;
    const std::size_t index = bytes / size;
    if (size != array.element || bytes % size != 0 || index >= array.values.size()) {
      throw Violation("access to byte " + std::to_string(bytes) + " of the array " + array.name);
    }
    return array.values[index];
  }
  z3::expr read(const void* at, std::size_t size) {
    const auto& value = element(at, size);
    if (!value) throw Violation("use of an indeterminate element");
    return *value;
  }

 private:
  struct Array {
    std::size_t element = 0;
    const char* name = "";
    std::vector<std::optional<z3::expr>> values;
  };
  static std::uintptr_t address(const void* at) { return reinterpret_cast<std::uintptr_t>(at); }

  static inline thread_local Workspace* current_ = nullptr;
  std::deque<std::vector<z3::expr>> kept_;
  std::map<std::uintptr_t, Array> arrays_;
};

// --------------------------------------------------------------------------------------- vectors

template <class W, class T, std::size_t N>
struct Tag {
  using Lane = T;
  using Word = W;
  static constexpr std::size_t kCount = N;
};

// A vector has the size of the one that it stands for: kernels compute with it.
template <class W, class T, std::size_t N>
struct Vector;

template <class T, std::size_t N>
struct alignas(sizeof(T) * N) Vector<Number, T, N> {
  std::array<std::make_unsigned_t<T>, N> bits;

  [[nodiscard]] Number lane(std::size_t i) const { return make_number(bits[i], 8 * sizeof(T)); }
  template <class F>
  static Vector make(F lane_of) {
    Vector v;
    for (std::size_t i = 0; i < N; ++i) {
      v.bits[i] = static_cast<std::make_unsigned_t<T>>(lane_of(i).bits);
    }
    return v;
  }
};

template <class T, std::size_t N>
struct alignas(sizeof(T) * N) Vector<z3::expr, T, N> {
  const z3::expr* lanes = nullptr;  // none: indeterminate

  [[nodiscard]] const z3::expr& lane(std::size_t i) const {
    if (lanes == nullptr) throw Violation("use of an indeterminate vector");
    return lanes[i];
  }
  template <class F>
  static Vector make(F lane_of) {
    std::vector<z3::expr> terms;
    terms.reserve(N);
    for (std::size_t i = 0; i < N; ++i) terms.push_back(lane_of(i));
    return {Workspace::current().keep(std::move(terms))};
  }
};

template <class D>
using VectorOf = Vector<typename D::Word, typename D::Lane, D::kCount>;

template <class W, class T, std::size_t N>
struct Mask;

template <class T, std::size_t N>
struct Mask<Number, T, N> {
  std::array<bool, N> flags;

  [[nodiscard]] bool flag(std::size_t i) const { return flags[i]; }
  template <class F>
  static Mask make(F flag_of) {
    Mask m;
    for (std::size_t i = 0; i < N; ++i) m.flags[i] = flag_of(i);
    return m;
  }
};

template <class T, std::size_t N>
struct Mask<z3::expr, T, N> {
  const z3::expr* flags = nullptr;

  [[nodiscard]] const z3::expr& flag(std::size_t i) const { return flags[i]; }
  template <class F>
  static Mask make(F flag_of) {
    std::vector<z3::expr> terms;
    for (std::size_t i = 0; i < N; ++i) terms.push_back(flag_of(i));
    return {Workspace::current().keep(std::move(terms))};
  }
};

// The `Tags` of fast/leech-inl.h.
template <class W, std::size_t kLaneCount>
struct Tags {
  static constexpr std::size_t kLanes = kLaneCount;
  using Bytes = Tag<W, std::uint8_t, 2 * kLanes>;
  using Shorts = Tag<W, std::int16_t, kLanes>;
  using UShorts = Tag<W, std::uint16_t, kLanes>;
  using Ints = Tag<W, std::int32_t, kLanes / 2>;
  using Words = Tag<W, std::uint32_t, kLanes / 2>;
  template <class D>
  using V = VectorOf<D>;
  template <class D>
  using Half = Tag<typename D::Word, typename D::Lane, D::kCount / 2>;
};

template <class W, class T, std::size_t N>
Vector<W, T, N> Set(Tag<W, T, N>, std::type_identity_t<T> value) {
  const W lane = Bits<W>::value(static_cast<std::make_unsigned_t<T>>(value),
                                8 * static_cast<unsigned>(sizeof(T)));
  return Vector<W, T, N>::make([&](std::size_t) { return lane; });
}

template <class W, class T, std::size_t N>
Vector<W, T, N> Zero(Tag<W, T, N> d) {
  return Set(d, 0);
}

template <class T, std::size_t N>
Vector<Number, T, N> LoadU(Tag<Number, T, N>, const T* from) {
  return Vector<Number, T, N>::make([&](std::size_t i) {
    return make_number(static_cast<std::make_unsigned_t<T>>(from[i]), 8 * sizeof(T));
  });
}

template <class T, std::size_t N>
Vector<z3::expr, T, N> LoadU(Tag<z3::expr, T, N>, const T* from) {
  return Vector<z3::expr, T, N>::make(
      [&](std::size_t i) { return Workspace::current().read(from + i, sizeof(T)); });
}

template <class T, std::size_t N>
void StoreU(const Vector<Number, T, N>& v, Tag<Number, T, N>, T* to) {
  for (std::size_t i = 0; i < N; ++i) to[i] = static_cast<T>(v.bits[i]);
}

template <class T, std::size_t N>
void StoreU(const Vector<z3::expr, T, N>& v, Tag<z3::expr, T, N>, T* to) {
  for (std::size_t i = 0; i < N; ++i) Workspace::current().element(to + i, sizeof(T)) = v.lane(i);
}

inline void expect_aligned(const void* at, std::size_t size) {
  if (reinterpret_cast<std::uintptr_t>(at) % size != 0) throw Violation("an access is not aligned");
}

template <class W, class T, std::size_t N>
Vector<W, T, N> Load(Tag<W, T, N> d, const T* from) {
  expect_aligned(from, sizeof(T) * N);
  return LoadU(d, from);
}

template <class W, class T, std::size_t N>
void Store(const Vector<W, T, N>& v, Tag<W, T, N> d, T* to) {
  expect_aligned(to, sizeof(T) * N);
  StoreU(v, d, to);
}

template <class W, class To, std::size_t M, class T, std::size_t N>
Vector<W, To, M> BitCast(Tag<W, To, M>, const Vector<W, T, N>& v) {
  static_assert(sizeof(To) * M == sizeof(T) * N);
  constexpr auto kWidth = static_cast<unsigned>(8 * sizeof(To));
  return Vector<W, To, M>::make([&](std::size_t i) -> W {
    if constexpr (sizeof(To) == sizeof(T)) {
      return v.lane(i);
    } else if constexpr (sizeof(To) < sizeof(T)) {
      constexpr std::size_t kParts = sizeof(T) / sizeof(To);
      const auto low = kWidth * static_cast<unsigned>(i % kParts);
      return Bits<W>::part(v.lane(i / kParts), low + kWidth - 1, low);
    } else {
      constexpr std::size_t kParts = sizeof(To) / sizeof(T);
      W whole = v.lane(kParts * i);
      for (std::size_t k = 1; k < kParts; ++k) whole = Bits<W>::join(v.lane(kParts * i + k), whole);
      return whole;
    }
  });
}

template <class W, class T, std::size_t N, class F>
Vector<W, T, N> map(const Vector<W, T, N>& a, F f) {
  return Vector<W, T, N>::make([&](std::size_t i) -> W { return f(a.lane(i)); });
}

template <class W, class T, std::size_t N, class F>
Vector<W, T, N> map(const Vector<W, T, N>& a, const Vector<W, T, N>& b, F f) {
  return Vector<W, T, N>::make([&](std::size_t i) -> W { return f(a.lane(i), b.lane(i)); });
}

template <class T, class W>
typename Bits<W>::Flag less_in(const W& a, const W& b) {
  if constexpr (std::is_signed_v<T>) {
    return Bits<W>::less_signed(a, b);
  } else {
    return Bits<W>::less(a, b);
  }
}

template <class W>
W zero_like(const W& a) {
  return Bits<W>::value(0, Bits<W>::width(a));
}
template <class W>
W ones_like(const W& a) {
  return Bits<W>::value(~std::uint64_t{0}, Bits<W>::width(a));
}

template <class W, class T, std::size_t N>
Vector<W, T, N> Add(const Vector<W, T, N>& a, const Vector<W, T, N>& b) {
  return map(a, b, [](const W& x, const W& y) { return x + y; });
}
template <class W, class T, std::size_t N>
Vector<W, T, N> Sub(const Vector<W, T, N>& a, const Vector<W, T, N>& b) {
  return map(a, b, [](const W& x, const W& y) { return x - y; });
}
template <class W, class T, std::size_t N>
Vector<W, T, N> And(const Vector<W, T, N>& a, const Vector<W, T, N>& b) {
  return map(a, b, [](const W& x, const W& y) { return x & y; });
}
template <class W, class T, std::size_t N>
Vector<W, T, N> AndNot(const Vector<W, T, N>& a, const Vector<W, T, N>& b) {
  return map(a, b, [](const W& x, const W& y) { return ~x & y; });
}
template <class W, class T, std::size_t N>
Vector<W, T, N> Or(const Vector<W, T, N>& a, const Vector<W, T, N>& b) {
  return map(a, b, [](const W& x, const W& y) { return x | y; });
}
template <class W, class T, std::size_t N>
Vector<W, T, N> Xor(const Vector<W, T, N>& a, const Vector<W, T, N>& b) {
  return map(a, b, [](const W& x, const W& y) { return x ^ y; });
}

// The sum wrapped around iff it is less than a summand.
template <class W, class T, std::size_t N>
Vector<W, T, N> SaturatedAdd(const Vector<W, T, N>& a, const Vector<W, T, N>& b) {
  static_assert(std::is_unsigned_v<T> && sizeof(T) <= 2);
  return map(a, b, [](const W& x, const W& y) {
    const W sum = x + y;
    return Bits<W>::select(Bits<W>::less(sum, x), ones_like(x), sum);
  });
}

template <class W, class T, std::size_t N>
Vector<W, T, N> Min(const Vector<W, T, N>& a, const Vector<W, T, N>& b) {
  return map(a, b, [](const W& x, const W& y) { return Bits<W>::select(less_in<T>(y, x), y, x); });
}
template <class W, class T, std::size_t N>
Vector<W, T, N> Max(const Vector<W, T, N>& a, const Vector<W, T, N>& b) {
  return map(a, b, [](const W& x, const W& y) { return Bits<W>::select(less_in<T>(x, y), y, x); });
}

template <class W, class T, std::size_t N>
Vector<W, T, N> Abs(const Vector<W, T, N>& a) {
  static_assert(std::is_signed_v<T>);
  return map(a, [](const W& x) {
    const W zero = zero_like(x);
    return Bits<W>::select(Bits<W>::less_signed(x, zero), zero - x, x);
  });
}

template <int kBits, class W, class T, std::size_t N>
Vector<W, T, N> ShiftLeft(const Vector<W, T, N>& a) {
  static_assert(0 <= kBits && kBits < static_cast<int>(8 * sizeof(T)) && sizeof(T) > 1);
  return map(a, [](const W& x) { return Bits<W>::shift_left(x, kBits); });
}

// Arithmetic for signed lanes.
template <int kBits, class W, class T, std::size_t N>
Vector<W, T, N> ShiftRight(const Vector<W, T, N>& a) {
  static_assert(0 <= kBits && kBits < static_cast<int>(8 * sizeof(T)) && sizeof(T) > 1);
  return map(a, [](const W& x) {
    return std::is_signed_v<T> ? Bits<W>::shift_right_signed(x, kBits)
                               : Bits<W>::shift_right(x, kBits);
  });
}

template <class W, class T, std::size_t N>
Vector<W, T, N> BroadcastSignBit(const Vector<W, T, N>& a) {
  static_assert(std::is_signed_v<T>);
  return map(a, [](const W& x) {
    const W zero = zero_like(x);
    return Bits<W>::select(Bits<W>::less_signed(x, zero), ones_like(x), zero);
  });
}

template <class W, class T, std::size_t N>
Mask<W, T, N> Eq(const Vector<W, T, N>& a, const Vector<W, T, N>& b) {
  return Mask<W, T, N>::make([&](std::size_t i) { return Bits<W>::equal(a.lane(i), b.lane(i)); });
}

// The lanes must be all ones or zero: elsewhere processors differ.
template <class W, class T, std::size_t N>
Mask<W, T, N> MaskFromVec(const Vector<W, T, N>& v) {
  return Mask<W, T, N>::make([&](std::size_t i) {
    const W& lane = v.lane(i);
    const auto ones = Bits<W>::equal(lane, ones_like(lane));
    Bits<W>::require(ones || Bits<W>::equal(lane, zero_like(lane)), "a mask is no mask");
    return ones;
  });
}

template <class W, class T, std::size_t N>
Vector<W, T, N> VecFromMask(Tag<W, T, N>, const Mask<W, T, N>& m) {
  const W zero = Bits<W>::value(0, 8 * static_cast<unsigned>(sizeof(T)));
  return Vector<W, T, N>::make(
      [&](std::size_t i) { return Bits<W>::select(m.flag(i), ones_like(zero), zero); });
}

template <class W, class T, std::size_t N>
Vector<W, T, N> IfThenElse(const Mask<W, T, N>& m, const Vector<W, T, N>& yes,
                           const Vector<W, T, N>& no) {
  return Vector<W, T, N>::make(
      [&](std::size_t i) { return Bits<W>::select(m.flag(i), yes.lane(i), no.lane(i)); });
}

template <class W, class T, std::size_t N>
Vector<W, T, N> IfThenElseZero(const Mask<W, T, N>& m, const Vector<W, T, N>& yes) {
  return IfThenElse(m, yes, Zero(Tag<W, T, N>()));
}

template <class W, class T, std::size_t N>
Vector<W, T, N> IfThenZeroElse(const Mask<W, T, N>& m, const Vector<W, T, N>& no) {
  return IfThenElse(m, Zero(Tag<W, T, N>()), no);
}

// Odd lanes of a, even lanes of b.
template <class W, class T, std::size_t N>
Vector<W, T, N> OddEven(const Vector<W, T, N>& a, const Vector<W, T, N>& b) {
  return Vector<W, T, N>::make([&](std::size_t i) { return (i % 2 != 0 ? a : b).lane(i); });
}

// Blocks have 128 bits. Takes lanes of a and b in turn, from the lower or the upper half of the
// same block.
template <std::size_t kFrom, class W, class T, std::size_t N>
Vector<W, T, N> interleave(const Vector<W, T, N>& a, const Vector<W, T, N>& b) {
  constexpr std::size_t kBlock = 16 / sizeof(T);
  return Vector<W, T, N>::make([&](std::size_t i) {
    const std::size_t first = i - i % kBlock + kFrom * kBlock / 2;
    return (i % 2 == 0 ? a : b).lane(first + i % kBlock / 2);
  });
}

template <class W, class T, std::size_t N>
Vector<W, T, N> InterleaveLower(Tag<W, T, N>, const Vector<W, T, N>& a, const Vector<W, T, N>& b) {
  return interleave<0>(a, b);
}
template <class W, class T, std::size_t N>
Vector<W, T, N> InterleaveUpper(Tag<W, T, N>, const Vector<W, T, N>& a, const Vector<W, T, N>& b) {
  return interleave<1>(a, b);
}

// Within each block the lanes of a, then those of b, saturated to 16 bits.
template <class W, std::size_t N>
Vector<W, std::int16_t, N> ReorderDemote2To(Tag<W, std::int16_t, N>,
                                            const Vector<W, std::int32_t, N / 2>& a,
                                            const Vector<W, std::int32_t, N / 2>& b) {
  return Vector<W, std::int16_t, N>::make([&](std::size_t i) -> W {
    const W& x = (i % 8 < 4 ? a : b).lane(i / 8 * 4 + i % 4);
    const W least = Bits<W>::value(0xFFFF8000u, 32);
    const W most = Bits<W>::value(0x7FFFu, 32);
    const W bounded = Bits<W>::select(Bits<W>::less_signed(x, least), least,
                                      Bits<W>::select(Bits<W>::less_signed(most, x), most, x));
    return Bits<W>::part(bounded, 15, 0);
  });
}

template <class W, class T, std::size_t N>
Vector<W, T, N> Combine(Tag<W, T, N>, const Vector<W, T, N / 2>& upper,
                        const Vector<W, T, N / 2>& lower) {
  return Vector<W, T, N>::make(
      [&](std::size_t i) { return i < N / 2 ? lower.lane(i) : upper.lane(i - N / 2); });
}

template <class W, class T, std::size_t N>
Vector<W, T, N> LowerHalf(Tag<W, T, N>, const Vector<W, T, 2 * N>& v) {
  return Vector<W, T, N>::make([&](std::size_t i) { return v.lane(i); });
}

template <class W, class T, std::size_t N>
Vector<W, T, N> UpperHalf(Tag<W, T, N>, const Vector<W, T, 2 * N>& v) {
  return Vector<W, T, N>::make([&](std::size_t i) { return v.lane(N + i); });
}

}  // namespace quantproof::lanes

#endif
