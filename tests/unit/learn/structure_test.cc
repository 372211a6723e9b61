#include "learn/structure.h"

#include <gtest/gtest.h>

#include "domain/collective.h"
#include "domain/limits.h"
#include "domain/profile.h"
#include "library/libraries.h"
#include "synthetic.h"

namespace cox::learn {
namespace {

strategy::Scenario ScenarioFor(domain::Collective collective, int64_t ranks, int64_t block_bytes) {
  strategy::Scenario scenario;
  scenario.collective = collective;
  scenario.ranks = ranks;
  scenario.block_bytes = block_bytes;
  return scenario;
}

strategy::Scenario OnSharedNodes(strategy::Scenario scenario) {
  scenario.ppn = 2;
  return scenario;
}

TEST(StructureTest, EveryRowWithAStrategyHasAStructureWhereItRunsAsItself) {
  int checked = 0;
  for (const library::Library& library : library::Libraries()) {
    for (const library::Algorithm& row : library.algorithms()) {
      if ((row.needs & library::kInPlace) != 0) continue;
      // 256 meets every need of a number of ranks.
      const int64_t ranks = (row.needs & library::kTwoRanks) != 0 ? 2 : 256;
      const Structure structure = ResolveRow(
          row, OnSharedNodes(ScenarioFor(row.collective, ranks, 1 << 20)), library::kUsualCalls);
      EXPECT_EQ(structure.effective, &row) << library.name << " " << row.native_name;
      EXPECT_EQ(structure.strategy != nullptr, !row.strategy.empty())
          << library.name << " " << row.native_name;
      ++checked;
    }
  }
  EXPECT_GT(checked, 30);
}

TEST(StructureTest, AFallbackIsResolvedToWhatRuns) {
  const Structure odd =
      Resolve("openmpi-4.1", "neighbor", ScenarioFor(domain::Collective::kAllgather, 7, 64),
              library::kUsualCalls);
  ASSERT_NE(odd.effective, nullptr);
  EXPECT_EQ(odd.row->native_name, "neighbor");
  EXPECT_EQ(odd.effective->native_name, "ring");
  const Structure fails =
      Resolve("openmpi-4.1", "two_proc", ScenarioFor(domain::Collective::kAllgather, 7, 64),
              library::kUsualCalls);
  EXPECT_NE(fails.row, nullptr);
  EXPECT_EQ(fails.effective, nullptr);
  EXPECT_EQ(fails.strategy, nullptr);
  const Structure operation =
      Resolve("openmpi-4.1", "rabenseifner", ScenarioFor(domain::Collective::kAllreduce, 8, 4096),
              library::Assumptions{});
  EXPECT_EQ(operation.effective->native_name, "basic_linear");
}

TEST(StructureTest, UnknownNamesHaveNone) {
  const auto scenario = ScenarioFor(domain::Collective::kAlltoall, 4, 8);
  EXPECT_EQ(Resolve("openmpi-4.1", "no_such", scenario, library::kUsualCalls).row, nullptr);
  EXPECT_EQ(Resolve("no-such-library", "pairwise", scenario, library::kUsualCalls).row, nullptr);
}

TEST(StructureTest, TheDefaultIsWhatTheLibraryPicks) {
  const Structure small =
      Resolve("openmpi-4.1", "default", ScenarioFor(domain::Collective::kAlltoall, 32, 511),
              library::kUsualCalls);
  ASSERT_NE(small.strategy, nullptr);
  EXPECT_EQ(strategy::FormatStrategy(*small.strategy), "alltoall/bruck");
  const Structure large =
      Resolve("openmpi-4.1", "default", ScenarioFor(domain::Collective::kAlltoall, 32, 512),
              library::kUsualCalls);
  ASSERT_NE(large.strategy, nullptr);
  EXPECT_EQ(strategy::FormatStrategy(*large.strategy), "alltoall/linear");
  // Recursive doubling, which an odd number of ranks turns into another.
  const Structure odd =
      Resolve("openmpi-4.1", "default", ScenarioFor(domain::Collective::kAllgather, 7, 64),
              library::kUsualCalls);
  EXPECT_EQ(odd.row->native_name, "recursive_doubling");
  EXPECT_EQ(odd.effective->native_name, "bruck");
  // With the knobs of the library's own decision, not of a tuning file.
  const Structure chain =
      Resolve("openmpi-4.1", "default", ScenarioFor(domain::Collective::kBcast, 7, 1 << 20),
              library::kUsualCalls);
  ASSERT_NE(chain.strategy, nullptr);
  EXPECT_EQ(strategy::FormatStrategy(*chain.strategy), "bcast/chain?fanout=1");
  // Chosen, but the catalogue lacks its structure.
  const Structure uneven =
      Resolve("openmpi-4.1", "default", ScenarioFor(domain::Collective::kBcast, 24, 1 << 20),
              library::kUsualCalls);
  EXPECT_NE(uneven.effective, nullptr);
  EXPECT_EQ(uneven.strategy, nullptr);
}

TEST(StructureTest, TheDefaultOfOthersIsNotKnown) {
  const auto scenario = ScenarioFor(domain::Collective::kAlltoall, 4, 8);
  EXPECT_EQ(Resolve("mvapich-3.0", "default", scenario, library::kUsualCalls).row, nullptr);
  EXPECT_EQ(Resolve("no-such-library", "default", scenario, library::kUsualCalls).row, nullptr);
  EXPECT_EQ(Resolve("openmpi-4.1", "default", ScenarioFor(domain::Collective::kAlltoall, 1, 8),
                    library::kUsualCalls)
                .row,
            nullptr);
}

TEST(StructureTest, CellsOutOfRangeAreNoScenario) {
  EXPECT_TRUE(ScenarioOf(MakeCell("alltoall", "pairwise", 2, 4, 64, 1)).has_value());
  EXPECT_FALSE(ScenarioOf(MakeCell("neighbor_alltoall", "pairwise", 2, 4, 0, 1)).has_value());
  Cell cell = MakeCell("alltoall", "pairwise", 2, 4, 64, 1);
  cell.type_bytes = 0;
  EXPECT_FALSE(ScenarioOf(cell).has_value());
  cell.type_bytes = 4;
  cell.ranks = domain::kMaxRanks + 1;
  EXPECT_FALSE(ScenarioOf(cell).has_value());
}

TEST(StructureTest, NothingToPriceIsZero) {
  const domain::Profile profile = HockneyProfile(1e-6, 1e-10, 2e-6, 2e-10);
  EXPECT_GT(PriceOf(MakeCell("alltoall", "pairwise", 2, 4, 64, 1), profile), 0);
  EXPECT_EQ(PriceOf(MakeCell("alltoall", "pairwise", 1, 1, 64, 1), profile), 0);
  EXPECT_EQ(PriceOf(MakeCell("bcast", "scatter_allgather", 3, 2, 64, 1), profile), 0);
}

}  // namespace
}  // namespace cox::learn
