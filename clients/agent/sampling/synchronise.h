// Synchronised sampling (COX_SYNC=1): now and then a call is preceded by a barrier, and the
// greatest of the ranks' times from there is learned by all of them: the collective's own time,
// which passive timings can only estimate (stream/estimator.h). Before that all ranks are asked
// whether they can afford it (sampling.h).
//
// Question, barrier and reduction run on a private communicator with the same ranks, made when the
// first sample of a communicator is due (all of its ranks are in the same call then) and freed with
// it. Left out: communicators of one rank, between groups, with ranks of other jobs, and all but
// the first kMaxPrivate that a rank is in (contexts are scarce).
//
// MPI lets every collective synchronise, so a correct program cannot tell. Any thread: MPI forbids
// two calls at a time on one communicator. Failures: sampling on that communicator ends. A call
// that is sampled comes back, whatever the program's error handlers do (errhandler_guard.h).
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

// In MPI_Init, after LoadLibrary, once: whether this rank can be sampled (a log line says why not).
bool PrepareSynchronising();

// After that, when all ranks can (agreement.h): begins.
void StartSynchronising();

// Before MPI_Finalize: rank 0 says in the log what it has spent.
void EndSynchronising();

struct Synchronised;  // what is known of a communicator

// One call: constructed before it, finished after it.
class Sample {
 public:
  template <typename ToComm>
  Sample(domain::Collective collective, ToComm to_comm, ErrhandlerGuard* errhandler) {
    if (synchronising.load(std::memory_order_relaxed) && agent_calls == 0) [[unlikely]]
      Begin(collective, to_comm(), errhandler);
  }
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;

  // `to_shape` is asked only when the call succeeded on this rank and was sampled. `number`: what
  // the library was told for this call.
  template <typename ToShape>
  void Finish(bool succeeded, ToShape to_shape, int number) {
    if (state_ == nullptr) [[likely]]
      return;
    const uint64_t stop_ns = NowNs();
    End(stop_ns, succeeded ? to_shape() : Shape{Shape::kSkip, 0, 0, 0}, number);
  }

 private:
  void Begin(domain::Collective collective, MPI_Comm comm, ErrhandlerGuard* errhandler);
  void End(uint64_t stop_ns, const Shape& shape, int number);

  Synchronised* state_ = nullptr;  // null: this call is not sampled
  domain::Collective collective_ = domain::Collective::kBarrier;
  double spent_s_ = 0;  // on making this sample, so far
  uint64_t start_ns_ = 0;
};

}  // namespace cox::agent

#endif  // COX_AGENT_SAMPLING_SYNCHRONISE_H_
