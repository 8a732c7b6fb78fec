// SPDX-License-Identifier: Apache-2.0
#include "tools/containers/safetensors.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "tools/containers/container_error.h"
#include "tools/containers/cursor.h"
#include "tools/containers/quoted.h"
#include "tools/containers/strict_json.h"

namespace quantproof::containers {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::uint64_t kHeaderLimit = 100'000'000;
constexpr std::uint64_t kAlignment = 8;
constexpr std::uint64_t kSizeLimit = std::numeric_limits<std::int64_t>::max();
constexpr int kDepthLimit = 3;  // the header, a tensor, its shape
constexpr const char* kMetadata = "__metadata__";

struct Dtype {
  const char* name;
  std::uint64_t bits;
};
constexpr std::array<Dtype, 20> kDtypes = {
    {{"BOOL", 8},    {"U8", 8},   {"I8", 8},   {"F8_E5M2", 8}, {"F8_E4M3", 8},
     {"F8_E8M0", 8}, {"U16", 16}, {"I16", 16}, {"F16", 16},    {"BF16", 16},
     {"U32", 32},    {"I32", 32}, {"F32", 32}, {"U64", 64},    {"I64", 64},
     {"F64", 64},    {"C64", 64}, {"F4", 4},   {"F6_E2M3", 6}, {"F6_E3M2", 6}}};

// 3.3, 3.4: the size that dtype and shape ask for.
std::uint64_t size_of(const Cursor& cursor, const std::string& what, const std::string& dtype,
                      const std::vector<std::uint64_t>& shape) {
  const auto* known = std::find_if(kDtypes.begin(), kDtypes.end(),
                                   [&](const Dtype& entry) { return dtype == entry.name; });
  if (known == kDtypes.end()) cursor.fail("{}: the dtype {} is not known", what, in_quotes(dtype));
  std::uint64_t bits = known->bits;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  for (const std::uint64_t dimension : shape) {
    if (bits > kSizeLimit / dimension) cursor.fail("{}: its shape is 2^63 bits or more", what);
    bits *= dimension;
  }
  if (bits % 8 != 0) cursor.fail("{}: {} bits are not whole bytes", what, bits);
  return bits / 8;
}

std::uint64_t integer(const Cursor& cursor, const json& value, const std::string& what) {
  if (!value.is_number_unsigned()) cursor.fail("{} is not an integer from 0 to 2^64 - 1", what);
  return value.get<std::uint64_t>();
}

SafetensorsTensor read_tensor(const Cursor& cursor, const std::string& name, const json& entry) {
  const std::string what = "tensor " + in_quotes(name);
  if (!entry.is_object()) cursor.fail("{} is not an object", what);
  for (const char* key : {"dtype", "shape", "data_offsets"}) {
    if (!entry.contains(key)) cursor.fail("{} lacks the key \"{}\"", what, key);
  }
  if (entry.size() != 3) cursor.fail("{} has a key that is not known", what);
  if (!entry["dtype"].is_string()) cursor.fail("{}: \"dtype\" is not a string", what);
  SafetensorsTensor tensor;
  tensor.name = name;
  tensor.dtype = entry["dtype"].get<std::string>();
  if (!entry["shape"].is_array()) cursor.fail("{}: \"shape\" is not an array", what);
  for (const json& dimension : entry["shape"]) {
    tensor.shape.push_back(integer(cursor, dimension, what + ": a dimension"));
  }
  const json& offsets = entry["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2) {
    cursor.fail("{}: \"data_offsets\" is not two integers", what);
  }
  tensor.offset = integer(cursor, offsets[0], what + ": a data offset");
  const std::uint64_t end = integer(cursor, offsets[1], what + ": a data offset");
  const std::uint64_t want = size_of(cursor, what, tensor.dtype, tensor.shape);
  if (end < tensor.offset || end - tensor.offset != want) {
    cursor.fail("{}: data_offsets {} to {}, but dtype and shape ask for {} bytes", what,
                tensor.offset, end, want);
  }
  tensor.size = want;
  return tensor;
}

}  // namespace

Safetensors read_safetensors(std::span<const std::uint8_t> file, const std::string& name) {
  Cursor cursor(file, name);
  const std::uint64_t length = cursor.u64("the length of the header");
  if (length < 2 || length > kHeaderLimit || length > cursor.left()) {
    cursor.fail("a header of {} bytes does not fit", length);
  }
  Safetensors result;
  result.data = cursor.at() + length;
  const auto text = cursor.bytes(length, "the header");
  if (text[0] != '{') cursor.fail("the header does not begin with {{");
  const json header = parse_strict_json(text, kDepthLimit, name);
  if (!header.is_object()) cursor.fail("the header is not an object");
  for (const auto& [key, value] : header.items()) {
    if (key != kMetadata) {
      result.tensors.push_back(read_tensor(cursor, key, value));
      continue;
    }
    if (!value.is_object()) cursor.fail("\"{}\" is not an object", kMetadata);
    for (const auto& [metadata_key, text_value] : value.items()) {
      if (!text_value.is_string()) {
        cursor.fail("metadata {} is not a string", in_quotes(metadata_key));
      }
      result.metadata[metadata_key] = text_value.get<std::string>();
    }
  }
  // 3.5: no gap, no overlap, to the end of the file.
  std::sort(result.tensors.begin(), result.tensors.end(), [](const auto& a, const auto& b) {
    return a.offset != b.offset ? a.offset < b.offset
           : a.size != b.size   ? a.size < b.size
                                : a.name < b.name;
  });
  std::uint64_t end = 0;
  for (const SafetensorsTensor& tensor : result.tensors) {
    if (tensor.offset != end) {
      cursor.fail("tensor {} starts at {} of the data, but the one before it ends at {}",
                  in_quotes(tensor.name), tensor.offset, end);
    }
    if (tensor.size > cursor.left() - end) {
      cursor.fail("tensor {}: {} bytes at {} of the data, which has {}", in_quotes(tensor.name),
                  tensor.size, tensor.offset, cursor.left());
    }
    end += tensor.size;
  }
  if (end != cursor.left()) {
    cursor.fail("the data has {} bytes, but the tensors end at {}", cursor.left(), end);
  }
  return result;
}

std::span<const std::uint8_t> tensor_bytes(const Safetensors& safetensors,
                                           const SafetensorsTensor& tensor,
                                           std::span<const std::uint8_t> file) {
  return file.subspan(safetensors.data + tensor.offset, tensor.size);
}

FileLayout safetensors_layout(std::vector<SafetensorsTensor>& tensors,
                              const std::map<std::string, std::string>& metadata,
                              const std::string& name) {
  const Cursor cursor({}, name);
  ordered_json header = ordered_json::object();
  if (!metadata.empty()) header[kMetadata] = metadata;
  std::set<std::string> names = {kMetadata};
  std::uint64_t end = 0;
  std::string text;
  for (SafetensorsTensor& tensor : tensors) {
    const std::string what = "tensor " + in_quotes(tensor.name);
    if (!names.insert(tensor.name).second) cursor.fail("{} is there twice", what);
    tensor.offset = end;
    tensor.size = size_of(cursor, what, tensor.dtype, tensor.shape);
    if (tensor.size > kSizeLimit - end) cursor.fail("{}: 2^63 bytes of data or more", what);
    end += tensor.size;
    header.push_back({tensor.name,
                      {{"dtype", tensor.dtype},
                       {"shape", tensor.shape},
                       {"data_offsets", {tensor.offset, end}}}});
  }
  try {
    text = header.dump();
  } catch (const json::type_error&) {
    cursor.fail("a name or metadata is not UTF-8");
  }
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  if (text.size() > kHeaderLimit) cursor.fail("a header of {} bytes does not fit", text.size());
  FileLayout layout;
  for (int shift = 0; shift < 64; shift += 8) {
    layout.head.push_back(static_cast<std::uint8_t>(std::uint64_t{text.size()} >> shift));
  }
  layout.head.insert(layout.head.end(), text.begin(), text.end());
  for (const SafetensorsTensor& tensor : tensors) {
    layout.tensors.push_back({layout.head.size() + tensor.offset, tensor.size});
  }
  layout.size = layout.head.size() + end;
  return layout;
}

std::map<std::string, std::string> read_safetensors_index(std::span<const std::uint8_t> file,
                                                          const std::string& name) {
  constexpr int kIndexDepth = 8;  // its metadata may be anything
  const Cursor cursor({}, name);
  if (file.size() > kHeaderLimit) cursor.fail("an index of {} bytes does not fit", file.size());
  const json index = parse_strict_json(file, kIndexDepth, name);
  if (!index.is_object() || !index.contains("weight_map") || !index["weight_map"].is_object()) {
    cursor.fail("no index of safetensors files: it has no object \"weight_map\"");
  }
  std::map<std::string, std::string> files;
  for (const auto& [tensor, value] : index["weight_map"].items()) {
    const std::string path = value.is_string() ? value.get<std::string>() : std::string{};
    // An index names files beside itself, never elsewhere.
    if (path.empty() || path == "." || path == ".." ||
        path.find_first_of(std::string("/\\\0", 3)) != std::string::npos) {
      cursor.fail("tensor {}: its file {} is no plain file name", in_quotes(tensor),
                  in_quotes(path));
    }
    files[tensor] = path;
  }
  return files;
}

std::map<std::string, std::vector<std::uint64_t>> read_shapes(const Safetensors& safetensors,
                                                              const std::string& name) {
  const auto found = safetensors.metadata.find(kShapesKey);
  if (found == safetensors.metadata.end()) return {};
  const Cursor cursor({}, name);
  const std::string& text = found->second;
  const json shapes =
      parse_strict_json({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, 2,
                        name + ": " + kShapesKey);
  if (!shapes.is_object()) cursor.fail("{} is not an object", kShapesKey);
  std::map<std::string, std::vector<std::uint64_t>> result;
  for (const auto& [tensor, shape] : shapes.items()) {
    const std::string what = fmt::format("{}: a dimension of {}", kShapesKey, in_quotes(tensor));
    if (!shape.is_array() || shape.size() < 2) cursor.fail("{} is missing", what);
    for (const json& dimension : shape) {
      result[tensor].push_back(integer(cursor, dimension, what));
    }
  }
  return result;
}

std::map<std::string, std::string> write_shapes(
    const std::map<std::string, std::vector<std::uint64_t>>& shapes) {
  if (shapes.empty()) return {};
  ordered_json formats = ordered_json::object();
  for (const auto& [tensor, shape] : shapes) formats[tensor] = kColibriFormat;
  return {{kShapesKey, ordered_json(shapes).dump()}, {kColibriKey, formats.dump()}};
}

}  // namespace quantproof::containers
