// Wrong reports from one source, through the daemon: how they change predictions, and that
// they can be taken back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "daemon.h"

namespace cox {
namespace {

using ::testing::Each;
using ::testing::Le;

constexpr int kSizes = 12;

// One timing of a cell, by how the machine really is, with noise.
v1::Observation Timing(int size, double noise) {
  v1::Observation observation = MakeObservation("delta", size);
  observation.set_time_s((2e-5 + static_cast<double>(observation.block_bytes()) * 4e-9) *
                         std::exp(noise));
  return observation;
}

class Reporter {
 public:
  explicit Reporter(const Daemon& daemon, std::string job, std::string source)
      : stub_(daemon.Observations()), job_(std::move(job)), source_(std::move(source)) {}

  void Report(const std::vector<v1::Observation>& observations, bool await = true) {
    v1::ReportObservationsRequest request;
    request.set_job(job_);
    request.set_source(source_);
    request.set_sequence(++sequence_);
    request.set_await_learning(await);
    for (const auto& observation : observations) *request.add_observations() = observation;
    v1::ReportObservationsResponse response;
    const grpc::Status status =
        Call(&v1::ObservationService::Stub::ReportObservations, stub_, request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
    ASSERT_EQ(response.stored_count(), static_cast<int64_t>(observations.size()));
  }

 private:
  std::unique_ptr<v1::ObservationService::Stub> stub_;
  std::string job_;
  std::string source_;
  int64_t sequence_ = 0;
};

// What the daemon predicts at each cell.
std::vector<double> Predictions(const Daemon& daemon) {
  const auto stub = daemon.Advice();
  std::vector<double> times;
  for (int size = 0; size < kSizes; ++size) {
    times.push_back(PredictedTime(stub, Timing(size, 0)));
  }
  return times;
}

std::vector<v1::Observation> Honest(int per_cell) {
  std::mt19937 engine(5);
  std::normal_distribution<double> noise(0, 0.05);
  std::vector<v1::Observation> observations;
  for (int i = 0; i < per_cell; ++i) {
    for (int size = 0; size < kSizes; ++size) observations.push_back(Timing(size, noise(engine)));
  }
  return observations;
}

using Lie = std::function<double(double time_s, int index)>;

// Makes the cell of an honest report the one that is lied about.
using Cell = std::function<void(v1::Observation&)>;
const Cell kSameCell = [](v1::Observation&) {};

// As many lies as make `share` of all reports.
std::vector<v1::Observation> Lies(int honest_per_cell, double share, const Lie& lie,
                                  const Cell& cell = kSameCell) {
  const int per_cell = static_cast<int>(std::lround(honest_per_cell * share / (1 - share)));
  std::vector<v1::Observation> lies;
  for (int i = 0; i < per_cell; ++i) {
    for (int size = 0; size < kSizes; ++size) {
      v1::Observation observation = Timing(size, 0);
      cell(observation);
      observation.set_time_s(lie(observation.time_s(), i));
      // As loud as can be.
      observation.set_count(1'000'000'000'000);
      lies.push_back(observation);
    }
  }
  return lies;
}

double LargestMove(const std::vector<double>& before, const std::vector<double>& after) {
  EXPECT_EQ(before.size(), after.size());
  EXPECT_EQ(before.size(), static_cast<size_t>(kSizes));
  double largest = 0;
  for (size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    largest = std::max(largest, std::abs(after[i] / before[i] - 1));
  }
  return largest;
}

struct Case {
  const char* name;
  double share;
  bool liar_first;
  double limit;
};

class PoisonTest : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Shares, PoisonTest,
                         ::testing::Values(Case{"TenthAfter", 0.1, false, 0.02},
                                           Case{"TenthFirst", 0.1, true, 0.02},
                                           Case{"ThreeTenthsAfter", 0.3, false, 0.1},
                                           Case{"ThreeTenthsFirst", 0.3, true, 0.1}),
                         [](const auto& info) { return info.param.name; });

// How far each kind of lie, told of `cell`, moves predictions of the honest reports' cells.
std::vector<double> MovesByLies(const Case& how, const Cell& cell) {
  constexpr int kPerCell = 42;
  const Lie lies[] = {[](double time_s, int) { return time_s * 1e6; },
                      [](double time_s, int) { return time_s / 1e6; },
                      [](double time_s, int i) { return time_s * (i % 2 == 0 ? 1e6 : 1e-6); },
                      [](double, int) { return 1.0; }, [](double, int) { return 1e-4; }};
  Daemon clean;
  clean.Register("delta");
  Reporter(clean, "honest", "ada@login").Report(Honest(kPerCell));
  const std::vector<double> truth = Predictions(clean);
  std::vector<double> moves;
  for (const Lie& lie : lies) {
    Daemon daemon;
    daemon.Register("delta");
    Reporter honest(daemon, "honest", "ada@login");
    // A reporter's name is its source; here an operator reports for it.
    Reporter liar(daemon, "uid:1002/wrong", "uid:1002");
    if (how.liar_first) liar.Report(Lies(kPerCell, how.share, lie, cell));
    honest.Report(Honest(kPerCell));
    if (!how.liar_first) liar.Report(Lies(kPerCell, how.share, lie, cell));
    moves.push_back(LargestMove(truth, Predictions(daemon)));
    ::testing::Test::RecordProperty("largest_move_" + std::to_string(moves.size()),
                                    std::to_string(moves.back()));
  }
  return moves;
}

TEST_P(PoisonTest, PredictionsOfTheOthersCellsHardlyMove) {
  EXPECT_THAT(MovesByLies(GetParam(), kSameCell), Each(Le(GetParam().limit)));
}

// What only the liar reports is believed there, and must not reach the others' cells through the
// parameters that they share.
TEST_P(PoisonTest, LiesAboutAnotherAlgorithmHardlyMoveThem) {
  const Cell other = [](v1::Observation& lie) { lie.set_algorithm("rabenseifner"); };
  EXPECT_THAT(MovesByLies(GetParam(), other), Each(Le(GetParam().limit)));
}

TEST_P(PoisonTest, LiesAboutSizesBetweenHardlyMoveThem) {
  const Cell between = [](v1::Observation& lie) {
    lie.set_block_bytes(lie.block_bytes() + lie.block_bytes() / 2);
  };
  std::vector<double> moves = MovesByLies(GetParam(), between);
  // The last false time, 100 us, is close to some of the times around it (docs/drift.md).
  EXPECT_LE(moves.back(), 0.11);
  moves.pop_back();
  EXPECT_THAT(moves, Each(Le(GetParam().limit)));
}

int64_t RemovedByForgettingTheLiar(const Daemon& daemon) {
  v1::ForgetObservationsRequest forget;
  forget.set_source("eve@login");
  v1::ForgetObservationsResponse forgotten;
  const grpc::Status status = Call(&v1::ObservationService::Stub::ForgetObservations,
                                   daemon.Observations(), forget, &forgotten);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return forgotten.removed_count();
}

TEST(ForgetTest, AfterItPredictionsAreAsIfTheSourceHadNeverBeen) {
  Daemon clean;
  clean.Register("delta");
  Reporter(clean, "honest", "ada@login").Report(Honest(30));

  Daemon daemon;
  daemon.Register("delta");
  Reporter liar(daemon, "wrong", "eve@login");
  Reporter other(daemon, "wrong-too", "eve@login");
  const Lie lie = [](double time_s, int) { return time_s * 50; };
  liar.Report(Lies(30, 0.6, lie));
  Reporter(daemon, "honest", "ada@login").Report(Honest(30));
  other.Report(Lies(30, 0.6, lie));
  EXPECT_GT(LargestMove(Predictions(clean), Predictions(daemon)), 1);

  v1::CountObservationsRequest count;
  count.set_source("eve@login");
  v1::CountObservationsResponse counted;
  const auto stub = daemon.Observations();
  ASSERT_TRUE(Call(&v1::ObservationService::Stub::CountObservations, stub, count, &counted).ok());
  EXPECT_EQ(counted.observation_count(), 2 * 45 * kSizes);
  v1::ListObservationsRequest list;
  list.set_source("eve@login");
  list.set_page_size(7);
  v1::ListObservationsResponse page;
  ASSERT_TRUE(Call(&v1::ObservationService::Stub::ListObservations, stub, list, &page).ok());
  ASSERT_EQ(page.observations_size(), 7);
  EXPECT_EQ(page.observations(0).source(), "eve@login");
  EXPECT_EQ(page.observations(0).measurement(), v1::MEASUREMENT_JOB);
  EXPECT_EQ(page.observations(0).job(), "wrong");

  v1::ForgetObservationsRequest forget;
  forget.set_source("eve@login");
  v1::ForgetObservationsResponse forgotten;
  ASSERT_TRUE(
      Call(&v1::ObservationService::Stub::ForgetObservations, stub, forget, &forgotten).ok());
  EXPECT_EQ(forgotten.removed_count(), 2 * 45 * kSizes);
  EXPECT_LE(LargestMove(Predictions(clean), Predictions(daemon)), 1e-6);
  ASSERT_TRUE(Call(&v1::ObservationService::Stub::CountObservations, stub, count, &counted).ok());
  EXPECT_EQ(counted.observation_count(), 0);

  forget.set_job("honest");
  const grpc::Status both =
      Call(&v1::ObservationService::Stub::ForgetObservations, stub, forget, &forgotten);
  EXPECT_EQ(FieldOf(both), "source");
}

// Lies between the sizes that others report reach these through the surface that all sizes share
// (docs/drift.md says how far): forgetting the source has to take back that, too.
TEST(ForgetTest, TakesBackWhatLiesAboutSizesBetweenDidToTheOthers) {
  Daemon clean;
  clean.Register("delta");
  Reporter(clean, "honest", "ada@login").Report(Honest(30));
  Daemon daemon;
  daemon.Register("delta");
  Reporter(daemon, "honest", "ada@login").Report(Honest(30));
  const Cell between = [](v1::Observation& lie) {
    lie.set_block_bytes(lie.block_bytes() + lie.block_bytes() / 2);
  };
  Reporter(daemon, "wrong", "eve@login")
      .Report(Lies(
          30, 0.3, [](double time_s, int) { return time_s * 1e6; }, between));
  EXPECT_EQ(RemovedByForgettingTheLiar(daemon), 13 * kSizes);
  EXPECT_LE(LargestMove(Predictions(clean), Predictions(daemon)), 1e-6);
}

TEST(ForgetTest, APinnedProfileDoesNotKeepWhatTheSourceTaughtTheOthers) {
  const std::vector<Daemon::Parameter> parameters = {{"hockney", "node", "alpha", 1e-6},
                                                     {"hockney", "node", "beta", 1e-10},
                                                     {"hockney", "network", "alpha", 1e-5},
                                                     {"hockney", "network", "beta", 1e-9}};
  Daemon clean;
  clean.Register("delta");
  clean.SetProfile("delta", parameters);
  Daemon daemon;
  daemon.Register("delta");
  daemon.SetProfile("delta", parameters);
  Reporter(daemon, "wrong", "eve@login").Report(Lies(30, 0.6, [](double time_s, int) {
    return time_s * 50;
  }));
  const auto pin = [&daemon](const char* revision) {
    v1::PinProfileRequest request;
    request.set_name(std::string("machines/delta/profiles/") + revision);
    v1::Profile profile;
    EXPECT_TRUE(
        Call(&v1::ProfileService::Stub::PinProfile, daemon.Profiles(), request, &profile).ok());
  };
  pin("1");
  EXPECT_GT(RemovedByForgettingTheLiar(daemon), 0);
  pin("-");
  EXPECT_LE(LargestMove(Predictions(clean), Predictions(daemon)), 1e-6);
}

TEST(ForgetTest, ADeletedMachineComesBackWithoutWhatTheSourceTaught) {
  Daemon daemon;
  daemon.Register("delta");
  daemon.SetProfile("delta", {{"hockney", "node", "alpha", 1e-6},
                              {"hockney", "node", "beta", 1e-10},
                              {"hockney", "network", "alpha", 5e-6},
                              {"hockney", "network", "beta", 1e-9}});
  const std::vector<double> before = Predictions(daemon);
  // Not far enough to be held back.
  Reporter(daemon, "wrong", "eve@login").Report(Lies(30, 0.6, [](double time_s, int) {
    return 1.3 * time_s;
  }));
  ASSERT_GT(LargestMove(before, Predictions(daemon)), 0.1);
  const auto stub = daemon.Machines();
  v1::DeleteMachineRequest remove;
  remove.set_name("machines/delta");
  google::protobuf::Empty removed;
  ASSERT_TRUE(Call(&v1::MachineService::Stub::DeleteMachine, stub, remove, &removed).ok());
  EXPECT_GT(RemovedByForgettingTheLiar(daemon), 0);
  v1::UndeleteMachineRequest undelete;
  undelete.set_name("machines/delta");
  v1::Machine machine;
  ASSERT_TRUE(Call(&v1::MachineService::Stub::UndeleteMachine, stub, undelete, &machine).ok());
  EXPECT_LE(LargestMove(before, Predictions(daemon)), 1e-6);
}

// What a prediction rests on whose candidates are `cell`'s algorithm alone.
std::vector<int> EvidenceAt(const Daemon& daemon, const v1::Observation& cell) {
  const v1::RecommendResponse answer = AnswerFor(daemon.Advice(), cell);
  return {answer.evidence().begin(), answer.evidence().end()};
}

// coxd takes a reporter's name for its source; here an operator reports for it.
TEST(OneSourceTest, WhatOneReporterAloneSaysIsMarked) {
  using ::testing::ElementsAre;
  using ::testing::StartsWith;
  Daemon daemon;
  daemon.Register("delta");
  Reporter(daemon, "uid:1000/a", "uid:1000").Report(Honest(10));
  v1::Observation cell = Timing(4, 0);
  EXPECT_THAT(EvidenceAt(daemon, cell), ElementsAre(v1::EVIDENCE_JOBS, v1::EVIDENCE_ONE_SOURCE));
  Reporter(daemon, "uid:1001/b", "uid:1001").Report(Honest(10));
  EXPECT_THAT(EvidenceAt(daemon, cell), ElementsAre(v1::EVIDENCE_JOBS));

  // A size that nobody else has timed.
  const Cell between = [](v1::Observation& lie) {
    lie.set_block_bytes(lie.block_bytes() + lie.block_bytes() / 2);
  };
  const Lie slow = [](double, int) { return 1e-4; };
  Reporter liar(daemon, "uid:1002/c", "uid:1002");
  liar.Report(Lies(10, 0.3, slow, between));
  EXPECT_THAT(EvidenceAt(daemon, cell), ElementsAre(v1::EVIDENCE_JOBS));
  between(cell);
  EXPECT_THAT(EvidenceAt(daemon, cell), ElementsAre(v1::EVIDENCE_JOBS, v1::EVIDENCE_ONE_SOURCE));
  EXPECT_THAT(AnswerFor(daemon.Advice(), cell).caveats(),
              ElementsAre(StartsWith("one reporter alone timed recursive_doubling")));

  // What an operator imports has its word.
  Reporter(daemon, "", "history.csv").Report({cell});
  EXPECT_THAT(EvidenceAt(daemon, cell), ElementsAre(v1::EVIDENCE_BENCHMARK, v1::EVIDENCE_JOBS));
}

TEST(OneSourceTest, ATableSaysHowManyOfItsRowsRestOnOneReporter) {
  Daemon daemon;
  daemon.Register("delta");
  const auto report = [&daemon](const std::string& source) {
    std::vector<v1::Observation> rows = Honest(10);
    for (v1::Observation row : Honest(10)) {
      row.set_algorithm("default");
      row.set_time_s(3 * row.time_s());
      rows.push_back(row);
    }
    Reporter(daemon, source + "/a", source).Report(rows);
  };
  const auto caveats = [&daemon] {
    v1::GetTuningRequest request;
    request.set_machine("delta");
    request.set_library("openmpi-4.1");
    request.set_nodes(2);
    request.set_ppn(8);
    request.add_collectives("allreduce");
    request.set_assume_commutative(true);
    v1::GetTuningResponse table;
    const grpc::Status status =
        Call(&v1::AdviceService::Stub::GetTuning, daemon.Advice(), request, &table);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return std::vector<std::string>(table.caveats().begin(), table.caveats().end());
  };
  report("uid:1000");
  EXPECT_THAT(caveats(),
              ::testing::Contains(::testing::HasSubstr("one reporter alone timed what")));
  report("uid:1001");
  EXPECT_THAT(caveats(), ::testing::IsEmpty());
}

// A batch that is refused is refused as a whole, takes nothing else with it and does not come back.
TEST(BadBatchTest, ABadBatchBlocksNobody) {
  Daemon daemon;
  daemon.Register("delta");
  const auto stub = daemon.Observations();
  grpc::ClientContext context;
  const auto stream = stub->StreamObservations(&context);
  for (int sequence = 1; sequence <= 9; ++sequence) {
    v1::StreamObservationsRequest request;
    request.mutable_batch()->set_job("wrong");
    request.mutable_batch()->set_source("eve@login");
    request.mutable_batch()->set_sequence(sequence);
    for (const v1::Observation& observation : Honest(1)) {
      *request.mutable_batch()->add_observations() = observation;
    }
    const double wrong[] = {std::nan(""), -1, 0};
    if (sequence % 2 == 1) {
      request.mutable_batch()->mutable_observations(3)->set_time_s(wrong[sequence % 3]);
    }
    ASSERT_TRUE(stream->Write(request));
  }
  stream->WritesDone();
  v1::StreamObservationsResponse response;
  int stored = 0;
  for (int sequence = 1; stream->Read(&response); ++sequence) {
    EXPECT_EQ(response.error_code(),
              sequence % 2 == 1 ? grpc::StatusCode::INVALID_ARGUMENT : grpc::StatusCode::OK);
    stored += static_cast<int>(response.result().stored_count());
  }
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(stored, 4 * kSizes);
}

}  // namespace
}  // namespace cox
