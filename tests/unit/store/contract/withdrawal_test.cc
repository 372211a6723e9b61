// Withdrawals: recorded, listed newest first, and removed with their evidence or their machine.
#include "domain/withdrawal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine.h"
#include "scratch.h"

namespace cox::store {
namespace {

domain::Withdrawal WithdrawalOf(const std::string& machine, const std::string& algorithm,
                                int64_t first_id, int64_t last_id) {
  domain::Withdrawal withdrawal;
  withdrawal.machine = machine;
  withdrawal.evidence = {.calls = {.library = "openmpi-4.1",
                                   .collective = "bcast",
                                   .algorithm = algorithm,
                                   .nodes = 4,
                                   .ppn = 8,
                                   .ranks = 32,
                                   .min_block_bytes = 1024,
                                   .max_block_bytes = 2047},
                         .log_factor = 0.7,
                         .pair_count = 6,
                         .job_count = 2};
  withdrawal.first_id = first_id;
  withdrawal.last_id = last_id;
  withdrawal.revision = 3;
  return withdrawal;
}

std::vector<std::string> Names(Store& store, const std::string& machine, int64_t limit = 100) {
  std::vector<std::string> names;
  const auto withdrawals = store.ListWithdrawals(machine, limit);
  EXPECT_TRUE(withdrawals.ok()) << withdrawals.status();
  if (!withdrawals.ok()) return names;
  for (const domain::Withdrawal& one : *withdrawals) {
    names.push_back(one.evidence.calls.algorithm);
  }
  return names;
}

using Strings = std::vector<std::string>;

class WithdrawalTest : public StoreTest {};

TEST_P(WithdrawalTest, AreListedNewestFirstAsTheyWereRecorded) {
  {
    const std::unique_ptr<Store> store = Open();
    ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
    ASSERT_TRUE(store->CreateMachine(MachineNamed("other"), "").ok());
    for (const char* const algorithm : {"chain", "pipeline"}) {
      const auto stored = store->AddWithdrawal(WithdrawalOf("m", algorithm, 1, 10));
      ASSERT_TRUE(stored.ok()) << stored.status();
      EXPECT_GT(stored->id, 0);
      EXPECT_GT(stored->create_time_us, 0);
    }
  }
  const std::unique_ptr<Store> store = Open();
  EXPECT_EQ(Names(*store, "m"), (Strings{"pipeline", "chain"}));
  EXPECT_EQ(Names(*store, "m", 1), (Strings{"pipeline"}));
  EXPECT_TRUE(Names(*store, "other").empty());
  EXPECT_TRUE(absl::IsNotFound(store->ListWithdrawals("nowhere", 1).status()));
  const domain::Withdrawal read = store->ListWithdrawals("m", 1)->front();
  const domain::Withdrawal written = WithdrawalOf("m", "pipeline", 1, 10);
  EXPECT_EQ(read.machine, "m");
  EXPECT_EQ(read.evidence.calls, written.evidence.calls);
  EXPECT_EQ(read.evidence.log_factor, written.evidence.log_factor);
  EXPECT_EQ(read.evidence.pair_count, written.evidence.pair_count);
  EXPECT_EQ(read.evidence.job_count, written.evidence.job_count);
  EXPECT_EQ(read.first_id, written.first_id);
  EXPECT_EQ(read.last_id, written.last_id);
  EXPECT_EQ(read.revision, written.revision);
}

// What a job reports about the calls of WithdrawalOf(), except for what a test changes: ten rows.
ObservationBatch CallsBy(const std::string& job, const std::string& algorithm = "default",
                         int64_t block_bytes = 1500) {
  ObservationBatch batch = BatchOf("m", job, 1, 10, block_bytes);
  batch.kind = domain::CellKind::kJob;
  for (ObservationRecord& row : batch.observations) {
    row.scenario.collective = "bcast";
    row.scenario.algorithm = algorithm;
  }
  return batch;
}

TEST_P(WithdrawalTest, GoWithTheirEvidence) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  ASSERT_TRUE(Append(*store, CallsBy("first")).ok());
  ASSERT_TRUE(Append(*store, CallsBy("second")).ok());
  ASSERT_TRUE(Append(*store, CallsBy("third", "with")).ok());
  ASSERT_TRUE(store->AddWithdrawal(WithdrawalOf("m", "before", 1, 10)).ok());
  ASSERT_TRUE(store->AddWithdrawal(WithdrawalOf("m", "with", 5, 15)).ok());
  ASSERT_TRUE(store->AddWithdrawal(WithdrawalOf("m", "with", 21, 30)).ok());
  ASSERT_TRUE(store->Forget({Reporter::Kind::kJob, "second"}).ok());
  EXPECT_EQ(Names(*store, "m"), (Strings{"with", "before"}));
  EXPECT_EQ(store->GetMachine("m")->relearn_from_id, 5) << "where to look for it again";
  ASSERT_TRUE(store->Forget({Reporter::Kind::kJob, "third"}).ok());
  EXPECT_EQ(Names(*store, "m"), (Strings{"before"}));
}

TEST_P(WithdrawalTest, StayWhenOtherReportsGo) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  std::vector<ObservationBatch> others = {CallsBy("before"),
                                          CallsBy("size", "default", 2048),
                                          CallsBy("algorithm", "pipeline"),
                                          CallsBy("library"),
                                          CallsBy("collective"),
                                          CallsBy("shape"),
                                          CallsBy("a benchmark"),
                                          CallsBy("after")};
  for (ObservationRecord& row : others[3].observations) {
    row.scenario.library = "mpich-4.0";
    row.scenario.algorithm = "chain";
  }
  for (ObservationRecord& row : others[4].observations) row.scenario.collective = "allgather";
  for (ObservationRecord& row : others[5].observations) {
    row.scenario.ppn = 4;
    row.scenario.ranks = 16;
  }
  others[6].kind = domain::CellKind::kBenchmark;
  for (const ObservationBatch& batch : others) ASSERT_TRUE(Append(*store, batch).ok());
  ASSERT_TRUE(store->AddWithdrawal(WithdrawalOf("m", "chain", 11, 70)).ok());
  for (const ObservationBatch& batch : others) {
    EXPECT_EQ(store->Forget({Reporter::Kind::kJob, batch.job})->removed_count, 10);
    EXPECT_EQ(Names(*store, "m"), (Strings{"chain"})) << batch.job;
  }
}

// Their rows are gone, so nobody can find them again.
TEST_P(WithdrawalTest, StayWhenTheRestOfTheirEvidenceIsInSums) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  for (const char* const job : {"first", "second"}) {
    ASSERT_TRUE(Append(*store, CallsBy(job)).ok());
  }
  ASSERT_TRUE(store->AddWithdrawal(WithdrawalOf("m", "chain", 5, 15)).ok());
  const auto summed = store->SumUpOld("m", {.before_us = INT64_MAX, .through_id = 20});
  ASSERT_EQ(summed->observation_count, 20);
  ASSERT_EQ(store->Forget({Reporter::Kind::kJob, "first"})->removed_count, 10);
  EXPECT_EQ(Names(*store, "m"), (Strings{"chain"}));
  ASSERT_EQ(store->Forget({Reporter::Kind::kJob, "second"})->removed_count, 10);
  EXPECT_TRUE(Names(*store, "m").empty()) << "nothing of it is left";
}

TEST_P(WithdrawalTest, GoWithTheirMachine) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  ASSERT_TRUE(store->AddWithdrawal(WithdrawalOf("m", "chain", 1, 10)).ok());
  ASSERT_TRUE(store->DeleteMachine("m").ok());
  ASSERT_TRUE(store->Flush().ok());
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  EXPECT_TRUE(Names(*store, "m").empty());
}

TEST_P(WithdrawalTest, RefusesWhatNoGuardFinds) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  std::vector<domain::Withdrawal> wrong(6, WithdrawalOf("m", "chain", 1, 10));
  wrong[0].evidence.pair_count = 0;
  wrong[1].evidence.calls.max_block_bytes = 1;
  wrong[2].evidence.log_factor = NAN;
  wrong[3].last_id = 0;
  wrong[4].evidence.calls.ranks = 0;
  wrong[5].revision = -1;
  for (const domain::Withdrawal& one : wrong) {
    EXPECT_TRUE(absl::IsInvalidArgument(store->AddWithdrawal(one).status()));
  }
  EXPECT_TRUE(
      absl::IsNotFound(store->AddWithdrawal(WithdrawalOf("nowhere", "chain", 1, 10)).status()));
}

COX_ON_EACH_ENGINE(WithdrawalTest);

}  // namespace
}  // namespace cox::store
