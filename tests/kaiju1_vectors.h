// SPDX-License-Identifier: Apache-2.0
//
// spec/vectors/kaiju1.json for the tests of KAIJU1, and numbers out of its hex strings.
#ifndef QUANTPROOF_TESTS_KAIJU1_VECTORS_H_
#define QUANTPROOF_TESTS_KAIJU1_VECTORS_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "quantproof/status.h"

namespace quantproof::tests {

// The cases with a task: "code", "point", "tensor", "nearest" or "encode".
inline std::vector<nlohmann::json> kaiju1_cases(const std::string& task) {
  std::ifstream file(QUANTPROOF_SOURCE_DIR "/spec/vectors/kaiju1.json");
  EXPECT_TRUE(file.good());
  const auto document = nlohmann::json::parse(file);
  std::vector<nlohmann::json> cases;
  for (const auto& test : document["cases"]) {
    if (test["task"] == task) cases.push_back(test);
  }
  EXPECT_FALSE(cases.empty()) << task;
  return cases;
}

inline std::vector<std::uint8_t> bytes_of_hex(const std::string& hex) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t at = 0; at + 2 <= hex.size(); at += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(hex.substr(at, 2), nullptr, 16)));
  }
  return bytes;
}

// binary32 patterns, four little-endian bytes each.
inline std::vector<std::uint32_t> words_of_hex(const std::string& hex) {
  const std::vector<std::uint8_t> bytes = bytes_of_hex(hex);
  std::vector<std::uint32_t> words;
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    words.push_back(std::uint32_t{bytes[at]} | std::uint32_t{bytes[at + 1]} << 8 |
                    std::uint32_t{bytes[at + 2]} << 16 | std::uint32_t{bytes[at + 3]} << 24);
  }
  return words;
}

inline std::vector<float> floats_of_hex(const std::string& hex) {
  std::vector<float> floats;
  for (const std::uint32_t word : words_of_hex(hex)) floats.push_back(std::bit_cast<float>(word));
  return floats;
}

inline std::vector<std::uint32_t> bits_of(const std::vector<float>& floats) {
  std::vector<std::uint32_t> bits;
  for (const float value : floats) bits.push_back(std::bit_cast<std::uint32_t>(value));
  return bits;
}

// The place that a case expects.
inline void expect_place(const qp_location& where, const nlohmann::json& expect) {
  EXPECT_EQ(where.block, expect["block"].get<std::uint64_t>());
  EXPECT_EQ(where.offset, expect["offset"].get<std::uint64_t>());
  EXPECT_EQ(where.field, expect["field"].get<std::string>());
}

}  // namespace quantproof::tests

#endif
