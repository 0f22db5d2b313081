// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <tuple>

#include "ops/convert_model.hpp"
#include "support/require.hpp"

// Conversions through the C ABI on one backend, each held against the model.
namespace spk_test {

inline std::string last_message(spk_handle_t handle) {
  char text[1200] = "";
  spk_last_error(handle, text, sizeof text, nullptr);
  return text;
}

// All backends are held to the same bytes.
inline const auto kBackends = ::testing::Values(SPK_BACKEND_CPU, SPK_BACKEND_REFERENCE, SPK_BACKEND_CUDA);

class OnBackend : public ::testing::TestWithParam<spk_backend_t> {
 protected:
  void SetUp() override {
    SPK_SKIP_WITHOUT_BACKEND(GetParam());
    spk_config_t config{};
    config.struct_size = sizeof config;
    config.backend = GetParam();
    ASSERT_EQ(spk_create(&handle, &config), SPK_STATUS_SUCCESS) << last_message(nullptr);
  }
  void TearDown() override { spk_destroy(handle); }

  // Calls query(&bytes), then call(workspace, bytes): with workspace of exactly that size, or with the handle's.
  template <class Query, class Call>
  spk_status_t with_workspace(bool own, const Query& query, const Call& call) {
    std::size_t bytes = 0;
    if (const spk_status_t status = query(&bytes); status != SPK_STATUS_SUCCESS) return status;
    if (!own) return call(nullptr, 0);
    Guarded workspace(GetParam(), bytes, spk::cases::has_own_memory(GetParam()) ? 256 : 16);
    const spk_status_t status = call(bytes == 0 ? nullptr : workspace.address(), bytes);
    workspace.fetch();
    EXPECT_TRUE(workspace.is_intact()) << "written outside the workspace";
    return status;
  }

  spk_status_t analyze(const Stored& from, bool dense, const Stored& to, bool own) {
    if (dense)
      return with_workspace(
          own, [&](std::size_t* n) { return spk_dense_to_sparse_workspace(handle, from.dense(), to.sparse(), n); },
          [&](void* w, std::size_t n) { return spk_dense_to_sparse_analyze(handle, from.dense(), to.sparse(), w, n); });
    return with_workspace(
        own, [&](std::size_t* n) { return spk_sparse_to_sparse_workspace(handle, from.sparse(), to.sparse(), n); },
        [&](void* w, std::size_t n) { return spk_sparse_to_sparse_analyze(handle, from.sparse(), to.sparse(), w, n); });
  }
  spk_status_t convert(const Stored& from, bool from_dense, const Stored& to, bool to_dense, bool own) {
    if (to_dense)
      return with_workspace(
          own, [&](std::size_t* n) { return spk_sparse_to_dense_workspace(handle, from.sparse(), to.dense(), n); },
          [&](void* w, std::size_t n) { return spk_sparse_to_dense(handle, from.sparse(), to.dense(), w, n); });
    if (from_dense)
      return with_workspace(
          own, [&](std::size_t* n) { return spk_dense_to_sparse_workspace(handle, from.dense(), to.sparse(), n); },
          [&](void* w, std::size_t n) { return spk_dense_to_sparse_convert(handle, from.dense(), to.sparse(), w, n); });
    return with_workspace(
        own, [&](std::size_t* n) { return spk_sparse_to_sparse_workspace(handle, from.sparse(), to.sparse(), n); },
        [&](void* w, std::size_t n) { return spk_sparse_to_sparse_convert(handle, from.sparse(), to.sparse(), w, n); });
  }

  // What the conversion of `from` to a layout must give.
  static Matrix wanted(const Matrix& from, const Layout& to) {
    if (!from.layout.is_dense()) return assemble(to, from.rows, from.cols, entries_of(from));
    const std::vector<Entry> stored = entries_of_dense(from, false);
    return assemble(to, from.rows, from.cols, to.has_blocks() ? entries_of_dense(from, true) : stored, &stored);
  }

  // Analyze and convert, each against the model; the source must stay as it is.
  void check(const Matrix& from, const Layout& to, spk_value_type_t type, bool own_workspace) {
    check(from, wanted(from, to), type, own_workspace);
  }
  void check(const Matrix& from, const Matrix& want, spk_value_type_t type, bool own_workspace) {
    const Layout& to = want.layout;
    const Stored source(GetParam(), from, type, true);
    const std::string before = source.bytes();
    if (!to.is_dense()) {
      Matrix shape;
      shape.layout = to;
      shape.rows = want.rows;
      shape.cols = want.cols;
      shape.offsets.resize(want.offsets.size());
      const Stored sized(GetParam(), shape, type, false);
      ASSERT_EQ(analyze(source, from.layout.is_dense(), sized, own_workspace), SPK_STATUS_SUCCESS)
          << last_message(handle);
      spk_spmat_info_t info{};
      info.struct_size = sizeof info;
      ASSERT_EQ(spk_spmat_get_info(sized.sparse(), &info), SPK_STATUS_SUCCESS);
      EXPECT_EQ(info.nnz, static_cast<Int>(want.values.size()));
      EXPECT_EQ(info.nnzb, to.has_blocks() ? static_cast<Int>(want.col_indices.size()) : 0);
      EXPECT_EQ(info.ell_cols, want.ell_cols);
      EXPECT_EQ(sized.read().offsets, want.offsets);
      EXPECT_TRUE(sized.is_intact());
    }
    const Stored result(GetParam(), want, type, false);
    if (to.format == SPK_FORMAT_BLOCKED_ELL && from.layout.is_dense()) {
      ASSERT_EQ(analyze(source, true, result, own_workspace), SPK_STATUS_SUCCESS);  // else its columns count as given
    }
    ASSERT_EQ(convert(source, from.layout.is_dense(), result, to.is_dense(), own_workspace), SPK_STATUS_SUCCESS)
        << last_message(handle);
    expect_same(result.read(), want);
    EXPECT_TRUE(result.is_intact()) << "written outside the result";
    EXPECT_EQ(source.bytes(), before) << "the source was written";
  }

  template <class T>
  static Placed<T> placed(std::vector<T> items) {
    return {GetParam(), std::move(items)};
  }

  spk_handle_t handle = nullptr;
};

inline std::string backend_text(const ::testing::TestParamInfo<spk_backend_t>& info) {
  return info.param == SPK_BACKEND_CPU ? "Cpu" : info.param == SPK_BACKEND_CUDA ? "Cuda" : "Reference";
}

}  // namespace spk_test
