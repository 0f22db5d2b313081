// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <spk/spk_types.h>

#include <string>

// Case files: small problems with their right answers as JSON, carried out through the C ABI and judged.
// The layout is told in docs of the case files, "Case files: layout, version 1": one object per file.
namespace spk::cases {

enum class Verdict { pass, fail, skip };
const char* name_of(Verdict verdict) noexcept;  // "PASS", "FAIL", "SKIP"

struct Result {
  std::string id;  // of the file, or its name where the file does not say
  Verdict verdict = Verdict::fail;
  std::string reason;  // one line; may be empty for PASS
};

struct Options {
  spk_backend_t backend = SPK_BACKEND_CPU;
  // Program that steps which end a process run in (spk_case_child); empty: the one beside this executable.
  std::string child_program;
};

// Carries out one file in this process and judges it. Never throws: a broken file is a FAIL with its reason. A fault of
// the library can end the process; spk_case_runner therefore gives each file a process of its own.
Result run_file(const std::string& path, const Options& options);
// As above, from JSON text; `name` stands for the file.
Result run_text(const std::string& text, const std::string& name, const Options& options);

// "id PASS reason"
std::string to_line(const Result& result);

// Seconds that a file may take before it must be taken for hung: a minute or more plus its own time limits.
double seconds_allowed(const std::string& path);

// "cpu", "cuda" or "reference"; false for any other name.
bool backend_from_name(const std::string& name, spk_backend_t& backend) noexcept;

}  // namespace spk::cases
