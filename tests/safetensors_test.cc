// SPDX-License-Identifier: Apache-2.0
//
// spec/formats/safetensors.md: what the reader refuses, by name; what the writer writes.
#include "tools/containers/safetensors.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "tests/test_folder.h"
#include "tools/containers/container_error.h"
#include "tools/containers/model_file.h"

namespace quantproof::containers {
namespace {

using testing::HasSubstr;

std::string file_with(const std::string& header, const std::string& data) {
  std::string file;
  for (int shift = 0; shift < 64; shift += 8) {
    file += static_cast<char>(std::uint64_t{header.size()} >> shift);
  }
  return file + header + data;
}

std::span<const std::uint8_t> bytes_of(const std::string& file) {
  return {reinterpret_cast<const std::uint8_t*>(file.data()), file.size()};
}

std::string refusal(const std::string& file) {
  try {
    read_safetensors(bytes_of(file), "x");
  } catch (const ContainerError& error) {
    return error.what();
  }
  return "accepted";
}

void save(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string entry(const std::string& name, const std::string& dtype, const std::string& shape,
                  const std::string& offsets) {
  return "\"" + name + R"(":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" +
         offsets + "}";
}

const std::string kEight(8, '\1');

TEST(Safetensors, RefusesByName) {
  const auto with = [](const std::string& entries, const std::string& data = kEight) {
    return refusal(file_with("{" + entries + "}", data));
  };
  EXPECT_EQ(with(entry("a", "F32", "[2]", "[0,8]")), "accepted");
  EXPECT_EQ(with(R"("__metadata__":{"k":"v"},)" + entry("a", "F32", "[2]", "[0,8]")), "accepted");
  EXPECT_EQ(refusal(file_with("{}   ", "")), "accepted");
  EXPECT_EQ(with(entry("b", "F16", "[2]", "[4,8]") + "," + entry("a", "F16", "[2]", "[0,4]")),
            "accepted");
  // The length and the JSON
  EXPECT_THAT(refusal(""), HasSubstr("the length of the header"));
  EXPECT_THAT(refusal(std::string(8, '\xFF')), HasSubstr("does not fit"));
  EXPECT_THAT(refusal(file_with("{}", "").substr(0, 9)), HasSubstr("does not fit"));
  EXPECT_THAT(refusal(file_with("[]", "")), HasSubstr("does not begin with {"));
  EXPECT_THAT(refusal(file_with(" {}", "")), HasSubstr("does not begin with {"));
  EXPECT_THAT(with("x"), HasSubstr("not JSON"));
  EXPECT_THAT(with(entry("a", "F32", "[[2]]", "[0,8]")), HasSubstr("deep"));
  EXPECT_THAT(with("\"a\":" + std::string(100'000, '[')), HasSubstr("deep"));
  EXPECT_THAT(with(entry("a", "F32", "[2]", "[0,8]") + "," + entry("a", "F32", "[2]", "[0,8]")),
              HasSubstr("the key \"a\" twice"));
  // Fields
  EXPECT_THAT(with(R"("__metadata__":1)"), HasSubstr("not an object"));
  EXPECT_THAT(with(R"("__metadata__":{"k":1})"), HasSubstr("metadata \"k\" is not a string"));
  EXPECT_THAT(with("\"a\":1"), HasSubstr("tensor \"a\" is not an object"));
  EXPECT_THAT(with(R"("a":{"dtype":"F32","shape":[2]})"), HasSubstr("lacks the key \"data_off"));
  EXPECT_THAT(with(R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1})"),
              HasSubstr("not known"));
  EXPECT_THAT(with(entry("a", "F33", "[2]", "[0,8]")), HasSubstr("dtype \"F33\" is not known"));
  EXPECT_THAT(with(entry("a", "F32", "2", "[0,8]")), HasSubstr("\"shape\""));
  EXPECT_THAT(with(entry("a", "F32", "[-2]", "[0,8]")), HasSubstr("a dimension"));
  EXPECT_THAT(with(entry("a", "F32", "[2.0]", "[0,8]")), HasSubstr("a dimension"));
  EXPECT_THAT(with(entry("a", "F32", "[2]", "[0]")), HasSubstr("\"data_offsets\""));
  EXPECT_THAT(with(entry("a", "F32", "[2]", "[0,1e400]")), HasSubstr("out of range"));
  // Sizes and places
  EXPECT_THAT(with(entry("a", "F32", "[3]", "[0,8]")), HasSubstr("ask for 12"));
  EXPECT_THAT(with(entry("a", "F32", "[2]", "[8,0]")), HasSubstr("ask for 8"));
  EXPECT_THAT(with(entry("a", "F32", "[4611686018427387904,4]", "[0,0]")), HasSubstr("2^63"));
  EXPECT_THAT(with(entry("a", "F32", "[4294967296,4294967296]", "[0,0]")), HasSubstr("2^63"));
  EXPECT_THAT(with(entry("a", "F4", "[15]", "[0,8]")), HasSubstr("not whole bytes"));
  EXPECT_THAT(with(entry("a", "U8", "[4]", "[4,8]")), HasSubstr("starts at 4"));
  EXPECT_THAT(with(entry("a", "U8", "[8]", "[0,8]") + "," + entry("b", "U8", "[4]", "[4,8]")),
              HasSubstr("starts at 4"));
  EXPECT_THAT(with(entry("a", "U8", "[4]", "[0,4]")), HasSubstr("the tensors end at 4"));
  EXPECT_THAT(with(entry("a", "U8", "[9]", "[0,9]")), HasSubstr("which has 8"));
  EXPECT_THAT(with(entry("a", "U8", "[18446744073709551615]", "[0,18446744073709551615]")),
              HasSubstr("2^63"));
}

TEST(Safetensors, WritesWhatItReads) {
  std::vector<SafetensorsTensor> tensors = {{"a", "F32", {2}, 0, 0}, {"b", "U8", {3}, 0, 0}};
  const FileLayout layout = safetensors_layout(tensors, {{"k", "v"}}, "x");
  std::string file(layout.head.begin(), layout.head.end());
  EXPECT_EQ(file.size() % 8, 0u);
  file += std::string(11, '\0');
  ASSERT_EQ(refusal(file), "accepted");
  const Safetensors read = read_safetensors(bytes_of(file), "x");
  EXPECT_EQ(read.tensors, tensors);
  EXPECT_EQ(read.metadata.at("k"), "v");
  EXPECT_EQ(layout.tensors[1], (Extent{read.data + 8, 3}));
  tensors[1].name = "a";
  EXPECT_THROW(safetensors_layout(tensors, {}, "x"), ContainerError);
  tensors[1].name = "\xFF";
  EXPECT_THROW(safetensors_layout(tensors, {}, "x"), ContainerError);
}

TEST(Safetensors, TruncatedAndDamagedFiles) {
  const std::string good =
      file_with("{" + entry("a", "F32", "[2]", "[0,8]") + R"(,"__metadata__":{"k":"v"}})", kEight);
  ASSERT_EQ(refusal(good), "accepted");
  for (std::size_t n = 0; n < good.size(); ++n) EXPECT_NE(refusal(good.substr(0, n)), "accepted");
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const int value : {0x00, 0x7F, 0x80, 0xFF}) {
      std::string file = good;
      file[i] = static_cast<char>(value);
      refusal(file);
    }
  }
}

// Clause 4: X and X.qs are one matrix; clause 5: files of an index.
TEST(Safetensors, ColibriTensorsAndIndexes) {
  const std::string directory = tests::test_folder();
  const auto blocks = [&](const std::string& metadata) {
    return file_with("{" + metadata + entry("w", "U8", "[196]", "[0,196]") + "," +
                         entry("w.qs", "F32", "[1]", "[196,200]") + "}",
                     std::string(200, '\0'));
  };
  const std::string first = directory + "st_first.safetensors";
  save(first, blocks(R"("__metadata__":{"quantproof.shapes":"{\"w\":[2,200]}"},)"));
  const ModelFile model(first);
  ASSERT_EQ(model.tensors.size(), 1u);
  EXPECT_EQ(model.tensors[0].type, TensorType::kE8Iq3);
  EXPECT_TRUE(model.tensors[0].rotated);
  EXPECT_EQ(model.tensors[0].shape, (std::vector<std::uint64_t>{2, 200}));
  std::vector<float> row(200);
  decode_rows(model.tensors[0], 1, 1, row.data());

  save(first, blocks(""));
  const ModelFile unshaped(first);
  EXPECT_EQ(unshaped.tensors[0].shape, (std::vector<std::uint64_t>{512}));
  EXPECT_THROW(decode_rows(unshaped.tensors[0], 0, 1, row.data()), ContainerError);
  for (const char* shape : {"[1,200]", "[4294967296,4294967296]", "[2]", "7", "[2,-1]"}) {
    save(first, blocks(R"("__metadata__":{"quantproof.shapes":"{\"w\":)" + std::string(shape) +
                       R"(}"},)"));
    EXPECT_THROW(ModelFile{first}, ContainerError) << shape;
  }

  save(first, file_with("{" + entry("a", "F32", "[2]", "[0,8]") + "}", kEight));
  const std::string second = directory + "st_second.safetensors";
  save(second, file_with("{" + entry("b", "F32", "[2]", "[0,8]") + "}", kEight));
  const std::string index = directory + "st_index.json";
  const auto refused = [&](const std::string& map) -> std::string {
    save(index, R"({"metadata":{"total_size":16},"weight_map":)" + map + "}");
    try {
      return ModelFile(index).tensors.size() == 2 ? "accepted" : "incomplete";
    } catch (const ContainerError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(refused(R"({"a":"st_first.safetensors","b":"st_second.safetensors"})"), "accepted");
  EXPECT_THAT(refused(R"({"a":"st_first.safetensors","b":"st_third.safetensors"})"),
              HasSubstr("missing: st_third"));
  EXPECT_THAT(refused(R"({"a":"st_first.safetensors"})"), testing::StrEq("incomplete"));
  EXPECT_THAT(refused(R"({"b":"st_first.safetensors"})"), HasSubstr("\"a\" is in this file"));
  EXPECT_THAT(refused(R"({"a":"st_first.safetensors","c":"st_first.safetensors"})"),
              HasSubstr("\"c\" is not in"));
  EXPECT_THAT(refused(R"({"a":"../st_first.safetensors"})"), HasSubstr("no plain file name"));
  EXPECT_THAT(refused(R"({"a":"/etc/passwd"})"), HasSubstr("no plain file name"));
  EXPECT_THAT(refused(R"({"a":7})"), HasSubstr("no plain file name"));
  EXPECT_THAT(refused("7"), HasSubstr("weight_map"));
}

}  // namespace
}  // namespace quantproof::containers
