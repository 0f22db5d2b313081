// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "dataset.hpp"
#include "failure.hpp"
#include "matrix_file.hpp"
#include "table.hpp"

namespace spk::tool {
namespace {

struct Options {
  std::vector<std::string> paths;
};

// What a good file holds that a reader may want to know; the library counts it on the entries in file order.
std::string remarks(const Handle& handle, const MatrixFile& file) {
  const spk_io_info_t& info = file.info();
  const ValueType& type = value_type_of_field(info.field == SPK_IO_COMPLEX, true);
  const std::size_t index_bytes = info.index_type == SPK_INDEX_32I ? 4 : 8;
  const std::int64_t room = std::max<std::int64_t>(info.nnz, 1);
  const Buffer row_indices(room, index_bytes);
  const Buffer col_indices(room, index_bytes);
  const Buffer values(room, type.size);
  check_io(spk_io_get_coo(file.get(), info.index_type, SPK_INDEX_BASE_ZERO, type.type, row_indices.data(),
                          col_indices.data(), values.data()));
  spk_spmat_t mat = nullptr;
  // Duplicates may make more entries than places, which a descriptor refuses; sizes are all that is known then.
  if (spk_coo_create(&mat, info.rows, info.cols, info.nnz, row_indices.data(), col_indices.data(), values.data(),
                     info.index_type, SPK_INDEX_BASE_ZERO, type.type) != SPK_STATUS_SUCCESS) {
    return "more entries than places";
  }
  const Sparse sparse(mat);
  spk_validation_report_t report{};
  report.struct_size = sizeof report;
  check(spk_spmat_validate(handle.get(), sparse.get(), &report), handle.get());
  std::string text;
  const auto add = [&text](std::int64_t count, const char* what) {
    if (count != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", with_commas(count), what);
  };
  add(report.unsorted_rows, "descents in the order of entries");
  add(report.duplicates, "duplicates");
  add(report.nan_values, "NaN");
  add(report.infinite_values, "infinite");
  return text;
}

void validate(const Options& options, int& exit_code) {
  const Handle handle = make_handle(SPK_BACKEND_CPU, 0);
  std::vector<std::string> files;
  for (const std::string& path : options.paths) {
    for (std::string& file : matrix_files(path, "", "validate: FILE")) files.push_back(std::move(file));
  }
  Table table({{"verdict", false}, {"file", false}, {"size", false}, {"entries"}, {"remarks", false}});
  std::size_t rejected = 0;
  {
    Progress progress(files.size());
    for (std::size_t f = 0; f < files.size(); ++f) {
      progress.show(f, short_name(files[f], 48));
      try {
        const MatrixFile file(files[f], "validate: FILE");
        const spk_io_info_t& info = file.info();
        table.add_row({{"valid", Style::kGood},
                       files[f],
                       fmt::format("{} x {}", info.rows, info.cols),
                       with_commas(info.nnz),
                       remarks(handle, file)});
      } catch (const Failure& failure) {
        ++rejected;
        table.add_row({{"INVALID", Style::kBad}, files[f], "-", "-", failure.what()});
      }
    }
  }
  table.print(stdout);
  fmt::print("\n{} valid, {} invalid\n", files.size() - rejected, rejected);
  if (rejected != 0) exit_code = 1;
}

}  // namespace

void add_validate(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("validate", "Check that matrix files follow their format");
  command->add_option("FILE", options->paths, "Files, folders or index.csv; exit code 1 if one is invalid")->required();
  command->callback([options, &exit_code] { validate(*options, exit_code); });
}

}  // namespace spk::tool
