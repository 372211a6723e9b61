// The matrix: every RPC, by every transport, with every kind of credentials.
//
// A row is a transport and credentials, with what the daemon must take their bearer for. The
// columns are all rows of access::Rules(), which another test compares with the API: so a new RPC
// is in all cells, and without a row the daemon does not start.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "access_fixture.h"
#include "jwt.h"

namespace cox {
namespace {

using access::Role;
using ::grpc::StatusCode;

constexpr uid_t kOtherUser = 54'321;

// A role, or the code with which every call fails.
using Expected = std::variant<Role, StatusCode>;

struct Credentials {
  std::string name;
  std::string token;  // "": none
  Expected expected;
};

struct Transport {
  std::string name;
  std::shared_ptr<grpc::Channel> channel;
  Expected without_token;
};

class Matrix : public AccessTlsFixture {
 protected:
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
  static size_t CheckRow(const Transport& transport, const Credentials& credentials) {
    const std::string row = absl::StrCat(transport.name, ", ", credentials.name);
    for (const access::Rule& rule : access::Rules()) {
      Check(CallAny(transport.channel, rule.method, credentials.token), rule, credentials.expected,
            row);
    }
    return access::Rules().size();
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
      all.push_back({"token of " + text, NewToken(text, name), role});
    }
    all.push_back(
        {"token for one job", NewToken("step", v1::ROLE_REPORTER, 0, "4711"), Role::kReporter});
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
      all.push_back({name, token, StatusCode::UNAUTHENTICATED});
    }
    all.push_back({"token of Slurm", SlurmToken("ada"), Role::kReporter});
    all.push_back({"token of Slurm for root", text, Role::kReporter});
    all.push_back({"token of Slurm for an operator", SlurmToken("daemon"), Role::kOperator});
    AwaitEnd(expired);
    return all;
  }
  void AwaitEnd(const std::string& token) const {
    const auto give_up = Soon();
    while (CallAny(OverUnix(), "cox.v1.AccessService/WhoAmI", token).ok()) {
      ASSERT_LT(std::chrono::system_clock::now(), give_up);
    }
  }
  // Over the transports of the daemon that runs; the number of cells.
  size_t CheckAll(std::vector<Transport> transports) {
    transports.push_back({"Unix socket, the daemon's user", OverUnix(), Role::kAdmin});
    if (geteuid() == 0) {  // only root can be another user
      transports.push_back({"Unix socket, another user", OverUnixAs(kOtherUser), Role::kReporter});
    }
    const std::vector<Credentials> tokens = Tokens();
    size_t cells = 0;
    for (const Transport& transport : transports) {
      cells += CheckRow(transport, {"nothing", "", transport.without_token});
      for (const Credentials& credentials : tokens) cells += CheckRow(transport, credentials);
    }
    return cells;
  }
  daemon::ConfigValues With(daemon::ConfigValues settings) const {
    settings["slurm-jwt-key"] = Write("jwt.key", kSlurmKey);
    settings["roles"] = "daemon=operator,cert:node1=reporter";
    return settings;
  }

  static inline const std::string kSlurmKey = std::string(32, 'k');
};

TEST_F(Matrix, WithoutTls) {
  Start(With({}));
  const size_t cells = CheckAll({{"TCP", OverTcp(), Role::kNone}});
  RecordProperty("cells", static_cast<int>(cells));
  const size_t transports = geteuid() == 0 ? 3 : 2;
  EXPECT_EQ(cells, transports * 18 * access::Rules().size());
}

TEST_F(Matrix, WithTls) {
  Start(With(Settings()));
  const size_t cells = CheckAll({
      {"TLS", OverTls(ca_), StatusCode::UNAUTHENTICATED},
      {"TLS, a certificate with a role", OverTls(ca_, clients_.Issue("DNS:node1")),
       Role::kReporter},
      {"TLS, a certificate without a role", OverTls(ca_, clients_.Issue("DNS:node2")), Role::kNone},
      {"TLS, a name in the subject only", OverTls(ca_, clients_.Issue("DNS:issued")), Role::kNone},
  });
  RecordProperty("cells", static_cast<int>(cells));
  const size_t transports = geteuid() == 0 ? 6 : 5;
  EXPECT_EQ(cells, transports * 18 * access::Rules().size());
}

// A transport that cannot be opened opens nothing, whatever the token.
TEST_F(Matrix, WithoutTrust) {
  Start(With(Settings()));
  const std::string token = NewToken("admin", v1::ROLE_ADMIN);
  const Transport closed[] = {
      {"no TLS", OverTcp(), StatusCode::UNAVAILABLE},
      {"the client does not trust the daemon", OverTls(stranger_), StatusCode::UNAVAILABLE},
      {"the daemon does not trust the client", OverTls(ca_, stranger_.Issue("DNS:node1")),
       StatusCode::UNAVAILABLE},
      {"the client's certificate has expired", OverTls(ca_, clients_.Issue("DNS:node1", -1)),
       StatusCode::UNAVAILABLE},
  };
  for (const Transport& transport : closed) {
    CheckRow(transport, {"nothing", "", transport.without_token});
    CheckRow(transport, {"token of admin", token, transport.without_token});
  }
}

}  // namespace
}  // namespace cox
