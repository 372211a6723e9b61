#include "agent/stream/wire/unary_call.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "agent/stream/channel.h"
#include "servers/first_ready.h"

namespace cox::agent {

namespace {

using TimePoint = std::chrono::system_clock::time_point;

absl::StatusOr<std::string> CallOne(const std::shared_ptr<grpc::Channel>& channel,
                                    const std::string& target, const std::string& method,
                                    const std::string& request, TimePoint deadline) {
  grpc::GenericStub stub(channel);
  grpc::CompletionQueue queue;
  grpc::ClientContext context;
  Sign(target, method, &context);
  context.set_deadline(deadline);
  const grpc::Slice slice(request);
  const grpc::ByteBuffer out(&slice, 1);
  const auto call = stub.PrepareUnaryCall(&context, method, out, &queue);
  call->StartCall();
  grpc::ByteBuffer in;
  grpc::Status status;
  call->Finish(&in, &status, &context);
  void* tag = nullptr;
  bool ok = false;
  const bool answered = queue.Next(&tag, &ok) && ok;
  queue.Shutdown();
  while (queue.Next(&tag, &ok)) {
  }
  if (!answered) return absl::UnavailableError("the call did not end");
  if (!status.ok()) {
    return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
  }
  return ToString(in);
}

// A daemon that hangs leaves the others their shares of the time.
TimePoint ShareOf(TimePoint deadline, size_t count) {
  const TimePoint now = std::chrono::system_clock::now();
  return now + (deadline - now) / static_cast<TimePoint::rep>(count);
}

// Whether the daemon ended or stopped meanwhile; gRPC has several codes for it.
bool HasEnded(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsCancelled(status) || absl::IsUnknown(status) ||
         absl::IsDeadlineExceeded(status);
}

}  // namespace

absl::StatusOr<std::string> CallOnce(const std::string& servers, const std::string& method,
                                     const std::string& request, double limit_s) {
  absl::StatusOr<std::vector<servers::CheckedChannel>> daemons = MakeChannels(servers);
  if (!daemons.ok()) return daemons.status();
  const TimePoint deadline = std::chrono::system_clock::now() +
                             std::chrono::duration_cast<std::chrono::system_clock::duration>(
                                 std::chrono::duration<double>(limit_s));
  servers::Usable usable = servers::FindUsable(absl::MakeSpan(*daemons));
  servers::Channels& channels = usable.channels;
  if (channels.empty()) return usable.problem;
  const auto ask = [&](size_t i, TimePoint until) {
    return CallOne(channels[i], (*daemons)[usable.indices[i]].server(), method, request, until);
  };
  while (channels.size() > 1) {
    const std::optional<size_t> chosen = servers::FirstReady(channels, deadline);
    if (!chosen) return absl::UnavailableError("no daemon accepts a connection");
    absl::StatusOr<std::string> answer = ask(*chosen, ShareOf(deadline, channels.size()));
    if (!HasEnded(answer.status())) return answer;
    channels.erase(channels.begin() + static_cast<std::ptrdiff_t>(*chosen));
    usable.indices.erase(usable.indices.begin() + static_cast<std::ptrdiff_t>(*chosen));
  }
  return ask(0, deadline);
}

}  // namespace cox::agent
