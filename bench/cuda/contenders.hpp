// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "device.hpp"
#include "operands.hpp"

namespace spk::bench {

// Who runs, which decides what the report does with the time.
enum class Kind {
  kSpk,              // one-shot call, the library's own choice
  kSpkPlan,          // plan executed
  kSpkForced,        // one kernel by id, one-shot
  kCusparse,         // one algorithm, preprocessed
  kCusparseDefault,  // the default algorithm without preprocessing, as most callers have it
  kDense,            // cuBLAS on the full matrix, at the same precision
  kDenseTf32         // cuBLAS with TF32 products where f32 was asked for: not the same arithmetic, whatever its errors
};
const char* kind_name(Kind kind);
bool is_spk(Kind kind);

struct Contender {
  std::string name;
  std::string failure;  // spk refused to be set up although it said that it runs: nothing to launch
  Kind kind = Kind::kSpk;
  std::int32_t id = 0;                      // of a kernel of spk
  std::function<void(std::size_t)> launch;  // on the device's stream, with the given copy of the operands
  std::function<void()> finish;             // brings the result of launch(0) to the output; empty: it is there
};

// A peer that cannot run the problem, and why.
struct Absent {
  std::string name;
  std::string reason;
};

struct Field {
  std::vector<Contender> contenders;
  std::vector<Absent> absent;

  // Adds what `make` returns, under this name unless it has one, or notes why it cannot be. Where spk fails, the
  // contender stays in, as one that failed.
  void add(const std::string& name, Kind kind, const std::function<Contender()>& make);
};

// What to enter. `forced`: also every kernel of spk that takes the problem.
struct Entry {
  bool spk = true;
  bool plan = true;
  bool forced = false;
  bool peers = true;
  bool keeps_values = false;  // plans of SpMM and SpMV
};
Field make_field(const Device& device, const Operands& operands, const Entry& entry);

void add_spk(Field& field, const Device& device, const Operands& operands, const Entry& entry);
void add_cusparse_spmm(Field& field, const Device& device, const Operands& operands);
void add_cusparse_spmv(Field& field, const Device& device, const Operands& operands);
void add_cusparse_sddmm(Field& field, const Device& device, const Operands& operands);
void add_dense(Field& field, const Device& device, const Operands& operands);

}  // namespace spk::bench
