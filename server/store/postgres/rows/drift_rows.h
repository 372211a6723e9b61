// The rows of drifts. No transaction of its own.
//
// Thread rule: the session's. Failure rule: as store.h says for the methods of the same names.
#ifndef COX_STORE_POSTGRES_ROWS_DRIFT_ROWS_H_
#define COX_STORE_POSTGRES_ROWS_DRIFT_ROWS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "domain/drift.h"
#include "store/postgres/connection/session.h"
#include "store/postgres/rows/cell_rows.h"

namespace cox::store::postgres {

// The observations that a drift moves to the next epoch, summed up.
struct DriftSums {
  CellSums cells;
  int64_t through_id = 0;     // those with greater ids are not in cells yet
  int64_t rewrite_count = 0;  // of next_id: with another one the sums are worthless
};

// Adds the observations of the scope with ids from drift.first_id and sums->through_id + 1 up to
// the last one. If rows were rewritten since the sums were begun, begins anew. Cost: the machine's
// observations in that range, so long ranges belong to a read session and not to the writer.
absl::Status SumUpScope(Session& session, const domain::Drift& drift, DriftSums* sums);

// Returns the id. `sums`: all observations of the scope from first_id on, summed up before. Cost:
// the cells in the scope.
absl::StatusOr<int64_t> InsertDrift(Session& session, const domain::Drift& drift,
                                    int64_t create_time_us, const DriftSums& sums);

absl::StatusOr<std::vector<domain::Drift>> ReadDrifts(Session& session, absl::string_view machine,
                                                      int64_t before, int64_t limit);

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_ROWS_DRIFT_ROWS_H_
