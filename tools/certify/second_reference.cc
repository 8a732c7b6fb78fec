// SPDX-License-Identifier: Apache-2.0
//
// Reads its layout from the text of the format. Slow on purpose: a block is a string of the
// characters 0 and 1, a field a piece of it. No floating point is used.
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

#include "tools/certify/references.h"
#include "tools/certify/spec_data.h"

namespace quantproof::certify {

namespace {

struct Piece {
  std::size_t first = 0;  // bit
  std::size_t count = 0;
};

// What the text of one format states.
struct Text {
  std::size_t block_bits = 0;
  Piece scale;
  Piece index;                                        // of all index bytes
  Piece words;                                        // of all words
  std::array<Piece, 4> sign_field;                    // within a word
  Piece scale_code;                                   // within a word
  std::array<std::array<unsigned, 4>, 256> codebook;  // magnitudes
  int divisor_log2 = 0;
  bool partial_block = false;
};

// The numbers at the start of each cell of a Markdown table row; -1 where there is none.
std::vector<long> numbers(const std::string& row) {
  std::vector<long> found;
  for (std::size_t bar = row.find('|'); bar != std::string::npos; bar = row.find('|', bar + 1)) {
    const std::size_t begin = row.find_first_not_of(' ', bar + 1);
    if (begin == std::string::npos) break;
    found.push_back(std::isdigit(static_cast<unsigned char>(row[begin])) != 0
                        ? std::stol(row.substr(begin))
                        : -1);
  }
  return found;
}

std::vector<std::string> lines_of(const std::string& path) {
  std::istringstream stream{std::string(spec_file(path))};
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool begins(const std::string& line, const std::string& word) { return line.rfind(word, 0) == 0; }

void read_codebook(Text& text) {
  std::vector<unsigned> magnitudes;
  std::size_t row = 0;
  bool inside = false;
  for (const std::string& line : lines_of("formats/iq3_xxs.md")) {
    if (begins(line, "| magnitude | ")) {
      for (const long number : numbers(line)) {
        if (number >= 0) magnitudes.push_back(static_cast<unsigned>(number));
      }
    } else if (begins(line, "```levels")) {
      inside = true;
    } else if (begins(line, "```")) {
      inside = false;
    } else if (inside) {
      std::istringstream words(line.substr(line.find(':') + 1));
      for (std::string levels; words >> levels; ++row) {
        for (std::size_t j = 0; j < 4; ++j) {
          text.codebook.at(row)[j] = magnitudes.at(static_cast<std::size_t>(levels.at(j) - '0'));
        }
      }
    }
  }
  if (row != 256) throw std::logic_error("the text's codebook has not 256 rows");
}

Text read_text(qp_format format) {
  Text text;
  std::map<std::string, Piece> fields;  // in bits
  for (const std::string& line :
       lines_of(format == QP_IQ3_XXS ? "formats/iq3_xxs.md" : "formats/e8_iq3.md")) {
    const auto cells = numbers(line);
    for (const char* name : {"scale", "index", "word"}) {
      if (cells.size() >= 4 && cells[0] >= 0 && cells[1] > 0 &&
          line.find("| " + std::string(name) + " | ") != std::string::npos) {
        fields[name] = {8 * static_cast<std::size_t>(cells[0]),
                        8 * static_cast<std::size_t>(cells[1])};
      }
    }
    // "| 7-13 | sign field of group 1 |" and "| 28-31 | scale code s |"
    const std::size_t dash = line.find_first_not_of("0123456789", 2);
    if (begins(line, "| ") && cells[0] >= 0 && dash != std::string::npos && line[dash] == '-') {
      const Piece bits{static_cast<std::size_t>(cells[0]),
                       std::stoul(line.substr(dash + 1)) - static_cast<std::size_t>(cells[0]) + 1};
      const std::string sign = "sign field of group ";
      const std::size_t at = line.find(sign);
      if (at != std::string::npos) {
        text.sign_field.at(std::stoul(line.substr(at + sign.size()))) = bits;
      } else if (line.find("| scale code s |") != std::string::npos) {
        text.scale_code = bits;
      }
    }
    const std::string formula = "w = sigma d (2s + 1) G / ";
    const std::size_t at = line.find(formula);
    if (at != std::string::npos) {
      for (unsigned long d = std::stoul(line.substr(at + formula.size())); d > 1; d /= 2) {
        ++text.divisor_log2;
      }
    }
    if (begins(line, "5.2 When n is not a multiple of 256, the last block is partial.")) {
      text.partial_block = true;
    }
  }
  text.scale = fields.at("scale");
  text.index = fields.at("index");
  text.words = fields.at("word");
  text.block_bits = text.scale.count + text.index.count + text.words.count;
  read_codebook(text);
  return text;
}

const Text& text_of(qp_format format) {
  static const std::map<qp_format, Text> texts = {{QP_IQ3_XXS, read_text(QP_IQ3_XXS)},
                                                  {QP_E8_IQ3, read_text(QP_E8_IQ3)}};
  return texts.at(format);
}

// README.md 2.1: the bits of the bytes, bit 0 of byte 0 first.
std::string bit_string(std::span<const std::uint8_t> bytes) {
  std::string bits;
  for (const std::uint8_t byte : bytes) {
    for (int k = 0; k < 8; ++k) bits.push_back(((byte >> k) & 1) != 0 ? '1' : '0');
  }
  return bits;
}

std::uint32_t number(const std::string& bits, std::size_t first, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t k = count; k > 0; --k) value = 2 * value + (bits[first + k - 1] == '1' ? 1 : 0);
  return value;
}

// The binary32 number integer * 2^exponent; integer is below 2^24.
std::uint32_t binary32(std::uint32_t integer, int exponent) {
  if (integer == 0) return 0;
  while (integer < (1u << 23)) {
    integer *= 2;
    --exponent;
  }
  return (static_cast<std::uint32_t>(exponent + 23 + 127) << 23) + (integer - (1u << 23));
}

// half.md 3.4 and iq3_xxs.md 4.4, 4.5: bits 0-30 of a weight for |d| times `factor` / 2^divisor.
std::uint32_t magnitude_bits(qp_profile profile, std::uint32_t e, std::uint32_t m,
                             std::uint32_t factor, int divisor_log2) {
  if (e == 31) return m == 0 ? 0x7F800000u : 0x7FC00000u + (m % 512) * 8192;
  if (e == 0 && m == 0) return 0;
  if (e == 0 && profile == QP_PROFILE_COLIBRI) {
    return binary32((1024 + m) * factor, -24 - divisor_log2);
  }
  if (e == 0) return binary32(m * factor, -24 - divisor_log2);
  return binary32((1024 + m) * factor, static_cast<int>(e) - 25 - divisor_log2);
}

}  // namespace

Answer second_reference_answer(qp_format format, qp_profile profile,
                               std::span<const std::uint8_t> bytes, std::size_t n_values) {
  const Text& text = text_of(format);
  if (n_values % 256 != 0 && !text.partial_block) return {QP_BAD_WIDTH, {0, 0, "n_values"}, {}};
  const std::size_t blocks = n_values / 256 + (n_values % 256 == 0 ? 0 : 1);
  if (bytes.size() % (text.block_bits / 8) != 0 || bytes.size() / (text.block_bits / 8) != blocks) {
    return {QP_BAD_SIZE, {0, 0, "n_bytes"}, {}};
  }
  Answer answer;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t begin = b * (text.block_bits / 8);
    const std::string bits = bit_string(bytes.subspan(begin, text.block_bits / 8));
    const std::uint32_t scale = number(bits, text.scale.first, text.scale.count);
    const std::uint32_t e = scale / 1024 % 32;
    if (e == 31 && profile == QP_PROFILE_STRICT) {
      answer.status = QP_SCALE_NOT_FINITE;
      answer.where = {b, begin + text.scale.first / 8, "scale"};
      return answer;
    }
    for (std::size_t i = 0; i < 256 && 256 * b + i < n_values; ++i) {
      const std::size_t word = text.words.first + 32 * (i / 32);
      const Piece& field = text.sign_field[i % 32 / 8];
      // 4.2: the weight's own character, or for weight 7 whether an odd number of them is 1.
      const std::string signs = bits.substr(word + field.first, field.count);
      const bool negative = i % 8 < field.count
                                ? signs[i % 8] == '1'
                                : std::count(signs.begin(), signs.end(), '1') % 2 == 1;
      const std::uint32_t code = number(bits, word + text.scale_code.first, text.scale_code.count);
      const std::uint32_t row = number(bits, text.index.first + 8 * (i / 4), 8);
      const std::uint32_t factor = (2 * code + 1) * text.codebook[row][i % 4];
      const std::uint32_t sign = ((scale >> 15) ^ (negative ? 1u : 0u)) << 31;
      answer.bits.push_back(sign +
                            magnitude_bits(profile, e, scale % 1024, factor, text.divisor_log2));
    }
  }
  return answer;
}

}  // namespace quantproof::certify
