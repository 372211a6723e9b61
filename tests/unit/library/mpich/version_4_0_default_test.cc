#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "domain/collective.h"
#include "library/algorithms.h"
#include "library/default_choice.h"

namespace cox::library {
namespace {

using domain::Collective;
using strategy::Scenario;

Scenario On(int64_t nodes, int64_t ppn, Collective collective, int64_t block_bytes) {
  Scenario scenario;
  scenario.collective = collective;
  scenario.ranks = nodes * ppn;
  scenario.ppn = ppn;
  scenario.block_bytes = block_bytes;
  scenario.type_bytes = 1;
  return scenario;
}

// The name of the row; "" for none.
std::string Chosen(const Scenario& scenario, const Assumptions& assume = kUsualCalls) {
  const Algorithm* row = DefaultChoice("mpich-4.0", scenario, assume);
  return row == nullptr ? "" : std::string(row->native_name);
}

struct Boundary {
  Collective collective;
  int64_t ranks;
  int64_t first_byte;  // the first size of `then`; the size before has `before`
  const char* before;
  const char* then;
};

// Of 4.0.2's built-in tree, on one node and on nodes of one rank.
TEST(MpichDefaultTest, SwitchesAtTheByteWhereRanksAreNotSplit) {
  const Boundary kBoundaries[] = {
      {Collective::kBcast, 8, 12289, "binomial", "scatter_recursive_doubling_allgather"},
      {Collective::kBcast, 8, 524289, "scatter_recursive_doubling_allgather",
       "scatter_ring_allgather"},
      {Collective::kBcast, 9, 12289, "binomial", "scatter_ring_allgather"},
      {Collective::kBcast, 7, 524289, "binomial", "binomial"},
      {Collective::kAllreduce, 8, 9, "recursive_doubling", "reduce_scatter_allgather"},
      {Collective::kAllreduce, 17, 16, "recursive_doubling", "reduce_scatter_allgather"},
      {Collective::kReduce, 8, 2049, "binomial", "reduce_scatter_gather"},
      {Collective::kAllgather, 8, 65536, "recursive_doubling", "ring"},
      {Collective::kAllgather, 10, 8192, "brucks", "ring"},
      {Collective::kAllgatherv, 8, 65536, "recursive_doubling", "ring"},
      {Collective::kAlltoall, 8, 32769, "scattered", "pairwise"},
      {Collective::kAlltoall, 9, 257, "brucks", "scattered"},
      {Collective::kAlltoall, 9, 32769, "scattered", "pairwise"},
      {Collective::kReduceScatter, 8, 65536, "recursive_halving", "pairwise"},
      {Collective::kReduceScatterBlock, 8, 65536, "recursive_halving", "pairwise"},
      {Collective::kGather, 8, 1000, "binomial", "binomial"},
      {Collective::kScatterv, 8, 1000, "linear", "linear"},
      {Collective::kExscan, 8, 1000, "recursive_doubling", "recursive_doubling"},
      {Collective::kAlltoallw, 8, 1000, "scattered", "scattered"},
  };
  for (const Boundary& b : kBoundaries) {
    for (const auto& [nodes, ppn] : {std::pair{int64_t{1}, b.ranks}, {b.ranks, int64_t{1}}}) {
      EXPECT_EQ(Chosen(On(nodes, ppn, b.collective, b.first_byte - 1)), b.before)
          << domain::CollectiveName(b.collective) << " " << nodes << " nodes";
      EXPECT_EQ(Chosen(On(nodes, ppn, b.collective, b.first_byte)), b.then)
          << domain::CollectiveName(b.collective) << " " << nodes << " nodes";
    }
  }
}

TEST(MpichDefaultTest, CallsOfNothingAreThoseOfTheShortestMessage) {
  EXPECT_EQ(Chosen(On(1, 8, Collective::kBcast, 0)), "binomial");
  EXPECT_EQ(Chosen(On(1, 8, Collective::kAllreduce, 0)), "recursive_doubling");
}

TEST(MpichDefaultTest, BarrierAndScanEndWithABcastWhereRanksShareNodes) {
  EXPECT_EQ(Chosen(On(8, 1, Collective::kBarrier, 0)), "dissemination");
  EXPECT_EQ(Chosen(On(1, 8, Collective::kBarrier, 0)), "smp");
  EXPECT_EQ(Chosen(On(4, 2, Collective::kBarrier, 0)), "smp");
  EXPECT_EQ(Chosen(On(8, 1, Collective::kScan, 64)), "recursive_doubling");
  EXPECT_EQ(Chosen(On(1, 8, Collective::kScan, 64)), "smp");
  Scenario cyclic = On(4, 2, Collective::kScan, 64);
  EXPECT_EQ(Chosen(cyclic), "smp");
  cyclic.placement = strategy::Placement::kCyclic;
  EXPECT_EQ(Chosen(cyclic), "recursive_doubling");
}

// Several nodes of several ranks: a row only where all parts together have one.
TEST(MpichDefaultTest, WhatIsSplitIntoOtherPartsHasNoRow) {
  EXPECT_EQ(Chosen(On(4, 4, Collective::kBcast, 12287)), "smp");
  EXPECT_EQ(Chosen(On(4, 4, Collective::kBcast, 12288)), "");
  EXPECT_EQ(Chosen(On(4, 4, Collective::kBcast, 524287)), "");
  EXPECT_EQ(Chosen(On(4, 4, Collective::kBcast, 524289)), "scatter_ring_allgather");
  EXPECT_EQ(Chosen(On(3, 4, Collective::kBcast, 12289)), "scatter_ring_allgather");
  EXPECT_EQ(Chosen(On(3, 2, Collective::kBcast, 1 << 20)), "smp");
  EXPECT_EQ(Chosen(On(4, 4, Collective::kAllreduce, 8)), "smp");
  EXPECT_EQ(Chosen(On(4, 4, Collective::kAllreduce, 9)), "");
  EXPECT_EQ(Chosen(On(4, 4, Collective::kReduce, 2048)), "smp");
  EXPECT_EQ(Chosen(On(4, 4, Collective::kReduce, 2049)), "");
  EXPECT_EQ(Chosen(On(4, 4, Collective::kAllgather, 16)), "recursive_doubling");
  // A message more than any row has.
  for (const auto& [nodes, ppn] : {std::pair{1, 4}, {2, 2}}) {
    Scenario rooted = On(nodes, ppn, Collective::kBcast, 64);
    EXPECT_NE(Chosen(rooted), "");
    rooted.root = 1;
    EXPECT_EQ(Chosen(rooted), "");
  }
}

TEST(MpichDefaultTest, OperationsThatDoNotCommuteAreNotSplit) {
  EXPECT_EQ(Chosen(On(4, 4, Collective::kAllreduce, 4096), {}), "recursive_doubling");
  EXPECT_EQ(Chosen(On(4, 4, Collective::kReduce, 4096), {}), "binomial");
  EXPECT_EQ(Chosen(On(1, 8, Collective::kReduceScatter, 64), {}), "noncommutative");
  EXPECT_EQ(Chosen(On(1, 7, Collective::kReduceScatterBlock, 64), {}), "recursive_doubling");
}

TEST(MpichDefaultTest, WhateverIsChosenRuns) {
  for (int c = 0; c < domain::kCollectiveCount; ++c) {
    for (int64_t nodes : {1, 2, 3, 16}) {
      for (int64_t ppn : {1, 2, 5, 8}) {
        for (int64_t bytes : {0, 1, 7, 300, 5000, 100'000, 1'000'000}) {
          for (const Assumptions& assume : {kUsualCalls, Assumptions{}}) {
            const Scenario scenario = On(nodes, ppn, static_cast<Collective>(c), bytes);
            const Algorithm* row = DefaultChoice("mpich-4.0", scenario, assume);
            if (nodes == 1 && ppn == 1) {
              EXPECT_EQ(row, nullptr);
              continue;
            }
            if (row == nullptr) {
              EXPECT_GT(nodes, 1) << domain::CollectiveName(scenario.collective);
              continue;
            }
            EXPECT_EQ(row->collective, scenario.collective);
            if (bytes > 0) {
              EXPECT_NE(Effective(*row, scenario, assume), nullptr)
                  << domain::CollectiveName(scenario.collective) << " " << row->native_name << " "
                  << nodes << "x" << ppn << " " << bytes;
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace cox::library
