// A copy has all that the source has, and goes on from there.
#include "store/copy/copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "postgres/server.h"
#include "scratch.h"
#include "store/copy/tables.h"
#include "store/postgres/connection/query.h"

namespace cox::store {
namespace {

using ::testing::HasSubstr;

const Actor kCopier = {.principal = "uid:1000", .method = "m"};

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
  absl::Status Copy() { return CopyToPostgres(directory_.path(), options_.url, Tell(), kFewIds); }
  absl::Status CopyBack() { return CopyToSqlite(options_.url, back_.path(), Tell(), kFewIds); }
  CopyProgress Tell() {
    return [this](absl::string_view table, int64_t rows) { told_[std::string(table)] = rows; };
  }
  int64_t Number(const std::string& sql) const {
    postgres::Session session(options_.url, "");
    if (!session.Connect().ok()) return -1;
    return postgres::Query(session, sql).Number().value_or(-1);
  }

  // So that there are some pieces.
  static constexpr int64_t kFewIds = 100;

  ScratchDirectory directory_;
  ScratchDirectory back_;
  StoreOptions options_;
  std::map<std::string, int64_t> told_;
};

domain::PatternSketch SketchOfRanks(int64_t ranks) {
  domain::PatternSketch sketch;
  sketch.key = {.machine = "m", .application = "a", .nodes = 4, .ppn = 8, .ranks = ranks};
  sketch.phase_count = 7;
  sketch.total_bytes = 0.1;
  sketch.distance_counts[39] = 3;
  return sketch;
}

void Fill(Store& store) {
  for (const char* const name : {"m", "n", "gone"}) {
    ASSERT_TRUE(store.CreateMachine(MachineNamed(name), "", kCopier).ok());
  }
  ProfileRecord profile;
  profile.machine = "m";
  profile.provenance = "imported";
  profile.note = "na\xc3\xafve";
  profile.parameters.push_back({"hockney", domain::Level::kNetwork, "alpha", 1.0 / 3, 1e-8, "fit"});
  ASSERT_TRUE(store.AddProfile(profile, "6f1d2c3a-0b1e-4c5d-8e9f-001122334455", kCopier).ok());
  ASSERT_TRUE(store.AddProfile(profile, "").ok());
  ASSERT_TRUE(store.PinProfile("m", 1).ok());
  ASSERT_TRUE(store.SetSwitches("m", "SwitchName=a Nodes=n[1-4]\n", kCopier).ok());
  ObservationBatch batch = BatchOf("m", "job", 1, 500);
  batch.source = "token:file";
  batch.dropped_count = 9;
  batch.observations[7].run = "night";
  batch.observations[8].stddev_s = 0.1;
  batch.sketches.push_back(SketchOfRanks(32));
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

std::map<std::string, Cell> CopiedCells(Store& store) {
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

// What Fill() has made, read from both; then the target is used.
void ExpectSameAndGoOn(Store* source, Store* target) {
  const auto profiles = target->ListProfiles("m", 0, 10);
  ASSERT_EQ(profiles->size(), 2u);
  EXPECT_EQ(profiles->front().note, "na\xc3\xafve");
  EXPECT_EQ(profiles->front().parameters.front().value, 1.0 / 3);
  EXPECT_EQ(target->GetMachine("m")->pinned_revision, 1);
  EXPECT_EQ(*target->GetSwitches("m"), "SwitchName=a Nodes=n[1-4]\n");
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
  EXPECT_FALSE(CopiedCells(*source).empty());
  EXPECT_EQ(CopiedCells(*target), CopiedCells(*source));
  EXPECT_EQ(target->ListDrifts("m", 0, 9)->front().evidence.size(), 1u);
  EXPECT_EQ(target->ListAudit({}, 0, 99)->size(), source->ListAudit({}, 0, 99)->size());
  EXPECT_EQ(target->CountObservations({.machine = "", .job = "job"})->dropped_count, 9);
  EXPECT_EQ(target->ReadFileFacts()->summed_count, 40);

  EXPECT_TRUE(Append(*target, BatchOf("m", "job", 1, 500))->duplicate);
  const auto sketches = target->ListSketches("m", "a");
  ASSERT_EQ(sketches->size(), 1u);
  EXPECT_EQ(sketches->front().sketch, SketchOfRanks(32));
  EXPECT_EQ(sketches->front().job, "job");
  ObservationBatch more = BatchOf("m", "job", 3, 2);
  more.sketches = {SketchOfRanks(32), SketchOfRanks(16)};
  more.source = "token:file";
  EXPECT_EQ(Append(*target, more)->first_id, 526);
  const auto later = target->ListSketches("m", "a");
  ASSERT_EQ(later->size(), 2u);
  EXPECT_EQ(later->front().sketch.phase_count, 14);
  EXPECT_TRUE(target->CreateMachine(MachineNamed("new"), "", kCopier).ok());
  EXPECT_TRUE(target->UndeleteMachine("gone", kCopier).ok());
  ProfileRecord next;
  next.machine = "m";
  next.provenance = "edited";
  EXPECT_EQ(target->AddProfile(next, "6f1d2c3a-0b1e-4c5d-8e9f-001122334455")->revision, 1);
  EXPECT_EQ(target->AddProfile(next, "")->revision, 3);
  EXPECT_EQ(target->Forget({Reporter::Kind::kJob, "job"})->removed_count, 507);
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
  ExpectSameAndGoOn(source.get(), OpenTarget().get());
}

TEST_F(PostgresCopyTest, ComesBackAsItWas) {
  const std::unique_ptr<Store> source = MustOpen(directory_);
  Fill(*source);
  ASSERT_FALSE(HasFatalFailure());
  ASSERT_TRUE(Copy().ok());
  // The source stays open here, too.
  const std::unique_ptr<Store> daemon = OpenTarget();
  const absl::Status copied = CopyBack();
  ASSERT_TRUE(copied.ok()) << copied;
  EXPECT_EQ(told_["observation"], 485);
  EXPECT_EQ(Ask(*MustConnect(back_), "SELECT cells_are_stale FROM next_id"), "0")
      << "the first start would read all observations before it listens";
  ExpectSameAndGoOn(source.get(), MustOpen(back_).get());
  const absl::Status refused = CopyBack();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(refused.message(), HasSubstr("not empty"));
}

// SIGKILL when two pieces are committed.
[[noreturn]] void CopyAndDie(const std::function<absl::Status(const CopyProgress&)>& copy) {
  int pieces = 0;
  copy([&pieces](absl::string_view table, int64_t /*rows*/) {
    if (table == "observation" && ++pieces == 2) raise(SIGKILL);
  }).IgnoreError();
  std::_Exit(0);
}

TEST_F(PostgresCopyTest, GoesOnAfterAnInterruption) {
  Fill(*MustOpen(directory_));
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_EXIT(CopyAndDie([this](const CopyProgress& progress) {
                return CopyToPostgres(directory_.path(), options_.url, progress, kFewIds);
              }),
              ::testing::KilledBySignal(SIGKILL), "");
  // Nobody takes a part for the whole.
  const auto opened = OpenStore(options_);
  EXPECT_TRUE(absl::IsFailedPrecondition(opened.status())) << opened.status();
  EXPECT_THAT(opened.status().message(), HasSubstr("--copy-from"));
  // What is there stays: the transaction that wrote it is the same. What differs goes.
  const int64_t writer =
      Number("SELECT xmin::text::bigint FROM coxswain_copy.observation WHERE observation_id = 60");
  ASSERT_GT(writer, 0);
  EXPECT_EQ(Number("WITH changed AS (UPDATE coxswain_copy.observation SET time_s = 9"
                   " WHERE observation_id = 150 RETURNING 1) SELECT count(*) FROM changed"),
            1);
  // And the source goes on.
  ASSERT_TRUE(Append(*MustOpen(directory_), BatchOf("m", "job", 3, 40)).ok());
  const absl::Status copied = Copy();
  ASSERT_TRUE(copied.ok()) << copied;
  EXPECT_EQ(Number("SELECT xmin::text::bigint FROM coxswain.observation WHERE observation_id = 60"),
            writer);
  EXPECT_EQ(told_["observation"], 525);
  EXPECT_EQ(OpenTarget()->CountObservations({})->observation_count,
            MustOpen(directory_)->CountObservations({})->observation_count);
}

TEST_F(PostgresCopyTest, GoesOnAfterAnInterruptionOnTheWayBack) {
  Fill(*MustOpen(directory_));
  ASSERT_FALSE(HasFatalFailure());
  ASSERT_TRUE(Copy().ok());
  EXPECT_EXIT(CopyAndDie([this](const CopyProgress& progress) {
                return CopyToSqlite(options_.url, back_.path(), progress, kFewIds);
              }),
              ::testing::KilledBySignal(SIGKILL), "");
  const auto opened = OpenStore({.directory = back_.path()});
  EXPECT_TRUE(absl::IsFailedPrecondition(opened.status())) << opened.status();
  EXPECT_THAT(opened.status().message(), HasSubstr("--copy-from"));
  const absl::Status copied = CopyBack();
  ASSERT_TRUE(copied.ok()) << copied;
  ExpectSameAndGoOn(MustOpen(directory_).get(), MustOpen(back_).get());
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
  EXPECT_TRUE(absl::IsNotFound(CopyToSqlite(options_.url, empty.path(), {})));
}

// Such as the rest of a damaged database: no target rebuilds them.
TEST_F(PostgresCopyTest, RefusesASourceWhoseCellsAreStale) {
  Fill(*MustOpen(directory_));
  ASSERT_TRUE(MustConnect(directory_)->Execute("UPDATE next_id SET cells_are_stale = 1").ok());
  const absl::Status refused = Copy();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(refused.message(), HasSubstr("coxd on it once"));
  MustOpen(directory_);
  EXPECT_TRUE(Copy().ok());
}

TEST_F(PostgresCopyTest, RefusesATargetThatACoxdUses) {
  Fill(*MustOpen(directory_));
  const std::unique_ptr<Store> daemon = OpenTarget();
  const absl::Status refused = Copy();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(refused.message(), HasSubstr("a coxd uses the target"));
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
