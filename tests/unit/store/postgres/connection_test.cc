// The store on PostgreSQL while its server goes and comes, and the tables beside the store.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "postgres/server.h"
#include "scratch.h"
#include "store/limits.h"
#include "store/postgres/connection/query.h"
#include "store/postgres/migrations.h"
#include "store/postgres/partitions.h"
#include "store/postgres/postgres_store.h"
#include "store/postgres/rows/request_rows.h"
#include "store/postgres/schema.h"

namespace cox::store {
namespace {

using ::testing::HasSubstr;

class PostgresTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!PostgresServer::WhyMissing().empty()) GTEST_SKIP() << PostgresServer::WhyMissing();
    options_.url = PostgresServer::Shared().NewDatabase();
  }
  void TearDown() override {
    if (!options_.url.empty()) PostgresServer::Shared().DropDatabase(options_.url);
  }
  std::unique_ptr<Store> Open() {
    auto store = OpenStore(options_);
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }
  std::unique_ptr<postgres::Session> Connect() {
    auto session = std::make_unique<postgres::Session>(options_.url, postgres::kSetUp);
    EXPECT_TRUE(session->Connect().ok());
    return session;
  }

  StoreOptions options_;
};

// Appends until each batch is acknowledged, as agents do. Returns how many were.
int64_t AppendUntil(Store& store, const std::string& job, const std::atomic<bool>& ends) {
  int64_t sequence = 0;
  while (!ends) {
    if (Append(store, BatchOf("m", job, sequence + 1, 3)).ok()) ++sequence;
  }
  return sequence;
}

TEST_F(PostgresTest, AcknowledgedRowsAreThereOnceHoweverOftenTheServerIsKilled) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  constexpr int kJobs = 3;
  std::atomic<bool> ends = false;
  std::vector<int64_t> acknowledged(kJobs);
  std::vector<std::thread> reporters;
  for (int job = 0; job < kJobs; ++job) {
    reporters.emplace_back(
        [&, job] { acknowledged[job] = AppendUntil(*store, absl::StrCat("job", job), ends); });
  }
  for (int round = 0; round < 3; ++round) {
    // Each server takes some writes before it is killed.
    const int64_t before =
        store->CountObservations({}).value_or(ObservationCount{}).observation_count;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (store->CountObservations({}).value_or(ObservationCount{}).observation_count <
               before + 100 &&
           std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
    PostgresServer::Shared().Kill();
    PostgresServer::Shared().Start();
  }
  ends = true;
  for (std::thread& reporter : reporters) reporter.join();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!store->Check().ok() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  for (int job = 0; job < kJobs; ++job) {
    const std::string name = absl::StrCat("job", job);
    EXPECT_GT(acknowledged[job], 0);
    const auto count = store->CountObservations({.machine = "m", .job = name});
    ASSERT_TRUE(count.ok()) << count.status();
    const auto rows = store->ListObservations({.machine = "m", .job = name}, 0, 1'000'000);
    ASSERT_TRUE(rows.ok()) << rows.status();
    // The last batch may be there without having been acknowledged: its resend was cut off.
    const int64_t last = acknowledged[job] + 1;
    const bool has_last =
        Append(*store, BatchOf("m", name, last, 3)).value_or(AppendResult{}).duplicate;
    EXPECT_EQ(count->observation_count, 3 * (acknowledged[job] + (has_last ? 1 : 0)));
    EXPECT_EQ(static_cast<int64_t>(rows->size()), count->observation_count);
  }
}

TEST_F(PostgresTest, SaysThatTheServerIsAwayAndComesBackByItself) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  ASSERT_TRUE(Append(*store, BatchOf("m", "a", 1, 3)).ok());
  EXPECT_TRUE(store->Check().ok());
  PostgresServer::Shared().Stop();
  const absl::Status away = store->Check();
  EXPECT_TRUE(absl::IsUnavailable(away)) << away;
  EXPECT_THAT(away.message(), HasSubstr("cannot reach the database"));
  EXPECT_TRUE(absl::IsUnavailable(store->GetMachine("m").status()));
  const absl::Status refused = Append(*store, BatchOf("m", "a", 2, 3)).status();
  EXPECT_TRUE(absl::IsUnavailable(refused)) << refused;
  EXPECT_TRUE(absl::IsUnavailable(store->CreateMachine(MachineNamed("n"), "")));
  PostgresServer::Shared().Start();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!Append(*store, BatchOf("m", "a", 2, 3)).ok() &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_EQ(store->CountObservations({})->observation_count, 6);
  EXPECT_TRUE(store->Check().ok()) << store->Check();
}

TEST_F(PostgresTest, ABriefAbsenceIsNotNoticed) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  PostgresServer::Shared().Stop();
  PostgresServer::Shared().Start();
  // The connections of before are gone.
  EXPECT_TRUE(Append(*store, BatchOf("m", "a", 1, 3)).ok());
  EXPECT_EQ(store->CountObservations({})->observation_count, 3);
}

// Nobody waits for a server that hangs, and who ends does so.
TEST_F(PostgresTest, AServerThatHangsIsAway) {
  std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  ASSERT_TRUE(Append(*store, BatchOf("m", "a", 1, 3)).ok());
  ASSERT_TRUE(store->GetMachine("m").ok());
  PostgresServer::Shared().Pause();
  std::future<void> calls = std::async(std::launch::async, [&store] {
    auto append = AppendLater(*store, BatchOf("m", "a", 2, 3));
    const absl::Status read = store->GetMachine("m").status();
    EXPECT_TRUE(absl::IsUnavailable(read)) << read;
    const absl::Status write = append.get().status();
    EXPECT_TRUE(absl::IsUnavailable(write)) << write;
    store.reset();
  });
  const bool is_done = calls.wait_for(std::chrono::seconds(60)) == std::future_status::ready;
  PostgresServer::Shared().Resume();
  EXPECT_TRUE(is_done);
  calls.get();
  store = Open();
  EXPECT_TRUE(Append(*store, BatchOf("m", "a", 2, 3)).ok());
  EXPECT_EQ(store->CountObservations({})->observation_count, 6);
}

TEST_F(PostgresTest, WhoIsEndingDoesNotAskWhetherASilentServerAnswers) {
  const auto patient = Connect();
  const auto ending = Connect();
  ending->LosePatience();
  EXPECT_TRUE(ending->Execute("SELECT 1").ok());
  PostgresServer::Shared().Pause();
  const auto ask = [](postgres::Session& session) {
    return std::async(std::launch::async,
                      [&session] { return session.Execute("SELECT pg_sleep(0)"); });
  };
  std::future<absl::Status> answer_to_patient = ask(*patient);
  EXPECT_TRUE(absl::IsUnavailable(ask(*ending).get()));
  EXPECT_TRUE(absl::IsUnavailable(ending->Connect()));
  // The other one has not even been told that the server hangs.
  EXPECT_EQ(answer_to_patient.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  PostgresServer::Shared().Resume();
  answer_to_patient.wait();
}

// As a daemon that is stopped amid a COPY: the server waits for it without end.
TEST_F(PostgresTest, WhoIsStoppedAmidAWriteHoldsNobodyUp) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  const auto stopped = Connect();
  ASSERT_TRUE(stopped->Execute("BEGIN; SELECT 1 FROM next_id FOR UPDATE").ok());
  ASSERT_TRUE(stopped->Execute("COPY job (name) FROM STDIN").ok());
  std::future<absl::StatusOr<AppendResult>> append = AppendLater(*store, BatchOf("m", "a", 1, 3));
  const bool is_done = append.wait_for(std::chrono::seconds(60)) == std::future_status::ready;
  EXPECT_TRUE(is_done);
  if (!is_done) PostgresServer::Shared().DropDatabase(options_.url);
  EXPECT_TRUE(append.get().ok());
}

// Who is at work is waited for.
TEST_F(PostgresTest, ALongWriteOfAnotherIsWaitedFor) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  const auto other = Connect();
  ASSERT_TRUE(other->Execute("BEGIN; SELECT 1 FROM next_id FOR UPDATE").ok());
  std::future<absl::Status> work = std::async(std::launch::async, [&other] {
    // Longer than the lock is waited for at once.
    absl::Status status = other->Execute("SELECT pg_sleep(4)");
    return status.ok() ? other->Execute("COMMIT") : status;
  });
  EXPECT_TRUE(Append(*store, BatchOf("m", "a", 1, 3)).ok());
  EXPECT_TRUE(work.get().ok());
}

TEST_F(PostgresTest, AWriteThatCannotLockDoesNotStopTheNextOne) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  const auto session = Connect();
  ASSERT_TRUE(session->Execute("ALTER TABLE next_id RENAME TO hidden").ok());
  EXPECT_FALSE(Append(*store, BatchOf("m", "a", 1, 3)).ok());
  ASSERT_TRUE(session->Execute("ALTER TABLE hidden RENAME TO next_id").ok());
  const absl::Status next = Append(*store, BatchOf("m", "a", 1, 3)).status();
  EXPECT_TRUE(next.ok()) << next;
}

// Sums up all rows of machine m through this id.
void SumUp(Store& store, int64_t through_id) {
  constexpr int64_t kAnyTime_us = int64_t{1} << 60;
  bool has_more = true;
  while (has_more) {
    const auto step = store.SumUpOld("m", {.before_us = kAnyTime_us, .through_id = through_id});
    ASSERT_TRUE(step.ok()) << step.status();
    has_more = step->has_more;
  }
}

TEST_F(PostgresTest, PartitionsWithoutRowsAreDropped) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  ASSERT_TRUE(Append(*store, BatchOf("m", "a", 1, 300)).ok());
  const auto session = Connect();
  postgres::Query next_id(*session, "UPDATE next_id SET observation_id = $1");
  ASSERT_TRUE(next_id.Bind(postgres::kPartitionRows - 1).Run().ok());
  // Across the border of two partitions.
  ASSERT_TRUE(Append(*store, BatchOf("m", "a", 2, 50)).ok());
  const auto partition_count = [&session] {
    return postgres::Query(*session,
                           "SELECT count(*) FROM pg_inherits WHERE inhparent ="
                           " 'observation'::regclass")
        .Number()
        .value_or(0);
  };
  EXPECT_EQ(partition_count(), 2);
  SumUp(*store, 300);
  EXPECT_EQ(*store->Compact({}), 0) << "two rows are in the first";
  SumUp(*store, postgres::kPartitionRows);
  // Readers go on, and nobody waits for them.
  ASSERT_TRUE(session->Execute("BEGIN; SELECT count(*) FROM observation").ok());
  EXPECT_EQ(*store->Compact({}), 0);
  EXPECT_TRUE(Append(*store, BatchOf("m", "b", 1, 5)).ok());
  ASSERT_TRUE(session->Execute("COMMIT").ok());
  EXPECT_GT(*store->Compact({}), 0);
  EXPECT_EQ(*store->Compact({}), 0) << "the last one gets the next rows";
  EXPECT_EQ(partition_count(), 1);
  EXPECT_EQ(store->ListObservations({}, 0, 1'000)->size(), 53U);
  EXPECT_EQ(store->CountObservations({})->observation_count, 355);
  ASSERT_TRUE(Append(*store, BatchOf("m", "b", 2, 5)).ok());
  EXPECT_EQ(store->Forget({Reporter::Kind::kJob, "a"})->removed_count, 350);
  EXPECT_EQ(store->CountObservations({.machine = "m", .job = {}})->observation_count, 10);
}

// As after a failover to a server that is not the primary yet.
TEST_F(PostgresTest, SaysThatTheServerIsReadOnlyAsLongAsItIs) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  const auto session = Connect();
  // For connections that are made afterwards; ends the others.
  const auto make_read_only = [&](const char* value) {
    absl::Status made =
        session->Execute(absl::StrCat("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET"
                                      " default_transaction_read_only = ",
                                      value, "', current_database()); END $$"));
    made.Update(
        session->Execute("SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity"
                         " WHERE datname = current_database() AND pid <> pg_backend_pid()"));
    return made;
  };
  ASSERT_TRUE(make_read_only("on").ok());
  const absl::Status refused = Append(*store, BatchOf("m", "a", 1, 3)).status();
  EXPECT_TRUE(absl::IsUnavailable(refused)) << refused;
  for (int i = 0; i < 3; ++i) {
    const absl::Status away = store->Check();
    EXPECT_TRUE(absl::IsUnavailable(away)) << away;
  }
  ASSERT_TRUE(make_read_only("off").ok());
  EXPECT_TRUE(Append(*store, BatchOf("m", "a", 1, 3)).ok());
  EXPECT_TRUE(store->Check().ok());
}

TEST_F(PostgresTest, SeveralStoresWriteOneSequence) {
  constexpr int kStores = 3;
  constexpr int kBatches = 40;
  std::vector<std::unique_ptr<Store>> stores;
  for (int i = 0; i < kStores; ++i) stores.push_back(Open());
  ASSERT_TRUE(stores[0]->CreateMachine(MachineNamed("m"), "").ok());
  std::vector<std::thread> writers;
  for (int i = 0; i < kStores; ++i) {
    writers.emplace_back([&, i] {
      for (int batch = 0; batch < kBatches; ++batch) {
        // Everybody sends the same batches, all of one scenario.
        EXPECT_TRUE(Append(*stores[i], BatchOf("m", "job", batch, 5)).ok());
        ProfileRecord profile;
        profile.machine = "m";
        profile.provenance = "edited";
        EXPECT_TRUE(stores[i]->AddProfile(profile, "").ok());
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(stores[1]->CountObservations({})->observation_count, kBatches * 5);
  EXPECT_EQ(stores[2]->ListCells("m")->front().cell.observation_count, kBatches * 5);
  EXPECT_EQ(*stores[0]->LastObservationId(), kBatches * 5);
  EXPECT_EQ(stores[0]->GetProfile("m", 0)->revision, kStores * kBatches);
  // What one forgets, the others do not remember.
  ASSERT_TRUE(stores[0]->Forget({Reporter::Kind::kJob, "job"}).ok());
  EXPECT_FALSE(Append(*stores[1], BatchOf("m", "job", 1, 5))->duplicate);
  ASSERT_TRUE(stores[1]->DeleteMachine("m").ok());
  EXPECT_TRUE(absl::IsNotFound(Append(*stores[2], BatchOf("m", "job", 2, 5)).status()));
}

TEST_F(PostgresTest, RefusesANewerSchema) {
  Open();
  ASSERT_TRUE(Connect()->Execute("UPDATE schema_version SET version = 999").ok());
  const absl::Status refused = OpenStore(options_).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(refused.message(), HasSubstr("schema version 999"));
}

TEST_F(PostgresTest, AMigrationThatFailsLeavesTheTablesAsTheyWere) {
  Open();
  const auto session = Connect();
  std::vector<Migration> migrations(postgres::Migrations().begin(), postgres::Migrations().end());
  const int version = migrations.back().version;
  migrations.push_back({version + 1, "next.sql", "CREATE TABLE half (x bigint); SELECT wrong"});
  const absl::Status failed = postgres::Migrate(*session, migrations);
  EXPECT_THAT(failed.message(), HasSubstr("next.sql"));
  EXPECT_EQ(*postgres::SchemaVersion(*session), version);
  EXPECT_FALSE(session->Execute("SELECT 1 FROM half").ok());
  migrations.back().sql = "CREATE TABLE whole (x bigint)";
  EXPECT_TRUE(postgres::Migrate(*session, migrations).ok());
  EXPECT_EQ(*postgres::SchemaVersion(*session), version + 1);
}

// Else a step of retention reads the sums of all jobs of a day for each of them.
TEST_F(PostgresTest, TheIndexOfSumsHasTheirJobs) {
  Open();
  const auto session = Connect();
  EXPECT_EQ(*postgres::Query(*session,
                             "SELECT count(*) FROM pg_indexes WHERE schemaname = 'coxswain'"
                             " AND indexname = 'old_sum_by_scenario'"
                             " AND indexdef LIKE '%(scenario_id, day, job_id)'")
                 .Number(),
            1);
}

TEST_F(PostgresTest, AMigrationWaitsForWhomItMayNotDisturb) {
  Open();
  const auto reader = Connect();
  ASSERT_TRUE(reader->Execute("BEGIN; SELECT 1 FROM batch").ok());
  std::vector<Migration> migrations(postgres::Migrations().begin(), postgres::Migrations().end());
  const int version = migrations.back().version;
  migrations.push_back({version + 1, "next.sql",
                        "ALTER TABLE machine ADD COLUMN x bigint;"
                        "ALTER TABLE batch ADD COLUMN x bigint"});
  const auto migrating = Connect();
  absl::Status migrated;
  std::thread migration([&] { migrated = postgres::Migrate(*migrating, migrations); });
  const auto watch = Connect();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  const auto waits = [&] {
    return *postgres::Query(*watch,
                            "SELECT count(*) FROM pg_locks"
                            " WHERE relation = 'batch'::regclass AND NOT granted")
                .Number() > 0;
  };
  while (!waits() && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  // Now each has what the other wants.
  const absl::Status read = reader->Execute("SELECT 1 FROM machine");
  EXPECT_TRUE(read.ok()) << read;
  EXPECT_TRUE(reader->Commit().ok());
  migration.join();
  EXPECT_TRUE(migrated.ok()) << migrated;
  EXPECT_EQ(*postgres::SchemaVersion(*watch), version + 1);
}

// As one whose daemon is stopped: the others wait for its locks.
TEST_F(PostgresTest, AMigrationThatGoesNoFurtherIsEnded) {
  Open();
  const auto session = Connect();
  std::vector<Migration> migrations(postgres::Migrations().begin(), postgres::Migrations().end());
  migrations.push_back(
      {migrations.back().version + 1, "next.sql",
       "CREATE TABLE seen AS SELECT current_setting('idle_in_transaction_session_timeout') x"});
  ASSERT_TRUE(postgres::Migrate(*session, migrations).ok());
  EXPECT_EQ(*postgres::Query(*session, "SELECT extract(epoch FROM x::interval)::bigint FROM seen")
                 .Number(),
            5);
}

// What an administrator takes away he can give back: nobody may discard rows because of it.
TEST_F(PostgresTest, AMissingRightIsNotFinal) {
  Open();
  const auto session = Connect();
  ASSERT_TRUE(session->Execute("CREATE ROLE without_rights").ok());
  ASSERT_TRUE(session->Execute("SET ROLE without_rights").ok());
  const absl::Status refused = session->Execute("SELECT 1 FROM coxswain.batch");
  EXPECT_TRUE(absl::IsUnavailable(refused)) << refused;
  EXPECT_TRUE(session->Execute("RESET ROLE").ok());
  EXPECT_TRUE(session->Execute("DROP ROLE without_rights").ok());
}

TEST_F(PostgresTest, NobodyChangesOrRemovesAnAuditRecord) {
  ASSERT_TRUE(Open()->AddAudit({.actor = {"uid:1000", "m"}, .change = "c"}).ok());
  const auto session = Connect();
  for (const char* const sql :
       {"UPDATE audit SET principal = 'uid:0'", "DELETE FROM audit", "TRUNCATE audit"}) {
    EXPECT_THAT(session->Execute(sql).message(), HasSubstr("rows of audit are never")) << sql;
  }
  EXPECT_EQ(*postgres::Query(*session, "SELECT count(*) FROM audit").Number(), 1);
}

TEST_F(PostgresTest, TheLogOfRequestsIsBounded) {
  Open();
  const auto session = Connect();
  ASSERT_TRUE(session
                  ->Execute("INSERT INTO request (request_id, method, subject, outcome,"
                            " create_time_us) SELECT 'old-' || i, 'AddProfile', 'm', i, 1"
                            " FROM generate_series(1, 10100) i")
                  .ok());
  ASSERT_TRUE(postgres::RecordOutcome(*session, {"new", "AddProfile", "m"}, 7, 1).ok());
  EXPECT_EQ(*postgres::Query(*session, "SELECT count(*) FROM request").Number(), kRequestsKept);
  EXPECT_EQ(**postgres::FindOutcome(*session, {"new", "AddProfile", "m"}, 2), 7);
}

TEST_F(PostgresTest, RefusesTextThatItCannotStore) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  const std::string wrong[] = {std::string("a\0b", 3), "\xff",     "\xc0\x80",
                               "\xed\xa0\x80",         "\xe2\x82", "\xf4\x90\x80\x80"};
  for (const std::string& text : wrong) {
    ObservationBatch batch = BatchOf("m", "job", 1, 2);
    batch.observations[1].scenario.algorithm = text;
    const absl::Status refused = Append(*store, batch).status();
    EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
    EXPECT_THAT(refused.message(), HasSubstr("observations[1].algorithm"));
    EXPECT_TRUE(absl::IsInvalidArgument(Append(*store, BatchOf("m", text, 1, 2)).status()));
  }
  EXPECT_TRUE(Append(*store, BatchOf("m", "j\xc3\xb6\xe2\x82\xac\xf0\x9f\x9a\xa3", 1, 2)).ok());
}

// Reports change a cell once for many groups, and nobody sees it.
TEST_F(PostgresTest, CellsAreWholeWhileTheirChangesWait) {
  constexpr int kRows = 3;
  constexpr int kBatches = 40;
  std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  const auto session = Connect();
  const auto waiting = [&session] {
    return *postgres::Query(*session, "SELECT count(*) FROM cell_change").Number();
  };
  const auto in_cells = [&store] {
    const absl::StatusOr<std::vector<CellRecord>> cells = store->ListCells("m");
    int64_t in_cells = 0;
    int64_t in_bins = 0;
    for (const CellRecord& cell : *cells) {
      in_cells += cell.cell.observation_count;
      for (const CellBin& bin : cell.cell.bins) in_bins += bin.count;
    }
    EXPECT_EQ(in_cells, in_bins);
    return in_cells;
  };
  int64_t most_waiting = 0;
  for (int i = 1; i <= kBatches; ++i) {
    ASSERT_TRUE(Append(*store, BatchOf("m", "job", i, kRows)).ok());
    most_waiting = std::max(most_waiting, waiting());
    ASSERT_EQ(in_cells(), i * kRows);
    ASSERT_EQ(store->CountObservations({})->observation_count, i * kRows);
  }
  EXPECT_GT(most_waiting, 1);
  EXPECT_LT(most_waiting, kBatches);
  EXPECT_GT(waiting(), 0);
  // The next daemon adds what this one has left.
  store.reset();
  store = Open();
  ASSERT_TRUE(Append(*store, BatchOf("m", "other", 1, kRows)).ok());
  EXPECT_EQ(waiting(), 0);
  EXPECT_EQ(in_cells(), (kBatches + 1) * kRows);
  // What is forgotten may wait, too.
  ASSERT_TRUE(Append(*store, BatchOf("m", "other", 2, kRows)).ok());
  EXPECT_EQ(waiting(), 1);
  ASSERT_TRUE(store->Forget({Reporter::Kind::kJob, "other"}, {}).ok());
  EXPECT_EQ(waiting(), 0);
  EXPECT_EQ(in_cells(), kBatches * kRows);
}

TEST_F(PostgresTest, AResendAmongNewBatchesOfAGroupCountsOnce) {
  options_.commit_delay_us = 200'000;
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  ASSERT_TRUE(Append(*store, BatchOf("m", "job", 1, 3)).ok());
  std::vector<std::future<absl::StatusOr<AppendResult>>> group;
  for (const int64_t sequence : {1, 2, 2, 3}) {
    group.push_back(AppendLater(*store, BatchOf("m", "job", sequence, 3)));
  }
  std::vector<bool> duplicates;
  for (auto& append : group) duplicates.push_back(append.get()->duplicate);
  EXPECT_THAT(duplicates, ::testing::ElementsAre(true, false, true, false));
  EXPECT_EQ(store->CountObservations({})->observation_count, 9);
  const auto last = Append(*store, BatchOf("m", "job", 4, 3));
  EXPECT_EQ(*store->LastObservationId(), last->last_id);
  EXPECT_EQ(store->ListObservations({}, 0, 100)->size(), 12u);
}

TEST_F(PostgresTest, SaysWhatToDoInstead) {
  const std::unique_ptr<Store> store = Open();
  EXPECT_THAT(store->Backup("/tmp/x", {}).message(), HasSubstr("pg_dump"));
  EXPECT_THAT(store->CheckContent({}).message(), HasSubstr("pg_amcheck"));
  const auto facts = store->ReadFileFacts();
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_EQ(facts->schema_version, postgres::Migrations().back().version);
  EXPECT_GT(facts->page_count, 10);
}

TEST_F(PostgresTest, MessagesHaveNoPassword) {
  options_.url = "postgresql://ada:secret@/nowhere?host=/nowhere";
  const absl::Status unreachable = OpenStore(options_).status();
  EXPECT_TRUE(absl::IsUnavailable(unreachable)) << unreachable;
  EXPECT_THAT(unreachable.message(), ::testing::Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace cox::store
