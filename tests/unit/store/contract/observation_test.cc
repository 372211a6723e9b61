#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "domain/principal_name.h"
#include "engine.h"
#include "scratch.h"

namespace cox::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

class ObservationTest : public StoreTest {
 protected:
  void SetUp() override {
    for (const char* const name : {"m", "n"}) {
      ASSERT_TRUE(store_->CreateMachine(MachineNamed(name), "").ok());
    }
  }
  int64_t Count(const ObservationFilter& filter = {}) {
    const auto count = store_->CountObservations(filter);
    EXPECT_TRUE(count.ok()) << count.status();
    return count.ok() ? count->observation_count : -1;
  }
  int64_t Dropped(const ObservationFilter& filter = {}) {
    return store_->CountObservations(filter)->dropped_count;
  }
  std::vector<int64_t> Ids(const ObservationFilter& filter, int64_t after, int64_t limit) {
    const auto rows = store_->ListObservations(filter, after, limit);
    EXPECT_TRUE(rows.ok()) << rows.status();
    std::vector<int64_t> ids;
    if (rows.ok()) {
      for (const ObservationRecord& row : *rows) ids.push_back(row.id);
    }
    return ids;
  }

  std::unique_ptr<Store> store_ = Open();
};

TEST_P(ObservationTest, IsReadBackAsItWasReported) {
  ObservationBatch batch = BatchOf("m", "job-7", 3, 2);
  ObservationRecord& row = batch.observations[1];
  row.scenario = {"n", "mpich-4.0", "bcast", "default", 3, 5, 13, kMost, 8};
  row.time_s = 5e-324;
  row.count = kMost;
  row.stddev_s = 0.25;
  row.statistic = "median";
  row.run = "night";
  row.at_us = -5;
  const auto result = Append(*store_, batch);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_FALSE(result->duplicate);
  EXPECT_EQ(result->first_id, 1);
  EXPECT_EQ(result->last_id, 2);
  const auto rows = store_->ListObservations({}, 0, 10);
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_THAT(*rows, SizeIs(2));
  const ObservationRecord& read = rows->at(1);
  EXPECT_EQ(read.id, 2);
  EXPECT_EQ(read.scenario, row.scenario);
  EXPECT_EQ(read.time_s, row.time_s);
  EXPECT_EQ(read.count, row.count);
  EXPECT_EQ(read.stddev_s, row.stddev_s);
  EXPECT_EQ(read.statistic, "median");
  EXPECT_EQ(read.run, "night");
  EXPECT_EQ(read.job, "job-7");
  EXPECT_EQ(read.at_us, -5);
  EXPECT_EQ(rows->at(0).statistic, "mean");
  EXPECT_EQ(rows->at(0).run, "");
}

TEST_P(ObservationTest, TheNewestFirstInPages) {
  for (int64_t sequence = 1; sequence <= 3; ++sequence) {
    ASSERT_TRUE(Append(*store_, BatchOf("m", "a", sequence, 2)).ok());
    ASSERT_TRUE(Append(*store_, BatchOf("n", "b", sequence, 1)).ok());
  }
  ObservationFilter newest;
  newest.newest_first = true;
  EXPECT_THAT(Ids(newest, 0, 4), ElementsAre(9, 8, 7, 6));
  EXPECT_THAT(Ids(newest, 6, 10), ElementsAre(5, 4, 3, 2, 1));
  newest.machine = "n";
  EXPECT_THAT(Ids(newest, 0, 10), ElementsAre(9, 6, 3));
  newest.machine.clear();
  newest.job = "a";
  EXPECT_THAT(Ids(newest, 0, 3), ElementsAre(8, 7, 5));
  EXPECT_THAT(Ids(newest, 5, 10), ElementsAre(4, 2, 1));
  newest.machine = "m";
  EXPECT_THAT(Ids(newest, 8, 1), ElementsAre(7));
}

TEST_P(ObservationTest, RowsAreSelectedByWhatRanAndWhen) {
  ObservationBatch batch = BatchOf("m", "a", 1, 4);
  for (size_t i = 0; i < batch.observations.size(); ++i) {
    ObservationRecord& row = batch.observations[i];
    row.scenario.library = i == 0 ? "mpich-4.0" : "openmpi-4.1";
    row.scenario.collective = i < 2 ? "bcast" : "alltoall";
    row.scenario.algorithm = i == 3 ? "pairwise" : "default";
    row.at_us = 1'000 * static_cast<int64_t>(i);
  }
  ASSERT_TRUE(Append(*store_, batch).ok());
  const auto ids = [this](const auto& set) {
    ObservationFilter filter;
    set(filter);
    std::vector<int64_t> plain = Ids(filter, 0, 10);
    // The same with every other part of the statement.
    filter.machine = "m";
    filter.job = "a";
    EXPECT_EQ(Ids(filter, 0, 10), plain);
    return plain;
  };
  EXPECT_THAT(ids([](auto& filter) { filter.library = "openmpi-4.1"; }), ElementsAre(2, 3, 4));
  EXPECT_THAT(ids([](auto& filter) { filter.collective = "bcast"; }), ElementsAre(1, 2));
  EXPECT_THAT(ids([](auto& filter) { filter.algorithm = "pairwise"; }), ElementsAre(4));
  EXPECT_THAT(ids([](auto& filter) { filter.since_us = 2'000; }), ElementsAre(3, 4));
  EXPECT_THAT(ids([](auto& filter) {
                filter.collective = "alltoall";
                filter.algorithm = "default";
                filter.since_us = 1;
              }),
              ElementsAre(3));
}

TEST_P(ObservationTest, ABatchCountsOnceHoweverOftenItIsSent) {
  ASSERT_EQ(Append(*store_, BatchOf("m", "a", 1, 3))->first_id, 1);
  const auto again = Append(*store_, BatchOf("m", "a", 1, 3));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(again->duplicate);
  EXPECT_EQ(again->first_id, 0);
  EXPECT_EQ(again->last_id, 0);
  // Another job or number is another batch.
  EXPECT_FALSE(Append(*store_, BatchOf("m", "b", 1, 3))->duplicate);
  EXPECT_FALSE(Append(*store_, BatchOf("m", "a", 2, 3))->duplicate);
  store_.reset();
  store_ = Open();
  EXPECT_TRUE(Append(*store_, BatchOf("m", "a", 2, 3))->duplicate);
  EXPECT_EQ(Count(), 9);
  EXPECT_EQ(store_->ListCells("m")->front().cell.observation_count, 9);
}

TEST_P(ObservationTest, ResendsInOneGroupCountOnceToo) {
  store_.reset();
  StoreOptions options = Options();
  options.commit_delay_us = 60'000'000;
  store_ = Open(options);
  auto first = AppendLater(*store_, BatchOf("m", "a", 1, 3));
  auto second = AppendLater(*store_, BatchOf("m", "a", 1, 3));
  ASSERT_TRUE(store_->Flush().ok());
  EXPECT_FALSE(first.get()->duplicate);
  EXPECT_TRUE(second.get()->duplicate);
  EXPECT_EQ(Count(), 3);
}

TEST_P(ObservationTest, WithoutAJobNothingIsAResend) {
  EXPECT_FALSE(Append(*store_, BatchOf("m", "", 1, 2))->duplicate);
  EXPECT_FALSE(Append(*store_, BatchOf("m", "", 1, 2))->duplicate);
  EXPECT_EQ(Count(), 4);
  EXPECT_EQ(store_->ListObservations({}, 0, 1)->front().job, "");
}

TEST_P(ObservationTest, AnEmptyBatchCountsWhatWasDropped) {
  ObservationBatch batch = BatchOf("m", "a", 1, 0);
  batch.dropped_count = 40;
  const auto result = Append(*store_, batch);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->first_id, 0);
  EXPECT_EQ(result->last_id, 0);
  EXPECT_TRUE(Append(*store_, batch)->duplicate);
  EXPECT_EQ(Dropped(), 40);
  EXPECT_EQ(Count(), 0);
  EXPECT_EQ(Append(*store_, BatchOf("m", "a", 2, 1))->first_id, 2);
  EXPECT_EQ(store_->ListObservations({.machine = "", .job = "a"}, 0, 10)->front().job, "a");
}

TEST_P(ObservationTest, ABatchMaySayWhoseItsDroppedTimingsAre) {
  ObservationBatch batch = BatchOf("m", "a", 1, 0);
  batch.dropped_count = 40;
  batch.dropped_machine = "n";
  ASSERT_TRUE(Append(*store_, batch).ok());
  EXPECT_TRUE(Append(*store_, batch)->duplicate);
  batch = BatchOf("m", "a", 2, 1);
  batch.dropped_count = 2;
  batch.dropped_machine = "n";
  ASSERT_TRUE(Append(*store_, batch).ok());
  EXPECT_EQ(Dropped({.machine = "n", .job = ""}), 42);
  EXPECT_EQ(Dropped({.machine = "n", .job = "a"}), 42);
  EXPECT_EQ(Dropped({.machine = "m", .job = ""}), 0);
  batch = BatchOf("m", "a", 3, 0);
  batch.dropped_count = 1;
  batch.dropped_machine = "unknown";
  EXPECT_EQ(Append(*store_, batch).status().code(), absl::StatusCode::kNotFound);
  ASSERT_TRUE(store_->Forget({Reporter::Kind::kJob, "a"}).ok());
  EXPECT_EQ(Dropped({.machine = "n", .job = ""}), 0);
}

TEST_P(ObservationTest, DroppedTimingsAreCountedPerMachineAndJob) {
  int64_t sequence = 0;
  for (const char* const machine : {"m", "m", "n"}) {
    ObservationBatch batch = BatchOf(machine, absl::StrCat("on-", machine), ++sequence, 1);
    batch.dropped_count = 10 * sequence;
    ASSERT_TRUE(Append(*store_, batch).ok());
  }
  EXPECT_EQ(Dropped(), 60);
  EXPECT_EQ(Dropped({.machine = "m", .job = ""}), 30);
  EXPECT_EQ(Dropped({.machine = "n", .job = ""}), 30);
  EXPECT_EQ(Dropped({.machine = "", .job = "on-m"}), 30);
  EXPECT_EQ(Dropped({.machine = "m", .job = "on-m"}), 30);
  EXPECT_EQ(Dropped({.machine = "n", .job = "on-m"}), 0);
}

TEST_P(ObservationTest, RefusesABatchWithABadRowAsAWhole) {
  using Spoil = void (*)(ObservationRecord&);
  const std::vector<std::pair<const char*, Spoil>> kSpoils = {
      {"time_s", [](ObservationRecord& row) { row.time_s = 0; }},
      {"time_s", [](ObservationRecord& row) { row.time_s = -1e-6; }},
      {"time_s", [](ObservationRecord& row) { row.time_s = kNan; }},
      {"time_s", [](ObservationRecord& row) { row.time_s = kInfinity; }},
      {"count", [](ObservationRecord& row) { row.count = 0; }},
      {"count", [](ObservationRecord& row) { row.count = -kMost; }},
      {"stddev_s", [](ObservationRecord& row) { row.stddev_s = -1; }},
      {"stddev_s", [](ObservationRecord& row) { row.stddev_s = kNan; }},
      {"statistic", [](ObservationRecord& row) { row.statistic = "mode"; }},
      {"nodes", [](ObservationRecord& row) { row.scenario.nodes = 0; }},
      {"ppn", [](ObservationRecord& row) { row.scenario.ppn = 0; }},
      {"ranks", [](ObservationRecord& row) { row.scenario.ranks = 0; }},
      {"ranks", [](ObservationRecord& row) { row.scenario.ranks = 33; }},
      {"ranks", [](ObservationRecord& row) { row.scenario.ranks = kMost; }},
      {"block_bytes", [](ObservationRecord& row) { row.scenario.block_bytes = -1; }},
      {"type_bytes", [](ObservationRecord& row) { row.scenario.type_bytes = 0; }},
  };
  for (const auto& [field, spoil] : kSpoils) {
    ObservationBatch batch = BatchOf("m", "a", 1, 3);
    spoil(batch.observations[2]);
    const absl::Status status = Append(*store_, batch).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(status.message(), HasSubstr("observations[2]: ")) << status;
    EXPECT_THAT(status.message(), HasSubstr(field)) << status;
  }
  for (const int64_t dropped : {int64_t{-1}, kMost}) {
    ObservationBatch batch = BatchOf("m", "a", 1, 3);
    batch.dropped_count = dropped;
    EXPECT_EQ(Append(*store_, batch).status().code(), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(Count(), 0);
  // The number of a refused batch is free.
  EXPECT_FALSE(Append(*store_, BatchOf("m", "a", 1, 3))->duplicate);
}

TEST_P(ObservationTest, LargeShapesDoNotOverflow) {
  ObservationBatch batch = BatchOf("m", "a", 1, 1);
  batch.observations[0].scenario.nodes = kMost;
  batch.observations[0].scenario.ppn = kMost;
  batch.observations[0].scenario.ranks = kMost;
  EXPECT_TRUE(Append(*store_, batch).ok());
}

TEST_P(ObservationTest, AnUnknownMachineTakesTheWholeBatchWithItAndNoOther) {
  store_.reset();
  StoreOptions options = Options();
  options.commit_delay_us = 60'000'000;
  store_ = Open(options);
  auto good = AppendLater(*store_, BatchOf("m", "a", 1, 3));
  ObservationBatch bad = BatchOf("m", "b", 1, 2, 64);
  bad.observations.push_back(BatchOf("x", "b", 1, 1).observations[0]);
  auto refused = AppendLater(*store_, bad);
  auto also_good = AppendLater(*store_, BatchOf("m", "b", 1, 4, 64));
  ASSERT_TRUE(store_->Flush().ok());
  EXPECT_EQ(refused.get().status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(good.get()->last_id, 3);
  EXPECT_EQ(also_good.get()->first_id, 4);
  EXPECT_EQ(Count(), 7);
  const auto cells = store_->ListCells("m");
  ASSERT_THAT(*cells, SizeIs(2));
  EXPECT_EQ(cells->at(0).cell.observation_count + cells->at(1).cell.observation_count, 7);
}

TEST_P(ObservationTest, FiltersByMachineAndJob) {
  ASSERT_TRUE(Append(*store_, BatchOf("m", "a", 1, 2)).ok());  // 1, 2
  ASSERT_TRUE(Append(*store_, BatchOf("n", "a", 2, 2)).ok());  // 3, 4
  ASSERT_TRUE(Append(*store_, BatchOf("m", "b", 1, 2)).ok());  // 5, 6
  ASSERT_TRUE(Append(*store_, BatchOf("m", "a", 3, 1)).ok());  // 7
  EXPECT_THAT(Ids({}, 0, 100), ElementsAre(1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(Ids({.machine = "m", .job = ""}, 0, 100), ElementsAre(1, 2, 5, 6, 7));
  EXPECT_THAT(Ids({.machine = "", .job = "a"}, 0, 100), ElementsAre(1, 2, 3, 4, 7));
  EXPECT_THAT(Ids({.machine = "m", .job = "a"}, 1, 100), ElementsAre(2, 7));
  EXPECT_THAT(Ids({.machine = "n", .job = "b"}, 0, 100), IsEmpty());
  EXPECT_THAT(Ids({.machine = "", .job = "nobody"}, 0, 100), IsEmpty());
  EXPECT_EQ(Count({.machine = "m", .job = ""}), 5);
  EXPECT_EQ(Count({.machine = "", .job = "a"}), 5);
  EXPECT_EQ(Count({.machine = "m", .job = "a"}), 3);
  EXPECT_EQ(Count({.machine = "", .job = "nobody"}), 0);
  EXPECT_EQ(store_->CountObservations({.machine = "x", .job = ""}).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(store_->ListObservations({.machine = "x", .job = ""}, 0, 1).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(store_->ListObservations({}, 0, -1).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_P(ObservationTest, PagesAreStableWhileRowsComeAndGo) {
  ASSERT_TRUE(Append(*store_, BatchOf("m", "stays", 1, 10)).ok());
  ASSERT_TRUE(Append(*store_, BatchOf("m", "goes", 1, 10)).ok());
  ASSERT_TRUE(Append(*store_, BatchOf("m", "stays", 2, 10)).ok());
  for (const ObservationFilter& filter :
       {ObservationFilter{}, ObservationFilter{.machine = "m", .job = ""},
        ObservationFilter{.machine = "", .job = "stays"}}) {
    std::vector<int64_t> seen;
    int64_t after = 0;
    int64_t sequence = Count() + 100;
    while (true) {
      const std::vector<int64_t> page = Ids(filter, after, 7);
      seen.insert(seen.end(), page.begin(), page.end());
      if (page.size() < 7u || seen.size() > 60u) break;
      after = page.back();
      ASSERT_TRUE(Append(*store_, BatchOf("m", "stays", sequence++, 2)).ok());
      ASSERT_TRUE(store_->Forget({Reporter::Kind::kJob, "goes"}).ok());
    }
    // Strictly ascending: none twice. And none of those that were there all the time is missing.
    for (size_t i = 1; i < seen.size(); ++i) EXPECT_LT(seen[i - 1], seen[i]);
    for (int64_t id = 1; id <= 10; ++id) EXPECT_THAT(seen, ::testing::Contains(id));
    for (int64_t id = 21; id <= 30; ++id) EXPECT_THAT(seen, ::testing::Contains(id));
  }
}

TEST_P(ObservationTest, TheLastIdNeverComesBack) {
  EXPECT_EQ(*store_->LastObservationId(), 0);
  ASSERT_TRUE(Append(*store_, BatchOf("m", "a", 1, 5)).ok());
  EXPECT_EQ(*store_->LastObservationId(), 5);
  EXPECT_EQ(store_->Forget({Reporter::Kind::kJob, "a"})->removed_count, 5);
  EXPECT_EQ(*store_->LastObservationId(), 5);
  store_.reset();
  store_ = Open();
  EXPECT_EQ(*store_->LastObservationId(), 5);
  EXPECT_EQ(Append(*store_, BatchOf("m", "a", 1, 1))->first_id, 6);
}

TEST_P(ObservationTest, CellsSumUpScenarios) {
  ObservationBatch batch = BatchOf("m", "a", 1, 2);
  batch.observations[0].time_s = 1e-6;
  batch.observations[0].count = 3;
  batch.observations[1].time_s = std::exp(1.0) * 1e-6;
  batch.observations[1].count = 1;
  ASSERT_TRUE(Append(*store_, batch).ok());
  ASSERT_TRUE(Append(*store_, BatchOf("n", "a", 2, 1)).ok());
  const auto cells = store_->ListCells("m");
  ASSERT_TRUE(cells.ok()) << cells.status();
  ASSERT_THAT(*cells, SizeIs(1));
  const CellRecord& cell = cells->front();
  EXPECT_EQ(cell.scenario, batch.observations[0].scenario);
  EXPECT_EQ(cell.epoch, 0);
  EXPECT_EQ(cell.cell.observation_count, 2);
  EXPECT_EQ(cell.cell.weight, 4);
  ASSERT_THAT(cell.cell.bins, SizeIs(2));
  EXPECT_EQ(cell.cell.bins[1].index - cell.cell.bins[0].index, kBinsPerE);
}

TEST_P(ObservationTest, ScenariosDifferInEveryPartOfTheirKey) {
  ObservationBatch batch = BatchOf("m", "a", 1, 10);
  batch.observations[0].scenario.machine = "n";
  batch.observations[1].scenario.library = "mpich-4.0";
  batch.observations[2].scenario.collective = "bcast";
  batch.observations[3].scenario.algorithm = "linear";
  batch.observations[4].scenario.nodes = 5;
  batch.observations[5].scenario.ppn = 9;
  batch.observations[6].scenario.ranks = 31;
  batch.observations[7].scenario.block_bytes = 0;
  batch.observations[8].scenario.type_bytes = 8;
  ASSERT_TRUE(Append(*store_, batch).ok());
  EXPECT_THAT(*store_->ListCells("m"), SizeIs(9));
  EXPECT_THAT(*store_->ListCells("n"), SizeIs(1));
}

TEST_P(ObservationTest, ListsTheCellsOfTheFirstScenarios) {
  for (const int64_t size : {300, 100, 200}) {
    ASSERT_TRUE(Append(*store_, BatchOf("m", "a", size, 10, size)).ok());
  }
  const auto first = store_->ListCells("m", 2, {});
  ASSERT_THAT(*first, SizeIs(2));
  EXPECT_EQ((*first)[0].scenario.block_bytes, 300);
  EXPECT_EQ((*first)[1].scenario.block_bytes, 100);
  EXPECT_EQ((*first)[1].cell.observation_count, 10);
  EXPECT_THAT(*store_->ListCells("m", 0, {}), SizeIs(0));
  EXPECT_EQ(store_->ListCells("m", -1, {}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_P(ObservationTest, CellsGoOnAfterANewStart) {
  ASSERT_TRUE(Append(*store_, BatchOf("m", "a", 1, 100)).ok());
  store_.reset();
  store_ = Open();
  ASSERT_TRUE(Append(*store_, BatchOf("m", "a", 2, 100)).ok());
  const CellRecord cell = store_->ListCells("m")->front();
  Cell expected;
  for (const int round : {1, 2}) {
    for (int i = 1; i <= 100; ++i) AddTiming(1e-6 * i, round, kNotTold, expected);
  }
  EXPECT_EQ(cell.cell.bins, expected.bins);
}

TEST_P(ObservationTest, ForgettingAJobLeavesWhatTheOthersSaid) {
  ASSERT_TRUE(Append(*store_, BatchOf("m", "kept", 1, 10)).ok());
  const CellRecord before = store_->ListCells("m")->front();
  ObservationBatch wild = BatchOf("m", "wild", 1, 50);
  for (ObservationRecord& row : wild.observations) row.time_s *= 1000;
  wild.dropped_count = 5;
  ASSERT_TRUE(Append(*store_, wild).ok());
  ASSERT_TRUE(Append(*store_, BatchOf("m", "wild", 2, 7, 64)).ok());
  ASSERT_TRUE(Append(*store_, BatchOf("m", "wild", 3, 0)).ok());
  EXPECT_EQ(Dropped({.machine = "m", .job = ""}), 5);

  const auto removed = store_->Forget({Reporter::Kind::kJob, "wild"});
  ASSERT_TRUE(removed.ok()) << removed.status();
  EXPECT_EQ(removed->removed_count, 57);
  ASSERT_EQ(removed->machines.size(), 1);
  EXPECT_EQ(removed->machines[0].machine, "m");
  EXPECT_EQ(removed->machines[0].first_id, 11);
  EXPECT_EQ(Count(), 10);
  EXPECT_EQ(Count({.machine = "", .job = "wild"}), 0);
  EXPECT_EQ(Dropped({.machine = "m", .job = ""}), 0);
  EXPECT_EQ(Dropped(), 0);
  const auto cells = store_->ListCells("m");
  ASSERT_THAT(*cells, SizeIs(1));  // that of 64 bytes is empty
  EXPECT_EQ(cells->front().cell, before.cell);

  EXPECT_EQ(store_->Forget({Reporter::Kind::kJob, "wild"})->removed_count, 0);
  // What it says afterwards is new, and the scenario that it left empty is used again.
  EXPECT_FALSE(Append(*store_, BatchOf("m", "wild", 1, 1, 64))->duplicate);
  EXPECT_THAT(*store_->ListCells("m"), SizeIs(2));
}

TEST_P(ObservationTest, CellsTellWhetherOneReporterIsAlone) {
  const auto only = [&] { return OnlyReporter(store_->ListCells("m")->front().cell); };
  const auto report = [&](const std::string& source, int64_t sequence) {
    ObservationBatch batch = BatchOf("m", source, sequence, 10);
    batch.source = source;
    ASSERT_TRUE(Append(*store_, batch).ok());
  };
  report("uid:1000", 1);
  report("uid:1000", 2);
  EXPECT_EQ(only(), domain::ReporterNumber("uid:1000"));
  for (const char* const other : {"uid:1001", "history.csv"}) {
    report(other, 1);
    EXPECT_EQ(only(), 0) << other;
    ASSERT_TRUE(store_->Forget({Reporter::Kind::kSource, other}).ok());
    EXPECT_EQ(only(), domain::ReporterNumber("uid:1000")) << other;
  }
  store_.reset();
  store_ = Open();
  EXPECT_EQ(only(), domain::ReporterNumber("uid:1000"));
}

TEST_P(ObservationTest, WhatNobodyReportedIsNotForgotten) {
  ASSERT_TRUE(Append(*store_, BatchOf("m", "", 0, 10)).ok());
  for (const Reporter::Kind kind : {Reporter::Kind::kJob, Reporter::Kind::kSource}) {
    const auto removed = store_->Forget({kind, ""});
    ASSERT_TRUE(removed.ok()) << removed.status();
    EXPECT_EQ(removed->removed_count, 0);
  }
  EXPECT_EQ(Count(), 10);
}

TEST_P(ObservationTest, CountsByReporterSurviveForgettingAndDeleting) {
  ObservationBatch batch = BatchOf("m", "a", 1, 10);
  batch.observations[9].scenario.machine = "n";
  batch.source = "file";
  batch.dropped_count = 3;
  ASSERT_TRUE(Append(*store_, batch).ok());
  ASSERT_TRUE(Append(*store_, BatchOf("n", "b", 1, 5)).ok());
  EXPECT_EQ(Count({.machine = "", .job = "a"}), 10);
  EXPECT_EQ(Count({.machine = "n", .job = "a"}), 1);
  EXPECT_EQ(Count({.machine = "", .job = "", .source = "file"}), 10);
  EXPECT_EQ(Dropped({.machine = "m", .job = "a"}), 3);
  EXPECT_EQ(Dropped({.machine = "n", .job = "a"}), 0);
  ASSERT_TRUE(store_->DeleteMachine("m").ok());
  EXPECT_EQ(Count({.machine = "", .job = "a"}), 1);
  EXPECT_EQ(Dropped({.machine = "", .job = "a"}), 3);
  ASSERT_TRUE(store_->Forget({Reporter::Kind::kSource, "file"}).ok());
  EXPECT_EQ(Count({.machine = "", .job = "a"}), 0);
  EXPECT_EQ(Count({.machine = "", .job = "b"}), 5);
}

// All ids that `filter` lists, from pages that read at most `row_limit` rows. `pages`: how many.
std::vector<int64_t> IdsInScans(Store& store, ObservationFilter filter, int64_t row_limit,
                                int* pages) {
  std::vector<int64_t> ids;
  int64_t after_id = 0;
  *pages = 0;
  do {
    ++*pages;
    filter.until_id = store.FindScanEnd(filter, after_id, row_limit, {}).value();
    const auto rows = store.ListObservations(filter, after_id, 1'000);
    EXPECT_TRUE(rows.ok()) << rows.status();
    for (const ObservationRecord& row : *rows) ids.push_back(row.id);
    after_id = filter.until_id;
  } while (filter.until_id != 0);
  return ids;
}

// 1 to 100 of m and ring, in batches of ten by job "a" from "x"; then 101 to 110 of m and binomial,
// by job "b" from "x"; then 111 to 120 of n.
TEST_P(ObservationTest, AScanEndsAfterSoManyRows) {
  for (int64_t i = 0; i < 12; ++i) {
    ObservationBatch batch = BatchOf(i < 11 ? "m" : "n", i < 10 ? "a" : "b", i, 10);
    batch.source = "x";
    for (ObservationRecord& row : batch.observations) {
      row.scenario.algorithm = i < 10 ? "ring" : "binomial";
    }
    ASSERT_TRUE(Append(*store_, batch).ok());
  }
  int pages = 0;
  ObservationFilter filter;
  filter.machine = "m";
  EXPECT_EQ(store_->FindScanEnd(filter, 0, 1, {}).value(), 0) << "it passes over nothing";
  filter.algorithm = "binomial";
  EXPECT_EQ(store_->FindScanEnd(filter, 0, 40, {}).value(), 40);
  EXPECT_EQ(store_->FindScanEnd(filter, 40, 40, {}).value(), 80);
  EXPECT_EQ(store_->FindScanEnd(filter, 80, 40, {}).value(), 0);
  EXPECT_THAT(IdsInScans(*store_, filter, 40, &pages),
              ElementsAre(101, 102, 103, 104, 105, 106, 107, 108, 109, 110));
  EXPECT_EQ(pages, 3);
  filter.algorithm = "ring";
  filter.newest_first = true;
  EXPECT_EQ(store_->FindScanEnd(filter, 0, 40, {}).value(), 71);
  EXPECT_EQ(IdsInScans(*store_, filter, 40, &pages).size(), 100u);
  EXPECT_EQ(pages, 3);
  // Batches of a job or a source, of which some are of another machine.
  for (const bool newest_first : {false, true}) {
    ObservationFilter reported;
    reported.source = "x";
    reported.machine = "n";
    reported.newest_first = newest_first;
    EXPECT_EQ(store_->FindScanEnd(reported, 0, 35, {}).value(), newest_first ? 81 : 40);
    EXPECT_EQ(IdsInScans(*store_, reported, 35, &pages).size(), 10u);
    EXPECT_EQ(pages, 4);
    reported.job = "b";
    EXPECT_EQ(IdsInScans(*store_, reported, 35, &pages).size(), 10u);
    EXPECT_EQ(pages, 1);
    reported.machine.clear();
    EXPECT_EQ(IdsInScans(*store_, reported, 5, &pages).size(), 20u);
    EXPECT_EQ(pages, 3) << "a page has a batch or more";
    reported.job = "nobody";
    EXPECT_EQ(store_->FindScanEnd(reported, 0, 1, {}).value(), 0);
  }
  EXPECT_EQ(store_->FindScanEnd({.machine = "nowhere", .job = "a"}, 0, 1, {}).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_P(ObservationTest, AReadEndsWhenItsCallerCancels) {
  ASSERT_TRUE(Append(*store_, BatchOf("m", "a", 1, 20'000)).ok());
  int asked = 0;
  const auto rows = store_->ListObservations({}, 0, 20'000, [&asked] { return ++asked == 2; });
  EXPECT_TRUE(absl::IsCancelled(rows.status())) << rows.status();
  EXPECT_EQ(asked, 2);
  // The connection is as good as before.
  EXPECT_EQ(Ids({}, 0, 20'000).size(), 20'000u);
}

TEST_P(ObservationTest, AReadOfCellsEndsWhenItsCallerCancels) {
  ObservationBatch batch = BatchOf("m", "a", 1, 10'000);
  int64_t size = 0;
  for (ObservationRecord& row : batch.observations) row.scenario.block_bytes = ++size;
  ASSERT_TRUE(Append(*store_, batch).ok());
  int asked = 0;
  const auto cells = store_->ListCells("m", 10'000, [&asked] { return ++asked == 2; });
  EXPECT_TRUE(absl::IsCancelled(cells.status())) << cells.status();
  EXPECT_EQ(asked, 2);
  EXPECT_THAT(*store_->ListCells("m"), SizeIs(10'000));
}

TEST_P(ObservationTest, CancelledReadsDoNotStopWrites) {
  store_->CancelLongWork();
  EXPECT_TRUE(absl::IsCancelled(store_->ListObservations({}, 0, 10).status()));
  EXPECT_TRUE(Append(*store_, BatchOf("m", "a", 1, 10)).ok());
  EXPECT_TRUE(store_->Flush().ok());
}

COX_ON_EACH_ENGINE(ObservationTest);

}  // namespace
}  // namespace cox::store
