// gRPC's channel to coxd and its buffers, for all calls of the plugin: without the protobuf library
// (wire.h). Any thread.
#ifndef COX_AGENT_STREAM_CHANNEL_H_
#define COX_AGENT_STREAM_CHANNEL_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/byte_buffer.h>

#include <memory>
#include <string>

namespace cox::agent {

// `target` is a gRPC target: "127.0.0.1:7077", "unix:/run/coxd.sock". Connects at the first call.
std::shared_ptr<grpc::Channel> OpenChannel(const std::string& target);

// Adds the token in the file that COX_TOKEN_FILE names to a call. Without such a file, or if
// `target` is on another host (the agent has no TLS), the call has none.
void Sign(const std::string& target, grpc::ClientContext* context);

// "" when the buffer cannot be read.
std::string ToString(const grpc::ByteBuffer& buffer);

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_CHANNEL_H_
