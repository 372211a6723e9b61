#include "agent/stream/sender.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <thread>

#include "cox/v1/observation.grpc.pb.h"

namespace cox::agent {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;

// A daemon that keeps batches by number and answers as the test wants.
class FakeDaemon : public v1::ObservationService::Service {
 public:
  using Answer = std::function<void(const v1::ReportObservationsRequest& batch,
                                    v1::StreamObservationsResponse& response)>;

  FakeDaemon() { Start("127.0.0.1:0"); }
  ~FakeDaemon() override { Stop(); }

  void Start(const std::string& address) {
    hang_ = false;
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort(address, grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    ASSERT_NE(server_, nullptr);
    address_ = "127.0.0.1:" + std::to_string(port);
  }
  void Stop() {
    if (server_ == nullptr) return;
    server_->Shutdown(std::chrono::system_clock::now());
    server_->Wait();
    server_.reset();
  }

  grpc::Status StreamObservations(
      grpc::ServerContext* context,
      grpc::ServerReaderWriter<v1::StreamObservationsResponse, v1::StreamObservationsRequest>*
          stream) override {
    v1::StreamObservationsRequest request;
    while (stream->Read(&request)) {
      v1::StreamObservationsResponse response;
      response.set_sequence(request.batch().sequence());
      {
        std::unique_lock lock(mutex_);
        ++arrived_count_;
        if (answer_) answer_(request.batch(), response);
        if (response.error_code() == 0) batches_[request.batch().sequence()] = request.batch();
        changed_.notify_all();
      }
      if (hang_) {
        while (!context->IsCancelled()) std::this_thread::sleep_for(milliseconds(1));
        return grpc::Status::CANCELLED;
      }
      if (!stream->Write(response)) break;
    }
    return grpc::Status::OK;
  }

  // Waits until `count` batches are stored, at most 10 s.
  bool WaitForBatches(size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10),
                             [&] { return batches_.size() >= count; });
  }
  std::map<int64_t, v1::ReportObservationsRequest> batches() {
    std::lock_guard lock(mutex_);
    return batches_;
  }
  void Forget() {
    std::lock_guard lock(mutex_);
    batches_.clear();
  }
  bool WaitForArrivals(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10),
                             [&] { return arrived_count_ >= count; });
  }

  std::string address_;
  std::atomic<bool> hang_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  Answer answer_;
  std::map<int64_t, v1::ReportObservationsRequest> batches_;
  int arrived_count_ = 0;

 private:
  std::unique_ptr<grpc::Server> server_;
};

class SenderTest : public testing::Test {
 protected:
  SenderTest() {
    char folder[] = "/tmp/cox-sender-test-XXXXXX";
    folder_ = mkdtemp(folder);
  }
  ~SenderTest() override { std::filesystem::remove_all(folder_); }

  // A sender outlives its test: its thread may still be ending.
  Sender& NewSender(const std::string& address) {
    static std::vector<std::unique_ptr<Sender>>& all = *new std::vector<std::unique_ptr<Sender>>;
    all.push_back(std::make_unique<Sender>(address, "job", 100, folder_ + "/spool.csv", false));
    return *all.back();
  }
  static std::vector<Observation> Observations(int64_t count, size_t rows = 1) {
    Observation observation;
    observation.machine = "abel";
    observation.library = "mpich-4.0";
    observation.collective = "bcast";
    observation.algorithm = "default";
    observation.nodes = observation.ppn = observation.ranks = 1;
    observation.count = count;
    observation.time_s = 1;
    return std::vector<Observation>(rows, observation);
  }
  static void Close(Sender& sender, milliseconds within) {
    sender.Close(Sender::Clock::now() + within);
  }
  // The column `count` of the spool's rows.
  std::vector<int> Spooled() const {
    std::vector<int> counts;
    std::ifstream file(folder_ + "/spool.csv");
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
      size_t at = 0;
      for (int comma = 0; comma < 9; ++comma) at = line.find(',', at) + 1;
      counts.push_back(std::atoi(line.c_str() + at));
    }
    return counts;
  }

  FakeDaemon daemon_;
  std::string folder_;
};

TEST_F(SenderTest, SendsBatchesInOrderAndSpoolsNothing) {
  Sender& sender = NewSender(daemon_.address_);
  sender.Push(Observations(1), 0);
  sender.Push({}, 0);
  sender.Push(Observations(2), 7);
  Close(sender, milliseconds(10'000));
  ASSERT_EQ(daemon_.batches().size(), 2);
  EXPECT_EQ(daemon_.batches().at(100).job(), "job");
  EXPECT_EQ(daemon_.batches().at(100).observations(0).count(), 1);
  EXPECT_EQ(daemon_.batches().at(101).observations(0).count(), 2);
  EXPECT_EQ(daemon_.batches().at(101).dropped_count(), 7);
  EXPECT_THAT(Spooled(), IsEmpty());
}

TEST_F(SenderTest, WhatWasDroppedIsReportedAlsoWithoutObservations) {
  Sender& sender = NewSender(daemon_.address_);
  sender.Push({}, 3);
  Close(sender, milliseconds(10'000));
  EXPECT_EQ(daemon_.batches().at(100).dropped_count(), 3);
}

TEST_F(SenderTest, AbsentDaemonSpoolsAllAndDoesNotWaitForTheDeadline) {
  const std::string address = daemon_.address_;
  daemon_.Stop();
  Sender& sender = NewSender(address);
  sender.Push(Observations(1), 0);
  sender.Push(Observations(2), 0);
  const auto start = Sender::Clock::now();
  Close(sender, std::chrono::seconds(60));
  EXPECT_LT(Sender::Clock::now() - start, std::chrono::seconds(30));
  EXPECT_THAT(Spooled(), ElementsAre(1, 2));
}

TEST_F(SenderTest, TheLogNamesTheFileThatTheTimingsAreIn) {
  const std::string address = daemon_.address_;
  daemon_.Stop();
  const std::string taken = folder_ + "/spool.csv";
  std::filesystem::create_symlink("/nowhere", taken);
  testing::internal::CaptureStderr();
  static Sender& sender = *new Sender(address, "job", 100, taken, /*log=*/true);
  sender.Push(Observations(1), 0);
  Close(sender, milliseconds(10'000));
  const std::string log = testing::internal::GetCapturedStderr();
  std::string found;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    if (entry.path() != taken) found = entry.path();
  }
  EXPECT_THAT(log, testing::HasSubstr("1 batch could not be sent; kept in " + found + "\n"));
}

TEST_F(SenderTest, HangingDaemonIsGivenUpAtTheDeadline) {
  daemon_.hang_ = true;
  Sender& sender = NewSender(daemon_.address_);
  sender.Push(Observations(1), 0);
  ASSERT_TRUE(daemon_.WaitForArrivals(1));
  sender.Push(Observations(2), 0);
  Close(sender, milliseconds(20));
  EXPECT_THAT(Spooled(), ElementsAre(1, 2));
}

TEST_F(SenderTest, ABatchWithoutAnswerIsSentAgainUnderItsNumber) {
  daemon_.hang_ = true;
  Sender& sender = NewSender(daemon_.address_);
  sender.Push(Observations(1), 0);
  ASSERT_TRUE(daemon_.WaitForArrivals(1));
  const std::string address = daemon_.address_;
  daemon_.Stop();
  daemon_.Forget();
  daemon_.Start(address);
  ASSERT_TRUE(daemon_.WaitForBatches(1));
  EXPECT_TRUE(daemon_.batches().contains(100));
  Close(sender, milliseconds(10'000));
  EXPECT_THAT(Spooled(), IsEmpty());
}

TEST_F(SenderTest, ABatchOverTheDaemonsBoundIsSentAgainLater) {
  int tries = 0;
  daemon_.answer_ = [&](const auto&, v1::StreamObservationsResponse& response) {
    if (++tries > 2) return;
    response.set_error_code(grpc::StatusCode::RESOURCE_EXHAUSTED);
    response.set_retry_delay_s(0.01);
  };
  Sender& sender = NewSender(daemon_.address_);
  sender.Push(Observations(1), 0);
  ASSERT_TRUE(daemon_.WaitForBatches(1));
  Close(sender, milliseconds(10'000));
  EXPECT_EQ(tries, 3);
  EXPECT_THAT(Spooled(), IsEmpty());
}

// coxd may answer otherwise when its disk, its database or its token is in order again.
TEST_F(SenderTest, ABatchThatCoxdCannotStoreNowIsSentAgain) {
  const std::vector<int> codes = {grpc::StatusCode::DATA_LOSS,         grpc::StatusCode::INTERNAL,
                                  grpc::StatusCode::DEADLINE_EXCEEDED, grpc::StatusCode::UNKNOWN,
                                  grpc::StatusCode::ABORTED,           grpc::StatusCode::CANCELLED,
                                  grpc::StatusCode::UNAUTHENTICATED};
  size_t tries = 0;
  daemon_.answer_ = [&](const auto&, v1::StreamObservationsResponse& response) {
    if (tries++ >= codes.size()) return;
    response.set_error_code(codes[tries - 1]);
    response.set_retry_delay_s(0.01);
  };
  Sender& sender = NewSender(daemon_.address_);
  sender.Push(Observations(3), 2);
  ASSERT_TRUE(daemon_.WaitForBatches(1));
  Close(sender, milliseconds(10'000));
  EXPECT_EQ(tries, codes.size() + 1);
  EXPECT_EQ(daemon_.batches().at(100).dropped_count(), 2);
  EXPECT_THAT(Spooled(), IsEmpty());
}

TEST_F(SenderTest, WhatCoxdCannotStoreUntilTheEndIsSpooled) {
  daemon_.answer_ = [](const auto&, v1::StreamObservationsResponse& response) {
    response.set_error_code(grpc::StatusCode::DATA_LOSS);
    response.set_error_message("the database is damaged");
  };
  testing::internal::CaptureStderr();
  static Sender& sender =
      *new Sender(daemon_.address_, "job", 100, folder_ + "/spool.csv", /*log=*/true);
  sender.Push(Observations(1), 0);
  ASSERT_TRUE(daemon_.WaitForArrivals(1));
  sender.Push(Observations(2), 0);
  Close(sender, milliseconds(10'000));
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(Spooled(), ElementsAre(1, 2));
  EXPECT_THAT(log, testing::HasSubstr("the database is damaged"));
}

TEST_F(SenderTest, ARefusedBatchIsCountedAsDropped) {
  daemon_.answer_ = [](const auto& batch, v1::StreamObservationsResponse& response) {
    if (batch.sequence() == 100) response.set_error_code(grpc::StatusCode::INVALID_ARGUMENT);
  };
  Sender& sender = NewSender(daemon_.address_);
  sender.Push(Observations(5), 2);
  ASSERT_TRUE(daemon_.WaitForArrivals(1));
  // The number of drops goes with the first batch that is made after the refusal has come back.
  for (int i = 0; i < 1000 && daemon_.batches().empty(); ++i) {
    sender.Push({}, 0);
    std::this_thread::sleep_for(milliseconds(10));
  }
  Close(sender, milliseconds(10'000));
  ASSERT_EQ(daemon_.batches().size(), 1);
  EXPECT_EQ(daemon_.batches().at(101).dropped_count(), 7);
  EXPECT_THAT(Spooled(), IsEmpty());
}

TEST_F(SenderTest, RefusedObservationsOfAStoredBatchAreToldAndNotSentAgain) {
  daemon_.answer_ = [](const auto& batch, v1::StreamObservationsResponse& response) {
    response.mutable_result()->set_refused_count(batch.observations_size() - 1);
    response.mutable_result()->set_refused_reason("the machine is full");
  };
  testing::internal::CaptureStderr();
  static Sender& sender =
      *new Sender(daemon_.address_, "job", 100, folder_ + "/spool.csv", /*log=*/true);
  sender.Push(Observations(5, 3), 0);
  sender.Push(Observations(5, 2), 0);
  ASSERT_TRUE(daemon_.WaitForBatches(2));
  Close(sender, milliseconds(10'000));
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, testing::HasSubstr("coxd refuses observations: the machine is full\n"));
  EXPECT_THAT(log, testing::HasSubstr("coxd refused 3 observations of new scenarios\n"));
  EXPECT_EQ(daemon_.arrived_count_, 2);
  for (const auto& [sequence, batch] : daemon_.batches()) EXPECT_EQ(batch.dropped_count(), 0);
  EXPECT_THAT(Spooled(), IsEmpty());
}

TEST_F(SenderTest, ADaemonsWordsAreOneShortLineOfTheLog) {
  daemon_.answer_ = [](const auto& batch, v1::StreamObservationsResponse& response) {
    if (batch.sequence() != 100) return;
    response.set_error_code(grpc::StatusCode::INVALID_ARGUMENT);
    response.set_error_message("no\n\x1b]0;title\x07\x7f" + std::string(100'000, 'x'));
  };
  testing::internal::CaptureStderr();
  static Sender& sender =
      *new Sender(daemon_.address_, "job", 100, folder_ + "/spool.csv", /*log=*/true);
  sender.Push(Observations(1), 0);
  sender.Push(Observations(1), 0);
  ASSERT_TRUE(daemon_.WaitForBatches(1));
  Close(sender, milliseconds(10'000));
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, testing::HasSubstr("coxd refused a batch: no??]0;title??xxx"));
  EXPECT_LT(log.size(), 2'000);
}

TEST_F(SenderTest, ABatchThatTheDaemonMayHaveIsNotSpooledWhileThereIsHope) {
  daemon_.hang_ = true;
  Sender& sender = NewSender(daemon_.address_);
  sender.Push(Observations(1), 0);
  ASSERT_TRUE(daemon_.WaitForArrivals(1));
  const std::string address = daemon_.address_;
  daemon_.Stop();
  for (int i = 2; i <= 40; ++i) sender.Push(Observations(i), 0);
  EXPECT_THAT(Spooled(), testing::Not(testing::Contains(1)));
  daemon_.Start(address);
  ASSERT_TRUE(daemon_.WaitForBatches(16));
  Close(sender, milliseconds(10'000));
  std::vector<int> all = Spooled();
  const auto batches = daemon_.batches();
  for (const auto& [sequence, batch] : batches) {
    all.push_back(static_cast<int>(batch.observations(0).count()));
  }
  std::sort(all.begin(), all.end());
  ASSERT_EQ(all.size(), 40);
  for (int i = 0; i < 40; ++i) EXPECT_EQ(all[static_cast<size_t>(i)], i + 1);
}

TEST_F(SenderTest, TheQueueIsBoundedAndItsOldestGoToTheSpool) {
  const std::string address = daemon_.address_;
  daemon_.Stop();
  Sender& sender = NewSender(address);
  for (int i = 1; i <= 40; ++i) sender.Push(Observations(i), 0);
  EXPECT_GE(Spooled().size(), 20);
  Close(sender, milliseconds(10'000));
  std::vector<int> spooled = Spooled();
  std::sort(spooled.begin(), spooled.end());
  ASSERT_EQ(spooled.size(), 40);
  for (int i = 0; i < 40; ++i) EXPECT_EQ(spooled[static_cast<size_t>(i)], i + 1);
}

TEST_F(SenderTest, ManyObservationsFillTheQueueAsManyBatchesDo) {
  const std::string address = daemon_.address_;
  daemon_.Stop();
  Sender& sender = NewSender(address);
  for (int i = 0; i < 8; ++i) sender.Push(Observations(1, 4096), 0);
  EXPECT_GE(Spooled().size(), 3 * 4096);
  Close(sender, milliseconds(10'000));
  EXPECT_EQ(Spooled().size(), 8 * 4096);
}

TEST_F(SenderTest, WhatTheSpoolDoesNotTakeIsReportedLater) {
  daemon_.hang_ = true;
  std::ofstream(folder_ + "/spool.csv") << "something else\n";
  Sender& sender = NewSender(daemon_.address_);
  sender.Push(Observations(1), 0);
  ASSERT_TRUE(daemon_.WaitForArrivals(1));
  for (int i = 0; i < 20; ++i) sender.Push(Observations(10), 0);
  const std::string address = daemon_.address_;
  daemon_.Stop();
  daemon_.Forget();
  daemon_.Start(address);
  // 21 batches, of which the queue holds 16; the others are lost, and the batches that arrive count
  // them.
  ASSERT_TRUE(daemon_.WaitForBatches(16));
  Close(sender, milliseconds(10'000));
  sender.Push({}, 0);
  int64_t timings = 0;
  int64_t dropped = 0;
  const auto batches = daemon_.batches();
  for (const auto& [sequence, batch] : batches) {
    dropped += batch.dropped_count();
    for (const auto& observation : batch.observations()) timings += observation.count();
  }
  EXPECT_EQ(timings, 1 + 15 * 10);
  // The last one spilled made room for the last one pushed: no batch was left to tell of it.
  EXPECT_EQ(dropped, 4 * 10);
}

}  // namespace
}  // namespace cox::agent
