// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "commands.hpp"
#include "limits.hpp"
#include "table.hpp"

namespace spk::tool {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  bool json = false;
  bool limits = false;
  int threads = 1;
};

std::string version_text() {
  const int version = spk_version();
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

void print_json(const Options& options) {
  Json root;
  root["version"] = version_text();
  root["processor"] = cpu_model();
  root["hardware_threads"] = std::thread::hardware_concurrency();
  for (const spk_backend_info_t& backend : all_backends()) {
    root["backends"].push_back({{"name", backend.name},
                                {"available", backend.available != 0},
                                {"default_threads", backend.default_threads},
                                {"detail", backend.detail}});
  }
  if (options.limits) {
    const Limits limits = measure_limits(options.threads);
    Json& node = root["limits"];
    node["threads"] = limits.threads;
    node["isa"] = limits.isa;
    node["fma_f32_gflops"] = limits.flops_f32 * 1e-9;
    node["fma_f64_gflops"] = limits.flops_f64 * 1e-9;
    for (const Limits::Level& level : limits.levels) {
      node["levels"].push_back(
          {{"name", level.name}, {"bytes", level.bytes}, {"gbytes_per_s", level.bytes_per_second * 1e-9}});
    }
  }
  fmt::print("{}\n", root.dump(2));
}

void print_text(const Options& options) {
  fmt::print("spk        {}\nprocessor  {}\nthreads    {}\n\n", version_text(), cpu_model(),
             std::thread::hardware_concurrency());
  Table table({{"backend", false}, {"available", false}, {"threads"}, {"detail", false}});
  for (const spk_backend_info_t& backend : all_backends()) {
    const bool here = backend.available != 0;
    table.add_row({backend.name,
                   {here ? "yes" : "no", here ? Style::kGood : Style::kDim},
                   here && backend.default_threads > 0 ? fmt::format("{}", backend.default_threads) : "-",
                   backend.detail});
  }
  table.print(stdout);
  if (!options.limits) return;

  const Limits limits = measure_limits(options.threads);
  fmt::print("\nmeasured with {} thread{}, {} vectors\n", limits.threads, limits.threads == 1 ? "" : "s", limits.isa);
  Table measured({{"limit", false}, {"rate"}, {"unit", false}});
  measured.add_row({"FMA f32", fmt::format("{:.0f}", limits.flops_f32 * 1e-9), "GFLOP/s"});
  measured.add_row({"FMA f64", fmt::format("{:.0f}", limits.flops_f64 * 1e-9), "GFLOP/s"});
  for (const Limits::Level& level : limits.levels) {
    measured.add_row({"read " + level.name, fmt::format("{:.0f}", level.bytes_per_second * 1e-9), "GB/s"});
  }
  measured.print(stdout);
}

}  // namespace

void add_info(CLI::App& app, int& /*exit_code*/) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("info", "Versions, backends and why one cannot run, limits of this machine");
  command->add_flag("--json", options->json, "Print JSON");
  command->add_flag("--limits", options->limits, "Measure peak arithmetic and memory rates (about a second)");
  add_integer(command, "--threads", options->threads, "Threads that measure --limits at once");
  command->callback([options] {
    require_at_least("info", "--threads", options->threads, 1);
    options->json ? print_json(*options) : print_text(*options);
  });
}

}  // namespace spk::tool
