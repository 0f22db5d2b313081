// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/plugin.hpp"

#include <cstdio>
#include <exception>

#include "cuda/backend.hpp"

#define SPK_TEXT_(x) #x
#define SPK_TEXT(x) SPK_TEXT_(x)

namespace {

spk::Backend* open(std::int32_t device, char* reason, std::size_t capacity) {
  try {
    return spk::cuda::make_backend(device).release();
  } catch (const std::exception& error) {
    std::snprintf(reason, capacity, "%s", error.what());
    return nullptr;
  }
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const spk::PluginTable* spk_plugin_entry();

extern "C" const spk::PluginTable* spk_plugin_entry() {
  static const spk::PluginTable table{
      sizeof(spk::PluginTable), spk::kPluginAbi,
      SPK_TEXT(SPK_VERSION_MAJOR) "." SPK_TEXT(SPK_VERSION_MINOR) "." SPK_TEXT(SPK_VERSION_PATCH), open};
  return &table;
}
