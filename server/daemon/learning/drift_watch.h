// Detects drifts in one machine's observations and records them.
//
// One thread at a time (the learner's). Errors are the store's.
#ifndef COX_DAEMON_LEARNING_DRIFT_WATCH_H_
#define COX_DAEMON_LEARNING_DRIFT_WATCH_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "domain/drift.h"
#include "learn/drift.h"
#include "store/store.h"

namespace cox::daemon {

// At a start, so many ids before those that are not learned yet are read again: as reference of
// drifts and as evidence of canaries. Ids are common to all machines: this many are enough for any
// machine in recent use.
inline constexpr int64_t kMemoryIds = 100'000;

class DriftWatch {
 public:
  // Records drifts that observations from `first_id` (>= 1) on complete. Earlier observations only
  // give the reference. `store` outlives it. Call CatchUp() first.
  DriftWatch(store::Store* store, std::string machine, int64_t first_id);

  // Observes stored observations up to `through_id`, at most `limit` (>= 1) of them. True: none are
  // left.
  absl::StatusOr<bool> CatchUp(int64_t through_id, int64_t limit);

  // The next observation; a repeated one changes nothing. Returns the drift that it completes,
  // after recording it, unless a drift as late was recorded before.
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

#endif  // COX_DAEMON_LEARNING_DRIFT_WATCH_H_
