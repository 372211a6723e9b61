#include "store/postgres/rows/request_rows.h"

#include "store/limits.h"
#include "store/postgres/connection/query.h"
#include "store/words.h"

namespace cox::store::postgres {

absl::StatusOr<std::optional<int64_t>> FindOutcome(Session& session, const Request& request,
                                                   int64_t now_us) {
  if (request.id.empty()) return std::nullopt;
  Query query(session,
              "SELECT method, subject, outcome FROM request"
              " WHERE request_id = $1 AND create_time_us > $2");
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

absl::Status RecordOutcome(Session& session, const Request& request, int64_t outcome,
                           int64_t now_us) {
  if (request.id.empty()) return absl::OkStatus();
  // An id that is too old to count is in the way of its next use.
  Query drop_same(session, "DELETE FROM request WHERE request_id = $1");
  if (absl::Status status = drop_same.Bind(request.id).Run(); !status.ok()) return status;
  Query insert(session,
               "INSERT INTO request (request_id, method, subject, outcome, create_time_us)"
               " VALUES ($1, $2, $3, $4, $5)");
  insert.Bind(request.id).Bind(request.method).Bind(request.subject).Bind(outcome).Bind(now_us);
  if (absl::Status status = insert.Run(); !status.ok()) return status;
  // Numbers have gaps where a write was rolled back: the log may keep a few less.
  Query drop_oldest(session,
                    "DELETE FROM request WHERE request_number <="
                    " (SELECT max(request_number) FROM request) - $1");
  return drop_oldest.Bind(kRequestsKept).Run();
}

}  // namespace cox::store::postgres
