// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "compat/differential/transcript.hpp"

namespace spk::test {
namespace {

struct SpVec {
  const char* note;
  i64 size = 8, nnz = 3;
  void* indices = array(0);
  void* values = array(1);
  int index_type = 2, base = 0, value_type = 0;
};

struct DnMat {
  const char* note;
  i64 rows = 4, cols = 6, ld = 6;
  void* values = array(0);
  int value_type = 0, order = 2;
};

void get_sp_vec(Transcript& t, void* vec) {
  i64 size = kUntouchedInt, nnz = kUntouchedInt;
  void *indices = kUntouched, *values = kUntouched;
  int index_type = kUntouchedInt, base = kUntouchedInt, value_type = kUntouchedInt;
  for (const char* name : {"SpVecGet", "ConstSpVecGet"}) {
    t.call(name, "", vec, &size, &nnz, &indices, &values, &index_type, &base, &value_type);
    t.field("size", size);
    t.field("nnz", nnz);
    t.field("indices", indices);
    t.field("values", values);
    t.field("index_type", index_type);
    t.field("base", base);
    t.field("value_type", value_type);
  }
  base = kUntouchedInt;
  t.call("SpVecGetIndexBase", "", vec, &base);
  t.field("base", base);
  t.call("SpVecGetIndexBase", "NULL", vec, static_cast<int*>(nullptr));
  for (const char* name : {"SpVecGetValues", "ConstSpVecGetValues"}) {
    values = kUntouched;
    t.call(name, "", vec, &values);
    t.field("values", values);
    t.call(name, "NULL", vec, static_cast<void**>(nullptr));
  }
}

void create_sp_vec(Transcript& t, const char* name, const SpVec& a) {
  void* vec = kUntouched;
  const int status = t.call(name, a.note, &vec, a.size, a.nnz, a.indices, a.values, a.index_type, a.base, a.value_type);
  t.field("out", vec);
  if (status != 0) return;
  get_sp_vec(t, vec);
  t.call("DestroySpVec", "", vec);
}

}  // namespace

void call_vectors(Transcript& t) {
  for (const char* name : {"CreateSpVec", "CreateConstSpVec"}) {
    create_sp_vec(t, name, {"plain"});
    create_sp_vec(t, name, {"64-bit, base one, double", 8, 8, array(2), array(3), 3, 1, 1});
    create_sp_vec(t, name, {"empty", 0, 0, nullptr, nullptr});
    create_sp_vec(t, name, {"arrays NULL", 8, 3, nullptr, nullptr});
    create_sp_vec(t, name, {"size negative", -1});
    create_sp_vec(t, name, {"nnz negative", 8, -1});
    create_sp_vec(t, name, {"nnz above size", 8, 9});
    create_sp_vec(t, name, {"indices misaligned", 8, 3, arrays + 2});
    create_sp_vec(t, name, {"values misaligned", 8, 3, array(0), arrays + 2});
    create_sp_vec(t, name, {"index type 0", 8, 3, array(0), array(1), 0});
    create_sp_vec(t, name, {"index type 16U", 8, 3, array(0), array(1), 1});
    create_sp_vec(t, name, {"index type 4", 8, 3, array(0), array(1), 4});
    create_sp_vec(t, name, {"base 2", 8, 3, array(0), array(1), 2, 2});
    create_sp_vec(t, name, {"value type 99", 8, 3, array(0), array(1), 2, 0, 99});
    create_sp_vec(t, name, {"size beyond 32 bits", i64{1} << 31});
  }
  t.call("CreateSpVec", "out NULL", static_cast<void**>(nullptr), i64{8}, i64{3}, array(0), array(1), 2, 0, 0);
  void* vec = nullptr;
  t.call("CreateSpVec", "once more", &vec, i64{8}, i64{3}, array(0), array(1), 2, 0, 0);
  t.call("SpVecSetValues", "", vec, array(2));
  get_sp_vec(t, vec);
  t.call("SpVecSetValues", "NULL", vec, static_cast<void*>(nullptr));
  get_sp_vec(t, vec);
  t.call("DestroySpVec", "", vec);
  t.call("DestroySpVec", "NULL", static_cast<void*>(nullptr));
  t.call("SpVecSetValues", "vector NULL", static_cast<void*>(nullptr), array(2));
  get_sp_vec(t, nullptr);

  struct DnVec {
    const char* note;
    i64 size;
    void* values;
    int value_type;
  };
  const DnVec rows[] = {{"plain", 5, array(0), 0},
                        {"empty", 0, nullptr, 0},
                        {"values NULL", 5, nullptr, 0},
                        {"size negative", -1, array(0), 0},
                        {"values misaligned", 5, arrays + 2, 0},
                        {"value type -1", 5, array(0), -1},
                        {"value type 17", 5, array(0), 17},
                        {"bfloat16", 5, array(1), 14},
                        {"complex", 5, array(1), 5},
                        {"8 bits", 5, arrays + 1, 3},
                        {"large", i64{1} << 40, array(0), 1}};
  for (const char* name : {"CreateDnVec", "CreateConstDnVec"}) {
    for (const DnVec& a : rows) {
      void* dense = kUntouched;
      const int status = t.call(name, a.note, &dense, a.size, a.values, a.value_type);
      t.field("out", dense);
      if (status != 0) continue;
      for (const char* getter : {"DnVecGet", "ConstDnVecGet"}) {
        i64 size = kUntouchedInt;
        void* values = kUntouched;
        int value_type = kUntouchedInt;
        t.call(getter, "", dense, &size, &values, &value_type);
        t.field("size", size);
        t.field("values", values);
        t.field("value_type", value_type);
      }
      void* values = kUntouched;
      t.call("DnVecSetValues", "", dense, array(7));
      t.call("DnVecGetValues", "", dense, &values);
      t.field("values", values);
      t.call("DnVecSetValues", "NULL", dense, static_cast<void*>(nullptr));
      t.call("DnVecSetValues", "misaligned", dense, static_cast<void*>(arrays + 1));
      t.call("ConstDnVecGetValues", "", dense, &values);
      t.field("values", values);
      t.call("DestroyDnVec", "", dense);
    }
  }
  t.call("CreateDnVec", "out NULL", static_cast<void**>(nullptr), i64{5}, array(0), 0);
  t.call("DestroyDnVec", "NULL", static_cast<void*>(nullptr));
}

namespace {

void get_dn_mat(Transcript& t, void* mat) {
  for (const char* name : {"DnMatGet", "ConstDnMatGet"}) {
    i64 rows = kUntouchedInt, cols = kUntouchedInt, ld = kUntouchedInt;
    void* values = kUntouched;
    int value_type = kUntouchedInt, order = kUntouchedInt;
    t.call(name, "", mat, &rows, &cols, &ld, &values, &value_type, &order);
    t.field("rows", rows);
    t.field("cols", cols);
    t.field("ld", ld);
    t.field("values", values);
    t.field("value_type", value_type);
    t.field("order", order);
  }
  int count = kUntouchedInt;
  i64 stride = kUntouchedInt;
  t.call("DnMatGetStridedBatch", "", mat, &count, &stride);
  t.field("count", count);
  t.field("stride", stride);
  for (const char* name : {"DnMatGetValues", "ConstDnMatGetValues"}) {
    void* values = kUntouched;
    t.call(name, "", mat, &values);
    t.field("values", values);
  }
}

void create_dn_mat(Transcript& t, const char* name, const DnMat& a) {
  void* mat = kUntouched;
  const int status = t.call(name, a.note, &mat, a.rows, a.cols, a.ld, a.values, a.value_type, a.order);
  t.field("out", mat);
  if (status != 0) return;
  get_dn_mat(t, mat);
  t.call("DestroyDnMat", "", mat);
}

}  // namespace

void call_dense(Transcript& t) {
  for (const char* name : {"CreateDnMat", "CreateConstDnMat"}) {
    create_dn_mat(t, name, {"row-major"});
    create_dn_mat(t, name, {"column-major", 4, 6, 4, array(1), 1, 1});
    create_dn_mat(t, name, {"padded", 4, 6, 9});
    create_dn_mat(t, name, {"no rows", 0, 6, 6});
    create_dn_mat(t, name, {"no columns", 4, 0, 1});
    create_dn_mat(t, name, {"nothing, ld 0", 0, 0, 0, nullptr});
    create_dn_mat(t, name, {"no columns, ld 0", 4, 0, 0});
    create_dn_mat(t, name, {"no rows, column-major, ld 0", 0, 4, 0, nullptr, 0, 1});
    create_dn_mat(t, name, {"values NULL", 4, 6, 6, nullptr});
    create_dn_mat(t, name, {"rows negative", -1});
    create_dn_mat(t, name, {"columns negative", 4, -1});
    create_dn_mat(t, name, {"ld negative", 4, 6, -6});
    create_dn_mat(t, name, {"ld below columns", 4, 6, 5});
    create_dn_mat(t, name, {"ld below rows", 4, 6, 3, array(0), 0, 1});
    create_dn_mat(t, name, {"values misaligned", 4, 6, 6, arrays + 2});
    create_dn_mat(t, name, {"order 0", 4, 6, 6, array(0), 0, 0});
    create_dn_mat(t, name, {"order 3", 4, 6, 6, array(0), 0, 3});
    create_dn_mat(t, name, {"large", i64{1} << 33, 2, 2});
  }
  for (int type = -1; type <= 34; ++type) {
    const std::string note = noted("value type %d", type);
    create_dn_mat(t, "CreateDnMat", {note.c_str(), 4, 6, 6, array(0), type});
  }
  t.call("CreateDnMat", "out NULL", static_cast<void**>(nullptr), i64{4}, i64{6}, i64{6}, array(0), 0, 2);

  struct Batch {
    const char* note;
    int count;
    i64 stride;
  };
  void* mat = nullptr;
  t.call("CreateDnMat", "4 x 6, ld 8", &mat, i64{4}, i64{6}, i64{8}, array(0), 0, 2);
  for (const Batch& b : {Batch{"two", 2, 32}, Batch{"shared", 3, 0}, Batch{"overlapping", 2, 31}, Batch{"tight", 2, 30},
                         Batch{"one with a stride", 1, 5}, Batch{"count 0", 0, 32}, Batch{"count negative", -1, 32},
                         Batch{"stride negative", 2, -32}, Batch{"one, stride negative", 1, -32}, Batch{"one", 1, 0}}) {
    t.call("DnMatSetStridedBatch", b.note, mat, b.count, b.stride);
    get_dn_mat(t, mat);
  }
  t.call("DnMatSetValues", "", mat, array(9));
  t.call("DnMatGetStridedBatch", "count NULL", mat, static_cast<int*>(nullptr), static_cast<i64*>(nullptr));
  t.call("DnMatGetValues", "NULL", mat, static_cast<void**>(nullptr));
  get_dn_mat(t, mat);
  t.call("DnMatSetValues", "misaligned", mat, static_cast<void*>(arrays + 3));
  t.call("DnMatSetValues", "NULL", mat, static_cast<void*>(nullptr));
  get_dn_mat(t, mat);
  t.call("DestroyDnMat", "", mat);
  t.call("DestroyDnMat", "NULL", static_cast<void*>(nullptr));
  t.call("DnMatSetValues", "matrix NULL", static_cast<void*>(nullptr), array(9));
  t.call("DnMatSetStridedBatch", "matrix NULL", static_cast<void*>(nullptr), 2, i64{32});
  get_dn_mat(t, nullptr);
}

}  // namespace spk::test
