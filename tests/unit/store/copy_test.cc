// A copy has all that the source has, and goes on from there.
#include "store/copy/copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "postgres/server.h"
#include "scratch.h"
#include "store/copy/tables.h"

namespace cox::store {
namespace {

using ::testing::HasSubstr;

const Actor kAda = {.principal = "uid:1000", .method = "m"};

class PostgresCopyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!PostgresServer::WhyMissing().empty()) GTEST_SKIP() << PostgresServer::WhyMissing();
    options_.url = PostgresServer::Shared().NewDatabase();
  }
  void TearDown() override {
    if (!options_.url.empty()) PostgresServer::Shared().DropDatabase(options_.url);
  }
  std::unique_ptr<Store> OpenTarget() {
    auto store = OpenStore(options_);
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }
  absl::Status Copy() {
    return CopyToPostgres(
        directory_.path(), options_.url,
        [this](absl::string_view table, int64_t rows) { told_[std::string(table)] = rows; });
  }

  ScratchDirectory directory_;
  StoreOptions options_;
  std::map<std::string, int64_t> told_;
};

void Fill(Store& store) {
  for (const char* const name : {"m", "n", "gone"}) {
    ASSERT_TRUE(store.CreateMachine(MachineNamed(name), "", kAda).ok());
  }
  ProfileRecord profile;
  profile.machine = "m";
  profile.provenance = "imported";
  profile.note = "na\xc3\xafve";
  profile.parameters.push_back({"hockney", domain::Level::kNetwork, "alpha", 1.0 / 3, 1e-8, "fit"});
  ASSERT_TRUE(store.AddProfile(profile, "6f1d2c3a-0b1e-4c5d-8e9f-001122334455", kAda).ok());
  ASSERT_TRUE(store.AddProfile(profile, "").ok());
  ASSERT_TRUE(store.PinProfile("m", 1).ok());
  ObservationBatch batch = BatchOf("m", "job", 1, 500);
  batch.source = "file";
  batch.dropped_count = 9;
  batch.observations[7].run = "night";
  batch.observations[8].stddev_s = 0.1;
  ASSERT_TRUE(Append(store, batch).ok());
  ASSERT_TRUE(Append(store, BatchOf("n", "", 0, 20, 64)).ok());
  ASSERT_TRUE(Append(store, BatchOf("gone", "job", 2, 5)).ok());
  // Before the drift.
  ASSERT_TRUE(store.SumUpOld("m", {.before_us = int64_t{1} << 60, .through_id = 40}).ok());
  domain::Drift drift;
  drift.machine = "m";
  drift.scope.level = domain::Level::kNetwork;
  drift.scope.max_block_bytes = 4096;
  drift.first_id = 100;
  drift.last_id = 200;
  drift.observation_count = 7;
  drift.log_factor = 0.25;
  drift.evidence.push_back(
      {.scenario = batch.observations[0].scenario, .log_factor = 0.5, .observation_count = 3});
  ASSERT_TRUE(store.AddDrift(drift).ok());
  ASSERT_TRUE(store.DeleteMachine("gone").ok());
}

std::map<std::string, Cell> CellsOf(Store& store) {
  std::map<std::string, Cell> cells;
  for (const char* const machine : {"m", "n"}) {
    const auto records = store.ListCells(machine);
    if (!records.ok()) continue;
    for (const CellRecord& record : *records) {
      cells[record.scenario.machine + std::to_string(record.scenario.block_bytes) + "/" +
            std::to_string(record.epoch)] = record.cell;
    }
  }
  return cells;
}

TEST_F(PostgresCopyTest, HasAllThatTheSourceHasAndGoesOn) {
  // The source stays open: a daemon may use it.
  const std::unique_ptr<Store> source = MustOpen(directory_);
  Fill(*source);
  ASSERT_FALSE(HasFatalFailure());
  const absl::Status copied = Copy();
  ASSERT_TRUE(copied.ok()) << copied;
  EXPECT_EQ(told_.size(), CopiedTables().size());
  EXPECT_EQ(told_["observation"], 485);
  const std::unique_ptr<Store> target = OpenTarget();
  const auto profiles = target->ListProfiles("m", 0, 10);
  ASSERT_EQ(profiles->size(), 2u);
  EXPECT_EQ(profiles->front().note, "na\xc3\xafve");
  EXPECT_EQ(profiles->front().parameters.front().value, 1.0 / 3);
  EXPECT_EQ(target->GetMachine("m")->pinned_revision, 1);
  const auto rows = source->ListObservations({}, 0, 1'000);
  const auto copies = target->ListObservations({}, 0, 1'000);
  ASSERT_TRUE(copies.ok()) << copies.status();
  ASSERT_EQ(copies->size(), rows->size());
  for (size_t i = 0; i < rows->size(); ++i) {
    const ObservationRecord& row = (*rows)[i];
    const ObservationRecord& copy = (*copies)[i];
    EXPECT_EQ(copy.id, row.id);
    EXPECT_EQ(copy.scenario, row.scenario);
    EXPECT_EQ(copy.time_s, row.time_s);
    EXPECT_EQ(copy.stddev_s, row.stddev_s);
    EXPECT_EQ(copy.run + copy.job + copy.source, row.run + row.job + row.source);
    EXPECT_EQ(copy.at_us, row.at_us);
  }
  EXPECT_FALSE(CellsOf(*source).empty());
  EXPECT_EQ(CellsOf(*target), CellsOf(*source));
  EXPECT_EQ(target->ListDrifts("m", 0, 9)->front().evidence.size(), 1u);
  EXPECT_EQ(target->ListAudit({}, 0, 99)->size(), source->ListAudit({}, 0, 99)->size());
  EXPECT_EQ(target->CountObservations({.machine = "", .job = "job"})->dropped_count, 9);
  EXPECT_EQ(target->ReadFileFacts()->summed_count, 40);

  EXPECT_TRUE(Append(*target, BatchOf("m", "job", 1, 500))->duplicate);
  EXPECT_EQ(Append(*target, BatchOf("m", "job", 3, 2))->first_id, 526);
  EXPECT_TRUE(target->CreateMachine(MachineNamed("new"), "", kAda).ok());
  EXPECT_TRUE(target->UndeleteMachine("gone", kAda).ok());
  ProfileRecord next;
  next.machine = "m";
  next.provenance = "edited";
  EXPECT_EQ(target->AddProfile(next, "6f1d2c3a-0b1e-4c5d-8e9f-001122334455")->revision, 1);
  EXPECT_EQ(target->AddProfile(next, "")->revision, 3);
  EXPECT_EQ(target->Forget({Reporter::Kind::kJob, "job"})->removed_count, 507);
}

TEST_F(PostgresCopyTest, RefusesATargetWithContent) {
  Fill(*MustOpen(directory_));
  ASSERT_TRUE(OpenTarget()->CreateMachine(MachineNamed("mine"), "").ok());
  const absl::Status refused = Copy();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(refused.message(), HasSubstr("not empty"));
  EXPECT_EQ(OpenTarget()->ListMachines("", 10)->size(), 1u);
}

TEST_F(PostgresCopyTest, RefusesASourceOfAnotherVersion) {
  Fill(*MustOpen(directory_));
  ASSERT_TRUE(MustConnect(directory_)->Execute("PRAGMA user_version = 3").ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(Copy()));
  const ScratchDirectory empty;
  EXPECT_TRUE(absl::IsNotFound(CopyToPostgres(empty.path(), options_.url, {})));
}

TEST_F(PostgresCopyTest, RefusesRowsThatPostgresCannotHold) {
  Fill(*MustOpen(directory_));
  const std::unique_ptr<Database> db = MustConnect(directory_);
  ASSERT_TRUE(db->Execute("CREATE TABLE later (x INTEGER) STRICT").ok());
  EXPECT_TRUE(Copy().ok()) << "nothing is lost";
  ASSERT_TRUE(db->Execute("INSERT INTO later VALUES (1)").ok());
  options_.url = PostgresServer::Shared().NewDatabase();
  const absl::Status refused = Copy();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(refused.message(), HasSubstr("table later"));
}

}  // namespace
}  // namespace cox::store
