// SPDX-License-Identifier: Apache-2.0
#include "fast/kaiju1_coset.h"

#include <algorithm>
#include <array>
#include <limits>

#include "fast/leech_word.h"
#include "quantproof/kaiju1.h"

namespace quantproof::fast {

namespace {

constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max() / 4;

// What a coordinate costs under one offset, over 16384 squared units and less y^2: z = 0, the
// better of +-1, the better of +-2.
struct Choices {
  std::int64_t even;
  std::int64_t odd;
  std::int64_t outward;
  std::int32_t offset;
  std::int32_t sign;
};

Choices choices_of(std::int64_t y, std::int32_t offset) {
  const std::int64_t t = y - std::int64_t{kLeechUnit} * offset;
  const std::int64_t even = std::int64_t{4096} * offset * offset - y * offset;
  const std::int64_t size = t < 0 ? -t : t;
  return {even, even + 65536 - 4 * size, even + 262144 - 8 * size, offset, t < 0 ? -1 : 1};
}

using Table = std::array<std::array<Choices, 2>, kLeechDimension>;  // [coordinate][golay bit]

// States by the parity of sum z and whether a coordinate is outward: [2 outward + parity].
using States = std::array<std::int64_t, 4>;

States next_states(const States& s, const Choices& c) {
  return {std::min(s[0] + c.even, s[1] + c.odd), std::min(s[1] + c.even, s[0] + c.odd),
          std::min(std::min(s[2] + c.even, s[3] + c.odd), s[0] + c.outward),
          std::min(std::min(s[3] + c.even, s[2] + c.odd), s[1] + c.outward)};
}

// Every coset of one m: a column's sixteen patterns are worked out once, and six of them joined.
struct ColumnStates {
  std::array<States, 16> of_pattern;
  std::array<std::int64_t, 16> least;  // of the four states
};

States join(const States& a, const States& b) {
  const auto even = [&](std::size_t u, std::size_t v, std::size_t k) {
    return std::min(a[2 * u] + b[2 * v + k], a[2 * u + 1] + b[2 * v + 1 - k]);
  };
  return {even(0, 0, 0), even(0, 0, 1), std::min(even(1, 0, 0), even(0, 1, 0)),
          std::min(even(1, 0, 1), even(0, 1, 1))};
}

// 7.3: the candidate of leech.md 5.6, where it is representable.
bool take_candidate(const std::int32_t* y, const Table& table, std::size_t m, std::uint32_t word,
                    std::int32_t* x) {
  std::array<std::int64_t, kLeechDimension> z{};
  std::array<std::int64_t, kLeechDimension> r{};
  std::int64_t sum = 0;
  std::size_t furthest = 0;
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    const std::int64_t t = y[i] - std::int64_t{kLeechUnit} * table[i][word >> i & 1u].offset;
    z[i] = (t + 16384) >> 15;
    r[i] = t - 32768 * z[i];
    sum += z[i];
    if ((r[i] < 0 ? -r[i] : r[i]) > (r[furthest] < 0 ? -r[furthest] : r[furthest])) furthest = i;
  }
  if ((sum & 1) != static_cast<std::int64_t>(m)) z[furthest] += r[furthest] < 0 ? -1 : 1;
  std::size_t outward = 0;
  for (const std::int64_t step : z) {
    if (step < -2 || step > 2) return false;
    outward += step == 2 || step == -2 ? 1 : 0;
  }
  if (outward > 1) return false;
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    x[i] = table[i][word >> i & 1u].offset + 4 * static_cast<std::int32_t>(z[i]);
  }
  return true;
}

// 7.4, backwards from the state that the coset ends in; of equal ways the first in the text's
// order.
void take_coset(const Table& table, std::size_t m, std::uint32_t word, std::int32_t* x) {
  std::array<States, kLeechDimension + 1> states;
  states[0] = {0, kFar, kFar, kFar};
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    states[i + 1] = next_states(states[i], table[i][word >> i & 1u]);
  }
  std::size_t state = states[kLeechDimension][2 + m] < states[kLeechDimension][m] ? 2 + m : m;
  for (std::size_t i = kLeechDimension; i-- > 0;) {
    const Choices& c = table[i][word >> i & 1u];
    const std::int64_t value = states[i + 1][state];
    std::int32_t z = 0;
    if (states[i][state] + c.even != value) {
      if (states[i][state ^ 1u] + c.odd == value) {
        z = c.sign;
        state ^= 1u;
      } else {
        z = 2 * c.sign;
        state &= 1u;
      }
    }
    x[i] = c.offset + 4 * z;
  }
}

// What a coordinate of a lattice point takes of the one outward that a code has, by its value plus
// 10: nothing, it, or more. z = 0 and +-1 reach -4 to 4 about 0, 2, 1 and -1.
constexpr std::array<std::uint8_t, 2 * kKaiju1CoordinateLimit + 1> make_outward() {
  std::array<std::uint8_t, 2 * kKaiju1CoordinateLimit + 1> outward{};
  for (std::size_t place = 0; place < outward.size(); ++place) {
    const int x = static_cast<int>(place) - kKaiju1CoordinateLimit;
    const int m = x & 1;
    const int offset = leech_offset(m, (x - m) >> 1 & 1);
    const int z = x < offset ? (offset - x) / 4 : (x - offset) / 4;
    outward[place] = static_cast<std::uint8_t>(z <= 1 ? 0 : z - 1);
  }
  return outward;
}

constexpr auto kOutward = make_outward();

}  // namespace

bool is_kaiju1_point(const std::int32_t* x) {
  int outward = 0;
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    const std::int32_t place = x[i] + kKaiju1CoordinateLimit;
    outward += 0 <= place && place <= 2 * kKaiju1CoordinateLimit
                   ? kOutward[static_cast<std::size_t>(place)]
                   : 2;
  }
  return outward <= 1;
}

void kaiju1_nearest_point(const std::int32_t* y, std::int32_t* x) {
  std::array<Table, 2> tables{};
  std::int64_t best = kFar;
  std::size_t best_m = 0;
  std::uint32_t best_index = 0;
  for (std::size_t m = 0; m < 2; ++m) {
    Table& table = tables[m];
    for (std::size_t i = 0; i < kLeechDimension; ++i) {
      for (int bit = 0; bit < 2; ++bit) {
        table[i][static_cast<std::size_t>(bit)] =
            choices_of(y[i], leech_offset(static_cast<int>(m), bit));
      }
    }
    std::array<ColumnStates, kMogColumns> columns{};
    for (std::size_t j = 0; j < kMogColumns; ++j) {
      for (std::uint32_t pattern = 0; pattern < 16; ++pattern) {
        States states = {0, kFar, kFar, kFar};
        for (std::size_t r = 0; r < kMogRows; ++r) {
          states = next_states(states, table[mog_coordinate(j, r)][pattern >> r & 1u]);
        }
        columns[j].of_pattern[pattern] = states;
        columns[j].least[pattern] = *std::min_element(states.begin(), states.end());
      }
    }
    const auto pattern_of = [](std::uint32_t word, std::size_t j) {
      return word >> mog_coordinate(j, 0) & 0xFu;
    };
    for (std::uint32_t index = 0; index < kGolayWordCount; ++index) {
      const std::uint32_t word = golay_word(index);
      std::int64_t bound = 0;
      for (std::size_t j = 0; j < kMogColumns; ++j) bound += columns[j].least[pattern_of(word, j)];
      if (bound >= best) continue;
      States states = columns[0].of_pattern[pattern_of(word, 0)];
      for (std::size_t j = 1; j < kMogColumns; ++j) {
        states = join(states, columns[j].of_pattern[pattern_of(word, j)]);
      }
      const std::int64_t cost = std::min(states[m], states[2 + m]);
      if (cost >= best) continue;  // 7.2: the first of equals stays
      best = cost;
      best_m = m;
      best_index = index;
    }
  }
  const std::uint32_t word = golay_word(best_index);
  if (!take_candidate(y, tables[best_m], best_m, word, x)) {
    take_coset(tables[best_m], best_m, word, x);
  }
}

}  // namespace quantproof::fast
