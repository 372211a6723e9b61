#include "advise/placement/sockets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "../machines.h"
#include "absl/strings/str_cat.h"
#include "advise/placement/job_links.h"
#include "advise/placement/network.h"
#include "advise/predict.h"
#include "domain/errors.h"
#include "domain/level.h"
#include "domain/parameter.h"

namespace cox::advise {
namespace {

using ::testing::HasSubstr;

constexpr char kTwoNodes[] = "Torus=2 Nodes=n[1-2]\n";
constexpr double kNodeBeta = 1e-10;  // of KnownProfile() within a node, s/byte

NodesInUse Use(const std::string& text, const char* list) {
  const auto network = Network::Parse(text);
  EXPECT_TRUE(network.ok()) << network.status();
  const auto nodes = (*network)->Find(list, 0);
  EXPECT_TRUE(nodes.ok()) << nodes.status();
  return nodes.value_or(NodesInUse{});
}

strategy::Scenario Alltoall(int64_t ranks, int64_t ppn) {
  strategy::Scenario scenario;
  scenario.collective = domain::Collective::kAlltoall;
  scenario.ranks = ranks;
  scenario.ppn = ppn;
  scenario.block_bytes = 1000;
  return scenario;
}

model::Cost CostOf(const strategy::Scenario& scenario, const NodesInUse& nodes,
                   const char* strategy = "alltoall/linear", const char* model = "hockney",
                   domain::Profile profile = KnownProfile()) {
  const auto predictions =
      Predict(*MachineWith({}, std::move(profile)), scenario, strategy, model, &nodes);
  EXPECT_TRUE(predictions.ok()) << predictions.status();
  return predictions.ok() ? predictions->front().cost : model::Cost{};
}

// A node of two sockets of four ranks: 4 x 4 blocks leave a socket over 4 / 8 of a link, and a rank
// sends 7. Only messages to the other socket take the hop.
TEST(SocketsTest, AllToAllPaysForTheLinksBetweenSockets) {
  const NodesInUse nodes = Use("Sockets=2 Taper=8 HopTime=1e-7\nTorus=1 Nodes=n1\n", "n1");
  const model::Cost cost = CostOf(Alltoall(8, 8), nodes);
  EXPECT_NEAR(cost[model::Term::kLinkCongestion], (16'000 / 0.5 - 7'000) * kNodeBeta, 1e-12);
  EXPECT_NEAR(cost[model::Term::kLatency], 1e-7, 1e-15);
  // 4 links: 4 blocks over each, while a rank sends 7.
  const NodesInUse wide = Use("Sockets=2 Taper=1\nTorus=1 Nodes=n1\n", "n1");
  EXPECT_EQ(CostOf(Alltoall(8, 8), wide)[model::Term::kLinkCongestion], 0);
  // Fewer ranks than sockets: each has a socket to itself, and all of its links.
  const NodesInUse many = Use("Sockets=8\nTorus=1 Nodes=n1\n", "n1");
  EXPECT_NEAR(CostOf(Alltoall(2, 2), many)[model::Term::kLinkCongestion], 0, 1e-15);
  // One rank has no other socket.
  EXPECT_EQ(CostOf(Alltoall(1, 1), nodes)[model::Term::kLatency], 0);
}

// Ranks 0 to 3 are at node 1, in blocks; or 0, 2, 4, 6, in turns.
TEST(SocketsTest, RanksFillSocketsInBlocks) {
  const NodesInUse nodes = Use(absl::StrCat("Sockets=2 HopTime=1e-7\n", kTwoNodes), "n[1-2]");
  strategy::Scenario scenario = Alltoall(8, 4);
  const auto hop_s = [&](int64_t source, int64_t destination) {
    const JobLinks links(nodes, scenario, {1, 1, nodes.sockets.hop_time_s});
    std::vector<int> route;
    return links.AddRoute(source, destination, &route);
  };
  EXPECT_EQ(hop_s(0, 1), 0);
  EXPECT_EQ(hop_s(1, 2), 1e-7);
  EXPECT_EQ(hop_s(0, 4), 0);  // another node
  scenario.placement = strategy::Placement::kCyclic;
  EXPECT_EQ(hop_s(0, 2), 0);
  EXPECT_EQ(hop_s(0, 4), 1e-7);
}

// The messages of 256 ranks are listed, those of 512 are too many. Both are priced alike.
TEST(SocketsTest, ManyMessagesAreSpreadEvenly) {
  const NodesInUse nodes = Use("Sockets=4 Taper=64\nTorus=1 Nodes=n1\n", "n1");
  for (const int64_t ranks : {256, 512}) {
    const auto count = static_cast<double>(ranks);
    const double socket = count / 4;
    // Each socket sends its ranks' blocks for all others over socket / 64 links.
    const double link_s = socket * (count - socket) * 1'000 / (socket / 64) * kNodeBeta;
    EXPECT_NEAR(CostOf(Alltoall(ranks, ranks), nodes)[model::Term::kLinkCongestion],
                link_s - (count - 1) * 1'000 * kNodeBeta, 1e-9);
  }
}

// KnownProfile(), and messages between sockets that start 0.5 us later and take 0.3 ns a byte.
domain::Profile ProfileWithSockets(const std::string& model) {
  domain::Profile profile;
  for (domain::Parameter parameter : KnownProfile().parameters) {
    parameter.model = model;
    profile.Set(parameter);
  }
  profile.Set(learn::MakeParameter(model, domain::Level::kSocket, "alpha", 1e-6));
  profile.Set(learn::MakeParameter(model, domain::Level::kSocket, "beta", 3e-10));
  return profile;
}

// Of a rank's 7 messages, 4 go to the other socket. The line's HopTime and rate are not used.
TEST(SocketsTest, ParametersOfTheLevelPriceWhatCrosses) {
  const NodesInUse nodes = Use("Sockets=2 HopTime=1e-3\nTorus=1 Nodes=n1\n", "n1");
  for (const char* const model : {"hockney", "max-rate"}) {
    const domain::Profile profile = ProfileWithSockets(model);
    const model::Cost cost = CostOf(Alltoall(8, 8), nodes, "alltoall/linear", model, profile);
    EXPECT_NEAR(cost[model::Term::kStartup], 3 * 5e-7 + 4 * 1e-6, 1e-15) << model;
    EXPECT_NEAR(cost[model::Term::kBandwidth], 3'000 * kNodeBeta + 4'000 * 3e-10, 1e-15) << model;
    EXPECT_EQ(cost[model::Term::kLatency], 0) << model;
    EXPECT_EQ(cost[model::Term::kLinkCongestion], 0) << model;
  }
}

// Of three exchanges within a node, one is between sockets. In the network's steps all ranks of a
// node wait for the network.
TEST(SocketsTest, AStepPaysForSocketsOnceUnlessTheNetworkIsSlower) {
  const NodesInUse nodes = Use(absl::StrCat("Sockets=2\n", kTwoNodes), "n[1-2]");
  const NodesInUse unknown = Use(kTwoNodes, "n[1-2]");
  strategy::Scenario scenario = Alltoall(16, 8);
  scenario.collective = domain::Collective::kAllreduce;
  const domain::Profile profile = ProfileWithSockets("hockney");
  const auto more = [&](const char* strategy, model::Term term) {
    return CostOf(scenario, nodes, strategy, "hockney", profile)[term] -
           CostOf(scenario, unknown, strategy, "hockney", profile)[term];
  };
  EXPECT_NEAR(more("allreduce/recursive-doubling", model::Term::kStartup), 5e-7, 1e-15);
  EXPECT_NEAR(more("allreduce/recursive-doubling", model::Term::kBandwidth), 1'000 * 2e-10, 1e-15);
  // In a ring some message passes the network in every step.
  EXPECT_NEAR(more("allreduce/ring", model::Term::kStartup), 0, 1e-15);
  // Once on the way to the leader, once on the way back.
  EXPECT_NEAR(more("allreduce/node-leaders", model::Term::kStartup), 2 * 5e-7, 1e-15);
}

// Listed or not. A rank at the socket with fewer ranks sends most to the other one.
TEST(SocketsTest, ParametersOfTheLevelPriceManyMessagesAlike) {
  const NodesInUse nodes = Use("Sockets=2\nTorus=1 Nodes=n1\n", "n1");
  for (const int64_t ranks : {3, 256, 257, 512, 513}) {
    const model::Cost cost = CostOf(Alltoall(ranks, ranks), nodes, "alltoall/linear", "hockney",
                                    ProfileWithSockets("hockney"));
    const auto here = static_cast<double>(ranks / 2);
    const double there = static_cast<double>(ranks) - here;
    EXPECT_NEAR(cost[model::Term::kStartup], (here - 1) * 5e-7 + there * 1e-6, 1e-12) << ranks;
    EXPECT_NEAR(cost[model::Term::kBandwidth], (here - 1) * 1e-7 + there * 3e-7, 1e-12) << ranks;
  }
}

TEST(SocketsTest, RefusesOtherLines) {
  const auto why_not = [](const std::string& line) {
    const auto network = Network::Parse(absl::StrCat(kTwoNodes, line));
    EXPECT_FALSE(network.ok()) << line;
    EXPECT_EQ(domain::FieldOf(network.status()), "switches");
    return std::string(network.status().message());
  };
  EXPECT_THAT(why_not("Sockets=0"), HasSubstr("line 2: Sockets=0 is out of range"));
  EXPECT_THAT(why_not("Sockets=65"), HasSubstr("Sockets 1 to 64"));
  EXPECT_THAT(why_not("Sockets=2 Taper=0"), HasSubstr("Taper=0"));
  EXPECT_THAT(why_not("Sockets=2 HopTime=2"), HasSubstr("HopTime=2"));
  EXPECT_THAT(why_not("Sockets=2 Nodes=n1"), HasSubstr("unknown key \"Nodes\""));
  EXPECT_THAT(why_not("Sockets=2\nSockets=2"), HasSubstr("line 3: a second line"));
}

TEST(SocketsTest, AreWrittenBack) {
  const auto network =
      Network::Parse("SwitchName=a Nodes=n[1-2]\nsockets=2 taper=4 # of each node\n");
  ASSERT_TRUE(network.ok()) << network.status();
  EXPECT_EQ((*network)->Text(), "Sockets=2 Taper=4 HopTime=0\nSwitchName=a Nodes=n[1-2]\n");
}

}  // namespace
}  // namespace cox::advise
