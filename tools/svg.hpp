// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <string>

#include "matrix_file.hpp"

namespace spk::tool {

// An SVG picture of a matrix: on the left where its entries are (a grid of cells, darker = fuller), on the right the
// histogram of row lengths. `title` may hold any text.
std::string plot_svg(const CsrMatrix& matrix, const std::string& title);

// `text` as it stands between tags or quotes.
std::string svg_escaped(const std::string& text);

}  // namespace spk::tool
