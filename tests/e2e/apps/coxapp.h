// An MPI program as sites run them: four kernels whose results are exact, so that whatever
// algorithm the MPI library uses, they are right or wrong and never nearly right. Knows nothing of
// Coxswain.
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
  int64_t block_bytes;  // of the kernel's collective, as it was called
  int64_t calls;        // of it
  int64_t checksum;     // this rank's part, in [0, kPrime)
  bool right;           // all that this rank could verify
};

// A kernel calls its collective about `calls` times with blocks as near to `block_bytes` as it can
// have. The result depends on the job's ranks and on the two arguments alone. All ranks call
// together.
typedef struct Outcome Kernel(const struct Job* job, int64_t block_bytes, int64_t calls);

Kernel Transpose;          // alltoall: 3-D transform there and back, number-theoretic, so exact
Kernel ConjugateGradient;  // allreduce: many tridiagonal systems at once, solutions are integers
Kernel Halo;               // allgather: a stencil on a ring, neighbours' cells learned in two ways
Kernel Table;              // bcast: rank 0 fills a table, all look at all of it

// Waits for all ranks if the job wants to enter collectives together.
void Enter(const struct Job* job);

// Ends the job when memory is out; never null. Zeroed.
void* Allocate(int64_t count, int64_t element_bytes);

#endif  // COX_TESTS_E2E_APPS_COXAPP_H_
