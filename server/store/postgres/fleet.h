// One of several daemons on a database: says that it is alive, hears which machines others have
// changed, and takes the lease of a machine that nobody alive holds.
//
// One thread of its own, with a connection of its own, which calls `tell`. The other methods: any
// thread. Failure rule: without a connection it tries again every second. With each new one it
// tells of all machines: the server may have lost changes, and machines, in a failover.
#ifndef COX_STORE_POSTGRES_FLEET_H_
#define COX_STORE_POSTGRES_FLEET_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/postgres/connection/session.h"

namespace cox::store::postgres {

// A lease, as a statement sees it.
struct Lease {
  bool is_mine = false;
  bool is_free = true;  // nobody alive holds it
  int64_t fence = 0;    // 0: nobody has held it yet
};

class Fleet {
 public:
  using Tell = std::function<void(const std::vector<std::string>& machines)>;

  Fleet(const std::string& url, const std::string& set_up);
  ~Fleet();  // gives up all leases
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  // Registers this daemon and starts the thread.
  absl::Status Start();

  // From now on `tell` hears of changes, and of machines whose learner is gone. Afterwards an older
  // one is not running any more.
  void WhenChanged(Tell tell);

  // As Session::GiveUpAt(). Any thread.
  void GiveUpAt(std::chrono::steady_clock::time_point time) { session_.GiveUpAt(time); }
  // As Session::LosePatience(). Any thread.
  void LosePatience() { session_.LosePatience(); }

  // The number of this daemon in table daemon.
  int64_t daemon_id() const { return daemon_id_; }

 private:
  void Loop();
  absl::Status Connect();
  absl::Status Register();
  // Moves alive_until on.
  absl::Status Beat();
  absl::Status TellChanges();
  absl::StatusOr<std::vector<std::string>> ReadChanges();

  Session session_;
  std::atomic<int64_t> daemon_id_{0};
  std::atomic<bool> ends_{false};
  int64_t seen_change_id_ = 0;  // 0: all machines are to be read
  std::set<std::string> told_;  // machines that it has told of
  int wake_fd_ = -1;
  std::mutex mutex_;
  Tell tell_;  // guarded by mutex_
  std::thread thread_;
};

// Whether daemon `daemon_id` may learn for the machine. In any transaction.
absl::StatusOr<Lease> FindLease(Session& session, absl::string_view machine, int64_t daemon_id);
// Makes the daemon the one that learns for the machine; returns the new fence. In a write.
absl::StatusOr<int64_t> TakeLease(Session& session, absl::string_view machine, int64_t daemon_id);

// Gives the machines the next change number and wakes all daemons. In a write.
absl::Status NoteChanges(Session& session, const std::vector<std::string>& machines);

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_FLEET_H_
