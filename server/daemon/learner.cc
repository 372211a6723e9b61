#include "daemon/learner.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "advise/machine_view.h"
#include "daemon/contradicted_times.h"
#include "daemon/convert_cells.h"
#include "daemon/current_cells.h"
#include "daemon/guard_watch.h"
#include "daemon/log.h"
#include "daemon/stored_profile.h"
#include "domain/drift.h"
#include "domain/principal_name.h"
#include "domain/profile.h"
#include "learn/refine/refine.h"

namespace cox::daemon {
namespace {

constexpr int64_t kObservationsPerStep = 20'000;
constexpr int64_t kMachinesPerPage = 500;
constexpr int64_t kMaxDrifts = 1'000;
// Batches that arrive together are learned together. Learning uses at most a tenth of a core: it
// rests nine times as long as it works. It does not rest while a caller awaits it.
constexpr int kRestPerWork = 9;
constexpr std::chrono::milliseconds kLeastRest{50};
constexpr std::chrono::milliseconds kMostRest{5'000};
// A revision that moves predictions by less than kNotableChange may wait for kPatience refine
// intervals.
constexpr double kNotableChange = 0.01;
constexpr int kPatience = 60;

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

}  // namespace

Learner::Learner(store::Store* store, Snapshots* snapshots, ProfileFeed* feed,
                 ScenarioBound* scenarios, double refine_interval_s)
    : store_(store),
      snapshots_(snapshots),
      feed_(feed),
      scenarios_(scenarios),
      refine_interval_(std::chrono::duration_cast<Clock::duration>(
          std::chrono::duration<double>(refine_interval_s))) {}

Learner::~Learner() { Stop(); }

void Learner::Stop() {
  store_->WhenChanged({});
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  std::vector<std::function<void()>> awaiting;
  {
    std::lock_guard lock(mutex_);
    awaiting.swap(awaiting_);
  }
  for (const auto& learned : awaiting) learned();
}

absl::Status Learner::Start() {
  // First: what another daemon changes while the machines are read must not be missed.
  store_->WhenChanged([this](const std::vector<std::string>& changed) { Notice(changed, {}); });
  std::string after;
  std::vector<View> views;
  while (true) {
    absl::StatusOr<std::vector<store::MachineRecord>> machines =
        store_->ListMachines(after, kMachinesPerPage);
    if (!machines.ok()) return machines.status();
    for (const store::MachineRecord& machine : *machines) {
      absl::StatusOr<View> view = BuildView(machine, Cells::kNone);
      if (!view.ok()) return view.status();
      views.push_back(*std::move(view));
      scenarios_->AwaitReading(machine.name);
      std::lock_guard lock(mutex_);
      dirty_.insert(machine.name);  // it may have observations that no revision includes
    }
    if (static_cast<int64_t>(machines->size()) < kMachinesPerPage) break;
    after = machines->back().name;
  }
  snapshots_->Publish(std::move(views));
  thread_ = std::thread([this] { Loop(); });
  return absl::OkStatus();
}

bool Learner::AwaitViews(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return loaded_.wait_until(lock, deadline, [this] { return views_are_loaded_; });
}

void Learner::LoadViews() {
  std::set<std::string> machines;
  {
    std::lock_guard lock(mutex_);
    machines = dirty_;
  }
  for (auto it = machines.begin(); it != machines.end() && !ending_;) {
    // Publishes many views together, but releases the mutex often enough for Refresh().
    const auto start = Clock::now();
    std::lock_guard learning(learn_mutex_);
    std::vector<View> views;
    for (; it != machines.end() && !ending_ && Clock::now() - start < kLeastRest; ++it) {
      const absl::StatusOr<store::MachineRecord> machine = store_->GetMachine(*it);
      if (absl::IsNotFound(machine.status())) continue;  // deleted meanwhile
      absl::StatusOr<View> view =
          machine.ok() ? BuildView(*machine, Cells::kStored) : machine.status();
      if (view.ok()) {
        views.push_back(*std::move(view));
      } else {
        Log(LogLevel::kError, "cannot read a machine's data",
            {{"machine", *it}, {"error", std::string(view.status().message())}});
      }
    }
    snapshots_->Publish(std::move(views));
  }
  {
    std::lock_guard lock(mutex_);
    views_are_loaded_ = true;
  }
  loaded_.notify_all();
}

absl::Status Learner::Refresh(const std::string& machine) {
  std::lock_guard learning(learn_mutex_);
  absl::Status shown = ShowStep(machine);
  // The change is stored, and no question follows.
  return ending_ && absl::IsCancelled(shown) ? absl::OkStatus() : shown;
}

void Learner::Notice(const std::vector<std::string>& machines, std::function<void()> learned) {
  {
    std::lock_guard lock(mutex_);
    if (!ending_) {
      dirty_.insert(machines.begin(), machines.end());
      if (learned) awaiting_.push_back(std::exchange(learned, {}));
    }
  }
  wake_.notify_one();
  if (learned) learned();
}

absl::StatusOr<store::Forgotten> Learner::Forget(const store::Reporter& reporter,
                                                 const std::string& why,
                                                 const store::Actor& actor) {
  std::lock_guard learning(learn_mutex_);
  absl::StatusOr<store::Forgotten> forgotten = store_->Forget(reporter, actor);
  if (!forgotten.ok()) return forgotten;
  absl::Status relearned;
  for (const store::Forgotten::Of& of : forgotten->machines) {
    absl::Status status = Relearn(of.machine, of.first_id, why);
    // A profile was written meanwhile: the next step begins with it. The reports are gone in any
    // case.
    if (absl::IsAborted(status)) {
      Notice({of.machine}, {});
      continue;
    }
    relearned.Update(std::move(status));
  }
  if (!relearned.ok()) return relearned;
  return forgotten;
}

absl::Status Learner::Relearn(const std::string& machine, int64_t first_id,
                              const std::string& why) {
  // Another daemon may have learned from what was removed.
  const absl::StatusOr<bool> learns = store_->MayLearn(machine, /*insist=*/true);
  if (!learns.ok()) return learns.status();
  Progress& progress = progress_[machine];
  progress.revision = -1;  // where this fails, the next step begins with the active one
  progress.working = {};
  progress.through_id = 0;
  progress.hold = {};
  progress.held_through_id = -1;
  ClearHeld(machine);
  const absl::StatusOr<std::optional<store::ProfileRecord>> stated =
      LastStatedProfile(*store_, machine);
  if (!stated.ok()) return stated.status();
  if (stated->has_value()) {
    progress.working = ProfileOf(**stated);
    progress.through_id = (*stated)->observations_through_id;
    progress.hold = learn::HoldBack(progress.working);
  }
  const absl::StatusOr<store::ProfileRecord> active = store_->GetProfile(machine, 0);
  if (active.ok()) {
    progress.revision = active->revision;
    progress.must_publish = true;
    progress.why = why;
  }
  progress.used_count = 0;
  progress.largest_change = 0;
  const int64_t watch_from_id = std::min(first_id, progress.through_id + 1);
  progress.drifts = std::make_unique<DriftWatch>(store_, machine, watch_from_id);
  absl::StatusOr<std::unique_ptr<GuardWatch>> guard =
      GuardWatch::Open(store_, machine, watch_from_id);
  if (!guard.ok()) return guard.status();
  progress.guard = *std::move(guard);
  const absl::StatusOr<store::MachineRecord> record = store_->GetMachine(machine);
  if (record.ok() && record->pinned_revision != 0 && progress.must_publish) {
    // A pinned machine does not learn now; later it starts from here.
    absl::Status published = PublishRevision(machine, &progress);
    if (!published.ok()) return published;
  }
  return ShowStep(machine);
}

absl::Status Learner::ShowStep(const std::string& machine) {
  const absl::StatusOr<bool> more = Step(machine, /*publish_now=*/false, /*stale=*/true);
  // A profile was written meanwhile. What led here is stored; the next step begins with that
  // profile.
  if (absl::IsAborted(more.status())) {
    Notice({machine}, {});
    return absl::OkStatus();
  }
  if (!more.ok() || !*more) return more.status();
  Notice({machine}, {});
  const absl::StatusOr<store::MachineRecord> record = store_->GetMachine(machine);
  return record.ok() ? RebuildView(*record) : record.status();
}

void Learner::Loop() {
  LoadViews();
  std::unique_lock lock(mutex_);
  while (!ending_) {
    // The timeout publishes refinements that came too soon after the last revision.
    wake_.wait_for(lock, std::max<Clock::duration>(refine_interval_, kLeastRest),
                   [this] { return ending_ || !dirty_.empty() || !awaiting_.empty(); });
    if (ending_) return;
    const std::set<std::string> noticed = std::exchange(dirty_, {});
    const std::vector<std::function<void()>> awaiting = std::exchange(awaiting_, {});
    lock.unlock();

    const auto start = Clock::now();
    std::set<std::string> unpublished;
    {
      std::lock_guard learning(learn_mutex_);
      for (const auto& [machine, progress] : progress_) {
        if (progress.used_count > 0 && !noticed.contains(machine)) unpublished.insert(machine);
      }
    }
    // Learn() returns at once when the daemon ends.
    for (const std::string& machine : noticed) Learn(machine, !awaiting.empty(), true);
    for (const std::string& machine : unpublished) Learn(machine, !awaiting.empty(), false);
    for (const auto& learned : awaiting) learned();
    RestAfter(Clock::now() - start);
    lock.lock();
  }
}

void Learner::Learn(const std::string& machine, bool publish_now, bool stale) {
  while (!ending_) {
    const auto start = Clock::now();
    absl::StatusOr<bool> more = false;
    {
      std::lock_guard learning(learn_mutex_);
      more = Step(machine, publish_now, stale);
    }
    // Aborted: another daemon or an operator was faster.
    const bool is_expected = absl::IsNotFound(more.status()) || absl::IsAborted(more.status());
    if (!more.ok() && !is_expected && !ending_) {
      Log(LogLevel::kError, "learning failed",
          {{"machine", machine}, {"error", std::string(more.status().message())}});
    }
    if (!more.ok() || !*more) return;
    if (!publish_now) RestAfter(Clock::now() - start);
  }
}

void Learner::RestAfter(Clock::duration busy) {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, std::clamp<Clock::duration>(kRestPerWork * busy, kLeastRest, kMostRest),
                 [this] { return ending_ || !awaiting_.empty(); });
}

absl::StatusOr<bool> Learner::Step(const std::string& name, bool publish_now, bool stale) {
  const absl::StatusOr<store::MachineRecord> machine = store_->GetMachine(name);
  if (absl::IsNotFound(machine.status())) {
    progress_.erase(name);
    ClearHeld(name);
    snapshots_->Remove(name);
    scenarios_->Remove(name);
    return false;
  }
  if (!machine.ok()) return machine.status();

  const absl::StatusOr<bool> learns = store_->MayLearn(name, /*insist=*/false);
  if (!learns.ok()) return learns.status();
  if (!*learns) {
    // Another daemon learns; this one shows what that one has published.
    progress_.erase(name);
    ClearHeld(name);
    if (absl::Status shown = stale ? RebuildView(*machine) : absl::OkStatus(); !shown.ok()) {
      return shown;
    }
    return false;
  }

  Progress& progress = progress_[name];
  bool more = false;
  if (machine->pinned_revision == 0) {
    const int64_t through_id = progress.through_id;
    const absl::StatusOr<bool> learned = LearnNew(*machine, &progress);
    if (!learned.ok()) return learned.status();
    more = *learned;
    stale |= progress.through_id != through_id;
    const bool is_due = progress.used_count > 0 && (publish_now || IsDue(progress));
    if (!more && (progress.must_publish || is_due)) {
      const absl::StatusOr<bool> published = PublishWhatMay(name, &progress);
      if (!published.ok()) return published.status();
      stale |= *published;
    }
  } else {
    ClearHeld(name);
  }
  if (!more && stale) {
    if (absl::Status rebuilt = RebuildView(*machine); !rebuilt.ok()) return rebuilt;
  }
  return more;
}

absl::StatusOr<bool> Learner::PublishWhatMay(const std::string& machine, Progress* progress) {
  // After a drift the stated profile guards nothing.
  const bool must_wait = !progress->follows_drift && MustWait(machine, progress);
  if (must_wait && !progress->must_publish) return false;
  absl::Status published =
      must_wait ? PublishStated(machine, progress) : PublishRevision(machine, progress);
  if (!published.ok()) return published;
  return true;
}

absl::Status Learner::PublishStated(const std::string& machine, Progress* progress) {
  absl::StatusOr<std::optional<store::ProfileRecord>> stated = LastStatedProfile(*store_, machine);
  if (!stated.ok()) return stated.status();
  if (!stated->has_value()) return absl::OkStatus();  // deleted meanwhile
  domain::Profile working = std::exchange(progress->working, ProfileOf(**stated));
  const int64_t through_id =
      std::exchange(progress->through_id, (*stated)->observations_through_id);
  const int64_t used_count = std::exchange(progress->used_count, 0);
  const double largest_change = std::exchange(progress->largest_change, 0);
  absl::Status published = PublishRevision(machine, progress);
  progress->working = std::move(working);
  progress->through_id = through_id;
  progress->used_count = used_count;
  progress->largest_change = largest_change;
  if (published.ok()) MustWait(machine, progress);  // it is held back beside the new revision
  return published;
}

bool Learner::IsDue(const Progress& progress) const {
  const auto since = Clock::now() - progress.last_published;
  return since >= refine_interval_ * (progress.largest_change >= kNotableChange ? 1 : kPatience);
}

absl::StatusOr<bool> Learner::LearnNew(const store::MachineRecord& machine, Progress* progress) {
  const absl::StatusOr<store::ProfileRecord> active = store_->GetProfile(machine.name, 0);
  if (!active.ok() && !absl::IsNotFound(active.status())) return active.status();
  const int64_t revision = active.ok() ? active->revision : 0;
  if (revision != progress->revision) {
    // A new profile was set: refinements of the old one do not apply to it.
    progress->revision = revision;
    progress->working = active.ok() ? ProfileOf(*active) : domain::Profile();
    progress->through_id = active.ok() ? active->observations_through_id : 0;
    progress->used_count = 0;
    progress->largest_change = 0;
    progress->held_through_id = -1;
    ClearHeld(machine.name);
    progress->hold = {};
    if (active.ok()) {
      absl::StatusOr<learn::HoldBack> hold = GuardOf(*active);
      if (!hold.ok()) return hold.status();
      progress->hold = *std::move(hold);
    }
  }
  progress->working.shape = ShapeOf(machine);
  const absl::StatusOr<std::vector<store::ObservationRecord>> fresh =
      store_->ListObservations({.machine = machine.name, .job = {}, .source = {}},
                               progress->through_id, kObservationsPerStep);
  if (!fresh.ok()) return fresh.status();
  if (progress->drifts == nullptr) {
    if (fresh->empty()) return false;
    progress->drifts = std::make_unique<DriftWatch>(store_, machine.name, progress->through_id + 1);
  }
  if (progress->guard == nullptr) {
    absl::StatusOr<std::unique_ptr<GuardWatch>> guard =
        GuardWatch::Open(store_, machine.name, progress->through_id + 1);
    if (!guard.ok()) return guard.status();
    progress->guard = *std::move(guard);
  }
  // After an error the detector has lost the drift, so a new detector reads the observations again.
  const auto watch_anew = [&](absl::Status why) {
    progress->drifts =
        std::make_unique<DriftWatch>(store_, machine.name, progress->drifts->first_id());
    return why;
  };
  const absl::StatusOr<bool> caught_up =
      progress->drifts->CatchUp(progress->through_id, kObservationsPerStep);
  if (!caught_up.ok()) return watch_anew(caught_up.status());
  if (!*caught_up) return true;
  const absl::StatusOr<bool> guarded =
      progress->guard->CatchUp(progress->through_id, kObservationsPerStep);
  if (!guarded.ok()) return guarded.status();
  if (!*guarded) return true;
  if (fresh->empty()) return false;
  std::optional<domain::Drift> drift;
  std::vector<domain::Withdrawal> withdrawals;
  for (auto it = fresh->begin(); it != fresh->end() && !drift; ++it) {
    if (ending_) return watch_anew(absl::CancelledError("the daemon is ending"));
    absl::StatusOr<std::optional<domain::Drift>> noticed = progress->drifts->Observe(*it);
    if (!noticed.ok()) return watch_anew(noticed.status());
    drift = *std::move(noticed);
    absl::StatusOr<std::vector<domain::Withdrawal>> slower =
        progress->guard->Observe(*it, revision);
    if (!slower.ok()) {
      progress->guard = nullptr;  // the next one reads the evidence again
      return watch_anew(slower.status());
    }
    withdrawals.insert(withdrawals.end(), slower->begin(), slower->end());
  }
  if (!withdrawals.empty() && active.ok()) {
    absl::Status announced = AnnounceWithdrawals(*active, withdrawals, progress);
    if (!announced.ok()) return announced;
  }
  const auto end =
      !drift ? fresh->end() : std::find_if(fresh->begin(), fresh->end(), [&](const auto& row) {
        return row.id >= drift->first_id;
      });
  absl::Status refined = RefineBy(
      machine.name, absl::MakeConstSpan(*fresh).first(static_cast<size_t>(end - fresh->begin())),
      progress);
  if (!refined.ok()) return refined;
  if (drift) {
    // The evidence was about another machine.
    progress->guard = std::make_unique<GuardWatch>(store_, machine.name, drift->last_id);
    FollowDrift(*drift, progress);
    return true;
  }
  progress->through_id = fresh->back().id;
  return static_cast<int64_t>(fresh->size()) == kObservationsPerStep;
}

absl::Status Learner::RefineBy(const std::string& machine,
                               absl::Span<const store::ObservationRecord> observations,
                               Progress* progress) {
  if (observations.empty()) return absl::OkStatus();
  const absl::StatusOr<std::vector<store::CellRecord>> records = ReadCells(machine);
  if (!records.ok()) return records.status();
  const ContradictedTimes contradicted(*records);
  std::vector<learn::Cell> cells;
  cells.reserve(observations.size());
  for (const store::ObservationRecord& observation : observations) {
    if (contradicted.Contain(observation)) continue;
    cells.push_back(ToCell(observation));
    progress->hold.Add(cells.back(), SourceOf(observation), JobOf(observation));
  }
  learn::Refinement refinement = learn::Refine(progress->working, cells);
  if (refinement.used_count > 0) progress->working = std::move(refinement.profile);
  progress->used_count += refinement.used_count;
  progress->largest_change = std::max(progress->largest_change, refinement.median_change);
  return absl::OkStatus();
}

void Learner::FollowDrift(const domain::Drift& drift, Progress* progress) {
  learn::Widen(drift, &progress->working);
  progress->through_id = drift.first_id - 1;
  progress->must_publish = progress->must_publish || !progress->working.parameters.empty();
  progress->follows_drift = true;
  absl::StrAppend(
      &progress->why, progress->why.empty() ? "" : "; ",
      absl::StrFormat("drift: %s%s%stimes of %s are %.2f times what they were since "
                      "observation %d",
                      drift.scope.library, drift.scope.library.empty() ? "" : " ",
                      drift.scope.collective.empty() ? "" : drift.scope.collective + " ",
                      drift.scope.level == domain::Level::kNetwork ? "the network" : "the nodes",
                      std::exp(drift.log_factor), drift.first_id));
}

absl::Status Learner::PublishRevision(const std::string& machine, Progress* progress,
                                      const store::Actor& actor) {
  store::ProfileRecord profile;
  profile.machine = machine;
  profile.provenance = "refined";
  profile.observations_through_id = progress->through_id;
  profile.parameters = progress->working.parameters;
  profile.refined_revision = progress->revision;
  profile.note = absl::StrFormat(
      "%slearned from %d observations (ids up to %d) since revision %d; predictions moved by %.1f "
      "%%",
      progress->why.empty() ? "" : progress->why + "; ", progress->used_count, progress->through_id,
      progress->revision, 100 * progress->largest_change);
  const absl::StatusOr<store::ProfileRecord> stored = store_->AddProfile(profile, "", actor);
  if (!stored.ok()) return stored.status();
  Log(LogLevel::kInfo, "profile refined",
      {{"machine", machine},
       {"revision", absl::StrCat(stored->revision)},
       {"observations", absl::StrCat(progress->used_count)}});
  progress->revision = stored->revision;
  progress->used_count = 0;
  progress->largest_change = 0;
  progress->must_publish = false;
  progress->why.clear();
  progress->held_through_id = -1;
  ClearHeld(machine);
  // After a drift the stated profile guards nothing.
  if (std::exchange(progress->follows_drift, false) && progress->hold.has_stated()) {
    progress->hold = learn::HoldBack(progress->working);
  }
  progress->last_published = Clock::now();
  return absl::OkStatus();
}

absl::Status Learner::AnnounceWithdrawals(const store::ProfileRecord& active,
                                          absl::Span<const domain::Withdrawal> withdrawals,
                                          Progress* progress) {
  store::ProfileRecord profile = active;
  profile.refined_revision = active.revision;
  profile.provenance = "refined";
  profile.note = absl::StrCat("parameters of revision ", active.revision, "; withdrawn");
  for (const domain::Withdrawal& withdrawal : withdrawals) {
    const domain::Comparison& evidence = withdrawal.evidence;
    const domain::ComparedCalls& calls = evidence.calls;
    absl::StrAppendFormat(&profile.note,
                          "; %s %s of %s on %d x %d ranks with blocks of %d to %d bytes: %.2f "
                          "times the default's time "
                          "in %d comparisons with canaries by %d jobs",
                          calls.collective, calls.algorithm, calls.library, calls.nodes, calls.ppn,
                          calls.min_block_bytes, calls.max_block_bytes,
                          std::exp(evidence.log_factor), evidence.pair_count, evidence.job_count);
  }
  const absl::StatusOr<store::ProfileRecord> stored = store_->AddProfile(profile, "");
  if (!stored.ok()) return stored.status();
  progress->revision = stored->revision;
  // At once: the same step may publish another revision.
  feed_->Announce(*stored);
  return absl::OkStatus();
}

absl::StatusOr<learn::HoldBack> Learner::GuardOf(const store::ProfileRecord& active) const {
  const absl::StatusOr<std::optional<store::ProfileRecord>> stated =
      LastStatedProfile(*store_, active.machine);
  if (!stated.ok()) return stated.status();
  // After a start the active profile may be a refinement that nobody objected to.
  return stated->has_value() ? learn::HoldBack(ProfileOf(active)) : learn::HoldBack();
}

bool Learner::MustWait(const std::string& machine, Progress* progress) {
  if (progress->held_through_id == progress->through_id) return true;
  const learn::HoldBack::Verdict verdict = progress->hold.Judge(progress->working);
  progress->held_through_id = verdict.is_held ? progress->through_id : -1;
  if (!verdict.is_held) {
    ClearHeld(machine);
    return false;
  }
  bool is_new = false;
  {
    std::lock_guard lock(mutex_);
    is_new = held_
                 .insert_or_assign(machine, Held{progress->revision, progress->used_count,
                                                 verdict.factor, verdict.sources})
                 .second;
  }
  if (is_new) {
    Log(LogLevel::kWarning, "a refined profile is held back",
        {{"machine", machine},
         {"revision", absl::StrCat(progress->revision)},
         {"factor", absl::StrFormat("%.2f", verdict.factor)}});
  }
  return true;
}

void Learner::ClearHeld(const std::string& machine) {
  std::lock_guard lock(mutex_);
  held_.erase(machine);
}

std::optional<Learner::Held> Learner::HeldOf(const std::string& machine) {
  std::lock_guard lock(mutex_);
  const auto held = held_.find(machine);
  return held == held_.end() ? std::nullopt : std::optional<Held>(held->second);
}

int64_t Learner::NeedsAfter(const std::string& machine) {
  std::lock_guard learning(learn_mutex_);
  const absl::StatusOr<store::MachineRecord> record = store_->GetMachine(machine);
  if (!record.ok()) return 0;
  const auto progress = progress_.find(machine);
  int64_t read_through_id = progress == progress_.end() ? 0 : progress->second.through_id;
  if (record->pinned_revision != 0) {
    // It does not learn now.
    read_through_id = store_->LastObservationId().value_or(0);
  }
  return std::max<int64_t>(0, read_through_id - kMemoryIds);
}

absl::StatusOr<store::ProfileRecord> Learner::Accept(const std::string& machine,
                                                     const store::Actor& actor) {
  std::lock_guard learning(learn_mutex_);
  const absl::StatusOr<store::MachineRecord> record = store_->GetMachine(machine);
  if (!record.ok()) return record.status();
  const auto progress = progress_.find(machine);
  if (progress == progress_.end() || !HeldOf(machine)) {
    return absl::FailedPreconditionError(
        absl::StrCat("nothing is held back for machine \"", machine, "\""));
  }
  progress->second.why = "accepted";
  if (absl::Status published = PublishRevision(machine, &progress->second, actor);
      !published.ok()) {
    return published;
  }
  // What an operator accepted is guarded from now on.
  progress->second.hold = learn::HoldBack(progress->second.working);
  if (absl::Status rebuilt = RebuildView(*record); !rebuilt.ok()) return rebuilt;
  return store_->GetProfile(machine, progress->second.revision);
}

absl::Status Learner::RebuildView(const store::MachineRecord& machine) {
  absl::StatusOr<View> view = BuildView(machine, Cells::kStored);
  if (!view.ok()) return view.status();
  const std::shared_ptr<const Snapshot> before = snapshots_->Load();
  const auto old = before->find(machine.name);
  const int64_t old_revision = old == before->end() ? 0 : old->second->revision;
  const int64_t revision = (*view)->revision;
  snapshots_->Publish({*std::move(view)});
  if (revision == 0 || revision == old_revision) return absl::OkStatus();
  const absl::StatusOr<store::ProfileRecord> profile = store_->GetProfile(machine.name, revision);
  if (!profile.ok()) return profile.status();
  feed_->Announce(*profile);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<store::CellRecord>> Learner::ReadCells(const std::string& machine) {
  const int64_t limit = scenarios_->most_cells();
  absl::StatusOr<std::vector<store::CellRecord>> records = store_->ListCells(machine, limit, {});
  if (!records.ok()) return records;
  if (static_cast<int64_t>(records->size()) < limit) {
    too_large_.erase(machine);
  } else if (too_large_.insert(machine).second) {
    Log(LogLevel::kWarning, "learning leaves out the newest scenarios: the machine has too many",
        {{"machine", machine}, {"cells", absl::StrCat(limit)}});
  }
  return records;
}

absl::StatusOr<Learner::View> Learner::BuildView(const store::MachineRecord& machine, Cells which) {
  const absl::StatusOr<store::ProfileRecord> active = store_->GetProfile(machine.name, 0);
  if (!active.ok() && !absl::IsNotFound(active.status())) return active.status();
  std::vector<learn::Cell> cells;
  if (which == Cells::kStored) {
    scenarios_->BeginReading(machine.name);
    const absl::StatusOr<std::vector<store::CellRecord>> records = ReadCells(machine.name);
    if (!records.ok()) return records.status();
    scenarios_->EndReading(machine.name, *records);
    const absl::StatusOr<std::vector<domain::Drift>> drifts =
        store_->ListDrifts(machine.name, 0, kMaxDrifts);
    if (!drifts.ok()) return drifts.status();
    cells = CurrentCells(*records, *drifts);
  }
  advise::GuardFacts guard;
  absl::StatusOr<Withdrawals> withdrawals = ReadWithdrawals(*store_, machine.name);
  if (!withdrawals.ok()) return withdrawals.status();
  guard.withdrawals = std::move(withdrawals->in_force);
  const auto progress = progress_.find(machine.name);
  if (progress != progress_.end() && progress->second.guard != nullptr) {
    guard.comparisons = progress->second.guard->Comparisons();
  }
  domain::Profile profile = active.ok() ? ProfileOf(*active) : domain::Profile();
  profile.shape = ShapeOf(machine);
  return advise::BuildMachineView(machine.name, machine.nodes, machine.cores_per_node,
                                  active.ok() ? active->revision : 0, std::move(profile), cells,
                                  std::move(guard));
}

}  // namespace cox::daemon
