! The 3-D number-theoretic transform there and back, with an alltoall between; see transpose.c.
module transpose_kernel
  use, intrinsic :: iso_fortran_env, only: int64
  use cox_mpi
  use job
  use modular
  implicit none
  private
  public :: run_transpose

  integer(int64) :: n, planes, depth  ! of the grid n x n x depth; planes: of a slab

contains

  ! The grid with the largest block of at most `elements`; of those, the closest to a cube.
  subroutine fit_grid(elements)
    integer(int64), intent(in) :: elements
    integer(int64) :: side, thick, deep
    n = 1
    planes = 1
    depth = 1
    side = 1
    do while (side <= 1024)
      thick = (side + ranks - 1) / ranks
      deep = 1
      if (thick * thick > elements) exit
      do while (2 * thick * thick * deep <= elements)
        deep = deep * 2
      end do
      if (thick * thick * deep > planes * planes * depth .or. &
          (thick * thick * deep == planes * planes * depth .and. side <= deep)) then
        n = side
        planes = thick
        depth = deep
      end if
      side = side * 2
    end do
  end subroutine fit_grid

  ! Transforms a line in place; its length is a power of two. The inverse omits the division by it.
  subroutine transform_line(line, inverse)
    integer(int64), intent(inout) :: line(0:)
    logical, intent(in) :: inverse
    integer(int64) :: length, i, j, bit, half, order, root, twiddle, k, start, product
    length = size(line, kind=int64)
    j = 0
    do i = 1, length - 1
      bit = length / 2
      do while (iand(j, bit) /= 0)
        j = ieor(j, bit)
        bit = bit / 2
      end do
      j = ieor(j, bit)
      if (i < j) line([i, j]) = line([j, i])
    end do
    half = 1
    do while (half < length)
      order = (prime - 1) / (2 * half)
      if (inverse) order = prime - 1 - order
      root = power(generator, order)
      twiddle = 1
      do k = 0, half - 1
        do start = k, length - 1, 2 * half
          product = mod(line(start + half) * twiddle, prime)
          line(start + half) = mod(line(start) - product + prime, prime)
          line(start) = mod(line(start) + product, prime)
        end do
        twiddle = mod(twiddle * root, prime)
      end do
      half = half * 2
    end do
  end subroutine transform_line

  ! All lines along the second axis (1) or the third (2) of a slab. Fortran's first index is the third axis.
  subroutine transform_slab(slab, axis, inverse)
    integer(int64), intent(inout) :: slab(0:, 0:, 0:)
    integer, intent(in) :: axis
    logical, intent(in) :: inverse
    integer(int64) :: plane, at
    do plane = 0, planes - 1
      if (axis == 1) then
        do at = 0, depth - 1
          call transform_line(slab(at, :, plane), inverse)
        end do
      else
        do at = 0, n - 1
          call transform_line(slab(:, at, plane), inverse)
        end do
      end if
    end do
  end subroutine transform_slab

  ! Exchanges the first two axes of the grid: slab(k, j, i) becomes slab(k, i, j).
  subroutine transpose_slab(slab, out, in)
    integer(int64), intent(inout) :: slab(0:, 0:, 0:), out(0:, 0:, 0:, 0:), in(0:, 0:, 0:, 0:)
    integer(int64) :: i, j
    integer :: block, ierror
    block = int(planes * planes * depth)
    do j = 0, n - 1
      do i = 0, planes - 1
        out(:, mod(j, planes), i, j / planes) = slab(:, j, i)
      end do
    end do
    call enter()
    call MPI_Alltoall(out, block, MPI_INTEGER8, in, block, MPI_INTEGER8, MPI_COMM_WORLD, ierror)
    do i = 0, n - 1
      do j = 0, planes - 1
        slab(:, i, j) = in(:, j, mod(i, planes), i / planes)
      end do
    end do
  end subroutine transpose_slab

  ! This element becomes the sum of all elements.
  logical function sum_is_right(slab)
    integer(int64), intent(in) :: slab(0:, 0:, 0:)
    integer(int64) :: i, total
    sum_is_right = .true.
    if (rank /= 0) return
    total = 0
    do i = 0, n * n * depth - 1
      total = mod(total + noise(i), prime)
    end do
    sum_is_right = slab(0, 0, 0) == total
  end function sum_is_right

  function run_transpose(block_bytes, calls) result(done)
    integer(int64), intent(in) :: block_bytes, calls
    type(outcome) :: done
    integer(int64), allocatable :: first(:, :, :), slab(:, :, :), out(:, :, :, :), in(:, :, :, :)
    integer(int64) :: i, j, k, at, scale
    call fit_grid(block_bytes / 8)
    allocate (first(0:depth - 1, 0:n - 1, 0:planes - 1), source=0_int64)
    allocate (out(0:depth - 1, 0:planes - 1, 0:planes - 1, 0:ranks - 1), source=0_int64)
    in = out
    do i = 0, planes - 1
      if (rank * planes + i >= n) exit  ! padding
      do j = 0, n - 1
        do k = 0, depth - 1
          first(k, j, i) = noise(((rank * planes + i) * n + j) * depth + k)
        end do
      end do
    end do
    slab = first
    done%block_bytes = planes * planes * depth * 8
    scale = power(mod(n * n * depth, prime), prime - 2)
    do
      call transform_slab(slab, 2, .false.)
      call transform_slab(slab, 1, .false.)
      call transpose_slab(slab, out, in)
      call transform_slab(slab, 1, .false.)
      if (done%calls == 0) then
        done%right = sum_is_right(slab)
        at = rank * planes * n * depth
        do i = 0, planes - 1
          do j = 0, n - 1
            do k = 0, depth - 1
              done%checksum = mod(done%checksum + mod(slab(k, j, i) * noise(at), prime), prime)
              at = at + 1
            end do
          end do
        end do
      end if
      call transform_slab(slab, 1, .true.)
      call transpose_slab(slab, out, in)
      call transform_slab(slab, 1, .true.)
      call transform_slab(slab, 2, .true.)
      slab = mod(slab * scale, prime)
      done%right = done%right .and. all(slab == first)
      done%calls = done%calls + 2
      if (done%calls >= calls) exit
    end do
  end function run_transpose

end module transpose_kernel
