// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>

#include "report.hpp"
#include "svg.hpp"

namespace spk::bench {
namespace {

constexpr double kWidth = 400, kHeight = 280;          // of one picture, in pixels
constexpr double kLeft = 56, kTop = 72, kBottom = 60;  // room for numbers and titles
constexpr double kDensest = 1, kSparsest = 0.01;  // x: share of places that are stored; sparser ones stand at the end
constexpr const char* kColours[] = {"#0b3954", "#c81d25", "#2a9d8f", "#e09f3e", "#7b2cbf", "#6c757d"};

// Ends of bands of sparsity, between the levels of the pruned networks.
constexpr double kBands[] = {0.6, 0.75, 0.85, 0.93, 0.97, 1};

std::size_t band_of(const Race& race) {
  return static_cast<std::size_t>(
      std::find_if(std::begin(kBands), std::end(kBands) - 1, [&](double end) { return race.sparsity < end; }) -
      std::begin(kBands));
}

// Races of one operation and order, and what they are drawn on.
class Picture {
 public:
  Picture(const std::vector<const Race*>& races, double left)
      : left_(left), has_n_(races.front()->operation != tool::Operation::kSoftmax) {
    for (const Race* race : races) {
      for (const double ratio :
           {race->one_shot_ratio(), race->plan_ratio(), race->has_kept() ? race->kept_ratio() : race->plan_ratio()}) {
        low_ = std::min(low_, std::exp2(std::floor(std::log2(ratio))));
        high_ = std::max(high_, std::exp2(std::ceil(std::log2(ratio))));
      }
      by_n_[race->n].push_back(race);
    }
  }

  void draw(const std::string& title, std::string& svg) const {
    auto out = std::back_inserter(svg);
    fmt::format_to(out, "<text class=\"title\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", left_, kTop - 10, title);
    draw_axes(svg);
    std::size_t number = 0;
    for (const auto& [n, races] : by_n_) {
      const char* colour = kColours[number % std::size(kColours)];
      fmt::format_to(out, "<g fill=\"{0}\" stroke=\"{0}\">\n", colour);
      for (const Race* race : races)
        fmt::format_to(out,
                       "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\"><title>{} sparsity {:.3f}{}: {:.2f}; plan {:.2f} "
                       "of {}</title></circle>\n",
                       x(race->sparsity), y(race->one_shot_ratio()),
                       tool::svg_escaped(tool::short_name(race->file, 80)), race->sparsity, n_text(n),
                       race->one_shot_ratio(), race->plan_ratio(), tool::svg_escaped(race->rival().name));
      draw_line(races, &Race::one_shot_ratio, "", svg);
      draw_line(races, &Race::plan_ratio, " stroke-dasharray=\"5 3\"", svg);
      if (races.front()->has_kept()) draw_line(races, &Race::kept_ratio, " stroke-dasharray=\"1 3\"", svg);
      svg += "</g>\n";
      fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\">{}</text>\n",
                     left_ + 64 * static_cast<double>(number), kTop + kHeight + 50, colour, n_text(n));
      ++number;
    }
  }

 private:
  std::string n_text(std::int64_t n) const { return has_n_ ? fmt::format(" n = {}", n) : ""; }
  double x(double sparsity) const {
    const double density = std::clamp(1 - sparsity, kSparsest, kDensest);
    return left_ + kWidth * std::log(kDensest / density) / std::log(kDensest / kSparsest);
  }
  double y(double ratio) const { return kTop + kHeight * std::log(high_ / ratio) / std::log(high_ / low_); }

  void draw_axes(std::string& svg) const {
    auto out = std::back_inserter(svg);
    fmt::format_to(out, "<rect class=\"frame\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n", left_,
                   kTop, kWidth, kHeight);
    for (double ratio = low_; ratio <= high_; ratio *= 2) {
      fmt::format_to(out, "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                     ratio == 1 ? "one" : "grid", left_, y(ratio), left_ + kWidth, y(ratio));
      fmt::format_to(out, "<text class=\"end\" x=\"{:.1f}\" y=\"{:.1f}\">{:g}</text>\n", left_ - 6, y(ratio) + 4,
                     ratio);
    }
    for (const double sparsity : {0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98})
      fmt::format_to(out,
                     "<line class=\"grid\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\"/>\n"
                     "<text class=\"middle\" x=\"{0:.1f}\" y=\"{3:.1f}\">{4:g}</text>\n",
                     x(sparsity), kTop, kTop + kHeight, kTop + kHeight + 16, sparsity);
    fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\">sparsity</text>\n", left_, kTop + kHeight + 33);
  }

  // Through the geometric means of the bands.
  void draw_line(const std::vector<const Race*>& races, double (Race::*ratio)() const, const char* style,
                 std::string& svg) const {
    struct Mean {
      double sparsity = 0, logarithm = 0;
      int count = 0;
    };
    Mean means[std::size(kBands)];
    for (const Race* race : races) {
      Mean& mean = means[band_of(*race)];
      mean.sparsity += std::log(std::max(1 - race->sparsity, kSparsest));
      mean.logarithm += std::log((race->*ratio)());
      ++mean.count;
    }
    auto out = std::back_inserter(svg);
    svg += "<polyline fill=\"none\" points=\"";
    for (const Mean& mean : means)
      if (mean.count > 0)
        fmt::format_to(out, "{:.1f},{:.1f} ", x(1 - std::exp(mean.sparsity / mean.count)),
                       y(std::exp(mean.logarithm / mean.count)));
    fmt::format_to(out, "\"{}/>\n", style);
  }

  double left_, low_ = 0.5, high_ = 2;
  bool has_n_;
  std::map<std::int64_t, std::vector<const Race*>> by_n_;
};

}  // namespace

std::string to_svg(const std::vector<Race>& races, const Circumstances& circumstances) {
  std::map<std::tuple<int, int, int>, std::vector<const Race*>> groups;  // row order first, as in the table
  for (const Race& race : races)
    groups[{static_cast<int>(race.operation), race.transposed, race.order == SPK_ORDER_ROW ? 0 : 1}].push_back(&race);
  const double each = kWidth + kLeft + 24, height = kTop + kHeight + kBottom;
  const double width = std::max(2.0, static_cast<double>(groups.size())) * each;
  std::string svg = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\">\n"
      "<style>text{{font:12px sans-serif;stroke:none}} .title{{font-weight:bold}} .end{{text-anchor:end}} "
      ".middle{{text-anchor:middle}} .frame{{fill:none;stroke:#888}} .grid{{stroke:#ddd}} .one{{stroke:#222}} "
      "circle{{fill-opacity:.45;stroke:none}} polyline{{stroke-width:1.6}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
      "<text class=\"title\" x=\"{2:.0f}\" y=\"22\">Times as fast as the best peer: spk {3}, {4} thread{5}, "
      "{6}</text>\n"
      "<text x=\"{2:.0f}\" y=\"40\">dots and lines: one-shot calls; dashed: plans, dotted: plans that keep values; "
      "lines: geometric means of bands of "
      "sparsity; {7}; warm caches</text>\n",
      width, height, kLeft, tool::svg_escaped(circumstances.commit), circumstances.limits.threads,
      circumstances.limits.threads == 1 ? "" : "s", tool::svg_escaped(tool::cpu_model()),
      tool::svg_escaped(circumstances.source));
  double left = kLeft;
  for (const auto& [key, group] : groups) {
    const Race& first = *group.front();
    std::string title = tool::operation_name(first.operation);
    if (first.operation != tool::Operation::kSoftmax)
      title += first.order == SPK_ORDER_ROW ? ", row-major" : ", column-major";
    if (first.transposed) title += ", A^T";
    if (first.operation == tool::Operation::kSddmm) title += " (n: inner size)";
    Picture(group, left).draw(title, svg);
    left += each;
  }
  svg += "</svg>\n";
  return svg;
}

}  // namespace spk::bench
