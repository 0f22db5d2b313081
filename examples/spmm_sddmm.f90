! SPDX-License-Identifier: Apache-2.0
! SPDX-FileCopyrightText: The spk authors
!
! SpMM and SDDMM from Fortran: arrays as they are, that is column-major matrices and indices from 1.
program spmm_sddmm
  use, intrinsic :: iso_fortran_env, only: error_unit
  use spk
  implicit none

  integer(c_int32_t), target :: row_offsets(4) = [1, 3, 4, 6], col_indices(5) = [1, 3, 4, 1, 2]
  real(c_double), target :: a(5) = [1, 2, 3, 4, 5], s(5) = 0
  real(c_double), target :: b(4, 2) = reshape([1, 3, 5, 7, 2, 4, 6, 8], [4, 2])
  real(c_double), target :: p(3, 2) = reshape([1, 3, 5, 2, 4, 6], [3, 2])
  real(c_double), target :: c(3, 2) = 1
  real(c_double), target :: two = 2, one = 1, zero = 0
  type(spk_config_t), target :: config
  type(c_ptr) :: handle, mat_a, mat_s, mat_b, mat_p, mat_c

  ! On the CPU: the arrays are memory of the host.
  config = spk_config_t(struct_size=c_sizeof(config), backend=SPK_BACKEND_CPU)
  call require(spk_create(handle, c_loc(config)))
  call require(csr(mat_a, a))
  call require(csr(mat_s, s))
  call require(dense(mat_b, b))
  call require(dense(mat_p, p))
  call require(dense(mat_c, c))

  call require(spk_spmm(handle, SPK_OP_N, SPK_OP_N, c_loc(two), mat_a, mat_b, c_loc(one), mat_c, SPK_COMPUTE_64F, &
                        SPK_ALG_DEFAULT, c_null_ptr, 0_c_size_t))
  ! Small whole numbers: every sum is exact, so equality is the right question.
  if (any(abs(c - reshape([23, 43, 39, 29, 49, 57], [3, 2])) > 0)) call fail('SpMM: wrong result')

  call require(spk_sddmm(handle, SPK_OP_N, SPK_OP_T, c_loc(one), mat_p, mat_b, c_loc(zero), mat_s, SPK_COMPUTE_64F, &
                         SPK_ALG_DEFAULT, c_null_ptr, 0_c_size_t))
  if (any(abs(s - [5, 17, 53, 17, 39]) > 0)) call fail('SDDMM: wrong result')

  call spk_dnmat_destroy(mat_c)
  call spk_dnmat_destroy(mat_p)
  call spk_dnmat_destroy(mat_b)
  call spk_spmat_destroy(mat_s)
  call spk_spmat_destroy(mat_a)
  call spk_destroy(handle)
  print '(a)', 'Fortran: right'

contains

  integer(c_int32_t) function csr(mat, values) result(status)
    type(c_ptr), intent(out) :: mat
    real(c_double), target, intent(in) :: values(:)
    status = spk_csr_create(mat, 3_c_int64_t, 4_c_int64_t, size(values, kind=c_int64_t), c_loc(row_offsets), &
                            c_loc(col_indices), c_loc(values), SPK_INDEX_32I, SPK_INDEX_32I, SPK_INDEX_BASE_ONE, &
                            SPK_R_64F)
  end function

  integer(c_int32_t) function dense(mat, values) result(status)
    type(c_ptr), intent(out) :: mat
    real(c_double), target, contiguous, intent(in) :: values(:, :)
    status = spk_dnmat_create(mat, size(values, 1, c_int64_t), size(values, 2, c_int64_t), &
                              size(values, 1, c_int64_t), c_loc(values), SPK_R_64F, SPK_ORDER_COL)
  end function

  subroutine require(status)
    integer(c_int32_t), intent(in) :: status
    character(kind=c_char, len=512), target :: message
    integer(c_size_t) :: needed
    integer(c_int32_t) :: again
    if (status == SPK_STATUS_SUCCESS) return
    again = spk_last_error(c_null_ptr, c_loc(message), len(message, c_size_t), needed)
    if (again /= SPK_STATUS_SUCCESS) needed = 1
    call fail(message(1:min(needed, len(message, c_size_t)) - 1))
  end subroutine

  subroutine fail(message)
    character(len=*), intent(in) :: message
    write (error_unit, '(2a)') 'Fortran: ', message
    stop 1
  end subroutine
end program
