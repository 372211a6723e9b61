# How tests start MPI jobs: launcher_openmpi, launcher_mpich. Jobs often have more ranks than there are processors,
# so ranks that wait yield theirs. A job inherits the LD_PRELOAD of the launcher's environment.
set(launcher_openmpi "mpirun.openmpi --oversubscribe --mca mpi_yield_when_idle 1")
set(launcher_mpich ${CMAKE_BINARY_DIR}/tests/e2e/launch/mpirun.mpich)
configure_file(${CMAKE_CURRENT_LIST_DIR}/mpirun.mpich.in ${launcher_mpich} @ONLY
               FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
