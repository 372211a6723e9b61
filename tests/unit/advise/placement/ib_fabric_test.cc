#include "advise/placement/ib_fabric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "advise/placement/switch_tree.h"
#include "domain/errors.h"

namespace cox::advise {
namespace {

using ::testing::HasSubstr;

struct Port {
  std::string peer;
  std::string description;
};

std::string Block(const std::string& id, const std::vector<Port>& ports) {
  std::string text = absl::StrCat("vendid=0x2c9\nswitchguid=0x2c9(2c9)\nSwitch\t36 \"", id,
                                  "\"\t\t# \"MF0;sw:MSB7700/U1\" enhanced port 0 lid 1 lmc 0\n");
  int number = 0;
  for (const Port& port : ports) {
    absl::StrAppend(&text, "[", ++number, "]\t\"", port.peer, "\"[1](2c9)\t\t# \"",
                    port.description, "\" lid 4 4xEDR\n");
  }
  return text + "\n";
}

// Two leaves of four nodes, two spines, one cable from each leaf to each spine.
std::string FatTree() {
  std::string text = "#\n# Topology file: generated on Mon Nov 23\n#\n";
  for (int leaf = 0; leaf < 2; ++leaf) {
    std::vector<Port> ports;
    for (int node = 0; node < 4; ++node) {
      const std::string name = absl::StrCat("n", 4 * leaf + node);
      ports.push_back({absl::StrCat("H-", name), absl::StrCat(name, " mlx5_0")});
    }
    ports.push_back({"S-spine0", "MF0;spine0"});
    ports.push_back({"S-spine1", "MF0;spine1"});
    text += Block(absl::StrCat("S-leaf", leaf), ports);
  }
  for (int spine = 0; spine < 2; ++spine) {
    text += Block(absl::StrCat("S-spine", spine), {{"S-leaf0", "leaf"}, {"S-leaf1", "leaf"}});
  }
  return text + "Ca\t1 \"H-n0\"\t\t# \"n0 mlx5_0\"\n[1](2c9) \t\"S-leaf0\"[1]\t# lid 4\n";
}

TEST(IbFabricTest, ParallelSpinesAreOneSwitch) {
  const auto text = TreeOfIbFabric(FatTree());
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text,
            "SwitchName=h0s0 Nodes=n0,n1,n2,n3 Taper=2\n"
            "SwitchName=h0s1 Nodes=n4,n5,n6,n7 Taper=2\n"
            "SwitchName=h1s0 Switches=h0s0,h0s1\n");
  EXPECT_TRUE(SwitchTree::Parse(*text).ok());
}

// Two pods of a leaf and a spine each, one core with a cable to each spine.
TEST(IbFabricTest, PodsAreSwitchesBelowTheCore) {
  std::string text;
  for (const char* const pod : {"a", "b"}) {
    text +=
        Block(absl::StrCat("S-leaf", pod), {{absl::StrCat("H-", pod), absl::StrCat(pod, " HCA-1")},
                                            {absl::StrCat("S-spine", pod), "spine"}});
    text += Block(absl::StrCat("S-spine", pod),
                  {{absl::StrCat("S-leaf", pod), "leaf"}, {"S-core", "core"}});
  }
  text += Block("S-core", {{"S-spinea", "spine"}, {"S-spineb", "spine"}});
  const auto tree = TreeOfIbFabric(text);
  ASSERT_TRUE(tree.ok()) << tree.status();
  EXPECT_EQ(*tree,
            "SwitchName=h0s0 Nodes=a Taper=1\nSwitchName=h0s1 Nodes=b Taper=1\n"
            "SwitchName=h1s0 Switches=h0s0 Taper=1\nSwitchName=h1s1 Switches=h0s1 Taper=1\n"
            "SwitchName=h2s0 Switches=h1s0,h1s1\n");
}

// Each node has an adapter on two rails without a link between them.
TEST(IbFabricTest, OfTwoRailsTheFirstCounts) {
  std::string text;
  for (const char* const rail : {"a", "b"}) {
    const std::string spine = absl::StrCat("S-spine", rail);
    std::vector<Port> down;
    for (const char* const node : {"n1", "n2"}) {
      const std::string leaf = absl::StrCat("S-leaf", rail, node);
      text += Block(leaf, {{absl::StrCat("H-", rail, node), absl::StrCat(node, " mlx5_", rail)},
                           {spine, "spine"}});
      down.push_back({leaf, "leaf"});
    }
    text += Block(spine, down);
  }
  const auto tree = TreeOfIbFabric(text);
  ASSERT_TRUE(tree.ok()) << tree.status();
  EXPECT_EQ(*tree,
            "SwitchName=h0s0 Nodes=n1 Taper=1\nSwitchName=h0s1 Nodes=n2 Taper=1\n"
            "SwitchName=h1s0 Switches=h0s0,h0s1\n");
}

// Switches that reduce on their way (SHARP) show an adapter of their own, also a spine.
TEST(IbFabricTest, AggregationNodesAreNoNodes) {
  std::string text;
  std::vector<Port> spine = {{"H-as", "Mellanox Technologies Aggregation Node"}};
  for (const char* const node : {"n1", "n2"}) {
    const std::string leaf = absl::StrCat("S-", node);
    text += Block(leaf, {{absl::StrCat("H-a", node), "Mellanox Technologies Aggregation Node"},
                         {absl::StrCat("H-", node), absl::StrCat(node, " mlx5_0")},
                         {"S-spine", "spine"}});
    spine.push_back({leaf, "leaf"});
  }
  const auto tree = TreeOfIbFabric(Block("S-spine", spine) + text);
  ASSERT_TRUE(tree.ok()) << tree.status();
  EXPECT_EQ(*tree,
            "SwitchName=h0s0 Nodes=n1 Taper=1\nSwitchName=h0s1 Nodes=n2 Taper=1\n"
            "SwitchName=h1s0 Switches=h0s0,h0s1\n");
}

TEST(IbFabricTest, AnyLinksAreATreeOrRefused) {
  std::minstd_rand random(1);
  const auto below = [&](int end) {
    return static_cast<int>(random() % static_cast<uint32_t>(end));
  };
  int trees = 0;
  for (int fabric = 0; fabric < 5000; ++fabric) {
    const int switches = 1 + below(8);
    std::string text;
    for (int from = 0; from < switches; ++from) {
      std::vector<Port> ports;
      for (int port = below(4); port > 0; --port) {
        const std::string peer = absl::StrCat(below(switches));
        const bool is_node = below(3) == 0;
        ports.push_back({absl::StrCat(is_node ? "H-" : "S-", peer), absl::StrCat("n", peer, " x")});
      }
      text += Block(absl::StrCat("S-", from), ports);
    }
    const auto tree = TreeOfIbFabric(text);
    if (!tree.ok()) {
      EXPECT_EQ(domain::FieldOf(tree.status()), "text");
      continue;
    }
    ++trees;
    EXPECT_TRUE(SwitchTree::Parse(*tree).ok())
        << text << *tree << SwitchTree::Parse(*tree).status();
  }
  EXPECT_GT(trees, 500);
}

TEST(IbFabricTest, SaysWhatIsNoTree) {
  const auto why = [](const std::string& text) {
    const auto tree = TreeOfIbFabric(text);
    EXPECT_FALSE(tree.ok());
    EXPECT_EQ(domain::FieldOf(tree.status()), "text");
    return std::string(tree.status().message());
  };
  EXPECT_THAT(why("SwitchName=a Nodes=b"), HasSubstr("no switch with nodes"));
  EXPECT_THAT(why(Block("S-a", {{"H-1", "n1 x"}, {"S-b", "b"}}) +
                  Block("S-b", {{"H-2", "n2 x"}, {"S-a", "a"}})),
              HasSubstr("linked to each other"));
  EXPECT_THAT(why(Block("S-a", {{"H-1", "n1 x"}}) + Block("S-b", {{"H-2", "n2 x"}})),
              HasSubstr("2 parts"));
}

}  // namespace
}  // namespace cox::advise
