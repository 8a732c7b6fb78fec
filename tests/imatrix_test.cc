// SPDX-License-Identifier: Apache-2.0
//
// spec/formats/imatrix.md: both forms, told apart by their bytes.
#include "tools/containers/imatrix.h"

#include <bit>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "tools/containers/container_error.h"
#include "tools/containers/gguf.h"
#include "tools/containers/mapped_file.h"

namespace quantproof::containers {
namespace {

using testing::HasSubstr;
const std::string kData = QUANTPROOF_SOURCE_DIR "/tests/data/bytellama/";

std::string u32(std::uint64_t value) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift);
  return bytes;
}
std::string binary32(float value) { return u32(std::bit_cast<std::uint32_t>(value)); }

std::string entry(const std::string& name, std::uint64_t calls, const std::vector<float>& values) {
  std::string bytes = u32(name.size()) + name + u32(calls) + u32(values.size());
  for (const float value : values) bytes += binary32(value);
  return bytes;
}

std::span<const std::uint8_t> bytes_of(const std::string& file) {
  return {reinterpret_cast<const std::uint8_t*>(file.data()), file.size()};
}

std::string refusal(const std::string& file) {
  try {
    read_imatrix(bytes_of(file), "x");
  } catch (const ContainerError& error) {
    return error.what();
  }
  return "accepted";
}

std::string bytes_of(const ImatrixFile& file) {
  std::string bytes(file.layout.head.begin(), file.layout.head.end());
  std::size_t done = 0;
  for (const Extent& extent : file.layout.tensors) {
    bytes.resize(extent.offset);
    bytes.append(file.data.begin() + static_cast<std::ptrdiff_t>(done),
                 file.data.begin() + static_cast<std::ptrdiff_t>(done + extent.size));
    done += extent.size;
  }
  bytes.resize(file.layout.size);
  return bytes;
}

std::string load(const std::string& path) {
  const MappedFile file(path);
  return {file.bytes().begin(), file.bytes().end()};
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Imatrix, LegacyFormRefusesByName) {
  const std::string good = u32(1) + entry("w", 2, {1, 4}) + u32(2) + u32(1) + "d";
  ASSERT_EQ(refusal(good), "accepted");
  EXPECT_EQ(refusal(u32(1) + entry("w", 2, {1, 4})), "accepted");
  for (std::size_t n = 0; n < good.size(); ++n) {
    EXPECT_EQ(refusal(good.substr(0, n)) == "accepted", n + 9 == good.size()) << n;
  }
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const int value : {0x00, 0x7F, 0x80, 0xFF}) {
      std::string file = good;
      file[i] = static_cast<char>(value);
      refusal(file);
    }
  }
  EXPECT_THAT(refusal(u32(0)), HasSubstr("0 entries"));
  EXPECT_THAT(refusal(u32(0xFFFFFFFF) + std::string(100, '\1')), HasSubstr("4294967295 entries"));
  EXPECT_THAT(refusal(u32(1) + u32(5000) + std::string(6000, 'n')), HasSubstr("entry 0: a name"));
  EXPECT_THAT(refusal(u32(1) + entry("w", 0x80000000, {1})), HasSubstr("negative"));
  EXPECT_THAT(refusal(u32(1) + u32(1) + "w" + u32(2) + u32(0x7FFFFFFF) + "abcd"),
              HasSubstr("entry \"w\""));
  EXPECT_THAT(refusal(u32(1) + u32(1) + "w" + u32(2) + u32(0) + "abcd"), HasSubstr("0 values"));
  EXPECT_THAT(refusal(u32(2) + entry("w", 2, {1}) + entry("w", 2, {1})), HasSubstr("twice"));
  EXPECT_THAT(refusal(u32(1) + entry("w", 2, {1, kNan})),
              HasSubstr("\"w\": value 1 is not finite"));
  EXPECT_THAT(refusal(u32(1) + entry("w", 2, {kInfinity})), HasSubstr("value 0 is not finite"));
  EXPECT_THAT(refusal(u32(1) + entry("w", 2, {1, 1, -1})), HasSubstr("value 2 is -1, below 0"));
  EXPECT_THAT(refusal(good + "x"), HasSubstr("2 are left"));
  EXPECT_THAT(refusal("this is a text and no imatrix"), HasSubstr("not GGUF; as an imatrix"));
}

// A file of four experts, two of which saw nothing.
Imatrix experts() {
  Imatrix imatrix;
  imatrix.datasets = {"first", "second"};
  imatrix.chunk_count = 7;
  imatrix.chunk_size = 4;
  ImatrixEntry& entry = imatrix.entries["blk.0.ffn_up_exps.weight"];
  entry.counts = {10, 0, 1, 0};
  for (int i = 0; i < 4 * 256; ++i) entry.sums.push_back(static_cast<float>(i));
  imatrix.entries["a.weight"] = {{0, 0}, {0}};
  return imatrix;
}

TEST(Imatrix, ExpertsWithoutDataCountAlike) {
  const std::string file = bytes_of(imatrix_as_gguf(experts(), "x"));
  const Imatrix read = read_imatrix(bytes_of(file), "x");
  EXPECT_FALSE(read.legacy);
  EXPECT_EQ(read.datasets, experts().datasets);
  EXPECT_EQ(read.chunk_count, 7u);
  EXPECT_EQ(read.chunk_size, 4u);
  const ImatrixEntry& entry = read.entries.at("blk.0.ffn_up_exps.weight");
  EXPECT_EQ(entry.columns(), 256u);
  EXPECT_EQ(entry.sums, experts().entries.at("blk.0.ffn_up_exps.weight").sums);
  const auto importance = entry.importance();
  EXPECT_EQ(importance[9], 0.9f);
  EXPECT_EQ(importance[256], 1.0f);
  EXPECT_EQ(importance[2 * 256 + 1], 513.0f);
  EXPECT_EQ(importance[4 * 256 - 1], 1.0f);
  // In the legacy form: 3 chunks, ones for experts without data, no entry without any.
  const std::string legacy = bytes_of(imatrix_as_legacy(read, "x"));
  const Imatrix back = read_imatrix(bytes_of(legacy), "x");
  EXPECT_TRUE(back.legacy);
  ASSERT_EQ(back.entries.size(), 1u);
  EXPECT_EQ(back.datasets, (std::vector<std::string>{"second"}));
  const ImatrixEntry& converted = back.entries.at("blk.0.ffn_up_exps.weight");
  EXPECT_EQ(converted.counts, (std::vector<float>{3}));
  EXPECT_EQ(converted.sums[256], 3.0f);
  EXPECT_EQ(converted.sums[2 * 256 + 1], 3 * 513.0f);
  EXPECT_EQ(converted.importance()[9], 0.9f * 3 / 3);
  const Imatrix chunked = with_chunk_size(back, 4);
  EXPECT_EQ(chunked.entries.at("blk.0.ffn_up_exps.weight").counts, (std::vector<float>{12}));
  EXPECT_EQ(chunked.entries.at("blk.0.ffn_up_exps.weight").importance(), converted.importance());
}

TEST(Imatrix, GgufFormRefusesByName) {
  struct Part {
    std::string name;
    std::vector<std::uint64_t> dimensions;
    std::vector<float> values;
  };
  const auto file = [](const GgufMetadata& metadata, const std::vector<Part>& parts) {
    ImatrixFile result;
    std::vector<GgufTensor> tensors;
    for (const Part& part : parts) {
      tensors.push_back({part.name, part.dimensions, 0, 0, 0});
      for (const float value : part.values) {
        for (const char byte : binary32(value)) {
          result.data.push_back(static_cast<std::uint8_t>(byte));
        }
      }
    }
    result.layout = gguf_layout(metadata, tensors, "x");
    return refusal(bytes_of(result));
  };
  const GgufMetadata keys = {make_entry("general.type", "imatrix"),
                             make_entry("imatrix.datasets", std::vector<std::string>{"d"}),
                             make_entry("imatrix.chunk_count", 1),
                             make_entry("imatrix.chunk_size", 512)};
  const std::vector<Part> good = {{"w.in_sum2", {2}, {1, 2}}, {"w.counts", {1}, {3}}};
  EXPECT_EQ(file(keys, good), "accepted");
  EXPECT_THAT(file({}, good), HasSubstr("general.type is missing"));
  EXPECT_THAT(file({make_entry("general.type", "model")}, good), HasSubstr("\"model\""));
  for (std::size_t i = 1; i < keys.size(); ++i) {
    GgufMetadata fewer = keys;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_THAT(file(fewer, good), HasSubstr(keys[i].key));
  }
  EXPECT_THAT(file(keys, {}), HasSubstr("no entries"));
  EXPECT_THAT(file(keys, {good[0]}), HasSubstr("\"w\" has no counts"));
  EXPECT_THAT(file(keys, {good[1]}), HasSubstr("\"w\" has counts, but no sums"));
  EXPECT_THAT(file(keys, {{"w", {1}, {1}}}), HasSubstr("neither sums nor counts"));
  EXPECT_THAT(file(keys, {good[0], {"w.counts", {1, 2}, {1, 1}}}), HasSubstr("2 counts for 1"));
  EXPECT_THAT(file(keys, {good[0], {"w.counts", {1}, {-1}}}), HasSubstr("count 0 is -1"));
  EXPECT_THAT(file(keys, {good[0], {"w.counts", {1}, {kNan}}}), HasSubstr("count 0 is"));
  EXPECT_THAT(file(keys, {{"w.in_sum2", {2}, {1, kNan}}, good[1]}), HasSubstr("value 1"));
  EXPECT_THAT(file(keys, {{"w.in_sum2", {2}, {1, -1}}, good[1]}), HasSubstr("below 0"));
  EXPECT_THAT(file(keys, {{"w.in_sum2", {0}, {}}, good[1]}), HasSubstr("empty"));
  EXPECT_THAT(file(keys, {{"w.in_sum2", {}, {1}}, good[1]}), HasSubstr("empty"));
}

// Files of llama.cpp's own llama-imatrix: one run, written in both forms.
TEST(Imatrix, ReadsAndWritesFilesOfLlamaCpp) {
  const std::string gguf = load(kData + "imatrix.gguf");
  const std::string legacy = load(kData + "imatrix.dat");
  const Imatrix from_gguf = read_imatrix(bytes_of(gguf), "imatrix.gguf");
  const Imatrix from_legacy = read_imatrix(bytes_of(legacy), "imatrix.dat");
  EXPECT_EQ(from_gguf.entries.size(), 43u);
  EXPECT_EQ(from_gguf.chunk_count, 412u);
  EXPECT_EQ(bytes_of(imatrix_as_gguf(from_gguf, "x")), gguf);
  EXPECT_EQ(bytes_of(imatrix_as_legacy(from_gguf, "x")), legacy);
  EXPECT_EQ(bytes_of(imatrix_as_legacy(from_legacy, "x")), legacy);
  for (const auto& [name, wanted] : from_gguf.entries) {
    const auto want = wanted.importance();
    const auto got = from_legacy.entries.at(name).importance();
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_LE(std::fabs(got[i] - want[i]), 1.2e-7f * want[i]) << name;
    }
  }
}

}  // namespace
}  // namespace quantproof::containers
