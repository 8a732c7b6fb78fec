// SPDX-License-Identifier: Apache-2.0
#include "tools/containers/mapped_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "fmt/format.h"

#include "tools/containers/container_error.h"

namespace quantproof::containers {

namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw FileError(fmt::format("cannot read {}: {}", path, std::generic_category().message(error)));
}

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail(path, errno);
  struct stat info {};
  int error = fstat(file, &info) != 0 ? errno : 0;
  if (error == 0 && !S_ISREG(info.st_mode)) error = S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
  size_ = static_cast<std::size_t>(info.st_size);
  if (error == 0 && size_ > 0) {
    void* const mapping = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapping == MAP_FAILED) {
      error = errno;
    } else {
      first_ = static_cast<const std::uint8_t*>(mapping);
    }
  }
  close(file);
  if (error != 0) fail(path, error);
}

void MappedFile::release(std::span<const std::uint8_t> bytes) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = (reinterpret_cast<std::uintptr_t>(bytes.data()) + page - 1) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(bytes.data() + bytes.size()) / page * page;
  if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
}

MappedFile::~MappedFile() {
  if (first_ != nullptr) munmap(const_cast<std::uint8_t*>(first_), size_);
}

}  // namespace quantproof::containers
