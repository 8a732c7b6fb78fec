// SPDX-License-Identifier: Apache-2.0
//
// safetensors files, spec/formats/safetensors.md.
#ifndef QUANTPROOF_TOOLS_CONTAINERS_SAFETENSORS_H_
#define QUANTPROOF_TOOLS_CONTAINERS_SAFETENSORS_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tools/containers/file_writer.h"

namespace quantproof::containers {

struct SafetensorsTensor {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;  // the slowest dimension first
  std::uint64_t offset = 0;          // from the data; a writer fills it in
  std::uint64_t size = 0;            // in bytes; a writer fills it in

  bool operator==(const SafetensorsTensor&) const = default;
};

struct Safetensors {
  std::vector<SafetensorsTensor> tensors;  // in the order of the data
  std::map<std::string, std::string> metadata;
  std::uint64_t data = 0;  // offset in the file
};

// Reads and checks everything but the contents of tensors (safetensors.md 6). `file`: the whole
// file. `name` stands in the messages. Throws ContainerError.
Safetensors read_safetensors(std::span<const std::uint8_t> file, const std::string& name);

// The bytes of a tensor of that file.
std::span<const std::uint8_t> tensor_bytes(const Safetensors& safetensors,
                                           const SafetensorsTensor& tensor,
                                           std::span<const std::uint8_t> file);

// The layout of a file with these tensors (safetensors.md 7); offsets and sizes of `tensors` are
// filled in. Throws ContainerError where a reader would refuse the file.
FileLayout safetensors_layout(std::vector<SafetensorsTensor>& tensors,
                              const std::map<std::string, std::string>& metadata,
                              const std::string& name);

// An index file (safetensors.md 5): the file of each tensor. Throws ContainerError.
std::map<std::string, std::string> read_safetensors_index(std::span<const std::uint8_t> file,
                                                          const std::string& name);

// The key of __metadata__ that holds the shapes of E8/IQ3 tensors (safetensors.md 4.3), as JSON:
// names to arrays; and the key that names their format, as colibri reads it.
constexpr const char* kShapesKey = "quantproof.shapes";
constexpr const char* kColibriKey = "colibri.fmt";
constexpr const char* kColibriFormat = "e8-iq3-lattice";

std::map<std::string, std::vector<std::uint64_t>> read_shapes(const Safetensors& safetensors,
                                                              const std::string& name);
// The two entries of metadata for E8/IQ3 tensors of these shapes; none where there are none.
std::map<std::string, std::string> write_shapes(
    const std::map<std::string, std::vector<std::uint64_t>>& shapes);

}  // namespace quantproof::containers

#endif
