// The door of a service: every call passes it before the service sees the call.
//
// A door has the methods of the service behind it. It finds out who calls, or takes what the
// gateway has found out. It looks up in access::Rules() what the method needs, and refuses the call
// before its request is parsed, or hands it on. Heavy calls count against the caller's quota. Large
// requests are parsed by threads of their own, in turn with those of other callers, unless they
// would take far more memory than bytes. What a parsed request holds counts until its call is done.
// Any thread.
#ifndef COX_SERVICE_ENTRY_DOOR_H_
#define COX_SERVICE_ENTRY_DOOR_H_

#include <grpcpp/impl/service_type.h>

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "access/access.h"
#include "access/quotas.h"
#include "daemon/blocking_pool.h"
#include "service/entry/known_callers.h"
#include "service/entry/turnstile.h"
#include "service/streams/open_calls.h"
#include "store/records.h"

namespace cox::service {

// The door calls it for each refused call, and for each allowed call that needs at least an
// operator. It must be quick.
using DoorWatcher = std::function<void(const access::Principal& principal, const access::Rule& rule,
                                       const absl::Status& allowed)>;

// gRPC has as few as two threads for all connections. A larger request takes milliseconds to parse,
// and everybody whose bytes have come would wait for it.
inline constexpr size_t kQuickBytes = size_t{64} << 10;

// What all doors share; outlives them.
struct DoorNeeds {
  const access::Access* access;
  KnownCallers* known_callers;  // of the gateway; null: there is none
  access::Quotas* quotas;
  Turnstile* turnstile;  // calls that it does not admit are UNAVAILABLE
  OpenCalls* calls;      // a request for which it has no memory is RESOURCE_EXHAUSTED
  // For large requests, and what their handlers do at once. Its queue is bounded in bytes.
  daemon::BlockingPool* parsers;
};

// A service to register in place of `service`, which is called `name` ("cox.v1.AdviceService"), has
// callback methods only, and outlives the door. FAILED_PRECONDITION if a method has no row in
// access::Rules().
absl::StatusOr<std::unique_ptr<grpc::Service>> MakeDoor(const std::string& name,
                                                        grpc::Service* service,
                                                        const DoorNeeds& needs,
                                                        const DoorWatcher& watcher);

// The principal of the call whose handler runs on this thread. Valid until the handler returns;
// work on another thread needs a copy.
const access::Principal& CallingPrincipal();

// The same caller and its method, for the audit of what it changes.
store::Actor CallingActor();

}  // namespace cox::service

#endif  // COX_SERVICE_ENTRY_DOOR_H_
