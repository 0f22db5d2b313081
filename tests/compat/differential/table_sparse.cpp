// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "compat/differential/getters.hpp"

namespace spk::test {
namespace {

// Arguments of CreateCsr and CreateCsc; COO has no offset type.
struct Sparse {
  const char* note;
  i64 rows = 4, cols = 6, nnz = 5;
  void* offsets = array(0);
  void* indices = array(1);
  void* values = array(2);
  int offset_type = 2, index_type = 2, base = 0, value_type = 0;
};

void create_compressed(Transcript& t, const char* name, const Sparse& a) {
  void* mat = kUntouched;
  const int status = t.call(name, a.note, &mat, a.rows, a.cols, a.nnz, a.offsets, a.indices, a.values, a.offset_type,
                            a.index_type, a.base, a.value_type);
  t.field("out", mat);
  if (status != 0) return;
  const bool is_csc = std::string(name).find("Csc") != std::string::npos;
  get_compressed(t, is_csc ? "CscGet" : "CsrGet", "", mat);
  get_common(t, mat);
  t.call("DestroySpMat", "", mat);
}

void create_coordinates(Transcript& t, const char* name, const Sparse& a) {
  void* mat = kUntouched;
  const int status = t.call(name, a.note, &mat, a.rows, a.cols, a.nnz, a.offsets, a.indices, a.values, a.index_type,
                            a.base, a.value_type);
  t.field("out", mat);
  if (status != 0) return;
  get_coordinates(t, "CooGet", "", mat);
  get_common(t, mat);
  t.call("DestroySpMat", "", mat);
}

constexpr i64 kPast32 = i64{1} << 31;

// Sparse matrices that are wrong in the same way in all three formats.
const Sparse kRows[] = {
    {"plain"},
    {"64-bit, base one, double", 4, 6, 5, array(3), array(4), array(5), 3, 3, 1, 1},
    {"full", 4, 6, 24},
    {"no entries, arrays NULL", 4, 6, 0, array(0), nullptr, nullptr},
    {"nothing", 0, 0, 0, nullptr, nullptr, nullptr},
    {"no rows", 0, 6, 0},
    {"no columns", 4, 0, 0},
    {"offsets NULL", 4, 6, 5, nullptr},
    {"indices NULL", 4, 6, 5, array(0), nullptr},
    {"values NULL", 4, 6, 5, array(0), array(1), nullptr},
    {"rows negative", -1},
    {"columns negative", 4, -1},
    {"nnz negative", 4, 6, -1},
    {"nnz above rows x columns", 4, 6, 25},
    {"offsets misaligned", 4, 6, 5, arrays + 2},
    {"indices misaligned", 4, 6, 5, array(0), arrays + 2},
    {"values misaligned", 4, 6, 5, array(0), array(1), arrays + 2},
    {"values aligned to their size", 4, 6, 5, array(0), array(1), arrays + 4},
    {"double misaligned", 4, 6, 5, array(0), array(1), arrays + 4, 2, 2, 0, 1},
    {"complex aligned to its half", 4, 6, 5, array(0), array(1), arrays + 4, 2, 2, 0, 4},
    {"base 2", 4, 6, 5, array(0), array(1), array(2), 2, 2, 2},
    {"base -1", 4, 6, 5, array(0), array(1), array(2), 2, 2, -1},
    {"rows at the end of 32 bits", kPast32 - 1},
    {"rows past 32 bits", kPast32},
    {"rows at the end of 32 bits, base one", kPast32 - 1, 6, 5, array(0), array(1), array(2), 2, 2, 1},
    {"columns past 32 bits", 4, kPast32},
    {"columns at the end of 32 bits, base one", 4, kPast32 - 1, 5, array(0), array(1), array(2), 2, 2, 1},
    {"nnz past 32 bits", kPast32 - 1, 6, kPast32},
    {"nnz at the end of 32 bits, base one", kPast32 - 2, 6, kPast32 - 1, array(0), array(1), array(2), 2, 2, 1},
    {"rows past 32 bits, 64-bit", kPast32, 6, 5, array(0), array(1), array(2), 3, 3},
};

void create_sliced_ell(Transcript& t) {
  struct Sell {
    const char* note;
    i64 rows = 8, cols = 12, nnz = 20, values_size = 32, slice = 4;
    void* offsets = array(0);
    void* indices = array(1);
    void* values = array(2);
    int offset_type = 2, index_type = 2, base = 0, value_type = 0;
  };
  const Sell rows[] = {{"plain"},
                       {"64-bit, base one, double", 8, 12, 20, 32, 4, array(0), array(1), array(2), 3, 3, 1, 1},
                       {"rows not whole slices", 9},
                       {"slice 1", 8, 12, 20, 32, 1},
                       {"slice above rows", 8, 12, 20, 96, 16},
                       {"slice 0", 8, 12, 20, 32, 0},
                       {"slice negative", 8, 12, 20, 32, -4},
                       {"values below entries", 8, 12, 20, 19},
                       {"values as entries", 8, 12, 20, 20},
                       {"values negative", 8, 12, 20, -1},
                       {"no entries", 8, 12, 0, 0, 4, array(0), nullptr, nullptr},
                       {"nothing", 0, 0, 0, 0, 4, nullptr, nullptr, nullptr},
                       {"arrays NULL", 8, 12, 20, 32, 4, nullptr, nullptr, nullptr},
                       {"too many entries", 8, 12, 97, 128},
                       {"rows negative", -1},
                       {"columns negative", 8, -1},
                       {"entries negative", 8, 12, -1},
                       {"types 32 and 64", 8, 12, 20, 32, 4, array(0), array(1), array(2), 2, 3},
                       {"types 16U", 8, 12, 20, 32, 4, array(0), array(1), array(2), 1, 1},
                       {"base 2", 8, 12, 20, 32, 4, array(0), array(1), array(2), 2, 2, 2},
                       {"value type 99", 8, 12, 20, 32, 4, array(0), array(1), array(2), 2, 2, 0, 99},
                       {"offsets misaligned", 8, 12, 20, 32, 4, arrays + 1},
                       {"indices misaligned", 8, 12, 20, 32, 4, array(0), arrays + 1},
                       {"values misaligned", 8, 12, 20, 32, 4, array(0), array(1), arrays + 1}};
  for (const char* name : {"CreateSlicedEll", "CreateConstSlicedEll"}) {
    for (const Sell& a : rows) {
      void* mat = kUntouched;
      const int status = t.call(name, a.note, &mat, a.rows, a.cols, a.nnz, a.values_size, a.slice, a.offsets, a.indices,
                                a.values, a.offset_type, a.index_type, a.base, a.value_type);
      t.field("out", mat);
      if (status != 0) continue;
      get_common(t, mat);
      get_by_every_format(t, mat);
      t.call("DestroySpMat", "", mat);
    }
  }
}

}  // namespace

void call_compressed(Transcript& t) {
  for (const char* name : {"CreateCsr", "CreateConstCsr", "CreateCsc", "CreateConstCsc"}) {
    for (const Sparse& row : kRows) create_compressed(t, name, row);
    for (int offset_type = 0; offset_type <= 4; ++offset_type) {
      for (int index_type = 0; index_type <= 4; ++index_type) {
        const std::string note = noted("types %d and %d", offset_type, index_type);
        create_compressed(t, name, {note.c_str(), 4, 6, 5, array(0), array(1), array(2), offset_type, index_type});
      }
    }
  }
  for (int type = -1; type <= 34; ++type) {
    const std::string note = noted("value type %d", type);
    create_compressed(t, "CreateCsr", {note.c_str(), 4, 6, 5, array(0), array(1), array(2), 2, 2, 0, type});
  }
  t.call("CreateCsr", "out NULL", static_cast<void**>(nullptr), i64{4}, i64{6}, i64{5}, array(0), array(1), array(2), 2,
         2, 0, 0);
  for (const bool is_csc : {false, true}) {
    const char* set = is_csc ? "CscSetPointers" : "CsrSetPointers";
    const char* get = is_csc ? "CscGet" : "CsrGet";
    void* mat = nullptr;
    t.call(is_csc ? "CreateCsc" : "CreateCsr", "once more", &mat, i64{4}, i64{6}, i64{5}, array(0), array(1), array(2),
           2, 2, 0, 0);
    get_by_every_format(t, mat);
    t.call(set, "", mat, array(7), array(8), array(9));
    get_compressed(t, get, "", mat);
    t.call(set, "NULL", mat, static_cast<void*>(nullptr), static_cast<void*>(nullptr), static_cast<void*>(nullptr));
    get_compressed(t, get, "", mat);
    t.call(set, "misaligned", mat, static_cast<void*>(arrays + 1), array(8), array(9));
    get_compressed(t, get, "", mat);
    t.call(is_csc ? "CsrSetPointers" : "CscSetPointers", "of another format", mat, array(1), array(2), array(3));
    t.call("CooSetPointers", "of another format", mat, array(1), array(2), array(3));
    get_compressed(t, get, "", mat);
    t.call("DestroySpMat", "", mat);
  }
}

void call_coordinates(Transcript& t) {
  for (const char* name : {"CreateCoo", "CreateConstCoo"}) {
    for (const Sparse& row : kRows) create_coordinates(t, name, row);
    for (int type = 0; type <= 4; ++type) {
      const std::string note = noted("index type %d", type);
      create_coordinates(t, name, {note.c_str(), 4, 6, 5, array(0), array(1), array(2), type, type});
    }
  }
  t.call("CreateCoo", "out NULL", static_cast<void**>(nullptr), i64{4}, i64{6}, i64{5}, array(0), array(1), array(2), 2,
         0, 0);
  void* mat = nullptr;
  t.call("CreateCoo", "once more", &mat, i64{4}, i64{6}, i64{5}, array(0), array(1), array(2), 2, 0, 0);
  get_by_every_format(t, mat);
  t.call("CooSetPointers", "", mat, array(7), array(8), array(9));
  get_coordinates(t, "CooGet", "", mat);
  t.call("CooSetPointers", "NULL", mat, static_cast<void*>(nullptr), static_cast<void*>(nullptr),
         static_cast<void*>(nullptr));
  get_coordinates(t, "CooGet", "", mat);
  t.call("DestroySpMat", "", mat);
}

void call_slices(Transcript& t) {
  struct Sliced {
    const char* note;
    i64 rows = 4, cols = 6, nnz = 5, values_size = 8, slice = 2;
    void* offsets = array(0);
    void* indices = array(1);
    void* values = array(2);
    int offset_type = 2, index_type = 2, base = 0, value_type = 0;
  };
  const Sliced sliced[] = {{"plain"},
                           {"64-bit, base one", 5, 6, 5, 8, 2, array(0), array(1), array(2), 3, 3, 1, 1},
                           {"no entries", 4, 6, 0, 0, 2, array(0), nullptr, nullptr},
                           {"nothing", 0, 0, 0, 0, 2, nullptr, nullptr, nullptr},
                           {"rows negative", -4},
                           {"cols negative", 4, -6},
                           {"nnz negative", 4, 6, -5},
                           {"slots negative", 4, 6, 5, -8},
                           {"slots below nnz", 4, 6, 5, 4},
                           {"nnz above places", 4, 6, 25, 40},
                           {"slice 0", 4, 6, 5, 8, 0},
                           {"slice negative", 4, 6, 5, 8, -1},
                           {"slice above rows", 4, 6, 5, 8, 64},
                           {"rows past 32 bits", 2147483648},
                           {"slots past 32 bits", 4, 6, 5, 2147483648},
                           {"places past 63 bits", 5000000000, 5000000000, 5, 8, 2, array(0), array(1), array(2), 3, 3},
                           {"types 64 and 32", 4, 6, 5, 8, 2, array(0), array(1), array(2), 3, 2},
                           {"types 16U", 4, 6, 5, 8, 2, array(0), array(1), array(2), 1, 1},
                           {"base 2", 4, 6, 5, 8, 2, array(0), array(1), array(2), 2, 2, 2},
                           {"value type 99", 4, 6, 5, 8, 2, array(0), array(1), array(2), 2, 2, 0, 99},
                           {"offsets misaligned", 4, 6, 5, 8, 2, arrays + 1},
                           {"indices misaligned", 4, 6, 5, 8, 2, array(0), arrays + 1},
                           {"values misaligned", 4, 6, 5, 8, 2, array(0), array(1), arrays + 1}};
  for (const char* name : {"CreateSlicedEll", "CreateConstSlicedEll"})
    for (const Sliced& a : sliced) {
      void* mat = kUntouched;
      const int status = t.call(name, a.note, &mat, a.rows, a.cols, a.nnz, a.values_size, a.slice, a.offsets, a.indices,
                                a.values, a.offset_type, a.index_type, a.base, a.value_type);
      t.field("out", mat);
      if (status != 0) continue;
      get_common(t, mat);
      get_by_every_format(t, mat);
      t.call("DestroySpMat", "", mat);
    }
}

void call_blocks(Transcript& t) {
  struct Bsr {
    const char* note;
    i64 block_rows = 2, block_cols = 3, nnzb = 4, row_block = 2, col_block = 2;
    void* offsets = array(0);
    void* indices = array(1);
    void* values = array(2);
    int offset_type = 2, index_type = 2, base = 0, value_type = 0, order = 2;
  };
  const Bsr bsr[] = {{"plain"},
                     {"64-bit, base one, column order", 2, 3, 4, 4, 4, array(0), array(1), array(2), 3, 3, 1, 1, 1},
                     {"no blocks", 2, 3, 0, 2, 2, array(0), nullptr, nullptr},
                     {"nothing", 0, 0, 0, 2, 2, nullptr, nullptr, nullptr},
                     {"arrays NULL", 2, 3, 4, 2, 2, nullptr, nullptr, nullptr},
                     {"block rows negative", -1},
                     {"block columns negative", 2, -1},
                     {"blocks negative", 2, 3, -1},
                     {"too many blocks", 2, 3, 7},
                     {"block not square", 2, 3, 4, 2, 4},
                     {"block 0", 2, 3, 4, 0, 0},
                     {"block negative", 2, 3, 4, -2, -2},
                     {"block 1", 2, 3, 4, 1, 1},
                     {"block 3", 2, 3, 4, 3, 3},
                     {"types 32 and 64", 2, 3, 4, 2, 2, array(0), array(1), array(2), 2, 3},
                     {"types 16U", 2, 3, 4, 2, 2, array(0), array(1), array(2), 1, 1},
                     {"base 2", 2, 3, 4, 2, 2, array(0), array(1), array(2), 2, 2, 2},
                     {"value type 99", 2, 3, 4, 2, 2, array(0), array(1), array(2), 2, 2, 0, 99},
                     {"order 0", 2, 3, 4, 2, 2, array(0), array(1), array(2), 2, 2, 0, 0, 0},
                     {"order 3", 2, 3, 4, 2, 2, array(0), array(1), array(2), 2, 2, 0, 0, 3},
                     {"offsets misaligned", 2, 3, 4, 2, 2, arrays + 1},
                     {"values misaligned", 2, 3, 4, 2, 2, array(0), array(1), arrays + 1}};
  for (const char* name : {"CreateBsr", "CreateConstBsr"}) {
    for (const Bsr& a : bsr) {
      void* mat = kUntouched;
      const int status =
          t.call(name, a.note, &mat, a.block_rows, a.block_cols, a.nnzb, a.row_block, a.col_block, a.offsets, a.indices,
                 a.values, a.offset_type, a.index_type, a.base, a.value_type, a.order);
      t.field("out", mat);
      if (status != 0) continue;
      get_common(t, mat);
      get_by_every_format(t, mat);
      t.call("DestroySpMat", "", mat);
    }
  }
  struct Ell {
    const char* note;
    i64 rows = 8, cols = 12, block = 4, ell_cols = 8;
    void* indices = array(0);
    void* values = array(1);
    int index_type = 2, base = 0, value_type = 0;
  };
  const Ell ell[] = {{"plain"},
                     {"base one, half", 8, 12, 4, 8, array(0), array(1), 2, 1, 2},
                     {"64-bit", 8, 12, 4, 8, array(0), array(1), 3},
                     {"16-bit", 8, 12, 4, 8, array(0), array(1), 1},
                     {"no ell columns", 8, 12, 4, 0, nullptr, nullptr},
                     {"arrays NULL", 8, 12, 4, 8, nullptr, nullptr},
                     {"nothing", 0, 0, 4, 0, nullptr, nullptr},
                     {"rows not whole blocks", 9},
                     {"columns not whole blocks", 8, 13},
                     {"ell columns not whole blocks", 8, 12, 4, 6},
                     {"ell columns above columns", 8, 12, 4, 16},
                     {"block 3", 9, 12, 3, 6},
                     {"block 0", 8, 12, 0},
                     {"block negative", 8, 12, -4},
                     {"rows negative", -8},
                     {"ell columns negative", 8, 12, 4, -8},
                     {"base 2", 8, 12, 4, 8, array(0), array(1), 2, 2},
                     {"value type 99", 8, 12, 4, 8, array(0), array(1), 2, 0, 99},
                     {"indices misaligned", 8, 12, 4, 8, arrays + 1},
                     {"values misaligned", 8, 12, 4, 8, array(0), arrays + 1}};
  for (const char* name : {"CreateBlockedEll", "CreateConstBlockedEll"}) {
    for (const Ell& a : ell) {
      void* mat = kUntouched;
      const int status = t.call(name, a.note, &mat, a.rows, a.cols, a.block, a.ell_cols, a.indices, a.values,
                                a.index_type, a.base, a.value_type);
      t.field("out", mat);
      if (status != 0) continue;
      get_blocked_ell(t, "BlockedEllGet", "", mat);
      get_common(t, mat);
      get_by_every_format(t, mat);
      t.call("DestroySpMat", "", mat);
    }
  }
  create_sliced_ell(t);
}

void call_common(Transcript& t) {
  void *csr = nullptr, *coo = nullptr, *bsr = nullptr;
  t.call("CreateCsr", "once more", &csr, i64{4}, i64{6}, i64{5}, array(0), array(1), array(2), 2, 2, 0, 0);
  t.call("CreateCoo", "once more", &coo, i64{4}, i64{6}, i64{5}, array(0), array(1), array(2), 2, 0, 0);
  t.call("CreateBsr", "once more", &bsr, i64{2}, i64{3}, i64{4}, i64{2}, i64{2}, array(0), array(1), array(2), 2, 2, 0,
         0, 2);
  void* const matrices[] = {csr, coo, bsr, nullptr};
  for (void* mat : matrices) {
    get_common(t, mat);
    int count = kUntouchedInt;
    t.call("CsrSetStridedBatch", "2, 5, 5", mat, 2, i64{5}, i64{5});
    t.call("CsrSetStridedBatch", "2, 0, 5", mat, 2, i64{0}, i64{5});
    t.call("CsrSetStridedBatch", "2, 4, 5", mat, 2, i64{4}, i64{5});
    t.call("CsrSetStridedBatch", "2, 0, 4", mat, 2, i64{0}, i64{4});
    t.call("CsrSetStridedBatch", "3, 0, 0", mat, 3, i64{0}, i64{0});
    t.call("CsrSetStridedBatch", "count 0", mat, 0, i64{5}, i64{5});
    t.call("CsrSetStridedBatch", "negative", mat, 2, i64{-5}, i64{5});
    t.call("SpMatGetStridedBatch", "", mat, &count);
    t.field("count", count);
    t.call("CooSetStridedBatch", "4, 5", mat, 4, i64{5});
    t.call("CooSetStridedBatch", "4, 0", mat, 4, i64{0});
    t.call("CooSetStridedBatch", "4, 4", mat, 4, i64{4});
    t.call("CooSetStridedBatch", "count negative", mat, -1, i64{5});
    t.call("SpMatGetStridedBatch", "", mat, &count);
    t.field("count", count);
    t.call("BsrSetStridedBatch", "5, 3, 4, 16", mat, 5, i64{3}, i64{4}, i64{16});
    t.call("BsrSetStridedBatch", "5, 0, 0, 16", mat, 5, i64{0}, i64{0}, i64{16});
    t.call("BsrSetStridedBatch", "5, 2, 4, 16", mat, 5, i64{2}, i64{4}, i64{16});
    t.call("BsrSetStridedBatch", "5, 3, 3, 16", mat, 5, i64{3}, i64{3}, i64{16});
    t.call("BsrSetStridedBatch", "5, 3, 4, 15", mat, 5, i64{3}, i64{4}, i64{15});
    t.call("BsrSetStridedBatch", "count 0", mat, 0, i64{3}, i64{4}, i64{16});
    t.call("SpMatGetStridedBatch", "", mat, &count);
    t.field("count", count);
    for (int attribute : {0, 1, 2, -1}) {
      for (std::size_t bytes : {std::size_t{4}, std::size_t{8}, std::size_t{0}}) {
        const std::string note = noted("%d, %d bytes", attribute, static_cast<int>(bytes));
        int value = 1;
        t.call("SpMatSetAttribute", note, mat, attribute, &value, bytes);
        int got[2] = {kUntouchedInt, kUntouchedInt};
        t.call("SpMatGetAttribute", note, mat, attribute, got, bytes);
        t.field("value", got[0]);
      }
      int value = 2;
      t.call("SpMatSetAttribute", noted("%d to 2", attribute), mat, attribute, &value, std::size_t{4});
      t.call("SpMatSetAttribute", "data NULL", mat, attribute, static_cast<void*>(nullptr), std::size_t{4});
      t.call("SpMatGetAttribute", "data NULL", mat, attribute, static_cast<void*>(nullptr), std::size_t{4});
    }
    t.call("SpMatSetValues", "", mat, array(9));
    t.call("SpMatSetValues", "misaligned", mat, static_cast<void*>(arrays + 1));
    get_common(t, mat);
    t.call("SpMatSetValues", "NULL", mat, static_cast<void*>(nullptr));
    t.call("SpMatGetFormat", "NULL", mat, static_cast<int*>(nullptr));
    t.call("SpMatGetIndexBase", "NULL", mat, static_cast<int*>(nullptr));
    t.call("SpMatGetSize", "NULL", mat, static_cast<i64*>(nullptr), static_cast<i64*>(nullptr),
           static_cast<i64*>(nullptr));
    t.call("SpMatGetStridedBatch", "NULL", mat, static_cast<int*>(nullptr));
    t.call("SpMatGetValues", "NULL", mat, static_cast<void**>(nullptr));
  }
  get_by_every_format(t, nullptr);
  for (void* mat : matrices) t.call("DestroySpMat", "", mat);
}

}  // namespace spk::test
