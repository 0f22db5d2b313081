// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bounds.hpp"
#include "contenders.hpp"

namespace spk::bench {

struct Result {
  std::string name;
  Kind kind = Kind::kSpk;
  std::int32_t id = 0;
  bool wrong = false;  // outside every bound, or the call failed: not timed
  bool loose = false;  // a peer with coarser arithmetic, within the bound of that: timed, no rival
  std::string failure;
  double worst = 0;  // error / bound
  // Microseconds of one launch.
  double median = 0, q1 = 0, q3 = 0, least = 0, most = 0;
  int samples = 0;
  int launches = 0;   // in a sample
  bool graph = true;  // false: the calls cannot be captured, so a sample holds plain launches
};

// One problem with everybody's results.
struct Race {
  Setting setting;
  std::string matrix;
  std::int64_t rows = 0, cols = 0, nnz = 0, longest_row = 0;
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t width = 0;  // n of SpMM, inner size of SDDMM
  double flops = 0;
  std::size_t copies = 1;
  Bound bound, bound_a100, bound_v100;
  std::vector<Result> results;
  std::vector<Absent> absent;

  // The fastest of those wanted that keep the bound (`loose`: that do not); NULL where there is none.
  const Result* best(bool (*wanted)(Kind), bool loose = false) const;
  const Result* spk() const;     // the one-shot call
  const Result* plan() const;    // the plan
  const Result* rival() const;   // the fastest peer
  const Result* loose() const;   // the fastest peer outside the bound
  const Result* forced() const;  // spk's fastest kernel, asked for by id
  bool wrong() const;            // a result of spk is wrong
  // Best rival's time over spk's one-shot time; 0 where one of them is missing.
  double ratio() const;
  // Time of the kernel that spk chose over that of its fastest; 0 where they were not timed one by one.
  double regret() const;
};

struct RaceOptions {
  Entry entry;
  bool cold = false;
  int samples = 7;
};

Race race(const Device& device, const tool::CsrMatrix& matrix, const Setting& setting, std::int64_t width,
          const RaceOptions& options);

}  // namespace spk::bench
