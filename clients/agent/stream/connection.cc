#include "agent/stream/connection.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "agent/stream/channel.h"
#include "servers/first_ready.h"

namespace cox::agent {
namespace {

constexpr char kMethod[] = "/cox.v1.ObservationService/StreamObservations";
constexpr std::chrono::seconds kConnectPatience{5};

}  // namespace

struct Connection::State {
  explicit State(const std::string& servers) : list(servers) {
    absl::StatusOr<std::vector<servers::CheckedChannel>> made = MakeChannels(list);
    if (made.ok()) {
      daemons = *std::move(made);
    } else {
      problem = std::string(made.status().message());
    }
  }

  // False, with `problem`, if no daemon accepts, or the sockets are not coxd's.
  bool Choose() {
    // New channels, because old ones would wait before they try again.
    if (daemons.size() > 1) daemons = *MakeChannels(list);
    const servers::Usable usable = servers::FindUsable(absl::MakeSpan(daemons));
    problem = std::string(usable.problem.message());
    if (usable.channels.empty()) return false;
    size_t chosen = 0;
    if (daemons.size() > 1) {
      const auto ready =
          servers::FirstReady(usable.channels, std::chrono::system_clock::now() + kConnectPatience);
      if (!ready) {
        if (problem.empty()) problem = "no daemon accepts a connection";
        return false;
      }
      chosen = *ready;
    }
    target = daemons[usable.indices[chosen]].server();
    stub = std::make_unique<grpc::GenericStub>(usable.channels[chosen]);
    return true;
  }

  // Waits for the only pending operation.
  bool Wait() {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  }

  const std::string list;  // of the servers
  std::vector<servers::CheckedChannel> daemons;
  std::string problem;  // why there is no call
  std::string target;   // the server in use
  std::unique_ptr<grpc::GenericStub> stub;
  grpc::CompletionQueue queue;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call;
  std::mutex mutex;
  std::unique_ptr<grpc::ClientContext> context;  // guarded by mutex
};

Connection::Connection(const std::string& servers) : state_(std::make_unique<State>(servers)) {}
Connection::~Connection() { state_->queue.Shutdown(); }

bool Connection::has_several_servers() const { return state_->daemons.size() > 1; }

bool Connection::Start() {
  if (state_->daemons.empty()) return false;
  if (!state_->Choose()) return false;
  {
    std::lock_guard lock(state_->mutex);
    state_->context = std::make_unique<grpc::ClientContext>();
    Sign(state_->target, kMethod, state_->context.get());
    state_->call = state_->stub->PrepareCall(state_->context.get(), kMethod, &state_->queue);
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
  if (state_->call == nullptr) return state_->problem;
  Cancel();
  grpc::Status status;
  state_->call->Finish(&status, this);
  state_->Wait();
  std::lock_guard lock(state_->mutex);
  state_->call.reset();
  state_->context.reset();
  if (status.ok() || status.error_code() == grpc::StatusCode::CANCELLED) return "";
  return servers::WithServer(status.error_message(), state_->target);
}

void Connection::Cancel() {
  std::lock_guard lock(state_->mutex);
  if (state_->context != nullptr) state_->context->TryCancel();
}

}  // namespace cox::agent
