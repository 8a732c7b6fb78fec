// SPDX-License-Identifier: Apache-2.0
//
// A target in a process of its own: frames over its standard streams (spec/target_protocol.md),
// time limits, and what became of it.
#ifndef QUANTPROOF_TOOLS_CERTIFY_TARGET_PROCESS_H_
#define QUANTPROOF_TOOLS_CERTIFY_TARGET_PROCESS_H_

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

namespace quantproof::certify {

class TargetProcess {
 public:
  static constexpr std::uint32_t kLargestFrame = 1u << 26;

  explicit TargetProcess(std::string command);
  ~TargetProcess();
  TargetProcess(const TargetProcess&) = delete;
  TargetProcess& operator=(const TargetProcess&) = delete;

  bool running() const { return pid_ > 0; }
  // Starts `command` with the shell; its standard error stays ours.
  void start();
  // Sends one frame and gives the content of the answer's back. Whatever else happens ends the
  // process and is thrown as a TargetFailure.
  std::vector<std::uint8_t> exchange(std::span<const std::uint8_t> request,
                                     std::chrono::milliseconds limit);
  // Ends the process and throws a TargetFailure of these words.
  [[noreturn]] void fail(const std::string& text);
  // Closes its input, waits a moment, then kills what is left.
  void stop();

 private:
  // Waits for the end, at most `limit`; false: it still runs.
  bool wait(std::chrono::milliseconds limit, int& status);
  void kill_now();
  void close_pipes();
  // How the process ended, for an answer that broke off.
  [[noreturn]] void fail_of_end();

  std::string command_;
  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
};

}  // namespace quantproof::certify

#endif
