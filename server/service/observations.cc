#include "service/observations.h"

#include <google/protobuf/descriptor.h>
#include <grpcpp/generic/async_generic_service.h>  // CallbackBidiHandler

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "access/claim.h"
#include "domain/drift.h"
#include "domain/errors.h"
#include "service/convert/checks.h"
#include "service/convert/drift.h"
#include "service/convert/observation.h"
#include "service/convert/page_token.h"
#include "service/entry/door.h"
#include "service/history/visible_names.h"
#include "service/limits.h"
#include "service/names.h"
#include "service/report.h"
#include "service/streams/observation_stream.h"
#include "service/unary.h"

namespace cox::service {
namespace {

template <typename Request>
absl::StatusOr<store::ObservationFilter> ToFilter(const Core& core,
                                                  const access::Principal& principal,
                                                  const Request& request) {
  store::ObservationFilter filter;
  filter.job = access::JobMeant(principal, request.job());
  filter.source = request.source();
  if (!request.machine().empty()) {
    const absl::StatusOr<absl::string_view> name = ParseMachine(request.machine(), "machine");
    if (!name.ok()) return name.status();
    filter.machine = std::string(*name);
  }
  const VisibleNames visible(core.hides_foreign_jobs, principal);
  if (absl::Status shown = visible.Check(filter.job, filter.source); !shown.ok()) return shown;
  return filter;
}

// What a list, but no count, can be limited to.
absl::Status AddRowFilter(const v1::ListObservationsRequest& request,
                          store::ObservationFilter* filter) {
  filter->library = request.library();
  filter->collective = request.collective();
  filter->algorithm = request.algorithm();
  filter->newest_first = request.newest_first();
  if (!request.has_since_time()) return absl::OkStatus();
  absl::Status valid =
      FirstOf({InRange("since_time.seconds", request.since_time().seconds(), 0, 253'402'300'799),
               InRange("since_time.nanos", request.since_time().nanos(), 0, 999'999'999)});
  if (valid.ok()) {
    filter->since_us =
        request.since_time().seconds() * 1'000'000 + request.since_time().nanos() / 1'000;
  }
  return valid;
}

absl::StatusOr<store::Reporter> ToReporter(const v1::ForgetObservationsRequest& request) {
  using Kind = store::Reporter::Kind;
  if (!request.job().empty() && !request.source().empty()) {
    return domain::InvalidField("source", "must be empty if job is given");
  }
  if (!request.source().empty()) return store::Reporter{Kind::kSource, request.source()};
  if (!request.job().empty()) return store::Reporter{Kind::kJob, request.job()};
  return domain::InvalidField("job", "this or source is required");
}

}  // namespace

Observations::Observations(const Core& core) : core_(core) {
  SetMessageAllocatorFor_ReportObservations(&report_allocator_);
  // In place of the generated handler, which would parse each batch on a thread of gRPC.
  const int index = v1::StreamObservationsRequest::descriptor()
                        ->file()
                        ->FindServiceByName("ObservationService")
                        ->FindMethodByName("StreamObservations")
                        ->index();
  MarkMethodCallback(
      index,
      new grpc::internal::CallbackBidiHandler<grpc::ByteBuffer, v1::StreamObservationsResponse>(
          [this](grpc::CallbackServerContext* context) { return StartStream(context); }));
}
Observations::~Observations() = default;

grpc::ServerUnaryReactor* Observations::ReportObservations(
    grpc::CallbackServerContext* context, const v1::ReportObservationsRequest* request,
    v1::ReportObservationsResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  Report(core_, CallingPrincipal(), *request, Arrival::kCall,
         [reactor, response](absl::StatusOr<v1::ReportObservationsResponse> result) {
           const absl::Status status = result.status();
           if (status.ok()) *response = *std::move(result);
           reactor->Finish(ToGrpc(status));
         });
  // Its content is in the store's queue; the call ends after this function returns.
  context->GetRpcAllocatorState()->FreeRequest();
  core_.calls->LeaveRequest(context);
  return reactor;
}

ObservationReactor* Observations::StartStream(grpc::CallbackServerContext* context) {
  return StartObservationStream(
      core_.streams, core_.calls, context, core_.parsers, CallingPrincipal(),
      [this](const access::Principal& principal, const v1::ReportObservationsRequest& request,
             ReportDone done) {
        Report(core_, principal, request, Arrival::kStream, std::move(done));
      });
}

grpc::ServerUnaryReactor* Observations::ListObservations(grpc::CallbackServerContext* context,
                                                         const v1::ListObservationsRequest* request,
                                                         v1::ListObservationsResponse* response) {
  return FinishFromPool(
      *core_.heavy_pool, context,
      [this, principal = CallingPrincipal(), request, response,
       is_cancelled = CancelledBy(context)]() -> absl::Status {
        absl::StatusOr<store::ObservationFilter> filter = ToFilter(core_, principal, *request);
        if (!filter.ok()) return filter.status();
        if (absl::Status added = AddRowFilter(*request, &*filter); !added.ok()) return added;
        const std::string list = absl::StrCat(
            absl::StrJoin(
                {absl::string_view("observations"), absl::string_view(filter->machine),
                 absl::string_view(filter->job), absl::string_view(filter->source),
                 absl::string_view(filter->library), absl::string_view(filter->collective),
                 absl::string_view(filter->algorithm)},
                "/"),
            "/", filter->since_us, filter->newest_first ? "/newest" : "");
        const absl::StatusOr<Page> page =
            OpenPage(list, request->page_size(), request->page_token(), 1'000, 10'000);
        if (!page.ok()) return page.status();
        const absl::StatusOr<int64_t> scan_end =
            core_.store->FindScanEnd(*filter, page->cursor, kMaxRowsScanned, is_cancelled);
        if (!scan_end.ok()) return scan_end.status();
        filter->until_id = *scan_end;
        const absl::StatusOr<std::vector<store::ObservationRecord>> observations =
            core_.store->ListObservations(*filter, page->cursor, page->size + 1, is_cancelled);
        if (!observations.ok()) return observations.status();
        if (*scan_end != 0) {
          response->set_next_page_token(MakePageToken(list, absl::StrCat(*scan_end)));
        }
        const VisibleNames visible(core_.hides_foreign_jobs, principal);
        for (const store::ObservationRecord& observation : *observations) {
          if (response->observations_size() == page->size) {
            response->set_next_page_token(
                MakePageToken(list, absl::StrCat((*observations)[page->size - 1].id)));
            break;
          }
          v1::Observation* const out = response->add_observations();
          FromRecord(observation, out);
          if (!visible.ShowsJob(observation.job)) out->clear_job();
          if (!visible.ShowsSource(observation.source)) out->clear_source();
        }
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* Observations::CountObservations(
    grpc::CallbackServerContext* context, const v1::CountObservationsRequest* request,
    v1::CountObservationsResponse* response) {
  return FinishFromPool(*core_.heavy_pool, context,
                        [this, principal = CallingPrincipal(), request, response,
                         is_cancelled = CancelledBy(context)]() -> absl::Status {
                          const absl::StatusOr<store::ObservationFilter> filter =
                              ToFilter(core_, principal, *request);
                          if (!filter.ok()) return filter.status();
                          const absl::StatusOr<store::ObservationCount> count =
                              core_.store->CountObservations(*filter, is_cancelled);
                          if (!count.ok()) return count.status();
                          response->set_observation_count(count->observation_count);
                          response->set_dropped_count(count->dropped_count);
                          return absl::OkStatus();
                        });
}

grpc::ServerUnaryReactor* Observations::ForgetObservations(
    grpc::CallbackServerContext* context, const v1::ForgetObservationsRequest* request,
    v1::ForgetObservationsResponse* response) {
  const auto answer = [this, request, response, actor = CallingActor()]() -> absl::Status {
    const absl::StatusOr<store::Reporter> reporter = ToReporter(*request);
    if (!reporter.ok()) return reporter.status();
    const bool is_job = reporter->kind == store::Reporter::Kind::kJob;
    // Every viewer reads the note of the new revision. The audit has the name.
    const std::string name = core_.hides_foreign_jobs ? "" : absl::StrCat(" ", reporter->name);
    const std::string why =
        absl::StrCat("without what ", is_job ? "job" : "source", name, " reported");
    const absl::StatusOr<store::Forgotten> forgotten = core_.learner->Forget(*reporter, why, actor);
    if (!forgotten.ok()) return forgotten.status();
    response->set_removed_count(forgotten->removed_count);
    response->set_removed_sketch_count(forgotten->removed_sketch_count);
    return absl::OkStatus();
  };
  return FinishFromPool(*core_.heavy_pool, context, answer, TurnOfLongCall());
}

grpc::ServerUnaryReactor* Observations::ListDrifts(grpc::CallbackServerContext* context,
                                                   const v1::ListDriftsRequest* request,
                                                   v1::ListDriftsResponse* response) {
  return FinishFromPool(*core_.pool, context, [this, request, response]() -> absl::Status {
    const absl::StatusOr<absl::string_view> machine = ParseMachine(request->parent(), "parent");
    if (!machine.ok()) return machine.status();
    const std::string list = absl::StrCat("drifts/", *machine);
    const absl::StatusOr<Page> page =
        OpenPage(list, request->page_size(), request->page_token(), 50, 500);
    if (!page.ok()) return page.status();
    const absl::StatusOr<std::vector<domain::Drift>> drifts =
        core_.store->ListDrifts(*machine, page->cursor, page->size + 1);
    if (!drifts.ok()) return drifts.status();
    for (const domain::Drift& drift : *drifts) {
      if (response->drifts_size() == page->size) {
        response->set_next_page_token(
            MakePageToken(list, absl::StrCat((*drifts)[page->size - 1].id)));
        break;
      }
      FromRecord(drift, response->add_drifts());
    }
    return absl::OkStatus();
  });
}

}  // namespace cox::service
