// A disk that can be full, fail, or make a call wait: SQLite's own file layer with a watcher in
// front. It also counts reads. One for the whole process.
#ifndef COX_TESTS_UNIT_STORE_FAULTY_DISK_H_
#define COX_TESTS_UNIT_STORE_FAULTY_DISK_H_

#include <cstdint>
#include <functional>

#include "absl/strings/string_view.h"

namespace cox::store {

// A call of SQLite on one of its files.
struct DiskCall {
  enum class Kind { kOpen, kRead, kWrite, kTruncate, kSync, kSize, kDelete };
  Kind kind;
  absl::string_view path;
  int64_t offset = 0;         // kRead, kWrite; the new length of kTruncate
  absl::string_view bytes{};  // of kWrite

  bool IsOfLog() const;
};

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
  // Asked before each call, and told after it when it has succeeded; on the calling thread, from
  // several at a time. Before: another code than SQLITE_OK is the call's outcome, and the call does
  // not happen. No file is open when this is called.
  using Watcher = std::function<int(const DiskCall& call, bool is_done)>;
  void Watch(Watcher watcher);

  int64_t log_sync_count() const;
  int64_t read_count() const;
};

}  // namespace cox::store

#endif  // COX_TESTS_UNIT_STORE_FAULTY_DISK_H_
