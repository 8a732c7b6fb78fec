// SPDX-License-Identifier: Apache-2.0
//
// KNOT files, spec/formats/knot.md.
#ifndef QUANTPROOF_TOOLS_CONTAINERS_KNOT_H_
#define QUANTPROOF_TOOLS_CONTAINERS_KNOT_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tools/containers/file_writer.h"

namespace quantproof::containers {

struct KnotTensor {
  std::string name;
  std::string type;
  std::vector<std::uint64_t> shape;  // the slowest dimension first
  std::uint64_t offset = 0;          // from the body; a writer fills it in
  std::uint64_t size = 0;            // in bytes

  bool operator==(const KnotTensor&) const = default;
  // The product of the shape; below 2^63.
  [[nodiscard]] std::uint64_t weights() const;
};

struct Knot {
  std::vector<KnotTensor> tensors;
  std::map<std::string, std::string> metadata;
  std::uint64_t body = 0;  // offset in the file
};

// Reads and checks the header and the bounds of every tensor (knot.md 6). The contents of tensors
// are not looked at, except the header of a KAIJU1 one. `file`: the whole file. `name` stands in
// the messages. Throws ContainerError.
Knot read_knot(std::span<const std::uint8_t> file, const std::string& name);

// The bytes of a tensor of that file.
std::span<const std::uint8_t> tensor_bytes(const Knot& knot, const KnotTensor& tensor,
                                           std::span<const std::uint8_t> file);

// The layout of a file with these tensors, for FileWriter (knot.md 7); offsets of `tensors` are
// filled in. Throws ContainerError where clauses 3 or 5 forbid them.
FileLayout knot_layout(std::vector<KnotTensor>& tensors,
                       const std::map<std::string, std::string>& metadata, const std::string& name);

}  // namespace quantproof::containers

#endif
