// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "io/write.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "io/error.hpp"
#include "io/output_file.hpp"
#include "io/value_types.hpp"

namespace spk::io {
namespace {

long long number(std::int64_t value) { return static_cast<long long>(value); }

[[noreturn]] void refuse(const std::string& what) { throw Error(SPK_STATUS_INVALID_STRUCTURE, what); }

// Everything that reading the file back would refuse.
void check_structure(const CsrView& csr) {
  __extension__ using Wide = unsigned __int128;
  if (static_cast<Wide>(csr.nnz) > static_cast<Wide>(csr.rows) * static_cast<Wide>(csr.cols)) {
    refuse(format("nnz = %lld but %lld x %lld has fewer places", number(csr.nnz), number(csr.rows), number(csr.cols)));
  }
  const std::int64_t base = csr.types.base;
  std::int64_t begin = csr.offset(0);
  if (begin != 0) refuse(format("row_offsets[0] = %lld but must be %lld", number(begin + base), number(base)));
  for (std::int64_t row = 0; row < csr.rows; ++row) {
    const std::int64_t end = csr.offset(row + 1);
    if (end < begin || end > csr.nnz) {
      refuse(format("row_offsets[%lld] = %lld but must be in %lld..%lld", number(row + 1), number(end + base),
                    number(begin + base), number(csr.nnz + base)));
    }
    begin = end;
  }
  if (begin != csr.nnz) {
    refuse(format("row_offsets[%lld] = %lld but must be %lld (nnz and the base)", number(csr.rows),
                  number(begin + base), number(csr.nnz + base)));
  }
  for (std::int64_t k = 0; k < csr.nnz; ++k) {
    const std::int64_t col = csr.col(k);
    if (col < 0 || col >= csr.cols) {
      refuse(format("col_indices[%lld] = %lld but must be in %lld..%lld", number(k), number(col + base), number(base),
                    number(csr.cols - 1 + base)));
    }
  }
}

void check_no_column_twice(const CsrView& csr) {
  std::vector<std::int64_t> cols;
  for (std::int64_t row = 0; row < csr.rows; ++row) {
    cols.clear();
    for (std::int64_t k = csr.offset(row); k < csr.offset(row + 1); ++k) cols.push_back(csr.col(k));
    if (!std::is_sorted(cols.begin(), cols.end())) std::sort(cols.begin(), cols.end());
    const auto twice = std::adjacent_find(cols.begin(), cols.end());
    if (twice != cols.end()) {
      refuse(format("row %lld has column %lld twice (counted from 0), which .smtx does not allow", number(row),
                    number(*twice)));
    }
  }
}

// A NaN loses its sign, which the words of the format do not carry.
template <class Real>
void put_real(OutputFile& file, Real value) {
  if (std::isnan(value)) {
    file.put("nan");
  } else {
    file.put(value);
  }
}

void put_value(OutputFile& file, const CsrView& csr, std::int64_t k) {
  const auto put_complex = [&file](auto value) {
    put_real(file, value.re);
    file.put(" ");
    put_real(file, value.im);
  };
  // The shortest float that tells a 16-bit value from its neighbours would do, but a reader that keeps more digits
  // should see the value itself; a double writes that.
  switch (csr.types.value) {
    case SPK_R_32F: return put_real(file, static_cast<const float*>(csr.values)[k]);
    case SPK_R_64F: return put_real(file, static_cast<const double*>(csr.values)[k]);
    case SPK_R_16F: return put_real(file, double{to_float(static_cast<const f16*>(csr.values)[k])});
    case SPK_R_16BF: return put_real(file, double{to_float(static_cast<const bf16*>(csr.values)[k])});
    case SPK_C_32F: return put_complex(static_cast<const Complex<float>*>(csr.values)[k]);
    default: return put_complex(static_cast<const Complex<double>*>(csr.values)[k]);
  }
}

void write_mtx(OutputFile& file, const CsrView& csr) {
  const bool is_complex = csr.types.value == SPK_C_32F || csr.types.value == SPK_C_64F;
  file.put("%%MatrixMarket matrix coordinate ");
  file.put(csr.values == nullptr ? "pattern" : is_complex ? "complex" : "real");
  file.put(" general\n");
  file.put(csr.rows);
  file.put(" ");
  file.put(csr.cols);
  file.put(" ");
  file.put(csr.nnz);
  file.put("\n");
  for (std::int64_t row = 0; row < csr.rows; ++row) {
    for (std::int64_t k = csr.offset(row); k < csr.offset(row + 1); ++k) {
      file.put(row + 1);
      file.put(" ");
      file.put(csr.col(k) + 1);
      if (csr.values != nullptr) {
        file.put(" ");
        put_value(file, csr, k);
      }
      file.put("\n");
    }
  }
}

void write_smtx(OutputFile& file, const CsrView& csr) {
  file.put(csr.rows);
  file.put(", ");
  file.put(csr.cols);
  file.put(", ");
  file.put(csr.nnz);
  file.put("\n");
  for (std::int64_t row = 0; row <= csr.rows; ++row) {
    if (row > 0) file.put(" ");
    file.put(csr.offset(row));
  }
  file.put("\n");
  for (std::int64_t k = 0; k < csr.nnz; ++k) {
    if (k > 0) file.put(" ");
    file.put(csr.col(k));
  }
  file.put("\n");
}

}  // namespace

void write_csr(const std::string& path, const CsrView& csr) {
  std::string_view name = path;
  const bool compress = name.ends_with(".gz");
  if (compress) name.remove_suffix(3);
  const bool is_smtx = name.ends_with(".smtx");
  if (!is_smtx && !name.ends_with(".mtx")) {
    throw Error(SPK_STATUS_INVALID_VALUE,
                "path = " + quoted(path.data(), path.size()) + " but must end in .mtx or .smtx, with or without .gz");
  }
  if (is_smtx && csr.values != nullptr) {
    throw Error(SPK_STATUS_INVALID_VALUE, "values must be NULL for .smtx, which holds none");
  }
  check_structure(csr);
  if (is_smtx) check_no_column_twice(csr);
  OutputFile file(path, compress);
  if (is_smtx) {
    write_smtx(file, csr);
  } else {
    write_mtx(file, csr);
  }
  file.commit();
}

}  // namespace spk::io
