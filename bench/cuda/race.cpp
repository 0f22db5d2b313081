// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "race.hpp"

#include "failure.hpp"
#include "graph_timing.hpp"

namespace spk::bench {
namespace {

// Runs a contender once on a poisoned output and judges what it leaves. False: a peer that cannot run the problem after
// all, which is noted in `absent`.
bool judge(const Device& device, const Operands& operands, const Contender& contender, Race& race) {
  Result result;
  result.name = contender.name;
  result.kind = contender.kind;
  result.id = contender.id;
  try {
    if (!contender.failure.empty()) throw tool::Failure(contender.failure);
    operands.poison();
    contender.launch(0);
    if (contender.finish) contender.finish();
    device.wait();
    result.worst = operands.worst(false);
    const bool outside = !(result.worst <= 1);
    const bool coarse = outside || contender.kind == Kind::kDenseTf32;
    result.loose = coarse && !is_spk(contender.kind) && operands.worst(true) <= 1;
    result.wrong = outside && !result.loose;
    if (!operands.guards_whole()) {
      result.wrong = true;
      result.failure = "it wrote outside its output";
    }
  } catch (const Unsupported& refusal) {
    race.absent.push_back({contender.name, refusal.what()});
    return false;
  } catch (const tool::Failure& failure) {
    if (!is_spk(contender.kind)) throw;
    result.wrong = true;
    result.failure = failure.what();
  }
  race.results.push_back(std::move(result));
  return true;
}

}  // namespace

const Result* Race::best(bool (*wanted)(Kind), bool loose) const {
  const Result* best = nullptr;
  for (const Result& result : results) {
    if (result.wrong || result.loose != loose || !wanted(result.kind)) continue;
    if (best == nullptr || result.median < best->median) best = &result;
  }
  return best;
}

const Result* Race::spk() const {
  return best([](Kind kind) { return kind == Kind::kSpk; });
}
const Result* Race::plan() const {
  return best([](Kind kind) { return kind == Kind::kSpkPlan; });
}
const Result* Race::rival() const {
  return best([](Kind kind) { return !is_spk(kind); });
}
const Result* Race::loose() const {
  return best([](Kind kind) { return !is_spk(kind); }, true);
}

const Result* Race::forced() const {
  return best([](Kind kind) { return kind == Kind::kSpkForced; });
}

bool Race::wrong() const {
  for (const Result& result : results) {
    if (result.wrong && is_spk(result.kind)) return true;
  }
  return false;
}

double Race::ratio() const {
  const Result* ours = spk();
  const Result* theirs = rival();
  return ours == nullptr || theirs == nullptr ? 0 : theirs->median / ours->median;
}

double Race::regret() const {
  const Result* chosen = spk();
  const Result* fastest = forced();
  return chosen == nullptr || fastest == nullptr ? 0 : chosen->median / fastest->median;
}

Race race(const Device& device, const tool::CsrMatrix& matrix, const Setting& setting, std::int64_t width,
          const RaceOptions& options) {
  const Operands operands(device, matrix, setting, width, options.cold, options.entry.peers);
  Race race;
  race.setting = setting;
  race.matrix = matrix.name;
  race.rows = matrix.rows;
  race.cols = matrix.cols;
  race.nnz = matrix.nnz;
  race.longest_row = longest_row(matrix);
  race.m = operands.m();
  race.n = operands.n();
  race.k = operands.k();
  race.width = width;
  race.flops = useful_flops(operands);
  race.copies = operands.copies();
  race.bound = bound_of(operands, chip_of(device.capability), options.cold);
  race.bound_a100 = bound_of(operands, chip_a100(), options.cold);
  race.bound_v100 = bound_of(operands, chip_v100(), options.cold);

  Field field = make_field(device, operands, options.entry);
  race.absent = field.absent;
  std::vector<const Contender*> entered;
  for (const Contender& contender : field.contenders) {
    if (judge(device, operands, contender, race) && !race.results.back().wrong) entered.push_back(&contender);
  }
  std::vector<Result*> timed;
  for (Result& result : race.results) {
    if (!result.wrong) timed.push_back(&result);
  }
  time_all(device, entered, timed, operands.copies(), options.samples);
  return race;
}

}  // namespace spk::bench
