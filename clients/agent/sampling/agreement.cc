#include "agent/sampling/agreement.h"

#include <mpi.h>
#include <sched.h>
#include <stdlib.h>

#include "agent/job/library.h"
#include "agent/timing/clock.h"

namespace cox::agent {
namespace {

struct Messages {
  int (*isend)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  int (*irecv)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  int (*test)(MPI_Request*, int*, MPI_Status*);
  MPI_Datatype byte;
};

// Whether the request is complete. A completed request is null, and tests as complete again.
bool IsComplete(const Messages& messages, MPI_Request* request) {
  int complete = 0;
  return messages.test(request, &complete, MPI_STATUS_IGNORE) == MPI_SUCCESS && complete != 0;
}

// Rank 0's part. `requests` has room for three per rank, `said` for one reply per rank.
uint8_t Listen(const Messages& messages, uint8_t own, MPI_Request* requests, uint8_t* said) {
  // Static, because a send may end after this function.
  static uint8_t verdict;
  const int size = library.world_size;
  MPI_Request* const words = requests;
  MPI_Request* const calls = requests + size;
  MPI_Request* const replies = calls + size;
  for (int rank = 1; rank < size; ++rank) {
    if (messages.irecv(&said[rank], 1, messages.byte, rank, kAgreementTag, library.world,
                       &words[rank]) != MPI_SUCCESS ||
        messages.isend(nullptr, 0, messages.byte, rank, kAgreementTag, library.world,
                       &calls[rank]) != MPI_SUCCESS) {
      return 0;
    }
  }
  const uint64_t deadline_ns = NowNs() + kListenNs;
  int missing = 0;
  do {
    missing = 0;
    for (int rank = 1; rank < size; ++rank) {
      if (!IsComplete(messages, &words[rank])) ++missing;
    }
    if (missing > 0) sched_yield();
  } while (missing > 0 && NowNs() < deadline_ns);
  verdict = missing == 0 ? own : 0;
  for (int rank = 1; missing == 0 && rank < size; ++rank) verdict &= said[rank];
  // Ranks that reply late wait for the verdict too.
  for (int rank = 1; rank < size; ++rank) {
    if (messages.isend(&verdict, 1, messages.byte, rank, kAgreementTag, library.world,
                       &replies[rank]) != MPI_SUCCESS) {
      return 0;
    }
  }
  for (int rank = 1; missing == 0 && rank < size; ++rank) {
    while (!IsComplete(messages, &calls[rank]) || !IsComplete(messages, &replies[rank])) {
      sched_yield();
    }
  }
  return verdict;
}

// The other ranks' part. A rank that gives up has not replied, so no rank relies on it. A rank that
// has replied waits without a limit: rank 0 always sends the verdict.
Agreement Ask(const Messages& messages, uint8_t own) {
  static uint8_t answer;
  static uint8_t said;
  static MPI_Request call;
  static MPI_Request word;
  static MPI_Request reply;
  if (messages.irecv(nullptr, 0, messages.byte, 0, kAgreementTag, library.world, &call) !=
          MPI_SUCCESS ||
      messages.irecv(&answer, 1, messages.byte, 0, kAgreementTag, library.world, &reply) !=
          MPI_SUCCESS) {
    return {};
  }
  const uint64_t deadline_ns = NowNs() + kAnswerNs;
  while (!IsComplete(messages, &call)) {
    if (NowNs() >= deadline_ns) return {.is_heard = false};
    sched_yield();
  }
  said = own;
  if (messages.isend(&said, 1, messages.byte, 0, kAgreementTag, library.world, &word) !=
      MPI_SUCCESS) {
    return {};
  }
  while (!IsComplete(messages, &reply)) sched_yield();
  IsComplete(messages, &word);
  return {.parts = answer};
}

}  // namespace

Agreement AgreeOn(uint8_t own) {
  Messages messages;
  if (!LoadFunction(&messages.isend, "PMPI_Isend") ||
      !LoadFunction(&messages.irecv, "PMPI_Irecv") || !LoadFunction(&messages.test, "PMPI_Test")) {
    return {};
  }
  messages.byte = library.byte;
  if (library.world_rank != 0) return Ask(messages, own);
  if (library.world_size == 1) return {.parts = own};
  const auto ranks = static_cast<size_t>(library.world_size);
  // Requests that no rank answers stay open, so their memory must stay too.
  auto* requests = static_cast<MPI_Request*>(calloc(3 * ranks, sizeof(MPI_Request)));
  auto* said = static_cast<uint8_t*>(calloc(ranks, 1));
  const bool has_room = requests != nullptr && said != nullptr;
  const uint8_t all = has_room ? Listen(messages, own, requests, said) : 0;
  if (all != 0 || !has_room) {
    free(requests);
    free(said);
  }
  return {.parts = all};
}

}  // namespace cox::agent
