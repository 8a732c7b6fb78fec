// SPDX-License-Identifier: Apache-2.0
#include "tools/certify/coverage.h"

#include <array>
#include <atomic>
#include <bit>
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

namespace {

// Bits that several processes set at a time.
template <std::size_t kBits>
class SharedBits {
 public:
  void set(std::size_t i) { set_in(i / 64, std::uint64_t{1} << i % 64); }
  void set_in(std::size_t word, std::uint64_t bits) {
    auto& shared = words_[word];
    if ((shared.load(std::memory_order_relaxed) & bits) == bits) return;  // as nearly always
    shared.fetch_or(bits, std::memory_order_relaxed);
  }
  bool operator[](std::size_t i) const { return (word(i / 64) >> i % 64 & 1) != 0; }
  std::uint64_t word(std::size_t i) const { return words_[i].load(std::memory_order_relaxed); }
  static constexpr std::size_t size() { return kBits; }
  std::size_t count() const {
    std::size_t n = 0;
    for (const auto& word : words_) {
      n += static_cast<std::size_t>(std::popcount(word.load(std::memory_order_relaxed)));
    }
    return n;
  }

 private:
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  std::array<std::atomic<std::uint64_t>, (kBits + 63) / 64> words_{};
};

}  // namespace

struct Coverage::Seen {
  SharedBits<256 * kIndices> row_positions;
  SharedBits<0x10000> scales;
  SharedBits<16 * kSubblocks> code_positions;
  SharedBits<128 * kSubblocks * kGroupsPerSubblock> field_positions;
  SharedBits<8 * Iq3Xxs::kBlockBytes> ones;   // bits that were 1 at some time
  SharedBits<8 * Iq3Xxs::kBlockBytes> zeros;  // and 0
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
      const std::size_t shift = 8 * (i % 8);
      seen_->ones.set_in(i / 8, std::uint64_t{bytes[i]} << shift);
      seen_->zeros.set_in(i / 8, std::uint64_t{bytes[i] ^ 0xFFu} << shift);
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
    if (seen_->ones[i] && seen_->zeros[i]) ++both;
  }
  return {{"codebook_rows", rows.count(), rows.size()},
          {"codebook_row_positions", seen_->row_positions.count(), seen_->row_positions.size()},
          {"scales", seen_->scales.count(), seen_->scales.size()},
          {"scale_codes", codes.count(), codes.size()},
          {"scale_code_positions", seen_->code_positions.count(), seen_->code_positions.size()},
          {"sign_fields", fields.count(), fields.size()},
          {"sign_field_positions", seen_->field_positions.count(), seen_->field_positions.size()},
          {"bits_both_ways", both, seen_->ones.size()}};
}

std::string Coverage::text() const {
  const auto all = parts();
  const auto of = [&](std::size_t i) { return fmt::format("{} of {}", all[i].touched, all[i].of); };
  return fmt::format("{}: {} codebook rows, {} scales, {} scale codes, {} sign fields, {} bits",
                     format_name(format_), of(0), of(2), of(3), of(5), of(7));
}

}  // namespace quantproof::certify
