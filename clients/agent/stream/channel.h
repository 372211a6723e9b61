// gRPC's channel to coxd and its buffers, for all calls of the plugin: without the protobuf library
// (wire.h). Any thread.
#ifndef COX_AGENT_STREAM_CHANNEL_H_
#define COX_AGENT_STREAM_CHANNEL_H_

#include <grpcpp/channel.h>
#include <grpcpp/support/byte_buffer.h>

#include <memory>
#include <string>

namespace cox::agent {

// `target` is a gRPC target: "127.0.0.1:7077", "unix:/run/coxd.sock". Connects at the first call.
std::shared_ptr<grpc::Channel> OpenChannel(const std::string& target);

// "" when the buffer cannot be read.
std::string ToString(const grpc::ByteBuffer& buffer);

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_CHANNEL_H_
