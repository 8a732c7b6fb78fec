// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_CONTAINERS_FILE_WRITER_H_
#define QUANTPROOF_TOOLS_CONTAINERS_FILE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace quantproof::containers {

struct Extent {
  std::uint64_t offset = 0;  // in the file
  std::uint64_t size = 0;
  bool operator==(const Extent&) const = default;
};

// Where everything of a file will lie. The bytes between its parts are zeros.
struct FileLayout {
  std::vector<std::uint8_t> head;  // what stands before the tensors
  std::vector<Extent> tensors;     // ascending, without overlaps
  std::uint64_t size = 0;          // of the whole file
};

// Writes one file, tensor after tensor, in bounded memory: to PATH.partial, which finish() renames.
// All functions throw FileError with the system's reason.
class FileWriter {
 public:
  FileWriter(std::string path, FileLayout layout);
  // Goes on with a PATH.partial that holds the first `tensors` tensors.
  FileWriter(std::string path, FileLayout layout, std::size_t tensors);
  // Removes PATH.partial unless finish() or keep() was called.
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  // The next bytes of the present tensor, in pieces of any size. Throws std::logic_error when there
  // are more bytes than tensors.
  void write(std::span<const std::uint8_t> bytes);
  // Renames to PATH, when the bytes are on the disk. Throws std::logic_error when bytes are
  // missing.
  void finish();
  // PATH.partial stays when the writer goes.
  void keep() { keep_ = true; }

  [[nodiscard]] const FileLayout& layout() const { return layout_; }

 private:
  void put(const void* bytes, std::size_t n);
  void pad_to(std::uint64_t offset);
  [[noreturn]] void fail(int error) const;

  std::string path_;
  FileLayout layout_;
  int file_ = -1;
  std::uint64_t at_ = 0;       // in the file
  std::size_t tensor_ = 0;     // the present one
  std::uint64_t written_ = 0;  // of it
  bool keep_ = false;
};

}  // namespace quantproof::containers

#endif
