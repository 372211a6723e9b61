// Listens for gRPC connections at the configured addresses, each with its credentials.
//
// One thread; connections arrive on threads of the listeners.
#ifndef COX_SERVICE_ENTRY_LISTENING_H_
#define COX_SERVICE_ENTRY_LISTENING_H_

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "access/access.h"
#include "access/quotas.h"
#include "access/tls/tls_files.h"
#include "daemon/config.h"
#include "daemon/host/connection_share.h"
#include "daemon/host/grpc_listener.h"
#include "daemon/host/log_limit.h"

namespace cox::service {

class Listening {
 public:
  // Binds all addresses of the configuration; accepts nothing yet. Fails as CheckSocketFree() and
  // GrpcListener::Open() do, and TlsFiles::Open().
  static absl::StatusOr<std::unique_ptr<Listening>> Open(const daemon::Config& config);

  // Before the server is built.
  void AddTo(grpc::ServerBuilder* builder);
  // After it was started: accepts connections from now on, and closes those beyond a peer's share
  // at once. `access` and `quotas` outlive this.
  void Start(const access::Access* access, access::Quotas* quotas);
  void Stop();

  // With the real ports, separated by commas.
  std::string address() const;
  // Whether health answers on a new connection to each of the addresses within `timeout`. An
  // address counts, too, if it has refused a connection meanwhile: it is full and not stuck.
  bool Answers(std::chrono::microseconds timeout) const;

  // Null without TLS.
  access::TlsFiles* tls_files() const { return tls_files_.get(); }

 private:
  struct Entrance {
    bool is_unix;
    std::unique_ptr<daemon::GrpcListener> listener;
    std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor{};
  };

  bool Answers(const Entrance& entrance, std::chrono::system_clock::time_point deadline) const;

  // Takes a new connection, or closes it.
  void Take(int fd, const Entrance& entrance, const access::Access& access, access::Quotas* quotas);
  void Refuse(int fd, const std::string& peer, access::Quotas* quotas);

  // The only place that makes the credentials of a listener.
  std::shared_ptr<grpc::ServerCredentials> CredentialsOf(const Entrance& entrance) const;

  std::unique_ptr<access::TlsFiles> tls_files_;
  std::unique_ptr<daemon::ConnectionShare> share_;
  daemon::LogLimit refusals_{1, 10'000'000};
  std::vector<Entrance> entrances_;
};

}  // namespace cox::service

#endif  // COX_SERVICE_ENTRY_LISTENING_H_
