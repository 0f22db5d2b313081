// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "compat/objects.hpp"

// The three phases that SpMV, SpMM and SDDMM share. A Product says what one of them is for libspk:
//   key()                                     options, types and shapes
//   sparse()                                  the sparse matrix, which keeps what preprocess makes
//   workspace(&bytes), run(alpha, beta, workspace, bytes)
//   make_plan(&plan), run(plan, alpha, beta, workspace, bytes)
namespace spk::compat {

// libspk asks for an aligned workspace, cuSPARSE promises callers that any buffer will do.
constexpr std::size_t kAlignment = 256;

// What a caller is told to bring for `needed` bytes of workspace.
inline std::size_t buffer_bytes(std::size_t needed) { return needed == 0 ? 0 : needed + kAlignment - 1; }

// The workspace inside the caller's buffer.
inline void* workspace_in(void* externalBuffer, std::size_t needed) {
  if (needed == 0) return nullptr;
  if (externalBuffer == nullptr)
    throw Failure(CUSPARSE_STATUS_INVALID_VALUE, "externalBuffer is NULL but must have %zu bytes",
                  buffer_bytes(needed));
  const auto address = reinterpret_cast<std::uintptr_t>(externalBuffer);
  return static_cast<char*>(externalBuffer) + (kAlignment - address % kAlignment) % kAlignment;
}

template <class Product>
std::size_t needed_by(const Product& product) {
  std::size_t bytes = 0;
  check(product.workspace(&bytes));
  return bytes;
}

// Where nothing could be prepared the product still runs as it is, so that is no failure.
inline bool is_fatal(spk_status_t status) { return status != SPK_STATUS_SUCCESS && status != SPK_STATUS_ALLOC_FAILED; }

// Under stream capture a plan cannot take memory, and trying would spoil the capture; a small piece is refused unharmed.
inline bool may_take_memory(spk_handle_t handle) {
  void* memory = nullptr;
  return spk_memory_alloc(handle, 1, &memory) == SPK_STATUS_SUCCESS &&
         spk_memory_free(handle, memory, 1) == SPK_STATUS_SUCCESS;
}

template <class Product>
void preprocess(const Product& product, void* externalBuffer) {
  const std::size_t needed = needed_by(product);
  workspace_in(externalBuffer, needed);
  // The preparation belongs to the matrix, although it comes as one that is only read: so it does in cuSPARSE.
  auto& kept = const_cast<cusparseSpMatDescr&>(product.sparse()).prepared;
  kept.reset();
  if (!may_take_memory(product.handle)) return;
  auto prepared = std::make_unique<Prepared>();
  spk_plan_t plan = nullptr;
  const spk_status_t status = product.make_plan(&plan);
  if (is_fatal(status)) check(status);
  if (status != SPK_STATUS_SUCCESS) return;
  prepared->plan.reset(plan);
  prepared->buffer = externalBuffer;
  prepared->key = product.key();
  check(spk_plan_workspace(product.handle, plan, &prepared->workspace_bytes));
  // The caller's buffer has what the unprepared product needs.
  if (prepared->workspace_bytes > needed) return;
  kept = std::move(prepared);
}

template <class Product>
void execute(const Product& product, const void* alpha, const void* beta, void* externalBuffer) {
  const Prepared* prepared = product.sparse().prepared.get();
  if (prepared != nullptr && prepared->buffer == externalBuffer && prepared->key == product.key()) {
    void* workspace = workspace_in(externalBuffer, prepared->workspace_bytes);
    return check(product.run(prepared->plan.get(), alpha, beta, workspace, prepared->workspace_bytes));
  }
  const std::size_t needed = needed_by(product);
  check(product.run(alpha, beta, workspace_in(externalBuffer, needed), needed));
}

// bufferSize: callers keep the number uninitialised, so it is written whatever happens once the handle is one.
template <class Query>
void answer_buffer_size(cusparseHandle_t handle, std::size_t* bufferSize, Query&& query) {
  SPK_OBJECT(handle);
  SPK_REQUIRE_PTR(bufferSize) = 0;
  *bufferSize = buffer_bytes(query());
}

}  // namespace spk::compat
