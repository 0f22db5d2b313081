// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstdint>
#include <vector>

#include "check.hpp"
#include "device.hpp"
#include "problems.hpp"

namespace spk::bench {

// A dense matrix as it lies in memory.
struct StoredDense {
  std::int64_t rows = 0, cols = 0, ld = 0;
  spk_order_t order = SPK_ORDER_ROW;

  std::int64_t elements() const { return rows * cols; }
  // op(X) over `values`.
  StridedMatrix view(const void* values, spk_operation_t op) const;
};

// The arrays of one problem in device memory, as often as the cache needs: warm runs have one copy, cold ones rotate
// through so many that none survives in L2 until its next turn.
class Operands {
 public:
  // Pointers of one copy. SpMM and SpMV: right = B or x, output = C or y. SDDMM: left, right and the values of C as
  // output. Softmax: output = values of Y.
  struct Copy {
    std::int32_t* offsets;
    std::int32_t* indices;
    void* values;
    void* left;
    void* right;
    void* output;
    void* expanded;  // SpMM, SpMV: the sparse matrix as a dense row-major one, for the dense peers
  };

  // `with_expanded` makes room for the dense peers' operand, if it takes no more than 16 GiB.
  Operands(const Device& device, const tool::CsrMatrix& matrix, const Setting& setting, std::int64_t width, bool cold,
           bool with_expanded);

  const Setting& setting() const { return setting_; }
  std::int64_t rows() const { return rows_; }  // of the sparse matrix as stored
  std::int64_t cols() const { return cols_; }
  std::int64_t nnz() const { return nnz_; }
  std::int64_t m() const { return sizes_.m; }
  std::int64_t n() const { return sizes_.n; }
  std::int64_t k() const { return sizes_.k; }
  const StoredDense& left() const { return left_; }
  const StoredDense& right() const { return right_; }
  const StoredDense& output() const { return output_; }  // SpMM, SpMV
  std::size_t copies() const { return copies_.size(); }
  const Copy& copy(std::size_t i) const { return copies_[i]; }
  std::size_t bytes() const { return bytes_; }  // of one copy without the expanded matrix
  bool has_expanded() const { return has_expanded_; }
  DeviceCsr csr(std::size_t i = 0) const;

  // The output of copy 0 and the bytes around it become NaN.
  void poison() const;
  // Whether the bytes around it are as poison() left them.
  bool guards_whole() const;
  // Largest error / bound of the output of copy 0. `loose`: by the bound of arithmetic that is one step coarser, TF32
  // products for f32 and sums in the output's type for 16 bits; the same as the strict one for other types.
  double worst(bool loose) const;

 private:
  // Fills in want_ and `bound`.
  void expect(const Rounding& rounding, double* bound) const;

  const Device& device_;
  Setting setting_;
  Setting::Sizes sizes_;
  std::int64_t rows_, cols_, nnz_;
  StoredDense left_, right_, output_;
  std::size_t output_bytes_ = 0, bytes_ = 0;
  bool has_expanded_ = false;
  DeviceBytes memory_;
  std::vector<Copy> copies_;
  DeviceBytes flipped_offsets_, flipped_indices_, flipped_values_;
  DeviceCsr op_a_;  // op(A) of SpMM and SpMV, else the stored matrix
  DeviceBytes want_, bound_, bound_loose_;
};

}  // namespace spk::bench
