#include "bench/pattern_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace cox::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::vector<Kind> AllKinds() {
  std::vector<Kind> kinds;
  for (const KindCard& card : Kinds()) kinds.push_back(card.kind);
  return kinds;
}

std::vector<std::tuple<int64_t, int64_t, int64_t>> CountsOf(const std::vector<PatternCell>& cells) {
  std::vector<std::tuple<int64_t, int64_t, int64_t>> counts;
  for (const PatternCell& cell : cells) {
    counts.emplace_back(cell.ranks, cell.messages, cell.senders);
  }
  return counts;
}

PatternShape Shape(int64_t node_ranks, int64_t network_ranks) {
  return {node_ranks, network_ranks, int64_t{256} << 20};
}

TEST(PatternPlanTest, EveryKindHasANameOfItsOwn) {
  std::set<absl::string_view> names;
  for (const KindCard& card : Kinds()) {
    EXPECT_TRUE(names.insert(card.name).second) << card.name;
    ASSERT_NE(FindKind(card.name), nullptr);
    EXPECT_EQ(FindKind(card.name)->kind, card.kind);
    EXPECT_EQ(KindName(card.kind), card.name);
  }
  EXPECT_EQ(FindKind("ping"), nullptr);
}

TEST(PatternPlanTest, EveryKindButPingPongsHasCellsOfALargeJob) {
  for (const Kind kind : AllKinds()) {
    const auto cells = PlanPatterns({kind}, Shape(8, 8), {8, 1024});
    EXPECT_EQ(cells.empty(), kind == Kind::kPingPong) << KindName(kind);
  }
}

TEST(PatternPlanTest, ASingleRankHasLocalWorkOnly) {
  for (const PatternCell& cell : PlanPatterns(AllKinds(), Shape(1, 1), {8})) {
    EXPECT_EQ(cell.level, "self");
  }
}

TEST(PatternPlanTest, RelationsAreFullAndPartial) {
  const auto cells = PlanPatterns({Kind::kHRelation}, Shape(1, 6), {64});
  EXPECT_THAT(CountsOf(cells),
              UnorderedElementsAre(std::tuple(6, 1, 6), std::tuple(6, 2, 6), std::tuple(6, 4, 6),
                                   std::tuple(6, 5, 6), std::tuple(6, 1, 3), std::tuple(6, 2, 3),
                                   std::tuple(6, 4, 3), std::tuple(6, 5, 3)));
  for (const PatternCell& cell : cells) EXPECT_EQ(cell.level, "network");
}

TEST(PatternPlanTest, PermutationsOfAnOddNumberLeaveOneOut) {
  EXPECT_THAT(CountsOf(PlanPatterns({Kind::kPermutation}, Shape(5, 1), {64})),
              UnorderedElementsAre(std::tuple(4, 1, 1), std::tuple(4, 1, 2), std::tuple(4, 1, 4)));
  EXPECT_THAT(CountsOf(PlanPatterns({Kind::kPermutation}, Shape(2, 1), {64})),
              ElementsAre(std::tuple(2, 1, 1)));
}

TEST(PatternPlanTest, NoCountIsWrong) {
  for (const int64_t ranks : {2, 3, 4, 7, 16, 65}) {
    for (const PatternCell& cell : PlanPatterns(AllKinds(), Shape(ranks, ranks), {0, 8, 65536})) {
      const auto where = testing::Message() << KindName(cell.kind) << " " << ranks;
      EXPECT_LE(cell.ranks, ranks) << where;
      EXPECT_LE(cell.senders, cell.ranks) << where;
      EXPECT_GE(cell.block_bytes, 0) << where;
      if (cell.kind != Kind::kBarrier) {
        EXPECT_GE(cell.messages, 1) << where;
      }
    }
  }
}

TEST(PatternPlanTest, TooLargeBuffersAreLeftOut) {
  PatternShape shape = Shape(4, 1);
  shape.rank_bytes = 2 * 8 * 1024;
  for (const PatternCell& cell : PlanPatterns(AllKinds(), shape, {8, 1024, 65536})) {
    EXPECT_LE(PatternBytes(cell), shape.rank_bytes) << KindName(cell.kind);
  }
  shape.rank_bytes = 0;
  EXPECT_THAT(PlanPatterns({Kind::kGap}, shape, {8}), IsEmpty());
}

TEST(PatternPlanTest, CellsOfTheSameRanksStandTogether) {
  std::set<std::pair<std::string, int64_t>> seen;
  const auto cells = PlanPatterns(AllKinds(), Shape(6, 4), {8, 1024});
  for (size_t i = 0; i < cells.size(); ++i) {
    const bool is_new =
        i == 0 || cells[i].level != cells[i - 1].level || cells[i].ranks != cells[i - 1].ranks;
    if (is_new) {
      EXPECT_TRUE(seen.insert({cells[i].level, cells[i].ranks}).second);
    }
  }
}

}  // namespace
}  // namespace cox::bench
