#include "collectives/choice/route.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cox::collectives {
namespace {

// (source, destination)
using Block = std::pair<int, int>;

template <typename Items>
auto& At(Items& items, int i) {
  return items[static_cast<size_t>(i)];
}

// All ranks of an exchange; moves blocks by their routes alone.
class Exchange {
 public:
  Exchange(Routing routing, int ranks, int64_t columns) {
    for (int rank = 0; rank < ranks; ++rank) {
      routes_.push_back(MakeRoute(routing, ranks, rank, columns));
      slots_.emplace_back(static_cast<size_t>(routes_.back().slots), Block(-1, -1));
      for (int to = 0; to < ranks; ++to) slots_.back()[static_cast<size_t>(to)] = {rank, to};
    }
  }

  size_t phases() const { return routes_[0].phases.size(); }

  // Moves the blocks of a phase. Returns messages that no rank waited for, that were not sent, or
  // that had another number of blocks.
  int Run(size_t phase) {
    std::map<std::pair<int, int>, std::vector<Block>> messages;  // (from, to)
    for (int rank = 0; rank < ranks(); ++rank) {
      for (const Route::Send& send : At(routes_, rank).phases[phase].sends) {
        std::vector<Block>& message = messages[{rank, send.peer}];
        EXPECT_TRUE(message.empty()) << "two messages to one rank";
        for (const int slot : send.slots) message.push_back(At(At(slots_, rank), slot));
      }
    }
    int lost = 0;
    for (int rank = 0; rank < ranks(); ++rank) {
      for (const Route::Receive& receive : At(routes_, rank).phases[phase].receives) {
        const auto found = messages.find({receive.peer, rank});
        if (found == messages.end() || found->second.size() != static_cast<size_t>(receive.count)) {
          ++lost;
          continue;
        }
        for (int i = 0; i < receive.count; ++i) {
          At(At(slots_, rank), receive.first_slot + i) = found->second[static_cast<size_t>(i)];
        }
        messages.erase(found);
      }
    }
    return lost + static_cast<int>(messages.size());
  }

  bool IsDelivered() const {
    for (int rank = 0; rank < ranks(); ++rank) {
      for (int source = 0; source < ranks(); ++source) {
        const int slot = At(At(routes_, rank).from, source);
        if (At(At(slots_, rank), slot) != Block(source, rank)) return false;
      }
    }
    return true;
  }

 private:
  int ranks() const { return static_cast<int>(routes_.size()); }

  std::vector<Route> routes_;
  std::vector<std::vector<Block>> slots_;
};

struct Shape {
  Routing routing;
  int64_t columns = 0;
};

class Routes : public testing::TestWithParam<Shape> {};

TEST_P(Routes, ReceiversExpectWhatIsSentAndAllArrives) {
  for (int ranks = 1; ranks <= 64; ++ranks) {
    Exchange exchange(GetParam().routing, ranks, GetParam().columns);
    for (size_t phase = 0; phase < exchange.phases(); ++phase) {
      EXPECT_EQ(exchange.Run(phase), 0) << ranks << " ranks, phase " << phase;
    }
    EXPECT_TRUE(exchange.IsDelivered()) << ranks << " ranks";
  }
}

TEST_P(Routes, PeersAreInTheOrderOfTheirDistance) {
  for (const int ranks : {5, 16, 27, 50}) {
    for (int rank = 0; rank < ranks; ++rank) {
      for (const Route::Phase& phase :
           MakeRoute(GetParam().routing, ranks, rank, GetParam().columns).phases) {
        int former = 0;
        for (const Route::Send& send : phase.sends) {
          const int distance = (send.peer - rank + ranks) % ranks;
          EXPECT_GT(distance, former);
          former = distance;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Routes,
                         testing::Values(Shape{Routing::kMesh2d}, Shape{Routing::kMesh2d, 1},
                                         Shape{Routing::kMesh2d, 4}, Shape{Routing::kMesh2d, 7},
                                         Shape{Routing::kMesh2d, 100}, Shape{Routing::kGrid3d},
                                         Shape{Routing::kHypercube}));

TEST(Route, OneRankSendsNothing) {
  const Route route = MakeRoute(Routing::kMesh2d, 1, 0);
  for (const Route::Phase& phase : route.phases) EXPECT_TRUE(phase.sends.empty());
  EXPECT_EQ(route.from, std::vector<int>{0});
}

// Eight ranks on two nodes: three messages in the node, one to the other node.
TEST(Route, AMeshWithANodesRanksInARowLeavesTheNodeOnce) {
  const Route route = MakeRoute(Routing::kMesh2d, 8, 1, 4);
  ASSERT_EQ(route.phases.size(), 2u);
  ASSERT_EQ(route.phases[0].sends.size(), 3u);
  for (const Route::Send& send : route.phases[0].sends) EXPECT_LT(send.peer, 4);
  ASSERT_EQ(route.phases[1].sends.size(), 1u);
  EXPECT_EQ(route.phases[1].sends[0].peer, 5);
}

TEST(Route, MeshOfSixteenHasThreePeersInEachPhase) {
  const Route route = MakeRoute(Routing::kMesh2d, 16, 5);
  ASSERT_EQ(route.phases.size(), 2u);
  for (const Route::Phase& phase : route.phases) {
    ASSERT_EQ(phase.sends.size(), 3u);
    for (const Route::Send& send : phase.sends) EXPECT_EQ(send.slots.size(), 4u);
  }
  EXPECT_EQ(route.slots, 16 + 12 + 12);
}

}  // namespace
}  // namespace cox::collectives
