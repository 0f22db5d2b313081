// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "preload/library.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <cstdio>
#include <cstring>

#include "preload/driver.hpp"
#include "preload/notes.hpp"
#include "preload/real.hpp"

namespace spk::preload {
namespace {

struct Library {
#define SPK_USED(name) decltype(&::name) name;
#include "preload/spk_names.inc"
#undef SPK_USED
  bool is_there;
};
Library spk_library;

// Beside this file, else where the dynamic linker finds it.
void* open_spk() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&open_spk), &info) != 0 && info.dli_fname != nullptr) {
    const char* slash = std::strrchr(info.dli_fname, '/');
    char path[4096];
    const int folder = slash == nullptr ? 0 : static_cast<int>(slash + 1 - info.dli_fname);
    if (std::snprintf(path, sizeof path, "%.*slibspk.so.0", folder, info.dli_fname) < static_cast<int>(sizeof path))
      if (void* beside = dlopen(path, RTLD_NOW | RTLD_LOCAL); beside != nullptr) return beside;
  }
  return dlopen("libspk.so.0", RTLD_NOW | RTLD_LOCAL);
}

void load_spk() {
  void* opened = open_spk();
  if (opened == nullptr) return;
  bool has_all = true;
#define SPK_USED(name)                                                          \
  spk_library.name = reinterpret_cast<decltype(&::name)>(dlsym(opened, #name)); \
  has_all = has_all && spk_library.name != nullptr;
#include "preload/spk_names.inc"
#undef SPK_USED
  spk_library.is_there = has_all;
}

const Library& library() {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load_spk);
  return spk_library;
}

class Lock {
 public:
  explicit Lock(pthread_mutex_t* mutex) : mutex_(mutex) { pthread_mutex_lock(mutex_); }
  ~Lock() { pthread_mutex_unlock(mutex_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  pthread_mutex_t* mutex_;
};

// Handles at rest. One serves one thread at a time, so there are as many as products ever ran at once; they live until
// the process ends, when CUDA may be gone before us.
struct Resting {
  spk_handle_t handle;
  int device;
};
constexpr int kMostResting = 256;
Resting resting[kMostResting];
int resting_count = 0;
pthread_mutex_t resting_mutex = PTHREAD_MUTEX_INITIALIZER;
bool creation_failed = false;

class Handle {
 public:
  Handle(void* stream, bool may_create) : device_(current_device()) {
    if (device_ < 0) return;
    {
      const Lock lock(&resting_mutex);
      for (int i = 0; i < resting_count && handle_ == nullptr; ++i) {
        if (resting[i].device != device_) continue;
        handle_ = resting[i].handle;
        resting[i] = resting[--resting_count];
      }
      // Whatever kept it from working (no plug-in, no kernels for this device) keeps it so.
      if (handle_ == nullptr && (creation_failed || !may_create)) return;
    }
    if (handle_ == nullptr && !create()) return;
    library().spk_set_stream(handle_, stream);
  }
  ~Handle() {
    if (handle_ == nullptr) return;
    const Lock lock(&resting_mutex);
    // Beyond this many threads a handle is given up, not destroyed: that would wait for its stream.
    if (resting_count < kMostResting) resting[resting_count++] = {handle_, device_};
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  spk_handle_t get() const { return handle_; }

 private:
  bool create() {
    spk_config_t config = {};
    config.struct_size = sizeof config;
    config.backend = SPK_BACKEND_CUDA;
    config.device = device_;
    if (library().is_there && library().spk_create(&handle_, &config) == SPK_STATUS_SUCCESS) return true;
    handle_ = nullptr;
    const Lock lock(&resting_mutex);
    creation_failed = true;
    return false;
  }

  spk_handle_t handle_ = nullptr;
  int device_;
};

// spk's descriptors of a product, over the same arrays.
class Descriptors {
 public:
  explicit Descriptors(const Product& p) {
    const SparseMatrix& s = p.sparse;
    void* offsets = const_cast<void*>(s.offsets);
    void* indices = const_cast<void*>(s.indices);
    void* values = const_cast<void*>(s.values);
    status_ = s.format == SPK_FORMAT_CSR ? library().spk_csr_create(&sparse_, s.rows, s.cols, s.nnz, offsets, indices,
                                                                    values, s.offset_type, s.index_type, s.base, s.type)
                                         : library().spk_coo_create(&sparse_, s.rows, s.cols, s.nnz, offsets, indices,
                                                                    values, s.index_type, s.base, s.type);
    if (status_ == SPK_STATUS_SUCCESS) status_ = create(p.first, &first_);
    if (status_ == SPK_STATUS_SUCCESS) status_ = create(p.second, &second_);
  }
  ~Descriptors() {
    library().spk_dnmat_destroy(second_);
    library().spk_dnmat_destroy(first_);
    library().spk_spmat_destroy(sparse_);
  }
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;
  int status() const { return status_; }
  spk_spmat_t sparse() const { return sparse_; }
  spk_dnmat_t first() const { return first_; }
  spk_dnmat_t second() const { return second_; }

 private:
  static int create(const DenseMatrix& d, spk_dnmat_t* out) {
    return library().spk_dnmat_create(out, d.rows, d.cols, d.ld, const_cast<void*>(d.values), d.type, d.order);
  }

  spk_spmat_t sparse_ = nullptr;
  spk_dnmat_t first_ = nullptr, second_ = nullptr;
  int status_;
};

// The default algorithm whatever was asked for: its results repeat bit for bit, which is at least as much as any of
// cuSPARSE's promises.
int ask_workspace(const Arguments& a, const Descriptors& d, spk_handle_t handle, std::size_t* bytes) {
  if (a.operation == Operation::spmm)
    return library().spk_spmm_workspace(handle, a.op_a, a.op_b, d.sparse(), d.first(), d.second(), a.compute_type,
                                        SPK_ALG_DEFAULT, bytes);
  return library().spk_sddmm_workspace(handle, a.op_a, a.op_b, d.first(), d.second(), d.sparse(), a.compute_type,
                                       SPK_ALG_DEFAULT, bytes);
}

}  // namespace

bool workspace(const Arguments& a, const Product& p, void* stream, bool may_create, std::size_t* bytes) {
  *bytes = 0;
  const Handle handle(stream, may_create);
  if (handle.get() == nullptr) return false;
  const Descriptors d(p);
  return d.status() == SPK_STATUS_SUCCESS && ask_workspace(a, d, handle.get(), bytes) == SPK_STATUS_SUCCESS;
}

int run(const Arguments& a, const Product& p, void* stream, bool may_create, void* buffer) {
  const Handle handle(stream, may_create);
  if (handle.get() == nullptr) return kNotSupported;
  int mode = 0;
  if (call_real(Name::GetPointerMode, a.handle, &mode) != kSuccess) return kNotSupported;
  if (library().spk_set_pointer_mode(handle.get(), mode) != SPK_STATUS_SUCCESS) return kNotSupported;
  const Descriptors d(p);
  if (d.status() != SPK_STATUS_SUCCESS) return kNotSupported;
  const void* sparse = a.operation == Operation::spmm ? a.mat_a : a.mat_c;
  std::size_t bytes = 0;
  if (!find_bytes(sparse, shape(a, p), &bytes)) {
    if (ask_workspace(a, d, handle.get(), &bytes) != SPK_STATUS_SUCCESS || bytes != 0) return kNotSupported;
  }
  // The handle's own allocator must not serve: it would not do under capture, and it would wait.
  if (bytes != 0 && buffer == nullptr) return kNotSupported;
  void* used = bytes != 0 ? buffer : nullptr;
  if (a.operation == Operation::spmm)
    return library().spk_spmm(handle.get(), a.op_a, a.op_b, a.alpha, d.sparse(), d.first(), a.beta, d.second(),
                              a.compute_type, SPK_ALG_DEFAULT, used, bytes);
  return library().spk_sddmm(handle.get(), a.op_a, a.op_b, a.alpha, d.first(), d.second(), a.beta, d.sparse(),
                             a.compute_type, SPK_ALG_DEFAULT, used, bytes);
}

}  // namespace spk::preload
