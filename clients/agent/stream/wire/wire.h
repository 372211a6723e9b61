// Protocol Buffers' wire format for the two messages that the plugin exchanges:
// StreamObservationsRequest out, StreamObservationsResponse in (cox/v1/observation.proto; tests
// hold this to the generated code).
//
// By hand, because the protobuf library keeps one registry per process: a second user of it in the
// same process, an application's own, may find names taken and end the process. Pure, any thread.
#ifndef COX_AGENT_STREAM_WIRE_WIRE_H_
#define COX_AGENT_STREAM_WIRE_WIRE_H_

#include <optional>
#include <string>
#include <string_view>

#include "agent/stream/observation.h"

namespace cox::agent {

// A StreamObservationsRequest with this batch that may register machines.
std::string EncodeRequest(const Batch& batch);

struct Response {
  int64_t sequence = 0;
  int64_t error_code = 0;  // google.rpc.Code; 0: stored
  std::string error_message;
  double retry_delay_s = 0;
};

// nullopt when it is not a message. Fields that are not known are skipped.
std::optional<Response> DecodeResponse(std::string_view bytes);

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_WIRE_WIRE_H_
