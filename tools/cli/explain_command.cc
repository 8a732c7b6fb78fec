// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <memory>
#include <unistd.h>
#include <vector>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "quantproof/e8_iq3.h"
#include "quantproof/iq3_codebook.h"
#include "quantproof/iq3_xxs.h"
#include "quantproof/leech.h"
#include "quantproof/qp.h"
#include "quantproof/ref/half.h"
#include "quantproof/ref/iq3_block.h"
#include "tools/certify/decoder.h"
#include "tools/certify/hex.h"
#include "tools/cli/block_input.h"
#include "tools/cli/command.h"
#include "tools/cli/explain_kaiju1.h"
#include "tools/cli/explain_leech.h"

namespace quantproof::cli {

namespace {

using nlohmann::ordered_json;
constexpr qp_profile kProfiles[] = {QP_PROFILE_STRICT, QP_PROFILE_GGML, QP_PROFILE_COLIBRI};

struct ExplainOptions {
  std::string format;
  std::string input;
  std::size_t weight = 0;
  std::string json;
  bool force = false;
};

const char* class_of(std::uint32_t half) {
  if ((half & 0x7C00) == 0x7C00) return (half & 0x3FF) != 0 ? "NaN" : "infinite";
  if ((half & 0x7C00) != 0) return "normal";
  return (half & 0x3FF) != 0 ? "subnormal" : "zero";
}

std::string value_text(std::uint32_t bits) {
  return fmt::format("{:.9g} (0x{:08X})", std::bit_cast<float>(bits), bits);
}

// One decoded weight under a profile, or the error, as people read it.
std::string verdict_text(qp_profile profile, std::uint32_t half, std::uint32_t multiplier,
                         std::uint32_t magnitude, bool negative, int shift) {
  ref::Scale scale;
  const qp_status status = ref::read_scale(profile, static_cast<std::uint16_t>(half), &scale);
  if (status != QP_OK) return fmt::format("error {}", qp_status_name(status));
  return value_text(ref::weight(scale, multiplier, magnitude, negative, shift));
}

template <class Layout>
int explain(const ExplainOptions& options, const char* name) {
  const auto block = read_block(options.input, Layout::kBlockBytes);
  const auto fields = ref::unpack<Layout, std::uint32_t>(block.data());
  const std::size_t w = options.weight;
  const std::size_t ib = w / kSubblockWeights;
  const std::size_t l = w % kSubblockWeights / kGroupWeights;
  const std::size_t j = w % kGroupWeights;
  const std::uint32_t multiplier = ref::scale_multiplier(fields.scale_code[ib]);
  const std::uint32_t index = fields.index[w / kRowWeights];
  const auto& row = kIq3Codebook[index];
  const std::uint32_t magnitude = row[w % kRowWeights];
  const auto negative = ref::group_signs(fields.sign_field[ib][l]);
  const std::size_t index_offset = Layout::kIndexOffset + w / kRowWeights;
  const std::size_t word_offset = Layout::kSignScaleOffset + 4 * ib;
  const int divisor = 1 << Layout::kValueShift;

  ordered_json verdicts;
  for (const qp_profile profile : kProfiles) {
    verdicts[certify::profile_name(profile)] = verdict_text(
        profile, fields.scale, multiplier, magnitude, negative[j] != 0, Layout::kValueShift);
  }
  if (!options.json.empty()) {
    ordered_json json = {{"format", certify::format_name(Layout::kFormat)},
                         {"bytes", certify::to_hex(block)},
                         {"scale",
                          {{"offset", Layout::kScaleOffset},
                           {"bits", fields.scale},
                           {"class", class_of(fields.scale)}}},
                         {"index", fields.index},
                         {"sign_field", fields.sign_field},
                         {"scale_code", fields.scale_code},
                         {"weight",
                          {{"number", w},
                           {"index_offset", index_offset},
                           {"row", row},
                           {"magnitude", magnitude},
                           {"negative", negative[j] != 0},
                           {"multiplier", multiplier},
                           {"divisor", divisor},
                           {"value", verdicts}}}};
    write_json(options.json, json);
    if (options.json == "-") return kExitPass;
  }

  ref::Scale exact;
  ref::read_scale(QP_PROFILE_GGML, static_cast<std::uint16_t>(fields.scale), &exact);
  fmt::print("{} block: {} bytes, {} weights\n\n", name, Layout::kBlockBytes, kBlockWeights);
  fmt::print("bytes     bits   field          value\n");
  const auto print_scale = [&] {
    fmt::print("{:9} {:6} {:14} 0x{:04X} = {:.9g}, {}\n",
               fmt::format("[{}, {})", Layout::kScaleOffset, Layout::kScaleOffset + 2), "0-15",
               "scale d", fields.scale, std::bit_cast<float>(ref::widen(exact)),
               class_of(fields.scale));
  };
  if (Layout::kScaleOffset < Layout::kIndexOffset) print_scale();
  for (std::size_t s = 0; s < kSubblocks; ++s) {
    const std::size_t first = Layout::kIndexOffset + 8 * s;
    fmt::print("{:9} {:6} {:14} {}\n", fmt::format("[{}, {})", first, first + 8), "",
               fmt::format("index {}-{}", 8 * s, 8 * s + 7),
               fmt::join(fields.index.begin() + static_cast<std::ptrdiff_t>(8 * s),
                         fields.index.begin() + static_cast<std::ptrdiff_t>(8 * s + 8), " "));
  }
  for (std::size_t s = 0; s < kSubblocks; ++s) {
    const std::size_t first = Layout::kSignScaleOffset + 4 * s;
    fmt::print("{:9} {:6} {:14} weights {}-{}\n", fmt::format("[{}, {})", first, first + 4), "",
               fmt::format("word {}", s), kSubblockWeights * s,
               kSubblockWeights * s + kSubblockWeights - 1);
    for (std::size_t g = 0; g < kGroupsPerSubblock; ++g) {
      std::string signs;
      for (const std::uint32_t bit : ref::group_signs(fields.sign_field[s][g])) {
        signs += bit != 0 ? '-' : '+';
      }
      fmt::print("{:9} {:6} {:14} 0x{:02X}   {}\n", "", fmt::format("{}-{}", 7 * g, 7 * g + 6),
                 fmt::format("sign field {}", g), fields.sign_field[s][g], signs);
    }
    fmt::print("{:9} {:6} {:14} {:<6} 2s + 1 = {}\n", "", "28-31", "scale code s",
               fields.scale_code[s], ref::scale_multiplier(fields.scale_code[s]));
  }
  if (Layout::kScaleOffset > Layout::kIndexOffset) print_scale();

  fmt::print("\nweight {}: sub-block {}, group {}, number {} of 8\n", w, ib, l, j);
  fmt::print("  index byte {} is {}: codebook row {} = {}, number {}: G = {}\n", index_offset,
             index, index, fmt::join(row, " "), w % kRowWeights, magnitude);
  if (j < kSignFieldBits) {
    fmt::print("  sign: bit {} of the word at {} is {}: {}\n", 7 * l + j, word_offset, negative[j],
               negative[j] != 0 ? "negative" : "positive");
  } else {
    fmt::print("  sign: bits {}-{} of the word at {} hold {} ones, {}: {}\n", 7 * l, 7 * l + 6,
               word_offset, std::popcount(fields.sign_field[ib][l]),
               negative[j] != 0 ? "odd" : "even", negative[j] != 0 ? "negative" : "positive");
  }
  fmt::print("  value = {}d (2s + 1) G / {} = {}{:.9g} x {} x {} / {}\n",
             negative[j] != 0 ? "-" : "", divisor, negative[j] != 0 ? "-" : "",
             std::bit_cast<float>(ref::widen(exact)), multiplier, magnitude, divisor);
  const bool same =
      verdicts["strict"] == verdicts["ggml"] && verdicts["ggml"] == verdicts["colibri"];
  if (same) {
    fmt::print("        = {}\n", verdicts["strict"].template get<std::string>());
  } else {
    for (const auto& [profile, verdict] : verdicts.items()) {
      fmt::print("        profile {:8} {}\n", profile, verdict.template get<std::string>());
    }
  }
  return kExitPass;
}

int run_explain(const ExplainOptions& options) {
  check_writable(options.json, options.force);
  if (options.format == "kaiju1") {
    if (options.weight >= kLeechDimension) {
      throw certify::UsageError("a code has the weights 0 to 23");
    }
    return explain_kaiju1(options.input, options.weight, options.json);
  }
  if (options.format == "leech") return explain_leech(options.input, options.json);
  return certify::parse_format(options.format) == QP_IQ3_XXS ? explain<Iq3Xxs>(options, "IQ3_XXS")
                                                             : explain<E8Iq3>(options, "E8/IQ3");
}

}  // namespace

void add_explain_command(CLI::App& app, Session& session) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* command =
      app.add_subcommand("explain",
                         "Show each field of a block and the formula of one weight, or a point\n"
                         "and its nearest point of the Leech lattice");
  command->group("Look inside");
  command->add_option("--format", options->format, "iq3_xxs, e8_iq3, kaiju1 or leech")->required();
  command
      ->add_option(
          "block", options->input,
          "The block in hexadecimal (196 digits), or FILE[:OFFSET]; leech: 24 integers in\n"
          "units of 2^-13, 24 decimal fractions in lattice units, or FILE[:OFFSET]")
      ->required();
  command
      ->add_option("--weight", options->weight, "The weight of a block or code to explain, from 0")
      ->capture_default_str()
      ->check(CLI::Range(0, 255));
  command->add_option("--json", options->json, "Write to FILE, or to standard output for -");
  command->add_flag("--force", options->force, "Overwrite the report file");
  command->callback(
      [options, &session] { session.run = [options] { return run_explain(*options); }; });
}

}  // namespace quantproof::cli
