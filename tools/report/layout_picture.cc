// SPDX-License-Identifier: Apache-2.0
#include "tools/report/layout_picture.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "fmt/format.h"

#include "quantproof/e8_iq3.h"
#include "quantproof/iq3_xxs.h"
#include "quantproof/kaiju1.h"
#include "quantproof/ref/iq3_block.h"

namespace quantproof::report {

namespace {

constexpr double kWidth = 392;  // units of the drawing

// A run of bytes or bits [first, last], as people number them.
struct Part {
  std::size_t first;
  std::size_t last;
  std::string label;
  const char* kind;  // class in page.css
};

// One strip of parts over `total` bytes or bits, its numbers below it.
std::string strip(const std::vector<Part>& parts, std::size_t total, double y) {
  const double unit = kWidth / static_cast<double>(total);
  std::string svg;
  auto out = std::back_inserter(svg);
  for (const Part& part : parts) {
    const double x = unit * static_cast<double>(part.first);
    const double width = unit * static_cast<double>(part.last + 1 - part.first);
    const double middle = x + width / 2;
    fmt::format_to(out,
                   "<rect class=\"{}\" x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"26\"/>\n",
                   part.kind, x, y, width);
    // A part too narrow for its label stands at an edge, and has it above.
    const bool narrow = width < 20;
    const bool left = middle < kWidth / 2;
    const double at = !narrow ? middle : left ? 0 : kWidth;
    const char* anchor = !narrow ? "middle" : left ? "start" : "end";
    fmt::format_to(out, "<text{} x=\"{:.2f}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n",
                   narrow ? "" : " class=\"inside\"", at, narrow ? y - 4 : y + 17, anchor,
                   part.label);
    const std::string numbers = part.first == part.last
                                    ? fmt::format("{}", part.first)
                                    : fmt::format("{}-{}", part.first, part.last);
    fmt::format_to(out, "<text x=\"{:.2f}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", at, y + 37,
                   anchor, numbers);
  }
  return svg;
}

std::string figure(const std::string& caption, const std::string& spoken, double height,
                   const std::string& drawing) {
  return fmt::format(
      "<figure>\n<figcaption>{}</figcaption>\n<svg viewBox=\"0 0 {} {}\" role=\"img\" "
      "aria-label=\"{}\">\n{}</svg>\n</figure>\n",
      caption, kWidth, height, spoken, drawing);
}

std::string spoken(const std::vector<Part>& parts, const char* unit) {
  std::string text;
  for (const Part& part : parts) {
    text += fmt::format("{}{} {} to {}: {}", text.empty() ? "" : "; ", unit, part.first, part.last,
                        part.label);
  }
  return text;
}

// The bits that `store` sets: it is called with the bytes of an empty block.
template <std::size_t kBytes, class Store>
Part probe(const Store& store, const std::string& label, const char* kind) {
  std::array<std::uint8_t, kBytes> bytes{};
  store(bytes.data());
  Part part{8 * kBytes, 0, label, kind};
  for (std::size_t bit = 0; bit < 8 * kBytes; ++bit) {
    if ((bytes[bit / 8] >> (bit % 8) & 1) == 0) continue;
    part.first = std::min(part.first, bit);
    part.last = bit;
  }
  return part;
}

template <class Layout>
std::string block_picture(const char* name) {
  std::vector<Part> bytes = {
      {Layout::kScaleOffset, Layout::kScaleOffset + 1, "scale d", "scale"},
      {Layout::kIndexOffset, Layout::kIndexOffset + kIndices - 1, "64 codebook indices", "index"},
      {Layout::kSignScaleOffset, Layout::kSignScaleOffset + 4 * kSubblocks - 1, "8 words", "word"}};
  std::sort(bytes.begin(), bytes.end(),
            [](const Part& a, const Part& b) { return a.first < b.first; });
  std::vector<Part> bits;
  const auto probe_word = [&](const std::string& label, const char* kind, const auto& set) {
    Part part = probe<Layout::kBlockBytes>(
        [&](std::uint8_t* block) {
          Iq3Fields<std::uint32_t> fields;
          set(fields);
          ref::pack<Layout>(fields, block);
        },
        label, kind);
    part.first -= 8 * Layout::kSignScaleOffset;
    part.last -= 8 * Layout::kSignScaleOffset;
    bits.push_back(part);
  };
  for (std::size_t g = 0; g < kGroupsPerSubblock; ++g) {
    probe_word(fmt::format("signs {}-{}", 8 * g, 8 * g + 7), "sign",
               [&](auto& fields) { fields.sign_field[0][g] = 0x7F; });
  }
  probe_word("code s", "code", [](auto& fields) { fields.scale_code[0] = 15; });
  const double unit = kWidth / static_cast<double>(Layout::kBlockBytes);
  const double from = unit * static_cast<double>(Layout::kSignScaleOffset);
  std::string drawing = strip(bytes, Layout::kBlockBytes, 14);
  drawing += fmt::format("<path d=\"M{:.2f} 54 L0 76 M{:.2f} 54 L{} 76\"/>\n", from,
                         from + 4 * unit, kWidth);
  drawing += strip(bits, 32, 77);
  return figure(
      fmt::format("{}: a block of {} bytes, {} weights; below, the bits of a word, {} weights",
                  name, Layout::kBlockBytes, kBlockWeights, kSubblockWeights),
      spoken(bytes, "bytes") + "; of a word " + spoken(bits, "bits"), 116, drawing);
}

std::string code_picture() {
  std::vector<Part> bits;
  const auto add = [&](const std::string& label, const char* kind, const auto& set) {
    bits.push_back(probe<kLeechCodeBytes>(
        [&](std::uint8_t* bytes) {
          LeechCode<std::uint32_t> code{};
          set(code);
          pack_leech_code(code, bytes);
        },
        label, kind));
  };
  for (std::size_t g = 0; g < kTritGroups; ++g) {
    const std::size_t last = std::min(kTritGroupTrits * (g + 1), kLeechDimension) - 1;
    add(fmt::format("z {}-{}", kTritGroupTrits * g, last), "index",
        [&](auto& code) { code.trit_group[g] = g + 1 < kTritGroups ? 0xFF : 0x7F; });
  }
  add("Golay index", "word", [](auto& code) { code.golay_index = 0xFFF; });
  add("fix", "code", [](auto& code) { code.fix = 0x1F; });
  std::sort(bits.begin(), bits.end(),
            [](const Part& a, const Part& b) { return a.first < b.first; });
  return figure(fmt::format("KAIJU1: the bits of the code of {} weights, {} bytes; z are residuals",
                            kLeechDimension, kLeechCodeBytes),
                spoken(bits, "bits"), 42, strip(bits, 8 * kLeechCodeBytes, 2));
}

}  // namespace

std::string layout_picture(const std::string& format) {
  if (format == "iq3_xxs") return block_picture<Iq3Xxs>("IQ3_XXS");
  if (format == "e8_iq3") return block_picture<E8Iq3>("E8/IQ3");
  if (format == "kaiju1") return code_picture();
  return {};
}

}  // namespace quantproof::report
