// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <atomic>
#include <cstdlib>
#include <new>

#include "io_matrix.hpp"

using namespace io_test;

namespace {

// Allocations until one fails; negative: none does.
std::atomic<std::int64_t> allocations_left{-1};

bool fails_now() { return allocations_left.load() >= 0 && allocations_left.fetch_sub(1) == 0; }

}  // namespace

// The program's operator new serves the library too. None is inlined: gcc would take malloc and free, seen without the
// pair around them, for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (fails_now()) throw std::bad_alloc();
  if (void* const memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

// Lets the first, then the second, ... allocation of `call` fail until it succeeds without. Returns how many it makes.
template <class Call>
int fail_each_allocation(const Call& call) {
  constexpr int kMostAllocations = 10000;
  for (int n = 0; n < kMostAllocations; ++n) {
    allocations_left = n;
    const spk_status_t status = call();
    const bool has_failed = allocations_left.exchange(-1) < 0;
    if (status == SPK_STATUS_SUCCESS && !has_failed) return n;
    // A thread that cannot be had is done without.
    EXPECT_TRUE(status == SPK_STATUS_ALLOC_FAILED || status == SPK_STATUS_SUCCESS) << n << ": " << spk_io_last_error();
    if (status == SPK_STATUS_ALLOC_FAILED) {
      EXPECT_NE(std::string(spk_io_last_error()).find("out of memory"), std::string::npos);
    }
  }
  ADD_FAILURE() << "never succeeds";
  return 0;
}

std::string many_entries(std::int64_t count) {
  std::string text = "%%MatrixMarket matrix coordinate real symmetric\n900000 900000 " + std::to_string(count) + "\n";
  for (std::int64_t k = 0; k < count; ++k) {
    text += std::to_string(900000 - (k * 7919) % 400000) + " " + std::to_string(1 + k % 1000) + " 1.25\n";
  }
  return text;
}

}  // namespace

TEST(IoMemory, ReadingSurvivesEachFailedAllocation) {
  const std::string smtx = "3, 4, 5\n0 2 2 5\n3 0 0 1 2\n";
  const std::string mtx = many_entries(120000);  // several blocks
  for (const auto& [name, text] : {std::pair("m.mtx", mtx), std::pair("m.smtx", smtx)}) {
    for (const int threads : {1, 3}) {
      const spk_io_options_t options = options_with(threads);
      spk_io_matrix_t matrix = nullptr;
      const int count = fail_each_allocation([&, &text = text, &name = name] {
        const spk_status_t status = spk_io_read_memory(&matrix, name, text.data(), text.size(), &options);
        EXPECT_EQ(status == SPK_STATUS_SUCCESS, matrix != nullptr);
        spk_io_matrix_destroy(matrix);
        return status;
      });
      EXPECT_GT(count, 10);
    }
  }
}

TEST(IoMemory, CopyingSurvivesEachFailedAllocation) {
  for (const char* entries : {"3 3 4\n1 2 1\n3 3 2\n3 1 3\n1 2 4\n", "3 3 4\n1 2 1\n3 3 2\n3 1 3\n1 1 4\n"}) {
    const std::string text = std::string("%%MatrixMarket matrix coordinate integer general\n") + entries;
    fail_each_allocation([&] {
      std::int64_t nnz = 0;
      const std::int64_t armed = allocations_left.exchange(-1);
      const Matrix matrix = std::move(read_text("m.mtx", text).matrix);
      std::int32_t offsets[4];
      std::int32_t cols[4];
      double values[4];
      allocations_left = armed;
      const spk_status_t status =
          spk_io_get_csr(matrix.get(), SPK_INDEX_32I, SPK_INDEX_BASE_ZERO, SPK_R_64F, &nnz, nullptr, nullptr, nullptr);
      if (status != SPK_STATUS_SUCCESS) return status;
      return spk_io_get_csr(matrix.get(), SPK_INDEX_32I, SPK_INDEX_BASE_ZERO, SPK_R_64F, &nnz, offsets, cols, values);
    });
  }
}

TEST(IoMemory, WritingSurvivesEachFailedAllocation) {
  const Folder folder;
  const std::int32_t offsets[] = {0, 1, 2};
  const std::int32_t cols[] = {1, 0};
  for (const char* name : {"a.mtx", "a.smtx", "a.mtx.gz"}) {
    const std::string path = folder.file(name);
    fail_each_allocation([&] {
      return spk_io_write_csr(path.c_str(), 2, 2, 2, offsets, cols, nullptr, SPK_INDEX_32I, SPK_INDEX_BASE_ZERO,
                              SPK_R_32F);
    });
    std::remove(path.c_str());
  }
  EXPECT_EQ(rmdir(folder.file("").c_str()), 0) << "a temporary file was left";
}
