// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_QUANTIZE_INTERRUPT_H_
#define QUANTPROOF_TOOLS_QUANTIZE_INTERRUPT_H_

#include <stdexcept>

namespace quantproof::quantize {

// The user asked to stop.
class Interrupted : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// From now on: SIGINT and SIGTERM set a flag, and end the process with 130 when they come again; a
// mapped file that cannot be read any more ends it with 3 and a message instead of a crash; writing
// beyond a file size limit is an error like any other.
void watch_signals();
[[nodiscard]] bool interrupted();

}  // namespace quantproof::quantize

#endif
