// SPDX-License-Identifier: Apache-2.0
//
// Checks of a decoder as a black box: whatever the target is, it sees bytes and gives floats.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <set>

#include "fmt/format.h"

#include "fuzz/blocks.h"
#include "quantproof/e8_iq3.h"
#include "quantproof/iq3_xxs.h"
#include "quantproof/qp.h"
#include "quantproof/ref/transcode.h"
#include "tools/certify/checks.h"
#include "tools/certify/comparer.h"
#include "tools/certify/hex.h"
#include "tools/certify/vectors.h"

namespace quantproof::certify {

namespace {

using Fields = Iq3Fields<std::uint32_t>;
constexpr std::uint32_t kOne = 0x3C00;  // binary16 1.0

// A block whose fields are all zero, but for the scale 1.0.
Fields plain_fields() {
  Fields fields;
  fields.scale = kOne;
  return fields;
}

void append(std::vector<std::uint8_t>& bytes, const std::vector<std::uint8_t>& block) {
  bytes.insert(bytes.end(), block.begin(), block.end());
}

Comparer comparer_for(const CheckInput& input, Situation& situation) {
  return {*input.decoder, input.format,    input.profiles, input.seed,
          situation,      input.reference, input.coverage};
}

// Runs `cases` when the target is alive at all, and turns the result into an outcome.
template <class Cases>
Outcome run_cases(const CheckInput& input, Situation& situation, Cases cases) {
  Comparer comparer = comparer_for(input, situation);
  if (const auto dead = comparer.not_exercised()) return *dead;
  const std::string passed = cases(comparer);
  Outcome outcome = comparer.outcome(passed);
  if (outcome.verdict == Verdict::kPass && comparer.cases() == 0) {
    return {Verdict::kNotExercised, "no case of this check can be put to the target"};
  }
  return outcome;
}

// As run_cases, for claims over a whole finite domain: a case that the target cannot be asked
// leaves the claim open.
template <class Cases>
Outcome run_exhaustive(const CheckInput& input, Situation& situation, Cases cases) {
  Comparer comparer = comparer_for(input, situation);
  if (const auto dead = comparer.not_exercised()) return *dead;
  const std::string passed = cases(comparer);
  Outcome outcome = comparer.outcome(passed);
  if (outcome.verdict == Verdict::kPass && comparer.left_out() > 0) {
    return {Verdict::kNotExercised,
            fmt::format("{} cases agree, but {} must be refused and the target has no status to "
                        "refuse them with",
                        comparer.cases(), comparer.left_out())};
  }
  return outcome;
}

Outcome check_vectors(const CheckInput& input, Situation& situation) {
  return run_cases(input, situation, [&](Comparer& comparer) {
    std::size_t asked = 0;
    const std::size_t total = decode_vectors(input.format).size() * input.profiles.size();
    for (const VectorCase& vector : decode_vectors(input.format)) {
      for (const qp_profile profile : input.profiles) {
        if (vector.n_values % kBlockWeights != 0 && !input.decoder->has_partial_blocks()) continue;
        const auto& expected = vector.expected.at(profile);
        if (expected.status != QP_OK && !input.decoder->has_status()) continue;
        ++asked;
        if (!comparer.compare_with(expected, profile, vector.bytes, vector.n_values,
                                   fmt::format("vector {} ({})", vector.id, vector.comment))) {
          return std::string{};
        }
      }
    }
    if (asked == total) {
      return fmt::format("{} cases x {} profiles", total / input.profiles.size(),
                         input.profiles.size());
    }
    return fmt::format("{} of {} cases; the others need a status or a partial block", asked, total);
  });
}

Outcome check_scales(const CheckInput& input, Situation& situation) {
  return run_exhaustive(input, situation, [&](Comparer& comparer) {
    fuzz::Random random(input.seed);
    // A call to another process is dear: there a row has many scales, but for those refused.
    const std::uint32_t per_row = input.decoder->shares_memory() ? 1 : 64;
    for (std::uint32_t scale = 0; scale < 0x10000;) {
      const bool refusable = (scale & 0x7C00) == 0x7C00;
      const std::uint32_t count = refusable ? 1 : per_row;
      std::vector<std::uint8_t> bytes;
      for (std::uint32_t end = scale + count; scale < end; ++scale) {
        Fields fields = fuzz::random_fields(random);
        fields.scale = scale;
        append(bytes, fuzz::pack(input.format, fields));
      }
      if (!comparer.compare(bytes, count * kBlockWeights,
                            fmt::format("scale 0x{:04X}", scale - count))) {
        return std::string{};
      }
    }
    return std::string("65,536 scales");
  });
}

Outcome check_rows(const CheckInput& input, Situation& situation) {
  return run_cases(input, situation, [&](Comparer& comparer) {
    for (std::uint32_t shift = 0; shift < 256; ++shift) {
      Fields fields = plain_fields();
      for (std::uint32_t k = 0; k < kIndices; ++k) fields.index[k] = (k + shift) % 256;
      if (!comparer.compare(fuzz::pack(input.format, fields), kBlockWeights,
                            fmt::format("index k + {}", shift))) {
        return std::string{};
      }
    }
    return std::string("256 rows x 64 positions");
  });
}

Outcome check_signs(const CheckInput& input, Situation& situation) {
  return run_cases(input, situation, [&](Comparer& comparer) {
    for (std::uint32_t shift = 0; shift < 128; ++shift) {
      Fields fields = plain_fields();
      std::uint32_t group = 0;
      for (auto& subblock : fields.sign_field) {
        for (auto& field : subblock) field = (shift + 37 * group++) % 128;
      }
      if (!comparer.compare(fuzz::pack(input.format, fields), kBlockWeights,
                            fmt::format("sign fields from 0x{:02X}", shift))) {
        return std::string{};
      }
    }
    return std::string("128 sign fields x 32 groups");
  });
}

Outcome check_codes(const CheckInput& input, Situation& situation) {
  return run_cases(input, situation, [&](Comparer& comparer) {
    for (std::uint32_t shift = 0; shift < 16; ++shift) {
      Fields fields = plain_fields();
      for (std::uint32_t ib = 0; ib < kSubblocks; ++ib) {
        fields.scale_code[ib] = (shift + 3 * ib) % 16;
      }
      if (!comparer.compare(fuzz::pack(input.format, fields), kBlockWeights,
                            fmt::format("scale codes from {}", shift))) {
        return std::string{};
      }
    }
    return std::string("16 scale codes x 8 sub-blocks");
  });
}

// Which weights bit `bit` of a block may change, from the layout alone (clause 4.6).
template <class Layout>
std::set<std::size_t> weights_of_bit(std::size_t bit) {
  std::set<std::size_t> weights;
  const auto add = [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) weights.insert(i);
  };
  const std::size_t byte = bit / 8;
  if (byte >= Layout::kScaleOffset && byte < Layout::kScaleOffset + 2) {
    add(0, kBlockWeights);
  } else if (byte >= Layout::kIndexOffset && byte < Layout::kIndexOffset + kIndices) {
    add(kRowWeights * (byte - Layout::kIndexOffset), kRowWeights);
  } else {
    const std::size_t word_bit = bit - 8 * Layout::kSignScaleOffset;
    const std::size_t ib = word_bit / 32;
    const std::size_t in_word = word_bit % 32;
    if (in_word >= 28) {
      add(kSubblockWeights * ib, kSubblockWeights);
    } else {
      const std::size_t group = kSubblockWeights * ib + kGroupWeights * (in_word / kSignFieldBits);
      weights.insert(group + in_word % kSignFieldBits);
      weights.insert(group + kSignFieldBits);
    }
  }
  return weights;
}

template <class Layout>
Outcome check_dependencies(const CheckInput& input, Situation& situation) {
  constexpr int kBases = 4;
  return run_cases(input, situation, [&](Comparer& comparer) {
    fuzz::Random random(input.seed);
    for (int base = 0; base < kBases; ++base) {
      Fields fields = fuzz::random_fields(random);
      fields.scale = 0x2E66u + static_cast<std::uint32_t>(base);  // stays finite under any flip
      const auto block = fuzz::pack(input.format, fields);
      const qp_profile profile = input.profiles.front();
      const auto before = input.reference(input.format, profile, block, kBlockWeights).bits;
      for (std::size_t bit = 0; bit < 8 * Layout::kBlockBytes; ++bit) {
        auto flipped = block;
        flipped[bit / 8] = static_cast<std::uint8_t>(flipped[bit / 8] ^ (1u << (bit % 8)));
        // The map is stated apart from the reference, so it holds the reference too.
        const auto predicted = weights_of_bit<Layout>(bit);
        const auto after = input.reference(input.format, profile, flipped, kBlockWeights).bits;
        for (std::size_t i = 0; i < kBlockWeights; ++i) {
          if (predicted.count(i) == 0 && before[i] != after[i]) {
            comparer.refuse(fmt::format(
                "the reference is the outlier: it lets bit {} change weight {}", bit, i));
            return std::string{};
          }
        }
        if (!comparer.compare(flipped, kBlockWeights, fmt::format("bit {} flipped", bit))) {
          return std::string{};
        }
      }
    }
    return fmt::format("784 bits x {} blocks", kBases);
  });
}

// Guard pages stand right after input and output in every comparison; here also right before,
// at every alignment, for several row lengths.
Outcome check_memory(const CheckInput& input, Situation& situation) {
  return run_cases(input, situation, [&](Comparer& comparer) {
    fuzz::Random random(input.seed);
    const bool partial = input.format == QP_E8_IQ3 && input.decoder->has_partial_blocks();
    std::vector<std::size_t> widths = {0, 256, 512, 768, 7 * 256};
    if (partial) widths.insert(widths.end(), {1, 3, 31, 33, 255, 257, 300, 511, 1791});
    GuardedBuffer source(7 * 98 + 16);
    GuardedBuffer target(7 * 1024 + 128);
    situation.watch(source, "input");
    situation.watch(target, "output");
    std::size_t placements = 0;
    for (const std::size_t width : widths) {
      const std::size_t blocks = (width + kBlockWeights - 1) / kBlockWeights;
      std::vector<std::uint8_t> bytes;
      for (std::size_t b = 0; b < blocks; ++b) {
        append(bytes, fuzz::pack(input.format, fuzz::random_fields(random)));
      }
      if (!comparer.compare(bytes, width, fmt::format("{} weights before a guard page", width))) {
        return std::string{};
      }
      const qp_profile profile = input.profiles.front();
      const Answer want = input.reference(input.format, profile, bytes, width);
      for (const std::string& variant : input.decoder->variants()) {
        input.decoder->select(variant);
        for (std::size_t in_offset = 0; in_offset < 16; ++in_offset) {
          for (std::size_t out_offset = 0; out_offset < 64; out_offset += sizeof(float)) {
            std::uint8_t* in = source.first() + in_offset;
            std::uint8_t* out = target.first() + out_offset;
            std::memset(source.first(), 0xA5, source.capacity());
            if (!bytes.empty()) std::memcpy(in, bytes.data(), bytes.size());
            const std::size_t extent = out_offset + width * sizeof(float) + 64;
            std::memset(target.first(), 0xFF, extent);
            const auto place = fmt::format("{} {} weights, input offset {}, output offset {}",
                                           variant, width, in_offset, out_offset);
            situation.describe(place);
            situation.input(bytes);
            input.decoder->decode(profile, in, bytes.size(), reinterpret_cast<float*>(out), width,
                                  nullptr);
            ++placements;
            std::vector<std::uint32_t> got(width);
            if (width > 0) std::memcpy(got.data(), out, width * sizeof(float));
            if (got != want.bits) {
              comparer.report_values(profile, bytes, want, got, 0xFFFFFFFFu, place);
              return std::string{};
            }
            if (!bytes.empty() && std::memcmp(in, bytes.data(), bytes.size()) != 0) {
              comparer.report("the input was changed: " + place);
              return std::string{};
            }
            const auto untouched = [](const std::uint8_t* begin, const std::uint8_t* end) {
              return std::all_of(begin, end, [](std::uint8_t byte) { return byte == 0xFF; });
            };
            if (!untouched(target.first(), out) ||
                !untouched(out + width * sizeof(float), target.first() + extent)) {
              comparer.report("wrote outside the output: " + place);
              return std::string{};
            }
          }
        }
      }
    }
    return fmt::format("{} row widths x 16 input x 16 output alignments, {} placements",
                       widths.size(), placements);
  });
}

Outcome check_random(const CheckInput& input, Situation& situation) {
  constexpr std::uint64_t kMinimumBlocks = 20'000;
  constexpr std::size_t kRandomBlocks = 64;
  return run_cases(input, situation, [&](Comparer& comparer) {
    fuzz::Random random(input.seed);
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                         std::chrono::duration<double>(input.seconds));
    std::uint64_t blocks = 0;
    std::uint64_t rows = 0;
    while (blocks < kMinimumBlocks || std::chrono::steady_clock::now() < end) {
      // Row widths: one block mostly, up to 64 blocks (16,384 weights) now and then.
      const std::size_t n_blocks = rows % 8 == 7 ? 1 + random() % kRandomBlocks : 1 + random() % 3;
      const auto bytes = fuzz::structured_blocks(input.format, n_blocks, random);
      std::size_t width = kBlockWeights * n_blocks;
      if (input.format == QP_E8_IQ3 && input.decoder->has_partial_blocks() && rows % 4 == 1) {
        width -= random() % kBlockWeights;
      }
      if (!comparer.compare(bytes, width,
                            fmt::format("seed {}, random row {}", input.seed, rows))) {
        return std::string{};
      }
      blocks += n_blocks;
      ++rows;
    }
    return fmt::format("{} blocks in {} rows of 1 to {} blocks", blocks, rows, kRandomBlocks);
  });
}

Outcome check_refusals(const CheckInput& input, Situation& situation) {
  return run_cases(input, situation, [&](Comparer& comparer) {
    fuzz::Random random(input.seed);
    std::vector<std::uint8_t> bytes;
    for (int b = 0; b < 3; ++b) {
      const auto block = fuzz::pack(input.format, fuzz::random_fields(random));
      bytes.insert(bytes.end(), block.begin(), block.end());
    }
    // Every width up to three blocks with every plausible size around it.
    for (std::size_t width = 0; width <= 768; ++width) {
      for (const std::size_t size : {0u, 1u, 97u, 98u, 99u, 195u, 196u, 197u, 293u, 294u}) {
        if (!comparer.compare(std::span(bytes).first(size), width,
                              fmt::format("{} weights from {} bytes", width, size))) {
          return std::string{};
        }
      }
    }
    // Every bad scale in each of three blocks: what stands before it is decoded, nothing after.
    const std::size_t scale_offset =
        input.format == QP_IQ3_XXS ? Iq3Xxs::kScaleOffset : E8Iq3::kScaleOffset;
    for (std::uint32_t scale = 0; scale < 0x10000; ++scale) {
      if ((scale & 0x7C00) != 0x7C00) continue;
      for (std::size_t b = 0; b < 3; ++b) {
        auto bad = bytes;
        bad[98 * b + scale_offset] = static_cast<std::uint8_t>(scale);
        bad[98 * b + scale_offset + 1] = static_cast<std::uint8_t>(scale >> 8);
        if (!comparer.compare(bad, 768, fmt::format("scale 0x{:04X} in block {}", scale, b))) {
          return std::string{};
        }
      }
    }
    return std::string("769 widths x 10 sizes; 2,048 scales x 3 blocks");
  });
}

// Every field at its least and greatest value and with each single bit, on blocks whose other
// fields are all at their least or all at their greatest.
Outcome check_fields(const CheckInput& input, Situation& situation) {
  return run_exhaustive(input, situation, [&](Comparer& comparer) {
    std::size_t blocks = 0;
    for (const bool high : {false, true}) {
      Fields base;
      base.scale = high ? 0x7BFF : kOne;  // the largest finite one
      base.index.fill(high ? 255 : 0);
      for (auto& subblock : base.sign_field) subblock.fill(high ? 127 : 0);
      base.scale_code.fill(high ? 15 : 0);
      const auto vary = [&](auto&& field_of, unsigned width, const std::string& name) {
        const std::uint32_t greatest = (1u << width) - 1;
        std::vector<std::uint32_t> values = {0, greatest};
        for (unsigned k = 0; k < width; ++k) {
          values.push_back(1u << k);
          values.push_back(greatest ^ (1u << k));
        }
        for (const std::uint32_t value : values) {
          Fields fields = base;
          field_of(fields) = value;
          ++blocks;
          if (!comparer.compare(fuzz::pack(input.format, fields), kBlockWeights,
                                fmt::format("{} = 0x{:X}, the others at their {}", name, value,
                                            high ? "greatest" : "least"))) {
            return false;
          }
        }
        return true;
      };
      if (!vary(
              [](Fields & f) -> auto& { return f.scale; }, 16, "scale"))
        return std::string{};
      for (std::size_t k = 0; k < kIndices; ++k) {
        if (!vary(
                [&](Fields & f) -> auto& { return f.index[k]; }, 8, fmt::format("index {}", k))) {
          return std::string{};
        }
      }
      for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
        if (!vary(
                [&](Fields & f) -> auto& { return f.scale_code[ib]; }, 4,
                fmt::format("scale code {}", ib))) {
          return std::string{};
        }
        for (std::size_t l = 0; l < kGroupsPerSubblock; ++l) {
          if (!vary(
                  [&](Fields & f) -> auto& { return f.sign_field[ib][l]; }, 7,
                  fmt::format("sign field {}", kGroupsPerSubblock * ib + l))) {
            return std::string{};
          }
        }
      }
    }
    return fmt::format("{} blocks: 105 fields at both ends and with each bit", blocks);
  });
}

// The same rows again and again, after other rows of every length: an answer depends on nothing
// but its own bytes.
Outcome check_state(const CheckInput& input, Situation& situation) {
  constexpr std::size_t kRows = 8;
  constexpr std::size_t kCalls = 1'000;
  return run_cases(input, situation, [&](Comparer& comparer) {
    fuzz::Random random(input.seed);
    std::vector<std::vector<std::uint8_t>> rows(kRows);
    for (std::size_t r = 0; r < kRows; ++r) {
      for (std::size_t b = 0; b <= r; ++b) {
        append(rows[r], fuzz::pack(input.format, fuzz::random_fields(random)));
      }
    }
    for (std::size_t call = 0; call < kCalls; ++call) {
      const auto& row = rows[call % 3 == 0 ? 0 : random() % kRows];  // the first one most often
      if (!comparer.compare(row, row.size() / fuzz::block_bytes(input.format) * kBlockWeights,
                            fmt::format("call {} of {}, rows seen before", call, kCalls))) {
        return std::string{};
      }
    }
    return fmt::format("{} calls for {} rows of 1 to {} blocks in turn", kCalls, kRows, kRows);
  });
}

// Long rows, around the sizes of tiles and counters.
Outcome check_batches(const CheckInput& input, Situation& situation) {
  return run_cases(input, situation, [&](Comparer& comparer) {
    fuzz::Random random(input.seed);
    const std::vector<std::size_t> lengths = {
        1,  2,  3,  4,  7,  8,   9,   15,  16,  17,  31,
        32, 33, 63, 64, 65, 127, 128, 129, 255, 256, Comparer::kMaxBlocks,
        0};
    for (const std::size_t length : lengths) {
      std::vector<std::uint8_t> bytes;
      for (std::size_t b = 0; b < length; ++b) {
        append(bytes, fuzz::pack(input.format, fuzz::random_fields(random)));
      }
      if (!comparer.compare(bytes, length * kBlockWeights,
                            fmt::format("a row of {} blocks", length))) {
        return std::string{};
      }
    }
    return fmt::format("{} rows of 0 to {} blocks, up to {} values", lengths.size(),
                       Comparer::kMaxBlocks, Comparer::kMaxBlocks * kBlockWeights);
  });
}

// The two references, which share no code and no constants.
Outcome check_references(const CheckInput& input, Situation& situation) {
  fuzz::Random random(input.seed);
  std::size_t blocks = 0;
  const auto agree = [&](const std::vector<std::uint8_t>& bytes, std::size_t n_values) {
    for (const qp_profile profile : {QP_PROFILE_STRICT, QP_PROFILE_GGML, QP_PROFILE_COLIBRI}) {
      if (!same_answer(input.reference(input.format, profile, bytes, n_values),
                       second_reference_answer(input.format, profile, bytes, n_values))) {
        return fmt::format("the references differ on {} values, profile {}, bytes {}", n_values,
                           profile_name(profile), to_hex(bytes));
      }
    }
    ++blocks;
    return std::string{};
  };
  for (std::uint32_t scale = 0; scale < 0x10000; scale += 7) {
    situation.describe(fmt::format("both references, scale 0x{:04X}", scale));
    Fields fields = fuzz::random_fields(random);
    fields.scale = scale;
    const std::string failure = agree(fuzz::pack(input.format, fields), kBlockWeights);
    if (!failure.empty()) return fail(failure);
  }
  for (std::uint32_t i = 0; i < 256; ++i) {
    Fields fields = plain_fields();
    for (std::uint32_t k = 0; k < kIndices; ++k) fields.index[k] = (k + i) % 256;
    for (std::uint32_t ib = 0; ib < kSubblocks; ++ib) {
      fields.scale_code[ib] = (i + ib) % 16;
      for (std::uint32_t l = 0; l < kGroupsPerSubblock; ++l) {
        fields.sign_field[ib][l] = (i + 37 * (4 * ib + l)) % 128;
      }
    }
    const std::string failure = agree(fuzz::pack(input.format, fields), kBlockWeights);
    if (!failure.empty()) return fail(failure);
  }
  for (std::size_t width = 0; width <= 600; ++width) {
    const std::size_t n_blocks = 1 + random() % 3;
    const std::string failure =
        agree(fuzz::structured_blocks(input.format, n_blocks, random), width);
    if (!failure.empty()) return fail(failure);
  }
  for (const VectorCase& vector : decode_vectors(input.format)) {
    for (const auto& [profile, expected] : vector.expected) {
      if (!same_answer(
              second_reference_answer(input.format, profile, vector.bytes, vector.n_values),
              expected)) {
        return fail(fmt::format("the second reference contradicts vector {}", vector.id));
      }
    }
  }
  return {Verdict::kPass, fmt::format("{} rows x 3 profiles, {} vectors", blocks,
                                      decode_vectors(input.format).size())};
}

// qp_transcode against the reference: all scales, in place and not, and a refusal in a row.
Outcome check_transcode(const CheckInput& input, Situation& situation) {
  const qp_format to = input.format == QP_IQ3_XXS ? QP_E8_IQ3 : QP_IQ3_XXS;
  for (const TranscodeCase& vector : transcode_vectors()) {
    if (vector.from != input.format) continue;
    std::vector<std::uint8_t> got(vector.bytes.size(), 0xEE);
    qp_location where{0, 0, ""};
    const qp_status status = qp_transcode_at(vector.from, vector.bytes.data(), vector.to,
                                             got.data(), vector.n_blocks, &where);
    auto want = vector.expected;
    want.resize(got.size(), 0xEE);
    if (status != vector.status || got != want || where.block != vector.where.block ||
        where.offset != vector.where.offset || std::string(where.field) != vector.where.field) {
      return {Verdict::kFail, fmt::format("transcode.json case {} ({}): got {}", vector.id,
                                          vector.comment, qp_status_name(status))};
    }
  }
  fuzz::Random random(input.seed);
  for (std::uint32_t scale = 0; scale < 0x10000; ++scale) {
    constexpr std::size_t kBlocks = 3;
    std::vector<std::uint8_t> bytes;
    for (std::size_t b = 0; b < kBlocks; ++b) {
      auto fields = fuzz::random_fields(random);
      fields.scale = b == 1 ? scale : kOne;
      const auto block = fuzz::pack(input.format, fields);
      bytes.insert(bytes.end(), block.begin(), block.end());
    }
    situation.describe(fmt::format("transcoding scale 0x{:04X}", scale));
    std::vector<std::uint8_t> want(bytes.size(), 0xEE);
    std::vector<std::uint8_t> got(bytes.size(), 0xEE);
    qp_location want_where{0, 0, ""};
    qp_location got_where{0, 0, ""};
    const qp_status want_status =
        ref::transcode(input.format, bytes.data(), to, want.data(), kBlocks, &want_where);
    const qp_status got_status =
        qp_transcode_at(input.format, bytes.data(), to, got.data(), kBlocks, &got_where);
    auto in_place = bytes;
    const qp_status in_place_status =
        qp_transcode(input.format, in_place.data(), to, in_place.data(), kBlocks);
    auto want_in_place = bytes;
    const std::size_t written = want_status == QP_OK ? bytes.size() : bytes.size() / kBlocks;
    std::copy_n(want.begin(), written, want_in_place.begin());
    if (got_status != want_status || in_place_status != want_status || got != want ||
        in_place != want_in_place || got_where.block != want_where.block ||
        got_where.offset != want_where.offset) {
      return {Verdict::kFail,
              fmt::format("scale 0x{:04X}: got {}, want {}{}", scale, qp_status_name(got_status),
                          qp_status_name(want_status), got != want ? ", other bytes" : "")};
    }
  }
  return {Verdict::kPass, "65,536 scales in the second of three blocks, in place and not"};
}

}  // namespace

std::vector<CheckEntry> format_checks(qp_format format) {
  const std::string prefix = format == QP_IQ3_XXS ? "IQ3XXS-" : "E8IQ3-";
  return {
      {prefix + "VECTORS-1", check_vectors, false, false},
      {prefix + "SCALE-1", check_scales, false, false},
      {prefix + "ROWS-1", check_rows, false, false},
      {prefix + "SIGNS-1", check_signs, false, false},
      {prefix + "CODES-1", check_codes, false, false},
      {prefix + "DEPEND-1",
       format == QP_IQ3_XXS ? check_dependencies<Iq3Xxs> : check_dependencies<E8Iq3>, false, false},
      {prefix + "MEMORY-1", check_memory, false, false, true},
      {prefix + "FIELDS-1", check_fields, false, false},
      {prefix + "STATE-1", check_state, false, false},
      {prefix + "BATCH-1", check_batches, false, false},
      {prefix + "RANDOM-1", check_random, false, false},
      {prefix + "REFUSE-1", check_refusals, true, false},
      {prefix + "TRANSCODE-1", check_transcode, false, true},
      {prefix + "REFERENCES-1", check_references, false, true},
  };
}

}  // namespace quantproof::certify
