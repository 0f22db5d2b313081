// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <spk/spk_io.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cases/operands.hpp"
#include "cases/operations.hpp"

namespace spk::cases {
namespace {

// The limits that the schema sets for every case.
constexpr double kMostSeconds = 1;
constexpr long kMostKilobytes = 64 * 1024;

using IoMatrix = Owner<spk_io_const_matrix_t, spk_io_matrix_destroy>;

struct Entry {
  std::int64_t row = 0, col = 0;
  Number value;
};

Outcome io_outcome(spk_status_t status) {
  if (status == SPK_STATUS_SUCCESS) return {};
  return {status, spk_io_last_error()};
}

long peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

bool row_then_column(const Entry& a, const Entry& b) { return a.row != b.row ? a.row < b.row : a.col < b.col; }

// A complex file keeps its imaginary parts also where the case says a real dtype.
spk_value_type_t type_for(const spk_io_info_t& info, spk_value_type_t type) {
  if (info.field != SPK_IO_COMPLEX || is_complex(type)) return type;
  return type == SPK_R_64F ? SPK_C_64F : SPK_C_32F;
}

class Reading {
 public:
  Reading(std::string text, spk_value_type_t type) : text_(std::move(text)), type_(type) {}

  Outcome from_memory(const std::string& name) {
    spk_io_matrix_t made = nullptr;
    const Outcome outcome = io_outcome(spk_io_read_memory(&made, name.c_str(), text_.data(), text_.size(), nullptr));
    matrix_.reset(made);
    return outcome;
  }

  Outcome from_file() {
    std::string path = (std::filesystem::temp_directory_path() / "spk-case-XXXXXX.mtx").string();
    const int descriptor = mkstemps(path.data(), 4);
    if (descriptor < 0) throw SkipCase("no temporary file can be made");
    close(descriptor);
    std::ofstream(path, std::ios::binary) << text_;
    spk_io_matrix_t made = nullptr;
    const Outcome outcome = io_outcome(spk_io_read(&made, path.c_str(), nullptr));
    matrix_.reset(made);
    std::filesystem::remove(path);
    return outcome;
  }

  std::string compare(const Json& wanted, const Tolerance& tolerance) {
    Fields expected(wanted, "expected");
    spk_io_info_t info{};
    info.struct_size = sizeof info;
    const Outcome outcome = io_outcome(spk_io_get_info(matrix_.get(), &info));
    if (!outcome.ok()) return "spk_io_get_info answered " + outcome.describe();
    type_ = type_for(info, type_);
    std::vector<Entry> entries = read_coo(info);
    std::vector<Entry> summed;
    std::vector<std::int64_t> offsets;
    std::string reason = read_csr(info, summed, offsets);
    if (!reason.empty()) return reason;
    const auto count = [&](const char* name, std::int64_t got) {
      if (reason.empty() && expected.find(name) != nullptr && expected.integer(name) != got)
        reason =
            std::string(name) + " is " + std::to_string(got) + " but must be " + std::to_string(expected.integer(name));
    };
    count("rows", info.rows);
    count("cols", info.cols);
    // A file that repeats a place may be told with its repeats or with their sum.
    const bool as_sum = expected.find("nnz") != nullptr && expected.integer("nnz") != info.nnz;
    count("nnz", as_sum ? static_cast<std::int64_t>(summed.size()) : info.nnz);
    if (reason.empty()) reason = compare_entries(expected, as_sum ? summed : entries, tolerance);
    if (const Json* want = expected.find("row_offsets"); want != nullptr && reason.empty()) {
      if (expand_indices(*want, "row_offsets").items != offsets) reason = "row_offsets of the CSR are wrong";
    }
    if (reason.empty()) expected.finish();
    return reason;
  }

 private:
  std::vector<Entry> read_coo(const spk_io_info_t& info) {
    const auto nnz = static_cast<std::size_t>(info.nnz);
    std::vector<std::int64_t> rows(nnz), cols(nnz);
    std::vector<std::byte> values(nnz * bytes_of(type_));
    const Outcome outcome = io_outcome(spk_io_get_coo(matrix_.get(), SPK_INDEX_64I, SPK_INDEX_BASE_ZERO, type_,
                                                      rows.data(), cols.data(), values.data()));
    if (!outcome.ok()) throw CaseError("spk_io_get_coo answered " + outcome.describe());
    std::vector<Entry> entries(nnz);
    for (std::size_t i = 0; i < nnz; ++i)
      entries[i] = {rows[i], cols[i], load(type_, values.data() + i * bytes_of(type_))};
    std::stable_sort(entries.begin(), entries.end(), row_then_column);
    return entries;
  }

  std::string read_csr(const spk_io_info_t& info, std::vector<Entry>& entries, std::vector<std::int64_t>& offsets) {
    std::int64_t nnz = 0;
    const auto get = [&](void* row_offsets, void* col_indices, void* values) {
      return io_outcome(spk_io_get_csr(matrix_.get(), SPK_INDEX_64I, SPK_INDEX_BASE_ZERO, type_, &nnz, row_offsets,
                                       col_indices, values));
    };
    Outcome outcome = get(nullptr, nullptr, nullptr);
    if (!outcome.ok()) return "spk_io_get_csr answered " + outcome.describe();
    const auto count = static_cast<std::size_t>(nnz);
    offsets.assign(static_cast<std::size_t>(info.rows) + 1, -1);
    std::vector<std::int64_t> columns(count + 1);
    std::vector<std::byte> values((count + 1) * bytes_of(type_));
    outcome = get(offsets.data(), columns.data(), values.data());
    if (!outcome.ok()) return "spk_io_get_csr answered " + outcome.describe();
    if (offsets.front() != 0 || offsets.back() != nnz) return "row_offsets of the CSR do not span its entries";
    for (std::int64_t row = 0; row < info.rows; ++row) {
      for (std::int64_t i = offsets[static_cast<std::size_t>(row)]; i < offsets[static_cast<std::size_t>(row) + 1];
           ++i) {
        const auto at = static_cast<std::size_t>(i);
        entries.push_back({row, columns[at], load(type_, values.data() + at * bytes_of(type_))});
      }
    }
    if (!std::is_sorted(entries.begin(), entries.end(), row_then_column)) return "the CSR is not in order";
    return {};
  }

  std::string compare_entries(Fields& expected, const std::vector<Entry>& entries, const Tolerance& tolerance) const {
    const Json* list = expected.find("entries");
    if (list == nullptr) return {};
    if (!list->is_array()) expected.malformed("entries", "a list of [row, col, value]");
    if (list->size() != entries.size())
      return "there are " + std::to_string(entries.size()) + " entries but must be " + std::to_string(list->size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const Json& want = (*list)[i];
      if (!want.is_array() || want.size() != 3) expected.malformed("entries", "a list of [row, col, value]");
      const std::string place = "entry " + std::to_string(i);
      if (to_integer(want[0], place) != entries[i].row || to_integer(want[1], place) != entries[i].col) {
        return place + " lies at (" + std::to_string(entries[i].row) + ", " + std::to_string(entries[i].col) +
               ") but must lie at (" + want[0].dump() + ", " + want[1].dump() + ")";
      }
      const Number wanted = round_to(type_, to_number(want[2], place));
      if (!close_enough(entries[i].value, wanted, tolerance))
        return place + " is " + to_text(entries[i].value) + " but must be " + to_text(wanted);
    }
    return {};
  }

  std::string text_;
  spk_value_type_t type_;
  IoMatrix matrix_;
};

}  // namespace

Judgement run_mmread_case(Fields& fields, const Context& context) {
  const Expectation expectation = read_expectation(fields);
  const std::string text = fields.text("text");
  fields.finish();
  if (!expectation.has_verdict()) throw CaseError("mmread: neither expected nor expected_error is given");
  for (const bool from_file : {false, true}) {
    Reading reading(text, context.type);
    const long before = peak_kilobytes();
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome = from_file ? reading.from_file() : reading.from_memory(context.id + ".mtx");
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    const long grown = peak_kilobytes() - before;
    std::string reason;
    if (!outcome.ok())
      reason = judge_failure(outcome, expectation);
    else if (expectation.expected == nullptr)
      reason = "succeeded but must answer " + expectation.errors.front();
    else
      reason = reading.compare(*expectation.expected, expectation.tolerance);
    if (reason.empty() && taken.count() > kMostSeconds) reason = "took " + std::to_string(taken.count()) + " s";
    if (reason.empty() && grown > kMostKilobytes) reason = "took " + std::to_string(grown / 1024) + " MiB of memory";
    if (!reason.empty()) return Judgement::fail(reason + (from_file ? " (from a file)" : ""));
  }
  return Judgement::pass();
}

}  // namespace spk::cases
