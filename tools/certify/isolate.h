// SPDX-License-Identifier: Apache-2.0
//
// Runs a check in a child process, so that a crash, an abort, a hang or a stray store of the
// code under test becomes a finding and the run goes on.
#ifndef QUANTPROOF_TOOLS_CERTIFY_ISOLATE_H_
#define QUANTPROOF_TOOLS_CERTIFY_ISOLATE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tools/certify/guarded_buffer.h"

namespace quantproof::certify {

enum class Verdict { kPass, kFail, kRefused, kNotExercised };

std::string verdict_name(Verdict verdict);

struct Outcome {
  Verdict verdict = Verdict::kPass;
  std::string detail;
};

// What the child is doing, in memory that outlives it.
class Situation {
 public:
  Situation();
  ~Situation();
  Situation(const Situation&) = delete;
  Situation& operator=(const Situation&) = delete;

  // Describes the case that runs next; kept up to 500 bytes.
  void describe(std::string_view text);
  // The bytes it is about to decode; kept up to three blocks.
  void input(std::span<const std::uint8_t> bytes);
  // A fault in a guard page of `buffer` will be told in terms of `name`, a literal.
  void watch(const GuardedBuffer& buffer, const char* name);

  struct Record;
  Record& record() { return *record_; }

 private:
  Record* record_;
};

// Runs `check` in a child and waits at most `limit` for it, and at most `call_limit` from one
// described case to the next; 0: no such limit. Several threads may do so at a time.
Outcome run_isolated(std::chrono::seconds limit, const std::function<Outcome(Situation&)>& check,
                     std::chrono::milliseconds call_limit = std::chrono::milliseconds(0));

// What a target in a process of its own did instead of answering.
class TargetFailure : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Runs `check` in this process, for targets that live in another one: a TargetFailure becomes the
// finding.
Outcome run_here(const std::function<Outcome(Situation&)>& check);

// "signal 11 (Segmentation fault)" or "exit status 1", of a process that waitpid() tells of.
std::string describe_end(int status);

}  // namespace quantproof::certify

#endif
