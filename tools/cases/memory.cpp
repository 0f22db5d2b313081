// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>
#include <cstring>

#include "cases/operands.hpp"

namespace spk::cases {
namespace {

// Sizes that contradict the arrays on purpose get at most this much slack.
constexpr std::int64_t kMostSlack = std::int64_t{1} << 20;
// Plain arrays begin 64 bytes past a 256-byte boundary; so many units of 16 bytes on is the next one.
constexpr std::int64_t kUnitsToBoundary = (256 - 64) / 16;

void store_index(spk_index_type_t type, void* where, std::int64_t value) {
  if (type == SPK_INDEX_64I) {
    std::memcpy(where, &value, sizeof value);
  } else {
    const auto narrow = static_cast<std::int32_t>(value);
    if (narrow != value) throw CaseError("index " + std::to_string(value) + " does not fit its type i32");
    std::memcpy(where, &narrow, sizeof narrow);
  }
}

void fill_values(Buffer& buffer, spk_value_type_t type, const ValueArray& array) {
  for (std::size_t i = 0; i < array.items.size(); ++i)
    store(type, buffer.at(static_cast<std::int64_t>(i)), array.items[i]);
  for (const auto& [index, value] : array.set) store(type, buffer.at(index), value);
}

void fill_indices(Buffer& buffer, spk_index_type_t type, const IndexArray& array) {
  for (std::size_t i = 0; i < array.items.size(); ++i)
    store_index(type, buffer.at(static_cast<std::int64_t>(i)), array.items[i]);
  for (const auto& [index, value] : array.set) store_index(type, buffer.at(index), value);
}

std::int64_t with_slack(Placement placement, std::int64_t count, std::int64_t declared) {
  return placement == Placement::plain ? std::max(count, std::min(declared, kMostSlack)) : count;
}

}  // namespace

std::shared_ptr<Buffer> Memory::shared_by_alias(const std::string& name) {
  for (const auto& [from, to] : switches_->alias) {
    if (from == name && buffers_.contains(to)) return buffers_[to];
    if (to == name && buffers_.contains(from)) return buffers_[from];
  }
  return nullptr;
}

void* Memory::blank(const std::string& name, std::size_t element_bytes, std::int64_t count) {
  const auto offset = switches_->elem_offset.find(name);
  const std::int64_t shift = offset == switches_->elem_offset.end() ? 0 : offset->second;
  auto buffer = std::make_shared<Buffer>(backend_, element_bytes, count, placement_, shift);
  buffer->remember();
  buffers_[name] = buffer;
  return buffer->address();
}

const std::uint8_t* Memory::bytes(const std::string& name, const std::vector<std::uint8_t>& items) {
  blank(name, 1, static_cast<std::int64_t>(items.size()));
  Buffer& buffer = *find(name);
  if (!items.empty()) std::memcpy(buffer.data(), items.data(), items.size());
  buffer.remember();
  return static_cast<const std::uint8_t*>(buffer.address());
}

void* Memory::workspace(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  // In units of 16 bytes, the alignment that host backends ask for, so that it may also end at a page.
  constexpr std::size_t kUnit = 16;
  const auto units = static_cast<std::int64_t>((bytes + kUnit - 1) / kUnit);
  if (!has_own_memory(backend_)) return blank("workspace", kUnit, units);
  // Others ask for 256: where a plain array begins, plus this much.
  auto buffer = std::make_shared<Buffer>(backend_, kUnit, units, Placement::plain, kUnitsToBoundary);
  buffer->remember();
  buffers_["workspace"] = buffer;
  return buffer->address();
}

void* Memory::values(const std::string& name, spk_value_type_t type, const ValueArray& array, std::int64_t declared) {
  if (array.is_null || contains(switches_->null_arrays, name)) return nullptr;
  if (auto shared = shared_by_alias(name)) {
    buffers_[name] = shared;
    return shared->address();
  }
  const auto offset = switches_->elem_offset.find(name);
  const std::int64_t shift = offset == switches_->elem_offset.end() ? 0 : offset->second;
  const Placement placement = placement_of(array.is_virtual);
  auto buffer = std::make_shared<Buffer>(backend_, bytes_of(type), with_slack(placement, array.count, declared),
                                         placement, shift);
  fill_values(*buffer, type, array);
  buffer->remember();
  buffers_[name] = buffer;
  return buffer->address();
}

void* Memory::indices(const std::string& name, spk_index_type_t type, const IndexArray& array, std::int64_t declared) {
  if (array.is_null || contains(switches_->null_arrays, name)) return nullptr;
  const auto offset = switches_->elem_offset.find(name);
  const std::int64_t shift = offset == switches_->elem_offset.end() ? 0 : offset->second;
  const Placement placement = placement_of(array.is_virtual);
  auto buffer = std::make_shared<Buffer>(backend_, bytes_of_index(type), with_slack(placement, array.count, declared),
                                         placement, shift);
  fill_indices(*buffer, type, array);
  buffer->remember();
  buffers_[name] = buffer;
  return buffer->address();
}

Buffer* Memory::find(const std::string& name) {
  const auto found = buffers_.find(name);
  return found == buffers_.end() ? nullptr : found->second.get();
}

void Memory::rewrite_values(const std::string& name, spk_value_type_t type, const ValueArray& array) {
  Buffer* buffer = find(name);
  if (buffer == nullptr || array.count > buffer->count())
    throw CaseError("array " + name + " cannot take " + std::to_string(array.count) + " elements");
  if (buffer->is_reserved()) buffer->restore();
  fill_values(*buffer, type, array);
  buffer->remember();
}

void Memory::rewrite_indices(const std::string& name, spk_index_type_t type, const IndexArray& array) {
  Buffer* buffer = find(name);
  if (buffer == nullptr || array.count > buffer->count())
    throw CaseError("array " + name + " cannot take " + std::to_string(array.count) + " elements");
  fill_indices(*buffer, type, array);
  buffer->remember();
}

void* Memory::move_away(const std::string& name) {
  Buffer* old = find(name);
  if (old == nullptr) return nullptr;
  if (old->is_reserved()) throw CaseError("array " + name + " is virtual and cannot be copied");
  auto fresh = std::make_shared<Buffer>(backend_, old->element_bytes(), old->count(), placement_);
  std::memcpy(fresh->data(), old->data(), static_cast<std::size_t>(old->count()) * old->element_bytes());
  fresh->remember();
  // The old array is made unlike the new one before it goes, so that a late reader cannot get away with it.
  std::memset(old->data(), 0x5a, static_cast<std::size_t>(old->count()) * old->element_bytes());
  old->remember();
  buffers_[name] = fresh;
  return fresh->address();
}

Outcome Memory::fetch(spk_handle_t handle) {
  if (!has_own_memory(backend_)) return {};
  const Outcome outcome = outcome_of(spk_synchronize(handle), handle);
  for (const auto& [name, buffer] : buffers_) buffer->fetch();
  return outcome;
}

std::string Memory::check_untouched(const std::vector<std::string>& outputs) const {
  const auto is_output = [&](const Buffer* buffer) {
    return std::any_of(outputs.begin(), outputs.end(), [&](const std::string& output) {
      const auto found = buffers_.find(output);
      return found != buffers_.end() && found->second.get() == buffer;
    });
  };
  for (const auto& [name, buffer] : buffers_) {
    if (!buffer->guards_intact()) return "memory around " + name + " was written";
    if (is_output(buffer.get())) continue;
    if (const std::int64_t place = buffer->first_change(); place >= 0)
      return name + "[" + std::to_string(place) + "] is an input but was written";
  }
  return {};
}

}  // namespace spk::cases
