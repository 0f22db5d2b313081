// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <memory>
#include <random>

#include "memory.hpp"

// Operands of products: what they mean (numbers at places) and their arrays in memory with a descriptor.

// Stands in padding and unused slots. Exact in every type, and never a result.
constexpr double kFiller = 1024;

struct Draw {
  std::mt19937 engine;
  explicit Draw(unsigned seed) : engine(seed) {}
  int below(int limit) { return static_cast<int>(engine() % static_cast<unsigned>(limit)); }
  // A small whole number other than 0; sums of their products are exact in every type.
  Value number(bool is_complex);
};

inline bool is_complex(cudaDataType type) { return type == CUDA_C_32F || type == CUDA_C_64F; }

// Numbers of a rows x cols matrix, row by row.
struct Matrix {
  int rows = 0;
  int cols = 0;
  std::vector<Value> places;

  Matrix(int rows_, int cols_) : rows(rows_), cols(cols_), places(static_cast<std::size_t>(rows_ * cols_)) {}
  Value& at(int i, int j) { return places[static_cast<std::size_t>(i * cols + j)]; }
  const Value& at(int i, int j) const { return places[static_cast<std::size_t>(i * cols + j)]; }
  Matrix under(cusparseOperation_t op) const;
};

// How a dense matrix lies in memory, beside its numbers.
struct Layout {
  cusparseOrder_t order = CUSPARSE_ORDER_ROW;
  int padding = 0;  // elements behind each row or column
};

// A batch of dense matrices with its descriptor. Padding holds `filler`, which must still be there afterwards.
class DenseOperand {
 public:
  DenseOperand(const std::vector<Matrix>& batch, const Layout& layout, cudaDataType type, bool is_shared);
  ~DenseOperand();
  cusparseDnMatDescr_t descriptor() const noexcept { return descriptor_; }
  // Expects these numbers at the places and the filler elsewhere.
  void expect(const std::vector<Matrix>& batch) const;

 private:
  Layout layout_;
  cudaDataType type_;
  DeviceMemory memory_;
  cusparseDnMatDescr_t descriptor_ = nullptr;
};

// Which arrays of a batch of sparse matrices are shared.
enum class Sharing { none, offsets, all };

struct SparseLayout {
  cusparseFormat_t format = CUSPARSE_FORMAT_CSR;
  cusparseIndexType_t index_type = CUSPARSE_INDEX_32I;
  cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
  cusparseOrder_t block_order = CUSPARSE_ORDER_ROW;
  int block = 2;  // BSR, Blocked-ELL; rows of a slice of sliced ELLPACK
  Sharing sharing = Sharing::none;
};

// A batch of sparse matrices of one number of entries with its descriptor. Numbers that are not 0 are stored; for block
// formats whole blocks are.
class SparseOperand {
 public:
  SparseOperand(const std::vector<Matrix>& batch, const SparseLayout& layout, cudaDataType type);
  ~SparseOperand();
  cusparseSpMatDescr_t descriptor() const noexcept { return descriptor_; }
  // Expects these numbers at the stored places, and in unused slots what was there before or another number.
  void expect_values(const std::vector<Matrix>& batch, Value unused = kFiller) const;
  // Writes other numbers at the same places.
  void replace_values(const std::vector<Matrix>& batch);

 private:
  struct Arrays {
    std::vector<std::int64_t> offsets;
    std::vector<std::int64_t> indices;
    std::vector<std::pair<int, int>> places;  // of the values, in their order; (-1, -1): an unused slot
  };
  Arrays arrays_of(const Matrix& matrix) const;
  void add_entries(const Matrix& matrix, Arrays& arrays) const;
  void add_blocks(const Matrix& matrix, Arrays& arrays) const;
  void add_slices(const Matrix& matrix, Arrays& arrays) const;
  void add_block(int block_row, int block_col, Arrays& arrays) const;
  std::vector<Value> values_of(const std::vector<Matrix>& batch, Value unused) const;
  void describe(const Matrix& first, std::size_t count);

  SparseLayout layout_;
  cudaDataType type_;
  std::vector<Arrays> arrays_;
  std::unique_ptr<DeviceMemory> offsets_;
  std::unique_ptr<DeviceMemory> indices_;
  std::unique_ptr<DeviceMemory> values_;
  cusparseSpMatDescr_t descriptor_ = nullptr;
};

// A matrix of whole block x block blocks of numbers. Block rows have different numbers of them; `shift` turns which has
// how many, so that matrices with other shifts have other offsets and as many entries.
Matrix draw_sparse(Draw& draw, int rows, int cols, int block, int shift, bool complex_numbers);
// Other numbers at the places of a matrix.
Matrix redraw(Draw& draw, const Matrix& matrix, bool complex_numbers);
Matrix draw_dense(Draw& draw, int rows, int cols, bool complex_numbers);
