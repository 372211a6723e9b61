#include "agent/agreement.h"

#include <mpi.h>
#include <sched.h>
#include <stdlib.h>

#include "agent/clock.h"
#include "agent/library.h"
#include "agent/log.h"

namespace cox::agent {
namespace {

struct Messages {
  int (*isend)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  int (*irecv)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  int (*test)(MPI_Request*, int*, MPI_Status*);
  int (*send)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
  MPI_Datatype byte;
};

// True when the request is complete; a completed one is null, and complete when asked again.
bool IsComplete(const Messages& messages, MPI_Request* request) {
  int complete = 0;
  return messages.test(request, &complete, MPI_STATUS_IGNORE) == MPI_SUCCESS && complete != 0;
}

// What rank 0 does. `heard` has room for a flag per rank.
bool Listen(const Messages& messages, MPI_Request* requests, bool* heard) {
  const int size = library.world_size;
  for (int rank = 1; rank < size; ++rank) {
    if (messages.irecv(nullptr, 0, messages.byte, rank, kAgreementTag, library.world,
                       &requests[rank]) != MPI_SUCCESS) {
      return false;
    }
  }
  const uint64_t deadline_ns = NowNs() + kListenNs;
  int missing = size - 1;
  do {
    for (int rank = 1; rank < size; ++rank) {
      if (heard[rank] || !IsComplete(messages, &requests[rank])) continue;
      heard[rank] = true;
      --missing;
    }
    if (missing > 0) sched_yield();
  } while (missing > 0 && NowNs() < deadline_ns);
  const char all = missing == 0 ? 1 : 0;
  for (int rank = 1; rank < size; ++rank) {
    if (heard[rank]) messages.send(&all, 1, messages.byte, rank, kAgreementTag, library.world);
  }
  return missing == 0;
}

// What the other ranks do. The answer may come after the deadline: it must find its place.
bool Ask(const Messages& messages) {
  static char answer;
  static MPI_Request word;
  static MPI_Request reply;
  if (messages.irecv(&answer, 1, messages.byte, 0, kAgreementTag, library.world, &reply) !=
          MPI_SUCCESS ||
      messages.isend(nullptr, 0, messages.byte, 0, kAgreementTag, library.world, &word) !=
          MPI_SUCCESS) {
    return false;
  }
  const uint64_t deadline_ns = NowNs() + kAnswerNs;
  while (!IsComplete(messages, &reply)) {
    if (NowNs() >= deadline_ns) return false;
    sched_yield();
  }
  IsComplete(messages, &word);
  return answer == 1;
}

}  // namespace

bool AllRanksAgree() {
  Messages messages;
  if (!LoadFunction(&messages.isend, "PMPI_Isend") ||
      !LoadFunction(&messages.irecv, "PMPI_Irecv") || !LoadFunction(&messages.test, "PMPI_Test") ||
      !LoadFunction(&messages.send, "PMPI_Send")) {
    return false;
  }
  messages.byte = library.byte;
  bool all = true;
  if (library.world_rank != 0) {
    all = Ask(messages);
  } else if (library.world_size > 1) {
    const auto ranks = static_cast<size_t>(library.world_size);
    // Receives that nobody answers stay posted: what they point to must stay as well.
    auto* requests = static_cast<MPI_Request*>(calloc(ranks, sizeof(MPI_Request)));
    auto* heard = static_cast<bool*>(calloc(ranks, sizeof(bool)));
    all = requests != nullptr && heard != nullptr && Listen(messages, requests, heard);
    free(heard);
    if (all) free(requests);
  }
  if (!all) Log("COX_SYNC is not set on all ranks: no synchronised samples");
  return all;
}

}  // namespace cox::agent
