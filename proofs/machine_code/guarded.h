// SPDX-License-Identifier: Apache-2.0
//
// What replays of a counterexample share: memory between guard pages, and a process of its own.
#ifndef QUANTPROOF_PROOFS_MACHINE_CODE_GUARDED_H_
#define QUANTPROOF_PROOFS_MACHINE_CODE_GUARDED_H_

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
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

// What outputs hold before: a signalling NaN that no decoder writes.
inline constexpr std::uint32_t kPoison = 0x7FA5A5A5u;

// Runs `body` in a child for ten seconds at most, with the signals' own handling. How it ended, if
// it did not come to its end; else nothing.
template <class Body>
std::string run_in_child(const Body& body) {
  constexpr unsigned kSeconds = 10;
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot fork for a replay");
  if (child == 0) {
    for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
      std::signal(signal, SIG_DFL);
    }
    alarm(kSeconds);
    body();
    _exit(0);
  }
  int how = 0;
  waitpid(child, &how, 0);
  if (WIFEXITED(how) && WEXITSTATUS(how) == 0) return "";
  return "ends with signal " + std::to_string(WIFSIGNALED(how) ? WTERMSIG(how) : 0);
}

}  // namespace quantproof::proofs::machine_code

#endif
