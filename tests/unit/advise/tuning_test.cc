#include "advise/tuning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>
#include <vector>

#include "advise/recommend.h"
#include "machines.h"
#include "model/errors.h"
#include "strategy/library_map.h"

namespace cox::advise {
namespace {

TuningQuestion EightNodes() {
  TuningQuestion question;
  question.library = "openmpi-4.1";
  question.nodes = 8;
  question.ppn = 4;
  return question;
}

// The default takes three times as long as the structure of each collective's good algorithms.
MachinePointer SlowDefaults() {
  std::vector<learn::Cell> cells;
  AddDefault("alltoall", "pairwise", 3, &cells);
  AddDefault("allreduce", "recursive_doubling", 3, &cells);
  AddDefault("allgather", "ring", 3, &cells);
  AddDefault("bcast", "binomial", 3, &cells);
  return MachineWith(cells);
}

TEST(DecisionTablesTest, RowsAscendFromZeroAndNeighboursDiffer) {
  const auto tables = BuildDecisionTables(*SlowDefaults(), EightNodes());
  ASSERT_TRUE(tables.ok()) << tables.status();
  std::set<std::string> expected;
  for (const auto& row : strategy::LibraryAlgorithms("openmpi-4.1")) {
    expected.insert(std::string(strategy::CollectiveName(row.collective)));
  }
  ASSERT_EQ(tables->size(), expected.size());
  bool any_choice = false;
  for (const DecisionTable& table : *tables) {
    ASSERT_FALSE(table.rows.empty());
    EXPECT_EQ(table.rows.front().block_bytes, 0);
    for (size_t i = 0; i < table.rows.size(); ++i) {
      any_choice |= table.rows[i].algorithm != "default";
      EXPECT_EQ(table.rows[i].native_id == 0, table.rows[i].algorithm == "default");
      if (i == 0) continue;
      EXPECT_GT(table.rows[i].block_bytes, table.rows[i - 1].block_bytes);
      EXPECT_NE(table.rows[i].algorithm, table.rows[i - 1].algorithm);
    }
  }
  EXPECT_TRUE(any_choice);
}

TEST(DecisionTablesTest, EachRowIsTheRecommendationAtItsSizeAndTheOneBeforeItsOwn) {
  const MachinePointer machine = SlowDefaults();
  const auto tables = BuildDecisionTables(*machine, EightNodes());
  ASSERT_TRUE(tables.ok());
  int boundaries = 0;
  for (const DecisionTable& table : *tables) {
    Question question = Ask(table.collective, 0);
    question.type_bytes = 8;
    for (size_t i = 0; i < table.rows.size(); ++i) {
      question.block_bytes = table.rows[i].block_bytes;
      EXPECT_EQ(Recommend(*machine, question, false).chosen.algorithm, table.rows[i].algorithm);
      if (i == 0) continue;
      question.block_bytes = table.rows[i].block_bytes - 1;
      EXPECT_EQ(Recommend(*machine, question, false).chosen.algorithm, table.rows[i - 1].algorithm);
      ++boundaries;
    }
  }
  EXPECT_GT(boundaries, 0);
}

TEST(DecisionTablesTest, NothingKnownLeavesAllToTheLibrary) {
  const auto tables = BuildDecisionTables(*MachineWith({}, {}), EightNodes());
  ASSERT_TRUE(tables.ok());
  for (const DecisionTable& table : *tables) {
    ASSERT_EQ(table.rows.size(), 1U);
    EXPECT_EQ(table.rows[0].algorithm, "default");
    EXPECT_EQ(table.rows[0].native_id, 0);
  }
}

TEST(DecisionTablesTest, UnsafeAlgorithmsOnlyWhenAllowed) {
  std::vector<learn::Cell> cells;
  AddDefault("allreduce", "ring", 5, &cells);
  AddPriced("allreduce", "ring", 0.1, &cells);
  const MachinePointer machine = MachineWith(cells);
  TuningQuestion question = EightNodes();
  question.collectives = {"allreduce"};
  const auto uses_ring = [&] {
    const auto tables = BuildDecisionTables(*machine, question);
    EXPECT_TRUE(tables.ok());
    for (const DecisionRow& row : tables->front().rows) {
      if (row.algorithm == "ring" || row.algorithm == "segmented_ring") return true;
    }
    return false;
  };
  EXPECT_FALSE(uses_ring());
  question.allow_commutative_only = true;
  EXPECT_TRUE(uses_ring());
}

TEST(DecisionTablesTest, OnlyTheCollectivesAskedFor) {
  TuningQuestion question = EightNodes();
  question.collectives = {"bcast", "alltoall"};
  const auto tables = BuildDecisionTables(*MachineWith({}), question);
  ASSERT_TRUE(tables.ok());
  ASSERT_EQ(tables->size(), 2U);
  EXPECT_EQ((*tables)[0].collective, "bcast");
  EXPECT_EQ((*tables)[1].collective, "alltoall");
}

TEST(DecisionTablesTest, OneRankAndVeryManyRanksHaveTables) {
  TuningQuestion question = EightNodes();
  question.nodes = 1;
  question.ppn = 1;
  const auto one = BuildDecisionTables(*SlowDefaults(), question);
  ASSERT_TRUE(one.ok());
  for (const DecisionTable& table : *one) EXPECT_EQ(table.rows.front().algorithm, "default");
  question.nodes = 1 << 20;
  question.ppn = 1 << 10;
  EXPECT_TRUE(BuildDecisionTables(*SlowDefaults(), question).ok());
}

TEST(DecisionTablesTest, SaysWhatIsWrongWithTheQuestion) {
  const MachinePointer machine = MachineWith({});
  const auto status_of = [&](auto spoil) {
    TuningQuestion question = EightNodes();
    spoil(question);
    return BuildDecisionTables(*machine, question).status();
  };
  EXPECT_EQ(status_of([](TuningQuestion& q) { q.library = "no-such"; }).code(),
            absl::StatusCode::kUnimplemented);
  EXPECT_EQ(model::FieldOf(status_of([](TuningQuestion& q) { q.nodes = 0; })), "nodes");
  EXPECT_EQ(model::FieldOf(status_of([](TuningQuestion& q) { q.ppn = -1; })), "ppn");
  EXPECT_EQ(model::FieldOf(status_of(
                [](TuningQuestion& q) { q.nodes = std::numeric_limits<int64_t>::max(); })),
            "nodes");
  EXPECT_EQ(model::FieldOf(status_of([](TuningQuestion& q) {
              q.nodes = strategy::kMaxRanks;
              q.ppn = 2;
            })),
            "ppn");
  EXPECT_EQ(model::FieldOf(status_of([](TuningQuestion& q) { q.collectives = {"transpose"}; })),
            "collectives[0]");
  EXPECT_EQ(model::FieldOf(status_of([](TuningQuestion& q) {
              q.collectives = {"bcast", "bcast"};
            })),
            "collectives[1]");
}

}  // namespace
}  // namespace cox::advise
