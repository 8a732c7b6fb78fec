// SPDX-License-Identifier: Apache-2.0
//
// What IQ3_XXS and E8/IQ3 have to prove. The texts under proof come in as `Parts`: the shipped
// ones here, and in mutants.cc the same with one part replaced.
#ifndef QUANTPROOF_PROOFS_IQ3_BLOCK_H_
#define QUANTPROOF_PROOFS_IQ3_BLOCK_H_

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fast/codebook.h"
#include "fast/half.h"
#include "fast/iq3_block-inl.h"
#include "proofs/obligation.h"
#include "proofs/symbolic.h"
#include "quantproof/e8_iq3.h"
#include "quantproof/iq3_codebook.h"
#include "quantproof/iq3_xxs.h"
#include "quantproof/ref/half.h"
#include "quantproof/ref/iq3_block.h"
#include "ref_decode_block.inc"

namespace quantproof::proofs {

static_assert(Iq3Xxs::kBlockBytes == E8Iq3::kBlockBytes);
inline constexpr std::size_t kBlockBytes = Iq3Xxs::kBlockBytes;
using Block = std::array<std::uint8_t, kBlockBytes>;

// --------------------------------------------------------------------------------------- parts

#define QP_KERNEL_PART(where)                                                   \
  struct Kernel {                                                               \
    using NativeTags = where::HWY_NAMESPACE::NativeTags;                        \
    template <class Layout, class Tags, class B, class C, class F, class O>     \
    static void decode_block(B block, C codebook, F d, O out) {                 \
      where::HWY_NAMESPACE::DecodeBlock<Layout, Tags>(block, codebook, d, out); \
    }                                                                           \
    template <class Layout, class Tags, class B, class Bits, class O>           \
    static void fill_non_finite(B block, Bits bits, O out) {                    \
      where::HWY_NAMESPACE::FillNonFinite<Layout, Tags>(block, bits, out);      \
    }                                                                           \
    template <class D, class V>                                                 \
    static V sign_words(D d, V words) {                                         \
      return where::HWY_NAMESPACE::SignWords(d, words);                         \
    }                                                                           \
  };

#define QP_HALF_PART(where)                                 \
  struct Half {                                             \
    template <class Int>                                    \
    static Int widen(qp_profile profile, const Int& half) { \
      return where::WidenScale(profile, half);              \
    }                                                       \
    template <class Int>                                    \
    static Int twice(const Int& half) {                     \
      return where::DoubleHalf(half);                       \
    }                                                       \
    template <class Int>                                    \
    static Int half_of(const Int& half) {                   \
      return where::HalveHalf(half);                        \
    }                                                       \
  };

#define QP_REFERENCE_PART(where)                                                               \
  struct Reference {                                                                           \
    template <class Layout, class Int, class B>                                                \
    static Iq3Fields<Int> unpack(const B* block) {                                             \
      return where::unpack<Layout, Int>(block);                                                \
    }                                                                                          \
    template <class Layout, class Int, class B>                                                \
    static void pack(const Iq3Fields<Int>& fields, B* block) {                                 \
      where::pack<Layout>(fields, block);                                                      \
    }                                                                                          \
    template <class Int>                                                                       \
    static std::array<Int, kGroupWeights> group_signs(const Int& field) {                      \
      return where::group_signs(field);                                                        \
    }                                                                                          \
    template <class Int, class Codebook, class Weight>                                         \
    static std::array<Int, kBlockWeights> decode_block(const Codebook& codebook,               \
                                                       const Iq3Fields<Int>& fields,           \
                                                       const Weight& scale, int value_shift) { \
      return where::decode_block_text(codebook, fields, scale, value_shift);                   \
    }                                                                                          \
  };

// Who computes the weights when a counterexample is replayed.
enum class Replay { kNative, kEvaluator, kReference };

template <class FormatLayout>
struct Shipped {
  using Layout = FormatLayout;        // of the reference
  using KernelLayout = FormatLayout;  // of the kernel; mutants may differ
  QP_KERNEL_PART(fast)
  QP_HALF_PART(fast)
  QP_REFERENCE_PART(ref)
  static constexpr const Iq3Codebook& kMagnitudes = kIq3Codebook;
  static constexpr std::size_t kLanes = 4;
  static constexpr Replay kReplay = Replay::kNative;
};

// -------------------------------------------------------------------------------------- replay

// What the processor says about a counterexample.
struct Evidence {
  bool differs = false;
  std::string text;
};

std::string hex(std::uint32_t value, int digits);
std::string hex(const Block& block);

// The block decoded by the parts under test, on this CPU, profile ggml.
template <class Parts>
std::array<std::uint32_t, kBlockWeights> decode_on_cpu(const Block& block) {
  using Layout = typename Parts::KernelLayout;
  // A wrong layout may read beyond the block: zeros, as far as any of our offsets can reach.
  std::array<std::uint8_t, 4 * kBlockBytes> bytes{};
  std::copy(block.begin(), block.end(), bytes.begin());
  const std::uint32_t half =
      bytes[Layout::kScaleOffset] | (std::uint32_t{bytes[Layout::kScaleOffset + 1]} << 8);
  if constexpr (Parts::kReplay == Replay::kReference) {
    const auto fields = Parts::Reference::template unpack<Layout, std::uint32_t>(bytes.data());
    ref::Scale scale;
    ref::read_scale(QP_PROFILE_GGML, static_cast<std::uint16_t>(half), &scale);
    return Parts::Reference::decode_block(Parts::kMagnitudes, fields, scale, Layout::kValueShift);
  } else {
    static const fast::FloatCodebook codebook = fast::make_float_codebook(Parts::kMagnitudes);
    const std::uint32_t bits = Parts::Half::widen(QP_PROFILE_GGML, half);
    const float d = std::bit_cast<float>(bits) / static_cast<float>(1 << Layout::kValueShift);
    const bool finite = (half & 0x7C00u) != 0x7C00u;
    std::array<std::uint32_t, kBlockWeights> weights{};
    if constexpr (Parts::kReplay == Replay::kEvaluator) {
      using Tags = symbolic::Tags<std::uint32_t, Parts::kLanes>;
      std::array<symbolic::Float<std::uint32_t>, kBlockWeights> out{};
      const symbolic::Pointer<const std::uint8_t> in(bytes.data(), bytes.size(), "block");
      const symbolic::Pointer target(out.data(), out.size(), "weights");
      if (finite) {
        Parts::Kernel::template decode_block<Layout, Tags>(
            in, symbolic::CodebookPointer<std::uint32_t>(&codebook[0][0]),
            symbolic::Float<std::uint32_t>{std::bit_cast<std::uint32_t>(d)}, target);
      } else {
        Parts::Kernel::template fill_non_finite<Layout, Tags>(in, bits, target);
      }
      for (std::size_t i = 0; i < kBlockWeights; ++i) weights[i] = out[i].bits;
    } else {
      using Tags = typename Parts::Kernel::NativeTags;
      std::array<float, kBlockWeights> out{};
      const std::uint8_t* const in = bytes.data();
      if (finite) {
        Parts::Kernel::template decode_block<Layout, Tags>(in, &codebook[0][0], d, out.data());
      } else {
        Parts::Kernel::template fill_non_finite<Layout, Tags>(in, bits, out.data());
      }
      for (std::size_t i = 0; i < kBlockWeights; ++i)
        weights[i] = std::bit_cast<std::uint32_t>(out[i]);
    }
    return weights;
  }
}

// Runs the counterexample: decoding against the shipped reference, then the conversions of its
// scale, then unpacking and packing.
template <class Parts>
Evidence replay(const Block& block) {
  using Layout = typename Parts::Layout;
  const auto fields = ref::unpack<Layout, std::uint32_t>(block.data());
  const auto half = static_cast<std::uint16_t>(fields.scale);
  ref::Scale scale;
  ref::read_scale(QP_PROFILE_GGML, half, &scale);
  const auto want = ref::decode_block(fields, scale, Layout::kValueShift);
  const auto got = decode_on_cpu<Parts>(block);
  const std::string where = "block " + hex(block);
  for (std::size_t i = 0; i < kBlockWeights; ++i) {
    if (got[i] == want[i]) continue;
    return {true, where + ", weight " + std::to_string(i) + ": got " + hex(got[i], 8) + ", want " +
                      hex(want[i], 8)};
  }
  std::uint16_t wanted = 0;
  if (ref::double_scale(half, &wanted) == QP_OK) {
    const std::uint32_t twice = Parts::Half::twice(std::uint32_t{half});
    if (twice != wanted) {
      return {true, where + ", scale doubled: got " + hex(twice, 4) + ", want " + hex(wanted, 4)};
    }
  }
  if (ref::halve_scale(half, &wanted) == QP_OK) {
    const std::uint32_t halved = Parts::Half::half_of(std::uint32_t{half});
    if (halved != wanted) {
      return {true, where + ", scale halved: got " + hex(halved, 4) + ", want " + hex(wanted, 4)};
    }
  }
  using Tested = typename Parts::KernelLayout;
  Block packed{};
  Parts::Reference::template pack<Tested>(
      Parts::Reference::template unpack<Tested, std::uint32_t>(block.data()), packed.data());
  for (std::size_t i = 0; i < kBlockBytes; ++i) {
    if (packed[i] == block[i]) continue;
    return {true, where + ", byte " + std::to_string(i) + " unpacked and packed: got " +
                      hex(packed[i], 2) + ", want " + hex(block[i], 2)};
  }
  return {false, where + ": no difference on this CPU"};
}

// Receives the counterexample of a refuted obligation and runs it.
using Witness = std::function<Evidence(const Block&)>;

// --------------------------------------------------------------------------- symbolic material

// Symbolic bytes of a block, followed by indeterminate ones: a read beyond the block is then a
// use of an indeterminate byte, a write there makes it determinate.
class SymbolicBlock {
 public:
  static constexpr std::size_t kGuardBytes = 64;
  SymbolicBlock() = default;  // nothing written yet
  static SymbolicBlock any(symbolic::Session& session);

  [[nodiscard]] const symbolic::Byte* data() const { return bytes_.data() + kGuardBytes; }
  symbolic::Byte* data() { return bytes_.data() + kGuardBytes; }
  // Throws Violation unless exactly the block has been written.
  void expect_written() const;
  [[nodiscard]] Block value(const z3::model& model) const;
  [[nodiscard]] z3::expr same_bytes(symbolic::Session& session, const SymbolicBlock& other) const;

 private:
  std::array<symbolic::Byte, kBlockBytes + 2 * kGuardBytes> bytes_;
};

std::uint32_t number(const z3::model& model, const z3::expr& term);

// Clause 4.4 for a finite scale, as the reference's decode_block calls it: uninterpreted
// arithmetic in the order that IQ3-EXACT-1 checks. `d` already holds the power of two.
struct FiniteScale {
  symbolic::Uint32 d;
};
symbolic::Uint32 weight(const FiniteScale& scale, const symbolic::Uint32& multiplier,
                        const symbolic::Uint32& magnitude, const symbolic::Bool& negative,
                        int value_shift);

// Clause 4.5 for an infinite or NaN scale: `bits` is the widened scale. check_non_finite_weights
// shows that the reference's weight() is this.
struct NonFiniteScale {
  symbolic::Uint32 bits;
};
symbolic::Uint32 weight(const NonFiniteScale& scale, const symbolic::Uint32& multiplier,
                        const symbolic::Uint32& magnitude, const symbolic::Bool& negative,
                        int value_shift);

// The codebook as the reference indexes it.
class ReferenceCodebook {
 public:
  class Row {
   public:
    Row(symbolic::Codebook* codebook, const symbolic::Uint32& index)
        : codebook_(codebook), index_(index) {}
    symbolic::Uint32 operator[](std::size_t j) const;

   private:
    symbolic::Codebook* codebook_;
    symbolic::Uint32 index_;
  };
  explicit ReferenceCodebook(symbolic::Codebook* codebook) : codebook_(codebook) {}
  Row operator[](const symbolic::Uint32& index) const { return {codebook_, index}; }

 private:
  symbolic::Codebook* codebook_;
};

// Exhaustive: ref::weight of an infinite or NaN scale is the widened scale with the sign flipped.
void check_non_finite_weights(Obligation& o, int value_shift);

// --------------------------------------------------------------------------------- obligations

// The weights that a kernel wrote.
class SymbolicWeights {
 public:
  symbolic::Pointer<symbolic::Float<symbolic::Uint32>> target() {
    return {weights_.data(), weights_.size(), "weights"};
  }
  [[nodiscard]] const z3::expr& operator[](std::size_t i) const;

 private:
  std::array<symbolic::Float<symbolic::Uint32>, kBlockWeights> weights_;
};

// For each weight, that both are the same, whatever the uninterpreted functions are.
std::vector<z3::expr> same_weights(const SymbolicWeights& got,
                                   const std::array<symbolic::Uint32, kBlockWeights>& want);

// Which proof is wanted: for every input, or one whose counterexamples the CPU can show (scale 1
// or infinite, a codebook without equal magnitudes). The second is for mutants.
enum class Inputs { kAll, kVisible };

// Proves the weights of each sub-block. If that fails with a counterexample that the CPU does not
// show, asks for one in each weight, and goes on until the CPU shows one.
void prove_weights(Obligation& o, symbolic::Session& session, const std::string& query,
                   const std::vector<z3::expr>& weights, const SymbolicBlock& block,
                   const Witness& witness);

// Exhaustive, part of F-KERNEL-1: the kernel's codebook holds the reference's magnitudes as
// binary32 numbers whose sign bits are 0. Together with clause 4.1 for any codebook, proved by
// prove_kernel, this is clause 4.1 for the codebook that ships.
template <class Parts>
void check_codebook(Obligation& o, const fast::FloatCodebook& codebook, const Witness& witness) {
  for (std::size_t r = 0; r < kCodebookRows; ++r) {
    for (std::size_t j = 0; j < kRowWeights; ++j) {
      const float value = codebook[r][j];
      const bool same = (std::bit_cast<std::uint32_t>(value) >> 31) == 0 &&
                        static_cast<double>(value) == static_cast<double>(kIq3Codebook[r][j]);
      if (same) continue;
      Block block{};
      block[Parts::Layout::kScaleOffset + 1] = 0x3C;
      block[Parts::Layout::kIndexOffset] = static_cast<std::uint8_t>(r);
      o.check(false, "codebook row " + std::to_string(r) + ": " + witness(block).text);
      return;
    }
  }
  o.check(true, "");
}

inline symbolic::Pointer<const symbolic::Byte> pointer_to(const SymbolicBlock& block) {
  return {block.data(), kBlockBytes, "block"};
}

// F-KERNEL-1.
template <class Parts, std::size_t kLanes>
void prove_kernel(Obligation& o, Inputs inputs, const Witness& witness) {
  using Word = symbolic::Uint32;
  using Layout = typename Parts::Layout;
  symbolic::Session session;
  const SymbolicBlock block = SymbolicBlock::any(session);
  const Word d(session.constant("d", 32));
  symbolic::Codebook codebook("codebook");
  SymbolicWeights weights;
  Parts::Kernel::template decode_block<typename Parts::KernelLayout, symbolic::Tags<Word, kLanes>>(
      pointer_to(block), symbolic::CodebookPointer<Word>(&codebook), symbolic::Float<Word>{d},
      weights.target());
  const auto want = Parts::Reference::decode_block(
      ReferenceCodebook(&codebook), Parts::Reference::template unpack<Layout, Word>(block.data()),
      FiniteScale{d}, Layout::kValueShift);
  if (inputs == Inputs::kVisible) {
    for (const auto& element : codebook.elements()) {
      session.assume(element.magnitude == z3::zext(element.address, 21));
    }
    session.assume((ref::unpack<Layout, Word>(block.data()).scale == 0x3C00u).term());
  }
  const std::string lanes = "lanes_" + std::to_string(kLanes);
  prove_weights(o, session, lanes, same_weights(weights, want), block, witness);
}

// F-NONFINITE-1.
template <class Parts, std::size_t kLanes>
void prove_non_finite(Obligation& o, Inputs inputs, const Witness& witness) {
  using Word = symbolic::Uint32;
  using Layout = typename Parts::Layout;
  symbolic::Session session;
  const SymbolicBlock block = SymbolicBlock::any(session);
  Word bits(session.constant("bits", 32));
  if (inputs == Inputs::kVisible) {
    bits = Word(0x7F800000u);
    session.assume((ref::unpack<Layout, Word>(block.data()).scale == 0x7C00u).term());
  }
  SymbolicWeights weights;
  Parts::Kernel::template fill_non_finite<typename Parts::KernelLayout,
                                          symbolic::Tags<Word, kLanes>>(pointer_to(block), bits,
                                                                        weights.target());
  symbolic::Codebook codebook("codebook");
  const auto want = Parts::Reference::decode_block(
      ReferenceCodebook(&codebook), Parts::Reference::template unpack<Layout, Word>(block.data()),
      NonFiniteScale{bits}, Layout::kValueShift);
  const std::string lanes = "lanes_" + std::to_string(kLanes);
  prove_weights(o, session, lanes, same_weights(weights, want), block, witness);
}

// F-LAYOUT-1.
template <class Parts>
void prove_pack_of_unpack(Obligation& o, const Witness& witness) {
  using Layout = typename Parts::KernelLayout;
  symbolic::Session session;
  const SymbolicBlock block = SymbolicBlock::any(session);
  SymbolicBlock packed;
  Parts::Reference::template pack<Layout>(
      Parts::Reference::template unpack<Layout, symbolic::Uint32>(block.data()), packed.data());
  packed.expect_written();
  o.prove(session, "pack_of_unpack", Obligation::Logic::kBitVectors,
          packed.same_bytes(session, block),
          [&](const z3::model& model) { return witness(block.value(model)).text; });
}

// Fields with every value within their widths, and no other.
Iq3Fields<symbolic::Uint32> any_fields(symbolic::Session& session);
z3::expr same_fields(symbolic::Session& session, const Iq3Fields<symbolic::Uint32>& a,
                     const Iq3Fields<symbolic::Uint32>& b);
Iq3Fields<std::uint32_t> value(const z3::model& model, const Iq3Fields<symbolic::Uint32>& fields);

// F-LAYOUT-2.
template <class Parts>
void prove_unpack_of_pack(Obligation& o, const Witness& witness) {
  using Layout = typename Parts::KernelLayout;
  symbolic::Session session;
  const auto fields = any_fields(session);
  SymbolicBlock block;
  Parts::Reference::template pack<Layout>(fields, block.data());
  block.expect_written();
  const auto unpacked = Parts::Reference::template unpack<Layout, symbolic::Uint32>(block.data());
  o.prove(session, "unpack_of_pack", Obligation::Logic::kBitVectors,
          same_fields(session, unpacked, fields), [&](const z3::model& model) {
            Block bytes{};
            ref::pack<typename Parts::Layout>(value(model, fields), bytes.data());
            return witness(bytes).text;
          });
}

}  // namespace quantproof::proofs

#endif
