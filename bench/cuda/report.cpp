// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <tuple>

#include "table.hpp"

namespace spk::bench {
namespace {

using tool::Operation;
using tool::Table;

bool is_dense(Kind kind) { return kind == Kind::kDense || kind == Kind::kDenseTf32; }
bool is_cusparse(Kind kind) { return kind == Kind::kCusparse || kind == Kind::kCusparseDefault; }

// Ratios below these are listed: a loss beyond noise, and a rout.
constexpr double kLoss = 0.95, kRout = 0.5;
// A choice of kernel that costs more than this is named.
constexpr double kRegret = 1.05;

std::string us(const Result* result) { return result == nullptr ? "-" : fmt::format("{:.2f}", result->median); }

// The name of an algorithm without the library's.
std::string short_algorithm(const Result* result) {
  if (result == nullptr) return "";
  const std::size_t blank = result->name.find(' ');
  return blank == std::string::npos ? result->name : result->name.substr(blank + 1);
}

std::string problem_text(const Race& race) {
  return fmt::format("{} {}x{}x{} nnz {}", race.matrix, race.m, race.n, race.k, race.nnz);
}

struct Mean {
  double sum = 0;
  int count = 0;
  void add(double x) {
    if (!(x > 0)) return;
    sum += std::log(x);
    ++count;
  }
  std::string text() const { return count == 0 ? "-" : fmt::format("{:.3f}", std::exp(sum / count)); }
};

struct Group {
  int races = 0, losses = 0, routs = 0, wrong = 0, missing = 0;
  int misses = 0;
  Mean regret, rival, cusparse, fallback, dense, loose, plan, share;

  void add(const Race& race) {
    ++races;
    wrong += race.wrong();
    const Result* ours = race.spk();
    if (ours == nullptr) {
      ++missing;
      return;
    }
    const auto over = [&](const Result* theirs) { return theirs == nullptr ? 0 : theirs->median / ours->median; };
    rival.add(race.ratio());
    cusparse.add(over(race.best(&is_cusparse)));
    fallback.add(over(race.best([](Kind kind) { return kind == Kind::kCusparseDefault; })));
    dense.add(over(race.best(&is_dense)));
    loose.add(over(race.loose()));
    if (race.plan() != nullptr && race.rival() != nullptr) plan.add(race.rival()->median / race.plan()->median);
    share.add(race.bound.us / ours->median);
    regret.add(race.regret());
    misses += race.regret() > kRegret;
    losses += race.ratio() > 0 && race.ratio() < kLoss;
    routs += race.ratio() > 0 && race.ratio() < kRout;
  }

  std::vector<Table::Cell> cells(const std::string& title, const std::string& width) const {
    return {title,
            width,
            fmt::format("{}", races),
            rival.text(),
            plan.text(),
            cusparse.text(),
            fallback.text(),
            dense.text(),
            loose.text(),
            share.text(),
            fmt::format("{}", losses),
            fmt::format("{}", routs),
            fmt::format("{}", missing),
            fmt::format("{}", wrong),
            regret.text(),
            fmt::format("{}", misses)};
  }
};

}  // namespace

void print_circumstances(const Device& device, const Circumstances& circumstances) {
  fmt::print("{}, driver {}, CUDA {}, cuSPARSE {}, cuBLAS {}, spk {}, commit {}\n", device.name, device.driver,
             device.runtime, device.cusparse_version, device.cublas_version, spk_version(), circumstances.commit);
  fmt::print("{} caches, {} samples; empty launch in a graph {:.2f} us, copy {:.2f} TB/s\n",
             circumstances.cold ? "cold" : "warm", circumstances.samples, circumstances.rates.launch_us,
             circumstances.rates.copy_bytes * 1e-12);
  fmt::print("microseconds of one launch; ratio = best of cuSPARSE and cuBLAS at the same precision / spk, one-shot\n");
}

void print_titles(const Setting& setting) {
  fmt::print(
      "\n{}\n{:40} {:>16} {:>8} {:>5} | {:>8} {:>8} | {:>8} {:9} {:>8} {:>8} {:>8} | {:>6} {:>6} {:>7} {:6} {:>7} "
      "{:>7} | {}\n",
      setting.title(), "matrix", "m x k", "nnz", "n", "spk", "plan", "cusparse", "best", "default", "dense", "loose",
      "ratio", "plan/", "bound", "by", "A100", "V100", "kernel");
}

void print_line(const Race& race) {
  const Result* ours = race.spk();
  const Result* cusparse = race.best(&is_cusparse);
  const Result* plan = race.plan();
  const Result* rival = race.rival();
  const auto ratio = [&](const Result* mine) {
    return mine == nullptr || rival == nullptr ? "-" : fmt::format("{:.2f}", rival->median / mine->median);
  };
  std::string kernel = ours == nullptr ? "" : ours->name;
  if (race.regret() > kRegret) kernel += fmt::format(" ({} {:.2f})", race.forced()->name, race.forced()->median);
  for (const Result& result : race.results) {
    if (!result.wrong) continue;
    kernel += result.failure.empty() ? fmt::format(" WRONG {}: error {:.3g} x bound", result.name, result.worst)
                                     : fmt::format(" WRONG {}: {}", result.name, result.failure);
  }
  for (const Absent& absent : race.absent) {
    if (absent.name == "spk") kernel += "REFUSED " + absent.reason;
  }
  const double shown = ours != nullptr ? ours->median : rival != nullptr ? rival->median : 0;
  fmt::print(
      "{:40} {:>16} {:>8} {:>5} | {:>8} {:>8} | {:>8} {:9} {:>8} {:>8} {:>8} | {:>6} {:>6} {:>6.0f}% {:6} {:>7.2f} "
      "{:>7.2f} | {}\n",
      tool::short_name(race.matrix, 40), fmt::format("{}x{}", race.m, race.k), race.nnz, race.width, us(ours), us(plan),
      us(cusparse), short_algorithm(cusparse), us(race.best([](Kind kind) { return kind == Kind::kCusparseDefault; })),
      us(race.best(&is_dense)), us(race.loose()), ratio(ours), ratio(plan),
      shown > 0 ? 100 * race.bound.us / shown : 0.0, race.bound.by, race.bound_a100.us, race.bound_v100.us, kernel);
  std::fflush(stdout);
}

void print_summary(const std::vector<Race>& races) {
  std::map<std::tuple<std::string, std::int64_t>, Group> groups;
  std::map<std::string, Group> settings;
  Group all;
  for (const Race& race : races) {
    groups[{race.setting.title(), race.width}].add(race);
    settings[race.setting.title()].add(race);
    all.add(race);
  }
  Table table({{"geometric means", false},
               {"n"},
               {"races"},
               {"ratio"},
               {"plan"},
               {"/cusparse"},
               {"/default"},
               {"/dense"},
               {"/loose"},
               {"of bound"},
               {"<0.95"},
               {"<0.5"},
               {"refused"},
               {"wrong"},
               {"regret"},
               {">1.05"}});
  for (const auto& [key, group] : groups) {
    table.add_row(group.cells(std::get<0>(key), fmt::format("{}", std::get<1>(key))));
  }
  for (const auto& [title, group] : settings) table.add_row(group.cells(title, "all"));
  table.add_row(all.cells("everything", "all"));
  fmt::print("\n");
  table.print(stdout);
  for (const Race& race : races) {
    if (!(race.ratio() > 0 && race.ratio() < kLoss)) continue;
    fmt::print("{:.2f} {} {}: {} {:.2f}, {} {:.2f}\n", race.ratio(), race.setting.title(), problem_text(race),
               race.spk()->name, race.spk()->median, race.rival()->name, race.rival()->median);
  }
}

}  // namespace spk::bench
