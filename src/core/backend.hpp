// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <spk/spk_handle.h>
#include <spk/spk_sparse.h>

#include <memory>
#include <string>

#include "core/problems.hpp"

// What a backend must be able to do. Backends throw spk::Error; problems reach them validated.
namespace spk {

// Circumstances of one call.
struct Exec {
  int threads = 1;            // most CPU threads to use
  void* stream = nullptr;     // CUDA
  void* workspace = nullptr;  // at least what workspace() answered, aligned to 16 bytes (CUDA: 256)
  std::size_t workspace_bytes = 0;
};

// Which kernel takes a problem, or why none does.
struct Choice {
  std::int32_t id = 0;  // 0: refused
  std::string text;     // the kernel's name, or every refusal
  bool supported() const noexcept { return id != 0; }
};

// What a backend keeps about a structure; see spk_plan.h. Holds copies, never the caller's pointers.
class Plan {
 public:
  Plan() = default;
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  virtual ~Plan() = default;
  virtual std::string describe() const = 0;
};

// The four calls that every operation has. plan is NULL in the one-shot form.
template <class Problem>
class Operation {
 public:
  virtual Choice choose(const Problem& p) const = 0;
  virtual std::size_t workspace(const Problem& p, const Plan* plan, const Exec& exec) const = 0;
  virtual std::unique_ptr<Plan> prepare(const Problem& p, const Exec& exec) const = 0;
  virtual void run(const Problem& p, const Plan* plan, const Exec& exec) const = 0;

 protected:
  ~Operation() = default;
};

// Conversions. analyze counts the entries of the result (blocks for BSR, ell_cols for Blocked-ELL) and fills its
// offsets; run fills the rest and answers the entries of the result.
template <class Problem>
class Conversion {
 public:
  virtual std::size_t workspace(const Problem& p, const Exec& exec) const = 0;
  virtual std::int64_t analyze(const Problem& p, const Exec& exec) const = 0;
  virtual std::int64_t run(const Problem& p, const Exec& exec) const = 0;

 protected:
  ~Conversion() = default;
};

template <class... Problems>
class Operations : public Operation<Problems>... {
 public:
  using Operation<Problems>::choose...;
  using Operation<Problems>::workspace...;
  using Operation<Problems>::prepare...;
  using Operation<Problems>::run...;
};

template <class... Problems>
class Conversions : public Conversion<Problems>... {
 public:
  using Conversion<Problems>::workspace...;
  using Conversion<Problems>::analyze...;
  using Conversion<Problems>::run...;
};

// A new operation is a new name in one of these lists.
using AllOperations = Operations<SpmmProblem, SddmmProblem, SoftmaxProblem, SoftmaxBackwardProblem>;
using AllConversions = Conversions<SparseToDenseProblem, DenseToSparseProblem, SparseToSparseProblem, TransposeProblem,
                                   SortProblem, CoalesceProblem>;

class Backend : public AllOperations, public AllConversions {
 public:
  virtual ~Backend() = default;
  using AllConversions::run;
  using AllConversions::workspace;
  using AllOperations::choose;
  using AllOperations::run;
  using AllOperations::workspace;

  // Vectors have no structure worth keeping: no plans.
  virtual Choice choose(const VectorProblem& p) const = 0;
  virtual std::size_t workspace(const VectorProblem& p, const Exec& exec) const = 0;
  virtual void run(const VectorProblem& p, const Exec& exec) const = 0;

  virtual spk_backend_t kind() const noexcept = 0;
  virtual const char* name() const noexcept = 0;    // "cpu", "cuda", "reference"
  virtual const char* detail() const noexcept = 0;  // what it runs on
  virtual int default_threads() const noexcept = 0;

  virtual void validate(const SparseView& a, spk_validation_report_t& report, const Exec& exec) const = 0;
  virtual void synchronize(void* stream) const = 0;

  // Memory where the backend computes, aligned to 256 bytes; NULL when there is none.
  virtual void* allocate(std::size_t bytes, void* stream) const noexcept = 0;
  virtual void deallocate(void* pointer, std::size_t bytes, void* stream) const noexcept = 0;
  virtual bool computes_in_host_memory() const noexcept = 0;
  // Copies between host memory and the backend's, complete on return.
  virtual void copy_to_host(void* host, const void* device, std::size_t bytes, void* stream) const = 0;
  virtual void copy_from_host(void* device, const void* host, std::size_t bytes, void* stream) const = 0;
  // NULL, or why the backend cannot compute on memory at p: the end of a sentence, "is host memory, which ...". Called
  // for every array of every call, so it must be quick.
  virtual const char* refuse_pointer(const void* /*p*/) const noexcept { return nullptr; }
};

}  // namespace spk
