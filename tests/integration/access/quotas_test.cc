// What a principal may use: over it, the daemon refuses with a reason and a delay, and others go
// on.
#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "agent/stream/channel.h"
#include "daemon.h"

namespace cox {
namespace {

using ::grpc::StatusCode;
using ::testing::HasSubstr;

// Every caller of these daemons is the reporter "anonymous". The limits are so low that no delay of
// the test makes up for what it takes.
class Quotas : public ::testing::Test {
 protected:
  void Start(const std::string& quota, const std::string& limit) {
    daemon_ = std::make_unique<Daemon>(daemon::ConfigValues{
        {"anonymous-role", "reporter"}, {"reporters-create-machines", "true"}, {quota, limit}});
  }
  v1::ReportObservationsRequest Batch(const std::string& machine, int row_count,
                                      const std::string& job = "") {
    v1::ReportObservationsRequest request;
    request.set_create_machines(true);
    request.set_job(job);
    request.set_sequence(++sequence_);
    for (int i = 0; i < row_count; ++i) *request.add_observations() = MakeObservation(machine, i);
    return request;
  }
  grpc::Status Report(const v1::ReportObservationsRequest& request) {
    v1::ReportObservationsResponse response;
    return Call(&v1::ObservationService::Stub::ReportObservations, daemon_->Observations(), request,
                &response);
  }
  // A connection of its own.
  std::shared_ptr<grpc::Channel> Channel() const {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel(daemon_->server().address(),
                                     grpc::InsecureChannelCredentials(), arguments);
  }
  static void ExpectRefused(const grpc::Status& status, const std::string& quota) {
    EXPECT_EQ(status.error_code(), StatusCode::RESOURCE_EXHAUSTED) << status.error_message();
    EXPECT_THAT(status.error_message(), HasSubstr(quota));
    google::rpc::Status details;
    ASSERT_TRUE(details.ParseFromString(status.error_details()));
    google::rpc::ErrorInfo info;
    google::rpc::RetryInfo retry;
    for (const auto& any : details.details()) {
      any.UnpackTo(&info);
      any.UnpackTo(&retry);
    }
    EXPECT_EQ(info.reason(), "QUOTA_EXCEEDED");
    EXPECT_GT(retry.retry_delay().seconds() + retry.retry_delay().nanos(), 0);
  }
  int64_t RefusedCount(const std::string& quota) {
    const auto facts = daemon_->server().ReadFacts();
    EXPECT_TRUE(facts.ok()) << facts.status();
    for (const service::QuotaRefusals& refused : facts->quota_refusals) {
      if (refused.quota == quota) return refused.count;
    }
    ADD_FAILURE() << "no quota " << quota;
    return -1;
  }

  std::unique_ptr<Daemon> daemon_;
  int64_t sequence_ = 0;
};

TEST_F(Quotas, OfRows) {
  Start("quota-rows", "1");
  EXPECT_TRUE(Report(Batch("delta", 2'000)).ok()) << "alone, a batch of any size passes";
  ExpectRefused(Report(Batch("delta", 2'000)), "quota-rows");
  EXPECT_EQ(RefusedCount("rows"), 1);
}

TEST_F(Quotas, OfRowsOnAStream) {
  Start("quota-rows", "1");
  grpc::ClientContext context;
  const auto stub = daemon_->Observations();
  const auto stream = stub->StreamObservations(&context);
  v1::StreamObservationsRequest request;
  v1::StreamObservationsResponse response;
  for (const int expected : {0, static_cast<int>(StatusCode::RESOURCE_EXHAUSTED)}) {
    *request.mutable_batch() = Batch("delta", 2'000);
    ASSERT_TRUE(stream->Write(request));
    ASSERT_TRUE(stream->Read(&response));
    EXPECT_EQ(response.error_code(), expected) << response.error_message();
  }
  EXPECT_GT(response.retry_delay_s(), 60) << "of the quota, not the usual one";
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok()) << "the stream goes on";
}

TEST_F(Quotas, OfMachines) {
  Start("quota-machines", "1");
  EXPECT_TRUE(Report(Batch("m1", 1)).ok());
  ExpectRefused(Report(Batch("m2", 1)), "quota-machines");
  EXPECT_TRUE(Report(Batch("m1", 1)).ok()) << "it is known";
  EXPECT_EQ(RefusedCount("machines"), 1);
}

TEST_F(Quotas, OfJobs) {
  Start("quota-jobs", "1");
  EXPECT_TRUE(Report(Batch("m", 1, "4711")).ok());
  ExpectRefused(Report(Batch("m", 1, "4712")), "quota-jobs");
  EXPECT_TRUE(Report(Batch("m", 1, "4711")).ok()) << "it is known";
}

// A batch with a row of each size from `first` on.
v1::ReportObservationsRequest SizesFrom(int64_t first, int count) {
  v1::ReportObservationsRequest request;
  for (int i = 0; i < count; ++i) {
    *request.add_observations() = MakeObservation("m", 0);
    request.mutable_observations(i)->set_block_bytes(first + i);
  }
  return request;
}

TEST_F(Quotas, OfScenarios) {
  Start("quota-scenarios", "20");
  ASSERT_TRUE(Report(Batch("m", 1)).ok());
  EXPECT_TRUE(Report(SizesFrom(100, 19)).ok());
  ExpectRefused(Report(SizesFrom(118, 2)), "quota-scenarios");
  EXPECT_TRUE(Report(SizesFrom(100, 19)).ok()) << "they are known";
  EXPECT_EQ(RefusedCount("scenarios"), 1);
  v1::CountObservationsResponse count;
  EXPECT_TRUE(Call(&v1::ObservationService::Stub::CountObservations, daemon_->Observations(),
                   v1::CountObservationsRequest(), &count)
                  .ok());
  EXPECT_EQ(count.observation_count(), 39);
}

TEST_F(Quotas, OfScenariosOnAStream) {
  Start("quota-scenarios", "20");
  ASSERT_TRUE(Report(Batch("m", 1)).ok());
  grpc::ClientContext context;
  const auto stub = daemon_->Observations();
  const auto stream = stub->StreamObservations(&context);
  v1::StreamObservationsRequest request;
  v1::StreamObservationsResponse response;
  int64_t first = 100;
  for (const int expected : {0, static_cast<int>(StatusCode::RESOURCE_EXHAUSTED)}) {
    *request.mutable_batch() = SizesFrom(first, 19);
    request.mutable_batch()->set_job("4711");
    request.mutable_batch()->set_sequence(first);
    ASSERT_TRUE(stream->Write(request));
    ASSERT_TRUE(stream->Read(&response));
    EXPECT_EQ(response.error_code(), expected) << response.error_message();
    first += 19;
  }
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok()) << "the stream goes on";
}

// Without a quota the bound holds, for operators, too, and after a start.
TEST_F(Quotas, OfScenariosOfAMachine) {
  daemon_ = std::make_unique<Daemon>(
      daemon::ConfigValues{{"anonymous-role", "operator"}, {"machine-scenarios", "100"}});
  daemon_->Register("m");
  EXPECT_TRUE(Report(SizesFrom(1'000, 60)).ok());
  v1::ReportObservationsRequest wild = SizesFrom(2'000, 40);
  wild.set_job("wild");
  EXPECT_TRUE(Report(wild).ok());
  ExpectRefused(Report(SizesFrom(3'000, 1)), "machine-scenarios");
  daemon_->Stop();
  daemon_->Start();
  // The last of the cells was read before the daemon listened, or a moment later.
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  int64_t size = 3'000;
  grpc::Status status;
  do {
    status = Report(SizesFrom(size++, 1));
  } while (status.ok() && std::chrono::steady_clock::now() < give_up);
  ExpectRefused(status, "machine-scenarios");
  EXPECT_TRUE(Report(SizesFrom(1'000, 60)).ok()) << "they are known";
  EXPECT_GE(RefusedCount("scenarios"), 1);
  // What is forgotten leaves room.
  v1::ForgetObservationsRequest forget;
  forget.set_job("wild");
  v1::ForgetObservationsResponse forgotten;
  ASSERT_TRUE(Call(&v1::ObservationService::Stub::ForgetObservations, daemon_->Observations(),
                   forget, &forgotten)
                  .ok());
  EXPECT_EQ(forgotten.removed_count(), 40);
  EXPECT_TRUE(Report(SizesFrom(4'000, 20)).ok());
}

// Of a job's batch a full machine takes the rows of known scenarios.
TEST_F(Quotas, AFullMachineRefusesOnlyNewScenariosOfAJob) {
  daemon_ = std::make_unique<Daemon>(
      daemon::ConfigValues{{"anonymous-role", "operator"}, {"machine-scenarios", "100"}});
  daemon_->Register("m");
  const auto of_job = [](v1::ReportObservationsRequest batch, int64_t sequence) {
    for (v1::Observation& row : *batch.mutable_observations()) row.set_count(7);
    batch.set_job("4711");
    batch.set_measurement(v1::MEASUREMENT_BENCHMARK);
    batch.set_sequence(sequence);
    return batch;
  };
  const auto report = [this](const v1::ReportObservationsRequest& batch) {
    v1::ReportObservationsResponse response;
    const grpc::Status status = Call(&v1::ObservationService::Stub::ReportObservations,
                                     daemon_->Observations(), batch, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  };
  const auto count = [this](const std::string& machine, const std::string& job) {
    v1::CountObservationsRequest request;
    request.set_machine(machine);
    request.set_job(job);
    v1::CountObservationsResponse response;
    EXPECT_TRUE(Call(&v1::ObservationService::Stub::CountObservations, daemon_->Observations(),
                     request, &response)
                    .ok());
    return response;
  };
  ASSERT_TRUE(Report(SizesFrom(1'000, 97)).ok());
  // 7 known ones, 3 that find room, and 10 others.
  const v1::ReportObservationsRequest batch = of_job(SizesFrom(1'090, 20), 1);
  v1::ReportObservationsResponse response = report(batch);
  EXPECT_EQ(response.stored_count(), 10);
  EXPECT_EQ(response.refused_count(), 10);
  EXPECT_THAT(response.refused_reason(), HasSubstr("machine-scenarios"));
  EXPECT_EQ(count("", "4711").observation_count(), 10);
  EXPECT_EQ(count("", "4711").dropped_count(), 70);
  EXPECT_EQ(count("m", "").dropped_count(), 70);
  // The batch is known when it comes again, even if there is room by then.
  response = report(batch);
  EXPECT_TRUE(response.duplicate());
  EXPECT_EQ(response.stored_count() + response.refused_count(), 0);
  EXPECT_EQ(count("", "4711").dropped_count(), 70);
  // On a stream, and with new scenarios only.
  grpc::ClientContext context;
  const auto stub = daemon_->Observations();
  const auto stream = stub->StreamObservations(&context);
  v1::StreamObservationsRequest request;
  *request.mutable_batch() = of_job(SizesFrom(5'000, 4), 2);
  v1::StreamObservationsResponse answer;
  ASSERT_TRUE(stream->Write(request));
  ASSERT_TRUE(stream->Read(&answer));
  EXPECT_EQ(answer.error_code(), 0) << answer.error_message();
  EXPECT_EQ(answer.result().stored_count(), 0);
  EXPECT_EQ(answer.result().refused_count(), 4);
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(count("m", "").dropped_count(), 98);
  const auto facts = daemon_->server().ReadFacts();
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_EQ(facts->observations_refused, 14);
  EXPECT_EQ(facts->timings_dropped, 98);
  EXPECT_GE(facts->timings_taken, 107) << "one or more behind each row";
  // An import stays whole: it could not be repeated without counting rows twice.
  ExpectRefused(Report(SizesFrom(1'090, 20)), "machine-scenarios");
  EXPECT_EQ(count("m", "").observation_count(), 107);
}

TEST_F(Quotas, OneReporterCannotFillAMachine) {
  daemon_ = std::make_unique<Daemon>(daemon::ConfigValues{{"anonymous-role", "reporter"},
                                                          {"reporters-create-machines", "true"},
                                                          {"machine-scenarios", "100"}});
  ASSERT_TRUE(Report(Batch("m", 1)).ok());
  int64_t stored = 0;
  grpc::Status status;
  while ((status = Report(SizesFrom(1'000 + stored, 1))).ok() && stored < 200) ++stored;
  ExpectRefused(status, "machine-scenarios");
  EXPECT_LT(stored, 76);
  EXPECT_GT(stored, 70);
}

TEST_F(Quotas, OfHeavyQuestions) {
  Start("quota-questions", "1");
  const auto count = [&] {
    v1::CountObservationsResponse response;
    return Call(&v1::ObservationService::Stub::CountObservations, daemon_->Observations(),
                v1::CountObservationsRequest(), &response);
  };
  EXPECT_TRUE(count().ok());
  ExpectRefused(count(), "quota-questions");
  v1::ListMachineStatesResponse states;
  ExpectRefused(Call(&v1::HistoryService::Stub::ListMachineStates, daemon_->History(),
                     v1::ListMachineStatesRequest(), &states),
                "quota-questions");
  v1::ListMachinesResponse machines;
  EXPECT_TRUE(Call(&v1::MachineService::Stub::ListMachines, daemon_->Machines(),
                   v1::ListMachinesRequest(), &machines)
                  .ok())
      << "other questions go on";
}

TEST_F(Quotas, OfQuestionsThatTheirRequestMakesHeavy) {
  Start("quota-questions", "1");
  v1::RecommendRequest recommend;
  recommend.set_machine("m");
  recommend.set_library("openmpi-4.1");
  recommend.set_collective("allreduce");
  recommend.set_nodes(2);
  recommend.set_ppn(8);
  recommend.set_block_bytes(8);
  const auto ask = [&] {
    v1::RecommendResponse response;
    return Call(&v1::AdviceService::Stub::Recommend, daemon_->Advice(), recommend, &response);
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_NE(ask().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << "it is quick";
  }
  recommend.set_profile_revision(1);
  EXPECT_NE(ask().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  ExpectRefused(ask(), "quota-questions");
  recommend.clear_profile_revision();
  recommend.set_node_list("n[1-2]");
  ExpectRefused(ask(), "quota-questions");
  v1::PredictRequest predict;
  predict.set_node_list("n[1-2]");
  v1::PredictResponse predictions;
  ExpectRefused(Call(&v1::AdviceService::Stub::Predict, daemon_->Advice(), predict, &predictions),
                "quota-questions");
  v1::GetTuningRequest tuning;
  tuning.set_node_list("n[1-2]");
  v1::GetTuningResponse text;
  ExpectRefused(Call(&v1::AdviceService::Stub::GetTuning, daemon_->Advice(), tuning, &text),
                "quota-questions");
}

TEST_F(Quotas, OfStreams) {
  Start("quota-streams", "1");
  const auto stub = daemon_->Observations();
  grpc::ClientContext first_context;
  auto first = stub->StreamObservations(&first_context);
  v1::StreamObservationsResponse response;
  ASSERT_TRUE(first->Write(v1::StreamObservationsRequest()));
  ASSERT_TRUE(first->Read(&response));
  {
    grpc::ClientContext context;
    const auto second = stub->StreamObservations(&context);
    EXPECT_FALSE(second->Read(&response));
    ExpectRefused(second->Finish(), "quota-streams");
  }
  first->WritesDone();
  EXPECT_TRUE(first->Finish().ok());
  // The daemon hears of the end a little later.
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  grpc::Status status;
  do {
    grpc::ClientContext context;
    const auto next = stub->StreamObservations(&context);
    next->WritesDone();
    status = next->Finish();
    std::this_thread::yield();
  } while (!status.ok() && std::chrono::steady_clock::now() < give_up);
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST_F(Quotas, OfConnections) {
  Start("quota-connections", "2");
  const auto call = [](const std::shared_ptr<grpc::Channel>& channel) {
    grpc::ClientContext context;
    v1::ListMachinesResponse response;
    return v1::MachineService::NewStub(channel)
        ->ListMachines(&context, v1::ListMachinesRequest(), &response)
        .ok();
  };
  const auto connect = [this] { return Channel(); };
  auto first = connect();
  const auto second = connect();
  EXPECT_TRUE(call(first));
  EXPECT_TRUE(call(second));
  EXPECT_FALSE(call(connect()));
  EXPECT_GE(RefusedCount("connections"), 1);
  EXPECT_TRUE(call(second)) << "those that are open go on";
  // The daemon hears of the end a little later.
  first.reset();
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  bool is_admitted = false;
  while (!is_admitted && std::chrono::steady_clock::now() < give_up) is_admitted = call(connect());
  EXPECT_TRUE(is_admitted);
}

// A stream of gRPC's reflection that says nothing, or one that asks for the services.
class ReflectionStream {
 public:
  explicit ReflectionStream(const std::shared_ptr<grpc::Channel>& channel) : stub_(channel) {
    context_.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    call_ = stub_.PrepareCall(
        &context_, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", &queue_);
    call_->StartCall(nullptr);
    EXPECT_TRUE(Wait());
  }
  ~ReflectionStream() {
    context_.TryCancel();
    grpc::Status status;
    call_->Finish(&status, nullptr);
    Wait();
  }
  ReflectionStream(const ReflectionStream&) = delete;
  ReflectionStream& operator=(const ReflectionStream&) = delete;

  // "": it was refused.
  std::string ListServices() {
    const grpc::Slice list_services("\x3a\x01*");
    call_->WriteLast(grpc::ByteBuffer(&list_services, 1), grpc::WriteOptions(), nullptr);
    grpc::ByteBuffer answer;
    if (Wait()) {
      call_->Read(&answer, nullptr);
      Wait();
    }
    return answer.Valid() ? agent::ToString(answer) : "";
  }

 private:
  bool Wait() {
    void* tag = nullptr;
    bool ok = false;
    return queue_.Next(&tag, &ok) && ok;
  }

  grpc::CompletionQueue queue_;
  grpc::ClientContext context_;
  grpc::GenericStub stub_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
};

size_t ThreadCount() {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  return static_cast<size_t>(std::distance(begin(threads), end(threads)));
}

// Anybody may open them, without a role.
TEST_F(Quotas, OfThreadsForReflection) {
  constexpr size_t kConnections = 4;
  constexpr size_t kStreams = 16;  // of each
  constexpr size_t kFewThreads = 16;
  Start("quota-streams", "1");
  EXPECT_THAT(ReflectionStream(Channel()).ListServices(), HasSubstr("cox.v1.AdviceService"));
  const size_t before = ThreadCount();
  {
    std::vector<std::unique_ptr<ReflectionStream>> idle;
    for (size_t i = 0; i < kConnections; ++i) {
      const auto channel = Channel();
      for (size_t k = 0; k < kStreams; ++k) {
        idle.push_back(std::make_unique<ReflectionStream>(channel));
      }
    }
    // The threads come a little later.
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    EXPECT_LE(ThreadCount(), before + kFewThreads);
    EXPECT_TRUE(Report(Batch("delta", 1)).ok()) << "the API goes on";
  }
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  std::string services;
  while (services.empty() && std::chrono::steady_clock::now() < give_up) {
    services = ReflectionStream(Channel()).ListServices();
  }
  EXPECT_THAT(services, HasSubstr("cox.v1.AdviceService")) << "works again";
}

TEST_F(Quotas, OperatorsHaveNone) {
  daemon_ = std::make_unique<Daemon>(
      daemon::ConfigValues{{"anonymous-role", "operator"}, {"quota-rows", "1"}});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Report(Batch("delta", 2'000)).ok());
}

}  // namespace
}  // namespace cox
