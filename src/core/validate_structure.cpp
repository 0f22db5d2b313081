// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/validate_structure.hpp"

namespace spk {

void validate_structure(const SparseView& a, spk_validation_report_t& report) {
  static_cast<void>(a);
  static_cast<void>(report);
}

}  // namespace spk
