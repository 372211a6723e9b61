// The store on PostgreSQL after a failover that lost the last transactions, as one with
// asynchronous replication can. The tests take the lost rows out of the database, and end all its
// sessions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "postgres/server.h"
#include "scratch.h"
#include "store/postgres/connection/query.h"
#include "store/postgres/schema.h"

namespace cox::store {
namespace {

// More groups than wait before their sums are added to the cells.
constexpr int kManyGroups = 40;

class PostgresFailoverTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!PostgresServer::WhyMissing().empty()) GTEST_SKIP() << PostgresServer::WhyMissing();
    options_.url = PostgresServer::Shared().NewDatabase();
    store_ = Open();
    session_ = std::make_unique<postgres::Session>(options_.url, postgres::kSetUp);
    ASSERT_TRUE(session_->Connect().ok());
    ASSERT_TRUE(store_->CreateMachine(MachineNamed("m"), "").ok());
  }
  void TearDown() override {
    store_.reset();
    session_.reset();
    if (!options_.url.empty()) PostgresServer::Shared().DropDatabase(options_.url);
  }
  std::unique_ptr<Store> Open() {
    auto store = OpenStore(options_);
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }
  void Execute(const std::string& sql) {
    const absl::Status done = session_->Execute(sql);
    ASSERT_TRUE(done.ok()) << done;
  }
  int64_t Ask(const std::string& sql) {
    return postgres::Query(*session_, sql).Number().value_or(-1);
  }
  // `lost` undoes the transactions that the new server has never had.
  void FailOver(const std::string& lost) {
    Execute(absl::StrCat("BEGIN;", lost,
                         ";COMMIT;SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                         " WHERE datname = current_database() AND pid <> pg_backend_pid()"));
  }
  int64_t InCells() {
    int64_t count = 0;
    const absl::StatusOr<std::vector<CellRecord>> cells = store_->ListCells("m");
    EXPECT_TRUE(cells.ok()) << cells.status();
    for (const CellRecord& cell : *cells) count += cell.cell.observation_count;
    return count;
  }
  void ReportManyGroups(int64_t first_sequence) {
    for (int i = 0; i < kManyGroups; ++i) {
      const absl::Status reported =
          Append(*store_, BatchOf("m", "job", first_sequence + i, 1)).status();
      ASSERT_TRUE(reported.ok()) << reported;
    }
  }

  StoreOptions options_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<postgres::Session> session_;
};

// The new server has neither the scenario nor the job nor the source of the last batch.
constexpr const char* kLoseOfLastBatch =
    "DELETE FROM cell_change WHERE 2 = ANY (scenario_ids);"
    "DELETE FROM observation WHERE scenario_id = 2;"
    "DELETE FROM batch WHERE source_id IS NOT NULL;"
    "DELETE FROM report_count WHERE source_id > 0;"
    "DELETE FROM scenario WHERE scenario_id = 2;"
    "DELETE FROM source;"
    "UPDATE next_id SET observation_id = 4";

TEST_F(PostgresFailoverTest, RowsHaveIdsThatTheNewServerKnows) {
  ASSERT_TRUE(Append(*store_, BatchOf("m", "job", 1, 3)).ok());
  ObservationBatch lost = BatchOf("m", "job", 2, 3, 2048);
  lost.source = "somebody";
  ASSERT_TRUE(Append(*store_, lost).ok());
  FailOver(kLoseOfLastBatch);

  lost.sequence = 3;
  ASSERT_TRUE(Append(*store_, lost).ok());
  EXPECT_EQ(Ask("SELECT count(*) FROM observation o JOIN scenario s USING (scenario_id)"), 6);
  EXPECT_EQ(Ask("SELECT count(*) FROM batch b JOIN source s USING (source_id)"), 1);
  EXPECT_EQ(store_->ListObservations({}, 0, 100)->size(), 6U);
  EXPECT_EQ(store_->CountObservations({.machine = "", .job = "", .source = "somebody"})
                ->observation_count,
            3);
  EXPECT_EQ(InCells(), 6);
  ReportManyGroups(4);
  EXPECT_EQ(InCells(), 6 + kManyGroups);
  const auto forgotten = store_->Forget({Reporter::Kind::kSource, "somebody"}, {});
  ASSERT_TRUE(forgotten.ok()) << forgotten.status();
  EXPECT_EQ(forgotten->removed_count, 3);
  EXPECT_EQ(InCells(), 3 + kManyGroups);
}

TEST_F(PostgresFailoverTest, AMachineThatIsLostIsUnknown) {
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("lost"), "").ok());
  ASSERT_TRUE(Append(*store_, BatchOf("m", "job", 1, 3)).ok());
  ASSERT_TRUE(Append(*store_, BatchOf("lost", "job", 2, 3)).ok());
  FailOver(
      "DELETE FROM cell_change WHERE 2 = ANY (scenario_ids);"
      "DELETE FROM observation WHERE scenario_id = 2;"
      "DELETE FROM batch WHERE sequence = 2;"
      "DELETE FROM report_count WHERE machine_id = 2;"
      "DELETE FROM scenario WHERE machine_id = 2;"
      "DELETE FROM machine WHERE machine_id = 2");
  EXPECT_TRUE(absl::IsNotFound(Append(*store_, BatchOf("lost", "job", 3, 3)).status()));
  EXPECT_EQ(Ask("SELECT count(*) FROM observation"), 3);
}

// A coxd of before wrote sums of scenarios that do not exist.
TEST_F(PostgresFailoverTest, SumsOfAMissingScenarioAreDropped) {
  ASSERT_TRUE(Append(*store_, BatchOf("m", "job", 1, 3)).ok());
  ASSERT_TRUE(Append(*store_, BatchOf("m", "job", 2, 2)).ok());
  Execute("UPDATE cell_change SET scenario_ids = '{1000}' WHERE observation_counts = '{2}'");
  ReportManyGroups(3);
  EXPECT_EQ(InCells(), 3 + kManyGroups);
  EXPECT_LT(Ask("SELECT count(*) FROM cell_change"), kManyGroups);
  EXPECT_TRUE(store_->Forget({Reporter::Kind::kJob, "job"}, {}).ok());
}

TEST_F(PostgresFailoverTest, ALeaseOfTheOldServerIsTakenAgain) {
  ASSERT_TRUE(*store_->MayLearn("m", false));
  const int64_t fence = Ask("SELECT fence FROM learner");
  // The new server has the same lease, but this daemon may have learned from lost rows.
  FailOver("UPDATE learner SET fence = fence");
  ASSERT_TRUE(Append(*store_, BatchOf("m", "job", 1, 3)).ok());
  ProfileRecord refined;
  refined.machine = "m";
  refined.provenance = "refined";
  refined.refined_revision = 0;
  const auto unasked = [&] {
    // A statement of the writer notices the new connection, if the report has not.
    return store_->AddProfile(refined, "").status();
  };
  EXPECT_TRUE(absl::IsAborted(unasked()));
  EXPECT_TRUE(*store_->MayLearn("m", false));
  EXPECT_EQ(Ask("SELECT fence FROM learner"), fence + 1);
  EXPECT_TRUE(store_->AddProfile(refined, "").ok());
}

// The numbers of changes begin again where the new server has them.
TEST_F(PostgresFailoverTest, ChangesAreHeardWhoseNumbersWereSeenBefore) {
  std::mutex mutex;
  std::set<std::string> heard;
  const auto has_heard = [&](const std::string& machine) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < deadline) {
      {
        const std::lock_guard lock(mutex);
        if (heard.erase(machine) > 0) return true;
      }
      std::this_thread::yield();
    }
    return false;
  };
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("n"), "").ok());
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("o"), "").ok());
  store_->WhenChanged([&](const std::vector<std::string>& machines) {
    const std::lock_guard lock(mutex);
    heard.insert(machines.begin(), machines.end());
  });
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(store_->PinProfile("m", 0).ok());
  ASSERT_TRUE(store_->PinProfile("o", 0).ok());
  ASSERT_TRUE(has_heard("m"));
  ASSERT_TRUE(Append(*store_, BatchOf("n", "job", 1, 1)).ok());
  ASSERT_TRUE(has_heard("n"));
  // After the last change that it hears of.
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("last"), "").ok());
  ASSERT_TRUE(has_heard("last"));
  {
    const std::lock_guard lock(mutex);
    heard.clear();
  }
  FailOver(
      "DELETE FROM machine WHERE name = 'o';"
      "UPDATE next_id SET change_id = 4; UPDATE machine SET change_id = machine_id");
  // What was changed last is lost, and must be read again.
  EXPECT_TRUE(has_heard("m"));
  EXPECT_TRUE(has_heard("n"));
  EXPECT_TRUE(has_heard("o")) << "it does not exist any more";
  ASSERT_TRUE(Append(*store_, BatchOf("n", "job", 2, 1)).ok());
  EXPECT_TRUE(has_heard("n"));
  store_->WhenChanged({});
}

}  // namespace
}  // namespace cox::store
