// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_PROOFS_MACHINE_CODE_GUARDED_H_
#define QUANTPROOF_PROOFS_MACHINE_CODE_GUARDED_H_

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

namespace quantproof::proofs::machine_code {

// Memory shared with a child, its end against a page that nobody may touch.
class Guarded {
 public:
  explicit Guarded(std::size_t size) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t inner = (size + page - 1) / page * page;
    total_ = inner + 2 * page;
    base_ = static_cast<std::uint8_t*>(
        mmap(nullptr, total_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED) throw std::runtime_error("no memory for a replay");
    mprotect(base_, page, PROT_NONE);
    mprotect(base_ + page + inner, page, PROT_NONE);
    data_ = base_ + page + inner - size;
  }
  ~Guarded() { munmap(base_, total_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  [[nodiscard]] std::uint8_t* data() const { return data_; }

 private:
  std::uint8_t* base_ = nullptr;
  std::uint8_t* data_ = nullptr;
  std::size_t total_ = 0;
};

}  // namespace quantproof::proofs::machine_code

#endif
