// SPDX-License-Identifier: Apache-2.0
#include "quantproof/ref/kaiju1_nearest.h"

#include <algorithm>
#include <limits>

#include "ref/leech_coordinate.h"

namespace quantproof::ref {

namespace {

using Residuals = std::array<int, kLeechDimension>;

// 7.4: the three choices of one coordinate with a given offset: z = 0, the better of +-1, the
// better of +-2. Costs are squared distances less y_i^2.
struct Choices {
  std::int64_t even_cost;
  std::int64_t odd_cost;
  std::int64_t outward_cost;
  int odd_z;
  int outward_z;
  std::int64_t least_cost;  // of the three
};

Choices choices_of(std::int64_t y, int offset) {
  const auto cost = [&](int z) {
    const std::int64_t x = std::int64_t{kLeechUnit} * (offset + 4 * z);
    return x * x - 2 * y * x;
  };
  const int sign = y >= std::int64_t{kLeechUnit} * offset ? 1 : -1;  // equally near: the greater
  const std::int64_t least = std::min({cost(0), cost(sign), cost(2 * sign)});
  return {cost(0), cost(sign), cost(2 * sign), sign, 2 * sign, least};
}

using Table = std::array<std::array<Choices, 2>, kLeechDimension>;  // [coordinate][c_i]

Table table_of(const std::int32_t* y, int m) {
  Table table{};
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    table[i] = {choices_of(y[i], leech_offset(m, 0)), choices_of(y[i], leech_offset(m, 1))};
  }
  return table;
}

// 7.4: state 2 u + p after some coordinates: p is the parity of the sum of their z, u tells
// whether one of them is outward.
constexpr std::size_t kStates = 4;
constexpr std::int64_t kUnreached = std::numeric_limits<std::int64_t>::max() / 4;

struct Step {
  std::int64_t cost = kUnreached;
  std::size_t from = 0;
  int z = 0;
};

using Steps = std::array<Step, kStates>;

Step first_least(const Step& a, const Step& b) { return b.cost < a.cost ? b : a; }

// 7.4: the four states after one more coordinate.
Steps states_after(const Steps& before, const Choices& choice) {
  const auto take = [&](std::size_t from, std::int64_t cost, int z) {
    return Step{before[from].cost + cost, from, z};
  };
  Steps after;
  for (std::size_t p = 0; p < 2; ++p) {
    after[p] =
        first_least(take(p, choice.even_cost, 0), take(1 - p, choice.odd_cost, choice.odd_z));
    after[2 + p] = first_least(
        first_least(take(2 + p, choice.even_cost, 0), take(3 - p, choice.odd_cost, choice.odd_z)),
        take(p, choice.outward_cost, choice.outward_z));
  }
  return after;
}

constexpr Steps kStart = {Step{0, 0, 0}, Step{}, Step{}, Step{}};

// 7.4: the least cost in coset (m, word): the same states, without the way to them.
std::int64_t coset_cost(const Table& table, std::size_t m, std::uint32_t word) {
  std::array<std::int64_t, kStates> cost = {0, kUnreached, kUnreached, kUnreached};
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    const Choices& choice = table[i][word >> i & 1u];
    const auto inner = [&](std::size_t even, std::size_t odd) {
      return std::min(cost[even] + choice.even_cost, cost[odd] + choice.odd_cost);
    };
    cost = {inner(0, 1), inner(1, 0), std::min(inner(2, 3), cost[0] + choice.outward_cost),
            std::min(inner(3, 2), cost[1] + choice.outward_cost)};
  }
  return std::min(cost[m], cost[2 + m]);
}

// 7.4: the residuals that the states lead to.
Residuals coset_residuals(const Table& table, std::size_t m, std::uint32_t word) {
  std::array<Steps, kLeechDimension + 1> steps;
  steps[0] = kStart;
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    steps[i + 1] = states_after(steps[i], table[i][word >> i & 1u]);
  }
  const Steps& last = steps[kLeechDimension];
  std::size_t state = last[2 + m].cost < last[m].cost ? 2 + m : m;
  Residuals z{};
  for (std::size_t i = kLeechDimension; i > 0; --i) {
    z[i - 1] = steps[i][state].z;
    state = steps[i][state].from;
  }
  return z;
}

// No point of the coset costs less. Only spares time: a coset is of no use unless it costs less
// than those before it.
std::int64_t coset_bound(const Table& table, std::uint32_t word) {
  std::int64_t bound = 0;
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    bound += table[i][word >> i & 1u].least_cost;
  }
  return bound;
}

// 7.3: the candidate of leech.md 5.6, if it is representable.
bool representable_candidate(const std::int32_t* y, int m, std::uint32_t word, Residuals* z) {
  std::array<LeechChoice, kLeechDimension> choices{};
  std::int64_t sum_z = 0;
  std::size_t cheapest = 0;
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    choices[i] = choose_leech_coordinate(y[i], leech_offset(m, static_cast<int>(word >> i & 1u)));
    sum_z += choices[i].z;
    if (choices[i].change_cost < choices[cheapest].change_cost) cheapest = i;
  }
  if ((sum_z & 1) != m) choices[cheapest].z = choices[cheapest].second_z;
  int outward = 0;
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    if (choices[i].z < -2 || choices[i].z > 2) return false;
    (*z)[i] = static_cast<int>(choices[i].z);
    if ((*z)[i] == 2 || (*z)[i] == -2) ++outward;
  }
  return outward <= 1;
}

}  // namespace

Kaiju1Nearest find_nearest_kaiju1_point(const std::int32_t* y) {
  Kaiju1Nearest best;
  best.cost = kUnreached;
  Residuals z{};
  for (int m = 0; m < 2; ++m) {
    const Table table = table_of(y, m);
    for (std::uint32_t k = 0; k < kGolayWordCount; ++k) {
      const std::uint32_t word = golay_word(k);
      if (coset_bound(table, word) >= best.cost) continue;
      const std::int64_t cost = coset_cost(table, static_cast<std::size_t>(m), word);
      if (cost >= best.cost) continue;  // 7.2: the first of equals stays
      best.m = m;
      best.golay_index = k;
      best.cost = cost;
      z = coset_residuals(table, static_cast<std::size_t>(m), word);
    }
  }
  const std::uint32_t word = golay_word(best.golay_index);
  Residuals candidate{};
  if (representable_candidate(y, best.m, word, &candidate)) z = candidate;
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    best.point[i] = leech_offset(best.m, static_cast<int>(word >> i & 1u)) + 4 * z[i];
  }
  return best;
}

qp_status kaiju1_nearest(const std::int32_t* points, std::size_t n_points, std::int32_t* out,
                         qp_location* where) {
  const auto refuse = [where](qp_status status, std::size_t point, std::size_t coordinate,
                              const char* field) {
    if (where != nullptr) *where = {point, 4 * (kLeechDimension * point + coordinate), field};
    return status;
  };
  if (points == nullptr && n_points > 0) return refuse(QP_BAD_ARGUMENT, 0, 0, "points");
  if (out == nullptr && n_points > 0) return refuse(QP_BAD_ARGUMENT, 0, 0, "out");
  for (std::size_t p = 0; p < n_points; ++p) {
    const std::int32_t* const y = points + kLeechDimension * p;
    for (std::size_t i = 0; i < kLeechDimension; ++i) {
      if (y[i] > kLeechPointLimit || y[i] < -kLeechPointLimit) {
        return refuse(QP_POINT_OUT_OF_RANGE, p, i, "coordinate");
      }
    }
    const Kaiju1Nearest nearest = find_nearest_kaiju1_point(y);
    std::copy(nearest.point.begin(), nearest.point.end(), out + kLeechDimension * p);
  }
  return QP_OK;
}

}  // namespace quantproof::ref
