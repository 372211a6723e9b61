// An MPI program as sites run them: four kernels with exact results. With any algorithm of the MPI
// library they are right or wrong, never nearly right. It does not know Coxswain.
#ifndef COX_TESTS_E2E_APPS_COXAPP_H_
#define COX_TESTS_E2E_APPS_COXAPP_H_

#include <stdbool.h>
#include <stdint.h>

struct Job {
  int rank;
  int ranks;
  bool barrier;  // enter each collective of the kernels together
};

struct Outcome {
  int64_t block_bytes;  // of the kernel's collective, as called
  int64_t calls;        // of it
  int64_t checksum;     // this rank's part, in [0, kPrime)
  bool right;           // everything that this rank could check
};

// A kernel calls its collective about `calls` times, with blocks as close to `block_bytes` as
// possible. The result depends only on the job's ranks and the two arguments. All ranks call
// together.
typedef struct Outcome Kernel(const struct Job* job, int64_t block_bytes, int64_t calls);

Kernel Transpose;          // alltoall: 3-D transform there and back, number-theoretic, so exact
Kernel ConjugateGradient;  // allreduce: many tridiagonal systems at once, solutions are integers
Kernel Halo;               // allgather: a stencil on a ring, neighbours' cells learned in two ways
Kernel Table;              // bcast: rank 0 fills a table, all ranks check it

// Waits for all ranks if collectives start together in this job.
void Enter(const struct Job* job);

// Returns zeroed memory, never null; ends the job without memory.
void* Allocate(int64_t count, int64_t element_bytes);

#endif  // COX_TESTS_E2E_APPS_COXAPP_H_
