#include "advise/placement/switch_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "domain/errors.h"

namespace cox::advise {
namespace {

using ::testing::HasSubstr;

// Five switches of eight nodes, two nodes for each up-link.
constexpr char kTwoLevels[] =
    "# of the cluster\n"
    "SwitchName=s0 Nodes=n[1-8] LinkSpeed=100\n"
    "switchname=s1\tnodes=n[9-16]\r\n"
    "SwitchName=s2 Nodes=n[17-24]\n"
    "SwitchName=s3 Nodes=n[25-32]\n"
    "SwitchName=s4 Nodes=n[33-40]\n"
    "\n"
    "SwitchName=top Switches=s[0-4]\n";

SwitchTree TwoLevels() {
  auto tree = SwitchTree::Parse(kTwoLevels);
  EXPECT_TRUE(tree.ok()) << tree.status();
  const double taper[] = {2.0};
  EXPECT_TRUE(tree->Complete(taper, 1e-7).ok());
  return *std::move(tree);
}

std::string WhyNot(const std::string& text) {
  const auto tree = SwitchTree::Parse(text);
  EXPECT_FALSE(tree.ok()) << text;
  EXPECT_EQ(domain::FieldOf(tree.status()), "switches") << text;
  return std::string(tree.status().message());
}

TEST(SwitchTreeTest, CountsSwitchesAndNodes) {
  const SwitchTree tree = TwoLevels();
  EXPECT_EQ(tree.switch_count(), 6);
  EXPECT_EQ(tree.node_count(), 40);
}

// Each of the two switches has k = 8 of n = 16 nodes: 2 + 2 (8 x 8 + 8 x 8) / (16 x 15) links. Its
// 8 / 2 up-links carry the half of 8 nodes: 16 / 2 x 4 / 8 = 4.
TEST(SwitchTreeTest, MeasuresTwoSwitches) {
  const auto nodes = TwoLevels().Find("n[1-16]", 0);
  ASSERT_TRUE(nodes.ok()) << nodes.status();
  EXPECT_EQ(nodes->node_count, 16);
  EXPECT_EQ(nodes->switch_count, 2);
  EXPECT_DOUBLE_EQ(nodes->distance_links, 2 + 256.0 / 240);
  EXPECT_DOUBLE_EQ(nodes->bisection_links, 4);
}

// 4 + 3 + 3 + 3 + 3 nodes: 2 + 2 (4 x 12 + 4 x 3 x 13) / (16 x 15) = 3.7 links.
TEST(SwitchTreeTest, MeasuresFiveSwitches) {
  const auto nodes = TwoLevels().Find("n[1-4,9-11,17-19,25-27,33-35]", 16);
  ASSERT_TRUE(nodes.ok()) << nodes.status();
  EXPECT_EQ(nodes->switch_count, 5);
  EXPECT_DOUBLE_EQ(nodes->distance_links, 3.7);
  EXPECT_DOUBLE_EQ(nodes->bisection_links, 4);
}

// On idle switches 4 nodes have all 4 up-links of their 8, and so have 3.
TEST(SwitchTreeTest, IdleSwitchesServeOneJob) {
  const auto nodes = TwoLevels().Find("n[1-4,9-11,17-19,25-27,33-35]", 16, UpLinks::kAll);
  ASSERT_TRUE(nodes.ok()) << nodes.status();
  EXPECT_DOUBLE_EQ(nodes->distance_links, 3.7);
  EXPECT_DOUBLE_EQ(nodes->bisection_links, 8);
  const auto two = TwoLevels().Find("n[1-16]", 16, UpLinks::kAll);
  EXPECT_DOUBLE_EQ(two->bisection_links, 4);
}

TEST(SwitchTreeTest, OneSwitchIsACrossbar) {
  const auto nodes = TwoLevels().Find("n[2-7]", 4);
  ASSERT_TRUE(nodes.ok()) << nodes.status();
  EXPECT_EQ(nodes->node_count, 4);
  EXPECT_EQ(nodes->switch_count, 1);
  EXPECT_DOUBLE_EQ(nodes->distance_links, 2);
  EXPECT_DOUBLE_EQ(nodes->bisection_links, 2);
  const auto alone = TwoLevels().Find("n40", 1);
  ASSERT_TRUE(alone.ok());
  EXPECT_EQ(alone->distance_links, 0);
  EXPECT_EQ(alone->bisection_links, 1);
}

TEST(SwitchTreeTest, RefusesOtherNodes) {
  const SwitchTree tree = TwoLevels();
  const struct {
    const char* list;
    int64_t count;
    const char* why;
  } cases[] = {{"n[1-2],n41", 0, "no node n41"},
               {"n[1-3],n2", 0, "node n2 occurs twice"},
               {"n[1-3]", 4, "has 3 nodes; the job needs 4"},
               {"n[1-", 0, "without a ]"}};
  for (const auto& one : cases) {
    const auto nodes = tree.Find(one.list, one.count);
    ASSERT_FALSE(nodes.ok()) << one.list;
    EXPECT_EQ(domain::FieldOf(nodes.status()), "node_list");
    EXPECT_THAT(std::string(nodes.status().message()), HasSubstr(one.why));
  }
}

TEST(SwitchTreeTest, RefusesWhatIsNoTree) {
  EXPECT_THAT(WhyNot(""), HasSubstr("names no switch"));
  EXPECT_THAT(WhyNot("SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2"),
              HasSubstr("line 2: switch a occurs twice"));
  EXPECT_THAT(WhyNot("SwitchName=a Nodes=n1\nSwitchName=b Nodes=n[0-2]\n"),
              HasSubstr("line 2: node n1 is at switch a already"));
  EXPECT_THAT(WhyNot("SwitchName=a Nodes=n1\nSwitchName=t Switches=a,b"),
              HasSubstr("line 2: no line has SwitchName=b"));
  EXPECT_THAT(WhyNot("SwitchName=a Switches=b\nSwitchName=b Switches=a"), HasSubstr("loop"));
  EXPECT_THAT(WhyNot("SwitchName=t Nodes=n1\nSwitchName=a Switches=b\nSwitchName=b Switches=a"),
              HasSubstr("line 2: switch a is in or below a loop"));
  EXPECT_THAT(WhyNot("SwitchName=a Switches=a"), HasSubstr("loop"));
  EXPECT_THAT(WhyNot("SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2"), HasSubstr("joins them"));
  EXPECT_THAT(WhyNot("SwitchName=a Nodes=n1\nSwitchName=t Switches=a\nSwitchName=u Switches=a"),
              HasSubstr("line 3: switch a is below t already"));
  EXPECT_THAT(WhyNot("SwitchName=a"), HasSubstr("neither Nodes nor Switches"));
  EXPECT_THAT(WhyNot("Nodes=n1"), HasSubstr("needs SwitchName"));
  EXPECT_THAT(WhyNot("SwitchName=a\x1b[2J Nodes=n1"), HasSubstr("letters, digits"));
  EXPECT_THAT(WhyNot("SwitchName=a Nodes=n1\x1b"), HasSubstr("line 1"));
  EXPECT_THAT(WhyNot("BlockName=a Nodes=n1"), HasSubstr("unknown key \"BlockName\""));
  EXPECT_THAT(WhyNot("SwitchName=a Nodes=n1 Taper=0"), HasSubstr("Taper=0 is not above 0"));
  EXPECT_THAT(WhyNot("SwitchName=a Nodes=n1 HopTime=nan"), HasSubstr("HopTime=nan"));
}

TEST(SwitchTreeTest, WritesWhatItReads) {
  const std::string text = TwoLevels().Text();
  EXPECT_THAT(text, HasSubstr("SwitchName=s0 Nodes=n[1-8] Taper=2 HopTime=1e-07\n"));
  const auto again = SwitchTree::Parse(text);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->Text(), text);
}

TEST(SwitchTreeTest, ALineIsStrongerThanItsHeight) {
  auto tree = SwitchTree::Parse(
      "SwitchName=a Nodes=n[1-4] Taper=8\nSwitchName=b Nodes=n[5-8]\n"
      "SwitchName=c Nodes=n[9-12]\nSwitchName=p Switches=a,b\nSwitchName=t Switches=p,c");
  ASSERT_TRUE(tree.ok()) << tree.status();
  const double tapers[] = {2, 3};
  ASSERT_TRUE(tree->Complete(tapers, 0).ok());
  EXPECT_EQ(tree->Text(),
            "SwitchName=a Nodes=n[1-4] Taper=8\nSwitchName=b Nodes=n[5-8] Taper=2\n"
            "SwitchName=c Nodes=n[9-12] Taper=2\nSwitchName=p Switches=a,b Taper=3\n"
            "SwitchName=t Switches=p,c Taper=3\n");
  const double none[] = {1, 0};
  EXPECT_EQ(domain::FieldOf(tree->Complete(none, 0)), "taper_ratio[1]");
  EXPECT_EQ(domain::FieldOf(tree->Complete({}, -1)), "hop_time_s");
}

// 20,000 nodes at 10,000 switches; and switches below each other.
TEST(SwitchTreeTest, ReadsWideTreesAndRefusesDeepOnes) {
  std::string wide;
  for (int i = 0; i < 10'000; ++i) {
    absl::StrAppend(&wide, "SwitchName=s", i, " Nodes=n[", 2 * i, "-", 2 * i + 1, "]\n");
  }
  wide += "SwitchName=top Switches=s[0-9999]\n";
  const auto tree = SwitchTree::Parse(wide);
  ASSERT_TRUE(tree.ok()) << tree.status();
  const auto nodes = tree->Find("n[0-19999]", 0);
  ASSERT_TRUE(nodes.ok()) << nodes.status();
  EXPECT_EQ(nodes->switch_count, 10'000);

  const auto chain = [](int length) {
    std::string text;
    for (int i = 0; i < length; ++i) {
      absl::StrAppend(&text, "SwitchName=s", i, " Nodes=n", i,
                      i + 1 < length ? absl::StrCat(" Switches=s", i + 1) : "", "\n");
    }
    return text;
  };
  EXPECT_TRUE(SwitchTree::Parse(chain(kMaxSwitchLevels)).ok());
  EXPECT_THAT(WhyNot(chain(kMaxSwitchLevels + 1)),
              HasSubstr("line 17: switch s16 is below more than 15 others"));
  EXPECT_THAT(WhyNot(chain(50'000)), HasSubstr("is below more than"));
}

}  // namespace
}  // namespace cox::advise
