#include "agent/stream/connection.h"

#include <grpc/support/log.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <mutex>
#include <vector>

namespace cox::agent {
namespace {

constexpr char kMethod[] = "/cox.v1.ObservationService/StreamObservations";
constexpr int kReconnectMs = 1'000;
constexpr int kMaxReconnectMs = 30'000;

std::shared_ptr<grpc::Channel> OpenChannel(const std::string& target) {
  // gRPC's own lines on stderr are not the application's business.
  gpr_set_log_function([](gpr_log_func_args*) {});
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kReconnectMs);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kReconnectMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMaxReconnectMs);
  arguments.SetUserAgentPrefix("cox-agent");
  return grpc::CreateCustomChannel(target, grpc::InsecureChannelCredentials(), arguments);
}

std::string ToString(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string text;
  if (!buffer.Dump(&slices).ok()) return text;
  for (const grpc::Slice& slice : slices) {
    text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return text;
}

}  // namespace

struct Connection::State {
  explicit State(const std::string& target) : stub(OpenChannel(target)) {}

  // The one operation that is under way.
  bool Wait() {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  }

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
