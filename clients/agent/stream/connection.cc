#include "agent/stream/connection.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <mutex>

#include "agent/stream/channel.h"

namespace cox::agent {
namespace {

constexpr char kMethod[] = "/cox.v1.ObservationService/StreamObservations";

}  // namespace

struct Connection::State {
  explicit State(const std::string& to) : target(to), stub(OpenChannel(to)) {}

  // Waits for the only pending operation.
  bool Wait() {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  }

  const std::string target;
  grpc::GenericStub stub;
  grpc::CompletionQueue queue;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call;
  std::mutex mutex;
  std::unique_ptr<grpc::ClientContext> context;  // guarded by mutex
};

Connection::Connection(const std::string& target) : state_(std::make_unique<State>(target)) {}
Connection::~Connection() { state_->queue.Shutdown(); }

bool Connection::Start() {
  {
    std::lock_guard lock(state_->mutex);
    state_->context = std::make_unique<grpc::ClientContext>();
    Sign(state_->target, kMethod, state_->context.get());
    state_->call = state_->stub.PrepareCall(state_->context.get(), kMethod, &state_->queue);
  }
  state_->call->StartCall(this);
  return state_->Wait();
}

bool Connection::Exchange(const std::string& request, std::string* response) {
  const grpc::Slice slice(request);
  state_->call->Write(grpc::ByteBuffer(&slice, 1), this);
  if (!state_->Wait()) return false;
  grpc::ByteBuffer buffer;
  state_->call->Read(&buffer, this);
  if (!state_->Wait()) return false;
  *response = ToString(buffer);
  return true;
}

std::string Connection::End() {
  Cancel();
  grpc::Status status;
  state_->call->Finish(&status, this);
  state_->Wait();
  std::lock_guard lock(state_->mutex);
  state_->call.reset();
  state_->context.reset();
  if (status.ok() || status.error_code() == grpc::StatusCode::CANCELLED) return "";
  return status.error_message();
}

void Connection::Cancel() {
  std::lock_guard lock(state_->mutex);
  if (state_->context != nullptr) state_->context->TryCancel();
}

}  // namespace cox::agent
