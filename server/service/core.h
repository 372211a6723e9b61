// The parts that services share. The server owns them; they outlive every service. A service has
// its constructor and destructor in its .cc file: else each file that owns one compiles gRPC's base
// classes, a template for each method, which takes seconds.
#ifndef COX_SERVICE_CORE_H_
#define COX_SERVICE_CORE_H_

#include <atomic>

#include "access/access.h"
#include "access/quotas.h"
#include "daemon/blocking_pool.h"
#include "daemon/bounds/scenario_bound.h"
#include "daemon/host/memory_budget.h"
#include "daemon/learning/learner.h"
#include "daemon/learning/profile_feed.h"
#include "daemon/snapshots.h"
#include "service/streams/open_calls.h"
#include "service/streams/stream_registry.h"
#include "store/store.h"

namespace cox::service {

// Of batches that were stored since the start. Doubles, because what clients state may add up to
// more than 2^63.
struct TimingCounts {
  std::atomic<double> taken{0};    // behind the rows
  std::atomic<double> dropped{0};  // by clients, or with refused rows
};

struct Core {
  store::Store* store;
  daemon::Snapshots* snapshots;
  daemon::ProfileFeed* feed;
  daemon::Learner* learner;
  daemon::BlockingPool* pool;        // for calls that take milliseconds
  daemon::BlockingPool* parsers;     // of large requests; bounded by their bytes
  daemon::BlockingPool* heavy_pool;  // for seconds: many rows, or thousands of scenarios
  // For changes that wait for the learner: a few would hold all threads of the others.
  daemon::BlockingPool* change_pool;
  StreamRegistry* streams;
  daemon::MemoryBudget* memory;  // of requests in progress
  OpenCalls* calls;
  access::Access* access;
  access::Quotas* quotas;            // of each principal
  daemon::ScenarioBound* scenarios;  // of each machine
  TimingCounts* timings;
  bool reporters_create_machines;
  bool hides_foreign_jobs;  // from viewers and reporters
};

// Ends the streams of principals whose tokens were revoked or have expired.
inline void CloseForbiddenStreams(const Core& core) {
  core.streams->CloseIf(
      [&core](const access::Principal& principal) { return core.access->CheckAgain(principal); });
}

}  // namespace cox::service

#endif  // COX_SERVICE_CORE_H_
