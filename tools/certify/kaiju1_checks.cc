// SPDX-License-Identifier: Apache-2.0
//
// Checks of KAIJU1, spec/formats/kaiju1.md: the fast decoder, search and encoder on every level
// that this CPU has against the reference and the vectors, and what the text says of sizes and
// quality.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "nlohmann/json.hpp"

#include "fuzz/kaiju1_box.h"
#include "fuzz/kaiju1_tensors.h"
#include "fuzz/leech_points.h"
#include "quantproof/kaiju1.h"
#include "quantproof/qp.h"
#include "quantproof/ref/kaiju1.h"
#include "quantproof/ref/kaiju1_encode.h"
#include "quantproof/ref/kaiju1_nearest.h"
#include "quantproof/ref/leech.h"
#include "tools/certify/checks.h"
#include "tools/certify/guarded_buffer.h"
#include "tools/certify/hex.h"
#include "tools/certify/levels.h"
#include "tools/certify/spec_data.h"

namespace quantproof::certify {

namespace {

using nlohmann::json;
using Bytes = std::vector<std::uint8_t>;
using Code = LeechCode<std::uint32_t>;
using fuzz::below;
using fuzz::Random;
using Rows = std::vector<std::int32_t>;

constexpr std::uint32_t kPoison = 0xDEADBEEF;

template <class Check>
std::string on_levels(Situation& situation, const Check& check) {
  return on_every_level(situation, "KAIJU1", check);
}

// ---- Tensors ------------------------------------------------------------------------------------

// What a decoder did with a range of rows: status, place, and all of the output's bits.
struct Decoded {
  qp_status status = QP_OK;
  qp_location where{0, 0, ""};
  std::vector<std::uint32_t> bits;

  [[nodiscard]] bool operator==(const Decoded& other) const {
    return status == other.status && bits == other.bits &&
           (status == QP_OK ||
            (where.block == other.where.block && where.offset == other.where.offset &&
             std::strcmp(where.field, other.where.field) == 0));
  }
};

std::string text_of(const Decoded& decoded) {
  const auto written = static_cast<std::size_t>(
      std::find(decoded.bits.begin(), decoded.bits.end(), kPoison) - decoded.bits.begin());
  if (decoded.status == QP_OK) return fmt::format("ok, {} weights", written);
  return fmt::format("{} at block {}, offset {}, field {}, {} weights",
                     qp_status_name(decoded.status), decoded.where.block, decoded.where.offset,
                     decoded.where.field, written);
}

template <class Decode>
Decoded run(const Decode& decode, const std::uint8_t* bytes, std::size_t n_bytes,
            std::size_t first_row, std::size_t rows, std::size_t room) {
  Decoded decoded;
  std::vector<float> out(room, std::bit_cast<float>(kPoison));
  decoded.status = decode(bytes, n_bytes, first_row, rows, out.data(), &decoded.where);
  decoded.bits.resize(room);
  for (std::size_t i = 0; i < room; ++i) decoded.bits[i] = std::bit_cast<std::uint32_t>(out[i]);
  return decoded;
}

// Fast and reference on the same bytes; the fast one on the level in use.
std::string compare(const Bytes& bytes, std::size_t first_row, std::size_t rows, std::size_t room) {
  const Decoded want =
      run(ref::decode_kaiju1_rows, bytes.data(), bytes.size(), first_row, rows, room);
  const Decoded got =
      run(qp_kaiju1_decode_rows_at, bytes.data(), bytes.size(), first_row, rows, room);
  if (got == want) return {};
  if (text_of(got) != text_of(want)) {
    return fmt::format("got {}; want {}", text_of(got), text_of(want));
  }
  std::size_t i = 0;
  while (got.bits[i] == want.bits[i]) ++i;
  return fmt::format("weight {} of the output: got 0x{:08X}, want 0x{:08X}", i, got.bits[i],
                     want.bits[i]);
}

// KAIJU1-RANDOM-1
Outcome check_random(const CheckInput& input, Situation& situation) {
  Random random(input.seed);
  std::size_t count = 0;
  const std::string failure = repeat(input, 200, count, [&]() -> std::string {
    const std::uint32_t rows = 1 + below(random, 6);
    const std::uint32_t cols = below(random, 20) == 0 ? below(random, 2000) : below(random, 160);
    const Bytes bytes = fuzz::random_kaiju1_tensor(random, rows, cols);
    std::size_t told_rows = 0;
    std::size_t told_cols = 0;
    if (qp_kaiju1_shape(bytes.data(), bytes.size(), &told_rows, &told_cols) != QP_OK ||
        told_rows != rows || told_cols != cols) {
      return fmt::format("{} x {}: another shape", rows, cols);
    }
    const std::uint32_t first = below(random, rows + 1);
    const std::uint32_t asked = below(random, rows - first + 1);
    return on_levels(situation,
                     [&] { return compare(bytes, first, asked, std::size_t{asked} * cols); });
  });
  if (!failure.empty()) return fail(failure);
  return {Verdict::kPass, fmt::format("{} tensors on each level", count)};
}

// KAIJU1-MEMORY-1: tensor and output against guard pages, at any alignment of the bytes.
Outcome check_memory(const CheckInput& input, Situation& situation) {
  Random random(input.seed);
  const GuardedBuffer in(std::size_t{1} << 16);
  const GuardedBuffer out(std::size_t{1} << 16);
  situation.watch(in, "input");
  situation.watch(out, "output");
  std::size_t runs = 0;
  for (const std::uint32_t cols : {1u, 23u, 24u, 25u, 47u, 48u, 72u, 96u, 131u, 500u}) {
    for (std::uint32_t rows = 1; rows <= 5; ++rows) {
      const Bytes bytes = fuzz::random_kaiju1_tensor(random, rows, cols);
      const std::size_t values = std::size_t{rows} * cols;
      std::vector<float> want(values);
      if (ref::decode_kaiju1_rows(bytes.data(), bytes.size(), 0, rows, want.data(), nullptr) !=
          QP_OK) {
        return fail("the reference refuses a valid tensor");
      }
      const std::string failure = on_levels(situation, [&]() -> std::string {
        for (std::size_t place = 0; place < 17; ++place) {
          // At the end of memory, and at 16 alignments from its start.
          ++runs;
          std::uint8_t* const from = place == 16 ? in.last(bytes.size()) : in.first() + place;
          auto* const to = reinterpret_cast<float*>(place == 16 ? out.last(4 * values)
                                                                : out.first() + 4 * (place % 4));
          std::copy(bytes.begin(), bytes.end(), from);
          std::memset(out.first(), 0xA5, out.capacity());
          if (qp_kaiju1_decode_rows(from, bytes.size(), 0, rows, to) != QP_OK) return "refused";
          if (std::memcmp(to, want.data(), 4 * values) != 0) return "another output";
          const auto untouched =
              std::count(out.first(), reinterpret_cast<std::uint8_t*>(to), 0xA5) +
              std::count(reinterpret_cast<std::uint8_t*>(to + values), out.first() + out.capacity(),
                         0xA5);
          if (static_cast<std::size_t>(untouched) != out.capacity() - 4 * values) {
            return "written beside the output";
          }
        }
        return {};
      });
      if (!failure.empty()) return fail(fmt::format("{} x {}: {}", rows, cols, failure));
    }
  }
  return {Verdict::kPass, fmt::format("{} placements between guard pages", runs)};
}

// KAIJU1-REFUSE-1: cut, damaged and hostile tensors.
Outcome check_refusals(const CheckInput& input, Situation& situation) {
  Random random(input.seed);
  std::size_t cut = 0;
  std::size_t damaged = 0;
  std::size_t hostile = 0;
  const std::uint32_t rows = 3;
  const std::uint32_t cols = 77;
  const std::size_t room = std::size_t{rows} * cols;
  Bytes bytes = fuzz::random_kaiju1_tensor(random, rows, cols);
  while (read_kaiju1_header(bytes.data()).hi_count < 3 ||
         read_kaiju1_header(bytes.data()).bulk_cols < 24) {
    bytes = fuzz::random_kaiju1_tensor(random, rows, cols);
  }
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    ++cut;
    const Bytes part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
    const std::string failure = on_levels(situation, [&]() -> std::string {
      const std::string difference = compare(part, 0, rows, room);
      if (!difference.empty()) return difference;
      return qp_kaiju1_decode_rows(part.data(), n, 0, 0, nullptr) == QP_OK ? "accepted" : "";
    });
    if (!failure.empty()) return fail(fmt::format("cut to {} bytes: {}", n, failure));
  }
  for (std::size_t place = 0; place < bytes.size(); ++place) {
    Bytes other = bytes;
    for (int value = 0; value < 256; value += place < kKaiju1HeaderBytes ? 1 : 3) {
      ++damaged;
      other[place] = static_cast<std::uint8_t>(value);
      const std::string failure =
          on_levels(situation, [&] { return compare(other, 0, rows, room); });
      if (!failure.empty()) return fail(fmt::format("byte {} = {}: {}", place, value, failure));
    }
  }
  for (std::size_t field = 4; field < kKaiju1HeaderBytes; field += 4) {
    for (const std::uint32_t value :
         {0u, 1u, 24u, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFE8u, 0xFFFFFFFEu, 0xFFFFFFFFu}) {
      ++hostile;
      Bytes other = bytes;
      for (std::size_t i = 0; i < 4; ++i) {
        other[field + i] = static_cast<std::uint8_t>(value >> (8 * i));
      }
      const std::string failure = on_levels(situation, [&] { return compare(other, 0, 0, 0); });
      if (!failure.empty())
        return fail(fmt::format("header at {} = {}: {}", field, value, failure));
    }
  }
  const std::string failure = on_levels(situation, [&]() -> std::string {
    float weight = 0;
    qp_location where{7, 7, ""};
    const auto refused = [&](qp_status status, const char* field) {
      return status == QP_BAD_ARGUMENT && where.block == 0 && where.offset == 0 &&
             std::string(where.field) == field;
    };
    if (!refused(qp_kaiju1_decode_rows_at(nullptr, 28, 0, 0, &weight, &where), "tensor") ||
        !refused(qp_kaiju1_decode_rows_at(bytes.data(), bytes.size(), 0, 1, nullptr, &where),
                 "out")) {
      return "a null pointer is not refused as stated";
    }
    for (const auto& [first, count] :
         {std::pair{0ULL, 4ULL}, {3ULL, 1ULL}, {4ULL, 0ULL}, {1ULL, ~0ULL}, {~0ULL, 1ULL}}) {
      const std::string difference = compare(bytes, first, count, room);
      if (!difference.empty()) return difference;
    }
    return {};
  });
  if (!failure.empty()) return fail(failure);
  return {Verdict::kPass,
          fmt::format("{} lengths, {} damaged bytes, {} header values", cut, damaged, hostile)};
}

// ---- The vectors
// ----------------------------------------------------------------------------------

std::vector<std::uint32_t> words_of(const std::string& hex) {
  const Bytes bytes = parse_hex(hex);
  std::vector<std::uint32_t> words;
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    words.push_back(read_kaiju1_u32(&bytes[at]));
  }
  return words;
}

std::vector<float> floats_of(const std::string& hex) {
  std::vector<float> floats;
  for (const std::uint32_t word : words_of(hex)) floats.push_back(std::bit_cast<float>(word));
  return floats;
}

std::string judge_error(const json& expect, qp_status status, const qp_location& where) {
  if (qp_status_name(status) != expect.at("status").get<std::string>()) {
    return fmt::format("status {}, want {}", qp_status_name(status),
                       expect.at("status").get<std::string>());
  }
  if (status == QP_OK) return {};
  const bool same = where.block == expect.at("block").get<std::uint64_t>() &&
                    where.offset == expect.at("offset").get<std::uint64_t>() &&
                    where.field == expect.at("field").get<std::string>();
  return same ? ""
              : fmt::format("error at block {}, offset {}, field {}", where.block, where.offset,
                            where.field);
}

std::string judge_code(const json& test) {
  const Bytes bytes = parse_hex(test.at("bytes").get<std::string>());
  const auto code = unpack_leech_code<std::uint32_t>(bytes.data());
  const json& expect = test.at("expect");
  std::size_t offset = 0;
  const qp_status status = ref::check_leech_code(code, &offset);
  if (qp_status_name(status) != expect.at("status").get<std::string>()) return "another status";
  if (status != QP_OK) {
    return offset == expect.at("offset").get<std::size_t>() ? "" : "another offset";
  }
  const auto point = ref::leech_code_point(code);
  return Rows(point.begin(), point.end()) == expect.at("point").get<Rows>() ? "" : "another point";
}

std::string judge_point(const json& test) {
  const auto point = test.at("point").get<Rows>();
  const json& expect = test.at("expect");
  Code code;
  const qp_status status = ref::leech_code_of_point(point.data(), &code);
  if (qp_status_name(status) != expect.at("status").get<std::string>()) return "another status";
  if (status != QP_OK) return {};
  Bytes bytes(kLeechCodeBytes);
  pack_leech_code(code, bytes.data());
  return bytes == parse_hex(expect.at("bytes").get<std::string>()) ? "" : "another code";
}

std::string judge_tensor(const json& test) {
  const Bytes bytes = parse_hex(test.at("bytes").get<std::string>());
  const json& expect = test.at("expect");
  auto want = words_of(expect.at("bits").get<std::string>());
  want.resize(want.size() + 24, kPoison);
  const Decoded got = run(qp_kaiju1_decode_rows_at, bytes.data(), bytes.size(),
                          test.at("first_row"), test.at("rows"), want.size());
  const std::string wrong = judge_error(expect, got.status, got.where);
  if (!wrong.empty()) return wrong;
  return got.bits == want ? "" : "other weights";
}

std::string judge_nearest(const json& test) {
  const auto points = test.at("points").get<Rows>();
  const std::size_t n = test.at("n_points");
  const json& expect = test.at("expect");
  auto want = expect.at("nearest").get<Rows>();
  want.resize(kLeechDimension * n, -1);
  Rows got(kLeechDimension * n, -1);
  qp_location where{0, 0, ""};
  const qp_status status = qp_kaiju1_nearest_at(points.data(), n, got.data(), &where);
  const std::string wrong = judge_error(expect, status, where);
  if (!wrong.empty()) return wrong;
  return got == want ? "" : "another point";
}

std::string judge_encode(const json& test) {
  const auto weights = floats_of(test.at("weights").get<std::string>());
  std::vector<float> importance;
  if (!test.at("importance").is_null()) {
    importance = floats_of(test.at("importance").get<std::string>());
  }
  const std::size_t rows = test.at("rows");
  const std::size_t cols = test.at("cols");
  const std::uint32_t hi_frac = test.at("hi_frac");
  const json& expect = test.at("expect");
  Bytes bytes(qp_kaiju1_size(rows, cols, hi_frac));
  qp_location where{0, 0, ""};
  const qp_status status = qp_kaiju1_encode_at(weights.data(), rows, cols,
                                               importance.empty() ? nullptr : importance.data(),
                                               hi_frac, 1, bytes.data(), bytes.size(), &where);
  const std::string wrong = judge_error(expect, status, where);
  if (!wrong.empty() || status != QP_OK) return wrong;
  return bytes == parse_hex(expect.at("bytes").get<std::string>()) ? "" : "other bytes";
}

// KAIJU1-VECTORS-1
Outcome check_vectors(const CheckInput& /*input*/, Situation& situation) {
  const auto file = json::parse(spec_file("vectors/kaiju1.json"));
  std::map<std::string, std::size_t> counts;
  for (const json& test : file.at("cases")) {
    const std::string task = test.at("task");
    ++counts[task];
    std::string failure;
    if (task == "code") {
      failure = judge_code(test);
    } else if (task == "point") {
      failure = judge_point(test);
    } else {
      failure = on_levels(situation, [&] {
        return task == "tensor"    ? judge_tensor(test)
               : task == "nearest" ? judge_nearest(test)
               : task == "encode"  ? judge_encode(test)
                                   : "an unknown task";
      });
    }
    if (!failure.empty()) {
      return fail(fmt::format("vector {} ({}): {}", test.at("id").get<int>(),
                              test.at("comment").get<std::string>(), failure));
    }
  }
  std::string text;
  for (const auto& [task, count] : counts) {
    text += fmt::format("{}{} of task {}", text.empty() ? "" : ", ", count, task);
  }
  return {Verdict::kPass, text};
}

// ---- The nearest point
// ----------------------------------------------------------------------------

fuzz::LeechRow search_point(fuzz::LeechPoints& source, std::size_t number) {
  // Every other point about the box, where it binds; the others of the families of leech.md.
  if (number % 2 == 0) {
    return source.next(fuzz::kLeechFamilies[number / 2 % fuzz::kLeechFamilies.size()]);
  }
  fuzz::LeechRow y{};
  const std::int32_t grid = number % 8 == 1 ? kLeechUnit : 1;
  const std::int32_t most = source.between(3, 10) * kLeechUnit / grid;
  for (std::int32_t& value : y) value = grid * source.between(-most, most);
  return y;
}

// KAIJU1-NEAREST-1: the literal search, an oracle built otherwise, and the fast search.
Outcome check_nearest(const CheckInput& input, Situation& situation) {
  fuzz::LeechPoints source(input.seed);
  std::size_t count = 0;
  const std::string failure = repeat(input, 400, count, [&]() -> std::string {
    const fuzz::LeechRow y = search_point(source, count);
    const auto nearest = ref::find_nearest_kaiju1_point(y.data());
    const auto oracle = fuzz::find_in_kaiju1_box(y, fuzz::Kaiju1Box::kOutward);
    std::int64_t cost = 0;
    for (std::size_t i = 0; i < kLeechDimension; ++i) {
      const std::int64_t x = std::int64_t{kLeechUnit} * nearest.point[i];
      cost += x * x - 2 * x * y[i];
    }
    Code code;
    if (nearest.cost != oracle.cost || nearest.m != oracle.m ||
        nearest.golay_index != oracle.golay_index || nearest.cost != cost ||
        ref::leech_code_of_point(nearest.point.data(), &code) != QP_OK) {
      return fmt::format("the reference is wrong at {}", fmt::join(y, " "));
    }
    return on_levels(situation, [&]() -> std::string {
      fuzz::LeechRow got{};
      const qp_status status = qp_kaiju1_nearest(y.data(), 1, got.data());
      return status == QP_OK && got == nearest.point
                 ? ""
                 : fmt::format("another point at {}", fmt::join(y, " "));
    });
  });
  if (!failure.empty()) return fail(failure);
  return {Verdict::kPass, fmt::format("{} points, half of them about the box", count)};
}

// KAIJU1-NEAREST-2
Outcome check_nearest_free(const CheckInput& input, Situation& situation) {
  situation.describe("points whose nearest lattice point has a code");
  fuzz::LeechPoints source(input.seed);
  std::size_t count = 0;
  std::size_t inside = 0;
  const std::string failure = repeat(input, 400, count, [&]() -> std::string {
    const fuzz::LeechRow y = search_point(source, count);
    const auto free = ref::find_nearest_leech_point_split(y.data());
    Code code;
    if (ref::leech_code_of_point(free.point.data(), &code) != QP_OK) return {};
    ++inside;
    return ref::find_nearest_kaiju1_point(y.data()).point == free.point
               ? ""
               : fmt::format("another point at {}", fmt::join(y, " "));
  });
  if (!failure.empty()) return fail(failure);
  if (inside == 0 || inside == count) return fail("only one kind of point was seen");
  return {Verdict::kPass, fmt::format("{} points, {} of them with a code", count, inside)};
}

// ---- The encoder
// ------------------------------------------------------------------------------------

std::vector<float> normal_weights(Random& random, std::size_t n, float deviation) {
  // By Box and Muller: the standard fixes no distribution's bits.
  std::vector<float> weights;
  for (std::size_t i = 0; i < n; ++i) {
    const double radius =
        std::sqrt(-2 * std::log((static_cast<double>(random() >> 32) + 1) * 0x1p-32));
    const double angle = static_cast<double>(random() >> 32) * 0x1p-32 * 2 * 3.14159265358979;
    weights.push_back(static_cast<float>(radius * std::cos(angle)) * deviation);
  }
  return weights;
}

// KAIJU1-ENCODE-1
Outcome check_encode(const CheckInput& input, Situation& situation) {
  Random random(input.seed);
  std::size_t count = 0;
  const std::string failure = repeat(input, 12, count, [&]() -> std::string {
    const std::size_t rows = below(random, 4);
    const std::size_t cols = below(random, 80);
    const std::uint32_t hi_frac =
        below(random, 2) == 0 ? kKaiju1DefaultHiFrac : below(random, 1'000'001);
    auto weights = normal_weights(random, rows * cols,
                                  std::ldexp(1.0F, static_cast<int>(below(random, 40)) - 30));
    for (float& w : weights) {
      if (count % 3 == 1 && below(random, 20) == 0) w *= 16;
      if (count % 3 == 2)
        w = std::ldexp(static_cast<float>(static_cast<int>(below(random, 9)) - 4), -5);
    }
    std::vector<float> importance;
    for (std::size_t j = 0; count % 2 == 1 && j < cols; ++j) {
      importance.push_back(below(random, 8) == 0 ? 0.0F : static_cast<float>(below(random, 1000)));
    }
    const float* const h = importance.empty() ? nullptr : importance.data();
    const std::size_t size = qp_kaiju1_size(rows, cols, hi_frac);
    Bytes want(size);
    if (ref::encode_kaiju1(weights.data(), rows, cols, h, hi_frac, want.data(), size, nullptr) !=
        QP_OK) {
      return "the reference refuses good weights";
    }
    std::vector<float> decoded(weights.size() + 1);  // not null for a matrix without weights
    if (ref::decode_kaiju1_rows(want.data(), size, 0, rows, decoded.data(), nullptr) != QP_OK) {
      return "the encoder wrote a tensor that is not valid";
    }
    return on_levels(situation, [&]() -> std::string {
      for (const std::size_t threads : {1U, 3U}) {
        Bytes got(size);
        if (qp_kaiju1_encode(weights.data(), rows, cols, h, hi_frac, threads, got.data(), size) !=
            QP_OK) {
          return "good weights are refused";
        }
        if (got != want)
          return fmt::format("{} x {}, {} threads: other bytes", rows, cols, threads);
      }
      return {};
    });
  });
  if (!failure.empty()) return fail(failure);
  return {Verdict::kPass, fmt::format("{} matrices, 1 and 3 threads, on each level", count)};
}

// KAIJU1-ENCODE-2
Outcome check_quality(const CheckInput& input, Situation& situation) {
  situation.describe("encoding normal rows");
  Random random(input.seed);
  constexpr std::size_t kRows = 40;
  constexpr std::size_t kCols = 24 * 128;
  const auto weights = normal_weights(random, kRows * kCols, 0.02F);
  Bytes bytes(qp_kaiju1_size(kRows, kCols, 0));
  std::vector<float> decoded(weights.size());
  if (qp_kaiju1_encode(weights.data(), kRows, kCols, nullptr, 0, 1, bytes.data(), bytes.size()) !=
          QP_OK ||
      qp_kaiju1_decode_rows(bytes.data(), bytes.size(), 0, kRows, decoded.data()) != QP_OK) {
    return fail("good weights are refused");
  }
  double error = 0;
  double length = 0;
  for (std::size_t n = 0; n < weights.size(); ++n) {
    const double w = weights[n];
    const double e = w - static_cast<double>(decoded[n]);
    error += e * e;
    length += w * w;
  }
  const std::string text =
      fmt::format("relative squared error {:.5f} over {} weights", error / length, weights.size());
  return {error <= 0.0530 * length ? Verdict::kPass : Verdict::kFail, text};
}

// ---- Sizes and counts
// -------------------------------------------------------------------------------

// KAIJU1-RATE-1: the table of the text, read out of it, and the bound of 5.6.
Outcome check_rate(const CheckInput& /*input*/, Situation& situation) {
  situation.describe("the sizes of kaiju1.md 5.5");
  const std::string text(spec_file("formats/kaiju1.md"));
  const std::size_t section = text.find("\n5.5 ");
  const std::size_t end = text.find("\n5.6 ");
  if (section == std::string::npos || end == std::string::npos) return fail("no table was found");
  std::size_t lines = 0;
  for (std::size_t at = section; at < end; at = text.find('\n', at) + 1) {
    std::string line = text.substr(at, text.find('\n', at) - at);
    if (line.empty() || line[0] != '|' || line.find_first_of("0123456789") == std::string::npos) {
      continue;
    }
    std::erase_if(line, [](char c) { return c == ','; });
    std::array<double, 6> field{};
    if (std::sscanf(line.c_str(), "| %lf | %lf | %lf | %lf | %lf | %lf |", &field[0], &field[1],
                    &field[2], &field[3], &field[4], &field[5]) != 6) {
      return fail("a line of the table cannot be read: " + line);
    }
    ++lines;
    const auto rows = static_cast<std::uint32_t>(field[0]);
    const auto cols = static_cast<std::uint32_t>(field[1]);
    const auto hi_frac = static_cast<std::uint32_t>(std::lround(1e6 * field[2]));
    const std::size_t size = qp_kaiju1_size(rows, cols, hi_frac);
    const double rate = 8.0 * static_cast<double>(size) / field[0] / field[1];
    if (cols - kaiju1_bulk_cols(cols, hi_frac) != static_cast<std::uint32_t>(field[3]) ||
        size != static_cast<std::size_t>(field[4]) ||
        std::lround(1e4 * rate) != std::lround(1e4 * field[5])) {
      return fail("another size than that of the line " + line);
    }
  }
  if (lines < 10) return fail("no table was found");
  // With more rows the header and the scales of the channels weigh less: 1,024 stand for all.
  std::size_t cols_checked = 0;
  for (std::uint32_t cols = 3328; cols <= 1'048'576; ++cols, ++cols_checked) {
    const std::uint64_t size = qp_kaiju1_size(1024, cols, kKaiju1DefaultHiFrac);
    if (80 * size > 31 * std::uint64_t{1024} * cols) {
      return fail(fmt::format("1024 x {} takes more than 3.1 bits a weight", cols));
    }
  }
  return {Verdict::kPass, fmt::format("{} lines of the table, {} widths", lines, cols_checked)};
}

// KAIJU1-BOX-1: the readings of the box at their best of some scales. Always the same points: what
// is compared are three ways to code them.
Outcome check_readings(const CheckInput& /*input*/, Situation& situation) {
  constexpr struct {
    fuzz::Kaiju1Box box;
    double stated;
  } kReadings[] = {{fuzz::Kaiju1Box::kLiteral, 0.100},
                   {fuzz::Kaiju1Box::kCentred, 0.0857},
                   {fuzz::Kaiju1Box::kOutward, 0.0614}};
  situation.describe("three readings of the box");
  std::string text;
  for (const auto& reading : kReadings) {
    double least = 1;
    for (const float scale : {2.7F, 2.8F, 2.9F, 3.0F, 3.2F, 3.4F}) {
      Random random(2);
      double error = 0;
      double length = 0;
      for (int k = 0; k < 400; ++k) {
        const auto numbers = normal_weights(random, kLeechDimension, scale * kLeechUnit);
        fuzz::LeechRow y{};
        for (std::size_t i = 0; i < kLeechDimension; ++i) {
          y[i] = static_cast<std::int32_t>(std::lrint(numbers[i]));
          length += static_cast<double>(y[i]) * y[i];
          error += static_cast<double>(y[i]) * y[i];
        }
        error += static_cast<double>(fuzz::find_in_kaiju1_box(y, reading.box).cost);
      }
      least = std::min(least, error / length);
    }
    text += fmt::format("{}{:.4f}", text.empty() ? "" : ", ", least);
    if (std::fabs(least - reading.stated) > 0.05 * reading.stated) {
      return fail(fmt::format("{}: the text says {}", text, reading.stated));
    }
  }
  return {Verdict::kPass, "relative squared errors " + text};
}

// KAIJU1-BOX-2
Outcome check_shells(const CheckInput& /*input*/, Situation& situation) {
  situation.describe("the shells inside the box");
  const auto all = fuzz::shells_in_box(3, -1);
  const auto with_fix = fuzz::shells_in_box(2, 1);
  const auto without_fix = fuzz::shells_in_box(1, 0);
  if (all[32] != kLeechShell4 || all[48] != kLeechShell6 || all[64] != kLeechShell8) {
    return fail("the shells are not those of leech.md 4.1");
  }
  for (const std::size_t n : {0U, 32U, 48U, 64U, 80U}) {
    if (with_fix[n] != all[n]) return fail(fmt::format("squared length {} is not complete", n));
  }
  if (without_fix[64] >= all[64] || with_fix[96] >= all[96]) {
    return fail("a shell is complete that the text says is not");
  }
  return {Verdict::kPass, "squared lengths 0 to 96; complete to 80 with a sum-fix, to 48 without"};
}

}  // namespace

std::vector<CheckEntry> kaiju1_checks() {
  return {
      {"KAIJU1-BOX-1", check_readings, false, true},
      {"KAIJU1-BOX-2", check_shells, false, true},
      {"KAIJU1-ENCODE-1", check_encode, false, true},
      {"KAIJU1-ENCODE-2", check_quality, false, true},
      {"KAIJU1-MEMORY-1", check_memory, false, true},
      {"KAIJU1-NEAREST-1", check_nearest, false, true},
      {"KAIJU1-NEAREST-2", check_nearest_free, false, true},
      {"KAIJU1-RANDOM-1", check_random, false, true},
      {"KAIJU1-RATE-1", check_rate, false, true},
      {"KAIJU1-REFUSE-1", check_refusals, false, true},
      {"KAIJU1-VECTORS-1", check_vectors, false, true},
  };
}

}  // namespace quantproof::certify
