// The partitions of table observation, each of as many ids as kPartitionRows. No transaction of its
// own.
//
// Thread rule: the session's, inside a write. Failure rule: as session.h.
#ifndef COX_STORE_POSTGRES_PARTITIONS_H_
#define COX_STORE_POSTGRES_PARTITIONS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/postgres/connection/session.h"

namespace cox::store::postgres {

inline constexpr int64_t kPartitionRows = 10'000'000;

// Makes those for the ids before `end_id`. `made_to`: the first id for which there is none.
absl::Status MakePartitions(Session& session, int64_t made_to, int64_t end_id);

// Drops the first partition that has no rows and will get none; its pages, at least one. 0: there
// is none, or one whose readers did not end in a short time: another call may find it.
absl::StatusOr<int64_t> DropEmptyPartition(Session& session);

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_PARTITIONS_H_
