// Our own library of collectives (libcoxcoll, cox/coll.h) in the place of the MPI library's: loaded
// only where the decision table names it, from the folder of the agent or the one above.
//
// A call of it is the blocking form: it starts an operation and waits for it. Its MPI calls come
// back through the agent's wrappers, which pass them on as the agent's own. Below
// MPI_THREAD_MULTIPLE only, so one call at a time. Results are MPI's error classes; no error
// handler is called.
#ifndef COX_AGENT_STEERING_COXCOLL_H_
#define COX_AGENT_STEERING_COXCOLL_H_

#include <mpi.h>

#include <cstdint>

#include "agent/job/call_backoff.h"
#include "agent/timing/collectives.h"
#include "agent/wrappers/shapes.h"
#include "domain/collective.h"

namespace cox::agent {

// In MPI_Init, after LoadLibrary. False, with a log line, where it cannot be loaded.
bool LoadCoxcoll();

// What is kept of it with a communicator of the program.
struct CoxcollChannel {
  enum State : uint8_t { kUnknown, kOpen, kClosed };
  CallBackoff backoff;  // in calls that it was wanted for
  State state;
};

// Whether our own library can run a call on that communicator; the first time that it is worth it,
// all ranks make what the library keeps for it, or none does. Where one of them has as many open as
// may be, they ask again later (call_backoff.h). The same answer on all ranks.
bool IsOpen(MPI_Comm comm, CoxcollChannel* channel);
// The program's communicator is being freed.
void Release(CoxcollChannel* channel);

// One side of a call, as C has it. The count is one of a call that IsReplaceable().
struct Elements {
  void* buffer;
  int64_t count;
  MPI_Datatype type;
};
inline Elements NoElements() { return {nullptr, 0, library.type_null}; }

// Whether a block of so many bytes has counts that fit our own library's; the same on all ranks.
inline bool IsReplaceable(int64_t block_bytes) { return block_bytes <= INT32_MAX; }

int RunAlltoall(const char* algorithm, Elements send, Elements receive, MPI_Comm comm);
int RunBcast(const char* algorithm, Elements data, int root, MPI_Comm comm);
// What does not count on this rank is NoElements(); a buffer may be MPI_IN_PLACE.
int RunGather(const char* algorithm, Elements send, Elements receive, int root, MPI_Comm comm);
int RunScatter(const char* algorithm, Elements send, Elements receive, int root, MPI_Comm comm);

// One call, called with the arguments of the MPI function in either language. Types are converted
// only where they are significant.
template <domain::Collective kCollective>
class CoxcollCall {
 public:
  explicit CoxcollCall(const char* algorithm) : algorithm_(algorithm) {}

  template <typename... Arguments>
  int operator()(Arguments... arguments) const {
    if constexpr (kCollective == domain::Collective::kAlltoall) {
      return Alltoall(arguments...);
    } else if constexpr (kCollective == domain::Collective::kBcast) {
      return Bcast(arguments...);
    } else if constexpr (kCollective == domain::Collective::kGather) {
      return Gather(arguments...);
    } else if constexpr (kCollective == domain::Collective::kScatter) {
      return Scatter(arguments...);
    } else {
      return MPI_ERR_INTERN;  // never: see CanBeReplaced()
    }
  }

 private:
  template <typename Count, typename Type>
  static Elements Of(const void* buffer, Count count, Type type) {
    void* const own = ToBuffer(buffer);
    if (own == MPI_IN_PLACE) return {own, 0, library.type_null};
    return {own, ToCount(count), ToType(type)};
  }

  template <typename Count, typename Type, typename Comm>
  int Alltoall(const void* sendbuf, Count sendcount, Type sendtype, void* recvbuf, Count recvcount,
               Type recvtype, Comm comm) const {
    return RunAlltoall(algorithm_, Of(sendbuf, sendcount, sendtype),
                       Of(recvbuf, recvcount, recvtype), ToComm(comm));
  }

  template <typename Count, typename Type, typename Root, typename Comm>
  int Bcast(void* buffer, Count count, Type type, Root root, Comm comm) const {
    return RunBcast(algorithm_, Of(buffer, count, type), ToRank(root), ToComm(comm));
  }

  template <typename Count, typename Type, typename Root, typename Comm>
  int Gather(const void* sendbuf, Count sendcount, Type sendtype, void* recvbuf, Count recvcount,
             Type recvtype, Root root, Comm comm) const {
    const bool is_root = CommRank(ToComm(comm)) == ToRank(root);
    return RunGather(algorithm_, Of(sendbuf, sendcount, sendtype),
                     is_root ? Of(recvbuf, recvcount, recvtype) : NoElements(), ToRank(root),
                     ToComm(comm));
  }

  template <typename Count, typename Type, typename Root, typename Comm>
  int Scatter(const void* sendbuf, Count sendcount, Type sendtype, void* recvbuf, Count recvcount,
              Type recvtype, Root root, Comm comm) const {
    const bool is_root = CommRank(ToComm(comm)) == ToRank(root);
    return RunScatter(algorithm_, is_root ? Of(sendbuf, sendcount, sendtype) : NoElements(),
                      Of(recvbuf, recvcount, recvtype), ToRank(root), ToComm(comm));
  }

  const char* const algorithm_;
};

}  // namespace cox::agent

#endif  // COX_AGENT_STEERING_COXCOLL_H_
