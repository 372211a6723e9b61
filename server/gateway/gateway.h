// The daemon over HTTP: its API by the Connect protocol, health, metrics, and a page for people.
//
// It is a client of the daemon's own gRPC server: HTTP and gRPC answer by the same code.
#ifndef COX_GATEWAY_GATEWAY_H_
#define COX_GATEWAY_GATEWAY_H_

#include <chrono>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "gateway/metrics.h"
#include "gateway/transport/http_server.h"
#include "service/server.h"

namespace cox::gateway {

class Gateway {
 public:
  // `server` outlives the gateway. Drain the gateway before the server. Fails as
  // HttpServer::Listen() does.
  static absl::StatusOr<std::unique_ptr<Gateway>> Start(const std::string& address,
                                                        const HttpLimits& limits,
                                                        service::Server* server,
                                                        std::shared_ptr<Metrics> metrics);
  // Disconnects all clients.
  virtual ~Gateway() = default;

  virtual std::string address() const = 0;

  // Whether a new client gets an answer to /healthz within `timeout`. Any thread.
  virtual bool Answers(std::chrono::microseconds timeout) const = 0;

  // Waits a moment for open calls, and ends streams. Then the gateway makes no more calls to the
  // server: /readyz and calls answer 503. Call it once, before the server is drained.
  virtual void Drain() = 0;
};

}  // namespace cox::gateway

#endif  // COX_GATEWAY_GATEWAY_H_
