// SPDX-License-Identifier: Apache-2.0
#include "tools/certify/guarded_buffer.h"

#include <cerrno>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace quantproof::certify {

GuardedBuffer::GuardedBuffer(std::size_t capacity)
    : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
  capacity_ = (capacity + page_ - 1) / page_ * page_;
  if (capacity_ == 0) capacity_ = page_;
  void* all = mmap(nullptr, capacity_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  first_ = static_cast<std::uint8_t*>(all) + page_;
  if (mprotect(first_, capacity_, PROT_READ | PROT_WRITE) != 0) {
    const int error = errno;
    munmap(all, capacity_ + 2 * page_);
    throw std::system_error(error, std::generic_category(), "mprotect");
  }
}

GuardedBuffer::~GuardedBuffer() { munmap(first_ - page_, capacity_ + 2 * page_); }

std::ptrdiff_t GuardedBuffer::distance_outside(const void* address) const {
  const auto* byte = static_cast<const std::uint8_t*>(address);
  if (byte >= first_ - page_ && byte < first_) return byte - first_;
  const auto* end = first_ + capacity_;
  if (byte >= end && byte < end + page_) return byte - end + 1;
  return 0;
}

}  // namespace quantproof::certify
