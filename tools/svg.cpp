// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "row_statistics.hpp"
#include "table.hpp"

namespace spk::tool {
namespace {

constexpr double kPlotSide = 480;  // longer side of the spy plot, in pixels
constexpr double kHistogramWidth = 420;
constexpr double kHistogramHeight = 300;
constexpr double kMargin = 24;
constexpr double kTop = 56;
constexpr std::int64_t kMaxCells = 120;  // along the longer side
constexpr int kShades = 8;

// A grid of cells over the matrix, each with its share of stored places.
struct Grid {
  std::int64_t rows, cols;
  std::vector<double> density;
};

Grid density_grid(const CsrMatrix& matrix) {
  const std::int64_t longer = std::max(matrix.rows, matrix.cols);
  const std::int64_t cells = std::min(longer, kMaxCells);
  const auto side = [&](std::int64_t size) {
    return std::max<std::int64_t>(
        1, std::llround(static_cast<double>(size) * static_cast<double>(cells) / static_cast<double>(longer)));
  };
  Grid grid{side(matrix.rows), side(matrix.cols), {}};
  grid.density.assign(static_cast<std::size_t>(grid.rows * grid.cols), 0);
  // In double: row * cells may leave 64 bits only for sizes that no file has, but rounding is harmless anyway.
  const auto cell_of = [](std::int64_t place, std::int64_t size, std::int64_t count) {
    const auto cell =
        static_cast<std::int64_t>(static_cast<double>(place) / static_cast<double>(size) * static_cast<double>(count));
    return std::min(cell, count - 1);
  };
  for (std::int64_t i = 0; i < matrix.rows; ++i) {
    const std::int64_t cell_row = cell_of(i, matrix.rows, grid.rows);
    for (std::int64_t t = matrix.offset(i); t < matrix.offset(i + 1); ++t) {
      grid.density[static_cast<std::size_t>(cell_row * grid.cols +
                                            cell_of(matrix.column(t), matrix.cols, grid.cols))] += 1;
    }
  }
  const double places =
      static_cast<double>(matrix.rows) * static_cast<double>(matrix.cols) / static_cast<double>(grid.rows * grid.cols);
  for (double& density : grid.density) density = std::min(1.0, density / places);
  return grid;
}

// Shade 0 is blank. The square root keeps sparse cells visible next to full ones.
int shade_of(double density, double fullest) {
  if (density == 0) return 0;
  return std::clamp(static_cast<int>(std::ceil(std::sqrt(density / fullest) * kShades)), 1, kShades);
}

void draw_spy(const CsrMatrix& matrix, std::string& svg) {
  auto out = std::back_inserter(svg);
  if (matrix.rows == 0 || matrix.cols == 0) return;
  const Grid grid = density_grid(matrix);
  const double cell = kPlotSide / static_cast<double>(std::max(grid.rows, grid.cols));
  const double fullest = *std::max_element(grid.density.begin(), grid.density.end());
  for (std::int64_t i = 0; i < grid.rows; ++i) {
    // Neighbours of one shade become one rectangle, which keeps the file small.
    for (std::int64_t j = 0; j < grid.cols;) {
      const auto shade_at = [&](std::int64_t column) {
        return shade_of(grid.density[static_cast<std::size_t>(i * grid.cols + column)], fullest);
      };
      const int shade = shade_at(j);
      std::int64_t end = j + 1;
      while (end < grid.cols && shade_at(end) == shade) ++end;
      if (shade != 0) {
        fmt::format_to(out, "<rect class=\"s{}\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"/>\n",
                       shade, kMargin + static_cast<double>(j) * cell, kTop + static_cast<double>(i) * cell,
                       static_cast<double>(end - j) * cell, cell);
      }
      j = end;
    }
  }
  fmt::format_to(out, "<rect class=\"frame\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"/>\n", kMargin,
                 kTop, static_cast<double>(grid.cols) * cell, static_cast<double>(grid.rows) * cell);
}

void draw_histogram(const CsrMatrix& matrix, double left, std::string& svg) {
  auto out = std::back_inserter(svg);
  const Histogram histogram = row_histogram(matrix, 32);
  const double bottom = kTop + kHistogramHeight;
  const double width = histogram.bins.empty() ? 0 : kHistogramWidth / static_cast<double>(histogram.bins.size());
  for (std::size_t b = 0; b < histogram.bins.size(); ++b) {
    const Histogram::Bin& bin = histogram.bins[b];
    const double height = kHistogramHeight * static_cast<double>(bin.rows) /
                          static_cast<double>(std::max<std::int64_t>(histogram.fullest, 1));
    fmt::format_to(out,
                   "<rect class=\"bar\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\">"
                   "<title>{} to {} entries: {} rows</title></rect>\n",
                   left + static_cast<double>(b) * width, bottom - height, width * 0.9, height, bin.first, bin.last,
                   bin.rows);
  }
  fmt::format_to(out, "<line class=\"axis\" x1=\"{0:.2f}\" y1=\"{2:.2f}\" x2=\"{1:.2f}\" y2=\"{2:.2f}\"/>\n", left,
                 left + kHistogramWidth, bottom);
  const RowStatistics rows = row_statistics(matrix);
  fmt::format_to(out, "<text x=\"{:.2f}\" y=\"{:.2f}\">{}</text>\n", left, bottom + 18, rows.shortest);
  fmt::format_to(out, "<text class=\"end\" x=\"{:.2f}\" y=\"{:.2f}\">{}</text>\n", left + kHistogramWidth, bottom + 18,
                 rows.longest);
  fmt::format_to(out, "<text x=\"{:.2f}\" y=\"{:.2f}\">entries in a row (highest bar: {} rows)</text>\n", left,
                 bottom + 38, histogram.fullest);
  fmt::format_to(out, "<text x=\"{:.2f}\" y=\"{:.2f}\">mean {:.6g}, CoV {:.6g}, empty rows {}</text>\n", left,
                 bottom + 56, rows.mean, rows.cov, rows.empty_rows);
}

}  // namespace

std::string svg_escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

std::string plot_svg(const CsrMatrix& matrix, const std::string& title) {
  const double histogram_left = 2 * kMargin + kPlotSide;
  const double width = histogram_left + kHistogramWidth + kMargin;
  const double height = kTop + kPlotSide + kMargin;
  std::string svg = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\">\n"
      "<style>text{{font:13px sans-serif;fill:#222}} .title{{font-size:16px;font-weight:bold}} .end{{text-anchor:end}} "
      ".frame{{fill:none;stroke:#888}} .axis{{stroke:#888}} .bar{{fill:#2a6f97}}",
      width, height);
  for (int shade = 1; shade <= kShades; ++shade) {
    svg += fmt::format(" .s{}{{fill:#0b3954;fill-opacity:{:.3f}}}", shade, static_cast<double>(shade) / kShades);
  }
  svg += "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  svg += fmt::format("<text class=\"title\" x=\"{:.0f}\" y=\"24\">{}</text>\n", kMargin, svg_escaped(title));
  svg += fmt::format("<text x=\"{:.0f}\" y=\"44\">{} x {}, {} entries, sparsity {:.6f}</text>\n", kMargin, matrix.rows,
                     matrix.cols, with_commas(matrix.nnz), matrix.sparsity());
  draw_spy(matrix, svg);
  draw_histogram(matrix, histogram_left, svg);
  svg += "</svg>\n";
  return svg;
}

}  // namespace spk::tool
