#include "relay/relayed_service.h"

#include <google/protobuf/descriptor.h>
#include <grpcpp/generic/async_generic_service.h>  // CallbackBidiHandler
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/rpc_service_method.h>

#include <deque>
#include <utility>

#include "absl/strings/str_cat.h"
#include "access/claim.h"
#include "access/rules.h"
#include "domain/errors.h"
#include "relay/seen_machines.h"
#include "service/convert/checks.h"
#include "service/entry/admission.h"
#include "service/entry/door.h"
#include "service/entry/machines_named.h"
#include "service/entry/parsed_size.h"
#include "service/report.h"
#include "service/status.h"
#include "service/streams/observation_stream.h"

namespace cox::relay {
namespace {

using google::protobuf::MethodDescriptor;
using grpc::ByteBuffer;
using grpc::internal::MethodHandler;
using grpc::internal::RpcMethod;
using service::ReportDone;
using service::ToGrpc;

constexpr char kVersionHeader[] = "coxd-version";
// About the caller, and the relay would ask as itself.
constexpr absl::string_view kAboutTheCaller = "cox.v1.AccessService/WhoAmI";
// Of a row, as it came and under its reporter's name, with the strings that it may have.
constexpr int64_t kStringsPerRow = 8;
constexpr int64_t kRowBytes = 2 * (sizeof(v1::Observation) + kStringsPerRow * sizeof(std::string));

// A report under the name that coxd would give it if the client reported directly. An operator at
// the relay states the names of others, as at coxd.
absl::StatusOr<v1::ReportObservationsRequest> Claimed(
    const Relaying& relaying, const access::Principal& principal,
    const v1::ReportObservationsRequest& request) {
  absl::StatusOr<access::Claim> claim = access::ClaimOf(principal, request.job(), request.source());
  if (!claim.ok()) return claim.status();
  v1::ReportObservationsRequest claimed = request;
  claimed.set_job(claim->job);
  claimed.set_source(claim->source);
  if (absl::Status checked = service::CheckName("job", claimed.job()); !checked.ok()) {
    return checked;
  }
  // coxd would ask the relay's role, not the reporter's.
  if (principal.role < access::Role::kOperator && !relaying.reporters_create_machines) {
    claimed.set_create_machines(false);
  }
  absl::Status within = relaying.quotas->TakeJob(principal, claimed.job());
  if (within.ok()) {
    within = relaying.quotas->Take(principal, access::Quota::kRows,
                                   claimed.observations_size() + claimed.sketches_size());
  }
  if (within.ok()) within = relaying.machine_quota->Take(principal, claimed);
  if (within.ok()) within = relaying.scenario_quota->Take(principal, claimed);
  if (!within.ok()) return within;
  return claimed;
}

// A caller would take coxd's refusal of the relay for its own.
grpc::Status SeenByCaller(const grpc::Status& status) {
  if (status.error_code() != grpc::StatusCode::UNAUTHENTICATED &&
      status.error_code() != grpc::StatusCode::PERMISSION_DENIED) {
    return status;
  }
  return ToGrpc(absl::FailedPreconditionError(absl::StrCat(
      "coxd refuses the relay: ", status.error_message(), "; see relay-token-file of the relay")));
}

// coxd's own errors have details.
bool IsUnreachable(const grpc::Status& status) {
  return status.error_code() == grpc::StatusCode::UNAVAILABLE && status.error_details().empty();
}

struct PassedReport {
  grpc::ClientContext context;
  v1::ReportObservationsRequest request;
  v1::ReportObservationsResponse response;
};

// coxd cannot recognise a batch without a job when it comes again, so nothing is kept of it.
void PassReport(const Relaying& relaying, v1::ReportObservationsRequest request, ReportDone done) {
  auto report = std::make_shared<PassedReport>();
  report->request = std::move(request);
  report->context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
  relaying.upstream->Report(&report->context, &report->request, &report->response,
                            [report, done = std::move(done)](const grpc::Status& from_coxd) {
                              if (from_coxd.ok()) {
                                done(std::move(report->response));
                              } else if (IsUnreachable(from_coxd)) {
                                done(absl::UnavailableError(absl::StrCat(
                                    "the relay cannot reach coxd: ", from_coxd.error_message())));
                              } else {
                                done(service::FromGrpc(SeenByCaller(from_coxd)));
                              }
                            });
}

void Take(const Relaying& relaying, const access::Principal& principal,
          const v1::ReportObservationsRequest& request, ReportDone answer) {
  absl::StatusOr<daemon::MemoryBudget::Lease> lease = service::Admit(
      *relaying.memory, principal, request, service::MemoryRowsOf(request), kRowBytes);
  if (!lease.ok()) {
    answer(lease.status());
    return;
  }
  ReportDone done = [lease = *std::move(lease), answer = std::move(answer)](
                        absl::StatusOr<v1::ReportObservationsResponse> result) {
    answer(std::move(result));
  };
  absl::StatusOr<v1::ReportObservationsRequest> claimed = Claimed(relaying, principal, request);
  if (!claimed.ok()) {
    done(claimed.status());
    return;
  }
  if (claimed->job().empty()) {
    // By an empty one `cox doctor` learns whether reports are taken.
    const bool is_probe = claimed->observations().empty() && claimed->sketches().empty();
    absl::Status kept = is_probe ? relaying.queue->Check(principal.name) : absl::OkStatus();
    if (!kept.ok()) {
      done(std::move(kept));
      return;
    }
    PassReport(relaying, *std::move(claimed), std::move(done));
    return;
  }
  store::OutboxBatch batch = {.job = claimed->job(), .sequence = claimed->sequence(), .bytes{}};
  v1::StreamObservationsRequest message;
  *message.mutable_batch() = *std::move(claimed);
  // coxd answers a stream in order: all batches behind it would wait until coxd has learned.
  message.mutable_batch()->set_await_learning(false);
  batch.bytes = message.SerializeAsString();
  if (static_cast<int64_t>(batch.bytes.size()) > relaying.most_batch_bytes) {
    done(domain::InvalidField(
        "observations", absl::StrCat("this batch has ", batch.bytes.size(),
                                     " bytes with its reporter's name; max-message is ",
                                     relaying.most_batch_bytes, ". Send fewer rows at once")));
    return;
  }
  // Whatever its size: with its reporter's name it may be one that coxd checks.
  if (absl::Status fits =
          service::CheckParsedSize(*v1::StreamObservationsRequest::descriptor(), batch.bytes)
              .status();
      !fits.ok()) {
    done(std::move(fits));
    return;
  }
  relaying.queue->Add(std::move(batch), std::move(done));
}

// A question on its way; lives until coxd has answered or the client has gone.
class Question : public grpc::ServerUnaryReactor {
 public:
  Question(grpc::CallbackServerContext* client, const access::Access* access)
      : client_(client),
        access_(access),
        principal_(service::CallingPrincipal()),
        context_(std::make_unique<grpc::ClientContext>()) {
    context_->set_deadline(client->deadline());
  }
  // `method` outlives the question.
  void Ask(Upstream* upstream, const std::string& method, const ByteBuffer* request,
           ByteBuffer* response) {
    // Of a call that ended before its message came. gRPC ends the process when it is given none.
    if (!request->Valid()) {
      Finish(ToGrpc(absl::InvalidArgumentError("the call has no message")));
      return;
    }
    const auto pass = [this, &method, response](const grpc::Status& status) {
      if (IsUnreachable(status)) {
        Finish(ToGrpc(absl::UnavailableError(absl::StrCat(
            "the relay cannot reach coxd: ", status.error_message(), "; it still takes reports"))));
        return;
      }
      PassVersion();
      if (status.ok() && !response->Valid()) {
        Finish(ToGrpc(absl::InternalError("coxd answered without a message")));
        return;
      }
      if (status.ok()) {
        Finish(ToGrpc(LeaveOutUnseen(*access_, principal_, method, response)));
        return;
      }
      Finish(SeenByCaller(status));
    };
    upstream->Ask(method, context_.get(), request, response, pass);
  }
  void OnCancel() override { context_->TryCancel(); }
  void OnDone() override { delete this; }

 private:
  // By which `cox doctor` knows which coxd answers.
  void PassVersion() {
    const auto& metadata = context_->GetServerInitialMetadata();
    const auto version = metadata.find(kVersionHeader);
    if (version == metadata.end()) return;
    client_->AddInitialMetadata(kVersionHeader,
                                std::string(version->second.data(), version->second.size()));
  }

  grpc::CallbackServerContext* const client_;
  const access::Access* const access_;
  const access::Principal principal_;
  const std::unique_ptr<grpc::ClientContext> context_;
};

class Refusal : public grpc::ServerBidiReactor<ByteBuffer, ByteBuffer> {
 public:
  explicit Refusal(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

RpcMethod::RpcType TypeOf(const MethodDescriptor& method) {
  if (method.client_streaming()) {
    return method.server_streaming() ? RpcMethod::BIDI_STREAMING : RpcMethod::CLIENT_STREAMING;
  }
  return method.server_streaming() ? RpcMethod::SERVER_STREAMING : RpcMethod::NORMAL_RPC;
}

class RelayedService : public grpc::Service {
 public:
  RelayedService(const google::protobuf::ServiceDescriptor& description, const Relaying& relaying)
      : relaying_(relaying) {
    for (int i = 0; i < description.method_count(); ++i) {
      const MethodDescriptor& method = *description.method(i);
      const std::string& name =
          names_.emplace_back(absl::StrCat("/", description.full_name(), "/", method.name()));
      AddMethod(new grpc::internal::RpcServiceMethod(name.c_str(), TypeOf(method), nullptr));
      MarkMethodCallback(i, HandlerOf(method, name));
    }
  }

 private:
  MethodHandler* HandlerOf(const MethodDescriptor& method, const std::string& name) const {
    const access::Rule* const rule = access::FindRule(absl::string_view(name).substr(1));
    if (rule != nullptr && rule->role == access::Role::kReporter) {
      return method.client_streaming() ? StreamHandler() : ReportHandler();
    }
    const bool is_question =
        rule != nullptr && rule->role == access::Role::kViewer && rule->method != kAboutTheCaller;
    if (TypeOf(method) == RpcMethod::NORMAL_RPC && is_question) return QuestionHandler(name);
    return RefusingHandler(method, name);
  }

  MethodHandler* ReportHandler() const {
    return new grpc::internal::CallbackUnaryHandler<v1::ReportObservationsRequest,
                                                    v1::ReportObservationsResponse>(
        [relaying = relaying_](grpc::CallbackServerContext* context,
                               const v1::ReportObservationsRequest* request,
                               v1::ReportObservationsResponse* response) {
          grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
          Take(relaying, service::CallingPrincipal(), *request,
               [reactor, response](absl::StatusOr<v1::ReportObservationsResponse> result) {
                 const absl::Status status = result.status();
                 if (status.ok()) *response = *std::move(result);
                 reactor->Finish(ToGrpc(status));
               });
          return reactor;
        });
  }

  MethodHandler* StreamHandler() const {
    return new grpc::internal::CallbackBidiHandler<ByteBuffer, v1::StreamObservationsResponse>(
        [relaying = relaying_](grpc::CallbackServerContext* context) {
          return service::StartObservationStream(
              relaying.streams, relaying.calls, context, relaying.parsers,
              service::CallingPrincipal(),
              [relaying](const access::Principal& principal,
                         const v1::ReportObservationsRequest& request, ReportDone done) {
                // The door has looked at that of a call.
                absl::Status seen =
                    service::CheckMachinesNamed(*relaying.access, principal, request);
                if (!seen.ok()) {
                  done(std::move(seen));
                  return;
                }
                Take(relaying, principal, request, std::move(done));
              });
        });
  }

  MethodHandler* QuestionHandler(const std::string& name) const {
    return new grpc::internal::CallbackUnaryHandler<ByteBuffer, ByteBuffer>(
        [relaying = relaying_, &name](grpc::CallbackServerContext* context,
                                      const ByteBuffer* request, ByteBuffer* response) {
          auto* const question = new Question(context, relaying.access);
          question->Ask(relaying.upstream, name, request, response);
          return question;
        });
  }

  static MethodHandler* RefusingHandler(const MethodDescriptor& method, const std::string& name) {
    const grpc::Status refusal = ToGrpc(absl::FailedPreconditionError(
        absl::StrCat(absl::string_view(name).substr(1),
                     " does not pass a relay; name coxd's own address with --server")));
    // A unary handler reads the request of a call that has one.
    if (!method.client_streaming()) {
      return new grpc::internal::CallbackUnaryHandler<ByteBuffer, ByteBuffer>(
          [refusal](grpc::CallbackServerContext* context, const ByteBuffer* /*request*/,
                    ByteBuffer* /*response*/) {
            grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
            reactor->Finish(refusal);
            return reactor;
          });
    }
    return new grpc::internal::CallbackBidiHandler<ByteBuffer, ByteBuffer>(
        [refusal](grpc::CallbackServerContext* /*context*/) { return new Refusal(refusal); });
  }

  const Relaying relaying_;
  std::deque<std::string> names_;  // gRPC keeps pointers to them
};

}  // namespace

std::unique_ptr<grpc::Service> MakeRelayedService(const std::string& name,
                                                  const Relaying& relaying) {
  const google::protobuf::ServiceDescriptor* const description =
      google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(name);
  return std::make_unique<RelayedService>(*description, relaying);
}

}  // namespace cox::relay
