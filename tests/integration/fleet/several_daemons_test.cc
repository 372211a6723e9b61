// Several coxd on one PostgreSQL database, while they and the server are killed.
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "coxd_process.h"
#include "daemon.h"
#include "postgres/server.h"
#include "store/postgres/connection/query.h"
#include "store/postgres/schema.h"

namespace cox {
namespace {

using Clock = std::chrono::steady_clock;
using store::PostgresServer;

constexpr int kRowsPerBatch = 40;
// Longer than any machine takes: a test that waits so long has failed.
constexpr std::chrono::seconds kPatience{60};

class SeveralDaemonsTest : public ::testing::Test {
 protected:
  // A daemon and a channel to it.
  struct Member {
    std::unique_ptr<CoxdProcess> process;
    std::shared_ptr<grpc::Channel> channel;
    auto Observations() const { return v1::ObservationService::NewStub(channel); }
    auto Profiles() const { return v1::ProfileService::NewStub(channel); }
  };

  void SetUp() override {
    if (!PostgresServer::WhyMissing().empty()) GTEST_SKIP() << PostgresServer::WhyMissing();
    url_ = PostgresServer::Shared().NewDatabase();
  }

  Member StartMember(int number) {
    const std::string own = absl::StrCat(directory_.path(), "/", number);
    const std::string socket = own + ".sock";
    Member member;
    member.process = std::make_unique<CoxdProcess>(
        std::vector<std::string>{"--store", url_, "--data", own, "--listen", "unix:" + socket,
                                 "--refine-interval", "0s", "--published-machines", "false",
                                 "--log-level", "warning"},
        own + ".log");
    member.channel = ConnectUnix(socket, 60);
    EXPECT_NE(member.channel, nullptr) << member.process->Log();
    return member;
  }

  // A number of the database, beside the daemons.
  int64_t Ask(const std::string& sql) const {
    store::postgres::Session session(url_, store::postgres::kSetUp);
    if (!session.Connect().ok()) return -1;
    return store::postgres::Query(session, sql).Number().value_or(-1);
  }

  TemporaryDirectory directory_;
  std::string url_;
};

grpc::Status Report(const std::unique_ptr<v1::ObservationService::Stub>& stub,
                    const std::string& job, int64_t sequence,
                    v1::ReportObservationsResponse* response) {
  v1::ReportObservationsRequest request;
  request.set_job(job);
  request.set_sequence(sequence);
  for (int i = 0; i < kRowsPerBatch; ++i) {
    *request.add_observations() = MakeObservation("delta", i);
  }
  return Call(&v1::ObservationService::Stub::ReportObservations, stub, request, response);
}

void Register(const std::shared_ptr<grpc::Channel>& channel) {
  v1::CreateMachineRequest machine;
  machine.mutable_machine()->set_name("machines/delta");
  machine.mutable_machine()->set_nodes(4);
  machine.mutable_machine()->set_cores_per_node(8);
  v1::Machine made;
  ASSERT_TRUE(Call(&v1::MachineService::Stub::CreateMachine, v1::MachineService::NewStub(channel),
                   machine, &made)
                  .ok());
}

TEST_F(SeveralDaemonsTest, AcknowledgedRowsAreThereOnceWhoeverIsKilled) {
  std::vector<Member> members;
  for (int i = 0; i < 2; ++i) members.push_back(StartMember(i));
  ASSERT_FALSE(HasFatalFailure());
  Register(members[0].channel);
  std::atomic<bool> ends = false;
  std::mutex members_mutex;
  // Each reporter sends a batch until one of the daemons acknowledges it.
  constexpr int kReporters = 3;
  std::vector<int64_t> acknowledged(kReporters);
  std::vector<std::thread> reporters;
  for (int reporter = 0; reporter < kReporters; ++reporter) {
    reporters.emplace_back([&, reporter] {
      for (size_t turn = static_cast<size_t>(reporter); !ends; ++turn) {
        std::shared_ptr<grpc::Channel> channel;
        {
          const std::lock_guard lock(members_mutex);
          channel = members[turn % members.size()].channel;
        }
        v1::ReportObservationsResponse response;
        if (Report(v1::ObservationService::NewStub(channel), absl::StrCat("job", reporter),
                   acknowledged[static_cast<size_t>(reporter)] + 1, &response)
                .ok()) {
          ++acknowledged[static_cast<size_t>(reporter)];
        }
      }
    });
  }
  for (int round = 0; round < 6; ++round) {
    const int64_t before = Ask("SELECT count(*) FROM batch");
    const auto deadline = Clock::now() + kPatience;
    while (Ask("SELECT count(*) FROM batch") < before + 10 && Clock::now() < deadline) {
      std::this_thread::yield();
    }
    if (round % 2 == 0) {
      PostgresServer::Shared().Kill();
      PostgresServer::Shared().Start();
      continue;
    }
    const int number = round / 2 % 2;
    members[static_cast<size_t>(number)].process->Signal(SIGKILL);
    members[static_cast<size_t>(number)].process->Wait();
    Member anew = StartMember(number);
    const std::lock_guard lock(members_mutex);
    members[static_cast<size_t>(number)] = std::move(anew);
  }
  ends = true;
  for (std::thread& reporter : reporters) reporter.join();
  for (int reporter = 0; reporter < kReporters; ++reporter) {
    const int64_t count = acknowledged[static_cast<size_t>(reporter)];
    EXPECT_GT(count, 0);
    const std::string of_job =
        absl::StrCat(" FROM batch JOIN job USING (job_id) WHERE name = 'job", reporter, "'");
    EXPECT_EQ(Ask(absl::StrCat("SELECT count(*)", of_job, " AND sequence <= ", count)), count);
    // The batch that was on its way at the end.
    EXPECT_LE(Ask(absl::StrCat("SELECT max(sequence)", of_job)), count + 1);
    RecordProperty(absl::StrCat("acknowledged_batches_", reporter), static_cast<int>(count));
  }
  EXPECT_EQ(Ask("SELECT count(*) FROM observation"),
            kRowsPerBatch * Ask("SELECT count(*) FROM batch"));
  EXPECT_EQ(Ask("SELECT sum(observation_count)::bigint FROM cell"),
            Ask("SELECT count(*) FROM observation"));
}

TEST_F(SeveralDaemonsTest, AnotherOneLearnsWhenTheLearnerIsKilledOrStopped) {
  std::vector<Member> members;
  // In this order they get the numbers 1, 2, 3 in the database.
  for (int i = 0; i < 3; ++i) members.push_back(StartMember(i));
  ASSERT_FALSE(HasFatalFailure());
  Register(members[0].channel);
  v1::CreateProfileRequest profile;
  profile.set_parent("machines/delta");
  for (const char* const name : {"alpha", "beta"}) {
    v1::Parameter* const parameter = profile.mutable_profile()->add_parameters();
    parameter->set_model("hockney");
    parameter->set_level("network");
    parameter->set_name(name);
    parameter->set_value(1e-6);
  }
  v1::Profile made;
  ASSERT_TRUE(
      Call(&v1::ProfileService::Stub::CreateProfile, members[1].Profiles(), profile, &made).ok());
  int64_t sequence = 0;
  const auto report_to = [&](size_t member) {
    v1::ReportObservationsResponse response;
    const grpc::Status status = Report(members[member].Observations(), "", ++sequence, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
  };
  // Waits until a revision includes all that was reported. Returns how long it took.
  const auto await_learned = [&] {
    const auto start = Clock::now();
    while (Ask("SELECT max(observations_through_id) FROM profile") < sequence * kRowsPerBatch) {
      if (Clock::now() > start + kPatience) {
        ADD_FAILURE() << "nobody learns";
        break;
      }
      std::this_thread::yield();
    }
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
  };
  const auto learner = [&] {
    return static_cast<size_t>(Ask("SELECT daemon_id FROM learner")) - 1;
  };
  // One that does not learn hears of each revision.
  report_to(1);
  await_learned();
  size_t first = learner();
  ASSERT_LT(first, members.size());
  const size_t second = (first + 1) % 3;
  const size_t third = (first + 2) % 3;
  v1::WatchProfileRequest watch;
  watch.set_parent("machines/delta");
  grpc::ClientContext context;
  const auto stub = members[second].Profiles();
  const auto reader = stub->WatchProfile(&context, watch);
  v1::Profile heard;
  ASSERT_TRUE(reader->Read(&heard));
  report_to(third);
  await_learned();
  while (heard.observations_through_id() < sequence * kRowsPerBatch) {
    ASSERT_TRUE(reader->Read(&heard));
  }
  context.TryCancel();

  members[first].process->Signal(SIGKILL);
  members[first].process->Wait();
  report_to(second);
  RecordProperty("takeover_ms_after_kill", static_cast<int>(await_learned()));
  const size_t stopped = learner();
  ASSERT_NE(stopped, first);
  const size_t other = stopped == second ? third : second;
  members[stopped].process->Signal(SIGSTOP);
  report_to(other);
  RecordProperty("takeover_ms_after_stop", static_cast<int>(await_learned()));
  EXPECT_EQ(learner(), other);
  members[stopped].process->Signal(SIGCONT);
  report_to(stopped);
  await_learned();
  EXPECT_EQ(learner(), other) << "the stopped one has lost its place";

  // No revision twice: each refined one includes more than the one before.
  EXPECT_EQ(Ask("SELECT count(*) FROM (SELECT observations_through_id <="
                " lag(observations_through_id) OVER (ORDER BY revision) AS again FROM profile) p"
                " WHERE again"),
            0);
}

}  // namespace
}  // namespace cox
