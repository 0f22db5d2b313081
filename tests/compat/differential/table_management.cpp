// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "compat/differential/transcript.hpp"

namespace spk::test {

void call_management(Transcript& t) {
  void* const no_handle = nullptr;
  void* none = nullptr;
  for (int type : {0, 1, 2, 3, -1}) {
    int value = kUntouchedInt;
    t.call("GetProperty", std::to_string(type), type, &value);
    t.field("value", value);
  }
  t.call("GetProperty", "value NULL", 0, static_cast<int*>(nullptr));
  for (int status = -1; status <= 13; ++status) {
    t.text("GetErrorName", status);
    t.text("GetErrorString", status);
  }
  int version = kUntouchedInt;
  t.call("GetVersion", "handle NULL", no_handle, &version);
  t.field("version", version);
  t.call("GetVersion", "both NULL", no_handle, static_cast<int*>(nullptr));
  t.call("Create", "NULL", static_cast<void**>(nullptr));
  t.call("Destroy", "NULL", no_handle);
  t.call("SetStream", "handle NULL", no_handle, none);
  void* stream = kUntouched;
  t.call("GetStream", "handle NULL", no_handle, &stream);
  t.field("stream", stream);
  t.call("SetPointerMode", "handle NULL", no_handle, 0);
  int mode = kUntouchedInt;
  t.call("GetPointerMode", "handle NULL", no_handle, &mode);
  t.field("mode", mode);
  for (int level : {-1, 6, 0}) t.call("LoggerSetLevel", std::to_string(level), level);
  t.call("LoggerSetMask", "0", 0);
  t.call("LoggerSetCallback", "NULL", none);
  t.call("LoggerOpenFile", "no such folder", "/no/such/folder/file");
  t.call("LoggerSetLevel", "0 again", 0);
}

// Products without a handle: the one thing about them that does not need a device.
void call_products(Transcript& t) {
  void* const no_handle = nullptr;
  float one = 1;
  std::size_t bytes = 77;
  void *sparse = nullptr, *dense = nullptr, *vector = nullptr;
  t.call("CreateCsr", "4 x 4, no entries", &sparse, i64{4}, i64{4}, i64{0}, array(0), array(1), array(2), 2, 2, 0, 0);
  t.call("CreateDnMat", "4 x 4", &dense, i64{4}, i64{4}, i64{4}, array(3), 0, 1);
  t.call("CreateDnVec", "4", &vector, i64{4}, array(4), 0);
  t.call("SpMV_bufferSize", "handle NULL", no_handle, 0, &one, sparse, vector, &one, vector, 0, 0, &bytes);
  t.field("bytes", static_cast<i64>(bytes));
  t.call("SpMV", "handle NULL", no_handle, 0, &one, sparse, vector, &one, vector, 0, 0, array(5));
  t.call("SpMM_bufferSize", "handle NULL", no_handle, 0, 0, &one, sparse, dense, &one, dense, 0, 0, &bytes);
  t.field("bytes", static_cast<i64>(bytes));
  t.call("SpMM_preprocess", "handle NULL", no_handle, 0, 0, &one, sparse, dense, &one, dense, 0, 0, array(5));
  t.call("SpMM", "handle NULL", no_handle, 0, 0, &one, sparse, dense, &one, dense, 0, 0, array(5));
  t.call("SDDMM_bufferSize", "handle NULL", no_handle, 0, 0, &one, dense, dense, &one, sparse, 0, 0, &bytes);
  t.field("bytes", static_cast<i64>(bytes));
  t.call("SDDMM_preprocess", "handle NULL", no_handle, 0, 0, &one, dense, dense, &one, sparse, 0, 0, array(5));
  t.call("SDDMM", "handle NULL", no_handle, 0, 0, &one, dense, dense, &one, sparse, 0, 0, array(5));
  t.call("SparseToDense_bufferSize", "handle NULL", no_handle, sparse, dense, 0, &bytes);
  t.call("SparseToDense", "handle NULL", no_handle, sparse, dense, 0, array(5));
  t.call("DenseToSparse_bufferSize", "handle NULL", no_handle, dense, sparse, 0, &bytes);
  t.call("DenseToSparse_analysis", "handle NULL", no_handle, dense, sparse, 0, array(5));
  t.call("DenseToSparse_convert", "handle NULL", no_handle, dense, sparse, 0, array(5));
  t.call("DestroyDnVec", "", vector);
  t.call("DestroyDnMat", "", dense);
  t.call("DestroySpMat", "", sparse);
}

}  // namespace spk::test
