// Synchronised sampling (COX_SYNC=1): now and then all ranks meet before a call, and learn the
// maximum of their times after it. That is the collective's own time, which passive timings can
// only estimate (stream/estimator.h). Before each sample the ranks ask each other whether all can
// afford it (sampling.h).
//
// The ranks exchange values on a private communicator. MPI_COMM_WORLD's is made in MPI_Init,
// another communicator's when its first sample is due (all of its ranks are in the same call then);
// it is freed with the program's. The agent does not sample communicators of one rank, between
// groups, or with ranks of other jobs. MPI has few contexts, so it samples only the first
// kMaxPrivate communicators that a rank is in.
//
// MPI allows every collective to synchronise, so a correct program cannot notice. In a wrong
// program some ranks may never come to a sample that others wait in. So a rank waits kPatienceNs at
// most and then leaves. It takes no more samples on that communicator, and its last exchange tells
// the others so, however late they come. A rank whose sampled call fails leaves at once.
//
// Any thread: MPI forbids two calls at a time on one communicator. A sampled call returns to the
// agent whatever the program's error handlers do (errhandler_guard.h).
#ifndef COX_AGENT_SAMPLING_SYNCHRONISE_H_
#define COX_AGENT_SAMPLING_SYNCHRONISE_H_

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "agent/steering/errhandler_guard.h"
#include "agent/timing/collectives.h"
#include "agent/timing/recorder.h"
#include "domain/collective.h"

namespace cox::agent {

inline constexpr int kMaxPrivate = 16;
// How long a rank waits for the others in a sample.
inline constexpr uint64_t kPatienceNs = 6'000'000'000;

// Call once, in MPI_Init, after LoadLibrary: null when this rank can be sampled, else why not.
const char* PrepareSynchronising();

// Call after that, when all ranks can (agreement.h): starts sampling. Collective over
// MPI_COMM_WORLD.
void StartSynchronising();

// Call before MPI_Finalize: rank 0 logs what it has spent.
void EndSynchronising();

struct Synchronised;  // the state of a communicator

// Samples one call. Construct it before the call, Finish it after.
class Sample {
 public:
  template <typename ToComm>
  Sample(domain::Collective collective, ToComm to_comm, ErrhandlerGuard* errhandler) {
    if (synchronising.load(std::memory_order_relaxed) && agent_calls == 0) [[unlikely]]
      Begin(collective, to_comm(), errhandler);
  }
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;

  // Calls `to_shape` only when the call was sampled and succeeded on this rank. `number`: the
  // selected algorithm.
  template <typename ToShape>
  void Finish(bool succeeded, ToShape to_shape, int number) {
    if (state_ == nullptr) [[likely]]
      return;
    const uint64_t stop_ns = NowNs();
    if (succeeded) {
      End(stop_ns, to_shape(), number);
    } else {
      Abandon();
    }
  }

 private:
  void Begin(domain::Collective collective, MPI_Comm comm, ErrhandlerGuard* errhandler);
  void End(uint64_t stop_ns, const Shape& shape, int number);
  // After a failed call: the other ranks may be in it for good.
  void Abandon();

  Synchronised* state_ = nullptr;  // null: the call is not sampled
  domain::Collective collective_ = domain::Collective::kBarrier;
  double spent_s_ = 0;  // on this sample so far
  uint64_t start_ns_ = 0;
};

}  // namespace cox::agent

#endif  // COX_AGENT_SAMPLING_SYNCHRONISE_H_
