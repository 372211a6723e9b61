// Keeps history from growing without end: sums up rows that are old or too many, merges old jobs
// into what their sources have reported, removes refined revisions that nobody needs, in short
// steps, and gives the space back to the file system.
//
// One thread of its own. Stop() and the destructor: any other thread.
#ifndef COX_DAEMON_HOST_RETENTION_H_
#define COX_DAEMON_HOST_RETENTION_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "daemon/learning/needed_rows.h"
#include "store/store.h"

namespace cox::daemon {

// About what a row takes in the database, with its index: 53 bytes in a file of 300,000 rows of 100
// scenarios, and some more with labels and larger ids.
inline constexpr int64_t kRowBytes = 64;
// About what a sum of old rows takes with its indexes: 121 bytes in a file of 300,000 sums of one
// row each, and some more with more bins.
inline constexpr int64_t kSumBytes = 128;
// A client may send a batch again for this long, so jobs do not merge before.
inline constexpr double kLeastJobAge_s = 7 * 86'400.0;

class Retention {
 public:
  struct Options {
    // Rows that were measured longer ago are old, and refined revisions that were made longer ago
    // go; 0: none.
    double age_s = 0;
    // Of the rows and sums of a machine; the first rows beyond it are old; 0: none. If sums take
    // more than half of it, jobs merge at kLeastJobAge_s.
    int64_t machine_bytes = 0;
    double job_age_s = 0;  // jobs whose last batch came longer ago merge; 0: none
  };
  // What of a machine stays as rows. If the rows are too many, what was read goes, too: else they
  // would grow without end while a revision is held back.
  using NeededRowsOf = std::function<NeededRows(const std::string& machine)>;

  // `store` outlives it.
  Retention(store::Store* store, const Options& options, NeededRowsOf needed_rows);
  ~Retention();
  Retention(const Retention&) = delete;
  Retention& operator=(const Retention&) = delete;

  // Sums up all old rows; how many. CANCELLED after Stop().
  absl::StatusOr<int64_t> RunOnce();
  // Merges all old jobs; how many. After RunOnce(). CANCELLED after Stop().
  absl::StatusOr<int64_t> MergeJobs();
  // Removes refined revisions: those beyond the age, and of those before the last hour all but the
  // last one of each hour; how many. CANCELLED after Stop().
  absl::StatusOr<int64_t> RemoveRevisions();
  void Stop();

 private:
  void Loop();
  absl::StatusOr<int64_t> SumUp(const std::string& machine);
  absl::StatusOr<int64_t> SumUpRows(const std::string& machine, store::OldRows old);
  absl::StatusOr<int64_t> RemoveRevisionsOf(const std::string& machine);
  // Calls `clean`, which returns a count, for all machines; the sum. A machine that fails does not
  // keep the others from their turn.
  absl::StatusOr<int64_t> ForEachMachine(
      const std::function<absl::StatusOr<int64_t>(const std::string& machine)>& clean);
  // Steps until one has done all. `step`: true if there is more.
  absl::Status InSteps(const std::function<absl::StatusOr<bool>()>& step);
  // False: it ends.
  bool Rest(std::chrono::microseconds time);

  store::Store* const store_;
  const Options options_;
  const NeededRowsOf needed_rows_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<bool> ending_{false};
  std::atomic<bool> sums_are_many_{false};  // of a machine, as of the last RunOnce()
  std::mutex run_mutex_;                    // of RunOnce()
  // Where the next look for old rows behind young ones begins, by machine. Guarded by run_mutex_.
  std::map<std::string, int64_t> looked_through_ids_;
  std::thread thread_;  // last: starts when all else is there
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_HOST_RETENTION_H_
