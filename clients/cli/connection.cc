#include "cli/connection.h"

#include <google/protobuf/message_lite.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/impl/client_unary_call.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/impl/rpc_method.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>
#include <grpcpp/support/status.h>
#include <grpcpp/support/sync_stream.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cli/rpc_error.h"
#include "files/file_io.h"
#include "servers/checked_channel.h"
#include "servers/first_ready.h"
#include "servers/server_list.h"

namespace cox::cli {
namespace {

using WallClock = std::chrono::system_clock;
using google::protobuf::MessageLite;
using grpc::internal::RpcMethod;

// How the names of methods begin that change nothing (the API's own rule for names).
constexpr absl::string_view kQuestions[] = {
    "BatchRecommend", "Check",   "Count",     "Evaluate", "Explain", "Get",   "Infer",
    "List",           "Predict", "Recommend", "Reduce",   "Suggest", "WhoAmI"};

bool IsQuestion(absl::string_view path) {
  const absl::string_view name = path.substr(path.rfind('/') + 1);
  return std::any_of(std::begin(kQuestions), std::end(kQuestions),
                     [name](absl::string_view start) { return absl::StartsWith(name, start); });
}

// Whether the daemon ended, or stopped, before it answered. Depending on the moment gRPC has
// several codes for it; the daemon's own errors have details.
bool HasEnded(const grpc::Status& status) {
  switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::CANCELLED:
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return true;
    case grpc::StatusCode::UNKNOWN:
    case grpc::StatusCode::INTERNAL:
      return status.error_details().empty();
    default:
      return false;
  }
}

// What the daemon puts its version into.
constexpr char kVersionHeader[] = "coxd-version";

// Lists of many observations and tuning texts are far below this.
constexpr int kMaxReceiveBytes = 64 << 20;
// The longest wait between two attempts, even if coxd asks for more: there may be room before.
constexpr double kMaxRetryDelay_s = 5;

WallClock::time_point DeadlineAfter(double timeout_s) {
  if (timeout_s <= 0) return WallClock::time_point::max();
  return WallClock::now() +
         std::chrono::duration_cast<WallClock::duration>(std::chrono::duration<double>(timeout_s));
}

// A file for TLS.
struct PemFile {
  const char* option;
  const std::string& path;
  absl::string_view label;  // as each block of this kind in a PEM file has it
  const char* content;
  std::string& text;
};

// gRPC does not say which file it cannot read.
absl::Status ReadPem(const PemFile& file) {
  absl::StatusOr<std::string> text = ReadFile(file.path);
  if (!text.ok()) return text.status();
  if (!absl::StrContains(*text, file.label)) {
    return absl::InvalidArgumentError(
        absl::StrCat(file.option, ": ", file.path, " holds no ", file.content,
                     " in PEM; convert it with openssl, or name another file"));
  }
  file.text = *std::move(text);
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> MakeChannelCredentials(
    const Credentials& credentials) {
  if (credentials.tls_certificate.empty() != credentials.tls_key.empty()) {
    return absl::InvalidArgumentError("--tls-certificate and --tls-key need each other");
  }
  if (credentials.tls_ca.empty() && !credentials.tls_certificate.empty()) {
    return absl::InvalidArgumentError(
        "--tls-certificate needs --tls-ca: without it cox does not speak TLS");
  }
  if (credentials.tls_ca.empty()) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions options;
  const PemFile files[] = {
      {"--tls-ca", credentials.tls_ca, "CERTIFICATE-----", "certificate", options.pem_root_certs},
      {"--tls-certificate", credentials.tls_certificate, "CERTIFICATE-----", "certificate",
       options.pem_cert_chain},
      {"--tls-key", credentials.tls_key, "PRIVATE KEY-----", "private key",
       options.pem_private_key}};
  for (const PemFile& file : files) {
    if (file.path.empty()) continue;
    if (absl::Status read = ReadPem(file); !read.ok()) return read;
  }
  return grpc::SslCredentials(options);
}

}  // namespace

Connection::Connection(std::string server, std::optional<double> timeout_s, Credentials credentials)
    : server_(std::move(server)),
      timeout_given_(timeout_s.has_value()),
      timeout_s_(timeout_s.value_or(kDefaultTimeout_s)),
      credentials_(std::move(credentials)) {}

Connection::~Connection() = default;

absl::Status Connection::CheckAddress(absl::string_view server) {
  return servers::ParseServers(server).status();
}

void Connection::AllowAtLeast(double timeout_s) {
  if (!timeout_given_) timeout_s_ = std::max(timeout_s_, timeout_s);
}

absl::Status Connection::Open() {
  if (!daemons_.empty()) return absl::OkStatus();
  const absl::StatusOr<std::vector<std::string>> servers = servers::ParseServers(server_);
  if (!servers.ok()) return servers.status();
  if (!credentials_.token_file.empty()) {
    for (const std::string& server : *servers) {
      if (absl::Status safe = CheckTokenIsSafe(server, credentials_); !safe.ok()) return safe;
    }
    const absl::StatusOr<std::string> token = ReadToken(credentials_.token_file);
    if (!token.ok()) return token.status();
    authorization_ = absl::StrCat("Bearer ", *token);
  }
  if (!authorization_.empty() && !credentials_.munge.reader.empty()) {
    return absl::InvalidArgumentError(
        "--token-file and --munge exclude each other (also as COX_TOKEN_FILE and COX_MUNGE)");
  }
  const auto channel_credentials = MakeChannelCredentials(credentials_);
  if (!channel_credentials.ok()) return channel_credentials.status();
  for (std::string& address : servers::Shuffled(*servers, servers::RandomSeed())) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(kMaxReceiveBytes);
    // coxd is never behind a web proxy.
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    servers::AddBalancing(address, &arguments);
    daemons_.emplace_back(servers::CheckedChannel::Options{.server = std::move(address),
                                                           .user = CoxdUser(credentials_),
                                                           .credentials = *channel_credentials,
                                                           .arguments = arguments});
  }
  return absl::OkStatus();
}

absl::Status Connection::Choose(TimePoint deadline) {
  if (channel_ != nullptr) {
    absl::StatusOr<std::shared_ptr<grpc::Channel>> again = daemons_.front().Get();
    channel_ = again.ok() ? *std::move(again) : nullptr;
    if (channel_ != nullptr) return absl::OkStatus();
  }
  const servers::Usable usable = servers::FindUsable(absl::MakeSpan(daemons_));
  std::optional<size_t> chosen;
  if (daemons_.size() > 1 && !usable.channels.empty()) {
    chosen = servers::FirstReady(usable.channels, deadline);
  } else if (!usable.channels.empty()) {
    chosen = 0;
  }
  if (chosen) {
    const auto index = static_cast<std::ptrdiff_t>(usable.indices[*chosen]);
    std::rotate(daemons_.begin(), daemons_.begin() + index, daemons_.end());
    channel_ = usable.channels[*chosen];
    return absl::OkStatus();
  }
  if (!usable.problem.ok() && !absl::IsUnavailable(usable.problem)) return usable.problem;
  if (WallClock::now() >= deadline) {
    return FromRpc(grpc::Status(grpc::StatusCode::DEADLINE_EXCEEDED, ""), server_);
  }
  const std::string why =
      daemons_.size() > 1 ? "no connection succeeded" : std::string(usable.problem.message());
  return FromRpc(grpc::Status(grpc::StatusCode::UNAVAILABLE, why), server_);
}

void Connection::Leave() {
  std::rotate(daemons_.begin(), daemons_.begin() + 1, daemons_.end());
  channel_ = nullptr;
}

absl::Status Connection::Told(const grpc::Status& status) const {
  const std::string message =
      servers::WithServer(status.error_message(), daemons_.front().server());
  return FromRpc(grpc::Status(status.error_code(), message, status.error_details()), server_);
}

absl::Status Connection::Sign(const char* path, grpc::ClientContext& context) const {
  if (!authorization_.empty()) context.AddMetadata("authorization", authorization_);
  if (credentials_.munge.reader.empty() || !munge::IsUseful(daemons_.front().server()))
    return absl::OkStatus();
  // A credential is good for one call.
  const auto authorization =
      munge::Authorization(credentials_.munge, daemons_.front().server(), path);
  if (authorization.ok()) context.AddMetadata("authorization", *authorization);
  return authorization.status();
}

absl::Status Connection::Connect() {
  if (absl::Status opened = Open(); !opened.ok()) return opened;
  const WallClock::time_point deadline = DeadlineAfter(timeout_s_);
  if (absl::Status chosen = Choose(deadline); !chosen.ok()) return chosen;
  grpc_connectivity_state state = channel_->GetState(/*try_to_connect=*/true);
  while (state != GRPC_CHANNEL_READY) {
    // A refused connection is final; the caller may try again.
    if (state == GRPC_CHANNEL_TRANSIENT_FAILURE || state == GRPC_CHANNEL_SHUTDOWN) {
      return FromRpc(grpc::Status(grpc::StatusCode::UNAVAILABLE, "connection failed"), server_);
    }
    if (!channel_->WaitForStateChange(state, deadline)) {
      return FromRpc(grpc::Status(grpc::StatusCode::DEADLINE_EXCEEDED, ""), server_);
    }
    state = channel_->GetState(/*try_to_connect=*/true);
  }
  return absl::OkStatus();
}

// These functions replace the generated stubs, for any message: their headers compile slowly.

absl::Status Connection::CallOnce(const char* path, const MessageLite& request,
                                  MessageLite& response) {
  if (absl::Status opened = Open(); !opened.ok()) return opened;
  return Retried(path, [&](grpc::ClientContext& context) {
    const RpcMethod method(path, /*suffix_for_stats=*/nullptr, RpcMethod::NORMAL_RPC, channel_);
    response.Clear();
    return grpc::internal::BlockingUnaryCall<MessageLite, MessageLite, MessageLite, MessageLite>(
        channel_.get(), method, &context, request, &response);
  });
}

absl::Status Connection::SendAll(const char* path, const std::vector<const MessageLite*>& requests,
                                 MessageLite& response) {
  if (absl::Status opened = Open(); !opened.ok()) return opened;
  return Retried(path, [&](grpc::ClientContext& context) {
    const RpcMethod method(path, nullptr, RpcMethod::CLIENT_STREAMING, channel_);
    response.Clear();
    const std::unique_ptr<grpc::ClientWriter<MessageLite>> writer(
        grpc::internal::ClientWriterFactory<MessageLite>::Create(channel_.get(), method, &context,
                                                                 &response));
    for (const MessageLite* request : requests) {
      // The daemon has ended the stream: Finish() says why.
      if (!writer->Write(*request)) break;
    }
    writer->WritesDone();
    return writer->Finish();
  });
}

absl::Status Connection::ReadAll(const char* path, const MessageLite& request,
                                 MessageLite& response, const std::function<bool()>& go_on) {
  if (absl::Status opened = Open(); !opened.ok()) return opened;
  const TimePoint deadline = DeadlineAfter(timeout_s_);
  if (absl::Status chosen = Choose(deadline); !chosen.ok()) return chosen;
  const RpcMethod method(path, nullptr, RpcMethod::SERVER_STREAMING, channel_);
  grpc::ClientContext context;
  if (absl::Status is_signed = Sign(path, context); !is_signed.ok()) return is_signed;
  const std::unique_ptr<grpc::ClientReader<MessageLite>> reader(
      grpc::internal::ClientReaderFactory<MessageLite>::Create(channel_.get(), method, &context,
                                                               request));
  while (reader->Read(&response)) {
    if (go_on()) continue;
    context.TryCancel();
    reader->Finish();
    return absl::OkStatus();
  }
  return Told(reader->Finish());
}

absl::Status Connection::Retried(const char* path, const Attempt& attempt) {
  const WallClock::time_point deadline = DeadlineAfter(timeout_s_);
  size_t others = IsQuestion(path) ? daemons_.size() - 1 : 0;
  while (true) {
    if (absl::Status chosen = Choose(deadline); !chosen.ok()) return chosen;
    grpc::ClientContext context;
    // A daemon that hangs takes its share of the time, and leaves the others theirs.
    const auto share = (deadline - WallClock::now()) / static_cast<WallClock::rep>(others + 1);
    if (timeout_s_ > 0) context.set_deadline(others > 0 ? WallClock::now() + share : deadline);
    if (absl::Status is_signed = Sign(path, context); !is_signed.ok()) return is_signed;
    const grpc::Status status = attempt(context);
    const auto& metadata = context.GetServerInitialMetadata();
    const auto version = metadata.find(kVersionHeader);
    server_version_.clear();
    if (version != metadata.end()) {
      server_version_.assign(version->second.data(), version->second.size());
    }
    if (HasEnded(status) && others > 0) {
      --others;
      // It may still accept connections while it ends.
      Leave();
      continue;
    }
    if (status.error_code() != grpc::StatusCode::RESOURCE_EXHAUSTED) {
      return Told(status);
    }
    const double delay_s = RetryDelayOf(status);
    const std::chrono::duration<double> left = deadline - WallClock::now();
    // coxd says that no attempt within the timeout would help.
    if (delay_s <= 0 || (timeout_s_ > 0 && delay_s >= left.count())) return Told(status);
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(delay_s, kMaxRetryDelay_s)));
  }
}

}  // namespace cox::cli
