// SPDX-License-Identifier: Apache-2.0
//
// qp_kaiju1_decode_rows on the CPU: between guard pages, in a process of its own.
#include <cstring>

#include "fmt/format.h"

#include "proofs/machine_code/guarded.h"
#include "proofs/machine_code/kaiju1_code.h"
#include "quantproof/ref/kaiju1.h"

namespace quantproof::proofs::machine_code {

Kaiju1Function function_of(const Kaiju1Code& code) {
  return reinterpret_cast<Kaiju1Function>(reinterpret_cast<std::uintptr_t>(code.entry));
}

std::string replay(const Kaiju1Code& code, const std::vector<std::uint8_t>& tensor,
                   const Kaiju1Shape& shape) {
  if (!code.runs_here) return "";
  const std::size_t n = std::size_t{shape.rows} * shape.cols;
  std::vector<float> want(n);
  for (float& w : want) std::memcpy(&w, &kPoison, 4);
  const qp_status want_status =
      ref::decode_kaiju1_rows(tensor.data(), tensor.size(), 0, shape.rows, want.data(), nullptr);
  const Guarded input(tensor.size());
  const Guarded output(n * sizeof(float));
  const Guarded status(sizeof(std::int64_t));
  std::memcpy(input.data(), tensor.data(), tensor.size());
  for (std::size_t i = 0; i < n; ++i) std::memcpy(output.data() + 4 * i, &kPoison, 4);
  const std::string ended = run_in_child([&] {
    const std::int64_t result = function_of(code)(input.data(), tensor.size(), 0, shape.rows,
                                                  reinterpret_cast<float*>(output.data()));
    std::memcpy(status.data(), &result, sizeof result);
  });
  std::string bytes = "; tensor ";
  for (const std::uint8_t byte : tensor) bytes += fmt::format("{:02x}", byte);
  if (!ended.empty()) return fmt::format("on the CPU: {}{}", ended, bytes);
  std::int64_t got_status = 0;
  std::memcpy(&got_status, status.data(), sizeof got_status);
  if (got_status != want_status) {
    return fmt::format("on the CPU: status {}, want {}{}", got_status,
                       static_cast<int>(want_status), bytes);
  }
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t got = 0;
    std::uint32_t right = 0;
    std::memcpy(&got, output.data() + 4 * i, 4);
    std::memcpy(&right, &want[i], 4);
    if (got != right) {
      return fmt::format("on the CPU: weight {}: got 0x{:08x}, want 0x{:08x}{}", i, got, right,
                         bytes);
    }
  }
  return "";
}

}  // namespace quantproof::proofs::machine_code
