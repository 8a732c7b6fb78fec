// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_CLI_PROGRESS_H_
#define QUANTPROOF_TOOLS_CLI_PROGRESS_H_

#include <chrono>
#include <cstdio>
#include <string>
#include <unistd.h>

namespace quantproof::cli {

// One line that is rewritten on a terminal; elsewhere a plain line every ten seconds.
class Progress {
 public:
  void show(const std::string& text) {
    const auto now = std::chrono::steady_clock::now();
    if (terminal_) {
      std::fprintf(stderr, "\r\x1b[K%s", text.c_str());
      std::fflush(stderr);
    } else if (now - last_ >= std::chrono::seconds(10)) {
      std::fprintf(stderr, "%s\n", text.c_str());
      last_ = now;
    }
  }

  void clear() const {
    if (terminal_) std::fprintf(stderr, "\r\x1b[K");
  }

 private:
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace quantproof::cli

#endif
