// Trees of rooted operations: every block reaches its rank through ranks that have it, peers agree
// with each other, and no tree is faster than the postal tree.
#include "topology/rooted_tree.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "topology/near_tree.h"
#include "topology/postal_tree.h"
#include "topology/roots.h"

namespace cox::topology {
namespace {

constexpr int64_t kMostRanks = 64;

bool Any(int64_t) { return true; }

struct Kind {
  const char* name;
  RootedTree (*make)(int64_t ranks, int64_t root);
  bool (*takes)(int64_t ranks);
};

class RootedTrees : public ::testing::TestWithParam<Kind> {
 protected:
  // For all ranks and roots that it takes.
  template <typename Check>
  void ForEachTree(const Check& check) {
    std::vector<int64_t> all = {81, 256};
    for (int64_t ranks = 1; ranks <= kMostRanks; ++ranks) all.push_back(ranks);
    for (int64_t ranks : all) {
      if (!GetParam().takes(ranks)) continue;
      for (int64_t root = 0; root < ranks; ++root) {
        check(GetParam().make(ranks, root), root);
        if (HasFailure()) FAIL() << ranks << " ranks, root " << root;
      }
    }
  }
};

std::set<int64_t> RanksOf(const RootedTree::Blocks& blocks, int64_t ranks) {
  std::set<int64_t> all;
  for (int64_t i = 0; i < blocks.count; ++i) all.insert((blocks.first + i) % ranks);
  return all;
}

TEST_P(RootedTrees, BringEveryBlockToItsRank) {
  ForEachTree([](const RootedTree& tree, int64_t root) {
    std::vector<std::set<int64_t>> held(static_cast<size_t>(tree.ranks()));
    held[static_cast<size_t>(root)] = RanksOf(tree.BlocksOf(root), tree.ranks());
    ASSERT_EQ(static_cast<int64_t>(held[static_cast<size_t>(root)].size()), tree.ranks());
    for (int level = 0; level < tree.level_count(); ++level) {
      ForEachEdge(tree, level, [&](const RootedTree::Edge& edge) {
        std::set<int64_t>& of_parent = held[static_cast<size_t>(edge.parent)];
        ASSERT_TRUE(held[static_cast<size_t>(edge.child)].empty()) << "heard twice";
        for (int64_t block : RanksOf(edge.blocks, tree.ranks())) {
          ASSERT_EQ(of_parent.erase(block), 1U) << "the parent does not have it";
          held[static_cast<size_t>(edge.child)].insert(block);
        }
      });
    }
    for (int64_t rank = 0; rank < tree.ranks(); ++rank) {
      ASSERT_EQ(held[static_cast<size_t>(rank)], std::set<int64_t>{rank});
    }
  });
}

TEST_P(RootedTrees, ChildrenKnowTheirParents) {
  ForEachTree([](const RootedTree& tree, int64_t root) {
    ASSERT_EQ(tree.LevelOf(root), -1);
    int64_t edges = 0;
    for (int level = 0; level < tree.level_count(); ++level) {
      ForEachEdge(tree, level, [&](const RootedTree::Edge& edge) {
        ++edges;
        ASSERT_EQ(tree.LevelOf(edge.child), level);
        const RootedTree::Edge known = tree.ParentOf(edge.child, level);
        ASSERT_EQ(known.parent, edge.parent);
        ASSERT_EQ(known.child, edge.child);
        ASSERT_EQ(known.blocks, edge.blocks);
        ASSERT_EQ(tree.BlocksOf(edge.child), edge.blocks);
      });
    }
    ASSERT_EQ(edges, tree.ranks() - 1);
  });
}

INSTANTIATE_TEST_SUITE_P(All, RootedTrees,
                         ::testing::Values(Kind{"linear", RootedTree::Linear, Any},
                                           Kind{"binomial", RootedTree::Binomial, Any},
                                           Kind{"two", RootedTree::TwoLevels, IsSquare},
                                           Kind{"three", RootedTree::ThreeLevels, IsFourthPower}),
                         [](const auto& info) { return info.param.name; });

TEST(RootedTree, TakesTheMostRanks) {
  const int64_t ranks = (int64_t{1} << 31) - 1;
  const RootedTree tree = RootedTree::Binomial(ranks, 7);
  EXPECT_EQ(tree.level_count(), 31);
  EXPECT_EQ(tree.ChildAt(7, 0, 0).child, 7 + (int64_t{1} << 30));
  EXPECT_EQ(tree.ChildAt(7, 0, 0).blocks.count, (int64_t{1} << 30) - 1);
}

TEST(NearTree, ChildrenKnowTheirParents) {
  for (int64_t ranks = 1; ranks <= kMostRanks; ++ranks) {
    for (int64_t root = 0; root < ranks; ++root) {
      const NearTree tree{ranks, root};
      std::set<int64_t> reached = {root};
      EXPECT_EQ(tree.ParentOf(root), -1);
      for (int64_t distance = 1; distance < ranks; distance *= 2) {
        const std::set<int64_t> senders = reached;
        for (int64_t rank = 0; rank < ranks; ++rank) {
          const int64_t child = tree.ChildAt(rank, distance);
          if (child < 0) continue;
          ASSERT_TRUE(senders.count(rank) > 0) << ranks << " ranks, root " << root;
          ASSERT_EQ(tree.ParentOf(child), rank) << ranks << " ranks, root " << root;
          ASSERT_TRUE(reached.insert(child).second);
        }
      }
      ASSERT_EQ(static_cast<int64_t>(reached.size()), ranks);
    }
  }
}

// The earliest time at which all ranks can have the message, by search: every rank that has it
// keeps sending to ranks without it.
int64_t SoonestByTrying(int64_t ranks, int64_t latency) {
  std::vector<int64_t> arrivals = {0};
  int64_t now = 0;
  for (; static_cast<int64_t>(arrivals.size()) < ranks; ++now) {
    const auto senders = std::count_if(arrivals.begin(), arrivals.end(),
                                       [now](int64_t arrival) { return arrival <= now; });
    for (int64_t i = 0; i < senders; ++i) arrivals.push_back(now + latency);
  }
  arrivals.resize(static_cast<size_t>(ranks));
  return *std::max_element(arrivals.begin(), arrivals.end());
}

TEST(PostalTree, IsAsFastAsCanBe) {
  for (int64_t latency : {1, 2, 3, 4, 7, 20, 100}) {
    for (int64_t ranks = 1; ranks <= 2 * kMostRanks; ++ranks) {
      const int64_t root = ranks / 3;
      const PostalTree tree(ranks, root, latency);
      ASSERT_EQ(tree.time(), SoonestByTrying(ranks, latency)) << ranks << ", " << latency;
      int64_t last = 0;
      std::set<int64_t> reached = {root};
      for (int64_t rank = 0; rank < ranks; ++rank) {
        const PostalTree::Place place = tree.PlaceOf(rank);
        ASSERT_EQ(place.parent == -1, rank == root);
        last = std::max(last, place.arrival);
        for (size_t i = 0; i < place.children.size(); ++i) {
          const PostalTree::Place child = tree.PlaceOf(place.children[i]);
          ASSERT_EQ(child.parent, rank);
          ASSERT_EQ(child.arrival, place.arrival + static_cast<int64_t>(i) + latency);
          ASSERT_TRUE(reached.insert(place.children[i]).second);
        }
      }
      ASSERT_EQ(static_cast<int64_t>(reached.size()), ranks);
      ASSERT_EQ(last, tree.time());
    }
  }
}

// The example of Tam and Wang, whose binomial tree takes 12.
TEST(PostalTree, Takes9UnitsFor16RanksAtLatency3) {
  EXPECT_EQ(PostalTree(16, 0, 3).time(), 9);
  EXPECT_EQ(PostalTree(16, 0, 1).time(), 4);
  EXPECT_EQ(PostalTree(1, 0, 3).time(), 0);
}

}  // namespace
}  // namespace cox::topology
