#include "store/postgres/partitions.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/postgres/connection/query.h"

namespace cox::store::postgres {
namespace {

// The lock waits for all readers of table observation, and later ones wait for it. Others write
// when it has given up. Holds until the end of the transaction.
constexpr const char* kBriefly = "SET LOCAL lock_timeout = '100ms'";

// The first ids of all partitions whose ids are all used, ascending.
absl::StatusOr<std::vector<int64_t>> FindFull(Session& session) {
  Query query(session,
              "SELECT f.first_id FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid"
              " CROSS JOIN LATERAL (SELECT replace(c.relname, 'observation_', '')::bigint"
              "  AS first_id) f"
              " WHERE i.inhparent = 'observation'::regclass"
              " AND f.first_id + $1 <= (SELECT observation_id FROM next_id) ORDER BY 1");
  query.Bind(kPartitionRows);
  std::vector<int64_t> first_ids;
  while (query.Next()) first_ids.push_back(query.Int(0));
  if (!query.status().ok()) return query.status();
  return first_ids;
}

}  // namespace

absl::Status MakePartitions(Session& session, int64_t made_to, int64_t end_id) {
  if (end_id <= made_to) return absl::OkStatus();
  while (end_id > made_to) {
    // In two steps: readers of the other partitions go on.
    const int64_t from = made_to;
    made_to += kPartitionRows;
    absl::Status made = session.Execute(
        absl::StrCat("CREATE TABLE observation_", from, " (LIKE observation INCLUDING ALL);",
                     "ALTER TABLE observation ATTACH PARTITION observation_", from,
                     " FOR VALUES FROM (", from, ") TO (", made_to, ")"));
    if (!made.ok()) return made;
  }
  Query update(session, "UPDATE next_id SET partition_end_id = $1");
  return update.Bind(made_to).Run();
}

absl::StatusOr<int64_t> DropEmptyPartition(Session& session) {
  const absl::StatusOr<std::vector<int64_t>> full = FindFull(session);
  if (!full.ok()) return full.status();
  for (const int64_t first_id : *full) {
    const std::string name = absl::StrCat("observation_", first_id);
    // By the index: it skips what was deleted.
    const absl::StatusOr<int64_t> some =
        Query(session,
              absl::StrCat("SELECT observation_id FROM ", name, " ORDER BY observation_id LIMIT 1"))
            .Number();
    if (!some.ok()) return some.status();
    if (*some != 0) continue;
    const absl::StatusOr<int64_t> pages =
        Query(session, absl::StrCat("SELECT pg_total_relation_size('", name,
                                    "') / current_setting('block_size')::bigint"))
            .Number();
    if (!pages.ok()) return pages.status();
    absl::Status status = session.Execute(absl::StrCat("SAVEPOINT drop_one;", kBriefly));
    if (!status.ok()) return status;
    status = session.Execute(absl::StrCat("DROP TABLE ", name));
    if (status.ok()) return std::max<int64_t>(1, *pages);
    if (!absl::IsDeadlineExceeded(status)) return status;
    status = session.Execute("ROLLBACK TO drop_one");
    if (!status.ok()) return status;
    return 0;
  }
  return 0;
}

}  // namespace cox::store::postgres
