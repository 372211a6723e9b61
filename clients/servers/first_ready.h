// Connects to the first of several daemons that accepts. Any thread.
//
// gRPC's round_robin balances the addresses of one DNS name. It cannot combine names, numbers and
// Unix sockets, so a list of them has a channel for each, and this order: the next daemon is tried
// as soon as one refuses, or after a head start when one does not answer.
#ifndef COX_SERVERS_FIRST_READY_H_
#define COX_SERVERS_FIRST_READY_H_

#include <grpcpp/channel.h>
#include <grpcpp/support/channel_arguments.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cox::servers {

using Channels = std::vector<std::shared_ptr<grpc::Channel>>;

// Adds to the arguments of a channel to `server`: for a dns:HOST:PORT round_robin over its
// addresses, without those whose health says that they do not serve.
void AddBalancing(const std::string& server, grpc::ChannelArguments* arguments);

// The index of a channel that is connected; nullopt if all fail, or none is at `deadline`. Blocks
// until then. `channels` is not empty. Starts no more connections than it needs.
std::optional<size_t> FirstReady(const Channels& channels,
                                 std::chrono::system_clock::time_point deadline);

}  // namespace cox::servers

#endif  // COX_SERVERS_FIRST_READY_H_
