#include "store/postgres/partitions.h"

#include "absl/strings/str_cat.h"
#include "store/postgres/connection/query.h"

namespace cox::store::postgres {

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

}  // namespace cox::store::postgres
