// Every block arrives: the messages that a strategy enumerates carry the blocks of its routing, and
// the routing brings each block to its destination.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "rank_counts.h"
#include "strategy/catalogue.h"
#include "topology/virtual_topology.h"

namespace cox::strategy {
namespace {

constexpr int64_t kMostRanks = 217;

struct Block {
  int64_t source;
  int64_t destination;
  int64_t at;
};

// The next rank of a block in a step; its current rank if it stays.
using NextHop = std::function<int64_t(const Block& block, int64_t step)>;

struct Routing {
  int64_t steps;      // in which blocks move
  int64_t most_hops;  // that a block makes
  NextHop next_hop;
};

struct Routed {
  const char* strategy;
  Routing (*routing)(int64_t ranks);
};

template <typename Topology>
Routing Through(int64_t ranks, int64_t phases) {
  const Topology topology(ranks);
  return {phases, phases, [topology](const Block& block, int64_t step) {
            return topology.NextHop(block.at, block.destination, step);
          }};
}

Routing Mesh2dRouting(int64_t ranks) {
  return Through<topology::Mesh2d>(ranks, topology::Mesh2d::kPhases);
}
Routing Grid3dRouting(int64_t ranks) {
  return Through<topology::Grid3d>(ranks, topology::Grid3d::kPhases);
}
Routing HypercubeRouting(int64_t ranks) {
  return Through<topology::Hypercube>(ranks, topology::Hypercube(ranks).phases());
}

Routing SquaresRouting(int64_t ranks) {
  return Through<topology::Squares>(ranks, topology::Squares::kPhases);
}

// Across the machine, across its halves, ...
Routing ButterflyRouting(int64_t ranks) {
  const int64_t steps = topology::Hypercube(ranks).dimensions;
  return {steps, steps, [steps](const Block& block, int64_t step) {
            const int64_t bit = int64_t{1} << (steps - 1 - step);
            return (block.at & ~bit) | (block.destination & bit);
          }};
}

Routing DirectRouting(int64_t) {
  return {1, 1, [](const Block& block, int64_t) { return block.destination; }};
}

// A block for the rank k further on moves by 2^i in step i if k has that bit.
Routing BruckRouting(int64_t ranks) {
  int64_t steps = 0;
  while ((int64_t{1} << steps) < ranks) ++steps;
  return {steps, steps, [ranks](const Block& block, int64_t step) {
            const int64_t distance = (block.destination - block.source + ranks) % ranks;
            const int64_t bit = int64_t{1} << step;
            return (distance & bit) != 0 ? (block.at + bit) % ranks : block.at;
          }};
}

// The blocks in the messages of an enumeration, by step; -1 for no message.
class Carried {
 public:
  explicit Carried(int64_t ranks) : ranks_(static_cast<size_t>(ranks)) {}

  double& At(size_t step, int64_t from, int64_t to) {
    if (steps_.size() <= step) steps_.resize(step + 1, std::vector<double>(ranks_ * ranks_, -1));
    return steps_[step][static_cast<size_t>(from) * ranks_ + static_cast<size_t>(to)];
  }
  void Add(size_t step, int64_t from, int64_t to, double blocks) {
    double& carried = At(step, from, to);
    carried = std::max(carried, 0.0) + blocks;
  }
  size_t steps() const { return steps_.size(); }
  friend bool operator==(const Carried& a, const Carried& b) { return a.steps_ == b.steps_; }

 private:
  size_t ranks_;
  std::vector<std::vector<double>> steps_;
};

// By step of the enumeration, or all as one step.
Carried Enumerated(const Strategy& strategy, int64_t ranks, bool as_one) {
  Carried carried(ranks);
  std::pair<int64_t, int64_t> current{-1, -1};
  size_t steps = 0;
  strategy.algorithm->enumerate(
      {.ranks = ranks, .block_bytes = 1}, strategy.knobs, [&](const Message& message) {
        const std::pair at(message.phase, message.repetition);
        if (at != current) ++steps;
        current = at;
        carried.Add(as_one ? 0 : steps - 1, message.source, message.destination, message.bytes);
      });
  return carried;
}

std::vector<Block> AllBlocks(int64_t ranks) {
  std::vector<Block> blocks;
  for (int64_t source = 0; source < ranks; ++source) {
    for (int64_t destination = 0; destination < ranks; ++destination) {
      if (source != destination) blocks.push_back({source, destination, source});
    }
  }
  return blocks;
}

class Delivery : public ::testing::TestWithParam<Routed> {};

TEST_P(Delivery, BringsEveryBlockToItsDestination) {
  const auto strategy = ParseStrategy(GetParam().strategy);
  ASSERT_TRUE(strategy.ok()) << strategy.status();
  for (const int64_t ranks : RankCountsUpTo(kMostRanks)) {
    if (!strategy->algorithm->applies({.ranks = ranks}, strategy->knobs).ok()) continue;
    const Routing routing = GetParam().routing(ranks);
    std::vector<Block> blocks = AllBlocks(ranks);
    std::vector<int64_t> hops(blocks.size());
    Carried carried(ranks);
    for (int64_t step = 0; step < routing.steps; ++step) {
      const size_t slot = carried.steps();
      for (size_t i = 0; i < blocks.size(); ++i) {
        Block& block = blocks[i];
        const int64_t next = routing.next_hop(block, step);
        ASSERT_TRUE(next >= 0 && next < ranks) << "p=" << ranks;
        if (next == block.at) continue;
        carried.Add(slot, block.at, next, 1);
        block.at = next;
        ++hops[i];
      }
    }
    for (size_t i = 0; i < blocks.size(); ++i) {
      ASSERT_EQ(blocks[i].at, blocks[i].destination) << "p=" << ranks;
      ASSERT_LE(hops[i], routing.most_hops) << "p=" << ranks;
    }
    ASSERT_TRUE(carried == Enumerated(*strategy, ranks, routing.steps == 1)) << "p=" << ranks;
  }
}

INSTANTIATE_TEST_SUITE_P(Alltoall, Delivery,
                         ::testing::Values(Routed{"alltoall/linear", DirectRouting},
                                           Routed{"alltoall/pairwise", DirectRouting},
                                           Routed{"alltoall/windowed?window=5", DirectRouting},
                                           Routed{"alltoall/bruck", BruckRouting},
                                           Routed{"alltoall/mesh2d", Mesh2dRouting},
                                           Routed{"alltoall/grid3d", Grid3dRouting},
                                           Routed{"alltoall/hypercube", HypercubeRouting},
                                           Routed{"alltoall/1-lev-perm-xor", DirectRouting},
                                           Routed{"alltoall/1-lev-perm-bal", DirectRouting},
                                           Routed{"alltoall/2-lev-rc", Mesh2dRouting},
                                           Routed{"alltoall/2-lev-sq", SquaresRouting},
                                           Routed{"alltoall/logp-lev-bfly", ButterflyRouting}),
                         [](const auto& info) {
                           std::string name = info.param.strategy;
                           name = name.substr(9, name.find('?') - 9);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Messages that ranks receive in the phases of a routed exchange.
std::vector<std::vector<int64_t>> Receives(const char* name, int64_t ranks) {
  const Strategy strategy = *ParseStrategy(name);
  std::vector<std::vector<int64_t>> receives;
  strategy.algorithm->enumerate({.ranks = ranks}, {}, [&](const Message& message) {
    const auto phase = static_cast<size_t>(message.phase);
    if (receives.size() <= phase) {
      receives.resize(phase + 1, std::vector<int64_t>(static_cast<size_t>(ranks)));
    }
    ++receives[phase][static_cast<size_t>(message.destination)];
  });
  return receives;
}

// Of Kale et al., Fig. 1: 14 ranks on 4 x 4, ranks 12 and 13 alone in the last row.
TEST(Mesh2d, GoesRoundHoles) {
  const topology::Mesh2d mesh(14);
  EXPECT_EQ(mesh.RowPeer(12, 2), 2);
  EXPECT_EQ(mesh.RowPeer(12, 3), 3);
  EXPECT_EQ(mesh.RowPeer(13, 2), 6);
  EXPECT_EQ(mesh.RowPeer(13, 3), 7);
  EXPECT_EQ(mesh.RowPeer(13, 0), 12);
}

// Of Fig. 2: 11 ranks on 3 x 4, where rank 3 receives from 8 and 10 besides its row.
TEST(Mesh2d, MayHearFromTwoMore) {
  const topology::Mesh2d mesh(11);
  EXPECT_EQ(mesh.RowPeer(8, 3), 3);
  EXPECT_EQ(mesh.RowPeer(10, 3), 3);
  EXPECT_EQ(mesh.RowPeer(9, 3), 7);
  EXPECT_EQ(Receives("alltoall/mesh2d", 11)[0][3], 3 + 2);
}

// Two more only where one hole is left of a mesh with one row less than columns.
TEST(Mesh2d, HearsFromAtMostTwoMore) {
  for (int64_t ranks = 1; ranks < 2000; ++ranks) {
    const topology::Mesh2d mesh(ranks);
    std::vector<int64_t> extra(static_cast<size_t>(ranks));
    for (int64_t rank = ranks - mesh.in_last_row; rank < ranks; ++rank) {
      for (int64_t column = mesh.in_last_row; column < mesh.columns; ++column) {
        const int64_t peer = mesh.RowPeer(rank, column);
        ASSERT_LT(peer, ranks - mesh.in_last_row);
        ASSERT_EQ(mesh.ColumnOf(peer), column);
        ++extra[static_cast<size_t>(peer)];
      }
    }
    const int64_t most = *std::max_element(extra.begin(), extra.end());
    const bool one_hole = mesh.columns >= 3 && ranks == mesh.columns * (mesh.columns - 1) - 1;
    ASSERT_EQ(most == 2, one_hole) << ranks;
    ASSERT_LE(most, 2) << ranks;
  }
}

TEST(Mesh2d, HearsNoMoreInAllThanOnAFullMesh) {
  for (int64_t ranks = 2; ranks <= 259; ++ranks) {
    std::vector<int64_t> all(static_cast<size_t>(ranks));
    for (const auto& phase : Receives("alltoall/mesh2d", ranks)) {
      std::transform(phase.begin(), phase.end(), all.begin(), all.begin(), std::plus<>());
    }
    ASSERT_LE(*std::max_element(all.begin(), all.end()), 2 * (topology::Mesh2d(ranks).columns - 1))
        << ranks;
  }
}

TEST(Grid3d, HearsAtMostTwiceAsMuchAsOnAFullGrid) {
  for (int64_t ranks = 2; ranks <= kMostRanks; ++ranks) {
    const int64_t side = topology::Grid3d(ranks).side;
    for (const auto& phase : Receives("alltoall/grid3d", ranks)) {
      ASSERT_LE(*std::max_element(phase.begin(), phase.end()), 2 * (side - 1)) << ranks;
    }
  }
}

TEST(Grid3d, OnePlaneIsAMesh) {
  std::set<int64_t> one_plane;
  for (int64_t ranks = 1; ranks < 5000; ++ranks) {
    const topology::Grid3d grid(ranks);
    if (grid.planes == 1) {
      one_plane.insert(ranks);
      ASSERT_EQ(grid.side, topology::Mesh2d(ranks).columns);
    }
    ASSERT_LE(grid.planes, grid.side);
    ASSERT_GE(grid.planes, grid.side - 2);
  }
  EXPECT_EQ(one_plane, (std::set<int64_t>{1, 2, 3, 4, 9}));
}

// Of Fig. 3: nine ranks, the ninth is the guest of the first.
TEST(Hypercube, TakesInGuests) {
  const topology::Hypercube cube(9);
  EXPECT_EQ(cube.dimensions, 3);
  EXPECT_EQ(cube.guests(), 1);
  EXPECT_EQ(cube.HostOf(8), 0);
  EXPECT_EQ(cube.phases(), 5);
  EXPECT_EQ(topology::Hypercube(1).phases(), 0);
  EXPECT_EQ(topology::Hypercube(8).phases(), 3);
}

}  // namespace
}  // namespace cox::strategy
