// munge says which user of the cluster calls, over TCP with and without TLS, and over HTTP.
#include "munge/munge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "access_fixture.h"
#include "agent/stream/wire/unary_call.h"
#include "domain/munge_payload.h"
#include "munged.h"
#include "relay/relay.h"

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
  EXPECT_TRUE(CallAny(OverUnix(), kWhoAmI, "").ok()) << "others go on";
  munged_.Start();
  EXPECT_TRUE(CallWith(OverTcp(), kWhoAmI, Proof(kWhoAmI)).ok());
}

// What Slurm's plugin hands to a step, and how the agent uses it.
class JobCredentialTest : public MungeTest {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root makes credentials of jobs";
  }
  static int64_t InAnHour() { return time(nullptr) + 3'600; }
  std::string Credential(int64_t number = 4711, int lifetime_s = 0) const {
    return munged_.JobCredential(
        {.number = number, .user = kUser, .group = kUser, .end_s = InAnHour()}, lifetime_s);
  }
  // As the agent asks, with these variables.
  absl::StatusOr<v1::WhoAmIResponse> AgentIs(
      const std::vector<std::pair<const char*, std::string>>& variables) const {
    for (const auto& [name, value] : variables) setenv(name, value.c_str(), 1);
    const absl::StatusOr<std::string> answer =
        agent::CallOnce(Tcp(), absl::StrCat("/", kWhoAmI), "", 20);
    for (const auto& [name, value] : variables) unsetenv(name);
    if (!answer.ok()) return answer.status();
    v1::WhoAmIResponse who;
    EXPECT_TRUE(who.ParseFromString(*answer));
    return who;
  }

  static constexpr uid_t kUser = 54'321;
};

TEST_F(JobCredentialTest, MakesItsBearerAReporterForTheJobAgainAndAgain) {
  StartWith({{"roles", "54321=operator"}});
  const std::string credential = Credential(4711, 1);
  const int64_t made_s = time(nullptr);
  for (int i = 0; i < 2; ++i) {
    const v1::WhoAmIResponse who = WhoIs(OverTcp(), credential);
    EXPECT_EQ(who.principal(), "uid:54321");
    EXPECT_EQ(who.role(), v1::ROLE_REPORTER) << "whatever the user may do otherwise";
    EXPECT_EQ(who.job(), "slurm-4711");
    // The second one after munge's own lifetime.
    while (time(nullptr) <= made_s + 2) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

TEST_F(JobCredentialTest, ReportsAreOfTheUserAndTheJobWhateverTheyState) {
  StartWith({});
  Register("delta");
  for (const char* job : {"slurm-4711.0@node1", "slurm-4712.0", ""}) {
    v1::ReportObservationsRequest request;
    request.set_job(job);
    request.set_sequence(1);
    request.set_source("uid:1");
    *request.add_observations() = MakeObservation("delta", 1);
    grpc::ClientContext context;
    Sign(Credential(), &context);
    v1::ReportObservationsResponse response;
    const grpc::Status status = v1::ObservationService::NewStub(OverTcp())->ReportObservations(
        &context, request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
  }
  v1::ListObservationsResponse list;
  ASSERT_TRUE(Call(&v1::ObservationService::Stub::ListObservations,
                   v1::ObservationService::NewStub(OverUnix()), {}, &list)
                  .ok());
  std::vector<std::string> jobs;
  for (const v1::Observation& row : list.observations()) {
    EXPECT_EQ(row.source(), "uid:54321");
    jobs.push_back(row.job());
  }
  EXPECT_THAT(jobs, ::testing::UnorderedElementsAre("uid:54321/slurm-4711.0@node1",
                                                    "uid:54321/slurm-4711.slurm-4712.0",
                                                    "uid:54321/slurm-4711"));
}

TEST_F(JobCredentialTest, EndsWithTheJobAndSoDoItsStreams) {
  StartWith({});
  const std::string credential = Credential();
  const auto stub = v1::ObservationService::NewStub(OverTcp());
  grpc::ClientContext context;
  context.set_deadline(Soon());
  Sign(credential, &context);
  const auto stream = stub->StreamObservations(&context);
  ASSERT_TRUE(stream->Write(v1::StreamObservationsRequest()));
  v1::StreamObservationsResponse response;
  ASSERT_TRUE(stream->Read(&response));

  EXPECT_EQ(Revoke("jobs/x").error_code(), StatusCode::INVALID_ARGUMENT);
  ASSERT_TRUE(Revoke("jobs/4711").ok());
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(stream->Finish().error_code(), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(CallAny(OverTcp(), kWhoAmI, credential).error_code(), StatusCode::UNAUTHENTICATED);
  EXPECT_TRUE(CallAny(OverTcp(), kWhoAmI, Credential(4712)).ok()) << "other jobs go on";
  server_.reset();
  StartWith({});
  EXPECT_EQ(CallAny(OverTcp(), kWhoAmI, credential).error_code(), StatusCode::UNAUTHENTICATED)
      << "after a restart";
}

// coxd alone is told of the job's end.
TEST_F(JobCredentialTest, EndsAtARelayToo) {
  StartWith({});
  Register("delta");
  ASSERT_TRUE(Revoke("jobs/4711").ok());
  const std::string socket = directory_.path() + "/relay";
  const auto values = daemon::ReadConfigValues({{{{"data", directory_.path() + "/relay-data"},
                                                  {"listen", "unix:" + socket},
                                                  {"socket-mode", "0666"},
                                                  {"relay", "unix:" + Socket()},
                                                  {"munge-names", "head.example"},
                                                  {"munge-socket", munged_.socket()},
                                                  {"roles", "*=viewer"}}},
                                                ""});
  ASSERT_TRUE(values.ok()) << values.status();
  const auto config = daemon::MakeConfig(*values);
  ASSERT_TRUE(config.ok()) << config.status();
  const auto relay = relay::StartRelay(*config);
  ASSERT_TRUE(relay.ok()) << relay.status();
  const auto report = [&](int64_t job) {
    v1::ReportObservationsRequest request;
    request.set_sequence(1);
    *request.add_observations() = MakeObservation("delta", 1);
    grpc::ClientContext context;
    Sign(Credential(job), &context);
    v1::ReportObservationsResponse response;
    return v1::ObservationService::NewStub(
               Connect("unix:" + socket, grpc::InsecureChannelCredentials()))
        ->ReportObservations(&context, request, &response);
  };
  const grpc::Status of_another = report(4712);
  EXPECT_TRUE(of_another.ok()) << of_another.error_message();
  grpc::Status status;
  do {
    status = report(4711);
  } while (status.ok());
  EXPECT_EQ(status.error_code(), StatusCode::UNAUTHENTICATED) << status.error_message();
}

TEST_F(JobCredentialTest, WhatIsNoCredentialOfAJobIsRefused) {
  StartWith({});
  const int64_t end_s = InAnHour();
  std::string by_a_user;
  AsUser(kUser, [&] { by_a_user = Credential(); });
  const auto with = [&](const std::string& payload) {
    return munged_.Authorization({.payload = payload}).substr(6);
  };
  const std::pair<const char*, std::string> cases[] = {
      {"made by a user", by_a_user},
      {"past its end", munged_.JobCredential({.user = kUser, .end_s = time(nullptr) - 1})},
      {"for longer than any job", munged_.JobCredential({.user = kUser, .end_s = 1LL << 40})},
      {"no job", munged_.JobCredential({.number = 0, .user = kUser, .end_s = end_s})},
      {"of a call", with(domain::MungePayload("head.example", kWhoAmI))},
      {"half of one", with("coxswain-job 1 4711 54321")},
      {"empty", with("")},
      {"broken", "MUNGE:AwQFAAAx:"},
      {"for another reader",
       munged_
           .Authorization(
               {.payload = absl::StrCat("coxswain-job 1 1 2 3 ", end_s), .reader = kUser})
           .substr(6)},
  };
  for (const auto& [name, credential] : cases) {
    EXPECT_EQ(CallAny(OverTcp(), kWhoAmI, credential).error_code(), StatusCode::UNAUTHENTICATED)
        << name;
  }
}

TEST_F(JobCredentialTest, NobodyGetsInByAJobWhomTheSiteShutsOut) {
  StartWith({{"roles", "54321=none"}});
  EXPECT_EQ(CallAny(OverTcp(), kWhoAmI, Credential()).error_code(), StatusCode::PERMISSION_DENIED);
}

// Whoever has several groups chooses which one a process is in.
TEST_F(JobCredentialTest, NobodyLeavesAGroupThatTheSiteShutsOut) {
  constexpr uid_t kGames = 5;  // on every Debian; its own group is @games
  StartWith({{"roles", "@games=none"}});
  for (const gid_t group : {60, 39}) {
    const std::string credential =
        munged_.JobCredential({.user = kGames, .group = group, .end_s = InAnHour()});
    EXPECT_EQ(CallAny(OverTcp(), kWhoAmI, credential).error_code(), StatusCode::PERMISSION_DENIED)
        << group;
  }
}

TEST_F(JobCredentialTest, TheAgentShowsItOnThisHostAndHidesItInMungeElsewhere) {
  StartWith({});
  const auto file = [this](uid_t user) {
    return Write("credential",
                 munged_.JobCredential({.user = user, .group = user, .end_s = InAnHour()}));
  };
  const auto local = AgentIs({{"COX_JOB_CREDENTIAL", file(kUser)}});
  ASSERT_TRUE(local.ok()) << local.status();
  EXPECT_EQ(local->principal(), "uid:54321");
  EXPECT_EQ(local->job(), "slurm-4711");

  // A call's credential counts once, so who reads the network gains nothing.
  const std::pair<const char*, std::string> munge[] = {{"COX_MUNGE", reader_},
                                                       {"COX_MUNGE_SOCKET", munged_.socket()}};
  const auto own = AgentIs({munge[0], munge[1], {"COX_JOB_CREDENTIAL", file(geteuid())}});
  ASSERT_TRUE(own.ok()) << own.status();
  EXPECT_EQ(own->principal(), absl::StrCat("uid:", geteuid()));
  EXPECT_EQ(own->job(), "slurm-4711");
  EXPECT_EQ(AgentIs({munge[0], munge[1], {"COX_JOB_CREDENTIAL", file(kUser)}}).status().code(),
            absl::StatusCode::kUnauthenticated)
      << "of another user's job";
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
