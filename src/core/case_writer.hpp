// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstdio>
#include <initializer_list>
#include <string>

#include "core/problems.hpp"

namespace spk {

// Writes one case file (tests/cases/README.md: layout, version 1): a JSON object, a key a line. Throws IO_ERROR.
class CaseWriter {
 public:
  explicit CaseWriter(std::string path);
  CaseWriter(const CaseWriter&) = delete;
  CaseWriter& operator=(const CaseWriter&) = delete;
  ~CaseWriter();

  void text(const char* key, const char* value);
  void integer(const char* key, std::int64_t value);
  void raw(const char* key, const char* json);
  void number(const char* key, Scalar value, bool is_complex);
  // `count` values from `data`, as numbers, "nan", "inf", "-inf", "-0.0" or [re, im]; null for a NULL array.
  void values(const char* key, const void* data, ValueType type, std::int64_t count);
  // Elements first .. first + count - 1, each less `subtract`.
  void indices(const char* key, const void* data, IndexType type, std::int64_t first, std::int64_t count,
               std::int64_t subtract = 0);
  // The description and the arrays of a sparse matrix.
  void sparse(const SparseView& a, bool with_values);
  void sparse_values(const char* key, const SparseView& a);
  // The memory of a dense matrix, padding included.
  void dense(const char* key, const DenseView& x);
  // {"<key>": values} under "expected"; for a sparse result the key is "values".
  void expected(const char* key, const void* data, ValueType type, std::int64_t count);
  // The same of several arrays.
  struct Result {
    const char* key;
    const void* data;
    ValueType type;
    std::int64_t count;
  };
  void expected(std::initializer_list<Result> results);
  void expected_values(const SparseView& a);
  // Ends the object and the file; only then does it have its name.
  void finish();

 private:
  void key(const char* name);
  void element(const void* data, ValueType type, std::int64_t i);
  void list(const void* data, ValueType type, std::int64_t count);
  std::string path_;
  std::FILE* file_;
  bool first_ = true;
};

}  // namespace spk
