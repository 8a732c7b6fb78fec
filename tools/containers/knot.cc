// SPDX-License-Identifier: Apache-2.0
#include "tools/containers/knot.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "quantproof/kaiju1.h"
#include "tools/containers/container_error.h"
#include "tools/containers/quoted.h"
#include "tools/containers/strict_json.h"
#include "tools/containers/tensor_data.h"

namespace quantproof::containers {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::array<std::uint8_t, 4> kMagic = {0x4B, 0x4E, 0x4F, 0x54};
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kFixedBytes = 12;
constexpr std::uint32_t kHeaderLimit = std::uint32_t{1} << 26;
constexpr std::uint64_t kAlignment = 64;
constexpr std::uint64_t kIntegerLimit = (std::uint64_t{1} << 53) - 1;
constexpr std::size_t kNameLimit = 255;
constexpr std::size_t kTypeLimit = 32;
constexpr std::size_t kDimensionLimit = 8;
constexpr int kDepthLimit = 4;  // the header itself, "tensors", a tensor, its shape

constexpr std::uint64_t align(std::uint64_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

std::uint32_t read_u32(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} | std::uint32_t{bytes[1]} << 8 | std::uint32_t{bytes[2]} << 16 |
         std::uint32_t{bytes[3]} << 24;
}

class Checker {
 public:
  explicit Checker(std::string file) : file_(std::move(file)) {}

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw ContainerError(file_ + ": " + fmt::format(format, std::forward<Args>(args)...));
  }

  // 3: the header as JSON.
  [[nodiscard]] json parse(std::span<const std::uint8_t> header) const {
    return parse_strict_json(header, kDepthLimit, file_);
  }

  // 3.1, 3.2: exactly these keys.
  void check_keys(const json& object, const std::string& what,
                  std::initializer_list<const char*> keys) const {
    if (!object.is_object()) fail("{} is not an object", what);
    for (const char* key : keys) {
      if (!object.contains(key)) fail("{} lacks the key \"{}\"", what, key);
    }
    for (const auto& entry : object.items()) {
      if (std::find(keys.begin(), keys.end(), entry.key()) == keys.end()) {
        fail("{} has the unknown key {}", what, in_quotes(entry.key()));
      }
    }
  }

  // 3.3
  [[nodiscard]] std::uint64_t integer(const json& value, const std::string& what) const {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kIntegerLimit) {
      fail("{} is not an integer from 0 to 2^53 - 1", what);
    }
    return value.get<std::uint64_t>();
  }

  [[nodiscard]] KnotTensor tensor(const json& entry, std::size_t number) const {
    const std::string place = fmt::format("tensor {}", number);
    check_keys(entry, place, {"name", "type", "shape", "offset", "size"});
    if (!entry["name"].is_string()) fail("{}: \"name\" is not a string", place);
    if (!entry["type"].is_string()) fail("{}: \"type\" is not a string", place);
    KnotTensor tensor;
    tensor.name = entry["name"].get<std::string>();
    tensor.type = entry["type"].get<std::string>();
    const std::string what = place + " " + in_quotes(tensor.name);
    if (!entry["shape"].is_array()) fail("{}: \"shape\" is not an array", what);
    for (const json& dimension : entry["shape"]) {
      tensor.shape.push_back(integer(dimension, what + ": a dimension"));
    }
    tensor.offset = integer(entry["offset"], what + ": \"offset\"");
    tensor.size = integer(entry["size"], what + ": \"size\"");
    return tensor;
  }

  // 3.2 to 3.4, for readers and writers.
  void check_tensors(const std::vector<KnotTensor>& tensors) const {
    std::set<std::string> names;
    for (const KnotTensor& tensor : tensors) {
      const std::string what = "tensor " + in_quotes(tensor.name);
      const auto is_control = [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7F;
      };
      if (tensor.name.empty() || tensor.name.size() > kNameLimit ||
          std::any_of(tensor.name.begin(), tensor.name.end(), is_control)) {
        fail("{}: \"name\" is not 1 to 255 bytes without control characters", what);
      }
      const bool printable = std::all_of(tensor.type.begin(), tensor.type.end(),
                                         [](char c) { return c > 0x20 && c < 0x7F; });
      if (tensor.type.empty() || tensor.type.size() > kTypeLimit || !printable) {
        fail("{}: \"type\" is not 1 to 32 printable ASCII characters", what);
      }
      if (tensor.shape.size() > kDimensionLimit) fail("{}: more than 8 dimensions", what);
      std::uint64_t product = 1;
      for (const std::uint64_t dimension : tensor.shape) {
        if (dimension > kIntegerLimit) fail("{}: a dimension is beyond 2^53 - 1", what);
        constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        if (dimension != 0 && product > kMost / dimension) {
          fail("{}: \"shape\" has 2^63 weights or more", what);
        }
        product *= dimension;
      }
      if (tensor.size > kIntegerLimit) fail("{}: \"size\" is beyond 2^53 - 1", what);
      if (!names.insert(tensor.name).second) fail("{}: there are two of that name", what);
    }
  }

  // 5: the size that a known type asks for. `bytes`: null where they are not known yet.
  void check_type(const KnotTensor& tensor, const std::uint8_t* bytes) const {
    const std::string what = "tensor " + in_quotes(tensor.name);
    std::optional<std::uint64_t> want;
    const auto type = tensor_type(tensor.type);
    if (tensor.type == "GGUF") {
      if (tensor.shape.size() != 1) fail("{}: \"shape\" is not one length", what);
      want = tensor.shape[0];
    } else if (type && type != TensorType::kKaiju1) {
      const bool blocks =
          type != TensorType::kF32 && type != TensorType::kF16 && type != TensorType::kBf16;
      if (blocks && tensor.shape.empty()) fail("{}: \"shape\" has no row", what);
      const std::uint64_t row = tensor.shape.empty() ? 1 : tensor.shape.back();
      if (!fits(*type, row)) {
        fail("{}: \"shape\": rows of {} weights are not whole blocks of {}", what, row,
             type == TensorType::kQ8_0 ? 32 : 256);
      }
      want = tensor_size(*type, row == 0 ? 0 : tensor.weights() / row, row);
      if (!want || *want > kIntegerLimit) fail("{}: \"shape\" does not fit \"size\"", what);
    } else if (tensor.type == "KAIJU1" && bytes != nullptr) {
      if (tensor.shape.size() != 2) fail("{}: \"shape\" is not rows and cols", what);
      if (tensor.size < kKaiju1HeaderBytes) fail("{}: \"size\" holds no KAIJU1 header", what);
      const Kaiju1Header header = read_kaiju1_header(bytes);
      if (header.rows != tensor.shape[0] || header.cols != tensor.shape[1]) {
        fail("{}: \"shape\" is not that of its KAIJU1 header, {} x {}", what, header.rows,
             header.cols);
      }
      const auto layout = kaiju1_layout(header);
      if (!layout) fail("{}: its KAIJU1 header asks for 2^64 bytes or more", what);
      want = layout->size;
    }
    if (want && *want != tensor.size) {
      fail("{}: \"size\" is {}, but type and shape ask for {}", what, tensor.size, *want);
    }
  }

 private:
  std::string file_;
};

void check_zeros(const Checker& checker, std::span<const std::uint8_t> file, std::uint64_t first,
                 std::uint64_t end) {
  for (std::uint64_t i = first; i < end; ++i) {
    if (file[i] != 0) checker.fail("the byte at {} between two parts is not 0", i);
  }
}

}  // namespace

std::uint64_t KnotTensor::weights() const {
  std::uint64_t product = 1;
  for (const std::uint64_t dimension : shape) product *= dimension;
  return product;
}

Knot read_knot(std::span<const std::uint8_t> file, const std::string& name) {
  const Checker checker(name);
  if (file.size() < kFixedBytes) checker.fail("{} bytes are no KNOT file", file.size());
  if (!std::equal(kMagic.begin(), kMagic.end(), file.begin())) {
    constexpr std::array<std::uint8_t, 5> kSibling = {0x52, 0x4B, 0x4E, 0x4F, 0x54};
    if (std::equal(kSibling.begin(), kSibling.end(), file.begin())) {
      checker.fail("the magic is that of RKNOT, another container");
    }
    checker.fail("the magic is {:02X} {:02X} {:02X} {:02X}, not that of KNOT", file[0], file[1],
                 file[2], file[3]);
  }
  const std::uint32_t version = read_u32(file.data() + 4);
  if (version != kVersion) checker.fail("version {} is not known", version);
  const std::uint32_t length = read_u32(file.data() + 8);
  if (length < 2 || length > kHeaderLimit || length > file.size() - kFixedBytes) {
    checker.fail("a header of {} bytes does not fit", length);
  }
  const json header = checker.parse(file.subspan(kFixedBytes, length));
  checker.check_keys(header, "the header", {"tensors", "metadata"});
  if (!header["tensors"].is_array()) checker.fail("\"tensors\" is not an array");
  if (!header["metadata"].is_object()) checker.fail("\"metadata\" is not an object");

  Knot knot;
  for (const auto& entry : header["metadata"].items()) {
    if (!entry.value().is_string()) {
      checker.fail("metadata {} is not a string", in_quotes(entry.key()));
    }
    knot.metadata[entry.key()] = entry.value().get<std::string>();
  }
  for (const json& entry : header["tensors"]) {
    knot.tensors.push_back(checker.tensor(entry, knot.tensors.size()));
  }
  checker.check_tensors(knot.tensors);

  knot.body = align(kFixedBytes + length);
  std::uint64_t end = 0;  // of the tensor before, counted from the body
  for (const KnotTensor& tensor : knot.tensors) {
    const std::string what = "tensor " + in_quotes(tensor.name);
    if (tensor.offset != align(end)) {
      checker.fail("{}: \"offset\" is {}, but the place is {}", what, tensor.offset, align(end));
    }
    end = tensor.offset + tensor.size;
    if (knot.body + end > file.size()) {
      checker.fail("{}: \"size\": it ends at {}, the file at {}", what, knot.body + end,
                   file.size());
    }
    checker.check_type(tensor, tensor_bytes(knot, tensor, file).data());
  }
  if (file.size() != knot.body + end) {
    checker.fail("the file has {} bytes, but ends at {}", file.size(), knot.body + end);
  }
  std::uint64_t at = kFixedBytes + length;
  for (const KnotTensor& tensor : knot.tensors) {
    check_zeros(checker, file, at, knot.body + tensor.offset);
    at = knot.body + tensor.offset + tensor.size;
  }
  check_zeros(checker, file, at, file.size());
  return knot;
}

std::span<const std::uint8_t> tensor_bytes(const Knot& knot, const KnotTensor& tensor,
                                           std::span<const std::uint8_t> file) {
  return file.subspan(knot.body + tensor.offset, tensor.size);
}

FileLayout knot_layout(std::vector<KnotTensor>& tensors,
                       const std::map<std::string, std::string>& metadata,
                       const std::string& name) {
  const Checker checker(name);
  checker.check_tensors(tensors);
  std::uint64_t end = 0;
  ordered_json header = {{"tensors", ordered_json::array()}, {"metadata", ordered_json::object()}};
  for (KnotTensor& tensor : tensors) {
    checker.check_type(tensor, nullptr);
    tensor.offset = align(end);
    if (tensor.offset > kIntegerLimit || tensor.size > kIntegerLimit - tensor.offset) {
      checker.fail("tensor {}: it would end beyond 2^53 - 1", in_quotes(tensor.name));
    }
    end = tensor.offset + tensor.size;
    header["tensors"].push_back({{"name", tensor.name},
                                 {"type", tensor.type},
                                 {"shape", tensor.shape},
                                 {"offset", tensor.offset},
                                 {"size", tensor.size}});
  }
  for (const auto& [key, value] : metadata) header["metadata"][key] = value;
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::type_error&) {
    checker.fail("a name or metadata is not UTF-8");
  }
  if (text.size() > kHeaderLimit) checker.fail("a header of {} bytes does not fit", text.size());

  FileLayout layout;
  layout.head.assign(kMagic.begin(), kMagic.end());
  const auto length = static_cast<std::uint32_t>(text.size());
  for (const std::uint32_t word : {kVersion, length}) {
    for (int shift = 0; shift < 32; shift += 8) {
      layout.head.push_back(static_cast<std::uint8_t>(word >> shift));
    }
  }
  layout.head.insert(layout.head.end(), text.begin(), text.end());
  const std::uint64_t body = align(layout.head.size());
  for (const KnotTensor& tensor : tensors) {
    layout.tensors.push_back({body + tensor.offset, tensor.size});
  }
  layout.size = body + end;
  return layout;
}

}  // namespace quantproof::containers
