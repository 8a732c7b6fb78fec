// SPDX-License-Identifier: Apache-2.0
//
// The fast decoder of KAIJU1 gives the reference's bits, verdicts and places on every level that
// this CPU has, and on portable vectors as wide as those it may lack.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "fast/kaiju1-inl.h"
#include "fast/kaiju1_tensor.h"
#include "quantproof/kaiju1.h"
#include "quantproof/qp.h"
#include "quantproof/ref/kaiju1.h"
#include "tests/levels.h"

namespace quantproof {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Code = LeechCode<std::uint32_t>;

constexpr std::uint32_t kPoison = 0x7FA5A5A5u;  // a NaN that no decoder writes

std::mt19937_64& random_bits() {
  static std::mt19937_64 random(20260901);
  return random;
}

std::uint32_t below(std::uint64_t n) { return static_cast<std::uint32_t>(random_bits()() % n); }

// ---------------------------------------------------------------------------------- codes, tensors

bool is_zero_trit(const Code& code, std::uint32_t i) {
  return trit_of(code.trit_group[trit_group_of(i)], trit_place_of(i)) == 0;
}

Code random_code() {
  Code code;
  for (std::size_t g = 0; g + 1 < kTritGroups; ++g) code.trit_group[g] = below(243);
  code.trit_group[4] = below(81);
  code.golay_index = below(4096);
  do {
    code.fix = below(25);
  } while (code.fix < 24 && is_zero_trit(code, code.fix));
  if (code.fix == 24) code.fix = kNoFix;
  return code;
}

void put16(Bytes& bytes, std::uint32_t value) {
  bytes.push_back(static_cast<std::uint8_t>(value));
  bytes.push_back(static_cast<std::uint8_t>(value >> 8));
}

void put32(Bytes& bytes, std::uint32_t value) {
  put16(bytes, value & 0xFFFFu);
  put16(bytes, value >> 16);
}

std::uint32_t finite_half() {
  std::uint32_t half = below(0x10000);
  while ((half & 0x7C00u) == 0x7C00u) half = below(0x10000);
  return half;
}

// A valid tensor whose side-band is `hi`, ascending. Steps, scales and codes are random.
Bytes make_tensor(std::uint32_t rows, std::uint32_t cols, const std::vector<std::uint32_t>& hi,
                  const std::function<Code()>& next_code = random_code) {
  const auto hi_count = static_cast<std::uint32_t>(hi.size());
  const std::uint32_t bulk_cols = cols - hi_count;
  EXPECT_EQ(bulk_cols % kKaiju1BlockCols, 0u);
  Bytes bytes;
  // Every other step is a power of two.
  const bool exact = below(2) == 0;
  const std::uint32_t num = exact ? 1u << below(32) : 1 + below(0xFFFFFFFFu);
  const std::uint32_t den = exact ? 1u << below(32) : 1 + below(1000);
  for (const std::uint32_t field : {kKaiju1Magic, rows, cols, hi_count, bulk_cols, num, den}) {
    put32(bytes, field);
  }
  for (const std::uint32_t column : hi) put32(bytes, column);
  for (std::uint32_t j = 0; j < hi_count; ++j) {
    put16(bytes, finite_half());
    for (std::uint32_t r = 0; r < rows; ++r) bytes.push_back(static_cast<std::uint8_t>(below(256)));
  }
  const std::uint32_t blocks = bulk_cols / kKaiju1BlockCols;
  for (std::uint32_t r = 0; r < rows; ++r) {
    put16(bytes, finite_half());
    for (std::uint32_t b = 0; b < blocks; b += 2) {
      bytes.push_back(static_cast<std::uint8_t>(below(b + 1 < blocks ? 256 : 16)));
    }
    for (std::uint32_t b = 0; b < blocks; ++b) {
      std::array<std::uint8_t, kLeechCodeBytes> code{};
      pack_leech_code(next_code(), code.data());
      bytes.insert(bytes.end(), code.begin(), code.end());
    }
  }
  return bytes;
}

// hi_count distinct columns, ascending.
std::vector<std::uint32_t> random_columns(std::uint32_t cols, std::uint32_t hi_count) {
  std::vector<std::uint32_t> columns(cols);
  std::iota(columns.begin(), columns.end(), 0u);
  std::shuffle(columns.begin(), columns.end(), random_bits());
  columns.resize(hi_count);
  std::sort(columns.begin(), columns.end());
  return columns;
}

Bytes random_tensor(std::uint32_t rows, std::uint32_t cols, std::uint32_t hi_frac) {
  const std::uint32_t bulk = kaiju1_bulk_cols(cols, hi_frac);
  return make_tensor(rows, cols, random_columns(cols, cols - bulk));
}

// ------------------------------------------------------------------------------------- comparison

struct Answer {
  qp_status status = QP_OK;
  std::uint64_t block = 0;
  std::uint64_t offset = 0;
  std::string field;
  std::vector<std::uint32_t> bits;  // poison where nothing was written

  bool operator==(const Answer&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Answer& answer) {
  return out << qp_status_name(answer.status) << " block " << answer.block << " offset "
             << answer.offset << " " << answer.field;
}

template <class Decode>
Answer ask(Decode decode, const std::uint8_t* bytes, std::size_t n_bytes, std::size_t first_row,
           std::size_t rows, std::size_t n_values) {
  std::vector<float> out(n_values, std::bit_cast<float>(kPoison));
  qp_location where{77, 77, "nowhere"};
  Answer answer;
  // A vector without elements may have no address, and null is a verdict of its own.
  float none = 0;
  answer.status =
      decode(bytes, n_bytes, first_row, rows, n_values == 0 ? &none : out.data(), &where);
  answer.block = where.block;
  answer.offset = where.offset;
  answer.field = where.field;
  for (const float value : out) answer.bits.push_back(std::bit_cast<std::uint32_t>(value));
  return answer;
}

Answer ask_reference(const Bytes& bytes, std::size_t first_row, std::size_t rows,
                     std::size_t n_values) {
  return ask(ref::decode_kaiju1_rows, bytes.data(), bytes.size(), first_row, rows, n_values);
}

Answer ask_fast(const Bytes& bytes, std::size_t first_row, std::size_t rows, std::size_t n_values) {
  return ask(qp_kaiju1_decode_rows_at, bytes.data(), bytes.size(), first_row, rows, n_values);
}

template <class Body>
void on_every_level(Body body) {
  for (const std::string& level : tests::supported_levels()) {
    ASSERT_EQ(qp_force_level(level.c_str()), QP_OK);
    SCOPED_TRACE(level);
    body();
    if (testing::Test::HasFatalFailure()) break;
  }
  qp_force_level(nullptr);
}

void expect_same(const Bytes& bytes, std::size_t first_row, std::size_t rows, std::size_t n_values,
                 qp_status status) {
  const Answer expected = ask_reference(bytes, first_row, rows, n_values);
  ASSERT_EQ(expected.status, status) << expected;
  on_every_level([&] { ASSERT_EQ(ask_fast(bytes, first_row, rows, n_values), expected); });
}

// --------------------------------------------------------------------------------- valid tensors

TEST(Kaiju1Fast, RandomTensors) {
  constexpr std::uint32_t kColumns[] = {0,   1,   23,  24,  25,   47,   48,   72,   100,  191,
                                        384, 385, 743, 768, 1000, 1024, 1536, 2048, 4096, 4097};
  for (const std::uint32_t cols : kColumns) {
    for (const std::uint32_t hi_frac : {0u, 10'000u, 100'000u, 330'000u, 900'000u, 1'000'000u}) {
      SCOPED_TRACE(std::to_string(cols) + " columns, hi_frac " + std::to_string(hi_frac));
      const std::uint32_t rows = 1 + below(3);
      expect_same(random_tensor(rows, cols, hi_frac), 0, rows, std::size_t{rows} * cols, QP_OK);
    }
  }
}

// Side-bands in runs, at both ends and between all blocks.
TEST(Kaiju1Fast, SideBandsInRuns) {
  for (std::uint32_t blocks : {1u, 2u, 5u, 40u}) {
    for (std::uint32_t run : {1u, 7u, 31u, 32u, 33u, 100u}) {
      for (std::uint32_t between : {1u, 12u, 24u, 30u}) {  // bulk columns
        for (const bool hi_first : {false, true}) {
          std::vector<std::uint32_t> hi;
          std::uint32_t bulk = 0;
          std::uint32_t column = 0;
          while (bulk < kKaiju1BlockCols * blocks) {
            if (column > 0 || hi_first) {
              for (std::uint32_t i = 0; i < run; ++i) hi.push_back(column++);
            }
            const std::uint32_t step = std::min(between, 24 * blocks - bulk);
            bulk += step;
            column += step;
          }
          expect_same(make_tensor(2, column, hi), 0, 2, 2 * std::size_t{column}, QP_OK);
        }
      }
    }
  }
}

// Rows that need more than one segment: by columns, by channels, and both.
TEST(Kaiju1Fast, LongRows) {
  struct Shape {
    std::uint32_t cols;
    std::uint32_t hi_count;
  };
  for (const Shape shape : {Shape{32'208, 0}, Shape{32'232, 0}, Shape{70'008, 0},
                            Shape{70'003, 7'003}, Shape{20'000, 4'112}, Shape{20'000, 20'000 - 24},
                            Shape{40'000, 16'000}, Shape{9'000, 9'000}, Shape{40'001, 1'001}}) {
    SCOPED_TRACE(std::to_string(shape.cols) + ", " + std::to_string(shape.hi_count));
    const std::uint32_t hi = shape.cols - (shape.cols - shape.hi_count) / 24 * 24;
    expect_same(make_tensor(2, shape.cols, random_columns(shape.cols, hi)), 0, 2,
                2 * std::size_t{shape.cols}, QP_OK);
    // One run, so that a segment without side-band begins within a block.
    std::vector<std::uint32_t> run(hi);
    std::iota(run.begin(), run.end(), std::min(1'001u, shape.cols - hi));
    expect_same(make_tensor(2, shape.cols, run), 0, 2, 2 * std::size_t{shape.cols}, QP_OK);
  }
}

// Outputs that are written past the caches, or whose lines are asked for ahead.
TEST(Kaiju1Fast, LargeOutputs) {
  for (const auto& shape :
       {std::array{700u, 1'536u, 0u}, std::array{44'000u, 24u, 0u}, std::array{300u, 3'600u, 360u},
        std::array{440u, 2'424u, 24u}, std::array{33u, 33'003u, 3'003u}}) {
    const auto [rows, cols, hi] = shape;
    const std::size_t count = rows;
    const Bytes bytes = make_tensor(rows, cols, random_columns(cols, hi));
    const std::size_t n = std::size_t{rows} * cols;
    ASSERT_GE(n * sizeof(float), std::size_t{4} << 20);
    std::vector<float> expected(n + 16);
    ASSERT_EQ(
        ref::decode_kaiju1_rows(bytes.data(), bytes.size(), 0, rows, expected.data(), nullptr),
        QP_OK);
    std::vector<float> got(n + 16);
    on_every_level([&] {
      for (const std::size_t shift : {0u, 1u, 4u, 6u, 15u}) {
        std::fill(got.begin(), got.end(), std::bit_cast<float>(kPoison));
        ASSERT_EQ(qp_kaiju1_decode_rows(bytes.data(), bytes.size(), 0, count, &got[shift]), QP_OK);
        ASSERT_EQ(std::memcmp(&got[shift], expected.data(), n * sizeof(float)), 0);
        for (std::size_t i = 0; i < 16; ++i) {
          const float beside = got[i < shift ? i : n + i];
          ASSERT_EQ(std::bit_cast<std::uint32_t>(beside), kPoison);
        }
      }
    });
  }
}

// Every value of every field, next to random others.
TEST(Kaiju1Fast, EveryValueOfEveryField) {
  std::vector<Code> codes;
  for (std::size_t g = 0; g < kTritGroups; ++g) {
    for (std::uint32_t value = 0; value < (g < 4 ? 243u : 81u); ++value) {
      Code code = random_code();
      code.trit_group[g] = value;
      if (code.fix < 24 && is_zero_trit(code, code.fix)) code.fix = kNoFix;
      codes.push_back(code);
    }
  }
  for (std::uint32_t k = 0; k < 4096; ++k) {
    codes.push_back(random_code());
    codes.back().golay_index = k;
  }
  for (std::uint32_t fix = 0; fix < 24; ++fix) {
    for (int i = 0; i < 8; ++i) {
      Code code = random_code();
      code.fix = kNoFix;
      while (is_zero_trit(code, fix)) code = random_code();
      code.fix = fix;
      codes.push_back(code);
    }
  }
  std::size_t next = 0;
  const auto cols = static_cast<std::uint32_t>(24 * codes.size());
  const Bytes bytes = make_tensor(1, cols, {}, [&] { return codes[next++]; });
  expect_same(bytes, 0, 1, cols, QP_OK);
}

// All 65,536 scales, 16 multipliers and 256 numbers of the side-band.
TEST(Kaiju1Fast, EveryScale) {
  constexpr std::uint32_t kRows = 0xF800;  // finite halves
  Bytes bytes = make_tensor(kRows, 41, random_columns(41, 17));
  const Kaiju1Layout layout = *kaiju1_layout(read_kaiju1_header(bytes.data()));
  std::uint32_t half = 0;
  for (std::uint32_t r = 0; r < kRows; ++r, ++half) {
    if ((half & 0x7C00u) == 0x7C00u) half += 0x400;
    std::uint8_t* const row = &bytes[layout.bulk_rows_offset + layout.row_bytes * r];
    row[0] = static_cast<std::uint8_t>(half);
    row[1] = static_cast<std::uint8_t>(half >> 8);
    row[2] = static_cast<std::uint8_t>(r % 16);
  }
  ASSERT_EQ(half, 0xFC00u);
  expect_same(bytes, 0, kRows, std::size_t{kRows} * 41, QP_OK);
}

TEST(Kaiju1Fast, RangesOfRows) {
  const Bytes bytes = random_tensor(9, 300, 100'000);
  for (std::size_t first = 0; first <= 10; ++first) {
    for (std::size_t rows = 0; rows <= 10; ++rows) {
      const bool inside = first + rows <= 9;
      expect_same(bytes, first, rows, 300 * rows, inside ? QP_OK : QP_ROW_OUT_OF_RANGE);
    }
  }
  for (const std::size_t huge : {SIZE_MAX, SIZE_MAX - 3, std::size_t{1} << 32}) {
    expect_same(bytes, huge, 1, 300, QP_ROW_OUT_OF_RANGE);
    expect_same(bytes, 4, huge, 300, QP_ROW_OUT_OF_RANGE);
  }
}

// ---------------------------------------------------------------------------------------- memory

// Pages that can be used, between two that cannot.
class Guarded {
 public:
  explicit Guarded(std::size_t capacity) {
    page_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    capacity_ = (capacity + page_ - 1) / page_ * page_;
    base_ = mmap(nullptr, capacity_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base_ == MAP_FAILED) std::abort();
    if (mprotect(first(), capacity_, PROT_READ | PROT_WRITE) != 0) std::abort();
  }
  ~Guarded() { munmap(base_, capacity_ + 2 * page_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  [[nodiscard]] std::uint8_t* first() const { return static_cast<std::uint8_t*>(base_) + page_; }
  [[nodiscard]] std::uint8_t* last(std::size_t size) const { return first() + capacity_ - size; }

 private:
  void* base_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t page_ = 0;
};

TEST(Kaiju1Fast, InsideItsMemory) {
  for (const std::uint32_t cols :
       {0u, 5u, 24u, 48u, 365u, 368u, 383u, 384u, 744u, 768u, 792u, 1'560u, 3'072u, 33'000u}) {
    for (const std::uint32_t hi_frac : {0u, 100'000u}) {
      const Bytes bytes = random_tensor(2, cols, hi_frac);
      const std::size_t n = 2 * std::size_t{cols};
      const Answer expected = ask_reference(bytes, 0, 2, n);
      const Guarded in(bytes.size());
      const Guarded out(n * sizeof(float) + 1);
      on_every_level([&] {
        for (const bool at_end : {false, true}) {
          std::uint8_t* const from = at_end ? in.last(bytes.size()) : in.first();
          auto* const to =
              reinterpret_cast<float*>(at_end ? out.last(n * sizeof(float)) : out.first());
          std::copy(bytes.begin(), bytes.end(), from);
          ASSERT_EQ(qp_kaiju1_decode_rows(from, bytes.size(), 0, 2, to), QP_OK);
          for (std::size_t i = 0; i < n; ++i) {
            ASSERT_EQ(std::bit_cast<std::uint32_t>(to[i]), expected.bits[i]) << i;
          }
          ASSERT_TRUE(std::equal(bytes.begin(), bytes.end(), from));
        }
      });
    }
  }
}

TEST(Kaiju1Fast, AnyAlignment) {
  const Bytes bytes = random_tensor(3, 500, 50'000);
  const Answer expected = ask_reference(bytes, 0, 3, 1500);
  Bytes in(bytes.size() + 16);
  std::vector<float> out(1500 + 16);
  on_every_level([&] {
    for (std::size_t shift = 0; shift < 16; ++shift) {
      std::copy(bytes.begin(), bytes.end(), &in[shift]);
      std::fill(out.begin(), out.end(), std::bit_cast<float>(kPoison));
      float* const to = &out[7 * shift % 16];
      ASSERT_EQ(qp_kaiju1_decode_rows(&in[shift], bytes.size(), 0, 3, to), QP_OK);
      ASSERT_EQ(std::memcmp(to, expected.bits.data(), 1500 * sizeof(float)), 0);
      for (const float& value : out) {
        if (&value >= to && &value < to + 1500) continue;
        ASSERT_EQ(std::bit_cast<std::uint32_t>(value), kPoison);
      }
    }
  });
}

// -------------------------------------------------------------------------------------- verdicts

TEST(Kaiju1Fast, TruncationAtEveryLength) {
  const Bytes whole = random_tensor(2, 53, 100'000);
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const Bytes bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n));
    // Its own buffer, so that a checker sees reads beyond it.
    const Answer expected = ask_reference(bytes, 0, 2, 106);
    ASSERT_EQ(expected.status, n == 0 ? expected.status : QP_BAD_SIZE);
    on_every_level([&] { ASSERT_EQ(ask_fast(bytes, 0, 2, 106), expected); });
  }
  Bytes longer = whole;
  longer.push_back(0);
  expect_same(longer, 0, 2, 106, QP_BAD_SIZE);
}

TEST(Kaiju1Fast, HostileHeaders) {
  const Bytes whole = random_tensor(2, 53, 100'000);
  constexpr std::uint32_t kValues[] = {0,          1,          2,          23,         24,
                                       25,         0x7FFFFFFF, 0x80000000, 0xFFFFFFE8, 0xFFFFFFF0,
                                       0xFFFFFFFE, 0xFFFFFFFF, 53,         48,         5};
  for (std::size_t field = 0; field < kKaiju1HeaderBytes; field += 4) {
    for (const std::uint32_t value : kValues) {
      for (std::size_t second = field; second < kKaiju1HeaderBytes; second += 4) {
        for (const std::uint32_t other : kValues) {
          Bytes bytes = whole;
          for (std::size_t i = 0; i < 4; ++i) {
            bytes[field + i] = static_cast<std::uint8_t>(value >> 8 * i);
            if (second != field) bytes[second + i] = static_cast<std::uint8_t>(other >> 8 * i);
          }
          const Answer expected = ask_reference(bytes, 0, 0, 0);
          ASSERT_EQ(ask_fast(bytes, 0, 0, 0), expected);
          if (second == field) break;
        }
      }
    }
  }
  // No bytes but a header: as many rows or columns as it likes.
  for (const std::array<std::uint32_t, 4>& shape :
       {std::array{0xFFFFFFFFu, 0u, 0u, 0u}, std::array{0u, 0xFFFFFFF0u, 0u, 0xFFFFFFF0u},
        std::array{0xFFFFFFFFu, 0xFFFFFFFFu, 0xFFFFFFFFu, 0u}}) {
    Bytes bytes;
    for (const std::uint32_t field :
         {kKaiju1Magic, shape[0], shape[1], shape[2], shape[3], 1u, 1u}) {
      put32(bytes, field);
    }
    const Answer expected = ask_reference(bytes, 0, 0, 0);
    ASSERT_EQ(ask_fast(bytes, 0, 0, 0), expected);
  }
}

TEST(Kaiju1Fast, SideBandVerdicts) {
  const Bytes whole = random_tensor(2, 100, 200'000);
  const Kaiju1Header header = read_kaiju1_header(whole.data());
  const Kaiju1Layout layout = *kaiju1_layout(header);
  for (std::uint32_t j = 0; j < header.hi_count; ++j) {
    for (const std::uint32_t column : {0u, 1u, 50u, 99u, 100u, 0xFFFFFFFFu}) {
      Bytes bytes = whole;
      for (std::size_t i = 0; i < 4; ++i) {
        bytes[layout.hi_index_offset + 4 * j + i] = static_cast<std::uint8_t>(column >> 8 * i);
      }
      const Answer expected = ask_reference(bytes, 0, 2, 200);
      on_every_level([&] { ASSERT_EQ(ask_fast(bytes, 0, 2, 200), expected); });
    }
    for (const std::uint32_t half : {0x7C00u, 0xFC00u, 0x7C01u, 0xFFFFu, 0x7BFFu}) {
      Bytes bytes = whole;
      std::uint8_t* const scale = &bytes[layout.hi_band_offset + layout.channel_bytes * j];
      scale[0] = static_cast<std::uint8_t>(half);
      scale[1] = static_cast<std::uint8_t>(half >> 8);
      const Answer expected = ask_reference(bytes, 0, 0, 0);
      ASSERT_EQ(expected.status, half == 0x7BFFu ? QP_OK : QP_SCALE_NOT_FINITE);
      on_every_level([&] { ASSERT_EQ(ask_fast(bytes, 0, 0, 0), expected); });
    }
  }
}

TEST(Kaiju1Fast, RowVerdicts) {
  const Bytes whole = make_tensor(5, 75, random_columns(75, 3));
  const Kaiju1Layout layout = *kaiju1_layout(read_kaiju1_header(whole.data()));
  ASSERT_EQ(layout.blocks, 3u);
  for (std::size_t r = 0; r < 5; ++r) {
    const std::size_t at = layout.bulk_rows_offset + layout.row_bytes * r;
    for (const std::uint32_t high : {0x7Cu, 0xFCu, 0x7Fu, 0x7Bu}) {
      Bytes bytes = whole;
      bytes[at + 1] = static_cast<std::uint8_t>(high);
      expect_same(bytes, 0, 5, 375, high == 0x7Bu ? QP_OK : QP_SCALE_NOT_FINITE);
      bytes[at + 3] = 0x10;  // found after the scale
      expect_same(bytes, 0, 5, 375, high == 0x7Bu ? QP_PADDING_NOT_ZERO : QP_SCALE_NOT_FINITE);
      // Rows that were not asked for are not judged.
      expect_same(bytes, 0, r, 75 * r, QP_OK);
      expect_same(bytes, r + 1, 4 - r, 75 * (4 - r), QP_OK);
    }
  }
}

// Codes with one wrong field: a trit group that is too large, a fix without a coordinate, a fix on
// a trit of 0.
std::vector<std::pair<Code, qp_status>> invalid_codes() {
  std::vector<std::pair<Code, qp_status>> codes;
  for (std::size_t g = 0; g < kTritGroups; ++g) {
    for (std::uint32_t value = g < 4 ? 243 : 81; value < (g < 4 ? 256u : 128u); ++value) {
      Code code = random_code();
      code.trit_group[g] = value;
      codes.emplace_back(code, QP_TRITS_OUT_OF_RANGE);
    }
  }
  for (std::uint32_t fix = 24; fix < 31; ++fix) {
    codes.emplace_back(random_code(), QP_FIX_OUT_OF_RANGE);
    codes.back().first.fix = fix;
  }
  for (std::uint32_t fix = 0; fix < 24; ++fix) {
    for (int i = 0; i < 3; ++i) {
      Code code = random_code();
      while (!is_zero_trit(code, fix)) code = random_code();
      code.fix = fix;
      codes.emplace_back(code, QP_FIX_ON_ZERO);
    }
  }
  return codes;
}

TEST(Kaiju1Fast, EveryInvalidCode) {
  const auto invalid = invalid_codes();
  const Bytes whole = random_tensor(2, 130, 50'000);
  const Kaiju1Layout layout = *kaiju1_layout(read_kaiju1_header(whole.data()));
  for (const auto& [code, status] : invalid) {
    for (std::size_t r = 0; r < 2; ++r) {
      for (std::size_t b = 0; b < layout.blocks; ++b) {
        Bytes bytes = whole;
        pack_leech_code(code,
                        &bytes[layout.bulk_rows_offset + layout.row_bytes * r + kKaiju1ScaleBytes +
                               layout.multiplier_bytes + kLeechCodeBytes * b]);
        expect_same(bytes, 0, 2, 260, status);
      }
    }
  }
}

// At every position of a row that is several batches long on every level, and of a long row.
TEST(Kaiju1Fast, AnInvalidCodeAtEveryPosition) {
  const auto invalid = invalid_codes();
  for (const std::uint32_t blocks : {67u, 133u, 1'344u, 2'700u}) {
    Bytes bytes = make_tensor(2, 24 * blocks, {});
    const Kaiju1Layout layout = *kaiju1_layout(read_kaiju1_header(bytes.data()));
    const std::size_t codes =
        layout.bulk_rows_offset + layout.row_bytes + kKaiju1ScaleBytes + layout.multiplier_bytes;
    const Answer valid = ask_reference(bytes, 0, 2, 48 * std::size_t{blocks});
    ASSERT_EQ(valid.status, QP_OK);
    for (std::size_t b = 0; b<blocks; b += blocks> 200 ? 149 : 1) {
      const auto& [code, status] = invalid[b % invalid.size()];
      std::array<std::uint8_t, kLeechCodeBytes> kept{};
      std::uint8_t* const place = &bytes[codes + kLeechCodeBytes * b];
      std::copy_n(place, kLeechCodeBytes, kept.begin());
      pack_leech_code(code, place);
      expect_same(bytes, 0, 2, 48 * std::size_t{blocks}, status);
      std::copy(kept.begin(), kept.end(), place);
    }
  }
}

TEST(Kaiju1Fast, NullPointers) {
  const Bytes bytes = random_tensor(2, 53, 100'000);
  std::array<float, 106> out{};
  qp_location where{};
  EXPECT_EQ(qp_kaiju1_decode_rows_at(nullptr, 1, 0, 2, out.data(), &where), QP_BAD_ARGUMENT);
  EXPECT_STREQ(where.field, "tensor");
  EXPECT_EQ(qp_kaiju1_decode_rows_at(nullptr, 0, 0, 2, out.data(), &where), QP_BAD_SIZE);
  EXPECT_EQ(qp_kaiju1_decode_rows_at(bytes.data(), bytes.size(), 0, 2, nullptr, &where),
            QP_BAD_ARGUMENT);
  EXPECT_STREQ(where.field, "out");
  EXPECT_EQ(qp_kaiju1_decode_rows_at(bytes.data(), bytes.size(), 0, 0, nullptr, &where), QP_OK);
  EXPECT_EQ(qp_kaiju1_decode_rows(bytes.data(), bytes.size(), 0, 3, out.data()),
            QP_ROW_OUT_OF_RANGE);
}

TEST(Kaiju1Fast, Shape) {
  const Bytes bytes = random_tensor(7, 53, 100'000);
  std::size_t rows = 99;
  std::size_t cols = 99;
  qp_location where{};
  EXPECT_EQ(qp_kaiju1_shape_at(bytes.data(), bytes.size() - 1, &rows, &cols, &where), QP_BAD_SIZE);
  EXPECT_STREQ(where.field, "n_bytes");
  EXPECT_EQ(qp_kaiju1_shape_at(nullptr, 1, &rows, &cols, &where), QP_BAD_ARGUMENT);
  EXPECT_STREQ(where.field, "tensor");
  EXPECT_EQ(qp_kaiju1_shape_at(bytes.data(), bytes.size(), nullptr, &cols, &where),
            QP_BAD_ARGUMENT);
  EXPECT_STREQ(where.field, "rows");
  EXPECT_EQ(qp_kaiju1_shape_at(bytes.data(), bytes.size(), &rows, nullptr, &where),
            QP_BAD_ARGUMENT);
  EXPECT_STREQ(where.field, "cols");
  EXPECT_EQ(rows, 99u);
  EXPECT_EQ(cols, 99u);
  EXPECT_EQ(qp_kaiju1_shape(bytes.data(), bytes.size(), &rows, &cols), QP_OK);
  EXPECT_EQ(rows, 7u);
  EXPECT_EQ(cols, 53u);
}

// --------------------------------------------------------------------------------- parts of these

// 4.2: the text's own example of a quotient that two roundings get wrong, ends of the range, and
// random ones.
TEST(Kaiju1Fast, StepIsTheReferences) {
  EXPECT_EQ(fast::kaiju1_step(1'952'252'159u, 3'466'930'503u), 0x1.204f8ap-1F);
  for (const std::uint32_t num : {1u, 2u, 3u, 0xFFFFFFu, 0x1000000u, 0x1000001u, 0xFFFFFFFFu}) {
    for (const std::uint32_t den : {1u, 2u, 3u, 0xFFFFFFu, 0x1000000u, 0x1000001u, 0xFFFFFFFFu}) {
      EXPECT_EQ(fast::kaiju1_step(num, den), ref::kaiju1_step(num, den));
    }
  }
  for (int i = 0; i < 200'000; ++i) {
    const std::uint32_t num = 1 + (below(0xFFFFFFFFu) >> below(32));
    const std::uint32_t den = 1 + (below(0xFFFFFFFFu) >> below(32));
    ASSERT_EQ(fast::kaiju1_step(num, den), ref::kaiju1_step(num, den)) << num << " / " << den;
  }
}

// The kernel on portable vectors of 16, 32 and 64 lanes, as SSE and NEON, AVX2, and AVX-512.
template <std::size_t kLanes>
void expect_portable_lanes_agree() {
  using Tags = fast::HWY_NAMESPACE::PortableKaiju1Tags<kLanes>;
  constexpr std::size_t kBytes = fast::HWY_NAMESPACE::kBatchBytes<Tags>;
  const auto invalid = invalid_codes();
  for (int round = 0; round < 200; ++round) {
    std::array<std::uint8_t, kBytes + fast::HWY_NAMESPACE::kBatchPadding> bytes{};
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(below(256));
    for (std::size_t c = 0; c < kLanes; ++c) {
      const Code code = below(8) == 0 ? invalid[below(invalid.size())].first : random_code();
      pack_leech_code(code, &bytes[kLeechCodeBytes * c]);
    }
    std::array<std::uint8_t, kLeechDimension * kLanes> points{};
    const auto lanes = fast::HWY_NAMESPACE::DecodePoints<Tags>(bytes.data(), points.data());
    for (std::size_t c = 0; c < kLanes; ++c) {
      const auto code = unpack_leech_code<std::uint32_t>(&bytes[kLeechCodeBytes * c]);
      const bool valid = ref::check_leech_code(code, nullptr) == QP_OK;
      ASSERT_EQ(lanes.lane[c] == 0, valid) << c;
      if (!valid) continue;
      const auto point = ref::leech_code_point(code);
      for (std::size_t i = 0; i < kLeechDimension; ++i) {
        ASSERT_EQ(static_cast<std::int8_t>(points[kLeechDimension * c + i]), point[i]) << c;
      }
    }
  }
}

TEST(Kaiju1Fast, PortableLanesAgree) {
  expect_portable_lanes_agree<16>();
  expect_portable_lanes_agree<32>();
  expect_portable_lanes_agree<64>();
}

}  // namespace
}  // namespace quantproof
