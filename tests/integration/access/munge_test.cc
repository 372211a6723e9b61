// munge says which user of the cluster calls, over TCP with and without TLS, and over HTTP.
#include "munge/munge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "access_fixture.h"
#include "agent/stream/wire/unary_call.h"
#include "domain/munge_payload.h"
#include "munged.h"

namespace cox {
namespace {

using ::grpc::StatusCode;
using ::testing::HasSubstr;

constexpr absl::string_view kWhoAmI = "cox.v1.AccessService/WhoAmI";

class MungeTest : public AccessTlsFixture {
 protected:
  void StartWith(daemon::ConfigValues settings) {
    settings["munge-names"] = "head.example, 127.0.0.1";
    settings["munge-socket"] = munged_.socket();
    Start(settings);
  }
  // As cox and the agent do it.
  std::string Proof(absl::string_view method) const {
    const munge::Options options = {.reader = reader_, .socket = munged_.socket()};
    const auto proof = munge::Authorization(options, Tcp(), absl::StrCat("/", method));
    EXPECT_TRUE(proof.ok()) << proof.status();
    return proof.value_or("");
  }
  static v1::WhoAmIResponse WhoIsWith(const std::shared_ptr<grpc::Channel>& channel,
                                      const std::string& proof) {
    grpc::ClientContext context;
    context.AddMetadata("authorization", proof);
    v1::WhoAmIResponse response;
    const grpc::Status status =
        v1::AccessService::NewStub(channel)->WhoAmI(&context, {}, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }

  const std::string reader_ = absl::StrCat(geteuid());  // the daemon's user
  Munged munged_{EnterableFolder()};
};

TEST_F(MungeTest, AUserIsTheSameOnEveryNodeButNoAdministrator) {
  StartWith({});
  const v1::WhoAmIResponse who = WhoIsWith(OverTcp(), Proof(kWhoAmI));
  EXPECT_EQ(who.principal(), absl::StrCat("uid:", geteuid()));
  EXPECT_EQ(who.role(), v1::ROLE_REPORTER) << "the daemon's user, on any node";
  EXPECT_EQ(WhoIs(OverUnix()).role(), v1::ROLE_ADMIN) << "the same user on this host";
}

TEST_F(MungeTest, RolesNameUsers) {
  StartWith({{"roles", absl::StrCat(geteuid(), "=operator")}});
  EXPECT_EQ(WhoIsWith(OverTcp(), Proof(kWhoAmI)).role(), v1::ROLE_OPERATOR);
  if (geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  std::string proof;
  AsUser(54'321, [&] { proof = Proof(kWhoAmI); });
  const v1::WhoAmIResponse other = WhoIsWith(OverTcp(), proof);
  EXPECT_EQ(other.principal(), "uid:54321");
  EXPECT_EQ(other.role(), v1::ROLE_REPORTER);
}

TEST_F(MungeTest, CountsOverTlsToo) {
  StartWith(Settings());
  EXPECT_EQ(WhoIsWith(OverTls(ca_), Proof(kWhoAmI)).principal(), absl::StrCat("uid:", geteuid()));
}

TEST_F(MungeTest, ACredentialIsGoodOnce) {
  StartWith({});
  const std::string proof = Proof(kWhoAmI);
  EXPECT_TRUE(CallWith(OverTcp(), kWhoAmI, proof).ok());
  const grpc::Status again = CallWith(OverTcp(), kWhoAmI, proof);
  EXPECT_EQ(again.error_code(), StatusCode::UNAUTHENTICATED);
  EXPECT_THAT(again.error_message(), HasSubstr("eplayed"));
}

TEST_F(MungeTest, ACredentialForAnotherHostIsRefused) {
  StartWith({});
  const std::string elsewhere =
      munged_.Authorization({.payload = domain::MungePayload("tail.example", kWhoAmI)});
  const grpc::Status status = CallWith(OverTcp(), kWhoAmI, elsewhere);
  EXPECT_EQ(status.error_code(), StatusCode::UNAUTHENTICATED);
  EXPECT_THAT(status.error_message(), HasSubstr("munge-names"));
  EXPECT_TRUE(
      CallWith(OverTcp(), kWhoAmI,
               munged_.Authorization({.payload = domain::MungePayload("HEAD.example", kWhoAmI)}))
          .ok());
}

TEST_F(MungeTest, WithoutMungedTheDaemonSaysSoAndRecovers) {
  StartWith({});
  const std::string proof = Proof(kWhoAmI);
  munged_.Stop();
  const grpc::Status away = CallWith(OverTcp(), kWhoAmI, proof);
  EXPECT_EQ(away.error_code(), StatusCode::UNAVAILABLE);
  EXPECT_THAT(away.error_message(), HasSubstr("munged"));
  EXPECT_TRUE(CallWith(OverUnix(), kWhoAmI, "").ok()) << "others go on";
  munged_.Start();
  EXPECT_TRUE(CallWith(OverTcp(), kWhoAmI, Proof(kWhoAmI)).ok());
}

// Of jobs on other nodes: the agent has no TLS.
TEST_F(MungeTest, TheAgentProvesWhoReports) {
  StartWith({});
  const std::string method = absl::StrCat("/", kWhoAmI);
  EXPECT_FALSE(agent::CallOnce(Tcp(), method, "", 20).ok());
  setenv("COX_MUNGE", absl::StrCat(geteuid()).c_str(), 1);
  setenv("COX_MUNGE_SOCKET", munged_.socket().c_str(), 1);
  const absl::StatusOr<std::string> answer = agent::CallOnce(Tcp(), method, "", 20);
  unsetenv("COX_MUNGE");
  unsetenv("COX_MUNGE_SOCKET");
  ASSERT_TRUE(answer.ok()) << answer.status();
  v1::WhoAmIResponse who;
  ASSERT_TRUE(who.ParseFromString(*answer));
  EXPECT_EQ(who.principal(), absl::StrCat("uid:", geteuid()));
}

TEST(MungeClient, OnlyOverAUnixSocketIsThereNothingToProve) {
  EXPECT_FALSE(munge::IsUseful("unix:/run/coxswain/coxd.sock"));
  EXPECT_FALSE(munge::IsUseful("unix-abstract:coxd"));
  EXPECT_TRUE(munge::IsUseful("unix1.example:7077")) << "the name of a host";
}

TEST_F(MungeTest, ADaemonWithoutTheSettingTakesNone) {
  Start();
  EXPECT_EQ(CallWith(OverTcp(), kWhoAmI, Proof(kWhoAmI)).error_code(), StatusCode::UNAUTHENTICATED);
}

}  // namespace
}  // namespace cox
