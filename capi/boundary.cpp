// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "capi/boundary.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "capi/objects.hpp"
#include "core/log.hpp"

namespace spk::capi {
namespace {

thread_local char thread_error[kErrorCapacity] = "";

}  // namespace

spk_status_t record_failure(spk_handle_t handle, const char* function, spk_status_t status, const char* text) noexcept {
  std::snprintf(thread_error, sizeof thread_error, "%s: %s", function, text);
  if (handle != nullptr && handle->tag == Tag::handle) std::memcpy(handle->error, thread_error, sizeof thread_error);
  if (log::wants(SPK_LOG_ERROR)) log::write(SPK_LOG_ERROR, thread_error);
  return status;
}

void throw_bad_pointer(const char* name, bool is_null) {
  throw Error(SPK_STATUS_INVALID_VALUE, is_null ? "%s is NULL" : "%s is not such an object of spk, or was destroyed",
              name);
}

ValueType value_type_of(std::int32_t number, const char* name) {
  for (const ValueType t :
       {ValueType::f32, ValueType::f64, ValueType::f16, ValueType::bf16, ValueType::c64, ValueType::c128})
    if (static_cast<std::int32_t>(t) == number) return t;
  throw Error(SPK_STATUS_INVALID_VALUE, "%s = %d is not a value type", name, number);
}

IndexType index_type_of(std::int32_t number, const char* name) {
  if (number == SPK_INDEX_32I || number == SPK_INDEX_64I) return static_cast<IndexType>(number);
  if (number == SPK_INDEX_16U)
    throw Error(SPK_STATUS_NOT_SUPPORTED, "%s = SPK_INDEX_16U, but descriptors take 32I or 64I", name);
  throw Error(SPK_STATUS_INVALID_VALUE, "%s = %d is not an index type", name, number);
}

Order order_of(std::int32_t number, const char* name) {
  if (number == SPK_ORDER_COL || number == SPK_ORDER_ROW) return static_cast<Order>(number);
  throw Error(SPK_STATUS_INVALID_VALUE, "%s = %d is not an order (SPK_ORDER_COL = 1, SPK_ORDER_ROW = 2)", name, number);
}

Op op_of(std::int32_t number, const char* name) {
  if (number >= SPK_OP_N && number <= SPK_OP_C) return static_cast<Op>(number);
  throw Error(SPK_STATUS_INVALID_VALUE, "%s = %d is not an operation (N = 0, T = 1, C = 2)", name, number);
}

std::int32_t index_base_of(std::int32_t number, const char* name) {
  if (number == SPK_INDEX_BASE_ZERO || number == SPK_INDEX_BASE_ONE) return number;
  throw Error(SPK_STATUS_INVALID_VALUE, "%s = %d but must be 0 or 1", name, number);
}

void check_struct_size(std::uint32_t size, std::size_t first_release, const char* name) {
  if (size < first_release)
    throw Error(SPK_STATUS_INVALID_VALUE, "%s->struct_size = %u but must be at least %zu (sizeof the struct)", name,
                size, first_release);
}

void check_size(std::int64_t value, const char* name) {
  if (value < 0)
    throw Error(SPK_STATUS_INVALID_VALUE, "%s = %lld but must not be negative", name, static_cast<long long>(value));
}

void copy_text(const char* text, char* buffer, std::size_t capacity, std::size_t* needed) {
  if (buffer == nullptr && capacity != 0)
    throw Error(SPK_STATUS_INVALID_VALUE, "buffer is NULL but capacity = %zu", capacity);
  const std::size_t length = std::strlen(text);
  if (needed != nullptr) *needed = length + 1;
  if (capacity == 0) return;
  const std::size_t copied = std::min(length, capacity - 1);
  std::memcpy(buffer, text, copied);
  buffer[copied] = '\0';
}

}  // namespace spk::capi

using namespace spk;
using namespace spk::capi;

extern "C" spk_status_t spk_last_error(spk_handle_t handle, char* buffer, size_t capacity, size_t* needed) {
  // Not guarded: reporting may not overwrite what it reports.
  if (buffer == nullptr && capacity != 0) return SPK_STATUS_INVALID_VALUE;
  const bool known = handle != nullptr && handle->tag == Tag::handle;
  if (handle != nullptr && !known) return SPK_STATUS_INVALID_VALUE;
  copy_text(known ? handle->error : thread_error, buffer, capacity, needed);
  return SPK_STATUS_SUCCESS;
}

extern "C" spk_status_t spk_set_log_callback(spk_log_callback_t callback, void* user, int32_t mask) {
  return guarded(__func__, [&] {
    constexpr std::int32_t kAll = SPK_LOG_ERROR | SPK_LOG_API | SPK_LOG_DISPATCH | SPK_LOG_CHECK;
    if ((mask & ~kAll) != 0) throw Error(SPK_STATUS_INVALID_VALUE, "mask = %d has unknown bits", mask);
    log::set_callback(callback, user, mask);
  });
}
