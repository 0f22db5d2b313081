// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "json_lines.hpp"
#include "report.hpp"

namespace spk::bench {
namespace {

using Json = nlohmann::ordered_json;

// Four digits are more than a timing is worth.
double rounded(double number) { return std::isfinite(number) ? std::stod(fmt::format("{:.4g}", number)) : 1e300; }

Json result_json(const Result& result) {
  Json json{{"name", result.name}, {"kind", kind_name(result.kind)}};
  if (result.id != 0) json["id"] = result.id;
  json["error_over_bound"] = rounded(result.worst);
  if (result.wrong) {
    json["wrong"] = true;
    if (!result.failure.empty()) json["failure"] = result.failure;
    return json;
  }
  if (result.loose) json["loose"] = true;
  json["us"] = rounded(result.median);
  json["q1"] = rounded(result.q1);
  json["q3"] = rounded(result.q3);
  json["min"] = rounded(result.least);
  json["max"] = rounded(result.most);
  json["launches"] = result.launches;
  if (!result.graph) json["graph"] = false;
  return json;
}

Json race_json(const Race& race) {
  const Setting& setting = race.setting;
  Json json{{"matrix", race.matrix},
            {"operation", tool::operation_name(setting.operation)},
            {"type", setting.type_name},
            {"order", setting.order_text()},
            {"opA", setting.opA == SPK_OP_N ? "N" : "T"},
            {"opB", setting.opB == SPK_OP_N ? "N" : "T"},
            {"m", race.m},
            {"n", race.n},
            {"k", race.k},
            {"width", race.width},
            {"nnz", race.nnz},
            {"longest_row", race.longest_row},
            {"flops", race.flops},
            {"copies", race.copies},
            {"bound_us", rounded(race.bound.us)},
            {"bound_by", race.bound.by},
            {"bound_a100_us", rounded(race.bound_a100.us)},
            {"bound_v100_us", rounded(race.bound_v100.us)},
            {"ratio", rounded(race.ratio())}};
  for (const Result& result : race.results) json["results"].push_back(result_json(result));
  for (const Absent& absent : race.absent) json["absent"].push_back({{"name", absent.name}, {"reason", absent.reason}});
  return json;
}

}  // namespace

std::string to_json(const Device& device, const Circumstances& circumstances, const std::vector<Race>& races,
                    const std::vector<Oneshot>& oneshots) {
  Json json{{"benchmark", "cuda_peers"},
            {"commit", circumstances.commit},
            {"spk_version", spk_version()},
            {"options", circumstances.command},
            {"device", device.name},
            {"compute_capability", device.capability},
            {"driver", device.driver},
            {"cuda", device.runtime},
            {"cusparse", device.cusparse_version},
            {"cublas", device.cublas_version},
            {"l2_bytes", device.l2_bytes},
            {"launch_us", rounded(circumstances.rates.launch_us)},
            {"copy_bytes_per_s", rounded(circumstances.rates.copy_bytes)},
            {"cache", circumstances.cold ? "cold" : "warm"},
            {"samples", circumstances.samples}};
  json["races"] = Json::array();
  for (const Race& race : races) json["races"].push_back(race_json(race));
  for (const Oneshot& one : oneshots) {
    json["oneshot"].push_back({{"matrix", one.matrix},
                               {"type", one.setting.type_name},
                               {"n", one.n},
                               {"empty_launch_us", rounded(one.empty_us)},
                               {"spk_us", rounded(one.spk_us)},
                               {"cusparse_us", rounded(one.cusparse_us)}});
  }
  return tool::json_lines(json);
}

}  // namespace spk::bench
