// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "contenders.hpp"

// spk through its C interface: the one-shot call, a plan, and every kernel by its id.
namespace spk::bench {
namespace {

using tool::Operation;

// Ids of kernels that are asked for. Every table of the library has its ids in this range.
constexpr spk_algorithm_t kFirstId = 256, kLastId = 1023;

// Descriptors of one copy. What an operation does not have stays empty.
struct Objects {
  tool::Sparse sparse_in, sparse_out;
  tool::Dense left, right, out;
  tool::Vector x, y;
};

tool::Sparse describe_sparse(const Operands& operands, std::size_t i, void* values) {
  const Operands::Copy& copy = operands.copy(i);
  spk_spmat_t mat = nullptr;
  tool::check(spk_csr_create(&mat, operands.rows(), operands.cols(), operands.nnz(), copy.offsets, copy.indices, values,
                             SPK_INDEX_32I, SPK_INDEX_32I, SPK_INDEX_BASE_ZERO, operands.setting().type->type));
  return tool::Sparse(mat);
}

tool::Dense describe_dense(const StoredDense& dense, void* values, const tool::ValueType& type) {
  spk_dnmat_t mat = nullptr;
  tool::check(spk_dnmat_create(&mat, dense.rows, dense.cols, dense.ld, values, type.type, dense.order));
  return tool::Dense(mat);
}

tool::Vector describe_vector(std::int64_t size, void* values, const tool::ValueType& type) {
  spk_dnvec_t vec = nullptr;
  tool::check(spk_dnvec_create(&vec, size, values, type.type));
  return tool::Vector(vec);
}

Objects describe(const Operands& operands, std::size_t i) {
  const Setting& setting = operands.setting();
  const Operands::Copy& copy = operands.copy(i);
  Objects objects;
  switch (setting.operation) {
    case Operation::kSpmm:
      objects.sparse_in = describe_sparse(operands, i, copy.values);
      objects.right = describe_dense(operands.right(), copy.right, *setting.type);
      objects.out = describe_dense(operands.output(), copy.output, *setting.type);
      break;
    case Operation::kSpmv:
      objects.sparse_in = describe_sparse(operands, i, copy.values);
      objects.x = describe_vector(operands.k(), copy.right, *setting.type);
      objects.y = describe_vector(operands.m(), copy.output, *setting.type);
      break;
    case Operation::kSddmm:
      objects.left = describe_dense(operands.left(), copy.left, *setting.type);
      objects.right = describe_dense(operands.right(), copy.right, *setting.type);
      objects.sparse_out = describe_sparse(operands, i, copy.output);
      break;
    case Operation::kSoftmax:
      objects.sparse_in = describe_sparse(operands, i, copy.values);
      objects.sparse_out = describe_sparse(operands, i, copy.output);
      break;
  }
  return objects;
}

// Everything that is fixed for one contender.
struct Call {
  spk_handle_t handle;
  const Setting* setting;
  spk_algorithm_t alg;
  tool::Scalar one, zero;
  std::vector<Objects> copies;
  tool::Plan plan;  // empty: one-shot
  DeviceBytes workspace;

  spk_status_t run(std::size_t i) const;
  std::size_t workspace_bytes() const;
  void make_plan();
  void keep_values();
};

spk_status_t Call::run(std::size_t i) const {
  const Objects& o = copies[i];
  const Setting& s = *setting;
  void* memory = workspace.data();
  const std::size_t bytes = workspace.bytes();
  const void* alpha = one.storage;
  const void* beta = zero.storage;
  switch (s.operation) {
    case Operation::kSpmm:
      if (plan) {
        return spk_spmm_execute(handle, plan.get(), alpha, o.sparse_in.get(), o.right.get(), beta, o.out.get(), nullptr,
                                memory, bytes);
      }
      return spk_spmm(handle, s.opA, s.opB, alpha, o.sparse_in.get(), o.right.get(), beta, o.out.get(), s.compute, alg,
                      memory, bytes);
    case Operation::kSpmv:
      if (plan) {
        return spk_spmv_execute(handle, plan.get(), alpha, o.sparse_in.get(), o.x.get(), beta, o.y.get(), memory,
                                bytes);
      }
      return spk_spmv(handle, s.opA, alpha, o.sparse_in.get(), o.x.get(), beta, o.y.get(), s.compute, alg, memory,
                      bytes);
    case Operation::kSddmm:
      if (plan) {
        return spk_sddmm_execute(handle, plan.get(), alpha, o.left.get(), o.right.get(), beta, o.sparse_out.get(),
                                 memory, bytes);
      }
      return spk_sddmm(handle, s.opA, s.opB, alpha, o.left.get(), o.right.get(), beta, o.sparse_out.get(), s.compute,
                       alg, memory, bytes);
    case Operation::kSoftmax: break;
  }
  if (plan) {
    return spk_softmax_execute(handle, plan.get(), 1, o.sparse_in.get(), nullptr, o.sparse_out.get(), memory, bytes);
  }
  return spk_softmax(handle, 1, o.sparse_in.get(), nullptr, o.sparse_out.get(), alg, memory, bytes);
}

std::size_t Call::workspace_bytes() const {
  const Objects& o = copies.front();
  const Setting& s = *setting;
  std::size_t bytes = 0;
  spk_status_t status = SPK_STATUS_SUCCESS;
  if (plan) {
    status = spk_plan_workspace(handle, plan.get(), &bytes);
  } else if (s.operation == Operation::kSpmm) {
    status =
        spk_spmm_workspace(handle, s.opA, s.opB, o.sparse_in.get(), o.right.get(), o.out.get(), s.compute, alg, &bytes);
  } else if (s.operation == Operation::kSpmv) {
    status = spk_spmv_workspace(handle, s.opA, o.sparse_in.get(), o.x.get(), o.y.get(), s.compute, alg, &bytes);
  } else if (s.operation == Operation::kSddmm) {
    status = spk_sddmm_workspace(handle, s.opA, s.opB, o.left.get(), o.right.get(), o.sparse_out.get(), s.compute, alg,
                                 &bytes);
  } else {
    status = spk_softmax_workspace(handle, o.sparse_in.get(), o.sparse_out.get(), alg, &bytes);
  }
  tool::check(status, handle);
  return bytes;
}

void Call::make_plan() {
  const Objects& o = copies.front();
  const Setting& s = *setting;
  spk_plan_t made = nullptr;
  spk_status_t status = SPK_STATUS_SUCCESS;
  switch (s.operation) {
    case Operation::kSpmm:
      status = spk_spmm_plan_create(&made, handle, s.opA, s.opB, o.sparse_in.get(), o.right.get(), o.out.get(),
                                    s.compute, alg, nullptr);
      break;
    case Operation::kSpmv:
      status = spk_spmv_plan_create(&made, handle, s.opA, o.sparse_in.get(), o.x.get(), o.y.get(), s.compute, alg);
      break;
    case Operation::kSddmm:
      status = spk_sddmm_plan_create(&made, handle, s.opA, s.opB, o.left.get(), o.right.get(), o.sparse_out.get(),
                                     s.compute, alg);
      break;
    case Operation::kSoftmax:
      status = spk_softmax_plan_create(&made, handle, o.sparse_in.get(), o.sparse_out.get(), alg);
      break;
  }
  plan.reset(made);
  if (status == SPK_STATUS_NOT_SUPPORTED) throw Unsupported("no kernel takes it as a plan");
  tool::check(status, handle);
}

// The kernel that would run and its id, or nothing.
struct Answer {
  bool runs = false;
  std::int32_t id = 0;
  std::string text;  // name of the kernel, or the refusals
};

Answer ask(const Device& device, const Setting& setting, const Objects& objects, spk_algorithm_t alg) {
  spk_support_query_t query{};
  query.struct_size = sizeof query;
  switch (setting.operation) {
    case Operation::kSpmm: query.operation = SPK_OPERATION_SPMM; break;
    case Operation::kSpmv: query.operation = SPK_OPERATION_SPMV; break;
    case Operation::kSddmm: query.operation = SPK_OPERATION_SDDMM; break;
    case Operation::kSoftmax: query.operation = SPK_OPERATION_SOFTMAX; break;
  }
  const bool sampled = setting.operation == Operation::kSddmm;
  query.opA = setting.opA;
  query.opB = setting.opB;
  query.compute_type = setting.compute;
  query.alg = alg;
  query.sparse = sampled ? objects.sparse_out.get() : objects.sparse_in.get();
  query.dense_in = sampled ? objects.left.get() : objects.right.get();
  query.dense_in2 = objects.right.get();
  query.dense_out = objects.out.get();
  query.vec_in = objects.x.get();
  query.vec_out = objects.y.get();
  query.sparse_out = objects.sparse_out.get();
  Answer answer;
  char text[1024];
  answer.runs =
      spk_query_support(device.spk.get(), &query, &answer.id, text, sizeof text, nullptr) == SPK_STATUS_SUCCESS;
  answer.text = text;
  return answer;
}

void Call::keep_values() {
  if (copies.size() > 1) throw Unsupported("a plan keeps the values of one copy alone");
  tool::check(spk_plan_keep_values(handle, plan.get(), copies[0].sparse_in.get()), handle);
}

std::string plan_text(const tool::Plan& plan) {
  char text[256];
  tool::check(spk_plan_describe(plan.get(), text, sizeof text, nullptr));
  return text;
}

Contender contender(const Device& device, const Operands& operands, spk_algorithm_t alg, bool with_plan,
                    bool keeps_values) {
  const Setting& setting = operands.setting();
  auto call = std::make_shared<Call>();
  call->handle = device.spk.get();
  call->setting = &setting;
  call->alg = alg;
  call->one = tool::make_scalar(1, *setting.type);
  call->zero = tool::make_scalar(0, *setting.type);
  for (std::size_t i = 0; i < operands.copies(); ++i) call->copies.push_back(describe(operands, i));
  if (with_plan) call->make_plan();
  if (keeps_values) call->keep_values();
  call->workspace = DeviceBytes(call->workspace_bytes());
  device.wait();
  Contender result;
  if (with_plan) result.name = plan_text(call->plan);
  result.launch = [call](std::size_t i) { tool::check(call->run(i), call->handle); };
  return result;
}

}  // namespace

void add_spk(Field& field, const Device& device, const Operands& operands, const Entry& entry) {
  const Setting& setting = operands.setting();
  const Objects objects = describe(operands, 0);
  const Answer chosen = ask(device, setting, objects, SPK_ALG_DEFAULT);
  if (!chosen.runs) {
    field.absent.push_back({"spk", chosen.text});
    return;
  }
  const auto enter = [&](const std::string& name, Kind kind, std::int32_t id, spk_algorithm_t alg) {
    const bool is_product = setting.operation == tool::Operation::kSpmm || setting.operation == tool::Operation::kSpmv;
    const bool keeps = entry.keeps_values && is_product && kind == Kind::kSpkPlan;
    field.add(name, kind, [&] {
      Contender one = contender(device, operands, alg, kind == Kind::kSpkPlan, keeps);
      one.id = id;
      return one;
    });
  };
  enter(chosen.text, Kind::kSpk, chosen.id, SPK_ALG_DEFAULT);
  if (entry.plan) enter("plan", Kind::kSpkPlan, 0, SPK_ALG_DEFAULT);
  if (!entry.forced) return;
  for (spk_algorithm_t id = kFirstId; id <= kLastId; ++id) {
    const Answer answer = ask(device, setting, objects, id);
    if (answer.runs) enter(answer.text, Kind::kSpkForced, id, id);
  }
}

}  // namespace spk::bench
