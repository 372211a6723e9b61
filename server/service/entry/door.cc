#include "service/entry/door.h"

#include <google/protobuf/descriptor.h>
#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpcpp/generic/async_generic_service.h>  // CallbackBidiHandler
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/rpc_service_method.h>
#include <grpcpp/support/slice.h>

#include <deque>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "service/entry/caller.h"
#include "service/entry/machines_named.h"
#include "service/entry/parsed_size.h"
#include "service/status.h"

namespace cox::service {
namespace {

using grpc::internal::MethodHandler;
using grpc::internal::RpcMethod;

struct Calling {
  const access::Principal* principal;
  const access::Rule* rule;
};
thread_local Calling calling = {};

// A smaller request takes little memory when it is parsed, so its parts are not counted.
constexpr size_t kSmallBytes = 512;

size_t BytesOf(void* request) {
  return request == nullptr ? 0 : grpc_byte_buffer_length(static_cast<grpc_byte_buffer*>(request));
}

// Ends a call of any kind with a status.
class Refusal : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  explicit Refusal(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

RpcMethod::RpcType TypeOf(const google::protobuf::MethodDescriptor& method) {
  if (method.client_streaming()) {
    return method.server_streaming() ? RpcMethod::BIDI_STREAMING : RpcMethod::CLIENT_STREAMING;
  }
  return method.server_streaming() ? RpcMethod::SERVER_STREAMING : RpcMethod::NORMAL_RPC;
}

class GuardedHandler : public MethodHandler {
 public:
  // `request_type`: null for a method with a stream of requests.
  GuardedHandler(MethodHandler* inside, const google::protobuf::Descriptor* request_type,
                 const access::Rule* rule, const DoorNeeds& needs, DoorWatcher watcher)
      : inside_(inside),
        request_type_(request_type),
        has_request_(request_type != nullptr),
        rule_(rule),
        needs_(needs),
        watcher_(std::move(watcher)) {}

  // The bytes of the request, as they came: nobody's, until it is known whose.
  void* Deserialize(grpc_call* /*call*/, grpc_byte_buffer* request, grpc::Status* /*status*/,
                    void** /*handler_data*/) override {
    return request;
  }

  void RunHandler(const HandlerParameter& call) override {
    if (!needs_.turnstile->Admit()) {
      Refuse(call, ShuttingDown("coxd is ending: call again later, or another coxd"));
      return;
    }
    absl::StatusOr<access::Principal> principal =
        IdentifyCaller(*needs_.access, needs_.known_callers, *call.server_context, rule_->method);
    const absl::Status allowed = principal.ok() ? Allowed(*principal) : principal.status();
    if (!allowed.ok() || rule_->role >= access::Role::kOperator) {
      watcher_(principal.value_or(access::Principal()), *rule_, allowed);
    }
    if (!allowed.ok()) {
      Refuse(call, allowed);
      return;
    }
    if (!has_request_ || BytesOf(call.request) <= kQuickBytes) {
      LetIn(call, *principal, ParsedBytesOf(call.request));
      return;
    }
    const auto parse = [this, call, caller = *principal] {
      const absl::StatusOr<int64_t> parsed_bytes = CheckSize(call.request);
      if (parsed_bytes.ok()) {
        LetIn(call, caller, *parsed_bytes);
      } else {
        Refuse(call, parsed_bytes.status());
      }
    };
    const absl::Status taken =
        needs_.parsers->Run(principal->name, parse, static_cast<int64_t>(BytesOf(call.request)));
    if (!taken.ok()) Refuse(call, taken);
  }

 private:
  // A request in one piece; empty if it cannot be read.
  static grpc::Slice WholeOf(void* request) {
    grpc_byte_buffer_reader reader;
    if (grpc_byte_buffer_reader_init(&reader, static_cast<grpc_byte_buffer*>(request)) == 0) {
      return {};
    }
    const absl::Cleanup end = [&reader] { grpc_byte_buffer_reader_destroy(&reader); };
    return {grpc_byte_buffer_reader_readall(&reader), grpc::Slice::STEAL_REF};
  }

  absl::StatusOr<int64_t> CheckSize(void* request) const {
    return CheckParsedSize(*request_type_, ViewOf(WholeOf(request)));
  }

  // 0 for a small request, and for bytes that nobody can parse: they hold nothing more.
  int64_t ParsedBytesOf(void* request) const {
    if (BytesOf(request) <= kSmallBytes) return 0;
    return ParsedBytes(*request_type_, ViewOf(WholeOf(request))).value_or(0);
  }

  // If the caller sees the machines that the request names, and there is memory for it.
  void LetIn(const HandlerParameter& call, const access::Principal& principal,
             int64_t parsed_bytes) {
    absl::Status seen;
    if (has_request_ && call.request != nullptr && !needs_.access->SeesAllMachines(principal)) {
      seen = CheckMachinesNamed(*needs_.access, principal, *request_type_,
                                ViewOf(WholeOf(call.request)));
    }
    if (seen.ok() && has_request_) {
      seen = needs_.calls->Enter(call.server_context, principal.name,
                                 static_cast<int64_t>(BytesOf(call.request)) + parsed_bytes);
    }
    if (seen.ok()) {
      HandOn(call, principal);
    } else {
      Refuse(call, seen);
    }
  }

  // Parses the request, and lets the service answer it.
  void HandOn(const HandlerParameter& call, const access::Principal& principal) {
    void* request = nullptr;
    void* data = nullptr;
    grpc::Status parsed;
    if (has_request_) {
      request = inside_->Deserialize(call.call->call(),
                                     static_cast<grpc_byte_buffer*>(call.request), &parsed, &data);
    }
    calling = {&principal, rule_};
    const absl::Cleanup forget = [] { calling = {}; };
    inside_->RunHandler(HandlerParameter(call.call, call.server_context, request, parsed, data,
                                         call.call_requester));
  }

  absl::Status Allowed(const access::Principal& principal) const {
    absl::Status allowed = access::Access::Check(principal, *rule_);
    if (!allowed.ok() || rule_->kind != access::CallKind::kHeavy) return allowed;
    return needs_.quotas->Take(principal, access::Quota::kQuestions, 1);
  }

  void Refuse(const HandlerParameter& call, const absl::Status& status) const {
    if (has_request_ && call.request != nullptr) {
      grpc_byte_buffer_destroy(static_cast<grpc_byte_buffer*>(call.request));
    }
    // The handler is needed only to begin the call.
    grpc::internal::CallbackBidiHandler<grpc::ByteBuffer, grpc::ByteBuffer> refuse(
        [&status](grpc::CallbackServerContext* /*context*/) {
          return new Refusal(ToGrpc(status));
        });
    refuse.RunHandler(call);
  }

  MethodHandler* const inside_;
  const google::protobuf::Descriptor* const request_type_;
  const bool has_request_;
  const access::Rule* const rule_;
  const DoorNeeds needs_;
  const DoorWatcher watcher_;
};

class Door : public grpc::Service {
 public:
  absl::Status Open(const std::string& name, grpc::Service* service, const DoorNeeds& needs,
                    const DoorWatcher& watcher) {
    const google::protobuf::ServiceDescriptor* const description =
        google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(name);
    if (description == nullptr) return absl::InternalError(absl::StrCat("no service ", name));
    for (int i = 0; i < description->method_count(); ++i) {
      const google::protobuf::MethodDescriptor& method = *description->method(i);
      const access::Rule* const rule = access::FindRule(absl::StrCat(name, "/", method.name()));
      if (rule == nullptr) {
        return absl::FailedPreconditionError(absl::StrCat(
            name, "/", method.name(), " has no row in the table of roles (access/rules.cc)"));
      }
      const std::string& path = paths_.emplace_back(absl::StrCat("/", name, "/", method.name()));
      AddMethod(new grpc::internal::RpcServiceMethod(path.c_str(), TypeOf(method), nullptr));
      // Protected, but a service's own methods may ask any other service for it.
      MethodHandler* const inside = (service->*(&Door::GetHandler))(i);
      MarkMethodCallback(
          i, new GuardedHandler(inside, method.client_streaming() ? nullptr : method.input_type(),
                                rule, needs, watcher));
    }
    return absl::OkStatus();
  }

 private:
  std::deque<std::string> paths_;  // gRPC keeps pointers to them
};

}  // namespace

absl::StatusOr<std::unique_ptr<grpc::Service>> MakeDoor(const std::string& name,
                                                        grpc::Service* service,
                                                        const DoorNeeds& needs,
                                                        const DoorWatcher& watcher) {
  auto door = std::make_unique<Door>();
  if (absl::Status opened = door->Open(name, service, needs, watcher); !opened.ok()) return opened;
  return door;
}

const access::Principal& CallingPrincipal() { return *calling.principal; }

store::Actor CallingActor() {
  return {.principal = calling.principal->name, .method = std::string(calling.rule->method)};
}

}  // namespace cox::service
