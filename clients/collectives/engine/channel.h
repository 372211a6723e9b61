// What the library keeps for a communicator of the program: a private communicator that carries all
// messages, the machine's costs and decisions, equal on all its ranks, and the routes that were
// used.
//
// It is an attribute of the program's communicator. The private communicator is freed when the
// program's is freed and no operation runs on it, and at the latest in MPI_Finalize.
#ifndef COX_COLLECTIVES_ENGINE_CHANNEL_H_
#define COX_COLLECTIVES_ENGINE_CHANNEL_H_

#include <mpi.h>

#include <map>
#include <memory>
#include <mutex>

#include "collectives/choice/cost.h"
#include "collectives/choice/route.h"
#include "collectives/protocols/many_memory.h"
#include "domain/coxcoll_costs.h"
#include "domain/coxcoll_decisions.h"

namespace cox::collectives {

class Channel {
 public:
  // Finds the channel of a communicator, or makes it at the first call, which is collective: all
  // ranks must call. Errors: MPI_ERR_COMM for MPI_COMM_NULL and inter-communicators; MPI_ERR_ARG on
  // all ranks if rank 0 cannot read the file in COX_COLL_PROFILE; MPI's own. One thread per
  // communicator at a time.
  static int Open(MPI_Comm of, std::shared_ptr<Channel>* channel);

  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  // From COX_COLL_PROFILE of rank 0, or the defaults.
  const domain::CostProfile& costs() const { return costs_; }
  // From the same file. Decisions take precedence over costs.
  const domain::Decisions& decided() const { return decided_; }

  // Consecutive tags of one operation, one per stream of Operation.
  static constexpr int kStreams = 4;
  // Returns the first tag of the next operation. Ranks start operations in the same order, so they
  // get the same tags. Tags repeat after some thousands of operations.
  int TakeTags();

  // Returns the memory of the last many-to-many, null before the first one, and stores that of the
  // next. Call it in the order of the program's calls.
  std::shared_ptr<ManyMemory> Succeed(std::shared_ptr<ManyMemory> next) {
    former_many_.swap(next);
    return next;
  }

  // This rank's part of a routing, and the loads of all ranks. Computed at the first use, in
  // O(ranks^2) time. Any thread; valid as long as the channel.
  const Route& RouteBy(Routing routing, int64_t columns = 0);
  const RouteLoads& LoadsBy(Routing routing);

  // Valid as long as the channel.
  ExchangeCosts exchange_costs() {
    return {ranks_, costs_,
            [this](Routing routing) -> const RouteLoads& { return LoadsBy(routing); }};
  }

 private:
  Channel() = default;
  int Make(MPI_Comm of);
  int ShareCosts();
  void Close();
  friend class Channels;

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int ranks_ = 1;
  int tag_sets_ = 1;
  int next_tag_set_ = 0;
  domain::CostProfile costs_;
  domain::Decisions decided_;
  std::shared_ptr<ManyMemory> former_many_;
  std::mutex mutex_;
  // By routing and columns; under mutex_.
  std::map<std::pair<Routing, int64_t>, std::unique_ptr<Route>> routes_;
  std::map<Routing, std::unique_ptr<RouteLoads>> loads_;  // under mutex_
};

// True if a channel was opened and MPI_Finalize has not been called since: then MPI certainly runs.
// Any thread.
bool IsMpiRunning();

// Registers a function that MPI_Finalize calls first, before the channels close, while MPI still
// works. One function per process. Returns MPI's error class if MPI refuses.
int AtFinalize(void (*hook)());

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_ENGINE_CHANNEL_H_
