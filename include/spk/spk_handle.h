/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#ifndef SPK_HANDLE_H
#define SPK_HANDLE_H

/** \file
 *  Handles, status texts, versions and logging.
 *
 *  Threads (holds for the whole library): any number of threads may call spk at once, each with a handle of its own.
 *  One handle must not be used by two threads at the same time. Descriptors may be shared while nobody changes
 *  them; plans may be shared for spk_*_execute when each thread has its own handle.
 *  fork(): a child may go on using handles of the CPU and reference backends, on one thread. CUDA itself does not
 *  survive a fork: calls on its handles fail in the child.
 */

#include <spk/spk_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Memory hooks of a handle, for workspace that the caller does not bring. All memory is where the backend computes
 *  (host for CPU and REFERENCE). `allocate` returns memory aligned to 256 bytes, or NULL when there is none; it may not
 *  throw. Both are called on the thread of the operation. Since 0.1. */
typedef struct spk_allocator {
  uint32_t struct_size; /**< sizeof(spk_allocator) of the caller, in bytes */
  void* (*allocate)(void* user, size_t bytes, void* stream);
  void (*deallocate)(void* user, void* pointer, size_t bytes, void* stream);
  void* user; /**< handed to both hooks as it is */
} spk_allocator_t;

/** Choices made when a handle is created. Zero-initialise, set struct_size, then what differs. Since 0.1. */
typedef struct spk_config {
  uint32_t struct_size; /**< sizeof(spk_config) of the caller, in bytes */
  int32_t backend;      /**< spk_backend_t; 0 = AUTO, which SPK_BACKEND=cpu|cuda|reference overrides */
  int32_t num_threads;  /**< CPU threads of one operation; 0 = the library's default (see spk_set_num_threads) */
  int32_t device;       /**< CUDA device ordinal, from 0; ignored by the other backends */
  const spk_allocator_t* allocator; /**< NULL = the backend's own; copied, needs to live only during the call */
} spk_config_t;

/** What a backend is and why it cannot run, if so. Texts live as long as the library. Since 0.1. */
typedef struct spk_backend_details {
  uint32_t struct_size;    /**< sizeof(spk_backend_info_t) of the caller, in bytes */
  int32_t backend;         /**< the backend described, never AUTO */
  int32_t available;       /**< 1 if a handle can be created on it now */
  int32_t default_threads; /**< CPU threads used when nothing is set; 0 for CUDA */
  const char* name;        /**< "cpu", "cuda" or "reference" */
  const char* detail;      /**< what it runs on (instruction set, device name), or why it is not available */
} spk_backend_info_t;

/** Creates a handle.
 *
 *  \param out     receives the handle; NULL on failure
 *  \param config  NULL for all defaults
 *  Errors   INVALID_VALUE NULL out, a field of config out of range, or an unknown SPK_BACKEND;
 *           BACKEND_UNAVAILABLE (message: the backend's reason); ALLOC_FAILED.
 *  Threads  any. Cost: microseconds; the first AUTO or CUDA handle of a process loads the CUDA plug-in. Since 0.1. */
SPK_API spk_status_t spk_create(spk_handle_t* out, const spk_config_t* config);

/** Destroys a handle; NULL is fine. Memory of the caller is not touched. Since 0.1. */
SPK_API void spk_destroy(spk_handle_t handle);

/** Stream of all further operations: a cudaStream_t for CUDA (NULL = default stream); stored and otherwise ignored by
 *  the CPU and reference backends. Since 0.1. */
SPK_API spk_status_t spk_set_stream(spk_handle_t handle, void* stream);
SPK_API spk_status_t spk_get_stream(spk_handle_t handle, void** stream);

/** Where alpha, beta and the result of spk_spvv lie: SPK_POINTER_MODE_HOST (default; read before the call returns) or
 *  DEVICE. Since 0.1. */
SPK_API spk_status_t spk_set_pointer_mode(spk_handle_t handle, spk_pointer_mode_t mode);
SPK_API spk_status_t spk_get_pointer_mode(spk_handle_t handle, spk_pointer_mode_t* mode);

/** CPU threads of one operation, 1 to 4096; 0 = the default: SPK_NUM_THREADS if set, else OMP_NUM_THREADS (OpenMP
 *  builds), else the processors this process may run on. Results do not depend on it. The caller's own OpenMP
 *  settings are neither read later nor changed. Since 0.1. */
SPK_API spk_status_t spk_set_num_threads(spk_handle_t handle, int32_t num_threads);
SPK_API spk_status_t spk_get_num_threads(spk_handle_t handle, int32_t* num_threads);

/** The backend a handle runs on: CPU, CUDA or REFERENCE. Since 0.1. */
SPK_API spk_status_t spk_get_backend(spk_handle_t handle, spk_backend_t* backend);

/** Describes a backend without creating a handle; AUTO describes the one that AUTO takes. Zero-initialise info and
 *  set struct_size before.
 *  Errors: INVALID_VALUE. Since 0.1. */
SPK_API spk_status_t spk_backend_info(spk_backend_t backend, spk_backend_info_t* info);

/** Waits until everything queued on the handle's stream is done. Immediate on the CPU.
 *  Errors: INVALID_VALUE bad handle; NOT_SUPPORTED while the stream is captured, which goes on; EXECUTION_FAILED earlier
 *  work on the stream failed (CUDA). Since 0.1. */
SPK_API spk_status_t spk_synchronize(spk_handle_t handle);

/** Enumerator text of a status, such as "SPK_STATUS_SUCCESS"; "unrecognized status" for other numbers. Since 0.1. */
SPK_API const char* spk_status_name(spk_status_t status);

/** A short description of a status in English, never NULL. Since 0.1. */
SPK_API const char* spk_status_string(spk_status_t status);

/** Copies the message of the last failed call: of `handle`, or of the calling thread if handle is NULL.
 *
 *  The message names function, argument and value. It is kept until the next failure and "" if there was none.
 *  \param buffer   receives at most capacity bytes including the final 0; may be NULL if capacity is 0
 *  \param needed   NULL, or receives the bytes the whole message needs, final 0 included
 *  Errors: INVALID_VALUE NULL buffer with a capacity; nothing else. Does not change the stored message. Since 0.1. */
SPK_API spk_status_t spk_last_error(spk_handle_t handle, char* buffer, size_t capacity, size_t* needed);

/** Verdict of the last checked operation of a handle. Zero-initialise and set struct_size before the call.
 *  Since 0.1. */
typedef struct spk_check_report {
  uint32_t struct_size; /**< sizeof(spk_check_report) of the caller, in bytes */
  int32_t operation;    /**< spk_operation_kind_t; 0 if nothing was checked yet */
  int64_t entries;      /**< output elements compared */
  double worst;   /**< largest error / bound; at most 1 is right, infinity where only one side is NaN or infinite */
  int64_t batch;  /**< batch of the worst element, from 0 */
  int64_t row;    /**< its row, from 0 (SDDMM, softmax: row of the entry) */
  int64_t col;    /**< its column, from 0 */
  double got[2];  /**< its value, real and imaginary part */
  double want[2]; /**< the oracle's value */
  double bound;   /**< allowed error of that element */
} spk_check_report_t;

/** Shadow mode of a handle: every operation also runs on the reference backend, and its result is held against the
 *  error bound (see spk_ops.h). on: 1 or 0; new handles start with SPK_CHECK=1. A result outside its bound makes the
 *  operation answer INTERNAL_ERROR; structure is validated before the operation runs. Slow; needs memory for a copy
 *  of the output. Since 0.1. */
SPK_API spk_status_t spk_set_check(spk_handle_t handle, int32_t on);
SPK_API spk_status_t spk_get_check_report(spk_handle_t handle, spk_check_report_t* report);

/** Version of the library that runs, as major*10000 + minor*100 + patch. Compare with SPK_VERSION. Since 0.1. */
SPK_API int32_t spk_version(void);

/** Kind of a log line; also the bits of SPK_LOG (see the README). Since 0.1. */
typedef int32_t spk_log_topic_t;
enum {
  SPK_LOG_ERROR = 1,    /**< failed calls */
  SPK_LOG_API = 2,      /**< every call with the contents of its descriptors */
  SPK_LOG_DISPATCH = 4, /**< which kernel was taken and why the others refused */
  SPK_LOG_CHECK = 8     /**< verdicts of SPK_CHECK=1 */
};

/** Receives log lines (without line end). May be called from any thread, never from two at once. */
typedef void (*spk_log_callback_t)(void* user, spk_log_topic_t topic, const char* line);

/** Sends log lines of the topics in `mask` to `callback` instead of stderr; NULL restores stderr with the topics of
 *  SPK_LOG. Process-wide. The callback may not call spk_set_log_callback. Errors: INVALID_VALUE unknown bits.
 *  Since 0.1. */
SPK_API spk_status_t spk_set_log_callback(spk_log_callback_t callback, void* user, int32_t mask);

#ifdef __cplusplus
}
#endif

#endif
