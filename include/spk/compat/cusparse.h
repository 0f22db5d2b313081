/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#ifndef SPK_COMPAT_CUSPARSE_H
#define SPK_COMPAT_CUSPARSE_H

/** \file
 *  The generic API of cuSPARSE 12.6.3 (CUDA 13.0) over spk: put this folder before the CUDA toolkit's on the include
 *  path, link libspk_cusparse (CMake: spk::cusparse) instead of libcusparse, and recompile. C99 and C++17.
 *
 *  Needs <cuda_runtime_api.h> and <library_types.h>: those of a CUDA toolkit, or on a machine without one the stand-in
 *  in spk/compat/host_runtime (CMake: spk::host_runtime), where device memory is host memory.
 *
 *  Names    every cusparseX below is a macro for spk_cusparseX, so that the real library may live in the same process;
 *           one source file uses one of the two headers. Types have cuSPARSE's own struct tags.
 *  Provided what spk can do. Anything else (SpGEMM, SpSV, SpSM, SpMMOp, most of the legacy API) is left undeclared: a
 *           missing function is a compile error, not a wrong answer. docs/cusparse.md has the table.
 *  Backend  a handle computes on CUDA where a device works, else on the CPU; with the stand-in runtime always in host
 *           memory (CPU). The environment variable SPK_BACKEND = cpu | cuda | reference forces one.
 *  Numerics, order, memory: spk/spk_ops.h. Two promises go beyond cuSPARSE: default results repeat bit for bit, and
 *           entries that are not stored never meet the dense operand.
 *
 *  What holds for all functions
 *  Errors   INVALID_VALUE a NULL or foreign handle or descriptor, a NULL output, a number that is not of its
 *           enumeration, a size out of range; NOT_SUPPORTED legal, but spk has no kernel for it; ALLOC_FAILED. Outputs
 *           keep their value on failure. spk_cusparseLastError has the sentence that names the argument.
 *  Threads  any number of threads, each with a handle of its own. One descriptor may not be used by two threads while
 *           one of them changes it; the preprocess functions change the sparse matrix.
 */

#if defined(CUSPARSE_H_)
#error "spk/compat/cusparse.h and the toolkit's cusparse.h cannot be included together; put spk's folder first"
#endif
#define CUSPARSE_H_

#include <spk/compat/cusparse/context.h>
#include <spk/compat/cusparse/convert.h>
#include <spk/compat/cusparse/dense.h>
#include <spk/compat/cusparse/legacy.h>
#include <spk/compat/cusparse/names.h>
#include <spk/compat/cusparse/products.h>
#include <spk/compat/cusparse/sparse.h>
#include <spk/compat/cusparse/types.h>
#include <spk/compat/cusparse/vectors.h>

#endif
