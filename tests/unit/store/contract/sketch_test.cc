// Sketches of messages: added up per reporter, counted once, bounded, and removed with their
// reporter or machine.
#include "domain/pattern/sketch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine.h"
#include "scratch.h"
#include "store/limits.h"
#include "store/sketch_columns.h"

namespace cox::store {
namespace {

domain::PatternSketch SketchOn(const std::string& machine, const std::string& application,
                               int64_t phases = 10) {
  domain::PatternSketch sketch;
  sketch.key = {.machine = machine,
                .application = application,
                .kind = domain::PatternKind::kNeighbour,
                .nodes = 4,
                .ppn = 8,
                .ranks = 32};
  sketch.phase_count = phases;
  sketch.sampled_count = 4;
  sketch.repeat_count = 3;
  sketch.total_bytes = 4096.5;
  sketch.timed_count = 9;
  sketch.inside_s = 0.25;
  sketch.between_s = 1.5;
  sketch.destination_counts[3] = 4;
  sketch.size_counts[8] = 24;
  sketch.distance_counts[1] = 8;
  sketch.distance_counts[39] = 16;
  return sketch;
}

ObservationBatch SketchBatch(const std::string& job, int64_t sequence,
                             std::vector<domain::PatternSketch> sketches,
                             const std::string& source = "ann@n1") {
  ObservationBatch batch;
  batch.job = job;
  batch.sequence = sequence;
  batch.source = source;
  batch.sketches = std::move(sketches);
  return batch;
}

std::vector<SketchRecord> Listed(Store& store, const std::string& machine,
                                 const std::string& application) {
  auto records = store.ListSketches(machine, application);
  EXPECT_TRUE(records.ok()) << records.status();
  return records.ok() ? *std::move(records) : std::vector<SketchRecord>();
}

class SketchTest : public StoreTest {};

TEST_P(SketchTest, AreReadBackAsTheyWereReported) {
  {
    const std::unique_ptr<Store> store = Open();
    ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
    ASSERT_TRUE(
        Append(*store, SketchBatch("j", 1, {SketchOn("m", "solver"), SketchOn("m", "other")}))
            .ok());
  }
  const std::unique_ptr<Store> store = Open();
  const auto records = Listed(*store, "m", "solver");
  ASSERT_EQ(records.size(), 1);
  EXPECT_EQ(records[0].sketch, SketchOn("m", "solver"));
  EXPECT_EQ(records[0].job, "j");
  EXPECT_EQ(Listed(*store, "m", "").size(), 2);
  EXPECT_TRUE(Listed(*store, "m", "nobody").empty());
  EXPECT_TRUE(absl::IsNotFound(store->ListSketches("nowhere", "").status()));
}

TEST_P(SketchTest, AddUpPerReporterAndCountOncePerBatch) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  ASSERT_TRUE(Append(*store, SketchBatch("j", 1, {SketchOn("m", "solver")})).ok());
  ASSERT_TRUE(Append(*store, SketchBatch("j", 2, {SketchOn("m", "solver", 5)})).ok());
  const auto resent = Append(*store, SketchBatch("j", 2, {SketchOn("m", "solver", 5)}));
  ASSERT_TRUE(resent.ok());
  EXPECT_TRUE(resent->duplicate);
  ASSERT_TRUE(Append(*store, SketchBatch("k", 1, {SketchOn("m", "solver", 7)})).ok());
  const auto records = Listed(*store, "m", "solver");
  ASSERT_EQ(records.size(), 2);
  EXPECT_EQ(records[0].sketch.phase_count, 15);
  EXPECT_EQ(records[0].sketch.total_bytes, 2 * 4096.5);
  EXPECT_EQ(records[0].sketch.distance_counts[39], 32);
  EXPECT_EQ(records[1].sketch.phase_count, 7);
}

TEST_P(SketchTest, GoWithTheirJobOrSource) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  ASSERT_TRUE(Append(*store, SketchBatch("j", 1, {SketchOn("m", "solver")}, "ann@n1")).ok());
  ASSERT_TRUE(Append(*store, SketchBatch("k", 1, {SketchOn("m", "solver")}, "bob@n1")).ok());
  ASSERT_TRUE(Append(*store, SketchBatch("l", 1, {SketchOn("m", "solver")}, "bob@n1")).ok());
  EXPECT_EQ(store->Forget({Reporter::Kind::kJob, "j"})->removed_sketch_count, 1);
  EXPECT_EQ(Listed(*store, "m", "").size(), 2);
  EXPECT_EQ(store->Forget({Reporter::Kind::kSource, "bob@n1"})->removed_sketch_count, 2);
  EXPECT_TRUE(Listed(*store, "m", "").empty());
}

TEST_P(SketchTest, OfAnUnknownMachineRefusesTheWholeBatch) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  EXPECT_TRUE(absl::IsNotFound(
      Append(*store, SketchBatch("j", 1, {SketchOn("m", "a"), SketchOn("nowhere", "a")}))
          .status()));
  EXPECT_TRUE(Listed(*store, "m", "").empty());
}

TEST_P(SketchTest, RefusesAnApplicationWithoutAName) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  const absl::Status refused = Append(*store, SketchBatch("j", 1, {SketchOn("m", "")})).status();
  EXPECT_TRUE(absl::IsInvalidArgument(refused));
  EXPECT_THAT(refused.message(), testing::HasSubstr("sketches[0]"));
}

TEST_P(SketchTest, OfAMachineAreBoundedAndTheOldestGo) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  ASSERT_TRUE(store->CreateMachine(MachineNamed("n"), "").ok());
  ASSERT_TRUE(Append(*store, SketchBatch("j", 1, {SketchOn("n", "first")})).ok());
  std::vector<domain::PatternSketch> sketches;
  for (int64_t i = 0; i < kMostSketchRows + 2; ++i) {
    sketches.push_back(SketchOn("m", absl::StrCat("a", i)));
  }
  ASSERT_TRUE(Append(*store, SketchBatch("j", 2, std::move(sketches))).ok());
  const auto records = Listed(*store, "m", "");
  ASSERT_EQ(records.size(), static_cast<size_t>(kMostSketchRows));
  EXPECT_EQ(records.front().sketch.key.application, "a2");
  EXPECT_EQ(Listed(*store, "n", "").size(), 1);
}

// A job of many nodes has many rows.
TEST_P(SketchTest, OfOneApplicationLeaveRoomForOthers) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  ASSERT_TRUE(Append(*store, SketchBatch("j", 1, {SketchOn("m", "small")})).ok());
  std::vector<domain::PatternSketch> sketches;
  for (int64_t i = 0; i < kMostSketchRows + 1; ++i) {
    sketches.push_back(SketchOn("m", "large"));
    sketches.back().key.ranks = 1 + i;
  }
  ASSERT_TRUE(Append(*store, SketchBatch("j", 2, std::move(sketches))).ok());
  EXPECT_EQ(Listed(*store, "m", "small").size(), 1);
  const auto large = Listed(*store, "m", "large");
  ASSERT_EQ(large.size(), static_cast<size_t>(kMostApplicationSketchRows));
  EXPECT_EQ(large.back().sketch.key.ranks, kMostSketchRows + 1);
}

// Whoever reports most makes room, whoever came first.
TEST_P(SketchTest, OfOneReporterLeaveThoseOfOthers) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  ASSERT_TRUE(Append(*store, SketchBatch("j", 1, {SketchOn("m", "shared")}, "uid:1")).ok());
  ASSERT_TRUE(Append(*store, SketchBatch("j", 2, {SketchOn("m", "mine")}, "uid:1")).ok());
  std::vector<domain::PatternSketch> of_shared;
  std::vector<domain::PatternSketch> of_many;
  for (int64_t i = 0; i < kMostSketchRows; ++i) {
    if (i <= kMostApplicationSketchRows) {
      of_shared.push_back(SketchOn("m", "shared"));
      of_shared.back().key.ranks = 100 + i;
    }
    of_many.push_back(SketchOn("m", absl::StrCat("a", i)));
  }
  ASSERT_TRUE(Append(*store, SketchBatch("k", 1, std::move(of_shared), "uid:2")).ok());
  ASSERT_TRUE(Append(*store, SketchBatch("k", 2, std::move(of_many), "uid:2")).ok());
  EXPECT_EQ(Listed(*store, "m", "").size(), static_cast<size_t>(kMostSketchRows));
  EXPECT_EQ(Listed(*store, "m", "mine").size(), 1);
  const auto shared = Listed(*store, "m", "shared");
  ASSERT_FALSE(shared.empty());
  EXPECT_EQ(shared.front().job, "j") << "the only one of its reporter";
}

TEST_P(SketchTest, OfABatchAddUpToo) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  for (int64_t sequence = 1; sequence <= 2; ++sequence) {
    ASSERT_TRUE(Append(*store, SketchBatch("j", sequence,
                                           {SketchOn("m", "b"), SketchOn("m", "a", 5),
                                            SketchOn("m", "b", 7)}))
                    .ok());
  }
  const auto records = Listed(*store, "m", "");
  ASSERT_EQ(records.size(), 2);
  EXPECT_EQ(records[0].sketch.key.application, "b");
  EXPECT_EQ(records[0].sketch.phase_count, 2 * 17);
  EXPECT_EQ(records[0].sketch.distance_counts[39], 4 * 16);
  EXPECT_EQ(records[1].sketch.phase_count, 2 * 5);
}

TEST_P(SketchTest, GoWithTheirMachine) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  ASSERT_TRUE(Append(*store, SketchBatch("j", 1, {SketchOn("m", "solver")})).ok());
  ASSERT_TRUE(store->DeleteMachine("m").ok());
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  EXPECT_TRUE(Listed(*store, "m", "").empty());
}

TEST(SketchColumnsTest, DamagedCountsAreDataLoss) {
  domain::PatternCounts counts;
  EXPECT_TRUE(DecodeCounts("", &counts).ok());
  EXPECT_EQ(counts, domain::PatternCounts());
  EXPECT_TRUE(DecodeCounts("0,7", &counts).ok());
  EXPECT_EQ(counts[1], 7);
  EXPECT_EQ(EncodeCounts(counts), "0,7");
  EXPECT_TRUE(absl::IsDataLoss(DecodeCounts("7,x", &counts)));
  std::string many = "1";
  for (int i = 0; i < domain::kPatternClasses; ++i) many += ",1";
  EXPECT_TRUE(absl::IsDataLoss(DecodeCounts(many, &counts)));
}

COX_ON_EACH_ENGINE(SketchTest);

}  // namespace
}  // namespace cox::store
