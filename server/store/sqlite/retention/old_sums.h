// Sums of old observations in place of their rows: makes them, and reads them wherever a reader
// needs all observations. No transaction of its own.
//
// The arithmetic is that of cells, so cells rebuilt from sums and rows are those of the rows alone.
//
// Thread rule: the connection's. Failure rule: as database.h.
#ifndef COX_STORE_SQLITE_RETENTION_OLD_SUMS_H_
#define COX_STORE_SQLITE_RETENTION_OLD_SUMS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "domain/drift.h"
#include "store/cell.h"
#include "store/day_sum.h"
#include "store/records.h"
#include "store/sqlite/cell_table.h"
#include "store/sqlite/database.h"

namespace cox::store {

// What the next step of SumUpOldRows() does. In a read.
absl::StatusOr<SumUpPlan> PlanSumUp(Database& db, absl::string_view machine, const OldRows& old);
// Sums up the old ones among `limit` rows of the machine after plan.rows.after_id: those that are
// old by their time, and the first plan.excess_count whatever their time. In a write.
absl::StatusOr<SummedUp> SumUpOldRows(Database& db, absl::string_view machine,
                                      const SumUpPlan& plan, int64_t limit);

// Gives the sums of the job `from` to the job `to`, each added to the one of its scenario, source,
// kind and day between two drifts, if there is one.
absl::Status MoveOldSums(Database& db, int64_t from, int64_t to);

// How many the machine has. Cost: their number.
absl::StatusOr<int64_t> CountOldSums(Database& db, absl::string_view machine);

// Which sums: all, a machine's, or a reporter's.
struct OldSumsOf {
  const char* column = nullptr;  // "machine_id", "job_id" or "source_id"; null: all
  int64_t id = 0;
};

// Adds them to `sums`, each to the cell of its scenario, kind and epoch.
absl::Status AddOldSums(Database& db, const OldSumsOf& which, CellSums& sums);
// The same of those in the scope of a drift, from its first observation on.
absl::Status AddOldSumsSince(Database& db, int64_t machine_id, const domain::Drift& drift,
                             CellSums& sums);

// Per machine, the least first_id of the reporter's sums, if it is less than what is there.
absl::Status AddFirstIds(Database& db, const OldSumsOf& reporter,
                         std::map<int64_t, int64_t>& first_ids);
// Removes the reporter's sums. How many observations they had.
absl::StatusOr<int64_t> RemoveOldSums(Database& db, const OldSumsOf& reporter);
// Removes some sums of a machine. False: there were none.
absl::StatusOr<bool> RemoveSomeOldSums(Database& db, int64_t machine_id, int64_t limit);

// For a summary: the sums of a filter's machine and reporter, newest first.
struct OldSum {
  int64_t scenario_id = 0;
  int64_t first_us = 0;
  int64_t timing_count = 0;
  double total_time_s = 0;
  Cell cell{};
};
// Calls `take` for each until it returns false.
absl::Status ReadOldSums(Database& db, const ObservationFilter& filter,
                         std::optional<int64_t> machine_id,
                         const std::function<bool(const OldSum&)>& take);

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_RETENTION_OLD_SUMS_H_
