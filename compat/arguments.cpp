// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "compat/objects.hpp"

namespace spk::compat {
namespace {

// Bytes of one element, by the number of cudaDataType; 0: not a type of descriptors. These are the types that
// cuSPARSE's descriptors take: floating point of 16 to 64 bits, real and complex, and signed integers of 8 and 32 bits.
constexpr unsigned char kBytes[] = {4, 8, 2, 1, 8, 16, 4, 0, 0, 0, 4, 0, 0, 0, 2, 4};

}  // namespace

std::size_t bytes_of(cudaDataType type) {
  const int number = static_cast<int>(type);
  return number >= 0 && number < static_cast<int>(sizeof kBytes) ? kBytes[number] : 0;
}

std::size_t bytes_of(cusparseIndexType_t type) {
  return type == CUSPARSE_INDEX_64I ? 8 : type == CUSPARSE_INDEX_32I ? 4 : 2;
}

bool is_type_of_spk(cudaDataType type) {
  switch (static_cast<int>(type)) {
    case SPK_R_32F:
    case SPK_R_64F:
    case SPK_R_16F:
    case SPK_C_32F:
    case SPK_C_64F:
    case SPK_R_16BF: return true;
    default: return false;
  }
}

void check_size(std::int64_t value, const char* name) {
  if (value < 0) throw_invalid(name, value, "must not be negative");
}

void check_base(cusparseIndexBase_t base, const char* name) {
  if (base != CUSPARSE_INDEX_BASE_ZERO && base != CUSPARSE_INDEX_BASE_ONE) throw_invalid(name, base, "must be 0 or 1");
}

void check_order(cusparseOrder_t order, const char* name) {
  if (order != CUSPARSE_ORDER_COL && order != CUSPARSE_ORDER_ROW)
    throw_invalid(name, order, "must be CUSPARSE_ORDER_COL = 1 or CUSPARSE_ORDER_ROW = 2");
}

void check_index_type(cusparseIndexType_t type, const char* name) {
  if (type < CUSPARSE_INDEX_16U || type > CUSPARSE_INDEX_64I) throw_invalid(name, type, "is not an index type");
}

void check_value_type(cudaDataType type, const char* name) {
  if (bytes_of(type) == 0) throw_invalid(name, type, "is not a value type of descriptors");
}

void check_alignment(const void* pointer, std::size_t bytes, const char* name) {
  if (reinterpret_cast<std::uintptr_t>(pointer) % bytes != 0)
    throw Failure(CUSPARSE_STATUS_INVALID_VALUE, "%s = %p but must be aligned to %zu bytes", name, pointer, bytes);
}

void check_batch_count(int count) {
  if (count < 1) throw_invalid("batchCount", count, "must be at least 1");
}

void check_compute_type(cudaDataType type) {
  if (bytes_of(type) == 0) throw_invalid("computeType", type, "is not a type of sums");
  switch (static_cast<int>(type)) {
    case SPK_COMPUTE_32F:
    case SPK_COMPUTE_64F:
    case SPK_COMPUTE_C_32F:
    case SPK_COMPUTE_C_64F: return;
    default:
      throw Failure(CUSPARSE_STATUS_NOT_SUPPORTED, "computeType = %d, but sums are R_32F, R_64F, C_32F or C_64F",
                    static_cast<int>(type));
  }
}

spk_handle_t native_context(cusparseHandle_t handle) { return SPK_OBJECT(handle).native.get(); }

}  // namespace spk::compat
