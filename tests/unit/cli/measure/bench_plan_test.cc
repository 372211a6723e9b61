#include "cli/measure/bench_plan.h"

#include <cox/v1/model.pb.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "console/launcher.h"

namespace cox::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

void Add(v1::ListStrategiesResponse& all, const char* collective, const char* name, int id,
         const char* needs = "") {
  v1::Strategy* strategy = all.add_strategies();
  strategy->set_collective(collective);
  strategy->set_native_name(name);
  strategy->set_native_id(id);
  strategy->set_needs(needs);
}

v1::ListStrategiesResponse OpenMpi() {
  v1::ListStrategiesResponse all;
  Add(all, "alltoall", "linear", 1);
  Add(all, "alltoall", "pairwise", 2);
  Add(all, "alltoall", "two_proc", 5, "two ranks");
  Add(all, "allgather", "recursive_doubling", 3, "ranks a power of two");
  Add(all, "allgather", "neighbor", 5, "even ranks, elements >= ranks");
  Add(all, "bcast", "binomial", 6);
  return all;
}

TEST(BenchPlanTest, RunKForcesTheKthAlgorithmOfEachCollective) {
  const auto runs = PlanForcedRuns("openmpi-4.1", OpenMpi(), {"alltoall", "allgather", "bcast"}, 4);
  ASSERT_TRUE(runs.ok());
  ASSERT_EQ(runs->size(), 2);
  EXPECT_THAT((*runs)[0].algorithms,
              UnorderedElementsAre(Pair("alltoall", "linear"), Pair("bcast", "binomial"),
                                   Pair("allgather", "recursive_doubling")));
  EXPECT_THAT((*runs)[0].environment,
              UnorderedElementsAre(Pair("OMPI_MCA_coll_tuned_use_dynamic_rules", "1"),
                                   Pair("OMPI_MCA_coll_tuned_alltoall_algorithm", "1"),
                                   Pair("OMPI_MCA_coll_tuned_allgather_algorithm", "3"),
                                   Pair("OMPI_MCA_coll_tuned_bcast_algorithm", "6")));
  EXPECT_THAT((*runs)[1].algorithms,
              UnorderedElementsAre(Pair("alltoall", "pairwise"), Pair("allgather", "neighbor")));
}

TEST(BenchPlanTest, LeavesOutWhatWouldNotRunAsItself) {
  const std::set<std::string> collectives = {"alltoall", "allgather"};
  const auto two = PlanForcedRuns("openmpi-4.1", OpenMpi(), collectives, 2);
  EXPECT_EQ(two->size(), 3) << "two_proc is for two ranks";
  const auto odd = PlanForcedRuns("openmpi-4.1", OpenMpi(), {"allgather"}, 5);
  EXPECT_THAT(*odd, IsEmpty());
  const auto six = PlanForcedRuns("openmpi-4.1", OpenMpi(), {"allgather"}, 6);
  ASSERT_EQ(six->size(), 1);
  EXPECT_THAT((*six)[0].algorithms, ElementsAre(Pair("allgather", "neighbor")));
}

TEST(BenchPlanTest, MpichTakesNames) {
  v1::ListStrategiesResponse all;
  Add(all, "alltoall", "brucks", -1);
  const auto runs = PlanForcedRuns("mpich-4.0", all, {"alltoall"}, 2);
  ASSERT_EQ(runs->size(), 1);
  EXPECT_THAT((*runs)[0].environment,
              ElementsAre(Pair("MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM", "brucks")));
}

v1::ListStrategiesResponse CoxcollStrategies() {
  v1::ListStrategiesResponse all;
  Add(all, "alltoall", "direct", -1);
  Add(all, "alltoall", "windowed?window=4", -1);
  Add(all, "alltoallv", "direct", -1);
  Add(all, "gather", "2-lev-rec", -1, "a square number of ranks");
  Add(all, "gather", "3-lev-sq", -1, "a fourth power of ranks");
  Add(all, "gather", "logp-lev-sq", -1, "ranks a power of two");
  Add(all, "gather", "windowed?window=16", -1, "more than 17 ranks");
  return all;
}

TEST(BenchPlanTest, CoxBenchItselfSteersLibcoxcoll) {
  const auto runs =
      PlanForcedRuns("coxcoll", CoxcollStrategies(), {"alltoall", "allgather", "gather"}, 9);
  ASSERT_TRUE(runs.ok());
  ASSERT_EQ(runs->size(), 2);
  EXPECT_EQ((*runs)[0].library, "coxcoll");
  EXPECT_THAT((*runs)[0].environment, IsEmpty());
  EXPECT_THAT((*runs)[0].algorithms,
              UnorderedElementsAre(Pair("alltoall", "direct"), Pair("gather", "2-lev-rec")));
  EXPECT_THAT(CollectiveArguments({"", "", "8", 5, 1}, "m", "r", (*runs)[1]),
              ElementsAre("collectives", "--machine", "m", "--run", "r", "--budget-s", "1",
                          "--progress", "--sizes", "8", "--collectives", "alltoall", "--library",
                          "coxcoll", "--label", "alltoall=windowed?window=4"));
}

TEST(BenchPlanTest, LeavesOutTreesThatTheRanksAreNoPowerFor) {
  const auto gathers = [](int64_t ranks) {
    std::set<std::string> names;
    const auto runs = PlanForcedRuns("coxcoll", CoxcollStrategies(), {"gather"}, ranks);
    for (const ForcedRun& run : *runs) names.insert(run.algorithms.at("gather"));
    return names;
  };
  EXPECT_THAT(gathers(6), IsEmpty());
  EXPECT_THAT(gathers(8), ElementsAre("logp-lev-sq"));
  EXPECT_THAT(gathers(9), ElementsAre("2-lev-rec"));
  EXPECT_THAT(gathers(16), ElementsAre("2-lev-rec", "3-lev-sq", "logp-lev-sq"));
  EXPECT_THAT(gathers(17), IsEmpty());
  EXPECT_THAT(gathers(18), ElementsAre("windowed?window=16"));
  EXPECT_THAT(gathers(81), ElementsAre("2-lev-rec", "3-lev-sq", "windowed?window=16"));
  EXPECT_THAT(gathers(1 << 16),
              ElementsAre("2-lev-rec", "3-lev-sq", "logp-lev-sq", "windowed?window=16"));
}

TEST(BenchPlanTest, CollectivesOfLibcoxcollAreMeasuredOfTheMpiLibraryAsWell) {
  BenchEffort effort = EffortOf(true, 1);
  EXPECT_THAT(CollectiveArguments(effort, "m", "r", {}), Not(Contains("--collectives")));
  AddCoxcollCollectives(effort);
  EXPECT_THAT(CollectiveArguments(effort, "m", "r", {}),
              Contains("allgather,allreduce,alltoall,bcast,gather,scatter"));
}

TEST(BenchPlanTest, AnUnknownLibraryCannotBeForced) {
  EXPECT_TRUE(absl::IsUnimplemented(PlanForcedRuns("mpi-3.1", OpenMpi(), {"bcast"}, 2).status()));
}

TEST(BenchPlanTest, PassesArguments) {
  const BenchEffort effort{"1..8", "64", "", 5, 2.5};
  EXPECT_THAT(PairArguments(effort, "m"),
              ElementsAre("p2p", "--kinds", "all", "--machine", "m", "--budget-s", "5",
                          "--progress", "--sizes", "1..8", "--pattern-sizes", "64"));
  EXPECT_THAT(CollectiveArguments(effort, "m", "r", {}),
              ElementsAre("collectives", "--machine", "m", "--run", "r", "--budget-s", "2.5",
                          "--progress"));
  ForcedRun forced;
  forced.algorithms = {{"bcast", "chain"}, {"alltoall", "linear"}};
  EXPECT_THAT(CollectiveArguments(effort, "m", "r", forced),
              ElementsAre("collectives", "--machine", "m", "--run", "r", "--budget-s", "2.5",
                          "--progress", "--collectives", "alltoall,bcast", "--label",
                          "alltoall=linear", "--label", "bcast=chain"));
  EXPECT_THAT(console::LaunchWords({"mpirun", "-n", "{ranks}", "x{ranks}y"}, 16),
              ElementsAre("mpirun", "-n", "16", "x16y"));
  EXPECT_THAT(console::LaunchWords({"srun", "-n{ranks}", "-N{nodes}", "-w", "{hosts}", "{ppn}"},
                                   console::PlacedJob{5, 3, {"n1", "n2"}}),
              ElementsAre("srun", "-n5", "-N2", "-w", "n1,n2", "3"));
  EXPECT_TRUE(console::HasPlaceholder({"srun", "-w={hosts}"}, "{hosts}"));
  EXPECT_FALSE(console::HasPlaceholder({"srun", "hosts"}, "{hosts}"));
}

TEST(BenchPlanTest, QuickStaysBelowAMinuteHoweverManyRankCounts) {
  // Open MPI has nine algorithms of bcast; a job takes about a second and a half to start and end.
  for (const size_t counts : {1, 2, 4}) {
    const BenchEffort effort = EffortOf(true, counts);
    const double measuring_s =
        effort.pair_budget_s + static_cast<double>(counts) * 10 * effort.collective_budget_s;
    EXPECT_LE(measuring_s, 35) << counts;
  }
  EXPECT_GT(EffortOf(false, 1).collective_budget_s, EffortOf(true, 1).collective_budget_s);
}

TEST(BenchPlanTest, AJobOfCellsForcesItsAlgorithms) {
  ForcedRun forced;
  const v1::ListStrategiesResponse strategies = OpenMpi();
  const auto forceable = ForceableAlgorithms("openmpi-4.1", strategies, {"alltoall", "bcast"}, 4);
  ASSERT_TRUE(forceable.ok());
  ASSERT_EQ(forceable->size(), 3) << "two_proc is for two ranks";
  Force("openmpi-4.1", *forceable->back(), forced);
  EXPECT_THAT(
      CellArguments({{"bcast", 8}, {"alltoall", 64}}, 1.5, "m", "r", forced),
      ElementsAre("collectives", "--machine", "m", "--run", "r", "--budget-s", "1.5", "--progress",
                  "--cells", "bcast=8", "--cells", "alltoall=64", "--label", "bcast=binomial"));
  EXPECT_THAT(forced.environment, Contains(Pair("OMPI_MCA_coll_tuned_bcast_algorithm", "6")));
  EXPECT_TRUE(
      absl::IsUnimplemented(ForceableAlgorithms("other-1", strategies, {"bcast"}, 4).status()));
}

TEST(BenchPlanTest, ABudgetIsSharedByAllJobs) {
  for (const double budget_s : {30.0, 120.0, 600.0}) {
    for (const size_t counts : {1, 2}) {
      BenchEffort effort = EffortOf(false, counts);
      LimitTime(budget_s, counts, effort);
      const double jobs = static_cast<double>(counts * (1 + kUsualForcedRuns));
      const double whole_s =
          effort.pair_budget_s + kJobStart_s + jobs * (effort.collective_budget_s + kJobStart_s);
      const double least_s = jobs * (0.2 + kJobStart_s);
      EXPECT_LE(whole_s, std::max(budget_s, 0.25 * budget_s + least_s) + 1e-9) << budget_s;
      EXPECT_GE(whole_s, 0.99 * budget_s) << budget_s;
    }
  }
}

TEST(BenchPlanTest, AShortBudgetHasPingPongsOnly) {
  BenchEffort effort = EffortOf(true, 1);
  LimitTime(24, 1, effort);
  const std::vector<std::string> words = PairArguments(effort, "m");
  EXPECT_THAT(words, Contains("pingpong"));
  EXPECT_THAT(words, Not(Contains("--pattern-sizes")));
  BenchEffort longer = EffortOf(true, 1);
  LimitTime(120, 1, longer);
  EXPECT_THAT(PairArguments(longer, "m"), Contains("all"));
}

TEST(BenchPlanTest, ReadsProgress) {
  BenchProgress progress;
  ASSERT_TRUE(ParseBenchProgress("progress 3/12 41 s left: alltoall 4 KiB", progress));
  EXPECT_EQ(progress.done_share, 0.25);
  EXPECT_EQ(progress.left_s, 41);
  EXPECT_EQ(progress.what, "alltoall 4 KiB");
  for (const char* other :
       {"", "progress", "progress 3/12", "progress 3/0 1 s left: x", "progress 13/12 1 s left: x",
        "progress a/b 1 s left: x", "progress 1/2 nan s left: x", "cox-bench: progress 1/2"}) {
    EXPECT_FALSE(ParseBenchProgress(other, progress)) << other;
  }
}

}  // namespace
}  // namespace cox::cli
