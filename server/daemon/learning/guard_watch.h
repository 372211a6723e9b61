// Withdraws algorithms that canaries show to be slower than the library's default, and says which
// withdrawals are in force.
//
// One thread at a time (the learner's). Errors are the store's.
#ifndef COX_DAEMON_LEARNING_GUARD_WATCH_H_
#define COX_DAEMON_LEARNING_GUARD_WATCH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "domain/canary_arm.h"
#include "domain/drift.h"
#include "domain/withdrawal.h"
#include "learn/worth/canary_guard.h"
#include "store/store.h"

namespace cox::daemon {

// What a timing of a job is for a comparison with canaries, by its label.
domain::CanaryArm ArmOf(const store::ObservationRecord& observation);

// The job without the node: the agents of a job on several nodes report as JOB@NODE.
std::string WholeJob(const std::string& job);

// Whether something has changed since: a person has set a profile (`stated_revision`, the newest
// such revision; 0: none), or one of the drifts concerns these calls.
bool HasEnded(const domain::Withdrawal& withdrawal, absl::Span<const domain::Drift> drifts,
              int64_t stated_revision);

// A machine's withdrawals, newest first, at most kMostWithdrawals; and those of them in force.
inline constexpr int64_t kMostWithdrawals = 1'000;
struct Withdrawals {
  std::vector<domain::Withdrawal> in_force;
  std::vector<domain::Withdrawal> ended;
};
absl::StatusOr<Withdrawals> ReadWithdrawals(store::Store& store, const std::string& machine);

class GuardWatch {
 public:
  // Observations from first_id (>= 1) on may complete the evidence. Earlier ones since the last
  // drift are evidence too. `store` outlives it. Call CatchUp() first.
  static absl::StatusOr<std::unique_ptr<GuardWatch>> Open(store::Store* store, std::string machine,
                                                          int64_t first_id);
  // Knows no observation up to `through_id`: for a machine that has just changed.
  GuardWatch(store::Store* store, std::string machine, int64_t through_id);

  // Observes stored observations up to `through_id`, at most `limit` (>= 1) of them. True: none are
  // left.
  absl::StatusOr<bool> CatchUp(int64_t through_id, int64_t limit);

  // The next observation; a repeated one changes nothing. Records what it shows to be slower,
  // unless that is withdrawn already, and returns it. `revision`: the active one.
  absl::StatusOr<std::vector<domain::Withdrawal>> Observe(
      const store::ObservationRecord& observation, int64_t revision);

  // What canaries have shown so far, about any algorithm.
  std::vector<domain::Comparison> Comparisons() const { return guard_.Comparisons(); }

 private:
  std::vector<domain::Withdrawal> Feed(const store::ObservationRecord& observation);

  store::Store* const store_;
  const std::string machine_;
  learn::CanaryGuard guard_;
  int64_t seen_through_id_;
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_LEARNING_GUARD_WATCH_H_
