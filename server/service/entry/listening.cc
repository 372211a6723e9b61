#include "service/entry/listening.h"

#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "daemon/host/listen_address.h"
#include "daemon/host/unix_peer.h"
#include "daemon/log.h"
#include "daemon/wall_clock.h"
#include "grpc/health/v1/health.grpc.pb.h"

namespace cox::service {
namespace {

// How often gRPC looks for a new certificate.
constexpr unsigned kCertificateInterval_s = 1;

std::shared_ptr<grpc::ServerCredentials> TlsCredentials(const access::TlsFiles& files) {
  const std::string identity = files.identity_path();
  const std::string client_ca = files.client_ca_path();
  grpc::experimental::TlsServerCredentialsOptions options(
      std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(
          identity, identity, client_ca, kCertificateInterval_s));
  options.watch_identity_key_cert_pairs();
  if (client_ca.empty()) {
    options.set_cert_request_type(GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
  } else {
    options.watch_root_certs();
    options.set_cert_request_type(GRPC_SSL_REQUEST_CLIENT_CERTIFICATE_AND_VERIFY);
  }
  return grpc::experimental::TlsServerCredentials(options);
}

// Of a client that only wants to know whether the server answers.
std::shared_ptr<grpc::ChannelCredentials> TrustingCredentials() {
  grpc::experimental::TlsChannelCredentialsOptions options;
  options.set_verify_server_certs(false);
  options.set_check_call_host(false);
  options.set_certificate_verifier(std::make_shared<grpc::experimental::NoOpCertificateVerifier>());
  return grpc::experimental::TlsCredentials(options);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Listening>> Listening::Open(const daemon::Config& config) {
  auto listening = std::make_unique<Listening>();
  listening->share_ = std::make_unique<daemon::ConnectionShare>(config.quota_connections);
  if (!config.tls_certificate.empty()) {
    auto files = access::TlsFiles::Open({.certificate = config.tls_certificate,
                                         .key = config.tls_key,
                                         .client_ca = config.tls_client_ca});
    if (!files.ok()) return files.status();
    listening->tls_files_ = *std::move(files);
  }
  for (const std::string& address : config.listen) {
    if (absl::Status free = daemon::CheckSocketFree(address); !free.ok()) return free;
    auto listener = daemon::GrpcListener::Open({.address = address,
                                                .max_connections = config.max_connections,
                                                .socket_mode = config.socket_mode,
                                                .socket_group = config.socket_group});
    if (!listener.ok()) return listener.status();
    listening->entrances_.push_back(
        {.is_unix = daemon::IsUnixAddress(address), .listener = *std::move(listener)});
  }
  return listening;
}

std::shared_ptr<grpc::ServerCredentials> Listening::CredentialsOf(const Entrance& entrance) const {
  return tls_files_ == nullptr || entrance.is_unix ? grpc::InsecureServerCredentials()
                                                   : TlsCredentials(*tls_files_);
}

void Listening::AddTo(grpc::ServerBuilder* builder) {
  for (Entrance& entrance : entrances_) {
    entrance.acceptor = builder->experimental().AddExternalConnectionAcceptor(
        grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
        CredentialsOf(entrance));
  }
}

void Listening::Start(const access::Access* access, access::Quotas* quotas) {
  for (Entrance& entrance : entrances_) {
    entrance.listener->Start(
        [this, access, quotas, &entrance](int fd) { Take(fd, entrance, *access, quotas); });
  }
}

void Listening::Take(int fd, const Entrance& entrance, const access::Access& access,
                     access::Quotas* quotas) {
  const std::optional<daemon::UnixPeer> user = daemon::UnixPeerOf(fd);
  const uid_t owner = user ? access.OwnerOf(user->user) : 0;
  const bool is_limited =
      !user || access.RoleOf(user->user, owner, user->groups) < access::Role::kOperator;
  if (is_limited && entrance.listener->IsReserved(fd)) {
    entrance.listener->Refuse(fd);
    return;
  }
  const std::string peer = user ? absl::StrCat("uid:", owner) : daemon::HostOf(fd);
  if (is_limited && !share_->Admit(fd, peer)) {
    entrance.listener->CountRefusal();
    Refuse(fd, peer, quotas);
    return;
  }
  grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
  connection.fd = fd;
  std::optional<daemon::PeerName> name;
  if (user)
    name.emplace(fd, access.NameOfUser(user->user, owner, user->groups,
                                       {.fd = fd, .cookie = daemon::SocketCookie(fd)}));
  entrance.acceptor->HandleNewConnection(&connection);
}

void Listening::Refuse(int fd, const std::string& peer, access::Quotas* quotas) {
  // First: who sees the connection end may look at the count.
  quotas->CountRefusal(access::Quota::kConnections);
  close(fd);
  const std::optional<int64_t> suppressed = refusals_.Admit(daemon::NowMicros());
  if (!suppressed) return;
  daemon::Log(daemon::LogLevel::kWarning,
              "refused a connection: its peer has too many open ones (quota-connections)",
              {{"peer", peer}, {"suppressed", absl::StrCat(*suppressed)}});
}

void Listening::Stop() {
  for (const Entrance& entrance : entrances_) entrance.listener->Stop();
}

std::string Listening::address() const {
  return absl::StrJoin(entrances_, ",", [](std::string* out, const Entrance& entrance) {
    out->append(entrance.listener->address());
  });
}

bool Listening::Answers(std::chrono::microseconds timeout) const {
  const auto deadline = std::chrono::system_clock::now() + timeout;
  return std::all_of(entrances_.begin(), entrances_.end(), [&](const Entrance& entrance) {
    const int64_t refused_before = entrance.listener->refused_count();
    return Answers(entrance, deadline) || entrance.listener->refused_count() > refused_before;
  });
}

bool Listening::Answers(const Entrance& entrance,
                        std::chrono::system_clock::time_point deadline) const {
  const bool has_tls = tls_files_ != nullptr && !entrance.is_unix;
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // a new connection each time
  const std::shared_ptr<grpc::Channel> channel = grpc::CreateCustomChannel(
      entrance.listener->address(),
      has_tls ? TrustingCredentials() : grpc::InsecureChannelCredentials(), arguments);
  grpc::ClientContext context;
  context.set_deadline(deadline);
  grpc::health::v1::HealthCheckResponse response;
  return grpc::health::v1::Health::NewStub(channel)->Check(&context, {}, &response).ok();
}

}  // namespace cox::service
