#include "collectives/choice/cost.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace cox::collectives {
namespace {

domain::CostProfile Costs(double alpha_s, double beta_s_per_byte) {
  domain::CostProfile costs;
  costs.alpha_s = alpha_s;
  costs.beta_s_per_byte = beta_s_per_byte;
  return costs;
}

std::vector<Transfer> AllPairs(int ranks, double bytes) {
  std::vector<Transfer> transfers;
  for (int from = 0; from < ranks; ++from) {
    for (int to = 0; to < ranks; ++to) transfers.push_back({from, to, bytes});
  }
  return transfers;
}

// Equations (1), (2), (3) and (5) of the paper, for topologies without holes.
TEST(Cost, IsTheFormulaOfThePaper) {
  const domain::CostProfile costs = Costs(8e-6, 3e-9);
  const double m = 100;
  const auto alpha_beta = [&](double messages, double bytes) {
    return messages * (8e-6 + bytes * 3e-9);
  };
  EXPECT_NEAR(DirectSeconds(64, m, costs), alpha_beta(63, m), 1e-15);
  EXPECT_NEAR(RoutedSeconds(LoadsOf(Routing::kMesh2d, 64), m, costs), alpha_beta(2 * 7, 8 * m),
              1e-15);
  EXPECT_NEAR(RoutedSeconds(LoadsOf(Routing::kGrid3d, 64), m, costs), alpha_beta(3 * 3, 16 * m),
              1e-15);
  EXPECT_NEAR(RoutedSeconds(LoadsOf(Routing::kHypercube, 64), m, costs), alpha_beta(6, 32 * m),
              1e-15);
}

TEST(Cost, MessagesButTheFirstOfAPhaseCostTheGap) {
  domain::CostProfile costs = Costs(40, 1);
  costs.gap_s = 3;
  EXPECT_EQ(DirectSeconds(64, 2, costs), 40 + 62 * 3 + 63 * 2);
  EXPECT_EQ(RoutedSeconds(LoadsOf(Routing::kMesh2d, 64), 2, costs), 2 * (40 + 6 * 3 + 7 * 8 * 2));
  EXPECT_EQ(BruckSeconds(64, 0, costs), 6 * 40);
  EXPECT_EQ(DirectSeconds(1, 2, costs), 0);
}

TEST(Cost, OneRankCostsNothing) {
  const domain::CostProfile costs;
  EXPECT_EQ(DirectSeconds(1, 8, costs), 0);
  EXPECT_EQ(BruckSeconds(1, 8, costs), 0);
  EXPECT_EQ(RoutedSeconds(LoadsOf(Routing::kHypercube, 1), 8, costs), 0);
}

TEST(Cost, BruckMovesTheBlocksThatHaveTheBit) {
  const domain::CostProfile costs = Costs(0, 1);
  // Of five ranks' distances 1 .. 4: 1, 3; 2, 3; 4.
  EXPECT_EQ(BruckSeconds(5, 10, costs), 20 + 20 + 10);
  EXPECT_EQ(BruckSeconds(5, 10, Costs(1, 0)), 3);
}

// No rank sends more messages than there are ranks, and every rank sends all its blocks in the end.
TEST(Cost, EveryBlockIsSentAndReceived) {
  for (const Routing routing : {Routing::kMesh2d, Routing::kGrid3d, Routing::kHypercube}) {
    for (int ranks = 1; ranks <= 64; ++ranks) {
      for (const RouteLoads::Phase& phase : LoadsOf(routing, ranks).phases) {
        RouteLoads::Load sent, received;
        for (int rank = 0; rank < ranks; ++rank) {
          sent.messages += phase.sent[static_cast<size_t>(rank)].messages;
          sent.blocks += phase.sent[static_cast<size_t>(rank)].blocks;
          received.messages += phase.received[static_cast<size_t>(rank)].messages;
          received.blocks += phase.received[static_cast<size_t>(rank)].blocks;
        }
        EXPECT_EQ(sent.messages, received.messages) << ranks;
        EXPECT_EQ(sent.blocks, received.blocks) << ranks;
      }
    }
  }
}

TEST(Cost, LoadsAreThoseOfTheRoutes) {
  for (const Routing routing : {Routing::kMesh2d, Routing::kGrid3d, Routing::kHypercube}) {
    for (const int ranks : {3, 11, 17, 36}) {
      const RouteLoads loads = LoadsOf(routing, ranks);
      for (int rank = 0; rank < ranks; ++rank) {
        const Route route = MakeRoute(routing, ranks, rank);
        for (size_t phase = 0; phase < route.phases.size(); ++phase) {
          const RouteLoads::Load& sent = loads.phases[phase].sent[static_cast<size_t>(rank)];
          int64_t blocks = 0;
          for (const Route::Send& send : route.phases[phase].sends) {
            blocks += static_cast<int64_t>(send.slots.size());
          }
          EXPECT_EQ(sent.messages, static_cast<int>(route.phases[phase].sends.size()));
          EXPECT_EQ(sent.blocks, blocks);
        }
      }
    }
  }
}

// A pattern of all pairs costs as much as an all-to-all, apart from heads and records.
TEST(Cost, PatternOfAllPairsCostsAsMuchAsTheExchange) {
  const domain::CostProfile costs = Costs(5e-6, 2e-9);
  for (const int ranks : {2, 5, 11, 16, 23}) {
    const std::vector<Transfer> all = AllPairs(ranks, 64);
    EXPECT_NEAR(DirectPatternSeconds(ranks, all, costs), DirectSeconds(ranks, 64, costs), 1e-15);
    for (const Routing routing : {Routing::kMesh2d, Routing::kGrid3d, Routing::kHypercube}) {
      const RouteLoads loads = LoadsOf(routing, ranks);
      EXPECT_NEAR(RoutedPatternSeconds(routing, ranks, loads, all, costs),
                  RoutedSeconds(loads, 64 + kRecordBytes, costs, kHeadBytes), 1e-14)
          << ranks;
    }
  }
}

TEST(Cost, EmptyPatternPaysForTheMessagesOfTheTopology) {
  const domain::CostProfile costs = Costs(1, 1);
  EXPECT_EQ(DirectPatternSeconds(16, {}, costs), 0);
  const RouteLoads loads = LoadsOf(Routing::kMesh2d, 16);
  EXPECT_EQ(RoutedPatternSeconds(Routing::kMesh2d, 16, loads, {}, costs), 6 + 6 * kHeadBytes);
}

// By hand: the messages (the first alpha, each further one the gap), the acknowledgement, and a
// message in each of three rounds.
TEST(Cost, DirectManyToManyPaysForKnowingItsEnd) {
  domain::CostProfile costs = Costs(100, 1);
  costs.gap_s = 10;
  EXPECT_EQ(MessagesSeconds({3, 24}, costs), 100 + 2 * 10 + 24);
  EXPECT_EQ(MessagesSeconds({}, costs), 0);
  EXPECT_EQ(EndOfDirectSeconds(8, costs), 100 + 3 * 100);
  EXPECT_EQ(EndOfDirectSeconds(9, costs), 100 + 4 * 100);
  EXPECT_EQ(EndOfDirectSeconds(1, costs), 0);
}

TEST(Cost, LargestLoadIsTheSameInAnyOrder) {
  LargestLoad load = {2, 500};
  load.Add({5, 100});
  load.Add({2, 500});
  EXPECT_EQ(load.messages, 5);
  EXPECT_EQ(load.bytes, 500);
}

// By hand, 4 x 4: in each phase 3 messages of 4 blocks and a head.
TEST(Cost, HeadsAreCountedByMessages) {
  const RouteLoads loads = LoadsOf(Routing::kMesh2d, 16);
  EXPECT_EQ(RoutedSeconds(loads, 10, Costs(0, 1), 5), 2 * (3 * 4 * 10 + 3 * 5));
}

// Small blocks are combined; large ones are not sent twice.
TEST(Cost, OrderTurnsWithTheBlocks) {
  const domain::CostProfile costs;
  const RouteLoads cube = LoadsOf(Routing::kHypercube, 64);
  EXPECT_LT(RoutedSeconds(cube, 8, costs), DirectSeconds(64, 8, costs));
  EXPECT_GT(RoutedSeconds(cube, 1 << 20, costs), DirectSeconds(64, 1 << 20, costs));
}

}  // namespace
}  // namespace cox::collectives
