// The daemon's gRPC server: all services over one store, with health, reflection, bounds and a
// clean end.
#ifndef COX_SERVICE_SERVER_H_
#define COX_SERVICE_SERVER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "daemon/config.h"

namespace grpc {
class Service;
}

namespace cox::service {

class Server {
 public:
  // Opens the store, learns what it holds, listens. `extra_services` (for measuring) are served too
  // and outlive the server.
  static absl::StatusOr<std::unique_ptr<Server>> Start(
      const daemon::Config& config, const std::vector<grpc::Service*>& extra_services = {});

  virtual ~Server() = default;  // drains, if Drain() was not called

  // Where it listens, with the real port.
  virtual std::string address() const = 0;

  // Health goes to NOT_SERVING, streams are ended, open calls get the drain timeout, everything
  // that was taken is committed. Call from an ordinary thread, once.
  virtual void Drain() = 0;
};

}  // namespace cox::service

#endif  // COX_SERVICE_SERVER_H_
