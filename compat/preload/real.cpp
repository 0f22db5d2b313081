// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "preload/real.hpp"

#include <dlfcn.h>

#include <atomic>

namespace spk::preload {
namespace {

constexpr const char* kNames[] = {
#define SPK_REAL(name) "cusparse" #name,
#include "preload/real_names.inc"
#undef SPK_REAL
};

// The library that the program has loaded, held so that its functions stay where they are. Looked for at the first call
// and not before: when this library starts, cuSPARSE is not there yet. Behind us in the global scope first; a plug-in
// opened with RTLD_LOCAL has it outside that scope, where the soname finds it. A second copy is never loaded.
void* find_library() {
  if (void* symbol = dlsym(RTLD_NEXT, "cusparseSpMM"); symbol != nullptr) {
    Dl_info info{};
    if (dladdr(symbol, &info) != 0 && info.dli_fname != nullptr)
      if (void* library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD); library != nullptr) return library;
    return RTLD_NEXT;
  }
  return dlopen("libcusparse.so.12", RTLD_LAZY | RTLD_NOLOAD);
}

std::atomic<void*> library{nullptr};
std::atomic<void*> functions[static_cast<int>(Name::count)];

}  // namespace

void* real(Name name) {
  std::atomic<void*>& slot = functions[static_cast<int>(name)];
  if (void* known = slot.load(std::memory_order_acquire); known != nullptr) return known;
  void* from = library.load(std::memory_order_acquire);
  if (from == nullptr) {
    // Two threads may both look; each holds the same library.
    from = find_library();
    if (from == nullptr) return nullptr;
    library.store(from, std::memory_order_release);
  }
  void* symbol = dlsym(from, kNames[static_cast<int>(name)]);
  slot.store(symbol, std::memory_order_release);
  return symbol;
}

}  // namespace spk::preload
