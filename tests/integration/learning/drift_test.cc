// Lasting changes of a machine, seen through the daemon.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "daemon.h"

namespace cox {
namespace {

constexpr int kBatch = 50;

// A machine whose link takes this many seconds per byte, and a job on it.
class Job {
 public:
  explicit Job(const Daemon& daemon) : stub_(daemon.Observations()) {
    for (const auto& [collective, algorithm] : std::vector<std::pair<const char*, const char*>>{
             {"allreduce", "recursive_doubling"}, {"bcast", "binomial"}}) {
      for (int64_t bytes = 64; bytes <= 1 << 20; bytes *= 4) {
        v1::Observation cell = MakeObservation("delta", 0);
        cell.set_collective(collective);
        cell.set_algorithm(algorithm);
        cell.set_block_bytes(bytes);
        cells.push_back(cell);
      }
    }
  }

  double Truth(const v1::Observation& cell) const {
    return 3e-5 + static_cast<double>(cell.block_bytes()) * seconds_per_byte;
  }

  // `count` observations of `name`, as many of each of the cells from `first_cell` on as chance
  // has it.
  void Run(int count, const std::string& name, size_t first_cell = 0) {
    std::normal_distribution<double> noise(0, 0.05);
    for (int sent = 0; sent < count; sent += kBatch) {
      v1::ReportObservationsRequest request;
      request.set_job(name);
      request.set_source("ada@login");
      request.set_sequence(++sequence_);
      request.set_await_learning(true);
      for (int i = 0; i < kBatch; ++i) {
        v1::Observation observation = cells[first_cell + engine_() % (cells.size() - first_cell)];
        observation.set_time_s(Truth(observation) * std::exp(noise(engine_)));
        *request.add_observations() = observation;
      }
      v1::ReportObservationsResponse response;
      const grpc::Status status =
          Call(&v1::ObservationService::Stub::ReportObservations, stub_, request, &response);
      ASSERT_TRUE(status.ok()) << status.error_message();
    }
  }

  double MedianError(const Daemon& daemon) const {
    const auto advice = daemon.Advice();
    std::vector<double> errors;
    for (const v1::Observation& cell : cells) {
      errors.push_back(std::abs(PredictedTime(advice, cell) / Truth(cell) - 1));
    }
    std::sort(errors.begin(), errors.end());
    return errors[errors.size() / 2];
  }

  std::vector<v1::Observation> cells;
  double seconds_per_byte = 1e-8;

 private:
  std::unique_ptr<v1::ObservationService::Stub> stub_;
  std::mt19937 engine_{3};
  int64_t sequence_ = 0;
};

std::vector<v1::Drift> Drifts(const Daemon& daemon) {
  v1::ListDriftsRequest request;
  request.set_parent("machines/delta");
  v1::ListDriftsResponse response;
  const grpc::Status status =
      Call(&v1::ObservationService::Stub::ListDrifts, daemon.Observations(), request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return {response.drifts().begin(), response.drifts().end()};
}

// The notes of all revisions, a line each.
std::string Notes(const Daemon& daemon) {
  v1::ListProfilesRequest request;
  request.set_parent("machines/delta");
  v1::ListProfilesResponse response;
  EXPECT_TRUE(
      Call(&v1::ProfileService::Stub::ListProfiles, daemon.Profiles(), request, &response).ok());
  std::string notes;
  for (const v1::Profile& profile : response.profiles()) notes += profile.note() + "\n";
  return notes;
}

TEST(DriftTest, ALinkAtHalfItsRateIsNoticedAndMended) {
  Daemon daemon;
  daemon.Register("delta");
  Job job(daemon);
  job.Run(600, "long");
  EXPECT_TRUE(Drifts(daemon).empty());
  EXPECT_LT(job.MedianError(daemon), 0.1);
  job.seconds_per_byte *= 2;
  EXPECT_GT(job.MedianError(daemon), 0.2);
  job.Run(200, "long");
  const std::vector<v1::Drift> drifts = Drifts(daemon);
  ASSERT_EQ(drifts.size(), 1u);
  const v1::Drift& drift = drifts.front();
  EXPECT_EQ(drift.level(), "network");
  EXPECT_EQ(drift.library(), "");
  EXPECT_EQ(drift.collective(), "");
  EXPECT_GT(drift.min_block_bytes(), 0);
  EXPECT_GT(drift.factor(), 1.5);
  EXPECT_LT(drift.factor(), 2.2);
  EXPECT_GT(drift.first_observation_id(), 590);
  EXPECT_LT(drift.first_observation_id(), 620);
  EXPECT_LE(drift.last_observation_id(), 800);
  EXPECT_GE(drift.observation_count(), 60);
  ASSERT_GT(drift.evidence_size(), 0);
  EXPECT_GT(drift.evidence(0).factor(), 1.1);
  EXPECT_GE(drift.evidence(0).block_bytes(), drift.min_block_bytes());
  EXPECT_THAT(Notes(daemon), ::testing::HasSubstr("drift: times of the network"));
  job.Run(300, "long");
  const double error = job.MedianError(daemon);
  RecordProperty("median_error", std::to_string(error));
  EXPECT_LT(error, 0.1);
  EXPECT_EQ(Drifts(daemon).size(), 1u);
  // It is known after a new start too, and not noticed again.
  daemon.Stop();
  daemon.Start();
  Job after(daemon);
  after.seconds_per_byte = job.seconds_per_byte;
  after.Run(200, "next");
  EXPECT_EQ(Drifts(daemon).size(), 1u);
  EXPECT_LT(after.MedianError(daemon), 0.1);
}

TEST(DriftTest, CellsThatNobodyMeasuresAgainFollow) {
  Daemon daemon;
  daemon.Register("delta");
  Job job(daemon);
  // Of one more algorithm, without a structure, that is not run again.
  for (int64_t bytes = 1 << 16; bytes <= 1 << 20; bytes *= 2) {
    v1::Observation cell = job.cells.front();
    cell.set_algorithm("made_up");
    cell.set_block_bytes(bytes);
    job.cells.insert(job.cells.begin(), cell);
  }
  const size_t other = job.cells.size() - 16;
  const v1::Observation asked = job.cells.front();
  job.Run(800, "long");
  const double before = PredictedTime(daemon.Advice(), asked);
  job.seconds_per_byte *= 2;
  job.Run(300, "long", other);
  ASSERT_EQ(Drifts(daemon).size(), 1u);
  const double factor = Drifts(daemon).front().factor();
  EXPECT_NEAR(PredictedTime(daemon.Advice(), asked) / before / factor, 1, 0.15);
}

TEST(DriftTest, WhoseObservationsAreForgottenTakesTheDriftAlong) {
  Daemon daemon;
  daemon.Register("delta");
  Job job(daemon);
  job.Run(600, "honest");
  const double before = job.MedianError(daemon);
  job.seconds_per_byte *= 3;
  job.Run(200, "wrong-1");
  job.Run(200, "wrong-2");
  ASSERT_EQ(Drifts(daemon).size(), 1u);
  job.seconds_per_byte /= 3;
  for (const char* const name : {"wrong-1", "wrong-2"}) {
    v1::ForgetObservationsRequest forget;
    forget.set_job(name);
    v1::ForgetObservationsResponse forgotten;
    ASSERT_TRUE(Call(&v1::ObservationService::Stub::ForgetObservations, daemon.Observations(),
                     forget, &forgotten)
                    .ok());
    EXPECT_EQ(forgotten.removed_count(), 200);
  }
  EXPECT_TRUE(Drifts(daemon).empty());
  EXPECT_NEAR(job.MedianError(daemon), before, 0.02);
}

// A profile that was set later contains what coxd learned before it, but no drifts.
TEST(DriftTest, ForgettingAnOlderJobLosesNone) {
  Daemon daemon;
  daemon.Register("delta");
  Job job(daemon);
  job.Run(100, "early");
  job.Run(600, "long");
  job.seconds_per_byte *= 2;
  job.Run(200, "long");
  const std::vector<v1::Drift> before = Drifts(daemon);
  ASSERT_EQ(before.size(), 1u);
  daemon.SetProfile("delta",
                    {{"hockney", "network", "alpha", 1e-5}, {"hockney", "network", "beta", 1e-9}});
  v1::ForgetObservationsRequest forget;
  forget.set_job("early");
  v1::ForgetObservationsResponse forgotten;
  ASSERT_TRUE(Call(&v1::ObservationService::Stub::ForgetObservations, daemon.Observations(), forget,
                   &forgotten)
                  .ok());
  EXPECT_EQ(forgotten.removed_count(), 100);
  const std::vector<v1::Drift> after = Drifts(daemon);
  ASSERT_EQ(after.size(), 1u);
  EXPECT_EQ(after.front().level(), before.front().level());
  EXPECT_NEAR(after.front().factor(), before.front().factor(), 0.1);
  // The new times, not a mixture.
  EXPECT_LT(job.MedianError(daemon), 0.1);
}

TEST(DriftTest, OneBadJobIsNone) {
  Daemon daemon;
  daemon.Register("delta");
  Job job(daemon);
  job.Run(600, "good");
  job.seconds_per_byte *= 2;
  job.Run(400, "bad");
  job.seconds_per_byte /= 2;
  job.Run(400, "good again");
  EXPECT_TRUE(Drifts(daemon).empty());
}

TEST(DriftTest, OfAnUnknownMachineAreRefused) {
  Daemon daemon;
  v1::ListDriftsRequest request;
  request.set_parent("machines/nowhere");
  v1::ListDriftsResponse response;
  const auto stub = daemon.Observations();
  EXPECT_EQ(Call(&v1::ObservationService::Stub::ListDrifts, stub, request, &response).error_code(),
            grpc::StatusCode::NOT_FOUND);
  request.set_parent("nowhere/else");
  EXPECT_EQ(FieldOf(Call(&v1::ObservationService::Stub::ListDrifts, stub, request, &response)),
            "parent");
}

}  // namespace
}  // namespace cox
