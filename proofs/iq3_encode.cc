// SPDX-License-Identifier: Apache-2.0
//
// The encoder of IQ3_XXS and E8/IQ3, encoding.md: why its choices are the best ones, over real
// numbers, and that its working numbers stay in the range of normal ones. That the encoders carry
// the choices out is for tests to show.
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "proofs/obligation.h"
#include "quantproof/iq3_codebook.h"
#include "quantproof/iq3_encoding.h"
#include "quantproof/ref/half.h"
#include "quantproof/ref/iq3_block.h"

namespace quantproof::proofs {

namespace {

z3::expr real(symbolic::Session& s, const std::string& name) {
  return s.z3.real_const(name.c_str());
}

z3::expr number(symbolic::Session& s, int value) { return s.z3.real_val(value); }

z3::expr greater(const z3::expr& a, const z3::expr& b) { return z3::ite(a >= b, a, b); }

std::string model_text(const z3::model& model) { return Z3_model_to_string(model.ctx(), model); }

}  // namespace

void iq3enc_flip_1(Obligation& o) {
  // One weight: its squared error is w X^2 less 4 u of what it adds to K, p g - u w g^2, with minus
  // p g where the sign is not that of X. The half-group is the sum of four.
  for (const int sign : {1, -1}) {
    for (const int kept : {1, -1}) {
      symbolic::Session s;
      const z3::expr magnitude = real(s, "magnitude");
      const z3::expr w = real(s, "w");
      const z3::expr g = real(s, "g");
      const z3::expr u = real(s, "u");
      const z3::expr x = number(s, sign) * magnitude;
      const z3::expr y = number(s, sign * kept) * 2 * u * g;
      const z3::expr value = number(s, kept) * (w * magnitude) * g - u * (w * g * g);
      o.prove(s,
              "error_of_a_weight_" + std::string(sign > 0 ? "positive" : "negative") +
                  (kept > 0 ? "_kept" : "_flipped"),
              Obligation::Logic::kReals, w * (x - y) * (x - y) == w * x * x - 4 * u * value,
              model_text);
    }
  }
  // Flipping weight j costs 2 p_j g_j of K. With `least` the least of the four, no odd set of flips
  // costs less than 2 least, and no even one less than 0.
  symbolic::Session s;
  const z3::expr least = real(s, "least");
  std::vector<z3::expr> products;
  z3::expr reached = s.z3.bool_val(false);
  for (unsigned j = 0; j < kRowWeights; ++j) {
    products.push_back(real(s, "product" + std::to_string(j)));
    s.assume(products.back() >= 0 && least <= products.back());
    reached = reached || least == products.back();
  }
  s.assume(reached);
  std::vector<z3::expr> terms;
  for (unsigned flips = 0; flips < 1u << kRowWeights; ++flips) {
    z3::expr cost = number(s, 0);
    for (unsigned j = 0; j < kRowWeights; ++j) {
      if ((flips >> j & 1u) != 0) cost = cost + 2 * products[j];
    }
    terms.push_back(std::popcount(flips) % 2 == 0 ? cost >= 0 : cost >= 2 * least);
  }
  o.prove(s, "sets_of_flips", Obligation::Logic::kLinearReals, s.all(terms), model_text);
}

void iq3enc_split_1(Obligation& o) {
  // A content of the group: values v of its halves, each with an even or an odd number of negative
  // weights, even in total. The best of each kind is at least as good, and so is the better pair.
  symbolic::Session s;
  std::array<std::vector<z3::expr>, 2> best;
  std::vector<z3::expr> value;
  std::vector<z3::expr> odd;
  for (std::size_t half = 0; half < 2; ++half) {
    const std::string name = std::to_string(half);
    best[half] = {real(s, "even" + name), real(s, "odd" + name)};
    value.push_back(real(s, "value" + name));
    odd.push_back(s.z3.bool_const(("has_odd" + name).c_str()));
    s.assume(value[half] <= z3::ite(odd[half], best[half][1], best[half][0]));
  }
  s.assume(odd[0] == odd[1]);
  o.prove(s, "better_pair", Obligation::Logic::kLinearReals,
          value[0] + value[1] <= greater(best[0][0] + best[1][0], best[0][1] + best[1][1]),
          model_text);
}

void iq3enc_parity_1(Obligation& o) {
  // All signs of X in a group, both parities, all places of a flip: the number of negative weights
  // is even, and the sign field of the first seven gives back all eight.
  int cases = 0;
  for (unsigned x = 0; x < 256; ++x) {
    for (unsigned parity = 0; parity < 2; ++parity) {
      for (unsigned place0 = 0; place0 < kRowWeights; ++place0) {
        for (unsigned place1 = 0; place1 < kRowWeights; ++place1) {
          unsigned negative = x;
          const std::array<unsigned, 2> place = {place0, place1};
          for (unsigned half = 0; half < 2; ++half) {
            const unsigned own = static_cast<unsigned>(std::popcount(x >> 4 * half & 15u)) % 2;
            if (own != parity) negative ^= 1u << (4 * half + place[half]);  // 6.4: flipped
          }
          ++cases;
          bool same = std::popcount(negative) % 2 == 0;
          const auto signs = ref::group_signs(std::uint32_t{negative & 0x7Fu});
          for (unsigned j = 0; j < kGroupWeights; ++j) same &= signs[j] == (negative >> j & 1u);
          o.check(same, "signs " + std::to_string(x) + ", parity " + std::to_string(parity));
        }
      }
    }
  }
  o.note(std::to_string(cases) + " groups");
}

void iq3enc_line_1(Obligation& o) {
  // The lines of the probes are lines of rows: their maximum is at most that of all rows, for each
  // kind of choice, and so is the value of the group; the error falls with it.
  {
    symbolic::Session s;
    std::array<std::vector<z3::expr>, 2> estimate;
    std::array<std::vector<z3::expr>, 2> best;
    for (std::size_t half = 0; half < 2; ++half) {
      for (const char* kind : {"even", "odd"}) {
        const std::string name = kind + std::to_string(half);
        const z3::expr low = real(s, name + "_low");
        const z3::expr high = real(s, name + "_high");
        best[half].push_back(real(s, name));
        s.assume(low <= best[half].back() && high <= best[half].back());
        estimate[half].push_back(greater(low, high));
      }
    }
    const auto group = [](const auto& halves) {
      return greater(halves[0][0] + halves[1][0], halves[0][1] + halves[1][1]);
    };
    o.prove(s, "group", Obligation::Logic::kLinearReals, group(estimate) <= group(best),
            model_text);
  }
  symbolic::Session s;
  const z3::expr u = real(s, "u");
  const z3::expr square = real(s, "square");
  const z3::expr lower = real(s, "lower");
  const z3::expr value = real(s, "value");
  s.assume(u > 0 && lower <= value);
  o.prove(s, "error", Obligation::Logic::kReals, square - 4 * u * lower >= square - 4 * u * value,
          model_text);
}

void iq3enc_refit_1(Obligation& o) {
  // At fixed content the error is A - 2 D T + D^2 U. Off the D with T = D U, by `step`, it is
  // greater by U step^2.
  symbolic::Session s;
  const z3::expr a = real(s, "a");
  const z3::expr u = real(s, "u");
  const z3::expr d = real(s, "d");
  const z3::expr step = real(s, "step");
  const auto error = [&](const z3::expr& scale) {
    return a - 2 * scale * (d * u) + scale * scale * u;
  };
  o.prove(s, "difference", Obligation::Logic::kReals,
          error(d + step) == error(d) + u * (step * step), model_text);
  s.assume(u > 0);
  o.prove(s, "not_below", Obligation::Logic::kReals, u * (step * step) >= 0, model_text);
}

void iq3enc_zero_1(Obligation& o) {
  for (const int shift : {2, 3}) {
    // half.md 1.3 and iq3_xxs.md 4.4: the least scale, code and level give the least magnitude.
    ref::Scale scale;
    ref::read_scale(QP_PROFILE_STRICT, 0x0001, &scale);
    const std::uint32_t least = ref::weight(scale, 1, kLevelMagnitude[0], false, shift);
    o.check(std::bit_cast<float>(least) == 2 * iq3_zero_limit(shift), "the limit of 5.1");
    ref::read_scale(QP_PROFILE_STRICT, 0x7BFF, &scale);
    const std::uint32_t greatest = ref::weight(scale, 31, kLevelMagnitude[7], false, shift);
    o.check(std::bit_cast<float>(greatest) == iq3_weight_limit(shift), "the limit of 2.2");
  }
  symbolic::Session s;
  const z3::expr x = real(s, "x");
  const z3::expr y = real(s, "y");
  const z3::expr least = real(s, "least");
  s.assume(least > 0 && 2 * x <= least && -2 * x <= least && (y >= least || y <= -least));
  o.prove(s, "nothing_nearer", Obligation::Logic::kReals, (x - y) * (x - y) >= x * x, model_text);
}

void iq3enc_range_1(Obligation& o) {
  // 5.2 to 5.4: the ends of the working numbers that are not 0. sigma2 is at least 1 / 128, for one
  // |X| is at least 1, and at most 8.
  const double least_x = std::ldexp(1.0, kIq3MagnitudeFloor);
  const double least_w = std::ldexp(1.0, kIq3ImportanceFloor) * std::sqrt(1.0 / 128);
  const double greatest_x = 2;
  const double greatest_w = 2 * std::sqrt(8.0 + 4.0);
  const double least_normal = std::numeric_limits<float>::min();
  const double greatest = std::numeric_limits<float>::max();
  const double least_p = least_w * least_x;
  o.check(least_p * kLevelMagnitude[0] > least_normal, "p g");
  o.check(least_p * least_x > least_normal, "p |X|");
  o.check(least_w * kLevelMagnitude[0] * kLevelMagnitude[0] > least_normal, "w g^2");
  // The least effective scale is that of a first probe, the greatest one that of a great scale and
  // code 15, which is below 2^8: the scale of code 5 at the last probe is at most 2 / 16.
  for (const Iq3Effort effort : {Iq3Effort::kFast, Iq3Effort::kDefault, Iq3Effort::kBest}) {
    const Iq3Search search = iq3_search(effort);
    const double first = std::exp2((search.first_probe - 1) / 32.0);
    const double last =
        std::exp2((search.first_probe + search.probe_step * (search.probes - 1)) / 32.0);
    o.check(last < 1.0 / 16, "the last probe");
    const double least_u = least_x * first / 2;
    o.check(least_u * least_w * 16 > least_normal, "u Q");
    const double greatest_u = 128;
    const double most = greatest_u * 4 * greatest_w * 62 * 62 + 4 * greatest_w * greatest_x * 62;
    o.check(8 * most * 2 * greatest_u < greatest, "sums");
  }
  o.note("ends of the ranges, for 3 efforts");
}

}  // namespace quantproof::proofs
