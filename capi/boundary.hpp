// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <spk/spk.h>

#include <cstddef>
#include <new>

#include "core/error.hpp"
#include "core/types.hpp"

// The C boundary: exceptions become a status and a message; pointers and enumerators are checked on the way in.
namespace spk::capi {

// Keeps the message of a failure for spk_last_error and logs it. handle may be NULL or rubbish-checked already.
spk_status_t record_failure(spk_handle_t handle, const char* function, spk_status_t status, const char* text) noexcept;

// Runs the body of one entry point. Nothing else in the tree catches.
template <class Body>
spk_status_t guarded(const char* function, spk_handle_t handle, Body&& body) noexcept {
  try {
    body();
    return SPK_STATUS_SUCCESS;
  } catch (const Error& error) {
    return record_failure(handle, function, error.status(), error.what());
  } catch (const std::bad_alloc&) {
    return record_failure(handle, function, SPK_STATUS_ALLOC_FAILED, "out of memory");
  } catch (const std::exception& error) {
    return record_failure(handle, function, SPK_STATUS_INTERNAL_ERROR, error.what());
  } catch (...) {
    return record_failure(handle, function, SPK_STATUS_INTERNAL_ERROR, "an exception of unknown type");
  }
}
template <class Body>
spk_status_t guarded(const char* function, Body&& body) noexcept {
  return guarded(function, nullptr, static_cast<Body&&>(body));
}

// First member of every public object, so that a pointer to another kind of object is told apart.
enum class Tag : std::uint32_t {
  handle = 0x73706b01,
  spmat = 0x73706b02,
  dnmat = 0x73706b03,
  dnvec = 0x73706b04,
  plan = 0x73706b05,
  spvec = 0x73706b06
};

[[noreturn]] void throw_bad_pointer(const char* name, bool is_null);

template <class Object>
Object& require_object(Object* object, const char* name) {
  if (object == nullptr) throw_bad_pointer(name, true);
  if (reinterpret_cast<std::uintptr_t>(object) % alignof(Object) != 0 || object->tag != Object::kTag)
    throw_bad_pointer(name, false);
  return *object;
}

template <class T>
T& require_pointer(T* pointer, const char* name) {
  if (pointer == nullptr) throw_bad_pointer(name, true);
  return *pointer;
}

#define SPK_OBJECT(name) ::spk::capi::require_object(name, #name)
#define SPK_REQUIRE_PTR(name) ::spk::capi::require_pointer(name, #name)

// Enumerators by number; unknown numbers throw INVALID_VALUE with the argument's name.
ValueType value_type_of(std::int32_t number, const char* name);
IndexType index_type_of(std::int32_t number, const char* name);
Order order_of(std::int32_t number, const char* name);
Op op_of(std::int32_t number, const char* name);
std::int32_t index_base_of(std::int32_t number, const char* name);

// Size of a versioned struct that the caller passed; throws INVALID_VALUE below the first release's size.
void check_struct_size(std::uint32_t size, std::size_t first_release, const char* name);

// A non-negative size.
void check_size(std::int64_t value, const char* name);

// Copies a text for the caller: at most capacity bytes with the final 0; *needed gets the whole length.
void copy_text(const char* text, char* buffer, std::size_t capacity, std::size_t* needed);

}  // namespace spk::capi
