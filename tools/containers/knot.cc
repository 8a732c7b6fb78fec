// SPDX-License-Identifier: Apache-2.0
#include "tools/containers/knot.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "quantproof/iq3_block.h"
#include "quantproof/kaiju1.h"
#include "tools/containers/container_error.h"

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
constexpr std::size_t kBlockBytes = 98;

constexpr std::uint64_t align(std::uint64_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

std::uint32_t read_u32(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} | std::uint32_t{bytes[1]} << 8 | std::uint32_t{bytes[2]} << 16 |
         std::uint32_t{bytes[3]} << 24;
}

// A name as messages show it.
std::string in_quotes(const std::string& text) {
  return ordered_json(text).dump(-1, ' ', true, ordered_json::error_handler_t::replace);
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
    std::vector<std::set<std::string>> keys;
    const json::parser_callback_t watch = [&](int depth, json::parse_event_t event, json& value) {
      switch (event) {
        case json::parse_event_t::object_start:
        case json::parse_event_t::array_start:
          if (depth >= kDepthLimit) fail("the header nests more than {} deep", kDepthLimit);
          keys.emplace_back();
          break;
        case json::parse_event_t::object_end:
        case json::parse_event_t::array_end:
          keys.pop_back();
          break;
        case json::parse_event_t::key:
          if (!keys.back().insert(value.get<std::string>()).second) {
            fail("the header has the key {} twice", in_quotes(value.get<std::string>()));
          }
          break;
        case json::parse_event_t::value:
          break;
      }
      return true;
    };
    if (header.size() >= 3 && header[0] == 0xEF) fail("the header begins with a byte order mark");
    try {
      return json::parse(header.begin(), header.end(), watch);
    } catch (const json::parse_error& error) {
      fail("the header is not JSON (near its byte {})", error.byte);
    }
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
    const std::uint64_t weights = tensor.weights();
    if (tensor.type == "F32" || tensor.type == "F16" || tensor.type == "BF16") {
      const std::uint64_t each = tensor.type == "F32" ? 4 : 2;
      if (weights > kIntegerLimit / each) fail("{}: \"shape\" does not fit \"size\"", what);
      want = each * weights;
    } else if (tensor.type == "IQ3_XXS" || tensor.type == "E8_IQ3") {
      if (tensor.shape.empty()) fail("{}: \"shape\" has no row", what);
      const std::uint64_t row = tensor.shape.back();
      if (tensor.type == "IQ3_XXS" && row % kBlockWeights != 0) {
        fail("{}: \"shape\": rows of {} weights are not whole blocks of 256", what, row);
      }
      const std::uint64_t blocks = row / kBlockWeights + (row % kBlockWeights != 0 ? 1 : 0);
      const std::uint64_t rows = row == 0 ? 0 : weights / row;
      if (blocks != 0 && rows > kIntegerLimit / kBlockBytes / blocks) {
        fail("{}: \"shape\" does not fit \"size\"", what);
      }
      want = kBlockBytes * blocks * rows;
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

KnotWriter::KnotWriter(std::string path, std::vector<KnotTensor> tensors,
                       const std::map<std::string, std::string>& metadata)
    : path_(std::move(path)), tensors_(std::move(tensors)) {
  const Checker checker(path_);
  checker.check_tensors(tensors_);
  std::uint64_t end = 0;
  ordered_json header = {{"tensors", ordered_json::array()}, {"metadata", ordered_json::object()}};
  for (KnotTensor& tensor : tensors_) {
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

  file_.open(path_ + ".partial", std::ios::binary | std::ios::trunc);
  if (!file_) throw FileError(fmt::format("cannot write {}.partial", path_));
  put(kMagic.data(), kMagic.size());
  const auto length = static_cast<std::uint32_t>(text.size());
  for (const std::uint32_t word : {kVersion, length}) {
    const std::array<std::uint8_t, 4> bytes = {
        static_cast<std::uint8_t>(word), static_cast<std::uint8_t>(word >> 8),
        static_cast<std::uint8_t>(word >> 16), static_cast<std::uint8_t>(word >> 24)};
    put(bytes.data(), bytes.size());
  }
  put(text.data(), text.size());
  body_ = align(at_);
  pad_to(body_);
}

KnotWriter::~KnotWriter() {
  if (finished_) return;
  file_.close();
  std::error_code ignored;
  std::filesystem::remove(path_ + ".partial", ignored);
}

void KnotWriter::put(const void* bytes, std::size_t n) {
  file_.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(n));
  if (!file_) throw FileError(fmt::format("cannot write {}.partial", path_));
  at_ += n;
}

void KnotWriter::pad_to(std::uint64_t offset) {
  constexpr std::array<std::uint8_t, kAlignment> kZeros{};
  put(kZeros.data(), static_cast<std::size_t>(offset - at_));
}

void KnotWriter::write(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    if (tensor_ == tensors_.size()) throw std::logic_error("more bytes than tensors");
    const KnotTensor& tensor = tensors_[tensor_];
    if (tensor.size == 0) {
      ++tensor_;
      continue;
    }
    if (written_ == 0) pad_to(body_ + tensor.offset);
    const auto n =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), tensor.size - written_));
    put(bytes.data(), n);
    written_ += n;
    bytes = bytes.subspan(n);
    if (written_ == tensor.size) {
      ++tensor_;
      written_ = 0;
    }
  }
}

void KnotWriter::finish() {
  while (tensor_ < tensors_.size() && tensors_[tensor_].size == 0) {
    pad_to(body_ + tensors_[tensor_].offset);
    ++tensor_;
  }
  if (tensor_ != tensors_.size()) throw std::logic_error("bytes are missing");
  file_.close();
  if (!file_) throw FileError(fmt::format("cannot write {}.partial", path_));
  std::filesystem::rename(path_ + ".partial", path_);
  finished_ = true;
}

}  // namespace quantproof::containers
