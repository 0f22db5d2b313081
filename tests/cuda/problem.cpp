// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/problem.hpp"

namespace spk::test {

DeviceProblem::DeviceProblem(spk_handle_t handle, std::int64_t m_, std::int64_t n_, std::int64_t k_)
    : m(m_), n(n_), k(k_), nnz(0) {
  Draw draw(7);
  std::vector<std::int32_t> starts{0}, row_list, column_list;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < k && i % 9 != 4; ++j) {
      if (!draw.chance(i == 5 ? 100 : 20)) continue;
      row_list.push_back(static_cast<std::int32_t>(i));
      column_list.push_back(static_cast<std::int32_t>(j));
    }
    starts.push_back(static_cast<std::int32_t>(column_list.size()));
  }
  nnz = static_cast<std::int64_t>(column_list.size());
  const auto floats = [&](std::int64_t count) {
    return std::make_unique<DeviceArray<float>>(handle, std::vector<float>(static_cast<std::size_t>(count), -7));
  };
  offsets = std::make_unique<DeviceArray<std::int32_t>>(handle, starts);
  rows = std::make_unique<DeviceArray<std::int32_t>>(handle, row_list);
  columns = std::make_unique<DeviceArray<std::int32_t>>(handle, column_list);
  std::vector<std::uint8_t> kept(static_cast<std::size_t>(nnz));
  for (std::uint8_t& keep : kept) keep = draw.chance(80) ? 1 : 0;
  mask = std::make_unique<DeviceArray<std::uint8_t>>(handle, kept);
  values = floats(nnz);
  left = floats(m * n);
  right = floats(k * n);
  tall = floats(m * n);
  bias = floats(m);
  c = floats(m * n);
  tall_c = floats(k * n);
  y = floats(m);
  sampled = floats(nnz);
  soft = floats(nnz);
  gradient = floats(nnz);
  dx = floats(nnz);
  spread = floats(m);
  gathered = floats(m);
  dot = floats(1);
  std::vector<std::int32_t> element_list;
  for (std::int32_t i = 0; i < m; i += 2) element_list.push_back(i);
  elements = std::make_unique<DeviceArray<std::int32_t>>(handle, element_list);
  change(1);

  const auto csr = [&](spk_spmat_t& mat, const DeviceArray<float>& entries) {
    SPK_EXPECT_OK(spk_csr_create(&mat, m, k, nnz, offsets->data(), columns->data(), entries.data(), SPK_INDEX_32I,
                                 SPK_INDEX_32I, SPK_INDEX_BASE_ZERO, SPK_R_32F));
  };
  csr(S, *values);
  csr(out, *sampled);
  csr(Y, *soft);
  csr(dY, *gradient);
  csr(dX, *dx);
  SPK_EXPECT_OK(spk_coo_create(&coo, m, k, nnz, rows->data(), columns->data(), values->data(), SPK_INDEX_32I,
                               SPK_INDEX_BASE_ZERO, SPK_R_32F));
  const auto dense = [&](spk_dnmat_t& mat, std::int64_t lines, const DeviceArray<float>& entries) {
    SPK_EXPECT_OK(spk_dnmat_create(&mat, lines, n, n, entries.data(), SPK_R_32F, SPK_ORDER_ROW));
  };
  dense(L, m, *left);
  dense(B, k, *right);
  dense(T, m, *tall);
  dense(C, m, *c);
  dense(tallC, k, *tall_c);
  SPK_EXPECT_OK(spk_dnvec_create(&x, k, right->data(), SPK_R_32F));
  SPK_EXPECT_OK(spk_dnvec_create(&vec_y, m, y->data(), SPK_R_32F));
  SPK_EXPECT_OK(spk_dnvec_create(&bias_vec, m, bias->data(), SPK_R_32F));
  SPK_EXPECT_OK(spk_dnvec_create(&vec_spread, m, spread->data(), SPK_R_32F));
  const auto vector = [&](spk_spvec_t& vec, const DeviceArray<float>& entries) {
    SPK_EXPECT_OK(spk_spvec_create(&vec, m, static_cast<std::int64_t>(element_list.size()), elements->data(),
                                   entries.data(), SPK_INDEX_32I, SPK_INDEX_BASE_ZERO, SPK_R_32F));
  };
  vector(sparse, *values);
  vector(sparse_out, *gathered);
  epilogue.struct_size = sizeof epilogue;
  epilogue.activation = SPK_ACTIVATION_RELU;
  epilogue.bias_kind = SPK_BIAS_PER_ROW;
  epilogue.bias = bias_vec;
}

DeviceProblem::~DeviceProblem() {
  for (const spk_plan_t plan : plans_) spk_plan_destroy(plan);
  for (const spk_spmat_t mat : {S, coo, out, Y, dY, dX}) spk_spmat_destroy(mat);
  for (const spk_dnmat_t mat : {L, B, T, C, tallC}) spk_dnmat_destroy(mat);
  for (const spk_dnvec_t vec : {x, vec_y, bias_vec, vec_spread}) spk_dnvec_destroy(vec);
  for (const spk_spvec_t vec : {sparse, sparse_out}) spk_spvec_destroy(vec);
}

void DeviceProblem::change(std::uint64_t seed) {
  for (DeviceArray<float>* array :
       {values.get(), left.get(), right.get(), tall.get(), bias.get(), soft.get(), gradient.get()})
    array->write(draw_floats(seed * 100 + array->bytes(), static_cast<std::int64_t>(array->written().size())));
}

std::vector<DeviceProblem::Call> DeviceProblem::calls() {
  constexpr std::int32_t kSum = SPK_COMPUTE_32F, kAny = SPK_ALG_DEFAULT;
  const auto spmm = [this](const char* name, spk_operation_t op, spk_spmat_t mat, spk_dnmat_t in, spk_dnmat_t result,
                           const spk_epilogue_t* end, DeviceArray<float>* array) {
    return Call{name,
                [=](spk_handle_t h, std::size_t* bytes) {
                  return spk_spmm_workspace(h, op, SPK_OP_N, mat, in, result, kSum, kAny, bytes);
                },
                [=, this](spk_handle_t h, void* w, std::size_t bytes) {
                  return spk_spmm_epilogue(h, op, SPK_OP_N, &alpha, mat, in, &beta, result, kSum, kAny, end, w, bytes);
                },
                array};
  };
  const auto no_workspace = [](spk_handle_t, std::size_t* bytes) {
    *bytes = 0;
    return spk_status_t{SPK_STATUS_SUCCESS};
  };
  return {
      spmm("spmm", SPK_OP_N, S, B, C, nullptr, c.get()),
      spmm("spmm of the transpose", SPK_OP_T, S, T, tallC, nullptr, tall_c.get()),
      spmm("spmm with epilogue", SPK_OP_N, S, B, C, &epilogue, c.get()),
      spmm("spmm from coo", SPK_OP_N, coo, B, C, nullptr, c.get()),
      {"spmv",
       [this](spk_handle_t h, std::size_t* bytes) {
         return spk_spmv_workspace(h, SPK_OP_N, S, x, vec_y, kSum, kAny, bytes);
       },
       [this](spk_handle_t h, void* w, std::size_t bytes) {
         return spk_spmv(h, SPK_OP_N, &alpha, S, x, &beta, vec_y, kSum, kAny, w, bytes);
       },
       y.get()},
      {"sddmm",
       [this](spk_handle_t h, std::size_t* bytes) {
         return spk_sddmm_workspace(h, SPK_OP_N, SPK_OP_T, L, B, out, kSum, kAny, bytes);
       },
       [this](spk_handle_t h, void* w, std::size_t bytes) {
         return spk_sddmm(h, SPK_OP_N, SPK_OP_T, &alpha, L, B, &beta, out, kSum, kAny, w, bytes);
       },
       sampled.get()},
      {"softmax", [this](spk_handle_t h, std::size_t* bytes) { return spk_softmax_workspace(h, S, dX, kAny, bytes); },
       [this](spk_handle_t h, void* w, std::size_t bytes) {
         return spk_softmax(h, 0.5, S, mask->data(), dX, kAny, w, bytes);
       },
       dx.get()},
      {"softmax backward",
       [this](spk_handle_t h, std::size_t* bytes) { return spk_softmax_backward_workspace(h, Y, dY, dX, kAny, bytes); },
       [this](spk_handle_t h, void* w, std::size_t bytes) {
         return spk_softmax_backward(h, 0.5, Y, dY, dX, kAny, w, bytes);
       },
       dx.get()},
      {"axpby", no_workspace,
       [this](spk_handle_t h, void*, std::size_t) { return spk_axpby(h, &alpha, sparse, &beta, vec_spread); },
       spread.get()},
      {"gather", no_workspace,
       [this](spk_handle_t h, void*, std::size_t) { return spk_gather(h, bias_vec, sparse_out); }, gathered.get()},
      {"scatter", no_workspace,
       [this](spk_handle_t h, void*, std::size_t) { return spk_scatter(h, sparse, vec_spread); }, spread.get()},
      {"spvv",
       [this](spk_handle_t h, std::size_t* bytes) {
         return spk_spvv_workspace(h, SPK_OP_N, sparse, bias_vec, kSum, bytes);
       },
       [this](spk_handle_t h, void* w, std::size_t bytes) {
         spk_set_pointer_mode(h, SPK_POINTER_MODE_DEVICE);
         const spk_status_t status = spk_spvv(h, SPK_OP_N, sparse, bias_vec, dot->data(), kSum, w, bytes);
         spk_set_pointer_mode(h, SPK_POINTER_MODE_HOST);
         return status;
       },
       dot.get()},
  };
}

std::vector<DeviceProblem::Call> DeviceProblem::planned_calls(spk_handle_t handle) {
  constexpr std::int32_t kSum = SPK_COMPUTE_32F, kAny = SPK_ALG_DEFAULT;
  std::vector<Call> list;
  const auto add = [&](const char* name, spk_status_t made, spk_plan_t plan, auto run, DeviceArray<float>* result) {
    SPK_EXPECT_OK(made);
    plans_.push_back(plan);
    list.push_back({name, [=](spk_handle_t h, std::size_t* bytes) { return spk_plan_workspace(h, plan, bytes); },
                    [=](spk_handle_t h, void* w, std::size_t bytes) { return run(h, plan, w, bytes); }, result});
  };
  const auto spmm = [&](const char* name, spk_operation_t op, spk_spmat_t mat, spk_dnmat_t in, spk_dnmat_t result,
                        const spk_epilogue_t* end, DeviceArray<float>* array) {
    spk_plan_t plan = nullptr;
    const spk_status_t made = spk_spmm_plan_create(&plan, handle, op, SPK_OP_N, mat, in, result, kSum, kAny, end);
    add(
        name, made, plan,
        [=, this](spk_handle_t h, spk_plan_t p, void* w, std::size_t bytes) {
          return spk_spmm_execute(h, p, &alpha, mat, in, &beta, result, end, w, bytes);
        },
        array);
  };
  spmm("spmm", SPK_OP_N, S, B, C, nullptr, c.get());
  spmm("spmm of the transpose", SPK_OP_T, S, T, tallC, nullptr, tall_c.get());
  spmm("spmm with epilogue", SPK_OP_N, S, B, C, &epilogue, c.get());
  spmm("spmm from coo", SPK_OP_N, coo, B, C, nullptr, c.get());
  spk_plan_t plan = nullptr;
  spk_status_t made = spk_spmv_plan_create(&plan, handle, SPK_OP_N, S, x, vec_y, kSum, kAny);
  add(
      "spmv", made, plan,
      [this](spk_handle_t h, spk_plan_t p, void* w, std::size_t bytes) {
        return spk_spmv_execute(h, p, &alpha, S, x, &beta, vec_y, w, bytes);
      },
      y.get());
  made = spk_sddmm_plan_create(&plan, handle, SPK_OP_N, SPK_OP_T, L, B, out, kSum, kAny);
  add(
      "sddmm", made, plan,
      [this](spk_handle_t h, spk_plan_t p, void* w, std::size_t bytes) {
        return spk_sddmm_execute(h, p, &alpha, L, B, &beta, out, w, bytes);
      },
      sampled.get());
  made = spk_softmax_plan_create(&plan, handle, S, dX, kAny);
  add(
      "softmax", made, plan,
      [this](spk_handle_t h, spk_plan_t p, void* w, std::size_t bytes) {
        return spk_softmax_execute(h, p, 0.5, S, mask->data(), dX, w, bytes);
      },
      dx.get());
  made = spk_softmax_backward_plan_create(&plan, handle, Y, dY, dX, kAny);
  add(
      "softmax backward", made, plan,
      [this](spk_handle_t h, spk_plan_t p, void* w, std::size_t bytes) {
        return spk_softmax_backward_execute(h, p, 0.5, Y, dY, dX, w, bytes);
      },
      dx.get());
  return list;
}

void run_alone(spk_handle_t handle, const DeviceProblem::Call& call) {
  std::size_t bytes = 0;
  SPK_ASSERT_OK(call.query(handle, &bytes));
  const DeviceArray<std::uint8_t> workspace(handle, std::vector<std::uint8_t>(bytes));
  SPK_ASSERT_OK(call.run(handle, bytes == 0 ? nullptr : workspace.data(), bytes));
  SPK_ASSERT_OK(spk_synchronize(handle));
}

}  // namespace spk::test
