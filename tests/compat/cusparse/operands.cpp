// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "operands.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace {

bool is_row_order(cusparseOrder_t order) { return order == CUSPARSE_ORDER_ROW; }

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

// The elements of a batch as they lie in memory, padding included.
std::vector<Value> spread(const std::vector<Matrix>& batch, const Layout& layout) {
  std::vector<Value> all;
  for (const Matrix& matrix : batch) {
    const bool by_rows = is_row_order(layout.order);
    const int lines = by_rows ? matrix.rows : matrix.cols;
    const int length = by_rows ? matrix.cols : matrix.rows;
    for (int line = 0; line < lines; ++line) {
      for (int place = 0; place < length; ++place)
        all.push_back(by_rows ? matrix.at(line, place) : matrix.at(place, line));
      all.insert(all.end(), static_cast<std::size_t>(layout.padding), kFiller);
    }
    all.insert(all.end(), 3, kFiller);  // between the matrices of a batch
  }
  return all;
}

}  // namespace

Value Draw::number(bool is_complex) {
  static constexpr double kNumbers[] = {-3, -2, -1, 1, 2, 3};
  const double real = kNumbers[below(6)];
  return is_complex ? Value(real, kNumbers[below(6)]) : Value(real);
}

Matrix Matrix::under(cusparseOperation_t op) const {
  if (op == CUSPARSE_OPERATION_NON_TRANSPOSE) return *this;
  Matrix turned(cols, rows);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j)
      turned.at(j, i) = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? std::conj(at(i, j)) : at(i, j);
  return turned;
}

Matrix draw_dense(Draw& draw, int rows, int cols, bool complex_numbers) {
  Matrix matrix(rows, cols);
  for (Value& value : matrix.places) value = draw.number(complex_numbers);
  return matrix;
}

Matrix draw_sparse(Draw& draw, int rows, int cols, int block, int shift, bool complex_numbers) {
  Matrix matrix(rows, cols);
  const int block_cols = cols / block;
  for (int r = 0; r < rows / block; ++r) {
    std::vector<int> columns(static_cast<std::size_t>(block_cols));
    std::iota(columns.begin(), columns.end(), 0);
    std::shuffle(columns.begin(), columns.end(), draw.engine);
    const int count = block_cols == 0 ? 0 : (r + shift) % (rows / block) % (block_cols + 1);
    columns.resize(static_cast<std::size_t>(count));
    for (const int c : columns)
      for (int i = 0; i < block; ++i)
        for (int j = 0; j < block; ++j) matrix.at(r * block + i, c * block + j) = draw.number(complex_numbers);
  }
  return matrix;
}

Matrix redraw(Draw& draw, const Matrix& matrix, bool complex_numbers) {
  Matrix other = matrix;
  for (Value& value : other.places)
    if (value != Value()) value = draw.number(complex_numbers);
  return other;
}

DenseOperand::DenseOperand(const std::vector<Matrix>& batch, const Layout& layout, cudaDataType type, bool is_shared)
    : layout_(layout),
      type_(type),
      memory_(upload(spread(is_shared ? std::vector<Matrix>{batch.front()} : batch, layout), type)) {
  const Matrix& first = batch.front();
  const int ld = (is_row_order(layout.order) ? first.cols : first.rows) + layout.padding;
  EXPECT_EQ(cusparseCreateDnMat(&descriptor_, first.rows, first.cols, ld, memory_.data(), type, layout.order),
            CUSPARSE_STATUS_SUCCESS);
  if (batch.size() == 1) return;
  const std::size_t stride = memory_.size() / bytes_of(type) / batch.size();
  EXPECT_EQ(cusparseDnMatSetStridedBatch(descriptor_, static_cast<int>(batch.size()),
                                         is_shared ? 0 : static_cast<std::int64_t>(stride)),
            CUSPARSE_STATUS_SUCCESS);
}

DenseOperand::~DenseOperand() { EXPECT_EQ(cusparseDestroyDnMat(descriptor_), CUSPARSE_STATUS_SUCCESS); }

void DenseOperand::expect(const std::vector<Matrix>& batch) const {
  const std::vector<Value> want = spread(batch, layout_);
  const std::vector<Value> got = download(memory_, type_);
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) ASSERT_EQ(got[i], want[i]) << "element " << i;
}

SparseOperand::SparseOperand(const std::vector<Matrix>& batch, const SparseLayout& layout, cudaDataType type)
    : layout_(layout), type_(type) {
  const std::size_t structures = layout.sharing == Sharing::all ? 1 : batch.size();
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> indices;
  for (std::size_t b = 0; b < structures; ++b) {
    arrays_.push_back(arrays_of(batch[b]));
    if (b == 0 || layout.sharing == Sharing::none) append(offsets, arrays_.back().offsets);
    append(indices, arrays_.back().indices);
  }
  offsets_ = std::make_unique<DeviceMemory>(upload(offsets, layout.index_type));
  indices_ = std::make_unique<DeviceMemory>(upload(indices, layout.index_type));
  values_ = std::make_unique<DeviceMemory>(upload(values_of(batch, kFiller), type));
  describe(batch.front(), batch.size());
}

SparseOperand::~SparseOperand() { EXPECT_EQ(cusparseDestroySpMat(descriptor_), CUSPARSE_STATUS_SUCCESS); }

SparseOperand::Arrays SparseOperand::arrays_of(const Matrix& matrix) const {
  Arrays arrays;
  if (layout_.format == CUSPARSE_FORMAT_BSR || layout_.format == CUSPARSE_FORMAT_BLOCKED_ELL)
    add_blocks(matrix, arrays);
  else if (layout_.format == CUSPARSE_FORMAT_SLICED_ELLPACK)
    add_slices(matrix, arrays);
  else
    add_entries(matrix, arrays);
  return arrays;
}

void SparseOperand::add_entries(const Matrix& matrix, Arrays& arrays) const {
  const bool by_columns = layout_.format == CUSPARSE_FORMAT_CSC;
  const bool is_coo = layout_.format == CUSPARSE_FORMAT_COO;
  const int base = layout_.base;
  const int lines = by_columns ? matrix.cols : matrix.rows;
  const int length = by_columns ? matrix.rows : matrix.cols;
  for (int line = 0; line < lines; ++line) {
    if (!is_coo) arrays.offsets.push_back(static_cast<std::int64_t>(arrays.indices.size()) + base);
    for (int place = 0; place < length; ++place) {
      const auto [i, j] = by_columns ? std::pair(place, line) : std::pair(line, place);
      if (matrix.at(i, j) == Value()) continue;
      if (is_coo) arrays.offsets.push_back(i + base);
      arrays.indices.push_back(place + base);
      arrays.places.emplace_back(i, j);
    }
  }
  if (!is_coo) arrays.offsets.push_back(static_cast<std::int64_t>(arrays.indices.size()) + base);
}

void SparseOperand::add_slices(const Matrix& matrix, Arrays& arrays) const {
  const int height = layout_.block;
  for (int first = 0; first < matrix.rows; first += height) {
    arrays.offsets.push_back(static_cast<std::int64_t>(arrays.indices.size()) + layout_.base);
    std::vector<std::vector<int>> columns(static_cast<std::size_t>(height));
    std::size_t longest = 0;
    for (int r = 0; r < height && first + r < matrix.rows; ++r) {
      auto& row = columns[static_cast<std::size_t>(r)];
      for (int c = 0; c < matrix.cols; ++c)
        if (matrix.at(first + r, c) != Value()) row.push_back(c);
      longest = std::max(longest, row.size());
    }
    for (std::size_t slot = 0; slot < longest; ++slot)
      for (std::size_t r = 0; r < columns.size(); ++r) {
        const bool is_used = slot < columns[r].size();
        arrays.indices.push_back(is_used ? columns[r][slot] + layout_.base : -1);
        arrays.places.push_back(is_used ? std::pair(first + static_cast<int>(r), columns[r][slot]) : std::pair(-1, -1));
      }
  }
  arrays.offsets.push_back(static_cast<std::int64_t>(arrays.indices.size()) + layout_.base);
}

void SparseOperand::add_block(int block_row, int block_col, Arrays& arrays) const {
  for (int outer = 0; outer < layout_.block; ++outer)
    for (int inner = 0; inner < layout_.block; ++inner) {
      const auto [i, j] = is_row_order(layout_.block_order) ? std::pair(outer, inner) : std::pair(inner, outer);
      arrays.places.emplace_back(block_row * layout_.block + i, block_col * layout_.block + j);
    }
}

void SparseOperand::add_blocks(const Matrix& matrix, Arrays& arrays) const {
  const int edge = layout_.block;
  std::vector<std::vector<int>> columns(static_cast<std::size_t>(matrix.rows / edge));
  std::size_t longest = 0;
  for (int r = 0; r < matrix.rows / edge; ++r) {
    auto& row = columns[static_cast<std::size_t>(r)];
    for (int c = 0; c < matrix.cols / edge; ++c)
      if (matrix.at(r * edge, c * edge) != Value()) row.push_back(c);
    longest = std::max(longest, row.size());
  }
  if (layout_.format == CUSPARSE_FORMAT_BSR) {
    for (std::size_t r = 0; r < columns.size(); ++r) {
      arrays.offsets.push_back(static_cast<std::int64_t>(arrays.indices.size()) + layout_.base);
      for (const int c : columns[r]) {
        arrays.indices.push_back(c + layout_.base);
        add_block(static_cast<int>(r), c, arrays);
      }
    }
    arrays.offsets.push_back(static_cast<std::int64_t>(arrays.indices.size()) + layout_.base);
    return;
  }
  // Blocked-ELL: the values of all slots of one row of elements lie side by side.
  for (std::size_t r = 0; r < columns.size(); ++r) {
    for (std::size_t slot = 0; slot < longest; ++slot)
      arrays.indices.push_back(slot < columns[r].size() ? columns[r][slot] + layout_.base : -1);
    for (int i = 0; i < edge; ++i)
      for (std::size_t slot = 0; slot < longest; ++slot)
        for (int j = 0; j < edge; ++j)
          arrays.places.push_back(slot < columns[r].size()
                                      ? std::pair(static_cast<int>(r) * edge + i, columns[r][slot] * edge + j)
                                      : std::pair(-1, -1));
  }
}

std::vector<Value> SparseOperand::values_of(const std::vector<Matrix>& batch, Value unused) const {
  std::vector<Value> values;
  for (std::size_t b = 0; b < arrays_.size(); ++b)
    for (const auto& [i, j] : arrays_[b].places) values.push_back(i < 0 ? unused : batch[b].at(i, j));
  return values;
}

void SparseOperand::describe(const Matrix& first, std::size_t count) {
  const SparseLayout& l = layout_;
  const auto entries = static_cast<std::int64_t>(arrays_.front().places.size());
  const auto indices = static_cast<std::int64_t>(arrays_.front().indices.size());
  void* offsets = offsets_->data();
  void* columns = indices_->data();
  void* values = values_->data();
  const std::int64_t rows = first.rows;
  const std::int64_t cols = first.cols;
  int status = 0;
  switch (l.format) {
    case CUSPARSE_FORMAT_CSR:
      status = cusparseCreateCsr(&descriptor_, rows, cols, entries, offsets, columns, values, l.index_type,
                                 l.index_type, l.base, type_);
      break;
    case CUSPARSE_FORMAT_CSC:
      status = cusparseCreateCsc(&descriptor_, rows, cols, entries, offsets, columns, values, l.index_type,
                                 l.index_type, l.base, type_);
      break;
    case CUSPARSE_FORMAT_COO:
      status =
          cusparseCreateCoo(&descriptor_, rows, cols, entries, offsets, columns, values, l.index_type, l.base, type_);
      break;
    case CUSPARSE_FORMAT_BSR:
      status = cusparseCreateBsr(&descriptor_, rows / l.block, cols / l.block, indices, l.block, l.block, offsets,
                                 columns, values, l.index_type, l.index_type, l.base, type_, l.block_order);
      break;
    case CUSPARSE_FORMAT_SLICED_ELLPACK: {
      const auto used = std::count_if(arrays_.front().places.begin(), arrays_.front().places.end(),
                                      [](const auto& place) { return place.first >= 0; });
      status = cusparseCreateSlicedEll(&descriptor_, rows, cols, used, entries, l.block, offsets, columns, values,
                                       l.index_type, l.index_type, l.base, type_);
      break;
    }
    default:
      status = cusparseCreateBlockedEll(&descriptor_, rows, cols, l.block, entries / rows, columns, values,
                                        l.index_type, l.base, type_);
  }
  ASSERT_EQ(status, CUSPARSE_STATUS_SUCCESS);
  if (count == 1) return;
  const bool is_shared = l.sharing == Sharing::all;
  const auto own = [](bool shared, std::size_t stride) { return shared ? 0 : static_cast<std::int64_t>(stride); };
  const std::int64_t offsets_stride = own(l.sharing != Sharing::none, arrays_.front().offsets.size());
  const std::int64_t stride = own(is_shared, arrays_.front().indices.size());
  const int matrices = static_cast<int>(count);
  switch (l.format) {
    case CUSPARSE_FORMAT_CSR: status = cusparseCsrSetStridedBatch(descriptor_, matrices, offsets_stride, stride); break;
    case CUSPARSE_FORMAT_COO: status = cusparseCooSetStridedBatch(descriptor_, matrices, stride); break;
    default:
      status = cusparseBsrSetStridedBatch(descriptor_, matrices, offsets_stride, stride,
                                          own(is_shared, arrays_.front().places.size()));
  }
  ASSERT_EQ(status, CUSPARSE_STATUS_SUCCESS);
}

void SparseOperand::expect_values(const std::vector<Matrix>& batch, Value unused) const {
  const std::vector<Value> want = values_of(batch, unused);
  const std::vector<Value> got = download(*values_, type_);
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) ASSERT_EQ(got[i], want[i]) << "value " << i;
}

void SparseOperand::replace_values(const std::vector<Matrix>& batch) {
  values_ = std::make_unique<DeviceMemory>(upload(values_of(batch, kFiller), type_));
  ASSERT_EQ(cusparseSpMatSetValues(descriptor_, values_->data()), CUSPARSE_STATUS_SUCCESS);
}
