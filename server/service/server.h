// The daemon's gRPC server: all services over one store, with health, reflection, bounds and a
// clean end.
#ifndef COX_SERVICE_SERVER_H_
#define COX_SERVICE_SERVER_H_

#include <grpcpp/support/server_interceptor.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "access/access.h"
#include "access/rules.h"
#include "access/tls/tls_files.h"
#include "daemon/config.h"
#include "service/entry/known_callers.h"
#include "service/facts.h"

namespace grpc {
class Channel;
class Service;
}  // namespace grpc

namespace cox::service {

class Server {
 public:
  // Opens the store, reads its content for about a second at most, listens, and reads the rest in
  // the background. `extra_services` (for measuring) are served too and outlive the server. The
  // interceptor sees every call, over gRPC and over the channel below.
  using InterceptorFactory = grpc::experimental::ServerInterceptorFactoryInterface;
  static absl::StatusOr<std::unique_ptr<Server>> Start(
      const daemon::Config& config, const std::vector<grpc::Service*>& extra_services = {},
      std::unique_ptr<InterceptorFactory> interceptor = nullptr);

  virtual ~Server() = default;  // drains, if Drain() was not called

  // The address with the real port.
  virtual std::string address() const = 0;

  // Whether a new client gets an answer from health at each address within `timeout`: the listeners
  // accept, gRPC answers. Any thread.
  virtual bool Answers(std::chrono::microseconds timeout) const = 0;

  // A connection to this server without a socket. Its calls pass the same checks as all other
  // calls. Begin none after Drain(): gRPC 1.51 would end the program.
  virtual std::shared_ptr<grpc::Channel> InProcessChannel() = 0;

  // Finds out who calls, for one call over that channel whose metadata have the ticket
  // (kTicketHeader), and whether the role may make it: before its request is parsed. UNAVAILABLE:
  // the system has no random bytes. The server outlives the ticket. Any thread.
  virtual absl::StatusOr<std::unique_ptr<KnownCallers::Ticket>> Identify(
      const access::Caller& caller, const access::Rule& rule) = 0;

  // Whether a client that sends this Authorization header ("": none), over TLS or not, may read
  // what every viewer may read. UNAUTHENTICATED, PERMISSION_DENIED. Any thread.
  virtual absl::Status CheckViewer(const std::string& authorization, bool is_encrypted) const = 0;

  // The certificate for HTTP; null: HTTP has no TLS. Lives as long as the server.
  virtual access::TlsFiles* tls_files() const = 0;

  // Whether writes can be durable, as found within the last seconds; see Store::Check(). Health
  // says the same. Any thread.
  virtual bool IsStoreWritable() const = 0;

  // For metrics; see ReadFacts().
  virtual absl::StatusOr<Facts> ReadFacts() const = 0;

  // Sets health to NOT_SERVING, ends streams, gives open calls the drain timeout, and commits all
  // accepted writes. Call once, not from a gRPC thread.
  virtual void Drain() = 0;
};

}  // namespace cox::service

#endif  // COX_SERVICE_SERVER_H_
