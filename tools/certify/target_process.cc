// SPDX-License-Identifier: Apache-2.0
#include "tools/certify/target_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include "fmt/format.h"

#include "tools/certify/isolate.h"

namespace quantproof::certify {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kGrace{2000};  // for a process to end after its input was closed

// A target that ends early must not end us with SIGPIPE.
class IgnoreSigpipe {
 public:
  IgnoreSigpipe() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, &before_);
  }
  ~IgnoreSigpipe() { sigaction(SIGPIPE, &before_, nullptr); }
  IgnoreSigpipe(const IgnoreSigpipe&) = delete;
  IgnoreSigpipe& operator=(const IgnoreSigpipe&) = delete;

 private:
  struct sigaction before_ {};
};

std::uint32_t read_u32(const std::vector<std::uint8_t>& bytes) {
  return bytes[0] | std::uint32_t{bytes[1]} << 8 | std::uint32_t{bytes[2]} << 16 |
         std::uint32_t{bytes[3]} << 24;
}

// Where the command is one program, the shell makes way for it, and its end is what we see.
std::string shell_command(const std::string& command) {
  const std::string first_word = command.substr(0, command.find(' '));
  const bool simple = command.find_first_of(";|&<>()`\n") == std::string::npos &&
                      first_word.find('=') == std::string::npos;
  return simple ? "exec " + command : command;
}

}  // namespace

TargetProcess::TargetProcess(std::string command) : command_(std::move(command)) {}

TargetProcess::~TargetProcess() { stop(); }

void TargetProcess::start() {
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe2");
  }
  std::fflush(nullptr);
  const std::string command = shell_command(command_);
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) {
    setpgid(0, 0);                     // so that the shell's children die with it
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // and with us
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  setpgid(pid_, pid_);  // also here: whoever comes first
  close(in[0]);
  close(out[1]);
  to_ = in[1];
  from_ = out[0];
  fcntl(to_, F_SETFL, O_NONBLOCK);
  fcntl(from_, F_SETFL, O_NONBLOCK);
}

void TargetProcess::close_pipes() {
  if (to_ >= 0) close(to_);
  if (from_ >= 0) close(from_);
  to_ = -1;
  from_ = -1;
}

bool TargetProcess::wait(milliseconds limit, int& status) {
  const auto end = Clock::now() + limit;
  while (true) {
    const pid_t ended = waitpid(pid_, &status, WNOHANG);
    if (ended == pid_ || (ended < 0 && errno != EINTR)) {
      kill(-pid_, SIGKILL);  // what it left behind
      pid_ = -1;
      return true;
    }
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(milliseconds(1));
  }
}

void TargetProcess::kill_now() {
  int status = 0;
  kill(-pid_, SIGKILL);
  while (!wait(kGrace, status)) {
  }
  close_pipes();
}

void TargetProcess::stop() {
  if (!running()) return;
  close_pipes();
  int status = 0;
  if (!wait(kGrace, status)) kill_now();
}

void TargetProcess::fail(const std::string& text) {
  if (running()) kill_now();
  throw TargetFailure(text);
}

void TargetProcess::fail_of_end() {
  close_pipes();
  int status = 0;
  if (wait(kGrace, status)) {
    throw TargetFailure(fmt::format("the command ended with {}", describe_end(status)));
  }
  fail("the command closed its output and ran on");
}

std::vector<std::uint8_t> TargetProcess::exchange(std::span<const std::uint8_t> request,
                                                  milliseconds limit) {
  const IgnoreSigpipe ignore;
  std::vector<std::uint8_t> out;
  for (int shift = 0; shift < 32; shift += 8) {
    out.push_back(static_cast<std::uint8_t>(request.size() >> shift));
  }
  out.insert(out.end(), request.begin(), request.end());
  std::size_t sent = 0;
  std::vector<std::uint8_t> answer;
  const auto deadline = Clock::now() + limit;
  while (true) {
    if (answer.size() >= 4) {
      const std::uint32_t size = read_u32(answer);
      if (size > kLargestFrame) {
        fail(fmt::format("the command announced an answer of {} bytes; the largest is {}", size,
                         kLargestFrame));
      }
      const std::size_t whole = 4 + std::size_t{size};
      if (answer.size() > whole || (answer.size() == whole && sent < out.size())) {
        fail(answer.size() > whole ? "the command wrote more than its answer"
                                   : "the command answered before it had the whole request");
      }
      if (answer.size() == whole) return {answer.begin() + 4, answer.end()};
    }
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) {
      fail(fmt::format("no answer within {:g} s ({} bytes of one came)",
                       std::chrono::duration<double>(limit).count(), answer.size()));
    }
    std::array<pollfd, 2> ends = {pollfd{from_, POLLIN, 0},
                                  pollfd{sent < out.size() ? to_ : -1, POLLOUT, 0}};
    if (poll(ends.data(), ends.size(), static_cast<int>(left.count())) < 0 && errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "poll");
    }
    if (ends[1].revents != 0) {
      const ssize_t n = write(to_, out.data() + sent, out.size() - sent);
      if (n < 0 && errno == EPIPE) fail_of_end();
      if (n > 0) sent += static_cast<std::size_t>(n);
    }
    if (ends[0].revents != 0) {
      std::array<std::uint8_t, 65536> chunk;
      const ssize_t n = read(from_, chunk.data(), chunk.size());
      if (n == 0) fail_of_end();
      if (n > 0) answer.insert(answer.end(), chunk.begin(), chunk.begin() + n);
    }
  }
}

}  // namespace quantproof::certify
