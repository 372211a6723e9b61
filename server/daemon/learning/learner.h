// Keeps the snapshot that questions read up to date with the store. After a change it refines the
// profile by new observations, publishes a revision at most once per refine interval, rebuilds the
// machine's view, and swaps it in.
//
// Any thread may call. One background thread learns; callers of Refresh() and Forget() learn on
// their own thread. A mutex makes learning sequential. Questions never wait for it.
#ifndef COX_DAEMON_LEARNING_LEARNER_H_
#define COX_DAEMON_LEARNING_LEARNER_H_

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
#include "daemon/bounds/scenario_bound.h"
#include "daemon/learning/held_profiles.h"
#include "daemon/learning/machine_learner.h"
#include "daemon/learning/needed_rows.h"
#include "daemon/learning/profile_feed.h"
#include "daemon/learning/view_builder.h"
#include "daemon/snapshots.h"
#include "domain/withdrawal.h"
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

  // Urgent: learning does not rest, and publishes what it has at once. Only for callers who may
  // burden the daemon.
  enum class Pace { kResting, kUrgent };
  // After observations of these machines were committed: learn from them soon. `learned` (may be
  // empty) runs on the learner's thread when the views hold them, and at once after Stop(). After
  // an error of the store it runs, too; the learner tries again.
  void Notice(const std::vector<std::string>& machines, std::function<void()> learned,
              Pace pace = Pace::kResting);

  // Removes the reports of a job or a source (see Store::Forget) and learns again without them:
  // from the last profile that is not a refinement, with a new search for the drifts that were
  // removed. Other learning waits. `why` goes into the notes of the new revisions. An
  // error of one machine does not stop the others. What is not learned again when it returns, the
  // thread learns, also that of the next start. `actor`, here and below: see Store.
  absl::StatusOr<store::Forgotten> Forget(const store::Reporter& reporter, const std::string& why,
                                          const store::Actor& actor = {});

  // Nullopt: nothing is held back.
  std::optional<HeldProfile> HeldOf(const std::string& machine) const { return held_.Of(machine); }

  // All of them until it has begun.
  NeededRows NeedsAfter(const std::string& machine);
  // Publishes what is held back as a revision. NOT_FOUND for an unknown machine,
  // FAILED_PRECONDITION where nothing is held back.
  absl::StatusOr<store::ProfileRecord> Accept(const std::string& machine,
                                              const store::Actor& actor = {});

 private:
  using Clock = std::chrono::steady_clock;

  void Loop();
  // Rebuilds the views of all machines that Start() found.
  void LoadViews();
  // All steps for one machine, with rests between them unless the pace is urgent (publish_now).
  // False: it failed, and must be tried again.
  bool Learn(const std::string& machine, bool publish_now, bool stale);
  // Rests after work of duration `busy`, until a caller is urgent or the learner ends.
  void RestAfter(Clock::duration busy);
  // One step for one machine; true if more observations wait. `stale`: rebuilds the view even
  // without new observations. learn_mutex_ is held.
  absl::StatusOr<bool> Step(const std::string& machine, bool publish_now, bool stale);
  // One step, visible to the caller's next question. The thread does the remaining steps.
  // learn_mutex_ is held.
  absl::Status ShowStep(const std::string& machine);
  // After the removal of observations. learn_mutex_ is held.
  absl::Status Relearn(const std::string& machine, const std::string& why);
  // learn_mutex_ is held, here and below.
  MachineLearner& LearnerOf(const std::string& machine);
  absl::Status RebuildView(const store::MachineRecord& machine);
  std::vector<domain::Comparison> ComparisonsOf(const std::string& machine) const;
  // Drops what was learned beyond the active profile.
  void Drop(const std::string& machine);

  store::Store* const store_;
  Snapshots* const snapshots_;
  ScenarioBound* const scenarios_;
  const Clock::duration refine_interval_;
  HeldProfiles held_;
  std::atomic<bool> ending_{false};  // changed with mutex_ held

  std::mutex learn_mutex_;  // held while learning; guards what follows
  ViewBuilder views_;
  const MachineLearner::Shared shared_;
  std::map<std::string, MachineLearner> machines_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  std::condition_variable loaded_;
  bool views_are_loaded_ = false;
  std::set<std::string> dirty_;
  std::vector<std::function<void()>> awaiting_;
  bool is_urgent_ = false;
  std::thread thread_;
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_LEARNING_LEARNER_H_
