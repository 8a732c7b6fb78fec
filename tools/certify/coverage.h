// SPDX-License-Identifier: Apache-2.0
//
// Which inputs a decoder was shown: what a pass rests on.
#ifndef QUANTPROOF_TOOLS_CERTIFY_COVERAGE_H_
#define QUANTPROOF_TOOLS_CERTIFY_COVERAGE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "quantproof/status.h"

namespace quantproof::certify {

// In memory that the children of a run share with their parent.
class Coverage {
 public:
  explicit Coverage(qp_format format);
  ~Coverage();
  Coverage(const Coverage&) = delete;
  Coverage& operator=(const Coverage&) = delete;

  // Counts the whole blocks of a row that the decoder is asked for.
  void add(std::span<const std::uint8_t> bytes);

  struct Part {
    std::string name;  // "codebook_rows", ...
    std::size_t touched = 0;
    std::size_t of = 0;
  };
  std::vector<Part> parts() const;
  // One line for people.
  std::string text() const;
  qp_format format() const { return format_; }

 private:
  struct Seen;
  qp_format format_;
  Seen* seen_;
};

}  // namespace quantproof::certify

#endif
