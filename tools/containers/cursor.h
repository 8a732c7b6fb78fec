// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_CONTAINERS_CURSOR_H_
#define QUANTPROOF_TOOLS_CONTAINERS_CURSOR_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fmt/format.h"

#include "tools/containers/container_error.h"

namespace quantproof::containers {

// Reads little-endian fields of a file from front to back; no byte outside it is touched.
class Cursor {
 public:
  Cursor(std::span<const std::uint8_t> file, std::string name)
      : file_(file), name_(std::move(name)) {}

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw ContainerError(name_ + ": " + fmt::format(format, std::forward<Args>(args)...));
  }

  [[nodiscard]] std::uint64_t at() const { return at_; }
  [[nodiscard]] std::uint64_t left() const { return file_.size() - at_; }

  // `what` names the field where the file ends in it.
  std::span<const std::uint8_t> bytes(std::uint64_t n, std::string_view what) {
    if (n > left()) fail("the file ends at {} in {}, which has {} bytes", file_.size(), what, n);
    const auto result = file_.subspan(at_, static_cast<std::size_t>(n));
    at_ += static_cast<std::size_t>(n);
    return result;
  }
  std::uint64_t number(std::size_t width, std::string_view what) {
    const auto field = bytes(width, what);
    std::uint64_t value = 0;
    for (std::size_t b = 0; b < width; ++b) value |= std::uint64_t{field[b]} << (8 * b);
    return value;
  }
  std::uint32_t u32(std::string_view what) { return static_cast<std::uint32_t>(number(4, what)); }
  std::uint64_t u64(std::string_view what) { return number(8, what); }
  std::string_view text(std::uint64_t n, std::string_view what) {
    const auto field = bytes(n, what);
    return {reinterpret_cast<const char*>(field.data()), field.size()};
  }

 private:
  std::span<const std::uint8_t> file_;
  std::string name_;
  std::size_t at_ = 0;
};

}  // namespace quantproof::containers

#endif
