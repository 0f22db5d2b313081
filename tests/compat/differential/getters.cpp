// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "compat/differential/getters.hpp"

namespace spk::test {

void get_compressed(Transcript& t, const char* name, const char* note, void* mat) {
  i64 rows = kUntouchedInt, cols = kUntouchedInt, nnz = kUntouchedInt;
  void *offsets = kUntouched, *indices = kUntouched, *values = kUntouched;
  int offset_type = kUntouchedInt, index_type = kUntouchedInt, base = kUntouchedInt, value_type = kUntouchedInt;
  t.call(name, note, mat, &rows, &cols, &nnz, &offsets, &indices, &values, &offset_type, &index_type, &base,
         &value_type);
  t.field("rows", rows);
  t.field("cols", cols);
  t.field("nnz", nnz);
  t.field("offsets", offsets);
  t.field("indices", indices);
  t.field("values", values);
  t.field("offset_type", offset_type);
  t.field("index_type", index_type);
  t.field("base", base);
  t.field("value_type", value_type);
}

void get_coordinates(Transcript& t, const char* name, const char* note, void* mat) {
  i64 rows = kUntouchedInt, cols = kUntouchedInt, nnz = kUntouchedInt;
  void *row_indices = kUntouched, *col_indices = kUntouched, *values = kUntouched;
  int index_type = kUntouchedInt, base = kUntouchedInt, value_type = kUntouchedInt;
  t.call(name, note, mat, &rows, &cols, &nnz, &row_indices, &col_indices, &values, &index_type, &base, &value_type);
  t.field("rows", rows);
  t.field("cols", cols);
  t.field("nnz", nnz);
  t.field("row_indices", row_indices);
  t.field("col_indices", col_indices);
  t.field("values", values);
  t.field("index_type", index_type);
  t.field("base", base);
  t.field("value_type", value_type);
}

void get_blocked_ell(Transcript& t, const char* name, const char* note, void* mat) {
  i64 rows = kUntouchedInt, cols = kUntouchedInt, block = kUntouchedInt, ell_cols = kUntouchedInt;
  void *indices = kUntouched, *values = kUntouched;
  int index_type = kUntouchedInt, base = kUntouchedInt, value_type = kUntouchedInt;
  t.call(name, note, mat, &rows, &cols, &block, &ell_cols, &indices, &values, &index_type, &base, &value_type);
  t.field("rows", rows);
  t.field("cols", cols);
  t.field("block", block);
  t.field("ell_cols", ell_cols);
  t.field("indices", indices);
  t.field("values", values);
  t.field("index_type", index_type);
  t.field("base", base);
  t.field("value_type", value_type);
}

// What every format answers.
void get_common(Transcript& t, void* mat) {
  i64 rows = kUntouchedInt, cols = kUntouchedInt, nnz = kUntouchedInt;
  int format = kUntouchedInt, base = kUntouchedInt, count = kUntouchedInt;
  t.call("SpMatGetFormat", "", mat, &format);
  t.field("format", format);
  t.call("SpMatGetIndexBase", "", mat, &base);
  t.field("base", base);
  t.call("SpMatGetSize", "", mat, &rows, &cols, &nnz);
  t.field("rows", rows);
  t.field("cols", cols);
  t.field("nnz", nnz);
  t.call("SpMatGetStridedBatch", "", mat, &count);
  t.field("count", count);
  for (const char* name : {"SpMatGetValues", "ConstSpMatGetValues"}) {
    void* values = kUntouched;
    t.call(name, "", mat, &values);
    t.field("values", values);
  }
}

// The getter of every format, on a matrix of one of them.
void get_by_every_format(Transcript& t, void* mat) {
  get_compressed(t, "CsrGet", "of any format", mat);
  get_compressed(t, "CscGet", "of any format", mat);
  get_coordinates(t, "CooGet", "of any format", mat);
  get_blocked_ell(t, "BlockedEllGet", "of any format", mat);
  get_compressed(t, "ConstCsrGet", "of any format", mat);
  get_compressed(t, "ConstCscGet", "of any format", mat);
  get_coordinates(t, "ConstCooGet", "of any format", mat);
  get_blocked_ell(t, "ConstBlockedEllGet", "of any format", mat);
}

}  // namespace spk::test
