#include "agent/stream/wire/unary_call.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <chrono>

#include "agent/stream/channel.h"

namespace cox::agent {

absl::StatusOr<std::string> CallOnce(const std::string& target, const std::string& method,
                                     const std::string& request, double limit_s) {
  grpc::GenericStub stub(OpenChannel(target));
  grpc::CompletionQueue queue;
  grpc::ClientContext context;
  Sign(target, method, &context);
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::duration_cast<std::chrono::system_clock::duration>(
                           std::chrono::duration<double>(limit_s)));
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

}  // namespace cox::agent
