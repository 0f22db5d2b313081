// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cases/cases.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <new>
#include <sstream>

#include "cases/child_process.hpp"
#include "cases/judge.hpp"
#include "cases/operands.hpp"
#include "cases/operations.hpp"

namespace spk::cases {
namespace {

constexpr double kSecondsPerCase = 120;

std::string stem_of(const std::string& path) { return std::filesystem::path(path).stem().string(); }

// Skips the case where its backend cannot run, with the library's own words. Answers what AUTO stands for.
spk_backend_t check_backend(Fields& fields, spk_backend_t backend) {
  const Json& list = fields.need("backend");
  if (!list.is_array() && !list.is_string()) fields.malformed("backend", "a list of \"cpu\" and \"cuda\"");
  const std::vector<std::string> names = fields.texts("backend");
  for (const std::string& name : names)
    if (name != "cpu" && name != "cuda") fields.malformed("backend", "a list of \"cpu\" and \"cuda\"");
  Handle handle;
  const Outcome outcome = create_handle(handle, backend, 0);
  if (outcome.status == SPK_STATUS_BACKEND_UNAVAILABLE) throw SkipCase(outcome.message);
  if (outcome.ok()) spk_get_backend(handle.get(), &backend);
  const std::string wanted = backend == SPK_BACKEND_CUDA ? "cuda" : "cpu";
  if (!contains(names, wanted)) throw SkipCase("the case makes no sense on backend " + wanted);
  return backend;
}

Judgement run_operation(Fields& fields, const Context& context, const std::string& op) {
  if (op == "spmm" || op == "spmv" || op == "sddmm") return run_product_case(fields, context, op);
  if (op == "convert") return run_convert_case(fields, context);
  if (op == "mmread") return run_mmread_case(fields, context);
  if (is_vector_operation(op)) return run_vector_case(fields, context, op);
  if (op == "softmax" || op == "softmax_backward") return run_softmax_case(fields, context, op == "softmax_backward");
  if (op == "api") return run_api_case(fields, context);
  if (op == "perf") return run_perf_case(fields, context);
  if (op == "compress24" || op == "prune") throw SkipCase("entry point does not exist");
  if (op == "build" || op == "ffi") throw SkipCase("carried out by the continuous build");
  fields.malformed("op", "an operation of the schema");
}

Judgement judge(const Json& json, Result& result, const Options& options) {
  Fields fields(json, "case");
  result.id = fields.text("id");
  if (fields.integer("schema") != 1) fields.malformed("schema", "1");
  for (const char* key : {"kind", "source", "symptom", "note"}) fields.text_or(key, "");
  fields.integer_or("priority", 2);
  const std::string op = fields.text("op");
  Context context;
  context.options = options;
  context.id = result.id;
  const std::string dtype = fields.text("dtype");
  if (dtype == "none")
    context.has_type = false;
  else if (!value_type_from_name(dtype, context.type))
    fields.malformed("dtype", "f32, f64, f16, bf16, c64, c128 or none");
  if (!context.has_type && op != "build" && op != "ffi" && op != "api" && op != "mmread")
    fields.malformed("dtype", "a value type for " + op);
  if (op == "mmread" && !context.has_type) context.type = SPK_R_64F;
  context.options.backend = check_backend(fields, options.backend);
  return run_operation(fields, context, op);
}

// Seconds of every timeout_s inside.
double sum_of_timeouts(const Json& json) {
  double sum = 0;
  if (json.is_object() || json.is_array()) {
    for (const auto& item : json.items()) {
      if (json.is_object() && item.key() == "timeout_s" && item.value().is_number())
        sum += item.value().get<double>();
      else
        sum += sum_of_timeouts(item.value());
    }
  }
  return sum;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw CaseError("cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

const char* name_of(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::pass: return "PASS";
    case Verdict::skip: return "SKIP";
    default: return "FAIL";
  }
}

bool backend_from_name(const std::string& name, spk_backend_t& backend) noexcept {
  if (name == "cpu")
    backend = SPK_BACKEND_CPU;
  else if (name == "cuda")
    backend = SPK_BACKEND_CUDA;
  else if (name == "reference")
    backend = SPK_BACKEND_REFERENCE;
  else
    return false;
  return true;
}

Result run_text(const std::string& text, const std::string& name, const Options& options) {
  Result result;
  result.id = stem_of(name);
  try {
    const Json json = Json::parse(text);
    Judgement judgement = judge(json, result, options);
    result.verdict = judgement.verdict;
    result.reason = one_line(judgement.reason);
  } catch (const SkipCase& skip) {
    result.verdict = Verdict::skip;
    result.reason = one_line(skip.what());
  } catch (const std::bad_alloc&) {
    result.reason = "no memory for the arrays of the case";
  } catch (const std::exception& problem) {
    result.reason = one_line(problem.what());
  }
  return result;
}

Result run_file(const std::string& path, const Options& options) {
  try {
    return run_text(read_whole(path), path, options);
  } catch (const CaseError& problem) {
    return {stem_of(path), Verdict::fail, path + " " + problem.what()};
  }
}

std::string to_line(const Result& result) {
  std::string line = result.id + " " + name_of(result.verdict);
  if (!result.reason.empty()) line += " " + result.reason;
  return line;
}

double seconds_allowed(const std::string& path) {
  try {
    return kSecondsPerCase + sum_of_timeouts(Json::parse(read_whole(path)));
  } catch (const std::exception&) {
    return kSecondsPerCase;
  }
}

}  // namespace spk::cases
