! SPDX-License-Identifier: Apache-2.0
! SPDX-FileCopyrightText: The spk authors
!
! The part of spk's C interface that the examples use, and every call that answers a question about an object.
! Objects, arrays and strings are type(c_ptr), value (pass c_loc of the first element); sizes are integer(c_int64_t),
! by value where they go in and by reference where they come out; enumerators are integer(c_int32_t).
module spk
  use, intrinsic :: iso_c_binding
  implicit none
  public

  integer(c_int32_t), parameter :: SPK_STATUS_SUCCESS = 0
  integer(c_int32_t), parameter :: SPK_R_32F = 0, SPK_R_64F = 1, SPK_R_16F = 2, SPK_R_16BF = 14
  integer(c_int32_t), parameter :: SPK_COMPUTE_32F = 0, SPK_COMPUTE_64F = 1
  integer(c_int32_t), parameter :: SPK_INDEX_32I = 2, SPK_INDEX_64I = 3
  integer(c_int32_t), parameter :: SPK_INDEX_BASE_ZERO = 0, SPK_INDEX_BASE_ONE = 1
  integer(c_int32_t), parameter :: SPK_ORDER_COL = 1, SPK_ORDER_ROW = 2
  integer(c_int32_t), parameter :: SPK_OP_N = 0, SPK_OP_T = 1, SPK_OP_C = 2
  integer(c_int32_t), parameter :: SPK_FORMAT_CSR = 1
  integer(c_int32_t), parameter :: SPK_ALG_DEFAULT = 0
  integer(c_int32_t), parameter :: SPK_POINTER_MODE_HOST = 0
  integer(c_int32_t), parameter :: SPK_BACKEND_AUTO = 0, SPK_BACKEND_CPU = 1, SPK_BACKEND_CUDA = 2, &
                                   SPK_BACKEND_REFERENCE = 3

  ! Set struct_size to c_sizeof of the variable before a call.
  type, bind(c) :: spk_spmat_info_t
    integer(c_int32_t) :: struct_size = 0, format = 0, offset_type = 0, index_type = 0, index_base = 0, &
                          value_type = 0, block_order = 0, is_const = 0
    integer(c_int64_t) :: rows = 0, cols = 0, nnz = 0, block_size = 0, nnzb = 0, ell_cols = 0, batch_count = 0, &
                          offsets_stride = 0, indices_stride = 0, values_stride = 0
    type(c_ptr) :: offsets = c_null_ptr, row_indices = c_null_ptr, col_indices = c_null_ptr, values = c_null_ptr
  end type

  type, bind(c) :: spk_config_t
    integer(c_int32_t) :: struct_size = 0, backend = 0, num_threads = 0, device = 0
    type(c_ptr) :: allocator = c_null_ptr
  end type

  type, bind(c) :: spk_backend_info_t
    integer(c_int32_t) :: struct_size = 0, backend = 0, available = 0, default_threads = 0
    type(c_ptr) :: name = c_null_ptr, detail = c_null_ptr
  end type

  type, bind(c) :: spk_check_report_t
    integer(c_int32_t) :: struct_size = 0, operation = 0
    integer(c_int64_t) :: entries = 0
    real(c_double) :: worst = 0
    integer(c_int64_t) :: batch = 0, row = 0, col = 0
    real(c_double) :: got(2) = 0, want(2) = 0, bound = 0
  end type

  interface
    integer(c_int32_t) function spk_version() bind(c)
      import
    end function
    integer(c_int32_t) function spk_last_error(handle, buffer, capacity, needed) bind(c)
      import
      type(c_ptr), value :: handle, buffer
      integer(c_size_t), value :: capacity
      integer(c_size_t) :: needed
    end function

    integer(c_int32_t) function spk_create(handle, config) bind(c)
      import
      type(c_ptr) :: handle
      type(c_ptr), value :: config
    end function
    integer(c_int32_t) function spk_memory_alloc(handle, bytes, pointer) bind(c)
      import
      type(c_ptr), value :: handle
      integer(c_size_t), value :: bytes
      type(c_ptr) :: pointer
    end function
    integer(c_int32_t) function spk_memory_free(handle, pointer, bytes) bind(c)
      import
      type(c_ptr), value :: handle, pointer
      integer(c_size_t), value :: bytes
    end function
    integer(c_int32_t) function spk_memory_upload(handle, device, host, bytes) bind(c)
      import
      type(c_ptr), value :: handle, device, host
      integer(c_size_t), value :: bytes
    end function
    integer(c_int32_t) function spk_memory_download(handle, host, device, bytes) bind(c)
      import
      type(c_ptr), value :: handle, host, device
      integer(c_size_t), value :: bytes
    end function
    subroutine spk_destroy(handle) bind(c)
      import
      type(c_ptr), value :: handle
    end subroutine
    integer(c_int32_t) function spk_set_num_threads(handle, num_threads) bind(c)
      import
      type(c_ptr), value :: handle
      integer(c_int32_t), value :: num_threads
    end function
    integer(c_int32_t) function spk_get_num_threads(handle, num_threads) bind(c)
      import
      type(c_ptr), value :: handle
      integer(c_int32_t) :: num_threads
    end function
    integer(c_int32_t) function spk_set_stream(handle, stream) bind(c)
      import
      type(c_ptr), value :: handle, stream
    end function
    integer(c_int32_t) function spk_get_stream(handle, stream) bind(c)
      import
      type(c_ptr), value :: handle
      type(c_ptr) :: stream
    end function
    integer(c_int32_t) function spk_get_pointer_mode(handle, mode) bind(c)
      import
      type(c_ptr), value :: handle
      integer(c_int32_t) :: mode
    end function
    integer(c_int32_t) function spk_get_backend(handle, backend) bind(c)
      import
      type(c_ptr), value :: handle
      integer(c_int32_t) :: backend
    end function
    integer(c_int32_t) function spk_backend_info(backend, info) bind(c)
      import
      integer(c_int32_t), value :: backend
      type(spk_backend_info_t) :: info
    end function
    integer(c_int32_t) function spk_set_check(handle, on) bind(c)
      import
      type(c_ptr), value :: handle
      integer(c_int32_t), value :: on
    end function
    integer(c_int32_t) function spk_get_check_report(handle, report) bind(c)
      import
      type(c_ptr), value :: handle
      type(spk_check_report_t) :: report
    end function

    integer(c_int32_t) function spk_csr_create(mat, rows, cols, nnz, row_offsets, col_indices, values, offset_type, &
                                               index_type, index_base, value_type) bind(c)
      import
      type(c_ptr) :: mat
      integer(c_int64_t), value :: rows, cols, nnz
      type(c_ptr), value :: row_offsets, col_indices, values
      integer(c_int32_t), value :: offset_type, index_type, index_base, value_type
    end function
    subroutine spk_spmat_destroy(mat) bind(c)
      import
      type(c_ptr), value :: mat
    end subroutine
    integer(c_int32_t) function spk_spmat_get_info(mat, info) bind(c)
      import
      type(c_ptr), value :: mat
      type(spk_spmat_info_t) :: info
    end function
    integer(c_int32_t) function spk_spmat_get_values(mat, values) bind(c)
      import
      type(c_ptr), value :: mat
      type(c_ptr) :: values
    end function
    integer(c_int32_t) function spk_spmat_set_batch(mat, count, offsets_stride, indices_stride, values_stride) bind(c)
      import
      type(c_ptr), value :: mat
      integer(c_int64_t), value :: count, offsets_stride, indices_stride, values_stride
    end function

    integer(c_int32_t) function spk_dnmat_create(mat, rows, cols, ld, values, value_type, order) bind(c)
      import
      type(c_ptr) :: mat
      integer(c_int64_t), value :: rows, cols, ld
      type(c_ptr), value :: values
      integer(c_int32_t), value :: value_type, order
    end function
    subroutine spk_dnmat_destroy(mat) bind(c)
      import
      type(c_ptr), value :: mat
    end subroutine
    integer(c_int32_t) function spk_dnmat_get(mat, rows, cols, ld, values, value_type, order) bind(c)
      import
      type(c_ptr), value :: mat
      integer(c_int64_t) :: rows, cols, ld
      type(c_ptr) :: values
      integer(c_int32_t) :: value_type, order
    end function
    integer(c_int32_t) function spk_dnmat_set_batch(mat, count, stride) bind(c)
      import
      type(c_ptr), value :: mat
      integer(c_int64_t), value :: count, stride
    end function
    integer(c_int32_t) function spk_dnmat_get_batch(mat, count, stride) bind(c)
      import
      type(c_ptr), value :: mat
      integer(c_int64_t) :: count, stride
    end function

    integer(c_int32_t) function spk_dnvec_create(vec, length, values, value_type) bind(c)
      import
      type(c_ptr) :: vec
      integer(c_int64_t), value :: length
      type(c_ptr), value :: values
      integer(c_int32_t), value :: value_type
    end function
    subroutine spk_dnvec_destroy(vec) bind(c)
      import
      type(c_ptr), value :: vec
    end subroutine
    integer(c_int32_t) function spk_dnvec_get(vec, length, values, value_type) bind(c)
      import
      type(c_ptr), value :: vec
      integer(c_int64_t) :: length
      type(c_ptr) :: values
      integer(c_int32_t) :: value_type
    end function

    integer(c_int32_t) function spk_spmm_workspace(handle, opA, opB, matA, matB, matC, compute_type, alg, &
                                                   workspace_bytes) bind(c)
      import
      type(c_ptr), value :: handle
      integer(c_int32_t), value :: opA, opB
      type(c_ptr), value :: matA, matB, matC
      integer(c_int32_t), value :: compute_type, alg
      integer(c_size_t) :: workspace_bytes
    end function
    integer(c_int32_t) function spk_spmm(handle, opA, opB, alpha, matA, matB, beta, matC, compute_type, alg, &
                                         workspace, workspace_bytes) bind(c)
      import
      type(c_ptr), value :: handle
      integer(c_int32_t), value :: opA, opB
      type(c_ptr), value :: alpha, matA, matB, beta, matC
      integer(c_int32_t), value :: compute_type, alg
      type(c_ptr), value :: workspace
      integer(c_size_t), value :: workspace_bytes
    end function
    integer(c_int32_t) function spk_sddmm(handle, opA, opB, alpha, matA, matB, beta, matC, compute_type, alg, &
                                          workspace, workspace_bytes) bind(c)
      import
      type(c_ptr), value :: handle
      integer(c_int32_t), value :: opA, opB
      type(c_ptr), value :: alpha, matA, matB, beta, matC
      integer(c_int32_t), value :: compute_type, alg
      type(c_ptr), value :: workspace
      integer(c_size_t), value :: workspace_bytes
    end function
  end interface
end module
