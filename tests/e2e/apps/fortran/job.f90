! Shared code of the kernels, as in coxapp.h.
module job
  use, intrinsic :: iso_fortran_env, only: int64
  use cox_mpi
  implicit none
  integer :: rank = 0, ranks = 1
  logical :: barrier = .false.

  type :: outcome
    integer(int64) :: block_bytes = 0, calls = 0, checksum = 0
    logical :: right = .true.
  end type outcome

contains

  ! Waits for all ranks if collectives start together in this job.
  subroutine enter()
    integer :: ierror
    if (barrier) call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end subroutine enter

end module job
