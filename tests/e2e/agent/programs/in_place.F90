! All-to-alls of 6 and of 7 numbers per block, those of 6 in place: another operation than the other, which no
! algorithm is chosen for. Compiled like collectives.F90. Rank 0 prints how many numbers are wrong.
#ifdef COX_F08
#define ERROR
#define HANDLE(kind) type(kind)
#else
#define ERROR , ierror
#define HANDLE(kind) integer
#endif

program in_place
#if defined(COX_MPI)
  use mpi
#elif defined(COX_F08)
  use mpi_f08
#endif
  implicit none
#if defined(COX_MPIF)
  include 'mpif.h'
#endif
  integer, parameter :: in_block = 6, block = 7, most = 64
  integer :: in(block*most), out(block*most)
  integer :: me, ranks, i, k, wrong, all_wrong, ierror
  HANDLE(MPI_Comm) :: world

  world = MPI_COMM_WORLD
  call MPI_Init(ierror)
  call MPI_Comm_rank(world, me ERROR)
  call MPI_Comm_size(world, ranks ERROR)
  wrong = 0
  do k = 1, 3
    do i = 1, in_block*ranks
      out(i) = me*1000 + i
    end do
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INTEGER, out, in_block, MPI_INTEGER, world ERROR)
    do i = 1, in_block*ranks
      if (out(i) /= ((i - 1)/in_block)*1000 + me*in_block + mod(i - 1, in_block) + 1) wrong = wrong + 1
    end do
    in = me + k
    call MPI_Alltoall(in, block, MPI_INTEGER, out, block, MPI_INTEGER, world ERROR)
    do i = 1, block*ranks
      if (out(i) /= (i - 1)/block + k) wrong = wrong + 1
    end do
  end do
  call MPI_Reduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, 0, world ERROR)
  if (me == 0) print '(i0,a)', all_wrong, ' wrong'
  call MPI_Finalize(ierror)
end program in_place
