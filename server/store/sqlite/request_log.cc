#include "store/sqlite/request_log.h"

#include "store/words.h"

namespace cox::store {

absl::StatusOr<std::optional<int64_t>> FindOutcome(Database& db, const Request& request,
                                                   int64_t now_us) {
  if (request.id.empty()) return std::nullopt;
  Query query(
      db,
      "SELECT method, subject, outcome FROM request WHERE request_id = ? AND create_time_us > ?");
  query.Bind(request.id).Bind(now_us - kRequestKeptUs);
  if (!query.Next()) {
    if (!query.status().ok()) return query.status();
    return std::nullopt;
  }
  if (query.Text(0) != request.method || query.Text(1) != request.subject) {
    return RequestIdIsUsed(request, query.Text(0), query.Text(1));
  }
  return query.Int(2);
}

absl::Status RecordOutcome(Database& db, const Request& request, int64_t outcome, int64_t now_us) {
  if (request.id.empty()) return absl::OkStatus();
  // An id that is too old to count is in the way of its next use.
  Query drop_same(db, "DELETE FROM request WHERE request_id = ?");
  drop_same.Bind(request.id);
  if (absl::Status status = drop_same.Run(); !status.ok()) return status;
  Query drop_oldest(
      db,
      "DELETE FROM request WHERE request_number <= (SELECT max(request_number) FROM request) - ?");
  drop_oldest.Bind(kRequestsKept - 1);
  if (absl::Status status = drop_oldest.Run(); !status.ok()) return status;
  Query insert(db,
               "INSERT INTO request (request_id, method, subject, outcome, create_time_us)"
               " VALUES (?, ?, ?, ?, ?)");
  insert.Bind(request.id).Bind(request.method).Bind(request.subject).Bind(outcome).Bind(now_us);
  return insert.Run();
}

}  // namespace cox::store
