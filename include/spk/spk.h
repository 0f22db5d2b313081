/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#ifndef SPK_H
#define SPK_H

/** \file
 *  spk, a sparse BLAS for deep-learning sparsity: everything of libspk. Files are read with spk_io.h (libspk_io).
 */

#include <spk/spk_convert.h>
#include <spk/spk_dense.h>
#include <spk/spk_handle.h>
#include <spk/spk_memory.h>
#include <spk/spk_ops.h>
#include <spk/spk_plan.h>
#include <spk/spk_sparse.h>
#include <spk/spk_types.h>
#include <spk/spk_vector.h>

#endif
