#include "advise/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "advise/placement/network.h"
#include "advise/predict.h"
#include "domain/collective.h"
#include "domain/errors.h"
#include "domain/level.h"
#include "domain/parameter.h"
#include "domain/profile.h"
#include "every_model.h"
#include "model/schedule.h"

namespace cox::advise {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

ExplainQuestion AskToExplain(domain::Collective collective, int64_t ranks, const std::string& model,
                             int64_t min, int64_t max) {
  ExplainQuestion question;
  question.scenario.collective = collective;
  question.scenario.ranks = ranks;
  question.scenario.ppn = 2;
  question.scenario.block_bytes = min;
  question.model = model;
  question.min_block_bytes = min;
  question.max_block_bytes = max;
  return question;
}

// Prices every strategy at every size and follows the best one by its definition.
std::vector<BestRange> BruteForce(const MachineView& machine, const ExplainQuestion& question) {
  std::vector<BestRange> ranges;
  const PricedBy priced_by = *ModelFor(machine, question.model);
  const auto strategies = *StrategiesFor(question.scenario, "");
  strategy::Scenario scenario = question.scenario;
  scenario.shape = &machine.profile.shape;
  model::Schedule schedule;
  for (int64_t bytes = question.min_block_bytes; bytes <= question.max_block_bytes; ++bytes) {
    scenario.block_bytes = bytes;
    std::vector<double> amounts;
    for (const strategy::Strategy& strategy : strategies) {
      strategy::Build(strategy, scenario, &schedule);
      amounts.push_back(Amount(priced_by.model->Price(*priced_by.values, schedule)));
    }
    const double least = *std::min_element(amounts.begin(), amounts.end());
    const auto is_among_least = [&](size_t i) { return amounts[i] * (1 - kTieShare) <= least; };
    if (!ranges.empty() && is_among_least(ranges.back().curve)) continue;
    size_t best = 0;
    while (!is_among_least(best)) ++best;
    ranges.push_back(
        {bytes, best, amounts[best], ranges.empty() ? 0 : amounts[ranges.back().curve]});
  }
  return ranges;
}

void ExpectExact(const MachineView& machine, ExplainQuestion question) {
  const std::string what = absl::StrCat(
      question.model, " ", domain::CollectiveName(question.scenario.collective), " p ",
      question.scenario.ranks, " ", question.min_block_bytes, "..", question.max_block_bytes);
  SCOPED_TRACE(what);
  question.limits.ranges = 100000;
  const auto explained = Explain(machine, question);
  ASSERT_TRUE(explained.ok()) << explained.status();
  EXPECT_EQ(explained->ranges.through, question.max_block_bytes);
  const std::vector<BestRange> expected = BruteForce(machine, question);
  const std::vector<BestRange>& found = explained->ranges.ranges;
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].from, expected[i].from);
    ASSERT_EQ(found[i].curve, expected[i].curve);
    ASSERT_EQ(found[i].amount, expected[i].amount);
    ASSERT_EQ(found[i].previous_amount, expected[i].previous_amount);
  }
}

TEST(ExplainTest, RangesAreThoseOfEverySizeForAllCollectivesAndModels) {
  const MachinePointer machine = EveryModelsMachine();
  for (int i = 0; i < domain::kCollectiveCount; ++i) {
    for (const model::Model* model : model::Models()) {
      const auto ask = [&](int64_t ranks, int64_t min, int64_t max) {
        return AskToExplain(static_cast<domain::Collective>(i), ranks, std::string(model->id()),
                            min, max);
      };
      ExpectExact(*machine, ask(16, 0, 5000));
      ExpectExact(*machine, ask(13, 1, 2000));
      ExpectExact(*machine, ask(64, 60000, 62000));
    }
  }
}

TEST(ExplainTest, APiecewiseParameterIsAKnee) {
  domain::Profile profile = KnownProfile();
  // Beyond 1000 bytes a message starts much faster: the best strategy changes there, and later
  // back.
  domain::Parameter piece = learn::MakeParameter("hockney", domain::Level::kNetwork, "alpha", 1e-9);
  piece.above = 1000;
  profile.Set(piece);
  const MachinePointer machine = MachineWith({}, profile);
  for (const int64_t ranks : {8, 31}) {
    ExpectExact(*machine, AskToExplain(domain::Collective::kAlltoall, ranks, "hockney", 1, 6000));
    ExpectExact(*machine, AskToExplain(domain::Collective::kBcast, ranks, "hockney", 1, 6000));
  }
}

// Pieces of the Parsytec GCel (Juurlink and Wijshoff, section 3.2): its L is 0.26 s, that of a
// scatter 0. Where a longer message turns a full relation into a scatter, e-bsp's price falls.
domain::Profile GCelProfile() {
  domain::Profile profile;
  const auto set = [&](const char* name, double value, double above = 0) {
    domain::Parameter parameter =
        learn::MakeParameter("e-bsp", domain::Level::kNetwork, name, value);
    parameter.above = above;
    profile.Set(parameter);
  };
  set("g", 172.7e-6 / 4);
  set("g", 0, 18000);
  set("g", 118.5e-6 / 4, 27999);
  set("L", 0.26);
  set("L", 1.04, 18000);
  set("L", 0.21, 27999);
  set("g_scatter", 87.9e-6 / 4);
  set("g_scatter", 47.8e-6 / 4, 21200);
  set("L_scatter", 0);
  set("L_scatter", 0.21, 21200);
  return profile;
}

TEST(ExplainTest, ATakeoverOfEBspIsAKnee) {
  const MachinePointer machine = MachineWith({}, GCelProfile());
  const auto ask = [&](domain::Collective collective, int64_t ranks, int64_t min, int64_t max) {
    ExplainQuestion question = AskToExplain(collective, ranks, "e-bsp", min, max);
    question.scenario.ppn = 1;
    ExpectExact(*machine, question);
  };
  ask(domain::Collective::kReduceScatter, 7, 40000, 55000);
  ask(domain::Collective::kReduceScatter, 7, 1, 6000);
  ask(domain::Collective::kBcast, 7, 15000, 60000);
  ask(domain::Collective::kAllgather, 13, 1, 30000);
  ask(domain::Collective::kScatter, 16, 1, 30000);
}

TEST(ExplainTest, SaysEverythingAboutTheScenario) {
  const MachinePointer machine = EveryModelsMachine();
  ExplainQuestion question = AskToExplain(domain::Collective::kAllgather, 7, "loggp", 1, 1 << 20);
  question.scenario.block_bytes = 4096;
  const auto explained = Explain(*machine, question);
  ASSERT_TRUE(explained.ok()) << explained.status();
  EXPECT_EQ(explained->model->id(), "loggp");
  ASSERT_GE(explained->predictions.size(), 3U);
  EXPECT_EQ(explained->predictions.size(), explained->strategies.size());
  for (size_t i = 1; i < explained->predictions.size(); ++i) {
    EXPECT_LE(Amount(explained->predictions[i - 1].cost), Amount(explained->predictions[i].cost));
  }
  EXPECT_THAT(explained->not_applicable,
              Contains(HasSubstr("allgather/neighbor-exchange: needs an even number of ranks")));
  EXPECT_FALSE(explained->parameters.empty());
  for (const domain::Parameter& parameter : explained->parameters.parameters) {
    EXPECT_EQ(parameter.model, "loggp");
  }
}

// Four nodes at each of two switches, listed in turns: neighbours of a ring are never at one
// switch.
TEST(ExplainTest, OnGivenNodesItPricesTheLinks) {
  const auto network = Network::Parse(
      "SwitchName=a Nodes=a[1-4]\nSwitchName=b Nodes=b[1-4]\nSwitchName=t Switches=a,b\n", {{4.0}},
      1e-6);
  ASSERT_TRUE(network.ok()) << network.status();
  const auto nodes = (*network)->Find("a1,b1,a2,b2,a3,b3,a4,b4", 8);
  ASSERT_TRUE(nodes.ok()) << nodes.status();
  const MachinePointer machine = MachineWith({});
  ExplainQuestion question =
      AskToExplain(domain::Collective::kAllreduce, 16, "hockney", 1, 1 << 20);
  question.scenario.block_bytes = 4096;
  const auto unplaced = Explain(*machine, question);
  question.nodes = &*nodes;
  const auto placed = Explain(*machine, question);
  ASSERT_TRUE(placed.ok()) << placed.status();
  EXPECT_EQ(placed->ranges.through, 1 << 20);

  const auto predicted = Predict(*machine, question.scenario, "", "hockney", &*nodes);
  ASSERT_TRUE(predicted.ok()) << predicted.status();
  ASSERT_EQ(predicted->size(), placed->predictions.size());
  for (const Prediction& one : placed->predictions) {
    const auto same = std::find_if(predicted->begin(), predicted->end(),
                                   [&](const auto& p) { return p.strategy == one.strategy; });
    ASSERT_NE(same, predicted->end()) << one.strategy;
    EXPECT_EQ(one.cost.TotalSeconds(), same->cost.TotalSeconds()) << one.strategy;
  }
  // The first size of each range is where its strategy becomes the best one of Predict().
  const auto best_at = [&](int64_t bytes) {
    strategy::Scenario scenario = question.scenario;
    scenario.block_bytes = bytes;
    auto all = *Predict(*machine, scenario, "", "hockney", &*nodes);
    return std::min_element(
               all.begin(), all.end(),
               [](const auto& a, const auto& b) { return Amount(a.cost) < Amount(b.cost); })
        ->strategy;
  };
  ASSERT_GE(placed->ranges.ranges.size(), 2U);
  for (size_t i = 1; i < placed->ranges.ranges.size(); ++i) {
    const BestRange& range = placed->ranges.ranges[i];
    EXPECT_EQ(best_at(range.from), placed->strategies[range.curve]);
    EXPECT_EQ(best_at(range.from - 1), placed->strategies[placed->ranges.ranges[i - 1].curve]);
  }
  // The links change the answer.
  ASSERT_TRUE(unplaced.ok());
  EXPECT_GT(placed->predictions.front().cost.TotalSeconds(),
            unplaced->predictions.front().cost.TotalSeconds());
  const auto begins = [](const Explanation& explanation) {
    std::vector<std::pair<int64_t, size_t>> out;
    for (const BestRange& range : explanation.ranges.ranges) {
      out.emplace_back(range.from, range.curve);
    }
    return out;
  };
  EXPECT_NE(begins(*placed), begins(*unplaced));
}

TEST(ExplainTest, CountsUnitsWhereNoUnitTimeIsStated) {
  domain::Profile profile;
  profile.Set(learn::MakeParameter("c3", domain::Level::kNetwork, "s", 8));
  profile.Set(learn::MakeParameter("c3", domain::Level::kNetwork, "l", 512));
  const MachinePointer machine = MachineWith({}, profile);
  const auto explained =
      Explain(*machine, AskToExplain(domain::Collective::kAlltoall, 256, "c3", 1, 1 << 20));
  ASSERT_TRUE(explained.ok()) << explained.status();
  EXPECT_EQ(explained->predictions.front().cost.TotalSeconds(), 0);
  EXPECT_GT(explained->ranges.ranges.front().amount, 0);
  EXPECT_GT(explained->ranges.ranges.size(), 1U);
}

TEST(ExplainTest, ASingleRankAndASingleSizeHaveOneRange) {
  const MachinePointer machine = EveryModelsMachine();
  const auto alone =
      Explain(*machine, AskToExplain(domain::Collective::kBcast, 1, "hockney", 0, 1 << 30));
  ASSERT_TRUE(alone.ok()) << alone.status();
  EXPECT_EQ(alone->ranges.ranges.size(), 1U);
  const auto point =
      Explain(*machine, AskToExplain(domain::Collective::kBcast, 8, "hockney", 64, 64));
  ASSERT_TRUE(point.ok()) << point.status();
  EXPECT_EQ(point->ranges.ranges.size(), 1U);
}

TEST(ExplainTest, WhatIsWrongIsNamed) {
  const MachinePointer machine = EveryModelsMachine();
  const auto field = [&](auto spoil) {
    ExplainQuestion question = AskToExplain(domain::Collective::kBcast, 8, "hockney", 1, 1024);
    spoil(&question);
    return domain::FieldOf(Explain(*machine, question).status());
  };
  EXPECT_EQ(field([](auto* q) { q->scenario.ranks = 0; }), "ranks");
  EXPECT_EQ(field([](auto* q) { q->min_block_bytes = -1; }), "min_block_bytes");
  EXPECT_EQ(field([](auto* q) { q->min_block_bytes = 2000; }), "min_block_bytes");
  EXPECT_EQ(field([](auto* q) { q->max_block_bytes = kMaxExplainedBytes + 1; }), "max_block_bytes");
  EXPECT_EQ(field([](auto* q) { q->model = "all"; }), "model");
  EXPECT_EQ(field([](auto* q) { q->strategy = "alltoall/linear"; }), "strategy");
  ExplainQuestion question = AskToExplain(domain::Collective::kBcast, 8, "nothing", 1, 1024);
  EXPECT_EQ(Explain(*machine, question).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace cox::advise
