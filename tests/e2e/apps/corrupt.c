// Preloaded into coxapp to test that it notices wrong results. Changes the result of every call of
// the collective in the environment variable CORRUPT, on the last rank if that is enough.
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool Chosen(const char* collective) {
  const char* chosen = getenv("CORRUPT");
  return chosen != NULL && strcmp(chosen, collective) == 0;
}

static void Corrupt(const char* collective, void* result, MPI_Comm comm) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  if (rank == ranks - 1 && Chosen(collective)) *(unsigned char*)result ^= 1;
}

int MPI_Alltoall(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                 MPI_Datatype in_type, MPI_Comm comm) {
  const int error = PMPI_Alltoall(out, out_count, out_type, in, in_count, in_type, comm);
  Corrupt("alltoall", in, comm);
  return error;
}

int MPI_Allgather(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                  MPI_Datatype in_type, MPI_Comm comm) {
  const int error = PMPI_Allgather(out, out_count, out_type, in, in_count, in_type, comm);
  Corrupt("allgather", in, comm);
  return error;
}

int MPI_Allreduce(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  const int error = PMPI_Allreduce(out, in, count, type, op, comm);
  // Only sums of doubles are scalar products. The change is larger than rounding.
  if (type == MPI_DOUBLE && Chosen("allreduce")) *(double*)in += 1000;
  return error;
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const int error = PMPI_Bcast(buffer, count, type, root, comm);
  Corrupt("bcast", buffer, comm);
  return error;
}
