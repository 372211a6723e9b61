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
#include "store/sqlite/cell_table.h"
#include "store/sqlite/database.h"

namespace cox::store {

// The observations that a drift moves to the next epoch, summed up.
struct DriftSums {
  CellSums cells;
  int64_t through_id = 0;  // those with greater ids are not in cells yet
};

// Adds the observations of the scope with ids from drift.first_id and sums->through_id + 1 up to
// through_id. Cost: the machine's observations in that range, so long ranges belong to a read
// connection and not to the writer.
absl::Status SumUpScope(Database& db, const domain::Drift& drift, int64_t through_id,
                        DriftSums* sums);

// Returns the id. `sums`: all observations of the scope from first_id on, summed up before. Cost:
// the cells in the scope.
absl::StatusOr<int64_t> InsertDrift(Database& db, const domain::Drift& drift,
                                    int64_t create_time_us, const DriftSums& sums);

absl::StatusOr<std::vector<domain::Drift>> ReadDrifts(Database& db, absl::string_view machine,
                                                      int64_t before, int64_t limit);

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_DRIFT_TABLE_H_
