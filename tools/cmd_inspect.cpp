// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "dataset.hpp"
#include "matrix_file.hpp"
#include "row_statistics.hpp"
#include "svg.hpp"
#include "table.hpp"

namespace spk::tool {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string file;
  std::string plot;
  bool json = false;
};

struct Facts {
  spk_io_info_t file;
  RowStatistics rows;
  std::int64_t duplicates = 0;
  std::int64_t explicit_zeros = 0;
};

const char* field_name(std::int32_t field) {
  constexpr const char* kNames[] = {"real", "complex", "integer", "pattern"};
  return field >= 0 && field < 4 ? kNames[field] : "unknown";
}

const char* symmetry_name(std::int32_t symmetry) {
  constexpr const char* kNames[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
  return symmetry >= 0 && symmetry < 4 ? kNames[symmetry] : "unknown";
}

std::int64_t count_zeros(const CsrMatrix& matrix) {
  const std::int64_t parts = matrix.type->is_complex ? 2 : 1;
  const double* values = matrix.values.as<double>();
  std::int64_t zeros = 0;
  for (std::int64_t t = 0; t < matrix.nnz; ++t) {
    bool zero = true;
    for (std::int64_t part = 0; part < parts; ++part) zero = zero && values[parts * t + part] == 0;
    zeros += zero;
  }
  return zeros;
}

void print_json(const Options& options, const CsrMatrix& matrix, const Facts& facts) {
  Json root;
  root["file"] = options.file;
  root["field"] = field_name(facts.file.field);
  root["symmetry"] = symmetry_name(facts.file.symmetry);
  root["rows"] = matrix.rows;
  root["cols"] = matrix.cols;
  root["stored_in_file"] = facts.file.stored;
  root["nnz"] = matrix.nnz;
  root["duplicates"] = facts.duplicates;
  root["explicit_zeros"] = facts.explicit_zeros;
  root["sparsity"] = matrix.sparsity();
  root["row_mean"] = facts.rows.mean;
  root["row_std"] = facts.rows.deviation;
  root["row_cov"] = facts.rows.cov;
  root["row_min"] = facts.rows.shortest;
  root["row_max"] = facts.rows.longest;
  root["empty_rows"] = facts.rows.empty_rows;
  root["empty_cols"] = facts.rows.empty_cols;
  fmt::print("{}\n", root.dump(2));
}

void print_properties(const CsrMatrix& matrix, const Facts& facts) {
  const auto dlmc = dlmc_averages();
  const auto average = [&dlmc](double CollectionAverages::*member) {
    return dlmc ? fmt::format("{:.6f}", (*dlmc).*member) : std::string("-");
  };
  fmt::print("\n");
  Table table({{"property", false},
               {"this matrix"},
               {dlmc ? "DLMC average" : "DLMC average (no data here)"},
               {"scientific matrices", false}});
  table.add_row({"mean row length", fmt::format("{:.6f}", facts.rows.mean), average(&CollectionAverages::row_mean),
                 "2.3 times shorter"});
  table.add_row({"row length CoV", fmt::format("{:.6f}", facts.rows.cov), average(&CollectionAverages::row_cov),
                 "25 times higher"});
  table.add_row({"sparsity", fmt::format("{:.6f}", matrix.sparsity()), average(&CollectionAverages::sparsity),
                 "13.4 times sparser"});
  table.print(stdout);
  const std::string quoted =
      "Scientific matrices: SuiteSparse against deep learning, quoted from Gale et al., SC 2020.";
  const std::string measured =
      dlmc ? fmt::format("DLMC average: measured, subset of {} matrices (dlmc/index.csv).", dlmc->matrices)
           : std::string("DLMC average: needs dlmc/index.csv in the folder that SPK_DATA_DIR names.");
  fmt::print("{}\n{}\n", styled(measured, Style::kDim, stdout), styled(quoted, Style::kDim, stdout));
}

void print_histogram(const CsrMatrix& matrix) {
  const Histogram histogram = row_histogram(matrix, 16);
  if (histogram.bins.empty()) return;
  fmt::print("\n{}\n", styled("row lengths", Style::kBold, stdout));
  const std::size_t width = fmt::format("{}", histogram.bins.back().last).size();
  for (const Histogram::Bin& bin : histogram.bins) {
    const double share = static_cast<double>(bin.rows) / static_cast<double>(histogram.fullest);
    const std::string line = bar(share, 48, stdout);
    // Rows that are too few for a mark still show that they are there.
    fmt::print("{:>{}} .. {:>{}} |{} {}\n", bin.first, width, bin.last, width,
               line.empty() && bin.rows > 0 ? "." : line, bin.rows);
  }
}

void print_text(const Options& options, const CsrMatrix& matrix, const Facts& facts) {
  fmt::print("file        {}\n", options.file);
  fmt::print("kind        {}, {}{}\n", field_name(facts.file.field), symmetry_name(facts.file.symmetry),
             facts.file.is_array != 0 ? ", array" : "");
  fmt::print("size        {} x {}\n", matrix.rows, matrix.cols);
  fmt::print("entries     {}", with_commas(matrix.nnz));
  if (facts.file.stored != matrix.nnz) fmt::print(" ({} stored in the file)", with_commas(facts.file.stored));
  if (facts.duplicates != 0) fmt::print(", {} duplicates added up", with_commas(facts.duplicates));
  if (facts.explicit_zeros != 0) fmt::print(", {} explicit zeros", with_commas(facts.explicit_zeros));
  fmt::print("\nsparsity    {:.6f}\n", matrix.sparsity());
  fmt::print("row length  mean {:.6f}, standard deviation {:.6f}, CoV {:.6f}, shortest {}, longest {}\n",
             facts.rows.mean, facts.rows.deviation, facts.rows.cov, facts.rows.shortest, facts.rows.longest);
  fmt::print("empty       {} of {} rows, {} of {} columns\n", facts.rows.empty_rows, matrix.rows, facts.rows.empty_cols,
             matrix.cols);
  print_properties(matrix, facts);
  print_histogram(matrix);
}

void inspect(const Options& options) {
  const MatrixFile file(options.file, "inspect: FILE");
  const CsrMatrix matrix = file.csr(value_type_of_field(file.info().field == SPK_IO_COMPLEX, true), true);
  Facts facts{file.info(), row_statistics(matrix), file.info().nnz - matrix.nnz, count_zeros(matrix)};
  options.json ? print_json(options, matrix, facts) : print_text(options, matrix, facts);
  if (!options.plot.empty()) {
    write_file(options.plot, plot_svg(matrix, short_name(options.file, 96)));
    if (!options.json) fmt::print("\nplot        {}\n", options.plot);
  }
}

}  // namespace

void add_inspect(CLI::App& app, int& /*exit_code*/) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("inspect", "Size, sparsity and row lengths of a matrix file");
  command->add_option("FILE", options->file, ".mtx or .smtx file, also .gz")->required();
  command->add_option("--plot", options->plot, "Write an SVG with spy plot and histogram");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options] { inspect(*options); });
}

}  // namespace spk::tool
