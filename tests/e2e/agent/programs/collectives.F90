! The Fortran twin of collectives.c: every blocking collective three times, one line that depends on all
! results. Compiled three times: with mpif.h (COX_MPIF), `use mpi` (COX_MPI) and `use mpi_f08` (COX_F08),
! where the error argument is left out.
!
! usage: collectives [STATUS]     exits with STATUS (0)
#ifdef COX_F08
#define ERROR
#define ERROR_ONLY
#define HANDLE(kind) type(kind)
#else
#define ERROR , ierror
#define ERROR_ONLY ierror
#define HANDLE(kind) integer
#endif

program collectives
#if defined(COX_MPI)
  use mpi
#elif defined(COX_F08)
  use mpi_f08
#endif
  implicit none
#if defined(COX_MPIF)
  include 'mpif.h'
#endif
  integer, parameter :: block = 2, vector = 5, most = 64, times = 3
  double precision :: in(vector*most), out(vector*most), check, theirs
  integer :: counts(most), offsets(most), byte_offsets(most), vectors(most)
  HANDLE(MPI_Datatype) :: types(most)
  HANDLE(MPI_Comm) :: world
#ifdef COX_F08
  type(MPI_Status) :: status
#else
  integer :: ierror, status(MPI_STATUS_SIZE)
#endif
  integer :: me, ranks, i, k, all, from, provided, exit_status
  character(len=16) :: argument

  world = MPI_COMM_WORLD
#ifdef COX_F08
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided)
#else
  provided = 0
  call MPI_Init(ierror)
#endif
  call MPI_Comm_rank(world, me ERROR)
  call MPI_Comm_size(world, ranks ERROR)
  all = block*ranks
  do i = 1, ranks
    counts(i) = block
    offsets(i) = (i - 1)*block
    byte_offsets(i) = offsets(i)*8
    vectors(i) = vector
    types(i) = MPI_DOUBLE_PRECISION
  end do
  check = 0

  do k = 1, times
    call fill()
    call MPI_Allgather(in, block, MPI_DOUBLE_PRECISION, out, block, MPI_DOUBLE_PRECISION, world ERROR)
    call add(all)
    call MPI_Allgatherv(in, block, MPI_DOUBLE_PRECISION, out, counts, offsets, MPI_DOUBLE_PRECISION, &
                        world ERROR)
    call add(all)
    call MPI_Allreduce(in, out, vector, MPI_DOUBLE_PRECISION, MPI_SUM, world ERROR)
    call add(vector)
    call MPI_Alltoall(in, block, MPI_DOUBLE_PRECISION, out, block, MPI_DOUBLE_PRECISION, world ERROR)
    call add(all)
    call MPI_Alltoallv(in, counts, offsets, MPI_DOUBLE_PRECISION, out, counts, offsets, &
                       MPI_DOUBLE_PRECISION, world ERROR)
    call add(all)
    call MPI_Alltoallw(in, counts, byte_offsets, types, out, counts, byte_offsets, types, world ERROR)
    call add(all)
    call MPI_Barrier(world ERROR)
    if (me == 0) out(1:vector) = in(1:vector)
    call MPI_Bcast(out, vector, MPI_DOUBLE_PRECISION, 0, world ERROR)
    call add(vector)
    call MPI_Exscan(in, out, vector, MPI_DOUBLE_PRECISION, MPI_SUM, world ERROR)
    if (me > 0) call add(vector)
    call MPI_Gather(in, block, MPI_DOUBLE_PRECISION, out, block, MPI_DOUBLE_PRECISION, 0, world ERROR)
    call MPI_Gatherv(in, block, MPI_DOUBLE_PRECISION, out, counts, offsets, MPI_DOUBLE_PRECISION, 0, &
                     world ERROR)
    call MPI_Reduce(in, out, vector, MPI_DOUBLE_PRECISION, MPI_SUM, 0, world ERROR)
    if (me == 0) call add(all)
    call MPI_Reduce_scatter(in, out, vectors, MPI_DOUBLE_PRECISION, MPI_SUM, world ERROR)
    call add(vector)
    call MPI_Reduce_scatter_block(in, out, vector, MPI_DOUBLE_PRECISION, MPI_SUM, world ERROR)
    call add(vector)
    call MPI_Scan(in, out, vector, MPI_DOUBLE_PRECISION, MPI_SUM, world ERROR)
    call add(vector)
    call MPI_Scatter(in, block, MPI_DOUBLE_PRECISION, out, block, MPI_DOUBLE_PRECISION, 0, world ERROR)
    call add(block)
    call MPI_Scatterv(in, counts, offsets, MPI_DOUBLE_PRECISION, out, block, MPI_DOUBLE_PRECISION, 0, &
                      world ERROR)
    call add(block)
  end do

  ! MPI_IN_PLACE is an address here that only the library can tell: it has to arrive as it is.
  call fill()
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, block, MPI_DOUBLE_PRECISION, world ERROR)
  out(1:all) = in(1:all)
  call add(all)

  if (me == 0) then
    do from = 1, ranks - 1
      call MPI_Recv(theirs, 1, MPI_DOUBLE_PRECISION, from, 9, world, status ERROR)
      check = check + from*theirs
    end do
    print '(a,f20.4)', 'check', check
  else
    call MPI_Send(check, 1, MPI_DOUBLE_PRECISION, 0, 9, world ERROR)
  end if
  call MPI_Finalize(ERROR_ONLY)
  exit_status = 0
  call get_command_argument(1, argument)
  if (argument /= '') read (argument, *) exit_status
  if (exit_status /= 0) stop exit_status

contains

  subroutine fill()
    integer :: j
    do j = 1, vector*ranks
      in(j) = me + j
      out(j) = 0
    end do
  end subroutine fill

  subroutine add(count)
    integer, intent(in) :: count
    integer :: j
    do j = 1, count
      check = check + j*out(j)
    end do
  end subroutine add

end program collectives
