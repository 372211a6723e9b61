// Jobs that came long ago become a part of what their sources have reported: their rows in the
// tables go, and what is told of machines and sources stays.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine.h"
#include "scratch.h"
#include "store/postgres/connection/query.h"
#include "store/postgres/rows/cell_rows.h"
#include "store/postgres/rows/machine_rows.h"
#include "store/postgres/schema.h"

namespace cox::store {
namespace {

constexpr int64_t kLookDay_us = 86'400'000'000;
constexpr int64_t kJobAge_days = 365;

class OldJobsTest : public StoreTest {
 protected:
  void SetUp() override {
    Reopen();
    EXPECT_TRUE(store_->CreateMachine(MachineNamed("m"), "").ok());
    EXPECT_TRUE(store_->CreateMachine(MachineNamed("other"), "").ok());
  }
  void Reopen() {
    store_.reset();
    store_ = Open(Options(), [this] { return day_ * kLookDay_us + 1; });
  }

  // As agents report: each step on each node is a job, with some rows of its own.
  void Report(const std::string& job, const std::string& source, int64_t rows = 2,
              int64_t sequence = 1, const std::string& machine = "m") {
    ASSERT_TRUE(Append(*store_, BatchFrom(job, source, rows, sequence, machine)).ok());
  }
  ObservationBatch BatchFrom(const std::string& job, const std::string& source, int64_t rows = 2,
                             int64_t sequence = 1, const std::string& machine = "m") const {
    ObservationBatch batch = BatchOf(machine, job, sequence, rows);
    batch.source = source;
    batch.kind = domain::CellKind::kJob;
    batch.dropped_count = 1;
    for (int64_t i = 0; i < rows; ++i) {
      ObservationRecord& row = batch.observations[static_cast<size_t>(i)];
      row.scenario.block_bytes = 1'024 << (i % 2);
      row.time_s = 1e-5 * (1 + static_cast<double>(sequence + i));
      row.count = 1 + i;
      row.at_us = day_ * kLookDay_us + i;
    }
    return batch;
  }
  void SumUp(const std::string& machine = "m") {
    bool has_more = true;
    while (has_more) {
      const auto step = store_->SumUpOld(
          machine, {.before_us = day_ * kLookDay_us, .through_id = int64_t{1} << 60});
      ASSERT_TRUE(step.ok()) << step.status();
      has_more = step->has_more;
    }
  }
  // How many jobs.
  int64_t Merge() {
    OldJobs old = {.age_days = kJobAge_days};
    int64_t jobs = 0;
    while (true) {
      const auto step = store_->MergeOldJobs(old);
      EXPECT_TRUE(step.ok()) << step.status();
      if (!step.ok()) return -1;
      jobs += step->job_count;
      if (!step->has_more) return jobs;
      old.after_batch_id = step->through_batch_id;
    }
  }
  // A look, as coxd does each hour, and then as much time as lets all jobs merge.
  void LetAllMerge() {
    Merge();
    day_ += kJobAge_days + 1;
    SumUp();
    SumUp("other");
  }

  using Cells = std::vector<std::tuple<std::string, int64_t, int, int64_t, int64_t, std::string>>;
  Cells CellsOf(const std::string& machine = "m") {
    Cells lines;
    const auto cells = store_->ListCells(machine);
    for (const CellRecord& record : *cells) {
      lines.emplace_back(record.scenario.algorithm, record.scenario.block_bytes,
                         static_cast<int>(record.kind), record.epoch, record.cell.weight,
                         EncodeBins(record.cell.bins));
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }
  // Of all time and by day: scenario, counts, times, quantiles.
  std::vector<std::string> Summaries(const std::string& source = "") {
    std::vector<std::string> lines;
    for (const int64_t bucket_us : {int64_t{0}, kLookDay_us}) {
      SummaryFilter filter;
      filter.reporter.machine = "m";
      filter.reporter.source = source;
      filter.bucket_us = bucket_us;
      filter.newest = 1'000'000;
      const auto summary = store_->Summarize(filter, {});
      for (const SummaryRow& row : summary->rows) {
        lines.push_back(absl::StrCat(row.start_time_us, " ", row.scenario.block_bytes, " ",
                                     row.timing_count, " ", row.cell.observation_count, " ",
                                     std::llround(row.total_time_s * 1e9), " ",
                                     EncodeBins(row.cell.bins)));
      }
    }
    return lines;
  }
  ObservationCount CountOf(const ObservationFilter& filter) {
    return *store_->CountObservations(filter);
  }

  int64_t day_ = 1'000;
  std::unique_ptr<Store> store_;
};

TEST_P(OldJobsTest, TheirRowsGoAndNothingThatIsToldOfMachinesAndSourcesChanges) {
  constexpr int kJobs = 600;  // more than a step looks at
  for (int i = 0; i < kJobs; ++i) {
    Report(absl::StrCat("uid:", i % 3, "/", i, ".0@node", i % 7), absl::StrCat("uid:", i % 3));
  }
  Report("uid:0/other", "uid:0", 4, 1, "other");
  Report("", "imports", 3);
  LetAllMerge();
  const Cells cells = CellsOf();
  const std::vector<std::string> all = Summaries();
  const std::vector<std::string> of_one = Summaries("uid:1");
  ASSERT_EQ(Ask("SELECT count(*) FROM old_sum"), 2 * (kJobs + 1) + 2);
  EXPECT_EQ(Merge(), kJobs + 1);
  EXPECT_EQ(Merge(), 0) << "again";
  EXPECT_EQ(CellsOf(), cells);
  EXPECT_EQ(Summaries(), all);
  EXPECT_EQ(Summaries("uid:1"), of_one);
  EXPECT_EQ(CountOf({.machine = "m", .job = {}}).observation_count, 2 * kJobs + 3);
  EXPECT_EQ(CountOf({.machine = "m", .job = {}}).dropped_count, kJobs + 1);
  EXPECT_EQ(CountOf({}).dropped_count, kJobs + 2);
  EXPECT_EQ(CountOf({.machine = "", .job = {}, .source = "uid:0"}).observation_count,
            2 * kJobs / 3 + 4);
  EXPECT_EQ(store_->ReadFileFacts()->summed_count, 2 * kJobs + 7);
  // Three users, two scenarios, a day; the other machine's two; and the imports'.
  EXPECT_EQ(Ask("SELECT count(*) FROM old_sum"), 3 * 2 + 2 + 2);
  EXPECT_EQ(*store_->CountOldSums("m"), 3 * 2 + 2);
  EXPECT_EQ(Ask("SELECT count(*) FROM job"), 1);
  EXPECT_EQ(Ask("SELECT count(*) FROM batch"), 0);
  EXPECT_EQ(Ask("SELECT count(*) FROM report_count"), 3 + 1 + 1);
  EXPECT_TRUE(store_->ListJobs({}, 0, 10, {})->empty());
}

TEST_P(OldJobsTest, YoungJobsStayAndTheirResendsCountOnce) {
  Report("old", "uid:1", 2, 1);
  Merge();
  day_ += 30;
  Report("young", "uid:1", 2, 1);
  Merge();
  day_ += kJobAge_days - 29;
  SumUp();
  EXPECT_EQ(Merge(), 1);
  EXPECT_EQ(CountOf({.machine = "", .job = "old"}).observation_count, 0);
  EXPECT_EQ(CountOf({.machine = "", .job = "young"}).observation_count, 2);
  ASSERT_EQ(store_->ListJobs({}, 0, 10, {})->size(), 1U);
  EXPECT_TRUE(Append(*store_, BatchFrom("young", "uid:1"))->duplicate);
  EXPECT_FALSE(Append(*store_, BatchFrom("old", "uid:1"))->duplicate) << "known no more";
  EXPECT_EQ(CountOf({.machine = "m", .job = {}}).observation_count, 6);
  EXPECT_EQ(CountOf({.machine = "", .job = "old"}).observation_count, 2) << "a new job";
}

// What a daemon has never looked at may be young.
TEST_P(OldJobsTest, WithoutAnEarlierLookNothingIsOld) {
  Report("old", "uid:1");
  day_ += 2 * kJobAge_days;
  SumUp();
  EXPECT_EQ(Merge(), 0);
  EXPECT_EQ(store_->ListJobs({}, 0, 10, {})->size(), 1U);
}

TEST_P(OldJobsTest, AClockThatIsBehindAtOneLookMakesNothingOld) {
  Merge();
  Report("young", "uid:1");
  const int64_t today = day_;
  day_ = 1;
  Merge();
  day_ = today + 1;
  SumUp();
  EXPECT_EQ(Merge(), 0);
  EXPECT_TRUE(Append(*store_, BatchFrom("young", "uid:1"))->duplicate);
  EXPECT_EQ(CountOf({.machine = "m", .job = {}}).observation_count, 2);
  // And what is old still is.
  day_ = today + kJobAge_days + 2;
  EXPECT_EQ(Merge(), 1);
}

TEST_P(OldJobsTest, AClockThatWasAheadAtOneLookKeepsNothingForEver) {
  Merge();
  const int64_t today = day_;
  day_ = today + 5'000;
  Merge();
  day_ = today + 1;
  Report("later", "uid:1");
  Merge();
  day_ = today + 2 + kJobAge_days;
  SumUp();
  EXPECT_EQ(Merge(), 1);
}

TEST_P(OldJobsTest, AJobWithRowsStaysWhole) {
  Report("both", "uid:1", 2, 1, "other");
  Report("both", "uid:1", 2, 2);
  Merge();
  day_ += kJobAge_days + 1;
  SumUp();  // of one machine; the other one keeps its rows
  EXPECT_EQ(Merge(), 0);
  EXPECT_EQ(store_->ListJobs({}, 0, 10, {})->front().count.observation_count, 4);
  EXPECT_EQ(store_->ListObservations({.machine = "other", .job = {}}, 0, 10)->front().job, "both");
  SumUp("other");
  EXPECT_EQ(Merge(), 1);
  EXPECT_EQ(Ask("SELECT count(*) FROM batch"), 0);
}

// A lie can be taken back as long as its source is known.
TEST_P(OldJobsTest, ForgettingASourceIsExact) {
  Report("honest", "uid:1", 2, 1);
  const Cells honest = CellsOf();
  for (int i = 0; i < 20; ++i) Report(absl::StrCat("liar", i), "uid:2", 4, i);
  LetAllMerge();
  EXPECT_EQ(Merge(), 21);
  const auto forgotten = store_->Forget({.kind = Reporter::Kind::kSource, .name = "uid:2"});
  ASSERT_TRUE(forgotten.ok()) << forgotten.status();
  EXPECT_EQ(forgotten->removed_count, 80);
  EXPECT_EQ(forgotten->machines.front().first_id, 3);
  EXPECT_EQ(CellsOf(), honest);
  EXPECT_EQ(CountOf({.machine = "m", .job = {}}).observation_count, 2);
  EXPECT_EQ(CountOf({.machine = "m", .job = {}}).dropped_count, 1);
}

TEST_P(OldJobsTest, DriftsKeepTheirEpochs) {
  Report("a", "uid:1", 6, 1);
  Report("b", "uid:1", 6, 2);
  domain::Drift drift;
  drift.machine = "m";
  drift.scope.level = domain::Level::kNetwork;
  drift.scope.max_block_bytes = int64_t{1} << 40;
  drift.first_id = 7;
  drift.last_id = 12;
  drift.log_factor = 0.5;
  drift.observation_count = 6;
  ASSERT_TRUE(store_->AddDrift(drift).ok());
  LetAllMerge();
  const Cells cells = CellsOf();
  ASSERT_EQ(cells.size(), 4U) << "two scenarios, two epochs";
  EXPECT_EQ(Merge(), 2);
  EXPECT_EQ(Ask("SELECT count(*) FROM old_sum"), 4);
  EXPECT_EQ(CellsOf(), cells);
  store_.reset();
  if (GetParam() == Engine::kSqlite) {
    Ask("UPDATE next_id SET cells_are_stale = 1");
  } else {
    postgres::Session session(Options().url, postgres::kSetUp);
    ASSERT_TRUE(session.Connect().ok());
    ASSERT_TRUE(postgres::RebuildCells(session, *postgres::FindMachineId(session, "m")).ok());
  }
  Reopen();
  EXPECT_EQ(CellsOf(), cells);
  EXPECT_EQ(CountOf({.machine = "", .job = {}, .source = "uid:1"}).observation_count, 12);
  EXPECT_EQ(CountOf({.machine = "", .job = {}, .source = "uid:1"}).dropped_count, 2);
}

COX_ON_EACH_ENGINE(OldJobsTest);

}  // namespace
}  // namespace cox::store
