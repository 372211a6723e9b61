// Supersteps by messages between two ranks, as the kernels of server/strategy/kernels count and
// price them. A collective of MPI would send what the library chooses.
//
// All functions are collective over `comm`. A part is part_bytes long, 1 <= part_bytes <= INT_MAX;
// part i of `data` begins at i x part_bytes. Errors end the job.
#ifndef COX_COLLECTIVES_EXAMPLES_SUPERSTEP_H_
#define COX_COLLECTIVES_EXAMPLES_SUPERSTEP_H_

#include <mpi.h>
#include <stdint.h>

// The root sends part i to rank i, all at once. The others' parts of `data` are left alone.
void DealParts(void* data, int64_t part_bytes, int root, MPI_Comm comm);

// Every rank sends its own part to all others, all at once.
void ShareParts(void* data, int64_t part_bytes, MPI_Comm comm);

// Every rank sends part i of `out` to rank i, all at once; part i of `in` comes from rank i.
void SwapParts(const void* out, void* in, int64_t part_bytes, MPI_Comm comm);

// The root's `bytes` go to all ranks down a binomial tree.
void SendDownTree(void* data, int64_t bytes, int root, MPI_Comm comm);

// Every rank's own part goes to rank 0 up a binomial tree. Other ranks use `data` on the way.
void GatherUpTree(void* data, int64_t part_bytes, MPI_Comm comm);

// Every rank sends out's block i to rank i and receives in's block i from it, in as many steps as
// there are others: in step k to the rank k further on, the length first. Allocates in->data.
struct Blocks;
void SendStaggered(const struct Blocks* out, struct Blocks* in, MPI_Comm comm);

#endif  // COX_COLLECTIVES_EXAMPLES_SUPERSTEP_H_
