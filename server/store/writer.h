// The one thread that writes. It collects queued writes into groups, one transaction each, and
// tells their owners the outcome after the COMMIT. Each write has a savepoint inside its group, so
// a failing write does not affect the others. Reporters take turns, by rows: one with large batches
// does not hold up the others, and cannot fill the queue alone.
//
// Thread rule: Submit, Run and the destructor from any thread but the writer's own; tasks and
// callbacks run on the writer's thread and must not wait for another write. Failure rule: a write's
// own error, or that of the group's COMMIT for every write of the group; RESOURCE_EXHAUSTED (queue
// full), UNAVAILABLE (closing).
#ifndef COX_STORE_WRITER_H_
#define COX_STORE_WRITER_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "domain/sharing/fair_queue.h"
#include "domain/sharing/shares.h"
#include "store/transactions.h"

namespace cox::store {

// The tasks' state in memory. The writer's thread calls it when a group ends.
class WriteState {
 public:
  virtual ~WriteState() = default;
  // Writes sums over the group, inside the transaction but outside of any savepoint.
  virtual absl::Status BeforeCommit() = 0;
  virtual void AfterCommit() = 0;
  // The group was rolled back: drop all copies of its rows. `is_refusal`: a write of its own was
  // refused for what it asks, such as a machine that does not exist. This says nothing of the disk.
  virtual void AfterRollback(bool is_refusal) = 0;
  // One bounded step of background work, in a transaction. False: no work is left.
  virtual absl::StatusOr<bool> Maintain() = 0;
};

class Writer {
 public:
  struct Limits {
    int64_t commit_delay_us;
    int64_t commit_rows;
    int64_t queue_rows;
  };
  enum class Grouping {
    kShared,  // together with the queued writes
    kSoon,    // the same, but the group does not wait for more
    // In a group of its own, without a savepoint: it changes rows that WriteState has copies of, or
    // so many rows that a savepoint, which keeps the old pages in memory, would be too large.
    kAlone,
  };
  using Task = std::function<absl::Status()>;
  using Done = std::function<void(absl::Status)>;

  // `transactions` and `state` outlive the writer. `maintain`: work was left from the last time.
  Writer(Transactions& transactions, WriteState& state, const Limits& limits, bool maintain);
  ~Writer();  // finishes what is queued
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // `owner` is whose write it is; `rows` is what it weighs against the limits. `done` runs exactly
  // once: here and now if the write is refused, else on the writer's thread.
  void Submit(const std::string& owner, int64_t rows, Task task, Done done);
  // After all writes that are queued now. Waits for the outcome. Not refused for a full queue:
  // waiting callers are bounded by themselves.
  absl::Status Run(Grouping grouping, Task task);
  // UNAVAILABLE if a group has been at work for kMostAtWork. A write of its own may take longer: of
  // it only the begin and the COMMIT count. Any thread, and never waits.
  absl::Status CheckAtWork() const { return CheckAtWork(kMostAtWork); }
  absl::Status CheckAtWork(std::chrono::steady_clock::duration most) const;
  // Maintain() has something to do. From a task only.
  void RequestMaintenance() { maintain_ = true; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kMostAtWork{20};
  // Of at_work_since_: at rest, or in a write that may take long.
  static constexpr Clock::time_point kAtRest = Clock::time_point::max();
  struct Write {
    std::string owner;  // "": nobody
    int64_t rows;
    Grouping grouping;
    Task task;
    Done done;
    Clock::time_point enqueue_time;
    absl::Status status;
  };
  struct Group {
    std::vector<Write> writes;
    int64_t rows = 0;
    absl::Status status;      // not OK: the transaction is gone
    bool is_refusal = false;  // the status is; see WriteState::AfterRollback()
  };

  // With mutex_ held; not OK: nothing was taken.
  absl::Status TakeRows(const std::string& owner, int64_t rows);
  // With mutex_ held.
  void GiveBackRows(const Group& group);

  void Loop();
  void Collect(std::unique_lock<std::mutex>& lock, Group& group);
  void Apply(Write& write, Group& group);
  void Commit(Group& group);
  static void Acknowledge(Group& group);
  void MaintainOnce();

  Transactions& transactions_;
  WriteState& state_;
  const Limits limits_;
  bool maintain_;  // writer's thread only
  std::atomic<Clock::time_point> at_work_since_{kAtRest};

  std::mutex mutex_;
  std::condition_variable changed_;
  domain::FairQueue<Write> queue_;  // guarded by mutex_
  domain::Shares pending_rows_;     // queued or in the group; guarded by mutex_
  bool closing_ = false;            // guarded by mutex_
  std::thread thread_;              // last: starts when all else is there
};

}  // namespace cox::store

#endif  // COX_STORE_WRITER_H_
