// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_MODEL_CHUNK_PROGRESS_H_
#define QUANTPROOF_TOOLS_MODEL_CHUNK_PROGRESS_H_

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

namespace quantproof::model {

// How far a text is, on standard error: one line that is rewritten on a terminal, a plain line
// every 10 s elsewhere.
class ChunkProgress {
 public:
  ChunkProgress(std::string verb, std::size_t chunks);
  // Leaves the terminal at the start of an empty line.
  ~ChunkProgress();
  ChunkProgress(const ChunkProgress&) = delete;
  ChunkProgress& operator=(const ChunkProgress&) = delete;

  // One chunk is done; from any thread.
  void advance();

 private:
  using Clock = std::chrono::steady_clock;

  std::mutex mutex_;
  std::string verb_;
  std::size_t chunks_;
  bool terminal_;
  std::size_t done_ = 0;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point shown_ = begin_;
};

}  // namespace quantproof::model

#endif
