! SPDX-License-Identifier: Apache-2.0
! SPDX-FileCopyrightText: The spk authors
!
! Every getter through the Fortran interface, against what C hears from the same objects (c_answers.c). An output that
! is declared by value, or a size of the wrong width, gives another number or a crash.
program fortran_getters
  use, intrinsic :: iso_fortran_env, only: error_unit
  use spk
  implicit none

  interface
    integer(c_int) function c_answers(handle, sparse, dense, vec, answers) bind(c)
      import
      type(c_ptr), value :: handle, sparse, dense, vec
      integer(c_int64_t) :: answers(*)
    end function
  end interface

  integer(c_int64_t) :: mine(100) = -7, theirs(100) = -8
  integer :: n = 0, i, known
  integer(c_int64_t), target :: offsets(4) = [1, 3, 4, 6]
  integer(c_int32_t), target :: indices(5) = [1, 3, 4, 1, 2]
  real(c_double), target :: values(5) = [1, 2, 3, 4, 5], matrix(7, 10) = 1, vector(9) = 0, one = 1, zero = 0
  real(c_double), target :: product(3, 2) = 0
  integer, target :: stream_place
  type(spk_config_t), target :: config
  type(c_ptr) :: handle, sparse, dense, vec, c, b

  known = 0
  config = spk_config_t(struct_size=c_sizeof(config), backend=SPK_BACKEND_CPU)
  call must(spk_create(handle, c_loc(config)))
  call must(spk_csr_create(sparse, 3_c_int64_t, 4_c_int64_t, 5_c_int64_t, c_loc(offsets), c_loc(indices), &
                           c_loc(values), SPK_INDEX_64I, SPK_INDEX_32I, SPK_INDEX_BASE_ONE, SPK_R_64F))
  call must(spk_dnmat_create(dense, 6_c_int64_t, 2_c_int64_t, 7_c_int64_t, c_loc(matrix), SPK_R_64F, SPK_ORDER_COL))
  call must(spk_dnvec_create(vec, 9_c_int64_t, c_loc(vector), SPK_R_64F))
  call must(spk_dnmat_create(b, 4_c_int64_t, 2_c_int64_t, 7_c_int64_t, c_loc(matrix), SPK_R_64F, SPK_ORDER_COL))
  call must(spk_dnmat_create(c, 3_c_int64_t, 2_c_int64_t, 3_c_int64_t, c_loc(product), SPK_R_64F, SPK_ORDER_COL))
  call must(spk_set_num_threads(handle, 3_c_int32_t))
  call must(spk_set_stream(handle, c_loc(stream_place)))
  call must(spk_set_check(handle, 1_c_int32_t))
  call must(spk_spmm(handle, SPK_OP_N, SPK_OP_N, c_loc(one), sparse, b, c_loc(zero), c, SPK_COMPUTE_64F, &
                     SPK_ALG_DEFAULT, c_null_ptr, 0_c_size_t))
  call must(spk_spmat_set_batch(sparse, 1_c_int64_t, 0_c_int64_t, 0_c_int64_t, 0_c_int64_t))
  call must(spk_dnmat_set_batch(dense, 5_c_int64_t, 14_c_int64_t))

  call ask_all()
  if (c_answers(handle, sparse, dense, vec, theirs) /= n) then
    write (error_unit, '(a)') 'the two programs ask different questions'
    stop 1
  end if
  do i = 1, n
    if (mine(i) /= theirs(i)) then
      write (error_unit, '(a,i0,a,i0,a,i0)') 'answer ', i, ': Fortran ', mine(i), ', C ', theirs(i)
      known = 1
    end if
  end do
  if (known /= 0) stop 1

  call spk_dnmat_destroy(c)
  call spk_dnmat_destroy(b)
  call spk_dnvec_destroy(vec)
  call spk_dnmat_destroy(dense)
  call spk_spmat_destroy(sparse)
  call spk_destroy(handle)
  print '(i0,a)', n, ' answers agree'

contains

  subroutine ask_all()
    integer(c_int32_t) :: number, value_type, order
    integer(c_int64_t) :: rows, cols, ld, batches, stride, length
    integer(c_size_t) :: bytes
    type(c_ptr) :: pointer
    type(spk_spmat_info_t) :: info
    type(spk_backend_info_t) :: backend
    type(spk_check_report_t) :: report

    info%struct_size = int(c_sizeof(info), c_int32_t)
    backend%struct_size = int(c_sizeof(backend), c_int32_t)
    report%struct_size = int(c_sizeof(report), c_int32_t)
    call put(int(c_sizeof(info), c_int64_t))
    call put(int(c_sizeof(backend), c_int64_t))
    call put(int(c_sizeof(report), c_int64_t))
    call put32(spk_version())

    call put32(spk_get_num_threads(handle, number))
    call put32(number)
    call put32(spk_get_stream(handle, pointer))
    call put_pointer(pointer)
    call put32(spk_get_pointer_mode(handle, number))
    call put32(number)
    call put32(spk_get_backend(handle, number))
    call put32(number)
    call put32(spk_backend_info(SPK_BACKEND_REFERENCE, backend))
    call put32(backend%backend)
    call put32(backend%available)
    call put32(backend%default_threads)
    call put_pointer(backend%name)
    call put_pointer(backend%detail)
    call put32(spk_get_check_report(handle, report))
    call put32(report%operation)
    call put(report%entries)
    call put32(merge(1_c_int32_t, 0_c_int32_t, report%worst <= 1))
    call put(report%batch)
    call put(report%row)
    call put(report%col)

    call put32(spk_spmat_get_info(sparse, info))
    call put32(info%format)
    call put32(info%offset_type)
    call put32(info%index_type)
    call put32(info%index_base)
    call put32(info%value_type)
    call put32(info%block_order)
    call put32(info%is_const)
    call put(info%rows)
    call put(info%cols)
    call put(info%nnz)
    call put(info%block_size)
    call put(info%nnzb)
    call put(info%ell_cols)
    call put(info%batch_count)
    call put(info%offsets_stride)
    call put(info%indices_stride)
    call put(info%values_stride)
    call put_pointer(info%offsets)
    call put_pointer(info%row_indices)
    call put_pointer(info%col_indices)
    call put_pointer(info%values)
    call put32(spk_spmat_get_values(sparse, pointer))
    call put_pointer(pointer)

    call put32(spk_dnmat_get(dense, rows, cols, ld, pointer, value_type, order))
    call put(rows)
    call put(cols)
    call put(ld)
    call put_pointer(pointer)
    call put32(value_type)
    call put32(order)
    call put32(spk_dnmat_get_batch(dense, batches, stride))
    call put(batches)
    call put(stride)

    call put32(spk_dnvec_get(vec, length, pointer, value_type))
    call put(length)
    call put_pointer(pointer)
    call put32(value_type)

    ! An unknown algorithm: the sizes are wrong as well, so the call must fail, and leave a message to measure.
    call put32(spk_spmm_workspace(handle, SPK_OP_N, SPK_OP_N, sparse, dense, dense, SPK_COMPUTE_64F, 255_c_int32_t, &
                                  bytes))
    call put(int(bytes, c_int64_t))
    call put32(spk_last_error(handle, c_null_ptr, 0_c_size_t, bytes))
    call put(int(bytes, c_int64_t))
  end subroutine

  subroutine put(value)
    integer(c_int64_t), intent(in) :: value
    n = n + 1
    mine(n) = value
  end subroutine

  subroutine put32(value)
    integer(c_int32_t), intent(in) :: value
    call put(int(value, c_int64_t))
  end subroutine

  subroutine put_pointer(pointer)
    type(c_ptr), intent(in) :: pointer
    call put(transfer(pointer, 0_c_int64_t))
  end subroutine

  subroutine must(status)
    integer(c_int32_t), intent(in) :: status
    if (status == SPK_STATUS_SUCCESS) return
    write (error_unit, '(a,i0)') 'a call that prepares the test answered ', status
    stop 1
  end subroutine
end program
