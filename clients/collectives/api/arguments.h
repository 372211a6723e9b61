// Checks that functions of cox/coll.h share. Each returns MPI_SUCCESS or an error class by Fail().
// Any thread.
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

// MPI is between MPI_Init and MPI_Finalize (MPI_ERR_OTHER).
int CheckMpi();

// The same, and `request` is not null (MPI_ERR_ARG).
int CheckCall(const void* request);

// A count or a number of ranks, named `name`, is not negative (MPI_ERR_COUNT).
int CheckCount(int64_t count, const char* name);

// 0 <= rank < ranks (MPI_ERR_RANK, MPI_ERR_ROOT if `name` is "root").
int CheckRank(int64_t rank, int ranks, const char* name);

// There is memory where there are elements (MPI_ERR_BUFFER).
int CheckBuffer(const void* buffer, int64_t count, const char* name);
// The same; MPI_BOTTOM, which is null, holds elements of a type that says where they are.
int CheckBuffer(const void* buffer, int64_t count, const Datatype& datatype, const char* name);

// Reads `text`, which is not null, by the rows (MPI_ERR_ARG).
int CheckAlgorithm(const char* text, std::span<const AlgorithmRow> rows, AlgorithmChoice* choice);

// What was decided for the channel's ranks and so many bytes, the same on all of them; where
// nothing was, *is_decided is false and *choice stays. MPI_ERR_ARG where it is no algorithm of
// these rows.
int TakeDecided(const Channel& channel, domain::DecidedOperation operation, int64_t block_bytes,
                std::span<const AlgorithmRow> rows, bool* is_decided, AlgorithmChoice* choice);

// The algorithm that is asked for; where none is (null) the decided one, else what `cheapest` says.
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
