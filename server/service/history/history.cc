#include "service/history/history.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "domain/errors.h"
#include "service/convert/checks.h"
#include "service/convert/drift.h"
#include "service/convert/machine.h"
#include "service/convert/page_token.h"
#include "service/convert/timestamp.h"
#include "service/entry/door.h"
#include "service/history/observed_times.h"
#include "service/history/savings_answer.h"
#include "service/history/visible_names.h"
#include "service/limits.h"
#include "service/names.h"
#include "service/seen_page.h"
#include "service/unary.h"

namespace cox::service {
namespace {

constexpr int64_t kNewestObservations = 500'000;
constexpr size_t kMaxSummaryRows = 20'000;
constexpr double kLeastBucketS = 1e-3;

// "": all machines.
absl::StatusOr<std::string> OptionalMachine(const std::string& name) {
  if (name.empty()) return std::string();
  const absl::StatusOr<absl::string_view> machine = ParseMachine(name, "machine");
  if (!machine.ok()) return machine.status();
  return std::string(*machine);
}

// The period of a request that has start_time and end_time; in microseconds since the Unix epoch.
template <typename Request, typename Filter>
absl::Status SetPeriod(const Request& request, Filter* filter) {
  if (request.has_start_time()) filter->start_time_us = ToMicroseconds(request.start_time());
  if (request.has_end_time()) filter->end_time_us = ToMicroseconds(request.end_time());
  if (filter->start_time_us && filter->end_time_us &&
      *filter->end_time_us <= *filter->start_time_us) {
    return domain::InvalidField("end_time", "must be later than start_time");
  }
  return absl::OkStatus();
}

std::string NameOf(const google::protobuf::Timestamp& time, bool is_given) {
  return is_given ? absl::StrCat(ToMicroseconds(time)) : "";
}

void SetState(const store::MachineState& state, v1::MachineState* out) {
  FromRecord(state.machine, out->mutable_machine());
  out->set_name(out->machine().name());
  out->set_profile_revision(state.revision);
  if (state.revision != 0) *out->mutable_profile_time() = ToTimestamp(state.profile_time_us);
  out->set_observation_count(state.count.observation_count);
  out->set_dropped_count(state.count.dropped_count);
  out->set_job_count(state.job_count);
  if (state.last_observation_time_us) {
    *out->mutable_last_observation_time() = ToTimestamp(*state.last_observation_time_us);
  }
  out->set_drift_count(state.drift_count);
  if (state.last_drift) FromRecord(*state.last_drift, out->mutable_last_drift());
}

// With those of its machines that the caller sees.
store::JobRecord OnMachinesSeen(const access::Access& access, const access::Principal& principal,
                                store::JobRecord job) {
  std::erase_if(job.machines, [&](const std::string& machine) {
    return !access.SeesMachine(principal, machine);
  });
  return job;
}

void SetJob(const store::JobRecord& job, v1::Job* out) {
  out->set_name(job.name);
  for (const std::string& machine : job.machines) out->add_machines(MachineName(machine));
  out->set_source(job.source);
  out->set_observation_count(job.count.observation_count);
  out->set_dropped_count(job.count.dropped_count);
  *out->mutable_first_time() = ToTimestamp(job.first_time_us);
  *out->mutable_last_time() = ToTimestamp(job.last_time_us);
  out->set_reporter_count(job.reporter_count);
}

bool Wants(const v1::ListObservedTimesRequest& request, const domain::ScenarioKey& scenario) {
  return (request.library().empty() || request.library() == scenario.library) &&
         (request.collective().empty() || request.collective() == scenario.collective) &&
         (request.nodes() == 0 || request.nodes() == scenario.nodes) &&
         (request.ppn() == 0 || request.ppn() == scenario.ppn);
}

auto OrderOf(const store::CellRecord& record) {
  const domain::ScenarioKey& s = record.scenario;
  return std::tie(s.library, s.collective, s.nodes, s.ppn, s.ranks, s.algorithm, s.block_bytes,
                  s.type_bytes, record.kind);
}

// Its place in that order, as text that sorts likewise: a name ends with a byte that is smaller
// than all that names may have, and numbers have all their hexadecimal digits. A page goes on
// behind the place of the last row, whatever scenarios came or went meanwhile.
std::string PlaceOf(const store::CellRecord& record) {
  const domain::ScenarioKey& s = record.scenario;
  constexpr absl::string_view kEnd("\0", 1);
  std::string place = absl::StrCat(s.library, kEnd, s.collective, kEnd);
  for (const int64_t number : {s.nodes, s.ppn, s.ranks}) {
    absl::StrAppend(&place, absl::Hex(number, absl::kZeroPad16));
  }
  absl::StrAppend(&place, s.algorithm, kEnd);
  for (const int64_t number : {s.block_bytes, s.type_bytes, static_cast<int64_t>(record.kind)}) {
    absl::StrAppend(&place, absl::Hex(number, absl::kZeroPad16));
  }
  return place;
}

// Of each scenario and kind the cell of the latest epoch, those that the request wants, in order.
std::vector<store::CellRecord> Latest(std::vector<store::CellRecord> cells,
                                      const v1::ListObservedTimesRequest& request) {
  std::erase_if(cells, [&](const store::CellRecord& record) {
    return record.cell.observation_count == 0 || !Wants(request, record.scenario);
  });
  std::sort(cells.begin(), cells.end(), [](const store::CellRecord& a, const store::CellRecord& b) {
    return OrderOf(a) != OrderOf(b) ? OrderOf(a) < OrderOf(b) : a.epoch > b.epoch;
  });
  cells.erase(std::unique(cells.begin(), cells.end(),
                          [](const store::CellRecord& a, const store::CellRecord& b) {
                            return OrderOf(a) == OrderOf(b);
                          }),
              cells.end());
  return cells;
}

absl::StatusOr<store::SummaryFilter> ToFilter(const v1::SummarizeObservationsRequest& request) {
  store::SummaryFilter filter;
  absl::StatusOr<std::string> machine = OptionalMachine(request.machine());
  if (!machine.ok()) return machine.status();
  filter.reporter = {
      .machine = *std::move(machine), .job = request.job(), .source = request.source()};
  filter.library = request.library();
  filter.collective = request.collective();
  filter.algorithm = request.algorithm();
  if (absl::Status period = SetPeriod(request, &filter); !period.ok()) return period;
  if (absl::Status bucket = CheckBucket("bucket_s", request.bucket_s(), kLeastBucketS);
      !bucket.ok()) {
    return bucket;
  }
  filter.bucket_us = SecondsToMicroseconds(request.bucket_s());
  filter.newest = kNewestObservations;
  filter.most_rows = kMaxSummaryRows;
  return filter;
}

}  // namespace

History::History(const Core& core) : core_(core) {}
History::~History() = default;

grpc::ServerUnaryReactor* History::ListMachineStates(grpc::CallbackServerContext* context,
                                                     const v1::ListMachineStatesRequest* request,
                                                     v1::ListMachineStatesResponse* response) {
  return FinishFromPool(
      *core_.heavy_pool, context,
      [this, principal = CallingPrincipal(), request, response,
       is_cancelled = CancelledBy(context)]() -> absl::Status {
        constexpr absl::string_view kList = "machine-states";
        const absl::StatusOr<int64_t> size = PageSize(request->page_size(), 100, 1000);
        if (!size.ok()) return size.status();
        const absl::StatusOr<std::string> after = ParsePageToken(kList, request->page_token());
        if (!after.ok()) return after.status();
        const auto page = ReadSeen<store::MachineState>(
            *after, *size,
            [&](const std::string& name, int64_t count) {
              return core_.store->ListMachineStates(name, count, store::StateDetail::kWithReports,
                                                    is_cancelled);
            },
            [](const store::MachineState& state) { return state.machine.name; },
            [&](const std::string& name) { return core_.access->SeesMachine(principal, name); });
        if (!page.ok()) return page.status();
        for (const store::MachineState& state : page->records) {
          SetState(state, response->add_states());
        }
        if (page->has_more) {
          response->set_next_page_token(MakePageToken(kList, page->records.back().machine.name));
        }
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* History::ListJobs(grpc::CallbackServerContext* context,
                                            const v1::ListJobsRequest* request,
                                            v1::ListJobsResponse* response) {
  return FinishFromPool(
      *core_.heavy_pool, context,
      [this, request, response,
       visible = VisibleNames(core_.hides_foreign_jobs, CallingPrincipal()),
       principal = CallingPrincipal(), is_cancelled = CancelledBy(context)]() -> absl::Status {
        store::JobFilter filter;
        absl::StatusOr<std::string> machine = OptionalMachine(request->machine());
        if (!machine.ok()) return machine.status();
        filter.machine = *std::move(machine);
        if (absl::Status period = SetPeriod(*request, &filter); !period.ok()) return period;
        const std::string list = absl::StrCat(
            "jobs/", filter.machine, "/", NameOf(request->start_time(), request->has_start_time()),
            "/", NameOf(request->end_time(), request->has_end_time()));
        const absl::StatusOr<Page> page =
            OpenPage(list, request->page_size(), request->page_token(), 100, 1'000);
        if (!page.ok()) return page.status();
        const absl::StatusOr<std::vector<store::JobRecord>> jobs =
            core_.store->ListJobs(filter, page->cursor, page->size + 1, is_cancelled);
        if (!jobs.ok()) return jobs.status();
        for (const store::JobRecord& job : *jobs) {
          if (&job == jobs->data() + page->size) {
            response->set_next_page_token(
                MakePageToken(list, absl::StrCat((*jobs)[page->size - 1].last_batch_id)));
            break;
          }
          if (!visible.ShowsJob(job.name)) continue;
          const store::JobRecord shown = OnMachinesSeen(*core_.access, principal, job);
          if (!shown.machines.empty()) SetJob(shown, response->add_jobs());
        }
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* History::ListObservedTimes(grpc::CallbackServerContext* context,
                                                     const v1::ListObservedTimesRequest* request,
                                                     v1::ListObservedTimesResponse* response) {
  return FinishFromPool(
      *core_.heavy_pool, context,
      [this, request, response, is_cancelled = CancelledBy(context)]() -> absl::Status {
        const absl::StatusOr<absl::string_view> machine =
            ParseMachine(request->machine(), "machine");
        if (!machine.ok()) return machine.status();
        // An older coxd has given tokens of "times/".
        const std::string list =
            absl::StrCat("observed-times/", *machine, "/", request->library(), "/",
                         request->collective(), "/", request->nodes(), "/", request->ppn());
        const absl::StatusOr<int64_t> size = PageSize(request->page_size(), 1'000, 10'000);
        if (!size.ok()) return size.status();
        const absl::StatusOr<std::string> after = ParsePageToken(list, request->page_token());
        if (!after.ok()) return after.status();
        absl::StatusOr<std::vector<store::CellRecord>> all =
            core_.store->ListCells(*machine, core_.scenarios->most_cells(), is_cancelled);
        if (!all.ok()) return all.status();
        const std::vector<store::CellRecord> cells = Latest(*std::move(all), *request);
        const auto first = std::upper_bound(
            cells.begin(), cells.end(), *after,
            [](const std::string& place, const auto& cell) { return place < PlaceOf(cell); });
        for (auto cell = first; cell != cells.end(); ++cell) {
          if (response->times_size() == *size) {
            response->set_next_page_token(MakePageToken(list, PlaceOf(*std::prev(cell))));
            break;
          }
          FromRecord(*cell, response->add_times());
        }
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* History::SummarizeObservations(
    grpc::CallbackServerContext* context, const v1::SummarizeObservationsRequest* request,
    v1::SummarizeObservationsResponse* response) {
  return FinishFromPool(*core_.heavy_pool, context,
                        [this, request, response,
                         visible = VisibleNames(core_.hides_foreign_jobs, CallingPrincipal()),
                         is_cancelled = CancelledBy(context)]() -> absl::Status {
                          const absl::StatusOr<store::SummaryFilter> filter = ToFilter(*request);
                          if (!filter.ok()) return filter.status();
                          if (absl::Status shown = visible.Check(request->job(), request->source());
                              !shown.ok()) {
                            return shown;
                          }
                          const absl::StatusOr<store::Summary> summary =
                              core_.store->Summarize(*filter, is_cancelled);
                          if (!summary.ok()) return summary.status();
                          for (const store::SummaryRow& row : summary->rows) {
                            FromRecord(row, filter->bucket_us != 0, response->add_times());
                          }
                          response->set_truncated(summary->has_older);
                          return absl::OkStatus();
                        });
}

grpc::ServerUnaryReactor* History::GetSavings(grpc::CallbackServerContext* context,
                                              const v1::GetSavingsRequest* request,
                                              v1::GetSavingsResponse* response) {
  return FinishFromPool(*core_.heavy_pool, context,
                        [this, request, response,
                         visible = VisibleNames(core_.hides_foreign_jobs, CallingPrincipal()),
                         is_cancelled = CancelledBy(context)]() -> absl::Status {
                          absl::Status done = visible.Check(request->job(), "");
                          if (!done.ok()) return done;
                          return AnswerSavings(*core_.store, *request, visible, is_cancelled,
                                               response);
                        });
}

}  // namespace cox::service
