#include "advise/pattern.h"

#include <gtest/gtest.h>

#include <set>

#include "advise/placement/network.h"
#include "advise/predict.h"
#include "domain/errors.h"
#include "every_model.h"
#include "strategy/traffic/message_patterns.h"

namespace cox::advise {
namespace {

PatternQuestion AskPattern(const std::vector<model::Transfer>& messages, int64_t ranks) {
  PatternQuestion question;
  question.messages = messages;
  question.scenario.ranks = ranks;
  question.scenario.ppn = 4;
  question.model = "all";
  return question;
}

TEST(PatternTest, CountsWhatItIs) {
  const MachinePointer machine = EveryModelsMachine();
  const std::vector<model::Transfer> messages = {{0, 1, 10}, {0, 1, 5}, {0, 2, 1}, {3, 1, 100}};
  const auto answer = EvaluatePattern(*machine, AskPattern(messages, 4));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->volume_bytes, 116);
  EXPECT_EQ(answer->pairs_count, 3);
  EXPECT_EQ(answer->busiest.sends_count, 3);
  EXPECT_EQ(answer->busiest.receives_count, 3);
  EXPECT_EQ(answer->busiest.out_bytes, 100);
  EXPECT_EQ(answer->busiest.in_bytes, 115);
  EXPECT_EQ(answer->predictions.size(), model::Models().size());
}

// Every rank sends 8 bytes to every other, and rank 0 a megabyte to rank 9, which is in another
// row and column: by itself that takes one way, not two.
TEST(PatternTest, SendsLongMessagesDirectlyWhereThatPays) {
  const MachinePointer machine = EveryModelsMachine();
  std::vector<model::Transfer> messages = *strategy::MessagesOf("all-to-all", 64, 8);
  messages.push_back({0, 9, 1 << 20});
  PatternQuestion question = AskPattern(messages, 64);
  question.model = "hockney";
  question.routes = {"mesh2d", "mesh2d?direct_above=100000", "mesh2d?direct_above=2000000"};
  const auto answer = EvaluatePattern(*machine, question);
  ASSERT_TRUE(answer.ok()) << answer.status();
  ASSERT_EQ(answer->predictions.size(), 3U);
  const double combined_s = answer->predictions[0].cost.TotalSeconds();
  EXPECT_EQ(answer->predictions[1].strategy, "mesh2d?direct_above=100000");
  EXPECT_LT(answer->predictions[1].cost.TotalSeconds(), combined_s);
  EXPECT_DOUBLE_EQ(answer->predictions[2].cost.TotalSeconds(), combined_s) << "none is so long";

  question.routes = {"all"};
  const auto all = EvaluatePattern(*machine, question);
  ASSERT_TRUE(all.ok()) << all.status();
  std::set<std::string> routes;
  for (const Prediction& found : all->predictions) {
    routes.insert(found.strategy.substr(0, found.strategy.find('=')));
  }
  EXPECT_EQ(routes, (std::set<std::string>{"direct", "mesh2d", "mesh2d?columns", "grid3d",
                                           "hypercube", "mesh2d?direct_above",
                                           "grid3d?direct_above", "hypercube?direct_above"}));

  for (const char* wrong : {"direct?direct_above=1", "mesh2d?above=1", "mesh2d?direct_above=x",
                            "mesh2d?direct_above=-1", "mesh2d?direct_above", "mesh2d?columns=1",
                            "grid3d?columns=4", "direct?columns=4"}) {
    question.routes = {wrong};
    EXPECT_EQ(domain::FieldOf(EvaluatePattern(*machine, question).status()), "routes[0]") << wrong;
  }
}

// 16 nodes of 4 ranks; a message over the network costs much more than one in a node.
TEST(PatternTest, TheMeshOnTheNodesIsComparedAndNamedWithItsColumns) {
  const MachinePointer machine = EveryModelsMachine();
  const auto messages = *strategy::MessagesOf("all-to-all", 64, 8);
  PatternQuestion question = AskPattern(messages, 64);
  question.model = "hockney";
  question.routes = {"all"};
  const auto seconds = [&](const std::string& route) {
    const auto answer = EvaluatePattern(*machine, question);
    EXPECT_TRUE(answer.ok()) << answer.status();
    for (const Prediction& one : answer->predictions) {
      if (one.strategy == route) return one.cost.TotalSeconds();
    }
    return -1.0;
  };
  EXPECT_GT(seconds("mesh2d?columns=4"), 0);
  EXPECT_EQ(seconds("mesh2d?columns=16"), -1);
  question.scenario.placement = strategy::Placement::kCyclic;
  EXPECT_GT(seconds("mesh2d?columns=16"), 0);
  // A mesh of one node per row is the square one already.
  question.scenario.placement = strategy::Placement::kBlock;
  question.scenario.ppn = 8;
  EXPECT_EQ(seconds("mesh2d?columns=8"), -1);
}

TEST(PatternTest, AllToAllCostsWhatItsStrategyCosts) {
  const MachinePointer machine = EveryModelsMachine();
  const auto messages = strategy::MessagesOf("all-to-all", 32, 64);
  ASSERT_TRUE(messages.ok()) << messages.status();
  PatternQuestion question = AskPattern(*messages, 32);
  question.model = "hockney";
  question.routes = {"direct", "mesh2d", "hypercube"};
  const auto answer = EvaluatePattern(*machine, question);
  ASSERT_TRUE(answer.ok()) << answer.status();
  ASSERT_EQ(answer->predictions.size(), 3U);
  strategy::Scenario scenario = question.scenario;
  scenario.block_bytes = 64;
  for (size_t i = 1; i < 3; ++i) {
    const Prediction& found = answer->predictions[i];
    const auto predicted =
        Predict(*machine, scenario, absl::StrCat("alltoall/", question.routes[i]), "hockney");
    ASSERT_TRUE(predicted.ok()) << predicted.status();
    EXPECT_EQ(found.strategy, question.routes[i]);
    EXPECT_NEAR(found.cost[model::Term::kStartup], predicted->front().cost[model::Term::kStartup],
                1e-9 * found.cost[model::Term::kStartup]);
  }
}

// The same links as under the strategy: 8 x 8 blocks leave each switch by 8 / 4 up-links.
TEST(PatternTest, OnGivenNodesAllToAllPaysForTheLinksOfItsStrategy) {
  const auto network = Network::Parse(
      "SwitchName=a Nodes=a[1-8]\nSwitchName=b Nodes=b[1-8]\nSwitchName=t Switches=a,b\n", {{4.0}},
      1e-7);
  ASSERT_TRUE(network.ok()) << network.status();
  const auto nodes = (*network)->Find("a[1-8],b[1-8]", 16);
  ASSERT_TRUE(nodes.ok()) << nodes.status();
  const MachinePointer machine = EveryModelsMachine();
  const auto messages = *strategy::MessagesOf("all-to-all", 16, 1000);
  PatternQuestion question = AskPattern(messages, 16);
  question.scenario.ppn = 1;
  question.model = "hockney";
  question.routes = {"direct", "mesh2d", "grid3d", "hypercube"};
  const auto unplaced = EvaluatePattern(*machine, question);
  question.nodes = &*nodes;
  const auto placed = EvaluatePattern(*machine, question);
  ASSERT_TRUE(unplaced.ok() && placed.ok()) << placed.status();
  strategy::Scenario scenario = question.scenario;
  scenario.block_bytes = 1000;
  for (size_t i = 0; i < question.routes.size(); ++i) {
    const std::string route = question.routes[i];
    const auto predicted =
        Predict(*machine, scenario, absl::StrCat("alltoall/", i == 0 ? "linear" : route), "hockney",
                &*nodes);
    ASSERT_TRUE(predicted.ok()) << predicted.status();
    for (const model::Term term : {model::Term::kLinkCongestion, model::Term::kLatency}) {
      EXPECT_GT(predicted->front().cost[term], 0) << route;
      EXPECT_NEAR(placed->predictions[i].cost[term] - unplaced->predictions[i].cost[term],
                  predicted->front().cost[term], 1e-12)
          << route;
    }
  }
  // One message within a switch sees no link of it.
  const std::vector<model::Transfer> near = {{0, 7, 1000}};
  question.messages = near;
  question.routes = {"direct"};
  const auto within = EvaluatePattern(*machine, question);
  ASSERT_TRUE(within.ok());
  EXPECT_EQ(within->predictions.front().cost[model::Term::kLatency], 0);
}

TEST(PatternTest, AllRoutesAreTaken) {
  const MachinePointer machine = EveryModelsMachine();
  const std::vector<model::Transfer> messages = {{0, 5, 10}, {7, 2, 10}};
  PatternQuestion question = AskPattern(messages, 9);
  question.routes = {"all"};
  const auto answer = EvaluatePattern(*machine, question);
  ASSERT_TRUE(answer.ok()) << answer.status();
  std::set<std::string> routes;
  for (const Prediction& prediction : answer->predictions) {
    routes.insert(prediction.strategy);
    EXPECT_GT(Amount(prediction.cost), 0) << prediction.strategy << " " << prediction.model;
  }
  EXPECT_EQ(routes,
            (std::set<std::string>{"direct", "mesh2d", "mesh2d?columns=4", "grid3d", "hypercube"}));
}

TEST(PatternTest, NothingToSendIsFree) {
  const MachinePointer machine = EveryModelsMachine();
  const std::vector<model::Transfer> none;
  PatternQuestion question = AskPattern(none, 1);
  question.model = "hockney";
  const auto answer = EvaluatePattern(*machine, question);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->predictions.front().cost.TotalSeconds(), 0);
}

TEST(PatternTest, WhatIsWrongIsNamed) {
  const MachinePointer machine = EveryModelsMachine();
  const std::vector<model::Transfer> outside = {{0, 1, 1}, {0, 4, 1}};
  EXPECT_EQ(domain::FieldOf(EvaluatePattern(*machine, AskPattern(outside, 4)).status()),
            "messages[1].destination");
  const std::vector<model::Transfer> none;
  EXPECT_EQ(domain::FieldOf(EvaluatePattern(*machine, AskPattern(none, 0)).status()), "ranks");
  PatternQuestion question = AskPattern(none, 4);
  question.routes = {"direct", "tree"};
  EXPECT_EQ(domain::FieldOf(EvaluatePattern(*machine, question).status()), "routes[1]");
}

}  // namespace
}  // namespace cox::advise
