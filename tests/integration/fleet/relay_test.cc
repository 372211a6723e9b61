// A relay between agents and coxd: what it acknowledges, coxd has, whoever is killed or cut off.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <set>
#include <thread>

#include "absl/strings/str_cat.h"
#include "cox/v1/access.grpc.pb.h"
#include "coxd_process.h"
#include "daemon.h"

namespace cox {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kRowsPerBatch = 10;

v1::ReportObservationsRequest BatchOf(const std::string& job, int64_t sequence) {
  v1::ReportObservationsRequest batch;
  batch.set_job(job);
  batch.set_sequence(sequence);
  batch.set_create_machines(true);
  for (int i = 0; i < kRowsPerBatch; ++i) *batch.add_observations() = MakeObservation("delta", i);
  return batch;
}

double RetryDelayOf(const grpc::Status& status) {
  google::rpc::Status details;
  google::rpc::RetryInfo retry;
  if (!details.ParseFromString(status.error_details())) return 0;
  for (const auto& any : details.details()) {
    if (any.UnpackTo(&retry)) {
      return static_cast<double>(retry.retry_delay().seconds()) +
             1e-9 * retry.retry_delay().nanos();
    }
  }
  return 0;
}

class RelayTest : public ::testing::Test {
 protected:
  RelayTest() {
    // A daemon inherits it: a limit of its files is then an error like any other.
    signal(SIGXFSZ, SIG_IGN);
  }

  std::string Path(const std::string& name) const { return directory_.path() + "/" + name; }
  // What both settings have in common, and those that the test adds.
  std::unique_ptr<CoxdProcess> Start(const std::string& name, std::vector<std::string> more) const {
    std::vector<std::string> arguments = {
        "--data", Path(name + "-data"), "--listen", "unix:" + Path(name), "--log-level", "error"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    auto started = std::make_unique<CoxdProcess>(arguments, Path(name + "-log"));
    EXPECT_NE(ConnectUnix(Path(name), 60), nullptr) << started->Log();
    return started;
  }
  void StartCoxd(const std::vector<std::string>& more = {}) {
    coxd_.reset();
    coxd_ = Start("coxd", more);
  }
  void StartRelay(std::vector<std::string> more = {}) {
    relay_.reset();
    more.insert(more.end(), {"--relay", "unix:" + Path("coxd")});
    relay_ = Start("relay", more);
  }
  void KillCoxd() {
    coxd_->Signal(SIGKILL);
    coxd_->Wait();
  }

  template <class Service>
  std::unique_ptr<typename Service::Stub> At(const std::string& name) const {
    return Service::NewStub(ConnectUnix(Path(name), 60));
  }
  grpc::Status Report(const v1::ReportObservationsRequest& batch, double timeout_s = 60) const {
    // Connects before the time runs.
    const auto stub = At<v1::ObservationService>("relay");
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::milliseconds(static_cast<int64_t>(timeout_s * 1e3)));
    v1::ReportObservationsResponse response;
    return stub->ReportObservations(&context, batch, &response);
  }
  void ReportUntilAcknowledged(int64_t sequence) const {
    grpc::Status status;
    do {
      status = Report(BatchOf("job", sequence));
    } while (status.error_code() == grpc::StatusCode::UNAVAILABLE);
    EXPECT_TRUE(status.ok()) << status.error_message();
  }
  int64_t CountAtCoxd() const {
    v1::CountObservationsResponse count;
    EXPECT_TRUE(Call(&v1::ObservationService::Stub::CountObservations,
                     At<v1::ObservationService>("coxd"), v1::CountObservationsRequest(), &count)
                    .ok());
    return count.observation_count();
  }
  void AwaitRowsAtCoxd(int64_t rows) const {
    while (CountAtCoxd() < rows) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(CountAtCoxd(), rows);
  }

  const TemporaryDirectory directory_;
  // While a channel is there, gRPC keeps its threads: ending them takes a second each time.
  const std::shared_ptr<grpc::Channel> keeper_ =
      grpc::CreateChannel("unix:/nowhere", grpc::InsecureChannelCredentials());
  std::unique_ptr<CoxdProcess> coxd_;
  std::unique_ptr<CoxdProcess> relay_;
};

// A batch that coxd would refuse as a whole, as it is larger with the reporter's name.
TEST_F(RelayTest, ABatchOfTooMuchMemoryIsRefusedBeforeItIsSpooled) {
  StartCoxd();
  StartRelay();
  v1::ReportObservationsRequest empty;
  empty.set_sequence(1);
  empty.set_job("j");
  while (empty.ByteSizeLong() < (64 << 10) - 16) empty.add_observations();
  // So that only the relay can have refused it.
  KillCoxd();
  const grpc::Status status = Report(empty);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
  EXPECT_THAT(status.error_message(), HasSubstr("empty parts"));
}

// The relay is killed again and again amid a stream.
TEST_F(RelayTest, NoAcknowledgedRowIsLostAndNoneIsCountedTwiceWhenTheRelayIsKilled) {
  constexpr int kKills = 10;
  StartCoxd();
  std::set<int64_t> acknowledged;
  int64_t next_sequence = 1;
  for (int round = 0; round < kKills; ++round) {
    StartRelay();
    const auto stub = At<v1::ObservationService>("relay");
    grpc::ClientContext context;
    const auto stream = stub->StreamObservations(&context);
    std::atomic<bool> stop = false;
    std::thread writer([&] {
      for (int64_t sequence = 1; !stop; ++sequence) {
        if (sequence < next_sequence && acknowledged.contains(sequence)) continue;
        v1::StreamObservationsRequest request;
        *request.mutable_batch() = BatchOf("job", sequence);
        if (!stream->Write(request)) return;
      }
    });
    std::set<int64_t> newly;
    v1::StreamObservationsResponse response;
    const size_t answers_until_kill = 1 + static_cast<size_t>(round) * 7 % 23;
    while (stream->Read(&response)) {
      // A slow machine: coxd has not answered in time.
      if (response.error_code() == static_cast<int>(grpc::StatusCode::UNAVAILABLE)) continue;
      EXPECT_EQ(response.error_code(), 0) << response.error_message();
      newly.insert(response.sequence());
      if (newly.size() == answers_until_kill) relay_->Signal(SIGKILL);
    }
    stop = true;
    writer.join();
    stream->Finish();
    relay_->Wait();
    acknowledged.insert(newly.begin(), newly.end());
    next_sequence = *acknowledged.rbegin() + 1;
    // coxd has what was acknowledged, with the relay dead.
    EXPECT_GE(CountAtCoxd(), static_cast<int64_t>(acknowledged.size()) * kRowsPerBatch);
  }
  EXPECT_GE(acknowledged.size(), static_cast<size_t>(kKills));
  // What waits in the spool arrives; all batches up to some number are there, each once.
  StartRelay();
  const int64_t last = *acknowledged.rbegin();
  for (int64_t sequence = 1; sequence <= last + 1; ++sequence) {
    ReportUntilAcknowledged(sequence);
  }
  const int64_t rows = CountAtCoxd();
  for (int64_t sequence = 1; sequence <= last + 1; ++sequence) {
    v1::ReportObservationsResponse response;
    ASSERT_TRUE(Call(&v1::ObservationService::Stub::ReportObservations,
                     At<v1::ObservationService>("coxd"), BatchOf("job", sequence), &response)
                    .ok());
    EXPECT_TRUE(response.duplicate()) << sequence;
  }
  EXPECT_EQ(CountAtCoxd(), rows);
  EXPECT_EQ(rows % kRowsPerBatch, 0);
}

TEST_F(RelayTest, WhatComesWhileCoxdIsAwayArrivesLater) {
  StartCoxd();
  StartRelay();
  ASSERT_TRUE(Report(BatchOf("job", 1)).ok());
  KillCoxd();
  // Jobs that end before coxd is back: nobody waits for these answers.
  for (int64_t sequence = 2; sequence <= 6; ++sequence) {
    EXPECT_EQ(Report(BatchOf("job", sequence), 0.5).error_code(),
              grpc::StatusCode::DEADLINE_EXCEEDED);
  }
  const grpc::Status told = Report(BatchOf("job", 6));
  EXPECT_EQ(told.error_code(), grpc::StatusCode::UNAVAILABLE) << told.error_message();
  EXPECT_THAT(told.error_message(), HasSubstr("the relay's spool"));
  // The relay ends, too.
  relay_->Signal(SIGTERM);
  EXPECT_EQ(relay_->Wait(), 0) << relay_->Log();
  StartRelay();
  StartCoxd();
  AwaitRowsAtCoxd(6 * kRowsPerBatch);
}

TEST_F(RelayTest, AFullSpoolAsksToRetryAndRecovers) {
  StartCoxd();
  StartRelay({"--relay-spool", "64KiB"});
  KillCoxd();
  int64_t kept = 0;
  grpc::Status status;
  while ((status = Report(BatchOf("job", kept + 1), 0.2)).error_code() ==
         grpc::StatusCode::DEADLINE_EXCEEDED) {
    ++kept;
    ASSERT_LT(kept, 1'000);
  }
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << status.error_message();
  EXPECT_THAT(status.error_message(), HasSubstr("spool is full"));
  EXPECT_GT(RetryDelayOf(status), 0);
  EXPECT_GT(kept, 10);
  StartCoxd();
  AwaitRowsAtCoxd(kept * kRowsPerBatch);
  ReportUntilAcknowledged(kept + 1);
}

// A batch with one scenario too many would hold up its reporter for ever.
TEST_F(RelayTest, AFullMachineRefusesOnlyTheRowsOfNewScenarios) {
  StartCoxd({"--machine-scenarios", "10"});
  StartRelay();
  ASSERT_TRUE(Report(BatchOf("job", 1)).ok());
  v1::ReportObservationsRequest batch = BatchOf("job", 2);
  batch.mutable_observations(3)->set_block_bytes(12'345);
  v1::ReportObservationsResponse response;
  const grpc::Status status = Call(&v1::ObservationService::Stub::ReportObservations,
                                   At<v1::ObservationService>("relay"), batch, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.stored_count(), kRowsPerBatch - 1);
  EXPECT_EQ(response.refused_count(), 1);
  EXPECT_THAT(response.refused_reason(), HasSubstr("machine-scenarios"));
}

TEST_F(RelayTest, AFullDiskAsksToRetryAndRecovers) {
  StartCoxd();
  StartRelay();
  KillCoxd();
  rlimit limit = {};
  ASSERT_EQ(prlimit(relay_->pid(), RLIMIT_FSIZE, nullptr, &limit), 0);
  const rlimit small = {128 << 10, limit.rlim_max};
  ASSERT_EQ(prlimit(relay_->pid(), RLIMIT_FSIZE, &small, nullptr), 0);
  int64_t kept = 0;
  grpc::Status status;
  while ((status = Report(BatchOf("job", kept + 1), 0.2)).error_code() ==
         grpc::StatusCode::DEADLINE_EXCEEDED) {
    ++kept;
    ASSERT_LT(kept, 1'000);
  }
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << status.error_message();
  EXPECT_GT(RetryDelayOf(status), 0);
  EXPECT_GT(kept, 0);
  ASSERT_EQ(prlimit(relay_->pid(), RLIMIT_FSIZE, &limit, nullptr), 0);
  StartCoxd();
  AwaitRowsAtCoxd(kept * kRowsPerBatch);
  ReportUntilAcknowledged(kept + 1);
}

TEST_F(RelayTest, LeavesACoxdThatCannotStore) {
  StartCoxd();
  // The one that a relay asks first.
  const std::unique_ptr<CoxdProcess> full = Start("full", {});
  rlimit limit = {};
  ASSERT_EQ(prlimit(full->pid(), RLIMIT_FSIZE, nullptr, &limit), 0);
  limit.rlim_cur = 1;
  ASSERT_EQ(prlimit(full->pid(), RLIMIT_FSIZE, &limit, nullptr), 0);
  relay_ = Start("relay", {"--relay", "unix:" + Path("full") + ",unix:" + Path("coxd")});
  ReportUntilAcknowledged(1);
  EXPECT_EQ(CountAtCoxd(), kRowsPerBatch);
}

TEST_F(RelayTest, ReportsInProgressHaveABoundedShareOfTheMemory) {
  constexpr int kManyRows = 5'000;
  StartCoxd();
  StartRelay({"--max-memory", "16MiB"});
  KillCoxd();
  v1::ReportObservationsRequest batch = BatchOf("job", 1);
  while (batch.observations_size() < kManyRows) {
    *batch.add_observations() = MakeObservation("delta", batch.observations_size());
  }
  // Each waits for coxd, and holds its memory.
  grpc::Status status(grpc::StatusCode::DEADLINE_EXCEEDED, "");
  for (int64_t sequence = 1;
       sequence <= 20 && status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED; ++sequence) {
    batch.set_sequence(sequence);
    status = Report(batch, 1);
  }
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << status.error_message();
}

TEST_F(RelayTest, ReportsKeepTheNamesOfTheirReporters) {
  const std::string user = absl::StrCat(geteuid());
  const std::string as_reporter = user + "=reporter";
  const auto reporters_of_last = [this] {
    v1::ListObservationsRequest request;
    request.set_newest_first(true);
    request.set_page_size(1);
    v1::ListObservationsResponse response;
    EXPECT_TRUE(Call(&v1::ObservationService::Stub::ListObservations,
                     At<v1::ObservationService>("coxd"), request, &response)
                    .ok());
    EXPECT_EQ(response.observations_size(), 1);
    return std::vector<std::string>{response.observations(0).job(),
                                    response.observations(0).source()};
  };
  // At coxd the relay is an administrator. Its client is a reporter, so the name is not its choice.
  StartCoxd();
  StartRelay({"--roles", as_reporter, "--reporters-create-machines", "true"});
  v1::ReportObservationsRequest batch = BatchOf("4711", 1);
  batch.set_source("somebody else");
  ASSERT_TRUE(Report(batch).ok());
  EXPECT_THAT(reporters_of_last(), ElementsAre("uid:" + user + "/4711", "uid:" + user));
  // Without a job, which is not spooled.
  batch.clear_job();
  ASSERT_TRUE(Report(batch).ok());
  EXPECT_THAT(reporters_of_last(), ElementsAre("", "uid:" + user));
  // A reporter may not register machines through the relay's rights.
  StartRelay({"--roles", as_reporter});
  batch = BatchOf("4711", 2);
  batch.mutable_observations(0)->set_machine("unheard-of");
  EXPECT_EQ(Report(batch).error_code(), grpc::StatusCode::NOT_FOUND);
  // And where it may, the relay counts them: coxd has no quota for the relay's role.
  StartRelay(
      {"--roles", as_reporter, "--reporters-create-machines", "true", "--quota-machines", "1"});
  EXPECT_TRUE(Report(BatchOf("4711", 5)).ok());
  batch.set_sequence(6);
  const grpc::Status exceeded = Report(batch);
  EXPECT_EQ(exceeded.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(exceeded.error_message(), HasSubstr("quota-machines"));
  // A viewer reports nothing.
  StartRelay({"--roles", user + "=viewer"});
  EXPECT_EQ(Report(BatchOf("4711", 3)).error_code(), grpc::StatusCode::PERMISSION_DENIED);
  // At coxd the relay is a reporter: the reports are its own, and say through whom they came.
  KillCoxd();
  StartCoxd({"--roles", as_reporter});
  StartRelay({"--roles", as_reporter});
  ASSERT_TRUE(Report(BatchOf("4711", 4)).ok());
  EXPECT_THAT(reporters_of_last(),
              ElementsAre("uid:" + user + "/uid:" + user + "/4711", "uid:" + user));
}

// A file that is being replaced is empty for a moment. Without its token the relay is somebody
// else.
TEST_F(RelayTest, WithoutItsTokenTheRelaySendsNothing) {
  StartCoxd();
  const std::string token = Path("relay.token");
  const auto write_token = [&](const char* text) {
    std::ofstream(token) << text;
    chmod(token.c_str(), 0600);
  };
  write_token("wrong");
  StartRelay({"--relay-token-file", token});
  v1::GetMachineRequest question;
  question.set_name("machines/sp2-48");
  v1::Machine machine;
  const auto ask = [&] {
    return Call(&v1::MachineService::Stub::GetMachine, At<v1::MachineService>("relay"), question,
                &machine);
  };
  // The caller's own token is not meant.
  const grpc::Status refused = ask();
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(refused.error_message(), HasSubstr("relay-token-file"));
  write_token("");
  EXPECT_EQ(ask().error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(Report(BatchOf("job", 1)).error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(CountAtCoxd(), 0);
}

TEST_F(RelayTest, QuestionsPassAndChangesAreRefusedInWords) {
  StartCoxd();
  StartRelay();
  v1::GetMachineRequest question;
  question.set_name("machines/sp2-48");
  v1::Machine machine;
  const auto machines = At<v1::MachineService>("relay");
  ASSERT_TRUE(Call(&v1::MachineService::Stub::GetMachine, machines, question, &machine).ok());
  EXPECT_EQ(machine.name(), "machines/sp2-48");
  grpc::ClientContext models_context;
  v1::ListModelsResponse models;
  ASSERT_TRUE(At<v1::ModelService>("relay")
                  ->ListModels(&models_context, v1::ListModelsRequest(), &models)
                  .ok());
  EXPECT_EQ(models_context.GetServerInitialMetadata().count("coxd-version"), 1U);
  // coxd's own errors pass with their details.
  question.set_name("Not A Name");
  const grpc::Status invalid =
      Call(&v1::MachineService::Stub::GetMachine, machines, question, &machine);
  EXPECT_EQ(invalid.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(FieldOf(invalid), "name");

  v1::DeleteMachineRequest change;
  change.set_name("machines/sp2-48");
  google::protobuf::Empty nothing;
  const grpc::Status refused =
      Call(&v1::MachineService::Stub::DeleteMachine, machines, change, &nothing);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(refused.error_message(), HasSubstr("DeleteMachine does not pass a relay"));

  v1::WhoAmIResponse who;
  EXPECT_EQ(Call(&v1::AccessService::Stub::WhoAmI, At<v1::AccessService>("relay"),
                 v1::WhoAmIRequest(), &who)
                .error_code(),
            grpc::StatusCode::FAILED_PRECONDITION);

  grpc::ClientContext context;
  v1::WatchProfileRequest watch;
  v1::Profile profile;
  const auto stub = At<v1::ProfileService>("relay");
  const auto watching = stub->WatchProfile(&context, watch);
  EXPECT_FALSE(watching->Read(&profile));
  EXPECT_EQ(watching->Finish().error_code(), grpc::StatusCode::FAILED_PRECONDITION);

  KillCoxd();
  question.set_name("machines/sp2-48");
  const grpc::Status away =
      Call(&v1::MachineService::Stub::GetMachine, machines, question, &machine);
  EXPECT_EQ(away.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(away.error_message(), HasSubstr("the relay cannot reach coxd"));
}

}  // namespace
}  // namespace cox
