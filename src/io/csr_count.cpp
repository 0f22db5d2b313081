// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>
#include <limits>
#include <vector>

#include "io/csr.hpp"
#include "io/entry_cursor.hpp"

namespace spk::io {
namespace {

// Row (the part below the bucket) and column of an entry in one number that sorts as they do.
template <class Key>
Key make_key(std::int64_t row, std::int64_t col) {
  if constexpr (sizeof(Key) > sizeof(std::int64_t)) {
    return static_cast<Key>(row) << 64 | static_cast<Key>(col);
  } else {
    return static_cast<Key>(col);  // one row to a bucket
  }
}

// Distinct places. Entries are sorted into buckets of 2^shift rows, then inside each bucket.
template <class Key>
std::int64_t count_distinct(const spk_io_matrix& matrix, int shift) {
  const auto buckets = static_cast<std::size_t>(((matrix.rows - 1) >> shift) + 1);
  std::vector<std::int64_t> ends(buckets, 0);
  EntryBatch batch;
  for (EntryCursor cursor(matrix); cursor.next(batch);) {
    for (std::size_t i = 0; i < batch.count; ++i) ++ends[static_cast<std::size_t>(batch.rows[i] >> shift)];
  }
  std::int64_t sum = 0;
  for (std::int64_t& end : ends) {
    const std::int64_t count = end;
    end = sum;  // a begin, until the entries of the bucket have moved it to its end
    sum += count;
  }
  const RawArray<Key> keys = raw_array<Key>(matrix.nnz);
  const std::int64_t mask = (std::int64_t{1} << shift) - 1;
  for (EntryCursor cursor(matrix); cursor.next(batch);) {
    for (std::size_t i = 0; i < batch.count; ++i) {
      std::int64_t& end = ends[static_cast<std::size_t>(batch.rows[i] >> shift)];
      keys[static_cast<std::size_t>(end++)] = make_key<Key>(batch.rows[i] & mask, batch.cols[i]);
    }
  }
  std::int64_t distinct = 0;
  Key* begin = keys.get();
  for (const std::int64_t bucket_end : ends) {
    Key* const end = keys.get() + bucket_end;
    if (!std::is_sorted(begin, end)) std::sort(begin, end);
    distinct += std::unique(begin, end) - begin;
    begin = end;
  }
  return distinct;
}

}  // namespace

std::int64_t count_csr(const spk_io_matrix& matrix) {
  std::int64_t known = matrix.csr_nnz;
  if (known >= 0) return known;
  // Memory follows the entries, not the rows: a matrix may have 2^40 rows and three entries.
  int shift = 0;
  while ((matrix.rows - 1) >> shift > std::max<std::int64_t>(matrix.nnz, 1024)) ++shift;
  __extension__ using WideKey = unsigned __int128;
  known = shift == 0 && matrix.cols <= std::numeric_limits<std::uint32_t>::max()
              ? count_distinct<std::uint32_t>(matrix, shift)
              : count_distinct<WideKey>(matrix, shift);
  matrix.csr_nnz = known;
  return known;
}

}  // namespace spk::io
