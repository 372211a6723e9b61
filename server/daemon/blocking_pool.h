// Threads for calls that wait for the disk or compute for long, so that gRPC's threads do not.
//
// Callers take turns: one with many calls waits for itself, and the others' calls pass it. Bounded:
// beyond `queue_limit` of waiting work Run() refuses work with RESOURCE_EXHAUSTED, and before that
// the work of a caller who has used up its share (domain/sharing/shares.h). The limit, the shares
// and the turns count calls, or what the calls cost. The destructor finishes accepted work.
#ifndef COX_DAEMON_BLOCKING_POOL_H_
#define COX_DAEMON_BLOCKING_POOL_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "domain/sharing/fair_queue.h"
#include "domain/sharing/shares.h"

namespace cox::daemon {

class BlockingPool {
 public:
  // `name`: a literal of at most 15 characters, which the threads have. `queue_limit` >= 1: of
  // waiting calls, or of their costs. `running_limit` >= 1: how much work of one caller runs at the
  // same time, so that one with long calls leaves threads to the others.
  BlockingPool(const char* name, int thread_count, size_t queue_limit, int running_limit);
  BlockingPool(const char* name, int thread_count, size_t queue_limit)
      : BlockingPool(name, thread_count, queue_limit, thread_count) {}
  ~BlockingPool();
  BlockingPool(const BlockingPool&) = delete;
  BlockingPool& operator=(const BlockingPool&) = delete;

  // Queues the work of `caller`, a principal's name. `cost` >= 1 in the unit of queue_limit, such
  // as the bytes that wait with it. RESOURCE_EXHAUSTED: the queue or the caller's share of it is
  // full, and `work` does not run.
  absl::Status Run(const std::string& caller, std::function<void()> work, int64_t cost = 1);

  // Calls work(begin, end) for parts of [0, count) of at most `step` > 0 each, on this thread and
  // on threads of the pool that have nothing to do. Returns when all parts are done. Parts run at
  // the same time. May be called from a thread of the pool.
  void RunInParts(size_t count, size_t step, const std::function<void(size_t, size_t)>& work);

  // Waits until no work waits or runs, or until `deadline`. False: work is left.
  bool AwaitIdle(std::chrono::steady_clock::time_point deadline);

 private:
  struct Waiting {
    std::string caller;
    int64_t cost;
    std::function<void()> work;
  };
  void Loop();
  // With mutex_ held: the next work whose caller may run more, and counts it as running.
  std::optional<Waiting> TakeNext();
  // Like Run() of as many copies as there are threads with nothing to do, at most `most`.
  void RunOnIdleThreads(size_t most, const std::function<void()>& work);

  const char* const name_;
  std::mutex mutex_;
  std::condition_variable wake_;
  domain::FairQueue<Waiting> queue_;
  domain::Shares places_;  // in the queue, by cost
  std::condition_variable idle_;
  const int running_limit_;
  int running_ = 0;
  absl::flat_hash_map<std::string, int> running_of_;  // by caller; nobody with 0
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_BLOCKING_POOL_H_
