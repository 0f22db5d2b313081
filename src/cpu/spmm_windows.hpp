// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <new>
#include <vector>

#include "core/problems.hpp"
#include "cpu/kernels/spmm_task.hpp"

namespace spk::cpu {

// Arrays that start at a cache line.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};
  LineAllocator() = default;
  template <class Other>
  LineAllocator(const LineAllocator<Other>&) noexcept {}
  T* allocate(std::size_t count) {
    if (count > SIZE_MAX / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(::operator new(count * sizeof(T), kAlignment));
  }
  void deallocate(T* p, std::size_t) noexcept { ::operator delete(p, kAlignment); }
  template <class Other>
  bool operator==(const LineAllocator<Other>&) const noexcept {
    return true;
  }
};
template <class T>
using Lines = std::vector<T, LineAllocator<T>>;

// Entries of op(A), with their values, in vectors of kWindowLanes rows for kernels/spmm_windows.hpp. Rows are taken
// kWindowRows at a time, and among those by their length, so that rows of a vector end together. A vector takes from
// each of its rows the next entry, if that lies in the window of kWindowColumns from where the first of them lies.
class Windows {
 public:
  // p.a is one matrix, stored by rows of op(A), k >= kWindowColumns. False, and empty, if more than `most` vectors were needed.
  bool make(const SpmmProblem& p, std::int64_t most);
  bool empty() const noexcept { return slices_.empty(); }
  std::size_t bytes() const noexcept;
  // Where the kernel finds them.
  void describe_to(SpmmTask& t) const noexcept;

 private:
  std::vector<std::int64_t> slices_;  // first vector of every kWindowLanes rows, and the number of vectors
  std::vector<std::uint32_t> starts_;
  Lines<std::uint8_t> places_;
  std::vector<std::uint8_t> rows_;
  Lines<char> values_;
};

}  // namespace spk::cpu
