// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/mog.h"

#include "fmt/format.h"

namespace quantproof::cli {

void print_mog(const char* name, const char* unit,
               const std::array<std::int32_t, kLeechDimension>& numbers) {
  for (std::size_t r = 0; r < kMogRows; ++r) {
    fmt::print("{:18}", r == 0 ? name : r == 1 ? unit : "");
    for (std::size_t j = 0; j < kMogColumns; ++j) {
      fmt::print("{:12}", numbers[mog_coordinate(j, r)]);
    }
    fmt::print("\n");
  }
}

const char* golay_weight_name(int weight) {
  switch (weight) {
    case 0:
      return "the zero word";
    case 8:
      return "an octad";
    case 12:
      return "a dodecad";
    case 16:
      return "the complement of an octad";
    default:
      return "the all-one word";
  }
}

std::string hexaword_text(const Hexaword& hexaword) {
  constexpr const char* kGf4[] = {"0", "1", "w", "w^2"};
  std::string text;
  for (const std::uint8_t symbol : hexaword) text += std::string(kGf4[symbol]) + " ";
  return text + fmt::format("(index {})", 16 * hexaword[0] + 4 * hexaword[1] + hexaword[2]);
}

}  // namespace quantproof::cli
