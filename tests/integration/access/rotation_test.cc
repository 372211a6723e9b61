// Certificates, tokens and roles are replaced while clients call, also by broken files: no call of
// those who keep their role fails.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "access_fixture.h"
#include "relay/relay.h"
#include "repeats.h"

namespace cox {
namespace {

constexpr absl::string_view kMethod = "cox.v1.MachineService/ListMachines";

// Clients that call until they are told to stop.
class Load {
 public:
  Load(const std::function<grpc::Status()>& call, int threads) {
    for (int i = 0; i < threads; ++i) {
      threads_.emplace_back([this, call] {
        while (!ends_) {
          const grpc::Status status = call();
          ++calls_;
          if (status.ok()) continue;
          const std::lock_guard lock(mutex_);
          failures_.push_back(absl::StrCat(status.error_code(), ": ", status.error_message()));
        }
      });
    }
  }
  ~Load() { End(); }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  void End() {
    ends_ = true;
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }
  int calls() const { return calls_; }
  const std::vector<std::string>& failures() const { return failures_; }

 private:
  std::atomic<bool> ends_{false};
  std::atomic<int> calls_{0};
  std::mutex mutex_;
  std::vector<std::string> failures_;
  std::vector<std::thread> threads_;
};

class Rotation : public AccessTlsFixture {
 protected:
  static std::string ReadFile(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  // Waits until `is_true`; fails the test after kPatience.
  static void Await(const std::function<bool()>& is_true, const char* what) {
    const auto give_up = Soon();
    while (!is_true()) {
      ASSERT_LT(std::chrono::system_clock::now(), give_up) << what;
    }
  }
};

TEST_F(Rotation, NoCallFailsWhileCertificatesAndTokensAreReplaced) {
  Start(Settings());
  const std::string token = NewToken("client", v1::ROLE_VIEWER);
  // The clients trust two CAs; the daemon's certificate is of the one or the other.
  const CertificateAuthority next("next");
  const std::string both = ca_.certificate() + next.certificate();
  const auto connect = [&] { return Connect(Tcp(), grpc::SslCredentials({both, "", ""})); };
  const auto channel = connect();
  Load old_connections([&] { return CallAny(channel, kMethod, token); }, 2);
  Load new_connections([&] { return CallAny(connect(), kMethod, token); }, 2);

  const int rounds = Repeats(2);
  for (int round = 0; round < rounds; ++round) {
    const CertificateAuthority& issuer = round % 2 == 0 ? next : ca_;
    const PemPair renewed = issuer.Issue("IP:127.0.0.1");
    // A broken certificate; then a good one whose key has not come yet; then the key.
    Write("server.pem", "-----BEGIN CERTIFICATE-----\nbroken\n");
    const std::string added = absl::StrCat("added", round);
    const std::string other = NewToken(added, v1::ROLE_VIEWER);
    Await([&] { return CallAny(channel, kMethod, other).ok(); }, "a new token does not count");
    Write("server.pem", renewed.certificate);
    Write("server.key", renewed.key);
    ASSERT_TRUE(Revoke(added).ok());
    Await([&] { return !CallAny(channel, kMethod, other).ok(); }, "a revoked token counts");
    Await([&] { return CallAny(OverTls(issuer), kMethod, token).ok(); },
          "the new certificate is not used");
    // A file of tokens that somebody breaks changes nothing either; the next change mends it.
    const std::string tokens = directory_.path() + "/data/tokens";
    const std::string good = ReadFile(tokens);
    Write("data/tokens", good + "what is this\n");
    const int before = new_connections.calls();
    Await([&] { return new_connections.calls() > before + 20; }, "no call comes through");
    Write("data/tokens", good);
  }
  old_connections.End();
  new_connections.End();
  EXPECT_TRUE(old_connections.failures().empty())
      << old_connections.failures().size() << " failed, such as "
      << old_connections.failures().front();
  EXPECT_TRUE(new_connections.failures().empty())
      << new_connections.failures().size() << " failed, such as "
      << new_connections.failures().front();
  RecordProperty("rounds", rounds);
  RecordProperty("calls", old_connections.calls() + new_connections.calls());
}

// A stream of reports that is open and answers.
class OpenStream {
 public:
  explicit OpenStream(const std::shared_ptr<grpc::Channel>& channel, const std::string& token = "")
      : stub_(v1::ObservationService::NewStub(channel)) {
    context_.set_deadline(Soon() + 5 * kPatience);
    Sign(token, &context_);
    stream_ = stub_->StreamObservations(&context_);
  }
  bool Answers() {
    v1::StreamObservationsResponse response;
    return stream_->Write(v1::StreamObservationsRequest()) && stream_->Read(&response);
  }
  // Waits until the daemon ends it.
  grpc::Status AwaitEnd() {
    v1::StreamObservationsResponse response;
    while (stream_->Read(&response)) {
    }
    return stream_->Finish();
  }
  grpc::Status End() {
    stream_->WritesDone();
    return AwaitEnd();
  }

 private:
  const std::unique_ptr<v1::ObservationService::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<
      grpc::ClientReaderWriter<v1::StreamObservationsRequest, v1::StreamObservationsResponse>>
      stream_;
};

TEST_F(Rotation, RolesOfTheChangedFileCountForOpenConnectionsAndStreams) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can connect as another user";
  constexpr uid_t kAda = 54'321;
  constexpr uid_t kBob = 54'322;
  const auto write_roles = [this](const std::string& roles) {
    return Write("coxd.toml", absl::StrCat("roles = \"", roles, "\"\n"));
  };
  Start({}, write_roles("54321=operator, 54322=reporter"));
  const auto ada = OverUnixAs(kAda);
  const auto bob = OverUnixAs(kBob);
  ASSERT_TRUE(ada != nullptr && bob != nullptr);
  const std::string token = NewToken("agent", v1::ROLE_REPORTER);
  const auto tcp = OverTcp();
  Load load([&] { return CallAny(bob, kMethod, ""); }, 2);
  EXPECT_EQ(WhoIs(ada).role(), v1::ROLE_OPERATOR);
  OpenStream adas(ada);
  OpenStream bobs(bob);
  OpenStream with_token(tcp, token);
  ASSERT_TRUE(adas.Answers() && bobs.Answers() && with_token.Answers());

  // Files with mistakes change nothing.
  for (const char* text :
       {"roles = \"54321=king\"\n", "roles = \"*=none\"\nlistn = \"x\"\n", "roles ="}) {
    Write("coxd.toml", text);
    const int before = load.calls();
    Await([&] { return load.calls() > before + 20; }, "no call comes through");
    EXPECT_EQ(WhoIs(ada).role(), v1::ROLE_OPERATOR) << text;
  }
  EXPECT_TRUE(adas.Answers());

  write_roles("54321=viewer, 54322=reporter");
  EXPECT_EQ(adas.AwaitEnd().error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(WhoIs(ada).role(), v1::ROLE_VIEWER) << "on the old connection";
  EXPECT_EQ(WhoIs(OverUnixAs(kAda)).role(), v1::ROLE_VIEWER);
  EXPECT_EQ(CallAny(ada, "cox.v1.MachineService/DeleteMachine", "").error_code(),
            grpc::StatusCode::PERMISSION_DENIED);
  write_roles("54321=admin, 54322=reporter");
  Await([&] { return WhoIs(ada).role() == v1::ROLE_ADMIN; }, "a new role does not count");

  load.End();
  EXPECT_TRUE(load.failures().empty())
      << load.failures().size() << " failed, such as " << load.failures().front();
  EXPECT_TRUE(bobs.Answers()) << "its role is the same";
  EXPECT_TRUE(bobs.End().ok());
  EXPECT_TRUE(with_token.Answers());
  EXPECT_TRUE(with_token.End().ok());
}

TEST_F(Rotation, ARelayTrustsTheAuthorityOfTheChangedFile) {
  Start(Settings());
  const std::string socket = directory_.path() + "/relay";
  const CertificateAuthority old("old");
  const std::string token = Write("relay.token", NewToken("relay", v1::ROLE_VIEWER));
  const auto config =
      daemon::MakeConfig({{{"data", directory_.path() + "/relay-data"},
                           {"listen", "unix:" + socket},
                           {"relay", Tcp()},
                           {"relay-tls-ca", Write("relay-ca.pem", old.certificate())},
                           {"relay-token-file", token}}});
  ASSERT_TRUE(config.ok()) << config.status();
  const auto relay = relay::StartRelay(*config);
  ASSERT_TRUE(relay.ok()) << relay.status();
  const auto channel = Connect("unix:" + socket, grpc::InsecureChannelCredentials());
  EXPECT_EQ(CallAny(channel, kMethod, "").error_code(), grpc::StatusCode::UNAVAILABLE);
  Write("relay-ca.pem", ca_.certificate());
  Await([&] { return CallAny(channel, kMethod, "").ok(); }, "the changed file does not count");
}

}  // namespace
}  // namespace cox
