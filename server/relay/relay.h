// coxd as a relay (--relay): takes the reports of a node's or a rack's agents, keeps them on its
// disk until coxd has them, and passes questions on. Has no database, no learner and no HTTP.
#ifndef COX_RELAY_RELAY_H_
#define COX_RELAY_RELAY_H_

#include <memory>

#include "absl/status/statusor.h"
#include "daemon/config.h"
#include "service/server.h"

namespace cox::relay {

// Opens the spool and listens; config.relay has an address. ReadFacts() of the result is
// UNIMPLEMENTED.
absl::StatusOr<std::unique_ptr<service::Server>> StartRelay(const daemon::Config& config);

}  // namespace cox::relay

#endif  // COX_RELAY_RELAY_H_
