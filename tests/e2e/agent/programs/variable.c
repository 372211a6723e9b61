/* A program that sets allreduce's algorithm through MPI_T.
 *
 * usage: variable */
#include <mpi.h>
#include <stdio.h>

#ifdef OPEN_MPI
static const char* const kName = "coll_tuned_allreduce_algorithm";
#else
static const char* const kName = "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM";
#endif

int main(int argc, char** argv) {
  int provided = 0, rank = 0, index = 0, count = 0, value = 3;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_T_cvar_handle handle;
  if (MPI_T_cvar_get_index(kName, &index) != MPI_SUCCESS ||
      MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS ||
      MPI_T_cvar_write(handle, &value) != MPI_SUCCESS) {
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  int in[64] = {1}, out[64];
  for (int i = 0; i < 20; ++i) MPI_Allreduce(in, out, 64, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  value = 0;
  MPI_T_cvar_read(handle, &value);
  if (rank == 0) printf("stays %d\n", value);
  MPI_Finalize();
  return out[0] > 0 ? 0 : 4;
}
