// SPDX-License-Identifier: Apache-2.0
#include "proofs/machine_code/replay.h"

#include <bit>
#include <cstring>
#include <random>

#include "fmt/format.h"

#include "proofs/machine_code/guarded.h"
#include "quantproof/e8_iq3.h"
#include "quantproof/iq3_xxs.h"
#include "quantproof/ref/e8_iq3.h"
#include "quantproof/ref/iq3_xxs.h"

namespace quantproof::proofs::machine_code {

namespace {

std::int64_t call(const Code& code, const std::uint8_t* bytes, std::size_t n_bytes, float* out,
                  std::size_t n, qp_location* where) {
  switch (code.convention) {
    case Convention::kBlocks:
      reinterpret_cast<void (*)(const void*, float*, std::int64_t)>(
          reinterpret_cast<std::uintptr_t>(code.entry))(bytes, out, static_cast<std::int64_t>(n));
      return 0;
    case Convention::kStatus:
      return reinterpret_cast<int (*)(const std::uint8_t*, std::size_t, float*, std::size_t)>(
          reinterpret_cast<std::uintptr_t>(code.entry))(bytes, n_bytes, out, n);
    case Convention::kDecodeAt:
      return reinterpret_cast<qp_status (*)(qp_profile, qp_format, const void*, std::size_t, float*,
                                            std::size_t, qp_location*)>(
          reinterpret_cast<std::uintptr_t>(code.entry))(code.profile, code.format, bytes, n_bytes,
                                                        out, n, where);
  }
  return 0;
}

std::string hex_bytes(const std::vector<std::uint8_t>& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace

std::string replay(const Code& code, const std::vector<std::uint8_t>& bytes, std::size_t n,
                   bool with_place) {
  if (!code.runs_here) return "";
  std::vector<float> want(n);
  for (float& w : want) w = std::bit_cast<float>(kPoison);
  qp_location where{};
  const auto decode = code.format == QP_IQ3_XXS ? ref::decode_iq3_xxs : ref::decode_e8_iq3;
  const qp_status want_status =
      decode(code.profile, bytes.data(), bytes.size(), want.data(), n, &where);
  const Guarded input(bytes.size());
  const Guarded output(n * sizeof(float));
  struct Answer {
    std::int64_t status = 0;
    std::uint64_t block = 0;
    std::uint64_t offset = 0;
    bool right_field = true;
  };
  const Guarded answer(sizeof(Answer));
  std::memcpy(input.data(), bytes.data(), bytes.size());
  for (std::size_t i = 0; i < n; ++i) std::memcpy(output.data() + 4 * i, &kPoison, 4);
  const std::string ended = run_in_child([&] {
    Answer result;
    qp_location got{};
    result.status = call(code, input.data(), bytes.size(), reinterpret_cast<float*>(output.data()),
                         n, with_place ? &got : nullptr);
    result.block = got.block;
    result.offset = got.offset;
    result.right_field = (got.field == nullptr) == (where.field == nullptr) &&
                         (got.field == nullptr || std::strcmp(got.field, where.field) == 0);
    std::memcpy(answer.data(), &result, sizeof result);
  });
  const std::string row = fmt::format("; bytes {}", hex_bytes(bytes));
  if (!ended.empty()) return fmt::format("on the CPU: {}{}", ended, row);
  Answer got_answer;
  std::memcpy(&got_answer, answer.data(), sizeof got_answer);
  const std::int64_t got_status = got_answer.status;
  const bool refused = want_status != QP_OK;
  if (code.convention == Convention::kDecodeAt ? got_status != want_status
                                               : (got_status != 0) != refused) {
    return fmt::format("on the CPU: status {}, want {}{}", got_status,
                       static_cast<int>(want_status), row);
  }
  if (with_place && (got_answer.block != where.block || got_answer.offset != where.offset ||
                     !got_answer.right_field)) {
    return fmt::format("on the CPU: the place is block {}, offset {}, want {}, {}, {}{}",
                       got_answer.block, got_answer.offset, where.block, where.offset,
                       where.field == nullptr ? "none" : where.field, row);
  }
  const std::size_t decoded = refused ? where.block * kBlockWeights : n;
  for (std::size_t i = 0; i < decoded; ++i) {
    std::uint32_t got = 0;
    std::memcpy(&got, output.data() + 4 * i, 4);
    const auto right = std::bit_cast<std::uint32_t>(want[i]);
    if (got != right) {
      return fmt::format("on the CPU: weight {}: got 0x{:08x}, want 0x{:08x}{}", i, got, right,
                         row);
    }
  }
  for (std::size_t i = decoded; i < n; ++i) {
    std::uint32_t got = 0;
    std::memcpy(&got, output.data() + 4 * i, 4);
    if (got != kPoison)
      return fmt::format("on the CPU: writes weight {} of a refused row{}", i, row);
  }
  return "";
}

std::string search(const Code& code, std::size_t n_random) {
  if (!code.runs_here) return "";
  std::mt19937_64 random(1);
  for (const std::size_t n : code.rows) {
    const std::size_t blocks = (n + kBlockWeights - 1) / kBlockWeights;
    std::vector<std::uint8_t> bytes(98 * blocks);
    for (std::size_t k = 0; k < n_random; ++k) {
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
      if (std::string found = replay(code, bytes, n); !found.empty()) return found;
    }
  }
  return "";
}

}  // namespace quantproof::proofs::machine_code
