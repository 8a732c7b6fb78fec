// SPDX-License-Identifier: Apache-2.0
//
// Importance matrices of llama.cpp in both forms, spec/formats/imatrix.md.
#ifndef QUANTPROOF_TOOLS_CONTAINERS_IMATRIX_H_
#define QUANTPROOF_TOOLS_CONTAINERS_IMATRIX_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tools/containers/file_writer.h"

namespace quantproof::containers {

// Sums of the squared inputs of one weight tensor.
struct ImatrixEntry {
  std::vector<float> sums;    // of each column; expert after expert
  std::vector<float> counts;  // how many inputs each expert's sums have; whole numbers

  [[nodiscard]] std::uint64_t columns() const { return sums.size() / counts.size(); }
  // Mean squares, expert after expert: what an encoder takes. Ones for an expert without inputs.
  [[nodiscard]] std::vector<float> importance() const;
};

struct Imatrix {
  bool legacy = false;                          // the form it was read from
  std::map<std::string, ImatrixEntry> entries;  // of weight tensors, by name
  std::vector<std::string> datasets;
  std::uint32_t chunk_count = 0;
  std::uint32_t chunk_size = 0;  // 0 in the legacy form, whose counts are chunks
};

// Reads either form, told apart by the first bytes. `name` stands in the messages. Throws
// ContainerError.
Imatrix read_imatrix(std::span<const std::uint8_t> file, const std::string& name);

// A file as layout and the bytes of its tensors: FileWriter writes it. Throws ContainerError where
// the form cannot hold it.
struct ImatrixFile {
  FileLayout layout;
  std::vector<std::uint8_t> data;
};
ImatrixFile imatrix_as_gguf(const Imatrix& imatrix, const std::string& name);
ImatrixFile imatrix_as_legacy(const Imatrix& imatrix, const std::string& name);

// The chunk size that legacy counts are taken to have where no one says otherwise: llama.cpp's.
constexpr std::uint32_t kUsualChunkSize = 512;
// Legacy counts and sums as those of inputs (imatrix.md 5.2).
Imatrix with_chunk_size(const Imatrix& legacy, std::uint32_t chunk_size);

}  // namespace quantproof::containers

#endif
