// Learns from one machine's observations: refines its profile, follows drifts, withdraws what
// canaries show to be slower, and publishes revisions, unless what was learned must wait for an
// agreement (learn/refine/hold_back.h).
//
// Thread rule: one call at a time, under the learner's mutex. Failure rule: the store's errors, and
// CANCELLED when the daemon ends; the next step goes on from what is stored.
#ifndef COX_DAEMON_LEARNING_MACHINE_LEARNER_H_
#define COX_DAEMON_LEARNING_MACHINE_LEARNER_H_

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "daemon/learning/drift_watch.h"
#include "daemon/learning/guard_watch.h"
#include "daemon/learning/held_profiles.h"
#include "daemon/learning/profile_feed.h"
#include "daemon/learning/view_builder.h"
#include "domain/drift.h"
#include "domain/profile.h"
#include "domain/withdrawal.h"
#include "learn/refine/hold_back.h"
#include "store/store.h"

namespace cox::daemon {

class MachineLearner {
 public:
  // What all machines share; it outlives them.
  struct Shared {
    store::Store* store;
    ProfileFeed* feed;
    ViewBuilder* views;
    HeldProfiles* held;
    std::chrono::steady_clock::duration refine_interval;  // shortest time between revisions
    const std::atomic<bool>* ending;
  };

  MachineLearner(const Shared* shared, std::string machine)
      : shared_(*shared), machine_(std::move(machine)) {}
  MachineLearner(const MachineLearner&) = delete;
  MachineLearner& operator=(const MachineLearner&) = delete;

  // Learns from at most a page of new observations; true if more wait.
  absl::StatusOr<bool> LearnNew(const store::MachineRecord& machine);
  // While a profile is pinned: reads at most a page of observations for Comparisons() alone; true
  // if more wait.
  absl::StatusOr<bool> CompareNew();
  // Publishes a revision if one is due, or if there is anything new and `now`. Whether it did.
  absl::StatusOr<bool> PublishIfDue(bool now);

  // After the removal of observations (machine.relearn_from_id): learns again from the last profile
  // that is not a refinement. Follows the later drifts that are recorded, and looks again for those
  // drifts and slow choices that were removed. `why` goes into the note of the new revision.
  // LearnNew() calls it where nobody has, such as after a start. A machine with a pinned profile
  // waits until the pin goes.
  absl::Status Relearn(const store::MachineRecord& machine, const std::string& why);
  // Publishes what is held back. FAILED_PRECONDITION where nothing is.
  absl::Status Accept(const store::Actor& actor);

  bool has_unpublished() const { return learned_.used_count > 0; }
  // The last observation that was learned from.
  int64_t through_id() const { return learned_.through_id; }
  // The last one that a learner would not learn from again after a start.
  int64_t contained_through_id() const {
    const bool is_contained = !has_unpublished() && !must_publish_;
    return is_contained ? learned_.through_id : std::min(learned_.through_id, begin_through_id_);
  }
  // Of the revision that it learns from; -1: none yet.
  int64_t revision() const { return revision_; }
  // What the guard has seen so far.
  std::vector<domain::Comparison> Comparisons() const;

 private:
  using Clock = std::chrono::steady_clock;

  // A profile, and what was learned since the revision that it started from.
  struct Learned {
    domain::Profile profile;
    int64_t through_id = 0;  // observations up to here are in it
    int64_t used_count = 0;
    double largest_change = 0;  // of predictions
  };

  // Begins with another revision: refinements of the old one do not apply to it.
  absl::Status BeginFrom(const absl::StatusOr<store::ProfileRecord>& active);
  // A guard that judges observations from `first_id` on. It first has to catch up.
  absl::Status OpenGuard(int64_t first_id);
  // Drops what was learned, and what waits for the next revision.
  void StartAnew();
  bool IsDue() const;
  // Refines the profile by observations. Leaves out observations that their cells contradict.
  absl::Status RefineBy(absl::Span<const store::ObservationRecord> observations);
  // A drift was recorded, and what was learned does not contain it.
  void AwaitDrift(domain::Drift drift);
  // The same of the stored ones that `must_follow` holds for, among the newest kMostDriftsRead.
  absl::Status AwaitStoredDrifts(const std::function<bool(const domain::Drift&)>& must_follow);
  // The part before the observations of the first drift that waits.
  absl::Span<const store::ObservationRecord> BeforeDrift(
      absl::Span<const store::ObservationRecord> observations) const;
  // After the first drift that waits: widens the uncertainty, and learns again from the
  // observations since.
  void FollowDrift();
  // The profile that a person has set, where what was learned must wait: what was forgotten is in
  // the active one.
  absl::Status PublishStated();
  absl::Status PublishLearned(const store::Actor& actor);
  absl::Status PublishRevision(const Learned& content, const store::Actor& actor);
  // Publishes a revision that tells subscribers what the guard has withdrawn. Its parameters are
  // the active ones, so what is held back stays so.
  absl::Status AnnounceWithdrawals(const store::ProfileRecord& active,
                                   absl::Span<const domain::Withdrawal> withdrawals);
  // Whether what was learned has to wait for an agreement.
  bool MustWait();
  void ClearHeld();

  const Shared& shared_;
  const std::string machine_;

  int64_t revision_ = -1;  // that `learned_` started from; -1: nothing loaded yet
  Learned learned_;
  int64_t begin_through_id_ = 0;  // where a learner would begin after a start
  bool must_publish_ = false;
  std::string why_;               // a note for the next revision
  int64_t relearns_from_id_ = 0;  // what Relearn() began with, until a revision has it; 0: nothing
  learn::HoldBack hold_;
  int64_t held_through_id_ = -1;          // held back with observations up to this one
  std::vector<domain::Drift> to_follow_;  // drifts that wait, in order of first_id
  bool follows_drift_ = false;            // the next revision becomes the stated one
  std::unique_ptr<DriftWatch> drifts_;    // null: not watching yet
  std::unique_ptr<GuardWatch> guard_;     // likewise
  bool only_compares_ = false;            // what the guard has seen while a profile was pinned
  Clock::time_point last_published_{};
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_LEARNING_MACHINE_LEARNER_H_
