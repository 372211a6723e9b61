// A fixed number of read-only connections, lent out one at a time.
//
// Thread rule: any thread. A lease belongs to one thread. Borrow() waits while all connections are
// lent, so a thread must not borrow a second one. Failure rule: opening fails as database.h says.
#ifndef COX_STORE_SQLITE_READ_POOL_H_
#define COX_STORE_SQLITE_READ_POOL_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "store/sqlite/database.h"

namespace cox::store {

class ReadPool {
 public:
  class Lease {
   public:
    Lease(ReadPool& pool, std::unique_ptr<Database> db) : pool_(pool), db_(std::move(db)) {}
    ~Lease() { pool_.Return(std::move(db_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Database& operator*() const { return *db_; }

   private:
    ReadPool& pool_;
    std::unique_ptr<Database> db_;
  };

  // `note_damage`: see Database::WhenDamaged(); any thread.
  static absl::StatusOr<std::unique_ptr<ReadPool>> Open(
      const std::string& path, int connections,
      const std::function<void(const absl::Status&)>& note_damage);

  Lease Borrow();

 private:
  void Return(std::unique_ptr<Database> db);

  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Database>> idle_;
};

// During its life all statements on the connection see the same commit.
class Snapshot {
 public:
  explicit Snapshot(Database& db) : db_(db), status_(db.Execute("BEGIN")) {}
  ~Snapshot() {
    if (status_.ok()) db_.Execute("COMMIT").IgnoreError();  // nothing was written
  }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  const absl::Status& status() const { return status_; }

 private:
  Database& db_;
  absl::Status status_;
};

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_READ_POOL_H_
