#include "bench/block_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <utility>

namespace cox::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kPlenty = int64_t{256} << 20;

std::vector<int> FirstRanks(int count) {
  std::vector<int> ranks(static_cast<size_t>(count));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

// (kind, n) of the cells, once each, in their order.
std::vector<std::pair<Kind, int64_t>> PointsOf(const std::vector<BlockCell>& cells) {
  std::vector<std::pair<Kind, int64_t>> points;
  for (const BlockCell& cell : cells) {
    const std::pair<Kind, int64_t> point = {cell.pattern.kind, cell.n};
    if (points.empty() || points.back() != point) points.push_back(point);
  }
  return points;
}

std::string Refusal(Network network, const Frames& frames, std::vector<int64_t> counts,
                    int64_t rank_bytes = kPlenty) {
  const auto cells = PlanBlocks(network, frames, counts, {1, 1 << 20}, rank_bytes);
  return cells.ok() ? "accepted" : std::string(cells.status().message());
}

TEST(FramesTest, OneRankOfEachNodeSharesAWire) {
  const std::vector<std::vector<int>> nodes = {{0, 1}, {2, 3}, {4}};
  for (const Network network : {Network::kSharedMedium, Network::kMeshRow}) {
    const Frames frames = FramesOf(nodes, network, 0);
    EXPECT_THAT(frames.first, ElementsAre(0, 2, 4));
    EXPECT_THAT(frames.second, IsEmpty());
  }
  EXPECT_THAT(FramesOf({{0, 1, 2}}, Network::kSharedMedium, 0).first, ElementsAre(0, 1, 2))
      << "the ranks of a single node share its memory";
}

TEST(FramesTest, AFrameIsANodeOrSeveral) {
  const std::vector<std::vector<int>> nodes = {{0, 1}, {2}, {3, 4}, {5}, {6}};
  const Frames node = FramesOf(nodes, Network::kMultistage, 0);
  EXPECT_THAT(node.first, ElementsAre(0, 1));
  EXPECT_THAT(node.second, ElementsAre(3, 4)) << "the fullest other node";
  const Frames two = FramesOf(nodes, Network::kMultistage, 2);
  EXPECT_THAT(two.first, ElementsAre(0, 2));
  EXPECT_THAT(two.second, ElementsAre(3, 5));
  const Frames four = FramesOf(nodes, Network::kMultistage, 4);
  EXPECT_THAT(four.first, ElementsAre(0, 2, 3, 5));
  EXPECT_THAT(four.second, ElementsAre(6)) << "a frame that the job fills in part";
}

TEST(BlockPlanTest, AWireHasAlltoallsOfGrowingN) {
  const auto cells =
      *PlanBlocks(Network::kSharedMedium, {FirstRanks(4), {}}, {}, {1, 1024}, kPlenty);
  EXPECT_THAT(PointsOf(cells),
              ElementsAre(std::pair(Kind::kPingPong, 2), std::pair(Kind::kAllToAll, 2),
                          std::pair(Kind::kAllToAll, 3), std::pair(Kind::kAllToAll, 4)));
  EXPECT_EQ(cells.size(), 8) << "two sizes of each";
  EXPECT_THAT(cells.back().ranks, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(cells.back().pattern.messages, 3);
  EXPECT_EQ(PatternBytes(cells.back().pattern), 2 * 3 * 1024);
}

TEST(BlockPlanTest, PairsGoInsideAndAcrossFrames) {
  const Frames frames = {{0, 1, 2, 3, 4}, {8, 9, 10}};
  const auto cells = *PlanBlocks(Network::kMultistage, frames, {}, {1}, kPlenty);
  EXPECT_THAT(PointsOf(cells),
              ElementsAre(std::pair(Kind::kPingPong, 2), std::pair(Kind::kPairs, 1),
                          std::pair(Kind::kPairs, 2), std::pair(Kind::kPairsAcross, 1),
                          std::pair(Kind::kPairsAcross, 2), std::pair(Kind::kPairsAcross, 3)));
  // Pair i is rank i and rank n + i.
  EXPECT_THAT(cells[2].ranks, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(cells[4].ranks, ElementsAre(0, 1, 8, 9));
}

// Eq. (12): i to 2 n - i + 1, so every message passes the middle of the row.
TEST(BlockPlanTest, PairsOfARowEncloseEachOther) {
  const auto cells = *PlanBlocks(Network::kMeshRow, {FirstRanks(7), {}}, {}, {1}, kPlenty);
  EXPECT_THAT(PointsOf(cells), ElementsAre(std::pair(Kind::kPairs, 1), std::pair(Kind::kPairs, 2),
                                           std::pair(Kind::kPairs, 3)));
  EXPECT_THAT(cells[0].ranks, ElementsAre(0, 1));
  EXPECT_THAT(cells[2].ranks, ElementsAre(0, 1, 2, 5, 4, 3));
  EXPECT_EQ(cells[2].pattern.ranks, 6);
  EXPECT_EQ(cells[2].pattern.senders, 3);
}

TEST(BlockPlanTest, CountsAreWhatIsAskedOrGrow) {
  const Frames wide = {FirstRanks(40), {}};
  EXPECT_THAT(PointsOf(*PlanBlocks(Network::kMeshRow, wide, {}, {1}, kPlenty)),
              ElementsAre(std::pair(Kind::kPairs, 1), std::pair(Kind::kPairs, 2),
                          std::pair(Kind::kPairs, 3), std::pair(Kind::kPairs, 4),
                          std::pair(Kind::kPairs, 5), std::pair(Kind::kPairs, 6),
                          std::pair(Kind::kPairs, 7), std::pair(Kind::kPairs, 8),
                          std::pair(Kind::kPairs, 16)));
  EXPECT_THAT(PointsOf(*PlanBlocks(Network::kMeshRow, wide, {3, 20}, {1}, kPlenty)),
              ElementsAre(std::pair(Kind::kPairs, 3), std::pair(Kind::kPairs, 20)));
}

TEST(BlockPlanTest, RefusesWhatTheJobCannotHave) {
  EXPECT_THAT(Refusal(Network::kSharedMedium, {{0, 1}, {}}, {}),
              HasSubstr("blocks --network shared-medium needs 3 ranks"));
  EXPECT_THAT(Refusal(Network::kMultistage, {{0}, {1}}, {}), HasSubstr("--frame-nodes"));
  EXPECT_THAT(Refusal(Network::kMeshRow, {{0}, {}}, {}), HasSubstr("mesh-row needs 2 ranks"));
  EXPECT_THAT(Refusal(Network::kSharedMedium, {FirstRanks(4), {}}, {3, 5}),
              HasSubstr("--n: 5 is not between 2 and 4"));
  EXPECT_THAT(Refusal(Network::kSharedMedium, {FirstRanks(4), {}}, {1, 3}), HasSubstr("--n: 1 "));
  EXPECT_THAT(Refusal(Network::kMultistage, {FirstRanks(4), FirstRanks(3)}, {3}),
              HasSubstr("accepted"))
      << "three pairs go across";
  EXPECT_THAT(Refusal(Network::kSharedMedium, {FirstRanks(4), {}}, {}, 5 << 20),
              HasSubstr("--sizes: alltoall of 1 MiB among 4 ranks needs 6 MiB"));
}

TEST(BlockPlanTest, EveryNetworkHasANameOfItsOwn) {
  std::set<absl::string_view> names;
  for (const NetworkCard& card : Networks()) {
    EXPECT_TRUE(names.insert(card.name).second);
    ASSERT_NE(FindNetwork(card.name), nullptr);
    EXPECT_EQ(FindNetwork(card.name)->network, card.network);
    EXPECT_EQ(NetworkName(card.network), card.name);
  }
  EXPECT_EQ(FindNetwork("ring"), nullptr);
  for (const KindCard& card : BlockKinds()) EXPECT_EQ(KindName(card.kind), card.name);
}

}  // namespace
}  // namespace cox::bench
