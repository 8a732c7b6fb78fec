// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/explain_leech.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "fast/leech_fixed.h"
#include "fuzz/leech_vectors.h"
#include "quantproof/qp.h"
#include "quantproof/ref/leech.h"
#include "tools/certify/decoder.h"
#include "tools/cli/block_input.h"
#include "tools/cli/command.h"
#include "tools/cli/mog.h"

namespace quantproof::cli {

namespace {

using nlohmann::ordered_json;
using Row = fuzz::LeechRow;

std::vector<std::string> split(const std::string& input) {
  std::vector<std::string> words(1);
  for (const char c : input) {
    if (c != ' ' && c != ',' && c != '\t' && c != '\n') {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

template <class Number>
Number parse(const std::string& word) {
  Number value{};
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || stop != end) {
    throw certify::UsageError(fmt::format("\"{}\" is not a number of the expected kind", word));
  }
  return value;
}

[[noreturn]] void refuse(qp_status status, const qp_location& where, std::size_t coordinate_bytes) {
  throw certify::UsageError(
      fmt::format("coordinate {}: {}", where.offset / coordinate_bytes, qp_status_name(status)));
}

// The point in units of 2^-13.
Row read_point(const std::string& input) {
  Row y{};
  if (const auto bytes = read_file_at(input, sizeof(y))) {
    for (std::size_t i = 0; i < kLeechDimension; ++i) {
      std::uint32_t bits = 0;
      for (std::size_t b = 0; b < 4; ++b) bits |= std::uint32_t{(*bytes)[4 * i + b]} << (8 * b);
      y[i] = static_cast<std::int32_t>(bits);
    }
    return y;
  }
  const auto words = split(input);
  if (words.size() != kLeechDimension) {
    throw certify::UsageError(
        fmt::format("a point has 24 coordinates, but {} were given", words.size()));
  }
  if (input.find_first_of(".eEn") == std::string::npos) {
    for (std::size_t i = 0; i < kLeechDimension; ++i) y[i] = parse<std::int32_t>(words[i]);
    return y;
  }
  std::array<float, kLeechDimension> floats{};
  for (std::size_t i = 0; i < kLeechDimension; ++i) floats[i] = parse<float>(words[i]);
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    const qp_status status = fast::leech_coordinate_status(floats[i]);
    if (status != QP_OK) refuse(status, {0, sizeof(float) * i, "coordinate"}, sizeof(float));
    y[i] = fast::leech_fixed_point(floats[i]);
  }
  return y;
}

struct Wall {
  Row v{};
  std::int64_t excess = 0;  // leech.md 4.7, in units of 2^-13
  int norm = 0;
  double distance = std::numeric_limits<double>::infinity();  // in lattice units
};

// The wall of the Voronoi cell that is nearest to y, and the facet vector that leads to the next
// lattice point: of all facet vectors, one by one.
struct Walls {
  Wall nearest;
  Wall next;
};

Walls find_walls(const Row& r) {
  Walls walls;
  walls.next.excess = std::numeric_limits<std::int64_t>::min();
  for (const int norm : {4, 6}) {
    const std::int64_t offset = std::int64_t{kLeechUnit} * 8 * norm;
    Wall best;
    best.excess = std::numeric_limits<std::int64_t>::min();
    best.norm = norm;
    const auto visit = [&](const Row& v) {
      std::int64_t product = 0;
      for (std::size_t i = 0; i < kLeechDimension; ++i) product += std::int64_t{r[i]} * v[i];
      if (2 * product - offset <= best.excess) return;
      best.excess = 2 * product - offset;
      best.v = v;
    };
    if (norm == 4) {
      fuzz::visit_minimal_vectors(visit);
    } else {
      fuzz::visit_norm_6_vectors(visit);
    }
    best.distance = static_cast<double>(-best.excess) / (2.0 * std::sqrt(8.0 * norm) * kLeechUnit);
    if (best.distance < walls.nearest.distance) walls.nearest = best;
    if (best.excess > walls.next.excess) walls.next = best;
  }
  return walls;
}

}  // namespace

int explain_leech(const std::string& input, const std::string& json) {
  const Row y = read_point(input);
  Row fast{};
  qp_location where{};
  const qp_status status = qp_leech_nearest_at(y.data(), 1, fast.data(), &where);
  if (status != QP_OK) refuse(status, where, sizeof(std::int32_t));
  const ref::LeechNearest nearest = ref::find_nearest_leech_point(y.data());
  if (nearest.point != fast) throw std::logic_error("the fast decoder and the reference differ");
  Row r{};
  for (std::size_t i = 0; i < kLeechDimension; ++i) r[i] = y[i] - kLeechUnit * nearest.point[i];
  const std::uint32_t word = golay_word(nearest.golay_index);
  const Hexaword hexaword = mog_column_sums(word);
  const Walls walls = find_walls(r);
  const double norm = static_cast<double>(nearest.squared_distance) / kLeechUnit / kLeechUnit;

  if (!json.empty()) {
    write_json(json, ordered_json{{"format", "leech"},
                                  {"point", y},
                                  {"nearest", nearest.point},
                                  {"m", nearest.m},
                                  {"golay_index", nearest.golay_index},
                                  {"golay_word", fmt::format("0x{:06X}", word)},
                                  {"hexaword", hexaword},
                                  {"residual", r},
                                  {"squared_distance", nearest.squared_distance},
                                  {"nearest_wall",
                                   {{"vector", walls.nearest.v},
                                    {"norm", walls.nearest.norm},
                                    {"distance", walls.nearest.distance}}},
                                  {"next_point",
                                   {{"vector", walls.next.v}, {"excess", walls.next.excess}}}});
    if (json == "-") return kExitPass;
  }
  fmt::print("Leech lattice, as the MOG shows 24 coordinates: columns 0-5, rows 0, 1, w, w^2\n\n");
  print_mog("point y", "(units of 2^-13)", y);
  fmt::print("\n");
  print_mog("nearest point x", "(lattice units)", nearest.point);
  fmt::print("\n");
  print_mog("residual", "y - 8192 x", r);
  fmt::print("\ncoset             m = {}, Golay word of index {}\n", nearest.m,
             nearest.golay_index);
  fmt::print("Golay word        0x{:06X}, weight {}: {}\n", word, std::popcount(word),
             golay_weight_name(std::popcount(word)));
  fmt::print("hexaword          {}\n", hexaword_text(hexaword));
  fmt::print("squared distance  {} units of 2^-26 = {:.6f}; the covering radius allows 16\n",
             nearest.squared_distance, norm);
  const auto print_vector = [](const Row& v) {
    std::vector<std::string> entries;
    for (std::size_t i = 0; i < kLeechDimension; ++i) {
      if (v[i] != 0) entries.push_back(fmt::format("{}:{}", i, v[i]));
    }
    fmt::print("                  v = {} (coordinate:value)\n", fmt::join(entries, " "));
  };
  if (walls.next.excess == 0) {
    fmt::print("nearest wall      y lies on it: x + v is as near, and the tie rule took x\n");
    print_vector(walls.next.v);
    return kExitPass;
  }
  fmt::print("nearest wall      {:.6f} lattice units away, towards x + v, v of norm {}\n",
             walls.nearest.distance, walls.nearest.norm);
  print_vector(walls.nearest.v);
  fmt::print("next point        x + v is farther by {} units of 2^-26, v of norm {}\n",
             -walls.next.excess * kLeechUnit, walls.next.norm);
  if (walls.next.v != walls.nearest.v) print_vector(walls.next.v);
  return kExitPass;
}

}  // namespace quantproof::cli
