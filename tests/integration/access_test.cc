// Who may call what: every RPC, with every role, over every transport.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <grpcpp/create_channel_posix.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "absl/strings/str_split.h"
#include "access/rules.h"
#include "certificates.h"
#include "cox/v1/access.grpc.pb.h"
#include "daemon.h"

namespace cox {
namespace {

using access::Role;
using ::grpc::StatusCode;
using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr std::chrono::seconds kPatience{20};

std::chrono::system_clock::time_point Soon() {
  return std::chrono::system_clock::now() + kPatience;
}

std::shared_ptr<grpc::Channel> Connect(const std::string& address,
                                       std::shared_ptr<grpc::ChannelCredentials> credentials) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(address, std::move(credentials), arguments);
}

void Sign(const std::string& token, grpc::ClientContext* context) {
  if (!token.empty()) context->AddMetadata("authorization", "Bearer " + token);
}

// Calls a method of any kind with one empty message, and waits for its end.
grpc::Status CallAny(const std::shared_ptr<grpc::Channel>& channel, absl::string_view method,
                     const std::string& token) {
  grpc::GenericStub stub(channel);
  grpc::CompletionQueue queue;
  grpc::ClientContext context;
  context.set_deadline(Soon());
  Sign(token, &context);
  const auto call = stub.PrepareCall(&context, absl::StrCat("/", method), &queue);
  const auto wait = [&queue] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  const grpc::Slice nothing("");
  grpc::Status status;
  call->StartCall(nullptr);
  if (wait()) {
    call->WriteLast(grpc::ByteBuffer(&nothing, 1), grpc::WriteOptions(), nullptr);
    wait();
    grpc::ByteBuffer message;
    do {
      message.Clear();
      call->Read(&message, nullptr);
    } while (wait());
  }
  call->Finish(&status, nullptr);
  wait();
  return status;
}

class Access : public ::testing::Test {
 protected:
  // Listens on loopback and on a Unix socket; nobody without a token has a role over TCP.
  void Start(daemon::ConfigValues settings = {}) {
    chmod(directory_.path().c_str(), 0755);
    daemon::ConfigValues defaults = {{"data", directory_.path() + "/data"},
                                     {"listen", "127.0.0.1:0,unix:" + Socket()},
                                     {"socket-mode", "0666"},
                                     {"anonymous-role", "none"},
                                     {"refine-interval", "0s"},
                                     {"published-machines", "false"}};
    const auto config = daemon::MakeConfig({std::move(settings), defaults});
    ASSERT_TRUE(config.ok()) << config.status();
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
    std::thread([&] {
      // Of this thread alone: libc's function would change all of them.
      if (syscall(SYS_setresuid, -1, user, -1) != 0) return;
      fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
      sockaddr_un address{};
      address.sun_family = AF_UNIX;
      Socket().copy(address.sun_path, sizeof(address.sun_path) - 1);
      if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
        close(fd);
        fd = -1;
      }
    }).join();
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
                         Role role) {
    for (const access::Rule& rule : access::Rules()) {
      const grpc::Status status = CallAny(channel, rule.method, token);
      if (role >= rule.role) {
        EXPECT_THAT(status.error_code(),
                    AnyOf(StatusCode::OK, StatusCode::INVALID_ARGUMENT, StatusCode::NOT_FOUND))
            << rule.method << " as " << access::RoleName(role) << ": " << status.error_message();
      } else {
        EXPECT_EQ(status.error_code(), StatusCode::PERMISSION_DENIED)
            << rule.method << " as " << access::RoleName(role);
        EXPECT_THAT(status.error_message(), HasSubstr(std::string(access::RoleName(rule.role))));
      }
    }
  }
  static void ExpectNobody(const std::shared_ptr<grpc::Channel>& channel, const std::string& token,
                           StatusCode code) {
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

const std::pair<v1::Role, Role> kRoles[] = {{v1::ROLE_VIEWER, Role::kViewer},
                                            {v1::ROLE_REPORTER, Role::kReporter},
                                            {v1::ROLE_OPERATOR, Role::kOperator},
                                            {v1::ROLE_ADMIN, Role::kAdmin}};

TEST_F(Access, TheTableHoldsOverTcp) {
  Start();
  const auto channel = OverTcp();
  ExpectRole(channel, "", Role::kNone);
  for (const auto& [name, role] : kRoles) {
    ExpectRole(channel, NewToken(absl::StrCat("t", name), name), role);
  }
}

TEST_F(Access, TheTableHoldsForWhoeverHasNoToken) {
  for (const Role role : {Role::kViewer, Role::kOperator}) {
    Start({{"anonymous-role", std::string(access::RoleName(role))}});
    ExpectRole(OverTcp(), "", role);
    server_.reset();
  }
}

TEST_F(Access, WrongTokensOpenNothing) {
  Start({{"anonymous-role", "admin"}});
  const std::string good = NewToken("good", v1::ROLE_ADMIN);
  const std::string revoked = NewToken("revoked", v1::ROLE_ADMIN);
  ASSERT_TRUE(Revoke("revoked").ok());
  EXPECT_EQ(Revoke("revoked").error_code(), StatusCode::NOT_FOUND);
  std::string forged = good;
  forged.back() = forged.back() == '0' ? '1' : '0';
  for (const auto& channel : {OverTcp(), OverUnix()}) {
    for (const std::string& token : {revoked, forged, std::string("x"), good + "0"}) {
      ExpectNobody(channel, token, StatusCode::UNAUTHENTICATED);
    }
  }
  EXPECT_TRUE(CallAny(OverTcp(), "cox.v1.MachineService/ListMachines", good).ok());
}

TEST_F(Access, AnExpiredTokenOpensNothing) {
  Start();
  const std::string token = NewToken("short", v1::ROLE_VIEWER, 2);
  const auto channel = OverTcp();
  const auto give_up = Soon();
  grpc::Status status;
  do {
    status = CallAny(channel, "cox.v1.MachineService/ListMachines", token);
  } while (status.ok() && std::chrono::system_clock::now() < give_up);
  EXPECT_EQ(status.error_code(), StatusCode::UNAUTHENTICATED);
}

TEST_F(Access, TheDaemonsUserIsAnAdministratorOverAUnixSocket) {
  Start();
  const v1::WhoAmIResponse me = WhoIs(OverUnix());
  EXPECT_EQ(me.principal(), absl::StrCat("uid:", geteuid()));
  EXPECT_EQ(me.role(), v1::ROLE_ADMIN);
  ExpectRole(OverUnix(), "", Role::kAdmin);
}

TEST_F(Access, OtherUsersOfAUnixSocketReport) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  constexpr uid_t kUser = 54'321;
  constexpr uid_t kOperator = 54'322;
  Start({{"roles", "54322=operator"}});
  const auto channel = OverUnixAs(kUser);
  ASSERT_NE(channel, nullptr);
  EXPECT_EQ(WhoIs(channel).principal(), "uid:54321");
  ExpectRole(channel, "", Role::kReporter);
  EXPECT_EQ(WhoIs(OverUnixAs(kOperator)).role(), v1::ROLE_OPERATOR);
}

TEST_F(Access, AGuessedJobAndSequenceOfAnotherChangesNothing) {
  Start();
  Register("delta");
  const std::string victim = NewToken("victim", v1::ROLE_REPORTER);
  const std::string mallory = NewToken("mallory", v1::ROLE_REPORTER);
  const auto channel = OverTcp();
  const auto report = [&](const std::string& token, int64_t sequence) {
    v1::ReportObservationsRequest request;
    request.set_job("4711");
    request.set_sequence(sequence);
    request.set_source("token:victim");
    *request.add_observations() = MakeObservation("delta", 1);
    grpc::ClientContext context;
    Sign(token, &context);
    v1::ReportObservationsResponse response;
    const grpc::Status status =
        v1::ObservationService::NewStub(channel)->ReportObservations(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  };
  for (int64_t sequence = 1; sequence <= 3; ++sequence) report(mallory, sequence);
  for (int64_t sequence = 1; sequence <= 3; ++sequence) {
    EXPECT_FALSE(report(victim, sequence).duplicate()) << sequence;
    EXPECT_TRUE(report(victim, sequence).duplicate()) << "its own resend counts once";
  }
  v1::ListObservationsResponse list;
  grpc::ClientContext context;
  Sign(victim, &context);
  v1::ListObservationsRequest request;
  request.set_job("4711");
  ASSERT_TRUE(
      v1::ObservationService::NewStub(channel)->ListObservations(&context, request, &list).ok());
  ASSERT_EQ(list.observations_size(), 3);
  for (const v1::Observation& row : list.observations()) {
    EXPECT_EQ(row.job(), "token:victim/4711");
    EXPECT_EQ(row.source(), "token:victim");
  }
}

TEST_F(Access, AReporterRegistersNoMachine) {
  Start();
  const std::string token = NewToken("agent", v1::ROLE_REPORTER);
  const grpc::Status status = ReportNewMachine(OverTcp(), token, "delta");
  EXPECT_EQ(status.error_code(), StatusCode::PERMISSION_DENIED);
  EXPECT_THAT(status.error_message(), HasSubstr("reporters-create-machines"));
  EXPECT_TRUE(ReportNewMachine(OverTcp(), NewToken("op", v1::ROLE_OPERATOR), "delta").ok());
  EXPECT_TRUE(ReportNewMachine(OverTcp(), token, "delta").ok()) << "the machine is known now";
}

TEST_F(Access, AReporterRegistersAMachineWhereTheSiteAllowsIt) {
  Start({{"reporters-create-machines", "true"}});
  EXPECT_TRUE(ReportNewMachine(OverTcp(), NewToken("agent", v1::ROLE_REPORTER), "delta").ok());
}

TEST_F(Access, AJobsTokenReportsForNoOtherJob) {
  Start();
  const std::string token = NewToken("step", v1::ROLE_REPORTER, 0, "4711");
  const auto stub = v1::ObservationService::NewStub(OverTcp());
  v1::ReportObservationsRequest request;
  request.set_job("4712");
  v1::ReportObservationsResponse response;
  grpc::ClientContext context;
  Sign(token, &context);
  EXPECT_EQ(stub->ReportObservations(&context, request, &response).error_code(),
            StatusCode::PERMISSION_DENIED);
  request.set_job("4711");
  grpc::ClientContext own;
  Sign(token, &own);
  EXPECT_TRUE(stub->ReportObservations(&own, request, &response).ok());
}

TEST_F(Access, StreamsEndWhenTheirTokenIsRevoked) {
  Start();
  const std::string token = NewToken("agent", v1::ROLE_REPORTER);
  const auto channel = OverTcp();
  const auto stub = v1::ObservationService::NewStub(channel);
  grpc::ClientContext context;
  context.set_deadline(Soon());
  Sign(token, &context);
  const auto stream = stub->StreamObservations(&context);
  v1::StreamObservationsRequest request;
  ASSERT_TRUE(stream->Write(request));
  v1::StreamObservationsResponse response;
  ASSERT_TRUE(stream->Read(&response));

  // Other streams go on.
  grpc::ClientContext other_context;
  other_context.set_deadline(Soon());
  Sign(NewToken("other", v1::ROLE_REPORTER), &other_context);
  const auto other = stub->StreamObservations(&other_context);
  ASSERT_TRUE(other->Write(request));
  ASSERT_TRUE(other->Read(&response));

  ASSERT_TRUE(Revoke("agent").ok());
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(stream->Finish().error_code(), StatusCode::UNAUTHENTICATED);
  ASSERT_TRUE(other->Write(request));
  EXPECT_TRUE(other->Read(&response));
  other->WritesDone();
  EXPECT_TRUE(other->Finish().ok());
}

TEST_F(Access, StreamsEndWhenTheFileOfTokensIsEdited) {
  Start();
  const std::string token = NewToken("agent", v1::ROLE_REPORTER);
  const auto channel = OverTcp();
  const auto stub = v1::ObservationService::NewStub(channel);
  grpc::ClientContext context;
  context.set_deadline(Soon());
  Sign(token, &context);
  const auto stream = stub->StreamObservations(&context);
  ASSERT_TRUE(stream->Write(v1::StreamObservationsRequest()));
  v1::StreamObservationsResponse response;
  ASSERT_TRUE(stream->Read(&response));
  Write("data/tokens", "# none any more\n");
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(stream->Finish().error_code(), StatusCode::UNAUTHENTICATED);
}

TEST_F(Access, NoAnswerHasTheTextOfAToken) {
  Start();
  const std::string text = NewToken("ci", v1::ROLE_ADMIN);
  v1::ListTokensResponse list;
  ASSERT_TRUE(Call(&v1::AccessService::Stub::ListTokens, v1::AccessService::NewStub(OverUnix()),
                   v1::ListTokensRequest(), &list)
                  .ok());
  ASSERT_EQ(list.tokens_size(), 1);
  const std::string secret = text.substr(text.rfind('.') + 1);
  EXPECT_EQ(list.DebugString().find(secret), std::string::npos);
  const std::string wrong = "cox.ci." + std::string(64, 'a');
  EXPECT_EQ(
      CallAny(OverTcp(), "cox.v1.MachineService/ListMachines", wrong).error_message().find("aaaa"),
      std::string::npos);
}

class AccessTls : public Access {
 protected:
  AccessTls() : ca_("ca"), clients_("clients"), stranger_("stranger") {}

  daemon::ConfigValues Settings() {
    const PemPair server = ca_.Issue("IP:127.0.0.1");
    return {{"tls-certificate", Write("server.pem", server.certificate)},
            {"tls-key", Write("server.key", server.key)},
            {"tls-client-ca", Write("clients.pem", clients_.certificate())},
            {"roles", "cert:node1=reporter"}};
  }
  std::shared_ptr<grpc::Channel> OverTls(const CertificateAuthority& trusted,
                                         const PemPair& own = {}) const {
    return Connect(Tcp(), grpc::SslCredentials({trusted.certificate(), own.key, own.certificate}));
  }

  const CertificateAuthority ca_;
  const CertificateAuthority clients_;
  const CertificateAuthority stranger_;
};

TEST_F(AccessTls, TheTableHoldsForTokensAndCertificates) {
  Start(Settings());
  ExpectNobody(OverTls(ca_), "", StatusCode::UNAUTHENTICATED);
  for (const auto& [name, role] : kRoles) {
    ExpectRole(OverTls(ca_), NewToken(absl::StrCat("t", name), name), role);
  }
  ExpectRole(OverTls(ca_, clients_.Issue("DNS:node1")), "", Role::kReporter);
  EXPECT_EQ(WhoIs(OverTls(ca_, clients_.Issue("DNS:node1"))).principal(), "cert:node1");
  ExpectRole(OverTls(ca_, clients_.Issue("DNS:node2")), "", Role::kNone);
}

TEST_F(AccessTls, WithoutTrustThereIsNoConnection) {
  Start(Settings());
  constexpr absl::string_view kMethod = "cox.v1.MachineService/ListMachines";
  const std::string token = NewToken("ci", v1::ROLE_ADMIN);
  EXPECT_EQ(CallAny(OverTcp(), kMethod, token).error_code(), StatusCode::UNAVAILABLE) << "no TLS";
  EXPECT_EQ(CallAny(OverTls(stranger_), kMethod, token).error_code(), StatusCode::UNAVAILABLE);
  EXPECT_EQ(CallAny(OverTls(ca_, stranger_.Issue("DNS:node1")), kMethod, token).error_code(),
            StatusCode::UNAVAILABLE);
  EXPECT_EQ(CallAny(OverTls(ca_, clients_.Issue("DNS:node1", -1)), kMethod, token).error_code(),
            StatusCode::UNAVAILABLE)
      << "an expired certificate";
}

TEST_F(AccessTls, ANewCertificateIsTakenAndABrokenOneIsNot) {
  Start(Settings());
  constexpr absl::string_view kMethod = "cox.v1.MachineService/ListMachines";
  const std::string token = NewToken("ci", v1::ROLE_VIEWER);
  ASSERT_TRUE(CallAny(OverTls(ca_), kMethod, token).ok());
  Write("server.pem", "-----BEGIN CERTIFICATE-----\nbroken\n");
  const CertificateAuthority next("next");
  // When the next good one has come, the broken one was there before, and nobody was refused.
  const PemPair renewed = next.Issue("IP:127.0.0.1");
  const auto broken_until = std::chrono::system_clock::now() + std::chrono::seconds(4);
  while (std::chrono::system_clock::now() < broken_until) {
    ASSERT_TRUE(CallAny(OverTls(ca_), kMethod, token).ok());
  }
  Write("server.key", renewed.key);
  Write("server.pem", renewed.certificate);
  const auto give_up = Soon();
  while (!CallAny(OverTls(next), kMethod, token).ok()) {
    ASSERT_LT(std::chrono::system_clock::now(), give_up);
  }
}

TEST_F(AccessTls, ADaemonWithWrongFilesDoesNotStart) {
  const PemPair one = ca_.Issue("IP:127.0.0.1");
  const PemPair other = ca_.Issue("IP:127.0.0.1");
  const PemPair expired = ca_.Issue("IP:127.0.0.1", -1);
  const struct {
    std::string certificate;
    std::string key;
    const char* said;
  } cases[] = {{"", one.key, "no certificate"},
               {one.certificate, "", "no private key"},
               {one.certificate, other.key, "not the key of"},
               {expired.certificate, expired.key, "expired"}};
  for (const auto& wrong : cases) {
    const auto config = daemon::MakeConfig({{{"data", directory_.path() + "/data"},
                                             {"listen", "127.0.0.1:0"},
                                             {"tls-certificate", Write("c.pem", wrong.certificate)},
                                             {"tls-key", Write("k.pem", wrong.key)}}});
    ASSERT_TRUE(config.ok()) << config.status();
    const auto server = service::Server::Start(*config);
    EXPECT_EQ(server.status().code(), absl::StatusCode::kFailedPrecondition) << wrong.said;
    EXPECT_THAT(std::string(server.status().message()), HasSubstr(wrong.said));
  }
}

TEST_F(AccessTls, TheDaemonAnswersItself) {
  Start(Settings());
  EXPECT_TRUE(server_->Answers(kPatience));
  server_.reset();
  auto settings = Settings();
  settings["listen"] = "127.0.0.1:0";
  Start(settings);
  EXPECT_TRUE(server_->Answers(kPatience)) << "over TLS";
}

}  // namespace
}  // namespace cox
