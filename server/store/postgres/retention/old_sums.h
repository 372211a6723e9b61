// Sums of old observations in place of their rows: makes them, and reads them wherever a reader
// needs all observations. No transaction of its own.
//
// The arithmetic is that of cells, so cells rebuilt from sums and rows are those of the rows alone.
//
// Thread rule: the session's. Failure rule: as session.h; NOT_FOUND for an unknown machine;
// DATA_LOSS for bins that nobody can have written.
#ifndef COX_STORE_POSTGRES_RETENTION_OLD_SUMS_H_
#define COX_STORE_POSTGRES_RETENTION_OLD_SUMS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "domain/drift.h"
#include "store/day_sum.h"
#include "store/postgres/connection/session.h"
#include "store/postgres/rows/cell_rows.h"
#include "store/records.h"

namespace cox::store::postgres {

// The columns of a sum `b`, as DaySumOf() reads them.
inline constexpr const char* kSumColumns =
    "b.first_id, b.last_id, b.first_us, b.last_us, b.timing_count, b.total_time_s,"
    " b.observation_count, b.weight, b.bins";
inline constexpr int kSumColumnCount = 9;

// What the next step of SumUpOldRows() does. In a read.
absl::StatusOr<SumUpPlan> PlanSumUp(Session& session, absl::string_view machine,
                                    const OldRows& old);
// Sums up the old ones among `limit` rows of the machine after plan.rows.after_id: those that are
// old by their time, and the first plan.excess_count whatever their time. In a write.
absl::StatusOr<SummedUp> SumUpOldRows(Session& session, absl::string_view machine,
                                      const SumUpPlan& plan, int64_t limit);

// Gives the sums of the job `from` to the job `to`, each added to the one of its scenario, source,
// kind and day between two drifts, if there is one.
absl::Status MoveOldSums(Session& session, int64_t from, int64_t to);

// How many the machine has. Cost: their number.
absl::StatusOr<int64_t> CountOldSums(Session& session, absl::string_view machine);

// Adds the sums to `sums`, each to the cell of its scenario, kind and epoch. `whose`: a condition
// on columns of old_sum with the parameter $1, which is `id`.
absl::Status AddOldSums(Session& session, const std::string& whose, int64_t id, CellSums& sums);
// The same of those in the scope of a drift, from its first observation on.
absl::Status AddOldSumsSince(Session& session, int64_t machine_id, const domain::Drift& drift,
                             CellSums& sums);

// Removes the reporter's sums; `whose` and `id` as above. How many observations they had.
absl::StatusOr<int64_t> RemoveOldSums(Session& session, const std::string& whose, int64_t id);
// Removes at most `limit` sums of a machine. False: there were none.
absl::StatusOr<bool> RemoveSomeOldSums(Session& session, int64_t machine_id, int64_t limit);

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_RETENTION_OLD_SUMS_H_
