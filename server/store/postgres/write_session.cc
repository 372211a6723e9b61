#include "store/postgres/write_session.h"

#include <algorithm>
#include <thread>

#include "store/postgres/connection/query.h"

namespace cox::store::postgres {
namespace {

using std::chrono::milliseconds;

// A server that starts anew is back within this time; then writes fail until it is.
constexpr milliseconds kPatience{3'000};
constexpr milliseconds kFirstDelay{50};
constexpr milliseconds kMostDelay{1'000};
// The lock of another daemon that is at work is waited for, so long in all.
constexpr milliseconds kLockPatience{30'000};
// A daemon that was stopped while it sent rows holds the lock, and the server waits for its rows
// without end: such a transaction is ended. A daemon that is at work sends its rows at once.
constexpr const char* kEndStopped =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND usename = current_user AND state = 'active'"
    " AND wait_event = 'ClientRead' AND state_change < clock_timestamp() - interval '2 seconds'"
    " AND pid IN (SELECT pid FROM pg_locks WHERE relation = 'next_id'::regclass AND granted)";

}  // namespace

absl::Status WriteSession::Open() {
  if (!is_open_) {
    if (absl::Status status = BeginConnected(); !status.ok()) {
      // Else a BEGIN whose lock failed would make every later one fail.
      if (session_.IsConnected()) session_.Execute("ROLLBACK").IgnoreError();
      return status;
    }
    is_open_ = true;
  }
  if (!wants_savepoint_ || has_savepoint_) return absl::OkStatus();
  absl::Status status = session_.Execute("SAVEPOINT one_write");
  has_savepoint_ = status.ok();
  return status;
}

absl::Status WriteSession::BeginConnected() {
  if (session_.IsConnected()) {
    absl::Status status = BeginAndLock();
    // Else the connection was lost since the last group, and nothing was written on it.
    if (session_.IsConnected() || session_.HasHung()) return status;
  }
  if (absl::Status status = AwaitConnection(); !status.ok()) return status;
  return BeginAndLock();
}

absl::Status WriteSession::AwaitConnection() {
  const Clock::time_point deadline = Clock::now() + (is_down_ ? milliseconds(0) : kPatience);
  while (true) {
    if (absl::Status status = TryConnect();
        status.ok() || Clock::now() >= deadline || session_.GivesUp()) {
      is_down_ = !status.ok();
      return status;
    }
    std::this_thread::sleep_until(std::min(next_try_, deadline));
  }
}

absl::Status WriteSession::TryConnect() {
  if (Clock::now() < next_try_) return last_error_;
  last_error_ = session_.Connect();
  if (last_error_.ok()) {
    ++connection_count_;
    delay_ = {};
    next_try_ = {};
  } else {
    delay_ = std::clamp<Clock::duration>(2 * delay_, kFirstDelay, kMostDelay);
    next_try_ = Clock::now() + delay_;
  }
  return last_error_;
}

absl::Status WriteSession::BeginAndLock() {
  const Clock::time_point until = Clock::now() + kLockPatience;
  while (true) {
    absl::Status status = session_.Execute("BEGIN");
    if (status.ok()) status = LockNextId();
    if (!absl::IsDeadlineExceeded(status)) return status;
    if (status = session_.Execute("ROLLBACK"); !status.ok()) return status;
    if (status = session_.Execute(kEndStopped); !status.ok()) return status;
    if (Clock::now() >= until || session_.GivesUp()) {
      return absl::UnavailableError("the database is locked: other daemons write");
    }
  }
}

absl::Status WriteSession::LockNextId() {
  Query query(session_,
              "SELECT observation_id, partition_end_id, rewrite_count FROM next_id FOR UPDATE");
  if (query.Next()) next_id_ = {query.Int(0), query.Int(1), query.Int(2)};
  return query.Run();
}

absl::Status WriteSession::Begin() {
  is_open_ = wants_savepoint_ = has_savepoint_ = false;
  session_.AllowSilence(kMostSilence);
  return absl::OkStatus();
}

absl::Status WriteSession::Commit() {
  if (!is_open_) return absl::OkStatus();
  is_open_ = false;
  return session_.Commit();
}

void WriteSession::Rollback() {
  if (is_open_ && session_.IsConnected()) session_.Execute("ROLLBACK").IgnoreError();
  is_open_ = false;
}

bool WriteSession::InTransaction() const {
  return !is_open_ || (session_.IsConnected() && session_.InTransaction());
}

absl::Status WriteSession::Savepoint() {
  wants_savepoint_ = true;
  return absl::OkStatus();
}

absl::Status WriteSession::RollbackToSavepoint() {
  return has_savepoint_ ? session_.Execute("ROLLBACK TO one_write") : absl::OkStatus();
}

absl::Status WriteSession::ReleaseSavepoint() {
  wants_savepoint_ = false;
  if (!has_savepoint_) return absl::OkStatus();
  has_savepoint_ = false;
  return session_.Execute("RELEASE one_write");
}

}  // namespace cox::store::postgres
