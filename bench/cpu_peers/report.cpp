// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "report.hpp"

#include <fmt/format.h>
#include <spk/spk.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>
#include <tuple>

#include "json_lines.hpp"
#include "table.hpp"

namespace spk::bench {
namespace {

using tool::Operation;
using tool::Style;
using tool::Table;

const char* order_name(const Race& race) {
  if (race.operation == Operation::kSoftmax) return "-";
  if (race.transposed) return race.order == SPK_ORDER_ROW ? "row, A^T" : "col, A^T";
  return race.order == SPK_ORDER_ROW ? "row" : "col";
}

std::string n_text(const Race& race) { return race.operation == Operation::kSoftmax ? "-" : fmt::format("{}", race.n); }

// Multiplications and additions; softmax counts entries.
double work_of(const Race& race) { return race.flops > 0 ? race.flops : static_cast<double>(race.nnz); }

template <class Number>
double geometric_mean(const std::vector<const Race*>& races, Number number) {
  double sum = 0;
  for (const Race* race : races) sum += std::log(number(*race));
  return std::exp(sum / static_cast<double>(races.size()));
}

Table::Cell ratio_cell(double ratio) { return {fmt::format("{:.2f}", ratio), ratio < 1 ? Style::kBad : Style::kPlain}; }

// Four digits are more than a timing is worth; all of them would make the file three times as long.
double rounded(double number) { return std::stod(fmt::format("{:.4g}", number)); }

nlohmann::ordered_json timing_json(const tool::Timing& timing) {
  return {{"median_s", rounded(timing.median)},
          {"q1_s", rounded(timing.q1)},
          {"q3_s", rounded(timing.q3)},
          {"samples", timing.samples}};
}

}  // namespace

void print_limits(const tool::Limits& limits) {
  fmt::print("limits, {} thread{}, {}: FMA f32 {:.0f} GFLOP/s; read", limits.threads, limits.threads == 1 ? "" : "s",
             limits.isa, limits.flops_f32 * 1e-9);
  for (const tool::Limits::Level& level : limits.levels) {
    fmt::print(" {} {:.0f}", level.name, level.bytes_per_second * 1e-9);
  }
  fmt::print(" GB/s\n\n");
}

void print_details(const std::vector<Race>& races) {
  Table table({{"matrix", false},
               {"size"},
               {"sparsity"},
               {"op", false},
               {"order", false},
               {"n"},
               {"textbook"},
               {"best peer"},
               {"", false},
               {"one-shot"},
               {"plan"},
               {"kept"},
               {"one-shot/p"},
               {"plan/p"},
               {"kept/p"},
               {"of bound"},
               {"spread"}});
  for (const Race& race : races) {
    const double work = work_of(race) * 1e-9;
    const double spread = std::max({race.rival().timing.spread(), race.one_shot.spread(), race.plan.spread()});
    table.add_row({tool::short_name(race.file, 40), fmt::format("{}x{}", race.rows, race.cols),
                   fmt::format("{:.3f}", race.sparsity), tool::operation_name(race.operation), order_name(race),
                   n_text(race), fmt::format("{:.2f}", work / race.textbook().median),
                   fmt::format("{:.2f}", work / race.rival().timing.median), race.rival().name,
                   fmt::format("{:.2f}", work / race.one_shot.median), fmt::format("{:.2f}", work / race.plan.median),
                   race.has_kept() ? fmt::format("{:.2f}", work / race.kept.median) : "-",
                   ratio_cell(race.one_shot_ratio()), ratio_cell(race.plan_ratio()),
                   race.has_kept() ? ratio_cell(race.kept_ratio()) : Table::Cell{"-", Style::kPlain},
                   fmt::format("{:.0f} %", 100 * race.bound_seconds / std::min(race.one_shot.median, race.plan.median)),
                   fmt::format("{:.0f} %", 100 * spread)});
  }
  table.print(stdout);
  fmt::print("\n");
}

void print_summary(const std::vector<Race>& races) {
  std::map<std::tuple<int, int, int, std::int64_t>, std::vector<const Race*>> groups;
  for (const Race& race : races) {
    // Row order first, as in the other tables.
    const int order = race.order == SPK_ORDER_ROW ? 0 : 1;
    groups[{static_cast<int>(race.operation), race.transposed, order, race.n}].push_back(&race);
  }
  Table table({{"op", false},
               {"order", false},
               {"n"},
               {"matrices"},
               {"textbook"},
               {"best peer"},
               {"dense"},
               {"one-shot"},
               {"plan"},
               {"kept"},
               {"one-shot/t"},
               {"one-shot/p"},
               {"plan/p"},
               {"kept/p"},
               {"below 0.9"},
               {"worst"},
               {"of bound"},
               {"spread"},
               {"worst matrix", false}});
  for (const auto& [key, group] : groups) {
    const Race& first = *group.front();
    const Race& worst = **std::min_element(group.begin(), group.end(), [](const Race* a, const Race* b) {
      return a->one_shot_ratio() < b->one_shot_ratio();
    });
    const auto below =
        std::count_if(group.begin(), group.end(), [](const Race* race) { return race->one_shot_ratio() < 0.9; });
    std::vector<double> spreads;
    for (const Race* race : group) spreads.push_back(race->one_shot.spread());
    const auto rate = [&group = group](auto timing) {
      return fmt::format("{:.2f}",
                         1e-9 * geometric_mean(group, [&](const Race& r) { return work_of(r) / timing(r).median; }));
    };
    const bool has_dense = first.best(PeerKind::dense) != nullptr;
    table.add_row(
        {tool::operation_name(first.operation), order_name(first), n_text(first), fmt::format("{}", group.size()),
         rate([](const Race& r) { return r.textbook(); }), rate([](const Race& r) { return r.rival().timing; }),
         has_dense ? rate([](const Race& r) { return r.best(PeerKind::dense)->timing; }) : "-",
         rate([](const Race& r) { return r.one_shot; }), rate([](const Race& r) { return r.plan; }),
         first.has_kept() ? rate([](const Race& r) { return r.kept; }) : "-",
         ratio_cell(geometric_mean(group, [](const Race& r) { return r.textbook().median / r.one_shot.median; })),
         ratio_cell(geometric_mean(group, [](const Race& r) { return r.one_shot_ratio(); })),
         ratio_cell(geometric_mean(group, [](const Race& r) { return r.plan_ratio(); })),
         first.has_kept() ? ratio_cell(geometric_mean(group, [](const Race& r) { return r.kept_ratio(); }))
                          : Table::Cell{"-", Style::kPlain},
         fmt::format("{}", below), ratio_cell(worst.one_shot_ratio()),
         fmt::format("{:.0f} %", 100 * geometric_mean(group,
                                                      [](const Race& r) {
                                                        return r.bound_seconds /
                                                               std::min(r.one_shot.median, r.plan.median);
                                                      })),
         fmt::format("{:.0f} %", 100 * tool::summarize(spreads).median), tool::short_name(worst.file, 40)});
  }
  table.print(stdout);
  fmt::print(
      "\nrates in GFLOP/s of useful work, 2 nnz n (softmax: 10^9 entries/s); geometric means. best peer: the fastest "
      "sparse routine of a library on each problem, the textbook's loop where there is none;\nkept: a plan that keeps "
      "values; /t, /p: times as fast as "
      "the textbook's loop, as the best peer; below 0.9, worst: of one-shot/p. of bound: share of max(FMA peak, each "
      "byte once at the rate of the level that holds all)\nthat the faster of one-shot and plan reaches; spread: "
      "median "
      "of interquartile range / median; n is the inner size for sddmm; warm caches; samples interleaved in one "
      "process\n");
}

std::string to_json(const std::vector<Race>& races, const Circumstances& circumstances) {
  const tool::Limits& limits = circumstances.limits;
  nlohmann::ordered_json root;
  root["benchmark"] = "cpu_peers";
  root["commit"] = circumstances.commit;
  root["spk_version"] = spk_version();
  root["processor"] = tool::cpu_model();
  root["cores"] = std::thread::hardware_concurrency();
  root["compiler"] = kCompiler;
  root["textbook_flags"] = "-O3 -march=native";
  root["threads"] = limits.threads;
  root["matrices"] = circumstances.source;
  root["cache"] = "warm";
  root["samples"] = circumstances.samples;
  root["limits"]["isa"] = limits.isa;
  root["limits"]["fma_f32_flops"] = limits.flops_f32;
  for (const tool::Limits::Level& level : limits.levels) {
    root["limits"]["read_bytes_per_s"][level.name] = level.bytes_per_second;
  }
  root["races"] = nlohmann::ordered_json::array();
  for (const Race& race : races) {
    nlohmann::ordered_json line = {{"file", tool::short_name(race.file, 80)},
                                   {"rows", race.rows},
                                   {"cols", race.cols},
                                   {"nnz", race.nnz},
                                   {"operation", tool::operation_name(race.operation)},
                                   {"order", race.operation == Operation::kSoftmax ? "-"
                                             : race.order == SPK_ORDER_ROW         ? "row"
                                                                                   : "col"},
                                   {"opA", race.transposed ? "T" : "N"},
                                   {"n", race.n},
                                   {"bound_s", rounded(race.bound_seconds)},
                                   {"one_shot_kernel", race.one_shot_kernel},
                                   {"plan_kernel", race.plan_kernel},
                                   {"difference", rounded(race.difference)},
                                   {"one_shot", timing_json(race.one_shot)},
                                   {"plan", timing_json(race.plan)}};
    if (race.has_kept()) {
      line["kept_kernel"] = race.kept_kernel;
      line["kept"] = timing_json(race.kept);
    }
    for (const Contender& peer : race.peers) line["peers"][peer.name] = timing_json(peer.timing);
    root["races"].push_back(std::move(line));
  }
  return tool::json_lines(root);
}

}  // namespace spk::bench
