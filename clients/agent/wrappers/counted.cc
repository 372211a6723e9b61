// C functions that are counted, not timed as collectives: non-blocking and neighbour collectives,
// messages, and functions that complete requests. Each passes its arguments on unchanged.
#include <mpi.h>

#include "agent/job/library.h"
#include "agent/wrappers/c_types.h"
#include "agent/wrappers/counting.h"
#include "agent/wrappers/export.h"
#include "agent/wrappers/sketching.h"
#include "domain/collective.h"

#define COX_UNPACK(...) __VA_ARGS__

// NOLINTBEGIN(bugprone-macro-parentheses): they are parameter lists, not expressions
#define COX_DEFINE_NONBLOCKING(symbol, total, parameters, arguments)                    \
  extern "C" COX_EXPORT int symbol(COX_UNPACK parameters, MPI_Request* request) {       \
    static std::atomic<void*> next;                                                     \
    const auto call =                                                                   \
        Next<int (*)(COX_UNPACK parameters, MPI_Request*)>(next, #symbol, "P" #symbol); \
    const Counted counted;                                                              \
    const int result = call(COX_UNPACK arguments, request);                             \
    counted.GoesOn(result == MPI_SUCCESS, total, request);                              \
    return result;                                                                      \
  }

#define COX_DEFINE_NEIGHBOUR(symbol, kind, parameters, arguments)                                 \
  extern "C" COX_EXPORT int symbol parameters {                                                   \
    static std::atomic<void*> next;                                                               \
    const auto call = Next<int(*) parameters>(next, #symbol, "P" #symbol);                        \
    if (agent_calls == 0) message_phase.EndByCall();                                              \
    const Counted counted;                                                                        \
    const int result = call arguments;                                                            \
    const PhaseTime time =                                                                        \
        counted.Ends(result == MPI_SUCCESS, kFirstNeighbour + static_cast<int>(Neighbour::kind)); \
    if (time.stop_ns != 0) SketchNeighbourCall<Neighbour::kind>{time} arguments;                  \
    return result;                                                                                \
  }

#define COX_DEFINE_INEIGHBOUR(symbol, kind, parameters, arguments)                                 \
  extern "C" COX_EXPORT int symbol(COX_UNPACK parameters, MPI_Request* request) {                  \
    static std::atomic<void*> next;                                                                \
    const auto call =                                                                              \
        Next<int (*)(COX_UNPACK parameters, MPI_Request*)>(next, #symbol, "P" #symbol);            \
    const Counted counted;                                                                         \
    const int result = call(COX_UNPACK arguments, request);                                        \
    if (counted.GoesOn(result == MPI_SUCCESS,                                                      \
                       kFirstNonblockingNeighbour + static_cast<int>(Neighbour::kind), request)) { \
      SketchNeighbourCall<Neighbour::kind>{PhaseTime()} arguments;                                 \
    }                                                                                              \
    return result;                                                                                 \
  }

#define COX_COMPLETES(symbol, parameters, arguments, given, count, conclude) \
  extern "C" COX_EXPORT int symbol parameters {                              \
    static std::atomic<void*> next;                                          \
    const auto call = Next<int(*) parameters>(next, #symbol, "P" #symbol);   \
    const Awaited awaited(given, count);                                     \
    const int result = call arguments;                                       \
    if (result == MPI_SUCCESS) conclude;                                     \
    return result;                                                           \
  }

#define COX_DEFINE_SEND(symbol)                                                              \
  extern "C" COX_EXPORT int symbol(InBuffer buffer, Count count, Type type, int to, int tag, \
                                   Comm comm) {                                              \
    static std::atomic<void*> next;                                                          \
    const auto call =                                                                        \
        Next<int (*)(InBuffer, Count, Type, int, int, Comm)>(next, #symbol, "P" #symbol);    \
    const int result = call(buffer, count, type, to, tag, comm);                             \
    if (result == MPI_SUCCESS) CountMessage(count, type, to, comm);                          \
    return result;                                                                           \
  }

#define COX_DEFINE_ISEND(symbol)                                                             \
  extern "C" COX_EXPORT int symbol(InBuffer buffer, Count count, Type type, int to, int tag, \
                                   Comm comm, MPI_Request* request) {                        \
    static std::atomic<void*> next;                                                          \
    const auto call = Next<int (*)(InBuffer, Count, Type, int, int, Comm, MPI_Request*)>(    \
        next, #symbol, "P" #symbol);                                                         \
    const int result = call(buffer, count, type, to, tag, comm, request);                    \
    if (result == MPI_SUCCESS) CountMessage(count, type, to, comm);                          \
    return result;                                                                           \
  }
// NOLINTEND(bugprone-macro-parentheses)

namespace cox::agent {

constinit Requests requests = {};

namespace {

void EndMessagePhase() {
  if (agent_calls == 0) message_phase.EndByWait();
}

}  // namespace

namespace with_int {
#define COX_COLLECTIVE(Name, name, NAME, kind, parameters, arguments, shape, block)           \
  COX_DEFINE_NONBLOCKING(MPI_I##name, static_cast<int>(domain::Collective::kind), parameters, \
                         arguments)
#include "agent/wrappers/collectives.def"
#undef COX_COLLECTIVE
#define COX_NEIGHBOUR(Name, name, kind, parameters, arguments)  \
  COX_DEFINE_NEIGHBOUR(MPI_##Name, kind, parameters, arguments) \
  COX_DEFINE_INEIGHBOUR(MPI_I##name, kind, parameters, arguments)
#define COX_SEND(Name) COX_DEFINE_SEND(MPI_##Name)
#define COX_ISEND(Name) COX_DEFINE_ISEND(MPI_##Name)
#include "agent/wrappers/messages.def"
#undef COX_NEIGHBOUR
#undef COX_SEND
#undef COX_ISEND
}  // namespace with_int

COX_DEFINE_NONBLOCKING(MPI_Ibarrier, static_cast<int>(domain::Collective::kBarrier), (Comm comm),
                       (comm))

#if MPI_VERSION >= 4
namespace with_count {
#define COX_COLLECTIVE(Name, name, NAME, kind, parameters, arguments, shape, block)               \
  COX_DEFINE_NONBLOCKING(MPI_I##name##_c, static_cast<int>(domain::Collective::kind), parameters, \
                         arguments)
#include "agent/wrappers/collectives.def"
#undef COX_COLLECTIVE
#define COX_NEIGHBOUR(Name, name, kind, parameters, arguments)      \
  COX_DEFINE_NEIGHBOUR(MPI_##Name##_c, kind, parameters, arguments) \
  COX_DEFINE_INEIGHBOUR(MPI_I##name##_c, kind, parameters, arguments)
#define COX_SEND(Name) COX_DEFINE_SEND(MPI_##Name##_c)
#define COX_ISEND(Name) COX_DEFINE_ISEND(MPI_##Name##_c)
#include "agent/wrappers/messages.def"
#undef COX_NEIGHBOUR
#undef COX_SEND
#undef COX_ISEND
}  // namespace with_count
#endif

extern "C" COX_EXPORT int MPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                       int dest, int sendtag, void* recvbuf, int recvcount,
                                       MPI_Datatype recvtype, int source, int recvtag,
                                       MPI_Comm comm, MPI_Status* status) {
  static std::atomic<void*> next;
  const auto call = Next<decltype(&MPI_Sendrecv)>(next, "MPI_Sendrecv", "PMPI_Sendrecv");
  const int result = call(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
                          source, recvtag, comm, status);
  if (result == MPI_SUCCESS) CountMessage(sendcount, sendtype, dest, comm);
  return result;
}

extern "C" COX_EXPORT int MPI_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int dest,
                                               int sendtag, int source, int recvtag, MPI_Comm comm,
                                               MPI_Status* status) {
  static std::atomic<void*> next;
  const auto call =
      Next<decltype(&MPI_Sendrecv_replace)>(next, "MPI_Sendrecv_replace", "PMPI_Sendrecv_replace");
  const int result = call(buffer, count, type, dest, sendtag, source, recvtag, comm, status);
  if (result == MPI_SUCCESS) CountMessage(count, type, dest, comm);
  return result;
}

COX_COMPLETES(MPI_Wait, (MPI_Request * request, MPI_Status* status), (request, status), request, 1,
              awaited.AllAreComplete())
COX_COMPLETES(MPI_Test, (MPI_Request * request, int* flag, MPI_Status* status),
              (request, flag, status), request, 1, if (*flag) awaited.AllAreComplete())
COX_COMPLETES(MPI_Waitall, (int count, MPI_Request* request, MPI_Status* statuses),
              (count, request, statuses), request, count, {
                awaited.AllAreComplete();
                if (count > 1) EndMessagePhase();
              })
COX_COMPLETES(
    MPI_Testall, (int count, MPI_Request* request, int* flag, MPI_Status* statuses),
    (count, request, flag, statuses), request, count, if (*flag) {
      awaited.AllAreComplete();
      if (count > 1) EndMessagePhase();
    })
COX_COMPLETES(MPI_Waitany, (int count, MPI_Request* request, int* index, MPI_Status* status),
              (count, request, index, status), request, count, awaited.OneIsComplete(*index))
COX_COMPLETES(MPI_Testany,
              (int count, MPI_Request* request, int* index, int* flag, MPI_Status* status),
              (count, request, index, flag, status), request, count,
              if (*flag) awaited.OneIsComplete(*index))
COX_COMPLETES(MPI_Waitsome,
              (int count, MPI_Request* request, int* done, int* indices, MPI_Status* statuses),
              (count, request, done, indices, statuses), request, count,
              awaited.SomeAreComplete(indices, *done))
COX_COMPLETES(MPI_Testsome,
              (int count, MPI_Request* request, int* done, int* indices, MPI_Status* statuses),
              (count, request, done, indices, statuses), request, count,
              awaited.SomeAreComplete(indices, *done))

}  // namespace cox::agent
