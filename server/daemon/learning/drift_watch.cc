#include "daemon/learning/drift_watch.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "daemon/learning/convert_cells.h"
#include "daemon/learning/guard_watch.h"
#include "daemon/log.h"
#include "domain/drift.h"

namespace cox::daemon {
DriftWatch::DriftWatch(store::Store* store, std::string machine, int64_t first_id)
    : store_(store),
      machine_(std::move(machine)),
      first_id_(first_id),
      seen_through_id_(std::max<int64_t>(0, first_id - 1 - kMemoryIds)) {}

absl::StatusOr<bool> DriftWatch::CatchUp(int64_t through_id, int64_t limit) {
  if (seen_through_id_ >= through_id) return true;
  const absl::StatusOr<std::vector<store::ObservationRecord>> page = store_->ListObservations(
      {.machine = machine_, .job = {}, .source = {}}, seen_through_id_, limit);
  if (!page.ok()) return page.status();
  for (const store::ObservationRecord& observation : *page) {
    if (observation.id > through_id) return true;
    const absl::StatusOr<std::optional<domain::Drift>> drift = Observe(observation);
    if (!drift.ok()) return drift.status();
  }
  return static_cast<int64_t>(page->size()) < limit;
}

absl::StatusOr<std::optional<domain::Drift>> DriftWatch::Observe(
    const store::ObservationRecord& observation) {
  if (observation.id <= seen_through_id_) return std::nullopt;
  seen_through_id_ = observation.id;
  const learn::Cell cell = ToCell(observation);
  std::optional<domain::Drift> drift = detector_.Observe(
      observation.id, cell, cell.mean_log_time,
      observation.job.empty() ? observation.source : WholeJob(observation.job), observation.job);
  if (!drift || drift->last_id < first_id_) return std::nullopt;
  if (!recorded_through_id_) {
    const absl::StatusOr<std::vector<domain::Drift>> newest = store_->ListDrifts(machine_, 0, 1);
    if (!newest.ok()) return newest.status();
    recorded_through_id_ = newest->empty() ? 0 : newest->front().last_id;
  }
  if (drift->last_id <= *recorded_through_id_) return std::nullopt;
  drift->machine = machine_;
  const absl::StatusOr<domain::Drift> recorded = store_->AddDrift(*drift);
  if (!recorded.ok()) return recorded.status();
  recorded_through_id_ = drift->last_id;
  Log(LogLevel::kWarning, "drift noticed",
      {{"machine", machine_},
       {"library", drift->scope.library},
       {"collective", drift->scope.collective},
       {"level", std::string(domain::LevelName(drift->scope.level))},
       {"log_factor", absl::StrFormat("%.3f", drift->log_factor)},
       {"first_observation", absl::StrCat(drift->first_id)},
       {"last_observation", absl::StrCat(drift->last_id)}});
  return drift;
}

}  // namespace cox::daemon
