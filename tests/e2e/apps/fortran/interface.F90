! The only file that knows which of MPI's three Fortran interfaces the program uses.
module cox_mpi
#if defined(COX_USE_MPI_F08)
  use mpi_f08
  implicit none
#elif defined(COX_USE_MPI)
  use mpi
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
end module cox_mpi
