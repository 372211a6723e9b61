#include "daemon/learning/machine_learner.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "daemon/learning/contradicted_times.h"
#include "daemon/learning/convert_cells.h"
#include "daemon/log.h"
#include "daemon/stored_profile.h"
#include "domain/principal_name.h"
#include "domain/words/counted.h"
#include "learn/refine/refine.h"
#include "store/steps/old_revisions.h"

namespace cox::daemon {
namespace {

constexpr int64_t kObservationsPerStep = 20'000;
// A revision that moves predictions by less than kNotableChange may wait for kPatience refine
// intervals.
constexpr double kNotableChange = 0.01;
constexpr int kPatience = 60;
constexpr int64_t kMostDriftsRead = 1'000;

// The agents of a job on several nodes report as JOB@NODE.
std::string JobOf(const store::ObservationRecord& observation) {
  return observation.job.substr(0, observation.job.rfind('@'));
}

// Who says so. What belongs to no job was imported by an operator, unless a reporter claims it.
std::string SourceOf(const store::ObservationRecord& observation) {
  if (observation.job.empty() && !domain::IsPrincipalName(observation.source)) {
    return std::string(learn::HoldBack::kImports);
  }
  if (!observation.source.empty()) return observation.source;
  return absl::StrCat("job ", JobOf(observation));
}

// What guards the active profile of a machine. After a start it may be a refinement that nobody
// objected to.
absl::StatusOr<learn::HoldBack> GuardOf(store::Store& store, const store::ProfileRecord& active) {
  const absl::StatusOr<std::optional<store::ProfileRecord>> stated =
      store.GetStatedProfile(active.machine);
  if (!stated.ok()) return stated.status();
  return stated->has_value() ? learn::HoldBack(ProfileOf(active)) : learn::HoldBack();
}

}  // namespace

std::vector<domain::Comparison> MachineLearner::Comparisons() const {
  return guard_ == nullptr ? std::vector<domain::Comparison>() : guard_->Comparisons();
}

absl::StatusOr<bool> MachineLearner::LearnNew(const store::MachineRecord& machine) {
  const absl::StatusOr<store::ProfileRecord> active = shared_.store->GetProfile(machine_, 0);
  if (!active.ok() && !absl::IsNotFound(active.status())) return active.status();
  const int64_t revision = active.ok() ? active->revision : 0;
  // What it saw while a profile was pinned, it did not judge.
  if (std::exchange(only_compares_, false)) guard_ = nullptr;
  const bool must_relearn = machine.relearn_from_id != 0 &&
                            (revision != revision_ || machine.relearn_from_id != relearns_from_id_);
  if (must_relearn || revision != revision_) {
    absl::Status begun =
        must_relearn ? Relearn(machine, "without what was forgotten") : BeginFrom(active);
    if (!begun.ok()) return begun;
  }
  learned_.profile.shape = ShapeOf(machine);
  // Also without new observations: what canaries have shown is part of answers.
  if (guard_ == nullptr) {
    if (absl::Status opened = OpenGuard(learned_.through_id + 1); !opened.ok()) return opened;
  }
  const absl::StatusOr<bool> guarded = guard_->CatchUp(learned_.through_id, kObservationsPerStep);
  if (!guarded.ok()) return guarded.status();
  if (!*guarded) return true;
  const absl::StatusOr<std::vector<store::ObservationRecord>> fresh =
      shared_.store->ListObservations({.machine = machine_, .job = {}, .source = {}},
                                      learned_.through_id, kObservationsPerStep);
  if (!fresh.ok()) return fresh.status();
  if (drifts_ == nullptr) {
    if (fresh->empty() && to_follow_.empty()) return false;
    drifts_ = std::make_unique<DriftWatch>(shared_.store, machine_, learned_.through_id + 1);
  }
  // After an error the detector has lost the drift, so a new detector reads the observations again.
  // The store may have the drift although the answer was lost: the next step reads which are not
  // followed.
  const auto watch_anew = [&](absl::Status why) {
    revision_ = -1;
    drifts_ = std::make_unique<DriftWatch>(shared_.store, machine_, drifts_->first_id());
    return why;
  };
  const absl::StatusOr<bool> caught_up =
      drifts_->CatchUp(learned_.through_id, kObservationsPerStep);
  if (!caught_up.ok()) return watch_anew(caught_up.status());
  if (!*caught_up) return true;
  if (fresh->empty() && to_follow_.empty()) return false;
  bool has_drift = false;
  std::vector<domain::Withdrawal> withdrawals;
  for (const store::ObservationRecord& observation : BeforeDrift(*fresh)) {
    if (*shared_.ending) return watch_anew(absl::CancelledError("the daemon is ending"));
    absl::StatusOr<std::optional<domain::Drift>> noticed = drifts_->Observe(observation);
    if (!noticed.ok()) return watch_anew(noticed.status());
    has_drift = noticed->has_value();
    // It is recorded, so an error from here on must not lose it.
    if (has_drift) AwaitDrift(**std::move(noticed));
    absl::StatusOr<std::vector<domain::Withdrawal>> slower = guard_->Observe(observation, revision);
    if (!slower.ok()) {
      guard_ = nullptr;  // the next one reads the evidence again
      return watch_anew(slower.status());
    }
    withdrawals.insert(withdrawals.end(), slower->begin(), slower->end());
    if (has_drift) {
      // The evidence was about another machine.
      guard_ = std::make_unique<GuardWatch>(shared_.store, machine_, to_follow_.front().last_id);
      break;
    }
  }
  if (!withdrawals.empty() && active.ok()) {
    absl::Status announced = AnnounceWithdrawals(*active, withdrawals);
    if (!announced.ok()) return announced;
  }
  const absl::Span<const store::ObservationRecord> learnable = BeforeDrift(*fresh);
  if (absl::Status refined = RefineBy(learnable); !refined.ok()) return refined;
  const bool has_more = static_cast<int64_t>(fresh->size()) == kObservationsPerStep;
  if (!to_follow_.empty() && (learnable.size() < fresh->size() || !has_more)) {
    FollowDrift();
    return true;
  }
  learned_.through_id = fresh->back().id;
  return has_more;
}

absl::Status MachineLearner::OpenGuard(int64_t first_id) {
  absl::StatusOr<std::unique_ptr<GuardWatch>> guard =
      GuardWatch::Open(shared_.store, machine_, first_id);
  if (!guard.ok()) return guard.status();
  guard_ = *std::move(guard);
  return absl::OkStatus();
}

absl::StatusOr<bool> MachineLearner::CompareNew() {
  if (!std::exchange(only_compares_, true)) {
    guard_ = nullptr;
    held_through_id_ = -1;  // what is held back is told anew when the pin goes
  }
  if (guard_ == nullptr) {
    const absl::StatusOr<int64_t> last_id = shared_.store->LastObservationId();
    if (!last_id.ok()) return last_id.status();
    if (absl::Status opened = OpenGuard(*last_id + 1); !opened.ok()) return opened;
  }
  const absl::StatusOr<bool> guarded = guard_->CatchUp(INT64_MAX, kObservationsPerStep);
  if (!guarded.ok()) return guarded.status();
  return !*guarded;
}

absl::Status MachineLearner::BeginFrom(const absl::StatusOr<store::ProfileRecord>& active) {
  revision_ = active.ok() ? -1 : 0;  // where this fails, the next step begins again
  StartAnew();
  if (!active.ok()) return absl::OkStatus();
  learned_.profile = ProfileOf(*active);
  learned_.through_id = begin_through_id_ = active->observations_through_id;
  absl::StatusOr<learn::HoldBack> hold = GuardOf(*shared_.store, *active);
  if (!hold.ok()) return hold.status();
  hold_ = *std::move(hold);
  // Another learner has ended before it followed them. Those from before a person's profile are
  // for nobody to follow.
  absl::Status awaited = AwaitStoredDrifts([&active](const domain::Drift& drift) {
    return !drift.is_followed && drift.last_id > active->observations_through_id;
  });
  if (awaited.ok()) revision_ = active->revision;
  return awaited;
}

void MachineLearner::StartAnew() {
  learned_ = {};
  begin_through_id_ = 0;
  must_publish_ = false;
  why_.clear();
  relearns_from_id_ = 0;
  hold_ = {};
  held_through_id_ = -1;
  to_follow_.clear();
  follows_drift_ = false;
  ClearHeld();
}

absl::Status MachineLearner::RefineBy(absl::Span<const store::ObservationRecord> observations) {
  if (observations.empty()) return absl::OkStatus();
  const absl::StatusOr<std::vector<store::CellRecord>> records = shared_.views->ReadCells(machine_);
  if (!records.ok()) return records.status();
  const absl::StatusOr<std::vector<domain::Drift>> drifts =
      shared_.store->ListDrifts(machine_, 0, kMostDriftsRead);
  if (!drifts.ok()) return drifts.status();
  const ContradictedTimes contradicted(*records, *drifts);
  std::vector<learn::Cell> cells;
  cells.reserve(observations.size());
  for (const store::ObservationRecord& observation : observations) {
    if (contradicted.Contain(observation)) continue;
    cells.push_back(ToCell(observation));
    hold_.Add(cells.back(), SourceOf(observation), JobOf(observation));
  }
  learn::Refinement refinement = learn::Refine(learned_.profile, cells);
  if (refinement.used_count > 0) learned_.profile = std::move(refinement.profile);
  learned_.used_count += refinement.used_count;
  learned_.largest_change = std::max(learned_.largest_change, refinement.median_change);
  return absl::OkStatus();
}

void MachineLearner::AwaitDrift(domain::Drift drift) {
  const auto place = std::upper_bound(
      to_follow_.begin(), to_follow_.end(), drift,
      [](const domain::Drift& a, const domain::Drift& b) { return a.first_id < b.first_id; });
  to_follow_.insert(place, std::move(drift));
}

absl::Status MachineLearner::AwaitStoredDrifts(
    const std::function<bool(const domain::Drift&)>& must_follow) {
  absl::StatusOr<std::vector<domain::Drift>> stored =
      shared_.store->ListDrifts(machine_, 0, kMostDriftsRead);
  if (!stored.ok()) return stored.status();
  for (domain::Drift& drift : *stored) {
    if (must_follow(drift)) AwaitDrift(std::move(drift));
  }
  return absl::OkStatus();
}

absl::Span<const store::ObservationRecord> MachineLearner::BeforeDrift(
    absl::Span<const store::ObservationRecord> observations) const {
  if (to_follow_.empty()) return observations;
  const auto end = std::find_if(observations.begin(), observations.end(), [this](const auto& row) {
    return row.id >= to_follow_.front().first_id;
  });
  return observations.first(static_cast<size_t>(end - observations.begin()));
}

void MachineLearner::FollowDrift() {
  const domain::Drift drift = std::move(to_follow_.front());
  to_follow_.erase(to_follow_.begin());
  learn::Widen(drift, &learned_.profile);
  learned_.through_id = drift.first_id - 1;
  must_publish_ = must_publish_ || !learned_.profile.parameters.empty();
  follows_drift_ = true;
  absl::StrAppend(
      &why_, why_.empty() ? "" : "; ",
      absl::StrFormat("drift: %s%s%stimes of %s are %.2f times what they were since "
                      "observation %d",
                      drift.scope.library, drift.scope.library.empty() ? "" : " ",
                      drift.scope.collective.empty() ? "" : drift.scope.collective + " ",
                      drift.scope.level == domain::Level::kNetwork ? "the network" : "the nodes",
                      std::exp(drift.log_factor), drift.first_id));
}

absl::Status MachineLearner::Relearn(const store::MachineRecord& machine, const std::string& why) {
  const absl::StatusOr<store::ProfileRecord> active = shared_.store->GetProfile(machine_, 0);
  if (!active.ok() && !absl::IsNotFound(active.status())) return active.status();
  const int64_t learned_through_id =
      std::max(learned_.through_id, active.ok() ? active->observations_through_id : 0);
  revision_ = -1;  // where this fails, the next step begins again
  StartAnew();
  const absl::StatusOr<std::optional<store::ProfileRecord>> stated =
      shared_.store->GetStatedProfile(machine_);
  if (!stated.ok()) return stated.status();
  if (stated->has_value()) {
    learned_.profile = ProfileOf(**stated);
    learned_.through_id = begin_through_id_ = (*stated)->observations_through_id;
    hold_ = learn::HoldBack(learned_.profile);
  }
  const int64_t stated_through_id = learned_.through_id;
  absl::Status awaited = AwaitStoredDrifts([stated_through_id](const domain::Drift& drift) {
    return drift.last_id > stated_through_id;
  });
  if (!awaited.ok()) return awaited;
  // What was found before stays as it is. Whoever looks again without the removed reports might
  // find the same drift some observations later, and record it twice.
  const int64_t watch_from_id = std::min(machine.relearn_from_id, learned_through_id + 1);
  drifts_ = std::make_unique<DriftWatch>(shared_.store, machine_, watch_from_id);
  absl::StatusOr<std::unique_ptr<GuardWatch>> guard =
      GuardWatch::Open(shared_.store, machine_, watch_from_id);
  if (!guard.ok()) return guard.status();
  guard_ = *std::move(guard);
  revision_ = active.ok() ? active->revision : 0;
  relearns_from_id_ = machine.relearn_from_id;
  must_publish_ = active.ok();
  why_ = why;
  return absl::OkStatus();
}

bool MachineLearner::IsDue() const {
  const auto since = Clock::now() - last_published_;
  return since >=
         shared_.refine_interval * (learned_.largest_change >= kNotableChange ? 1 : kPatience);
}

absl::StatusOr<bool> MachineLearner::PublishIfDue(bool now) {
  const bool is_due = has_unpublished() && (now || IsDue());
  if (!must_publish_ && !is_due) return false;
  // After a drift the stated profile guards nothing.
  const bool must_wait = !follows_drift_ && MustWait();
  if (must_wait && !must_publish_) return false;
  absl::Status published = must_wait ? PublishStated() : PublishLearned({});
  if (!published.ok()) return published;
  return true;
}

absl::Status MachineLearner::PublishStated() {
  absl::StatusOr<std::optional<store::ProfileRecord>> stated =
      shared_.store->GetStatedProfile(machine_);
  if (!stated.ok()) return stated.status();
  if (!stated->has_value()) return absl::OkStatus();  // deleted meanwhile
  absl::Status published = PublishRevision(
      {.profile = ProfileOf(**stated), .through_id = (*stated)->observations_through_id}, {});
  if (published.ok()) MustWait();  // what was learned is held back beside the new revision
  return published;
}

absl::Status MachineLearner::PublishLearned(const store::Actor& actor) {
  absl::Status published = PublishRevision(learned_, actor);
  if (!published.ok()) return published;
  learned_.used_count = 0;
  learned_.largest_change = 0;
  return published;
}

absl::Status MachineLearner::PublishRevision(const Learned& content, const store::Actor& actor) {
  store::ProfileRecord profile;
  profile.machine = machine_;
  profile.provenance = "refined";
  profile.observations_through_id = content.through_id;
  profile.parameters = content.profile.parameters;
  profile.refined_revision = revision_;
  profile.relearned_from_id = relearns_from_id_;
  profile.follows_drifts = to_follow_.empty();
  profile.note =
      absl::StrFormat("%s%s%s (ids up to %d) since revision %d; predictions moved by %.1f %%",
                      why_.empty() ? "" : why_ + "; ", store::kLearnedNote,
                      domain::Counted(content.used_count, "observation"), content.through_id,
                      revision_, 100 * content.largest_change);
  const absl::StatusOr<store::ProfileRecord> stored = shared_.store->AddProfile(profile, "", actor);
  if (!stored.ok()) return stored.status();
  Log(LogLevel::kInfo, "profile refined",
      {{"machine", machine_},
       {"revision", absl::StrCat(stored->revision)},
       {"observations", absl::StrCat(content.used_count)}});
  revision_ = stored->revision;
  begin_through_id_ = content.through_id;
  must_publish_ = false;
  why_.clear();
  relearns_from_id_ = 0;
  held_through_id_ = -1;
  ClearHeld();
  // After a drift the stated profile guards nothing.
  if (std::exchange(follows_drift_, false) && hold_.has_stated()) {
    hold_ = learn::HoldBack(content.profile);
  }
  last_published_ = Clock::now();
  return absl::OkStatus();
}

absl::Status MachineLearner::AnnounceWithdrawals(const store::ProfileRecord& active,
                                                 absl::Span<const domain::Withdrawal> withdrawals) {
  store::ProfileRecord profile = active;
  profile.refined_revision = active.revision;
  profile.follows_drifts = false;
  profile.provenance = "refined";
  profile.note = absl::StrCat("parameters of revision ", active.revision, "; withdrawn");
  for (const domain::Withdrawal& withdrawal : withdrawals) {
    const domain::Comparison& evidence = withdrawal.evidence;
    const domain::ComparedCalls& calls = evidence.calls;
    absl::StrAppendFormat(&profile.note,
                          "; %s %s of %s on %d x %d ranks with blocks of %d to %d bytes: %.2f "
                          "times the default's time "
                          "in %s with canaries by %s",
                          calls.collective, calls.algorithm, calls.library, calls.nodes, calls.ppn,
                          calls.min_block_bytes, calls.max_block_bytes,
                          std::exp(evidence.log_factor),
                          domain::Counted(evidence.pair_count, "comparison"),
                          domain::Counted(evidence.job_count, "job"));
  }
  const absl::StatusOr<store::ProfileRecord> stored = shared_.store->AddProfile(profile, "");
  if (!stored.ok()) return stored.status();
  revision_ = stored->revision;
  // At once: the same step may publish another revision.
  shared_.feed->Announce(*stored);
  return absl::OkStatus();
}

bool MachineLearner::MustWait() {
  if (held_through_id_ == learned_.through_id) return true;
  const learn::HoldBack::Verdict verdict = hold_.Judge(learned_.profile);
  held_through_id_ = verdict.is_held ? learned_.through_id : -1;
  if (!verdict.is_held) {
    ClearHeld();
    return false;
  }
  const bool is_new = shared_.held->Set(
      machine_, {revision_, learned_.used_count, verdict.factor, verdict.sources});
  if (is_new) {
    Log(LogLevel::kWarning, "a refined profile is held back",
        {{"machine", machine_},
         {"revision", absl::StrCat(revision_)},
         {"factor", absl::StrFormat("%.2f", verdict.factor)}});
  }
  return true;
}

void MachineLearner::ClearHeld() { shared_.held->Clear(machine_); }

absl::Status MachineLearner::Accept(const store::Actor& actor) {
  if (!shared_.held->Of(machine_)) {
    return absl::FailedPreconditionError(
        absl::StrCat("nothing is held back for machine \"", machine_, "\""));
  }
  why_ = "accepted";
  absl::Status published = PublishLearned(actor);
  // What an operator accepted is guarded from now on.
  if (published.ok()) hold_ = learn::HoldBack(learned_.profile);
  return published;
}

}  // namespace cox::daemon
