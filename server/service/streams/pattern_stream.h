// One EvaluatePattern stream.
#ifndef COX_SERVICE_STREAMS_PATTERN_STREAM_H_
#define COX_SERVICE_STREAMS_PATTERN_STREAM_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <atomic>
#include <cstdint>

#include "cox/v1/advice.pb.h"
#include "service/core.h"

namespace cox::service {

// Starts a stream that collects messages and prices them when the client has sent all, from the
// pool. Large messages are parsed on `core.parsers`. `held` counts the messages that all such
// streams hold. RESOURCE_EXHAUSTED over strategy::kMaxPatternMessages of one stream or
// kMaxPatternMessagesHeld of all; INVALID_ARGUMENT for a message that cannot be parsed, or would
// take far more memory than it has bytes. The reactor owns itself; `response` lives as long as the
// call.
using PatternReactor = grpc::ServerReadReactor<grpc::ByteBuffer>;
PatternReactor* StartPatternStream(const Core& core, const access::Principal& principal,
                                   std::atomic<int64_t>* held,
                                   v1::EvaluatePatternResponse* response);

}  // namespace cox::service

#endif  // COX_SERVICE_STREAMS_PATTERN_STREAM_H_
