#include "learn/refine/hold_back.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../synthetic.h"
#include "learn/refine/refine.h"

namespace cox::learn {
namespace {

using ::testing::ElementsAre;

domain::Profile Stated() { return HockneyProfile(5e-7, 1e-10, 3e-6, 4e-10, 0.1); }
// Every parameter is this many times the stated one.
domain::Profile Times(double factor) {
  return HockneyProfile(factor * 5e-7, factor * 1e-10, factor * 3e-6, factor * 4e-10, 0.1);
}

// Timings of a machine that takes `factor` times as long as the stated profile has it.
std::vector<Cell> Observations(double factor) {
  Noise noise(7, 0.02);
  return PricedCells(Times(factor), noise);
}

void AddAll(const std::vector<Cell>& cells, const std::string& source, HoldBack* hold) {
  for (const Cell& cell : cells) hold->Add(cell, source);
}

TEST(HoldBackTest, NothingIsHeldWhereNobodySetAProfile) {
  HoldBack hold;
  AddAll(Observations(5), "ada", &hold);
  EXPECT_FALSE(hold.Judge(Times(5)).is_held);
}

TEST(HoldBackTest, FarLearningFromOneSourceIsHeld) {
  for (const double factor : {5.0, 0.2}) {
    HoldBack hold(Stated());
    AddAll(Observations(factor), "ada", &hold);
    const HoldBack::Verdict verdict = hold.Judge(Times(factor));
    EXPECT_TRUE(verdict.is_held);
    EXPECT_NEAR(verdict.factor, 5, 0.01);
    EXPECT_THAT(verdict.sources, ElementsAre("ada"));
  }
}

TEST(HoldBackTest, LearningWithinAFactorOfTwoIsNot) {
  HoldBack hold(Stated());
  AddAll(Observations(1.9), "ada", &hold);
  const HoldBack::Verdict verdict = hold.Judge(Times(1.9));
  EXPECT_FALSE(verdict.is_held);
  EXPECT_NEAR(verdict.factor, 1.9, 0.01);
}

TEST(HoldBackTest, ASecondSourceThatAgreesFreesIt) {
  HoldBack hold(Stated());
  AddAll(Observations(5), "ada", &hold);
  // Who sees what was stated does not agree.
  AddAll(Observations(1), "bob", &hold);
  EXPECT_TRUE(hold.Judge(Times(5)).is_held);
  AddAll(Observations(5), "eve", &hold);
  EXPECT_FALSE(hold.Judge(Times(5)).is_held);
}

TEST(HoldBackTest, AFewObservationsOfASecondSourceAreNotEnough) {
  HoldBack hold(Stated());
  const std::vector<Cell> cells = Observations(5);
  AddAll(cells, "ada", &hold);
  hold.Add(cells.front(), "eve");
  hold.Add(cells.front(), "eve");
  EXPECT_TRUE(hold.Judge(Times(5)).is_held);
  hold.Add(cells.front(), "eve");
  EXPECT_FALSE(hold.Judge(Times(5)).is_held);
}

TEST(HoldBackTest, AnImportedBenchmarkIsAnOperatorsWord) {
  HoldBack hold(Stated());
  AddAll(Observations(5), std::string(HoldBack::kImports), &hold);
  EXPECT_FALSE(hold.Judge(Times(5)).is_held);
}

TEST(HoldBackTest, ABenchmarkOfFewScenariosIsNot) {
  HoldBack hold(Stated());
  const std::vector<Cell> cells = Observations(5);
  for (int i = 0; i < 10; ++i) {
    for (int64_t cell = 0; cell < HoldBack::kLeastScenarios - 1; ++cell) {
      hold.Add(cells[cell], HoldBack::kImports);
    }
  }
  EXPECT_TRUE(hold.Judge(Times(5)).is_held);
  hold.Add(cells[HoldBack::kLeastScenarios - 1], HoldBack::kImports);
  EXPECT_FALSE(hold.Judge(Times(5)).is_held);
}

TEST(HoldBackTest, ImportedTimingsOfJobsAreOneSourceAndNoOperatorsWord) {
  HoldBack hold(Stated());
  std::vector<Cell> cells = Observations(5);
  for (Cell& cell : cells) cell.kind = domain::CellKind::kJob;
  AddAll(cells, std::string(HoldBack::kImports), &hold);
  AddAll(cells, std::string(HoldBack::kImports), &hold);
  EXPECT_TRUE(hold.Judge(Times(5)).is_held);
  AddAll(cells, "ada", &hold);
  EXPECT_FALSE(hold.Judge(Times(5)).is_held);
}

TEST(HoldBackTest, TimesThatNoMachineTakesAgreeWithNothing) {
  // Microseconds taken for seconds.
  HoldBack hold(Stated());
  for (const char* source : {"ada", "bob"}) AddAll(Observations(1e6), source, &hold);
  AddAll(Observations(1e6), std::string(HoldBack::kImports), &hold);
  const HoldBack::Verdict verdict = hold.Judge(Times(1e6));
  EXPECT_TRUE(verdict.is_held);
  EXPECT_THAT(verdict.sources, ElementsAre());
}

TEST(HoldBackTest, TwoSourcesOfOneJobAreOne) {
  HoldBack hold(Stated());
  for (const char* file : {"obs.csv", "obs2.csv"}) {
    for (const Cell& cell : Observations(5)) hold.Add(cell, file, "42");
  }
  EXPECT_THAT(hold.Judge(Times(5)).sources, ElementsAre("obs.csv"));
  EXPECT_TRUE(hold.Judge(Times(5)).is_held);
  for (const Cell& cell : Observations(5)) hold.Add(cell, "obs2.csv", "43");
  EXPECT_FALSE(hold.Judge(Times(5)).is_held);
}

// What the learner does: refine, then judge.
TEST(HoldBackTest, JudgesWhatTheFilterLearned) {
  HoldBack hold(Stated());
  const std::vector<Cell> cells = Observations(5);
  AddAll(cells, "ada", &hold);
  const Refinement refined = Refine(Stated(), cells);
  ASSERT_GT(refined.used_count, 0);
  EXPECT_TRUE(hold.Judge(refined.profile).is_held);
}

}  // namespace
}  // namespace cox::learn
