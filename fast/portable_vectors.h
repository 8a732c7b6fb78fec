// SPDX-License-Identifier: Apache-2.0
//
// Vectors in plain C++ under the names of Highway's operations. The kernels of leech-inl.h and
// kaiju1-inl.h run on them where Highway has no fixed-size vectors, and the tests run them on these
// with the lane counts of wider processors. Lanes are little-endian and blocks have 128 bits, as in
// Highway.
#ifndef QUANTPROOF_FAST_PORTABLE_VECTORS_H_
#define QUANTPROOF_FAST_PORTABLE_VECTORS_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace quantproof::fast::portable {

template <class T, std::size_t N>
struct Tag {
  using Lane = T;
  static constexpr std::size_t kCount = N;
};

template <class T, std::size_t N>
struct alignas(sizeof(T) * N < 64 ? sizeof(T) * N : 64) Vector {
  T lane[N];
};

template <class D>
using VectorOf = Vector<typename D::Lane, D::kCount>;

template <class D>
using HalfOf = Tag<typename D::Lane, D::kCount / 2>;

// A mask has a lane of its own, all ones or all zeros.
template <class T, std::size_t N>
struct Mask {
  Vector<T, N> bits;
};

template <class T, std::size_t N, class F>
Vector<T, N> map(const Vector<T, N>& a, F f) {
  Vector<T, N> r;
  for (std::size_t i = 0; i < N; ++i) r.lane[i] = static_cast<T>(f(a.lane[i]));
  return r;
}

template <class T, std::size_t N, class F>
Vector<T, N> map(const Vector<T, N>& a, const Vector<T, N>& b, F f) {
  Vector<T, N> r;
  for (std::size_t i = 0; i < N; ++i) r.lane[i] = static_cast<T>(f(a.lane[i], b.lane[i]));
  return r;
}

template <class T>
using Unsigned = std::make_unsigned_t<T>;

template <class D>
constexpr std::size_t Lanes(D) {
  return D::kCount;
}

template <class D, class T>
VectorOf<D> Set(D, T value) {
  VectorOf<D> r;
  for (auto& lane : r.lane) lane = static_cast<typename D::Lane>(value);
  return r;
}

template <class D>
VectorOf<D> Zero(D d) {
  return Set(d, 0);
}

template <class D>
VectorOf<D> LoadU(D, const typename D::Lane* from) {
  VectorOf<D> r;
  for (std::size_t i = 0; i < D::kCount; ++i) r.lane[i] = from[i];
  return r;
}

template <class D>
VectorOf<D> Load(D d, const typename D::Lane* from) {
  return LoadU(d, from);
}

template <class T, std::size_t N>
void StoreU(const Vector<T, N>& v, Tag<T, N>, T* to) {
  for (std::size_t i = 0; i < N; ++i) to[i] = v.lane[i];
}

template <class T, std::size_t N>
void Store(const Vector<T, N>& v, Tag<T, N> d, T* to) {
  StoreU(v, d, to);
}

template <class To, std::size_t M, class T, std::size_t N>
Vector<To, M> BitCast(Tag<To, M>, const Vector<T, N>& v) {
  static_assert(sizeof(To) * M == sizeof(T) * N);
  Vector<To, M> r;
  if constexpr (sizeof(To) == sizeof(T)) {
    for (std::size_t i = 0; i < N; ++i) r.lane[i] = static_cast<To>(v.lane[i]);
  } else if constexpr (sizeof(To) < sizeof(T)) {
    constexpr std::size_t kParts = sizeof(T) / sizeof(To);
    for (std::size_t i = 0; i < M; ++i) {
      const auto whole = static_cast<Unsigned<T>>(v.lane[i / kParts]);
      r.lane[i] = static_cast<To>(whole >> (8 * sizeof(To) * (i % kParts)));
    }
  } else {
    constexpr std::size_t kParts = sizeof(To) / sizeof(T);
    for (std::size_t i = 0; i < M; ++i) {
      Unsigned<To> whole = 0;
      for (std::size_t part = 0; part < kParts; ++part) {
        const auto piece = static_cast<Unsigned<T>>(v.lane[i * kParts + part]);
        whole = static_cast<Unsigned<To>>(whole | Unsigned<To>{piece} << (8 * sizeof(T) * part));
      }
      r.lane[i] = static_cast<To>(whole);
    }
  }
  return r;
}

template <class V>
V Add(const V& a, const V& b) {
  return map(a, b, [](auto x, auto y) {
    using U = Unsigned<decltype(x)>;
    return static_cast<U>(static_cast<U>(x) + static_cast<U>(y));
  });
}

template <class V>
V Sub(const V& a, const V& b) {
  return map(a, b, [](auto x, auto y) {
    using U = Unsigned<decltype(x)>;
    return static_cast<U>(static_cast<U>(x) - static_cast<U>(y));
  });
}

template <class V>
V SaturatedAdd(const V& a, const V& b) {
  return map(a, b, [](auto x, auto y) {
    using T = decltype(x);
    static_assert(std::is_unsigned_v<T> && sizeof(T) <= 2);
    const int sum = x + y;
    return sum > std::numeric_limits<T>::max() ? std::numeric_limits<T>::max() : sum;
  });
}

template <class V>
V Min(const V& a, const V& b) {
  return map(a, b, [](auto x, auto y) { return y < x ? y : x; });
}

template <class V>
V Max(const V& a, const V& b) {
  return map(a, b, [](auto x, auto y) { return x < y ? y : x; });
}

template <class V>
V Abs(const V& a) {
  return map(a, [](auto x) {
    using U = Unsigned<decltype(x)>;
    return x < 0 ? static_cast<U>(U{0} - static_cast<U>(x)) : static_cast<U>(x);
  });
}

template <class V>
V And(const V& a, const V& b) {
  return map(a, b, [](auto x, auto y) { return x & y; });
}

template <class V>
V AndNot(const V& a, const V& b) {
  return map(a, b, [](auto x, auto y) { return ~x & y; });
}

template <class V>
V Or(const V& a, const V& b) {
  return map(a, b, [](auto x, auto y) { return x | y; });
}

template <class V>
V Xor(const V& a, const V& b) {
  return map(a, b, [](auto x, auto y) { return x ^ y; });
}

template <int kBits, class V>
V ShiftLeft(const V& a) {
  return map(a, [](auto x) {
    using U = Unsigned<decltype(x)>;
    return static_cast<U>(static_cast<U>(x) << kBits);
  });
}

// Arithmetic for signed lanes.
template <int kBits, class V>
V ShiftRight(const V& a) {
  return map(a, [](auto x) { return x >> kBits; });
}

template <class V>
V BroadcastSignBit(const V& a) {
  return map(a, [](auto x) { return x < 0 ? -1 : 0; });
}

template <class T, std::size_t N>
Mask<T, N> Eq(const Vector<T, N>& a, const Vector<T, N>& b) {
  return {map(a, b, [](auto x, auto y) { return x == y ? -1 : 0; })};
}

template <class T, std::size_t N>
Mask<T, N> Lt(const Vector<T, N>& a, const Vector<T, N>& b) {
  return {map(a, b, [](auto x, auto y) { return x < y ? -1 : 0; })};
}

template <class T, std::size_t N>
Mask<T, N> MaskFromVec(const Vector<T, N>& v) {
  return {v};
}

template <class T, std::size_t N>
Vector<T, N> VecFromMask(Tag<T, N>, const Mask<T, N>& m) {
  return m.bits;
}

template <class T, std::size_t N>
Vector<T, N> IfThenElse(const Mask<T, N>& m, const Vector<T, N>& yes, const Vector<T, N>& no) {
  return Or(And(m.bits, yes), AndNot(m.bits, no));
}

template <class T, std::size_t N>
Vector<T, N> IfThenElseZero(const Mask<T, N>& m, const Vector<T, N>& yes) {
  return And(m.bits, yes);
}

template <class T, std::size_t N>
Vector<T, N> IfThenZeroElse(const Mask<T, N>& m, const Vector<T, N>& no) {
  return AndNot(m.bits, no);
}

// Odd lanes of a, even lanes of b.
template <class T, std::size_t N>
Vector<T, N> OddEven(const Vector<T, N>& a, const Vector<T, N>& b) {
  Vector<T, N> r;
  for (std::size_t i = 0; i < N; ++i) r.lane[i] = i % 2 != 0 ? a.lane[i] : b.lane[i];
  return r;
}

template <class T, std::size_t N>
Vector<T, N> InterleaveLower(Tag<T, N>, const Vector<T, N>& a, const Vector<T, N>& b) {
  constexpr std::size_t kBlock = std::min(N, 16 / sizeof(T));
  Vector<T, N> r;
  for (std::size_t i = 0; i < N; ++i) {
    const std::size_t from = i / kBlock * kBlock + i % kBlock / 2;
    r.lane[i] = i % 2 == 0 ? a.lane[from] : b.lane[from];
  }
  return r;
}

template <class T, std::size_t N>
Vector<T, N> InterleaveUpper(Tag<T, N>, const Vector<T, N>& a, const Vector<T, N>& b) {
  constexpr std::size_t kBlock = std::min(N, 16 / sizeof(T));
  Vector<T, N> r;
  for (std::size_t i = 0; i < N; ++i) {
    const std::size_t from = i / kBlock * kBlock + kBlock / 2 + i % kBlock / 2;
    r.lane[i] = i % 2 == 0 ? a.lane[from] : b.lane[from];
  }
  return r;
}

// Within each block the lanes of a, then those of b, saturated.
template <std::size_t N>
Vector<std::int16_t, N> ReorderDemote2To(Tag<std::int16_t, N>, const Vector<std::int32_t, N / 2>& a,
                                         const Vector<std::int32_t, N / 2>& b) {
  Vector<std::int16_t, N> r;
  for (std::size_t i = 0; i < N; ++i) {
    const auto& from = i % 8 < 4 ? a : b;
    const std::int32_t x = from.lane[i / 8 * 4 + i % 4];
    r.lane[i] = static_cast<std::int16_t>(x < -32768 ? -32768 : x > 32767 ? 32767 : x);
  }
  return r;
}

template <class T, std::size_t N>
Vector<T, N> Combine(Tag<T, N>, const Vector<T, N / 2>& upper, const Vector<T, N / 2>& lower) {
  Vector<T, N> r;
  for (std::size_t i = 0; i < N; ++i) r.lane[i] = i < N / 2 ? lower.lane[i] : upper.lane[i - N / 2];
  return r;
}

template <class T, std::size_t N>
Vector<T, N> LowerHalf(Tag<T, N>, const Vector<T, 2 * N>& v) {
  Vector<T, N> r;
  for (std::size_t i = 0; i < N; ++i) r.lane[i] = v.lane[i];
  return r;
}

template <class T, std::size_t N>
Vector<T, N> UpperHalf(Tag<T, N>, const Vector<T, 2 * N>& v) {
  Vector<T, N> r;
  for (std::size_t i = 0; i < N; ++i) r.lane[i] = v.lane[N + i];
  return r;
}

// 16 bytes to each block.
template <std::size_t N>
Vector<std::uint8_t, N> LoadDup128(Tag<std::uint8_t, N>, const std::uint8_t* from) {
  Vector<std::uint8_t, N> r;
  for (std::size_t i = 0; i < N; ++i) r.lane[i] = from[i % 16];
  return r;
}

// Bytes of the same block; indices are below 16.
template <std::size_t N>
Vector<std::uint8_t, N> TableLookupBytes(const Vector<std::uint8_t, N>& bytes,
                                         const Vector<std::uint8_t, N>& indices) {
  Vector<std::uint8_t, N> r;
  for (std::size_t i = 0; i < N; ++i) r.lane[i] = bytes.lane[i / 16 * 16 + indices.lane[i] % 16];
  return r;
}

// The upper half of the product.
template <std::size_t N>
Vector<std::uint16_t, N> MulHigh(const Vector<std::uint16_t, N>& a,
                                 const Vector<std::uint16_t, N>& b) {
  return map(a, b, [](auto x, auto y) { return std::uint32_t{x} * y >> 16; });
}

template <class T, std::size_t N>
std::size_t StoreMaskBits(Tag<T, N>, const Mask<T, N>& m, std::uint8_t* bits) {
  for (std::size_t i = 0; i < N / 8; ++i) bits[i] = 0;
  for (std::size_t i = 0; i < N; ++i) {
    bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | (m.bits.lane[i] != 0 ? 1u << i % 8 : 0u));
  }
  return N / 8;
}

}  // namespace quantproof::fast::portable

#endif
