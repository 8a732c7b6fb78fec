// SPDX-License-Identifier: Apache-2.0
//
// A model in any container: GGUF, safetensors or KNOT, in one file or several.
#ifndef QUANTPROOF_TOOLS_CONTAINERS_MODEL_FILE_H_
#define QUANTPROOF_TOOLS_CONTAINERS_MODEL_FILE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/containers/gguf.h"
#include "tools/containers/mapped_file.h"
#include "tools/containers/tensor_data.h"

namespace quantproof::containers {

enum class Container { kGguf, kSafetensors, kKnot, kSafetensorsIndex, kImatrix };
const char* container_name(Container container);

// What the first bytes say that a file is; kImatrix is the legacy form, which has no magic and is
// what remains. Suffixes do not count.
Container sniff(std::span<const std::uint8_t> file);

struct ModelTensor {
  std::string name;
  std::string type_name;             // as the container writes it
  std::optional<TensorType> type;    // nothing for a type that is not decoded here
  bool rotated = false;              // E8/IQ3: rows were rotated (rotation.md)
  std::vector<std::uint64_t> shape;  // the slowest dimension first; a row is the last one
  std::span<const std::uint8_t> bytes;
  std::size_t file = 0;      // number of the file it is in
  std::uint64_t offset = 0;  // there

  [[nodiscard]] std::uint64_t row() const { return shape.empty() ? 1 : shape.back(); }
  [[nodiscard]] std::uint64_t rows() const;
  [[nodiscard]] std::uint64_t weights() const { return rows() * row(); }
};

class ModelFile {
 public:
  // Opens and checks `path`, and the files that belong to it: the other parts of a split GGUF, the
  // files of a safetensors index. Throws ContainerError and FileError.
  explicit ModelFile(const std::string& path);

  // Of the first file. GGUF metadata without the keys of splits; that of KNOT files which carry it.
  Container container = Container::kGguf;
  std::uint32_t version = 0;  // of GGUF and KNOT
  GgufMetadata metadata;
  std::map<std::string, std::string> texts;  // metadata of safetensors and KNOT
  std::vector<ModelTensor> tensors;          // in the order of the files
  std::vector<std::string> paths;

  // Null where there is none of that name.
  [[nodiscard]] const ModelTensor* find(const std::string& name) const;

 private:
  void add_gguf(const std::string& path);
  void add_safetensors(const std::string& path);
  void add_index(const std::string& path);
  void add_knot();
  const MappedFile& map(const std::string& path);

  std::vector<std::unique_ptr<MappedFile>> files_;
  std::map<std::string, std::size_t> by_name_;
};

// Rows [first, first + rows) of a tensor as binary32 to `out`, with the rotation of E8/IQ3 undone.
// Throws ContainerError, which names the tensor, also where the type is not decoded here.
void decode_rows(const ModelTensor& tensor, std::uint64_t first, std::uint64_t rows, float* out);

// The type of the KNOT tensor that carries the metadata of a GGUF file (knot.md 5.1), and the key
// of KNOT metadata that says which E8_IQ3 tensors are rotated.
constexpr const char* kGgufMetadataType = "GGUF";
constexpr const char* kRotatedKey = "rotated";

}  // namespace quantproof::containers

#endif
