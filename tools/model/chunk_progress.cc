// SPDX-License-Identifier: Apache-2.0
#include "tools/model/chunk_progress.h"

#include <cstdio>
#include <unistd.h>

#include "fmt/format.h"

#include "tools/quantize/progress.h"

namespace quantproof::model {

ChunkProgress::ChunkProgress(std::string verb, std::size_t chunks)
    : verb_(std::move(verb)), chunks_(chunks), terminal_(isatty(STDERR_FILENO) != 0) {}

ChunkProgress::~ChunkProgress() {
  if (terminal_ && shown_ != begin_) fmt::print(stderr, "\r\x1B[K");
}

void ChunkProgress::advance() {
  const std::lock_guard lock(mutex_);
  ++done_;
  const auto now = Clock::now();
  const auto every = terminal_ ? std::chrono::milliseconds(200) : std::chrono::milliseconds(10'000);
  if (now - shown_ < every) return;
  shown_ = now;
  const double rate =
      static_cast<double>(done_) / std::chrono::duration<double>(now - begin_).count();
  fmt::print(stderr, "{}{} {}/{} chunks, {:.1f}/s, {} left{}", terminal_ ? "\r\x1B[K" : "", verb_,
             done_, chunks_, rate, quantize::duration(static_cast<double>(chunks_ - done_) / rate),
             terminal_ ? "" : "\n");
  std::fflush(stderr);
}

}  // namespace quantproof::model
