// The rows of drifts. No transaction of its own.
//
// Thread rule: the connection's. Failure rule: as store.h says for the methods of the same names.
#ifndef COX_STORE_SQLITE_DRIFT_TABLE_H_
#define COX_STORE_SQLITE_DRIFT_TABLE_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "domain/drift.h"
#include "store/records.h"
#include "store/sqlite/database.h"

namespace cox::store {

// INVALID_ARGUMENT: ids, level, bytes or factor out of range.
absl::Status CheckDrift(const domain::Drift& drift);

// Returns the id. Moves the observations of the scope from first_id on to their next epoch. Cost:
// the machine's observations since first_id.
absl::StatusOr<int64_t> InsertDrift(Database& db, const domain::Drift& drift,
                                    int64_t create_time_us);

absl::StatusOr<std::vector<domain::Drift>> ReadDrifts(Database& db, absl::string_view machine,
                                                      int64_t before, int64_t limit);

// Withdraws the drifts of a machine that were noticed at `id` or later; returns how many. The
// caller then rebuilds the machine's cells.
absl::StatusOr<int64_t> RemoveDriftsSince(Database& db, int64_t machine_id, int64_t id);

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_DRIFT_TABLE_H_
