// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/plugin.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstring>

#include "core/env.hpp"

#define SPK_TEXT_(x) #x
#define SPK_TEXT(x) SPK_TEXT_(x)

namespace spk {
namespace {

constexpr const char* kVersionText =
    SPK_TEXT(SPK_VERSION_MAJOR) "." SPK_TEXT(SPK_VERSION_MINOR) "." SPK_TEXT(SPK_VERSION_PATCH);

// Folder of the file that this code was loaded from, or "".
std::string own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&load_plugin), &info) == 0 || info.dli_fname == nullptr) return {};
  const char* slash = std::strrchr(info.dli_fname, '/');
  return slash == nullptr ? std::string(".") : std::string(info.dli_fname, slash);
}

std::string find_file(const char* file, std::string& searched) {
  std::string candidates[2];
  if (const char* folder = env::text(env::SPK_PLUGIN_DIR); folder != nullptr && *folder != '\0')
    candidates[0] = std::string(folder) + "/" + file;
  if (const std::string folder = own_folder(); !folder.empty()) candidates[1] = folder + "/spk/" + file;
  for (const std::string& path : candidates) {
    if (path.empty()) continue;
    if (access(path.c_str(), R_OK) == 0) return path;
    searched += (searched.empty() ? "" : ", ") + path;
  }
  return {};
}

}  // namespace

const PluginTable* load_plugin(const char* file, std::string& reason) {
  std::string searched;
  const std::string path = find_file(file, searched);
  if (path.empty()) {
    reason = std::string("the plug-in ") + file + " was not found (looked for " + searched + ")";
    return nullptr;
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* text = dlerror();
    reason = "the plug-in cannot be loaded: " + std::string(text == nullptr ? path : text);
    return nullptr;
  }
  auto* entry = reinterpret_cast<PluginEntry*>(dlsym(library, kPluginEntry));
  if (entry == nullptr) {
    reason = path + " is no spk plug-in (it does not export " + kPluginEntry + ")";
    return nullptr;
  }
  const PluginTable* table = entry();
  if (table == nullptr || table->struct_size != sizeof(PluginTable) || table->abi != kPluginAbi ||
      std::strcmp(table->version, kVersionText) != 0) {
    reason = path + " belongs to another version of spk; this is " + kVersionText;
    return nullptr;
  }
  return table;
}

}  // namespace spk
