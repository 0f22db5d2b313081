// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <string>

#include "cases/cases.hpp"
#include "cases/fields.hpp"

// One function per operation of the case layout. `fields` is the case; the fields that every file has were read.
// Each reads all fields that it knows, calls fields.finish(), runs and judges. CaseError and SkipCase pass through.
namespace spk::cases {

struct Judgement {
  Verdict verdict = Verdict::pass;
  std::string reason;
  static Judgement pass(std::string note = {}) { return {Verdict::pass, std::move(note)}; }
  static Judgement fail(std::string why) { return {Verdict::fail, std::move(why)}; }
};

struct Context {
  Options options;
  std::string id;
  spk_value_type_t type = SPK_R_32F;  // dtype; `has_type` false for "none"
  bool has_type = true;
};

Judgement run_product_case(Fields& fields, const Context& context, const std::string& op);  // spmm, spmv, sddmm
Judgement run_convert_case(Fields& fields, const Context& context);
Judgement run_mmread_case(Fields& fields, const Context& context);
Judgement run_softmax_case(Fields& fields, const Context& context, bool is_backward);
bool is_vector_operation(const std::string& op) noexcept;  // of spk_vector.h
Judgement run_vector_case(Fields& fields, const Context& context, const std::string& op);
Judgement run_api_case(Fields& fields, const Context& context);
Judgement run_perf_case(Fields& fields, const Context& context);

}  // namespace spk::cases
