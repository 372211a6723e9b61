#include "cli/connection.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <algorithm>
#include <thread>

#include "absl/strings/str_cat.h"

namespace cox::cli {
namespace {

using Clock = std::chrono::system_clock;

// Lists of many observations and tuning texts are far below this.
constexpr int kMaxReceiveBytes = 64 << 20;
// Waits no longer than this between two attempts, whatever the daemon says.
constexpr double kMaxRetryDelay_s = 5;

Clock::time_point DeadlineAfter(double timeout_s) {
  if (timeout_s <= 0) return Clock::time_point::max();
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout_s));
}

}  // namespace

Connection::Connection(std::string server, std::optional<double> timeout_s)
    : server_(std::move(server)),
      timeout_given_(timeout_s.has_value()),
      timeout_s_(timeout_s.value_or(kUsualTimeout_s)) {}

void Connection::AllowAtLeast(double timeout_s) {
  if (!timeout_given_) timeout_s_ = std::max(timeout_s_, timeout_s);
}

const std::shared_ptr<grpc::Channel>& Connection::channel() {
  if (channel_ == nullptr) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(kMaxReceiveBytes);
    // A proxy for the web is never the way to a site's daemon.
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    channel_ = grpc::CreateCustomChannel(server_, grpc::InsecureChannelCredentials(), arguments);
  }
  return channel_;
}

absl::Status Connection::Connect() {
  const Clock::time_point deadline = DeadlineAfter(timeout_s_);
  grpc_connectivity_state state = channel()->GetState(/*try_to_connect=*/true);
  while (state != GRPC_CHANNEL_READY) {
    // A refused connection is final here: whoever asks can ask again.
    if (state == GRPC_CHANNEL_TRANSIENT_FAILURE || state == GRPC_CHANNEL_SHUTDOWN) {
      return FromRpc(grpc::Status(grpc::StatusCode::UNAVAILABLE, "connection failed"), server_);
    }
    if (!channel()->WaitForStateChange(state, deadline)) {
      return FromRpc(grpc::Status(grpc::StatusCode::DEADLINE_EXCEEDED, ""), server_);
    }
    state = channel()->GetState(/*try_to_connect=*/true);
  }
  return absl::OkStatus();
}

absl::Status Connection::Retried(const Attempt& attempt) {
  const Clock::time_point deadline = DeadlineAfter(timeout_s_);
  while (true) {
    grpc::ClientContext context;
    if (timeout_s_ > 0) context.set_deadline(deadline);
    const grpc::Status status = attempt(context);
    if (status.error_code() != grpc::StatusCode::RESOURCE_EXHAUSTED) {
      return FromRpc(status, server_);
    }
    const double delay_s = std::min(RetryDelayOf(status), kMaxRetryDelay_s);
    const auto delay =
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(delay_s));
    if (delay_s <= 0 || (timeout_s_ > 0 && Clock::now() + delay >= deadline)) {
      return FromRpc(status, server_);
    }
    std::this_thread::sleep_for(delay);
  }
}

}  // namespace cox::cli
