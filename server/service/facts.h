// The daemon's facts about its own data, for metrics. Reads them on demand and keeps none.
#ifndef COX_SERVICE_FACTS_H_
#define COX_SERVICE_FACTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "daemon/snapshots.h"
#include "service/history/savings_watch.h"
#include "store/store.h"

namespace cox::service {

struct MachineFacts {
  std::string name;
  int64_t revision = 0;      // of the profile that answers questions; 0: none
  double profile_age_s = 0;  // since that revision was made; 0 without one
  int64_t drift_count = 0;   // drifts in history
  // Median of |observed - predicted| / min(observed, predicted) over the scenarios that were
  // observed, each left out of what its own prediction was learned from; nullopt: there is none.
  std::optional<double> prediction_error;
  // See SavingsWatch; nullopt: not known.
  std::optional<SavedTime> saved;
};

// How many decisions had an outcome, since the start; see DecisionCounts.
struct OutcomeCount {
  std::string outcome;  // "changed"
  int64_t count = 0;
};

// How often a quota was exceeded since the start.
struct QuotaRefusals {
  std::string quota;  // "rows"
  int64_t count = 0;
};

struct Facts {
  std::vector<MachineFacts> machines;  // by name
  int64_t observations_taken = 0;      // since the database was made
  int64_t observations_stored = 0;     // now
  double timings_taken = 0;            // behind stored observations, since the start
  double timings_dropped = 0;          // by clients, and of refused observations, since the start
  int64_t observations_refused = 0;    // of new scenarios, since the start
  int64_t database_bytes = 0;          // with the write-ahead log of SQLite
  std::vector<QuotaRefusals> quota_refusals;
  std::vector<OutcomeCount> decisions;
  std::optional<double> newest_backup_age_s;  // nullopt: there is none
  int64_t backups_failed = 0;                 // of the schedule, since the start
};

// Reads the database: a few short queries, and one per machine. Any thread. Fails as the store
// does. What the server knows itself is left empty: timings_taken, timings_dropped,
// observations_refused, quota_refusals, decisions, newest_backup_age_s, backups_failed.
absl::StatusOr<Facts> ReadFacts(const daemon::Snapshot& machines, store::Store* store,
                                SavingsWatch* savings);

}  // namespace cox::service

#endif  // COX_SERVICE_FACTS_H_
