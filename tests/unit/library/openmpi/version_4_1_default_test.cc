#include <gtest/gtest.h>

#include <cstdint>

#include "domain/collective.h"
#include "domain/limits.h"
#include "library/algorithms.h"
#include "library/default_choice.h"
#include "strategy/catalogue.h"

namespace cox::library {
namespace {

using domain::Collective;
using domain::CollectiveName;
using domain::kCollectiveCount;
using domain::kMaxBlockBytes;
using domain::kMaxRanks;
using strategy::ParseStrategy;
using strategy::Scenario;

constexpr int64_t kK = 1024;
constexpr int64_t kM = 1024 * kK;

// The number of the default; 0 for none.
int Chosen(Collective collective, int64_t ranks, int64_t block_bytes,
           const Assumptions& assume = kUsualCalls) {
  Scenario scenario;
  scenario.collective = collective;
  scenario.ranks = ranks;
  scenario.block_bytes = block_bytes;
  const Algorithm* row = DefaultChoice("openmpi-4.1", scenario, assume);
  return row == nullptr ? 0 : row->native_id;
}

struct Boundary {
  Collective collective;
  int64_t ranks;
  int64_t first_byte;  // the first size of `then`; the size before has `before`
  int before;
  int then;
};

// From coll_tuned_decision_fixed.c of Open MPI 4.1.4.
TEST(DefaultDecisionTest, SwitchesAtTheByte) {
  const Boundary kBoundaries[] = {
      {Collective::kAlltoall, 2, 2, 2, 5},
      {Collective::kAlltoall, 2, kM, 5, 2},
      {Collective::kAlltoall, 3, 8 * kK, 4, 1},
      {Collective::kAlltoall, 7, kM, 2, 1},
      {Collective::kAlltoall, 31, 4, 4, 3},
      {Collective::kAlltoall, 48, 512, 3, 1},
      {Collective::kAlltoall, 100, 256 * kK, 1, 2},
      {Collective::kAlltoall, 1023, 128 * kK, 4, 1},
      {Collective::kAlltoall, 5000, 64 * kK, 1, 4},
      {Collective::kBcast, 3, 32, 3, 5},
      {Collective::kBcast, 2, 512, 3, 7},
      {Collective::kBcast, 7, kM, 1, 2},
      {Collective::kBcast, 31, kM, 6, 8},
      {Collective::kBcast, 200, 2, 6, 5},
      {Collective::kBcast, 1000, 32 * kK, 4, 7},
      {Collective::kBcast, 5000, 256 * kK, 7, 8},
      {Collective::kAllreduce, 2, 8, 4, 3},
      {Collective::kAllreduce, 3, 64 * kK, 4, 5},
      {Collective::kAllreduce, 5, 8 * kK, 3, 6},
      {Collective::kAllreduce, 33, 128, 5, 6},
      {Collective::kAllreduce, 255, 128 * kK, 2, 3},
      {Collective::kAllreduce, 3000, 4 * kK, 5, 3},
      {Collective::kAllreduce, 4096, 32 * kK, 3, 6},
      // Of reduce_scatter, the first block with which all of them reach the size.
      {Collective::kReduceScatter, 2, 32 * kK, 3, 4},
      {Collective::kReduceScatter, 8, 32 * kK, 2, 3},
      {Collective::kReduceScatter, 32, 64, 2, 4},
      {Collective::kReduceScatter, 33, 2, 1, 2},
      {Collective::kReduceScatter, 64, 32, 4, 2},
      {Collective::kReduceScatter, 512, 16, 4, 2},
      {Collective::kReduceScatter, 5000, 2, 2, 4},
      {Collective::kReduceScatterBlock, 3, 4, 2, 4},
      {Collective::kReduceScatterBlock, 7, kM, 3, 1},
      {Collective::kReduceScatterBlock, 15, 512 * kK, 3, 1},
      {Collective::kReduceScatterBlock, 16, 4 * kM, 3, 4},
      {Collective::kReduceScatterBlock, 500, 64 * kK, 4, 1},
      {Collective::kReduce, 2, 8, 7, 4},
      {Collective::kReduce, 3, 256 * kK, 1, 3},
      {Collective::kReduce, 3, kM, 2, 3},
      {Collective::kReduce, 7, 4 * kK, 4, 2},
      {Collective::kReduce, 4, 512 * kK, 1, 5},
      {Collective::kReduce, 15, 8 * kK, 4, 5},
      {Collective::kReduce, 300, 16 * kK, 6, 5},
      {Collective::kReduce, 2048, 512, 5, 6},
      {Collective::kReduce, 5000, 32, 6, 5},
      {Collective::kAllgather, 63, kK, 3, 5},
      {Collective::kAllgather, 200, 512 * kK, 4, 5},
      {Collective::kAllgather, 300, 32, 3, 2},
      {Collective::kAllgather, 1500, 4, 3, 2},
      {Collective::kAllgather, 1500, 4 * kK, 3, 5},
      {Collective::kAllgather, 4096, 2, 3, 2},
      {Collective::kAllgatherv, 2, 4 * kK, 5, 3},
      {Collective::kAllgatherv, 7, 256 * kK, 2, 4},
      {Collective::kAllgatherv, 16, 128, 1, 2},
      {Collective::kAllgatherv, 200, 64 * kK, 4, 3},
      {Collective::kAllgatherv, 512, 512, 2, 1},
      {Collective::kAllgatherv, 16384, 4 * kK, 2, 4},
      {Collective::kGather, 3, 4, 1, 2},
      {Collective::kGather, 4, 256 * kK, 1, 3},
      {Collective::kGather, 300, 2 * kK, 2, 1},
      {Collective::kScatter, 2, 128 * kK, 1, 3},
      {Collective::kScatter, 8, 16 * kK, 2, 3},
      {Collective::kScatter, 63, 8 * kK, 3, 2},
      {Collective::kScatter, 5000, 512, 2, 3},
  };
  for (const Boundary& boundary : kBoundaries) {
    EXPECT_EQ(Chosen(boundary.collective, boundary.ranks, boundary.first_byte - 1), boundary.before)
        << CollectiveName(boundary.collective) << " p=" << boundary.ranks << " before "
        << boundary.first_byte;
    EXPECT_EQ(Chosen(boundary.collective, boundary.ranks, boundary.first_byte), boundary.then)
        << CollectiveName(boundary.collective) << " p=" << boundary.ranks << " at "
        << boundary.first_byte;
  }
}

TEST(DefaultDecisionTest, SwitchesAtTheRank) {
  EXPECT_EQ(Chosen(Collective::kAllgather, 2, 64 * kK), 6);
  EXPECT_EQ(Chosen(Collective::kAllgather, 3, 64 * kK), 3);
  EXPECT_EQ(Chosen(Collective::kAllgather, 31, 64 * kK), 3);
  EXPECT_EQ(Chosen(Collective::kAllgather, 32, 64 * kK), 4);
  EXPECT_EQ(Chosen(Collective::kAlltoall, 15, 100), 4);
  EXPECT_EQ(Chosen(Collective::kAlltoall, 16, 100), 3);
  EXPECT_EQ(Chosen(Collective::kBcast, 63, 100), 6);
  EXPECT_EQ(Chosen(Collective::kBcast, 64, 100), 7);
  const std::pair<int64_t, int> kBarriers[] = {
      {2, 3},   {3, 3},   {4, 1},   {7, 1},    {8, 3},    {63, 3},   {64, 4},  {255, 4},
      {256, 6}, {511, 6}, {512, 4}, {1023, 4}, {1024, 6}, {4095, 6}, {4096, 4}};
  for (const auto& [ranks, id] : kBarriers) {
    EXPECT_EQ(Chosen(Collective::kBarrier, ranks, 0), id) << ranks;
  }
  const std::pair<int64_t, int> kAlltoallvs[] = {{3, 2},    {4, 1},   {63, 1},  {64, 2},
                                                 {127, 2},  {128, 1}, {255, 1}, {256, 2},
                                                 {1023, 2}, {1024, 1}};
  for (const auto& [ranks, id] : kAlltoallvs) {
    EXPECT_EQ(Chosen(Collective::kAlltoallv, ranks, 5000), id) << ranks;
  }
  EXPECT_EQ(Chosen(Collective::kGather, 255, 4 * kK), 2);
  EXPECT_EQ(Chosen(Collective::kGather, 256, 4 * kK), 1);
  EXPECT_EQ(Chosen(Collective::kScan, 100, 1000), 1);
  EXPECT_EQ(Chosen(Collective::kExscan, 100, 1000), 1);
  EXPECT_EQ(Chosen(Collective::kReduce, 15, 5000), 4);
  EXPECT_EQ(Chosen(Collective::kReduce, 16, 5000), 5);
  EXPECT_EQ(Chosen(Collective::kAllreduce, 127, 1000), 3);
  EXPECT_EQ(Chosen(Collective::kAllreduce, 128, 1000), 2);
}

TEST(DefaultDecisionTest, OperationsThatDoNotCommuteHaveTheirOwnRows) {
  EXPECT_EQ(Chosen(Collective::kAllreduce, 3, 128 * kK - 1, {}), 3);
  EXPECT_EQ(Chosen(Collective::kAllreduce, 3, 128 * kK, {}), 1);
  EXPECT_EQ(Chosen(Collective::kAllreduce, 9, kM, {}), 2);
  EXPECT_EQ(Chosen(Collective::kAllreduce, 500, 4 * kK, {}), 3);
  EXPECT_EQ(Chosen(Collective::kAllreduce, 100000, 2 * kK, {}), 3);
  EXPECT_EQ(Chosen(Collective::kAllreduce, 100000, 2 * kK, kUsualCalls), 5);
  EXPECT_EQ(Chosen(Collective::kReduce, 3, 8, {}), 1);
  EXPECT_EQ(Chosen(Collective::kReduce, 15, 256 * kK - 1, {}), 1);
  EXPECT_EQ(Chosen(Collective::kReduce, 15, 256 * kK, {}), 6);
  EXPECT_EQ(Chosen(Collective::kReduce, 200, 512, {}), 1);
  EXPECT_EQ(Chosen(Collective::kReduce, 200, kK, {}), 6);
}

// All are right for operations that do not commute.
TEST(DefaultDecisionTest, OperationsThatDoNotCommuteAreSafe) {
  for (int64_t ranks = 2; ranks < 5000; ranks = ranks * 3 / 2 + 1) {
    for (int64_t bytes = 0; bytes <= 16 * kM; bytes = 2 * bytes + 1) {
      for (Collective collective : {Collective::kAllreduce, Collective::kReduce,
                                    Collective::kReduceScatter, Collective::kReduceScatterBlock}) {
        Scenario scenario;
        scenario.collective = collective;
        scenario.ranks = ranks;
        scenario.block_bytes = bytes;
        const Algorithm* row = DefaultChoice("openmpi-4.1", scenario, {});
        ASSERT_NE(row, nullptr);
        EXPECT_TRUE(row->safe_for_any_operation) << ranks << " " << bytes;
      }
    }
  }
}

// Every scenario has a choice, and its fallbacks end at code that runs.
TEST(DefaultDecisionTest, EveryScenarioHasAChoiceThatRuns) {
  for (int c = 0; c < kCollectiveCount; ++c) {
    for (int64_t ranks : {int64_t{2}, int64_t{3}, int64_t{7}, int64_t{96}, int64_t{511},
                          int64_t{4095}, int64_t{1} << 20, kMaxRanks}) {
      for (int64_t bytes : {int64_t{0}, int64_t{1}, 3 * kK, kM, kMaxBlockBytes}) {
        Scenario scenario;
        scenario.collective = static_cast<Collective>(c);
        scenario.ranks = ranks;
        scenario.block_bytes = bytes;
        const Algorithm* row = DefaultChoice("openmpi-4.1", scenario, kUsualCalls);
        ASSERT_NE(row, nullptr) << CollectiveName(scenario.collective);
        EXPECT_EQ(row->collective, scenario.collective);
        EXPECT_NE(Effective(*row, scenario, kUsualCalls), nullptr)
            << CollectiveName(scenario.collective) << " " << ranks << " " << bytes;
      }
    }
  }
}

// Every bcast has a structure, except where ranks are not a power of two and the library
// scatters and gathers by recursive doubling.
TEST(DefaultDecisionTest, EveryBcastHasAStructure) {
  for (int64_t ranks = 2; ranks < 10'000; ranks = ranks * 4 / 3 + 1) {
    for (int64_t bytes = 0; bytes <= 16 * kM; bytes = 2 * bytes + 1) {
      Scenario scenario;
      scenario.collective = Collective::kBcast;
      scenario.ranks = ranks;
      scenario.block_bytes = bytes;
      const Algorithm* row = DefaultChoice("openmpi-4.1", scenario, kUsualCalls);
      ASSERT_NE(row, nullptr);
      const Algorithm* running = Effective(*row, scenario, kUsualCalls);
      ASSERT_NE(running, nullptr);
      EXPECT_TRUE(ParseStrategy(running->strategy).ok()) << ranks << " " << bytes;
    }
  }
}

TEST(DefaultDecisionTest, OthersHaveNone) {
  Scenario scenario;
  scenario.ranks = 8;
  EXPECT_EQ(DefaultChoice("mvapich-3.0", scenario, kUsualCalls), nullptr);
  EXPECT_EQ(DefaultChoice("", scenario, kUsualCalls), nullptr);
  scenario.ranks = 1;
  EXPECT_EQ(DefaultChoice("openmpi-4.1", scenario, kUsualCalls), nullptr);
}

TEST(DefaultDecisionTest, VariantsAreRowsOfTheLibraryWithOtherKnobs) {
  for (const Algorithm& variant : DefaultVariants()) {
    ASSERT_TRUE(ParseStrategy(variant.strategy).ok()) << variant.strategy;
    if (variant.native_id < 0) {
      EXPECT_FALSE(Lists(variant.library, variant.collective)) << variant.strategy;
      continue;
    }
    const Algorithm* listed =
        FindNativeAlgorithm(variant.library, variant.collective, variant.native_id);
    ASSERT_NE(listed, nullptr);
    EXPECT_EQ(listed->native_name, variant.native_name);
    const auto own = ParseStrategy(variant.strategy);
    const auto listed_strategy = ParseStrategy(listed->strategy);
    ASSERT_TRUE(own.ok() && listed_strategy.ok());
    EXPECT_EQ(own->algorithm, listed_strategy->algorithm);
    EXPECT_FALSE(own->knobs == listed_strategy->knobs);
  }
  // A chain of the library's own choice is a single one.
  Scenario scenario;
  scenario.collective = Collective::kBcast;
  scenario.ranks = 7;
  scenario.block_bytes = kM;
  EXPECT_EQ(DefaultChoice("openmpi-4.1", scenario, kUsualCalls)->strategy, "bcast/chain?fanout=1");
}

}  // namespace
}  // namespace cox::library
