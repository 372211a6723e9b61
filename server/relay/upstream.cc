#include "relay/upstream.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "daemon/log.h"

namespace cox::relay {
namespace {

// A coxd that needs longer for one call's batches is taken to hang.
constexpr std::chrono::seconds kPatience{30};
constexpr int kMaxReceiveBytes = 64 << 20;
constexpr int kReconnectMs = 200;
constexpr int kMaxReconnectMs = 2'000;
constexpr size_t kMaxTokenBytes = 4'096;

absl::StatusOr<std::string> ReadWhole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || text.str().empty()) {
    return absl::NotFoundError(absl::StrCat(path, ": cannot be read, or is empty"));
  }
  return text.str();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Upstream>> Upstream::Open(const daemon::Config& config) {
  std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
  if (!config.relay_tls_ca.empty()) {
    absl::StatusOr<std::string> roots = ReadWhole(config.relay_tls_ca);
    if (!roots.ok()) return roots.status();
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = *std::move(roots);
    credentials = grpc::SslCredentials(options);
  }
  if (!config.relay_token_file.empty()) {
    const absl::StatusOr<std::string> token = ReadWhole(config.relay_token_file);
    if (!token.ok()) return token.status();
  }
  std::vector<std::shared_ptr<grpc::Channel>> channels;
  for (const std::string& address : config.relay) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(kMaxReceiveBytes);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kReconnectMs);
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kReconnectMs);
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMaxReconnectMs);
    channels.push_back(grpc::CreateCustomChannel(address, credentials, arguments));
  }
  return std::unique_ptr<Upstream>(new Upstream(std::move(channels), config.relay_token_file));
}

const std::shared_ptr<grpc::Channel>& Upstream::Channel() const {
  return channels_[used_ % channels_.size()];
}

void Upstream::Sign(grpc::ClientContext* context) const {
  if (token_file_.empty()) return;
  // At each call, so that a new token needs no restart.
  const absl::StatusOr<std::string> text = ReadWhole(token_file_);
  if (!text.ok()) return;
  const absl::string_view token = absl::StripAsciiWhitespace(*text);
  // gRPC ends the process when it is given other bytes as metadata.
  if (token.size() <= kMaxTokenBytes &&
      std::all_of(token.begin(), token.end(), [](char c) { return absl::ascii_isgraph(c); })) {
    context->AddMetadata("authorization", absl::StrCat("Bearer ", token));
  }
}

std::vector<v1::StreamObservationsResponse> Upstream::Send(
    const std::vector<store::WaitingBatch>& batches) {
  std::vector<v1::StreamObservationsResponse> responses;
  if (batches.empty()) return responses;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kPatience);
  Sign(&context);
  {
    const std::lock_guard lock(mutex_);
    if (cancelled_) return responses;
    sending_ = &context;
  }
  const grpc::internal::RpcMethod method("/cox.v1.ObservationService/StreamObservations", nullptr,
                                         grpc::internal::RpcMethod::BIDI_STREAMING, Channel());
  const std::unique_ptr<grpc::ClientReaderWriter<grpc::ByteBuffer, v1::StreamObservationsResponse>>
      stream(grpc::internal::ClientReaderWriterFactory<
             grpc::ByteBuffer, v1::StreamObservationsResponse>::Create(Channel().get(), method,
                                                                       &context));
  for (const store::WaitingBatch& batch : batches) {
    const grpc::Slice slice(batch.bytes);
    if (!stream->Write(grpc::ByteBuffer(&slice, 1))) break;
  }
  stream->WritesDone();
  v1::StreamObservationsResponse response;
  while (responses.size() < batches.size() && stream->Read(&response)) {
    responses.push_back(std::move(response));
  }
  const grpc::Status status = stream->Finish();
  {
    const std::lock_guard lock(mutex_);
    sending_ = nullptr;
  }
  if (responses.size() < batches.size()) {
    ++used_;
    daemon::Log(daemon::LogLevel::kDebug, "the stream to coxd broke",
                {{"code", absl::StrCat(status.error_code())}, {"error", status.error_message()}});
  }
  return responses;
}

void Upstream::Cancel() {
  const std::lock_guard lock(mutex_);
  cancelled_ = true;
  if (sending_ != nullptr) sending_->TryCancel();
}

void Upstream::Ask(const std::string& method, grpc::ClientContext* context,
                   const grpc::ByteBuffer* request, grpc::ByteBuffer* response,
                   std::function<void(grpc::Status)> done) {
  Sign(context);
  grpc::GenericStub(Channel()).UnaryCall(
      context, method, grpc::StubOptions(), request, response,
      [this, done = std::move(done)](const grpc::Status& status) {
        if (status.error_code() == grpc::StatusCode::UNAVAILABLE) ++used_;
        done(status);
      });
}

void Upstream::Report(grpc::ClientContext* context, const v1::ReportObservationsRequest* request,
                      v1::ReportObservationsResponse* response,
                      std::function<void(grpc::Status)> done) {
  Sign(context);
  v1::ObservationService::NewStub(Channel())->async()->ReportObservations(
      context, request, response, std::move(done));
}

}  // namespace cox::relay
