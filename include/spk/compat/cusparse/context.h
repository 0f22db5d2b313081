/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#ifndef SPK_COMPAT_CUSPARSE_CONTEXT_H
#define SPK_COMPAT_CUSPARSE_CONTEXT_H

/** \file
 *  Handles, versions, error texts and the log of spk/compat/cusparse.h. What holds for all functions stands there.
 */

#include <spk/compat/cusparse/names.h>
#include <spk/compat/cusparse/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Creates a handle on CUDA where a device works, else on the CPU, unless SPK_BACKEND names a backend.
 *  Errors   NOT_INITIALIZED the backend that SPK_BACKEND names cannot run here. Since 0.1. */
SPK_API cusparseStatus_t cusparseCreate(cusparseHandle_t* handle);
/** As cusparseCreate, never on CUDA: what cusparseCreate becomes with the stand-in runtime, whose device memory is host
 *  memory. Since 0.1. */
SPK_API cusparseStatus_t cusparseCreateOnHost(cusparseHandle_t* handle);
/** Destroys a handle; NULL is fine. Since 0.1. */
SPK_API cusparseStatus_t cusparseDestroy(cusparseHandle_t handle);

/** CUSPARSE_VERSION of the emulated interface: 12603. Since 0.1. */
SPK_API cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int* version);
/** MAJOR_VERSION, MINOR_VERSION or PATCH_LEVEL of the emulated interface: 12, 6, 3. Since 0.1. */
SPK_API cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int* value);
/** Version of the libspk that computes, as SPK_VERSION: major * 10000 + minor * 100 + patch. Since 0.1. */
SPK_API int spk_cusparseGetSpkVersion(void);

/** Enumerator text of a status; "unrecognized error code" for other numbers. Since 0.1. */
SPK_API const char* cusparseGetErrorName(cusparseStatus_t status);
/** A short description of a status, as cuSPARSE's; "unrecognized error code" for other numbers. Since 0.1. */
SPK_API const char* cusparseGetErrorString(cusparseStatus_t status);
/** The sentence of the last failure on the calling thread: function, argument, value. "" if there was none, never NULL;
 *  valid until the next failure on this thread. Since 0.1. */
SPK_API const char* spk_cusparseLastError(void);

/** Stream of all further operations; the CPU ignores it. Since 0.1. */
SPK_API cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t streamId);
SPK_API cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t* streamId);

/** Where scalars lie. The CPU reads host memory in both modes. Since 0.1. */
SPK_API cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode);
SPK_API cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t* mode);

/** The log of the whole process. A line is `[time][CUSPARSE][pid][kind][function] text` and goes to stdout or to the
 *  file that was set; a callback gets it as well. Kinds and their levels: 1 Error (failed calls), 2 Trace, 3 Hint,
 *  4 Info, 5 Api (every call with its arguments). spk has nothing to say at 2 to 4.
 *  At the first call of the library CUSPARSE_LOG_LEVEL or CUSPARSE_LOG_MASK (which wins) set what is logged,
 *  CUSPARSE_LOG_FILE where to (a name may contain %i for the process id). Nothing is logged by default. Since 0.1. */
SPK_API cusparseStatus_t cusparseLoggerSetCallback(cusparseLoggerCallback_t callback);
/** Logs to an open file of the caller's; NULL means stdout. Since 0.1. */
SPK_API cusparseStatus_t cusparseLoggerSetFile(FILE* file);
/** Logs to a file of this name, which is emptied; NULL means stdout. INVALID_VALUE if it cannot be opened. Since 0.1. */
SPK_API cusparseStatus_t cusparseLoggerOpenFile(const char* logFile);
/** Logs the kinds up to this level, 0 for none. INVALID_VALUE if negative. Since 0.1. */
SPK_API cusparseStatus_t cusparseLoggerSetLevel(int level);
/** Logs the kinds whose bit (1 << (level - 1)) is set. Since 0.1. */
SPK_API cusparseStatus_t cusparseLoggerSetMask(int mask);
/** Ends logging for the rest of the process. Since 0.1. */
SPK_API cusparseStatus_t cusparseLoggerForceDisable(void);

#ifdef __cplusplus
}
#endif

#endif
