// The bounds of a gRPC server: connections, streams, threads, sizes of messages, memory of buffers.
#ifndef COX_SERVICE_ENTRY_BUILDER_LIMITS_H_
#define COX_SERVICE_ENTRY_BUILDER_LIMITS_H_

#include <grpcpp/server_builder.h>

#include "daemon/config.h"

namespace cox::service {

// When the server takes a silent peer for dead.
struct Keepalive {
  int silence_ms = 60'000;   // then it sends a ping
  int patience_ms = 20'000;  // for the answer
};

// Before the server is built. It closes connections that are idle, that do not start gRPC, or whose
// peer is gone, and refuses compressed messages with UNIMPLEMENTED. A quarter of max-memory is for
// gRPC's buffers.
void AddLimits(const daemon::Config& config, grpc::ServerBuilder* builder,
               const Keepalive& keepalive = {});

}  // namespace cox::service

#endif  // COX_SERVICE_ENTRY_BUILDER_LIMITS_H_
