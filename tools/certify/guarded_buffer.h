// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_CERTIFY_GUARDED_BUFFER_H_
#define QUANTPROOF_TOOLS_CERTIFY_GUARDED_BUFFER_H_

#include <cstddef>
#include <cstdint>

namespace quantproof::certify {

// Memory with an unmapped page right before and right after it: a load or store that leaves it
// is a fault, not luck.
class GuardedBuffer {
 public:
  // At least `capacity` usable bytes, rounded up to whole pages.
  explicit GuardedBuffer(std::size_t capacity);
  ~GuardedBuffer();
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  std::size_t capacity() const { return capacity_; }
  std::uint8_t* first() const { return first_; }  // guard page right before
  std::uint8_t* last(std::size_t size) const {    // guard page right after
    return first_ + capacity_ - size;
  }

  // Where `address` stands: distance from the nearest usable byte when it lies in a guard page
  // (negative: before the buffer), else 0.
  std::ptrdiff_t distance_outside(const void* address) const;

 private:
  std::uint8_t* first_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t page_ = 0;
};

}  // namespace quantproof::certify

#endif
