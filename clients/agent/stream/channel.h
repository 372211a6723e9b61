// gRPC's channel to coxd and its buffers, for all calls of the plugin: without the protobuf library
// (wire.h). Any thread.
#ifndef COX_AGENT_STREAM_CHANNEL_H_
#define COX_AGENT_STREAM_CHANNEL_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/byte_buffer.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "servers/checked_channel.h"

namespace cox::agent {

// A channel to each address of COX_SERVER, in an order of this process's own. They check the owner
// of a Unix socket: coxd's user is in COX_SERVER_USER, else in COX_MUNGE. INVALID_ARGUMENT as
// servers::ParseServers().
absl::StatusOr<std::vector<servers::CheckedChannel>> MakeChannels(const std::string& servers);

// The credential of this job: the word in the file that COX_JOB_CREDENTIAL names. Each step has a
// file of its own on each node, and MPICH's launcher hands its own variables to ranks on other
// nodes: where that file is missing, that of the step that has started the rank. "" without one.
std::string JobCredential();

// Says who makes a call of the method `path`, and for which job: by a credential of munge if
// COX_MUNGE names coxd's user, with the job's credential in it; else, on this host only, by the
// token in the file that COX_TOKEN_FILE names, else by the job's credential. Whatever cannot be
// made is left out.
void Sign(const std::string& target, const std::string& path, grpc::ClientContext* context);

// "" when the buffer cannot be read.
std::string ToString(const grpc::ByteBuffer& buffer);

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_CHANNEL_H_
