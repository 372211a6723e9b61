#include "servers/first_ready.h"

#include <algorithm>

#include "servers/server_list.h"

namespace cox::servers {
namespace {

using Clock = std::chrono::system_clock;

// A daemon on the same network accepts within a few milliseconds.
constexpr std::chrono::milliseconds kHeadStart{50};

constexpr char kRoundRobin[] =
    R"({"loadBalancingConfig":[{"round_robin":{}}],"healthCheckConfig":{"serviceName":""}})";

bool HasFailed(grpc_connectivity_state state) {
  return state == GRPC_CHANNEL_TRANSIENT_FAILURE || state == GRPC_CHANNEL_SHUTDOWN;
}

}  // namespace

void AddBalancing(const std::string& server, grpc::ChannelArguments* arguments) {
  if (IsDnsName(server)) arguments->SetServiceConfigJSON(kRoundRobin);
}

std::optional<size_t> FirstReady(const Channels& channels, Clock::time_point deadline) {
  size_t begun = 1;
  while (true) {
    // The newest connection that has not failed.
    std::optional<size_t> hopeful;
    for (size_t i = 0; i < begun; ++i) {
      const grpc_connectivity_state state = channels[i]->GetState(/*try_to_connect=*/true);
      if (state == GRPC_CHANNEL_READY) return i;
      if (!HasFailed(state)) hopeful = i;
    }
    const bool is_last = begun == channels.size();
    if ((is_last && !hopeful) || Clock::now() >= deadline) return std::nullopt;
    bool changed = false;
    if (hopeful) {
      const grpc_connectivity_state state = channels[*hopeful]->GetState(false);
      changed = channels[*hopeful]->WaitForStateChange(
          state, std::min(deadline, Clock::now() + kHeadStart));
    }
    const bool newest_failed = hopeful != begun - 1;
    if (!is_last && (newest_failed || !changed)) ++begun;
  }
}

}  // namespace cox::servers
