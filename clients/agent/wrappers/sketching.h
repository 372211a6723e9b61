// Tells the rank's sketches (timing/sketches.h) what a wrapped call sends: a call of alltoallv, a
// call of a neighbour collective, and phases of messages. A sampled call reads its counts and makes
// local queries of topologies; any other call only updates the table.
//
// Any thread, after a successful call. While the agent is off nothing is counted.
#ifndef COX_AGENT_WRAPPERS_SKETCHING_H_
#define COX_AGENT_WRAPPERS_SKETCHING_H_

#include <mpi.h>

#include <cstdint>

#include "agent/timing/clock.h"
#include "agent/timing/recorder.h"
#include "agent/timing/sketches.h"
#include "agent/timing/totals.h"
#include "agent/wrappers/shapes.h"
#include "domain/collective.h"
#include "domain/pattern/classes.h"

namespace cox::agent {

// This rank's sketches; null while the agent is off.
inline Sketches* ActiveSketches() {
  Table* table = active_table.load(std::memory_order_acquire);
  return table != nullptr ? &table->sketches() : nullptr;
}

// Bytes of `count` elements; 0 where they cannot be told.
template <typename Count, typename Type>
int64_t BytesOf(Count count, Type type) {
  int64_t type_bytes = 0;
  int64_t bytes = 0;
  if (count == 0 || !TypeBytes(ToType(type), &type_bytes) ||
      __builtin_mul_overflow(static_cast<int64_t>(count), type_bytes, &bytes) || bytes < 0 ||
      bytes > domain::kMaxBlockBytes) {
    return 0;
  }
  return bytes;
}

// Sketches a call of alltoallv or alltoallw, from its arguments in any language. Other collectives
// have a form that their name and size tell.
template <domain::Collective kCollective>
class SketchCall {
 public:
  explicit SketchCall(PhaseTime time) : time_(time) {}

  template <typename... Arguments>
  void operator()(Arguments... arguments) const {
    if constexpr (kCollective == domain::Collective::kAlltoallv) {
      Alltoallv(arguments...);
    } else if constexpr (kCollective == domain::Collective::kAlltoallw) {
      Alltoallw(arguments...);
    }
  }

 private:
  template <typename Counts, typename Offsets, typename Type, typename Comm>
  void Alltoallv(const void* sendbuf, Counts sendcounts, Offsets, Type sendtype, const void*,
                 Counts recvcounts, Offsets, Type recvtype, Comm comm) const {
    // In place a rank sends as much as it receives.
    const bool in_place = IsInPlace(sendbuf);
    const Counts counts = in_place ? recvcounts : sendcounts;
    const int64_t element_bytes = BytesOf(1, in_place ? recvtype : sendtype);
    Sample(ToComm(comm), [&](int to) { return static_cast<int64_t>(counts[to]) * element_bytes; });
  }

  template <typename Counts, typename Offsets, typename Types, typename Comm>
  void Alltoallw(const void* sendbuf, Counts sendcounts, Offsets, Types sendtypes, const void*,
                 Counts recvcounts, Offsets, Types recvtypes, Comm comm) const {
    const bool in_place = IsInPlace(sendbuf);
    const Counts counts = in_place ? recvcounts : sendcounts;
    const Types types = in_place ? recvtypes : sendtypes;
    Sample(ToComm(comm),
           [&](int to) { return BytesOf(static_cast<int64_t>(counts[to]), types[to]); });
  }

  template <typename BytesTo>
  void Sample(MPI_Comm comm, BytesTo bytes_to) const {
    Sketches* sketches = ActiveSketches();
    const int ranks = sketches != nullptr ? CommSize(comm) : 0;
    if (ranks < 1 || !sketches->AddPhase(domain::PatternKind::kAlltoallv, ranks, time_)) return;
    PhaseShape shape;
    shape.Begin(CommRank(comm), ranks);
    for (int to = 0; to < ranks; ++to) {
      const int64_t bytes = bytes_to(to);
      if (bytes <= 0) continue;
      shape.AddDestination(to);
      shape.AddMessage(to, bytes);
    }
    sketches->AddSample(domain::PatternKind::kAlltoallv, shape);
  }

  const PhaseTime time_;
};

// The ranks to which a neighbour collective sends, in the order of its counts.
class Neighbours {
 public:
  static constexpr int kMost = 512;

  // Not known if the communicator has no topology, more than kMost neighbours, or the MPI library
  // lacks a function.
  explicit Neighbours(MPI_Comm comm);

  bool is_known() const { return count_ >= 0; }
  int count() const { return count_; }
  int operator[](int index) const { return rank_[index]; }  // MPI_PROC_NULL: none

 private:
  void OfGrid(MPI_Comm comm);
  void OfGraph(MPI_Comm comm);
  void OfDistributedGraph(MPI_Comm comm);

  int count_ = -1;
  int rank_[kMost];
};

// Sketches a neighbour collective, from its arguments in C.
template <Neighbour kNeighbour>
class SketchNeighbourCall {
 public:
  explicit SketchNeighbourCall(PhaseTime time) : time_(time) {}

  // allgather, alltoall
  template <typename Count>
  void operator()(const void*, Count sendcount, MPI_Datatype sendtype, const void*, Count,
                  MPI_Datatype, MPI_Comm comm) const {
    Sample(comm, [&](int) { return BytesOf(sendcount, sendtype); });
  }
  // allgatherv
  template <typename Count, typename Offsets>
  void operator()(const void*, Count sendcount, MPI_Datatype sendtype, const void*, const Count*,
                  Offsets, MPI_Datatype, MPI_Comm comm) const {
    Sample(comm, [&](int) { return BytesOf(sendcount, sendtype); });
  }
  // alltoallv, alltoallw
  template <typename Count, typename Offsets, typename Types>
  void operator()(const void*, const Count* sendcounts, Offsets, Types sendtypes, const void*,
                  const Count*, Offsets, Types, MPI_Comm comm) const {
    Sample(comm, [&](int index) {
      if constexpr (kNeighbour == Neighbour::kAlltoallw) {
        return BytesOf(sendcounts[index], sendtypes[index]);
      } else {
        return BytesOf(sendcounts[index], sendtypes);
      }
    });
  }

 private:
  template <typename BytesTo>
  void Sample(MPI_Comm comm, BytesTo bytes_to) const {
    Sketches* sketches = ActiveSketches();
    const int ranks = sketches != nullptr ? CommSize(comm) : 0;
    if (ranks < 1 || !sketches->AddPhase(domain::PatternKind::kNeighbour, ranks, time_)) return;
    const Neighbours neighbours(comm);
    if (!neighbours.is_known()) return;
    PhaseShape shape;
    shape.Begin(CommRank(comm), ranks);
    for (int i = 0; i < neighbours.count(); ++i) {
      const int to = neighbours[i];
      const int64_t bytes = to == MPI_PROC_NULL ? 0 : bytes_to(i);
      if (bytes <= 0) continue;
      shape.AddDestination(to);
      shape.AddMessage(to, bytes);
    }
    sketches->AddSample(domain::PatternKind::kNeighbour, shape);
  }

  const PhaseTime time_;
};

// This thread's phase of messages. A phase begins with its first message. It ends when the rank has
// waited for several requests at once, begins a blocking collective, sends on another
// communicator, frees its communicator, or begins the same round of destinations again. So it needs
// no list of destinations. A rank that has one destination begins no round: kMostMessages end its
// phase, too.
class MessagePhase {
 public:
  void AddMessage(MPI_Comm comm, int to, int64_t bytes) {
    const bool is_next_round = to == first_ && last_ != first_;
    if (is_open_ && (comm != comm_ || is_next_round || messages_ == kMostMessages)) [[unlikely]]
      End(PhaseTime());
    if (!is_open_) [[unlikely]] {
      if (!Open(comm, to)) return;
    }
    if (to != last_) shape_.AddDestination(to);
    shape_.AddMessage(to, bytes);
    last_ = to;
    ++messages_;
  }
  // The rank has waited for all that it sent.
  void EndByWait() {
    if (is_open_) End({start_ns_, NowNs()});
  }
  void EndByCall() {
    if (is_open_) [[unlikely]]
      End(PhaseTime());
  }

  void EndByFree(MPI_Comm comm) {
    if (is_open_ && comm == comm_) [[unlikely]]
      End(PhaseTime());
  }

 private:
  static constexpr int kMostMessages = 65'536;

  [[gnu::noinline]] bool Open(MPI_Comm comm, int to);
  [[gnu::noinline]] void End(PhaseTime time);

  bool is_open_ = false;
  MPI_Comm comm_ = {};
  int first_ = -1;
  int last_ = -1;
  int messages_ = 0;
  uint64_t start_ns_ = 0;
  PhaseShape shape_ = {};
};

extern constinit thread_local MessagePhase message_phase;

}  // namespace cox::agent

#endif  // COX_AGENT_WRAPPERS_SKETCHING_H_
