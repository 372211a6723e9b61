! Rank 0 broadcasts a table, all ranks check it; see table.c.
module table_kernel
  use, intrinsic :: iso_fortran_env, only: int64
  use cox_mpi
  use job
  use modular
  implicit none
  private
  public :: run_table

contains

  function run_table(block_bytes, calls) result(done)
    integer(int64), intent(in) :: block_bytes, calls
    type(outcome) :: done
    integer(int64), allocatable :: table(:)
    integer(int64) :: i, offset
    integer :: entries, ierror
    entries = max(1, int(block_bytes / 8))
    allocate (table(0:entries - 1), source=0_int64)
    done%block_bytes = entries * 8_int64
    do while (done%calls < calls)
      offset = done%calls * entries
      if (rank == 0) table = [(noise(offset + i), i=0, entries - 1)]
      call enter()
      call MPI_Bcast(table, entries, MPI_INTEGER8, 0, MPI_COMM_WORLD, ierror)
      do i = 0, entries - 1
        done%right = done%right .and. table(i) == noise(offset + i)
        done%checksum = mod(done%checksum + mod(table(i) * (rank + 1), prime), prime)
      end do
      done%calls = done%calls + 1
    end do
  end function run_table

end module table_kernel
