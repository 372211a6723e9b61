// libcoxcoll's rows: no two are the same algorithm where they run.
#include "library/algorithms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "domain/collective.h"
#include "library/coxcoll/gather_windows.h"
#include "library/run_time_number.h"
#include "strategy/catalogue.h"

namespace cox::library {
namespace {

using domain::Collective;
using strategy::Message;
using strategy::Scenario;

Scenario Job(Collective collective, int64_t ranks) {
  return {.collective = collective, .ranks = ranks, .ppn = 1, .block_bytes = 64, .type_bytes = 1};
}

absl::string_view WithoutKnob(absl::string_view text) { return text.substr(0, text.find('?')); }

absl::string_view KnobOf(absl::string_view text) { return text.substr(WithoutKnob(text).size()); }

// Who sends what to whom in which step.
using Steps = std::vector<std::tuple<int64_t, int64_t, int64_t, int64_t, double>>;
Steps StepsOf(absl::string_view text, const Scenario& scenario) {
  const auto strategy = strategy::ParseStrategy(text);
  EXPECT_TRUE(strategy.ok()) << strategy.status();
  Steps steps;
  strategy->algorithm->enumerate(scenario, strategy->knobs, [&steps](const Message& message) {
    steps.emplace_back(message.phase, message.repetition, message.source, message.destination,
                       message.bytes);
  });
  return steps;
}

TEST(CoxcollTest, ARowsStrategyHasTheKnobOfItsName) {
  int knobs = 0;
  for (const Algorithm& row : AlgorithmsOf(kCoxcoll)) {
    if (row.strategy.empty()) continue;
    EXPECT_EQ(KnobOf(row.native_name), KnobOf(row.strategy)) << row.native_name;
    knobs += KnobOf(row.strategy).empty() ? 0 : 1;
  }
  EXPECT_GT(knobs, 0);
}

TEST(CoxcollTest, NoRowNeedsAKnobAndHasNone) {
  for (const Algorithm& row : AlgorithmsOf(kCoxcoll)) {
    EXPECT_NE(row.native_name, "windowed") << "all at once: direct, linear";
    EXPECT_NE(row.native_name, "postal") << "binomial";
  }
}

// Windows where they run, and where they equal another row.
TEST(CoxcollTest, AWindowRunsWhereItIsOne) {
  int windows = 0;
  for (const Algorithm& row : AlgorithmsOf(kCoxcoll)) {
    if (KnobOf(row.native_name).empty() || row.strategy.empty()) continue;
    ++windows;
    const absl::string_view wide = WithoutKnob(row.strategy);
    for (int64_t ranks = 2; ranks <= 24; ++ranks) {
      const Scenario scenario = Job(row.collective, ranks);
      const bool is_one = StepsOf(row.strategy, scenario) != StepsOf(wide, scenario);
      EXPECT_EQ(Effective(row, scenario, kUsualCalls) != nullptr, is_one)
          << row.strategy << " with " << ranks;
    }
  }
  EXPECT_GE(windows, 8);
}

TEST(CoxcollTest, WindowsOfACollectiveDiffer) {
  for (const Algorithm& one : AlgorithmsOf(kCoxcoll)) {
    for (const Algorithm& other : AlgorithmsOf(kCoxcoll)) {
      if (&one >= &other || one.collective != other.collective) continue;
      if (KnobOf(one.strategy).empty() || KnobOf(other.strategy).empty()) continue;
      for (int64_t ranks = 2; ranks <= 24; ++ranks) {
        const Scenario scenario = Job(one.collective, ranks);
        if (Effective(one, scenario, kUsualCalls) == nullptr) continue;
        if (Effective(other, scenario, kUsualCalls) == nullptr) continue;
        EXPECT_NE(StepsOf(one.strategy, scenario), StepsOf(other.strategy, scenario))
            << one.strategy << ", " << other.strategy << " with " << ranks;
      }
    }
  }
}

// The library takes any window of a gather; the table lists the first ones.
TEST(CoxcollTest, WindowsBeyondTheTableHaveRows) {
  for (const int64_t window : {int64_t{9}, int64_t{12}, int64_t{15}, kMostGatherWindow}) {
    const std::string name = absl::StrCat("windowed?window=", window);
    const Algorithm* row = FindAlgorithm(kCoxcoll, Collective::kGather, name);
    ASSERT_NE(row, nullptr) << name;
    EXPECT_EQ(row, FindWideGatherWindow(window));
    EXPECT_EQ(row->native_name, name);
    EXPECT_EQ(row->strategy, absl::StrCat("gather/", name));
    EXPECT_EQ(CoxcollNumber(Collective::kGather, name), 0) << "no number selects it in a job";
    const Scenario narrow = Job(Collective::kGather, window + 1);
    EXPECT_EQ(Effective(*row, narrow, kUsualCalls), nullptr) << "all at once";
    const Scenario wide = Job(Collective::kGather, window + 2);
    EXPECT_EQ(Effective(*row, wide, kUsualCalls), row);
    EXPECT_NE(StepsOf(row->strategy, wide), StepsOf("gather/windowed", wide));
  }
  EXPECT_EQ(FindWideGatherWindow(8), nullptr) << "the table lists it";
  for (const char* const wrong : {"windowed?window=257", "windowed?window=012", "windowed?window=0",
                                  "windowed?window=-9", "windowed?window=", "windowed"}) {
    EXPECT_EQ(FindAlgorithm(kCoxcoll, Collective::kGather, wrong), nullptr) << wrong;
  }
  EXPECT_EQ(FindAlgorithm(kCoxcoll, Collective::kAlltoall, "windowed?window=12"), nullptr);
  EXPECT_EQ(FindAlgorithm("openmpi-4.1", Collective::kGather, "windowed?window=12"), nullptr);
}

TEST(CoxcollTest, NeedsSayHowManyRanks) {
  const Algorithm* row = FindAlgorithm(kCoxcoll, Collective::kGather, "windowed?window=4");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(DescribeNeeds(row->needs), "more than 5 ranks");
  EXPECT_EQ(DescribeNeeds(row->needs | kSquareRanks),
            "more than 5 ranks, a square number of ranks");
}

}  // namespace
}  // namespace cox::library
