// Identifies the caller of a gRPC call.
#ifndef COX_SERVICE_ENTRY_CALLER_H_
#define COX_SERVICE_ENTRY_CALLER_H_

#include <grpcpp/server_context.h>

#include "absl/status/statusor.h"
#include "access/access.h"
#include "service/entry/known_callers.h"

namespace cox::service {

// `known`: whom the gateway has found out; null: there is no gateway. `method`:
// "cox.v1.AdviceService/Recommend". Fails as Access::Identify() does. Any thread, while the call
// lives.
absl::StatusOr<access::Principal> IdentifyCaller(const access::Access& access, KnownCallers* known,
                                                 const grpc::ServerContextBase& context,
                                                 absl::string_view method);

}  // namespace cox::service

#endif  // COX_SERVICE_ENTRY_CALLER_H_
