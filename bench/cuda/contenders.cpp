// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "contenders.hpp"

#include "failure.hpp"

namespace spk::bench {

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::kSpk: return "spk";
    case Kind::kSpkPlan: return "spk_plan";
    case Kind::kSpkForced: return "spk_forced";
    case Kind::kCusparse: return "cusparse";
    case Kind::kCusparseDefault: return "cusparse_default";
    case Kind::kDense: return "dense";
    case Kind::kDenseTf32: return "dense_tf32";
  }
  return "";
}

bool is_spk(Kind kind) { return kind == Kind::kSpk || kind == Kind::kSpkPlan || kind == Kind::kSpkForced; }

void Field::add(const std::string& name, Kind kind, const std::function<Contender()>& make) {
  Contender contender;
  try {
    contender = make();
  } catch (const Unsupported& refusal) {
    absent.push_back({name, refusal.what()});
    return;
  } catch (const tool::Failure& failure) {
    if (!is_spk(kind)) throw;
    contender.failure = failure.what();
  }
  if (contender.name.empty()) contender.name = name;
  contender.kind = kind;
  contenders.push_back(std::move(contender));
}

Field make_field(const Device& device, const Operands& operands, const Entry& entry) {
  Field field;
  if (entry.spk) add_spk(field, device, operands, entry);
  if (!entry.peers) return field;
  switch (operands.setting().operation) {
    case tool::Operation::kSpmm: add_cusparse_spmm(field, device, operands); break;
    case tool::Operation::kSpmv: add_cusparse_spmv(field, device, operands); break;
    case tool::Operation::kSddmm: add_cusparse_sddmm(field, device, operands); break;
    case tool::Operation::kSoftmax: return field;
  }
  add_dense(field, device, operands);
  return field;
}

}  // namespace spk::bench
