#include "daemon/learning/guard_watch.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "daemon/learning/drift_watch.h"
#include "daemon/log.h"
#include "daemon/stored_profile.h"
#include "learn/worth/savings.h"

namespace cox::daemon {
namespace {

constexpr int64_t kMostDrifts = 1'000;

}  // namespace

std::string WholeJob(const std::string& job) { return job.substr(0, job.rfind('@')); }

domain::CanaryArm ArmOf(const store::ObservationRecord& observation) {
  if (observation.run == domain::kCanaryRun) return domain::CanaryArm::kCanary;
  return observation.run == domain::kPeerRun ? domain::CanaryArm::kPeer : domain::CanaryArm::kTuned;
}

bool HasEnded(const domain::Withdrawal& withdrawal, absl::Span<const domain::Drift> drifts,
              int64_t stated_revision) {
  const domain::ComparedCalls& calls = withdrawal.evidence.calls;
  return stated_revision > withdrawal.revision ||
         std::any_of(drifts.begin(), drifts.end(), [&](const domain::Drift& drift) {
           return drift.last_id > withdrawal.last_id &&
                  drift.scope.Holds(calls.library, calls.collective, calls.nodes,
                                    calls.min_block_bytes);
         });
}

absl::StatusOr<Withdrawals> ReadWithdrawals(store::Store& store, const std::string& machine) {
  absl::StatusOr<std::vector<domain::Withdrawal>> all =
      store.ListWithdrawals(machine, kMostWithdrawals);
  if (!all.ok()) return all.status();
  Withdrawals withdrawals;
  if (all->empty()) return withdrawals;
  const absl::StatusOr<std::vector<domain::Drift>> drifts =
      store.ListDrifts(machine, 0, kMostDrifts);
  if (!drifts.ok()) return drifts.status();
  const absl::StatusOr<std::optional<store::ProfileRecord>> stated =
      store.GetStatedProfile(machine);
  if (!stated.ok()) return stated.status();
  const int64_t stated_revision = stated->has_value() ? (*stated)->revision : 0;
  for (domain::Withdrawal& withdrawal : *all) {
    std::vector<domain::Withdrawal>& to =
        HasEnded(withdrawal, *drifts, stated_revision) ? withdrawals.ended : withdrawals.in_force;
    to.push_back(std::move(withdrawal));
  }
  return withdrawals;
}

absl::StatusOr<std::unique_ptr<GuardWatch>> GuardWatch::Open(store::Store* store,
                                                             std::string machine,
                                                             int64_t first_id) {
  const absl::StatusOr<std::vector<domain::Drift>> newest = store->ListDrifts(machine, 0, 1);
  if (!newest.ok()) return newest.status();
  const int64_t drift_id = newest->empty() ? 0 : newest->front().last_id;
  return std::make_unique<GuardWatch>(store, std::move(machine),
                                      std::max(drift_id, first_id - 1 - kMemoryIds));
}

GuardWatch::GuardWatch(store::Store* store, std::string machine, int64_t through_id)
    : store_(store),
      machine_(std::move(machine)),
      seen_through_id_(std::max<int64_t>(0, through_id)) {}

absl::StatusOr<bool> GuardWatch::CatchUp(int64_t through_id, int64_t limit) {
  if (seen_through_id_ >= through_id) return true;
  const absl::StatusOr<std::vector<store::ObservationRecord>> page =
      store_->ListObservations({.machine = machine_, .job = {}}, seen_through_id_, limit);
  if (!page.ok()) return page.status();
  for (const store::ObservationRecord& observation : *page) {
    if (observation.id > through_id) return true;
    Feed(observation);
  }
  return static_cast<int64_t>(page->size()) < limit;
}

std::vector<domain::Withdrawal> GuardWatch::Feed(const store::ObservationRecord& observation) {
  if (observation.id <= seen_through_id_) return {};
  seen_through_id_ = observation.id;
  if (observation.kind != domain::CellKind::kJob || observation.job.empty()) return {};
  const domain::ScenarioKey& scenario = observation.scenario;
  return guard_.Observe(
      {.id = observation.id,
       .scenario = &scenario,
       .job = WholeJob(observation.job),
       .at_us = observation.at_us,
       .time_s = observation.time_s,
       .calls = learn::CallsOf(scenario.collective, scenario.ranks, observation.count),
       .arm = ArmOf(observation)});
}

absl::StatusOr<std::vector<domain::Withdrawal>> GuardWatch::Observe(
    const store::ObservationRecord& observation, int64_t revision) {
  std::vector<domain::Withdrawal> found = Feed(observation);
  if (found.empty()) return found;
  const absl::StatusOr<Withdrawals> known = ReadWithdrawals(*store_, machine_);
  if (!known.ok()) return known.status();
  std::erase_if(found, [&](const domain::Withdrawal& one) {
    return std::any_of(known->in_force.begin(), known->in_force.end(),
                       [&](const domain::Withdrawal& other) {
                         return other.evidence.calls == one.evidence.calls;
                       });
  });
  for (domain::Withdrawal& withdrawal : found) {
    withdrawal.machine = machine_;
    withdrawal.revision = revision;
    absl::StatusOr<domain::Withdrawal> recorded = store_->AddWithdrawal(withdrawal);
    if (!recorded.ok()) return recorded.status();
    withdrawal = *std::move(recorded);
    const domain::Comparison& evidence = withdrawal.evidence;
    Log(LogLevel::kWarning, "an algorithm is withdrawn: canaries show that it is slower",
        {{"machine", machine_},
         {"library", evidence.calls.library},
         {"collective", evidence.calls.collective},
         {"algorithm", evidence.calls.algorithm},
         {"min_block_bytes", absl::StrCat(evidence.calls.min_block_bytes)},
         {"factor", absl::StrFormat("%.2f", std::exp(evidence.log_factor))},
         {"pairs", absl::StrCat(evidence.pair_count)}});
  }
  return found;
}

}  // namespace cox::daemon
