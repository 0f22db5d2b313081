// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <initializer_list>

namespace spk::bench {

// A library that may not be installed: false if none of the names can be loaded or a function is missing.
class SharedLibrary {
 public:
  // `variable` in the environment names another file. Apart: its own names win over those of libraries loaded before.
  SharedLibrary(const char* variable, std::initializer_list<const char*> names, bool apart) {
    const int flags = RTLD_NOW | (apart ? RTLD_LOCAL | RTLD_DEEPBIND : RTLD_GLOBAL);
    if (const char* named = std::getenv(variable)) {
      handle_ = dlopen(named, flags);
      return;
    }
    for (const char* name : names)
      if (handle_ == nullptr) handle_ = dlopen(name, flags);
  }

  template <class Function>
  void find(const char* name, Function*& function) {
    find_optional(name, function);
    if (function == nullptr) handle_ = nullptr;
  }

  template <class Function>
  void find_optional(const char* name, Function*& function) {
    if (handle_ != nullptr) function = reinterpret_cast<Function*>(dlsym(handle_, name));
  }

  explicit operator bool() const { return handle_ != nullptr; }

 private:
  void* handle_ = nullptr;  // never closed: some of these libraries do not survive it
};

}  // namespace spk::bench
