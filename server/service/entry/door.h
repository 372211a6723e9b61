// The door of a service: every call of it passes here first, and no other way leads in.
//
// A door has the methods of the service behind it. It finds out who calls, looks up in
// access::Rules() what the method needs, and refuses the call before its request is parsed, or
// hands it on. Any thread.
#ifndef COX_SERVICE_ENTRY_DOOR_H_
#define COX_SERVICE_ENTRY_DOOR_H_

#include <grpcpp/impl/service_type.h>

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "access/access.h"

namespace cox::service {

// Hears of calls that were refused, and of allowed ones that need at least an operator. Must be
// quick.
using DoorWatcher = std::function<void(const access::Principal& principal, const access::Rule& rule,
                                       const absl::Status& allowed)>;

// A service to register in place of `service`, which is called `name` ("cox.v1.AdviceService") and
// has callback methods only. All that is given outlives it. FAILED_PRECONDITION if a method has no
// row in access::Rules().
absl::StatusOr<std::unique_ptr<grpc::Service>> MakeDoor(const std::string& name,
                                                        grpc::Service* service,
                                                        const access::Access* access,
                                                        DoorWatcher watcher);

// Who makes the call whose handler runs on this thread. Only until the handler returns: what goes
// on elsewhere needs a copy.
const access::Principal& CallingPrincipal();

}  // namespace cox::service

#endif  // COX_SERVICE_ENTRY_DOOR_H_
