#include "gateway/connect.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "access/rules.h"
#include "domain/errors.h"
#include "gateway/codec.h"
#include "gateway/connect_envelope.h"
#include "gateway/connect_error.h"
#include "gateway/grpc_call.h"
#include "gateway/method.h"
#include "service/status.h"

namespace cox::gateway {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::MethodDescriptor;
using std::chrono::milliseconds;

constexpr milliseconds kDefaultTimeout = std::chrono::minutes(1);
constexpr milliseconds kLongestTimeout = std::chrono::hours(1);
// Of a request that is a stream. Its body is bounded, too.
constexpr size_t kMaxMessages = 10'000;

const grpc::Status kEnding(grpc::StatusCode::UNAVAILABLE, "the daemon is ending; connect again");

bool IsPrintable(absl::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

// A stream has no deadline unless its client sets one.
absl::StatusOr<CallOptions> OptionsOf(const HttpRequest& request, bool in_envelopes) {
  if (const absl::string_view version = request.Header("connect-protocol-version");
      !version.empty() && version != "1") {
    return domain::InvalidField("Connect-Protocol-Version", "must be 1");
  }
  CallOptions options;
  options.is_awaited = request.is_client_there;
  const absl::string_view timeout = request.Header("connect-timeout-ms");
  if (!in_envelopes || !timeout.empty()) {
    const absl::StatusOr<milliseconds> parsed = ParseTimeout(timeout);
    if (!parsed.ok()) return parsed.status();
    if (*parsed == milliseconds(0)) {
      return absl::DeadlineExceededError("request: Connect-Timeout-Ms is 0");
    }
    options.timeout = *parsed;
  }
  return options;
}

using Ticket = service::KnownCallers::Ticket;

// Finds out who calls, and what the call's role is; null: the method needs none.
absl::StatusOr<std::shared_ptr<const Ticket>> Identify(const HttpRequest& request,
                                                       const MethodDescriptor& method,
                                                       service::Server& server) {
  const access::Rule* const rule = access::FindRule(PathOf(method).substr(1));
  if (rule == nullptr) return nullptr;
  const absl::string_view authorization = request.Header("authorization");
  if (!IsPrintable(authorization)) {
    return domain::InvalidField("Authorization", "must be printable ASCII");
  }
  absl::StatusOr<std::unique_ptr<Ticket>> ticket =
      server.Identify({.peer = access::kOverHttp,
                       .authorization = access::HeaderOf(authorization),
                       .is_encrypted = request.is_encrypted,
                       .method = rule->method},
                      *rule);
  if (!ticket.ok()) return ticket.status();
  return *std::move(ticket);
}

absl::string_view OwnerOf(const Ticket* ticket) {
  return ticket == nullptr ? "" : absl::string_view(ticket->principal());
}

// Sends the messages of a call in envelopes; the last one says how the call ended.
class MessageStream : public BodyStream {
 public:
  MessageStream(grpc::GenericStub& stub, const MethodDescriptor& method, Encoding encoding,
                const std::vector<std::string>& requests, const CallOptions& options,
                std::shared_ptr<const Ticket> ticket, const CallGate* gate, CallPlaces* places)
      : ticket_(std::move(ticket)),
        type_(*method.output_type()),
        encoding_(encoding),
        gate_(gate),
        places_(places),
        call_(stub, PathOf(method), requests, options) {}
  ~MessageStream() override { places_->GiveBack(ticket_.get()); }

  bool Next(milliseconds patience, std::string* piece) override {
    std::string wire;
    switch (call_.Next(patience, &wire)) {
      case StreamCall::Outcome::kNothingYet:
        if (!gate_->closed()) return true;
        *piece = Envelope(kEndOfStreamFlag, EndOfStreamJson(kEnding));
        return false;
      case StreamCall::Outcome::kEnded:
        *piece = Envelope(kEndOfStreamFlag, EndOfStreamJson(call_.status()));
        return false;
      case StreamCall::Outcome::kMessage:
        break;
    }
    const absl::StatusOr<std::string> message = WriteMessage(encoding_, type_, std::move(wire));
    if (!message.ok()) {
      *piece = Envelope(kEndOfStreamFlag, EndOfStreamJson(service::ToGrpc(message.status())));
      return false;
    }
    *piece = Envelope(kMessageFlags, *message);
    return true;
  }

 private:
  const std::shared_ptr<const Ticket> ticket_;
  const Descriptor& type_;
  const Encoding encoding_;
  const CallGate* const gate_;
  CallPlaces* const places_;  // this stream has one
  StreamCall call_;
};

// The messages of a request, as protobuf's bytes.
absl::StatusOr<std::vector<std::string>> ReadMessages(const ContentType& type,
                                                      const MethodDescriptor& method,
                                                      absl::string_view body) {
  std::vector<absl::string_view> messages = {body};
  if (type.in_envelopes) {
    auto opened = OpenEnvelopes(body, method.client_streaming() ? kMaxMessages : 1);
    if (!opened.ok()) return opened.status();
    messages = *std::move(opened);
  }
  std::vector<std::string> wire;
  wire.reserve(messages.size());
  for (const absl::string_view message : messages) {
    absl::StatusOr<std::string> read = ReadMessage(type.encoding, *method.input_type(), message);
    if (!read.ok()) return read.status();
    wire.push_back(*std::move(read));
  }
  return wire;
}

}  // namespace

absl::StatusOr<milliseconds> ParseTimeout(absl::string_view header) {
  if (header.empty()) return kDefaultTimeout;
  int64_t ms = 0;
  const bool is_number =
      header.size() <= 10 && header.find_first_not_of("0123456789") == absl::string_view::npos;
  if (!is_number || !absl::SimpleAtoi(header, &ms)) {
    return domain::InvalidField("Connect-Timeout-Ms", "must be 1 to 10 digits, in milliseconds");
  }
  return std::min(milliseconds(ms), kLongestTimeout);
}

absl::Status CallPlaces::Take(const Ticket* ticket) {
  const absl::string_view owner = OwnerOf(ticket);
  const std::lock_guard lock(mutex_);
  const bool is_taken = ticket != nullptr && ticket->is_operator() ? places_.TakeFree(owner, 1)
                                                                   : places_.Take(owner, 1);
  if (is_taken) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("too many ", what_, " over HTTP: ", places_.held(), " of ", places_.limit(),
                   " are open, ", places_.HeldBy(owner), " of ", owner, "; try again later"));
}

void CallPlaces::GiveBack(const Ticket* ticket) {
  const std::lock_guard lock(mutex_);
  places_.GiveBack(OwnerOf(ticket), 1);
}

HttpResponse ConnectCaller::Answer(const HttpRequest& request) {
  if (!gate_->Enter()) return ErrorResponse(kEnding);
  HttpResponse response = Call(request);
  gate_->Leave();
  return response;
}

HttpResponse ConnectCaller::Call(const HttpRequest& request) {
  const MethodDescriptor* method = FindMethod(request.path);
  if (method == nullptr) {
    return ErrorResponse(404, grpc::StatusCode::UNIMPLEMENTED,
                         absl::StrCat("request: there is no method ", request.path,
                                      "; a path is /cox.v1.AdviceService/Recommend, for example"));
  }
  const bool is_stream = method->client_streaming() || method->server_streaming();
  const std::optional<ContentType> type = ParseContentType(request.Header("content-type"));
  if (!type || type->in_envelopes != is_stream) {
    return ErrorResponse(
        415, grpc::StatusCode::UNIMPLEMENTED,
        absl::StrCat(
            "request: the Content-Type of ", method->full_name(), " must be application/",
            is_stream ? "connect+json or application/connect+proto" : "json or application/proto"));
  }
  absl::StatusOr<CallOptions> options = OptionsOf(request, type->in_envelopes);
  if (!options.ok()) return ErrorResponse(service::ToGrpc(options.status()));
  const absl::StatusOr<std::shared_ptr<const Ticket>> ticket = Identify(request, *method, *server_);
  if (!ticket.ok()) return ErrorResponse(service::ToGrpc(ticket.status()));
  if (*ticket != nullptr) options->ticket = (*ticket)->text();

  HttpResponse response;
  response.content_type = type->Name();
  response.headers = {{"Cache-Control", "no-store"}};
  // Connect has no other status than 200 for streams; errors are in the last message.
  const auto fail = [&](const grpc::Status& status) {
    if (!type->in_envelopes) return ErrorResponse(status);
    response.body = Envelope(kEndOfStreamFlag, EndOfStreamJson(status));
    return response;
  };

  std::vector<std::string> wire;
  if (*ticket != nullptr && !(*ticket)->allowed().ok()) {
    wire.emplace_back();  // the door refuses the call, and notes that it did
  } else {
    absl::StatusOr<std::vector<std::string>> read = ReadMessages(*type, *method, request.body);
    if (!read.ok()) return fail(service::ToGrpc(read.status()));
    wire = *std::move(read);
  }

  if (type->in_envelopes) {
    if (absl::Status taken = streams_.Take(ticket->get()); !taken.ok()) {
      return ErrorResponse(service::ToGrpc(taken));
    }
    response.stream = std::make_shared<MessageStream>(stub_, *method, type->encoding, wire,
                                                      *options, *ticket, gate_, &streams_);
    return response;
  }
  const bool is_operator = *ticket != nullptr && (*ticket)->is_operator();
  if (!is_operator) {
    if (absl::Status taken = calls_.Take(ticket->get()); !taken.ok()) {
      return ErrorResponse(service::ToGrpc(taken));
    }
  }
  const absl::Cleanup give_back = [&] {
    if (!is_operator) calls_.GiveBack(ticket->get());
  };
  std::string answer;
  const grpc::Status status = CallUnary(stub_, PathOf(*method), wire.front(), *options, &answer);
  if (!status.ok()) return ErrorResponse(status);
  absl::StatusOr<std::string> text =
      WriteMessage(type->encoding, *method->output_type(), std::move(answer));
  if (!text.ok()) return ErrorResponse(service::ToGrpc(text.status()));
  response.body = *std::move(text);
  return response;
}

}  // namespace cox::gateway
