// SPDX-License-Identifier: Apache-2.0
#include "tools/containers/gguf.h"

#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <unordered_set>

#include "fmt/format.h"

#include "tools/containers/container_error.h"
#include "tools/containers/cursor.h"
#include "tools/containers/quoted.h"

namespace quantproof::containers {

namespace {

constexpr std::string_view kMagic = "GGUF";
constexpr std::uint32_t kVersion = 3;
constexpr std::uint64_t kDefaultAlignment = 32;
constexpr std::uint64_t kAlignmentLimit = std::uint64_t{1} << 20;
constexpr std::size_t kKeyLimit = 65535;
constexpr std::size_t kNameLimit = 63;
constexpr std::size_t kDimensionLimit = 4;
constexpr std::uint64_t kWeightLimit = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kLeastEntry = 8 + 1 + 4 + 1;       // key of one byte, type, value
constexpr std::uint64_t kLeastTensor = 8 + 1 + 4 + 4 + 8;  // name of one byte, no dimension
constexpr std::string_view kAlignmentKey = "general.alignment";

// 4.2. Gaps are types that ggml has no more.
constexpr std::array<GgmlType, 43> kTypes = {{
    {"F32", 1, 4},        {"F16", 1, 2},       {"Q4_0", 32, 18},     {"Q4_1", 32, 20},
    {nullptr, 0, 0},      {nullptr, 0, 0},     {"Q5_0", 32, 22},     {"Q5_1", 32, 24},
    {"Q8_0", 32, 34},     {"Q8_1", 32, 36},    {"Q2_K", 256, 84},    {"Q3_K", 256, 110},
    {"Q4_K", 256, 144},   {"Q5_K", 256, 176},  {"Q6_K", 256, 210},   {"Q8_K", 256, 292},
    {"IQ2_XXS", 256, 66}, {"IQ2_XS", 256, 74}, {"IQ3_XXS", 256, 98}, {"IQ1_S", 256, 50},
    {"IQ4_NL", 32, 18},   {"IQ3_S", 256, 110}, {"IQ2_S", 256, 82},   {"IQ4_XS", 256, 136},
    {"I8", 1, 1},         {"I16", 1, 2},       {"I32", 1, 4},        {"I64", 1, 8},
    {"F64", 1, 8},        {"IQ1_M", 256, 56},  {"BF16", 1, 2},       {nullptr, 0, 0},
    {nullptr, 0, 0},      {nullptr, 0, 0},     {"TQ1_0", 256, 54},   {"TQ2_0", 256, 66},
    {nullptr, 0, 0},      {nullptr, 0, 0},     {nullptr, 0, 0},      {"MXFP4", 32, 17},
    {"NVFP4", 64, 36},    {"Q1_0", 128, 18},   {"Q2_0", 64, 18},
}};

// Bytes of a value of a fixed width; 0 for strings and arrays.
std::size_t width_of(GgufType type) {
  switch (type) {
    case GgufType::kU8:
    case GgufType::kI8:
    case GgufType::kBool:
      return 1;
    case GgufType::kU16:
    case GgufType::kI16:
      return 2;
    case GgufType::kU32:
    case GgufType::kI32:
    case GgufType::kF32:
      return 4;
    case GgufType::kU64:
    case GgufType::kI64:
    case GgufType::kF64:
      return 8;
    case GgufType::kString:
    case GgufType::kArray:
      return 0;
  }
  return 0;
}

constexpr bool is_type(std::uint32_t type) { return type <= 12; }

std::uint64_t load(const char* bytes, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t b = 0; b < width; ++b) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[b])} << (8 * b);
  }
  return value;
}

template <class Bytes>
void store(Bytes& bytes, std::uint64_t value, std::size_t width) {
  for (std::size_t b = 0; b < width; ++b) {
    bytes.push_back(static_cast<typename Bytes::value_type>(value >> (8 * b)));
  }
}

template <class Bytes>
void store_text(Bytes& bytes, std::string_view text) {
  store(bytes, text.size(), 8);
  bytes.insert(bytes.end(), text.begin(), text.end());
}

// One number of a fixed width as binary64: exact below 2^53.
double scalar(GgufType type, const char* bytes) {
  const std::size_t width = width_of(type);
  const std::uint64_t bits = load(bytes, width);
  switch (type) {
    case GgufType::kF32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case GgufType::kF64:
      return std::bit_cast<double>(bits);
    case GgufType::kI8:
      return static_cast<std::int8_t>(bits);
    case GgufType::kI16:
      return static_cast<std::int16_t>(bits);
    case GgufType::kI32:
      return static_cast<std::int32_t>(bits);
    case GgufType::kI64:
      return static_cast<double>(static_cast<std::int64_t>(bits));
    default:
      return static_cast<double>(bits);
  }
}

// 3.3: moves the cursor past one value.
void pass_value(Cursor& cursor, const std::string& what, GgufType type) {
  const auto pass_string = [&] {
    const std::uint64_t n = cursor.u64(what);
    cursor.bytes(n, what);
  };
  const auto check_bools = [&](std::span<const std::uint8_t> bools) {
    for (const std::uint8_t byte : bools) {
      if (byte > 1) cursor.fail("{}: {} is no bool", what, byte);
    }
  };
  if (type == GgufType::kString) return pass_string();
  if (type != GgufType::kArray) {
    const auto bytes = cursor.bytes(width_of(type), what);
    if (type == GgufType::kBool) check_bools(bytes);
    return;
  }
  const std::uint32_t number = cursor.u32(what);
  if (!is_type(number)) cursor.fail("{}: no values have type {}", what, number);
  const auto element = static_cast<GgufType>(number);
  if (element == GgufType::kArray) cursor.fail("{}: an array of arrays", what);
  const std::uint64_t n = cursor.u64(what);
  const std::size_t width = element == GgufType::kString ? 8 : width_of(element);
  if (n > cursor.left() / width) {
    cursor.fail("{}: an array of {} elements does not fit into the {} bytes that are left", what, n,
                cursor.left());
  }
  if (element == GgufType::kString) {
    for (std::uint64_t i = 0; i < n; ++i) pass_string();
  } else {
    const auto bytes = cursor.bytes(n * width, what);
    if (element == GgufType::kBool) check_bools(bytes);
  }
}

// 4.2: says what a number that is no type of ggml is.
[[noreturn]] void fail_type(const Cursor& cursor, const std::string& what, std::uint32_t type) {
  if (type < kTypes.size()) cursor.fail("{}: type {} was removed from ggml", what, type);
  const char* known = type == 154   ? "IQ3_KT"
                      : type == 218 ? "IQ3_XXS_R4"
                      : type == 221 ? "IQ3_S_R4"
                                    : nullptr;
  if (known != nullptr) {
    cursor.fail("{}: type {} is {} of ik_llama.cpp, which is not handled", what, type, known);
  }
  cursor.fail(
      "{}: type {} is none of ggml's, which end at {}; forks number types of their own, from 43 up",
      what, type, kTypes.size() - 1);
}

// 4.1 to 4.3, for readers and writers: fills in the size.
void check_tensor(const Cursor& cursor, GgufTensor& tensor) {
  const std::string what = "tensor " + in_quotes(tensor.name);
  if (tensor.name.empty() || tensor.name.size() > kNameLimit) {
    cursor.fail("{}: a name has 1 to {} bytes, not {}", what, kNameLimit, tensor.name.size());
  }
  if (tensor.dimensions.size() > kDimensionLimit) {
    cursor.fail("{}: {} dimensions, the most are {}", what, tensor.dimensions.size(),
                kDimensionLimit);
  }
  std::uint64_t weights = 1;
  for (const std::uint64_t dimension : tensor.dimensions) {
    if (dimension > kWeightLimit || (dimension != 0 && weights > kWeightLimit / dimension)) {
      cursor.fail("{}: its dimensions are 2^63 weights or more", what);
    }
    weights *= dimension;
  }
  const GgmlType* type = ggml_type(tensor.type);
  if (type == nullptr) fail_type(cursor, what, tensor.type);
  const std::uint64_t row = tensor.dimensions.empty() ? 1 : tensor.dimensions[0];
  if (row % type->block != 0) {
    cursor.fail("{}: rows of {} weights are not whole blocks of {}, {}", what, row, type->name,
                type->block);
  }
  const std::uint64_t blocks = weights / type->block;
  if (blocks > kWeightLimit / type->bytes) {
    cursor.fail("{}: {} blocks of {} bytes are 2^63 bytes or more", what, blocks, type->bytes);
  }
  tensor.size = blocks * type->bytes;
}

std::uint64_t alignment_of(const Cursor& cursor, const GgufMetadata& metadata) {
  const GgufEntry* entry = find_entry(metadata, kAlignmentKey);
  if (entry == nullptr) return kDefaultAlignment;
  if (entry->type != GgufType::kU32) {
    cursor.fail("{} is of type {}, not u32 (4)", kAlignmentKey,
                static_cast<std::uint32_t>(entry->type));
  }
  const std::uint64_t alignment = load(entry->value.data(), 4);
  if (!std::has_single_bit(alignment) || alignment > kAlignmentLimit) {
    cursor.fail("{} is {}, not a power of two up to {}", kAlignmentKey, alignment, kAlignmentLimit);
  }
  return alignment;
}

constexpr std::uint64_t align(std::uint64_t offset, std::uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

}  // namespace

const GgmlType* ggml_type(std::uint32_t id) {
  return id < kTypes.size() && kTypes[id].name != nullptr ? &kTypes[id] : nullptr;
}

std::optional<std::uint32_t> ggml_type_id(std::string_view name) {
  for (std::uint32_t id = 0; id < kTypes.size(); ++id) {
    if (kTypes[id].name != nullptr && name == kTypes[id].name) return id;
  }
  return std::nullopt;
}

const GgufEntry* find_entry(const GgufMetadata& metadata, std::string_view key) {
  for (const GgufEntry& entry : metadata) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

std::optional<std::string> string_of(const GgufEntry* entry) {
  if (entry == nullptr || entry->type != GgufType::kString) return std::nullopt;
  return entry->value.substr(8);
}

std::optional<double> number_of(const GgufEntry* entry) {
  if (entry == nullptr || width_of(entry->type) == 0) return std::nullopt;
  return scalar(entry->type, entry->value.data());
}

std::optional<std::uint64_t> integer_of(const GgufEntry* entry) {
  if (entry == nullptr || width_of(entry->type) == 0) return std::nullopt;
  const std::uint64_t bits = load(entry->value.data(), entry->value.size());
  switch (entry->type) {
    case GgufType::kF32:
    case GgufType::kF64:
      return std::nullopt;
    case GgufType::kI8:
    case GgufType::kI16:
    case GgufType::kI32:
    case GgufType::kI64:
      if (bits >> (8 * entry->value.size() - 1) != 0) return std::nullopt;  // negative
      return bits;
    default:
      return bits;
  }
}

std::optional<std::vector<std::string>> strings_of(const GgufEntry* entry) {
  if (entry == nullptr || entry->type != GgufType::kArray) return std::nullopt;
  const char* at = entry->value.data();
  if (static_cast<GgufType>(load(at, 4)) != GgufType::kString) return std::nullopt;
  std::vector<std::string> strings(load(at + 4, 8));
  at += 12;
  for (std::string& text : strings) {
    const std::uint64_t n = load(at, 8);
    text.assign(at + 8, n);
    at += 8 + n;
  }
  return strings;
}

std::optional<std::vector<double>> numbers_of(const GgufEntry* entry) {
  if (entry == nullptr || entry->type != GgufType::kArray) return std::nullopt;
  const char* at = entry->value.data();
  const auto element = static_cast<GgufType>(load(at, 4));
  const std::size_t width = width_of(element);
  if (width == 0) return std::nullopt;
  std::vector<double> numbers(load(at + 4, 8));
  at += 12;
  for (double& number : numbers) {
    number = scalar(element, at);
    at += width;
  }
  return numbers;
}

GgufEntry make_entry(std::string key, std::uint32_t value) {
  GgufEntry entry{std::move(key), GgufType::kU32, {}};
  store(entry.value, value, 4);
  return entry;
}

GgufEntry make_entry(std::string key, std::string_view value) {
  GgufEntry entry{std::move(key), GgufType::kString, {}};
  store_text(entry.value, value);
  return entry;
}

GgufEntry make_entry(std::string key, const std::vector<std::string>& value) {
  GgufEntry entry{std::move(key), GgufType::kArray, {}};
  store(entry.value, static_cast<std::uint32_t>(GgufType::kString), 4);
  store(entry.value, value.size(), 8);
  for (const std::string& text : value) store_text(entry.value, text);
  return entry;
}

std::uint64_t GgufTensor::weights() const {
  std::uint64_t product = 1;
  for (const std::uint64_t dimension : dimensions) product *= dimension;
  return product;
}

Gguf read_gguf(std::span<const std::uint8_t> file, const std::string& name) {
  Cursor cursor(file, name);
  // 2.1
  if (cursor.text(4, "the magic") != kMagic) cursor.fail("the magic is not that of GGUF");
  Gguf gguf;
  gguf.version = cursor.u32("the version");
  if ((gguf.version & 0xFFFF) == 0 && gguf.version != 0) {
    cursor.fail("version 0x{:08X}: a big-endian file, which is not handled", gguf.version);
  }
  if (gguf.version != 2 && gguf.version != kVersion) {
    cursor.fail("version {} is not handled", gguf.version);
  }
  const std::uint64_t n_tensors = cursor.u64("the number of tensors");
  const std::uint64_t n_entries = cursor.u64("the number of keys");
  if (n_entries > cursor.left() / kLeastEntry) {
    cursor.fail("{} keys do not fit into {} bytes", n_entries, file.size());
  }
  if (n_tensors > cursor.left() / kLeastTensor) {
    cursor.fail("{} tensors do not fit into {} bytes", n_tensors, file.size());
  }

  // 3
  std::unordered_set<std::string_view> keys;
  for (std::uint64_t i = 0; i < n_entries; ++i) {
    const std::string place = fmt::format("key {}", i);
    const std::uint64_t length = cursor.u64(place);
    if (length == 0 || length > kKeyLimit) {
      cursor.fail("{}: a key has 1 to {} bytes, not {}", place, kKeyLimit, length);
    }
    const std::string_view key = cursor.text(length, place);
    const std::string what = "key " + in_quotes(key);
    if (!keys.insert(key).second) cursor.fail("{} is there twice", what);
    const std::uint32_t type = cursor.u32(what);
    if (!is_type(type)) cursor.fail("{}: no values have type {}", what, type);
    const std::uint64_t first = cursor.at();
    pass_value(cursor, what, static_cast<GgufType>(type));
    gguf.metadata.push_back({std::string(key), static_cast<GgufType>(type),
                             std::string(file.begin() + static_cast<std::ptrdiff_t>(first),
                                         file.begin() + static_cast<std::ptrdiff_t>(cursor.at()))});
  }
  gguf.alignment = alignment_of(cursor, gguf.metadata);

  // 4
  std::unordered_set<std::string_view> names;
  std::uint64_t end = 0;
  for (std::uint64_t i = 0; i < n_tensors; ++i) {
    const std::string place = fmt::format("tensor {}", i);
    GgufTensor tensor;
    const std::uint64_t length = cursor.u64(place);
    if (length > kNameLimit) {
      cursor.fail("{}: a name has 1 to {} bytes, not {}", place, kNameLimit, length);
    }
    const std::string_view text = cursor.text(length, place);
    tensor.name = text;
    const std::string what = "tensor " + in_quotes(text);
    if (!names.insert(text).second) cursor.fail("{} is there twice", what);
    const std::uint32_t dimensions = cursor.u32(what);
    if (dimensions > kDimensionLimit) {
      cursor.fail("{}: {} dimensions, the most are {}", what, dimensions, kDimensionLimit);
    }
    for (std::uint32_t d = 0; d < dimensions; ++d) tensor.dimensions.push_back(cursor.u64(what));
    tensor.type = cursor.u32(what);
    tensor.offset = cursor.u64(what);
    check_tensor(cursor, tensor);
    // 4.4; the sum cannot wrap: an offset and a size are below 2^63.
    if (tensor.offset != align(end, gguf.alignment)) {
      cursor.fail("{}: its offset is {}, not {}, where the tensors before it end", what,
                  tensor.offset, align(end, gguf.alignment));
    }
    end = tensor.offset + tensor.size;
    if (end > file.size()) {
      cursor.fail("{}: {} bytes at {} of the data, but the file has {}", what, tensor.size,
                  tensor.offset, file.size());
    }
    gguf.tensors.push_back(std::move(tensor));
  }
  gguf.data = n_tensors == 0
                  ? std::min<std::uint64_t>(align(cursor.at(), gguf.alignment), file.size())
                  : align(cursor.at(), gguf.alignment);
  for (const GgufTensor& tensor : gguf.tensors) {
    if (gguf.data > file.size() || tensor.offset + tensor.size > file.size() - gguf.data) {
      cursor.fail("tensor {}: {} bytes at {} of the data, which starts at {}, but the file has {}",
                  in_quotes(tensor.name), tensor.size, tensor.offset, gguf.data, file.size());
    }
  }
  // 4.6
  if (file.size() > gguf.data + align(end, gguf.alignment)) {
    cursor.fail("the file has {} bytes, but ends at {}", file.size(),
                gguf.data + align(end, gguf.alignment));
  }
  return gguf;
}

std::span<const std::uint8_t> tensor_bytes(const Gguf& gguf, const GgufTensor& tensor,
                                           std::span<const std::uint8_t> file) {
  return file.subspan(gguf.data + tensor.offset, tensor.size);
}

FileLayout gguf_layout(const GgufMetadata& metadata, std::vector<GgufTensor>& tensors,
                       const std::string& name) {
  const Cursor cursor({}, name);
  FileLayout layout;
  std::vector<std::uint8_t>& head = layout.head;
  head.assign(kMagic.begin(), kMagic.end());
  store(head, kVersion, 4);
  store(head, tensors.size(), 8);
  store(head, metadata.size(), 8);
  std::unordered_set<std::string_view> keys;
  for (const GgufEntry& entry : metadata) {
    if (entry.key.empty() || entry.key.size() > kKeyLimit) {
      cursor.fail("a key has 1 to {} bytes, not {}", kKeyLimit, entry.key.size());
    }
    if (!keys.insert(entry.key).second) cursor.fail("key {} is there twice", in_quotes(entry.key));
    store_text(head, entry.key);
    store(head, static_cast<std::uint32_t>(entry.type), 4);
    head.insert(head.end(), entry.value.begin(), entry.value.end());
  }
  const std::uint64_t alignment = alignment_of(cursor, metadata);
  std::unordered_set<std::string_view> names;
  std::uint64_t end = 0;
  for (GgufTensor& tensor : tensors) {
    check_tensor(cursor, tensor);
    if (!names.insert(tensor.name).second) {
      cursor.fail("tensor {} is there twice", in_quotes(tensor.name));
    }
    if (tensor.size > kWeightLimit - end - alignment) {
      cursor.fail("tensor {}: the data has 2^63 bytes or more", in_quotes(tensor.name));
    }
    tensor.offset = align(end, alignment);
    end = tensor.offset + tensor.size;
    store_text(head, tensor.name);
    store(head, tensor.dimensions.size(), 4);
    for (const std::uint64_t dimension : tensor.dimensions) store(head, dimension, 8);
    store(head, tensor.type, 4);
    store(head, tensor.offset, 8);
  }
  const std::uint64_t data = align(head.size(), alignment);
  for (const GgufTensor& tensor : tensors) {
    layout.tensors.push_back({data + tensor.offset, tensor.size});
  }
  layout.size = data + align(end, alignment);
  return layout;
}

}  // namespace quantproof::containers
