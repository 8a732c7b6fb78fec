// SPDX-License-Identifier: Apache-2.0
#include "tools/certify/coverage.h"

#include <array>
#include <bitset>
#include <cerrno>
#include <sys/mman.h>
#include <system_error>

#include "fmt/format.h"

#include "fuzz/blocks.h"
#include "quantproof/e8_iq3.h"
#include "quantproof/iq3_xxs.h"
#include "quantproof/ref/iq3_block.h"
#include "tools/certify/decoder.h"

namespace quantproof::certify {

struct Coverage::Seen {
  std::bitset<256 * kIndices> row_positions;
  std::bitset<0x10000> scales;
  std::bitset<16 * kSubblocks> code_positions;
  std::bitset<128 * kSubblocks * kGroupsPerSubblock> field_positions;
  std::array<std::uint8_t, Iq3Xxs::kBlockBytes> ones;   // bits that were 1 at some time
  std::array<std::uint8_t, Iq3Xxs::kBlockBytes> zeros;  // and 0
};

Coverage::Coverage(qp_format format) : format_(format) {
  void* memory =
      mmap(nullptr, sizeof(Seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  seen_ = new (memory) Seen{};
}

Coverage::~Coverage() { munmap(seen_, sizeof(Seen)); }

void Coverage::add(std::span<const std::uint8_t> bytes) {
  const std::size_t size = fuzz::block_bytes(format_);
  for (; bytes.size() >= size; bytes = bytes.subspan(size)) {
    const auto fields = format_ == QP_IQ3_XXS ? ref::unpack<Iq3Xxs, std::uint32_t>(bytes.data())
                                              : ref::unpack<E8Iq3, std::uint32_t>(bytes.data());
    seen_->scales.set(fields.scale);
    for (std::size_t k = 0; k < kIndices; ++k) seen_->row_positions.set(256 * k + fields.index[k]);
    for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
      seen_->code_positions.set(16 * ib + fields.scale_code[ib]);
      for (std::size_t l = 0; l < kGroupsPerSubblock; ++l) {
        seen_->field_positions.set(128 * (kGroupsPerSubblock * ib + l) + fields.sign_field[ib][l]);
      }
    }
    for (std::size_t i = 0; i < size; ++i) {
      seen_->ones[i] = static_cast<std::uint8_t>(seen_->ones[i] | bytes[i]);
      seen_->zeros[i] = static_cast<std::uint8_t>(seen_->zeros[i] | ~bytes[i]);
    }
  }
}

std::vector<Coverage::Part> Coverage::parts() const {
  std::bitset<256> rows;
  for (std::size_t i = 0; i < seen_->row_positions.size(); ++i) {
    if (seen_->row_positions[i]) rows.set(i % 256);
  }
  std::bitset<16> codes;
  for (std::size_t i = 0; i < seen_->code_positions.size(); ++i) {
    if (seen_->code_positions[i]) codes.set(i % 16);
  }
  std::bitset<128> fields;
  for (std::size_t i = 0; i < seen_->field_positions.size(); ++i) {
    if (seen_->field_positions[i]) fields.set(i % 128);
  }
  std::size_t both = 0;
  for (std::size_t i = 0; i < seen_->ones.size(); ++i) {
    both += std::bitset<8>(static_cast<unsigned>(seen_->ones[i] & seen_->zeros[i])).count();
  }
  return {{"codebook_rows", rows.count(), rows.size()},
          {"codebook_row_positions", seen_->row_positions.count(), seen_->row_positions.size()},
          {"scales", seen_->scales.count(), seen_->scales.size()},
          {"scale_codes", codes.count(), codes.size()},
          {"scale_code_positions", seen_->code_positions.count(), seen_->code_positions.size()},
          {"sign_fields", fields.count(), fields.size()},
          {"sign_field_positions", seen_->field_positions.count(), seen_->field_positions.size()},
          {"bits_both_ways", both, 8 * seen_->ones.size()}};
}

std::string Coverage::text() const {
  const auto all = parts();
  const auto of = [&](std::size_t i) { return fmt::format("{} of {}", all[i].touched, all[i].of); };
  return fmt::format("{}: {} codebook rows, {} scales, {} scale codes, {} sign fields, {} bits",
                     format_name(format_), of(0), of(2), of(3), of(5), of(7));
}

}  // namespace quantproof::certify
