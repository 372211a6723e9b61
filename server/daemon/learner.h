// Keeps the snapshot that questions read up to date with the store. After a change it refines the
// profile by new observations, publishes a revision at most once per refine interval, rebuilds the
// machine's view, and swaps it in.
//
// Any thread may call. One background thread learns; callers of Refresh() and Forget() learn on
// their own thread. A mutex makes learning sequential. Questions never wait for it.
#ifndef COX_DAEMON_LEARNER_H_
#define COX_DAEMON_LEARNER_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "advise/machine_view.h"
#include "daemon/bounds/scenario_bound.h"
#include "daemon/drift_watch.h"
#include "daemon/guard_watch.h"
#include "daemon/profile_feed.h"
#include "daemon/snapshots.h"
#include "domain/drift.h"
#include "domain/profile.h"
#include "domain/withdrawal.h"
#include "learn/refine/hold_back.h"
#include "learn/samples.h"
#include "model/profile.h"
#include "store/store.h"

namespace cox::daemon {

class Learner {
 public:
  // refine_interval_s: shortest time between two refined revisions of a machine (>= 0), except when
  // a caller awaits learning. The four others outlive the learner, which tells `scenarios` what the
  // store has.
  Learner(store::Store* store, Snapshots* snapshots, ProfileFeed* feed, ScenarioBound* scenarios,
          double refine_interval_s);
  ~Learner();  // stops, if Stop() was not called
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  // Publishes views of all machines of the store from their profiles alone, which is quick, then
  // starts the thread. The thread first adds what the observations say, then learns.
  absl::Status Start();
  // Waits until the views hold what the observations say, or until `deadline`. False: not yet.
  bool AwaitViews(std::chrono::steady_clock::time_point deadline);

  // Ends the thread after its current step, at most one step of one machine, and calls all waiting
  // callbacks. The next start learns the rest. Idempotent.
  void Stop();

  // After a machine or its profile changed, or went away: brings its view up to date before
  // returning. After Stop() the view may stay behind.
  absl::Status Refresh(const std::string& machine);

  // After observations of these machines were committed: learn from them soon. `learned` (may be
  // empty) runs on the learner's thread when the views hold them, and at once after Stop().
  void Notice(const std::vector<std::string>& machines, std::function<void()> learned);

  // Removes the reports of a job or a source (see Store::Forget) and learns again without them:
  // from the last profile that is not a refinement, with a new search for drifts since the first
  // removed observation. Other learning waits. `why` goes into the notes of the new revisions. An
  // error of one machine does not stop the others. `actor`, here and below: see Store.
  absl::StatusOr<store::Forgotten> Forget(const store::Reporter& reporter, const std::string& why,
                                          const store::Actor& actor = {});

  // What was learned from jobs and would move predictions far from the profile that a person set
  // (learn/refine/hold_back.h). It is not published until Accept(), or until a second source
  // agrees. Corrections by cells do not wait.
  struct Held {
    int64_t base_revision = 0;  // the active revision
    int64_t observation_count = 0;
    double factor = 1;                 // of the predictions' move
    std::vector<std::string> sources;  // that agree with it
  };
  // Nullopt: nothing is held back.
  std::optional<Held> HeldOf(const std::string& machine);

  // The last id of the machine's observations that learning does not read again as a row, not even
  // after a start. 0: it has not begun.
  int64_t NeedsAfter(const std::string& machine);
  // Publishes what is held back as a revision. NOT_FOUND for an unknown machine,
  // FAILED_PRECONDITION where nothing is held back.
  absl::StatusOr<store::ProfileRecord> Accept(const std::string& machine,
                                              const store::Actor& actor = {});

 private:
  using Clock = std::chrono::steady_clock;

  // The learning state of one machine between steps.
  struct Progress {
    int64_t revision = -1;    // of the profile that `working` started from; -1: nothing loaded yet
    domain::Profile working;  // refined beyond that revision
    int64_t through_id = 0;   // observations up to here are in `working`
    int64_t used_count = 0;   // since the revision
    double largest_change = 0;  // of predictions, since the revision
    bool must_publish = false;
    std::string why;  // a note for the next revision
    learn::HoldBack hold;
    int64_t held_through_id = -1;        // held back with observations up to this one
    bool follows_drift = false;          // the next revision becomes the stated one
    std::unique_ptr<DriftWatch> drifts;  // null: not watching yet
    std::unique_ptr<GuardWatch> guard;   // likewise
    Clock::time_point last_published{};
  };

  void Loop();
  // Rebuilds the views of all machines that Start() found.
  void LoadViews();
  // All steps for one machine, with rests between them unless a caller waits (publish_now).
  void Learn(const std::string& machine, bool publish_now, bool stale);
  // Rests after work of duration `busy`, until a caller awaits learning or the learner ends.
  void RestAfter(Clock::duration busy);
  // One step for one machine; true if more observations wait. `stale`: rebuilds the view even
  // without new observations. learn_mutex_ is held.
  absl::StatusOr<bool> Step(const std::string& machine, bool publish_now, bool stale);
  // One step, visible to the caller's next question. The thread does the remaining steps.
  // learn_mutex_ is held.
  absl::Status ShowStep(const std::string& machine);
  // After the removal of observations; `first_id`: the first removed one. learn_mutex_ is held.
  absl::Status Relearn(const std::string& machine, int64_t first_id, const std::string& why);
  bool IsDue(const Progress& progress) const;
  absl::StatusOr<bool> LearnNew(const store::MachineRecord& machine, Progress* progress);
  // Refines the profile by observations, except those that their cells contradict.
  absl::Status RefineBy(const std::string& machine,
                        absl::Span<const store::ObservationRecord> observations,
                        Progress* progress);
  // After a drift: widens the uncertainty, and learns again from the observations since.
  static void FollowDrift(const domain::Drift& drift, Progress* progress);
  // Publishes what was learned, or holds it back. Then, if something must be published, it is the
  // profile that a person has set: what was forgotten is in the active one. Whether it published.
  absl::StatusOr<bool> PublishWhatMay(const std::string& machine, Progress* progress);
  // What was learned stays, and waits.
  absl::Status PublishStated(const std::string& machine, Progress* progress);
  absl::Status PublishRevision(const std::string& machine, Progress* progress,
                               const store::Actor& actor = {});
  // Publishes a revision that tells subscribers what the guard has withdrawn. Its parameters are
  // the active ones, so what is held back stays so.
  absl::Status AnnounceWithdrawals(const store::ProfileRecord& active,
                                   absl::Span<const domain::Withdrawal> withdrawals,
                                   Progress* progress);
  // What guards the active profile of a machine.
  absl::StatusOr<learn::HoldBack> GuardOf(const store::ProfileRecord& active) const;
  // Whether what was learned has to wait for an agreement.
  bool MustWait(const std::string& machine, Progress* progress);
  void ClearHeld(const std::string& machine);
  absl::Status RebuildView(const store::MachineRecord& machine);
  // The view of a machine's active profile, corrected by its cells or by none.
  enum class Cells { kNone, kStored };
  using View = std::shared_ptr<const advise::MachineView>;
  absl::StatusOr<View> BuildView(const store::MachineRecord& machine, Cells which);
  // The cells of a machine, at most ScenarioBound::most_cells(). learn_mutex_ is held.
  absl::StatusOr<std::vector<store::CellRecord>> ReadCells(const std::string& machine);

  store::Store* const store_;
  Snapshots* const snapshots_;
  ProfileFeed* const feed_;
  ScenarioBound* const scenarios_;
  const Clock::duration refine_interval_;

  std::mutex learn_mutex_;  // held while learning
  std::map<std::string, Progress> progress_;
  std::set<std::string> too_large_;  // machines with more cells than ReadCells() reads

  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  std::condition_variable loaded_;
  bool views_are_loaded_ = false;
  std::set<std::string> dirty_;
  std::map<std::string, Held> held_;  // by machine
  std::vector<std::function<void()>> awaiting_;
  std::atomic<bool> ending_{false};  // changed with mutex_ held
  std::thread thread_;
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_LEARNER_H_
