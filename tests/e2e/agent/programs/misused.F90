! Calls that an MPI library refuses on every rank, from Fortran, first with errors that return, then with a handler of
! the program; a right call follows each. Compiled like collectives.F90. Rank 0 prints a line per case: error class,
! calls of the handler, and whether the right call works.
#ifdef COX_F08
#define HANDLE(kind) type(kind)
#else
#define HANDLE(kind) integer
#endif

module mistakes
#if defined(COX_F08)
  use mpi_f08
#endif
  implicit none
  integer :: handled = 0
contains
  subroutine handler(comm, code)
#if defined(COX_F08)
    type(MPI_Comm) :: comm
#else
    integer :: comm
#endif
    integer :: code
    handled = handled + 1
  end subroutine handler
end module mistakes

program misused
#if defined(COX_MPI)
  use mpi
#elif defined(COX_F08)
  use mpi_f08
#endif
  use mistakes
  implicit none
#if defined(COX_MPIF)
  include 'mpif.h'
#endif
  integer, parameter :: block = 4, most = 64
  integer :: in(block*most), out(block*most)
  integer :: me, ranks, way, code, after, ierror
  HANDLE(MPI_Comm) :: world
  HANDLE(MPI_Errhandler) :: own

  world = MPI_COMM_WORLD
  call MPI_Init(ierror)
  call MPI_Comm_rank(world, me, ierror)
  call MPI_Comm_size(world, ranks, ierror)
  in = me
  call MPI_Comm_create_errhandler(handler, own, ierror)
  do way = 1, 2
    if (way == 1) call MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN, ierror)
    if (way == 2) call MPI_Comm_set_errhandler(world, own, ierror)

    call MPI_Bcast(out, block, MPI_INTEGER, ranks, world, code)
    call MPI_Bcast(out, block, MPI_INTEGER, 0, world, after)
    call say('bcast, large root')
    call MPI_Bcast(out, -1, MPI_INTEGER, 0, world, code)
    call MPI_Bcast(out, block, MPI_INTEGER, 0, world, after)
    call say('bcast, negative count')
    call MPI_Gather(in, -1, MPI_INTEGER, out, block, MPI_INTEGER, 0, world, code)
    call MPI_Gather(in, block, MPI_INTEGER, out, block, MPI_INTEGER, 0, world, after)
    call say('gather, negative count')
    call MPI_Scatter(in, block, MPI_INTEGER, out, block, MPI_INTEGER, -9, world, code)
    call MPI_Scatter(in, block, MPI_INTEGER, out, block, MPI_INTEGER, 0, world, after)
    call say('scatter, negative root')
    call MPI_Alltoall(in, block, MPI_DATATYPE_NULL, out, block, MPI_INTEGER, world, code)
    call MPI_Alltoall(in, block, MPI_INTEGER, out, block, MPI_INTEGER, world, after)
    call say('alltoall, null type')
    call MPI_Allreduce(in, out, block, MPI_INTEGER, MPI_OP_NULL, world, code)
    call MPI_Allreduce(in, out, block, MPI_INTEGER, MPI_SUM, world, after)
    call say('allreduce, null operation')
    call MPI_Allreduce(in, out, block, MPI_INTEGER, MPI_SUM, MPI_COMM_NULL, code)
    call MPI_Allgather(in, block, MPI_INTEGER, out, block, MPI_INTEGER, world, after)
    call say('allreduce, null communicator')
    call MPI_Reduce(in, out, block, MPI_INTEGER, MPI_SUM, ranks, world, code)
    call MPI_Reduce(in, out, block, MPI_INTEGER, MPI_SUM, 0, world, after)
    call say('reduce, large root')
  end do
  call MPI_Errhandler_free(own, ierror)
  call MPI_Finalize(ierror)

contains
  subroutine say(what)
    character(len=*), intent(in) :: what
    integer :: class, error
    call MPI_Error_class(code, class, error)
    if (me == 0) print '(a,a,i0,a,i0,a,l1)', what, ': ', class, ' handled ', handled, ' then right: ', &
      after == MPI_SUCCESS
    handled = 0
  end subroutine say
end program misused
