// A stencil on a ring of cells. Each rank gets its neighbours' edges from messages (the halo) and
// the whole ring from an allgather; both must agree, and the sum of the ring is known in advance.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "coxapp.h"
#include "modular.h"

struct Outcome Halo(const struct Job* job, int64_t block_bytes, int64_t calls) {
  int64_t width = block_bytes / (int64_t)sizeof(int64_t);
  if (width < 1) width = 1;
  const int before = (job->rank + job->ranks - 1) % job->ranks;
  const int after = (job->rank + 1) % job->ranks;
  int64_t* padded = Allocate(width + 2, sizeof(int64_t));  // cells[-1] and cells[width]: the halo
  int64_t* cells = padded + 1;
  int64_t* next = Allocate(width, sizeof(int64_t));
  int64_t* ring = Allocate(width * job->ranks, sizeof(int64_t));
  int64_t expected_sum = 0;
  for (int64_t i = 0; i < width * job->ranks; ++i) expected_sum = Add(expected_sum, Noise(i));
  for (int64_t i = 0; i < width; ++i) cells[i] = Noise(job->rank * width + i);

  struct Outcome outcome = {width * (int64_t)sizeof(int64_t), 0, 0, true};
  for (; outcome.calls < calls; ++outcome.calls) {
    MPI_Sendrecv(cells, 1, MPI_INT64_T, before, 0, cells + width, 1, MPI_INT64_T, after, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(cells + width - 1, 1, MPI_INT64_T, after, 1, cells - 1, 1, MPI_INT64_T, before, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    Enter(job);
    MPI_Allgather(cells, (int)width, MPI_INT64_T, ring, (int)width, MPI_INT64_T, MPI_COMM_WORLD);
    int64_t sum = 0;
    for (int64_t i = 0; i < width * job->ranks; ++i) sum = Add(sum, ring[i]);
    outcome.right &= sum == expected_sum && ring[before * width + width - 1] == cells[-1] &&
                     ring[after * width] == cells[width] &&
                     memcmp(ring + job->rank * width, cells, (size_t)width * sizeof(int64_t)) == 0;
    for (int64_t i = 0; i < width; ++i) {
      next[i] = (cells[i - 1] + 3 * cells[i] + cells[i + 1]) % kPrime;
    }
    memcpy(cells, next, (size_t)width * sizeof(int64_t));
    expected_sum = Multiply(expected_sum, 5);
  }
  for (int64_t i = 0; i < width; ++i) {
    outcome.checksum = Add(outcome.checksum, Multiply(cells[i], Noise(job->rank * width + i)));
  }
  free(padded);
  free(next);
  free(ring);
  return outcome;
}
