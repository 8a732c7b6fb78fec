// SPDX-License-Identifier: Apache-2.0
#include "tools/certify/isolate.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <mutex>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "fmt/format.h"

#include "tools/certify/hex.h"

namespace quantproof::certify {

struct Situation::Record {
  static constexpr std::size_t kBuffers = 4;
  std::array<char, 501> text;
  std::array<std::uint8_t, 3 * 98> input;
  std::size_t input_size;
  std::array<const GuardedBuffer*, kBuffers> buffers;
  std::array<const char*, kBuffers> names;
  std::size_t n_buffers;
  std::uint64_t cases;  // described so far
  // Set by the signal handler: the buffer whose guard page was touched, and how far outside.
  const char* fault_name;
  std::ptrdiff_t fault_distance;
};

Situation::Situation() {
  void* memory =
      mmap(nullptr, sizeof(Record), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  record_ = new (memory) Record{};
}

Situation::~Situation() { munmap(record_, sizeof(Record)); }

void Situation::describe(std::string_view text) {
  const std::size_t n = std::min(text.size(), record_->text.size() - 1);
  std::memcpy(record_->text.data(), text.data(), n);
  record_->text[n] = '\0';
  ++record_->cases;
}

void Situation::input(std::span<const std::uint8_t> bytes) {
  record_->input_size = std::min(bytes.size(), record_->input.size());
  if (record_->input_size > 0) {
    std::memcpy(record_->input.data(), bytes.data(), record_->input_size);
  }
}

void Situation::watch(const GuardedBuffer& buffer, const char* name) {
  if (record_->n_buffers == Record::kBuffers) throw std::logic_error("too many watched buffers");
  record_->buffers[record_->n_buffers] = &buffer;
  record_->names[record_->n_buffers] = name;
  ++record_->n_buffers;
}

std::string verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "pass";
    case Verdict::kFail:
      return "fail";
    case Verdict::kRefused:
      return "refused";
    case Verdict::kNotExercised:
      break;
  }
  return "not_exercised";
}

namespace {

Situation::Record* g_record = nullptr;  // of this child; signal handlers have no argument

// Only reads and writes plain memory, then dies of the same signal.
void on_fault(int signal, siginfo_t* info, void* /*context*/) {
  for (std::size_t i = 0; i < g_record->n_buffers; ++i) {
    const std::ptrdiff_t distance = g_record->buffers[i]->distance_outside(info->si_addr);
    if (distance == 0) continue;
    g_record->fault_name = g_record->names[i];
    g_record->fault_distance = distance;
  }
  std::signal(signal, SIG_DFL);
  raise(signal);
}

// One letter for the verdict, then the detail.
std::string serialise(const Outcome& outcome) {
  return std::string(1, static_cast<char>('0' + static_cast<int>(outcome.verdict))) +
         outcome.detail;
}

[[noreturn]] void run_child(int result, Situation& situation,
                            const std::function<Outcome(Situation&)>& check) {
  dup2(STDERR_FILENO, STDOUT_FILENO);  // what the code under test prints is not our result
  g_record = &situation.record();
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
  Outcome outcome;
  try {
    outcome = check(situation);
  } catch (const std::exception& error) {
    outcome = {Verdict::kFail, fmt::format("the check ended with an exception: {}", error.what())};
  }
  const std::string text = serialise(outcome);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(result, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR) _exit(125);
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  std::fflush(nullptr);
  _exit(0);
}

std::string describe_fault(const Situation::Record& record) {
  if (record.fault_name == nullptr) return {};
  const std::ptrdiff_t distance = record.fault_distance;
  return fmt::format(" on touching byte {} {} of the {}", distance < 0 ? -distance : distance,
                     distance < 0 ? "before the start" : "after the end", record.fault_name);
}

// Which case was in hand, and its bytes.
std::string describe_case(const Situation::Record& record) {
  const char* doing = record.text.data();
  std::string where = *doing != '\0' ? fmt::format(", at: {}", doing) : std::string{};
  if (record.input_size > 0) {
    where += "; input bytes " + to_hex(std::span(record.input).first(record.input_size));
  }
  return where;
}

}  // namespace

std::string describe_end(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return fmt::format("signal {} ({})", signal, strsignal(signal));
  }
  const int code = WEXITSTATUS(status);
  if (code > 128 && code < 128 + NSIG) {
    return fmt::format("exit status {}, which is how a shell tells of signal {} ({})", code,
                       code - 128, strsignal(code - 128));
  }
  return fmt::format("exit status {}", code);
}

Outcome run_here(const std::function<Outcome(Situation&)>& check) {
  Situation situation;
  try {
    return check(situation);
  } catch (const TargetFailure& failure) {
    return {Verdict::kFail, failure.what() + describe_case(situation.record())};
  } catch (const std::exception& error) {
    return {Verdict::kFail, fmt::format("the check ended with an exception: {}", error.what())};
  }
}

Outcome run_isolated(std::chrono::seconds limit, const std::function<Outcome(Situation&)>& check,
                     std::chrono::milliseconds call_limit) {
  Situation situation;
  std::array<int, 2> ends{};
  pid_t child = 0;
  {
    // The end of a child is the end of its pipe: no other child may have inherited that.
    static std::mutex one_at_a_time;
    std::unique_lock lock(one_at_a_time);
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw std::system_error(errno, std::generic_category(), "pipe2");
    }
    std::fflush(nullptr);
    child = fork();
    if (child == 0) {
      lock.unlock();  // a check may isolate parts of itself
      close(ends[0]);
      run_child(ends[1], situation, check);
    }
    close(ends[1]);
    if (child < 0) {
      close(ends[0]);
      throw std::system_error(errno, std::generic_category(), "fork");
    }
  }

  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + limit;
  const bool watches_calls = call_limit.count() > 0;
  auto call_deadline = Clock::now() + call_limit;
  std::uint64_t cases = 0;
  std::string text;
  std::chrono::duration<double> timed_out{0};
  while (true) {
    const auto next = watches_calls ? std::min(deadline, call_deadline) : deadline;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(next - Clock::now());
    pollfd end{ends[0], POLLIN, 0};
    const int ready = poll(&end, 1, static_cast<int>(std::max<long>(0, left.count() + 1)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      const volatile std::uint64_t& described = situation.record().cases;
      if (watches_calls && described != cases && Clock::now() < deadline) {
        cases = described;
        call_deadline = Clock::now() + call_limit;
        continue;
      }
      timed_out = Clock::now() < deadline ? std::chrono::duration<double>(call_limit)
                                          : std::chrono::duration<double>(limit);
      kill(child, SIGKILL);
      break;
    }
    std::array<char, 4096> chunk;
    const ssize_t n = read(ends[0], chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.append(chunk.data(), static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }

  const Situation::Record& record = situation.record();
  const std::string where = describe_case(record);
  if (timed_out.count() > 0) {
    return {Verdict::kFail, fmt::format("no answer within {:g} s{}", timed_out.count(), where)};
  }
  if (WIFSIGNALED(status)) {
    return {Verdict::kFail,
            fmt::format("ended by {}{}{}", describe_end(status), describe_fault(record), where)};
  }
  if (WEXITSTATUS(status) != 0 || text.empty()) {
    return {Verdict::kFail,
            fmt::format("the process ended with code {}{}", WEXITSTATUS(status), where)};
  }
  return {static_cast<Verdict>(text[0] - '0'), text.substr(1)};
}

}  // namespace quantproof::certify
