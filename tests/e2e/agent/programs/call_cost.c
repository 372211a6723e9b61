/* Compares the cost of a wrapped call with a wrapper that only reads the clock twice. Blocks of the
 * same calls through each alternate in one process, so other load on the machine affects all alike.
 * Run it on one rank under the agent; prints the least nanoseconds per call of the bare function,
 * of the clock wrapper and of the agent's wrapper, for MPI_COMM_WORLD and for a duplicate of it:
 *
 *     world BARE CLOCK AGENT
 *     other BARE CLOCK AGENT */
#include <mpi.h>
#include <stdio.h>

#include "clock_wrapper.h"

typedef int (*Allreduce)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);

enum { kCalls = 1000, kRounds = 600, kSizes = 4 };

static double block_ns(Allreduce allreduce, MPI_Comm comm) {
  static const int counts[kSizes] = {1, 2, 4, 8};
  double in[8] = {1}, out[8] = {0};
  const uint64_t start = clock_ns();
  for (int i = 0; i < kCalls; ++i) {
    allreduce(in, out, counts[i % kSizes], MPI_DOUBLE, MPI_SUM, comm);
  }
  return (double)(clock_ns() - start) / kCalls;
}

static void measure(const char* name, MPI_Comm comm) {
  const Allreduce ways[3] = {PMPI_Allreduce, clock_allreduce, MPI_Allreduce};
  double least[3] = {1e9, 1e9, 1e9};
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < 3; ++i) {
      const double ns = block_ns(ways[i], comm);
      if (ns < least[i]) least[i] = ns;
    }
  }
  printf("%s %.2f %.2f %.2f\n", name, least[0], least[1], least[2]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  measure("world", MPI_COMM_WORLD);
  measure("other", other);
  MPI_Comm_free(&other);
  MPI_Finalize();
  return 0;
}
