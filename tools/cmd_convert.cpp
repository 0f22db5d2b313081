// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "failure.hpp"
#include "matrix_file.hpp"
#include "table.hpp"

namespace spk::tool {
namespace {

struct Options {
  std::string in;
  std::string out;
  bool transpose = false;
  bool values = false;
  bool pattern = false;
};

bool has_name(const std::string& path, std::string_view ending) {
  return path.ends_with(ending) || path.ends_with(std::string(ending) + ".gz");
}

CsrMatrix transposed(const CsrMatrix& matrix) {
  CsrMatrix result;
  result.name = matrix.name;
  result.rows = matrix.cols;
  result.cols = matrix.rows;
  result.nnz = matrix.nnz;
  result.index_type = matrix.index_type;
  result.type = matrix.type;
  result.seed = matrix.seed;
  const std::size_t index_bytes = matrix.index_type == SPK_INDEX_32I ? 4 : 8;
  result.row_offsets = Buffer(result.rows + 1, index_bytes);
  result.col_indices = Buffer(matrix.col_indices.bytes());
  result.values = Buffer(matrix.values.bytes());
  const Handle handle = make_handle(SPK_BACKEND_CPU, 0);
  const Sparse from = matrix.describe();
  const Sparse to = result.describe();
  std::size_t bytes = 0;
  check(spk_csr_transpose_workspace(handle.get(), from.get(), to.get(), &bytes), handle.get());
  const Buffer workspace(bytes);
  check(spk_csr_transpose(handle.get(), from.get(), to.get(), nullptr, workspace.data(), workspace.bytes()),
        handle.get());
  return result;
}

void convert(const Options& options) {
  const bool to_smtx = has_name(options.out, ".smtx");
  if (!to_smtx && !has_name(options.out, ".mtx")) {
    throw UsageError(fmt::format("convert: OUT = {} but must end in .mtx, .smtx, .mtx.gz or .smtx.gz", options.out));
  }
  if (options.values && (to_smtx || options.pattern)) {
    throw UsageError("convert: --values needs an .mtx file as OUT and no --pattern: nothing else stores values");
  }
  const MatrixFile file(options.in, "convert: IN");
  const bool is_pattern = file.info().field == SPK_IO_PATTERN;
  // f64 holds every real and integer entry of a file as the reader saw it.
  CsrMatrix matrix = file.csr(value_type_of_field(file.info().field == SPK_IO_COMPLEX, true), !options.values);
  if (options.transpose) matrix = transposed(matrix);
  const bool with_values = !to_smtx && !options.pattern && (options.values || !is_pattern);
  check_io(spk_io_write_csr(options.out.c_str(), matrix.rows, matrix.cols, matrix.nnz, matrix.row_offsets.data(),
                            matrix.col_indices.data(), with_values ? matrix.values.data() : nullptr, matrix.index_type,
                            SPK_INDEX_BASE_ZERO, matrix.type->type));
  fmt::print("{}: {} x {}, {} entries, {}\n", options.out, matrix.rows, matrix.cols, with_commas(matrix.nnz),
             with_values  ? "with values"
             : is_pattern ? "pattern"
                          : "pattern only, values dropped");
}

}  // namespace

void add_convert(CLI::App& app, int& /*exit_code*/) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("convert", "Write a matrix file in the other format");
  command->add_option("IN", options->in, ".mtx or .smtx file, also .gz")->required();
  command->add_option("OUT", options->out, "Its name decides the format; .gz compresses")->required();
  command->add_flag("--transpose", options->transpose, "Write the transpose");
  command->add_flag("--values", options->values, "Give a pattern the values that `run` would use");
  command->add_flag("--pattern", options->pattern, "Leave values out");
  command->callback([options] { convert(*options); });
}

}  // namespace spk::tool
