// SPDX-License-Identifier: Apache-2.0
//
// spec/formats/knot.md: what the writer writes, what the reader refuses.
#include "tools/containers/knot.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "quantproof/kaiju1.h"
#include "tests/test_folder.h"
#include "tools/containers/container_error.h"
#include "tools/containers/mapped_file.h"

namespace quantproof::containers {
namespace {

using Bytes = std::vector<std::uint8_t>;
using testing::HasSubstr;

std::string temporary(const std::string& name) { return tests::test_folder() + name; }

Bytes read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

Bytes bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

// A file with this header and this body, with the padding of clause 2.
Bytes file_with(const std::string& header, const Bytes& body) {
  Bytes file = {0x4B, 0x4E, 0x4F, 0x54, 1, 0, 0, 0};
  for (int shift = 0; shift < 32; shift += 8) {
    file.push_back(static_cast<std::uint8_t>(header.size() >> shift));
  }
  file.insert(file.end(), header.begin(), header.end());
  while (file.size() % 64 != 0) file.push_back(0);
  file.insert(file.end(), body.begin(), body.end());
  return file;
}

std::string header_with(const std::string& tensors) {
  return "{\"tensors\":[" + tensors + "],\"metadata\":{}}";
}

// A writer of a KNOT file.
struct KnotWriter : FileWriter {
  KnotWriter(const std::string& path, std::vector<KnotTensor> tensors,
             const std::map<std::string, std::string>& metadata)
      : FileWriter(path, knot_layout(tensors, metadata, path)) {}
};

std::string refusal(const Bytes& file) {
  try {
    read_knot(file, "x.knot");
  } catch (const ContainerError& error) {
    return error.what();
  }
  return "accepted";
}

const std::string kTensorA = R"({"name":"a","type":"F32","shape":[2],"offset":0,"size":8})";
const Bytes kTwoFloats = {0x00, 0x00, 0x80, 0x3F, 0x00, 0x00, 0x00, 0xC0};

// Clause 8, byte for byte.
TEST(Knot, WritesTheWorkedExample) {
  const std::string path = temporary("example");
  KnotWriter writer(path, {{"a", "F32", {2}, 0, 8}}, {});
  writer.write(kTwoFloats);
  writer.finish();
  const Bytes file = read_file(path);
  EXPECT_EQ(header_with(kTensorA).size(), 85U);
  EXPECT_EQ(file, file_with(header_with(kTensorA), kTwoFloats));
  EXPECT_EQ(file.size(), 136U);
  const Knot knot = read_knot(file, path);
  EXPECT_EQ(knot.body, 128U);
  ASSERT_EQ(knot.tensors.size(), 1U);
  EXPECT_EQ(knot.tensors[0], (KnotTensor{"a", "F32", {2}, 0, 8}));
}

TEST(Knot, AnEmptyFileIsValid) {
  const std::string path = temporary("empty");
  KnotWriter writer(path, {}, {});
  writer.finish();
  const Bytes file = read_file(path);
  EXPECT_EQ(file.size(), 64U);
  EXPECT_TRUE(read_knot(file, path).tensors.empty());
}

TEST(Knot, ReadsWhatItWrites) {
  std::mt19937_64 random(1);
  const std::string path = temporary("round");
  for (int round = 0; round < 200; ++round) {
    std::vector<KnotTensor> tensors;
    std::vector<Bytes> contents;
    const std::size_t count = random() % 6;
    for (std::size_t t = 0; t < count; ++t) {
      Bytes bytes(random() % 3 == 0 ? 0 : random() % 200);
      for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
      // Names with quotes, backslashes and other alphabets.
      tensors.push_back(
          {"t\"\\\xC3\xA4" + std::to_string(t), "OTHER", {bytes.size(), 3}, 0, bytes.size()});
      contents.push_back(bytes);
    }
    const std::map<std::string, std::string> metadata = {{"a\tb", "c\n\x01"}, {"", ""}};
    KnotWriter writer(path, tensors, metadata);
    for (const Bytes& bytes : contents) {  // in two pieces
      const std::size_t cut = bytes.empty() ? 0 : random() % bytes.size();
      writer.write(std::span(bytes).first(cut));
      writer.write(std::span(bytes).subspan(cut));
    }
    writer.finish();
    const MappedFile file(path);
    const Knot knot = read_knot(file.bytes(), path);
    EXPECT_EQ(knot.metadata, metadata);
    ASSERT_EQ(knot.tensors.size(), count);
    for (std::size_t t = 0; t < count; ++t) {
      EXPECT_EQ(knot.tensors[t].name, tensors[t].name);
      EXPECT_EQ(knot.tensors[t].offset % 64, 0U);
      const auto got = tensor_bytes(knot, knot.tensors[t], file.bytes());
      EXPECT_TRUE(std::equal(got.begin(), got.end(), contents[t].begin(), contents[t].end()));
    }
  }
}

TEST(Knot, AnUnfinishedFileLeavesNothing) {
  const std::string path = temporary("unfinished");
  std::filesystem::remove(path);
  {
    KnotWriter writer(path, {{"a", "F32", {2}, 0, 8}}, {});
    writer.write(std::span(kTwoFloats).first(7));
    EXPECT_THROW(writer.finish(), std::logic_error);
    EXPECT_TRUE(std::filesystem::exists(path + ".partial"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
  EXPECT_THROW(KnotWriter("/nonexistent/x.knot", {}, {}), FileError);
  EXPECT_THROW(MappedFile("/nonexistent/x.knot"), FileError);
  EXPECT_THROW(MappedFile file(testing::TempDir()), FileError);
}

TEST(Knot, WriterRefusesWhatReadersRefuse) {
  const std::string path = temporary("refused");
  const auto refused = [&](const std::vector<KnotTensor>& tensors) {
    EXPECT_THROW(KnotWriter(path, tensors, {}), ContainerError);
    EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
  };
  refused({{"", "F32", {2}, 0, 8}});
  refused({{"a\n", "F32", {2}, 0, 8}});
  refused({{std::string(256, 'n'), "F32", {2}, 0, 8}});
  refused({{"a", "", {2}, 0, 8}});
  refused({{"a", "F 32", {2}, 0, 8}});
  refused({{"a", "F32", {2}, 0, 9}});
  refused({{"a", "F32", {2}, 0, 8}, {"a", "F32", {2}, 0, 8}});
  refused({{"a", "IQ3_XXS", {255}, 0, 98}});
  refused({{"a", "X", {std::uint64_t{1} << 32, std::uint64_t{1} << 31}, 0, 0}});
  refused({{"\xFF", "F32", {2}, 0, 8}});
}

TEST(Knot, RefusesByName) {
  const auto with = [](const std::string& tensors, const Bytes& body = kTwoFloats) {
    return refusal(file_with(header_with(tensors), body));
  };
  EXPECT_EQ(with(kTensorA), "accepted");
  const auto tensor = [](const std::string& name, const std::string& type, const std::string& shape,
                         const std::string& offset, const std::string& size) {
    return R"({"name":)" + name + R"(,"type":)" + type + R"(,"shape":)" + shape + R"(,"offset":)" +
           offset + R"(,"size":)" + size + "}";
  };
  // JSON and keys
  EXPECT_THAT(refusal(file_with("[]", {})), HasSubstr("not an object"));
  EXPECT_THAT(refusal(file_with("{}", {})), HasSubstr("lacks the key \"tensors\""));
  EXPECT_THAT(refusal(file_with(R"({"tensors":[]})", {})), HasSubstr("lacks the key \"metadata\""));
  EXPECT_THAT(refusal(file_with(R"({"tensors":[],"metadata":{},"x":1})", {})),
              HasSubstr("unknown key \"x\""));
  EXPECT_THAT(refusal(file_with(R"({"tensors":[],"metadata":{"a":1}})", {})),
              HasSubstr("metadata \"a\" is not a string"));
  EXPECT_THAT(refusal(file_with(R"({"tensors":[],"metadata":{"a":"1","a":"2"}})", {})),
              HasSubstr("the key \"a\" twice"));
  EXPECT_THAT(refusal(file_with(R"({"tensors":[],"metadata":{},"metadata":{}})", {})),
              HasSubstr("the key \"metadata\" twice"));
  EXPECT_THAT(refusal(file_with(R"({"tensors":[],"metadata":{}}x)", {})), HasSubstr("not JSON"));
  EXPECT_THAT(refusal(file_with("{\"tensors\":[],\"metadata\":{\"\xFF\":\"\"}}", {})),
              HasSubstr("not JSON"));
  EXPECT_THAT(refusal(file_with("\xEF\xBB\xBF{\"tensors\":[],\"metadata\":{}}", {})),
              HasSubstr("byte order mark"));
  EXPECT_THAT(refusal(file_with(std::string(100'000, '['), {})), HasSubstr("deep"));
  EXPECT_THAT(with(tensor(R"("a")", R"("F32")", "[[2]]", "0", "8")), HasSubstr("deep"));
  EXPECT_THAT(with("7"), HasSubstr("tensor 0 is not an object"));
  EXPECT_THAT(with(R"({"name":"a","type":"F32","shape":[2],"offset":0})"),
              HasSubstr("lacks the key \"size\""));
  // Fields
  EXPECT_THAT(with(tensor("1", R"("F32")", "[2]", "0", "8")), HasSubstr("\"name\""));
  EXPECT_THAT(with(tensor(R"("")", R"("F32")", "[2]", "0", "8")), HasSubstr("\"name\""));
  EXPECT_THAT(with(tensor(R"("\u0000")", R"("F32")", "[2]", "0", "8")), HasSubstr("\"name\""));
  EXPECT_THAT(with(tensor(R"("a")", R"("")", "[2]", "0", "8")), HasSubstr("\"type\""));
  EXPECT_THAT(with(tensor(R"("a")", R"("F32")", "2", "0", "8")), HasSubstr("\"shape\""));
  for (const char* number : {"-1", "2.0", "2e0", "-0", "9007199254740992", "18446744073709551616",
                             "\"2\"", "true", "null"}) {
    EXPECT_THAT(with(tensor(R"("a")", R"("F32")", std::string("[") + number + "]", "0", "8")),
                HasSubstr("not an integer"))
        << number;
    EXPECT_THAT(with(tensor(R"("a")", R"("F32")", "[2]", number, "8")), HasSubstr("\"offset\""));
    EXPECT_THAT(with(tensor(R"("a")", R"("F32")", "[2]", "0", number)), HasSubstr("\"size\""));
  }
  EXPECT_THAT(with(tensor(R"("a")", R"("X")", "[1,1,1,1,1,1,1,1,1]", "0", "8")),
              HasSubstr("8 dimensions"));
  EXPECT_THAT(with(tensor(R"("a")", R"("X")", "[4294967296,2147483648]", "0", "8")),
              HasSubstr("2^63"));
  EXPECT_THAT(with(tensor(R"("a")", R"("X")", "[4194305,4194305,4194305]", "0", "8")),
              HasSubstr("2^63"));
  EXPECT_THAT(with(kTensorA + "," + kTensorA), HasSubstr("two of that name"));
  // Bounds
  EXPECT_THAT(with(tensor(R"("a")", R"("F32")", "[2]", "64", "8")), HasSubstr("\"offset\" is 64"));
  EXPECT_THAT(with(tensor(R"("a")", R"("F32")", "[2]", "1099511627776", "8")),
              HasSubstr("\"offset\""));
  EXPECT_THAT(with(tensor(R"("a")", R"("X")", "[2]", "0", "9")), HasSubstr("it ends at"));
  EXPECT_THAT(with(tensor(R"("a")", R"("X")", "[2]", "0", "9007199254740991")),
              HasSubstr("it ends at"));
  EXPECT_THAT(with(tensor(R"("a")", R"("X")", "[2]", "0", "7")), HasSubstr("but ends at"));
  EXPECT_THAT(with(tensor(R"("a")", R"("F32")", "[3]", "0", "8")), HasSubstr("ask for 12"));
  EXPECT_THAT(with(tensor(R"("a")", R"("F32")", "[4503599627370496]", "0", "8")),
              HasSubstr("does not fit"));
  EXPECT_THAT(with(tensor(R"("a")", R"("IQ3_XXS")", "[]", "0", "8")), HasSubstr("no row"));
  EXPECT_THAT(with(tensor(R"("a")", R"("IQ3_XXS")", "[8]", "0", "8")), HasSubstr("whole blocks"));
  EXPECT_THAT(with(tensor(R"("a")", R"("E8_IQ3")", "[8]", "0", "8")), HasSubstr("ask for 98"));
  EXPECT_THAT(with(tensor(R"("a")", R"("KAIJU1")", "[1,1]", "0", "8")), HasSubstr("KAIJU1 header"));
  EXPECT_THAT(with(tensor(R"("a")", R"("Q8_0")", "[8]", "0", "8")),
              HasSubstr("whole blocks of 32"));
  EXPECT_THAT(with(tensor(R"("a")", R"("Q8_0")", "[32]", "0", "8")), HasSubstr("ask for 34"));
  EXPECT_THAT(with(tensor(R"("a")", R"("GGUF")", "[8]", "0", "8")), HasSubstr("accepted"));
  EXPECT_THAT(with(tensor(R"("a")", R"("GGUF")", "[7]", "0", "8")), HasSubstr("ask for 7"));
  EXPECT_THAT(with(tensor(R"("a")", R"("GGUF")", "[4,2]", "0", "8")), HasSubstr("one length"));
}

TEST(Knot, AKaiju1TensorHasTheShapeOfItsHeader) {
  // 1 row, 1 column, in the side-band: header, index, scale, weight.
  Bytes tensor = {0x4B, 0x4A, 0x55, 0x31, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0,
                  0,    1,    0,    0,    0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  const auto layout = kaiju1_layout(read_kaiju1_header(tensor.data()));
  ASSERT_TRUE(layout.has_value());
  tensor.resize(layout->size);
  const auto with = [&](const std::string& shape, const Bytes& body) {
    return refusal(
        file_with(header_with(R"({"name":"k","type":"KAIJU1","shape":)" + shape +
                              R"(,"offset":0,"size":)" + std::to_string(body.size()) + "}"),
                  body));
  };
  EXPECT_EQ(with("[1,1]", tensor), "accepted");
  EXPECT_THAT(with("[1,2]", tensor), HasSubstr("1 x 1"));
  EXPECT_THAT(with("[1]", tensor), HasSubstr("rows and cols"));
  tensor.push_back(0);
  EXPECT_THAT(with("[1,1]", tensor), HasSubstr("ask for"));
  tensor[4] = tensor[5] = tensor[6] = tensor[7] = 0xFF;
  EXPECT_THAT(with("[4294967295,1]", tensor), HasSubstr("ask for"));
}

TEST(Knot, RefusesMagicVersionAndPadding) {
  const Bytes good = file_with(header_with(kTensorA), kTwoFloats);
  Bytes file = good;
  file[3] = 'X';
  EXPECT_THAT(refusal(file), HasSubstr("not that of KNOT"));
  Bytes sibling = bytes_of("RKNOT\x02");
  sibling.resize(64);
  EXPECT_THAT(refusal(sibling), HasSubstr("RKNOT"));
  file = good;
  file[4] = 2;
  EXPECT_THAT(refusal(file), HasSubstr("version 2"));
  for (const std::uint32_t length : {0U, 1U, 125U, 0x04000001U, 0xFFFFFFFFU}) {
    file = good;
    for (int b = 0; b < 4; ++b) {
      file[static_cast<std::size_t>(8 + b)] = static_cast<std::uint8_t>(length >> (8 * b));
    }
    EXPECT_THAT(refusal(file), HasSubstr("header of")) << length;
  }
  for (std::size_t i = 97; i < 128; ++i) {
    file = good;
    file[i] = 1;
    EXPECT_THAT(refusal(file), HasSubstr("the byte at " + std::to_string(i)));
  }
  file = good;
  file.push_back(0);
  EXPECT_THAT(refusal(file), HasSubstr("but ends at 136"));
}

// Every length, and every byte set to four values: a verdict, never a crash.
TEST(Knot, TruncatedAndDamagedFiles) {
  const std::string second = R"({"name":"b","type":"X","shape":[],"offset":64,"size":3})";
  Bytes body = kTwoFloats;
  body.resize(64);
  body.insert(body.end(), {1, 2, 3});
  const Bytes good = file_with(header_with(kTensorA + "," + second), body);
  ASSERT_EQ(refusal(good), "accepted");
  for (std::size_t n = 0; n < good.size(); ++n) {
    const Bytes file(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_NE(refusal(file), "accepted") << n;
  }
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const int value : {0x00, 0x7F, 0x80, 0xFF}) {
      Bytes file = good;
      file[i] = static_cast<std::uint8_t>(value);
      refusal(file);
    }
  }
}

}  // namespace
}  // namespace quantproof::containers
