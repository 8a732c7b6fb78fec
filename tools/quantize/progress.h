// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_QUANTIZE_PROGRESS_H_
#define QUANTPROOF_TOOLS_QUANTIZE_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace quantproof::quantize {

// "1:02:03" or "2:03".
std::string duration(double seconds);

// How far the work is, on standard error: one line that is rewritten on a terminal, a plain line
// every 10 s elsewhere.
class Progress {
 public:
  Progress(const std::string& verb, std::uint64_t bytes, std::size_t tensors);
  // Leaves the terminal at the start of an empty line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // From any thread.
  void start(const std::string& tensor);
  void advance(std::uint64_t bytes);
  void finish_tensor(double error);

 private:
  using Clock = std::chrono::steady_clock;
  void show();

  std::mutex mutex_;
  std::string verb_;
  std::uint64_t bytes_;
  std::size_t tensors_;
  bool terminal_;
  std::string tensor_;
  std::uint64_t done_ = 0;
  std::size_t tensors_done_ = 0;
  std::string worst_tensor_;
  double worst_ = 0;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point shown_ = begin_;
};

}  // namespace quantproof::quantize

#endif
