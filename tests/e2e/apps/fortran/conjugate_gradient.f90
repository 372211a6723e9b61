! The conjugate gradient method on many tridiagonal systems with integer solutions; see
! conjugate_gradient.c.
module cg_kernel
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use cox_mpi
  use job
  use modular
  implicit none
  private
  public :: run_cg

  integer, parameter :: steps = 22
  integer(int64), parameter :: largest = 100
  real(real64), parameter :: solved = 1e-22_real64

contains

  ! Fills the copies of the neighbours' rows, 0 and rows + 1.
  subroutine exchange_edges(v, systems, rows)
    integer, intent(in) :: systems, rows
    real(real64), intent(inout) :: v(systems, 0:rows + 1)
    integer :: before, after, ierror
    before = MPI_PROC_NULL
    after = MPI_PROC_NULL
    if (rank > 0) before = rank - 1
    if (rank + 1 < ranks) after = rank + 1
    call MPI_Sendrecv(v(1, 1), systems, MPI_DOUBLE_PRECISION, before, 0, v(1, rows + 1), systems, &
                      MPI_DOUBLE_PRECISION, after, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call MPI_Sendrecv(v(1, rows), systems, MPI_DOUBLE_PRECISION, after, 1, v(1, 0), systems, &
                      MPI_DOUBLE_PRECISION, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  end subroutine exchange_edges

  ! product = A v
  subroutine apply(v, product, systems, rows)
    integer, intent(in) :: systems, rows
    real(real64), intent(inout) :: v(systems, 0:rows + 1), product(systems, 0:rows + 1)
    integer :: i
    call exchange_edges(v, systems, rows)
    do i = 1, rows
      product(:, i) = 4 * v(:, i) - v(:, i - 1) - v(:, i + 1)
    end do
  end subroutine apply

  ! sums(system) = the scalar product of all rows of v and w.
  subroutine scalar_products(v, w, sums, systems, rows)
    integer, intent(in) :: systems, rows
    real(real64), intent(in) :: v(systems, 0:rows + 1), w(systems, 0:rows + 1)
    real(real64), intent(out) :: sums(systems)
    real(real64) :: partial(systems)
    integer :: i, ierror
    partial = 0
    do i = 1, rows
      partial = partial + v(:, i) * w(:, i)
    end do
    call enter()
    call MPI_Allreduce(partial, sums, systems, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
  end subroutine scalar_products

  ! Solves A solution = residual; the residual is used up.
  subroutine solve(solution, residual, direction, product, systems, rows)
    integer, intent(in) :: systems, rows
    real(real64), intent(inout), dimension(systems, 0:rows + 1) :: solution, residual, direction, product
    real(real64) :: squares(systems), next_squares(systems), curvature(systems)
    integer :: i, step
    solution = 0
    direction(:, 1:rows) = residual(:, 1:rows)
    call scalar_products(residual, residual, squares, systems, rows)
    do step = 1, steps
      call apply(direction, product, systems, rows)
      call scalar_products(direction, product, curvature, systems, rows)
      do i = 1, rows
        where (squares >= solved)
          solution(:, i) = solution(:, i) + squares / curvature * direction(:, i)
          residual(:, i) = residual(:, i) - squares / curvature * product(:, i)
        end where
      end do
      call scalar_products(residual, residual, next_squares, systems, rows)
      do i = 1, rows
        where (squares >= solved) &
          direction(:, i) = residual(:, i) + next_squares / squares * direction(:, i)
      end do
      squares = next_squares
    end do
  end subroutine solve

  function run_cg(block_bytes, calls) result(done)
    integer(int64), intent(in) :: block_bytes, calls
    type(outcome) :: done
    real(real64), allocatable, dimension(:, :) :: solution, residual, direction, product, wanted
    integer(int64) :: at, nearest, solution_number
    integer :: systems, rows, i, s
    systems = max(1, int(block_bytes / 8))
    rows = 2
    do while (rows < 64 .and. rows * systems < 4096)
      rows = rows * 2
    end do
    allocate (wanted(systems, 0:rows + 1), source=0.0_real64)
    solution = wanted
    residual = wanted
    direction = wanted
    product = wanted
    done%block_bytes = systems * 8_int64
    solution_number = 0
    do while (done%calls < calls)
      at = (solution_number * ranks + rank) * rows * systems
      do i = 1, rows
        do s = 1, systems
          wanted(s, i) = real(mod(noise(at), largest + 1), real64)
          at = at + 1
        end do
      end do
      call apply(wanted, residual, systems, rows)
      call solve(solution, residual, direction, product, systems, rows)
      at = (solution_number * ranks + rank) * rows * systems
      do i = 1, rows
        do s = 1, systems
          nearest = 0
          if (abs(solution(s, i)) <= largest + 0.5_real64) nearest = nint(solution(s, i), int64)
          done%right = done%right .and. abs(solution(s, i) - wanted(s, i)) < 1e-6_real64
          done%checksum = mod(done%checksum + mod(abs(nearest) * noise(at), prime), prime)
          at = at + 1
        end do
      end do
      solution_number = solution_number + 1
      done%calls = done%calls + 1 + 2 * steps
    end do
  end function run_cg

end module cg_kernel
