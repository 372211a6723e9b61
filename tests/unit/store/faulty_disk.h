// A disk that can be full, fail to sync, or make a sync wait: SQLite's own file layer with another
// write and sync. It also counts reads. One for the whole process.
#ifndef COX_TESTS_UNIT_STORE_FAULTY_DISK_H_
#define COX_TESTS_UNIT_STORE_FAULTY_DISK_H_

#include <cstdint>
#include <functional>

namespace cox::store {

// While one lives, every SQLite file that is opened lies on this disk. At most one at a time; files
// opened while it lives are closed before it goes.
class FaultyDisk {
 public:
  FaultyDisk();
  ~FaultyDisk();
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;

  // Writes fail with SQLITE_FULL after `count` more writes; negative: never.
  void FailWritesAfter(int64_t count);
  // Syncs of a write-ahead log fail with SQLITE_IOERR_FSYNC.
  void FailLogSyncs(bool fail);
  // Runs once, before the next sync of a write-ahead log, on the thread that syncs.
  void BeforeNextLogSync(std::function<void()> hook);

  int64_t log_sync_count() const;
  int64_t read_count() const;
};

}  // namespace cox::store

#endif  // COX_TESTS_UNIT_STORE_FAULTY_DISK_H_
