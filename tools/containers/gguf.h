// SPDX-License-Identifier: Apache-2.0
//
// GGUF files, spec/formats/gguf.md.
#ifndef QUANTPROOF_TOOLS_CONTAINERS_GGUF_H_
#define QUANTPROOF_TOOLS_CONTAINERS_GGUF_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/containers/file_writer.h"

namespace quantproof::containers {

enum class GgufType : std::uint32_t {
  kU8 = 0,
  kI8 = 1,
  kU16 = 2,
  kI16 = 3,
  kU32 = 4,
  kI32 = 5,
  kF32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kU64 = 10,
  kI64 = 11,
  kF64 = 12,
};

// A key of the metadata. `value` holds the bytes that follow the type in the file, as they are.
struct GgufEntry {
  std::string key;
  GgufType type = GgufType::kU32;
  std::string value;
  bool operator==(const GgufEntry&) const = default;
};
using GgufMetadata = std::vector<GgufEntry>;

// The entry with this key; null where there is none.
const GgufEntry* find_entry(const GgufMetadata& metadata, std::string_view key);

// What an entry holds; nothing where there is no entry (null) or it is of another kind.
std::optional<std::string> string_of(const GgufEntry* entry);
std::optional<std::uint64_t> integer_of(const GgufEntry* entry);  // any integer or bool, >= 0
std::optional<double> number_of(const GgufEntry* entry);          // any integer, float or bool
std::optional<std::vector<std::string>> strings_of(const GgufEntry* entry);
std::optional<std::vector<double>> numbers_of(const GgufEntry* entry);

GgufEntry make_entry(std::string key, std::uint32_t value);
GgufEntry make_entry(std::string key, std::string_view value);
GgufEntry make_entry(std::string key, const std::vector<std::string>& value);

// A tensor type of ggml: `block` weights in `bytes` bytes.
struct GgmlType {
  const char* name;
  std::uint32_t block;
  std::uint32_t bytes;
};
// Null where ggml has no such type, or has it no more.
const GgmlType* ggml_type(std::uint32_t id);
// The number of the type of that name; nothing where there is none.
std::optional<std::uint32_t> ggml_type_id(std::string_view name);

struct GgufTensor {
  std::string name;
  std::vector<std::uint64_t> dimensions;  // as in the file: the row comes first
  std::uint32_t type = 0;
  std::uint64_t offset = 0;  // from the data; a writer fills it in
  std::uint64_t size = 0;    // in bytes; a writer fills it in

  bool operator==(const GgufTensor&) const = default;
  // The product of the dimensions; below 2^63.
  [[nodiscard]] std::uint64_t weights() const;
};

struct Gguf {
  std::uint32_t version = 3;
  GgufMetadata metadata;
  std::vector<GgufTensor> tensors;
  std::uint64_t alignment = 32;
  std::uint64_t data = 0;  // offset in the file
};

// Reads and checks everything but the contents of tensors (gguf.md 6). `file`: the whole file.
// `name` stands in the messages. Throws ContainerError.
Gguf read_gguf(std::span<const std::uint8_t> file, const std::string& name);

// The bytes of a tensor of that file.
std::span<const std::uint8_t> tensor_bytes(const Gguf& gguf, const GgufTensor& tensor,
                                           std::span<const std::uint8_t> file);

// The layout of a file with these entries and tensors, version 3 (gguf.md 7); offsets and sizes of
// `tensors` are filled in. Throws ContainerError where a reader would refuse the file.
FileLayout gguf_layout(const GgufMetadata& metadata, std::vector<GgufTensor>& tensors,
                       const std::string& name);

}  // namespace quantproof::containers

#endif
