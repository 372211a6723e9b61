// Answers do not change when old rows become sums.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "cox/v1/store.grpc.pb.h"
#include "daemon.h"

namespace cox {
namespace {

constexpr int64_t kOldBatchRows = 5'000;
constexpr int64_t kBatches = 25;
// coxd reads the newest 100,000 again at its start.
constexpr int64_t kOldRows = kOldBatchRows * kBatches - 100'000;

class RetentionTest : public ::testing::Test {
 protected:
  // A job that times two algorithms at sixteen sizes; they differ by size in which is the faster.
  static void Report(const Daemon& daemon, int64_t sequence) {
    v1::ReportObservationsRequest request;
    request.set_job("4711");
    request.set_sequence(sequence);
    request.set_await_learning(sequence == kBatches);
    for (int64_t i = 0; i < kOldBatchRows; ++i) {
      v1::Observation* const row = request.add_observations();
      *row = MakeObservation("delta", static_cast<int>(i));
      const bool is_ring = i / 16 % 2 == 1;
      if (is_ring) row->set_algorithm("ring");
      const auto bytes = static_cast<double>(row->block_bytes());
      const double time_s = is_ring ? 4e-5 + 1e-9 * bytes : 1e-5 + 4e-9 * bytes;
      row->set_time_s(time_s * (1 + 0.01 * static_cast<double>(i % 7)));
    }
    v1::ReportObservationsResponse response;
    const grpc::Status status = Call(&v1::ObservationService::Stub::ReportObservations,
                                     daemon.Observations(), request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
  }

  static std::vector<std::string> Answers(const Daemon& daemon) {
    std::vector<std::string> answers;
    for (int i = 0; i < 16; ++i) {
      const v1::Observation cell = MakeObservation("delta", i);
      v1::RecommendRequest request;
      request.set_machine("delta");
      request.set_library(cell.library());
      request.set_collective(cell.collective());
      request.set_nodes(cell.nodes());
      request.set_ppn(cell.ppn());
      request.set_ranks(cell.ranks());
      request.set_block_bytes(cell.block_bytes());
      request.set_assume_commutative(true);
      request.set_include_alternatives(true);
      v1::RecommendResponse response;
      const grpc::Status status =
          Call(&v1::AdviceService::Stub::Recommend, daemon.Advice(), request, &response);
      EXPECT_TRUE(status.ok()) << status.error_message();
      answers.push_back(response.DebugString());
    }
    v1::GetAccuracyRequest request;
    request.set_machine("delta");
    v1::GetAccuracyResponse response;
    const grpc::Status status =
        Call(&v1::AdviceService::Stub::GetAccuracy, daemon.Advice(), request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    answers.push_back(response.DebugString());
    return answers;
  }

  static v1::GetStoreStatusResponse Status(const Daemon& daemon) {
    v1::GetStoreStatusResponse response;
    const grpc::Status status =
        Call(&v1::StoreService::Stub::GetStoreStatus, v1::StoreService::NewStub(daemon.channel()),
             v1::GetStoreStatusRequest(), &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }
  // After a start, once all is read.
  static std::vector<std::string> SettledAnswers(const Daemon& daemon) {
    v1::ReportObservationsRequest nothing;
    nothing.set_await_learning(true);
    v1::ReportObservationsResponse response;
    EXPECT_TRUE(Call(&v1::ObservationService::Stub::ReportObservations, daemon.Observations(),
                     nothing, &response)
                    .ok());
    return Answers(daemon);
  }
};

TEST_F(RetentionTest, AnswersAreTheSameBeforeAndAfter) {
  Daemon daemon({{"retention-age", "0s"}, {"retention-size", "0"}});
  daemon.Register("delta");
  daemon.SetProfile("delta", {{"hockney", "node", "alpha", 1e-6},
                              {"hockney", "node", "beta", 1e-9},
                              {"hockney", "network", "alpha", 2e-6},
                              {"hockney", "network", "beta", 2e-9}});
  for (int64_t sequence = 1; sequence <= kBatches; ++sequence) Report(daemon, sequence);
  daemon.Stop();
  daemon.Start();
  const std::vector<std::string> before = SettledAnswers(daemon);
  EXPECT_EQ(Status(daemon).summed_observation_count(), 0);
  daemon.Stop();

  daemon.Set("retention-age", "1s");
  daemon.Start();
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (Status(daemon).summed_observation_count() < kOldRows) {
    ASSERT_LT(std::chrono::steady_clock::now(), give_up)
        << Status(daemon).summed_observation_count();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(Status(daemon).summed_observation_count(), kOldRows) << "the others may be read again";
  EXPECT_EQ(Status(daemon).observation_count(), kOldBatchRows * kBatches);
  EXPECT_EQ(SettledAnswers(daemon), before);
  daemon.Stop();
  daemon.Start();
  EXPECT_EQ(SettledAnswers(daemon), before) << "after another start";
}

}  // namespace
}  // namespace cox
