// Trees: parents and children agree, and every segment arrives.
#include "strategy/algorithms/rooted/segmented_tree.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "domain/collective.h"
#include "gtest/gtest.h"
#include "strategy/catalogue.h"

namespace cox::strategy {
namespace {

using Edges = std::set<std::pair<int64_t, int64_t>>;  // parent, child

Edges EdgesOf(const Tree& tree, int64_t ranks) {
  Edges edges;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    Peers children;
    tree.Sends(rank, &children);
    for (const PeerRun& run : children) edges.emplace(rank, run.first);
  }
  return edges;
}

TEST(BinaryTree, IsThatOfOpenMpi) {
  EXPECT_EQ(EdgesOf(BinaryTree({.ranks = 8}), 8),
            (Edges{{0, 1}, {0, 2}, {1, 3}, {1, 5}, {2, 4}, {2, 6}, {3, 7}}));
  EXPECT_EQ(EdgesOf(BinaryTree({.ranks = 4, .root = 2}), 4), (Edges{{2, 3}, {2, 0}, {3, 1}}));
}

TEST(InOrderBinaryTree, IsThatOfOpenMpi) {
  EXPECT_EQ(EdgesOf(InOrderBinaryTree({.ranks = 6}), 6),
            (Edges{{5, 2}, {5, 4}, {2, 0}, {2, 1}, {4, 3}}));
  EXPECT_EQ(EdgesOf(InOrderBinaryTree({.ranks = 2}), 2), (Edges{{1, 0}}));
}

template <typename Kind>
void IsATree(int64_t ranks, int64_t root, int64_t top) {
  const Kind tree({.ranks = ranks, .root = root});
  const Edges edges = EdgesOf(tree, ranks);
  ASSERT_EQ(static_cast<int64_t>(edges.size()), ranks - 1);
  int64_t height = 0;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    Peers parents;
    tree.Receives(rank, &parents);
    int64_t parent = -1;
    for (const PeerRun& run : parents) parent = run.first;
    height = std::max(height, tree.DepthOf(rank));
    if (rank == top) {
      ASSERT_EQ(parent, -1);
      ASSERT_EQ(tree.DepthOf(rank), 0);
    } else {
      ASSERT_TRUE(edges.contains({parent, rank})) << ranks << " " << rank;
      ASSERT_EQ(tree.DepthOf(rank), tree.DepthOf(parent) + 1) << ranks << " " << rank;
    }
  }
  ASSERT_EQ(tree.height(), height) << ranks;
}

TEST(Trees, ReachEveryRankOnce) {
  for (int64_t ranks = 1; ranks < 200; ++ranks) {
    for (int64_t root : {int64_t{0}, ranks / 2, ranks - 1}) {
      IsATree<BinaryTree>(ranks, root, root);
      IsATree<InOrderBinaryTree>(ranks, root, ranks - 1);
    }
  }
}

// A rank has every byte that it sends, and in the end all ranks have the whole message. In a stage
// of a pipeline a rank passes on what comes in this stage.
class Broadcast : public ::testing::TestWithParam<const char*> {};

TEST_P(Broadcast, ReachesEveryRankInTime) {
  const Strategy strategy = *ParseStrategy(GetParam());
  constexpr int64_t kBytes = 4000;
  for (int64_t ranks = 2; ranks <= 70; ++ranks) {
    for (int64_t root : {int64_t{0}, ranks / 3, ranks - 1}) {
      const Scenario scenario{.collective = domain::Collective::kBcast,
                              .ranks = ranks,
                              .block_bytes = kBytes,
                              .root = root};
      model::Schedule schedule;
      Build(strategy, scenario, &schedule);
      std::map<std::pair<int64_t, int64_t>, std::vector<Message>> steps;
      strategy.algorithm->enumerate(scenario, strategy.knobs, [&](const Message& message) {
        steps[{message.phase, message.repetition}].push_back(message);
      });
      std::vector<double> has(static_cast<size_t>(ranks));
      has[static_cast<size_t>(root)] = kBytes;
      std::map<std::pair<int64_t, int64_t>, double> passed;  // from a rank to another
      for (const auto& [when, messages] : steps) {
        const bool is_pipelined =
            schedule[static_cast<size_t>(when.first)].repetitions == model::Repetitions::kPipelined;
        std::vector<double> before = has;
        for (const Message& message : messages) {
          if (is_pipelined) before = has;
          const auto source = static_cast<size_t>(message.source);
          const auto destination = static_cast<size_t>(message.destination);
          double& sent = passed[{message.source, message.destination}];
          sent += message.bytes;
          ASSERT_LE(sent, before[source]) << ranks << " from " << source << " to " << destination;
          has[destination] += message.bytes;
        }
      }
      for (const double bytes : has) ASSERT_EQ(bytes, kBytes) << ranks;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Broadcast,
                         ::testing::Values("bcast/linear", "bcast/binomial", "bcast/binomial-far",
                                           "bcast/chain?fanout=3&segment=600",
                                           "bcast/pipeline?segment=1000", "bcast/binary",
                                           "bcast/binary?segment=900", "bcast/split-binary",
                                           "bcast/split-binary?segment=300", "bcast/knomial",
                                           "bcast/knomial?radix=2", "bcast/knomial?radix=100"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) {
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           }
                           return name;
                         });

TEST(Knomial, HasAPhaseForEachPowerOfItsRadix) {
  const Strategy strategy = *ParseStrategy("bcast/knomial");
  const auto phases = [&](int64_t ranks, int64_t radix) {
    model::Schedule schedule;
    strategy.algorithm->build({.ranks = ranks, .block_bytes = 10}, {.radix = radix}, &schedule);
    return schedule.size();
  };
  EXPECT_EQ(phases(64, 0), 3U);
  EXPECT_EQ(phases(65, 0), 4U);
  EXPECT_EQ(phases(64, 2), 6U);
  EXPECT_EQ(phases(64, 64), 1U);
  EXPECT_EQ(phases(64, int64_t{1} << 60), 1U);
  EXPECT_EQ(strategy.algorithm->applies({.ranks = 8}, {.radix = 1}).message(),
            "takes a radix of at least 2, not 1");
}

TEST(BinaryTree, TakesAStagePerLevelAndOneMorePerSegment) {
  const Strategy strategy = *ParseStrategy("bcast/binary?segment=1000");
  model::Schedule schedule;
  Build(strategy, {.collective = domain::Collective::kBcast, .ranks = 15, .block_bytes = 4000},
        &schedule);
  ASSERT_EQ(schedule.size(), 1U);
  EXPECT_EQ(schedule[0].times, 3 + 3);
  EXPECT_EQ(schedule[0].traffic.any.sends_count, 2);
  EXPECT_EQ(schedule[0].traffic.any.out_bytes, 2000);
  EXPECT_FALSE(schedule[0].traffic.disjoint);
}

}  // namespace
}  // namespace cox::strategy
