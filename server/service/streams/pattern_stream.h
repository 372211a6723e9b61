// One EvaluatePattern stream.
#ifndef COX_SERVICE_STREAMS_PATTERN_STREAM_H_
#define COX_SERVICE_STREAMS_PATTERN_STREAM_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <chrono>

#include "cox/v1/advice.pb.h"
#include "service/answers/pattern_answer.h"
#include "service/core.h"

namespace cox::service {

// Starts a stream that collects messages and prices them when the client has sent all, from the
// pool. Large messages are parsed on `core.parsers`. RESOURCE_EXHAUSTED over
// strategy::kMaxPatternMessages of one stream, or over the principal's share of
// kMaxPatternMessagesHeld, of which `all` knows who holds them. INVALID_ARGUMENT for a message that
// cannot be parsed, or would take far more memory than it has bytes. A client that has not sent all
// in kPatternTime is cut off. The reactor owns itself; `response` lives as long as the call.
inline constexpr std::chrono::milliseconds kPatternTime{120'000};
using PatternReactor = grpc::ServerReadReactor<grpc::ByteBuffer>;
PatternReactor* StartPatternStream(const Core& core, grpc::CallbackServerContext* context,
                                   const access::Principal& principal, PatternMessages* all,
                                   v1::EvaluatePatternResponse* response);

}  // namespace cox::service

#endif  // COX_SERVICE_STREAMS_PATTERN_STREAM_H_
