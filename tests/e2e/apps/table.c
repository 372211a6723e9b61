// Rank 0 fills a new table each time and broadcasts it; all ranks check every entry.
#include <mpi.h>
#include <stdlib.h>

#include "coxapp.h"
#include "modular.h"

struct Outcome Table(const struct Job* job, int64_t block_bytes, int64_t calls) {
  int64_t entries = block_bytes / (int64_t)sizeof(int64_t);
  if (entries < 1) entries = 1;
  int64_t* table = Allocate(entries, sizeof(int64_t));
  struct Outcome outcome = {entries * (int64_t)sizeof(int64_t), 0, 0, true};
  for (; outcome.calls < calls; ++outcome.calls) {
    const int64_t offset = outcome.calls * entries;
    if (job->rank == 0) {
      for (int64_t i = 0; i < entries; ++i) table[i] = Noise(offset + i);
    }
    Enter(job);
    MPI_Bcast(table, (int)entries, MPI_INT64_T, 0, MPI_COMM_WORLD);
    for (int64_t i = 0; i < entries; ++i) {
      outcome.right &= table[i] == Noise(offset + i);
      outcome.checksum = Add(outcome.checksum, Multiply(table[i], job->rank + 1));
    }
  }
  free(table);
  return outcome;
}
