// The matrix: every RPC, by every transport, with every kind of credentials.
//
// A row is a transport and credentials, with what the daemon must take their bearer for. The
// columns are all rows of access::Rules(), which the build and another test compare with the API:
// so a new RPC is in all cells, and without a row it does not compile.
#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "access_fixture.h"
#include "daemon/log.h"
#include "domain/munge_payload.h"
#include "gateway/gateway.h"
#include "gateway/metrics.h"
#include "http_caller.h"
#include "jwt.h"
#include "munged.h"
#include "secret_scan.h"

namespace cox {
namespace {

using access::Role;
using ::grpc::StatusCode;

constexpr uid_t kOtherUser = 54'321;

// A role, or the code with which every call fails.
using Expected = std::variant<Role, StatusCode>;

struct Credentials {
  std::string name;
  // The header for a call of this method; nullopt: none.
  std::function<std::optional<std::string>(absl::string_view method)> authorization;
  Expected expected;
};

struct Transport {
  std::string name;
  std::function<grpc::Status(absl::string_view method,
                             const std::optional<std::string>& authorization, std::string* answers)>
      call;
  Expected without_credentials;
  Expected with_empty_header;
};

Credentials Bearing(std::string name, const std::string& token, Expected expected) {
  return {std::move(name), [token](absl::string_view /*method*/) { return "Bearer " + token; },
          expected};
}

Credentials Nothing(Expected expected) {
  return {"nothing", [](absl::string_view /*method*/) { return std::nullopt; }, expected};
}

Credentials EmptyHeader(Expected expected) {
  return {"an empty header", [](absl::string_view /*method*/) { return ""; }, expected};
}

Transport Grpc(std::string name, std::shared_ptr<grpc::Channel> channel, Expected expected) {
  return {std::move(name),
          [channel = std::move(channel)](
              absl::string_view method, const std::optional<std::string>& header,
              std::string* answers) { return CallWith(channel, method, header, answers); },
          expected, StatusCode::UNAUTHENTICATED};
}

class Matrix : public AccessTlsFixture {
 protected:
  ~Matrix() override { gateway_.reset(); }

  // What the table says of the RPC for this bearer.
  static void Check(const grpc::Status& status, const access::Rule& rule, const Expected& expected,
                    const std::string& row) {
    const std::string cell = absl::StrCat(row, ", ", rule.method, ": ", status.error_message());
    if (const auto* const code = std::get_if<StatusCode>(&expected)) {
      EXPECT_EQ(status.error_code(), *code) << cell;
    } else if (std::get<Role>(expected) < rule.role) {
      EXPECT_EQ(status.error_code(), StatusCode::PERMISSION_DENIED) << cell;
      EXPECT_THAT(status.error_message(),
                  ::testing::HasSubstr(std::string(access::RoleName(rule.role))))
          << cell;
    } else {
      // The empty request is answered, or refused for what it says.
      EXPECT_THAT(status.error_code(), ::testing::AnyOf(StatusCode::OK, StatusCode::NOT_FOUND,
                                                        StatusCode::INVALID_ARGUMENT))
          << cell;
    }
  }

  // The number of cells.
  size_t CheckRow(const Transport& transport, const Credentials& credentials) {
    const std::string row = absl::StrCat(transport.name, ", ", credentials.name);
    std::string heard;
    for (const access::Rule& rule : access::Rules()) {
      const std::optional<std::string> authorization = credentials.authorization(rule.method);
      if (authorization && authorization->size() > kLeastSecretBytes) {
        secrets_.Remember(credentials.name, *authorization);
      }
      const grpc::Status status = transport.call(rule.method, authorization, &heard);
      heard += status.error_message();
      heard += status.error_details();
      Check(status, rule, credentials.expected, row);
    }
    secrets_.CheckText(absl::StrCat("an answer to ", row), heard);
    return access::Rules().size();
  }
  // After all calls: no secret is anywhere where somebody else could find it.
  void FindNoSecret(const HttpCaller& http) {
    secrets_.Remember("Slurm's key", kSlurmKey);
    if (std::filesystem::exists(directory_.path() + "/server.key")) {
      std::ifstream key(directory_.path() + "/server.key");
      secrets_.Remember("the private key", {std::istreambuf_iterator<char>(key), {}});
    }
    EXPECT_GT(secrets_.count(), 20U);
    secrets_.CheckLog();
    const std::string metrics =
        http.Get("/metrics", "Bearer " + NewToken("scraper", v1::ROLE_VIEWER));
    EXPECT_THAT(metrics, ::testing::HasSubstr("coxd_"));
    secrets_.CheckText("the metrics", metrics);
    secrets_.CheckFolder(directory_.path() + "/data");
    secrets_.CheckCommandLines();
  }

  static int64_t Now_s() {
    return std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  }
  std::string SlurmToken(const std::string& user, int64_t lifetime_s = 600) const {
    return SignJwt(kJwtHeader, SlurmClaims(Now_s() - 60, Now_s() + lifetime_s, user), kSlurmKey);
  }

  // Tokens of all kinds, and what their bearer is whatever the transport.
  std::vector<Credentials> Tokens() {
    std::vector<Credentials> all;
    const std::pair<v1::Role, Role> roles[] = {{v1::ROLE_VIEWER, Role::kViewer},
                                               {v1::ROLE_REPORTER, Role::kReporter},
                                               {v1::ROLE_OPERATOR, Role::kOperator},
                                               {v1::ROLE_ADMIN, Role::kAdmin}};
    for (const auto& [name, role] : roles) {
      const std::string text(access::RoleName(role));
      all.push_back(Bearing("token of " + text, NewToken(text, name), role));
    }
    all.push_back(Bearing("token for one job", NewToken("step", v1::ROLE_REPORTER, 0, "4711"),
                          Role::kReporter));
    const std::string revoked = NewToken("revoked", v1::ROLE_ADMIN);
    EXPECT_TRUE(Revoke("revoked").ok());
    const std::string expired = NewToken("expired", v1::ROLE_ADMIN, 2);
    std::string forged = NewToken("forged", v1::ROLE_ADMIN);
    forged.back() = forged.back() == '0' ? '1' : '0';
    const std::string text = SlurmToken("root");
    const std::string unsigned_text =
        SignJwt(R"({"alg":"none","typ":"JWT"})", SlurmClaims(Now_s() - 60, Now_s() + 600, "oscar"),
                kSlurmKey);
    const std::pair<const char*, std::string> wrong[] = {
        {"revoked token", revoked},
        {"expired token", expired},
        {"forged token", forged},
        {"token of another daemon", "cox.admin." + std::string(64, 'a')},
        {"no token at all", "x"},
        {"expired token of Slurm", SlurmToken("oscar", -1)},
        {"token of Slurm with another key",
         SignJwt(kJwtHeader, SlurmClaims(Now_s() - 60, Now_s() + 600, "oscar"),
                 std::string(32, 'x'))},
        {"token of Slurm without a signature",
         unsigned_text.substr(0, unsigned_text.rfind('.') + 1)},
        {"token of Slurm without a user",
         SignJwt(kJwtHeader, SlurmClaims(Now_s() - 60, Now_s() + 600, ""), kSlurmKey)},
    };
    for (const auto& [name, token] : wrong) {
      all.push_back(Bearing(name, token, StatusCode::UNAUTHENTICATED));
    }
    all.push_back(Bearing("token of Slurm", SlurmToken("ada"), Role::kReporter));
    all.push_back(Bearing("token of Slurm for root", text, Role::kReporter));
    all.push_back(Bearing("token of Slurm for an operator", SlurmToken("daemon"), Role::kOperator));
    AwaitEnd(expired);
    return all;
  }

  // Credentials of munge of all kinds.
  std::vector<Credentials> MungeCredentials() {
    const auto made = [this](uid_t reader, const std::string& host,
                             const std::string& other_method = "") {
      return [this, reader, host, other_method](absl::string_view method) {
        return munged_.Authorization(
            {.payload = domain::MungePayload(host, other_method.empty() ? method : other_method),
             .reader = reader});
      };
    };
    constexpr auto kAnybody = static_cast<uid_t>(-1);
    const auto good = made(geteuid(), "head");
    std::vector<Credentials> all = {
        {"munge", good, Role::kReporter},
        {"munge, for another user", made(kOtherUser, "head"), StatusCode::UNAUTHENTICATED},
        {"munge, for another daemon", made(kAnybody, "tail"), StatusCode::UNAUTHENTICATED},
        {"munge, for another method", made(kAnybody, "head", "cox.v1.AdviceService/None"),
         StatusCode::UNAUTHENTICATED},
        {"munge, broken", [](absl::string_view) { return "Munge MUNGE:AwQFAAAx:"; },
         StatusCode::UNAUTHENTICATED},
        {"munge, used before",
         [this, good](absl::string_view method) {
           const std::string credential = good(method);
           CallWith(OverUnix(), method, credential);
           return credential;
         },
         StatusCode::UNAUTHENTICATED},
    };
    // One for all methods: it has expired before anybody looks at what it is for.
    constexpr int kLifetime_s = 1;
    const int64_t end_s = Now_s() + kLifetime_s;
    const std::string old = munged_.Authorization({.lifetime_s = kLifetime_s});
    while (Now_s() <= end_s) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    all.push_back(
        {"munge, expired", [old](absl::string_view) { return old; }, StatusCode::UNAUTHENTICATED});
    if (geteuid() == 0) {  // only root can be another user
      all.push_back({"munge, an operator",
                     [good](absl::string_view method) {
                       std::string authorization;
                       AsUser(kDaemonUser, [&] { authorization = good(method); });
                       return authorization;
                     },
                     Role::kOperator});
      for (Credentials& job : JobCredentials()) all.push_back(std::move(job));
    }
    return all;
  }
  static size_t MungeCount() { return geteuid() == 0 ? 13 : 7; }

  // Of a job of the user kDaemonUser, who is an operator otherwise.
  std::vector<Credentials> JobCredentials() {
    const auto of_job = [this](int64_t number, int64_t lasts_s) {
      return munged_.JobCredential({.number = number,
                                    .user = kDaemonUser,
                                    .group = kDaemonUser,
                                    .end_s = Now_s() + lasts_s});
    };
    const std::string good = of_job(4711, 600);
    std::string not_roots;
    AsUser(kDaemonUser, [&] { not_roots = of_job(4711, 600); });
    EXPECT_TRUE(Revoke("jobs/4712").ok());
    const auto within_a_call = [this, good, reader = geteuid()](uid_t caller) {
      return [this, good, reader, caller](absl::string_view method) {
        std::string authorization;
        AsUser(caller, [&] {
          authorization = munged_.Authorization(
              {.payload = absl::StrCat(domain::MungePayload("head", method), "\n", good),
               .reader = reader});
        });
        return authorization;
      };
    };
    return {Bearing("credential of a job", good, Role::kReporter),
            Bearing("credential of a job that has ended", of_job(4712, 600),
                    StatusCode::UNAUTHENTICATED),
            Bearing("credential of a job that root did not make", not_roots,
                    StatusCode::UNAUTHENTICATED),
            {"credential of a job, in its user's", within_a_call(kDaemonUser), Role::kReporter},
            {"credential of a job, in another user's", within_a_call(kOtherUser),
             StatusCode::UNAUTHENTICATED}};
  }
  void AwaitEnd(const std::string& token) const {
    const auto give_up = Soon();
    while (CallAny(OverUnix(), "cox.v1.AccessService/WhoAmI", token).ok()) {
      ASSERT_LT(std::chrono::system_clock::now(), give_up);
    }
  }
  // Over the transports of the daemon that runs; the number of cells.
  size_t CheckAll(std::vector<Transport> transports) {
    transports.push_back(Grpc("Unix socket, the daemon's user", OverUnix(), Role::kAdmin));
    if (geteuid() == 0) {  // only root can be another user
      transports.push_back(
          Grpc("Unix socket, another user", OverUnixAs(kOtherUser), Role::kReporter));
    }
    std::vector<Credentials> all = Tokens();
    for (Credentials& credentials : MungeCredentials()) all.push_back(std::move(credentials));
    size_t cells = 0;
    for (const Transport& transport : transports) {
      cells += CheckRow(transport, Nothing(transport.without_credentials));
      cells += CheckRow(transport, EmptyHeader(transport.with_empty_header));
      for (const Credentials& credentials : all) cells += CheckRow(transport, credentials);
    }
    return cells;
  }
  // Of each transport: without credentials, an empty header, 17 kinds of tokens, and munge.
  static size_t CellCount(size_t transports) {
    return transports * (2 + 17 + MungeCount()) * access::Rules().size();
  }
  void StartWith(daemon::ConfigValues settings) {
    settings["slurm-jwt-key"] = Write("jwt.key", kSlurmKey);
    settings["roles"] = "daemon=operator,cert:node1=reporter";
    settings["munge-names"] = "head";
    settings["munge-socket"] = munged_.socket();
    Start(settings);
    auto gateway = gateway::Gateway::Start("127.0.0.1:0", {}, server_.get(),
                                           std::make_shared<gateway::Metrics>());
    ASSERT_TRUE(gateway.ok()) << gateway.status();
    gateway_ = *std::move(gateway);
  }
  Transport Http(std::string name, const std::string& ca_path, Expected expected) const {
    const auto caller = std::make_shared<HttpCaller>(gateway_->address(), ca_path);
    return {std::move(name),
            [caller](absl::string_view method, const std::optional<std::string>& header,
                     std::string* answers) { return caller->Call(method, header, answers); },
            expected, expected};
  }

  static constexpr uid_t kDaemonUser = 1;          // "daemon", on every Debian
  static constexpr size_t kLeastSecretBytes = 40;  // "Bearer x" is none
  SecretScan secrets_{EnterableFolder()};
  const Munged munged_{EnterableFolder()};
  std::unique_ptr<gateway::Gateway> gateway_;  // goes before the server

  static inline const std::string kSlurmKey = std::string(32, 'k');
};

// Otherwise the matrix would find none for a wrong reason.
TEST(SecretScanTest, FindsWhatIsThere) {
  const TemporaryDirectory directory;
  const std::string secret = "0123456789abcdefghijklmnopqrstuvwxyz";
  SecretScan scan(directory.path());
  scan.Remember("token", secret);
  scan.CheckText("nothing", "0123456789");
  EXPECT_NONFATAL_FAILURE(scan.CheckText("a text", "bearer " + secret + "."), "token is in a text");
  for (const char* name : {"a", "b", "c"}) std::ofstream(directory.path() + "/" + name) << "x";
  scan.CheckFolder(directory.path());
  std::ofstream(directory.path() + "/b") << secret;
  EXPECT_NONFATAL_FAILURE(scan.CheckFolder(directory.path()), "/b");
  daemon::Log(daemon::LogLevel::kWarning, "refused", {{"method", "m"}});
  scan.CheckLog();
  daemon::Log(daemon::LogLevel::kWarning, "refused", {{"token", secret}});
  EXPECT_NONFATAL_FAILURE(scan.CheckLog(), "the log");
}

TEST_F(Matrix, WithoutTls) {
  StartWith({});
  const size_t cells =
      CheckAll({Grpc("TCP", OverTcp(), Role::kNone), Http("HTTP", "", Role::kNone)});
  RecordProperty("cells", static_cast<int>(cells));
  EXPECT_EQ(cells, CellCount(geteuid() == 0 ? 4 : 3));
  FindNoSecret(HttpCaller(gateway_->address(), ""));
}

TEST_F(Matrix, WithTls) {
  StartWith(Settings());
  const size_t cells = CheckAll({
      Grpc("TLS", OverTls(ca_), StatusCode::UNAUTHENTICATED),
      Grpc("TLS, a certificate with a role", OverTls(ca_, clients_.Issue("DNS:node1")),
           Role::kReporter),
      Grpc("TLS, a certificate without a role", OverTls(ca_, clients_.Issue("DNS:node2")),
           Role::kNone),
      Grpc("TLS, a name in the subject only", OverTls(ca_, clients_.Issue("DNS:issued")),
           Role::kNone),
      Http("HTTP over TLS", Write("ca.pem", ca_.certificate()), StatusCode::UNAUTHENTICATED),
  });
  RecordProperty("cells", static_cast<int>(cells));
  EXPECT_EQ(cells, CellCount(geteuid() == 0 ? 7 : 6));
  FindNoSecret(HttpCaller(gateway_->address(), Write("ca.pem", ca_.certificate())));
}

// A transport that cannot be opened opens nothing, whatever the token.
TEST_F(Matrix, WithoutTrust) {
  StartWith(Settings());
  const std::string token = NewToken("admin", v1::ROLE_ADMIN);
  constexpr StatusCode kClosed = StatusCode::UNAVAILABLE;
  const Transport closed[] = {
      Grpc("no TLS", OverTcp(), kClosed),
      Grpc("the client does not trust the daemon", OverTls(stranger_), kClosed),
      Grpc("the daemon does not trust the client", OverTls(ca_, stranger_.Issue("DNS:node1")),
           kClosed),
      Grpc("the client's certificate has expired", OverTls(ca_, clients_.Issue("DNS:node1", -1)),
           kClosed),
      Http("HTTP, no TLS", "", kClosed),
      Http("HTTP, the client does not trust the daemon",
           Write("stranger.pem", stranger_.certificate()), kClosed),
  };
  for (const Transport& transport : closed) {
    CheckRow(transport, Nothing(transport.without_credentials));
    CheckRow(transport, Bearing("token of admin", token, transport.without_credentials));
  }
}

// The daemon's certificate is one that clients trust, for another host.
TEST_F(Matrix, UnderAForeignName) {
  daemon::ConfigValues settings = Settings();
  const PemPair of_another_host = ca_.Issue("DNS:another-host");
  settings["tls-certificate"] = Write("server.pem", of_another_host.certificate);
  settings["tls-key"] = Write("server.key", of_another_host.key);
  StartWith(settings);
  const std::string token = NewToken("admin", v1::ROLE_ADMIN);
  constexpr StatusCode kClosed = StatusCode::UNAVAILABLE;
  const Transport closed[] = {
      Grpc("TLS under a foreign name", OverTls(ca_), kClosed),
      Grpc("TLS under a foreign name, a certificate with a role",
           OverTls(ca_, clients_.Issue("DNS:node1")), kClosed),
      Http("HTTP over TLS under a foreign name", Write("ca.pem", ca_.certificate()), kClosed),
  };
  for (const Transport& transport : closed) {
    CheckRow(transport, Nothing(transport.without_credentials));
    CheckRow(transport, Bearing("token of admin", token, transport.without_credentials));
  }
  // The name is all that is wrong.
  CheckRow(Grpc("TLS, the name that the certificate has", OverTls(ca_, {}, "another-host"),
                StatusCode::UNAUTHENTICATED),
           Bearing("token of admin", token, Role::kAdmin));
}

}  // namespace
}  // namespace cox
