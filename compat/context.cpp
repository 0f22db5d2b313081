// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
// Handles, versions and the texts of status codes.
#include <cstring>

#include "compat/objects.hpp"

using namespace spk::compat;

namespace {

void create(cusparseHandle_t* handle, spk_backend_t backend) {
  SPK_REQUIRE_PTR(handle);
  auto context = std::make_unique<cusparseContext>();
  spk_config_t config{};
  config.struct_size = sizeof config;
  config.backend = backend;
  spk_handle_t native = nullptr;
  check(spk_create(&native, &config));
  context->native.reset(native);
  *handle = context.release();
}

// Without a device CUDA is no choice where device memory is host memory; the other names of SPK_BACKEND are.
spk_backend_t backend_on_host() {
  const char* wanted = secure_getenv("SPK_BACKEND");
  return wanted != nullptr && std::strcmp(wanted, "reference") == 0 ? SPK_BACKEND_REFERENCE : SPK_BACKEND_CPU;
}

struct StatusText {
  const char* name;
  const char* text;
};

const StatusText& text_of(cusparseStatus_t status) {
  static constexpr StatusText kTexts[] = {{"CUSPARSE_STATUS_SUCCESS", "success"},
                                          {"CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
                                          {"CUSPARSE_STATUS_ALLOC_FAILED", "out of memory"},
                                          {"CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
                                          {"CUSPARSE_STATUS_ARCH_MISMATCH", "architecture mismatch"},
                                          {"CUSPARSE_STATUS_MAPPING_ERROR", "texture memory mapping error"},
                                          {"CUSPARSE_STATUS_EXECUTION_FAILED", "kernel launch failure"},
                                          {"CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
                                          {"CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "matrix type not supported"},
                                          {"CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"},
                                          {"CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
                                          {"CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "insufficient resources"}};
  static constexpr StatusText kUnknown = {"unrecognized error code", "unrecognized error code"};
  return status >= 0 && status <= CUSPARSE_STATUS_INSUFFICIENT_RESOURCES ? kTexts[status] : kUnknown;
}

}  // namespace

extern "C" cusparseStatus_t cusparseCreate(cusparseHandle_t* handle) {
  return SPK_CALL(handle).run([&] { create(handle, SPK_BACKEND_AUTO); });
}

extern "C" cusparseStatus_t cusparseCreateOnHost(cusparseHandle_t* handle) {
  return SPK_CALL(handle).run([&] { create(handle, backend_on_host()); });
}

extern "C" cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) {
  return SPK_CALL(handle).run([&] { destroy(handle, "handle"); });
}

extern "C" cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int* version) {
  return SPK_CALL(handle, version).run([&] {
    SPK_OBJECT(handle);
    SPK_REQUIRE_PTR(version) = CUSPARSE_VERSION;
  });
}

extern "C" cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int* value) {
  return SPK_CALL(type, value).run([&] {
    static constexpr int kVersion[] = {CUSPARSE_VER_MAJOR, CUSPARSE_VER_MINOR, CUSPARSE_VER_PATCH};
    if (type < MAJOR_VERSION || type > PATCH_LEVEL) throw_invalid("type", type, "must be 0, 1 or 2");
    SPK_REQUIRE_PTR(value) = kVersion[type];
  });
}

extern "C" int spk_cusparseGetSpkVersion(void) { return spk_version(); }

extern "C" const char* cusparseGetErrorName(cusparseStatus_t status) { return text_of(status).name; }

extern "C" const char* cusparseGetErrorString(cusparseStatus_t status) { return text_of(status).text; }

extern "C" cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t streamId) {
  return SPK_CALL(handle, streamId).run([&] { check(spk_set_stream(SPK_OBJECT(handle).native.get(), streamId)); });
}

extern "C" cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t* streamId) {
  return SPK_CALL(handle, streamId).run([&] {
    void* stream = nullptr;
    SPK_REQUIRE_PTR(streamId);
    check(spk_get_stream(SPK_OBJECT(handle).native.get(), &stream));
    *streamId = static_cast<cudaStream_t>(stream);
  });
}

extern "C" cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode) {
  return SPK_CALL(handle, mode).run([&] { check(spk_set_pointer_mode(SPK_OBJECT(handle).native.get(), mode)); });
}

extern "C" cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t* mode) {
  return SPK_CALL(handle, mode).run([&] {
    spk_pointer_mode_t number = 0;
    SPK_REQUIRE_PTR(mode);
    check(spk_get_pointer_mode(SPK_OBJECT(handle).native.get(), &number));
    *mode = static_cast<cusparsePointerMode_t>(number);
  });
}
