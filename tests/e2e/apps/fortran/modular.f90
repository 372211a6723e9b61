! Arithmetic modulo a prime with a root of unity of order 2**23, as in modular.h.
module modular
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer(int64), parameter :: prime = 998244353_int64
  integer(int64), parameter :: generator = 3_int64

contains

  pure function power(base, exponent) result(value)
    integer(int64), intent(in) :: base, exponent
    integer(int64) :: value, square, left
    value = 1
    square = base
    left = exponent
    do while (left > 0)
      if (mod(left, 2_int64) == 1) value = mod(value * square, prime)
      square = mod(square * square, prime)
      left = left / 2
    end do
  end function power

  ! A number for each index that looks like noise, so that a misplaced block is noticed.
  elemental function noise(index) result(value)
    integer(int64), intent(in) :: index
    integer(int64) :: value
    value = mod(mod(mod(index, prime) * 48271, prime) + 11, prime)
    value = mod(mod(value * value, prime) + 7, prime)
    value = mod(mod(value * 69621, prime) + mod(index / prime, prime), prime)
  end function noise

end module modular
