// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "io/matrix.hpp"
#include "io/source.hpp"
#include "io/text_reader.hpp"

namespace spk::io {

// The options of a read, checked.
struct ReadRequest {
  spk_index_type_t index_type = 0;  // 0 = the narrower that fits
  int threads = 0;                  // 0 = by size
  bool keep_stored_triangle = false;

  // INDEX_OVERFLOW if 32-bit indices were asked for and `count` does not fit them.
  void check_fits(const std::string& name, const char* what, std::int64_t count) const;
};

std::unique_ptr<spk_io_matrix> read_matrix(const std::string& name, Input input, const ReadRequest& request);

void read_mtx(TextReader& reader, const ReadRequest& request, spk_io_matrix& matrix);
void read_smtx(TextReader& reader, const ReadRequest& request, spk_io_matrix& matrix);

}  // namespace spk::io
