// One service of the API as a relay offers it: takes reports into the queue, passes questions on,
// and refuses the rest in words. Stands behind the same door as coxd's own services, which has
// checked the caller's role.
#ifndef COX_RELAY_RELAYED_SERVICE_H_
#define COX_RELAY_RELAYED_SERVICE_H_

#include <grpcpp/impl/service_type.h>

#include <cstdint>
#include <memory>
#include <string>

#include "access/access.h"
#include "access/quotas.h"
#include "daemon/blocking_pool.h"
#include "daemon/host/memory_budget.h"
#include "relay/first_report_quota.h"
#include "relay/forward_queue.h"
#include "relay/upstream.h"
#include "service/streams/open_calls.h"
#include "service/streams/stream_registry.h"

namespace cox::relay {

// They outlive the service.
struct Relaying {
  const access::Access* access;
  ForwardQueue* queue;
  Upstream* upstream;
  service::StreamRegistry* streams;
  service::OpenCalls* calls;
  daemon::BlockingPool* parsers;  // of large reports; bounded by their bytes
  access::Quotas* quotas;
  FirstReportQuota* machine_quota;
  FirstReportQuota* scenario_quota;
  daemon::MemoryBudget* memory;
  bool reporters_create_machines;
  int64_t most_batch_bytes;  // what coxd would take, if it has the same max-message
};

// `name` is a service of the API ("cox.v1.AdviceService").
std::unique_ptr<grpc::Service> MakeRelayedService(const std::string& name,
                                                  const Relaying& relaying);

}  // namespace cox::relay

#endif  // COX_RELAY_RELAYED_SERVICE_H_
