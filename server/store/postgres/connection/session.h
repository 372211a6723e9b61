// One connection to a PostgreSQL server. With Query the only class that uses libpq. Knows no table.
//
// No call waits for ever: a server that says nothing for some seconds is asked on a connection of
// its own whether it still answers, and the connection is closed if it does not. It is also closed
// when the server turns out to be read-only: another host of the URL may be read-write by now.
//
// Thread rule: a session and its queries belong to one thread at a time, but GiveUpAt().
// Failure rule: UNAVAILABLE (no connection, or it was lost; the server does not answer, is
// starting, ending, or a standby; no such database, no permission), DEADLINE_EXCEEDED (a lock was
// not free within lock_timeout), RESOURCE_EXHAUSTED (disk full, memory, connections), DATA_LOSS
// (damaged pages), ALREADY_EXISTS (a UNIQUE rule), INVALID_ARGUMENT (text that is not UTF-8),
// CANCELLED, INTERNAL (any other rule of the schema, or wrong SQL).
#ifndef COX_STORE_POSTGRES_CONNECTION_SESSION_H_
#define COX_STORE_POSTGRES_CONNECTION_SESSION_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

struct pg_conn;
struct pg_result;

namespace cox::store::postgres {

struct ClearResult {
  void operator()(pg_result* result) const;
};
using Result = std::unique_ptr<pg_result, ClearResult>;

// Enough for a statement that reads what a daemon keeps of a machine.
inline constexpr std::chrono::minutes kMostSilence{10};

class Session {
 public:
  // `url`: as libpq reads it, "postgresql://...". `set_up`: statements for every new connection.
  // Does not connect yet.
  Session(std::string url, std::string set_up);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Connects anew, and drops the old connection. UNAVAILABLE after a few seconds without an answer.
  absl::Status Connect();
  // False: never connected, or the connection was lost.
  bool IsConnected() const;
  // Whether a transaction is open, also one that an error has ended.
  bool InTransaction() const;

  // Runs statements without parameters, separated by semicolons, and ignores their rows.
  absl::Status Execute(const std::string& sql);
  // COMMIT. An error if the server rolled back instead.
  absl::Status Commit();
  // Adds rows in the format of CopyBegin() to `table` ("batch (batch_id, ...)").
  absl::Status CopyRows(absl::string_view table, absl::string_view rows);

  // Waits for a notice of a channel that this session listens to. False: `deadline` came first, or
  // `wake_fd` became readable, or the connection is lost.
  bool AwaitNotice(int wake_fd, std::chrono::steady_clock::time_point deadline);

  // At this time it closes the connection if it waits for the server then, and makes no other one.
  // Any thread.
  void GiveUpAt(std::chrono::steady_clock::time_point time) { give_up_at_ = time; }
  bool GivesUp() const;
  // From now on a server that is silent for some seconds is not asked whether it still answers, and
  // after a failure no other connection is made. Any thread.
  void LosePatience() { is_impatient_ = true; }
  // A statement that is silent for longer counts as one of a server that hangs, also while the
  // server answers others. kMostSilence unless said otherwise.
  void AllowSilence(std::chrono::steady_clock::duration most) { most_silence_ = most; }
  // Closes the connection; Connect() makes the next one.
  void Close() { Abandon(""); }
  // Whether the connection was closed because the server did not answer.
  bool HasHung() const { return connection_ == nullptr && has_hung_; }

  // From now on queries ask `is_cancelled` while they wait and every so many rows; true ends them
  // with CANCELLED. Empty: never.
  void CancelWhen(std::function<bool()> is_cancelled) { is_cancelled_ = std::move(is_cancelled); }

 private:
  friend class Query;
  enum class Wait { kAnswered, kCancelled, kLost };
  // Sends what is left to send, and waits until PQgetResult() does not wait.
  Wait AwaitAnswer(bool may_cancel);
  // The last result of statements without parameters; null: the connection is lost.
  Result Run(const std::string& sql);
  // The same of what was sent.
  Result LastResult();
  // Whether the host of this connection, of all that the URL names, takes connections now.
  bool ServerAnswers() const;
  // The next result of the statement that was sent; null after the last. CANCELLED: the statement
  // has ended.
  absl::StatusOr<Result> NextResult();
  // OK for results that are no error.
  absl::Status StatusOf(const pg_result* result);
  absl::Status LostConnection() const;
  // Drops the results that are left.
  void Drain();
  // The same of those that have arrived. False: there may be more.
  bool DrainWhatIsHere();
  // Closes the connection without waiting for the server, which ends the statement when it notices.
  void Abandon(absl::string_view why);

  std::string url_;
  std::string set_up_;
  pg_conn* connection_ = nullptr;
  std::string why_lost_;  // if the connection was closed here
  bool has_hung_ = false;
  bool has_failed_ = false;  // the last connection, or the attempt to make it
  std::atomic<bool> is_impatient_{false};
  std::atomic<std::chrono::steady_clock::time_point> give_up_at_{
      std::chrono::steady_clock::time_point::max()};
  std::chrono::steady_clock::duration most_silence_ = kMostSilence;
  std::function<bool()> is_cancelled_;
  absl::flat_hash_map<std::string, std::string> statements_;  // name by text
};

// `url` without its password, for messages and logs.
std::string WithoutPassword(absl::string_view url);

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_CONNECTION_SESSION_H_
