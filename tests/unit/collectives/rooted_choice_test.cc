// The library's choice of rooted operations: prices of trees, and what follows from them.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>

#include "collectives/choice/rooted_trees.h"
#include "collectives/protocols/broadcast_tree.h"
#include "gtest/gtest.h"
#include "topology/window_rule.h"

namespace cox::collectives {
namespace {

using topology::RootedTree;

std::string_view NameOf(int id) { return TreeKinds()[static_cast<size_t>(id)].name; }

// The sum over levels of what the busiest rank sends.
double CountedSeconds(const RootedTree& tree, double block_bytes,
                      const domain::CostProfile& costs) {
  double time_s = 0;
  for (int level = 0; level < tree.level_count(); ++level) {
    std::map<int64_t, double> busy_s;
    ForEachEdge(tree, level, [&](const RootedTree::Edge& edge) {
      const bool is_first = busy_s.count(edge.parent) == 0;
      busy_s[edge.parent] +=
          (is_first ? costs.alpha_s : costs.gap_s) +
          static_cast<double>(edge.blocks.count) * block_bytes * costs.beta_s_per_byte;
    });
    double most_s = 0;
    for (const auto& [rank, seconds] : busy_s) most_s = std::max(most_s, seconds);
    time_s += most_s;
  }
  return time_s;
}

TEST(RootedTrees, CostWhatTheBusiestRanksSend) {
  const domain::CostProfile costs{.alpha_s = 3e-6, .beta_s_per_byte = 2e-9, .gap_s = 1e-6};
  for (const TreeKind& kind : TreeKinds()) {
    for (int64_t ranks = 1; ranks <= 64; ++ranks) {
      if (!kind.takes(ranks)) continue;
      for (int64_t root : {int64_t{0}, ranks / 2, ranks - 1}) {
        const RootedTree tree = kind.make(ranks, root);
        EXPECT_NEAR(TreeSeconds(tree, root, 100, costs), CountedSeconds(tree, 100, costs), 1e-15)
            << kind.name << " of " << ranks << " from " << root;
      }
    }
  }
}

TEST(RootedTrees, FewMessagesWhereStartUpsAreDear) {
  const domain::CostProfile costs{.alpha_s = 1e-3, .beta_s_per_byte = 1e-12};
  EXPECT_EQ(NameOf(CheapestTree(1, 8, costs)), "linear");
  EXPECT_EQ(NameOf(CheapestTree(2, 8, costs)), "linear") << "the first of equals";
  for (int64_t ranks : {4, 7, 16, 64}) {
    EXPECT_EQ(NameOf(CheapestTree(ranks, 8, costs)), "binomial") << ranks;
  }
}

TEST(RootedTrees, NoDetoursWhereBytesAreDear) {
  const domain::CostProfile costs{.alpha_s = 0, .beta_s_per_byte = 1e-6};
  for (int64_t ranks : {4, 7, 16, 64}) {
    EXPECT_EQ(NameOf(CheapestTree(ranks, 8, costs)), "linear") << ranks;
  }
}

TEST(GatherChoice, HasAWindowOnlyWhereABufferIsStatedAndTooSmall) {
  domain::CostProfile costs;
  EXPECT_NE(ChooseGather(17, 15000, costs).id, WindowedId());
  costs.packet_bytes = 1500;
  costs.buffer_packets = 32;
  costs.send_gap_s = 124e-6;
  costs.receive_gap_s = 123e-6;
  // 10 packets each: more than 4 senders overrun 32 packets.
  const AlgorithmChoice choice = ChooseGather(17, 15000, costs);
  EXPECT_EQ(choice.id, WindowedId());
  EXPECT_EQ(choice.knob, topology::WindowFor({124e-6, 123e-6, 32}, 16, 10).window);
  EXPECT_EQ(FormatAlgorithm(choice, GatherRows()), "windowed?window=4");
  EXPECT_NE(ChooseGather(17, 1500, costs).id, WindowedId()) << "all at once";
  EXPECT_NE(ChooseGather(1, 15000, costs).id, WindowedId());
  EXPECT_NE(ChooseGather(17, 0, costs).id, WindowedId());
}

TEST(BroadcastChoice, IsPostalWhereSendersAreFreeBeforeMessagesArrive) {
  domain::CostProfile costs{.alpha_s = 10e-6, .beta_s_per_byte = 1e-9};
  EXPECT_EQ(FormatAlgorithm(ChooseBroadcast(8, costs), BroadcastRows()), "binomial");
  costs.alpha_cpu_s = 2e-6;
  EXPECT_EQ(FormatAlgorithm(ChooseBroadcast(8, costs), BroadcastRows()), "postal?latency=5");
  costs.gap_s = 5e-6;
  EXPECT_EQ(FormatAlgorithm(ChooseBroadcast(8, costs), BroadcastRows()), "postal?latency=2");
  EXPECT_EQ(FormatAlgorithm(ChooseBroadcast(1e6, costs), BroadcastRows()), "binomial")
      << "the wire keeps the sender";
}

TEST(BroadcastTree, EveryRankHearsOnceFromWhoSendsToIt) {
  for (const AlgorithmRow& row : BroadcastRows()) {
    for (int64_t knob : {0, 1, 3, 1 << 30}) {
      for (int ranks = 1; ranks <= 20; ++ranks) {
        const int root = ranks / 2;
        std::set<int> heard = {root};
        for (int rank = 0; rank < ranks; ++rank) {
          const BroadcastPeers peers = PeersOf({row.id, knob}, ranks, root, rank);
          EXPECT_EQ(peers.parent == -1, rank == root);
          for (const int child : peers.children) {
            EXPECT_EQ(PeersOf({row.id, knob}, ranks, root, child).parent, rank) << row.name;
            EXPECT_TRUE(heard.insert(child).second) << row.name;
          }
        }
        EXPECT_EQ(heard.size(), static_cast<size_t>(ranks)) << row.name;
      }
    }
  }
}

}  // namespace
}  // namespace cox::collectives
