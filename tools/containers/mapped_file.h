// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_CONTAINERS_MAPPED_FILE_H_
#define QUANTPROOF_TOOLS_CONTAINERS_MAPPED_FILE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace quantproof::containers {

// A whole file, mapped for reading. The file must not be cut while it is mapped.
class MappedFile {
 public:
  // Throws FileError.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return {first_, size_}; }

  // Gives the memory of some bytes of a mapped file back; they are read again where needed.
  static void release(std::span<const std::uint8_t> bytes);

 private:
  const std::uint8_t* first_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace quantproof::containers

#endif
