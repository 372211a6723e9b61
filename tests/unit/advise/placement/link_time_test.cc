#include "advise/placement/link_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../every_model.h"
#include "../machines.h"
#include "absl/strings/str_cat.h"
#include "advise/caveats.h"
#include "advise/placement/network.h"
#include "advise/placement/switch_tree.h"
#include "advise/predict.h"
#include "advise/recommend.h"
#include "advise/tuning/tuning.h"
#include "domain/collective.h"
#include "domain/level.h"

namespace cox::advise {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kBeta = 4e-10;  // of KnownProfile() between nodes, s/byte
constexpr char kTwoSwitches[] = "n[1-16]";
constexpr char kFiveSwitches[] = "n[1-4,9-11,17-19,25-27,33-35]";

NodesInUse Nodes(const char* list, double taper = 2, double hop_time_s = 0) {
  auto tree = SwitchTree::Parse(
      "SwitchName=s0 Nodes=n[1-8]\nSwitchName=s1 Nodes=n[9-16]\nSwitchName=s2 Nodes=n[17-24]\n"
      "SwitchName=s3 Nodes=n[25-32]\nSwitchName=s4 Nodes=n[33-40]\nSwitchName=t Switches=s[0-4]");
  EXPECT_TRUE(tree.ok()) << tree.status();
  EXPECT_TRUE(tree->Complete({&taper, 1}, hop_time_s).ok());
  auto nodes = tree->Find(list, 0);
  EXPECT_TRUE(nodes.ok()) << nodes.status();
  return *std::move(nodes);
}

strategy::Scenario Of(domain::Collective collective, int64_t ranks, int64_t ppn, int64_t bytes) {
  strategy::Scenario scenario;
  scenario.collective = collective;
  scenario.ranks = ranks;
  scenario.ppn = ppn;
  scenario.block_bytes = bytes;
  return scenario;
}

model::Cost CostOf(const strategy::Scenario& scenario, const char* strategy,
                   const NodesInUse* nodes, const char* model = "hockney",
                   domain::Profile profile = KnownProfile()) {
  const auto predictions =
      Predict(*MachineWith({}, std::move(profile)), scenario, strategy, model, nodes);
  EXPECT_TRUE(predictions.ok()) << predictions.status();
  return predictions.ok() ? predictions->front().cost : model::Cost{};
}

// 15 blocks of 1000 bytes out of each node take 15,000 beta. A switch of 8 nodes sends 8 x 8 blocks
// over 8 / 2 up-links: 16,000 beta. One of 3 nodes sends 3 x 13 over 1.5: 26,000 beta.
TEST(LinkTimeTest, AllToAllPaysForTheNarrowestSwitch) {
  const strategy::Scenario scenario = Of(domain::Collective::kAlltoall, 16, 1, 1000);
  const model::Cost unplaced = CostOf(scenario, "alltoall/linear", nullptr);
  const NodesInUse two = Nodes(kTwoSwitches);
  const NodesInUse five = Nodes(kFiveSwitches);
  const model::Cost on_two = CostOf(scenario, "alltoall/linear", &two);
  const model::Cost on_five = CostOf(scenario, "alltoall/linear", &five);
  EXPECT_EQ(unplaced[model::Term::kLinkCongestion], 0);
  EXPECT_NEAR(on_two[model::Term::kLinkCongestion], 1'000 * kBeta, 1e-12);
  EXPECT_NEAR(on_five[model::Term::kLinkCongestion], 11'000 * kBeta, 1e-12);
  EXPECT_NEAR(on_five.TotalSeconds() - unplaced.TotalSeconds(), 11'000 * kBeta, 1e-12);
}

TEST(LinkTimeTest, FullBisectionAndOneSwitchCostNothing) {
  const strategy::Scenario scenario = Of(domain::Collective::kAlltoall, 8, 1, 1000);
  const double unplaced_s = CostOf(scenario, "alltoall/linear", nullptr).TotalSeconds();
  const NodesInUse one = Nodes("n[1-8]");
  const NodesInUse wide = Nodes("n[5-12]", 1);
  EXPECT_DOUBLE_EQ(CostOf(scenario, "alltoall/linear", &one).TotalSeconds(), unplaced_s);
  EXPECT_DOUBLE_EQ(CostOf(scenario, "alltoall/linear", &wide).TotalSeconds(), unplaced_s);
}

// In a ring one message leaves each switch in a step: 1000 bytes over 4 up-links, or over 1.5, take
// no longer than 1000 bytes out of a node.
TEST(LinkTimeTest, ARingHardlySeesSwitches) {
  const strategy::Scenario scenario = Of(domain::Collective::kAllgather, 16, 1, 1000);
  const NodesInUse five = Nodes(kFiveSwitches);
  EXPECT_EQ(CostOf(scenario, "allgather/ring", &five)[model::Term::kLinkCongestion], 0);
  // With 8 nodes for each up-link: 1000 bytes over 3 / 8 of one, 15 times.
  const NodesInUse narrow = Nodes(kFiveSwitches, 8);
  EXPECT_NEAR(CostOf(scenario, "allgather/ring", &narrow)[model::Term::kLinkCongestion],
              15 * (1'000 / 0.375 - 1'000) * kBeta, 1e-12);
}

// A step's longest way has two up-links: 15 steps of a ring, one of the linear exchange.
TEST(LinkTimeTest, EachStepPaysForItsLongestWay) {
  const NodesInUse nodes = Nodes(kTwoSwitches, 1, 1e-7);
  EXPECT_NEAR(CostOf(Of(domain::Collective::kAllgather, 16, 1, 8), "allgather/ring",
                     &nodes)[model::Term::kLatency],
              15 * 2e-7, 1e-15);
  EXPECT_NEAR(CostOf(Of(domain::Collective::kAlltoall, 16, 1, 8), "alltoall/linear",
                     &nodes)[model::Term::kLatency],
              2e-7, 1e-15);
}

// The first of 128 segments takes 15 steps. Then each of 127 steps brings one more to all ranks,
// with messages between the switches at once.
TEST(LinkTimeTest, APipelinePaysForSwitchesOnceAStage) {
  const NodesInUse in_turns =
      Nodes("n1,n9,n2,n10,n3,n11,n4,n12,n5,n13,n6,n14,n7,n15,n8,n16", 1, 1e-6);
  const double step_s = 3e-6 + 8192 * kBeta;
  for (const auto& [collective, strategy] :
       {std::pair(domain::Collective::kBcast, "bcast/pipeline?segment=8192"),
        std::pair(domain::Collective::kReduce, "reduce/pipeline?segment=8192")}) {
    const model::Cost cost = CostOf(Of(collective, 16, 1, 1 << 20), strategy, &in_turns);
    EXPECT_NEAR(cost[model::Term::kLatency], 142 * 2e-6, 1e-12) << strategy;
    EXPECT_NEAR(cost.TotalSeconds(), 142 * (step_s + 2e-6), 1e-9) << strategy;
  }
}

// Ranks fill the nodes in the list's order: neighbours of a ring at one switch, or never.
TEST(LinkTimeTest, TheOrderOfTheListCounts) {
  const strategy::Scenario scenario = Of(domain::Collective::kAllgather, 8, 1, 1000);
  const NodesInUse in_order = Nodes("n[1-4,9-12]", 4);
  const NodesInUse in_turns = Nodes("n1,n9,n2,n10,n3,n11,n4,n12", 4);
  EXPECT_EQ(CostOf(scenario, "allgather/ring", &in_order)[model::Term::kLinkCongestion], 0);
  // Each of 4 nodes sends over the one up-link that they share.
  EXPECT_NEAR(CostOf(scenario, "allgather/ring", &in_turns)[model::Term::kLinkCongestion],
              7 * (4'000 - 1'000) * kBeta, 1e-12);
}

// In a ring of 8 nodes a link carries 1 + 2 + 3 + 4 of the blocks of an exchange of all with all,
// and a node sends 7. The farthest node is three links behind a neighbour.
TEST(LinkTimeTest, ATorusPaysForItsBusiestLink) {
  const auto ring = Network::Parse("Torus=8 Nodes=n[1-8] HopTime=1e-7");
  ASSERT_TRUE(ring.ok()) << ring.status();
  const auto nodes = (*ring)->Find("n[1-8]", 0);
  ASSERT_TRUE(nodes.ok()) << nodes.status();
  const strategy::Scenario scenario = Of(domain::Collective::kAlltoall, 8, 1, 1000);
  const model::Cost cost = CostOf(scenario, "alltoall/linear", &*nodes);
  EXPECT_NEAR(cost[model::Term::kLinkCongestion], 3'000 * kBeta, 1e-12);
  EXPECT_NEAR(cost[model::Term::kLatency], 3e-7, 1e-15);
  // Neighbours only: each message has a link of its own.
  const model::Cost along =
      CostOf(Of(domain::Collective::kAllgather, 8, 1, 1000), "allgather/ring", &*nodes);
  EXPECT_EQ(along[model::Term::kLinkCongestion], 0);
  EXPECT_EQ(along[model::Term::kLatency], 0);
}

// Two ranks on each node: under hockney each rank has a link of its own, but the up-links are those
// of nodes. 4 ranks x 4 ranks x 1000 bytes pass one up-link, and 2 ranks x 6 x 1000 a node's link.
TEST(LinkTimeTest, CountsRanksOfANode) {
  const strategy::Scenario scenario = Of(domain::Collective::kAlltoall, 8, 2, 1000);
  const NodesInUse nodes = Nodes("n[1-2,9-10]", 2);
  EXPECT_NEAR(CostOf(scenario, "alltoall/linear", &nodes)[model::Term::kLinkCongestion],
              (16'000 - 12'000) * kBeta, 1e-12);
}

// A switch with an up-link for each of its nodes slows no job, in any model. C3 prices the longer
// way.
TEST(LinkTimeTest, FullLinksCostNothingWithSeveralRanksOnANode) {
  const MachinePointer machine = EveryModelsMachine();
  const NodesInUse one = Nodes("n[1-8]", 1);
  const NodesInUse two = Nodes("n[1-4,9-12]", 1);
  for (const auto& [collective, strategy] :
       {std::pair(domain::Collective::kAlltoall, "alltoall/linear"),
        std::pair(domain::Collective::kAllgather, "allgather/recursive-doubling")}) {
    const strategy::Scenario scenario = Of(collective, 64, 8, 1 << 20);
    const auto near = Predict(*machine, scenario, strategy, "all", &one);
    const auto far = Predict(*machine, scenario, strategy, "all", &two);
    ASSERT_TRUE(near.ok() && far.ok());
    ASSERT_GT(near->size(), 10U);
    for (size_t i = 0; i < near->size(); ++i) {
      if ((*near)[i].model == "c3") continue;
      EXPECT_NEAR((*far)[i].cost.TotalSeconds() / (*near)[i].cost.TotalSeconds(), 1, 1e-12)
          << strategy << " by " << (*near)[i].model;
    }
  }
}

// 4 nodes of 8 ranks send 32 x 32 blocks over 4 / 2 up-links, and each node 8 x 56 over its own:
// 512 blocks and 448. A byte over a node's link takes what the pair says; by max-rate, what the
// eight ranks reach together, and its own time also has the 7 blocks of a rank inside its node.
TEST(LinkTimeTest, ATaperSlowsTheLinksOfNodes) {
  domain::Profile profile = KnownProfile();
  const double injection = 3e-10;
  for (const auto& [level, name, value] :
       {std::tuple(domain::Level::kNode, "alpha", 5e-7),
        std::tuple(domain::Level::kNode, "beta", 1e-10),
        std::tuple(domain::Level::kNetwork, "alpha", 3e-6),
        std::tuple(domain::Level::kNetwork, "beta", kBeta),
        std::tuple(domain::Level::kNetwork, "injection", injection)}) {
    profile.Set(learn::MakeParameter("max-rate", level, name, value));
  }
  const strategy::Scenario scenario = Of(domain::Collective::kAlltoall, 64, 8, 1'000);
  const NodesInUse one = Nodes("n[1-8]");
  const NodesInUse two = Nodes("n[1-4,9-12]");
  for (const auto& [model, more_s] :
       {std::pair("hockney", (512 - 448) * 1'000 * kBeta),
        std::pair("max-rate", (512 - 448) * 1'000 * injection - 7 * 1'000 * 1e-10)}) {
    const auto total_s = [&](const NodesInUse& nodes) {
      return CostOf(scenario, "alltoall/linear", &nodes, model, profile).TotalSeconds();
    };
    EXPECT_NEAR(total_s(two) - total_s(one), more_s, 1e-12) << model;
  }
}

// Of 304 ranks 304 x 303 messages are listed, of 2048 too many. Both ways see all pairs alike, as
// they are.
TEST(LinkTimeTest, ManyMessagesAreSpreadEvenly) {
  const NodesInUse nodes = Nodes(kTwoSwitches);
  const strategy::Scenario listed = Of(domain::Collective::kAlltoall, 16 * 19, 19, 1000);
  const strategy::Scenario spread = Of(domain::Collective::kAlltoall, 16 * 128, 128, 1000);
  const auto machine = MachineWith({});
  for (const strategy::Scenario& scenario : {listed, spread}) {
    const auto predictions = Predict(*machine, scenario, "alltoall/linear", "hockney", &nodes);
    ASSERT_TRUE(predictions.ok());
    const auto ranks = static_cast<double>(scenario.ppn);
    // 8 x 8 pairs of nodes of ranks^2 blocks over 4 up-links, less 15 of them over a node's link.
    EXPECT_NEAR(predictions->front().cost[model::Term::kLinkCongestion],
                ranks * ranks * (64.0 / 4 - 15) * 1'000 * kBeta, 1e-7);
    EXPECT_EQ(predictions->front().caveat, "");
  }
}

// The 319 steps of a ring of 320 ranks have the same 320 messages, of which one leaves each switch.
// Two steps of neighbor-exchange take turns.
TEST(LinkTimeTest, StepsThatAreAlikeAreListedOnce) {
  const NodesInUse nodes = Nodes("n[1-40]", 2, 1e-7);
  const auto machine = MachineWith({});
  for (const auto& [strategy, ranks, steps] :
       {std::tuple("allgather/ring", 320, 319.0),
        std::tuple("allgather/neighbor-exchange", 480, 240.0)}) {
    const auto predictions =
        Predict(*machine, Of(domain::Collective::kAllgather, ranks, ranks / 40, 1'000), strategy,
                "hockney", &nodes);
    ASSERT_TRUE(predictions.ok());
    EXPECT_EQ(predictions->front().cost[model::Term::kLinkCongestion], 0) << strategy;
    EXPECT_LE(predictions->front().cost[model::Term::kLatency], steps * 2e-7 * 1.000001);
    EXPECT_GT(predictions->front().cost[model::Term::kLatency], 0);
    EXPECT_EQ(predictions->front().caveat, "") << strategy;
  }
}

// A ring of 640 ranks has more messages than are read, so its links are a guess. The question is
// decided as without nodes, and says so.
TEST(LinkTimeTest, NothingIsDecidedByAGuess) {
  const NodesInUse nodes = Nodes("n[1-40]", 2, 1e-7);
  const auto machine = MachineWith({});
  const auto ring = Predict(*machine, Of(domain::Collective::kAllgather, 640, 16, 1 << 20),
                            "allgather/ring", "hockney", &nodes);
  ASSERT_TRUE(ring.ok());
  EXPECT_TRUE(ring->front().guesses_links);
  EXPECT_THAT(ring->front().caveat, HasSubstr("priced as if all pairs"));

  Question question;
  question.library = "openmpi-4.1";
  question.collective = "allgather";
  question.ppn = 16;
  question.ranks = 640;
  question.block_bytes = 1 << 20;
  const Answer unplaced = Recommend(*machine, question, true);
  question.nodes_in_use = &nodes;
  const Answer placed = Recommend(*machine, question, true);
  EXPECT_THAT(placed.caveats, Contains(kLinksLeftOut));
  EXPECT_THAT(unplaced.caveats, Not(Contains(kLinksLeftOut)));
  EXPECT_EQ(placed.chosen.algorithm, unplaced.chosen.algorithm);
  ASSERT_EQ(placed.ranked.size(), unplaced.ranked.size());
  for (size_t i = 0; i < placed.ranked.size(); ++i) {
    EXPECT_EQ(placed.ranked[i].algorithm, unplaced.ranked[i].algorithm);
    EXPECT_EQ(placed.ranked[i].predicted_time_s, unplaced.ranked[i].predicted_time_s);
  }
  // A job whose messages are listed keeps its links.
  question.ranks = 320;
  question.ppn = 8;
  EXPECT_THAT(Recommend(*machine, question, false).caveats, Not(Contains(kLinksLeftOut)));

  TuningQuestion job;
  job.job.library = "openmpi-4.1";
  job.job.nodes = 40;
  job.job.ppn = 16;
  job.collectives = {"allgather", "barrier"};
  job.nodes_in_use = &nodes;
  const auto tables = BuildDecisionTables(*machine, job);
  ASSERT_TRUE(tables.ok()) << tables.status();
  EXPECT_THAT(CaveatsOf(*machine, job.job, *tables), Contains(HasSubstr(kLinksLeftOut)));
}

// 20,480 ranks send 15 times each: too many messages to list. They carry nothing, but pass
// switches.
TEST(LinkTimeTest, MessagesWithoutBytesPassSwitches) {
  const NodesInUse nodes = Nodes("n[1-40]", 2, 1e-7);
  const auto barrier = Predict(*MachineWith({}), Of(domain::Collective::kBarrier, 40 * 512, 512, 0),
                               "barrier/dissemination", "hockney", &nodes);
  ASSERT_TRUE(barrier.ok()) << barrier.status();
  EXPECT_GT(barrier->front().cost[model::Term::kLatency], 0);
  EXPECT_TRUE(barrier->front().guesses_links);
}

// 16 nodes of 2 ranks. Down the leaders' tree, only the first step leaves a switch if the list is
// in order; only the last one if nodes come in turns, and then 8 messages share 8 / 2 up-links.
TEST(LinkTimeTest, NodeLeadersPayForTheSwitchesThatTheyCross) {
  const strategy::Scenario scenario = Of(domain::Collective::kBcast, 32, 2, 1000);
  const NodesInUse in_order = Nodes(kTwoSwitches, 2, 1e-7);
  const NodesInUse in_turns =
      Nodes("n1,n9,n2,n10,n3,n11,n4,n12,n5,n13,n6,n14,n7,n15,n8,n16", 2, 1e-7);
  const model::Cost near = CostOf(scenario, "bcast/node-leaders", &in_order);
  const model::Cost far = CostOf(scenario, "bcast/node-leaders", &in_turns);
  EXPECT_NEAR(near[model::Term::kLatency], 2e-7, 1e-15);
  EXPECT_EQ(near[model::Term::kLinkCongestion], 0);
  EXPECT_NEAR(far[model::Term::kLatency], 2e-7, 1e-15);
  EXPECT_NEAR(far[model::Term::kLinkCongestion], 1'000 * kBeta, 1e-15);
  for (const auto collective : {domain::Collective::kReduce, domain::Collective::kBarrier,
                                domain::Collective::kAllreduce, domain::Collective::kScan}) {
    const std::string strategy = absl::StrCat(domain::CollectiveName(collective), "/node-leaders");
    const strategy::Scenario other = Of(collective, 32, 2, 1000);
    EXPECT_GT(CostOf(other, strategy.c_str(), &in_order)[model::Term::kLatency], 0) << strategy;
  }
}

// Among the leaders of nodes, 8 messages leave each switch at once over 4 up-links. Among the
// leaders of switches it is one.
TEST(LinkTimeTest, LeadersOfSwitchesCrossThemOnce) {
  const strategy::Scenario scenario = Of(domain::Collective::kAllreduce, 32, 2, 1000);
  const NodesInUse nodes = Nodes(kTwoSwitches, 2, 1e-7);
  EXPECT_EQ(nodes.unit_nodes, std::vector<int64_t>{8});
  const model::Cost of_nodes = CostOf(scenario, "allreduce/node-leaders", &nodes);
  const model::Cost of_switches = CostOf(scenario, "allreduce/node-leaders?unit=16", &nodes);
  EXPECT_NEAR(of_nodes[model::Term::kLinkCongestion], 1'000 * kBeta, 1e-15);
  EXPECT_EQ(of_switches[model::Term::kLinkCongestion], 0);
  EXPECT_NEAR(of_switches[model::Term::kLatency], 2e-7, 1e-15);
}

// Without a named strategy, those with leaders of switches are among the predicted ones.
TEST(LinkTimeTest, StrategiesWithLeadersOfSwitchesAndSocketsAreCompared) {
  const auto names_on = [](const NodesInUse& nodes) {
    const auto predictions = Predict(*MachineWith({}), Of(domain::Collective::kBcast, 32, 2, 1000),
                                     "", "hockney", &nodes);
    EXPECT_TRUE(predictions.ok()) << predictions.status();
    std::vector<std::string> names;
    for (const Prediction& one : *predictions) names.push_back(one.strategy);
    return names;
  };
  EXPECT_THAT(names_on(Nodes(kTwoSwitches)), Contains("bcast/node-leaders?unit=16"));
  EXPECT_THAT(names_on(Nodes("n[1-4,9-12,17-20,25-28]")), Contains("bcast/node-leaders?unit=8"));
  // Uneven shares of the switches, or nodes in turns: no unit.
  for (const char* const list : {"n[1-7,9-17]", "n[1-4,9-12,5-8,13-16]", "n[1,9,17,25]"}) {
    EXPECT_TRUE(Nodes(list).unit_nodes.empty()) << list;
  }
}

domain::Profile C3Profile() {
  domain::Profile profile = KnownProfile();
  for (const auto& [name, value] : {std::pair("l", 512.0), std::pair("s", 8.0)}) {
    profile.Set(learn::MakeParameter("c3", domain::Level::kNetwork, name, value));
  }
  return profile;
}

// C3 prices links itself: units grow as the nodes' own bisection shrinks.
TEST(LinkTimeTest, C3SeesTheNodesInUse) {
  const strategy::Scenario scenario = Of(domain::Collective::kAlltoall, 16, 1, 4096);
  const NodesInUse wide = Nodes(kTwoSwitches, 1);
  const NodesInUse narrow = Nodes(kTwoSwitches, 8);
  const model::Cost on_wide = CostOf(scenario, "alltoall/linear", &wide, "c3", C3Profile());
  const model::Cost on_narrow = CostOf(scenario, "alltoall/linear", &narrow, "c3", C3Profile());
  // C_l = k ceil(p (p - 1) / b) in units (Fig. 2): 8 packets, 240 messages over 8 links or 1.
  EXPECT_NEAR(on_narrow.units - on_wide.units, 8 * 240 - 8 * 30, 1);
}

// A strategy that works on parts of the machine sends the same one message as one that does not.
TEST(LinkTimeTest, C3sPartOfAllRanksIsTheNodesInUse) {
  const NodesInUse nodes = Nodes("n[1,9]");
  const strategy::Scenario scenario = Of(domain::Collective::kScatter, 2, 1, 1000);
  const double linear = CostOf(scenario, "scatter/linear", &nodes, "c3", C3Profile()).units;
  // s + k + h at the root, C_l = k, C_p = k h with four links between the two nodes.
  EXPECT_NEAR(linear, (8 + 2 + 4) + 2 + 2 * 4 + 2, 1e-9);
  for (const char* const strategy : {"scatter/logp-lev-sq", "scatter/logp-lev-rec"}) {
    EXPECT_NEAR(CostOf(scenario, strategy, &nodes, "c3", C3Profile()).units, linear, 1e-9)
        << strategy;
  }
}

// Of the machine's crossbar both parts have h = 1 and b = 1, of all four ranks b = 2. The list has
// four links on each way.
TEST(LinkTimeTest, C3sSmallerPartsChangeAsTheNodesDo) {
  const NodesInUse nodes = Nodes("n[1,9,17,25]", 1);
  const strategy::Scenario scenario = Of(domain::Collective::kScatter, 4, 1, 1000);
  EXPECT_NEAR(nodes.distance_links, 4, 1e-12);
  const model::Cost placed = CostOf(scenario, "scatter/logp-lev-sq", &nodes, "c3", C3Profile());
  const model::Cost unplaced = CostOf(scenario, "scatter/logp-lev-sq", nullptr, "c3", C3Profile());
  // Messages of 4 and 2 packets, each with h three links longer: h once at the sender, and C_p.
  EXPECT_NEAR(placed.units - unplaced.units, (4 + 1) * 3 + (2 + 1) * 3, 1e-9);
}

// On one switch pairwise and linear are alike for a library; spread over narrow switches a ring is
// better than what sends to everybody at once.
// Timings that agree with the prices raise no price, however long the links take.
TEST(LinkTimeTest, LinksRaiseNoPriceOfWhatIsUntimed) {
  const NodesInUse far = Nodes("n1,n9,n17,n25,n33,n2,n10,n18,n26,n34,n3,n11,n19,n27,n35,n4", 8);
  std::vector<learn::Cell> cells;
  for (int64_t bytes = 8; bytes <= 1 << 20; bytes *= 8) {
    cells.push_back(learn::MakeCell("allgather", "ring", 16, 1, bytes, 1));
    cells.back().mean_log_time = std::log(learn::PriceOf(cells.back(), KnownProfile()));
    cells.back().weight = 20;
  }
  Question question;
  question.library = "openmpi-4.1";
  question.collective = "allgather";
  question.ppn = 1;
  question.ranks = 16;
  question.block_bytes = 262'144;
  question.nodes_in_use = &far;
  question.candidates = {"recursive_doubling"};
  const Answer answer = Recommend(*MachineWith(cells), question, true);
  ASSERT_EQ(answer.ranked.size(), 1U);
  const double priced_s = CostOf(Of(domain::Collective::kAllgather, 16, 1, 262'144),
                                 "allgather/recursive-doubling", &far)
                              .TotalSeconds();
  EXPECT_NEAR(answer.ranked[0].predicted_time_s / priced_s, 1, 0.01);
}

TEST(LinkTimeTest, ARecommendationDependsOnTheNodes) {
  Question question;
  question.library = "openmpi-4.1";
  question.collective = "allgather";
  question.ppn = 1;
  question.ranks = 16;
  question.block_bytes = 262'144;
  const NodesInUse near = Nodes("n[1-16]", 1);
  const NodesInUse far = Nodes("n1,n9,n17,n25,n33,n2,n10,n18,n26,n34,n3,n11,n19,n27,n35,n4", 8);
  const auto machine = MachineWith({});
  const auto time_of = [&](const NodesInUse* nodes, const char* algorithm) {
    question.nodes_in_use = nodes;
    const Answer answer = Recommend(*machine, question, true);
    for (const Candidate& candidate : answer.ranked) {
      if (candidate.algorithm == algorithm) return candidate.predicted_time_s;
    }
    ADD_FAILURE() << algorithm;
    return 0.0;
  };
  const double unplaced_s = time_of(nullptr, "ring");
  EXPECT_NEAR(time_of(&near, "ring"), unplaced_s, 1e-12);
  EXPECT_GT(time_of(&far, "ring"), 2 * unplaced_s);
}

}  // namespace
}  // namespace cox::advise
