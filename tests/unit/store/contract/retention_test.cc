// Sums in place of old rows: everything but the list of rows stays as it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "domain/drift.h"
#include "engine.h"
#include "scratch.h"
#include "store/limits.h"
#include "store/postgres/connection/query.h"
#include "store/postgres/rows/cell_rows.h"
#include "store/postgres/rows/machine_rows.h"
#include "store/postgres/schema.h"

namespace cox::store {
namespace {

constexpr int64_t kDay_us = 86'400'000'000;
constexpr int64_t kNow_us = 200 * kDay_us;
constexpr int64_t kAnyId = int64_t{1} << 60;

using CellLine =
    std::tuple<std::string, int64_t, int, int64_t, int64_t, int64_t, std::string, int64_t, int64_t>;

// In order, so that two stores can be compared.
std::vector<CellLine> CellsOf(Store& store, const std::string& machine = "m") {
  std::vector<CellLine> lines;
  const auto cells = store.ListCells(machine);
  EXPECT_TRUE(cells.ok()) << cells.status();
  for (const CellRecord& record : *cells) {
    lines.emplace_back(record.scenario.algorithm, record.scenario.block_bytes,
                       static_cast<int>(record.kind), record.epoch, record.cell.observation_count,
                       record.cell.weight, EncodeBins(record.cell.bins), record.cell.reporter_sum,
                       record.cell.reporter_square_sum);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

class RetentionTest : public StoreTest {
 protected:
  void SetUp() override {
    store_ = Open();
    EXPECT_TRUE(store_->CreateMachine(MachineNamed("m"), "").ok());
    EXPECT_TRUE(store_->CreateMachine(MachineNamed("other"), "").ok());
  }

  // A job's rows of three scenarios over ten days from `day` on.
  static ObservationBatch Batch(const std::string& job, int64_t sequence, int64_t day,
                                int64_t rows = 300, const std::string& machine = "m") {
    ObservationBatch batch = BatchOf(machine, job, sequence, rows);
    batch.source = absl::StrCat("token:", job);
    batch.kind = domain::CellKind::kJob;
    batch.dropped_count = 3;
    for (int64_t i = 0; i < rows; ++i) {
      ObservationRecord& row = batch.observations[static_cast<size_t>(i)];
      row.scenario.block_bytes = 1'024 << (i % 3);
      row.time_s = 1e-5 * (1 + static_cast<double>(i % 17));
      row.count = 1 + i % 5;
      row.at_us = day * kDay_us + i * 10 * kDay_us / rows;
    }
    return batch;
  }
  void Add(const ObservationBatch& batch) { ASSERT_TRUE(Append(*store_, batch).ok()); }
  // Those of more than `days` days; how many.
  int64_t SumUp(int64_t days, int64_t most_rows = 0, int64_t through_id = kAnyId,
                const std::string& machine = "m") {
    int64_t count = 0;
    OldRows old = {
        .before_us = kNow_us - days * kDay_us, .most_rows = most_rows, .through_id = through_id};
    while (true) {
      const auto step = store_->SumUpOld(machine, old);
      EXPECT_TRUE(step.ok()) << step.status();
      if (!step.ok()) return -1;
      count += step->observation_count;
      EXPECT_TRUE(!step->has_more || step->through_id > old.after_id ||
                  step->observation_count > 0);
      old.after_id = step->through_id;
      if (!step->has_more) return count;
    }
  }
  int64_t RowCount() {
    return static_cast<int64_t>(
        store_->ListObservations({.machine = "m", .job = {}}, 0, 1'000'000)->size());
  }
  int64_t CountOf(const ObservationFilter& filter) {
    return store_->CountObservations(filter)->observation_count;
  }
  // As after a migration that changes what sums mean, or a drift that is forgotten.
  void Rebuild() {
    store_.reset();
    if (GetParam() == Engine::kSqlite) {
      Ask("UPDATE next_id SET cells_are_stale = 1");
    } else {
      postgres::Session session(Options().url, postgres::kSetUp);
      ASSERT_TRUE(session.Connect().ok());
      const absl::Status rebuilt =
          postgres::RebuildCells(session, *postgres::FindMachineId(session, "m"));
      ASSERT_TRUE(rebuilt.ok()) << rebuilt;
    }
    store_ = Open();
  }

  std::unique_ptr<Store> store_;
};

TEST_P(RetentionTest, NoCountThatAReporterStatesKeepsRowsForEver) {
  ObservationBatch batch = BatchOf("m", "liar", 1, 3);
  for (ObservationRecord& row : batch.observations) {
    row.count = std::numeric_limits<int64_t>::max();
    row.at_us = 0;
  }
  Add(batch);
  EXPECT_EQ(SumUp(1), 3);
  EXPECT_EQ(RowCount(), 0);
  EXPECT_EQ(store_->Summarize({.newest = 100}, {})->rows.size(), 1U);
}

// Clocks that are ahead date rows in the future, and archives are imported after recent rows.
TEST_P(RetentionTest, OldRowsGoWhateverCameBeforeThem) {
  Add(Batch("ahead", 1, 400, kOldRowsLook + 100));
  Add(Batch("archive", 1, 10, kSumUpRows + 200));
  Add(Batch("new", 1, 190));
  const auto cells = CellsOf(*store_);
  EXPECT_EQ(SumUp(90), kSumUpRows + 200);
  EXPECT_EQ(SumUp(90), 0) << "again";
  EXPECT_EQ(RowCount(), kOldRowsLook + 100 + 300);
  EXPECT_EQ(CellsOf(*store_), cells);
  // Too many rows are taken from the first ones, whenever they were measured.
  EXPECT_EQ(SumUp(90, 300), kOldRowsLook + 100);
  EXPECT_EQ(RowCount(), 300);
  EXPECT_EQ(store_->ListObservations({.machine = "m", .job = {}}, 0, 1)->front().job, "new");
}

TEST_P(RetentionTest, OnlyOldRowsGoAndNothingElseChanges) {
  Add(Batch("old", 1, 10, 6'000));
  Add(Batch("new", 1, 190));
  Add(Batch("old", 2, 10, 50, "other"));
  const auto cells = CellsOf(*store_);
  const MachineState state = store_->ListMachineStates("", 1)->front();
  const auto jobs = store_->ListJobs({}, 0, 10, {});
  EXPECT_EQ(SumUp(90), 6'000);
  EXPECT_EQ(SumUp(90), 0) << "again";
  EXPECT_EQ(RowCount(), 300);
  EXPECT_EQ(CellsOf(*store_), cells);
  EXPECT_EQ(CountOf({.machine = "m", .job = {}}), 6'300);
  EXPECT_EQ(CountOf({.machine = "", .job = "old"}), 6'050);
  EXPECT_EQ(CountOf({.machine = "other", .job = {}}), 50);
  EXPECT_EQ(store_->ReadFileFacts()->summed_count, 6'000);
  const MachineState after = store_->ListMachineStates("", 1)->front();
  EXPECT_EQ(after.count.observation_count, state.count.observation_count);
  EXPECT_EQ(after.last_observation_time_us, state.last_observation_time_us);
  const auto jobs_after = store_->ListJobs({}, 0, 10, {});
  ASSERT_EQ(jobs_after->size(), jobs->size());
  for (size_t i = 0; i < jobs->size(); ++i) {
    EXPECT_EQ((*jobs_after)[i].name, (*jobs)[i].name);
    EXPECT_EQ((*jobs_after)[i].first_time_us, (*jobs)[i].first_time_us);
    EXPECT_EQ((*jobs_after)[i].last_time_us, (*jobs)[i].last_time_us);
    EXPECT_EQ((*jobs_after)[i].count.observation_count, (*jobs)[i].count.observation_count);
  }
}

TEST_P(RetentionTest, OfAMachineWithoutAnyRowLeftAllIsThereToo) {
  Add(Batch("old", 1, 10));
  const auto cells = CellsOf(*store_);
  const auto last_us = store_->ListMachineStates("", 1)->front().last_observation_time_us;
  EXPECT_EQ(SumUp(90), 300);
  EXPECT_EQ(RowCount(), 0);
  EXPECT_EQ(CellsOf(*store_), cells);
  EXPECT_EQ(store_->ListMachineStates("", 1)->front().last_observation_time_us, last_us);
  EXPECT_EQ(store_->ListJobs({.machine = "m"}, 0, 10, {})->front().last_time_us, last_us);
  EXPECT_TRUE(Append(*store_, Batch("old", 1, 10))->duplicate) << "a resend still counts once";
}

TEST_P(RetentionTest, TheNewestRowsStayWhateverTheirAge) {
  Add(Batch("old", 1, 10, 5'000));
  EXPECT_EQ(SumUp(1'000, 1'200), 3'800) << "all are younger than 1000 days";
  EXPECT_EQ(RowCount(), 1'200);
  EXPECT_EQ(store_->ListObservations({.machine = "m", .job = {}}, 0, 1)->front().id, 3'801);
  Add(Batch("old", 2, 20, 100));
  EXPECT_EQ(SumUp(1'000, 1'200), 100);
}

TEST_P(RetentionTest, RowsThatAreStillNeededStay) {
  Add(Batch("old", 1, 10));
  EXPECT_EQ(SumUp(90, 0, 100), 100);
  EXPECT_EQ(store_->ListObservations({.machine = "m", .job = {}}, 0, 1)->front().id, 101);
  EXPECT_EQ(SumUp(90, 10, 120), 20) << "also beyond the size";
}

TEST_P(RetentionTest, RebuiltCellsAndCountsAreTheSame) {
  Add(Batch("old", 1, 10, 5'000));
  Add(Batch("new", 1, 190));
  const auto cells = CellsOf(*store_);
  EXPECT_EQ(SumUp(90), 5'000);
  Rebuild();
  EXPECT_EQ(CellsOf(*store_), cells);
  EXPECT_EQ(CountOf({.machine = "m", .job = {}}), 5'300);
  EXPECT_EQ(CountOf({.machine = "", .job = {}, .source = "token:old"}), 5'000);
}

// What is forgotten leaves no trace, whether its rows or their sums are there.
TEST_P(RetentionTest, ForgettingIsExact) {
  Add(Batch("honest", 1, 10));
  const auto honest = CellsOf(*store_);
  Add(Batch("liar", 1, 12, 2'500));
  Add(Batch("liar", 2, 195, 100));
  EXPECT_EQ(SumUp(90), 2'800);
  const auto forgotten = store_->Forget({.kind = Reporter::Kind::kSource, .name = "token:liar"});
  ASSERT_TRUE(forgotten.ok()) << forgotten.status();
  EXPECT_EQ(forgotten->removed_count, 2'600);
  ASSERT_EQ(forgotten->machines.size(), 1U);
  EXPECT_EQ(forgotten->machines.front().first_id, 301);
  EXPECT_EQ(CellsOf(*store_), honest);
  EXPECT_EQ(store_->ReadFileFacts()->summed_count, 300);
  const ObservationCount left = *store_->CountObservations({.machine = "m", .job = {}});
  EXPECT_EQ(left.observation_count, 300);
  EXPECT_EQ(left.dropped_count, 3);
  EXPECT_EQ(store_->ListMachineStates("", 1)->front().count.dropped_count, 3);
  ASSERT_TRUE(store_->Forget({.kind = Reporter::Kind::kJob, .name = "honest"}).ok());
  EXPECT_TRUE(CellsOf(*store_).empty());
}

domain::Drift OldDriftSince(int64_t first_id, int64_t last_id) {
  domain::Drift drift;
  drift.machine = "m";
  drift.scope.level = domain::Level::kNetwork;
  drift.scope.max_block_bytes = int64_t{1} << 40;
  drift.first_id = first_id;
  drift.last_id = last_id;
  drift.log_factor = 0.5;
  drift.observation_count = last_id - first_id + 1;
  return drift;
}

TEST_P(RetentionTest, DriftsKeepTheirEpochs) {
  Add(Batch("a", 1, 10));
  Add(Batch("a", 2, 10));
  ASSERT_TRUE(store_->AddDrift(OldDriftSince(301, 600)).ok());
  const auto cells = CellsOf(*store_);
  ASSERT_EQ(cells.size(), 6U) << "three scenarios, two epochs";
  EXPECT_EQ(SumUp(90), 600);
  EXPECT_EQ(CellsOf(*store_), cells);
  Rebuild();
  EXPECT_EQ(CellsOf(*store_), cells);
}

TEST_P(RetentionTest, ALaterDriftTakesTheSumsAlong) {
  const auto with_drift = [this](const std::string& machine, bool sums_first) {
    const auto add = [&](const char* job) {
      ObservationBatch batch = Batch(machine + job, 1, 10, 300, machine);
      batch.source = absl::StrCat("token:", job);
      const auto added = Append(*store_, batch);
      EXPECT_TRUE(added.ok()) << added.status();
      if (sums_first) SumUp(90, 0, kAnyId, machine);
      return added->first_id;
    };
    add("a");
    const int64_t first_id = add("b");
    sums_first = false;
    add("c");
    domain::Drift drift = OldDriftSince(first_id, *store_->LastObservationId());
    drift.machine = machine;
    EXPECT_TRUE(store_->AddDrift(drift).ok());
    return CellsOf(*store_, machine);
  };
  const auto of_rows = with_drift("m", false);
  EXPECT_EQ(of_rows.size(), 6U);
  EXPECT_EQ(store_->ReadFileFacts()->summed_count, 0);
  EXPECT_EQ(with_drift("other", true), of_rows);
  EXPECT_EQ(store_->ReadFileFacts()->summed_count, 600);
}

TEST_P(RetentionTest, SummariesByDayAreTheSame) {
  Add(Batch("a", 1, 10, 3'000));
  Add(Batch("b", 1, 12, 900));
  Add(Batch("b", 2, 190, 30));
  const auto summary = [this](const SummaryFilter& filter) {
    const auto read = store_->Summarize(filter, {});
    EXPECT_TRUE(read.ok()) << read.status();
    std::vector<std::tuple<int64_t, int64_t, int64_t, int64_t, std::string, int64_t>> lines;
    for (const SummaryRow& row : read->rows) {
      lines.emplace_back(row.start_time_us, row.scenario.block_bytes, row.timing_count,
                         row.cell.observation_count, EncodeBins(row.cell.bins),
                         std::llround(row.total_time_s * 1e9));
    }
    return lines;
  };
  std::vector<SummaryFilter> filters(4);
  for (SummaryFilter& filter : filters) {
    filter.newest = 1'000'000;
    filter.bucket_us = kDay_us;
  }
  filters[1].reporter.machine = "m";
  filters[1].start_time_us = 13 * kDay_us;
  filters[1].end_time_us = 191 * kDay_us;
  filters[2].reporter.job = "a";
  filters[3].reporter.source = "token:b";
  filters[3].bucket_us = 0;
  std::vector<decltype(summary(filters[0]))> before;
  for (const SummaryFilter& filter : filters) before.push_back(summary(filter));
  EXPECT_EQ(SumUp(90), 3'900);
  for (size_t i = 0; i < filters.size(); ++i) {
    EXPECT_FALSE(before[i].empty());
    EXPECT_EQ(summary(filters[i]), before[i]) << "filter " << i;
  }
  SummaryFilter few = filters[0];
  few.newest = 31;
  EXPECT_TRUE(store_->Summarize(few, {})->has_older);
}

TEST_P(RetentionTest, ADeletedMachineTakesItsSumsAlong) {
  Add(Batch("a", 1, 10));
  EXPECT_EQ(SumUp(90), 300);
  ASSERT_TRUE(store_->DeleteMachine("m").ok());
  ASSERT_TRUE(store_->UndeleteMachine("m", {}).ok());
  EXPECT_EQ(CountOf({.machine = "m", .job = {}}), 300);
  ASSERT_TRUE(store_->DeleteMachine("m").ok());
  store_.reset();
  // Steps of the writer, from the second look on after the rest.
  store_ = Open(
      Options(), [] { return RealSurroundings().now_us() + kDeletedRestUs + 1'000'000; },
      [us = int64_t{0}]() mutable { return us += kPurgeEveryUs; });
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (Ask("SELECT count(*) FROM machine") > 1 && std::chrono::steady_clock::now() < deadline) {
    ASSERT_TRUE(store_->Flush().ok());
  }
  EXPECT_EQ(Ask("SELECT count(*) FROM machine"), 1);
  EXPECT_EQ(Ask("SELECT count(*) FROM old_sum"), 0);
  EXPECT_EQ(store_->SumUpOld("nowhere", {}).status().code(), absl::StatusCode::kNotFound);
}

COX_ON_EACH_ENGINE(RetentionTest);

}  // namespace
}  // namespace cox::store
