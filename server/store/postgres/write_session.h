// The session that writes: one transaction per group, in one sequence with those of all other
// daemons on the database. It connects anew when the connection was lost: it waits a little for the
// first write that needs it, and then, until it is back, fails writes at once and tries now and
// then.
//
// A group without statements costs nothing: BEGIN and SAVEPOINT are sent by Open(), before the
// first statement of a group and of a write.
//
// Thread rule: the writer's thread, but GiveUpAt() and LosePatience(). Failure rule: UNAVAILABLE
// (no connection), else as session.h.
#ifndef COX_STORE_POSTGRES_WRITE_SESSION_H_
#define COX_STORE_POSTGRES_WRITE_SESSION_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/postgres/connection/session.h"
#include "store/transactions.h"

namespace cox::store::postgres {

// The row of next_id, as of the begin of the transaction.
struct NextId {
  int64_t observation_id = 1;
  int64_t partition_end_id = 1;
  int64_t rewrite_count = 0;
};

class WriteSession final : public Transactions {
 public:
  // Connects at the first Open(). `set_up`: as Session says.
  WriteSession(const std::string& url, const std::string& set_up) : session_(url, set_up) {}

  // Before the first statement of a write. Begins the transaction and its savepoint if that has not
  // been done.
  absl::Status Open();
  // As Session::GiveUpAt(). Any thread.
  void GiveUpAt(std::chrono::steady_clock::time_point time) { session_.GiveUpAt(time); }
  // As Session::LosePatience(). Any thread.
  void LosePatience() { session_.LosePatience(); }
  // After Open().
  Session& session() { return session_; }
  const NextId& next_id() const { return next_id_; }
  // How many connections it has made. With another number whatever was read before may be wrong: a
  // server that took over may have lost the last transactions, and gives their ids again.
  int64_t connection_count() const { return connection_count_; }

  // As Transactions says.
  absl::Status Begin() override;
  absl::Status Commit() override;
  void Rollback() override;
  bool InTransaction() const override;
  absl::Status Savepoint() override;
  absl::Status RollbackToSavepoint() override;
  absl::Status ReleaseSavepoint() override;

 private:
  using Clock = std::chrono::steady_clock;
  // BEGIN on a connection that answers.
  absl::Status BeginConnected();
  // Waits for a connection, the longer the shorter it has been missing.
  absl::Status AwaitConnection();
  absl::Status TryConnect();
  // BEGIN, and the lock that makes all writes one sequence.
  absl::Status BeginAndLock();
  absl::Status LockNextId();

  Session session_;
  bool is_open_ = false;
  bool wants_savepoint_ = false;
  bool has_savepoint_ = false;
  NextId next_id_;
  int64_t connection_count_ = 0;

  bool is_down_ = false;  // nobody waits for the connection any more
  Clock::duration delay_{};
  Clock::time_point next_try_{};
  absl::Status last_error_;
};

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_WRITE_SESSION_H_
