// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/explain_kaiju1.h"

#include <array>
#include <bit>

#include "fmt/format.h"

#include "quantproof/kaiju1.h"
#include "quantproof/qp.h"
#include "quantproof/ref/kaiju1.h"
#include "tools/certify/hex.h"
#include "tools/cli/block_input.h"
#include "tools/cli/command.h"
#include "tools/cli/mog.h"

namespace quantproof::cli {

namespace {

using nlohmann::ordered_json;

std::string trits_text(std::uint32_t group, std::size_t count) {
  std::string text;
  for (std::size_t place = 0; place < count; ++place) {
    text += fmt::format("{:>3}", trit_of(group, place));
  }
  return text;
}

}  // namespace

int explain_kaiju1(const std::string& input, std::size_t weight, const std::string& json) {
  const auto bytes = read_block(input, kLeechCodeBytes);
  const auto code = unpack_leech_code<std::uint32_t>(bytes.data());
  std::size_t bad_byte = 0;
  const qp_status status = ref::check_leech_code(code, &bad_byte);
  const std::uint32_t word = golay_word(code.golay_index);
  std::array<std::int32_t, kLeechDimension> z{};
  std::array<std::int32_t, kLeechDimension> x{};
  int m = 0;
  if (status == QP_OK) {
    z = ref::leech_code_residuals(code);
    x = ref::leech_code_point(code);
    m = x[0] & 1;
  }

  if (!json.empty()) {
    ordered_json report = {{"format", "kaiju1"},
                           {"bytes", certify::to_hex(bytes)},
                           {"trit_groups", code.trit_group},
                           {"golay_index", code.golay_index},
                           {"golay_word", fmt::format("0x{:06X}", word)},
                           {"fix", code.fix},
                           {"status", qp_status_name(status)}};
    if (status == QP_OK) {
      report["m"] = m;
      report["residual"] = z;
      report["point"] = x;
    } else {
      report["byte"] = bad_byte;
    }
    write_json(json, report);
    if (json == "-") return status == QP_OK ? kExitPass : kExitFailed;
  }

  fmt::print("KAIJU1 code: {} bytes, {} weights\n\n", kLeechCodeBytes, kLeechDimension);
  fmt::print("bytes  bits   field          value\n");
  const auto print_group = [&](std::size_t g, const char* place, const char* bits) {
    const std::size_t count = g + 1 < kTritGroups ? kTritGroupTrits : kTritGroupTrits - 1;
    const std::uint32_t limit = g + 1 < kTritGroups ? kTritGroupLimit : kLastTritGroupLimit;
    fmt::print(
        "{:6} {:6} trit group {}  {:<5} {}\n", place, bits, g, code.trit_group[g],
        code.trit_group[g] > limit
            ? fmt::format("above {}: no trits", limit)
            : fmt::format("coordinates {} to {}:{}", kTritGroupTrits * g,
                          kTritGroupTrits * g + count - 1, trits_text(code.trit_group[g], count)));
  };
  constexpr const char* kBytes[] = {"0", "1", "2", "3"};
  for (std::size_t g = 0; g + 1 < kTritGroups; ++g) print_group(g, kBytes[g], "0-7");
  fmt::print("4-6    0-11   Golay index    {:<5} word 0x{:06X}, weight {}: {}\n", code.golay_index,
             word, std::popcount(word), golay_weight_name(std::popcount(word)));
  print_group(kTritGroups - 1, "4-6", "12-18");
  fmt::print("4-6    19-23  sum-fix f      {:<5} {}\n", code.fix,
             code.fix == kNoFix           ? "no coordinate is outward"
             : code.fix < kLeechDimension ? fmt::format("coordinate {} is outward", code.fix)
                                          : "no coordinate has this number");
  if (status != QP_OK) {
    fmt::print("\nnot a valid code: {}, byte {}\n", qp_status_name(status), bad_byte);
    return kExitFailed;
  }
  std::int32_t sum = 0;
  for (const std::int32_t value : z) sum += value;
  fmt::print("\nhexaword          {}\n", hexaword_text(mog_column_sums(word)));
  fmt::print("m                 {}: the sum of z is {}\n\n", m, sum);
  print_mog("residual z", "", z);
  fmt::print("\n");
  print_mog("point x", "(lattice units)", x);
  const int bit = static_cast<int>(word >> weight & 1u);
  fmt::print("\nweight {}: golay bit {}, offset o = {}, z = {}\n", weight, bit,
             leech_offset(m, bit), z[weight]);
  fmt::print("  x = o + 4 z = {}\n", x[weight]);
  fmt::print("  value = row scale x multiplier x {} x step, rounded once\n", x[weight]);
  return kExitPass;
}

}  // namespace quantproof::cli
