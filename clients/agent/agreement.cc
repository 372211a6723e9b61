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
  MPI_Datatype byte;
};

// True when the request is complete; a completed one is null, and complete when asked again.
bool IsComplete(const Messages& messages, MPI_Request* request) {
  int complete = 0;
  return messages.test(request, &complete, MPI_STATUS_IGNORE) == MPI_SUCCESS && complete != 0;
}

// What rank 0 does. `requests` has room for three of each rank, `heard` for a flag.
bool Listen(const Messages& messages, MPI_Request* requests, bool* heard) {
  // What is sent must stay until it has left.
  static char verdict;
  const int size = library.world_size;
  MPI_Request* const words = requests;
  MPI_Request* const calls = requests + size;
  MPI_Request* const replies = calls + size;
  for (int rank = 1; rank < size; ++rank) {
    if (messages.irecv(nullptr, 0, messages.byte, rank, kAgreementTag, library.world,
                       &words[rank]) != MPI_SUCCESS ||
        messages.isend(nullptr, 0, messages.byte, rank, kAgreementTag, library.world,
                       &calls[rank]) != MPI_SUCCESS) {
      return false;
    }
  }
  const uint64_t deadline_ns = NowNs() + kListenNs;
  int missing = size - 1;
  do {
    for (int rank = 1; rank < size; ++rank) {
      if (heard[rank] || !IsComplete(messages, &words[rank])) continue;
      heard[rank] = true;
      --missing;
    }
    if (missing > 0) sched_yield();
  } while (missing > 0 && NowNs() < deadline_ns);
  verdict = missing == 0 ? 1 : 0;
  // To those as well whose word is only late: they wait for it.
  for (int rank = 1; rank < size; ++rank) {
    if (messages.isend(&verdict, 1, messages.byte, rank, kAgreementTag, library.world,
                       &replies[rank]) != MPI_SUCCESS) {
      return false;
    }
  }
  for (int rank = 1; missing == 0 && rank < size; ++rank) {
    while (!IsComplete(messages, &calls[rank]) || !IsComplete(messages, &replies[rank])) {
      sched_yield();
    }
  }
  return missing == 0;
}

// What the other ranks do. A rank that gave up has said nothing, so that nobody counts on it; one
// that has said its word waits for as long as it takes, for rank 0 answers in any case.
bool Ask(const Messages& messages) {
  static char answer;
  static MPI_Request call;
  static MPI_Request word;
  static MPI_Request reply;
  if (messages.irecv(nullptr, 0, messages.byte, 0, kAgreementTag, library.world, &call) !=
          MPI_SUCCESS ||
      messages.irecv(&answer, 1, messages.byte, 0, kAgreementTag, library.world, &reply) !=
          MPI_SUCCESS) {
    return false;
  }
  const uint64_t deadline_ns = NowNs() + kAnswerNs;
  while (!IsComplete(messages, &call)) {
    if (NowNs() >= deadline_ns) return false;
    sched_yield();
  }
  if (messages.isend(nullptr, 0, messages.byte, 0, kAgreementTag, library.world, &word) !=
      MPI_SUCCESS) {
    return false;
  }
  while (!IsComplete(messages, &reply)) sched_yield();
  IsComplete(messages, &word);
  return answer == 1;
}

}  // namespace

bool AllRanksAgree() {
  Messages messages;
  if (!LoadFunction(&messages.isend, "PMPI_Isend") ||
      !LoadFunction(&messages.irecv, "PMPI_Irecv") || !LoadFunction(&messages.test, "PMPI_Test")) {
    return false;
  }
  messages.byte = library.byte;
  bool all = true;
  if (library.world_rank != 0) {
    all = Ask(messages);
  } else if (library.world_size > 1) {
    const auto ranks = static_cast<size_t>(library.world_size);
    // What nobody answers or takes stays open: what it points to must stay as well.
    auto* requests = static_cast<MPI_Request*>(calloc(3 * ranks, sizeof(MPI_Request)));
    auto* heard = static_cast<bool*>(calloc(ranks, sizeof(bool)));
    all = requests != nullptr && heard != nullptr && Listen(messages, requests, heard);
    free(heard);
    if (all) free(requests);
  }
  if (!all) Log("COX_SYNC is not set on all ranks: no synchronised samples");
  return all;
}

}  // namespace cox::agent
