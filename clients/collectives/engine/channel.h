// What the library keeps with a communicator of the program: a private duplicate of it, on which
// all messages travel, the machine's costs as all its ranks have them, and the routes that were
// used.
//
// It is an attribute of the program's communicator and goes with it: the duplicate is freed when
// the communicator is and no operation runs on it, and at the latest in MPI_Finalize.
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
  // The channel of a communicator; makes it if there is none, which is collective: all ranks come
  // here at their first call for this communicator. Errors: MPI_ERR_COMM for MPI_COMM_NULL and
  // inter-communicators; MPI_ERR_ARG on all ranks for a file in COX_COLL_PROFILE that rank 0 cannot
  // read; MPI's own. By one thread of a communicator at a time.
  static int Open(MPI_Comm of, std::shared_ptr<Channel>* channel);

  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  // From COX_COLL_PROFILE of rank 0, or the defaults.
  const domain::CostProfile& costs() const { return costs_; }
  // From the same file; nothing, or what was measured, which comes before costs.
  const domain::Decisions& decided() const { return decided_; }

  // Tags in a row that one operation has for itself: Operation's streams.
  static constexpr int kStreams = 4;
  // The first of the next operation's tags. Ranks start operations in the same order, so they get
  // the same ones. They come again after some thousands of operations.
  int TakeTags();

  // What the last many-to-many knows once it is complete, null before the first one, and in its
  // place what the next one will. In the order of the program's calls.
  std::shared_ptr<ManyMemory> Succeed(std::shared_ptr<ManyMemory> next) {
    former_many_.swap(next);
    return next;
  }

  // This rank's part of a routing, and what it costs all of them. Made at its first use: O(ranks^2)
  // time. Any thread; valid as long as the channel.
  const Route& RouteBy(Routing routing);
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
  std::map<Routing, std::unique_ptr<Route>> routes_;      // under mutex_
  std::map<Routing, std::unique_ptr<RouteLoads>> loads_;  // under mutex_
};

// Whether MPI runs for certain: a channel was asked for, and MPI_Finalize has not been called
// since. Any thread.
bool IsMpiRunning();

// What is to happen first thing in MPI_Finalize, while all of MPI still works: before the channels
// close. One function for the life of the process. MPI's error class if MPI does not take it.
int AtFinalize(void (*hook)());

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_ENGINE_CHANNEL_H_
