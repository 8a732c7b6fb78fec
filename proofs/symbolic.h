// SPDX-License-Identifier: Apache-2.0
//
// The vocabulary that the kernels and the reference are written in, over symbolic values. A
// template of ref/ or fast/ instantiated with these types computes a formula instead of a number.
//
// Vectors are templates over their word `W`. With W = Uint32 (a Z3 term) they prove; with
// W = std::uint32_t they compute, and OPS-CONFORM-1 compares that with the processor. So the
// meaning of every vector operation is written down once, here.
#ifndef QUANTPROOF_PROOFS_SYMBOLIC_H_
#define QUANTPROOF_PROOFS_SYMBOLIC_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "z3++.h"

#include "quantproof/iq3_block.h"

namespace quantproof::symbolic {

// The text under proof did something that is wrong for every input: an access outside its memory,
// a use of an indeterminate value, a shift by a constant that is too large.
struct Violation : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One symbolic execution. Holds the Z3 context, the facts assumed about fresh values, and the
// side conditions that must hold on every input. At most one is alive in a thread.
class Session {
 public:
  struct Condition {
    z3::expr holds;
    std::string what;
  };

  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  static Session& current();

  z3::expr constant(const std::string& name, unsigned bits);
  z3::expr value(std::uint64_t number, unsigned bits);
  z3::expr all(const std::vector<z3::expr>& terms);  // conjunction

  // `holds` must be proved for every input that takes the present path.
  void require(const z3::expr& holds, std::string what);
  // A definition of a fresh value. Always satisfiable.
  void assume(const z3::expr& fact) { assumptions_.push_back(fact); }
  // The outcome of a branch on `condition`: explore() runs both.
  bool decide(const z3::expr& condition);
  // Runs `body` once per path; during each run path() is the condition of that path.
  void explore(const std::function<void()>& body);
  z3::expr path();
  std::string fresh_name(const char* stem) {
    return std::string(stem) + "." + std::to_string(fresh_++);
  }

  // The conditions since the last call.
  std::vector<Condition> take_conditions() { return std::exchange(conditions_, {}); }
  [[nodiscard]] const std::vector<z3::expr>& assumptions() const { return assumptions_; }

  z3::context z3;
  // Float arithmetic is uninterpreted in the wiring proofs: what they show holds for any
  // multiplication and any conversion. IQ3-EXACT-1 says what the real ones give.
  z3::func_decl multiply;  // (32 bits, 32 bits) -> 32 bits
  z3::func_decl convert;   // 32 bits -> 32 bits

 private:
  std::vector<Condition> conditions_;
  std::vector<z3::expr> assumptions_;
  std::vector<z3::expr> path_;
  std::vector<bool> decisions_;
  std::size_t next_decision_ = 0;
  int fresh_ = 0;
};

// ------------------------------------------------------------------------------------- scalars

class Bool {
 public:
  explicit Bool(const z3::expr& term) : term_(term) {}
  [[nodiscard]] const z3::expr& term() const { return term_; }
  explicit operator bool() const { return Session::current().decide(term_); }  // both branches

 private:
  z3::expr term_;
};

class Uint32;

class Byte {
 public:
  Byte() = default;  // indeterminate
  explicit Byte(const z3::expr& term) : term_(term) {}
  explicit Byte(const Uint32& word);  // the low eight bits
  [[nodiscard]] const z3::expr& term() const;
  [[nodiscard]] bool determinate() const { return term_.has_value(); }

 private:
  std::optional<z3::expr> term_;
};

class Uint32 {
 public:
  Uint32() = default;  // indeterminate
  Uint32(std::uint32_t value) : term_(Session::current().value(value, 32)) {}
  Uint32(const Byte& byte) : term_(z3::zext(byte.term(), 24)) {}
  explicit Uint32(const z3::expr& term) : term_(term) {}
  [[nodiscard]] const z3::expr& term() const;

  friend Uint32 operator&(const Uint32& a, const Uint32& b) { return Uint32(a.term() & b.term()); }
  friend Uint32 operator|(const Uint32& a, const Uint32& b) { return Uint32(a.term() | b.term()); }
  friend Uint32 operator^(const Uint32& a, const Uint32& b) { return Uint32(a.term() ^ b.term()); }
  friend Uint32 operator+(const Uint32& a, const Uint32& b) { return Uint32(a.term() + b.term()); }
  friend Uint32 operator-(const Uint32& a, const Uint32& b) { return Uint32(a.term() - b.term()); }
  friend Uint32 operator<<(const Uint32& a, unsigned n) {
    return Uint32(z3::shl(a.term(), amount(n)));
  }
  friend Uint32 operator>>(const Uint32& a, unsigned n) {
    return Uint32(z3::lshr(a.term(), amount(n)));
  }
  friend Uint32 operator%(const Uint32& a, std::uint32_t n) {
    if (n == 0) throw Violation("remainder by zero");
    return Uint32(z3::urem(a.term(), Session::current().value(n, 32)));
  }
  friend Bool operator==(const Uint32& a, const Uint32& b) { return Bool(a.term() == b.term()); }
  friend Bool operator!=(const Uint32& a, const Uint32& b) { return Bool(a.term() != b.term()); }
  friend Bool operator<(const Uint32& a, const Uint32& b) {
    return Bool(z3::ult(a.term(), b.term()));
  }

 private:
  static z3::expr amount(unsigned n) {
    if (n >= 32) throw Violation("shift by " + std::to_string(n) + " bits");
    return Session::current().value(n, 32);
  }
  std::optional<z3::expr> term_;
};

inline Uint32 Select(const Bool& condition, const Uint32& yes, const Uint32& no) {
  return Uint32(z3::ite(condition.term(), yes.term(), no.term()));
}

// binary32 bits of the integer, IEEE 754 conversion, by Z3's floating-point theory.
Uint32 FloatBits(const Uint32& value);

// A std::size_t: an offset that depends on symbolic data.
class Size {
 public:
  Size(std::size_t value) : term_(Session::current().value(value, 64)) {}
  explicit Size(const Byte& byte) : term_(z3::zext(byte.term(), 56)) {}
  explicit Size(const Uint32& word) : term_(z3::zext(word.term(), 32)) {}
  explicit Size(const z3::expr& term) : term_(term) {}
  [[nodiscard]] const z3::expr& term() const { return term_; }
  friend Size operator+(const Size& a, const Size& b) { return Size(a.term_ + b.term_); }
  friend Size operator*(const Size& a, const Size& b) { return Size(a.term_ * b.term_); }

 private:
  z3::expr term_;
};

// fast/iq3_block-inl.h
inline Size RowOffset(const Byte& index) {
  static_assert(kRowWeights == 4);
  Session& s = Session::current();
  return Size(z3::concat(s.value(0, 54), z3::concat(index.term(), s.value(0, 2))));
}

// The one scalar rule that is not in C++ itself: how the two kinds of word shift by a word,
// multiply and convert as binary32.
inline Uint32 shift_left(const Uint32& a, const Uint32& n) {
  Session& s = Session::current();
  s.require(z3::ult(n.term(), s.value(32, 32)), "a lane is shifted by 32 bits or more");
  return Uint32(z3::shl(a.term(), n.term()));
}
inline Uint32 multiply_floats(const Uint32& a, const Uint32& b) {
  return Uint32(Session::current().multiply(a.term(), b.term()));
}
inline Uint32 float_of_int(const Uint32& a) { return Uint32(Session::current().convert(a.term())); }

inline std::uint32_t shift_left(std::uint32_t a, std::uint32_t n) {
  if (n >= 32) throw Violation("a lane is shifted by 32 bits or more");
  return a << n;
}
inline std::uint32_t multiply_floats(std::uint32_t a, std::uint32_t b) {
  return std::bit_cast<std::uint32_t>(std::bit_cast<float>(a) * std::bit_cast<float>(b));
}
inline std::uint32_t float_of_int(std::uint32_t a) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(a)));
}

// -------------------------------------------------------------------------------------- memory

// A place in an array of `size` elements. Every access is checked against the array.
template <class Element>
class Pointer {
 public:
  Pointer(Element* base, std::size_t size, const char* name)
      : base_(base), size_(size), name_(name) {}
  friend Pointer operator+(Pointer p, std::size_t n) {
    p.offset_ += n;
    return p;
  }
  Element& operator[](std::size_t i) const {
    const std::size_t at = offset_ + i;
    if (at >= size_) {
      throw Violation("access to element " + std::to_string(at) + " of the " + name_ +
                      ", which has " + std::to_string(size_));
    }
    return base_[at];
  }

 private:
  Element* base_;
  std::size_t size_;
  const char* name_;
  std::size_t offset_ = 0;
};

// std::memmove on symbolic bytes.
inline void copy_bytes(Byte* target, const Byte* source, std::size_t n) {
  const std::vector<Byte> copy(source, source + n);
  std::copy(copy.begin(), copy.end(), target);
}

// The 256 x 4 magnitudes of a codebook: binary32 bits with sign bit 0, otherwise anything. Each
// element that is read becomes a variable of its own, named by its address. A statement that holds
// for all values of these variables holds for every codebook.
inline constexpr unsigned kCodebookElementBits = 10;
inline constexpr std::size_t kCodebookElements = std::size_t{1} << kCodebookElementBits;

class Codebook {
 public:
  struct Element {
    z3::expr address;    // 10 bits
    z3::expr magnitude;  // 31 bits
  };
  explicit Codebook(std::string name) : name_(std::move(name)) {}
  // Element `sum` + `n`.
  Uint32 element(const z3::expr& sum, std::size_t n);
  [[nodiscard]] const std::vector<Element>& elements() const { return elements_; }

 private:
  std::string name_;
  std::vector<Element> elements_;
};

template <class W>
class CodebookPointer;

template <>
class CodebookPointer<Uint32> {
 public:
  explicit CodebookPointer(Codebook* codebook) : codebook_(codebook), sum_(std::size_t{0}) {}
  friend CodebookPointer operator+(CodebookPointer p, const Size& n) {
    p.sum_ = p.sum_ + n;
    return p;
  }
  friend CodebookPointer operator+(CodebookPointer p, std::size_t n) {
    p.offset_ += n;
    return p;
  }
  // Elements [0, n) from here. Asks for a proof that all of them are in the codebook.
  void read(Uint32* lanes, std::size_t n) const {
    Session& s = Session::current();
    if (offset_ + n > kCodebookElements) throw Violation("a load leaves the codebook");
    s.require(z3::ule(sum_.term(), s.value(kCodebookElements - n - offset_, 64)),
              "a load leaves the 256 rows of the codebook");
    for (std::size_t i = 0; i < n; ++i) lanes[i] = codebook_->element(sum_.term(), offset_ + i);
  }

 private:
  Codebook* codebook_;
  Size sum_;                // the symbolic part of the offset
  std::size_t offset_ = 0;  // the rest
};

template <>
class CodebookPointer<std::uint32_t> {
 public:
  explicit CodebookPointer(const float* codebook) : codebook_(codebook) {}
  friend CodebookPointer operator+(CodebookPointer p, std::size_t n) {
    p.offset_ += n;
    return p;
  }
  void read(std::uint32_t* lanes, std::size_t n) const {
    if (offset_ + n > kCodebookElements)
      throw Violation("a load leaves the 256 rows of the codebook");
    for (std::size_t i = 0; i < n; ++i)
      lanes[i] = std::bit_cast<std::uint32_t>(codebook_[offset_ + i]);
  }

 private:
  const float* codebook_;
  std::size_t offset_ = 0;
};

// ------------------------------------------------------------------------------------- vectors

enum class Kind { kUint, kInt, kFloat };

template <class W, Kind kKind, std::size_t kLanes>
struct Vector {
  std::array<W, kLanes> lane;  // the bits of each lane, whatever its kind
};

template <class W, Kind kKind, std::size_t kLanes>
struct Tag {
  using Half = Tag<W, kKind, (kLanes + 1) / 2>;
};

// One binary32 number, as bits.
template <class W>
struct Float {
  W bits{};
};

// The `Tags` of a kernel: fast/iq3_block-inl.h says what each name is.
template <class W, std::size_t kLaneCount>
struct Tags {
  static constexpr std::size_t kLanes = kLaneCount;
  static constexpr std::size_t kWords = kLaneCount < 8 ? kLaneCount : 8;
  using Floats = Tag<W, Kind::kFloat, kLanes>;
  using Masks = Tag<W, Kind::kUint, kLanes>;
  using Words = Tag<W, Kind::kUint, kWords>;
  using WordInts = Tag<W, Kind::kInt, kWords>;
  using WordFloats = Tag<W, Kind::kFloat, kWords>;
  using Uint32 = W;
  using Float = symbolic::Float<W>;
};

template <class W, Kind K, std::size_t N, class F>
Vector<W, K, N> make_lanes(F lane) {
  Vector<W, K, N> v;
  for (std::size_t i = 0; i < N; ++i) v.lane[i] = lane(i);
  return v;
}

template <class W, Kind K, std::size_t N>
constexpr std::size_t Lanes(Tag<W, K, N>) {
  return N;
}

template <class W, Kind K, std::size_t N>
Vector<W, K, N> And(const Vector<W, K, N>& a, const Vector<W, K, N>& b) {
  return make_lanes<W, K, N>([&](std::size_t i) { return a.lane[i] & b.lane[i]; });
}

template <class W, Kind K, std::size_t N>
Vector<W, K, N> Or(const Vector<W, K, N>& a, const Vector<W, K, N>& b) {
  return make_lanes<W, K, N>([&](std::size_t i) { return a.lane[i] | b.lane[i]; });
}

template <class W, Kind K, std::size_t N>
Vector<W, K, N> Xor(const Vector<W, K, N>& a, const Vector<W, K, N>& b) {
  return make_lanes<W, K, N>([&](std::size_t i) { return a.lane[i] ^ b.lane[i]; });
}

template <class W, std::size_t N>
Vector<W, Kind::kUint, N> Sub(const Vector<W, Kind::kUint, N>& a,
                              const Vector<W, Kind::kUint, N>& b) {
  return make_lanes<W, Kind::kUint, N>([&](std::size_t i) { return a.lane[i] - b.lane[i]; });
}

template <class W, std::size_t N>
Vector<W, Kind::kUint, N> Shl(const Vector<W, Kind::kUint, N>& a,
                              const Vector<W, Kind::kUint, N>& n) {
  return make_lanes<W, Kind::kUint, N>(
      [&](std::size_t i) { return shift_left(a.lane[i], n.lane[i]); });
}

template <int kBits, class W, std::size_t N>
Vector<W, Kind::kUint, N> ShiftLeft(const Vector<W, Kind::kUint, N>& a) {
  static_assert(0 <= kBits && kBits < 32);
  return make_lanes<W, Kind::kUint, N>([&](std::size_t i) { return a.lane[i] << kBits; });
}

template <int kBits, class W, std::size_t N>
Vector<W, Kind::kUint, N> ShiftRight(const Vector<W, Kind::kUint, N>& a) {
  static_assert(0 <= kBits && kBits < 32);
  return make_lanes<W, Kind::kUint, N>([&](std::size_t i) { return a.lane[i] >> kBits; });
}

template <class W, std::size_t N>
Vector<W, Kind::kUint, N> Set(Tag<W, Kind::kUint, N>, const std::type_identity_t<W>& value) {
  return make_lanes<W, Kind::kUint, N>([&](std::size_t) { return value; });
}

template <class W, std::size_t N>
Vector<W, Kind::kFloat, N> Set(Tag<W, Kind::kFloat, N>, const Float<W>& value) {
  return make_lanes<W, Kind::kFloat, N>([&](std::size_t) { return value.bits; });
}

template <class W, std::size_t N>
Vector<W, Kind::kUint, N> Iota(Tag<W, Kind::kUint, N>, std::uint32_t first) {
  return make_lanes<W, Kind::kUint, N>(
      [&](std::size_t i) { return W(first + static_cast<std::uint32_t>(i)); });
}

template <class W, std::size_t N>
Vector<W, Kind::kFloat, N> Mul(const Vector<W, Kind::kFloat, N>& a,
                               const Vector<W, Kind::kFloat, N>& b) {
  return make_lanes<W, Kind::kFloat, N>(
      [&](std::size_t i) { return multiply_floats(a.lane[i], b.lane[i]); });
}

template <class W, std::size_t N>
Vector<W, Kind::kFloat, N> ConvertTo(Tag<W, Kind::kFloat, N>, const Vector<W, Kind::kInt, N>& a) {
  return make_lanes<W, Kind::kFloat, N>([&](std::size_t i) { return float_of_int(a.lane[i]); });
}

template <class W, Kind To, Kind From, std::size_t N>
Vector<W, To, N> BitCast(Tag<W, To, N>, const Vector<W, From, N>& a) {
  return {a.lane};
}

// `magnitude` has sign bit 0; the result takes the sign of `sign`.
template <class W, std::size_t N>
Vector<W, Kind::kFloat, N> CopySignToAbs(const Vector<W, Kind::kFloat, N>& magnitude,
                                         const Vector<W, Kind::kFloat, N>& sign) {
  return make_lanes<W, Kind::kFloat, N>(
      [&](std::size_t i) { return magnitude.lane[i] | (sign.lane[i] & W(0x80000000u)); });
}

// Lanes of `lower` first.
template <class W, Kind K, std::size_t N>
Vector<W, K, N> Combine(Tag<W, K, N>, const Vector<W, K, N / 2>& upper,
                        const Vector<W, K, N / 2>& lower) {
  static_assert(N % 2 == 0);
  return make_lanes<W, K, N>(
      [&](std::size_t i) { return i < N / 2 ? lower.lane[i] : upper.lane[i - N / 2]; });
}

template <class W, std::size_t N>
Vector<W, Kind::kUint, N> LoadU(Tag<W, Kind::kUint, N>, const W* words) {
  return make_lanes<W, Kind::kUint, N>([&](std::size_t i) { return words[i]; });
}

template <class W, std::size_t N>
Vector<W, Kind::kFloat, N> LoadU(Tag<W, Kind::kFloat, N>, const CodebookPointer<W>& codebook) {
  Vector<W, Kind::kFloat, N> v;
  codebook.read(v.lane.data(), N);
  return v;
}

// fast/iq3_block-inl.h: little-endian words.
template <class W, std::size_t N, class B>
Vector<W, Kind::kUint, N> LoadWords(Tag<W, Kind::kUint, N>, const Pointer<B>& bytes) {
  return make_lanes<W, Kind::kUint, N>([&](std::size_t i) {
    W word = W(bytes[4 * i]);
    for (unsigned k = 1; k < 4; ++k) word = word | (W(bytes[4 * i + k]) << (8 * k));
    return word;
  });
}

template <class W, std::size_t N>
void StoreU(const Vector<W, Kind::kUint, N>& v, Tag<W, Kind::kUint, N>, W* words) {
  for (std::size_t i = 0; i < N; ++i) words[i] = v.lane[i];
}

template <class W, std::size_t N>
void StoreU(const Vector<W, Kind::kFloat, N>& v, Tag<W, Kind::kFloat, N>, Float<W>* floats) {
  for (std::size_t i = 0; i < N; ++i) floats[i].bits = v.lane[i];
}

template <class W, std::size_t N>
void StoreU(const Vector<W, Kind::kFloat, N>& v, Tag<W, Kind::kFloat, N>,
            const Pointer<Float<W>>& floats) {
  for (std::size_t i = 0; i < N; ++i) floats[i].bits = v.lane[i];
}

}  // namespace quantproof::symbolic

#endif
