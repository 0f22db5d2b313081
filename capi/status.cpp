// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <spk/spk_handle.h>

namespace {

struct StatusText {
  spk_status_t status;
  const char* name;
  const char* text;
};

constexpr StatusText kStatusTexts[] = {
    {SPK_STATUS_SUCCESS, "SPK_STATUS_SUCCESS", "success"},
    {SPK_STATUS_NOT_INITIALIZED, "SPK_STATUS_NOT_INITIALIZED", "not initialized"},
    {SPK_STATUS_ALLOC_FAILED, "SPK_STATUS_ALLOC_FAILED", "out of memory"},
    {SPK_STATUS_INVALID_VALUE, "SPK_STATUS_INVALID_VALUE", "invalid value"},
    {SPK_STATUS_ARCH_MISMATCH, "SPK_STATUS_ARCH_MISMATCH", "no code for this device or processor"},
    {SPK_STATUS_MAPPING_ERROR, "SPK_STATUS_MAPPING_ERROR", "memory mapping failed"},
    {SPK_STATUS_EXECUTION_FAILED, "SPK_STATUS_EXECUTION_FAILED", "execution on the device failed"},
    {SPK_STATUS_INTERNAL_ERROR, "SPK_STATUS_INTERNAL_ERROR", "internal error"},
    {SPK_STATUS_MATRIX_TYPE_NOT_SUPPORTED, "SPK_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "matrix type not supported"},
    {SPK_STATUS_ZERO_PIVOT, "SPK_STATUS_ZERO_PIVOT", "zero pivot"},
    {SPK_STATUS_NOT_SUPPORTED, "SPK_STATUS_NOT_SUPPORTED", "operation not supported"},
    {SPK_STATUS_INSUFFICIENT_RESOURCES, "SPK_STATUS_INSUFFICIENT_RESOURCES", "insufficient resources"},
    {SPK_STATUS_INVALID_STRUCTURE, "SPK_STATUS_INVALID_STRUCTURE", "stored arrays contradict each other"},
    {SPK_STATUS_WORKSPACE_TOO_SMALL, "SPK_STATUS_WORKSPACE_TOO_SMALL", "workspace too small"},
    {SPK_STATUS_BACKEND_UNAVAILABLE, "SPK_STATUS_BACKEND_UNAVAILABLE", "backend not available here"},
    {SPK_STATUS_NOT_DETERMINISTIC, "SPK_STATUS_NOT_DETERMINISTIC", "algorithm is not deterministic"},
    {SPK_STATUS_PARSE_ERROR, "SPK_STATUS_PARSE_ERROR", "file does not follow its format"},
    {SPK_STATUS_IO_ERROR, "SPK_STATUS_IO_ERROR", "file cannot be read or written"},
    {SPK_STATUS_INDEX_OVERFLOW, "SPK_STATUS_INDEX_OVERFLOW", "size does not fit the index type"},
};

const StatusText* find(spk_status_t status) noexcept {
  for (const StatusText& row : kStatusTexts)
    if (row.status == status) return &row;
  return nullptr;
}

}  // namespace

extern "C" const char* spk_status_name(spk_status_t status) {
  const StatusText* row = find(status);
  return row == nullptr ? "unrecognized status" : row->name;
}

extern "C" const char* spk_status_string(spk_status_t status) {
  const StatusText* row = find(status);
  return row == nullptr ? "unrecognized status" : row->text;
}

extern "C" int32_t spk_version(void) { return SPK_VERSION; }
