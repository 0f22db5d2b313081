// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cstdlib>
#include <new>

#include "capi/contract.hpp"

namespace {

using spk_test::last_error;

TEST(Status, NamesAndTextsExistForEveryCode) {
  for (spk_status_t s : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 100, 101, 102, 103, 104, 105, 106}) {
    EXPECT_EQ(std::string(spk_status_name(s)).rfind("SPK_STATUS_", 0), 0u) << s;
    EXPECT_STRNE(spk_status_string(s), "unrecognized status") << s;
  }
  EXPECT_STREQ(spk_status_name(12), "unrecognized status");
  EXPECT_STREQ(spk_status_string(-1), "unrecognized status");
}

TEST(Version, EqualsTheHeaders) { EXPECT_EQ(spk_version(), SPK_VERSION); }

TEST(Create, RejectsNullOut) { EXPECT_REFUSED(spk_create(nullptr, nullptr), SPK_STATUS_INVALID_VALUE, "out is NULL"); }

TEST(Create, RejectsBadConfigAndLeavesNull) {
  const auto refused = [](auto change, const char* words) {
    spk_config_t config{};
    config.struct_size = sizeof config;
    change(config);
    auto* handle = reinterpret_cast<spk_handle_t>(16);
    EXPECT_REFUSED(spk_create(&handle, &config), SPK_STATUS_INVALID_VALUE, words);
    EXPECT_EQ(handle, nullptr);
  };
  refused([](spk_config_t& c) { c.struct_size = 3; }, "struct_size = 3");
  refused([](spk_config_t& c) { c.backend = 4; }, "backend = 4");
  refused([](spk_config_t& c) { c.backend = -1; }, "backend = -1");
  refused([](spk_config_t& c) { c.num_threads = -2; }, "num_threads = -2");
  refused([](spk_config_t& c) { c.num_threads = 5000; }, "num_threads = 5000");
  refused([](spk_config_t& c) { c.device = -1; }, "device = -1");
  static spk_allocator_t hooks{};
  hooks.struct_size = sizeof hooks;
  refused([](spk_config_t& c) { c.allocator = &hooks; }, "NULL hook");
}

TEST(Create, MakesHandlesOfEachHostBackend) {
  for (const spk_backend_t kind : {SPK_BACKEND_CPU, SPK_BACKEND_REFERENCE}) {
    spk_config_t config{};
    config.struct_size = sizeof config;
    config.backend = kind;
    spk_handle_t handle = nullptr;
    ASSERT_OK(spk_create(&handle, &config));
    spk_backend_t got = 0;
    ASSERT_OK(spk_get_backend(handle, &got));
    EXPECT_EQ(got, kind);
    ASSERT_OK(spk_synchronize(handle));
    spk_destroy(handle);
  }
}

TEST(Handle, KeepsWhatIsSet) {
  spk_handle_t handle = nullptr;
  ASSERT_OK(spk_create(&handle, nullptr));
  int marker = 0;
  void* stream = nullptr;
  ASSERT_OK(spk_set_stream(handle, &marker));
  ASSERT_OK(spk_get_stream(handle, &stream));
  EXPECT_EQ(stream, &marker);
  ASSERT_OK(spk_set_pointer_mode(handle, SPK_POINTER_MODE_DEVICE));
  spk_pointer_mode_t mode = 7;
  ASSERT_OK(spk_get_pointer_mode(handle, &mode));
  EXPECT_EQ(mode, SPK_POINTER_MODE_DEVICE);
  EXPECT_REFUSED(spk_set_pointer_mode(handle, 2), SPK_STATUS_INVALID_VALUE, "mode = 2");
  ASSERT_OK(spk_set_num_threads(handle, 3));
  std::int32_t threads = 0;
  ASSERT_OK(spk_get_num_threads(handle, &threads));
  EXPECT_EQ(threads, 3);
  EXPECT_REFUSED(spk_set_num_threads(handle, -1), SPK_STATUS_INVALID_VALUE, "num_threads = -1");
  ASSERT_OK(spk_set_num_threads(handle, 0));
  ASSERT_OK(spk_get_num_threads(handle, &threads));
  EXPECT_GE(threads, 1);
  EXPECT_REFUSED(spk_set_check(handle, 2), SPK_STATUS_INVALID_VALUE, "on = 2");
  spk_destroy(handle);
}

TEST(Handle, EveryCallRejectsNullAndForeignObjects) {
  spk_dnvec_t vector = nullptr;
  float value = 0;
  ASSERT_OK(spk_dnvec_create(&vector, 1, &value, SPK_R_32F));
  for (auto* handle : {spk_handle_t{nullptr}, reinterpret_cast<spk_handle_t>(vector)}) {
    void* stream = nullptr;
    std::int32_t number = 0;
    EXPECT_EQ(spk_set_stream(handle, nullptr), SPK_STATUS_INVALID_VALUE);
    EXPECT_EQ(spk_get_stream(handle, &stream), SPK_STATUS_INVALID_VALUE);
    EXPECT_EQ(spk_set_pointer_mode(handle, 0), SPK_STATUS_INVALID_VALUE);
    EXPECT_EQ(spk_get_pointer_mode(handle, &number), SPK_STATUS_INVALID_VALUE);
    EXPECT_EQ(spk_set_num_threads(handle, 1), SPK_STATUS_INVALID_VALUE);
    EXPECT_EQ(spk_get_num_threads(handle, &number), SPK_STATUS_INVALID_VALUE);
    EXPECT_EQ(spk_get_backend(handle, &number), SPK_STATUS_INVALID_VALUE);
    EXPECT_EQ(spk_synchronize(handle), SPK_STATUS_INVALID_VALUE);
    EXPECT_NE(last_error().find("handle"), std::string::npos);
  }
  spk_destroy(nullptr);
  spk_dnvec_destroy(vector);
}

TEST(LastError, TruncatesAndTellsTheLength) {
  EXPECT_EQ(spk_create(nullptr, nullptr), SPK_STATUS_INVALID_VALUE);
  const std::string whole = last_error();
  EXPECT_EQ(whole, "spk_create: out is NULL");
  char buffer[6] = "xxxxx";
  size_t needed = 0;
  ASSERT_OK(spk_last_error(nullptr, buffer, sizeof buffer, &needed));
  EXPECT_STREQ(buffer, "spk_c");
  EXPECT_EQ(needed, whole.size() + 1);
  EXPECT_EQ(spk_last_error(nullptr, nullptr, 4, nullptr), SPK_STATUS_INVALID_VALUE);
  EXPECT_EQ(last_error(), whole);
}

TEST(LastError, BelongsToItsHandle) {
  spk_handle_t one = nullptr;
  spk_handle_t two = nullptr;
  ASSERT_OK(spk_create(&one, nullptr));
  ASSERT_OK(spk_create(&two, nullptr));
  EXPECT_EQ(spk_set_num_threads(one, -5), SPK_STATUS_INVALID_VALUE);
  EXPECT_NE(last_error(one).find("-5"), std::string::npos);
  EXPECT_EQ(last_error(two), "");
  spk_destroy(one);
  spk_destroy(two);
}

TEST(BackendInfo, DescribesEachBackend) {
  spk_backend_info_t info{};
  EXPECT_REFUSED(spk_backend_info(SPK_BACKEND_CPU, &info), SPK_STATUS_INVALID_VALUE, "struct_size");
  info.struct_size = sizeof info;
  ASSERT_OK(spk_backend_info(SPK_BACKEND_CPU, &info));
  EXPECT_STREQ(info.name, "cpu");
  EXPECT_EQ(info.available, 1);
  EXPECT_GE(info.default_threads, 1);
  ASSERT_OK(spk_backend_info(SPK_BACKEND_REFERENCE, &info));
  EXPECT_STREQ(info.name, "reference");
  ASSERT_OK(spk_backend_info(SPK_BACKEND_CUDA, &info));
  EXPECT_STREQ(info.name, "cuda");
  if (info.available == 0) {
    EXPECT_STRNE(info.detail, "") << "an absent backend says why";
  }
  ASSERT_OK(spk_backend_info(SPK_BACKEND_AUTO, &info));
  EXPECT_EQ(info.available, 1);
  EXPECT_EQ(spk_backend_info(9, &info), SPK_STATUS_INVALID_VALUE);
}

// Counts what it hands out; refuses when told to.
struct Hooks {
  int live = 0;
  int calls = 0;
  bool refuse = false;
  static void* allocate(void* user, size_t bytes, void*) {
    auto* self = static_cast<Hooks*>(user);
    ++self->calls;
    if (self->refuse) return nullptr;
    ++self->live;
    return ::operator new (bytes, std::align_val_t{256});
  }
  static void deallocate(void* user, void* pointer, size_t, void*) {
    --static_cast<Hooks*>(user)->live;
    // Without the size: clang 14 has no sized form by default.
    ::operator delete (pointer, std::align_val_t{256});
  }
};

TEST(Allocator, HooksServeWorkspaceAndMayRefuse) {
  Hooks hooks;
  spk_allocator_t allocator{sizeof(spk_allocator_t), Hooks::allocate, Hooks::deallocate, &hooks};
  spk_config_t config{};
  config.struct_size = sizeof config;
  config.backend = SPK_BACKEND_CPU;
  config.allocator = &allocator;
  spk_handle_t handle = nullptr;
  ASSERT_OK(spk_create(&handle, &config));
  // A transposed product needs workspace on the CPU.
  constexpr int kSize = 300;
  std::vector<std::int32_t> offsets(kSize + 1), columns(kSize);
  std::vector<float> a(kSize, 1.f), b(kSize * kSize, 1.f), c(kSize * kSize, 5.f);
  for (int i = 0; i < kSize; ++i) {
    columns[static_cast<size_t>(i)] = i;
    offsets[static_cast<size_t>(i) + 1] = i + 1;
  }
  spk_spmat_t A = nullptr;
  spk_dnmat_t B = nullptr, C = nullptr;
  ASSERT_OK(spk_csr_create(&A, kSize, kSize, kSize, offsets.data(), columns.data(), a.data(), SPK_INDEX_32I,
                           SPK_INDEX_32I, SPK_INDEX_BASE_ZERO, SPK_R_32F));
  ASSERT_OK(spk_dnmat_create(&B, kSize, kSize, kSize, b.data(), SPK_R_32F, SPK_ORDER_COL));
  ASSERT_OK(spk_dnmat_create(&C, kSize, kSize, kSize, c.data(), SPK_R_32F, SPK_ORDER_COL));
  size_t bytes = 0;
  ASSERT_OK(spk_spmm_workspace(handle, SPK_OP_T, SPK_OP_N, A, B, C, SPK_COMPUTE_32F, SPK_ALG_DEFAULT, &bytes));
  ASSERT_GT(bytes, 0u) << "choose a problem that needs workspace";
  const float one = 1, zero = 0;
  const auto run = [&](void* workspace, size_t size) {
    return spk_spmm(handle, SPK_OP_T, SPK_OP_N, &one, A, B, &zero, C, SPK_COMPUTE_32F, SPK_ALG_DEFAULT, workspace,
                    size);
  };
  hooks.refuse = true;
  EXPECT_REFUSED(run(nullptr, 0), SPK_STATUS_ALLOC_FAILED, "workspace");
  EXPECT_EQ(c[0], 5.f);
  hooks.refuse = false;
  ASSERT_OK(run(nullptr, 0));
  EXPECT_GE(hooks.calls, 2);
  EXPECT_EQ(hooks.live, 0);
  EXPECT_EQ(c[0], 1.f);

  auto* own = static_cast<char*>(::operator new (bytes + 256, std::align_val_t{256}));
  const int calls = hooks.calls;
  ASSERT_OK(run(own, bytes));
  EXPECT_EQ(hooks.calls, calls) << "the caller's workspace was brought, but the hooks were asked";
  EXPECT_REFUSED(run(own, bytes - 1), SPK_STATUS_WORKSPACE_TOO_SMALL, "workspace_bytes");
  EXPECT_REFUSED(run(own + 1, bytes), SPK_STATUS_INVALID_VALUE, "aligned");
  EXPECT_REFUSED(run(nullptr, bytes), SPK_STATUS_INVALID_VALUE, "workspace is NULL");
  ::operator delete (own, std::align_val_t{256});
  spk_dnmat_destroy(C);
  spk_dnmat_destroy(B);
  spk_spmat_destroy(A);
  spk_destroy(handle);
}

TEST(Log, CallbackGetsFailuresAndDispatch) {
  std::vector<std::string> lines;
  const auto collect = [](void* user, spk_log_topic_t, const char* line) {
    static_cast<std::vector<std::string>*>(user)->push_back(line);
  };
  EXPECT_REFUSED(spk_set_log_callback(collect, &lines, 64), SPK_STATUS_INVALID_VALUE, "mask = 64");
  ASSERT_OK(spk_set_log_callback(collect, &lines, SPK_LOG_ERROR));
  EXPECT_EQ(spk_create(nullptr, nullptr), SPK_STATUS_INVALID_VALUE);
  ASSERT_OK(spk_set_log_callback(nullptr, nullptr, 0));
  EXPECT_EQ(spk_create(nullptr, nullptr), SPK_STATUS_INVALID_VALUE);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0], "spk_create: out is NULL");
}

}  // namespace
