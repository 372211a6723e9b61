#include "relay/upstream.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <grpcpp/support/channel_arguments.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "access/private_file.h"
#include "daemon/log.h"
#include "daemon/wall_clock.h"
#include "domain/reports/final_answer.h"
#include "service/status.h"

namespace cox::relay {
namespace {

// A coxd that needs longer for one call's batches is taken to hang.
constexpr std::chrono::seconds kPatience{30};
// Callers with less patience say nothing about coxd.
constexpr std::chrono::milliseconds kLeastWait{250};
constexpr std::chrono::seconds kMostSilence{2};
constexpr int kMaxReceiveBytes = 64 << 20;
constexpr int kReconnectMs = 200;
constexpr int kMaxReconnectMs = 2'000;
constexpr size_t kMaxTokenBytes = 4'096;
constexpr unsigned kCaInterval_s = 2;
// Responses that nobody has read may fill the stream's window, and coxd then reads no more.
constexpr size_t kMostUnread = 32;

absl::StatusOr<std::string> ReadWhole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || text.str().empty()) {
    return absl::NotFoundError(absl::StrCat(path, ": cannot be read, or is empty"));
  }
  return text.str();
}

// UNAVAILABLE: the file has none. FAILED_PRECONDITION: every user may read or write it.
absl::StatusOr<std::string> ReadToken(const std::string& path) {
  if (access::IsOpenToAll(path)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "relay-token-file: ", path, ": every user may read or write it; run chmod o-rwx"));
  }
  const absl::StatusOr<std::string> text = ReadWhole(path);
  const absl::string_view token =
      text.ok() ? absl::StripAsciiWhitespace(*text) : absl::string_view();
  // gRPC ends the process when it is given other bytes as metadata.
  if (token.empty() || token.size() > kMaxTokenBytes ||
      !std::all_of(token.begin(), token.end(), [](char c) { return absl::ascii_isgraph(c); })) {
    return absl::UnavailableError(absl::StrCat("relay-token-file ", path, " has no token now"));
  }
  return std::string(token);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Upstream>> Upstream::Open(const daemon::Config& config) {
  std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
  if (!config.relay_tls_ca.empty()) {
    const absl::StatusOr<std::string> roots = ReadWhole(config.relay_tls_ca);
    if (!roots.ok()) return roots.status();
    // A changed file counts for new connections.
    grpc::experimental::TlsChannelCredentialsOptions options;
    options.set_certificate_provider(
        std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(config.relay_tls_ca,
                                                                             kCaInterval_s));
    options.watch_root_certs();
    credentials = grpc::experimental::TlsCredentials(options);
  }
  if (!config.relay_token_file.empty()) {
    absl::Status token = ReadWhole(config.relay_token_file).status();
    if (token.ok()) token = ReadToken(config.relay_token_file).status();
    // One without a token may get it later.
    if (!token.ok() && !absl::IsUnavailable(token)) return token;
  }
  std::vector<std::shared_ptr<grpc::Channel>> channels;
  for (const std::string& address : config.relay) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(kMaxReceiveBytes);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    // Three megabytes of a false coxd would become gigabytes here. coxd compresses nothing.
    arguments.SetInt(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
    arguments.SetInt(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, 1 << GRPC_COMPRESS_NONE);
    arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kReconnectMs);
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kReconnectMs);
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMaxReconnectMs);
    channels.push_back(grpc::CreateCustomChannel(address, credentials, arguments));
  }
  return std::unique_ptr<Upstream>(new Upstream(std::move(channels), config.relay_token_file));
}

const std::shared_ptr<grpc::Channel>& Upstream::Channel(size_t used) const {
  return channels_[used % channels_.size()];
}

Upstream::Attempt Upstream::Begin() const {
  return {.used = used_, .begin = std::chrono::steady_clock::now()};
}

void Upstream::LearnFrom(const Attempt& attempt, grpc::StatusCode code) {
  if (attempt.used != used_) return;
  if (code == grpc::StatusCode::UNAVAILABLE) {
    Leave(attempt.used);
    return;
  }
  const bool is_silent =
      code == grpc::StatusCode::DEADLINE_EXCEEDED || code == grpc::StatusCode::CANCELLED;
  const auto now = std::chrono::steady_clock::now();
  if (is_silent && now - attempt.begin < kLeastWait) return;
  {
    const std::lock_guard lock(silence_mutex_);
    if (is_silent) {
      silence_ += now - std::max(attempt.begin, counted_until_);
    } else {
      silence_ = {};
    }
    counted_until_ = now;
    if (silence_ < kMostSilence) return;
  }
  Leave(attempt.used);
}

void Upstream::Leave(size_t used) {
  if (!used_.compare_exchange_strong(used, used + 1)) return;
  const std::lock_guard lock(silence_mutex_);
  silence_ = {};
}

absl::Status Upstream::Sign(grpc::ClientContext* context) {
  if (token_file_.empty()) return absl::OkStatus();
  // At each call, so that a new token needs no restart.
  const absl::StatusOr<std::string> token = ReadToken(token_file_);
  if (absl::IsUnavailable(token.status())) return token.status();
  const std::lock_guard lock(mutex_);
  if (token.ok()) {
    token_ = *token;
  } else if (token_.empty()) {
    return absl::UnavailableError(token.status().message());
  } else if (open_files_.Admit(daemon::NowMicros())) {
    daemon::Log(daemon::LogLevel::kError, "keeps the last good file",
                {{"problem", std::string(token.status().message())}});
  }
  context->AddMetadata("authorization", absl::StrCat("Bearer ", token_));
  return absl::OkStatus();
}

void Upstream::TellBroken(const grpc::Status& status) {
  const bool is_refused = status.error_code() == grpc::StatusCode::UNAUTHENTICATED ||
                          status.error_code() == grpc::StatusCode::PERMISSION_DENIED;
  if (is_refused && !refusals_.Admit(daemon::NowMicros())) return;
  daemon::Log(
      is_refused ? daemon::LogLevel::kError : daemon::LogLevel::kDebug,
      is_refused ? "coxd refuses the relay; see relay-token-file" : "the stream to coxd broke",
      {{"code", absl::StrCat(status.error_code())}, {"error", status.error_message()}});
}

std::vector<v1::StreamObservationsResponse> Upstream::Send(
    const std::vector<store::WaitingBatch>& batches) {
  std::vector<v1::StreamObservationsResponse> responses;
  if (batches.empty()) return responses;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kPatience);
  if (const absl::Status is_signed = Sign(&context); !is_signed.ok()) {
    if (refusals_.Admit(daemon::NowMicros())) {
      daemon::Log(daemon::LogLevel::kError, "reports wait",
                  {{"error", std::string(is_signed.message())}});
    }
    return responses;
  }
  {
    const std::lock_guard lock(mutex_);
    if (cancelled_) return responses;
    sending_ = &context;
  }
  const size_t used = used_;
  const std::shared_ptr<grpc::Channel> channel = Channel(used);
  const grpc::internal::RpcMethod method("/cox.v1.ObservationService/StreamObservations", nullptr,
                                         grpc::internal::RpcMethod::BIDI_STREAMING, channel);
  const std::unique_ptr<grpc::ClientReaderWriter<grpc::ByteBuffer, v1::StreamObservationsResponse>>
      stream(grpc::internal::ClientReaderWriterFactory<
             grpc::ByteBuffer, v1::StreamObservationsResponse>::Create(channel.get(), method,
                                                                       &context));
  const auto read = [&stream, &responses] {
    v1::StreamObservationsResponse response;
    if (!stream->Read(&response)) return false;
    responses.push_back(std::move(response));
    return true;
  };
  bool goes_on = true;
  for (size_t i = 0; goes_on && i < batches.size(); ++i) {
    const grpc::Slice slice(batches[i].bytes);
    if (!stream->Write(grpc::ByteBuffer(&slice, 1))) break;
    if (i + 1 - responses.size() >= kMostUnread) goes_on = read();
  }
  stream->WritesDone();
  while (goes_on && responses.size() < batches.size()) goes_on = read();
  const grpc::Status status = stream->Finish();
  {
    const std::lock_guard lock(mutex_);
    sending_ = nullptr;
  }
  const bool is_broken = responses.size() < batches.size();
  if (is_broken) TellBroken(status);
  // It takes nobody's batches now; another coxd may.
  const bool takes_none =
      !responses.empty() &&
      std::all_of(responses.begin(), responses.end(), [](const auto& response) {
        return domain::MayAnotherTake(response.error_code(), response.error_message());
      });
  if (is_broken || takes_none) Leave(used);
  return responses;
}

void Upstream::Cancel() {
  const std::lock_guard lock(mutex_);
  cancelled_ = true;
  if (sending_ != nullptr) sending_->TryCancel();
  for (grpc::ClientContext* const context : reporting_) context->TryCancel();
}

Upstream::~Upstream() {
  Cancel();
  std::unique_lock lock(mutex_);
  report_has_ended_.wait(lock, [this] { return unfinished_reports_ == 0; });
}

void Upstream::Ask(const std::string& method, grpc::ClientContext* context,
                   const grpc::ByteBuffer* request, grpc::ByteBuffer* response,
                   std::function<void(grpc::Status)> done) {
  if (const absl::Status is_signed = Sign(context); !is_signed.ok()) {
    done({grpc::StatusCode::UNAVAILABLE, std::string(is_signed.message())});
    return;
  }
  const Attempt attempt = Begin();
  grpc::GenericStub(Channel(attempt.used))
      .UnaryCall(context, method, grpc::StubOptions(), request, response,
                 [this, attempt, done = std::move(done)](const grpc::Status& status) {
                   LearnFrom(attempt, status.error_code());
                   done(status);
                 });
}

grpc::Status Upstream::ListEndedJobs(grpc::ClientContext* context,
                                     const v1::ListEndedJobsRequest& request,
                                     v1::ListEndedJobsResponse* response) {
  if (const absl::Status is_signed = Sign(context); !is_signed.ok()) {
    return {grpc::StatusCode::UNAVAILABLE, std::string(is_signed.message())};
  }
  return v1::AccessService::NewStub(Channel(used_))->ListEndedJobs(context, request, response);
}

void Upstream::Report(grpc::ClientContext* context, const v1::ReportObservationsRequest* request,
                      v1::ReportObservationsResponse* response,
                      std::function<void(grpc::Status)> done) {
  if (const absl::Status is_signed = Sign(context); !is_signed.ok()) {
    done({grpc::StatusCode::UNAVAILABLE, std::string(is_signed.message())});
    return;
  }
  bool begins = false;
  {
    const std::lock_guard lock(mutex_);
    begins = !cancelled_;
    if (begins) {
      reporting_.insert(context);
      ++unfinished_reports_;
    }
  }
  if (!begins) {
    done(service::ToGrpc(service::ShuttingDown("the relay is ending; send the batch again")));
    return;
  }
  const Attempt attempt = Begin();
  v1::ObservationService::NewStub(Channel(attempt.used))
      ->async()
      ->ReportObservations(
          context, request, response,
          [this, context, attempt, done = std::move(done)](grpc::Status status) mutable {
            LearnFrom(attempt, status.error_code());
            {
              const std::lock_guard lock(mutex_);
              reporting_.erase(context);
              if (cancelled_ && status.error_code() == grpc::StatusCode::CANCELLED) {
                status = service::ToGrpc(
                    service::ShuttingDown("the relay is ending before coxd has answered; coxd may "
                                          "have stored the batch"));
              }
            }
            done(status);
            // What it holds goes before those it points to.
            done = nullptr;
            const std::lock_guard lock(mutex_);
            --unfinished_reports_;
            report_has_ended_.notify_all();
          });
}

}  // namespace cox::relay
