// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors

// spk_case_child LIBRARY SCENARIO TIMES BACKEND STATIC: how a process that uses libspk ends. It loads the library at run time and is
// not linked to it, so that unloading is real. Exit code 0 if all went well, 1 if a call failed, 2 for wrong usage.
#include <dlfcn.h>
#include <spk/spk.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

namespace {

template <class Function>
Function* find(void* library, const char* name) {
  void* const symbol = dlsym(library, name);
  if (symbol == nullptr) {
    std::fprintf(stderr, "spk_case_child: %s is missing from the library\n", name);
    std::exit(1);
  }
  return reinterpret_cast<Function*>(symbol);
}

// A product large enough for several threads, so that there are threads when the library goes.
struct Session {
  explicit Session(void* loaded) : library(loaded) {}

  void* library;
  spk_handle_t handle = nullptr;
  spk_spmat_t matA = nullptr;
  spk_dnmat_t matB = nullptr, matC = nullptr;
  std::vector<std::pair<void*, std::size_t>> placed;  // where the backend computes

  template <class Item>
  void* place(const std::vector<Item>& items) {
    const std::size_t bytes = items.size() * sizeof(Item);
    void* memory = nullptr;
    if (find<decltype(spk_memory_alloc)>(library, "spk_memory_alloc")(handle, bytes, &memory) != 0) return nullptr;
    placed.emplace_back(memory, bytes);
    const bool sent =
        find<decltype(spk_memory_upload)>(library, "spk_memory_upload")(handle, memory, items.data(), bytes) == 0;
    return sent ? memory : nullptr;
  }

  bool work(int backend) {
    const std::int32_t m = 2000, per_row = 16, n = 32;
    std::vector<std::int32_t> offsets, columns;
    for (std::int32_t row = 0; row <= m; ++row) offsets.push_back(row * per_row);
    for (std::int32_t i = 0; i < m * per_row; ++i) columns.push_back((i * 7) % m);
    const std::vector<float> values(columns.size(), 1.0F), b(static_cast<std::size_t>(m) * n, 1.0F);
    std::vector<float> c(static_cast<std::size_t>(m) * n, -1.0F);
    spk_config_t config{};
    config.struct_size = sizeof config;
    config.backend = backend;
    config.num_threads = 2;
    if (find<decltype(spk_create)>(library, "spk_create")(&handle, &config) != 0) return false;
    const float alpha = 1, beta = 0;
    void* result = place(c);
    const bool done =
        find<decltype(spk_csr_create)>(library, "spk_csr_create")(&matA, m, m, m * per_row, place(offsets),
                                                                  place(columns), place(values), SPK_INDEX_32I,
                                                                  SPK_INDEX_32I, SPK_INDEX_BASE_ZERO, SPK_R_32F) == 0 &&
        find<decltype(spk_dnmat_create)>(library, "spk_dnmat_create")(&matB, m, n, n, place(b), SPK_R_32F,
                                                                      SPK_ORDER_ROW) == 0 &&
        find<decltype(spk_dnmat_create)>(library, "spk_dnmat_create")(&matC, m, n, n, result, SPK_R_32F,
                                                                      SPK_ORDER_ROW) == 0 &&
        find<decltype(spk_spmm)>(library, "spk_spmm")(handle, SPK_OP_N, SPK_OP_N, &alpha, matA, matB, &beta, matC,
                                                      SPK_COMPUTE_32F, SPK_ALG_DEFAULT, nullptr, 0) == 0 &&
        find<decltype(spk_memory_download)>(library, "spk_memory_download")(handle, c.data(), result,
                                                                            c.size() * sizeof(float)) == 0;
    return done && c.front() == per_row && c.back() == per_row;
  }

  void destroy() {
    find<decltype(spk_dnmat_destroy)>(library, "spk_dnmat_destroy")(matC);
    find<decltype(spk_dnmat_destroy)>(library, "spk_dnmat_destroy")(matB);
    find<decltype(spk_spmat_destroy)>(library, "spk_spmat_destroy")(matA);
    for (const auto& [memory, bytes] : placed)
      find<decltype(spk_memory_free)>(library, "spk_memory_free")(handle, memory, bytes);
    find<decltype(spk_destroy)>(library, "spk_destroy")(handle);
  }
};

// Objects owned by a static object: destroyed after main.
struct StaticOwner {
  Session* session = nullptr;
  ~StaticOwner() {
    if (session == nullptr) return;
    session->destroy();
    delete session;
  }
};
StaticOwner static_owner;

void* load(const char* path) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "spk_case_child: %s\n", dlerror());
    std::exit(1);
  }
  return library;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: spk_case_child LIBRARY SCENARIO TIMES BACKEND STATIC\n");
    return 2;
  }
  const int times = std::atoi(argv[3]);
  const int backend = std::atoi(argv[4]);
  if (std::strcmp(argv[2], "dlopen_dlclose") == 0) {
    for (int turn = 0; turn < times; ++turn) {
      void* const library = load(argv[1]);
      Session session(library);
      if (!session.work(backend)) return 1;
      session.destroy();
      if (dlclose(library) != 0) return 1;
    }
    return 0;
  }
  auto* session = new Session(load(argv[1]));
  if (!session->work(backend)) return 1;
  if (std::strcmp(argv[2], "exit_process") == 0) {
    if (std::strcmp(argv[5], "1") == 0) {
      static_owner.session = session;
    } else {
      session->destroy();
      delete session;
    }
    std::exit(0);
  }
  if (std::strcmp(argv[2], "exit_without_destroy") == 0) std::exit(0);
  std::fprintf(stderr, "spk_case_child: unknown scenario %s\n", argv[2]);
  return 2;
}
