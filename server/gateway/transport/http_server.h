// HTTP/1.1, with TLS or on a loopback address: connections, limits and slow clients. What is
// answered is the handler's.
#ifndef COX_GATEWAY_TRANSPORT_HTTP_SERVER_H_
#define COX_GATEWAY_TRANSPORT_HTTP_SERVER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "access/tls/tls_files.h"
#include "gateway/http.h"

namespace cox::gateway {

struct HttpLimits {
  // Each has a thread. Over it the one that has waited for its client longest is closed; 503 if all
  // are being answered.
  size_t connections = 64;
  size_t requests_per_connection = 10'000;
  size_t head_bytes = 16'384;    // request line and headers; over it: 431
  int64_t body_bytes = 8 << 20;  // over it: 413
  // Of all connections together: what has come of bodies until their answers end. At least two
  // bodies of the most bytes. Over it: 503 for bodies beyond 64 KiB.
  int64_t all_bodies_bytes = 64 << 20;
  std::chrono::milliseconds idle{30'000};       // between two requests of a connection
  std::chrono::milliseconds head_time{5'000};   // from the first byte of a head to its last: 408
  std::chrono::milliseconds body_time{20'000};  // the same for a body
};

class HttpServer {
 public:
  // Called on many threads at once. Must not throw.
  using Handler = std::function<HttpResponse(const HttpRequest&)>;
  // Called for every response that is sent, refusals too, with its status.
  using Answered = std::function<void(int status)>;

  // Listens on an address that daemon::CheckAddress() accepts and that is no Unix socket; with
  // `tls_files`, which outlive it, only clients of TLS are served. UNAVAILABLE if it cannot.
  // Clients wait until Serve().
  static absl::StatusOr<std::unique_ptr<HttpServer>> Listen(
      const std::string& address, const HttpLimits& limits, Handler handler, Answered answered,
      const access::TlsFiles* tls_files = nullptr);

  // Disconnects all clients and waits for handlers that run.
  virtual ~HttpServer() = default;

  // Begins to answer. Call it once.
  virtual void Serve() = 0;

  // The address, with the real port.
  virtual std::string address() const = 0;
  virtual size_t open_connections() const = 0;
};

}  // namespace cox::gateway

#endif  // COX_GATEWAY_TRANSPORT_HTTP_SERVER_H_
