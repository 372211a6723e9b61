// Runs libcoxcoll (cox/coll.h) in place of the MPI library's collectives. The agent loads it only
// if the decision table names one of its algorithms, from the agent's folder or the folder above.
//
// Each call starts an operation and waits for it. The MPI calls that libcoxcoll makes come back
// through the agent's wrappers, which pass them on as the agent's own. Below MPI_THREAD_MULTIPLE
// only, so one call at a time. Results are MPI error codes; no error handler is called. Arguments
// that the MPI library refuses give its own error (refusals.h).
#ifndef COX_AGENT_STEERING_COXCOLL_H_
#define COX_AGENT_STEERING_COXCOLL_H_

#include <mpi.h>

#include <cstdint>

#include "agent/steering/private_comm_backoff.h"
#include "agent/steering/refusals.h"
#include "agent/timing/collectives.h"
#include "agent/wrappers/shapes.h"
#include "domain/collective.h"

namespace cox::agent {

// Call in MPI_Init, after LoadLibrary. False, with a log line, when libcoxcoll cannot be loaded.
bool LoadCoxcoll();

// libcoxcoll's state on a communicator of the program.
struct CoxcollChannel {
  enum State : uint8_t { kUnknown, kOpen, kClosed };
  PrivateCommBackoff backoff;  // counts calls that libcoxcoll is selected for
  State state;
};

// Whether libcoxcoll can run a call on that communicator. All ranks get the same answer. The first
// call that is worth it makes libcoxcoll's private communicator, on all ranks or none. If a rank
// has reached its limit, the ranks ask again later (private_comm_backoff.h).
bool IsOpen(MPI_Comm comm, CoxcollChannel* channel);
// Call when the program's communicator is freed.
void Release(CoxcollChannel* channel);

// Whether the counts of such a block fit libcoxcoll's, an int. The same on all ranks.
inline bool IsReplaceable(int64_t block_bytes) { return block_bytes <= INT32_MAX; }

int RunAlltoall(const char* algorithm, Elements send, Elements receive, MPI_Comm comm);
int RunBcast(const char* algorithm, Elements data, int root, MPI_Comm comm);
// Pass NoElements() for a side that is not significant on this rank. A buffer may be MPI_IN_PLACE.
int RunGather(const char* algorithm, Elements send, Elements receive, int root, MPI_Comm comm);
int RunScatter(const char* algorithm, Elements send, Elements receive, int root, MPI_Comm comm);

// One call; takes the arguments of the MPI function in C or Fortran. Converts types only on the
// ranks where they are significant.
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
      return MPI_ERR_INTERN;  // unreachable: see CanBeReplaced()
    }
  }

 private:
  template <typename Count, typename Type>
  static Elements Of(const void* buffer, Count count, Type type) {
    return {ToBuffer(buffer), ToCount(count), ToType(type)};
  }
  // The side of a rooted call where MPI_IN_PLACE makes count and type insignificant.
  template <typename Count, typename Type>
  static Elements OwnOf(const void* buffer, Count count, Type type) {
    if (IsInPlace(buffer)) return {MPI_IN_PLACE, 0, library.type_null};
    return Of(buffer, count, type);
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
    return RunGather(algorithm_, OwnOf(sendbuf, sendcount, sendtype),
                     is_root ? Of(recvbuf, recvcount, recvtype) : NoElements(), ToRank(root),
                     ToComm(comm));
  }

  template <typename Count, typename Type, typename Root, typename Comm>
  int Scatter(const void* sendbuf, Count sendcount, Type sendtype, void* recvbuf, Count recvcount,
              Type recvtype, Root root, Comm comm) const {
    const bool is_root = CommRank(ToComm(comm)) == ToRank(root);
    return RunScatter(algorithm_, is_root ? Of(sendbuf, sendcount, sendtype) : NoElements(),
                      OwnOf(recvbuf, recvcount, recvtype), ToRank(root), ToComm(comm));
  }

  const char* const algorithm_;
};

}  // namespace cox::agent

#endif  // COX_AGENT_STEERING_COXCOLL_H_
