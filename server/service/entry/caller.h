// Identifies the caller of a gRPC call.
#ifndef COX_SERVICE_ENTRY_CALLER_H_
#define COX_SERVICE_ENTRY_CALLER_H_

#include <grpcpp/server_context.h>

#include "absl/status/statusor.h"
#include "access/access.h"

namespace cox::service {

// Metadata of a call that the daemon's own gateway makes for a client who came over TLS. Anybody
// may send it: it gives no right, and without a token or a certificate it takes the anonymous role.
inline constexpr const char* kOverTls = "cox-over-tls";

// `method`: "cox.v1.AdviceService/Recommend". Fails as Access::Identify() does. Any thread, while
// the call lives.
absl::StatusOr<access::Principal> IdentifyCaller(const access::Access& access,
                                                 const grpc::ServerContextBase& context,
                                                 absl::string_view method);

}  // namespace cox::service

#endif  // COX_SERVICE_ENTRY_CALLER_H_
