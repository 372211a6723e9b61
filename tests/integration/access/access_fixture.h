// A daemon that listens on loopback, with TLS or without, and on a Unix socket; and clients of it
// with every kind of credentials.
#ifndef COX_TESTS_INTEGRATION_ACCESS_FIXTURE_H_
#define COX_TESTS_INTEGRATION_ACCESS_FIXTURE_H_

#include <fcntl.h>
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <grpcpp/create_channel_posix.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "access/rules.h"
#include "agent/stream/channel.h"
#include "as_user.h"
#include "certificates.h"
#include "cox/v1/access.grpc.pb.h"
#include "daemon.h"

namespace cox {

inline constexpr std::chrono::seconds kPatience{20};

inline std::chrono::system_clock::time_point Soon() {
  return std::chrono::system_clock::now() + kPatience;
}

inline std::shared_ptr<grpc::Channel> Connect(
    const std::string& address, const std::shared_ptr<grpc::ChannelCredentials>& credentials,
    const std::string& daemon_name = "") {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  if (!daemon_name.empty()) arguments.SetSslTargetNameOverride(daemon_name);
  return grpc::CreateCustomChannel(address, credentials, arguments);
}

inline void Sign(const std::string& token, grpc::ClientContext* context) {
  if (!token.empty()) context->AddMetadata("authorization", "Bearer " + token);
}

// Calls a method of any kind with one message of these bytes, and waits for its end.
// `authorization`: the header, which may be empty; nullopt: none. `answers`: all messages, one
// after another; may be null.
inline grpc::Status CallWith(const std::shared_ptr<grpc::Channel>& channel,
                             absl::string_view method,
                             const std::optional<std::string>& authorization,
                             std::string* answers = nullptr, const std::string& request = "") {
  grpc::GenericStub stub(channel);
  grpc::CompletionQueue queue;
  grpc::ClientContext context;
  context.set_deadline(Soon());
  if (authorization) context.AddMetadata("authorization", *authorization);
  const auto call = stub.PrepareCall(&context, absl::StrCat("/", method), &queue);
  const auto wait = [&queue] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  const grpc::Slice bytes(request);
  grpc::Status status;
  call->StartCall(nullptr);
  if (wait()) {
    call->WriteLast(grpc::ByteBuffer(&bytes, 1), grpc::WriteOptions(), nullptr);
    wait();
    grpc::ByteBuffer message;
    do {
      if (answers != nullptr && message.Valid()) *answers += agent::ToString(message);
      message.Clear();
      call->Read(&message, nullptr);
    } while (wait());
  }
  call->Finish(&status, nullptr);
  wait();
  return status;
}

inline grpc::Status CallAny(const std::shared_ptr<grpc::Channel>& channel, absl::string_view method,
                            const std::string& token, const std::string& request = "") {
  return CallWith(channel, method, token.empty() ? std::nullopt : std::optional("Bearer " + token),
                  nullptr, request);
}

class AccessFixture : public ::testing::Test {
 protected:
  // Listens on loopback and on a Unix socket; nobody without a token has a role over TCP. `file`
  // holds further settings, which `settings` override; "": none.
  void Start(daemon::ConfigValues settings = {}, const std::string& file = "") {
    chmod(directory_.path().c_str(), 0755);
    daemon::ConfigValues defaults = {{"data", directory_.path() + "/data"},
                                     {"listen", "127.0.0.1:0,unix:" + Socket()},
                                     {"socket-mode", "0666"},
                                     {"anonymous-role", "none"},
                                     {"refine-interval", "0s"},
                                     {"published-machines", "false"}};
    for (const auto& [key, value] : settings) defaults[key] = value;
    const daemon::ConfigSources sources = {{std::move(defaults)}, file};
    const auto values = daemon::ReadConfigValues(sources);
    ASSERT_TRUE(values.ok()) << values.status();
    auto config = daemon::MakeConfig(*values);
    ASSERT_TRUE(config.ok()) << config.status();
    config->sources = sources;
    auto server = service::Server::Start(*config);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  std::string Socket() const { return directory_.path() + "/socket"; }
  std::string Tcp() const {
    return std::string(
        absl::string_view(server_->address()).substr(0, server_->address().find(',')));
  }
  std::shared_ptr<grpc::Channel> OverTcp() const {
    return Connect(Tcp(), grpc::InsecureChannelCredentials());
  }
  // The test's own user: the daemon's, who is an administrator.
  std::shared_ptr<grpc::Channel> OverUnix() const {
    return Connect("unix:" + Socket(), grpc::InsecureChannelCredentials());
  }
  // Another user's connection. Needs root.
  std::shared_ptr<grpc::Channel> OverUnixAs(uid_t user) const {
    int fd = -1;
    AsUser(user, [&] {
      fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
      sockaddr_un address{};
      address.sun_family = AF_UNIX;
      Socket().copy(address.sun_path, sizeof(address.sun_path) - 1);
      if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
        close(fd);
        fd = -1;
      }
    });
    if (fd < 0) return nullptr;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    return grpc::CreateInsecureChannelFromFd("local", fd);
  }

  std::string NewToken(const std::string& name, v1::Role role, int64_t lifetime_s = 0,
                       const std::string& job = "") {
    v1::CreateTokenRequest request;
    request.mutable_token()->set_name("tokens/" + name);
    request.mutable_token()->set_role(role);
    request.mutable_token()->set_job(job);
    if (lifetime_s != 0) {
      request.mutable_token()->mutable_expire_time()->set_seconds(
          std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()) + lifetime_s);
    }
    v1::CreateTokenResponse response;
    const grpc::Status status = Call(&v1::AccessService::Stub::CreateToken,
                                     v1::AccessService::NewStub(OverUnix()), request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(response.token().name(), "tokens/" + name);
    return response.text();
  }
  // A folder for a munged of the test.
  std::string EnterableFolder() const {
    chmod(directory_.path().c_str(), 0755);
    return directory_.path();
  }
  // A machine, by the test's own user.
  void Register(const std::string& machine) const {
    v1::CreateMachineRequest request;
    request.mutable_machine()->set_name("machines/" + machine);
    request.mutable_machine()->set_nodes(4);
    request.mutable_machine()->set_cores_per_node(8);
    v1::Machine response;
    const grpc::Status status = Call(&v1::MachineService::Stub::CreateMachine,
                                     v1::MachineService::NewStub(OverUnix()), request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
  }
  // A row of a machine, with create_machines.
  static grpc::Status ReportNewMachine(const std::shared_ptr<grpc::Channel>& channel,
                                       const std::string& token, const std::string& machine) {
    v1::ReportObservationsRequest request;
    request.set_create_machines(true);
    *request.add_observations() = MakeObservation(machine, 1);
    grpc::ClientContext context;
    Sign(token, &context);
    v1::ReportObservationsResponse response;
    return v1::ObservationService::NewStub(channel)->ReportObservations(&context, request,
                                                                        &response);
  }
  grpc::Status Revoke(const std::string& name) const {
    v1::RevokeTokenRequest request;
    request.set_name(name);
    google::protobuf::Empty response;
    return Call(&v1::AccessService::Stub::RevokeToken, v1::AccessService::NewStub(OverUnix()),
                request, &response);
  }
  static v1::WhoAmIResponse WhoIs(const std::shared_ptr<grpc::Channel>& channel,
                                  const std::string& token = "") {
    grpc::ClientContext context;
    Sign(token, &context);
    v1::WhoAmIResponse response;
    const grpc::Status status =
        v1::AccessService::NewStub(channel)->WhoAmI(&context, {}, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }

  // Expects of every RPC what the table says of `role`.
  static void ExpectRole(const std::shared_ptr<grpc::Channel>& channel, const std::string& token,
                         access::Role role) {
    for (const access::Rule& rule : access::Rules()) {
      const grpc::Status status = CallAny(channel, rule.method, token);
      if (role >= rule.role) {
        EXPECT_THAT(status.error_code(),
                    ::testing::AnyOf(grpc::StatusCode::OK, grpc::StatusCode::INVALID_ARGUMENT,
                                     grpc::StatusCode::NOT_FOUND))
            << rule.method << " as " << access::RoleName(role) << ": " << status.error_message();
      } else {
        EXPECT_EQ(status.error_code(), grpc::StatusCode::PERMISSION_DENIED)
            << rule.method << " as " << access::RoleName(role);
        EXPECT_THAT(status.error_message(),
                    ::testing::HasSubstr(std::string(access::RoleName(rule.role))));
      }
    }
  }
  static void ExpectNobody(const std::shared_ptr<grpc::Channel>& channel, const std::string& token,
                           grpc::StatusCode code) {
    for (const access::Rule& rule : access::Rules()) {
      EXPECT_EQ(CallAny(channel, rule.method, token).error_code(), code) << rule.method;
    }
  }
  std::string Write(const std::string& name, const std::string& text) const {
    std::string path = directory_.path() + "/" + name;
    std::ofstream(path + ".new") << text;
    chmod((path + ".new").c_str(), 0600);
    std::filesystem::rename(path + ".new", path);
    return path;
  }

  TemporaryDirectory directory_;
  std::unique_ptr<service::Server> server_;
};

class AccessTlsFixture : public AccessFixture {
 protected:
  AccessTlsFixture() : ca_("ca"), clients_("clients"), stranger_("stranger") {}

  daemon::ConfigValues Settings() {
    const PemPair server = ca_.Issue("IP:127.0.0.1");
    return {{"tls-certificate", Write("server.pem", server.certificate)},
            {"tls-key", Write("server.key", server.key)},
            {"tls-client-ca", Write("clients.pem", clients_.certificate())},
            {"roles", "cert:node1=reporter"}};
  }
  // `daemon_name`: the name that its certificate must have; "": its address.
  std::shared_ptr<grpc::Channel> OverTls(const CertificateAuthority& trusted,
                                         const PemPair& own = {},
                                         const std::string& daemon_name = "") const {
    return Connect(Tcp(), grpc::SslCredentials({trusted.certificate(), own.key, own.certificate}),
                   daemon_name);
  }

  const CertificateAuthority ca_;
  const CertificateAuthority clients_;
  const CertificateAuthority stranger_;
};

}  // namespace cox

#endif  // COX_TESTS_INTEGRATION_ACCESS_FIXTURE_H_
