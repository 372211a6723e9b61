// The topology of the nodes changes the price, for any number of ranks per node.
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "domain/shape.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/model.h"
#include "strategy/catalogue.h"
#include "strategy/traffic/part.h"

namespace cox::strategy {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr int64_t kNodes = 512;

model::Schedule On512Nodes(const domain::Shape& shape, int64_t ppn) {
  const Strategy strategy = *ParseStrategy("alltoall/pairwise");
  model::Schedule schedule;
  Build(strategy, {.ranks = kNodes * ppn, .ppn = ppn, .block_bytes = 4096, .shape = &shape},
        &schedule);
  return schedule;
}

double C3Units(const domain::Shape& shape, int64_t ppn) {
  const model::Model& c3 = **model::FindModel("c3");
  std::vector<double> values;
  for (const model::ParameterSpec& spec : c3.parameters()) {
    values.push_back(spec.name == "l" ? 512 : spec.name == "s" ? 8 : 0);
  }
  return c3.Price(values, On512Nodes(shape, ppn)).units;
}

std::string CaveatOf(absl::string_view model_id, const domain::Shape& shape, int64_t ppn) {
  const model::Model& model = **model::FindModel(model_id);
  std::vector<double> values;  // without a shared channel, which would be a part for the links
  for (const model::ParameterSpec& spec : model.parameters()) {
    values.push_back(spec.required ? 1e-6 : 0);
  }
  return model.Caveat(values, On512Nodes(shape, ppn));
}

domain::Shape Torus(std::vector<int64_t> dims) {
  return {domain::Topology::kTorus, std::move(dims)};
}

class TopologyPricing : public ::testing::TestWithParam<int64_t> {};

// The narrower the torus, the fewer links between its halves and the longer the ways.
TEST_P(TopologyPricing, TellsToriApart) {
  const double cube = C3Units(Torus({8, 8, 8}), GetParam());
  const double oblong = C3Units(Torus({16, 8, 4}), GetParam());
  const double ring = C3Units(Torus({128, 2, 2}), GetParam());
  EXPECT_LT(1.1 * cube, oblong);
  EXPECT_LT(2 * oblong, ring);
}

// A node has one link, however many ranks it has.
TEST_P(TopologyPricing, CountsTheLinksOfNodes) {
  const auto ranks = static_cast<double>(kNodes * GetParam());
  for (const domain::Topology topology :
       {domain::Topology::kFatTree, domain::Topology::kCrossbar, domain::Topology::kTorus}) {
    const domain::Shape shape{topology, {}};
    const model::Extent extent =
        WholeOf({.ranks = kNodes * GetParam(), .ppn = GetParam(), .shape = &shape});
    const model::Extent one_each = model::ExtentOf(shape, kNodes);
    EXPECT_EQ(extent.bisection_links, one_each.bisection_links);
    EXPECT_EQ(extent.distance_hops, one_each.distance_hops);
    EXPECT_EQ(extent.processors_count, ranks);
  }
}

// Half of all bytes cross 2 x 512 / 128 = 8 links of the ring of rings; the busiest node sends
// 1/512 of them: 512 / 2 / 8 = 32 times. Full bisection needs no caveat.
TEST_P(TopologyPricing, SaysWhereLinksMayBeSlower) {
  for (const char* model : {"max-rate", "hockney", "loggp", "hyperbolic"}) {
    EXPECT_THAT(CaveatOf(model, Torus({128, 2, 2}), GetParam()), HasSubstr("up to 32 times"));
    EXPECT_THAT(CaveatOf(model, {domain::Topology::kBus, {}}, GetParam()), HasSubstr("256 times"));
    EXPECT_THAT(CaveatOf(model, {domain::Topology::kFatTree, {}}, GetParam()), IsEmpty());
    EXPECT_THAT(CaveatOf(model, {domain::Topology::kCrossbar, {}}, GetParam()), IsEmpty());
  }
  EXPECT_THAT(CaveatOf("c3", Torus({128, 2, 2}), GetParam()), Not(HasSubstr("not priced")));
}

INSTANTIATE_TEST_SUITE_P(RanksPerNode, TopologyPricing, ::testing::Values(1, 3, 4, 16));

// Messages inside a node use no links.
TEST(TopologyPricing, OneNodeHasNoCongestion) {
  const domain::Shape bus{domain::Topology::kBus, {}};
  const model::Extent node = WholeOf({.ranks = 64, .ppn = 64, .shape = &bus});
  EXPECT_EQ(node.distance_hops, 0);
  EXPECT_EQ(node.processors_count, 64);
}

// A part of the machine has its share of the nodes: 2-lev-rec's lines of 16 of 256 ranks.
TEST(TopologyPricing, PartsHaveTheirShareOfTheNodes) {
  const domain::Shape mesh{domain::Topology::kMesh, {8, 8}};
  const Scenario scenario{.ranks = 256, .ppn = 4, .shape = &mesh};
  EXPECT_EQ(LineOf(scenario, 16, 1).processors_count, 16);
  EXPECT_DOUBLE_EQ(LineOf(scenario, 16, 1).distance_hops, 4.0 / 3);
  EXPECT_EQ(CutTo(scenario, 128).bisection_links, 4);
  EXPECT_EQ(CutTo(scenario, 2).distance_hops, 0);
}

// Rows and columns of a square of ranks, counted rank by rank.
TEST(TopologyPricing, LinesHaveTheNodesThatTheirRanksSpan) {
  const domain::Shape mesh{domain::Topology::kMesh, {}};
  for (const Placement placement : {Placement::kBlock, Placement::kCyclic}) {
    for (const auto& [side, ppn] : {std::pair(4, 1), std::pair(4, 4), std::pair(4, 8),
                                    std::pair(8, 4), std::pair(8, 16), std::pair(16, 16)}) {
      const Scenario scenario{
          .ranks = side * side, .ppn = ppn, .placement = placement, .shape = &mesh};
      for (const int64_t stride : {1, side}) {
        std::set<int64_t> nodes;
        for (int64_t i = 0; i < side; ++i) nodes.insert(scenario.NodeOf(i * stride));
        const auto count = static_cast<double>(nodes.size());
        const double most = WholeOf(scenario).distance_hops;
        EXPECT_DOUBLE_EQ(LineOf(scenario, side, stride).distance_hops,
                         count > 1 ? std::min(count / 3, most) : 0)
            << (placement == Placement::kBlock ? "block " : "cyclic ") << side << " ppn " << ppn
            << " stride " << stride;
      }
    }
  }
}

// Dealt in turns, a part's ranks lie on as many nodes as there are.
TEST(TopologyPricing, SquaresAndHalvesInTurnsSpanNodes) {
  const domain::Shape mesh{domain::Topology::kMesh, {}};
  Scenario scenario{.ranks = 256, .ppn = 16, .shape = &mesh};
  EXPECT_EQ(SquareOf(scenario, 16).distance_hops, 0);
  EXPECT_EQ(CutTo(scenario, 16).distance_hops, 0);
  scenario.placement = Placement::kCyclic;
  EXPECT_DOUBLE_EQ(SquareOf(scenario, 16).distance_hops, 8.0 / 3);
  EXPECT_DOUBLE_EQ(SquareOf(scenario, 4).distance_hops, 4.0 / 3);
  EXPECT_DOUBLE_EQ(CutTo(scenario, 64).distance_hops, 8.0 / 3);
  EXPECT_DOUBLE_EQ(CutTo(scenario, 2).distance_hops, 2.0 / 3);
}

// C3 with s = 8, l = 512 and blocks of 1000 bytes of 16 ranks on a mesh of 2 x 2 nodes.
model::Cost OnFourNodes(absl::string_view strategy_text, Placement placement) {
  const domain::Shape mesh{domain::Topology::kMesh, {4, 4}};
  const Strategy strategy = *ParseStrategy(strategy_text);
  const model::Model& c3 = **model::FindModel("c3");
  std::vector<double> values;
  for (const model::ParameterSpec& spec : c3.parameters()) {
    values.push_back(spec.name == "unit_time" ? 1
                     : spec.name == "l"       ? 512
                     : spec.name == "s"       ? 8
                                              : 0);
  }
  model::Schedule schedule;
  Build(strategy,
        {.collective = strategy.algorithm->collective,
         .ranks = 16,
         .ppn = 4,
         .block_bytes = 1000,
         .placement = placement,
         .shape = &mesh},
        &schedule);
  return c3.Price(values, schedule);
}

// The root's column is ranks 0, 4, 8, 12 on four nodes: a line with h = 4/3. It gets 8 packets for
// each row, then each row stays in its node: C_p = 8 h, and the column's messages take h once.
TEST(TopologyPricing, AColumnOfSeveralNodesIsCongested) {
  const model::Cost scatter = OnFourNodes("scatter/2-lev-rec", Placement::kBlock);
  EXPECT_NEAR(scatter[model::Term::kProcessorCongestion], 8 * 4.0 / 3, 1e-9);
  EXPECT_NEAR(scatter.TotalSeconds(), 3 * (8 + 8) + 4.0 / 3 + 8 * 3 + 8 * 4.0 / 3 + 3 * (8 + 2),
              1e-9);
  const model::Cost gather = OnFourNodes("gather/2-lev-rec", Placement::kBlock);
  EXPECT_NEAR(gather[model::Term::kProcessorCongestion], 8 * 4.0 / 3, 1e-9);
  // All pairs of a column: C_p = k h (q - 1).
  const model::Cost alltoall = OnFourNodes("alltoall/2-lev-rc", Placement::kBlock);
  EXPECT_NEAR(alltoall[model::Term::kProcessorCongestion], 8 * 3 * 4.0 / 3, 1e-9);
}

// Dealt in turns, the rows span the nodes and each column is in one of them.
TEST(TopologyPricing, InTurnsRowsAndColumnsChangePlaces) {
  EXPECT_NEAR(OnFourNodes("alltoall/2-lev-rc", Placement::kCyclic).TotalSeconds(),
              OnFourNodes("alltoall/2-lev-rc", Placement::kBlock).TotalSeconds(), 1e-9);
}

// The first two steps stay in nodes, of parts on all four of them. The last two cross: 4 packets
// among four nodes, and 2 between two.
TEST(TopologyPricing, TheLastHalvesInTurnsAreCongested) {
  const model::Cost cost = OnFourNodes("scatter/logp-lev-sq", Placement::kCyclic);
  EXPECT_NEAR(cost[model::Term::kProcessorCongestion], 4 * 4.0 / 3 + 2 * 2.0 / 3, 1e-9);
  EXPECT_NEAR(
      cost.TotalSeconds(),
      4 * 8 + (16 + 8 + 4 + 2) + (3 * 4.0 / 3 + 2.0 / 3) + (4 + 2) + (4 * 4.0 / 3 + 2 * 2.0 / 3),
      1e-9);
}

}  // namespace
}  // namespace cox::strategy
