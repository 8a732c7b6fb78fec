// SPDX-License-Identifier: Apache-2.0
//
// IQ3-EXACT-1: the arithmetic that the wiring proofs leave open, run on the CPU for every tuple.
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <string>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "proofs/iq3_block.h"

namespace quantproof::proofs {

namespace {

constexpr std::array<int, 2> kShifts = {Iq3Xxs::kValueShift, E8Iq3::kValueShift};

// One tuple in the kernel's order: scale = (d 2^-shift) (2s + 1), weight = scale (+-G). Reads its
// operands from memory that the optimizer cannot see through, so that every operation runs under
// the floating-point modes in force.
struct Products {
  float shifted;
  float scale;
  float weight;
};

Products kernel_products(std::uint32_t widened, int shift, std::int32_t multiplier,
                         std::uint32_t signed_magnitude) {
  const volatile std::uint32_t d_bits = widened;
  const volatile std::int32_t multiplier_int = multiplier;
  const volatile std::uint32_t magnitude_bits = signed_magnitude;
  const volatile float factor = 1.0f / static_cast<float>(1 << shift);
  Products p{};
  p.shifted = std::bit_cast<float>(std::uint32_t{d_bits}) * factor;
  p.scale = p.shifted * static_cast<float>(multiplier_int);
  p.weight = p.scale * std::bit_cast<float>(std::uint32_t{magnitude_bits});
  return p;
}

bool zero_or_normal(float value) {
  const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(value) & 0x7FFFFFFFu;
  return magnitude == 0 || (magnitude >= 0x00800000u && magnitude < 0x7F800000u);
}

// Floating-point modes, restored at the end.
class Modes {
 public:
  Modes(int rounding, bool flush) : rounding_(std::fegetround()) {
    set_ = std::fesetround(rounding) == 0;
#if defined(__SSE2__)
    control_ = _mm_getcsr();
    if (flush) _mm_setcsr(control_ | 0x8040u);  // flush to zero, denormals are zero
#else
    set_ = set_ && !flush;
#endif
  }
  ~Modes() {
#if defined(__SSE2__)
    _mm_setcsr(control_);
#endif
    std::fesetround(rounding_);
  }
  Modes(const Modes&) = delete;
  Modes& operator=(const Modes&) = delete;
  [[nodiscard]] bool set() const { return set_; }

 private:
  int rounding_;
  unsigned control_ = 0;
  bool set_ = false;
};

constexpr bool kCanFlush =
#if defined(__SSE2__)
    true;
#else
    false;
#endif

// All tuples of one scale under the modes in force. Bits are compared, so zeros keep their sign.
bool exact(std::uint16_t half, std::string* where) {
  ref::Scale scale;
  ref::read_scale(QP_PROFILE_STRICT, half, &scale);
  const std::uint32_t widened = fast::WidenScale(QP_PROFILE_STRICT, std::uint32_t{half});
  for (const int shift : kShifts) {
    for (std::uint32_t s = 0; s < 16; ++s) {
      const std::uint32_t multiplier = ref::scale_multiplier(s);
      for (const std::uint8_t magnitude : kLevelMagnitude) {
        for (const bool negative : {false, true}) {
          const std::uint32_t sign = negative ? 0x80000000u : 0u;
          const std::uint32_t magnitude_bits = fast::FloatBits(magnitude) | sign;
          const Products p = kernel_products(widened, shift, static_cast<std::int32_t>(multiplier),
                                             magnitude_bits);
          // Exact integers: |weight| 2^-exponent, below 2^22.
          const std::int64_t significand = scale.significand * multiplier * magnitude;
          const double want = std::ldexp(static_cast<double>(significand), scale.exponent - shift);
          const bool negative_weight = scale.negative != negative;
          const std::uint32_t bits = std::bit_cast<std::uint32_t>(p.weight);
          const bool same =
              significand < (1 << 22) && std::fabs(static_cast<double>(p.weight)) == want &&
              (bits >> 31) == (negative_weight ? 1u : 0u) &&
              bits == ref::weight(scale, multiplier, magnitude, negative, shift) &&
              zero_or_normal(std::bit_cast<float>(widened)) && zero_or_normal(p.shifted) &&
              zero_or_normal(p.scale) && zero_or_normal(p.weight);
          if (!same) {
            *where = "scale " + hex(half, 4) + ", code " + std::to_string(s) + ", magnitude " +
                     std::to_string(magnitude) + (negative ? ", negative" : ", positive") +
                     ", 2^-" + std::to_string(shift) + ": got " + hex(bits, 8);
            return false;
          }
        }
      }
    }
  }
  return true;
}

// Scales that stand for their class: all of the smallest and largest exponents and, of the others,
// the fractions at the edges.
bool represents_class(std::uint32_t half) {
  const std::uint32_t e = (half >> 10) & 31u;
  const std::uint32_t m = half & 0x3FFu;
  return e <= 1 || e == 30 || m == 0 || m == 1 || m == 0x155 || m == 0x200 || m >= 0x3FE;
}

}  // namespace

void iq3_exact_1(Obligation& o) {
  std::string where;
  std::size_t scales = 0;
  for (std::uint32_t half = 0; half < 0x10000; ++half) {
    if ((half & 0x7C00u) == 0x7C00u) continue;
    ++scales;
    if (!exact(static_cast<std::uint16_t>(half), &where)) {
      o.fail(where);
      return;
    }
  }
  o.check(scales * 16 * kLevels * 2 == 16'252'928, "the number of tuples");

  struct Rounding {
    int mode;
    const char* name;
  };
  for (const Rounding rounding : {Rounding{FE_TONEAREST, "nearest"}, Rounding{FE_DOWNWARD, "down"},
                                  Rounding{FE_UPWARD, "up"}, Rounding{FE_TOWARDZERO, "to zero"}}) {
    for (const bool flush : {false, true}) {
      if (flush && !kCanFlush) continue;
      const std::string mode =
          std::string("rounding ") + rounding.name + (flush ? ", subnormals flushed" : "");
      const Modes modes(rounding.mode, flush);
      if (!o.check(modes.set(), mode + ": cannot be set")) continue;
      for (std::uint32_t half = 0; half < 0x10000; ++half) {
        if ((half & 0x7C00u) == 0x7C00u || !represents_class(half)) continue;
        if (!exact(static_cast<std::uint16_t>(half), &where)) {
          o.fail(mode + ": " + where);
          break;
        }
      }
    }
  }
  o.note(
      "16,252,928 tuples in both formats under round to nearest; the classes of scales under "
      "four rounding modes" +
      std::string(kCanFlush ? ", each with and without flush-to-zero" : ""));
}

}  // namespace quantproof::proofs
