! A stencil on a ring of cells; ranks learn neighbours in two ways; see halo.c.
module halo_kernel
  use, intrinsic :: iso_fortran_env, only: int64
  use cox_mpi
  use job
  use modular
  implicit none
  private
  public :: run_halo

contains

  function run_halo(block_bytes, calls) result(done)
    integer(int64), intent(in) :: block_bytes, calls
    type(outcome) :: done
    integer(int64), allocatable :: cells(:), ring(:, :)
    integer(int64) :: i, r, total, expected
    integer :: width, before, after, ierror
    width = max(1, int(block_bytes / 8))
    before = mod(rank + ranks - 1, ranks)
    after = mod(rank + 1, ranks)
    allocate (cells(0:width + 1), source=0_int64)
    allocate (ring(width, 0:ranks - 1), source=0_int64)
    expected = 0
    do i = 0, int(width, int64) * ranks - 1
      expected = mod(expected + noise(i), prime)
    end do
    do i = 1, width
      cells(i) = noise(int(rank, int64) * width + i - 1)
    end do
    done%block_bytes = width * 8_int64
    do while (done%calls < calls)
      call MPI_Sendrecv(cells(1), 1, MPI_INTEGER8, before, 0, cells(width + 1), 1, MPI_INTEGER8, &
                        after, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
      call MPI_Sendrecv(cells(width), 1, MPI_INTEGER8, after, 1, cells(0), 1, MPI_INTEGER8, &
                        before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
      call enter()
      call MPI_Allgather(cells(1), width, MPI_INTEGER8, ring, width, MPI_INTEGER8, MPI_COMM_WORLD, &
                         ierror)
      total = 0
      do r = 0, ranks - 1
        do i = 1, width
          total = mod(total + ring(i, r), prime)
        end do
      end do
      done%right = done%right .and. total == expected .and. ring(width, before) == cells(0) .and. &
                   ring(1, after) == cells(width + 1) .and. all(ring(:, rank) == cells(1:width))
      cells(1:width) = mod(cells(0:width - 1) + 3 * cells(1:width) + cells(2:width + 1), prime)
      expected = mod(expected * 5, prime)
      done%calls = done%calls + 1
    end do
    do i = 1, width
      done%checksum = mod(done%checksum + &
                          mod(cells(i) * noise(int(rank, int64) * width + i - 1), prime), prime)
    end do
  end function run_halo

end module halo_kernel
