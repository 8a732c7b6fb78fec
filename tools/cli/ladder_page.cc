// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/ladder_page.h"

#include <algorithm>
#include <cmath>

#include "fmt/format.h"

#include "tools/report/escaped.h"

namespace quantproof::cli {

namespace {

using model::Ladder;
using model::Rung;

constexpr double kWidth = 860;
constexpr double kHeight = 470;
constexpr double kLeft = 74;
constexpr double kRight = 24;
constexpr double kTop = 16;
constexpr double kBottom = 54;

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --ink: #1c2024; --soft: #667; --line: #d8dce2; --back: #fff;
  --type: #0b62c4; --file: #b3541e; --bad: #c01c28; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaee; --soft: #9aa3b2; --line: #353b45;
  --back: #14171c; --type: #6cb2ff; --file: #f0a065; --bad: #ff7b80; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--back);
  max-width: 900px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.3rem; margin: 0; } p { color: var(--soft); margin: .2rem 0 1rem; }
svg { width: 100%; height: auto; } svg text { fill: var(--ink); font-size: 13px; }
svg .soft { fill: var(--soft); } svg .grid { stroke: var(--line); }
svg .leader { stroke: var(--soft); stroke-width: .7; }
svg .type { fill: var(--type); } svg .file { fill: var(--back); stroke: var(--file);
  stroke-width: 2.5; }
table { border-collapse: collapse; width: 100%; margin-top: 1rem; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .25rem .5rem; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; } th { color: var(--soft); font-weight: 600; }
.bad { color: var(--bad); font-weight: 600; }
)";

// Both axes are logarithmic. A divergence of 0 has no place there and is drawn at the bottom.
class Axis {
 public:
  Axis(double least, double most, double from, double to)
      : least_(std::log(least)), most_(std::log(most)), from_(from), to_(to) {}
  [[nodiscard]] double place(double value) const {
    const double part = (std::log(value) - least_) / (most_ - least_);
    return from_ + (to_ - from_) * std::clamp(part, 0.0, 1.0);
  }

 private:
  double least_;
  double most_;
  double from_;
  double to_;
};

struct Box {
  double left;
  double top;
  double right;
  double bottom;
  [[nodiscard]] bool overlaps(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

// Where the label of a point at (x, y) has room, and its nearest end to the point: the first place
// of growing circles about it that nothing in `taken` is in.
struct Place {
  double x;
  double y;
  bool to_the_right;
};

Place find_place(double x, double y, std::size_t letters, std::vector<Box>& taken) {
  constexpr double kLetter = 7.4;
  constexpr double kHalfLine = 8;
  const double width = kLetter * static_cast<double>(letters);
  for (double distance = 13; distance < 300; distance += 13) {
    for (int step = 0; step < 16; ++step) {
      const double angle = step * std::acos(-1.0) / 8;
      const Place place = {x + distance * std::cos(angle), y + distance * std::sin(angle),
                           step <= 4 || step >= 12};
      const Box box = {place.to_the_right ? place.x : place.x - width, place.y - kHalfLine,
                       place.to_the_right ? place.x + width : place.x, place.y + kHalfLine};
      const bool inside = box.left > kLeft && box.right < kWidth - kRight && box.top > kTop &&
                          box.bottom < kHeight - kBottom;
      if (inside && std::none_of(taken.begin(), taken.end(),
                                 [&](const Box& other) { return box.overlaps(other); })) {
        taken.push_back(box);
        return place;
      }
    }
  }
  return {x, y, true};
}

std::string plot(const std::vector<Rung>& rungs) {
  double least_rate = INFINITY;
  double most_rate = 0;
  double least = INFINITY;
  double most = 0;
  for (const Rung& rung : rungs) {
    least_rate = std::min(least_rate, rung.bits_per_weight);
    most_rate = std::max(most_rate, rung.bits_per_weight);
    if (rung.divergence.mean > 0) least = std::min(least, rung.divergence.mean);
    most = std::max(most, rung.divergence.mean);
  }
  if (!(most > 0)) {
    least = 1e-6;
    most = 1;
  }
  const Axis rates(least_rate / 1.04, std::max(most_rate * 1.2, least_rate * 1.5), kLeft,
                   kWidth - kRight);
  const Axis divergences(least / 1.6, most * 1.6, kHeight - kBottom, kTop);

  std::string svg = fmt::format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Divergence over bits per weight\">\n",
      kWidth, kHeight);
  for (int exponent = -9; exponent <= 2; ++exponent) {
    for (const double first : {1.0, 2.0, 5.0}) {
      const double value = first * std::pow(10.0, exponent);
      if (value < least / 1.6 || value > most * 1.6) continue;
      if (first != 1.0 && most / least > 200) continue;
      const double y = divergences.place(value);
      svg += fmt::format(
          "<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>"
          "<text class=\"soft\" x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:g}</text>\n",
          kLeft, kWidth - kRight, y, kLeft - 8, y + 4, value);
    }
  }
  double last = -INFINITY;
  for (const double rate : {1.0, 1.5, 2.0, 2.25, 2.5, 2.75, 3.0, 3.25, 3.5, 4.0, 4.5, 5.0, 6.0, 8.0,
                            10.0, 12.0, 16.0, 24.0, 32.0}) {
    const double x = rates.place(rate);
    if (x <= kLeft || x >= kWidth - kRight || x - last < 34) continue;
    last = x;
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>"
        "<text class=\"soft\" x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4:g}</text>\n",
        x, kTop, kHeight - kBottom, kHeight - kBottom + 18, rate);
  }
  svg += fmt::format(
      "<text class=\"soft\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">bits per weight</text>\n"
      "<text class=\"soft\" transform=\"translate(16 {:.1f}) rotate(-90)\" "
      "text-anchor=\"middle\">mean divergence from the model, nats</text>\n",
      (kLeft + kWidth - kRight) / 2, kHeight - 12, (kTop + kHeight - kBottom) / 2);
  constexpr double kRadius = 5;
  std::vector<Box> taken;
  std::vector<std::pair<double, double>> places;
  std::string points;
  for (const Rung& rung : rungs) {
    const double x = rates.place(rung.bits_per_weight);
    const double y =
        rung.divergence.mean > 0 ? divergences.place(rung.divergence.mean) : kHeight - kBottom;
    places.emplace_back(x, y);
    taken.push_back({x - kRadius, y - kRadius, x + kRadius, y + kRadius});
    points += fmt::format(
        "<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"><title>{}: {:.4f} bits, "
        "{:.6f} nats</title></circle>\n",
        rung.is_file ? "file" : "type", x, y, kRadius, report::escaped(rung.name),
        rung.bits_per_weight, rung.divergence.mean);
  }
  for (std::size_t r = 0; r < rungs.size(); ++r) {
    const auto [x, y] = places[r];
    const Place place = find_place(x, y, rungs[r].name.size(), taken);
    svg += fmt::format(
        "<line class=\"leader\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
        x, y, place.x, place.y, place.x + (place.to_the_right ? 2 : -2), place.y + 4.5,
        place.to_the_right ? "start" : "end", report::escaped(rungs[r].name));
  }
  return svg + points + "</svg>\n";
}

std::string table(const std::vector<Rung>& rungs) {
  std::string html =
      "<table><thead><tr><th>format</th><th>bits per weight</th><th>weighted error</th>"
      "<th>perplexity</th><th>divergence</th><th>&plusmn;</th><th>same top</th></tr></thead>"
      "<tbody>\n";
  for (const Rung& rung : rungs) {
    html += fmt::format(
        "<tr><td>{}</td><td>{:.4f}</td><td>{:.6f}</td><td>{:.5f}</td><td>{:.6f}</td><td>{:.6f}</td>"
        "<td>{:.2f} %</td></tr>\n",
        report::escaped(rung.name), rung.bits_per_weight, rung.weighted_error, rung.perplexity,
        rung.divergence.mean, rung.divergence.error, 100 * rung.same_top);
  }
  return html + "</tbody></table>\n";
}

}  // namespace

std::string ladder_page(const Ladder& ladder, const std::string& title,
                        const std::string& subtitle) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
      "<title>{0}</title><style>{1}</style></head><body>\n<h1>{0}</h1>\n<p>{2}</p>\n",
      report::escaped(title), kStyle, report::escaped(subtitle));
  html += plot(ladder.rungs);
  for (const model::Inversion& inversion : ladder.inversions) {
    html += fmt::format("<p class=\"bad\">{} has more bits than {}, and diverges more</p>\n",
                        report::escaped(ladder.rungs[inversion.higher].name),
                        report::escaped(ladder.rungs[inversion.lower].name));
  }
  return html + table(ladder.rungs) + "</body></html>\n";
}

}  // namespace quantproof::cli
