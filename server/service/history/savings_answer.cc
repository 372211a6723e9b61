#include "service/history/savings_answer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "daemon/learning/guard_watch.h"
#include "domain/canary_arm.h"
#include "domain/cell_key.h"
#include "domain/errors.h"
#include "domain/withdrawal.h"
#include "learn/structure.h"
#include "learn/worth/savings.h"
#include "service/convert/checks.h"
#include "service/convert/timestamp.h"
#include "service/history/applications.h"
#include "service/names.h"

namespace cox::service {
namespace {

constexpr int64_t kMostObservations = 200'000;
// Rows that are read for them: those of other collectives are passed over.
constexpr int64_t kMostScanned = 1'000'000;
constexpr int64_t kPage = 10'000;
constexpr size_t kMostRows = 10'000;
constexpr double kLeastSavingsBucketS = 60;
// Reports are stored about in the order of their times: after so many successive observations from
// before the period, none within it is expected. But one reporter may import an archive, or lie:
// its old times say nothing about those of others.
constexpr int64_t kEnoughOlder = 20'000;

// The observations from before the period that were read since the last one of the period.
struct OlderRows {
  int64_t count = 0;
  std::string reporter;  // of the first one
  bool are_of_several = false;

  void Add(const store::ObservationRecord& row) {
    if (count++ == 0) reporter = row.source;
    are_of_several |= row.source != reporter;
  }
};

// Which observations count: tuned calls and canaries of jobs.
struct Wanted {
  store::ObservationFilter filter;
  int64_t start_us = INT64_MIN;
  std::optional<int64_t> end_us;

  bool Contains(const store::ObservationRecord& row) const {
    const bool is_default = row.scenario.algorithm == learn::kDefaultAlgorithm;
    return is_default == (row.run == domain::kCanaryRun) && row.kind == domain::CellKind::kJob &&
           !row.job.empty() && !IsOlder(row) && (!end_us || row.at_us < *end_us);
  }
  bool IsOlder(const store::ObservationRecord& row) const { return row.at_us < start_us; }
};

absl::StatusOr<Wanted> ToWanted(const v1::GetSavingsRequest& request) {
  const absl::StatusOr<absl::string_view> machine = ParseMachine(request.machine(), "machine");
  if (!machine.ok()) return machine.status();
  Wanted wanted;
  wanted.filter.machine = std::string(*machine);
  wanted.filter.collective = request.collective();
  wanted.filter.newest_first = true;
  if (request.has_start_time()) wanted.start_us = ToMicroseconds(request.start_time());
  if (request.has_end_time()) wanted.end_us = ToMicroseconds(request.end_time());
  if (request.has_start_time() && wanted.end_us && *wanted.end_us <= wanted.start_us) {
    return domain::InvalidField("end_time", "must be later than start_time");
  }
  if (absl::Status bucket = CheckBucket("bucket_s", request.bucket_s(), kLeastSavingsBucketS);
      !bucket.ok()) {
    return bucket;
  }
  return wanted;
}

struct Times {
  std::vector<learn::CallTime> times;
  bool has_older = false;
};

absl::StatusOr<Times> ReadTimes(store::Store& store, const Wanted& wanted,
                                const store::IsCancelled& is_cancelled) {
  Times read;
  store::ObservationFilter filter = wanted.filter;
  const absl::StatusOr<int64_t> scan_end = store.FindScanEnd(filter, 0, kMostScanned, is_cancelled);
  if (!scan_end.ok()) return scan_end.status();
  filter.until_id = *scan_end;
  int64_t before_id = 0;
  OlderRows older;
  for (int64_t count = 0; count < kMostObservations; count += kPage) {
    const absl::StatusOr<std::vector<store::ObservationRecord>> page =
        store.ListObservations(filter, before_id, kPage, is_cancelled);
    if (!page.ok()) return page.status();
    for (const store::ObservationRecord& row : *page) {
      if (wanted.IsOlder(row)) {
        older.Add(row);
      } else {
        older = {};
      }
      if (!wanted.Contains(row)) continue;
      read.times.push_back(
          {.scenario = row.scenario,
           .job = daemon::WholeJob(row.job),
           .at_us = row.at_us,
           .calls = learn::CallsOf(row.scenario.collective, row.scenario.ranks, row.count),
           .time_s = row.time_s,
           .arm = daemon::ArmOf(row)});
    }
    if (older.count >= kEnoughOlder && older.are_of_several) return read;
    if (static_cast<int64_t>(page->size()) < kPage) {
      read.has_older = filter.until_id != 0;
      return read;
    }
    before_id = page->back().id;
  }
  read.has_older = older.count < kEnoughOlder;
  return read;
}

// Names each timing's application, if the request is about applications.
absl::Status NameApplications(store::Store& store, const v1::GetSavingsRequest& request,
                              const std::string& machine, const VisibleNames& visible,
                              std::vector<learn::CallTime>* times) {
  if (!request.by_application() && request.application().empty()) return absl::OkStatus();
  const absl::StatusOr<Applications> applications = Applications::Read(store, machine, visible);
  if (!applications.ok()) return applications.status();
  std::map<absl::string_view, std::string> of_jobs;
  for (learn::CallTime& time : *times) {
    const auto [place, is_new] = of_jobs.try_emplace(time.job);
    if (is_new) place->second = applications->Of(time.job);
    time.application = place->second;
  }
  return absl::OkStatus();
}

void FromSavings(const learn::Savings& savings, bool has_bucket, const VisibleNames& visible,
                 v1::SavingsRow* row) {
  row->set_library(savings.library);
  row->set_collective(savings.collective);
  if (visible.ShowsJob(savings.job)) row->set_job(savings.job);
  row->set_application(savings.application);
  row->set_call_count(savings.calls);
  row->set_compared_call_count(savings.compared_calls);
  row->set_canary_call_count(savings.canary_calls);
  row->set_stored_canary_call_count(savings.stored_canary_calls);
  row->set_spent_s(savings.spent_s);
  row->set_saved_s(savings.saved_s);
  row->set_saved_rank_s(savings.saved_rank_s);
  if (has_bucket) *row->mutable_start_time() = ToTimestamp(savings.begin_us);
  if (savings.half_width_s < 0) return;
  row->add_interval_s(savings.saved_s - savings.half_width_s);
  row->add_interval_s(savings.saved_s + savings.half_width_s);
}

void FromWithdrawal(const domain::Withdrawal& record, bool has_ended, v1::Withdrawal* withdrawal) {
  const domain::ComparedCalls& calls = record.evidence.calls;
  withdrawal->set_id(record.id);
  withdrawal->set_library(calls.library);
  withdrawal->set_collective(calls.collective);
  withdrawal->set_algorithm(calls.algorithm);
  withdrawal->set_nodes(calls.nodes);
  withdrawal->set_ppn(calls.ppn);
  withdrawal->set_ranks(calls.ranks);
  withdrawal->set_min_block_bytes(calls.min_block_bytes);
  withdrawal->set_max_block_bytes(calls.max_block_bytes);
  withdrawal->set_factor(std::exp(record.evidence.log_factor));
  withdrawal->set_pair_count(record.evidence.pair_count);
  withdrawal->set_job_count(record.evidence.job_count);
  withdrawal->set_last_observation_id(record.last_id);
  withdrawal->set_profile_revision(record.revision);
  *withdrawal->mutable_create_time() = ToTimestamp(record.create_time_us);
  withdrawal->set_ended(has_ended);
}

}  // namespace

absl::Status AnswerSavings(store::Store& store, const v1::GetSavingsRequest& request,
                           const VisibleNames& visible, const store::IsCancelled& is_cancelled,
                           v1::GetSavingsResponse* response) {
  const absl::StatusOr<Wanted> wanted = ToWanted(request);
  if (!wanted.ok()) return wanted.status();
  absl::StatusOr<daemon::Withdrawals> withdrawals =
      daemon::ReadWithdrawals(store, wanted->filter.machine);
  if (!withdrawals.ok()) return withdrawals.status();
  absl::StatusOr<Times> read = ReadTimes(store, *wanted, is_cancelled);
  if (!read.ok()) return read.status();
  absl::Status named =
      NameApplications(store, request, wanted->filter.machine, visible, &read->times);
  if (!named.ok()) return named;

  const learn::SavingsBy by = {.library = request.by_library(),
                               .collective = request.by_collective(),
                               .job = request.by_job(),
                               .application = request.by_application(),
                               .bucket_us = SecondsToMicroseconds(request.bucket_s()),
                               .origin_us = request.has_start_time() ? wanted->start_us : 0};
  const learn::SavingsOf of = {
      .library = request.library(), .job = request.job(), .application = request.application()};
  const std::vector<learn::Savings> rows = learn::EstimateSavings(read->times, of, by);
  response->set_truncated(read->has_older || rows.size() > kMostRows);
  for (size_t i = 0; i < std::min(rows.size(), kMostRows); ++i) {
    // The first row is the sum of all.
    FromSavings(rows[i], i > 0 && by.bucket_us > 0, visible, response->add_rows());
  }
  // Both lists have the newest first.
  std::vector<std::pair<const domain::Withdrawal*, bool>> all;
  for (const domain::Withdrawal& one : withdrawals->in_force) all.emplace_back(&one, false);
  for (const domain::Withdrawal& one : withdrawals->ended) all.emplace_back(&one, true);
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.first->id > b.first->id; });
  for (const auto& [withdrawal, has_ended] : all) {
    FromWithdrawal(*withdrawal, has_ended, response->add_withdrawals());
  }
  return absl::OkStatus();
}

}  // namespace cox::service
