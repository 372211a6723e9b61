#include "library/algorithms.h"

#include <set>
#include <string>

#include "domain/collective.h"
#include "gtest/gtest.h"
#include "library/libraries.h"
#include "strategy/catalogue.h"

namespace cox::library {
namespace {

using domain::Collective;
using strategy::ParseStrategy;
using strategy::Scenario;

const Algorithm& Row(absl::string_view library, Collective collective, absl::string_view name) {
  const Algorithm* row = FindAlgorithm(library, collective, name);
  EXPECT_NE(row, nullptr) << library << " " << name;
  return *row;
}

std::string EffectiveName(absl::string_view library, const char* name, const Scenario& scenario,
                          const Assumptions& assume = kUsualCalls) {
  const Algorithm* row = Effective(Row(library, scenario.collective, name), scenario, assume);
  return row == nullptr ? "" : std::string(row->native_name);
}

TEST(LibraryMap, EveryStrategyIsInTheCatalogue) {
  for (const Library& library : Libraries()) {
    for (const Algorithm& row : library.algorithms()) {
      if (row.strategy.empty()) continue;
      const auto strategy = ParseStrategy(row.strategy);
      ASSERT_TRUE(strategy.ok()) << row.native_name << ": " << strategy.status();
      EXPECT_EQ(strategy->algorithm->collective, row.collective) << row.native_name;
    }
  }
}

TEST(LibraryMap, NamesAndNumbersAreUniqueAndFallbacksExist) {
  for (const Library& library : Libraries()) {
    std::set<std::pair<Collective, std::string>> names;
    std::set<std::pair<Collective, int>> ids;
    ASSERT_FALSE(library.algorithms().empty());
    for (const Algorithm& row : library.algorithms()) {
      EXPECT_EQ(row.library, library.name);
      EXPECT_FALSE(row.source.empty());
      EXPECT_TRUE(names.emplace(row.collective, std::string(row.native_name)).second);
      if (row.native_id >= 0) {
        EXPECT_TRUE(ids.emplace(row.collective, row.native_id).second);
      }
      EXPECT_NE(row.native_id, 0) << "0 is the library's own choice";
      if (!row.fallback.empty()) Row(library.name, row.collective, row.fallback);
    }
  }
  EXPECT_TRUE(AlgorithmsOf("openmpi-9").empty());
  EXPECT_EQ(FindAlgorithm("openmpi-9", Collective::kBcast, "binomial"), nullptr);
}

// The numbers of `ompi_info --param coll tuned --level 9`, Open MPI 4.1.4.
TEST(LibraryMap, HasOpenMpisNumbers) {
  const struct {
    Collective collective;
    int id;
    const char* name;
  } kIds[] = {
      {Collective::kAllgather, 2, "bruck"},
      {Collective::kAllgather, 6, "two_proc"},
      {Collective::kAllreduce, 3, "recursive_doubling"},
      {Collective::kAllreduce, 6, "rabenseifner"},
      {Collective::kAlltoall, 3, "modified_bruck"},
      {Collective::kAlltoall, 4, "linear_sync"},
      {Collective::kBcast, 2, "chain"},
      {Collective::kBcast, 6, "binomial"},
      {Collective::kBcast, 9, "scatter_allgather_ring"},
      {Collective::kBarrier, 4, "bruck"},
      {Collective::kBarrier, 6, "tree"},
      {Collective::kReduce, 6, "in-order_binary"},
      {Collective::kReduce, 7, "rabenseifner"},
      {Collective::kReduceScatter, 1, "non-overlapping"},
      {Collective::kReduceScatter, 4, "butterfly"},
      {Collective::kReduceScatterBlock, 2, "recursive_doubling"},
      {Collective::kReduceScatterBlock, 3, "recursive_halving"},
      {Collective::kScan, 1, "linear"},
      {Collective::kExscan, 2, "recursive_doubling"},
  };
  for (const auto& each : kIds) {
    const Algorithm* row = FindNativeAlgorithm("openmpi-4.1", each.collective, each.id);
    ASSERT_NE(row, nullptr) << each.name;
    EXPECT_EQ(row->native_name, each.name);
  }
  EXPECT_EQ(FindNativeAlgorithm("openmpi-4.1", Collective::kAllgather, 7), nullptr);
  EXPECT_EQ(FindNativeAlgorithm("openmpi-4.1", Collective::kAllgather, -1), nullptr);
  EXPECT_EQ(FindNativeAlgorithm("mpich-4.0", Collective::kAllgather, -1), nullptr);
}

// Each line is a case that was seen in the library: it silently runs another algorithm.
TEST(Effective, FollowsOpenMpisSilentFallbacks) {
  const auto effective = [](Collective collective, const char* name, int64_t ranks,
                            int64_t elements, const Assumptions& assume = kUsualCalls) {
    const Scenario scenario{.collective = collective,
                            .ranks = ranks,
                            .ppn = 1,
                            .block_bytes = elements * 8,
                            .type_bytes = 8};
    return EffectiveName("openmpi-4.1", name, scenario, assume);
  };
  EXPECT_EQ(effective(Collective::kAllgather, "recursive_doubling", 6, 10), "bruck");
  EXPECT_EQ(effective(Collective::kAllgather, "recursive_doubling", 8, 10), "recursive_doubling");
  EXPECT_EQ(effective(Collective::kAllgather, "neighbor", 7, 10), "ring");
  EXPECT_EQ(effective(Collective::kAllgather, "neighbor", 6, 10), "neighbor");
  EXPECT_EQ(effective(Collective::kBcast, "scatter_allgather", 8, 7), "basic_linear");
  EXPECT_EQ(effective(Collective::kBcast, "scatter_allgather", 8, 8), "scatter_allgather");
  EXPECT_EQ(effective(Collective::kBcast, "scatter_allgather_ring", 8, 0), "basic_linear");
  EXPECT_EQ(effective(Collective::kBcast, "split_binary_tree", 8, 1), "pipeline");
  EXPECT_EQ(effective(Collective::kBcast, "split_binary_tree", 8, 2), "split_binary_tree");
  EXPECT_EQ(effective(Collective::kAllreduce, "ring", 8, 7), "recursive_doubling");
  EXPECT_EQ(effective(Collective::kAllreduce, "segmented_ring", 8, 7), "recursive_doubling");
  EXPECT_EQ(effective(Collective::kAllreduce, "rabenseifner", 6, 3), "basic_linear");
  EXPECT_EQ(effective(Collective::kAllreduce, "rabenseifner", 6, 4), "rabenseifner");
  EXPECT_EQ(effective(Collective::kAllreduce, "rabenseifner", 6, 400, {}), "basic_linear");
  EXPECT_EQ(effective(Collective::kReduceScatterBlock, "recursive_halving", 6, 1, {}),
            "basic_linear");
  EXPECT_EQ(effective(Collective::kReduceScatterBlock, "recursive_halving", 6, 1),
            "recursive_halving");
  EXPECT_EQ(effective(Collective::kReduce, "rabenseifner", 6, 3), "linear");
  EXPECT_EQ(effective(Collective::kReduce, "rabenseifner", 6, 4), "rabenseifner");
  EXPECT_EQ(effective(Collective::kReduce, "rabenseifner", 6, 400, {}), "linear");
}

// Not a fallback: the call fails there.
TEST(Effective, IsNothingWhereTheLibraryFails) {
  for (Collective collective :
       {Collective::kAllgather, Collective::kAlltoall, Collective::kBarrier}) {
    Scenario scenario{.collective = collective, .ranks = 3, .block_bytes = 64};
    EXPECT_EQ(EffectiveName("openmpi-4.1", "two_proc", scenario), "");
    scenario.ranks = 2;
    EXPECT_EQ(EffectiveName("openmpi-4.1", "two_proc", scenario), "two_proc");
  }
}

// MPICH makes its own choice, which has no row.
TEST(Effective, IsNothingWhereMpichChooses) {
  const Scenario scenario{.collective = Collective::kAllgather, .ranks = 6, .block_bytes = 64};
  EXPECT_EQ(EffectiveName("mpich-4.0", "recursive_doubling", scenario), "");
  EXPECT_EQ(EffectiveName("mpich-4.0", "brucks", scenario), "brucks");
}

// A non-commutative operation gets wrong results from these, without an error.
TEST(LibraryMap, MarksWhatIsUnsafe) {
  const std::set<std::pair<Collective, int>> unsafe = {
      {Collective::kAllreduce, 4},     {Collective::kAllreduce, 5},    {Collective::kReduce, 2},
      {Collective::kReduce, 3},        {Collective::kReduce, 4},       {Collective::kReduce, 5},
      {Collective::kReduceScatter, 2}, {Collective::kReduceScatter, 3}};
  for (const Algorithm& row : AlgorithmsOf("openmpi-4.1")) {
    EXPECT_EQ(row.safe_for_any_operation, !unsafe.contains({row.collective, row.native_id}))
        << row.native_name;
  }
}

// MPICH: on one node bcast is handed to a communicator without a hierarchy.
TEST(Effective, AHierarchyOfNodesNeedsSome) {
  Scenario scenario{.collective = Collective::kBcast, .ranks = 8, .ppn = 8, .block_bytes = 64};
  EXPECT_EQ(EffectiveName("mpich-4.0", "smp", scenario), "");
  scenario.ppn = 4;
  EXPECT_EQ(EffectiveName("mpich-4.0", "smp", scenario), "smp");
  scenario.ppn = 1;
  EXPECT_EQ(EffectiveName("mpich-4.0", "smp", scenario), "");
}

TEST(Lists, SaysWhereALibrarysAlgorithmsAreKnown) {
  EXPECT_TRUE(Lists("openmpi-4.1", Collective::kAlltoall));
  EXPECT_TRUE(Lists("mpich-4.0", Collective::kBcast));
  EXPECT_FALSE(Lists("openmpi-4.1", Collective::kAlltoallw));
  EXPECT_FALSE(Lists("nothing", Collective::kAlltoall));
}

}  // namespace
}  // namespace cox::library
