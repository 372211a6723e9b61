#include "advise/caveats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "advise/tuning/tuning.h"
#include "learn/fallback_parameters.h"
#include "learn/refine/refine.h"
#include "machines.h"

namespace cox::advise {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Parameters of one node; those of the network are copies.
domain::Profile OneNode() {
  domain::Profile profile;
  profile.Set(learn::MakeParameter("hockney", domain::Level::kNode, "alpha", 5e-7));
  profile.Set(learn::MakeParameter("hockney", domain::Level::kNode, "beta", 1e-10));
  std::vector<std::string> warnings;
  learn::CopyMissingLevels(&profile, &warnings);
  return profile;
}

// The default is three times as slow as pairwise, timed on one node of two ranks.
std::vector<learn::Cell> SlowDefault(int64_t nodes) {
  std::vector<learn::Cell> cells;
  for (int64_t bytes = 8; bytes <= 1 << 20; bytes *= 8) {
    learn::Cell cell = learn::MakeCell("alltoall", "pairwise", nodes, 2, bytes, 1);
    const double price_s = learn::PriceOf(cell, OneNode());
    for (const auto& [algorithm, factor] :
         {std::pair("pairwise", 1.0), std::pair("default", 3.0)}) {
      cell.algorithm = algorithm;
      cell.mean_log_time = std::log(factor * price_s);
      cell.weight = 20;
      cells.push_back(cell);
    }
  }
  return cells;
}

MachinePointer Laptop(const std::vector<learn::Cell>& cells) {
  return BuildMachineView("laptop", 1, 2, 1, OneNode(), cells);
}

TEST(CaveatsTest, WithinWhatWasMeasuredThereIsNone) {
  EXPECT_THAT(CaveatsOf(*Laptop(SlowDefault(1)), {1, 2, 2}), IsEmpty());
  EXPECT_THAT(CaveatsOf(*MachineWith({}), {16, 4, 64}), IsEmpty());
  EXPECT_THAT(CaveatsOf(*MachineWith({}, {}), {16, 4, 64}), IsEmpty());
}

TEST(CaveatsTest, NamesEachLimitThatTheJobExceeds) {
  EXPECT_THAT(
      CaveatsOf(*Laptop(SlowDefault(1)), {8, 8, 64}),
      ElementsAre("the job has more nodes (8) than machine laptop (1): times are extrapolated",
                  "a node runs 8 ranks on 2 cores: no model knows the cost of shared cores",
                  "nobody measured level network: model hockney assumes the values of "
                  "another level"));
  // As many nodes as the ranks need.
  EXPECT_THAT(CaveatsOf(*MachineWith({}), {0, 4, 65}), ElementsAre(HasSubstr("more nodes (17)")));
  EXPECT_THAT(CaveatsOf(*MachineWith({}), {1, 8, 4}), IsEmpty());
}

TEST(CaveatsTest, NothingIsSwitchedWhereParametersAreAssumed) {
  Question question = Ask("alltoall", 4096);
  question.nodes = 1;
  question.ppn = question.ranks = 2;
  EXPECT_NE(Recommend(*Laptop(SlowDefault(1)), question, false).chosen.algorithm, "default");
  question.nodes = 8;
  question.ppn = 8;
  question.ranks = 64;
  const Answer answer = Recommend(*Laptop(SlowDefault(1)), question, false);
  EXPECT_EQ(answer.chosen.algorithm, "default");
  EXPECT_EQ(answer.reason, "keeps the default: nobody measured a level that this job uses");
  EXPECT_EQ(answer.caveats.size(), 3U);

  TuningQuestion job;
  job.job = {"openmpi-4.1", 8, 8, {}};
  const auto tables = BuildDecisionTables(*Laptop(SlowDefault(1)), job);
  ASSERT_TRUE(tables.ok()) << tables.status();
  for (const library::DecisionTable& table : *tables) {
    ASSERT_EQ(table.rows.size(), 1U) << table.collective;
    EXPECT_EQ(table.rows[0].algorithm, "default") << table.collective;
  }
}

// A model without levels is fitted to the messages of the one node, as if they were the network's.
TEST(CaveatsTest, AModelWithoutLevelsMeasuresNone) {
  domain::Profile profile = OneNode();
  profile.Set(learn::MakeParameter("postal", domain::Level::kNetwork, "lambda", 5e-5));
  profile.Set(learn::MakeParameter("postal", domain::Level::kNetwork, "g", 5e-6));
  profile.Set(learn::MakeParameter("postal", domain::Level::kNetwork, "packet", 1024));
  std::vector<learn::Cell> cells;
  for (learn::Cell cell : SlowDefault(1)) {
    // What postal predicts exactly, so that it is selected.
    const double factor = cell.algorithm == "default" ? 3 : 1;
    learn::Cell pairwise = cell;
    pairwise.algorithm = "pairwise";
    cell.mean_log_time = std::log(factor * learn::PriceOf(pairwise, profile, "postal"));
    cells.push_back(cell);
  }
  const MachinePointer machine = BuildMachineView("laptop", 8, 2, 1, profile, cells);
  ASSERT_NE(machine->model, nullptr);
  ASSERT_EQ(machine->model->id(), "postal");
  EXPECT_THAT(CaveatsOf(*machine, {1, 2, 2}), IsEmpty());
  Question question = Ask("alltoall", 4096);
  question.nodes = 8;
  question.ppn = 1;
  question.ranks = 8;
  const Answer answer = Recommend(*machine, question, false);
  EXPECT_EQ(answer.chosen.algorithm, "default");
  EXPECT_THAT(answer.caveats,
              ElementsAre("nobody measured level network: model postal assumes the values of "
                          "another level"));
  // Refinement moves values of the model without levels, and no copies.
  const domain::Profile refined = learn::Refine(profile, cells).profile;
  EXPECT_TRUE(RestsOnAssumptions(*BuildMachineView("laptop", 8, 2, 2, refined, cells), {8, 1, 8}));
  // Another model's values of the network are measured.
  profile.Set(learn::MakeParameter("loggp", domain::Level::kNetwork, "L", 3e-6));
  EXPECT_THAT(CaveatsOf(*BuildMachineView("laptop", 8, 2, 1, profile, cells), {8, 1, 8}),
              IsEmpty());
}

TEST(CaveatsTest, TimingsOfTheLevelEndTheAssumption) {
  std::vector<learn::Cell> cells = SlowDefault(4);
  const MachinePointer machine = Laptop(cells);
  EXPECT_FALSE(RestsOnAssumptions(*machine, {4, 2, 8}));
  Question question = Ask("alltoall", 4096);
  question.nodes = 4;
  question.ppn = 2;
  question.ranks = 8;
  EXPECT_NE(Recommend(*machine, question, false).chosen.algorithm, "default");
}

TEST(CaveatsTest, SaysWhyATableLacksTheAlgorithm) {
  std::vector<learn::Cell> cells;
  AddDefault("bcast", "binomial", 5, &cells);
  AddPriced("bcast", "scatter_allgather_ring", 0.2, &cells);
  Question question = Ask("bcast", 1 << 18);
  const Answer answer = Recommend(*MachineWith(cells), question, false);
  ASSERT_EQ(answer.chosen.algorithm, "scatter_allgather_ring") << answer.reason;
  EXPECT_THAT(
      answer.caveats,
      ElementsAre("`cox tune` leaves scatter_allgather_ring out without the promise --assume "
                  "elements>=ranks about every call of the job"));
  question.assume.elements_at_least_ranks = true;
  EXPECT_THAT(Recommend(*MachineWith(cells), question, false).caveats, IsEmpty());
}

TEST(CaveatsTest, ACandidateThatNobodyKnowsHasACaveatAndAloneIsRefused) {
  std::vector<learn::Cell> cells;
  AddPriced("alltoall", "pairwise", 1, &cells);
  const MachinePointer machine = MachineWith(cells);
  Question question = Ask("alltoall", 64);
  question.candidates = {"default", "pairwise", "linear_sync"};
  EXPECT_TRUE(Validate(*machine, question).ok());
  question.candidates = {"pairwise", "pairwis"};
  EXPECT_TRUE(Validate(*machine, question).ok());
  EXPECT_THAT(Recommend(*machine, question, false).caveats,
              Contains("nobody timed pairwis, and the table of openmpi-4.1 does not list it (did "
                       "you mean pairwise?)"));
  question.candidates = {"foo", "bar"};
  const absl::Status status = Validate(*machine, question);
  EXPECT_THAT(status.message(), HasSubstr("unknown algorithm \"foo\""));
}

TEST(CaveatsTest, TrafficMayHavePricesOfAnotherLevelThanItsRanks) {
  // Both ranks are on the one node that was measured.
  EXPECT_THAT(CaveatsOf(*Laptop(SlowDefault(1)), {1, 2, 2}, {.network = true}),
              ElementsAre(HasSubstr("nobody measured level network")));
}

TEST(CaveatsTest, APriceLeavesTimingsOfTheCollectiveOut) {
  const MachinePointer machine = Laptop(SlowDefault(1));
  EXPECT_EQ(CaveatOfPrice(*machine, "alltoall"),
            "times are a model's prices; machine laptop has timings of alltoall, which "
            "`cox recommend` uses");
  EXPECT_FALSE(CaveatOfPrice(*machine, "bcast").has_value());
  EXPECT_FALSE(CaveatOfPrice(*Laptop({}), "alltoall").has_value());
}

TEST(CaveatsTest, BesideTheDefaultACandidateMayBeUnknown) {
  std::vector<learn::Cell> cells;
  AddPriced("alltoall", "pairwise", 1, &cells);
  AddPriced("alltoall", "default", 1, &cells);
  const MachinePointer machine = MachineWith(cells);
  for (const char* collective : {"alltoall", "bcast"}) {
    Question question = Ask(collective, 64);
    question.candidates = {"default", "another"};
    ASSERT_TRUE(Validate(*machine, question).ok()) << collective;
    const Answer answer = Recommend(*machine, question, false);
    EXPECT_EQ(answer.chosen.algorithm, "default");
    EXPECT_THAT(answer.caveats, Contains("nobody timed another, and the table of openmpi-4.1 does "
                                         "not list it"));
  }
}

TEST(CaveatsTest, ATableMayBeIncompleteWhereTheDecisionsAreNotKnown) {
  Question question = Ask("alltoall", 64);
  question.library = "nccl-2";
  question.candidates = {"default", "homemade"};
  const absl::Status status = Validate(*MachineWith({}), question);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(Recommend(*MachineWith({}), question, false).reason, "no data");
}

}  // namespace
}  // namespace cox::advise
