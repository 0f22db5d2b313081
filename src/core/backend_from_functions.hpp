// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "core/backend.hpp"

namespace spk {

// Makes the virtual calls of a Backend out of overloaded functions: functions_.run(problem, ...) and so on, one
// override per problem of the lists in core/backend.hpp. Functions may hold what they need to know, such as a device.
template <class Base, class Functions, class... Problems>
class ForwardOperations : public Base {};

template <class Base, class Functions, class Problem, class... Rest>
class ForwardOperations<Base, Functions, Problem, Rest...> : public ForwardOperations<Base, Functions, Rest...> {
  using Next = ForwardOperations<Base, Functions, Rest...>;

 public:
  using Next::choose;
  using Next::prepare;
  using Next::run;
  using Next::workspace;
  Choice choose(const Problem& p) const final { return this->functions_.choose(p); }
  std::size_t workspace(const Problem& p, const Plan* plan, const Exec& exec) const final {
    return this->functions_.workspace(p, plan, exec);
  }
  std::unique_ptr<Plan> prepare(const Problem& p, const Exec& exec) const final {
    return this->functions_.prepare(p, exec);
  }
  void run(const Problem& p, const Plan* plan, const Exec& exec) const final { this->functions_.run(p, plan, exec); }
};

template <class Base, class Functions, class... Problems>
class ForwardConversions : public Base {
 public:
  using Base::choose;
  using Base::run;
  using Base::workspace;
  Choice choose(const VectorProblem& p) const final { return functions_.choose(p); }
  std::size_t workspace(const VectorProblem& p, const Exec& exec) const final { return functions_.workspace(p, exec); }
  void run(const VectorProblem& p, const Exec& exec) const final { functions_.run(p, exec); }

 protected:
  Functions functions_;
};

template <class Base, class Functions, class Problem, class... Rest>
class ForwardConversions<Base, Functions, Problem, Rest...> : public ForwardConversions<Base, Functions, Rest...> {
  using Next = ForwardConversions<Base, Functions, Rest...>;

 public:
  using Next::analyze;
  using Next::run;
  using Next::workspace;
  std::size_t workspace(const Problem& p, const Exec& exec) const final { return this->functions_.workspace(p, exec); }
  std::int64_t analyze(const Problem& p, const Exec& exec) const final { return this->functions_.analyze(p, exec); }
  std::int64_t run(const Problem& p, const Exec& exec) const final { return this->functions_.run(p, exec); }
};

namespace detail {
template <class Base, class Functions, class... Os, class... Cs>
ForwardOperations<ForwardConversions<Base, Functions, Cs...>, Functions, Os...> forward(Operations<Os...>*,
                                                                                        Conversions<Cs...>*);
}

template <class Base, class Functions>
using BackendFromFunctions = decltype(detail::forward<Base, Functions>(static_cast<AllOperations*>(nullptr),
                                                                       static_cast<AllConversions*>(nullptr)));

}  // namespace spk
