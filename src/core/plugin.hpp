// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstdint>
#include <string>

#include "core/backend.hpp"

// The seam for backends in shared libraries of their own (docs/adr/0002). The ABI between the two is private: plug-in
// and library must be of one version, built by one compiler family, and are refused otherwise.
namespace spk {

// Raised whenever anything in core/backend.hpp, core/problems.hpp or core/views.hpp changes its layout.
constexpr std::uint32_t kPluginAbi = 6;

struct PluginTable {
  std::uint32_t struct_size;  // sizeof(PluginTable) of the plug-in
  std::uint32_t abi;          // kPluginAbi of the plug-in
  const char* version;        // project version of the plug-in, "0.1.0"
  // A backend on a device, kept for the life of the process, or NULL with the reason in `reason`. Does not throw.
  Backend* (*open)(std::int32_t device, char* reason, std::size_t capacity);
};

// The one symbol that a plug-in exports.
constexpr const char* kPluginEntry = "spk_plugin_entry";
using PluginEntry = const PluginTable*();

// Loads `file` from SPK_PLUGIN_DIR or from spk/ beside this library, once per process, and never unloads it. NULL with
// the reason if it is not there or does not fit.
const PluginTable* load_plugin(const char* file, std::string& reason);

}  // namespace spk
