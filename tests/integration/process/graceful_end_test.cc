// SIGTERM under load, again and again: each call that coxd took is answered, and what it did
// not acknowledge has not happened.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "coxd_process.h"
#include "daemon.h"
#include "repeats.h"

namespace cox {
namespace {

using EndClock = std::chrono::steady_clock;

constexpr int kLastBatchRows = 20;
constexpr int kReporters = 3;
constexpr int kStreams = 2;
constexpr int kAskers = 3;

// What the clients of one round saw.
class Seen {
 public:
  void Answered(int64_t acknowledged_rows = 0) {
    ++answer_count_;
    acknowledged_rows_ += acknowledged_rows;
  }
  int64_t acknowledged_rows() const { return acknowledged_rows_; }
  int answer_count() const { return answer_count_; }
  void Ended(const std::string& who, const grpc::Status& status) {
    const std::lock_guard lock(mutex_);
    ends_.emplace_back(who, status);
  }
  const std::vector<std::pair<std::string, grpc::Status>>& ends() const { return ends_; }

 private:
  std::atomic<int> answer_count_{0};
  std::atomic<int64_t> acknowledged_rows_{0};
  std::mutex mutex_;
  std::vector<std::pair<std::string, grpc::Status>> ends_;
};

v1::ReportObservationsRequest Batch(const std::string& job, int64_t sequence) {
  v1::ReportObservationsRequest request;
  request.set_job(job);
  request.set_sequence(sequence);
  request.set_create_machines(true);
  for (int i = 0; i < kLastBatchRows; ++i) {
    *request.add_observations() = MakeObservation("delta", static_cast<int>(sequence) + i);
  }
  return request;
}

void Report(const std::shared_ptr<grpc::Channel>& channel, const std::string& job, Seen* seen) {
  const auto stub = v1::ObservationService::NewStub(channel);
  for (int64_t sequence = 1;; ++sequence) {
    v1::ReportObservationsResponse response;
    const grpc::Status status = Call(&v1::ObservationService::Stub::ReportObservations, stub,
                                     Batch(job, sequence), &response);
    if (!status.ok()) return seen->Ended("report", status);
    EXPECT_FALSE(response.duplicate());
    seen->Answered(kLastBatchRows);
  }
}

void Stream(const std::shared_ptr<grpc::Channel>& channel, const std::string& job, Seen* seen) {
  const auto stub = v1::ObservationService::NewStub(channel);
  grpc::ClientContext context;
  const auto stream = stub->StreamObservations(&context);
  std::thread writer([&] {
    for (int64_t sequence = 1;; ++sequence) {
      v1::StreamObservationsRequest request;
      const v1::ReportObservationsRequest batch = Batch(job, sequence);
      request.mutable_batch()->set_job(batch.job());
      request.mutable_batch()->set_sequence(batch.sequence());
      request.mutable_batch()->set_create_machines(true);
      *request.mutable_batch()->mutable_observations() = batch.observations();
      if (!stream->Write(request)) return;
    }
  });
  v1::StreamObservationsResponse response;
  while (stream->Read(&response)) {
    EXPECT_EQ(response.error_code(), 0) << response.error_message();
    seen->Answered(kLastBatchRows);
  }
  writer.join();
  seen->Ended("stream", stream->Finish());
}

void Ask(const std::shared_ptr<grpc::Channel>& channel, Seen* seen) {
  const auto advice = v1::AdviceService::NewStub(channel);
  const auto observations = v1::ObservationService::NewStub(channel);
  v1::RecommendRequest question;
  question.set_machine("intel-delta");
  question.set_library("openmpi-4.1");
  question.set_collective("alltoall");
  question.set_nodes(16);
  question.set_ppn(1);
  question.set_block_bytes(1'024);
  for (int i = 0;; ++i) {
    question.set_block_bytes(1 + i);
    v1::RecommendResponse answer;
    v1::ListObservationsRequest page;
    page.set_page_size(500);
    v1::ListObservationsResponse rows;
    const grpc::Status status =
        i % 2 == 0
            ? Call(&v1::AdviceService::Stub::Recommend, advice, question, &answer)
            : Call(&v1::ObservationService::Stub::ListObservations, observations, page, &rows);
    if (!status.ok()) return seen->Ended(i % 2 == 0 ? "recommend" : "list", status);
    seen->Answered();
  }
}

// Whether the call was never taken: the daemon said that it ends, or nobody listened any more.
bool IsRefused(const grpc::Status& status) {
  return status.error_code() == grpc::StatusCode::UNAVAILABLE &&
         !absl::StrContains(status.error_message(), "Socket closed") &&
         !absl::StrContains(status.error_message(), "reset by peer");
}

TEST(GracefulEnd, NoCallThatWasTakenFails) {
  const auto keeper = grpc::CreateChannel("unix:/nowhere", grpc::InsecureChannelCredentials());
  const TemporaryDirectory directory;
  const std::string socket = directory.path() + "/coxd.sock";
  const std::vector<std::string> arguments = {
      "--data", directory.path() + "/data", "--listen", "unix:" + socket, "--log-level", "info"};
  double longest_s = 0;
  int64_t answers = 0;
  int64_t acknowledged_rows = 0;
  const int rounds = Repeats(3);
  for (int round = 0; round < rounds; ++round) {
    CoxdProcess coxd(arguments, directory.path() + "/log");
    ASSERT_NE(ConnectUnix(socket, 60), nullptr) << coxd.Log();
    Seen seen;
    std::vector<std::thread> clients;
    const auto start = [&](const std::function<void(const std::shared_ptr<grpc::Channel>&)>& run) {
      clients.emplace_back([&socket, run] { run(ConnectUnix(socket, 60)); });
    };
    for (int i = 0; i < kReporters; ++i) {
      start([&, i](const auto& channel) {
        Report(channel, absl::StrCat("report-", round, "-", i), &seen);
      });
    }
    for (int i = 0; i < kStreams; ++i) {
      start([&, i](const auto& channel) {
        Stream(channel, absl::StrCat("stream-", round, "-", i), &seen);
      });
    }
    for (int i = 0; i < kAskers; ++i) start([&](const auto& channel) { Ask(channel, &seen); });
    // The moment of the signal moves through the load.
    const int until = 40 + (round * 37) % 200;
    while (seen.answer_count() < until) std::this_thread::yield();
    const EndClock::time_point signalled = EndClock::now();
    coxd.Signal(SIGTERM);
    ASSERT_EQ(coxd.Wait(), 0) << coxd.Log();
    longest_s =
        std::max(longest_s, std::chrono::duration<double>(EndClock::now() - signalled).count());
    for (std::thread& client : clients) client.join();
    answers += seen.answer_count();
    for (const auto& [who, status] : seen.ends()) {
      EXPECT_TRUE(IsRefused(status)) << "round " << round << ", " << who << ": "
                                     << status.error_code() << " " << status.error_message();
    }
    EXPECT_EQ(seen.ends().size(), clients.size());

    // What was not acknowledged has not happened.
    CoxdProcess next(arguments, directory.path() + "/log");
    const auto channel = ConnectUnix(socket, 60);
    ASSERT_NE(channel, nullptr) << next.Log();
    acknowledged_rows += seen.acknowledged_rows();
    v1::CountObservationsResponse count;
    ASSERT_TRUE(Call(&v1::ObservationService::Stub::CountObservations,
                     v1::ObservationService::NewStub(channel), v1::CountObservationsRequest(),
                     &count)
                    .ok());
    EXPECT_EQ(count.observation_count(), acknowledged_rows) << "round " << round;
    next.Signal(SIGTERM);
    EXPECT_EQ(next.Wait(), 0);
  }
  RecordProperty("rounds", rounds);
  RecordProperty("answers", static_cast<int>(answers));
  RecordProperty("longest_ms", static_cast<int>(longest_s * 1e3));
}

}  // namespace
}  // namespace cox
