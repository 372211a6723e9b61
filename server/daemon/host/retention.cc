#include "daemon/host/retention.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "daemon/host/clock_watch.h"
#include "daemon/log.h"
#include "daemon/wall_clock.h"
#include "domain/sharing/name_thread.h"

namespace cox::daemon {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr microseconds kLongestInterval = std::chrono::hours(1);
constexpr microseconds kShortestInterval = std::chrono::seconds(1);
// Of the age, between two looks.
constexpr double kIntervalShare = 0.1;
// A step keeps the writer busy; the pause after it is as much longer, for the writes of others.
constexpr int kRestPerDeletion = 2;
constexpr int64_t kMachinesListed = 500;
// Steps of a run that find no old row, each of 20,000 rows: so a machine of any size takes about a
// second of a run.
constexpr int kMostLooks = 100;
constexpr double kDay_s = 86'400;
constexpr int64_t kAllRevisions_us = store::OldRevisions::kKeptEvery_us;  // are kept for so long

// Goes on while the host is suspended.
int64_t SteadyMicros() {
  timespec time = {};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return int64_t{time.tv_sec} * 1'000'000 + time.tv_nsec / 1'000;
}

microseconds IntervalOf(const Retention::Options& options) {
  if (options.age_s <= 0) return kLongestInterval;
  const microseconds share(static_cast<int64_t>(options.age_s * kIntervalShare * 1e6));
  return std::clamp(share, kShortestInterval, kLongestInterval);
}

}  // namespace

Retention::Retention(store::Store* store, const Options& options, NeededRowsOf needed_rows)
    : store_(store), options_(options), needed_rows_(std::move(needed_rows)) {
  thread_ = std::thread([this] { Loop(); });
}

Retention::~Retention() { Stop(); }

void Retention::Stop() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool Retention::Rest(microseconds time) {
  std::unique_lock lock(mutex_);
  return !wake_.wait_for(lock, time, [this] { return ending_.load(); });
}

void Retention::Loop() {
  domain::NameThisThread("retention");
  ClockWatch clock(NowMicros(), SteadyMicros());
  while (Rest(IntervalOf(options_))) {
    // By a wrong clock all history may be old.
    if (clock.WasSetAhead(NowMicros(), SteadyMicros())) {
      Log(LogLevel::kWarning, "the clock was set ahead: old history stays until the next look");
      continue;
    }
    const auto start = Clock::now();
    const absl::StatusOr<int64_t> count = RunOnce();
    const absl::StatusOr<int64_t> jobs = MergeJobs();
    const absl::StatusOr<int64_t> revisions = RemoveRevisions();
    for (const absl::Status& status : {count.status(), jobs.status(), revisions.status()}) {
      if (status.ok() || ending_) continue;
      Log(LogLevel::kError, "old history stays", {{"error", std::string(status.message())}});
    }
    if (count.value_or(0) + jobs.value_or(0) + revisions.value_or(0) == 0) continue;
    // Fails for the file of an older coxd, which uses its free pages again.
    const absl::StatusOr<int64_t> pages = store_->Compact([this] { return ending_.load(); });
    const std::chrono::duration<double> busy = Clock::now() - start;
    Log(LogLevel::kInfo, "cleaned up old history",
        {{"observations", absl::StrCat(count.value_or(0))},
         {"jobs", absl::StrCat(jobs.value_or(0))},
         {"revisions", absl::StrCat(revisions.value_or(0))},
         {"freed_pages", absl::StrCat(pages.value_or(0))},
         {"seconds", absl::StrCat(busy.count())}});
  }
}

absl::Status Retention::InSteps(const std::function<absl::StatusOr<bool>()>& step) {
  while (true) {
    const auto start = Clock::now();
    const absl::StatusOr<bool> has_more = step();
    if (!has_more.ok()) return has_more.status();
    if (!*has_more) return absl::OkStatus();
    const auto work = std::chrono::duration_cast<microseconds>(Clock::now() - start);
    if (!Rest(kRestPerDeletion * work)) return absl::CancelledError("the daemon is ending");
  }
}

absl::StatusOr<int64_t> Retention::RunOnce() {
  const std::lock_guard lock(run_mutex_);
  sums_are_many_ = false;
  return ForEachMachine([this](const std::string& machine) { return SumUp(machine); });
}

absl::StatusOr<int64_t> Retention::RemoveRevisions() {
  return ForEachMachine([this](const std::string& machine) { return RemoveRevisionsOf(machine); });
}

absl::StatusOr<int64_t> Retention::ForEachMachine(
    const std::function<absl::StatusOr<int64_t>(const std::string& machine)>& clean) {
  int64_t count = 0;
  std::string after;
  while (true) {
    const absl::StatusOr<std::vector<store::MachineRecord>> machines =
        store_->ListMachines(after, kMachinesListed);
    if (!machines.ok()) return machines.status();
    for (const store::MachineRecord& machine : *machines) {
      const absl::StatusOr<int64_t> cleaned = clean(machine.name);
      // Deleted meanwhile, or another daemon learns for it and knows what is old.
      if (absl::IsNotFound(cleaned.status()) || absl::IsAborted(cleaned.status())) continue;
      if (absl::IsCancelled(cleaned.status())) return cleaned.status();
      if (!cleaned.ok()) {
        // The others do not wait for it.
        Log(LogLevel::kError, "old history of a machine stays",
            {{"machine", machine.name}, {"error", std::string(cleaned.status().message())}});
      }
      count += cleaned.value_or(0);
    }
    if (static_cast<int64_t>(machines->size()) < kMachinesListed) return count;
    after = machines->back().name;
  }
}

absl::StatusOr<int64_t> Retention::SumUp(const std::string& machine) {
  const NeededRows needed = needed_rows_(machine);
  int64_t count = 0;
  if (options_.age_s > 0) {
    absl::StatusOr<int64_t> by_age =
        SumUpRows(machine, {.before_us = NowMicros() - static_cast<int64_t>(options_.age_s * 1e6),
                            .through_id = needed.after_id});
    if (!by_age.ok()) return by_age;
    count += *by_age;
  }
  if (options_.machine_bytes > 0) {
    const absl::StatusOr<int64_t> sums = store_->CountOldSums(machine);
    if (!sums.ok()) return sums.status();
    const int64_t sum_bytes = *sums * kSumBytes;
    if (sum_bytes > options_.machine_bytes / 2) sums_are_many_ = true;
    absl::StatusOr<int64_t> by_size = SumUpRows(
        machine,
        {.most_rows = std::max<int64_t>(1, (options_.machine_bytes - sum_bytes) / kRowBytes),
         .through_id = needed.unread_after_id});
    if (!by_size.ok()) return by_size;
    count += *by_size;
  }
  return count;
}

absl::StatusOr<int64_t> Retention::SumUpRows(const std::string& machine, store::OldRows old) {
  const bool is_by_age = old.before_us > 0;
  int64_t looked_through_id = is_by_age ? std::exchange(looked_through_ids_[machine], 0) : 0;
  int looks = 0;
  int64_t count = 0;
  absl::Status done = InSteps([&]() -> absl::StatusOr<bool> {
    const absl::StatusOr<store::SummedUp> step = store_->SumUpOld(machine, old);
    if (!step.ok()) return step.status();
    count += step->observation_count;
    // Rows beyond the size are the first ones.
    if (!is_by_age) return step->has_more && step->observation_count > 0;
    old.after_id = step->through_id;
    if (!step->has_more) return false;
    if (step->observation_count > 0) return true;
    // The first rows are young, as is usual. Old ones may come later: a clock was ahead, or an
    // archive was imported after recent rows.
    old.after_id = std::max(old.after_id, std::exchange(looked_through_id, 0));
    if (++looks < kMostLooks) return true;
    looked_through_ids_[machine] = old.after_id;
    return false;
  });
  if (!done.ok()) return done;
  return count;
}

absl::StatusOr<int64_t> Retention::RemoveRevisionsOf(const std::string& machine) {
  const int64_t now_us = NowMicros();
  store::OldRevisions old = {.thin_before_us = now_us - kAllRevisions_us, .remove_before_us = 0};
  if (options_.age_s > 0) {
    old.remove_before_us =
        std::min(old.thin_before_us, now_us - static_cast<int64_t>(options_.age_s * 1e6));
  }
  int64_t count = 0;
  absl::Status done = InSteps([&]() -> absl::StatusOr<bool> {
    const absl::StatusOr<int64_t> removed = store_->RemoveOldRevisions(machine, old);
    if (!removed.ok()) return removed.status();
    count += *removed;
    return *removed > 0;
  });
  if (!done.ok()) return done;
  return count;
}

absl::StatusOr<int64_t> Retention::MergeJobs() {
  double age_s = options_.job_age_s;
  if (sums_are_many_ && (age_s == 0 || age_s > kLeastJobAge_s)) age_s = kLeastJobAge_s;
  if (age_s == 0) return 0;
  store::OldJobs old = {.age_days = static_cast<int64_t>(std::ceil(age_s / kDay_s))};
  int64_t count = 0;
  absl::Status done = InSteps([&]() -> absl::StatusOr<bool> {
    const absl::StatusOr<store::MergedJobs> step = store_->MergeOldJobs(old);
    if (!step.ok()) return step.status();
    count += step->job_count;
    old.after_batch_id = step->through_batch_id;
    return step->has_more;
  });
  if (!done.ok()) return done;
  return count;
}

}  // namespace cox::daemon
