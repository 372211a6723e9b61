// Watches one machine's observations for drifts and records those that it notices.
//
// One thread at a time (the learner's). Errors are the store's.
#ifndef COX_SERVICE_DRIFT_WATCH_H_
#define COX_SERVICE_DRIFT_WATCH_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "learn/drift.h"
#include "store/store.h"

namespace cox::service {

class DriftWatch {
 public:
  // `store` outlives it. Start() before anything else.
  DriftWatch(store::Store* store, std::string machine)
      : store_(store), machine_(std::move(machine)) {}

  // Learns what is usual from the last observations up to `through_id`.
  absl::Status Start(int64_t through_id);

  // The next observation; one that was seen before changes nothing. Returns a drift that it
  // completes, recorded, if none as late was recorded before.
  absl::StatusOr<std::optional<learn::Drift>> Observe(const store::ObservationRecord& observation);

 private:
  std::optional<learn::Drift> Detect(const store::ObservationRecord& observation);

  store::Store* const store_;
  const std::string machine_;
  learn::DriftDetector detector_;
  int64_t seen_through_id_ = 0;
  int64_t recorded_through_id_ = 0;
};

}  // namespace cox::service

#endif  // COX_SERVICE_DRIFT_WATCH_H_
