/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#ifndef SPK_MEMORY_H
#define SPK_MEMORY_H

/** \file
 *  Memory where a handle's backend computes, so that one program serves CPU and GPU without a CUDA header.
 *
 *  On the CPU and reference backends this is ordinary memory of the host. On CUDA it is memory of the handle's device,
 *  which the host may neither read nor write: contents go there and back with the two copies below. Nobody has to use
 *  these calls: descriptors take any memory that the backend can reach (cudaMalloc, managed memory, ...).
 */

#include <spk/spk_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Allocates memory where the handle's backend computes, aligned to 256 bytes. Its contents are not set.
 *
 *  \param bytes    0 is legal and gives NULL
 *  \param pointer  receives the memory; NULL on failure
 *  Memory   the backend's own: the hooks of spk_config_t serve workspace only. To be freed with spk_memory_free.
 *  Order    usable at once by work on the handle's stream and by the copies below (CUDA: by other streams after
 *           spk_synchronize); not under stream capture.
 *  Errors   INVALID_VALUE bad handle, NULL pointer; ALLOC_FAILED no memory of this size.
 *  Threads  one handle per thread.
 *  Since    0.1. */
SPK_API spk_status_t spk_memory_alloc(spk_handle_t handle, size_t bytes, void** pointer);

/** Gives memory back.
 *
 *  \param pointer  from spk_memory_alloc on a handle of the same backend and device; NULL is fine
 *  \param bytes    what it was allocated with
 *  Order    after all work that is queued on the handle's stream (CUDA).
 *  Errors   INVALID_VALUE bad handle, or a pointer that cannot be of this backend; NULL with bytes.
 *  Threads  one handle per thread; the memory may come from another thread's handle.
 *  Since    0.1. */
SPK_API spk_status_t spk_memory_free(spk_handle_t handle, void* pointer, size_t bytes);

/** Copies bytes from the host to memory of the backend.
 *
 *  \param device  where the handle's backend computes, any alignment; NULL only with bytes = 0
 *  \param host    memory of the host, any alignment, apart from device; NULL only with bytes = 0
 *  Order    after the work that is queued on the handle's stream; complete on return.
 *  Errors   INVALID_VALUE bad handle, NULL with bytes, a pointer of the wrong kind; NOT_SUPPORTED while the stream is
 *           captured; EXECUTION_FAILED the copy, or earlier work on the stream, failed (CUDA).
 *  Threads  one handle per thread.
 *  Since    0.1. */
SPK_API spk_status_t spk_memory_upload(spk_handle_t handle, void* device, const void* host, size_t bytes);

/** Copies bytes from memory of the backend to the host. Arguments, order and errors as spk_memory_upload. Since 0.1. */
SPK_API spk_status_t spk_memory_download(spk_handle_t handle, void* host, const void* device, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
