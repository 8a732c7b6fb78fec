// SPDX-License-Identifier: Apache-2.0
//
// KNOT files, spec/formats/knot.md.
#ifndef QUANTPROOF_TOOLS_CONTAINERS_KNOT_H_
#define QUANTPROOF_TOOLS_CONTAINERS_KNOT_H_

#include <cstdint>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <vector>

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

// Writes one file, tensor after tensor, in bounded memory (knot.md 7).
class KnotWriter {
 public:
  // `tensors`: names, types, shapes and sizes in the order in which they will come. Throws
  // ContainerError where clauses 3 or 5 forbid them, FileError where PATH.partial cannot be
  // written.
  KnotWriter(std::string path, std::vector<KnotTensor> tensors,
             const std::map<std::string, std::string>& metadata);
  // Removes PATH.partial unless finish() was called.
  ~KnotWriter();
  KnotWriter(const KnotWriter&) = delete;
  KnotWriter& operator=(const KnotWriter&) = delete;

  // The next bytes of the present tensor, in pieces of any size. Throws FileError.
  void write(std::span<const std::uint8_t> bytes);
  // Renames to PATH. Throws std::logic_error when bytes are missing, FileError.
  void finish();

 private:
  void put(const void* bytes, std::size_t n);
  void pad_to(std::uint64_t offset);

  std::string path_;
  std::vector<KnotTensor> tensors_;
  std::ofstream file_;
  std::uint64_t body_ = 0;
  std::uint64_t at_ = 0;       // in the file
  std::size_t tensor_ = 0;     // the present one
  std::uint64_t written_ = 0;  // of it
  bool finished_ = false;
};

}  // namespace quantproof::containers

#endif
