// Supersteps by messages between two ranks, as the kernels of server/strategy/kernels count and
// price them. A collective of MPI would send what the library chooses.
//
// All functions are collective over `comm`. A part is part_bytes long, 1 <= part_bytes <= INT_MAX;
// part i of `data` begins at i x part_bytes. Errors end the job.
#ifndef COX_COLLECTIVES_EXAMPLES_SUPERSTEP_H_
#define COX_COLLECTIVES_EXAMPLES_SUPERSTEP_H_

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

// How a rank cuts its parts into messages, and their order.
struct Order {
  int64_t grain_bytes;  // of a message; 0: a part is one message
  bool in_turns;        // each message after the one before; else all at once
  bool naive;           // to rank 0 first, then to rank 1, ...; else to the next rank first
};

// The root sends part i to rank i, all at once. The others' parts of `data` are left alone.
void DealParts(void* data, int64_t part_bytes, int root, MPI_Comm comm);

// Every rank sends its own part to all others. A NULL order sends all parts at once.
void ShareParts(void* data, int64_t part_bytes, const struct Order* order, MPI_Comm comm);

// Every rank sends part i of `out` to rank i; part i of `in` comes from rank i.
void SwapParts(const void* out, void* in, int64_t part_bytes, const struct Order* order,
               MPI_Comm comm);

// Every rank sends out_bytes to its partner, which sends in_bytes to it.
void SwapWith(int partner, const void* out, int64_t out_bytes, void* in, int64_t in_bytes,
              const struct Order* order, MPI_Comm comm);

// The root's `bytes` go to all ranks down a binomial tree.
void SendDownTree(void* data, int64_t bytes, int root, MPI_Comm comm);

// Every rank's own part goes to rank 0 up a binomial tree. Other ranks use `data` on the way.
void GatherUpTree(void* data, int64_t part_bytes, MPI_Comm comm);

// Every rank sends out's block i to rank i and receives in's block i from it, in as many steps as
// there are others: in step k to the rank k further on, the length first. A barrier ends each step
// if `barriers`. Allocates in->data.
struct Blocks;
void SendStaggered(const struct Blocks* out, struct Blocks* in, bool barriers, MPI_Comm comm);

// The same blocks, cut and ordered as `order` says, after an exchange of all lengths at once. Empty
// blocks are not sent. Allocates in->data.
void SendCut(const struct Blocks* out, struct Blocks* in, const struct Order* order, MPI_Comm comm);

#endif  // COX_COLLECTIVES_EXAMPLES_SUPERSTEP_H_
