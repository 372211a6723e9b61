// One unary call to coxd, without the protobuf library (wire.h). Blocks; any thread.
#ifndef COX_AGENT_STREAM_WIRE_UNARY_CALL_H_
#define COX_AGENT_STREAM_WIRE_UNARY_CALL_H_

#include <string>

#include "absl/status/statusor.h"

namespace cox::agent {

// Sends a serialised request to `method` ("/cox.v1.AdviceService/GetTuning"), returns the
// serialised response. `servers` is COX_SERVER; of several daemons the first answers that can.
// Errors: coxd's own status when it refuses; UNAVAILABLE without a daemon; DEADLINE_EXCEEDED after
// `limit_s`; INVALID_ARGUMENT as servers::ParseServers(); PERMISSION_DENIED as
// servers::CheckedChannel::Get().
absl::StatusOr<std::string> CallOnce(const std::string& servers, const std::string& method,
                                     const std::string& request, double limit_s);

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_WIRE_UNARY_CALL_H_
