// Argument checks that the functions of cox/coll.h share. Each returns MPI_SUCCESS, or an error
// class through Fail(). Any thread.
#ifndef COX_COLLECTIVES_API_ARGUMENTS_H_
#define COX_COLLECTIVES_API_ARGUMENTS_H_

#include <mpi.h>

#include <cstdint>
#include <span>

#include "collectives/choice/algorithm_name.h"
#include "collectives/engine/channel.h"
#include "collectives/engine/packing.h"
#include "cox/coll.h"

namespace cox::collectives {

// MPI must be initialized and not finalized (MPI_ERR_OTHER).
int CheckMpi();

// CheckMpi(), and `request` must not be null (MPI_ERR_ARG).
int CheckCall(const void* request);

// The argument `name`, a count or a number of ranks, must not be negative (MPI_ERR_COUNT).
int CheckCount(int64_t count, const char* name);

// Requires 0 <= rank < ranks (MPI_ERR_RANK; MPI_ERR_ROOT if `name` is "root").
int CheckRank(int64_t rank, int ranks, const char* name);

// `buffer` must not be MPI_IN_PLACE, nor null if count > 0 (MPI_ERR_BUFFER).
int CheckBuffer(const void* buffer, int64_t count, const char* name);
// The same, but takes MPI_BOTTOM, which is null, for a datatype with absolute addresses.
int CheckBuffer(const void* buffer, int64_t count, const Datatype& datatype, const char* name);

// Reads `text`, which is not null, with these rows (MPI_ERR_ARG).
int CheckAlgorithm(const char* text, std::span<const AlgorithmRow> rows, AlgorithmChoice* choice);

// Sets *choice to the algorithm that the profile decides for this channel and size; the result is
// the same on all ranks. Without a decision *is_decided is false and *choice keeps its value.
// MPI_ERR_ARG if the decided name is none of these rows.
int TakeDecided(const Channel& channel, domain::DecidedOperation operation, int64_t block_bytes,
                std::span<const AlgorithmRow> rows, bool* is_decided, AlgorithmChoice* choice);

// Chooses the algorithm: the named one; if the program names none (null), the decided one; without
// a decision, the result of `cheapest`.
template <typename Cheapest>
int Choose(const char* algorithm, const Channel& channel, domain::DecidedOperation operation,
           int64_t block_bytes, std::span<const AlgorithmRow> rows, AlgorithmChoice* choice,
           Cheapest cheapest) {
  if (algorithm != nullptr) return CheckAlgorithm(algorithm, rows, choice);
  bool is_decided = false;
  const int taken = TakeDecided(channel, operation, block_bytes, rows, &is_decided, choice);
  if (!is_decided) *choice = cheapest();
  return taken;
}

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_API_ARGUMENTS_H_
