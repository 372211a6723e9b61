#include "daemon/bounds/scenario_bound.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "domain/errors.h"

namespace cox::daemon {
namespace {

using Added = absl::StatusOr<std::shared_ptr<ScenarioBound::Addition>>;

// Two rows of each size from `first` on.
store::ObservationBatch SizesFrom(int64_t first, int64_t count, const std::string& machine = "m") {
  store::ObservationBatch batch;
  for (int64_t i = 0; i < 2 * count; ++i) {
    store::ObservationRecord row;
    row.scenario.machine = machine;
    row.scenario.block_bytes = first + i / 2;
    batch.observations.push_back(row);
  }
  return batch;
}

// What the store has then.
std::vector<store::CellRecord> CellsFrom(int64_t first, int64_t count) {
  std::vector<store::CellRecord> cells;
  for (int64_t i = 0; i < count; ++i) {
    store::CellRecord cell;
    cell.scenario.machine = "m";
    cell.scenario.block_bytes = first + i;
    cells.push_back(cell);
  }
  return cells;
}

class ScenarioBoundTest : public ::testing::Test {
 protected:
  Added Admit(const store::ObservationBatch& batch, const std::string& who = "uid:1") {
    return bound_.Admit(who, /*has_share=*/true, batch);
  }
  // As many as are new; -1: refused.
  int64_t Store(const store::ObservationBatch& batch, const std::string& who = "uid:1") {
    const Added added = Admit(batch, who);
    if (!added.ok()) return -1;
    (*added)->Keep();
    return (*added)->count();
  }
  void Read(const std::vector<store::CellRecord>& cells) {
    bound_.BeginReading("m");
    bound_.EndReading("m", cells);
  }

  ScenarioBound bound_{{.of_machine = 100, .in_all = 1'000}};
};

TEST_F(ScenarioBoundTest, AScenarioIsNewOnce) {
  EXPECT_EQ(Store(SizesFrom(0, 10)), 10);
  EXPECT_EQ(Store(SizesFrom(0, 10)), 0);
  EXPECT_EQ(Store(SizesFrom(5, 10), "uid:2"), 5);
  store::ObservationBatch of_job = SizesFrom(0, 10);
  of_job.kind = domain::CellKind::kJob;
  EXPECT_EQ(Store(of_job), 10);
  EXPECT_EQ(Store(SizesFrom(0, 10, "n")), 10);
  EXPECT_EQ(bound_.CountOf("m"), 25);
}

TEST_F(ScenarioBoundTest, OneReporterLeavesRoomForTheOthers) {
  EXPECT_EQ(Store(SizesFrom(0, 75)), 75) << "three times what stays free";
  EXPECT_EQ(Store(SizesFrom(75, 1)), -1);
  EXPECT_EQ(Store(SizesFrom(0, 75)), 0) << "what is known goes on";
  EXPECT_EQ(Store(SizesFrom(200, 18), "uid:2"), 18);
  EXPECT_EQ(Store(SizesFrom(300, 8), "uid:2"), -1);
  const Added refused = Admit(SizesFrom(300, 8), "uid:1");
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(refused.status().message().find("machine-scenarios"), absl::string_view::npos)
      << refused.status();
  EXPECT_TRUE(domain::RetryDelayOf(refused.status()).has_value());
}

TEST_F(ScenarioBoundTest, AnOperatorMayTakeWhatIsFree) {
  const auto store = [this](const store::ObservationBatch& batch) {
    const Added added = bound_.Admit("uid:0", /*has_share=*/false, batch);
    if (added.ok()) (*added)->Keep();
    return added.ok();
  };
  EXPECT_TRUE(store(SizesFrom(0, 100)));
  EXPECT_FALSE(store(SizesFrom(100, 1)));
}

TEST_F(ScenarioBoundTest, AllMachinesTogetherAreBounded) {
  ScenarioBound bound({.of_machine = 100, .in_all = 150});
  const auto fits = [&bound](const std::string& machine, int64_t count) {
    const Added added = bound.Admit("uid:0", false, SizesFrom(0, count, machine));
    if (added.ok()) (*added)->Keep();
    return added.ok();
  };
  EXPECT_TRUE(fits("a", 100));
  EXPECT_FALSE(fits("b", 51));
  EXPECT_TRUE(fits("b", 50)) << "what was refused took nothing";
  EXPECT_FALSE(fits("c", 1));
  bound.Remove("a");
  EXPECT_TRUE(fits("c", 100));
}

TEST_F(ScenarioBoundTest, WhatIsNotStoredLeavesRoom) {
  {
    const Added added = Admit(SizesFrom(0, 75));
    ASSERT_TRUE(added.ok());
    EXPECT_EQ(Store(SizesFrom(75, 1)), -1);
  }
  EXPECT_EQ(bound_.CountOf("m"), 0);
  EXPECT_EQ(Store(SizesFrom(100, 75)), 75);
}

TEST_F(ScenarioBoundTest, ABatchOfTwoMachinesIsRefusedAsAWhole) {
  EXPECT_EQ(Store(SizesFrom(0, 75, "n")), 75);
  store::ObservationBatch batch = SizesFrom(0, 10);
  const store::ObservationBatch too_many = SizesFrom(100, 1, "n");
  batch.observations.insert(batch.observations.end(), too_many.observations.begin(),
                            too_many.observations.end());
  EXPECT_EQ(Store(batch), -1);
  EXPECT_EQ(bound_.CountOf("m"), 0);
  EXPECT_EQ(Store(SizesFrom(0, 75)), 75);
}

TEST_F(ScenarioBoundTest, OfSomeTheKnownAndTheFirstNewOnesStay) {
  ASSERT_EQ(Store(SizesFrom(0, 70)), 70);
  // Two rows of each size, with 3 timings.
  store::ObservationBatch batch = SizesFrom(65, 20);
  for (store::ObservationRecord& row : batch.observations) row.count = 3;
  {
    const auto added = *bound_.AdmitSome("uid:1", true, batch);
    EXPECT_EQ(added->count(), 5) << "three times what stays free";
    EXPECT_EQ(added->refused_count(), 20);
    EXPECT_EQ(added->refused_timing_count(), 60);
    EXPECT_NE(added->refused_reason().find("machine-scenarios"), std::string::npos)
        << added->refused_reason();
    EXPECT_EQ(bound_.CountOf("m"), 75);
  }
  ASSERT_EQ(batch.observations.size(), 20U);
  EXPECT_EQ(batch.observations.front().scenario.block_bytes, 65);
  EXPECT_EQ(batch.observations.back().scenario.block_bytes, 74);
  EXPECT_EQ(bound_.CountOf("m"), 70) << "the store did not take it";
  EXPECT_EQ(bound_.refused_count(), 0);
  batch = SizesFrom(65, 20);
  (*bound_.AdmitSome("uid:1", true, batch))->Keep();
  EXPECT_EQ(bound_.CountOf("m"), 75);
  EXPECT_EQ(bound_.refused_count(), 20);
}

TEST_F(ScenarioBoundTest, OfSomeNothingIsRefusedWhileThereIsRoom) {
  store::ObservationBatch batch = SizesFrom(0, 75);
  const auto added = *bound_.AdmitSome("uid:1", true, batch);
  EXPECT_EQ(added->count(), 75);
  EXPECT_EQ(added->refused_count(), 0);
  EXPECT_EQ(added->refused_reason(), "");
  EXPECT_EQ(batch.observations.size(), 150U);
}

TEST_F(ScenarioBoundTest, OfSomeAFullMachineDoesNotHoldUpAnother) {
  ASSERT_EQ(Store(SizesFrom(0, 75, "full")), 75);
  store::ObservationBatch batch = SizesFrom(100, 1, "full");
  const store::ObservationBatch fits = SizesFrom(0, 10);
  batch.observations.insert(batch.observations.end(), fits.observations.begin(),
                            fits.observations.end());
  // Timings that no counter can sum up.
  for (store::ObservationRecord& row : batch.observations) row.count = int64_t{1} << 62;
  const auto added = *bound_.AdmitSome("uid:1", true, batch);
  EXPECT_EQ(added->count(), 10);
  EXPECT_EQ(added->refused_count(), 2);
  EXPECT_EQ(added->refused_timing_count(), store::kMaxDroppedCount);
  ASSERT_EQ(batch.observations.size(), 20U);
  EXPECT_EQ(batch.observations.front().scenario.machine, "m");
}

// Else a start would lose rows of scenarios that the store has.
TEST_F(ScenarioBoundTest, OfSomeNoneIsRefusedForGoodBeforeTheMachineIsRead) {
  bound_.AwaitReading("m");
  ASSERT_EQ(Store(SizesFrom(0, 70)), 70);
  store::ObservationBatch batch = SizesFrom(70, 20);
  const auto early = bound_.AdmitSome("uid:1", true, batch);
  EXPECT_EQ(early.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(batch.observations.size(), 40U);
  EXPECT_EQ(bound_.CountOf("m"), 70);
  store::ObservationBatch fits = SizesFrom(70, 5);
  EXPECT_EQ((*bound_.AdmitSome("uid:1", true, fits))->count(), 5) << "there is room for all";
  Read(CellsFrom(0, 90));
  const auto admitted = *bound_.AdmitSome("uid:1", true, batch);
  EXPECT_EQ(admitted->refused_count(), 0);
  EXPECT_EQ(admitted->count(), 0) << "all are known";
}

TEST_F(ScenarioBoundTest, TheLearnerSaysWhatIsStored) {
  Read(CellsFrom(0, 60));
  EXPECT_EQ(Store(SizesFrom(0, 60)), 0);
  EXPECT_EQ(Store(SizesFrom(60, 31)), -1) << "40 are free";
  EXPECT_EQ(Store(SizesFrom(60, 30)), 30);
  // The operator has forgotten all but ten.
  Read(CellsFrom(60, 10));
  EXPECT_EQ(bound_.CountOf("m"), 10);
  EXPECT_EQ(Store(SizesFrom(0, 65)), 60);
}

TEST_F(ScenarioBoundTest, MoreThanTheBoundMayBeStoredAlready) {
  Read(CellsFrom(0, 500));
  EXPECT_EQ(Store(SizesFrom(0, 500)), 0);
  EXPECT_EQ(Store(SizesFrom(500, 1)), -1);
}

TEST_F(ScenarioBoundTest, AReadingDoesNotLoseWhatComesMeanwhile) {
  const Added in_flight = Admit(SizesFrom(0, 10));
  ASSERT_TRUE(in_flight.ok());
  bound_.BeginReading("m");
  ASSERT_EQ(Store(SizesFrom(10, 10)), 10);
  bound_.EndReading("m", {});
  EXPECT_EQ(bound_.CountOf("m"), 20);
  (*in_flight)->Keep();
  EXPECT_EQ(Store(SizesFrom(0, 20)), 0);
  Read({});
  EXPECT_EQ(bound_.CountOf("m"), 0) << "by the next reading they are in the store or gone";
}

TEST_F(ScenarioBoundTest, AnAdditionMayOutliveItsMachineAndTheBound) {
  Added kept;
  Added dropped;
  {
    ScenarioBound bound({.of_machine = 10, .in_all = 10});
    kept = bound.Admit("a", true, SizesFrom(0, 2));
    dropped = bound.Admit("a", true, SizesFrom(2, 2));
    bound.Remove("m");
    EXPECT_EQ(bound.CountOf("m"), 0);
  }
  (*kept)->Keep();
}

TEST_F(ScenarioBoundTest, ManyThreadsAgreeOnTheCount) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([this, thread] {
      for (int64_t i = 0; i < 500; ++i) {
        // Each second one is not stored.
        const Added added =
            bound_.Admit("uid:0", false, SizesFrom(i % 2 == 0 ? i % 40 : 1'000 + thread, 1));
        if (added.ok() && i % 2 == 0) (*added)->Keep();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  // Half of 40 sizes; a thread's own ones are gone.
  EXPECT_EQ(bound_.CountOf("m"), 20);
}

}  // namespace
}  // namespace cox::daemon
