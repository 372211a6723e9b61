#include "service/observations.h"

#include <set>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "model/errors.h"
#include "service/convert.h"
#include "service/names.h"
#include "service/observation_stream.h"
#include "service/page_token.h"
#include "service/report.h"
#include "service/unary.h"

namespace cox::service {
namespace {

absl::StatusOr<store::ObservationFilter> ToFilter(const std::string& machine,
                                                  const std::string& job) {
  store::ObservationFilter filter;
  filter.job = job;
  if (!machine.empty()) {
    const absl::StatusOr<absl::string_view> name = ParseMachine(machine, "machine");
    if (!name.ok()) return name.status();
    filter.machine = std::string(*name);
  }
  return filter;
}

// The machines that a job has observations of.
absl::StatusOr<std::set<std::string>> MachinesOfJob(store::Store* store, const std::string& job) {
  constexpr int64_t kPage = 10'000;
  std::set<std::string> machines;
  int64_t after = 0;
  while (true) {
    const absl::StatusOr<std::vector<store::ObservationRecord>> page =
        store->ListObservations({.machine = "", .job = job}, after, kPage);
    if (!page.ok()) return page.status();
    for (const store::ObservationRecord& observation : *page) {
      machines.insert(observation.scenario.machine);
    }
    if (static_cast<int64_t>(page->size()) < kPage) return machines;
    after = page->back().id;
  }
}

}  // namespace

Observations::Observations(const Core& core) : core_(core) {
  SetMessageAllocatorFor_ReportObservations(&report_allocator_);
}

grpc::ServerUnaryReactor* Observations::ReportObservations(
    grpc::CallbackServerContext* context, const v1::ReportObservationsRequest* request,
    v1::ReportObservationsResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  Report(core_, *request,
         [reactor, response](absl::StatusOr<v1::ReportObservationsResponse> result) {
           const absl::Status status = result.status();
           if (status.ok()) *response = *std::move(result);
           reactor->Finish(ToGrpc(status));
         });
  return reactor;
}

grpc::ServerBidiReactor<v1::StreamObservationsRequest, v1::StreamObservationsResponse>*
Observations::StreamObservations(grpc::CallbackServerContext* /*context*/) {
  return StartObservationStream(core_);
}

grpc::ServerUnaryReactor* Observations::ListObservations(grpc::CallbackServerContext* context,
                                                         const v1::ListObservationsRequest* request,
                                                         v1::ListObservationsResponse* response) {
  return FinishFromPool(*core_.pool, context, [this, request, response]() -> absl::Status {
    const absl::StatusOr<store::ObservationFilter> filter =
        ToFilter(request->machine(), request->job());
    if (!filter.ok()) return filter.status();
    const std::string list = absl::StrCat("observations/", filter->machine, "/", filter->job);
    const absl::StatusOr<int64_t> size = PageSize(request->page_size(), 1'000, 10'000);
    if (!size.ok()) return size.status();
    const absl::StatusOr<std::string> cursor = ParsePageToken(list, request->page_token());
    if (!cursor.ok()) return cursor.status();
    int64_t after = 0;
    if (!cursor->empty() && !absl::SimpleAtoi(*cursor, &after)) {
      return absl::InternalError(absl::StrCat("page_token: holds \"", *cursor, "\""));
    }
    const absl::StatusOr<std::vector<store::ObservationRecord>> observations =
        core_.store->ListObservations(*filter, after, *size + 1);
    if (!observations.ok()) return observations.status();
    for (const store::ObservationRecord& observation : *observations) {
      if (response->observations_size() == *size) {
        response->set_next_page_token(
            MakePageToken(list, absl::StrCat((*observations)[*size - 1].id)));
        break;
      }
      FromRecord(observation, response->add_observations());
    }
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* Observations::CountObservations(
    grpc::CallbackServerContext* context, const v1::CountObservationsRequest* request,
    v1::CountObservationsResponse* response) {
  return FinishFromPool(*core_.pool, context, [this, request, response]() -> absl::Status {
    const absl::StatusOr<store::ObservationFilter> filter =
        ToFilter(request->machine(), request->job());
    if (!filter.ok()) return filter.status();
    const absl::StatusOr<store::ObservationCount> count = core_.store->CountObservations(*filter);
    if (!count.ok()) return count.status();
    response->set_observation_count(count->observation_count);
    response->set_dropped_count(count->dropped_count);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* Observations::ForgetObservations(
    grpc::CallbackServerContext* context, const v1::ForgetObservationsRequest* request,
    v1::ForgetObservationsResponse* response) {
  return FinishFromPool(*core_.pool, context, [this, request, response]() -> absl::Status {
    if (request->job().empty()) return model::InvalidField("job", "is required");
    const absl::StatusOr<std::set<std::string>> machines =
        MachinesOfJob(core_.store, request->job());
    if (!machines.ok()) return machines.status();
    const absl::StatusOr<int64_t> removed = core_.store->ForgetJob(request->job());
    if (!removed.ok()) return removed.status();
    for (const std::string& machine : *machines) {
      if (absl::Status relearned = core_.learner->Relearn(
              machine, absl::StrCat("without what job ", request->job(), " reported"));
          !relearned.ok()) {
        return relearned;
      }
    }
    response->set_removed_count(*removed);
    return absl::OkStatus();
  });
}

}  // namespace cox::service
