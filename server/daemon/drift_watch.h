// Watches one machine's observations for drifts and records those that it notices.
//
// One thread at a time (the learner's). Errors are the store's.
#ifndef COX_DAEMON_DRIFT_WATCH_H_
#define COX_DAEMON_DRIFT_WATCH_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "domain/drift.h"
#include "learn/drift.h"
#include "store/store.h"

namespace cox::daemon {

class DriftWatch {
 public:
  // Records drifts that observations from `first_id` (>= 1) on complete; the last ones before it
  // only say what is usual. `store` outlives it. CatchUp() before anything else.
  DriftWatch(store::Store* store, std::string machine, int64_t first_id);

  // Observes what the store holds up to `through_id`, at most so many (>= 1) observations of it.
  // True when none are left.
  absl::StatusOr<bool> CatchUp(int64_t through_id, int64_t limit);

  // The next observation; one that was seen before changes nothing. Returns a drift that it
  // completes, recorded, if none as late was recorded before.
  absl::StatusOr<std::optional<domain::Drift>> Observe(const store::ObservationRecord& observation);

  int64_t first_id() const { return first_id_; }

 private:
  store::Store* const store_;
  const std::string machine_;
  const int64_t first_id_;
  learn::DriftDetector detector_;
  int64_t seen_through_id_;
  std::optional<int64_t> recorded_through_id_;  // not read yet: none
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_DRIFT_WATCH_H_
