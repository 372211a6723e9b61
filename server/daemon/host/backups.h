// Makes backups of the database on a schedule and on demand, and removes the oldest.
//
// One thread of its own for the schedule. Make(), List(), failures(): any thread; one backup at a
// time. Stop() and the destructor: any other thread.
#ifndef COX_DAEMON_HOST_BACKUPS_H_
#define COX_DAEMON_HOST_BACKUPS_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/store.h"

namespace cox::daemon {

struct Backup {
  std::string path;
  int64_t file_bytes = 0;
  int64_t create_time_us = 0;  // since the Unix epoch, UTC
};

// How often backups of the schedule failed.
struct BackupFailures {
  int64_t count = 0;  // since the start
  std::string last;   // why the last one failed; "": a backup was made since, or none failed
};

class Backups {
 public:
  struct Options {
    std::string directory;  // created with the first backup
    double every_s = 0;     // 0: only on demand
    int64_t keep_count = 1;
  };

  // `store` outlives it. The first backup of the schedule comes `every_s` after the newest one, or
  // after the start if there is none.
  Backups(store::Store* store, Options options);
  ~Backups();
  Backups(const Backups&) = delete;
  Backups& operator=(const Backups&) = delete;

  // A new backup; then removes those beyond keep_count: first those from the future, which a clock
  // made that was ahead, then the oldest. Also begins with that, and removes what a backup that was
  // killed has left. FAILED_PRECONDITION: the directory cannot be made; else as Store::Backup().
  absl::StatusOr<Backup> Make(const store::IsCancelled& is_cancelled);
  // Newest first, by their names.
  std::vector<Backup> List() const;
  BackupFailures failures() const;

  // Cancels a backup of the schedule and ends the thread.
  void Stop();

 private:
  void Loop();
  int64_t DueTimeMicros(int64_t now_us) const;
  // Nobody makes a backup meanwhile.
  void RemoveUnfinished() const;
  // But never the backup `made`; "": none is made yet.
  void RemoveOldest(const std::string& made) const;

  store::Store* const store_;
  const Options options_;
  const int64_t start_time_us_;
  std::mutex making_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  int64_t retry_time_us_ = 0;  // after a failure; guarded by mutex_
  BackupFailures failures_;    // guarded by mutex_
  std::atomic<bool> ending_{false};
  std::thread thread_;  // last: starts when all else is there
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_HOST_BACKUPS_H_
