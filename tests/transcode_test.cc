// SPDX-License-Identifier: Apache-2.0
#include "quantproof/ref/transcode.h"

#include <array>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"

#include "quantproof/qp.h"

namespace quantproof {
namespace {

using Bytes = std::vector<std::uint8_t>;

// IQ3_XXS blocks with d = 1.0 re-ordered by hand would decode to half the value: the scale must
// double (clause 7).
TEST(Transcode, MovesAndDoublesTheScale) {
  Bytes block(98);
  block[1] = 0x3C;
  block[2] = 7;
  block[66] = 0x05;
  Bytes e8(98);
  ASSERT_EQ(qp_transcode(QP_IQ3_XXS, block.data(), QP_E8_IQ3, e8.data(), 1), QP_OK);
  EXPECT_EQ(e8[0], 7);
  EXPECT_EQ(e8[64], 0x05);
  EXPECT_EQ(e8[97], 0x40);  // 2.0
  std::array<float, 256> from{};
  std::array<float, 256> to{};
  ASSERT_EQ(qp_decode(QP_IQ3_XXS, block.data(), 98, from.data(), 256), QP_OK);
  ASSERT_EQ(qp_decode(QP_E8_IQ3, e8.data(), 98, to.data(), 256), QP_OK);
  EXPECT_EQ(from, to);
}

TEST(Transcode, RefusesWithThePlace) {
  Bytes row(3 * 98);
  row[2 * 98 + 1] = 0x78;  // 32768: its double is no binary16 number
  Bytes out(row.size(), 0xEE);
  qp_location where{};
  EXPECT_EQ(qp_transcode_at(QP_IQ3_XXS, row.data(), QP_E8_IQ3, out.data(), 3, &where),
            QP_TRANSCODE_OVERFLOW);
  EXPECT_EQ(where.block, 2u);
  EXPECT_EQ(where.offset, 2u * 98);
  EXPECT_STREQ(where.field, "scale");
  EXPECT_EQ(Bytes(out.begin() + 2 * 98, out.end()), Bytes(98, 0xEE)) << "nothing is written there";
  EXPECT_EQ(Bytes(out.begin(), out.begin() + 2 * 98), Bytes(2 * 98, 0));
}

TEST(Transcode, Arguments) {
  Bytes block(98);
  EXPECT_EQ(qp_transcode(QP_IQ3_XXS, block.data(), QP_IQ3_XXS, block.data(), 1), QP_BAD_ARGUMENT);
  EXPECT_EQ(qp_transcode(QP_IQ3_XXS, nullptr, QP_E8_IQ3, block.data(), 1), QP_BAD_ARGUMENT);
  EXPECT_EQ(qp_transcode(QP_IQ3_XXS, nullptr, QP_E8_IQ3, nullptr, 0), QP_OK);
  EXPECT_EQ(qp_transcode(static_cast<qp_format>(3), block.data(), QP_E8_IQ3, block.data(), 1),
            QP_BAD_ARGUMENT);
}

// Where both directions accept, going there and back changes no byte, also in place.
RC_GTEST_PROP(Transcode, ThereAndBackIsTheIdentity, ()) {
  const auto content = *rc::gen::container<Bytes>(98 * 2, rc::gen::arbitrary<std::uint8_t>());
  Bytes there = content;
  qp_location where{};
  if (qp_transcode_at(QP_IQ3_XXS, there.data(), QP_E8_IQ3, there.data(), 2, &where) != QP_OK) {
    Bytes other(content.size());
    qp_location place{};
    RC_ASSERT(ref::transcode(QP_IQ3_XXS, content.data(), QP_E8_IQ3, other.data(), 2, &place) !=
              QP_OK);
    RC_ASSERT(place.block == where.block);
    return;
  }
  RC_ASSERT(qp_transcode(QP_E8_IQ3, there.data(), QP_IQ3_XXS, there.data(), 2) == QP_OK);
  RC_ASSERT(there == content);
}

}  // namespace
}  // namespace quantproof
