// SPDX-License-Identifier: Apache-2.0
#include "tools/quantize/interrupt.h"

#include <csignal>
#include <cstring>
#include <unistd.h>

namespace quantproof::quantize {

namespace {

volatile std::sig_atomic_t stop = 0;

void on_stop(int) {
  if (stop != 0) _exit(130);
  stop = 1;
}

void on_bus_error(int) {
  constexpr char kMessage[] = "\nquantproof: the input cannot be read any more; was it cut?\n";
  [[maybe_unused]] const ssize_t ignored = write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
  _exit(3);
}

}  // namespace

void watch_signals() {
  struct sigaction action {};
  action.sa_handler = on_stop;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = on_bus_error;
  sigaction(SIGBUS, &action, nullptr);
  action.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &action, nullptr);
}

bool interrupted() { return stop != 0; }

}  // namespace quantproof::quantize
