// SPDX-License-Identifier: Apache-2.0
#include "tools/containers/model_file.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

#include "fmt/format.h"

#include "quantproof/qp.h"
#include "tools/containers/container_error.h"
#include "tools/containers/knot.h"
#include "tools/containers/quoted.h"
#include "tools/containers/safetensors.h"

namespace quantproof::containers {

namespace {

constexpr std::size_t kBlockBytes = 98;
constexpr std::size_t kBlockWeights = 256;

template <class... Args>
[[noreturn]] void fail(const std::string& path, fmt::format_string<Args...> format,
                       Args&&... args) {
  throw ContainerError(path + ": " + fmt::format(format, std::forward<Args>(args)...));
}

bool begins_with(std::span<const std::uint8_t> file, std::string_view magic) {
  return file.size() >= magic.size() && std::equal(magic.begin(), magic.end(), file.begin());
}

// gguf.md 8.1: the name of part `number` (from 0) of a split file whose first part is `path`.
std::string part_path(const std::string& path, std::uint64_t number, std::uint64_t count) {
  const std::string end = fmt::format("-{:05}-of-{:05}.gguf", 1, count);
  if (!path.ends_with(end)) {
    fail(path, "the first of {} parts, whose name must end in {}", count, end);
  }
  return path.substr(0, path.size() - end.size()) +
         fmt::format("-{:05}-of-{:05}.gguf", number + 1, count);
}

std::string beside(const std::string& path, const std::string& name) {
  return (std::filesystem::path(path).parent_path() / name).string();
}

}  // namespace

const char* container_name(Container container) {
  switch (container) {
    case Container::kGguf:
      return "GGUF";
    case Container::kSafetensors:
      return "safetensors";
    case Container::kKnot:
      return "KNOT";
    case Container::kSafetensorsIndex:
      return "safetensors index";
    case Container::kImatrix:
      return "imatrix";
  }
  return "";
}

Container sniff(std::span<const std::uint8_t> file) {
  if (begins_with(file, "GGUF")) return Container::kGguf;
  if (begins_with(file, "KNOT") || begins_with(file, "RKNOT")) return Container::kKnot;
  if (file.size() > 8 && file[8] == '{' && file[6] == 0 && file[7] == 0) {
    return Container::kSafetensors;
  }
  if (begins_with(file, "{")) return Container::kSafetensorsIndex;
  return Container::kImatrix;
}

std::uint64_t ModelTensor::rows() const {
  std::uint64_t product = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) product *= shape[i];
  return product;
}

const MappedFile& ModelFile::map(const std::string& path) {
  files_.push_back(std::make_unique<MappedFile>(path));
  paths.push_back(path);
  return *files_.back();
}

const ModelTensor* ModelFile::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &tensors[found->second];
}

ModelFile::ModelFile(const std::string& path) {
  const MappedFile& file = map(path);
  container = sniff(file.bytes());
  switch (container) {
    case Container::kGguf:
      add_gguf(path);
      break;
    case Container::kSafetensors:
      add_safetensors(path);
      break;
    case Container::kKnot:
      add_knot();
      break;
    case Container::kSafetensorsIndex:
      add_index(path);
      break;
    case Container::kImatrix:
      fail(path, "no GGUF, safetensors or KNOT file, nor an index of safetensors files");
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!by_name_.emplace(tensors[i].name, i).second) {
      fail(path, "tensor {} is in two of its files", in_quotes(tensors[i].name));
    }
  }
}

void ModelFile::add_gguf(const std::string& path) {
  std::uint64_t count = 1;
  std::uint64_t expected = 0;
  for (std::uint64_t number = 0; number < count; ++number) {
    const std::string part = number == 0 ? path : part_path(path, number, count);
    const std::span<const std::uint8_t> bytes =
        number == 0 ? files_[0]->bytes() : map(part).bytes();
    const Gguf gguf = read_gguf(bytes, part);
    // gguf.md 8
    const auto integer = [&](const char* key) {
      return integer_of(find_entry(gguf.metadata, key));
    };
    const std::uint64_t its_count = integer("split.count").value_or(1);
    const std::uint64_t its_number = integer("split.no").value_or(0);
    if (number == 0) {
      version = gguf.version;
      count = std::max<std::uint64_t>(its_count, 1);
      if (count > 99999) fail(part, "split.count is {}", count);
      expected = integer("split.tensors.count").value_or(0);
      for (const GgufEntry& entry : gguf.metadata) {
        if (!entry.key.starts_with("split.")) metadata.push_back(entry);
      }
      if (count > 1) part_path(path, 0, count);
    }
    if (its_number != number || (count > 1 && its_count != count)) {
      fail(part,
           "it says to be part {} of {} (split.no, split.count), where part {} of {} is needed",
           its_number, its_count, number, count);
    }
    for (const GgufTensor& tensor : gguf.tensors) {
      ModelTensor entry;
      entry.name = tensor.name;
      entry.type_name = ggml_type(tensor.type)->name;
      entry.type = tensor_type(entry.type_name);
      entry.shape.assign(tensor.dimensions.rbegin(), tensor.dimensions.rend());
      entry.bytes = tensor_bytes(gguf, tensor, bytes);
      entry.file = number;
      entry.offset = gguf.data + tensor.offset;
      tensors.push_back(std::move(entry));
    }
  }
  if (count > 1 && expected != tensors.size()) {
    fail(path, "split.tensors.count is {}, but the {} parts have {} tensors", expected, count,
         tensors.size());
  }
}

void ModelFile::add_safetensors(const std::string& path) {
  const std::span<const std::uint8_t> file = files_.back()->bytes();
  const Safetensors safetensors = read_safetensors(file, path);
  const auto shapes = read_shapes(safetensors, path);
  for (const auto& [key, value] : safetensors.metadata) {
    if (key != kShapesKey && key != kColibriKey) texts[key] = value;
  }
  std::map<std::string, const SafetensorsTensor*> by_name;
  for (const SafetensorsTensor& tensor : safetensors.tensors) by_name[tensor.name] = &tensor;
  // safetensors.md 4: bytes X and a tag X.qs are one E8/IQ3 tensor.
  const auto is_tag = [&](const std::string& name) {
    const auto found = by_name.find(name);
    return found != by_name.end() && found->second->dtype == "F32" && found->second->size == 4;
  };
  const auto is_blocks = [&](const SafetensorsTensor& tensor) {
    return tensor.dtype == "U8" && tensor.shape.size() == 1 && tensor.size % kBlockBytes == 0 &&
           tensor.size != 0 && is_tag(tensor.name + ".qs");
  };
  for (const SafetensorsTensor& tensor : safetensors.tensors) {
    const std::string_view text = tensor.name;
    if (text.ends_with(".qs") && is_tag(tensor.name)) {
      const auto owner = by_name.find(tensor.name.substr(0, text.size() - 3));
      if (owner != by_name.end() && is_blocks(*owner->second)) continue;
    }
    ModelTensor entry;
    entry.name = tensor.name;
    entry.type_name = tensor.dtype;
    entry.type = tensor_type(tensor.dtype);
    entry.shape = tensor.shape;
    entry.bytes = tensor_bytes(safetensors, tensor, file);
    entry.file = files_.size() - 1;
    entry.offset = safetensors.data + tensor.offset;
    if (is_blocks(tensor)) {
      entry.type = TensorType::kE8Iq3;
      entry.type_name = type_name(TensorType::kE8Iq3);
      entry.rotated = true;
      entry.shape = {tensor.size / kBlockBytes * kBlockWeights};
      if (const auto found = shapes.find(tensor.name); found != shapes.end()) {
        entry.shape = found->second;
        std::uint64_t rows = 1;
        bool holds = true;
        for (std::size_t d = 0; d + 1 < entry.shape.size() && holds; ++d) {
          holds = entry.shape[d] <= tensor.size / std::max<std::uint64_t>(rows, 1);
          rows *= holds ? entry.shape[d] : 1;
        }
        if (!holds || tensor_size(TensorType::kE8Iq3, rows, entry.row()) != tensor.size) {
          fail(path, "tensor {}: its shape in {} does not fit its {} bytes", in_quotes(tensor.name),
               kShapesKey, tensor.size);
        }
      }
    }
    tensors.push_back(std::move(entry));
  }
}

void ModelFile::add_index(const std::string& path) {
  const auto weight_map = read_safetensors_index(files_[0]->bytes(), path);
  std::set<std::string> names;
  for (const auto& [tensor, file] : weight_map) names.insert(file);
  std::string missing;
  for (const std::string& name : names) {
    if (!std::filesystem::exists(beside(path, name)))
      missing += (missing.empty() ? "" : ", ") + name;
  }
  if (!missing.empty()) fail(path, "files that it names are missing: {}", missing);
  std::set<std::string> found;
  for (const std::string& name : names) {
    const std::string part = beside(path, name);
    const std::size_t first = tensors.size();
    const std::span<const std::uint8_t> bytes = map(part).bytes();
    if (sniff(bytes) != Container::kSafetensors) fail(part, "no safetensors file");
    add_safetensors(part);
    for (std::size_t i = first; i < tensors.size(); ++i) {
      const auto entry = weight_map.find(tensors[i].name);
      if (entry == weight_map.end() || entry->second != name) {
        fail(part, "tensor {} is in this file, but not so in {}", in_quotes(tensors[i].name), path);
      }
      found.insert(tensors[i].name);
      if (tensors[i].rotated) found.insert(tensors[i].name + ".qs");
    }
  }
  for (const auto& [tensor, file] : weight_map) {
    if (!found.contains(tensor)) {
      fail(path, "tensor {} is not in {}", in_quotes(tensor), in_quotes(file));
    }
  }
}

void ModelFile::add_knot() {
  const std::span<const std::uint8_t> file = files_[0]->bytes();
  const Knot knot = read_knot(file, paths[0]);
  version = 1;
  texts = knot.metadata;
  const bool rotated = texts.erase(kRotatedKey) != 0;
  for (const KnotTensor& tensor : knot.tensors) {
    const auto bytes = quantproof::containers::tensor_bytes(knot, tensor, file);
    if (tensor.type == kGgufMetadataType) {
      const std::string what = paths[0] + ": tensor " + in_quotes(tensor.name);
      Gguf gguf = read_gguf(bytes, what);
      if (!gguf.tensors.empty()) throw ContainerError(what + " has tensors of its own");
      if (!metadata.empty()) throw ContainerError(what + " is the second of its type");
      metadata = std::move(gguf.metadata);
      continue;
    }
    ModelTensor entry;
    entry.name = tensor.name;
    entry.type_name = tensor.type;
    entry.type = tensor_type(tensor.type);
    entry.rotated = rotated && entry.type == TensorType::kE8Iq3;
    entry.shape = tensor.shape;
    entry.bytes = bytes;
    entry.offset = knot.body + tensor.offset;
    tensors.push_back(std::move(entry));
  }
}

void decode_rows(const ModelTensor& tensor, std::uint64_t first, std::uint64_t rows, float* out) {
  const std::string what = "tensor " + in_quotes(tensor.name);
  if (!tensor.type) {
    throw ContainerError(
        fmt::format("{}: {} is known, but not decoded here", what, tensor.type_name));
  }
  if (tensor.rotated && tensor.shape.size() < 2) {
    throw ContainerError(what +
                         ": its width is not in the file, and its rotation not to be undone");
  }
  try {
    decode_rows(*tensor.type, tensor.bytes, tensor.row(), first, rows, out);
  } catch (const ContainerError& error) {
    throw ContainerError(what + ": " + error.what());
  }
  if (tensor.rotated && rows != 0) qp_unrotate(out, rows, tensor.row());
}

}  // namespace quantproof::containers
