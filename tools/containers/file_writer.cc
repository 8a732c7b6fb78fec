// SPDX-License-Identifier: Apache-2.0
#include "tools/containers/file_writer.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "fmt/format.h"

#include "tools/containers/container_error.h"

namespace quantproof::containers {

FileWriter::FileWriter(std::string path, FileLayout layout)
    : path_(std::move(path)), layout_(std::move(layout)) {
  file_ = open((path_ + ".partial").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) fail(errno);
  try {
    put(layout_.head.data(), layout_.head.size());
  } catch (const FileError&) {  // a constructor that throws has no destructor
    close(file_);
    std::error_code ignored;
    std::filesystem::remove(path_ + ".partial", ignored);
    throw;
  }
}

FileWriter::FileWriter(std::string path, FileLayout layout, std::size_t tensors)
    : path_(std::move(path)), layout_(std::move(layout)), tensor_(tensors) {
  file_ = open((path_ + ".partial").c_str(), O_WRONLY | O_CLOEXEC);
  if (file_ < 0) fail(errno);
  at_ = tensors == 0 ? layout_.head.size()
                     : layout_.tensors[tensors - 1].offset + layout_.tensors[tensors - 1].size;
  if (ftruncate(file_, static_cast<off_t>(at_)) != 0 ||
      lseek(file_, static_cast<off_t>(at_), SEEK_SET) < 0) {
    const int error = errno;
    close(file_);
    fail(error);
  }
}

FileWriter::~FileWriter() {
  if (file_ >= 0) close(file_);
  if (keep_) return;
  std::error_code ignored;
  std::filesystem::remove(path_ + ".partial", ignored);
}

void FileWriter::fail(int error) const {
  throw FileError(
      fmt::format("cannot write {}.partial: {}", path_, std::generic_category().message(error)));
}

void FileWriter::put(const void* bytes, std::size_t n) {
  const auto* from = static_cast<const char*>(bytes);
  while (n != 0) {
    const ssize_t done = ::write(file_, from, n);
    if (done < 0) {
      if (errno == EINTR) continue;
      fail(errno);
    }
    from += done;
    n -= static_cast<std::size_t>(done);
    at_ += static_cast<std::uint64_t>(done);
  }
}

void FileWriter::pad_to(std::uint64_t offset) {
  static constexpr std::array<std::uint8_t, 4096> kZeros{};
  while (at_ < offset) {
    put(kZeros.data(),
        static_cast<std::size_t>(std::min<std::uint64_t>(kZeros.size(), offset - at_)));
  }
}

void FileWriter::write(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    if (tensor_ == layout_.tensors.size()) throw std::logic_error("more bytes than tensors");
    const Extent& tensor = layout_.tensors[tensor_];
    if (tensor.size == 0) {
      ++tensor_;
      continue;
    }
    if (written_ == 0) pad_to(tensor.offset);
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

void FileWriter::finish() {
  while (tensor_ < layout_.tensors.size() && layout_.tensors[tensor_].size == 0) ++tensor_;
  if (tensor_ != layout_.tensors.size()) throw std::logic_error("bytes are missing");
  pad_to(layout_.size);
  if (fsync(file_) != 0 && errno != EINVAL) fail(errno);
  const int closed = close(file_);
  file_ = -1;
  if (closed != 0) fail(errno);
  if (std::rename((path_ + ".partial").c_str(), path_.c_str()) != 0) fail(errno);
  keep_ = true;
}

}  // namespace quantproof::containers
