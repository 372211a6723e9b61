#include "model/analysis/blocks.h"

#include <cmath>
#include <limits>

#include "domain/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace cox::model {
namespace {

using Kind = BlockGraph::Kind;
using ::testing::HasSubstr;

BlockGraph Leaf(double a_s, double b_s_per_byte, std::string name = "") {
  BlockGraph graph;
  graph.name = std::move(name);
  graph.block = {a_s, b_s_per_byte};
  return graph;
}

BlockGraph Group(Kind kind, bool dependent, std::vector<BlockGraph> parts) {
  BlockGraph graph;
  graph.kind = kind;
  graph.dependent = dependent;
  graph.parts = std::move(parts);
  return graph;
}

TEST(Blocks, TimeRunsFromAToTheAsymptote) {
  EXPECT_EQ(BlockSeconds({3, 2}, 0), 3);
  EXPECT_NEAR(BlockSeconds({3, 2}, 1e9), 2e9, 1e-5);
  EXPECT_EQ(BlockSeconds({0, 2}, 7), 14);
  EXPECT_EQ(BlockSeconds({3, 0}, 7), 3);
  EXPECT_EQ(BlockSeconds({0, 0}, 0), 0);
  double last = 0;
  for (double x = 0; x < 10; x += 0.25) {
    EXPECT_GE(BlockSeconds({3, 2}, x), last);
    last = BlockSeconds({3, 2}, x);
  }
}

// At a full packet the hyperbola is a^2 / (2 a + m p) above the packets' time.
TEST(Blocks, StandForPackets) {
  EXPECT_EQ(PacketSeconds(1, 0.5, 2, 2), 2);
  EXPECT_EQ(PacketSeconds(1, 0.5, 2, 0), 0);
  EXPECT_EQ(PacketSeconds(1, 0.5, 2, 3), 3.5);
  EXPECT_EQ(BlockOfPackets(1, 0.5, 2), (Block{1, 1}));
  EXPECT_NEAR(BlockSeconds(BlockOfPackets(1, 0.5, 2), 2) - PacketSeconds(1, 0.5, 2, 2), 1 / 3.0,
              1e-12);
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(PacketSeconds(1, 0.5, inf, 10), 6);
  EXPECT_EQ(PacketSeconds(1, 0.5, inf, 0), 0);
  EXPECT_EQ(BlockOfPackets(1, 0.5, inf), (Block{1, 0.5}));
}

struct RuleCase {
  Kind kind;
  bool dependent;
  Block expected;
};

class BlockRules : public ::testing::TestWithParam<RuleCase> {};

TEST_P(BlockRules, CombineTwo) {
  const RuleCase& rule = GetParam();
  const Reduction reduction = *Reduce(Group(rule.kind, rule.dependent, {Leaf(5, 2), Leaf(3, 6)}));
  EXPECT_DOUBLE_EQ(reduction.block.a_s, rule.expected.a_s);
  EXPECT_DOUBLE_EQ(reduction.block.b_s_per_byte, rule.expected.b_s_per_byte);
  ASSERT_EQ(reduction.steps.size(), 1u);
  EXPECT_EQ(reduction.steps[0].rule, rule.kind == Kind::kSerial ? 1 : 2);
  EXPECT_EQ(reduction.steps[0].result, reduction.block);
}

INSTANTIATE_TEST_SUITE_P(All, BlockRules,
                         ::testing::Values(RuleCase{Kind::kSerial, false, {8, 6}},
                                           RuleCase{Kind::kSerial, true, {8, 8}},
                                           RuleCase{Kind::kParallel, false, {3, 1.5}},
                                           RuleCase{Kind::kParallel, true, {3, 2}}));

TEST(BlockRules, AreIndependentOfOrder) {
  for (const Kind kind : {Kind::kSerial, Kind::kParallel}) {
    for (const bool dependent : {false, true}) {
      EXPECT_EQ(Reduce(Group(kind, dependent, {Leaf(5, 2), Leaf(3, 6)}))->block,
                Reduce(Group(kind, dependent, {Leaf(3, 6), Leaf(5, 2)}))->block);
    }
  }
}

TEST(BlockRules, APartThatTakesNoTimePerByteServesAllOfThem) {
  EXPECT_EQ(Reduce(Group(Kind::kParallel, false, {Leaf(5, 2), Leaf(3, 0)}))->block, (Block{3, 0}));
}

TEST(BlockRules, ASingleBlockIsItself) {
  for (const BlockGraph& graph : {Leaf(5, 2), Group(Kind::kSerial, false, {Leaf(5, 2)}),
                                  Group(Kind::kParallel, true, {Leaf(5, 2)}),
                                  Group(Kind::kConcurrent, false, {Leaf(5, 2)})}) {
    const Reduction reduction = *Reduce(graph);
    EXPECT_EQ(reduction.block, (Block{5, 2}));
    EXPECT_TRUE(reduction.steps.empty());
  }
}

// Message i's own block gives the same time as all messages through (n a, b).
TEST(BlockRules, EveryConcurrentMessageEndsWithTheLast) {
  BlockGraph graph = Group(Kind::kConcurrent, false, {Leaf(1, 1)});
  graph.message_bytes = {2, 8, 10};
  graph.messages_count = 3;
  const double expected_s = ConcurrentSeconds({1, 1}, graph.message_bytes);
  EXPECT_DOUBLE_EQ(expected_s, 9.0 / 23 + 20);
  for (graph.followed = 0; graph.followed < 3; ++graph.followed) {
    const Reduction reduction = *Reduce(graph);
    EXPECT_DOUBLE_EQ(BlockSeconds(reduction.block, graph.message_bytes[graph.followed]),
                     expected_s);
    EXPECT_EQ(reduction.steps[0].rule, 3);
  }
  EXPECT_EQ(ConcurrentSeconds({1, 1}, {}), 0);
  EXPECT_EQ(ConcurrentSeconds({1, 1}, {0, 0}), 2);
}

// A round trip of two workstations on a network: both processors and the wire, one after the other:
// 2 a_w + a_c, max(b_w, b_c); n (n - 1) messages of an all-to-all share the wire.
TEST(BlockRules, NestAsANetworkOfWorkstations) {
  constexpr int64_t kN = 8;
  BlockGraph wire = Group(Kind::kConcurrent, false, {Leaf(250e-6, 0.95e-6, "wire")});
  wire.messages_count = kN * (kN - 1);
  BlockGraph station = Group(Kind::kConcurrent, true, {Leaf(750e-6, 1.05e-6, "workstation")});
  station.messages_count = 2 * (kN - 1);
  BlockGraph graph = Group(Kind::kSerial, false, {station, wire, station});
  const Reduction reduction = *Reduce(graph);
  EXPECT_NEAR(reduction.block.a_s, 35e-3, 1e-12);
  EXPECT_NEAR(reduction.block.b_s_per_byte, 53.2e-6, 1e-15);
  ASSERT_EQ(reduction.steps.size(), 4u);
  EXPECT_THAT(reduction.steps[1].text, HasSubstr("56 messages at once through wire"));
  EXPECT_THAT(reduction.steps[3].text, HasSubstr("serial, independent: concurrent (a = 0.0105"));
}

// Short messages go down a tree of two sends, long ones along a pipeline of the two.
TEST(BlockRules, TheLimitsMayHaveGraphsOfTheirOwn) {
  const BlockGraph tree = Group(Kind::kSerial, true, {Leaf(40e-6, 2e-8), Leaf(40e-6, 2e-8)});
  const BlockGraph pipeline = Group(Kind::kSerial, false, {Leaf(90e-6, 2e-8), Leaf(90e-6, 3e-8)});
  const Reduction reduction = *ReduceLimits(tree, pipeline);
  EXPECT_DOUBLE_EQ(reduction.block.a_s, 80e-6);
  EXPECT_DOUBLE_EQ(reduction.block.b_s_per_byte, 3e-8);
  ASSERT_EQ(reduction.steps.size(), 3u);
  EXPECT_EQ(reduction.steps[0].rule, 1);
  EXPECT_EQ(reduction.steps[1].rule, 1);
  EXPECT_EQ(reduction.steps[2].rule, 4);
  EXPECT_EQ(reduction.steps[2].result, reduction.block);
  EXPECT_EQ(ReduceLimits(tree, tree)->block, Reduce(tree)->block);
  EXPECT_EQ(domain::FieldOf(ReduceLimits(tree, Leaf(-1, 1)).status()), "long_graph.block.a_s");
  EXPECT_EQ(domain::FieldOf(ReduceLimits(Leaf(1, -1), tree).status()), "graph.block.b_s_per_byte");
}

TEST(BlockRules, RefuseWhatIsNoGraph) {
  const auto field = [](const BlockGraph& graph) {
    return domain::FieldOf(Reduce(graph).status());
  };
  EXPECT_EQ(field(Group(Kind::kSerial, false, {})), "graph");
  EXPECT_EQ(field(Group(Kind::kSerial, false, {Leaf(1, 1), Group(Kind::kParallel, false, {})})),
            "graph.parts[1]");
  EXPECT_EQ(field(Group(Kind::kSerial, false, {Leaf(-1, 1)})), "graph.parts[0].block.a_s");
  EXPECT_EQ(field(Leaf(1, std::nan(""))), "graph.block.b_s_per_byte");
  EXPECT_EQ(field(Group(Kind::kBlock, false, {Leaf(1, 1)})), "graph");
  EXPECT_EQ(field(Group(Kind::kConcurrent, false, {Leaf(1, 1), Leaf(1, 1)})), "graph");
  EXPECT_EQ(field(Group(Kind::kSerial, true, {Leaf(1e308, 1), Leaf(1e308, 1)})), "graph");
}

TEST(BlockRules, RefuseMessagesThatAreNone) {
  BlockGraph graph = Group(Kind::kConcurrent, false, {Leaf(1, 1)});
  const auto field = [&graph] { return domain::FieldOf(Reduce(graph).status()); };
  graph.messages_count = 0;
  EXPECT_EQ(field(), "graph.messages_count");
  graph.messages_count = 2;
  graph.message_bytes = {1};
  EXPECT_EQ(field(), "graph.message_bytes");
  graph.message_bytes = {1, -1};
  EXPECT_EQ(field(), "graph.message_bytes[1]");
  graph.message_bytes = {1, 0};
  graph.followed = 1;
  EXPECT_EQ(field(), "graph.followed");
  graph.followed = 2;
  EXPECT_EQ(field(), "graph.followed");
  graph.message_bytes = {0, 0};
  graph.followed = 1;
  EXPECT_EQ(Reduce(graph)->block, (Block{2, 2}));
}

TEST(BlockRules, BoundTheDepth) {
  BlockGraph graph = Leaf(1, 1);
  for (int depth = 1; depth < kMaxBlockDepth; ++depth) {
    graph = Group(Kind::kSerial, false, {graph});
  }
  EXPECT_TRUE(Reduce(graph).ok());
  EXPECT_FALSE(domain::FieldOf(Reduce(Group(Kind::kSerial, false, {graph})).status()).empty());
}

TEST(BlockRules, NamesGoBothWays) {
  for (const Kind kind : {Kind::kBlock, Kind::kSerial, Kind::kParallel, Kind::kConcurrent}) {
    EXPECT_EQ(*ParseBlockKind(BlockKindName(kind)), kind);
  }
  EXPECT_EQ(domain::FieldOf(ParseBlockKind("loop").status()), "kind");
}

}  // namespace
}  // namespace cox::model
