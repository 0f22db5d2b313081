// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <spk/spk_sparse.h>

#include "core/views.hpp"

namespace spk {

// Fills everything of `report` but struct_size from arrays in host memory; see spk_spmat_validate. Follows no offset
// that it has not checked, so it cannot leave the arrays however broken they are.
void validate_structure(const SparseView& a, spk_validation_report_t& report);

}  // namespace spk
