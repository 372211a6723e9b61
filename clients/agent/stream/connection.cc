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
  explicit State(const std::string& list) {
    absl::StatusOr<std::vector<std::string>> parsed = InOwnOrder(list);
    if (parsed.ok()) {
      servers = *std::move(parsed);
    } else {
      problem = std::string(parsed.status().message());
    }
    if (servers.size() == 1) Use(servers.front(), OpenChannel(servers.front()));
  }

  void Use(const std::string& server, std::shared_ptr<grpc::Channel> channel) {
    target = server;
    stub = std::make_unique<grpc::GenericStub>(std::move(channel));
  }

  // False if no daemon accepts. New channels, because old ones would wait before they try again.
  bool ChooseAgain() {
    servers::Channels channels;
    for (const std::string& server : servers) channels.push_back(OpenChannel(server));
    const std::optional<size_t> chosen =
        servers::FirstReady(channels, std::chrono::system_clock::now() + kConnectPatience);
    if (chosen) Use(servers[*chosen], channels[*chosen]);
    return chosen.has_value();
  }

  // Waits for the only pending operation.
  bool Wait() {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  }

  std::vector<std::string> servers;
  std::string problem;  // with the list of servers
  std::string target;   // the server in use
  std::unique_ptr<grpc::GenericStub> stub;
  grpc::CompletionQueue queue;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call;
  std::mutex mutex;
  std::unique_ptr<grpc::ClientContext> context;  // guarded by mutex
};

Connection::Connection(const std::string& servers) : state_(std::make_unique<State>(servers)) {}
Connection::~Connection() { state_->queue.Shutdown(); }

bool Connection::has_several_servers() const { return state_->servers.size() > 1; }

bool Connection::Start() {
  if (state_->servers.empty()) return false;
  if (state_->servers.size() > 1 && !state_->ChooseAgain()) {
    state_->problem = "no daemon accepts a connection";
    return false;
  }
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
  return status.error_message();
}

void Connection::Cancel() {
  std::lock_guard lock(state_->mutex);
  if (state_->context != nullptr) state_->context->TryCancel();
}

}  // namespace cox::agent
