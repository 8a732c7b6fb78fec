// SPDX-License-Identifier: Apache-2.0
//
// spec/formats/gguf.md: what the reader refuses, by name; what the writer writes.
#include "tools/containers/gguf.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "tests/test_folder.h"
#include "tools/containers/container_error.h"
#include "tools/containers/mapped_file.h"
#include "tools/containers/model_file.h"
#include "tools/containers/tensor_data.h"

namespace quantproof::containers {
namespace {

using testing::HasSubstr;

std::string u32(std::uint64_t value) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift);
  return bytes;
}
std::string u64(std::uint64_t value) { return u32(value) + u32(value >> 32); }
std::string text(const std::string& bytes) { return u64(bytes.size()) + bytes; }
std::string header(std::uint64_t tensors, std::uint64_t keys) {
  return "GGUF" + u32(3) + u64(tensors) + u64(keys);
}
std::string tensor_info(const std::string& name, const std::vector<std::uint64_t>& dimensions,
                        std::uint64_t type, std::uint64_t offset) {
  std::string bytes = text(name) + u32(dimensions.size());
  for (const std::uint64_t dimension : dimensions) bytes += u64(dimension);
  return bytes + u32(type) + u64(offset);
}
std::string padded(std::string bytes, std::size_t alignment = 32) {
  bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
  return bytes;
}
std::string zeros(std::size_t n) { return std::string(n, '\0'); }

std::span<const std::uint8_t> bytes_of(const std::string& file) {
  return {reinterpret_cast<const std::uint8_t*>(file.data()), file.size()};
}

float decode_scale(std::span<const std::uint8_t> block) {
  float scale = 0;
  decode_rows(TensorType::kF16, block.first(2), 1, 0, 1, &scale);
  return scale;
}

std::string refusal(const std::string& file) {
  try {
    read_gguf(bytes_of(file), "x.gguf");
  } catch (const ContainerError& error) {
    return error.what();
  }
  return "accepted";
}

// One tensor "t" of 256 IQ3_XXS weights, and a key of each kind.
std::string good_file() {
  const std::string keys = text("general.architecture") + u32(8) + text("test") + text("a.u8") +
                           u32(0) + "\x05" + text("a.bool") + u32(7) + "\x01" + text("a.f64") +
                           u32(12) + zeros(8) + text("a.array") + u32(9) + u32(5) + u64(3) +
                           u32(1) + u32(2) + u32(0xFFFFFFFF) + text("a.strings") + u32(9) + u32(8) +
                           u64(2) + text("x") + text("");
  return padded(padded(header(1, 6) + keys + tensor_info("t", {256}, 18, 0)) + zeros(98));
}

struct Row {
  const char* what;
  std::size_t size;  // 0: not stated
  std::string file;
  const char* message;
};

// The recipes of hostile files that real readers fell for, one by one.
TEST(Gguf, HostileFiles) {
  const auto one = [](const std::vector<std::uint64_t>& dimensions, std::uint64_t type,
                      std::size_t data) {
    return padded(header(1, 0) + tensor_info("t", dimensions, type, 0)) + zeros(data);
  };
  const std::string alignment = text("general.alignment");
  const auto names = [](const std::string& name) {
    return padded(padded(header(1, 0) + tensor_info(name, {256}, 18, 0)) + zeros(98));
  };
  std::string nested = header(0, 1) + text("k") + u32(9);
  for (int depth = 0; depth < 100'000; ++depth) nested += u32(9) + u64(1);
  const std::uint64_t two62 = std::uint64_t{1} << 62;
  const std::uint64_t two32 = std::uint64_t{1} << 32;
  const Row rows[] = {
      {"size wraps to 2", 162, one({7152819130622071040u}, 18, 98), "but the file has 162"},
      {"product wraps to 0", 160, one({two62, 4}, 0, 64), "2^63 weights or more"},
      {"product is 2^64", 160, one({two32, two32}, 18, 64), "2^63 weights or more"},
      {"product wraps to 4", 0, one({4194305, 4194305, 211106198978564}, 0, 64),
       "2^63 weights or more"},
      {"size is 2^63", 0, one({two62}, 0, 64), "2^63 bytes or more"},
      {"a dimension below 0", 0, one({~std::uint64_t{0}}, 0, 64), "2^63 weights or more"},
      {"alignment as u64", 61, header(0, 1) + alignment + u32(10) + u64(32), "not u32"},
      {"alignment 0", 57, header(0, 1) + alignment + u32(4) + u32(0), "power of two"},
      {"alignment 48", 57, header(0, 1) + alignment + u32(4) + u32(48), "power of two"},
      {"alignment 2^31", 57, header(0, 1) + alignment + u32(4) + u32(1u << 31), "power of two"},
      {"2^63 keys", 24, header(0, std::uint64_t{1} << 63), "keys do not fit"},
      {"2^63 tensors", 24, header(std::uint64_t{1} << 63, 0), "tensors do not fit"},
      {"a string of 2^60 bytes", 0, header(0, 1) + u64(std::uint64_t{1} << 60) + "abcd",
       "do not fit into 36 bytes"},
      {"a value of 2^60 bytes", 0,
       header(0, 1) + text("k") + u32(8) + u64(std::uint64_t{1} << 60) + "abcd", "the file ends"},
      {"an array of 2^62 strings", 0,
       header(0, 1) + text("k") + u32(9) + u32(8) + u64(two62) + "abcd", "does not fit"},
      {"an array of 2^62 u64", 0, header(0, 1) + text("k") + u32(9) + u32(10) + u64(two62) + "abcd",
       "does not fit"},
      {"an array of arrays", 0,
       header(0, 1) + text("k") + u32(9) + u32(9) + u64(1) + u32(0) + u64(1) + "a",
       "an array of arrays"},
      {"arrays nested 100,000 deep", 0, nested, "an array of arrays"},
      {"a name of 63 bytes", 0, names(std::string(63, 'n')), "accepted"},
      {"a name of 64 bytes", 0, names(std::string(64, 'n')), "1 to 63 bytes, not 64"},
      {"an empty name", 0, names(""), "1 to 63 bytes, not 0"},
      {"an offset of 2^40", 0,
       padded(header(1, 0) + tensor_info("t", {256}, 18, std::uint64_t{1} << 40)) + zeros(98),
       "its offset is 1099511627776"},
      {"a bool of 2", 38, header(0, 1) + text("k") + u32(7) + "\x02", "2 is no bool"},
      {"a bool of 2 in an array", 0,
       header(0, 1) + text("k") + u32(9) + u32(7) + u64(2) + "\x01\x02", "2 is no bool"},
      {"version 1", 24, "GGUF" + u32(1) + zeros(16), "version 1"},
      {"version 4", 24, "GGUF" + u32(4) + zeros(16), "version 4"},
      {"version 0", 24, "GGUF" + u32(0) + zeros(16), "version 0"},
      {"big-endian", 24, "GGUF" + u32(0x03000000) + zeros(16), "big-endian file"},
      {"type 4", 0, one({256}, 4, 98), "type 4 was removed"},
      {"type 43", 0, one({256}, 43, 98), "type 43 is none of ggml's"},
      {"type 99", 0, one({256}, 99, 98), "forks number types of their own"},
      {"type 218", 0, one({256}, 218, 98), "IQ3_XXS_R4 of ik_llama.cpp"},
      {"type 2^32 - 1", 0, one({256}, 0xFFFFFFFF, 98), "type 4294967295"},
      {"rows of 255", 0, one({255}, 18, 98), "not whole blocks of IQ3_XXS, 256"},
      {"five dimensions", 0, one({1, 1, 1, 1, 1}, 0, 64), "5 dimensions"},
      {"a key twice", 0, header(0, 2) + text("k") + u32(0) + "a" + text("k") + u32(0) + "b",
       "is there twice"},
      {"a tensor twice", 0,
       padded(header(2, 0) + tensor_info("t", {8}, 0, 0) + tensor_info("t", {8}, 0, 32)) +
           zeros(64),
       "is there twice"},
      {"overlapping tensors", 0,
       padded(header(2, 0) + tensor_info("t", {8}, 0, 0) + tensor_info("u", {8}, 0, 0)) + zeros(64),
       "its offset is 0, not 32"},
      {"an empty key", 0, header(0, 1) + text("") + u32(0) + "abcd", "1 to 65535"},
      {"a value of type 13", 0, header(0, 1) + text("k") + u32(13) + "abcd", "type 13"},
      {"bytes behind the end", 0, good_file() + "x", "but ends at"},
      {"not GGUF", 0, "GGML" + zeros(20), "not that of GGUF"},
      {"an empty file", 0, "", "the file ends"},
      {"a good file", 0, good_file(), "accepted"},
  };
  for (const Row& row : rows) {
    if (row.size != 0) {
      EXPECT_EQ(row.file.size(), row.size) << row.what;
    }
    EXPECT_THAT(refusal(row.file), HasSubstr(row.message)) << row.what;
  }
}

// Cut at every length, and every byte set to four values: a verdict, never a crash. What is cut
// off in the last padding is not missed (4.6).
TEST(Gguf, TruncatedAndDamagedFiles) {
  const std::string good = good_file();
  const Gguf gguf = read_gguf(bytes_of(good), "x");
  const std::size_t end = gguf.data + 98;
  ASSERT_LT(end, good.size());
  for (std::size_t n = 0; n < good.size(); ++n) {
    EXPECT_EQ(refusal(good.substr(0, n)) == "accepted", n >= end) << n;
  }
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const int value : {0x00, 0x7F, 0x80, 0xFF}) {
      std::string file = good;
      file[i] = static_cast<char>(value);
      refusal(file);
    }
  }
}

TEST(Gguf, EntriesHoldWhatTheFileSays) {
  const std::string file = good_file();
  const Gguf gguf = read_gguf(bytes_of(file), "x");
  const auto find = [&](const char* key) { return find_entry(gguf.metadata, key); };
  EXPECT_EQ(string_of(find("general.architecture")), "test");
  EXPECT_EQ(integer_of(find("a.u8")), 5u);
  EXPECT_EQ(integer_of(find("a.bool")), 1u);
  EXPECT_EQ(number_of(find("a.f64")), 0.0);
  EXPECT_EQ(integer_of(find("a.f64")), std::nullopt);
  EXPECT_EQ(numbers_of(find("a.array")), (std::vector<double>{1, 2, -1}));
  EXPECT_EQ(strings_of(find("a.strings")), (std::vector<std::string>{"x", ""}));
  EXPECT_EQ(string_of(find("a.u8")), std::nullopt);
  EXPECT_EQ(strings_of(find("a.array")), std::nullopt);
  EXPECT_EQ(numbers_of(find("a.strings")), std::nullopt);
  EXPECT_EQ(string_of(find("none")), std::nullopt);
  EXPECT_EQ(integer_of(nullptr), std::nullopt);
  GgufEntry negative{"n", GgufType::kI32, u32(0xFFFFFFFF)};
  EXPECT_EQ(integer_of(&negative), std::nullopt);
  EXPECT_EQ(number_of(&negative), -1.0);
}

// Metadata and tensors come back byte for byte.
TEST(Gguf, WritesWhatItReads) {
  const std::string file = good_file();
  Gguf gguf = read_gguf(bytes_of(file), "x");
  const FileLayout layout = gguf_layout(gguf.metadata, gguf.tensors, "x");
  EXPECT_EQ(layout.size, file.size());
  EXPECT_TRUE(std::equal(layout.head.begin(), layout.head.end(), bytes_of(file).begin()));
  ASSERT_EQ(layout.tensors.size(), 1u);
  EXPECT_EQ(layout.tensors[0], (Extent{gguf.data, 98}));
  const auto refused = [](const GgufMetadata& metadata, std::vector<GgufTensor> tensors) {
    EXPECT_THROW(gguf_layout(metadata, tensors, "x"), ContainerError);
  };
  refused({make_entry("k", 1), make_entry("k", 2)}, {});
  refused({make_entry("", 1)}, {});
  refused({make_entry("general.alignment", 3)}, {});
  refused({}, {{"", {256}, 18, 0, 0}});
  refused({}, {{"t", {255}, 18, 0, 0}});
  refused({}, {{"t", {256}, 4, 0, 0}});
  refused({}, {{"t", {256}, 18, 0, 0}, {"t", {256}, 18, 0, 0}});
  refused({}, {{"t", {std::uint64_t{1} << 60}, 0, 0, 0}, {"u", {std::uint64_t{1} << 60}, 0, 0, 0}});
}

// The rounded sizes of gguf.md 4.2, as ggml has them.
TEST(Gguf, TypesHaveTheSizesOfGgml) {
  std::uint32_t known = 0;
  std::uint64_t sum = 0;
  for (std::uint32_t id = 0; id < 100; ++id) {
    const GgmlType* type = ggml_type(id);
    if (type == nullptr) continue;
    ++known;
    sum += (id + 1) * type->bytes + type->block;
    EXPECT_EQ(ggml_type_id(type->name), id);
  }
  EXPECT_EQ(known, 35u);
  EXPECT_EQ(ggml_type_id("Q4_2"), std::nullopt);
  EXPECT_EQ(ggml_type(18)->bytes, 98u);
  EXPECT_EQ(sum, 43'771u);  // the same sum over libggml-base.so of llama.cpp v0.4.0
}

// 5, and the rounding of quantize.md 2.1: every binary16 number there and back, and what lies
// between.
TEST(Gguf, PlainTypesRoundToNearestEven) {
  std::array<std::uint8_t, 4> bytes{};
  const auto half_of = [&](float value) {
    EXPECT_EQ(encode_plain(TensorType::kF16, &value, 1, bytes.data()), 1u);
    return bytes[0] | bytes[1] << 8;
  };
  const auto decode = [&](TensorType type, int pattern) {
    bytes[0] = static_cast<std::uint8_t>(pattern);
    bytes[1] = static_cast<std::uint8_t>(pattern >> 8);
    float value = 0;
    decode_rows(type, bytes, 1, 0, 1, &value);
    return value;
  };
  for (int pattern = 0; pattern < 0x7C00; ++pattern) {
    for (const int sign : {0, 0x8000}) {
      const float value = decode(TensorType::kF16, sign | pattern);
      ASSERT_EQ(half_of(value), sign | pattern);
      if (pattern == 0x7BFF) continue;
      const float next = decode(TensorType::kF16, sign | (pattern + 1));
      const float middle = (value + next) / 2;
      ASSERT_EQ(half_of(middle), sign | (pattern + (pattern & 1)));
      ASSERT_EQ(half_of(std::nextafter(middle, value)), sign | pattern);
      ASSERT_EQ(half_of(std::nextafter(middle, next)), sign | (pattern + 1));
    }
  }
  EXPECT_EQ(decode(TensorType::kF16, 0x3C01), 1.0009765625f);
  EXPECT_EQ(decode(TensorType::kF16, 1), 0x1p-24f);
  EXPECT_EQ(decode(TensorType::kBf16, 0x3F80), 1.0f);
  EXPECT_TRUE(std::isinf(decode(TensorType::kF16, 0x7C00)));
  EXPECT_TRUE(std::isnan(decode(TensorType::kBf16, 0x7FC0)));
  const auto bf16_of = [&](float value) {
    EXPECT_EQ(encode_plain(TensorType::kBf16, &value, 1, bytes.data()), 1u);
    return bytes[0] | bytes[1] << 8;
  };
  EXPECT_EQ(bf16_of(0x1.01p0f), 0x3F80);  // a tie, to even
  EXPECT_EQ(bf16_of(0x1.03p0f), 0x3F82);
  EXPECT_EQ(bf16_of(0x1.010002p0f), 0x3F81);
  for (const auto& [type, least] :
       {std::pair{TensorType::kF16, 65520.0f}, std::pair{TensorType::kBf16, 0x1.FFp127f}}) {
    EXPECT_EQ(encode_plain(type, &least, 1, bytes.data()), 0u);
    const float below = std::nextafter(least, 0.0f);
    EXPECT_EQ(encode_plain(type, &below, 1, bytes.data()), 1u);
  }
  for (const auto type : {TensorType::kF32, TensorType::kF16, TensorType::kBf16}) {
    const float bad = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(encode_plain(type, &bad, 1, bytes.data()), 0u);
  }
}

TEST(Gguf, Q8BlocksAreThoseOfGgml) {
  std::array<float, 32> x{};
  for (int i = 0; i < 32; ++i)
    x[static_cast<std::size_t>(i)] = static_cast<float>(i * i - 300) / 7.0f;
  x[5] = -0.0f;
  std::array<std::uint8_t, 34> bytes{};
  ASSERT_EQ(encode_plain(TensorType::kQ8_0, x.data(), 32, bytes.data()), 32u);
  const std::array<std::uint8_t, 34> want = {
      0xF3, 0x39, 0xC6, 0xC7, 0xC7, 0xC8, 0xC9, 0x00, 0xCD, 0xD0, 0xD3, 0xD6,
      0xDA, 0xDE, 0xE2, 0xE7, 0xEC, 0xF2, 0xF8, 0xFE, 0x05, 0x0C, 0x13, 0x1B,
      0x23, 0x2C, 0x35, 0x3E, 0x48, 0x52, 0x5D, 0x68, 0x73, 0x7F};  // quantize_q8_0 of ggml
  EXPECT_EQ(bytes, want);
  std::array<float, 32> y{};
  decode_rows(TensorType::kQ8_0, bytes, 32, 0, 1, y.data());
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(y[i],
              decode_scale(bytes) * static_cast<float>(static_cast<std::int8_t>(bytes[2 + i])));
  }
  x.fill(1e-44f);
  ASSERT_EQ(encode_plain(TensorType::kQ8_0, x.data(), 32, bytes.data()), 32u);
  EXPECT_EQ(bytes, (std::array<std::uint8_t, 34>{}));
  x.fill(1e7f);
  EXPECT_EQ(encode_plain(TensorType::kQ8_0, x.data(), 32, bytes.data()), 0u);
  EXPECT_EQ(not_finite(TensorType::kQ8_0, bytes).count, 0u);
  bytes[1] = 0x7C;
  EXPECT_EQ(not_finite(TensorType::kQ8_0, bytes).count, 32u);
}

// The table of the text is the table of the code.
TEST(Gguf, TheTextHasTheTypesOfTheCode) {
  std::ifstream text(QUANTPROOF_SOURCE_DIR "/spec/formats/gguf.md");
  std::size_t found = 0;
  bool inside = false;
  for (std::string line; std::getline(text, line);) {
    inside = line.starts_with("4.2") || (inside && !line.starts_with("4.3"));
    if (!inside || !line.starts_with("| ")) continue;
    std::vector<std::string> cells;
    for (std::size_t at = 1; at < line.size();) {
      const std::size_t end = line.find('|', at);
      std::string cell = line.substr(at, end - at);
      cell.erase(std::remove(cell.begin(), cell.end(), ' '), cell.end());
      cells.push_back(cell);
      at = end + 1;
    }
    for (std::size_t i = 0; i + 3 < cells.size(); i += 4) {
      if (cells[i].empty() || cells[i].find_first_not_of("0123456789") != std::string::npos)
        continue;
      const GgmlType* type = ggml_type(static_cast<std::uint32_t>(std::stoul(cells[i])));
      ASSERT_NE(type, nullptr) << cells[i];
      EXPECT_EQ(cells[i + 1], type->name);
      EXPECT_EQ(cells[i + 2], std::to_string(type->block)) << type->name;
      EXPECT_EQ(cells[i + 3], std::to_string(type->bytes)) << type->name;
      ++found;
    }
  }
  EXPECT_EQ(found, 35u);
}

class SplitModel : public testing::Test {
 protected:
  std::string path(int part, int count = 3) const {
    return tests::test_folder() + fmt_part(part, count);
  }
  static std::string fmt_part(int part, int count) {
    const auto five = [](int n) {
      const std::string digits = std::to_string(n);
      return std::string(5 - digits.size(), '0') + digits;
    };
    return "gguf_test_split-" + five(part) + "-of-" + five(count) + ".gguf";
  }
  void write(int part, const GgufMetadata& metadata, const std::string& tensor) {
    std::vector<GgufTensor> tensors = {{tensor, {8}, 0, 0, 0}};
    FileWriter writer(path(part), gguf_layout(metadata, tensors, "x"));
    writer.write(std::vector<std::uint8_t>(32, static_cast<std::uint8_t>(part)));
    writer.finish();
  }
  void SetUp() override {
    for (int part = 1; part <= 3; ++part)
      write(part, keys(static_cast<std::uint32_t>(part - 1), 3, 3), "t" + std::to_string(part));
  }
  static GgufMetadata keys(std::uint32_t number, std::uint32_t count, std::uint32_t tensors) {
    return {make_entry("general.name", "m"), make_entry("split.no", number),
            make_entry("split.count", count), make_entry("split.tensors.count", tensors)};
  }
  std::string refusal() {
    try {
      const ModelFile model(path(1));
      return "accepted";
    } catch (const ContainerError& error) {
      return error.what();
    } catch (const FileError& error) {
      return error.what();
    }
  }
};

TEST_F(SplitModel, IsReadWhole) {
  const ModelFile model(path(1));
  ASSERT_EQ(model.tensors.size(), 3u);
  EXPECT_EQ(model.tensors[2].name, "t3");
  EXPECT_EQ(model.tensors[2].bytes[0], 3);
  EXPECT_EQ(model.metadata, (GgufMetadata{make_entry("general.name", "m")}));
  EXPECT_NE(model.find("t2"), nullptr);
  EXPECT_EQ(model.find("t4"), nullptr);
}

TEST_F(SplitModel, MissingOrWrongPartsAreErrors) {
  write(2, keys(2, 3, 3), "t2");
  EXPECT_THAT(refusal(), HasSubstr("part 2 of 3"));
  write(2, keys(1, 4, 3), "t2");
  EXPECT_THAT(refusal(), HasSubstr("part 1 of 4"));
  write(2, keys(1, 3, 3), "t1");
  EXPECT_THAT(refusal(), HasSubstr("\"t1\" is in two"));
  write(2, keys(1, 3, 3), "t2");
  EXPECT_EQ(refusal(), "accepted");
  write(1, keys(0, 3, 4), "t1");
  EXPECT_THAT(refusal(), HasSubstr("split.tensors.count is 4"));
  write(1, keys(1, 3, 3), "t1");
  EXPECT_THAT(refusal(), HasSubstr("part 1 of 3"));
  write(1, keys(0, 2, 3), "t1");
  EXPECT_THAT(refusal(), HasSubstr("must end in -00001-of-00002.gguf"));
  write(1, keys(0, 3, 3), "t1");
  std::filesystem::remove(path(3));
  EXPECT_THAT(refusal(), HasSubstr("No such file"));
}

}  // namespace
}  // namespace quantproof::containers
