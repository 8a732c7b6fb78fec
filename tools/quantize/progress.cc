// SPDX-License-Identifier: Apache-2.0
#include "tools/quantize/progress.h"

#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

#include "fmt/format.h"

#include "tools/containers/quoted.h"

namespace quantproof::quantize {

std::string duration(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds);
  if (whole >= 3600) {
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  }
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

namespace {

// A line that wraps could not be rewritten.
std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

}  // namespace

Progress::Progress(const std::string& verb, std::uint64_t bytes, std::size_t tensors)
    : verb_(verb), bytes_(bytes), tensors_(tensors), terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (terminal_ && shown_ != begin_) fmt::print(stderr, "\r\x1B[K");
}

void Progress::start(const std::string& tensor) {
  const std::lock_guard lock(mutex_);
  tensor_ = tensor;
}

void Progress::advance(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  done_ += bytes;
  show();
}

void Progress::finish_tensor(double error) {
  const std::lock_guard lock(mutex_);
  ++tensors_done_;
  if (error > worst_) {
    worst_ = error;
    worst_tensor_ = tensor_;
  }
}

void Progress::show() {
  const auto now = Clock::now();
  const auto every = terminal_ ? std::chrono::milliseconds(200) : std::chrono::milliseconds(10'000);
  if (now - shown_ < every) return;
  shown_ = now;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const double rate = static_cast<double>(done_) / seconds;
  std::string line = fmt::format(
      "{} {}/{} tensors, {:.1f} of {:.1f} MB, {:.1f} MB/s, {} left", verb_, tensors_done_, tensors_,
      static_cast<double>(done_) * 1e-6, static_cast<double>(bytes_) * 1e-6, rate * 1e-6,
      duration(rate > 0 ? static_cast<double>(bytes_ - done_) / rate : 0));
  if (worst_ > 0) {
    line += fmt::format(", worst error {:.4f} {}", worst_, containers::in_quotes(worst_tensor_));
  }
  if (terminal_) line = line.substr(0, terminal_width() - 1);
  fmt::print(stderr, "{}{}{}", terminal_ ? "\r\x1B[K" : "", line, terminal_ ? "" : "\n");
  std::fflush(stderr);
}

}  // namespace quantproof::quantize
