// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <spk/compat/cusparse.h>
#include <spk/spk.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include "compat/log.hpp"

// The boundary of the cuSPARSE names: failures become a status and a sentence, calls are logged.
namespace spk::compat {

// A failure of one call, thrown to its boundary. Fixed storage: a report of no memory may not allocate.
class Failure {
 public:
  __attribute__((format(printf, 3, 4))) Failure(cusparseStatus_t status, const char* format, ...);

  cusparseStatus_t status() const noexcept { return status_; }
  const char* text() const noexcept { return text_.data(); }

 private:
  cusparseStatus_t status_;
  std::array<char, 1152> text_;
};

[[noreturn]] void throw_invalid(const char* name, std::int64_t value, const char* must);

// Throws what a call of libspk has refused, with its sentence.
void check(spk_status_t status);

// Keeps the sentence for spk_cusparseLastError and logs it. Answers the status.
cusparseStatus_t record_failure(const char* function, cusparseStatus_t status, const char* text) noexcept;

// One argument for the log.
class Argument {
 public:
  template <class T>
  Argument(const T& value) noexcept {  // NOLINT(google-explicit-constructor): made from whatever a function takes
    if constexpr (std::is_pointer_v<T>) {
      is_address_ = true;
      number_ = static_cast<long long>(reinterpret_cast<std::intptr_t>(value));
    } else {
      number_ = static_cast<long long>(value);
    }
  }
  int print(char* text, std::size_t capacity) const noexcept;

 private:
  bool is_address_ = false;
  long long number_ = 0;
};

void log_call(const char* function, const char* names, const Argument* arguments, std::size_t count) noexcept;

// One call of an entry point: its name and its arguments.
template <std::size_t kCount>
class Call {
 public:
  Call(const char* function, const char* names, const std::array<Argument, kCount>& arguments) noexcept
      : function_(function + sizeof("spk_") - 1), names_(names), arguments_(arguments) {}

  template <class Body>
  cusparseStatus_t run(Body&& body) const noexcept {
    try {
      body();
    } catch (const Failure& failure) {
      return record_failure(function_, failure.status(), failure.text());
    } catch (const std::bad_alloc&) {
      return record_failure(function_, CUSPARSE_STATUS_ALLOC_FAILED, "out of memory");
    } catch (...) {
      return record_failure(function_, CUSPARSE_STATUS_INTERNAL_ERROR, "an exception of unknown type");
    }
    if (log::wants(log::Kind::api)) log_call(function_, names_, arguments_.data(), kCount);
    return CUSPARSE_STATUS_SUCCESS;
  }

 private:
  const char* function_;
  const char* names_;
  std::array<Argument, kCount> arguments_;
};

template <class... Values>
Call<sizeof...(Values)> make_call(const char* function, const char* names, const Values&... values) noexcept {
  return {function, names, {{Argument(values)...}}};
}

// Opens the boundary of the function it stands in: SPK_CALL(its arguments).run([&] { ... }).
#define SPK_CALL(...) ::spk::compat::make_call(__func__, #__VA_ARGS__, __VA_ARGS__)

template <class T>
T& require_pointer(T* pointer, const char* name) {
  if (pointer == nullptr) throw Failure(CUSPARSE_STATUS_INVALID_VALUE, "%s is NULL", name);
  return *pointer;
}

// An object of this library, told from strange pointers by its first member.
template <class Object>
Object& require_object(Object* object, const char* name) {
  require_pointer(object, name);
  if (reinterpret_cast<std::uintptr_t>(object) % alignof(Object) != 0 || object->tag != Object::kTag)
    throw Failure(CUSPARSE_STATUS_INVALID_VALUE, "%s is not such an object of spk, or was destroyed", name);
  return *object;
}

#define SPK_REQUIRE_PTR(name) ::spk::compat::require_pointer(name, #name)
#define SPK_OBJECT(name) ::spk::compat::require_object(name, #name)

// *out = value; no output may be NULL, and none is written if one is.
template <class Out, class Value>
struct Output {
  Out* out;
  Value value;
};
template <class Out, class Value>
Output(Out*, Value) -> Output<Out, Value>;

template <class... Outputs>
void store(const Outputs&... outputs) {
  (require_pointer(outputs.out, "an output"), ...);
  ((*outputs.out = outputs.value), ...);
}

// As cusparseDestroy*: NULL is fine, strange objects are refused.
template <class Object>
void destroy(Object* object, const char* name) {
  if (object != nullptr) delete &require_object(object, name);
}

}  // namespace spk::compat
