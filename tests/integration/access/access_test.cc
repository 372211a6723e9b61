// Who may call what, and what becomes of credentials that end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "access_fixture.h"
#include "cox/v1/history.grpc.pb.h"
#include "jwt.h"

namespace cox {
namespace {

using access::Role;
using ::grpc::StatusCode;
using ::testing::HasSubstr;

class Access : public AccessFixture {};
class AccessTls : public AccessTlsFixture {};

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

TEST_F(Access, SaysWhomItTakesACallerFor) {
  Start({{"roles", "54322=operator"}});
  EXPECT_EQ(WhoIs(OverUnix()).principal(), absl::StrCat("uid:", geteuid()));
  EXPECT_EQ(WhoIs(OverUnix()).role(), v1::ROLE_ADMIN);
  EXPECT_EQ(WhoIs(OverTcp(), NewToken("ci", v1::ROLE_VIEWER)).principal(), "token:ci");
  if (geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  EXPECT_EQ(WhoIs(OverUnixAs(54'321)).principal(), "uid:54321");
  EXPECT_EQ(WhoIs(OverUnixAs(54'321)).role(), v1::ROLE_REPORTER);
  EXPECT_EQ(WhoIs(OverUnixAs(54'322)).role(), v1::ROLE_OPERATOR);
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

// A benchmark without a job is an operator's word only if an operator reports it.
TEST_F(Access, AReporterWithoutAJobIsNoSecondSource) {
  Start();
  Register("delta");
  const auto profiles = v1::ProfileService::NewStub(OverUnix());
  v1::CreateProfileRequest create;
  create.set_parent("machines/delta");
  create.mutable_profile()->set_provenance(v1::PROVENANCE_IMPORTED);
  for (const char* level : {"node", "network"}) {
    for (const auto& [name, value] : {std::pair("alpha", 1e-6), std::pair("beta", 1e-9)}) {
      v1::Parameter* const parameter = create.mutable_profile()->add_parameters();
      parameter->set_model("hockney");
      parameter->set_level(level);
      parameter->set_name(name);
      parameter->set_value(value);
    }
  }
  v1::Profile stated;
  ASSERT_TRUE(Call(&v1::ProfileService::Stub::CreateProfile, profiles, create, &stated).ok());

  const std::string eve = NewToken("eve", v1::ROLE_REPORTER);
  v1::ListProfilesRequest list;
  list.set_parent("machines/delta");
  v1::ListProfilesResponse listed;
  for (int batch = 1; batch <= 100 && !listed.has_held(); ++batch) {
    v1::ReportObservationsRequest report;
    report.set_await_learning(true);
    for (int i = 0; i < 16; ++i) {
      v1::Observation* const row = report.add_observations();
      *row = MakeObservation("delta", i);
      row->set_time_s(100 * 4 * (1e-6 + 1e-9 * static_cast<double>(row->block_bytes())));
    }
    grpc::ClientContext context;
    Sign(eve, &context);
    v1::ReportObservationsResponse reported;
    const grpc::Status status =
        v1::ObservationService::NewStub(OverTcp())->ReportObservations(&context, report, &reported);
    ASSERT_TRUE(status.ok()) << status.error_message();
    ASSERT_TRUE(Call(&v1::ProfileService::Stub::ListProfiles, profiles, list, &listed).ok());
    ASSERT_EQ(listed.profiles_size(), 1) << "a reporter alone has moved what a person stated";
  }
  ASSERT_TRUE(listed.has_held());
  EXPECT_THAT(listed.held().sources(), ::testing::ElementsAre("token:eve"));
}

// Where the site hides the jobs of others.
class HiddenJobs : public AccessFixture {
 protected:
  // A job of each of two reporters, of a user and of an operator.
  void StartWithJobs(const std::string& hides) {
    Start({{"hide-foreign-jobs", hides}});
    Register("delta");
    for (const char* name : {"ada", "eve"}) {
      tokens_[name] = NewToken(name, v1::ROLE_REPORTER);
      Report(tokens_[name]);
    }
    tokens_["op"] = NewToken("op", v1::ROLE_OPERATOR);
    Report(tokens_["op"]);
    tokens_["viewer"] = NewToken("viewer", v1::ROLE_VIEWER);
  }
  void Report(const std::string& token) const {
    v1::ReportObservationsRequest request;
    request.set_job("4711");
    request.set_source("source");
    *request.add_observations() = MakeObservation("delta", 1);
    v1::PatternSketch* const sketch = request.add_sketches();
    sketch->set_machine("delta");
    sketch->set_application("solver");
    sketch->set_kind("messages");
    sketch->set_nodes(1);
    sketch->set_ppn(4);
    sketch->set_ranks(4);
    sketch->set_phase_count(4);
    grpc::ClientContext context;
    Sign(token, &context);
    v1::ReportObservationsResponse response;
    const grpc::Status status = v1::ObservationService::NewStub(OverTcp())->ReportObservations(
        &context, request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
  }
  // As a bearer of this token.
  template <typename Stub, typename Method, typename Request, typename Response>
  grpc::Status Ask(const std::string& who, const std::unique_ptr<Stub>& stub, Method method,
                   const Request& request, Response* response) {
    grpc::ClientContext context;
    context.set_deadline(Soon());
    Sign(tokens_[who], &context);
    return (*stub.*method)(&context, request, response);
  }
  std::vector<std::string> JobsSeenBy(const std::string& who) {
    v1::ListJobsResponse response;
    const grpc::Status status =
        Ask(who, v1::HistoryService::NewStub(OverTcp()), &v1::HistoryService::Stub::ListJobs,
            v1::ListJobsRequest(), &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    std::vector<std::string> jobs;
    for (const v1::Job& job : response.jobs()) jobs.push_back(job.name());
    return jobs;
  }
  // "JOB of SOURCE" of each row.
  std::vector<std::string> RowsSeenBy(const std::string& who) {
    v1::ListObservationsResponse response;
    const grpc::Status status = Ask(who, v1::ObservationService::NewStub(OverTcp()),
                                    &v1::ObservationService::Stub::ListObservations,
                                    v1::ListObservationsRequest(), &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    std::vector<std::string> rows;
    for (const v1::Observation& row : response.observations()) {
      EXPECT_GT(row.time_s(), 0) << "timings are for all";
      rows.push_back(absl::StrCat(row.job(), " of ", row.source()));
    }
    return rows;
  }
  grpc::StatusCode CountOf(const std::string& who, const std::string& job,
                           const std::string& source = "") {
    v1::CountObservationsRequest request;
    request.set_job(job);
    request.set_source(source);
    v1::CountObservationsResponse response;
    return Ask(who, v1::ObservationService::NewStub(OverTcp()),
               &v1::ObservationService::Stub::CountObservations, request, &response)
        .error_code();
  }
  grpc::StatusCode SummaryOf(const std::string& who, const std::string& job) {
    v1::SummarizeObservationsRequest request;
    request.set_job(job);
    v1::SummarizeObservationsResponse response;
    return Ask(who, v1::HistoryService::NewStub(OverTcp()),
               &v1::HistoryService::Stub::SummarizeObservations, request, &response)
        .error_code();
  }
  // Of `solver`; 0: none is seen.
  int64_t SketchedJobsSeenBy(const std::string& who) {
    v1::RecommendRoutesRequest request;
    request.set_machine("delta");
    v1::RecommendRoutesResponse response;
    const grpc::Status status = Ask(who, v1::AdviceService::NewStub(OverTcp()),
                                    &v1::AdviceService::Stub::RecommendRoutes, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.patterns_size() == 1 ? response.patterns(0).job_count() : 0;
  }
  grpc::StatusCode SavingsOf(const std::string& who, const std::string& job) {
    v1::GetSavingsRequest request;
    request.set_machine("machines/delta");
    request.set_job(job);
    v1::GetSavingsResponse response;
    return Ask(who, v1::HistoryService::NewStub(OverTcp()), &v1::HistoryService::Stub::GetSavings,
               request, &response)
        .error_code();
  }

  // Of the rows by application.
  std::set<std::string> ApplicationsSeenBy(const std::string& who) {
    v1::GetSavingsRequest request;
    request.set_machine("machines/delta");
    request.set_by_application(true);
    v1::GetSavingsResponse response;
    const grpc::Status status = Ask(who, v1::HistoryService::NewStub(OverTcp()),
                                    &v1::HistoryService::Stub::GetSavings, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    std::set<std::string> applications;
    for (int i = 1; i < response.rows_size(); ++i) {
      applications.insert(response.rows(i).application());
    }
    return applications;
  }

  std::map<std::string, std::string> tokens_;
};

TEST_F(HiddenJobs, EveryoneSeesAllUnlessTheSiteHidesThem) {
  StartWithJobs("false");
  for (const char* who : {"ada", "op", "viewer"}) {
    EXPECT_THAT(JobsSeenBy(who),
                ::testing::UnorderedElementsAre("token:ada/4711", "token:eve/4711", "4711"))
        << who;
  }
  EXPECT_EQ(CountOf("viewer", "token:eve/4711"), StatusCode::OK);
  EXPECT_THAT(ApplicationsSeenBy("viewer"), ::testing::ElementsAre("solver"));
}

TEST_F(HiddenJobs, ViewersAndReportersSeeTheirOwnNamesOnly) {
  StartWithJobs("true");
  EXPECT_THAT(JobsSeenBy("viewer"), ::testing::IsEmpty());
  EXPECT_THAT(JobsSeenBy("ada"), ::testing::ElementsAre("token:ada/4711"));
  EXPECT_THAT(RowsSeenBy("viewer"), ::testing::ElementsAre(" of ", " of ", " of "));
  EXPECT_THAT(RowsSeenBy("ada"),
              ::testing::UnorderedElementsAre("token:ada/4711 of token:ada", " of ", " of "));
  for (const char* who : {"viewer", "ada"}) {
    for (const char* job : {"token:eve/4711", "token:eve/none"}) {
      EXPECT_EQ(CountOf(who, job), StatusCode::PERMISSION_DENIED) << "whether it exists or not";
      EXPECT_EQ(SummaryOf(who, job), StatusCode::PERMISSION_DENIED);
      EXPECT_EQ(SavingsOf(who, job), StatusCode::PERMISSION_DENIED);
    }
    EXPECT_EQ(CountOf(who, "", "token:eve"), StatusCode::PERMISSION_DENIED);
    EXPECT_EQ(CountOf(who, ""), StatusCode::OK);
  }
  EXPECT_EQ(CountOf("ada", "4711", "token:ada"), StatusCode::OK);
  EXPECT_EQ(SketchedJobsSeenBy("viewer"), 0);
  EXPECT_EQ(SketchedJobsSeenBy("ada"), 1);
  EXPECT_EQ(SummaryOf("ada", "token:ada/4711"), StatusCode::OK);
  EXPECT_THAT(ApplicationsSeenBy("viewer"), ::testing::ElementsAre(""));
  EXPECT_THAT(ApplicationsSeenBy("ada"), ::testing::ElementsAre("", "solver"));
}

TEST_F(HiddenJobs, OperatorsSeeAll) {
  StartWithJobs("true");
  EXPECT_EQ(JobsSeenBy("op").size(), 3U);
  EXPECT_EQ(SketchedJobsSeenBy("op"), 3);
  EXPECT_THAT(RowsSeenBy("op"),
              ::testing::UnorderedElementsAre("token:ada/4711 of token:ada",
                                              "token:eve/4711 of token:eve", "4711 of source"));
  EXPECT_EQ(CountOf("op", "token:eve/4711"), StatusCode::OK);
  EXPECT_THAT(ApplicationsSeenBy("op"), ::testing::ElementsAre("solver"));
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

// What is written to it waits in the daemon: nothing tells the client, so the call is cut off.
TEST_F(Access, AStreamWhoseClientReadsNothingEndsWhenItsTokenIsRevoked) {
  Start({{"max-streams", "1"}});
  Register("m");
  v1::CreateProfileRequest profile;
  profile.set_parent("machines/m");
  v1::Parameter* const alpha = profile.mutable_profile()->add_parameters();
  alpha->set_model("hockney");
  alpha->set_level("network");
  alpha->set_name("alpha");
  alpha->set_value(1e-6);
  v1::Profile created;
  const grpc::Status status = Call(&v1::ProfileService::Stub::CreateProfile,
                                   v1::ProfileService::NewStub(OverUnix()), profile, &created);
  ASSERT_TRUE(status.ok()) << status.error_message();

  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 5);
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);  // it would open the window
  const auto channel =
      grpc::CreateCustomChannel(Tcp(), grpc::InsecureChannelCredentials(), arguments);
  v1::WatchProfileRequest request;
  request.set_parent("machines/m");
  grpc::ClientContext context;
  Sign(NewToken("silent", v1::ROLE_VIEWER), &context);
  const auto stream = v1::ProfileService::NewStub(channel)->WatchProfile(&context, request);
  stream->WaitForInitialMetadata();
  const std::string other = NewToken("other", v1::ROLE_VIEWER);
  const auto watch = [&] {
    grpc::ClientContext another;
    another.set_deadline(Soon());
    Sign(other, &another);
    const auto second = v1::ProfileService::NewStub(OverTcp())->WatchProfile(&another, request);
    v1::Profile active;
    if (second->Read(&active)) another.TryCancel();
    return second->Finish().error_code();
  };
  EXPECT_EQ(watch(), StatusCode::RESOURCE_EXHAUSTED) << "there is one place only";

  const auto revoked = std::chrono::steady_clock::now();
  ASSERT_TRUE(Revoke("silent").ok());
  while (watch() == StatusCode::RESOURCE_EXHAUSTED) {
    ASSERT_LT(std::chrono::steady_clock::now() - revoked, std::chrono::seconds(60));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  context.TryCancel();
  stream->Finish();
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

TEST_F(Access, StreamsEndWhenSlurmsKeyIsReplaced) {
  const std::string key(32, 'k');
  Start({{"slurm-jwt-key", Write("jwt.key", key)}});
  const int64_t now_s = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const std::string token = SignJwt(kJwtHeader, SlurmClaims(now_s, now_s + 600, "ada"), key);
  const auto channel = OverTcp();
  EXPECT_EQ(WhoIs(channel, token).principal(), "slurm:ada");
  const auto stub = v1::ObservationService::NewStub(channel);
  grpc::ClientContext context;
  context.set_deadline(Soon());
  Sign(token, &context);
  const auto stream = stub->StreamObservations(&context);
  ASSERT_TRUE(stream->Write(v1::StreamObservationsRequest()));
  v1::StreamObservationsResponse response;
  ASSERT_TRUE(stream->Read(&response));
  Write("jwt.key", std::string(32, 'n'));
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

TEST_F(AccessTls, ACertificatesNameIsThePrincipal) {
  Start(Settings());
  EXPECT_EQ(WhoIs(OverTls(ca_, clients_.Issue("DNS:node1"))).principal(), "cert:node1");
}

// gRPC looks at a certificate only when a connection begins. Calls and streams on it look again.
TEST_F(AccessTls, ACertificateEndsOnOpenConnections) {
  Start(Settings());
  const auto expires = OverTls(ca_, clients_.Issue("DNS:node1", 4));
  const auto loses_its_ca = OverTls(ca_, clients_.Issue("DNS:node1"));
  const auto ends = [this](const std::shared_ptr<grpc::Channel>& channel, const char* why,
                           const std::function<void()>& cause) {
    ASSERT_EQ(WhoIs(channel).principal(), "cert:node1");
    grpc::ClientContext context;
    context.set_deadline(Soon());
    const auto stream = v1::ObservationService::NewStub(channel)->StreamObservations(&context);
    ASSERT_TRUE(stream->Write(v1::StreamObservationsRequest()));
    v1::StreamObservationsResponse response;
    ASSERT_TRUE(stream->Read(&response));
    cause();
    const auto give_up = Soon();
    grpc::Status status;
    do {
      ASSERT_LT(std::chrono::system_clock::now(), give_up) << why;
      status = CallAny(channel, "cox.v1.AccessService/WhoAmI", "");
    } while (status.ok());
    EXPECT_EQ(status.error_code(), StatusCode::UNAUTHENTICATED);
    EXPECT_THAT(status.error_message(), HasSubstr(why));
    EXPECT_FALSE(stream->Read(&response));
    EXPECT_EQ(stream->Finish().error_code(), StatusCode::UNAUTHENTICATED);
  };
  ends(expires, "expired", [] {});
  ends(loses_its_ca, "issuer", [this] { Write("clients.pem", stranger_.certificate()); });
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
