#include "store/postgres/fleet.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "domain/sharing/name_thread.h"
#include "store/postgres/connection/query.h"
#include "store/postgres/rows/machine_rows.h"

namespace cox::store::postgres {
namespace {

// A daemon is gone when it has not beaten for this long: with the next beat of another one it takes
// at most 4 s until that one learns.
constexpr const char* kAlive = "clock_timestamp() + interval '3 seconds'";
constexpr int kBeatMs = 1'000;

}  // namespace

Fleet::Fleet(const std::string& url, const std::string& set_up)
    : session_(url, set_up), wake_fd_(eventfd(0, EFD_CLOEXEC)) {}

Fleet::~Fleet() {
  ends_ = true;
  const uint64_t one = 1;
  if (write(wake_fd_, &one, sizeof one) < 0) { /* the thread wakes with its next beat */
  }
  if (thread_.joinable()) thread_.join();
  close(wake_fd_);
}

absl::Status Fleet::Start() {
  absl::Status status = Connect();
  if (status.ok()) status = Register();
  if (status.ok()) {
    const absl::StatusOr<int64_t> seen = Query(session_, "SELECT change_id FROM next_id").Number();
    if (!seen.ok()) return seen.status();
    seen_change_id_ = *seen;
    thread_ = std::thread([this] { Loop(); });
  }
  return status;
}

void Fleet::WhenChanged(Tell tell) {
  const std::lock_guard lock(mutex_);
  tell_ = std::move(tell);
}

absl::Status Fleet::Connect() {
  absl::Status status = session_.Connect();
  return status.ok() ? session_.Execute("LISTEN coxswain") : status;
}

absl::Status Fleet::Register() {
  // Daemons that ended long ago have left their rows.
  absl::Status swept = session_.Execute(
      "DELETE FROM daemon WHERE alive_until < clock_timestamp() - interval '1 day'");
  if (!swept.ok()) return swept;
  Query add(session_, absl::StrCat("INSERT INTO daemon (alive_until) VALUES (", kAlive,
                                   ") RETURNING daemon_id"));
  const absl::StatusOr<int64_t> id = add.Number();
  if (id.ok()) daemon_id_ = *id;
  return id.status();
}

absl::Status Fleet::Beat() {
  Query beat(session_,
             absl::StrCat("UPDATE daemon SET alive_until = ", kAlive, " WHERE daemon_id = $1"));
  if (absl::Status status = beat.Bind(daemon_id_.load()).Run(); !status.ok()) return status;
  // After a very long absence the row is gone.
  return beat.ChangedRowCount() == 1 ? absl::OkStatus() : Register();
}

absl::Status Fleet::TellChanges() {
  absl::StatusOr<std::vector<std::string>> changed = ReadChanges();
  if (!changed.ok()) return changed.status();
  if (changed->empty()) return absl::OkStatus();
  const std::lock_guard lock(mutex_);
  if (tell_) tell_(*changed);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> Fleet::ReadChanges() {
  Query query(session_,
              "SELECT coalesce(m.name, r.name), m.change_id FROM machine m"
              " LEFT JOIN deleted_machine r USING (machine_id) WHERE m.change_id > $1"
              " UNION ALL SELECT m.name, 0 FROM machine m JOIN learner l USING (machine_id)"
              " LEFT JOIN daemon d ON d.daemon_id = l.daemon_id"
              " WHERE m.name IS NOT NULL AND coalesce(d.alive_until < clock_timestamp(), true)");
  query.Bind(seen_change_id_);
  const bool reads_all = seen_change_id_ == 0;
  std::vector<std::string> machines;
  while (query.Next()) {
    machines.push_back(query.Text(0));
    seen_change_id_ = std::max(seen_change_id_, query.Int(1));
  }
  if (!query.status().ok()) return query.status();
  // Those that the server has lost are in no row.
  if (reads_all) machines.insert(machines.end(), told_.begin(), told_.end());
  told_.insert(machines.begin(), machines.end());
  return machines;
}

void Fleet::Loop() {
  domain::NameThisThread("fleet");
  while (!ends_) {
    absl::Status status;
    if (!session_.IsConnected()) {
      status = Connect();
      // After a failover the server may have lost the last changes, and give their numbers again:
      // every machine may differ from what this daemon has read.
      if (status.ok()) seen_change_id_ = 0;
    }
    if (status.ok()) status = Beat();
    if (status.ok()) status = TellChanges();
    const auto next_beat = std::chrono::steady_clock::now() + std::chrono::milliseconds(kBeatMs);
    // Notices that come faster than they are told must not hold up the beat.
    while (std::chrono::steady_clock::now() < next_beat &&
           session_.AwaitNotice(wake_fd_, next_beat)) {
      TellChanges().IgnoreError();
    }
  }
  if (!session_.IsConnected()) return;
  Query gone(session_, "DELETE FROM daemon WHERE daemon_id = $1");
  gone.Bind(daemon_id_.load()).Run().IgnoreError();
  session_.Execute("NOTIFY coxswain").IgnoreError();
}

absl::StatusOr<Lease> FindLease(Session& session, absl::string_view machine, int64_t daemon_id) {
  Query query(session,
              "SELECT l.daemon_id = $2, coalesce(d.alive_until < clock_timestamp(), true), l.fence"
              " FROM machine m JOIN learner l USING (machine_id)"
              " LEFT JOIN daemon d ON d.daemon_id = l.daemon_id WHERE m.name = $1");
  query.Bind(machine).Bind(daemon_id);
  Lease lease;
  if (query.Next()) lease = {query.Int(0) != 0, query.Int(1) != 0, query.Int(2)};
  if (absl::Status status = query.Run(); !status.ok()) return status;
  return lease;
}

absl::StatusOr<int64_t> TakeLease(Session& session, absl::string_view machine, int64_t daemon_id) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(session, machine);
  if (!machine_id.ok()) return machine_id.status();
  return Query(session,
               "INSERT INTO learner VALUES ($1, $2, 1) ON CONFLICT (machine_id) DO UPDATE SET"
               " daemon_id = excluded.daemon_id, fence = learner.fence + 1 RETURNING fence")
      .Bind(*machine_id)
      .Bind(daemon_id)
      .Number();
}

absl::Status NoteChanges(Session& session, const std::vector<std::string>& machines) {
  Query note(session,
             "WITH next AS (UPDATE next_id SET change_id = change_id + 1 RETURNING change_id)"
             " UPDATE machine m SET change_id = next.change_id FROM next WHERE m.machine_id IN"
             " (SELECT machine_id FROM machine WHERE name = ANY ($1::text[])"
             "  UNION SELECT machine_id FROM deleted_machine WHERE name = ANY ($1::text[]))");
  if (absl::Status status = note.BindAll(machines).Run(); !status.ok()) return status;
  return session.Execute("NOTIFY coxswain");
}

}  // namespace cox::store::postgres
