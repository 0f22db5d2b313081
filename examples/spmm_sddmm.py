#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spk authors
"""SpMM and SDDMM from Python: ctypes and numpy, nothing to compile. spmm_sddmm.py PATH_OF_LIBSPK"""
import ctypes
import struct
import sys
from ctypes import byref, c_char_p, c_int32, c_int64, c_size_t, c_void_p

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is not installed")
    sys.exit(77)

OP_N, OP_T = 0, 1
BACKEND_CPU = 1
ORDER_ROW, INDEX_BASE_ZERO, ALG_DEFAULT, COMPUTE_32F = 2, 0, 0, 0
VALUE_TYPES = {np.dtype("float32"): 0, np.dtype("float64"): 1, np.dtype("float16"): 2}
INDEX_TYPES = {np.dtype("int32"): 2, np.dtype("int64"): 3}


def load(path):
    lib = ctypes.CDLL(path)
    # Every size is 64 bits wide and every object a pointer: without argtypes ctypes would cut both to an int.
    lib.spk_create.argtypes = [c_void_p, c_void_p]
    lib.spk_destroy.argtypes = [c_void_p]
    lib.spk_csr_create.argtypes = [c_void_p, *[c_int64] * 3, *[c_void_p] * 3, *[c_int32] * 4]
    lib.spk_spmat_destroy.argtypes = [c_void_p]
    lib.spk_dnmat_create.argtypes = [c_void_p, *[c_int64] * 3, c_void_p, c_int32, c_int32]
    lib.spk_dnmat_destroy.argtypes = [c_void_p]
    product = [c_void_p, c_int32, c_int32, *[c_void_p] * 5, c_int32, c_int32, c_void_p, c_size_t]
    lib.spk_spmm.argtypes = product
    lib.spk_sddmm.argtypes = product
    lib.spk_last_error.argtypes = [c_void_p, c_char_p, c_size_t, c_void_p]
    for name in ("spk_destroy", "spk_spmat_destroy", "spk_dnmat_destroy"):
        getattr(lib, name).restype = None
    return lib


class Spk:
    """A handle, and descriptors over numpy arrays. The arrays must outlive their descriptors."""

    def __init__(self, path):
        self.lib = load(path)
        # spk_config_t: its size, the CPU (numpy's arrays are memory of the host), no threads, device or allocator given.
        self.handle = self.made(self.lib.spk_create, struct.pack("@IiiiP", 24, BACKEND_CPU, 0, 0, 0))

    def require(self, status):
        if status:
            text = ctypes.create_string_buffer(512)
            self.lib.spk_last_error(None, text, len(text), None)
            raise RuntimeError(text.value.decode())

    def made(self, create, *arguments):
        out = c_void_p()
        self.require(create(byref(out), *arguments))
        return out

    def csr(self, shape, offsets, indices, values):
        return self.made(self.lib.spk_csr_create, *shape, len(values), offsets.ctypes.data, indices.ctypes.data,
                         values.ctypes.data, INDEX_TYPES[offsets.dtype], INDEX_TYPES[indices.dtype], INDEX_BASE_ZERO,
                         VALUE_TYPES[values.dtype])

    def dense(self, array):
        assert array.ndim == 2 and array.strides[1] == array.itemsize, "rows must be contiguous"
        return self.made(self.lib.spk_dnmat_create, *array.shape, array.strides[0] // array.itemsize,
                         array.ctypes.data, VALUE_TYPES[array.dtype], ORDER_ROW)

    def product(self, function, op_a, op_b, alpha, a, b, beta, c):
        scalars = np.array([alpha, beta], np.float32)
        self.require(function(self.handle, op_a, op_b, scalars[0:].ctypes.data, a, b, scalars[1:].ctypes.data, c,
                              COMPUTE_32F, ALG_DEFAULT, None, 0))


def main(path):
    spk = Spk(path)
    offsets, indices = np.array([0, 2, 3, 5], np.int32), np.array([0, 2, 3, 0, 1], np.int64)
    a, s = np.array([1, 2, 3, 4, 5], np.float32), np.zeros(5, np.float32)
    b = np.arange(1, 9, dtype=np.float32).reshape(4, 2)
    p = np.arange(1, 7, dtype=np.float32).reshape(3, 2)
    c = np.ones((3, 2), np.float32)
    mat_a, mat_s = spk.csr((3, 4), offsets, indices, a), spk.csr((3, 4), offsets, indices, s)
    mat_b, mat_p, mat_c = spk.dense(b), spk.dense(p), spk.dense(c)

    spk.product(spk.lib.spk_spmm, OP_N, OP_N, 2, mat_a, mat_b, 1, mat_c)
    spk.product(spk.lib.spk_sddmm, OP_N, OP_T, 1, mat_p, mat_b, 0, mat_s)

    dense_a, rows = np.zeros((3, 4), np.float32), np.repeat(np.arange(3), np.diff(offsets))
    dense_a[rows, indices] = a
    # Small whole numbers: every sum is exact, so equality is the right question.
    assert np.array_equal(c, 2 * dense_a @ b + 1), c
    assert np.array_equal(s, (p @ b.T)[rows, indices]), s

    for matrix in (mat_a, mat_s):
        spk.lib.spk_spmat_destroy(matrix)
    for matrix in (mat_b, mat_p, mat_c):
        spk.lib.spk_dnmat_destroy(matrix)
    spk.lib.spk_destroy(spk.handle)
    print("Python: right")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: spmm_sddmm.py PATH_OF_LIBSPK")
    main(sys.argv[1])
