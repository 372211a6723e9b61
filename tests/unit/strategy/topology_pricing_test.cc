// The topology of the nodes changes the price, for any number of ranks per node.
#include <cstdint>
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
  EXPECT_EQ(LineOf(scenario, 16).processors_count, 16);
  EXPECT_DOUBLE_EQ(LineOf(scenario, 16).distance_hops, 4.0 / 3);
  EXPECT_EQ(CutTo(scenario, 128).bisection_links, 4);
  EXPECT_EQ(CutTo(scenario, 2).distance_hops, 0);
}

}  // namespace
}  // namespace cox::strategy
