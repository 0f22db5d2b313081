// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "failure.hpp"
#include "generate.hpp"
#include "row_statistics.hpp"
#include "table.hpp"

namespace spk::tool {
namespace {

struct Options {
  std::string out;
  PrunedShape shape;
};

void generate(const Options& options) {
  const PrunedShape& shape = options.shape;
  require_at_least("generate", "--rows", shape.rows, 0);
  require_at_least("generate", "--cols", shape.cols, 0);
  if (!(shape.sparsity >= 0 && shape.sparsity <= 1)) {
    throw UsageError(fmt::format("generate: --sparsity = {} but must be from 0 to 1", shape.sparsity));
  }
  if (!(shape.row_cov >= 0 && shape.row_cov <= 100)) {
    throw UsageError(fmt::format("generate: --row-cov = {} but must be from 0 to 100", shape.row_cov));
  }
  const bool smtx = options.out.ends_with(".smtx") || options.out.ends_with(".smtx.gz");
  if (!smtx && !options.out.ends_with(".mtx") && !options.out.ends_with(".mtx.gz")) {
    throw UsageError(fmt::format("generate: OUT = {} but must end in .mtx, .smtx, .mtx.gz or .smtx.gz", options.out));
  }
  const CsrMatrix matrix = generate_pruned(shape, value_type("f32", "type"));
  check_io(spk_io_write_csr(options.out.c_str(), matrix.rows, matrix.cols, matrix.nnz, matrix.row_offsets.data(),
                            matrix.col_indices.data(), smtx ? nullptr : matrix.values.data(), matrix.index_type,
                            SPK_INDEX_BASE_ZERO, matrix.type->type));
  const RowStatistics rows = row_statistics(matrix);
  fmt::print("{}: {} x {}, {} entries, sparsity {:.6f}, mean row length {:.6f}, CoV {:.6f}\n", options.out, matrix.rows,
             matrix.cols, with_commas(matrix.nnz), matrix.sparsity(), rows.mean, rows.cov);
}

}  // namespace

void add_generate(CLI::App& app, int& /*exit_code*/) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("generate", "Write a random matrix that looks like a pruned weight matrix");
  command->add_option("OUT", options->out, "File to write; .mtx also stores values in [-1, 1)")->required();
  add_integer(command, "--rows", options->shape.rows, "Rows")->required();
  add_integer(command, "--cols", options->shape.cols, "Columns")->required();
  command->add_option("--sparsity", options->shape.sparsity, "Share of places without an entry")->capture_default_str();
  command->add_option("--row-cov", options->shape.row_cov, "Coefficient of variation of row lengths")
      ->capture_default_str();
  add_integer(command, "--seed", options->shape.seed, "Same seed, same matrix");
  command->callback([options] { generate(*options); });
}

}  // namespace spk::tool
