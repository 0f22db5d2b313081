// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "io/read.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "io/error.hpp"
#include "io/mtx_header.hpp"

namespace spk::io {
namespace {

bool is_smtx(std::string_view name, TextReader& reader) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  if (name.ends_with(".smtx")) return true;
  return !name.ends_with(".mtx") && !reader.starts_with(kMtxBanner);
}

}  // namespace

void ReadRequest::check_fits(const std::string& name, const char* what, std::int64_t count) const {
  if (index_type != SPK_INDEX_32I || !needs_wide(count)) return;
  throw Error(SPK_STATUS_INDEX_OVERFLOW,
              format("%s: %lld %s do not fit 32-bit indices", name.c_str(), static_cast<long long>(count), what));
}

std::unique_ptr<spk_io_matrix> read_matrix(const std::string& name, Input input, const ReadRequest& request) {
  auto matrix = std::make_unique<spk_io_matrix>();
  TextReader reader(shown_name(name), std::move(input));
  if (is_smtx(name, reader)) {
    read_smtx(reader, request, *matrix);
  } else {
    read_mtx(reader, request, *matrix);
  }
  request.check_fits(reader.name(), "entries after mirroring", matrix->nnz);
  matrix->index_type = request.index_type;
  if (request.index_type == 0) {
    const bool is_wide = needs_wide(std::max({matrix->rows, matrix->cols, matrix->nnz}));
    matrix->index_type = is_wide ? SPK_INDEX_64I : SPK_INDEX_32I;
  }
  return matrix;
}

}  // namespace spk::io
