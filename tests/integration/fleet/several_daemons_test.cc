// Several coxd on one PostgreSQL database, while they and the server are killed or replaced.
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
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

constexpr int kFleetBatchRows = 40;
// Longer than any machine takes: a test that waits so long has failed.
constexpr std::chrono::seconds kPatience{60};

grpc::Status Report(const std::unique_ptr<v1::ObservationService::Stub>& stub,
                    const std::string& job, int64_t sequence,
                    v1::ReportObservationsResponse* response) {
  v1::ReportObservationsRequest request;
  request.set_job(job);
  request.set_sequence(sequence);
  for (int i = 0; i < kFleetBatchRows; ++i) {
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

// Clients that report all the while: each sends a batch until one of the daemons acknowledges it.
class Reporters {
 public:
  static constexpr size_t kCount = 3;

  explicit Reporters(std::vector<std::shared_ptr<grpc::Channel>> daemons)
      : daemons_(std::move(daemons)), taken_by_(daemons_.size()) {
    for (size_t i = 0; i < kCount; ++i) threads_.emplace_back([this, i] { Run(i); });
  }
  ~Reporters() { End(); }
  Reporters(const Reporters&) = delete;
  Reporters& operator=(const Reporters&) = delete;

  void Replace(size_t daemon, std::shared_ptr<grpc::Channel> channel) {
    const std::lock_guard lock(mutex_);
    daemons_[daemon] = std::move(channel);
  }
  // Batches that the daemon at this place has acknowledged.
  int64_t taken_by(size_t daemon) {
    const std::lock_guard lock(mutex_);
    return taken_by_[daemon];
  }
  void End() {
    ends_ = true;
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }
  // After End(): batches of a reporter, whose job is "jobN".
  int64_t acknowledged(size_t reporter) const { return acknowledged_[reporter]; }

 private:
  void Run(size_t reporter) {
    for (size_t turn = reporter; !ends_; ++turn) {
      const size_t daemon = turn % taken_by_.size();
      std::shared_ptr<grpc::Channel> channel;
      {
        const std::lock_guard lock(mutex_);
        channel = daemons_[daemon];
      }
      v1::ReportObservationsResponse response;
      const grpc::Status status =
          Report(v1::ObservationService::NewStub(channel), absl::StrCat("job", reporter),
                 acknowledged_[reporter] + 1, &response);
      if (!status.ok()) continue;
      ++acknowledged_[reporter];
      const std::lock_guard lock(mutex_);
      ++taken_by_[daemon];
    }
  }

  std::mutex mutex_;  // guards these two
  std::vector<std::shared_ptr<grpc::Channel>> daemons_;
  std::vector<int64_t> taken_by_;
  std::atomic<bool> ends_ = false;
  std::array<int64_t, kCount> acknowledged_{};
  std::vector<std::thread> threads_;
};

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

  void TearDown() override {
    if (!url_.empty()) PostgresServer::Shared().DropDatabase(url_);
  }

  // `program`: as CoxdProcess().
  Member StartMember(int number, const std::string& program = "") {
    const std::string own = absl::StrCat(directory_.path(), "/", number);
    const std::string socket = own + ".sock";
    Member member;
    member.process = std::make_unique<CoxdProcess>(
        std::vector<std::string>{"--store", url_, "--data", own, "--listen", "unix:" + socket,
                                 "--refine-interval", "0s", "--published-machines", "false",
                                 "--log-level", "warning"},
        own + ".log", 0, program);
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

  // All batches that were acknowledged, none twice, and in the sums what is in the rows.
  void ExpectAllThereOnce(const Reporters& reporters) const {
    for (size_t reporter = 0; reporter < Reporters::kCount; ++reporter) {
      const int64_t count = reporters.acknowledged(reporter);
      EXPECT_GT(count, 0);
      const std::string of_job =
          absl::StrCat(" FROM batch JOIN job USING (job_id) WHERE name = 'job", reporter, "'");
      EXPECT_EQ(Ask(absl::StrCat("SELECT count(*)", of_job, " AND sequence <= ", count)), count);
      // The batch that was on its way at the end.
      EXPECT_LE(Ask(absl::StrCat("SELECT max(sequence)", of_job)), count + 1);
      RecordProperty(absl::StrCat("acknowledged_batches_", reporter), static_cast<int>(count));
    }
    EXPECT_EQ(Ask("SELECT count(*) FROM observation"),
              kFleetBatchRows * Ask("SELECT count(*) FROM batch"));
    EXPECT_EQ(Ask("SELECT sum(observation_count)::bigint FROM cell_part"),
              Ask("SELECT count(*) FROM observation"));
  }

  TemporaryDirectory directory_;
  std::string url_;
};

TEST_F(SeveralDaemonsTest, AcknowledgedRowsAreThereOnceWhoeverIsKilled) {
  std::vector<Member> members;
  for (int i = 0; i < 2; ++i) members.push_back(StartMember(i));
  ASSERT_FALSE(HasFatalFailure());
  Register(members[0].channel);
  Reporters reporters({members[0].channel, members[1].channel});
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
    const auto place = static_cast<size_t>(number);
    members[place].process->Signal(SIGKILL);
    members[place].process->Wait();
    members[place] = StartMember(number);
    reporters.Replace(place, members[place].channel);
  }
  reporters.End();
  ExpectAllThereOnce(reporters);
}

// Meanwhile the older and the newer version work side by side.
TEST_F(SeveralDaemonsTest, AnUpgradeDaemonByDaemonLosesNoRow) {
  std::vector<Member> members;
  for (int i = 0; i < 2; ++i) members.push_back(StartMember(i));
  ASSERT_FALSE(HasFatalFailure());
  Register(members[0].channel);
  Reporters reporters({members[0].channel, members[1].channel});
  const auto expect_both_take_reports = [&](const char* when) {
    for (size_t daemon = 0; daemon < members.size(); ++daemon) {
      const int64_t before = reporters.taken_by(daemon);
      const auto deadline = Clock::now() + kPatience;
      while (reporters.taken_by(daemon) < before + 5) {
        ASSERT_LT(Clock::now(), deadline) << "daemon " << daemon << ", " << when;
        std::this_thread::yield();
      }
    }
  };
  expect_both_take_reports("before");
  const int64_t version = Ask("SELECT version FROM schema_version");
  for (const int number : {0, 1}) {
    const auto place = static_cast<size_t>(number);
    members[place].process->Signal(SIGTERM);
    EXPECT_EQ(members[place].process->Wait(), 0) << members[place].process->Log();
    members[place] = StartMember(number, COX_COXD_NEXT);
    ASSERT_FALSE(HasFailure());
    reporters.Replace(place, members[place].channel);
    EXPECT_EQ(Ask("SELECT version FROM schema_version"), version + 1);
    expect_both_take_reports(number == 0 ? "side by side" : "afterwards");
    ASSERT_FALSE(HasFatalFailure());
  }
  reporters.End();
  ExpectAllThereOnce(reporters);
  // There is no way back.
  CoxdProcess older({"--store", url_, "--data", directory_.path() + "/older", "--listen",
                     "unix:" + directory_.path() + "/older.sock"},
                    directory_.path() + "/older.log");
  EXPECT_EQ(older.Wait(), 1);
  EXPECT_NE(older.Log().find(absl::StrCat("schema version ", version + 1)), std::string::npos)
      << older.Log();
}

// A batch may come to another daemon than the machine did, before that one has heard of it.
TEST_F(SeveralDaemonsTest, ANewMachineIsKnownToAllAtOnce) {
  const Member one = StartMember(0);
  const Member two = StartMember(1);
  ASSERT_FALSE(HasFatalFailure());
  const auto machines = v1::MachineService::NewStub(one.channel);
  const auto observations = two.Observations();
  for (int i = 0; i < 30; ++i) {
    const std::string name = absl::StrCat("m", i);
    v1::CreateMachineRequest machine;
    machine.mutable_machine()->set_name("machines/" + name);
    machine.mutable_machine()->set_nodes(4);
    machine.mutable_machine()->set_cores_per_node(8);
    v1::Machine made;
    v1::ReportObservationsRequest report;
    *report.add_observations() = MakeObservation(name, i);
    v1::ReportObservationsResponse response;
    ASSERT_TRUE(Call(&v1::MachineService::Stub::CreateMachine, machines, machine, &made).ok());
    const grpc::Status status =
        Call(&v1::ObservationService::Stub::ReportObservations, observations, report, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
  }
}

TEST_F(SeveralDaemonsTest, EndsWhileTheServerHangs) {
  const Member member = StartMember(0);
  ASSERT_FALSE(HasFatalFailure());
  Register(member.channel);
  PostgresServer::Shared().Pause();
  // A write that waits for the server.
  std::future<grpc::Status> write = std::async(std::launch::async, [&member] {
    v1::ReportObservationsResponse response;
    return Report(member.Observations(), "job", 1, &response);
  });
  member.process->Signal(SIGTERM);
  std::future<int> end =
      std::async(std::launch::async, [&member] { return member.process->Wait(); });
  const bool has_ended = end.wait_for(kPatience) == std::future_status::ready;
  PostgresServer::Shared().Resume();
  EXPECT_TRUE(has_ended);
  EXPECT_EQ(end.get(), 0);
  EXPECT_FALSE(write.get().ok());
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
    while (Ask("SELECT max(observations_through_id) FROM profile") < sequence * kFleetBatchRows) {
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
  while (heard.observations_through_id() < sequence * kFleetBatchRows) {
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
