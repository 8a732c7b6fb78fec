// SPDX-License-Identifier: Apache-2.0
#include "quantproof/ref/leech_certificate.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>

namespace quantproof::ref {

namespace {

constexpr std::size_t kCoordinates = 24;
constexpr std::int64_t kUnit = 8192;

using Point = std::array<std::int32_t, kCoordinates>;

// Turyn's construction over the three bricks of eight coordinates: words (a + x, b + x, a + b + x)
// with a, b in the Hamming code kLine and x in the Hamming code kPoint; the two share only the
// zero and the all-one word.
constexpr std::array<std::uint32_t, 4> kLine = {0x0F, 0x33, 0x55, 0xFF};
constexpr std::array<std::uint32_t, 4> kPoint = {0x1E, 0x27, 0x4D, 0xFF};

std::array<std::uint32_t, 12> turyn_generators() {
  std::array<std::uint32_t, 12> generators{};
  for (std::size_t g = 0; g < 4; ++g) {
    generators[3 * g] = kLine[g] | kLine[g] << 16;
    generators[3 * g + 1] = kLine[g] << 8 | kLine[g] << 16;
    generators[3 * g + 2] = kPoint[g] | kPoint[g] << 8 | kPoint[g] << 16;
  }
  return generators;
}

const std::vector<std::uint32_t>& golay_words() {
  static const std::vector<std::uint32_t> words = certificate_golay_words();
  return words;
}

// The code is its own dual: a word belongs iff it meets every generator evenly.
bool in_golay_code(std::uint32_t word) {
  static const std::array<std::uint32_t, 12> generators = turyn_generators();
  return std::all_of(generators.begin(), generators.end(),
                     [&](std::uint32_t g) { return std::popcount(word & g) % 2 == 0; });
}

// y - 8192 x, and the coordinates in the order of falling |r|.
struct Residual {
  std::array<std::int64_t, kCoordinates> r{};
  std::array<std::size_t, kCoordinates> order{};

  [[nodiscard]] std::int64_t magnitude(std::size_t i) const { return r[i] < 0 ? -r[i] : r[i]; }
  // Zero counts as positive: a sign there changes no product.
  [[nodiscard]] std::int32_t sign(std::size_t i) const { return r[i] < 0 ? -1 : 1; }
};

Residual residual_of(const std::int32_t* y, const std::int32_t* x) {
  Residual residual;
  for (std::size_t i = 0; i < kCoordinates; ++i) {
    residual.r[i] = y[i] - kUnit * x[i];
    residual.order[i] = i;
  }
  std::stable_sort(residual.order.begin(), residual.order.end(), [&](std::size_t a, std::size_t b) {
    return residual.magnitude(a) > residual.magnitude(b);
  });
  return residual;
}

// Keeps the facet vector of greatest excess; the first of equals stays.
class Worst {
 public:
  explicit Worst(LeechCertificate& certificate) : certificate_(certificate) {
    certificate_.excess = std::numeric_limits<std::int64_t>::min();
  }

  // `product`: <r, v>. `make` gives v and is called only for a new worst facet.
  template <class Make>
  void offer(std::int64_t product, int norm, const Make& make) {
    const std::int64_t excess = 2 * product - std::int64_t{8} * norm * kUnit;
    if (excess <= certificate_.excess) return;
    certificate_.excess = excess;
    certificate_.norm = norm;
    certificate_.facet = make();
  }

 private:
  LeechCertificate& certificate_;
};

// Shape (4^2 0^22), any signs: the two largest |r|.
void check_pairs(const Residual& residual, Worst& worst) {
  const std::size_t a = residual.order[0];
  const std::size_t b = residual.order[1];
  worst.offer(4 * (residual.magnitude(a) + residual.magnitude(b)), 4, [&] {
    Point v{};
    v[a] = 4 * residual.sign(a);
    v[b] = 4 * residual.sign(b);
    return v;
  });
}

// Shapes on the ones of an octad or a dodecad: (2^8 0^16) and (2^12 0^12) with an even number of
// minus signs, (2^8 4 0^15) with an odd number and any sign of the 4.
void check_even_shapes(const Residual& residual, std::uint32_t word, Worst& worst) {
  const int weight = std::popcount(word);
  if (weight != 8 && weight != 12) return;
  const auto inside = [&](std::size_t i) { return (word >> i & 1u) != 0; };
  std::int64_t sum = 0;
  bool odd = false;
  for (std::uint32_t rest = word; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(rest));
    sum += residual.magnitude(i);
    odd ^= residual.r[i] < 0;
  }
  const auto& order = residual.order;
  const std::size_t least = *std::find_if(order.rbegin(), order.rend(), inside);
  // The signs of r are best; where their parity is wrong, the smallest |r| takes the other sign.
  const auto fill = [&](bool flip) {
    Point v{};
    for (std::size_t i = 0; i < kCoordinates; ++i) {
      if (inside(i)) v[i] = 2 * residual.sign(i);
    }
    if (flip) v[least] = -v[least];
    return v;
  };
  const std::int64_t flipped = sum - 2 * residual.magnitude(least);
  worst.offer(2 * (odd ? flipped : sum), weight == 8 ? 4 : 6, [&] { return fill(odd); });
  if (weight != 8) return;
  const std::size_t outside = *std::find_if_not(order.begin(), order.end(), inside);
  worst.offer(2 * (odd ? sum : flipped) + 4 * residual.magnitude(outside), 6, [&] {
    Point v = fill(!odd);
    v[outside] = 4 * residual.sign(outside);
    return v;
  });
}

// Odd shapes: -1 on the ones of the word and +1 elsewhere, where one entry is -3 times that
// (norm 4), three entries are, or one is 5 times that (norm 6).
void check_odd_shapes(const Residual& residual, std::uint32_t word, Worst& worst) {
  std::array<std::int64_t, kCoordinates> term{};
  for (std::size_t i = 0; i < kCoordinates; ++i) {
    term[i] = (word >> i & 1u) != 0 ? -residual.r[i] : residual.r[i];
  }
  std::int64_t sum = 0;
  std::int64_t high = std::numeric_limits<std::int64_t>::min();
  std::int64_t low = std::numeric_limits<std::int64_t>::max();
  std::int64_t low2 = low;
  std::int64_t low3 = low;
  for (const std::int64_t t : term) {
    sum += t;
    high = std::max(high, t);
    const std::int64_t above = std::max(low, t);
    low = std::min(low, t);
    low3 = std::min(low3, std::max(low2, above));
    low2 = std::min(low2, above);
  }
  // v with the first `count` entries of the order `before` multiplied by `factor`.
  const auto make = [&](std::size_t count, std::int32_t factor, const auto& before) {
    Point v{};
    std::array<std::size_t, kCoordinates> place{};
    for (std::size_t i = 0; i < kCoordinates; ++i) {
      v[i] = (word >> i & 1u) != 0 ? -1 : 1;
      place[i] = i;
    }
    std::stable_sort(place.begin(), place.end(),
                     [&](std::size_t a, std::size_t b) { return before(term[a], term[b]); });
    for (std::size_t k = 0; k < count; ++k) v[place[k]] *= factor;
    return v;
  };
  worst.offer(sum - 4 * low, 4, [&] { return make(1, -3, std::less<>{}); });
  worst.offer(sum - 4 * (low + low2 + low3), 6, [&] { return make(3, -3, std::less<>{}); });
  worst.offer(sum + 4 * high, 6, [&] { return make(1, 5, std::greater<>{}); });
}

}  // namespace

std::vector<std::uint32_t> certificate_golay_words() {
  std::vector<std::uint32_t> words = {0};
  for (const std::uint32_t generator : turyn_generators()) {
    const std::size_t count = words.size();
    for (std::size_t k = 0; k < count; ++k) words.push_back(words[k] ^ generator);
  }
  return words;
}

bool certificate_accepts_leech_point(const std::int32_t* x) {
  const std::int64_t m = x[0] % 2 != 0 ? 1 : 0;
  std::int64_t sum = 0;
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < kCoordinates; ++i) {
    const std::int64_t twice = x[i] - m;
    if (twice % 2 != 0) return false;
    if (twice % 4 != 0) word |= 1u << i;
    sum += x[i];
  }
  return in_golay_code(word) && (sum - 4 * m) % 8 == 0;
}

LeechCertificate check_nearest_leech_point(const std::int32_t* y, const std::int32_t* x) {
  LeechCertificate certificate;
  certificate.in_lattice = certificate_accepts_leech_point(x);
  if (!certificate.in_lattice) return certificate;
  const Residual residual = residual_of(y, x);
  Worst worst(certificate);
  check_pairs(residual, worst);
  for (const std::uint32_t word : golay_words()) {
    check_even_shapes(residual, word, worst);
    check_odd_shapes(residual, word, worst);
  }
  certificate.nearest = certificate.excess <= 0;
  return certificate;
}

}  // namespace quantproof::ref
