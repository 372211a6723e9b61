// Protocol Buffers' wire format of the two messages of the observation stream:
// StreamObservationsRequest out, StreamObservationsResponse in (cox/v1/observation.proto; tests
// compare with the generated code).
//
// Hand-written, because the protobuf library has one registry per process: an application with its
// own protobuf may find names taken, and end. Pure, any thread.
#ifndef COX_AGENT_STREAM_WIRE_WIRE_H_
#define COX_AGENT_STREAM_WIRE_WIRE_H_

#include <optional>
#include <string>
#include <string_view>

#include "agent/stream/observation.h"

namespace cox::agent {

// A StreamObservationsRequest with this batch; coxd may register the machine.
std::string EncodeRequest(const Batch& batch);

struct Response {
  int64_t sequence = 0;
  int64_t error_code = 0;  // google.rpc.Code; 0: stored
  std::string error_message;
  double retry_delay_s = 0;
  // Observations of a stored batch that are not stored, and why.
  int64_t refused_count = 0;
  std::string refused_reason;
};

// nullopt when the bytes are not a message. Skips unknown fields.
std::optional<Response> DecodeResponse(std::string_view bytes);

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_WIRE_WIRE_H_
