#include "daemon/learning/learner.h"

#include <algorithm>
#include <utility>

#include "daemon/log.h"
#include "domain/sharing/name_thread.h"

namespace cox::daemon {
namespace {

constexpr int64_t kMachinesPerPage = 500;
// Batches that arrive together are learned together. Learning uses at most a tenth of a core: it
// rests nine times as long as it works. It does not rest while a caller is urgent.
constexpr int kRestPerWork = 9;
constexpr std::chrono::milliseconds kLeastRest{50};
constexpr std::chrono::milliseconds kMostRest{5'000};

}  // namespace

Learner::Learner(store::Store* store, Snapshots* snapshots, ProfileFeed* feed,
                 ScenarioBound* scenarios, double refine_interval_s)
    : store_(store),
      snapshots_(snapshots),
      scenarios_(scenarios),
      refine_interval_(std::chrono::duration_cast<Clock::duration>(
          std::chrono::duration<double>(refine_interval_s))),
      views_(store, snapshots, feed, scenarios),
      shared_{store, feed, &views_, &held_, refine_interval_, &ending_} {}

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
  std::vector<ViewBuilder::View> views;
  while (true) {
    absl::StatusOr<std::vector<store::MachineRecord>> machines =
        store_->ListMachines(after, kMachinesPerPage);
    if (!machines.ok()) return machines.status();
    for (const store::MachineRecord& machine : *machines) {
      absl::StatusOr<ViewBuilder::View> view = views_.OfProfile(machine);
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
    std::vector<ViewBuilder::View> views;
    for (; it != machines.end() && !ending_ && Clock::now() - start < kLeastRest; ++it) {
      const absl::StatusOr<store::MachineRecord> machine = store_->GetMachine(*it);
      if (absl::IsNotFound(machine.status())) continue;  // deleted meanwhile
      absl::StatusOr<ViewBuilder::View> view =
          machine.ok() ? views_.OfCells(*machine, ComparisonsOf(*it)) : machine.status();
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

void Learner::Notice(const std::vector<std::string>& machines, std::function<void()> learned,
                     Pace pace) {
  {
    std::lock_guard lock(mutex_);
    if (!ending_) {
      dirty_.insert(machines.begin(), machines.end());
      is_urgent_ |= pace == Pace::kUrgent;
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
    absl::Status status = Relearn(of.machine, why);
    if (status.ok()) continue;
    // The store knows from where to learn again: the next step does.
    Notice({of.machine}, {});
    // A profile was written meanwhile. The reports are gone in any case.
    if (!absl::IsAborted(status)) relearned.Update(std::move(status));
  }
  if (!relearned.ok()) return relearned;
  return forgotten;
}

absl::Status Learner::Relearn(const std::string& machine, const std::string& why) {
  // Another daemon may have learned from what was removed.
  const absl::StatusOr<bool> learns = store_->MayLearn(machine, /*insist=*/true);
  if (!learns.ok()) return learns.status();
  const absl::StatusOr<store::MachineRecord> record = store_->GetMachine(machine);
  if (!record.ok()) return record.status();
  absl::Status begun = LearnerOf(machine).Relearn(*record, why);
  return begun.ok() ? ShowStep(machine) : begun;
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
  domain::NameThisThread("learner");
  LoadViews();
  std::unique_lock lock(mutex_);
  while (!ending_) {
    // The timeout publishes refinements that came too soon after the last revision.
    wake_.wait_for(lock, std::max<Clock::duration>(refine_interval_, kLeastRest),
                   [this] { return ending_ || !dirty_.empty() || !awaiting_.empty(); });
    if (ending_) return;
    const std::set<std::string> noticed = std::exchange(dirty_, {});
    const std::vector<std::function<void()>> awaiting = std::exchange(awaiting_, {});
    const bool is_urgent = std::exchange(is_urgent_, false);
    lock.unlock();

    const auto start = Clock::now();
    std::set<std::string> unpublished;
    {
      std::lock_guard learning(learn_mutex_);
      for (const auto& [name, machine] : machines_) {
        if (machine.has_unpublished() && !noticed.contains(name)) unpublished.insert(name);
      }
    }
    // Learn() returns at once when the daemon ends.
    std::set<std::string> failed;
    for (const std::string& machine : noticed) {
      if (!Learn(machine, is_urgent, true)) failed.insert(machine);
    }
    for (const std::string& machine : unpublished) Learn(machine, is_urgent, false);
    for (const auto& learned : awaiting) learned();
    RestAfter(failed.empty() ? Clock::now() - start : kMostRest);
    lock.lock();
    dirty_.merge(failed);
  }
}

bool Learner::Learn(const std::string& machine, bool publish_now, bool stale) {
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
      return false;
    }
    if (!more.ok() || !*more) return true;
    if (!publish_now) RestAfter(Clock::now() - start);
  }
  return true;
}

void Learner::RestAfter(Clock::duration busy) {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, std::clamp<Clock::duration>(kRestPerWork * busy, kLeastRest, kMostRest),
                 [this] { return ending_ || is_urgent_; });
}

absl::StatusOr<bool> Learner::Step(const std::string& name, bool publish_now, bool stale) {
  const absl::StatusOr<store::MachineRecord> machine = store_->GetMachine(name);
  if (absl::IsNotFound(machine.status())) {
    Drop(name);
    snapshots_->Remove(name);
    scenarios_->Remove(name);
    return false;
  }
  if (!machine.ok()) return machine.status();

  const absl::StatusOr<bool> learns = store_->MayLearn(name, /*insist=*/false);
  if (!learns.ok()) return learns.status();
  if (!*learns) {
    // Another daemon learns; this one shows what that one has published.
    Drop(name);
    if (absl::Status shown = stale ? RebuildView(*machine) : absl::OkStatus(); !shown.ok()) {
      return shown;
    }
    return false;
  }

  bool more = false;
  if (machine->pinned_revision == 0) {
    MachineLearner& learner = LearnerOf(name);
    const int64_t through_id = learner.through_id();
    const absl::StatusOr<bool> learned = learner.LearnNew(*machine);
    if (!learned.ok()) return learned.status();
    more = *learned;
    stale |= learner.through_id() != through_id;
    if (!more) {
      const absl::StatusOr<bool> published = learner.PublishIfDue(publish_now);
      if (!published.ok()) return published.status();
      stale |= *published;
    }
  } else {
    held_.Clear(name);
    const absl::StatusOr<bool> compared = LearnerOf(name).CompareNew();
    if (!compared.ok()) return compared.status();
    more = *compared;
  }
  if (!more && stale) {
    if (absl::Status rebuilt = RebuildView(*machine); !rebuilt.ok()) return rebuilt;
  }
  return more;
}

NeededRows Learner::NeedsAfter(const std::string& machine) {
  std::lock_guard learning(learn_mutex_);
  const absl::StatusOr<store::MachineRecord> record = store_->GetMachine(machine);
  if (!record.ok()) return {};
  const auto learner = machines_.find(machine);
  int64_t through_id = 0;
  int64_t read_through_id = 0;
  if (record->pinned_revision != 0) {
    // It does not learn now.
    through_id = read_through_id = store_->LastObservationId().value_or(0);
  } else if (learner != machines_.end()) {
    through_id = learner->second.contained_through_id();
    read_through_id = learner->second.through_id();
  }
  return {.after_id = std::max<int64_t>(0, through_id - kMemoryIds),
          .unread_after_id = std::max<int64_t>(0, read_through_id - kMemoryIds)};
}

absl::StatusOr<store::ProfileRecord> Learner::Accept(const std::string& machine,
                                                     const store::Actor& actor) {
  std::lock_guard learning(learn_mutex_);
  const absl::StatusOr<store::MachineRecord> record = store_->GetMachine(machine);
  if (!record.ok()) return record.status();
  MachineLearner& learner = LearnerOf(machine);
  if (absl::Status published = learner.Accept(actor); !published.ok()) return published;
  if (absl::Status rebuilt = RebuildView(*record); !rebuilt.ok()) return rebuilt;
  return store_->GetProfile(machine, learner.revision());
}

MachineLearner& Learner::LearnerOf(const std::string& machine) {
  return machines_.try_emplace(machine, &shared_, machine).first->second;
}

absl::Status Learner::RebuildView(const store::MachineRecord& machine) {
  return views_.Rebuild(machine, ComparisonsOf(machine.name));
}

std::vector<domain::Comparison> Learner::ComparisonsOf(const std::string& machine) const {
  const auto learner = machines_.find(machine);
  return learner == machines_.end() ? std::vector<domain::Comparison>()
                                    : learner->second.Comparisons();
}

void Learner::Drop(const std::string& machine) {
  machines_.erase(machine);
  held_.Clear(machine);
}

}  // namespace cox::daemon
