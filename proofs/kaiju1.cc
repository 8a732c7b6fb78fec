// SPDX-License-Identifier: Apache-2.0
//
// KAIJU1: the code (kaiju1.md 3), the weight (4), the layout (2) and the shipped kernel.
#include "quantproof/ref/kaiju1.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <set>

#include "fast/half.h"
#include "fast/kaiju1_tensor.h"
#include "proofs/kaiju1_kernel.h"
#include "quantproof/golay.h"
#include "quantproof/leech.h"
#include "quantproof/ref/half.h"
#include "quantproof/ref/leech.h"

namespace quantproof::proofs {

using symbolic::Session;
using symbolic::Uint32;

std::string code_text(const CodeBytes& code) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : code) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

CodeBytes code_of_model(const z3::model& model, const std::vector<Term>& bytes) {
  CodeBytes code{};
  for (std::size_t i = 0; i < code.size(); ++i) {
    code[i] = static_cast<std::uint8_t>(model.eval(bytes[i], true).get_numeral_uint64());
  }
  return code;
}

namespace {

QP_KAIJU1_KERNEL(Shipped, fast)

std::string model_text(const z3::model& model) { return Z3_model_to_string(model.ctx(), model); }

// 3.2: digit `place` of a group to the base 3, 0 to 2, as a byte: the shipped trit_of by its 256
// values. Second solvers know no division that Z3 has simplified.
Term digit_of(Session& s, const Term& group, std::size_t place) {
  std::vector<Term> rest;
  for (std::uint32_t value = 0; value < 256; ++value) {
    rest.push_back(s.value(static_cast<std::uint64_t>(trit_of(value, place) + 1), 8));
  }
  for (unsigned bit = 0; bit < 8; ++bit) {
    std::vector<Term> half;
    for (std::size_t i = 0; i < rest.size(); i += 2) {
      half.push_back(z3::eq(rest[i], rest[i + 1])
                         ? rest[i]
                         : z3::ite(group.extract(bit, bit) == s.value(1, 1), rest[i + 1], rest[i]));
    }
    rest = half;
  }
  return rest[0];
}

std::size_t trits_of_group(std::size_t g) { return g + 1 < kTritGroups ? 5 : 4; }

std::uint32_t limit_of_group(std::size_t g) {
  return g + 1 < kTritGroups ? kTritGroupLimit : kLastTritGroupLimit;
}

Term lowest_bit(const Term& a) { return a.extract(0, 0); }

// The fields of seven bytes, by the shipped text.
LeechCode<Uint32> fields_of(const std::vector<Term>& bytes) {
  std::array<symbolic::Byte, kLeechCodeBytes> packed;
  for (std::size_t i = 0; i < kLeechCodeBytes; ++i) packed[i] = symbolic::Byte(bytes[i]);
  return unpack_leech_code<Uint32>(packed.data());
}

// The bytes of a random code; every field within its range, so that most are valid.
CodeBytes random_code(std::mt19937_64& random) {
  LeechCode<std::uint32_t> code;
  for (std::size_t g = 0; g < kTritGroups; ++g) {
    code.trit_group[g] = static_cast<std::uint32_t>(random() % (limit_of_group(g) + 1));
  }
  code.golay_index = static_cast<std::uint32_t>(random() % kGolayWordCount);
  code.fix = static_cast<std::uint32_t>(random() % 25);
  if (code.fix == 24) code.fix = kNoFix;
  CodeBytes bytes{};
  pack_leech_code(code, bytes.data());
  return bytes;
}

}  // namespace

std::string search_code(const CodeReplay& replay) {
  std::mt19937_64 random(20260906);
  for (int i = 0; i < 10'000; ++i) {
    const CodeBytes code = random_code(random);
    const std::string difference = replay(code);
    if (!difference.empty()) return "code " + code_text(code) + ", " + difference;
  }
  return "";
}

CodeText text_of_code(const std::vector<Term>& bytes) {
  Session& s = Session::current();
  const LeechCode<Uint32> code = fields_of(bytes);
  std::vector<Term> groups;
  for (const Uint32& group : code.trit_group) groups.push_back(group.term().extract(7, 0));
  const Term fix = code.fix.term().extract(7, 0);
  const Term no_fix = fix == s.value(kNoFix, 8);

  // m
  Term parity = z3::ite(no_fix, s.value(0, 1), s.value(1, 1));
  for (const Term& group : groups) parity = parity ^ lowest_bit(group);
  const Term odd = parity == s.value(1, 1);

  std::vector<Term> point;
  Term fixed = no_fix;
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    const Term digit = digit_of(s, groups[trit_group_of(i)], trit_place_of(i));
    const Term outward = fix == s.value(i, 8);
    fixed = fixed || (outward && digit != s.value(1, 8));
    const Term trit = digit - s.value(1, 8);
    const Term z = z3::ite(outward, trit + trit, trit);
    Term bit = s.value(0, 1);  // of the Golay word, leech.md 3.3
    for (unsigned b = 0; b < kGolayDimension; ++b) {
      if ((kGolayBasis[b] >> i & 1u) != 0) bit = bit ^ code.golay_index.term().extract(b, b);
    }
    const auto offset = [&](int m) {
      return z3::ite(bit == s.value(1, 1),
                     s.value(static_cast<std::uint8_t>(leech_offset(m, 1)), 8),
                     s.value(static_cast<std::uint8_t>(leech_offset(m, 0)), 8));
    };
    point.push_back(z3::ite(odd, offset(1), offset(0)) + s.value(4, 8) * z);
  }
  std::vector<Term> in_range;
  for (std::size_t g = 0; g < kTritGroups; ++g) {
    in_range.push_back(z3::ule(groups[g], s.value(limit_of_group(g), 8)));
  }
  return {in_range, fixed, point};
}

std::optional<std::size_t> only_pair(const Term& term, const std::vector<Term>& bytes) {
  std::set<unsigned> seen;
  std::set<std::size_t> pairs;
  std::vector<Term> rest = {term};
  while (!rest.empty()) {
    const Term next = rest.back();
    rest.pop_back();
    if (!seen.insert(next.id()).second) continue;
    for (unsigned i = 0; i < next.num_args(); ++i) rest.push_back(next.arg(i));
    if (next.num_args() > 0 || next.is_numeral() || next.is_bool()) continue;
    const auto byte =
        std::find_if(bytes.begin(), bytes.end(), [&](const Term& b) { return z3::eq(b, next); });
    if (byte == bytes.end()) return std::nullopt;
    pairs.insert(static_cast<std::size_t>(byte - bytes.begin()) / (2 * kLeechCodeBytes));
  }
  if (pairs.size() != 1) return std::nullopt;
  return *pairs.begin();
}

bool prove_code(Obligation& o, Session& session, const std::string& query,
                const std::vector<Term>& code, const std::vector<Term>& outputs,
                const CodeReplay& replay) {
  const CodeText text = text_of_code(code);
  const auto ask = [&](const std::string& part, const std::vector<Term>& bytes,
                       const Term& statement) {
    const auto explain = [&](const z3::model& model) {
      const CodeBytes shown = code_of_model(model, bytes);
      const std::string difference = replay(shown);
      return "code " + code_text(shown) + ": " +
             (difference.empty() ? "no difference on this CPU" : difference);
    };
    return o.prove(session, query + part, Obligation::Logic::kBitVectors, statement, explain);
  };
  // Stronger than the text asks: only the coordinate's own group need be in range.
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    const Term same = outputs[i] == text.point[i];
    if (!ask(".coordinate_" + std::to_string(i), code,
             z3::implies(text.in_range[trit_group_of(i)], same))) {
      return false;
    }
  }
  // The verdict, for each fix.
  const Term accepted = outputs[kLeechDimension] == session.value(0, 8);
  const Term in_range = session.all(text.in_range);
  if (!ask(".accepted_groups", code, z3::implies(accepted, in_range))) return false;
  const Term rest = session.constant("rest", 3);
  for (std::uint32_t fix = 0; fix < 32; ++fix) {
    std::vector<Term> bytes(code.begin(), code.end() - 1);
    bytes.push_back(z3::concat(session.value(fix, 5), rest));
    z3::expr_vector from(session.z3);
    z3::expr_vector to(session.z3);
    from.push_back(code.back());
    to.push_back(bytes.back());
    Term statement = z3::implies(in_range, accepted == text.fix_is_right);
    if (!ask(".fix_" + std::to_string(fix), bytes, statement.substitute(from, to))) {
      return false;
    }
  }
  return true;
}

void prove_residual_parity(Obligation& o) {
  for (const std::size_t g : {std::size_t{0}, kTritGroups - 1}) {
    Session s;
    const Term group = s.constant("group", 8);
    Term sum = s.value(0, 8);
    for (std::size_t k = 0; k < trits_of_group(g); ++k) sum = sum + digit_of(s, group, k);
    o.prove(s, "digits_" + std::to_string(trits_of_group(g)), Obligation::Logic::kBitVectors,
            z3::implies(z3::ule(group, s.value(limit_of_group(g), 8)),
                        lowest_bit(sum) == lowest_bit(group)),
            model_text);
  }
  // Any digits, any fix on a digit that is not 1.
  Session s;
  const Term fix = s.constant("fix", 8);
  const Term no_fix = fix == s.value(kNoFix, 8);
  Term sum_z = s.value(0, 8);
  Term digits = s.value(0, 1);
  Term valid = no_fix || z3::ult(fix, s.value(kLeechDimension, 8));
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    const Term digit = s.constant("d" + std::to_string(i), 8);
    const Term outward = fix == s.value(i, 8);
    const Term trit = digit - s.value(1, 8);
    sum_z = sum_z + z3::ite(outward, trit + trit, trit);
    digits = digits ^ lowest_bit(digit);
    valid = valid && z3::ule(digit, s.value(2, 8)) && z3::implies(outward, digit != s.value(1, 8));
  }
  const Term flipped = z3::ite(no_fix, s.value(0, 1), s.value(1, 1));
  o.prove(s, "residuals", Obligation::Logic::kBitVectors,
          z3::implies(valid, lowest_bit(sum_z) == (digits ^ flipped)), model_text);
}

void kaiju1_kernel_1(Obligation& o) {
  prove_residual_parity(o);
  {
    PointsProof<Shipped> proof(o, replay_code<Shipped>);
    if (!proof.prove<16>() || !proof.prove<32>() || !proof.prove<64>()) return;
  }
  // The formula of text_of_code, with numbers for the bytes, against the reference.
  std::mt19937_64 random(20260902);
  std::size_t different = 0;
  for (int round = 0; round < 120; ++round) {
    Session s;
    CodeBytes code = random_code(random);
    if (round % 3 == 0) code[random() % 7] = static_cast<std::uint8_t>(random());
    std::vector<Term> bytes;
    for (const std::uint8_t byte : code) bytes.push_back(s.value(byte, 8));
    const CodeText text = text_of_code(bytes);
    const auto fields = unpack_leech_code<std::uint32_t>(code.data());
    const bool valid = ref::check_leech_code(fields, nullptr) == QP_OK;
    const bool accepted = (s.all(text.in_range) && text.fix_is_right).simplify().is_true();
    different += accepted == valid ? 0 : 1;
    if (!valid) continue;
    const auto point = ref::leech_code_point(fields);
    for (std::size_t i = 0; i < kLeechDimension; ++i) {
      const auto got = text.point[i].simplify().get_numeral_uint64();
      different += static_cast<std::int8_t>(got) == point[i] ? 0 : 1;
    }
  }
  o.check(different == 0,
          "the formula is not the reference's in " + std::to_string(different) + " places");
}

void kaiju1_kernel_2(Obligation& o) {
  for (const std::size_t count : {16u, 17u, 24u, 31u, 32u, 40u, 48u}) {
    prove_scale_run<Shipped, 1>(o, count);
    prove_scale_run<Shipped, 4>(o, count);
    prove_scale_run<Shipped, 8>(o, count);
    prove_scale_run<Shipped, 16>(o, count);
  }
  o.note("runs of 16, 17, 24, 31, 32, 40 and 48 weights");
}

void kaiju1_code_1(Obligation& o) {
  using symbolic::Byte;
  {
    Session s;
    std::vector<Term> terms;
    for (std::size_t i = 0; i < kLeechCodeBytes; ++i) {
      terms.push_back(s.constant("b" + std::to_string(i), 8));
    }
    std::array<Byte, kLeechCodeBytes> packed;
    pack_leech_code(fields_of(terms), packed.data());
    std::vector<Term> same;
    for (std::size_t i = 0; i < kLeechCodeBytes; ++i) same.push_back(packed[i].term() == terms[i]);
    o.prove(
        s, "pack_of_unpack", Obligation::Logic::kBitVectors, s.all(same),
        [&](const z3::model& model) { return "code " + code_text(code_of_model(model, terms)); });
  }
  Session s;
  const auto any = [&](const std::string& name, unsigned bits) {
    return Uint32(z3::zext(s.constant(name, bits), 32 - bits));
  };
  LeechCode<Uint32> code;
  for (std::size_t g = 0; g < kTritGroups; ++g) {
    code.trit_group[g] = any("group" + std::to_string(g), g + 1 < kTritGroups ? 8 : 7);
  }
  code.golay_index = any("golay_index", 12);
  code.fix = any("fix", 5);
  std::array<Byte, kLeechCodeBytes> bytes;
  pack_leech_code(code, bytes.data());
  const auto again = unpack_leech_code<Uint32>(bytes.data());
  std::vector<Term> same = {again.golay_index.term() == code.golay_index.term(),
                            again.fix.term() == code.fix.term()};
  for (std::size_t g = 0; g < kTritGroups; ++g) {
    same.push_back(again.trit_group[g].term() == code.trit_group[g].term());
  }
  o.prove(s, "unpack_of_pack", Obligation::Logic::kBitVectors, s.all(same), model_text);
}

void kaiju1_trit_1(Obligation& o) {
  for (std::size_t trits = 4; trits <= 5; ++trits) {
    const std::uint32_t limit = trits == 5 ? kTritGroupLimit : kLastTritGroupLimit;
    std::set<std::vector<int>> seen;
    for (std::uint32_t group = 0; group < 256; ++group) {
      std::vector<int> digits;
      std::uint32_t sum = 0;
      for (std::size_t j = 0; j < trits; ++j) {
        digits.push_back(trit_of(group, j) + 1);
        sum += static_cast<std::uint32_t>(digits[j]) * kPowersOfThree[j];
        o.check(0 <= digits[j] && digits[j] <= 2, "a trit of " + std::to_string(group));
      }
      o.check((sum == group) == (group <= limit), "the digits of " + std::to_string(group));
      if (group <= limit) seen.insert(digits);
    }
    o.check(seen.size() == limit + 1, "two groups have the same trits");
  }
}

void kaiju1_fit_1(Obligation& o) {
  Session s;
  const auto power = [&](int base, int exponent) {
    Term product = s.z3.int_val(1);
    for (int i = 0; i < exponent; ++i) product = product * base;
    return product;
  };
  o.prove(
      s, "bits", Obligation::Logic::kIntegers,
      // 24 trits do not fit what m, k and f leave of 56 bits
      power(3, 24) == s.z3.int_val(282'429'536'481) && power(3, 24) > power(2, 56 - 1 - 12 - 5) &&
          // five trits need a byte and four need seven bits, and so packed all need 57
          power(3, 5) <= power(2, 8) && power(3, 5) > power(2, 7) && power(3, 4) <= power(2, 7) &&
          power(3, 4) > power(2, 6) && s.z3.int_val(1 + 12 + 4 * 8 + 7 + 5) == 57,
      model_text);
}

void kaiju1_parity_1(Obligation& o) {
  for (int m = 0; m < 2; ++m) {
    for (std::uint32_t k = 0; k < kGolayWordCount; ++k) {
      int sum = 0;
      for (std::size_t i = 0; i < kLeechDimension; ++i) {
        sum += leech_offset(m, static_cast<int>(golay_word(k) >> i & 1u));
      }
      o.check(sum % 8 == 0, "the offset of coset " + std::to_string(m) + ", " + std::to_string(k));
    }
  }
  // leech.md 2.1: a point o + 4 z of coset (m, c) is in the lattice iff its sum is 4 m modulo 8.
  Session s;
  const Term m = s.z3.int_const("m");
  const Term eighth = s.z3.int_const("eighth");  // of the sum of o
  Term sum_z = s.z3.int_val(0);
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    sum_z = sum_z + s.z3.int_const(("z" + std::to_string(i)).c_str());
  }
  s.assume(m == 0 || m == 1);
  o.prove(s, "sum", Obligation::Logic::kIntegers,
          (z3::mod(8 * eighth + 4 * sum_z - 4 * m, 8) == 0) == (z3::mod(sum_z, 2) == m),
          model_text);
}

void kaiju1_code_2(Obligation& o) {
  // One coordinate: m, c_i and z_i within -2 to 2 give distinct x_i of one m, which tell c_i and
  // z_i, and |x_i| <= 10.
  for (int m = 0; m < 2; ++m) {
    std::set<int> seen;
    for (int bit = 0; bit < 2; ++bit) {
      for (int z = -2; z <= 2; ++z) {
        const int x = leech_offset(m, bit) + 4 * z;
        seen.insert(x);
        o.check((x & 1) == m && ((x - m) >> 1 & 1) == bit, "m and c of " + std::to_string(x));
        o.check(std::abs(x) <= kKaiju1CoordinateLimit, std::to_string(x) + " is out of range");
      }
    }
    o.check(seen.size() == 10, "two coordinates are the same");
  }
  // All coordinates: with m the parity of the sum of z the point is in the lattice, and no other m
  // puts it there.
  {
    Session s;
    const Term m = s.z3.int_const("m");
    const Term eighth = s.z3.int_const("eighth");  // of the sum of the offset, KAIJU1-PARITY-1
    Term sum_z = s.z3.int_val(0);
    for (std::size_t i = 0; i < kLeechDimension; ++i) {
      const Term z = s.z3.int_const(("z" + std::to_string(i)).c_str());
      s.assume(z >= -2 && z <= 2);
      sum_z = sum_z + z;
    }
    s.assume(m == z3::mod(sum_z, 2));
    o.prove(s, "sum", Obligation::Logic::kIntegers, z3::mod(8 * eighth + 4 * sum_z - 4 * m, 8) == 0,
            model_text);
  }
  // Residuals with at most one outside -1 to 1 and valid codes: one for one, by the digits
  // (KAIJU1-TRIT-1) and by f, which is the coordinate outside.
  std::uint64_t power = 1;
  for (int i = 0; i < 23; ++i) power *= 3;
  o.check(kGolayWordCount * (3 * power + 24 * 2 * power) == 19'666'133'484'244'992u,
          "the number of codes");
  o.check(kGolayWordCount * 51 * power == 19'666'133'484'244'992u, "the number of points");

  std::mt19937_64 random(20260903);
  std::size_t wrong = 0;
  std::size_t valid = 0;
  for (int round = 0; round < 200'000; ++round) {
    const CodeBytes bytes = random_code(random);
    const auto code = unpack_leech_code<std::uint32_t>(bytes.data());
    if (ref::check_leech_code(code, nullptr) != QP_OK) continue;
    ++valid;
    const auto point = ref::leech_code_point(code);
    LeechCode<std::uint32_t> again;
    const bool right = ref::is_leech_point(point.data()) &&
                       ref::leech_code_of_point(point.data(), &again) == QP_OK && again == code;
    wrong += right ? 0 : 1;
  }
  o.check(valid > 100'000, "too few random codes are valid");
  o.check(wrong == 0, std::to_string(wrong) + " codes do not come back from their points");
  o.note(std::to_string(valid) + " random codes there and back");
}

namespace {

__extension__ typedef unsigned __int128 Wide;  // NOLINT(modernize-use-using)

// kaiju1.md 2.1 once more, in 128 bits. Nothing iff the size does not fit 64.
std::optional<Kaiju1Layout> layout_in_128_bits(const Kaiju1Header& header) {
  const Wide blocks = header.bulk_cols / 24;
  const Wide multiplier_bytes = (blocks + 1) / 2;
  const Wide row_bytes = 2 + multiplier_bytes + 7 * blocks;
  const Wide channel_bytes = Wide{2} + header.rows;
  const Wide hi_band = Wide{28} + Wide{4} * header.hi_count;
  const Wide bulk_rows = hi_band + header.hi_count * channel_bytes;
  const Wide size = bulk_rows + header.rows * row_bytes;
  if (size >> 64 != 0) return std::nullopt;
  const auto narrow = [](Wide value) { return static_cast<std::uint64_t>(value); };
  return Kaiju1Layout{
      narrow(blocks),  narrow(multiplier_bytes), narrow(row_bytes), narrow(channel_bytes), 28,
      narrow(hi_band), narrow(bulk_rows),        narrow(size)};
}

}  // namespace

void kaiju1_layout_1(Obligation& o) {
  // The terms of kaiju1_layout as real numbers, for all headers: each at most 2^64 - 1.
  {
    Session s;
    const Term rows = s.z3.real_const("rows");
    const Term hi_count = s.z3.real_const("hi_count");
    const Term blocks = s.z3.real_const("blocks");
    const Term u32 = s.z3.real_val("4294967295");
    const Term u64 = s.z3.real_val("18446744073709551615");
    const Term u63 = s.z3.real_val("9223372036854775808");
    s.assume(rows >= 0 && rows <= u32 && hi_count >= 0 && hi_count <= u32);
    s.assume(blocks >= 0 && 24 * blocks <= u32);
    o.prove(s, "channels", Obligation::Logic::kReals, hi_count * (2 + rows) <= u64, model_text);
    o.prove(s, "index", Obligation::Logic::kLinearReals, 28 + 4 * hi_count <= u64, model_text);
    // ceil(n / 2) <= (n + 1) / 2
    const Term row_bytes = 2 + (blocks + 1) / 2 + 7 * blocks;
    o.prove(s, "rows", Obligation::Logic::kReals, rows * row_bytes < u63, model_text);
  }
  // The two sums that may not fit: the comparison before each tells exactly when.
  {
    Session s;
    const Term a = s.constant("a", 64);
    const Term b = s.constant("b", 64);
    const Term refused = z3::ugt(b, s.value(~std::uint64_t{0}, 64) - a);
    const Term sum = z3::zext(a, 1) + z3::zext(b, 1);
    o.prove(s, "sums", Obligation::Logic::kBitVectors,
            refused == (sum.extract(64, 64) == s.value(1, 1)), model_text);
  }
  // The shipped text against 128 bits.
  constexpr std::uint32_t kEdges[] = {0,  1,  2,          23,         24,         25,        47,
                                      48, 49, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF};
  std::size_t different = 0;
  std::size_t refused = 0;
  const auto compare = [&](const Kaiju1Header& header) {
    const auto got = kaiju1_layout(header);
    different += got == layout_in_128_bits(header) ? 0 : 1;
    refused += got ? 0 : 1;
    if (!got) return;
    // No gaps: each part begins where the one before it ends.
    const bool tiled =
        got->hi_band_offset == got->hi_index_offset + kKaiju1IndexBytes * header.hi_count &&
        got->bulk_rows_offset == got->hi_band_offset + header.hi_count * got->channel_bytes &&
        got->size == got->bulk_rows_offset + header.rows * got->row_bytes;
    different += tiled ? 0 : 1;
  };
  for (const std::uint32_t rows : kEdges) {
    for (const std::uint32_t hi_count : kEdges) {
      for (const std::uint32_t bulk_cols : kEdges) {
        compare({rows, 0, hi_count, bulk_cols, 1, 1});
      }
    }
  }
  std::mt19937_64 random(20260904);
  for (int i = 0; i < 200'000; ++i) {
    const auto any = [&] { return static_cast<std::uint32_t>(random() >> (32 + random() % 32)); };
    compare({any(), any(), any(), any(), 1, 1});
  }
  o.check(different == 0, std::to_string(different) + " layouts differ");
  o.check(refused > 0, "no header is too large");
  o.note("202,197 headers in 128 bits");
}

void kaiju1_value_1(Obligation& o) {
  constexpr std::uint32_t kLeastNormal = 0x00800000u;
  const auto is_normal = [](std::uint32_t bits) {
    const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
    return magnitude >= kLeastNormal && magnitude < 0x7F800000u;
  };
  std::size_t wrong = 0;
  std::uint64_t products = 0;
  std::uint64_t channels = 0;
  for (std::uint32_t half = 0; half < 0x10000; ++half) {
    if (!fast::is_finite_half(half)) continue;
    ref::Scale scale;
    ref::read_scale(QP_PROFILE_STRICT, static_cast<std::uint16_t>(half), &scale);
    const float d = std::bit_cast<float>(fast::WidenScale(QP_PROFILE_STRICT, half));
    const double exact_d = std::ldexp(scale.significand, scale.exponent);
    // 4.3: the product of d, q and x, which the kernel computes in this order.
    for (int q = 0; q <= static_cast<int>(kKaiju1MaxMultiplier); ++q) {
      const float scaled = d * static_cast<float>(q);
      for (int x = -kKaiju1CoordinateLimit; x <= kKaiju1CoordinateLimit; ++x) {
        const float product = scaled * static_cast<float>(x);
        const auto bits = std::bit_cast<std::uint32_t>(product);
        const double exact = exact_d * q * std::abs(x);
        const bool negative = scale.negative != (x < 0);
        const bool right = static_cast<double>(std::abs(product)) == exact &&
                           (bits >> 31 != 0) == negative && (exact == 0 || is_normal(bits));
        wrong += right ? 0 : 1;
        ++products;
      }
    }
    // 4.1
    for (int q = -128; q < 128; ++q) {
      const float weight = d * static_cast<float>(q);
      const auto bits = std::bit_cast<std::uint32_t>(weight);
      wrong += bits == ref::kaiju1_hi_weight(scale, q) &&
                       (q == 0 || half << 1 == 0x10000 || (half & 0x7FFFu) == 0 || is_normal(bits))
                   ? 0
                   : 1;
      ++channels;
    }
  }
  o.check(wrong == 0, std::to_string(wrong) + " products are not exact");

  // 4.2: the least and the greatest step; the rest lies between, for rounding is monotonic.
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  o.check(fast::kaiju1_step(1, kMost) == std::ldexp(1.0F, -32), "the least step");
  o.check(fast::kaiju1_step(kMost, 1) == std::ldexp(1.0F, 32), "the greatest step");
  // 4.5: the ends of the range of weights are normal: 2^-24 2^-32 and 150 * 65,504 * 2^32.
  o.check(is_normal(std::bit_cast<std::uint32_t>(std::ldexp(1.0F, -56))) &&
              is_normal(std::bit_cast<std::uint32_t>(std::ldexp(150.0F * 65'504.0F, 32))),
          "an end of the range");
  // One multiplication by the step is what the reference rounds once, in integers.
  std::mt19937_64 random(20260905);
  std::size_t different = 0;
  constexpr int kWeights = 1'000'000;
  for (int i = 0; i < kWeights; ++i) {
    std::uint32_t half = static_cast<std::uint32_t>(random() & 0xFFFFu);
    if (!fast::is_finite_half(half)) half ^= 0x4000u;
    ref::Scale scale;
    ref::read_scale(QP_PROFILE_STRICT, static_cast<std::uint16_t>(half), &scale);
    const auto q = static_cast<std::uint32_t>(random() % 16);
    const auto x = static_cast<std::int32_t>(random() % 21) - 10;
    const auto num = static_cast<std::uint32_t>(random() >> (32 + random() % 32)) | 1u;
    const auto den = static_cast<std::uint32_t>(random() >> (32 + random() % 32)) | 1u;
    const float step = fast::kaiju1_step(num, den);
    const float d = std::bit_cast<float>(fast::WidenScale(QP_PROFILE_STRICT, half));
    const float weight = d * static_cast<float>(q) * static_cast<float>(x) * step;
    const bool same =
        step == ref::kaiju1_step(num, den) &&
        std::bit_cast<std::uint32_t>(weight) == ref::kaiju1_bulk_weight(scale, q, x, step);
    different += same ? 0 : 1;
  }
  // A step that is a power of two may go into the scale, 4.3.
  for (int exponent = -32; exponent <= 32; ++exponent) {
    const float step = std::ldexp(1.0F, exponent);
    for (std::uint32_t half = 0; half < 0x10000; half += 37) {
      if (!fast::is_finite_half(half)) continue;
      ref::Scale scale;
      ref::read_scale(QP_PROFILE_STRICT, static_cast<std::uint16_t>(half), &scale);
      const float d = std::bit_cast<float>(fast::WidenScale(QP_PROFILE_STRICT, half));
      const std::uint32_t q = half % 16;
      const std::int32_t x = static_cast<std::int32_t>(half % 21) - 10;
      const float weight = d * static_cast<float>(q) * step * static_cast<float>(x);
      const std::uint32_t want = ref::kaiju1_bulk_weight(scale, q, x, step);
      different += std::bit_cast<std::uint32_t>(weight) == want ? 0 : 1;
    }
  }
  o.check(different == 0, std::to_string(different) + " weights are not the reference's");
  o.note(std::to_string(products) + " products, " + std::to_string(channels) +
         " weights of the side-band, 1,000,000 of the bulk");
}

}  // namespace quantproof::proofs
