// One call of coxd that has one answer, without the protobuf library (see wire.h). Blocks; any
// thread.
#ifndef COX_AGENT_STREAM_WIRE_UNARY_CALL_H_
#define COX_AGENT_STREAM_WIRE_UNARY_CALL_H_

#include <string>

#include "absl/status/statusor.h"

namespace cox::agent {

// The serialised response to a serialised request of `method` ("/cox.v1.AdviceService/GetTuning").
// The daemon's own status where it refuses; UNAVAILABLE where there is none, DEADLINE_EXCEEDED
// after `limit_s`.
absl::StatusOr<std::string> CallOnce(const std::string& target, const std::string& method,
                                     const std::string& request, double limit_s);

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_WIRE_UNARY_CALL_H_
