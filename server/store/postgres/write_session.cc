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
    absl::Status status = session_.Execute("BEGIN");
    if (status.ok()) status = LockNextId();
    // Else the connection was lost since the last group, and nothing was written on it.
    if (session_.IsConnected()) return status;
  }
  if (absl::Status status = AwaitConnection(); !status.ok()) return status;
  absl::Status status = session_.Execute("BEGIN");
  return status.ok() ? LockNextId() : status;
}

absl::Status WriteSession::AwaitConnection() {
  const Clock::time_point deadline = Clock::now() + (is_down_ ? milliseconds(0) : kPatience);
  while (true) {
    if (absl::Status status = TryConnect(); status.ok() || Clock::now() >= deadline) {
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
    delay_ = {};
    next_try_ = {};
  } else {
    delay_ = std::clamp<Clock::duration>(2 * delay_, kFirstDelay, kMostDelay);
    next_try_ = Clock::now() + delay_;
  }
  return last_error_;
}

absl::Status WriteSession::LockNextId() {
  Query query(session_,
              "SELECT observation_id, partition_end_id, rewrite_count FROM next_id FOR UPDATE");
  if (query.Next()) next_id_ = {query.Int(0), query.Int(1), query.Int(2)};
  return query.Run();
}

absl::Status WriteSession::Begin() {
  is_open_ = wants_savepoint_ = has_savepoint_ = false;
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
