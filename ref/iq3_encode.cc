// SPDX-License-Identifier: Apache-2.0
//
// All arithmetic is binary32, rounded to nearest even, in the order of the text, but for powers of
// two, which are exact. The build does not fuse multiplications with additions.
#include "quantproof/ref/iq3_encode.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "quantproof/e8_iq3.h"
#include "quantproof/iq3_codebook.h"
#include "quantproof/iq3_xxs.h"
#include "quantproof/ref/half.h"
#include "quantproof/ref/iq3_block.h"

namespace quantproof::ref {

namespace {

using Fields = Iq3Fields<std::uint32_t>;

constexpr std::size_t kHalfGroups = kSubblockWeights / kRowWeights;  // of a sub-block: 8

// ---- Numbers (4) --------------------------------------------------------------------------------

// 4.2
template <std::size_t n>
float tree_sum(const std::array<float, n>& y) {
  if constexpr (n == 1) {
    return y[0];
  } else {
    std::array<float, n / 2> pairs{};
    for (std::size_t i = 0; i < n / 2; ++i) pairs[i] = y[2 * i] + y[2 * i + 1];
    return tree_sum(pairs);
  }
}

// 4.3
int grid_octave(int k) { return (k - (k & (kIq3GridSteps - 1))) / kIq3GridSteps; }

float grid_value(int k) {
  const auto i = static_cast<std::size_t>(k & (kIq3GridSteps - 1));
  return std::ldexp(kIq3GridFraction[i], grid_octave(k));
}

// 4.3: the greatest k whose value is at most `value`, a normal number.
int grid_step(float value) {
  int k = kIq3GridSteps * std::ilogb(value) + kIq3GridSteps - 1;
  while (grid_value(k) > value) --k;
  return k;
}

// 4.4
double value_of_half(std::uint32_t half) {
  Scale scale;
  read_scale(QP_PROFILE_STRICT, static_cast<std::uint16_t>(half), &scale);
  return std::ldexp(static_cast<double>(scale.significand), scale.exponent);
}

// 4.4: the nearest of the positive finite binary16 numbers, of two the one with an even pattern.
std::uint32_t nearest_scale(double value) {
  std::uint32_t low = 0x0001;
  std::uint32_t high = 0x7BFF;
  while (high - low > 1) {  // value_of_half ascends with the pattern
    const std::uint32_t middle = (low + high) / 2;
    (value_of_half(middle) <= value ? low : high) = middle;
  }
  const double down = value - value_of_half(low);
  const double up = value_of_half(high) - value;
  return down < up || (down == up && low % 2 == 0) ? low : high;
}

// ---- The block in working numbers (5) -----------------------------------------------------------

struct Working {
  int exponent = 0;                      // e of 5.1
  std::array<float, kBlockWeights> x{};  // 5.2
  std::array<float, kBlockWeights> w{};  // 5.4
};

// 5.3
std::array<float, kBlockWeights> working_importance(const float* importance, std::size_t count) {
  std::array<float, kBlockWeights> h{};
  h.fill(std::ldexp(1.0f, kIq3ImportanceFloor));
  float greatest = 0;
  for (std::size_t i = 0; importance != nullptr && i < count; ++i) {
    greatest = std::max(greatest, importance[i]);
  }
  if (greatest < std::numeric_limits<float>::min()) {
    std::fill(h.begin(), h.begin() + static_cast<std::ptrdiff_t>(count), 1.0f);
    return h;
  }
  const int exponent = std::ilogb(greatest);
  for (std::size_t i = 0; i < count; ++i) {
    const double scaled = std::ldexp(static_cast<double>(importance[i]), -exponent);
    h[i] = std::max(h[i], static_cast<float>(scaled));
  }
  return h;
}

// 5; nothing for a block of zeros.
std::optional<Working> prepare(const float* x, const float* importance, std::size_t count,
                               Iq3Weighting weighting, int value_shift) {
  float greatest = 0;
  for (std::size_t i = 0; i < count; ++i) greatest = std::max(greatest, std::fabs(x[i]));
  if (greatest <= iq3_zero_limit(value_shift)) return std::nullopt;
  Working block;
  block.exponent = std::ilogb(greatest);
  const float least = std::ldexp(1.0f, block.exponent + kIq3MagnitudeFloor);
  for (std::size_t i = 0; i < count; ++i) {
    if (std::fabs(x[i]) >= least) block.x[i] = std::ldexp(x[i], -block.exponent);
  }
  block.w = working_importance(importance, count);
  if (weighting == Iq3Weighting::kGgml) {
    std::array<float, kBlockWeights> squares{};
    for (std::size_t i = 0; i < kBlockWeights; ++i) squares[i] = block.x[i] * block.x[i];
    const float sigma2 = tree_sum(squares) / 128.0f;
    for (std::size_t i = 0; i < kBlockWeights; ++i) block.w[i] *= std::sqrt(sigma2 + squares[i]);
  }
  return block;
}

// ---- The best content at a scale (6) ------------------------------------------------------------

// 6.4: which half-group is flipped, in a group whose halves are `first` and `second`.
struct GroupChoice {
  Iq3RowChoice first;
  Iq3RowChoice second;
};

unsigned negatives(const float* x) {
  return static_cast<unsigned>(std::count_if(x, x + kRowWeights, [](float v) { return v < 0; }));
}

GroupChoice best_group(const float* x, const float* w, float u) {
  const auto by_parity = [](const Iq3HalfGroup& half, unsigned odd_negatives, unsigned parity) {
    return odd_negatives == parity ? half.kept : half.flipped;
  };
  const Iq3HalfGroup first = best_rows(x, w, u);
  const Iq3HalfGroup second = best_rows(x + kRowWeights, w + kRowWeights, u);
  const unsigned odd1 = negatives(x) % 2;
  const unsigned odd2 = negatives(x + kRowWeights) % 2;
  const GroupChoice even = {by_parity(first, odd1, 0), by_parity(second, odd2, 0)};
  const GroupChoice odd = {by_parity(first, odd1, 1), by_parity(second, odd2, 1)};
  return odd.first.value + odd.second.value > even.first.value + even.second.value ? odd : even;
}

// 6.5: the error without any content, A.
float square_sum(const float* x, const float* w) {
  std::array<float, kSubblockWeights> terms{};
  for (std::size_t i = 0; i < kSubblockWeights; ++i) {
    const float magnitude = std::fabs(x[i]);
    const float p = w[i] * magnitude;
    terms[i] = p * magnitude;
  }
  return tree_sum(terms);
}

// ---- Exact blocks (7) ---------------------------------------------------------------------------

// 7.1: the content of a sub-block all of whose magnitudes are `t` times those of codebook rows.
std::optional<Iq3Content> exact_content(const float* x, double t) {
  Iq3Content content;
  for (std::size_t h = 0; h < kHalfGroups; ++h) {
    const auto row = std::find_if(kIq3Codebook.begin(), kIq3Codebook.end(), [&](const auto& g) {
      for (std::size_t j = 0; j < kRowWeights; ++j) {
        if (std::fabs(static_cast<double>(x[kRowWeights * h + j])) != t * g[j]) return false;
      }
      return true;
    });
    if (row == kIq3Codebook.end()) return std::nullopt;
    content.index[h] = static_cast<std::uint32_t>(row - kIq3Codebook.begin());
  }
  for (std::size_t l = 0; l < kGroupsPerSubblock; ++l) {
    unsigned odd = 0;
    for (unsigned j = 0; j < kGroupWeights; ++j) {
      const unsigned negative = x[kGroupWeights * l + j] < 0 ? 1 : 0;
      odd ^= negative;
      if (j < kSignFieldBits) content.sign_field[l] |= negative << j;
    }
    if (odd != 0) return std::nullopt;
  }
  return content;
}

void put_content(const Iq3Content& content, std::size_t ib, std::uint32_t code, Fields* fields) {
  std::copy(content.index.begin(), content.index.end(), &fields->index[kHalfGroups * ib]);
  fields->sign_field[ib] = content.sign_field;
  fields->scale_code[ib] = code;
}

// 7.2: `x`: 256 weights as they were given.
std::optional<Fields> exact_fields(const float* x, std::uint32_t scale, int value_shift) {
  Fields fields;
  fields.scale = scale;
  for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
    bool found = false;
    for (std::uint32_t code = 0; code < 16 && !found; ++code) {
      const double t = std::ldexp(value_of_half(scale) * scale_multiplier(code), -value_shift);
      const auto content = exact_content(x + kSubblockWeights * ib, t);
      found = content.has_value();
      if (found) put_content(*content, ib, code, &fields);
    }
    if (!found) return std::nullopt;
  }
  return fields;
}

std::optional<Fields> exact_block(const float* x, int value_shift) {
  // 7.1: the first sub-block's greatest magnitude is one of the codebook's, times t.
  float greatest = 0;
  for (std::size_t i = 0; i < kSubblockWeights; ++i) greatest = std::max(greatest, std::fabs(x[i]));
  std::vector<std::uint32_t> scales;
  for (const std::uint8_t magnitude : kLevelMagnitude) {
    for (std::uint32_t code = 0; code < 16; ++code) {
      const double d = std::ldexp(static_cast<double>(greatest), value_shift) /
                       (magnitude * scale_multiplier(code));
      const std::uint32_t scale = nearest_scale(d);
      if (value_of_half(scale) * magnitude * scale_multiplier(code) ==
          std::ldexp(static_cast<double>(greatest), value_shift)) {
        scales.push_back(scale);
      }
    }
  }
  std::sort(scales.begin(), scales.end());
  for (const std::uint32_t scale : scales) {
    const auto fields = exact_fields(x, scale, value_shift);
    if (fields) return fields;
  }
  return std::nullopt;
}

// ---- The search (8) -----------------------------------------------------------------------------

// 8.2: the even or odd choice of a half-group at a probe, as a function of u: b - u c.
struct Line {
  float b = 0;
  float c = 0;
  [[nodiscard]] float at(float u) const { return b - u * c; }
};

struct Probe {
  std::array<Line, kHalfGroups> even{};
  std::array<Line, kHalfGroups> odd{};
};

// What the search knows of one sub-block.
struct Subblock {
  const float* x = nullptr;
  const float* w = nullptr;
  float square_sum = 0;       // A
  bool zero = true;           // all of x is 0
  int greatest_step = 0;      // 8.2: grid step of the greatest magnitude
  std::vector<Probe> probes;  // none for a sub-block of zeros
};

// 6.1: 2 min p_j g_j.
float flip_cost(const float* x, const float* w, unsigned row) {
  float least = std::numeric_limits<float>::infinity();
  for (std::size_t j = 0; j < kRowWeights; ++j) {
    const float p = w[j] * std::fabs(x[j]);
    least = std::min(least, p * static_cast<float>(kIq3Codebook[row][j]));
  }
  return 2 * least;
}

Line line_of(const Iq3RowChoice& choice, float u) {
  return {choice.value + u * choice.square, choice.square};
}

Probe probe_at(const Subblock& subblock, const Iq3Search& search, float u) {
  Probe probe;
  for (std::size_t h = 0; h < kHalfGroups; ++h) {
    const float* const x = subblock.x + kRowWeights * h;
    const float* const w = subblock.w + kRowWeights * h;
    const Iq3HalfGroup half = best_rows(x, w, u);
    const Line kept = line_of(half.kept, u);
    const Line flipped = search.flipped_rows
                             ? line_of(half.flipped, u)
                             : Line{kept.b - flip_cost(x, w, half.kept.row), kept.c};
    const bool odd = negatives(x) % 2 != 0;
    probe.even[h] = odd ? flipped : kept;
    probe.odd[h] = odd ? kept : flipped;
  }
  return probe;
}

Subblock look_at(const Working& block, std::size_t ib, const Iq3Search& search) {
  Subblock subblock;
  subblock.x = &block.x[kSubblockWeights * ib];
  subblock.w = &block.w[kSubblockWeights * ib];
  subblock.square_sum = square_sum(subblock.x, subblock.w);
  float greatest = 0;
  for (std::size_t i = 0; i < kSubblockWeights; ++i) {
    greatest = std::max(greatest, std::fabs(subblock.x[i]));
  }
  if (greatest == 0) return subblock;
  subblock.zero = false;
  subblock.greatest_step = grid_step(greatest);
  for (int q = 0; q < search.probes; ++q) {
    const int k = subblock.greatest_step + search.first_probe + search.probe_step * q;
    subblock.probes.push_back(probe_at(subblock, search, grid_value(k) / 2));
  }
  return subblock;
}

// 8.3: the estimated error at grid step i, from the first probe on.
float estimate(const Subblock& subblock, const Iq3Search& search, int i) {
  const int first = subblock.greatest_step + search.first_probe;
  const int q = std::min((i - first) / search.probe_step, search.probes - 2);
  const Probe& low = subblock.probes[static_cast<std::size_t>(q)];
  const Probe& high = subblock.probes[static_cast<std::size_t>(q) + 1];
  const float t = grid_value(i);
  const float u = t / 2;
  std::array<float, kGroupsPerSubblock> values{};
  for (std::size_t l = 0; l < kGroupsPerSubblock; ++l) {
    const auto best = [&](const auto& parity, std::size_t h) {
      return std::max((low.*parity)[h].at(u), (high.*parity)[h].at(u));
    };
    const float even = best(&Probe::even, 2 * l) + best(&Probe::even, 2 * l + 1);
    const float odd = best(&Probe::odd, 2 * l) + best(&Probe::odd, 2 * l + 1);
    values[l] = std::max(even, odd);
  }
  return subblock.square_sum - 2 * t * tree_sum(values);
}

struct CodeEstimate {
  std::uint32_t code = 0;
  float error = 0;
};

// 8.4: the code that a sub-block would have under the scale at grid step j.
CodeEstimate estimate_code(const Subblock& subblock, const Iq3Search& search, int j) {
  if (subblock.zero) return {0, 0.0f};
  const int first = subblock.greatest_step + search.first_probe;
  const int last = first + search.probe_step * (search.probes - 1);
  const auto step_of = [j](std::uint32_t code) {
    return j + kIq3CodeStep[code] - 2 * kIq3GridSteps;
  };
  CodeEstimate best = {16, std::numeric_limits<float>::infinity()};
  for (std::uint32_t code = 0; code < 16; ++code) {
    const int i = step_of(code);
    if (i < first || i > last) continue;
    const float error = estimate(subblock, search, i);
    if (best.code == 16 || error < best.error) best = {code, error};
  }
  if (best.code < 16) return best;
  for (std::uint32_t code = 0; code < 16; ++code) {
    if (step_of(code) > last) return {code, estimate(subblock, search, step_of(code))};
  }
  return {15, subblock.square_sum};
}

struct Encoding {
  std::uint32_t scale = 0;
  std::array<std::uint32_t, kSubblocks> code{};
  std::array<Iq3Content, kSubblocks> content{};
  float error = std::numeric_limits<float>::infinity();
};

class Search {
 public:
  Search(const Working& block, const Iq3Search& search, int value_shift)
      : search_(search), exponent_(block.exponent + value_shift - 2) {
    for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
      subblocks_.push_back(look_at(block, ib, search));
    }
  }

  Encoding run() {
    for (const int j : trial_steps()) follow(scale_at(j));
    settle();
    return best_;
  }

  // 8.10: of the block of zeros.
  [[nodiscard]] float zero_error() const {
    std::array<float, kSubblocks> errors{};
    for (std::size_t ib = 0; ib < kSubblocks; ++ib) errors[ib] = subblocks_[ib].square_sum;
    return tree_sum(errors);
  }

 private:
  // 8.5: a scale in working numbers, d.
  [[nodiscard]] float working_scale(std::uint32_t scale) const {
    return static_cast<float>(std::ldexp(value_of_half(scale), -exponent_));
  }

  [[nodiscard]] std::uint32_t scale_at(int j) const {
    return nearest_scale(std::ldexp(static_cast<double>(grid_value(j)), exponent_));
  }

  [[nodiscard]] int step_of_scale(std::uint32_t scale) const {
    return grid_step(working_scale(scale) * kIq3GridHalfStep);
  }

  // 8.5
  [[nodiscard]] float score(int j) const {
    std::array<float, kSubblocks> errors{};
    for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
      errors[ib] = estimate_code(subblocks_[ib], search_, step_of_scale(scale_at(j))).error;
    }
    return tree_sum(errors);
  }

  // 8.5 and 8.6: the grid steps whose scales are tried.
  [[nodiscard]] std::vector<int> trial_steps() const {
    int greatest = std::numeric_limits<int>::min();
    for (const Subblock& subblock : subblocks_) {
      if (!subblock.zero) greatest = std::max(greatest, subblock.greatest_step);
    }
    const int first = greatest + search_.first_probe + 2 * kIq3GridSteps - kIq3CodeStep[15];
    const int last = greatest + search_.first_probe + search_.probe_step * (search_.probes - 1) +
                     2 * kIq3GridSteps - kIq3CodeStep[kIq3LeastGreatCode];
    std::vector<float> scores;
    for (int j = first; j <= last; ++j) scores.push_back(score(j));
    std::vector<int> steps;
    while (static_cast<int>(steps.size()) < search_.trials) {
      int best = first - 1;
      for (int j = first; j <= last; ++j) {
        const bool taken = std::any_of(steps.begin(), steps.end(),
                                       [j](int step) { return std::abs(step - j) <= 2; });
        if (taken) continue;
        if (best < first || scores[static_cast<std::size_t>(j - first)] <
                                scores[static_cast<std::size_t>(best - first)]) {
          best = j;
        }
      }
      steps.push_back(best);
    }
    return steps;
  }

  // 8.7
  [[nodiscard]] Encoding attempt(std::uint32_t scale) const {
    Encoding encoding;
    encoding.scale = scale;
    std::array<float, kSubblocks> errors{};
    for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
      encoding.code[ib] = estimate_code(subblocks_[ib], search_, step_of_scale(scale)).code;
      encoding.content[ib] = content_of(ib, scale, encoding.code[ib]);
      errors[ib] = encoding.content[ib].error;
    }
    encoding.error = tree_sum(errors);
    return encoding;
  }

  [[nodiscard]] Iq3Content content_of(std::size_t ib, std::uint32_t scale,
                                      std::uint32_t code) const {
    const float t = working_scale(scale) * static_cast<float>(scale_multiplier(code)) / 4;
    return best_content(subblocks_[ib].x, subblocks_[ib].w, t);
  }

  // 8.8
  [[nodiscard]] std::uint32_t refit(const Encoding& encoding) const {
    std::array<float, kSubblocks> products{};
    std::array<float, kSubblocks> squares{};
    for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
      const auto multiplier = static_cast<float>(scale_multiplier(encoding.code[ib]));
      products[ib] = multiplier * encoding.content[ib].product;
      squares[ib] = multiplier * multiplier * encoding.content[ib].square;
    }
    const float d = 4 * (tree_sum(products) / tree_sum(squares));
    return nearest_scale(std::ldexp(static_cast<double>(d), exponent_));
  }

  void follow(std::uint32_t scale) {
    float before = std::numeric_limits<float>::infinity();
    for (int round = 0; round <= search_.refits; ++round) {
      const Encoding encoding = attempt(scale);
      if (encoding.error < best_.error) best_ = encoding;
      if (!(encoding.error < before)) return;
      before = encoding.error;
      const std::uint32_t next = refit(encoding);
      if (next == scale) return;
      scale = next;
    }
  }

  // 8.9
  void settle() {
    std::array<float, kSubblocks> errors{};
    for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
      const int centre = static_cast<int>(best_.code[ib]);
      Iq3Content best;
      best.error = std::numeric_limits<float>::infinity();
      for (int code = std::max(0, centre - search_.settle);
           code <= std::min(15, centre + search_.settle); ++code) {
        const Iq3Content content = content_of(ib, best_.scale, static_cast<std::uint32_t>(code));
        if (!(content.error < best.error)) continue;
        best = content;
        best_.code[ib] = static_cast<std::uint32_t>(code);
      }
      best_.content[ib] = best;
      errors[ib] = best.error;
    }
    best_.error = tree_sum(errors);
  }

  Iq3Search search_;
  int exponent_;  // a working scale d is the stored scale d 2^exponent_
  std::vector<Subblock> subblocks_;
  Encoding best_;
};

// ---- Rows (2) -----------------------------------------------------------------------------------

template <class Layout>
void encode_block(const float* x, const float* importance, std::size_t count,
                  const Iq3EncodeOptions& options, std::uint8_t* bytes) {
  const auto pack_fields = [bytes](const Fields& fields) { pack<Layout>(fields, bytes); };
  const auto block = prepare(x, importance, count, options.weighting, Layout::kValueShift);
  if (!block) return pack_fields({});
  if (count == kBlockWeights) {
    const auto exact = exact_block(x, Layout::kValueShift);
    if (exact) return pack_fields(*exact);
  }
  Search search(*block, iq3_search(options.effort), Layout::kValueShift);
  const Encoding encoding = search.run();
  if (!(encoding.error < search.zero_error())) return pack_fields({});
  Fields fields;
  fields.scale = encoding.scale;
  for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
    put_content(encoding.content[ib], ib, encoding.code[ib], &fields);
  }
  pack_fields(fields);
}

template <class Layout>
qp_status encode_rows(const float* x, std::size_t rows, std::size_t cols, const float* importance,
                      const Iq3EncodeOptions& options, std::uint8_t* bytes, std::size_t n_bytes,
                      qp_location* where) {
  const auto refuse = [where](qp_status status, std::size_t block, std::size_t number,
                              const char* field) {
    if (where != nullptr) *where = {block, sizeof(float) * number, field};
    return status;
  };
  if (!Layout::kPartialBlock && cols % kBlockWeights != 0) {
    return refuse(QP_BAD_WIDTH, 0, 0, "cols");
  }
  const std::size_t blocks = cols / kBlockWeights + (cols % kBlockWeights != 0 ? 1 : 0);
  const std::size_t row_bytes = Layout::kBlockBytes * blocks;
  // 2.3: rows * row_bytes, without overflow
  if (row_bytes == 0 ? n_bytes != 0 : n_bytes % row_bytes != 0 || n_bytes / row_bytes != rows) {
    return refuse(QP_BAD_SIZE, 0, 0, "n_bytes");
  }
  for (std::size_t j = 0; importance != nullptr && j < cols && rows > 0; ++j) {
    if (!std::isfinite(importance[j])) {
      return refuse(QP_IMPORTANCE_NOT_FINITE, j / kBlockWeights, j, "importance");
    }
    if (importance[j] < 0) {
      return refuse(QP_IMPORTANCE_NEGATIVE, j / kBlockWeights, j, "importance");
    }
  }
  for (std::size_t n = 0; n < rows * cols; ++n) {
    const std::size_t block = n / cols * blocks + n % cols / kBlockWeights;
    if (!std::isfinite(x[n])) return refuse(QP_WEIGHT_NOT_FINITE, block, n, "x");
    if (std::fabs(x[n]) > iq3_weight_limit(Layout::kValueShift)) {
      return refuse(QP_WEIGHT_OUT_OF_RANGE, block, n, "x");
    }
  }
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::size_t first = kBlockWeights * b;
      encode_block<Layout>(x + cols * row + first,
                           importance == nullptr ? nullptr : importance + first,
                           std::min(kBlockWeights, cols - first), options, bytes);
      bytes += Layout::kBlockBytes;
    }
  }
  return QP_OK;
}

}  // namespace

Iq3HalfGroup best_rows(const float* x, const float* w, float u) {
  std::array<float, kRowWeights> p{};
  for (std::size_t j = 0; j < kRowWeights; ++j) p[j] = w[j] * std::fabs(x[j]);
  Iq3HalfGroup best;
  best.kept.value = best.flipped.value = -std::numeric_limits<float>::infinity();
  for (unsigned row = 0; row < kCodebookRows; ++row) {
    std::array<float, kRowWeights> g{};
    std::copy(kIq3Codebook[row].begin(), kIq3Codebook[row].end(), g.begin());
    const float product1 = p[0] * g[0] + p[1] * g[1];
    const float product2 = p[2] * g[2] + p[3] * g[3];
    const float square1 = w[0] * (g[0] * g[0]) + w[1] * (g[1] * g[1]);
    const float square2 = w[2] * (g[2] * g[2]) + w[3] * (g[3] * g[3]);
    unsigned flip = 0;
    for (unsigned j = 1; j < kRowWeights; ++j) {
      if (p[j] * g[j] < p[flip] * g[flip]) flip = j;
    }
    const float square = square1 + square2;
    const float kept = (product1 - u * square1) + (product2 - u * square2);
    const float flipped = kept - 2 * (p[flip] * g[flip]);
    if (kept > best.kept.value) best.kept = {kept, square, row, kGroupWeights};
    if (flipped > best.flipped.value) best.flipped = {flipped, square, row, flip};
  }
  return best;
}

Iq3Content best_content(const float* x, const float* w, float t) {
  const float u = t / 2;
  Iq3Content content;
  std::array<float, kGroupsPerSubblock> values{};
  std::array<float, kGroupsPerSubblock> squares{};
  for (std::size_t l = 0; l < kGroupsPerSubblock; ++l) {
    const float* const group_x = x + kGroupWeights * l;
    const GroupChoice group = best_group(group_x, w + kGroupWeights * l, u);
    content.index[2 * l] = group.first.row;
    content.index[2 * l + 1] = group.second.row;
    for (unsigned j = 0; j < kSignFieldBits; ++j) {
      const bool flipped = j == group.first.flip || j == kRowWeights + group.second.flip;
      const bool negative = (group_x[j] < 0) != flipped;
      if (negative) content.sign_field[l] |= 1u << j;
    }
    values[l] = group.first.value + group.second.value;
    squares[l] = group.first.square + group.second.square;
  }
  const float value = tree_sum(values);
  content.square = tree_sum(squares);
  content.product = value + u * content.square;
  content.error = square_sum(x, w) - 2 * t * value;
  return content;
}

qp_status encode_iq3(qp_format format, const float* x, std::size_t rows, std::size_t cols,
                     const float* importance, Iq3EncodeOptions options, std::uint8_t* bytes,
                     std::size_t n_bytes, qp_location* where) {
  const auto refuse = [where](const char* field) {
    if (where != nullptr) *where = {0, 0, field};
    return QP_BAD_ARGUMENT;
  };
  if (format != QP_IQ3_XXS && format != QP_E8_IQ3) return refuse("format");
  if (x == nullptr && rows > 0 && cols > 0) return refuse("x");
  if (bytes == nullptr && n_bytes > 0) return refuse("bytes");
  return format == QP_IQ3_XXS
             ? encode_rows<Iq3Xxs>(x, rows, cols, importance, options, bytes, n_bytes, where)
             : encode_rows<E8Iq3>(x, rows, cols, importance, options, bytes, n_bytes, where);
}

}  // namespace quantproof::ref
