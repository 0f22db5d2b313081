// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "cases/api_script.hpp"
#include "cases/cuda_driver.hpp"

namespace spk::cases {
namespace {

std::string with_in(const std::string& name) { return name == "C" || name == "y" ? name + "_in" : name; }

std::string without_in(const std::string& name) { return name == "C_in" || name == "y_in" ? name.substr(0, 1) : name; }

// Streams, kept for the life of the process. Without a CUDA driver they are names: any pointer is accepted and kept.
void* stream_by_name(const std::string& name, spk_backend_t backend) {
  static std::map<std::string, void*> streams;
  static std::mutex mutex;
  if (name.empty() || name == "default" || name == "null") return nullptr;
  const std::lock_guard lock(mutex);
  const auto [place, is_new] = streams.try_emplace(name, nullptr);
  if (is_new) {
    const CudaDriver* driver = has_own_memory(backend) ? CudaDriver::find() : nullptr;
    place->second = driver != nullptr ? driver->create_stream() : const_cast<std::string*>(&place->first);
  }
  return place->second;
}

void* array_argument(Fields& step) {
  if (!step.has("arrays")) return untouchable_address();
  if (step.find("arrays") == nullptr) return nullptr;
  if (step.text("arrays") != "dummy") step.malformed("arrays", "\"dummy\" or null");
  return untouchable_address();
}

spk_value_type_t value_type(Fields& step, const Context& context) {
  spk_value_type_t type = context.type;
  if (step.find("dtype") != nullptr && !value_type_from_name(step.text("dtype"), type))
    step.malformed("dtype", "a value type");
  return type;
}

}  // namespace

void Script::ensure_handle(Worker& worker) {
  if (worker.handle != nullptr) return;
  const Outcome outcome = create_handle(worker.owned, context_.options.backend, worker.threads);
  if (!outcome.ok()) throw StepFailure("spk_create answered " + outcome.describe(), error_class(outcome.status));
  worker.handle = worker.owned.get();
}

ProductSpec Script::product_spec(const Json& source, const std::string& where, Switches& switches) const {
  if (source.empty()) throw CaseError(where + " needs a base problem but the case has none");
  Fields fields(source, where);
  switches = read_switches(fields);
  ProductSpec spec = read_product(fields, ProductKind::spmm, context_.type);
  fields.finish();
  return spec;
}

Product& Script::product_of(Worker& worker, Outcome& outcome) {
  ensure_handle(worker);
  if (worker.product == nullptr) {
    Switches switches;
    const ProductSpec spec = product_spec(worker.base, "the base problem", switches);
    if (switches.threads != 0 && worker.threads == 0) {
      outcome = outcome_of(spk_set_num_threads(worker.handle, switches.threads), worker.handle);
      worker.threads = switches.threads;
    }
    const Placement placement = switches.page_guard ? Placement::page_end : Placement::plain;
    worker.product = std::make_unique<Product>(spec, switches, placement, context_.options.backend, Access::write);
    if (worker.lender != nullptr) worker.product->borrow_inputs(*worker.lender);
  }
  if (outcome.ok() && !worker.product->created()) outcome = worker.product->create();
  return *worker.product;
}

void Script::compare_step(Fields& step, Product& product, bool with_plan) {
  std::string reason;
  if (const Json* expected = step.find("expected")) reason = product.compare(*expected, tolerance_);
  if (reason.empty()) reason = product.check_memory();
  if (!reason.empty()) throw StepFailure(step.where() + (with_plan ? " (plan): " : ": ") + reason);
}

void Script::spmm(Fields& step, const Rules& rules, Worker& worker) {
  Outcome outcome;
  const bool waits = step.flag_or("sync", true);
  Scratch scratch = Scratch::library;
  if (step.find("workspace") != nullptr) {
    if (step.text("workspace") != "exact_or_null_if_zero") step.malformed("workspace", "\"exact_or_null_if_zero\"");
    scratch = Scratch::exact;
  }
  std::unique_ptr<Product> own;
  Product* product = nullptr;
  const Json* set = step.find("set");
  if (set != nullptr) {
    if (!set->is_object()) step.malformed("set", "an object of base fields");
    ensure_handle(worker);
    Json merged = worker.base;
    merged.update(*set);
    Switches switches;
    const ProductSpec spec = product_spec(merged, step.where() + ": set", switches);
    const Placement placement = switches.page_guard ? Placement::page_end : Placement::plain;
    own = std::make_unique<Product>(spec, switches, placement, context_.options.backend);
    product = own.get();
    if (switches.threads != 0)
      outcome = outcome_of(spk_set_num_threads(worker.handle, switches.threads), worker.handle);
    if (outcome.ok()) outcome = product->create();
    if (outcome.ok() && switches.validate) outcome = product->validate(worker.handle);
  } else {
    product = &product_of(worker, outcome);
    product->reset_output();
  }
  if (outcome.ok()) outcome = product->run(worker.handle, SPK_ALG_DEFAULT, scratch);
  if (outcome.ok() && waits) outcome = outcome_of(spk_synchronize(worker.handle), worker.handle);
  if (!settle(step, rules, outcome)) {
    const std::string reason = product->check_output_untouched();
    if (!reason.empty()) throw StepFailure(step.where() + ": " + reason);
    step.ignore({"expected"});
    return;
  }
  compare_step(step, *product, false);
  if (set != nullptr || worker.plan == nullptr) return;
  product->reset_output();
  outcome = product->run_plan(worker.handle, *worker.plan, scratch);
  if (!outcome.ok()) throw StepFailure(step.where() + " (plan) answered " + outcome.describe());
  compare_step(step, *product, true);
}

void Script::preprocess(Fields& step, const Rules& rules, Worker& worker) {
  Outcome outcome;
  Product& product = product_of(worker, outcome);
  auto plan = std::make_unique<Plan>();
  if (outcome.ok()) outcome = product.create_plan(worker.handle, *plan);
  if (settle(step, rules, outcome)) worker.plan = std::move(plan);
}

void Script::check_size(Fields& step, std::size_t bytes) const {
  const Json* wanted = step.find("expect_size");
  if (wanted == nullptr) return;
  Fields limits(*wanted, step.where() + ": expect_size");
  const std::int64_t least = limits.integer_or("min", 0);
  const double most = limits.real_or("max", 0x1p63);
  limits.finish();
  if (static_cast<double>(bytes) < static_cast<double>(least) || static_cast<double>(bytes) > most) {
    throw StepFailure(step.where() + " answered " + std::to_string(bytes) + " bytes but must answer " + wanted->dump());
  }
}

void Script::buffer_size(Fields& step, const Rules& rules, Worker& worker) {
  ensure_handle(worker);
  // Callers keep the size uninitialised, so it must be written whatever happens.
  std::size_t bytes = static_cast<std::size_t>(-1);
  Outcome outcome;
  if (const Json* set = step.find("set")) {
    Json merged = worker.base;
    merged.update(*set);
    Switches switches;
    Product product(product_spec(merged, step.where() + ": set", switches), switches, Placement::plain,
                    context_.options.backend);
    outcome = product.create();
    if (outcome.ok()) outcome = product.workspace_bytes(worker.handle, SPK_ALG_DEFAULT, bytes);
  } else {
    Product& product = product_of(worker, outcome);
    if (outcome.ok()) outcome = product.workspace_bytes(worker.handle, SPK_ALG_DEFAULT, bytes);
  }
  if (settle(step, rules, outcome)) check_size(step, bytes);
}

void Script::dense_to_csr_buffer_size(Fields& step, const Rules& rules, Worker& worker) {
  ensure_handle(worker);
  const spk_value_type_t type = value_type(step, context_);
  const std::int64_t rows = step.integer("rows");
  const std::int64_t cols = step.integer("cols");
  const spk_order_t order = read_order(step, "layout");
  const std::int64_t ld = step.integer_or("ld", std::max<std::int64_t>(1, order == SPK_ORDER_ROW ? cols : rows));
  SparseSpec sparse;
  read_index_options(step, sparse);
  void* address = array_argument(step);
  spk_dnmat_t dense_made = nullptr;
  DenseMatrix dense;
  Outcome outcome = outcome_of(spk_dnmat_create(&dense_made, rows, cols, ld, address, type, order));
  dense.reset(dense_made);
  SparseMatrix matrix;
  if (outcome.ok()) {
    spk_spmat_t made = nullptr;
    outcome = outcome_of(spk_csr_create(&made, rows, cols, 0, address, nullptr, nullptr, sparse.offset_type,
                                        sparse.index_type, sparse.index_base, type));
    matrix.reset(made);
  }
  std::size_t bytes = static_cast<std::size_t>(-1);
  if (outcome.ok())
    outcome =
        outcome_of(spk_dense_to_sparse_workspace(worker.handle, dense.get(), matrix.get(), &bytes), worker.handle);
  if (settle(step, rules, outcome)) check_size(step, bytes);
}

void Script::create_sparse_matrix(Fields& step, const Rules& rules, Worker&) {
  const std::string what = step.text("do").substr(7);
  const std::int64_t rows = step.integer("rows");
  const std::int64_t cols = step.integer("cols");
  const std::int64_t nnz = step.integer_or("nnz", 0);
  const std::int64_t block = step.integer_or("block_dim", 1);
  const std::int64_t ell_cols = step.integer_or("ell_cols", 0);
  SparseSpec spec;
  read_index_options(step, spec);
  const spk_value_type_t type = value_type(step, context_);
  void* p = array_argument(step);
  spk_spmat_t made = nullptr;
  spk_status_t status = SPK_STATUS_SUCCESS;
  const std::int64_t edge = block > 0 ? block : 1;
  if (what == "csr") {
    status = spk_csr_create(&made, rows, cols, nnz, p, p, p, spec.offset_type, spec.index_type, spec.index_base, type);
  } else if (what == "csc") {
    status = spk_csc_create(&made, rows, cols, nnz, p, p, p, spec.offset_type, spec.index_type, spec.index_base, type);
  } else if (what == "coo") {
    status = spk_coo_create(&made, rows, cols, nnz, p, p, p, spec.index_type, spec.index_base, type);
  } else if (what == "bsr") {
    status = spk_bsr_create(&made, rows / edge, cols / edge, nnz, block, block, p, p, p, spec.offset_type,
                            spec.index_type, spec.index_base, type, SPK_ORDER_ROW);
  } else {
    status = spk_blocked_ell_create(&made, rows, cols, block, ell_cols, p, p, spec.index_type, spec.index_base, type);
  }
  const Outcome outcome = outcome_of(status);
  SparseMatrix matrix;
  matrix.reset(made);
  if (!outcome.ok() && made != nullptr) throw StepFailure(step.where() + " failed but left an object");
  settle(step, rules, outcome);
}

void Script::create_dense_matrix(Fields& step, const Rules& rules, Worker&) {
  const std::int64_t rows = step.integer("rows");
  const std::int64_t cols = step.integer("cols");
  const spk_order_t order = read_order(step, "layout");
  const std::int64_t ld = step.integer_or("ld", order == SPK_ORDER_ROW ? cols : rows);
  spk_dnmat_t made = nullptr;
  Outcome outcome =
      outcome_of(spk_dnmat_create(&made, rows, cols, ld, array_argument(step), value_type(step, context_), order));
  DenseMatrix matrix;
  matrix.reset(made);
  if (!outcome.ok() && made != nullptr) throw StepFailure(step.where() + " failed but left an object");
  if (step.find("batch_count") != nullptr && outcome.ok())
    outcome = outcome_of(spk_dnmat_set_batch(made, step.integer("batch_count"), step.integer_or("batch_stride", 0)));
  step.ignore({"batch_count", "batch_stride"});
  settle(step, rules, outcome);
}

void Script::set_threads(Fields& step, const Rules& rules, Worker& worker) {
  ensure_handle(worker);
  const Json& wanted = step.need("n");
  const std::int64_t n = wanted == "max" ? 0 : to_integer(wanted, step.where() + ": n");
  const Outcome outcome = outcome_of(spk_set_num_threads(worker.handle, static_cast<std::int32_t>(n)), worker.handle);
  if (settle(step, rules, outcome)) worker.threads = static_cast<std::int32_t>(n);
}

void Script::set_stream(Fields& step, const Rules& rules, Worker& worker) {
  ensure_handle(worker);
  worker.stream = step.text_or("stream", "");
  step.flag_or("nonblocking", false);
  void* const stream = stream_by_name(worker.stream, context_.options.backend);
  Outcome outcome = outcome_of(spk_set_stream(worker.handle, stream), worker.handle);
  if (!settle(step, rules, outcome)) return;
  void* back = untouchable_address();
  outcome = outcome_of(spk_get_stream(worker.handle, &back), worker.handle);
  if (!outcome.ok() || back != stream) throw StepFailure(step.where() + ": spk_get_stream does not give it back");
}

void Script::write(Fields& step, const Rules& rules, Worker& worker) {
  const std::string name = without_in(step.text("array"));
  const Json& data = step.need("data");
  worker.base[with_in(name)] = data;
  if (worker.product == nullptr) return;
  worker.product->write(name, data);
  Outcome outcome;
  const bool changes_structure = name != "values" && name != "B" && name != "C";
  if (changes_structure && worker.plan != nullptr) outcome = worker.product->update_plan(worker.handle, *worker.plan);
  settle(step, rules, outcome);
}

// Done at once, on a device too: what is queued on its streams is the matter of tests/cuda.
void Script::delayed_write(Fields& step, const Rules& rules, Worker& worker) {
  step.text_or("stream", "");
  const double delay = step.real_or("delay_ms", 0);
  if (delay < 0 || delay > 10000) step.malformed("delay_ms", "0 to 10000");
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(delay));
  write(step, rules, worker);
}

void Script::copy_on_stream(Fields& step, const Rules&, Worker& worker) {
  step.text_or("stream", "");
  const std::string name = without_in(step.text("array"));
  Buffer* buffer = worker.product == nullptr ? nullptr : worker.product->memory().find(name);
  if (buffer == nullptr) step.malformed("array", "an array of the base problem, after a first spmm");
  const Json* expected = step.find("expected");
  if (expected == nullptr) return;
  Fields fields(*expected, step.where() + ": expected");
  const std::string reason = compare_field(fields, name, context_.type, *buffer, tolerance_);
  fields.finish();
  if (!reason.empty()) throw StepFailure(step.where() + ": " + reason);
}

void Script::set_pointers_copy(Fields& step, const Rules& rules, Worker& worker) {
  Outcome outcome;
  Product& product = product_of(worker, outcome);
  if (outcome.ok()) outcome = product.point_at_moved_arrays();
  settle(step, rules, outcome);
}

void Script::destroy(Fields& step, const Rules& rules, Worker& worker) {
  std::vector<std::string> what = step.texts("what");
  if (what.empty()) what.emplace_back("all");
  static const std::set<std::string> descriptors = {"A", "B", "C", "x", "y", "all"};
  for (std::string name : what) {
    if (name.size() == 4 && name.starts_with("mat")) name = name.substr(3);
    if (name == "csr" || name == "sparse") name = "A";
    if (name == "descriptors" || name == "dense") name = "all";
    if (name == "null") {
      spk_destroy(nullptr);
      spk_spmat_destroy(nullptr);
      spk_dnmat_destroy(nullptr);
      spk_dnvec_destroy(nullptr);
      spk_plan_destroy(nullptr);
      continue;
    }
    if (name == "plan" || name == "all") worker.plan.reset();
    if (name == "handle" || name == "all") {
      // A plan belongs to no handle and survives it.
      worker.owned.reset();
      worker.handle = nullptr;
    }
    if (descriptors.contains(name) && worker.product != nullptr) worker.product->destroy(name);
    if (name != "plan" && name != "handle" && !descriptors.contains(name))
      step.malformed("what", "handle, plan, A, B, C, descriptors, all or null");
  }
  settle(step, rules, {});
}

void Script::create_destroy_all(Fields& step, const Rules& rules, Worker& worker) {
  const std::int64_t times = step.integer_or("times", 1);
  Outcome outcome;
  for (std::int64_t turn = 0; turn < times && outcome.ok(); ++turn) {
    Handle handle;
    outcome = create_handle(handle, context_.options.backend, worker.threads);
    if (!outcome.ok() || worker.base.empty()) continue;
    Switches switches;
    Product product(product_spec(worker.base, "the base problem", switches), switches, Placement::plain,
                    context_.options.backend);
    Plan plan;
    outcome = product.create();
    if (outcome.ok()) outcome = product.create_plan(handle.get(), plan);
    if (outcome.ok()) outcome = product.run_plan(handle.get(), plan, Scratch::exact);
  }
  settle(step, rules, outcome);
}

void Script::static_handle(Fields& step, const Rules& rules, Worker& worker) {
  // Destroyed after main, by the clean-up of static objects.
  static Handle handle;
  const Outcome outcome = create_handle(handle, context_.options.backend, worker.threads);
  if (!settle(step, rules, outcome)) return;
  worker.owned.reset();
  worker.handle = handle.get();
  has_static_handle_ = true;
}

}  // namespace spk::cases
