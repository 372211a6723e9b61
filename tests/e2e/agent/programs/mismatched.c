/* A wrong program that ends all the same: the last rank calls one more gather than the others, and
 * its small block needs no partner. Each rank says when it reaches its end. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank = 0;
  int size = 0;
  int block = 1;
  int all[64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int calls = rank == size - 1 ? 2 : 1;
  for (int i = 0; i < calls; ++i) {
    MPI_Gather(&block, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  printf("rank %d of %d ends\n", rank, size);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
