#include "advise/placement/grid_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "advise/placement/network.h"
#include "domain/errors.h"

namespace cox::advise {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<const Network> Parsed(const std::string& text, double hop_time_s = 0) {
  auto network = Network::Parse(text, {}, hop_time_s);
  EXPECT_TRUE(network.ok()) << network.status();
  return network.ok() ? *std::move(network) : nullptr;
}

NodesInUse Use(const Network& network, const std::string& list) {
  const auto nodes = network.Find(list, 0);
  EXPECT_TRUE(nodes.ok()) << nodes.status();
  return nodes.value_or(NodesInUse{});
}

int64_t Hops(const NodesInUse& nodes, int from, int to) {
  std::vector<int> route;
  nodes.links->AddRoute(from, to, &route);
  return static_cast<int64_t>(route.size());
}

std::string WhyNoGrid(const std::string& text) {
  const auto network = Network::Parse(text);
  EXPECT_FALSE(network.ok()) << text;
  EXPECT_EQ(domain::FieldOf(network.status()), "switches") << text;
  return std::string(network.status().message());
}

TEST(NetworkTest, ALineGoesOnBehindABackslash) {
  const auto network = Parsed(
      "# not this one \\\n"
      "SwitchName=a \\ \r\n  Nodes=n[1-2]\n"
      "SwitchName=b Nodes=n3\n"
      "SwitchName=t \\\n Switches=a,\\\nb\n");
  ASSERT_NE(network, nullptr);
  EXPECT_EQ(network->node_count(), 3);
  EXPECT_EQ(network->switch_count(), 3);
  EXPECT_THAT(WhyNoGrid("SwitchName=a \\\nNodes=n1\nSwitchName=a Nodes=n2\n"), HasSubstr("line 3"));
  EXPECT_THAT(WhyNoGrid("SwitchName=a Nodes=n1\nSwitchName=b \\"), HasSubstr("line 2"));
}

// n5 is at (1, 1), n10 at (2, 2), n15 at (3, 3).
TEST(GridNetworkTest, ATorusGoesTheShorterWayAround) {
  const auto torus = Parsed("Torus=4x4 Nodes=n[0-15]", 1e-6);
  ASSERT_NE(torus, nullptr);
  EXPECT_EQ(torus->node_count(), 16);
  const NodesInUse nodes = Use(*torus, "n[0-15]");
  EXPECT_EQ(nodes.switch_count, 16);
  EXPECT_EQ(Hops(nodes, 0, 1), 1);
  EXPECT_EQ(Hops(nodes, 0, 3), 1);
  EXPECT_EQ(Hops(nodes, 0, 12), 1);
  EXPECT_EQ(Hops(nodes, 0, 10), 4);
  EXPECT_EQ(Hops(nodes, 15, 0), 2);
  EXPECT_EQ(Hops(nodes, 5, 10), 2);
  // In a ring of 4 nodes the others are 1, 2 and 1 links away: 16 x 16 x 2 of both dimensions.
  EXPECT_DOUBLE_EQ(nodes.distance_links, 16 * 16 * 2.0 / (16 * 15));
  // 8 links lead from one half to the other.
  EXPECT_DOUBLE_EQ(nodes.bisection_links, 8);
  std::vector<int> route;
  EXPECT_DOUBLE_EQ(nodes.links->AddRoute(0, 10, &route), 3e-6);
  EXPECT_DOUBLE_EQ(nodes.links->AddRoute(0, 1, &route), 0);
}

// Messages along the first dimension, then the second: 0 -> 5 goes by 1, 1 -> 5 by the same link.
TEST(GridNetworkTest, ATorusGoesByDimensions) {
  const NodesInUse nodes = Use(*Parsed("Torus=4x4 Nodes=n[0-15]"), "n[0-15]");
  std::vector<int> two;
  std::vector<int> one;
  nodes.links->AddRoute(0, 5, &two);
  nodes.links->AddRoute(1, 5, &one);
  ASSERT_EQ(two.size(), 2U);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(two[1], one[0]);
  // The other direction of a link is a link of its own.
  std::vector<int> back;
  nodes.links->AddRoute(5, 1, &back);
  EXPECT_NE(back[0], one[0]);
}

// Of a ring of 8 in use evenly, a link up carries 1 + 2 + 3 of the pairs up to 3 apart, and the 4
// of those half around, which all go up.
TEST(GridNetworkTest, EvenLoadOfARing) {
  const NodesInUse nodes = Use(*Parsed("Torus=8 Nodes=n[1-8]", 1e-6), "n[1-8]");
  const EvenLoad even = nodes.links->Evenly();
  EXPECT_DOUBLE_EQ(even.link_bytes, 1 + 2 + 3 + 4);
  EXPECT_DOUBLE_EQ(even.latency_s, 3e-6);
  EXPECT_DOUBLE_EQ(nodes.distance_links, (2 * (1 + 2 + 3) + 4) / 7.0);
  EXPECT_DOUBLE_EQ(nodes.bisection_links, 2);
}

// 4 groups of 4 routers of 4 nodes. Router g of a group leads to group g.
TEST(GridNetworkTest, ADragonflyGoesByGateways) {
  const auto dragonfly = Parsed("Dragonfly=4x1x4x4 Nodes=n[0-63] GlobalWidth=2 HopTime=1e-6");
  ASSERT_NE(dragonfly, nullptr);
  EXPECT_EQ(dragonfly->switch_count(), 16);
  const NodesInUse nodes = Use(*dragonfly, "n[0-63]");
  EXPECT_EQ(nodes.switch_count, 16);
  EXPECT_EQ(Hops(nodes, 0, 3), 0);
  EXPECT_EQ(Hops(nodes, 0, 4), 1);
  // Group 0, router 0 -> its router 1 -> group 1, router 0.
  EXPECT_EQ(Hops(nodes, 0, 16), 2);
  EXPECT_EQ(Hops(nodes, 4, 16), 1);
  EXPECT_EQ(Hops(nodes, 0, 20), 3);
  std::vector<int> route;
  EXPECT_DOUBLE_EQ(nodes.links->AddRoute(0, 20, &route), 3e-6);
  EXPECT_EQ(nodes.links->width(route[0]), 1);
  EXPECT_EQ(nodes.links->width(route[1]), 2);
  // A link between groups carries 16 x 16 blocks, at 2 bytes a time. That of router 1 of group 0 to
  // router 2 carries more: of its 4 nodes for 16 in group 2 and for 4 at router 2, and of 16 nodes
  // of group 1 for those 4.
  EXPECT_DOUBLE_EQ(nodes.links->Evenly().link_bytes, 4 * 16 + 4 * 4 + 16 * 4);
}

// Two rows of two routers: along the row, then to the other row.
TEST(GridNetworkTest, ADragonflyHasRows) {
  const NodesInUse nodes = Use(*Parsed("Dragonfly=1x2x2x1 Nodes=n[0-3]"), "n[0-3]");
  EXPECT_EQ(Hops(nodes, 0, 1), 1);
  EXPECT_EQ(Hops(nodes, 0, 2), 1);
  EXPECT_EQ(Hops(nodes, 0, 3), 2);
  EXPECT_DOUBLE_EQ(nodes.distance_links, 2 + 4 / 3.0);
}

// No link is shared by a single router's nodes.
TEST(GridNetworkTest, OneRouterIsACrossbar) {
  const NodesInUse nodes = Use(*Parsed("Dragonfly=4x1x4x4 Nodes=n[0-63]"), "n[4-7]");
  EXPECT_EQ(nodes.links, nullptr);
  EXPECT_DOUBLE_EQ(nodes.distance_links, 2);
  EXPECT_DOUBLE_EQ(nodes.bisection_links, 2);
}

TEST(GridNetworkTest, RefusesWhatIsNoGrid) {
  EXPECT_THAT(WhyNoGrid("Torus=4x4 Nodes=n[0-14]"), HasSubstr("4x4 places, but 15 nodes"));
  EXPECT_THAT(WhyNoGrid("Torus=4x0 Nodes=n[0-3]"), HasSubstr("not a list of numbers above 0"));
  EXPECT_THAT(WhyNoGrid("Torus=129 Nodes=n[1-129]"), HasSubstr("at most 128"));
  EXPECT_THAT(WhyNoGrid("Torus=4xa Nodes=n[0-3]"), HasSubstr("not a list of numbers above 0"));
  EXPECT_THAT(WhyNoGrid("Torus=1x1x1x1x1x1x1 Nodes=n"), HasSubstr("up to 6 numbers"));
  EXPECT_THAT(WhyNoGrid("Dragonfly=4x4x4 Nodes=n[0-63]"), HasSubstr("a Dragonfly 4"));
  EXPECT_THAT(WhyNoGrid("Torus=2 Nodes=n1,n1"), HasSubstr("node n1 occurs twice"));
  EXPECT_THAT(WhyNoGrid("Torus=2"), HasSubstr("line 1"));
  EXPECT_THAT(WhyNoGrid("Torus=2 Nodes=n[1-2] LocalWidth=2"), HasSubstr("only a Dragonfly"));
  EXPECT_THAT(WhyNoGrid("Dragonfly=1x1x2x1 Nodes=n[1-2] GlobalWidth=0"), HasSubstr("above 0"));
  EXPECT_THAT(WhyNoGrid("Torus=2 Nodes=n[1-2] HopTime=2"), HasSubstr("HopTime=2 is not"));
  EXPECT_THAT(WhyNoGrid("Torus=2 Nodes=n[1-2] Taper=2"), HasSubstr("unknown key \"Taper\""));
  EXPECT_THAT(WhyNoGrid("Torus=2 Nodes=n[1-2]\nTorus=2 Nodes=m[1-2]"), HasSubstr("line 2"));
  EXPECT_THAT(WhyNoGrid("Dragonfly=1x1x50000x1 Nodes=n[1-50000]"), HasSubstr("links"));
  const double tapers[] = {2};
  EXPECT_EQ(domain::FieldOf(Network::Parse("Torus=2 Nodes=n[1-2]", tapers).status()),
            "taper_ratio");
  EXPECT_EQ(domain::FieldOf(Network::Parse("Torus=2 Nodes=n[1-2]", {}, 2).status()), "hop_time_s");
}

TEST(GridNetworkTest, RefusesTooManyNodes) {
  const auto torus = Parsed("Torus=64x64 Nodes=n[1-4096]");
  ASSERT_NE(torus, nullptr);
  EXPECT_TRUE(torus->Find("n[1-2048]", 0).ok());
  EXPECT_EQ(domain::FieldOf(torus->Find("n[1-2049]", 0).status()), "node_list");
}

TEST(GridNetworkTest, WritesWhatItReads) {
  for (const char* const text :
       {"Torus=4x4 Nodes=n[0-15] HopTime=1e-07\n",
        "Dragonfly=4x1x4x4 Nodes=n[0-63] LocalWidth=1 GlobalWidth=2 HopTime=1e-06\n"}) {
    EXPECT_EQ(Parsed(absl::StrCat("# by hand\n\n", text), 1)->Text(), text);
  }
}

}  // namespace
}  // namespace cox::advise
