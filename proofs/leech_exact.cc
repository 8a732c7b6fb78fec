// SPDX-License-Identifier: Apache-2.0
#include "proofs/leech_exact.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "ref/leech_coordinate.h"

namespace quantproof::proofs {

namespace {

// The reference's choices of all coordinates, by coordinate and golay bit.
struct Choices {
  std::array<std::array<ref::LeechChoice, 2>, kLeechDimension> choice;
  std::array<std::array<std::int32_t, 2>, kLeechDimension> residual;
};

Choices choose(const LeechCoordinates& y, int m) {
  Choices choices{};
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    for (int c = 0; c < 2; ++c) {
      const int offset = leech_offset(m, c);
      const auto at = static_cast<std::size_t>(c);
      choices.choice[i][at] = ref::choose_leech_coordinate(y[i], offset);
      const std::int64_t x = offset + 4 * choices.choice[i][at].z;
      choices.residual[i][at] = static_cast<std::int32_t>(y[i] - kLeechUnit * x);
    }
  }
  return choices;
}

WordAnswer candidate(const Choices& choices, int m, std::uint32_t word) {
  WordAnswer answer;
  std::int64_t sum = 0;
  std::size_t greatest = 0;
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    const auto c = word >> i & 1u;
    answer.distance += choices.choice[i][c].cost;
    sum += choices.choice[i][c].z;
    answer.residual[i] = choices.residual[i][c];
    if (std::abs(answer.residual[i]) > std::abs(answer.residual[greatest])) greatest = i;
  }
  answer.index = golay_index(word);
  for (std::size_t j = 0; j < kMogColumns; ++j) {
    answer.choice |= (word >> mog_coordinate(j, 0) & 1u) << fast::top_bit(j);
  }
  if ((sum & 1) != m) {
    std::int32_t& r = answer.residual[greatest];
    answer.distance += choices.choice[greatest][word >> greatest & 1u].change_cost;
    r += r >= 0 ? -4 * kLeechUnit : 4 * kLeechUnit;
    answer.choice |= 1u << fast::flip_bit(greatest / kMogRows);
  }
  return answer;
}

}  // namespace

PointAnswers answer_words(const LeechCoordinates& y) {
  PointAnswers answers;
  for (int m = 0; m < 2; ++m) {
    const Choices choices = choose(y, m);
    for (const auto& of_coordinate : choices.choice) {
      answers.least[static_cast<std::size_t>(m)] +=
          std::min(of_coordinate[0].cost, of_coordinate[1].cost);
    }
    for (unsigned n = 0; n < 128; ++n) {
      const unsigned word = 128 * static_cast<unsigned>(m) + n;
      WordAnswer& best = answers.words[word];
      bool first = true;
      for (unsigned tops = 0; tops < 64; ++tops) {
        if ((std::popcount(tops) & 1) != static_cast<int>(n >> 6)) continue;
        std::uint32_t pattern = fast::word_pattern(word);
        for (std::size_t j = 0; j < kMogColumns; ++j) {
          if ((tops >> j & 1u) != 0) pattern ^= 0xFu << mog_coordinate(j, 0);
        }
        const WordAnswer answer = candidate(choices, m, pattern);
        if (first || answer.distance < best.distance ||
            (answer.distance == best.distance && answer.index < best.index)) {
          best = answer;
          first = false;
        }
      }
    }
  }
  return answers;
}

}  // namespace quantproof::proofs
