# How tests start MPI jobs: launcher_openmpi, launcher_mpich. Jobs often have more ranks than there are processors,
# so ranks that wait yield theirs. Open MPI selects ob1 anyway; naming it saves 0.2 s of looking for fast networks in each
# of a thousand jobs. A job inherits the LD_PRELOAD of the launcher's environment.
set(launcher_openmpi "mpirun.openmpi --oversubscribe --mca mpi_yield_when_idle 1 --mca pml ob1")
set(launcher_mpich ${CMAKE_BINARY_DIR}/tests/e2e/launch/mpirun.mpich)
configure_file(${CMAKE_CURRENT_LIST_DIR}/mpirun.mpich.in ${launcher_mpich} @ONLY
               FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)

# Properties of tests whose MPI jobs use all processors: ctest runs one of these at a time, and starts them before others.
# Most other slow tests wait, so they run at the same time.
set(in_turn RESOURCE_LOCK processors COST 1000)
