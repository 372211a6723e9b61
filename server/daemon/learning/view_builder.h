// Builds the views that questions read (advise/machine_view.h) from the store, and publishes them.
//
// Thread rule: one call at a time, under the learner's mutex. Failure rule: the store's errors;
// nothing is published then.
#ifndef COX_DAEMON_LEARNING_VIEW_BUILDER_H_
#define COX_DAEMON_LEARNING_VIEW_BUILDER_H_

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "advise/machine_view.h"
#include "daemon/bounds/scenario_bound.h"
#include "daemon/learning/profile_feed.h"
#include "daemon/snapshots.h"
#include "domain/withdrawal.h"
#include "store/store.h"

namespace cox::daemon {

class ViewBuilder {
 public:
  using View = std::shared_ptr<const advise::MachineView>;

  // All outlive it. It tells `scenarios` what the store has.
  ViewBuilder(store::Store* store, Snapshots* snapshots, ProfileFeed* feed,
              ScenarioBound* scenarios)
      : store_(store), snapshots_(snapshots), feed_(feed), scenarios_(scenarios) {}

  // The view of a machine's active profile without corrections.
  absl::StatusOr<View> OfProfile(const store::MachineRecord& machine);
  // The same, corrected by the machine's cells. `comparisons`: what the guard has seen so far.
  absl::StatusOr<View> OfCells(const store::MachineRecord& machine,
                               std::vector<domain::Comparison> comparisons);
  // Publishes that view, and announces its profile to subscribers if its revision is a new one.
  absl::Status Rebuild(const store::MachineRecord& machine,
                       std::vector<domain::Comparison> comparisons);

  // The cells of a machine, at most ScenarioBound::most_cells().
  absl::StatusOr<std::vector<store::CellRecord>> ReadCells(const std::string& machine);

 private:
  absl::StatusOr<View> Build(const store::MachineRecord& machine,
                             const std::vector<learn::Cell>& cells,
                             std::vector<domain::Comparison> comparisons);

  store::Store* const store_;
  Snapshots* const snapshots_;
  ProfileFeed* const feed_;
  ScenarioBound* const scenarios_;
  std::set<std::string> too_large_;  // machines with more cells than ReadCells() reads
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_LEARNING_VIEW_BUILDER_H_
