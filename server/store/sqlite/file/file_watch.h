// Checks that a running store's files are still those that it opened, and that nobody read damage
// from them.
//
// Thread rule: Remember() once, before other threads; all else from any thread, CheckWhole() best
// from the writer's. Failure rule: DATA_LOSS with the reason and what to do; once NoteDamage() was
// called, for ever. UNAVAILABLE where the file cannot be opened.
#ifndef COX_STORE_SQLITE_FILE_FILE_WATCH_H_
#define COX_STORE_SQLITE_FILE_FILE_WATCH_H_

#include <sys/stat.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/status.h"

namespace cox::store {

class FileWatch {
 public:
  explicit FileWatch(std::string path) : path_(std::move(path)) {}

  // Remembers the database and its log, both open, as the files to watch.
  void Remember();
  // Call it when a read or a write met damage: from now on every check fails.
  void NoteDamage(const absl::Status& damage);

  // OK if nobody noted damage, and both names still mean the files that Remember() saw.
  absl::Status CheckSame() const;
  // OK if the file begins like a database of Coxswain, and has all its pages or is as long as it
  // was when the length was remembered. Fails for a moment while a checkpoint makes the file
  // shorter.
  absl::Status CheckWhole() const;
  // Remembers how long the file is, unless it is shorter than before and has not all its pages. The
  // writer's thread, when no checkpoint is under way.
  void RememberLength();

 private:
  struct Identity {
    dev_t device = 0;
    ino_t inode = 0;  // 0: no such file
    friend bool operator==(const Identity&, const Identity&) = default;
  };
  static Identity IdentityOf(const std::string& path);
  absl::Status Lost(const std::string& file, const std::string& why) const;

  const std::string path_;
  Identity database_;
  Identity log_;
  std::atomic<uint64_t> length_bytes_{0};
  mutable std::mutex mutex_;
  absl::Status damage_;  // guarded by mutex_; OK: none was met
};

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_FILE_FILE_WATCH_H_
