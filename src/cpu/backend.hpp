// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <memory>

#include "core/backend.hpp"
#include "core/oracle.hpp"

namespace spk {

namespace cpu {
std::unique_ptr<Backend> make_backend();
}
namespace reference {
std::unique_ptr<Backend> make_backend();
const Oracle& oracle();
}  // namespace reference

}  // namespace spk
