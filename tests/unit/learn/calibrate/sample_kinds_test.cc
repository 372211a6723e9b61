// A sample's schedule is what a prediction for the same messages prices.
#include "learn/calibrate/sample_kinds.h"

#include <gtest/gtest.h>

#include <vector>

#include "domain/shape.h"
#include "model/model.h"
#include "strategy/scenario.h"
#include "strategy/traffic/message_patterns.h"

namespace cox::learn {
namespace {

double C3Units(const model::Schedule& schedule) {
  const model::Model& c3 = **model::FindModel("c3");
  std::vector<double> values;
  for (const model::ParameterSpec& spec : c3.parameters()) {
    values.push_back(spec.name == "l" ? 512 : spec.name == "s" ? 8 : 0);
  }
  return c3.Price(values, schedule).units;
}

TEST(SampleKinds, APermutationIsFittedOnTheNetworkThatPredictionsSee) {
  for (const domain::Topology topology :
       {domain::Topology::kCrossbar, domain::Topology::kBus, domain::Topology::kTorus,
        domain::Topology::kTree, domain::Topology::kHypercube}) {
    const domain::Shape shape{topology, {}};
    Sample sample;
    sample.kind = "permutation";
    sample.block_bytes = 10'000;
    sample.ranks = sample.senders = 16;
    sample.messages = 1;
    model::Schedule fitted;
    FindSampleKind(sample.kind)->build(sample, shape, &fitted);
    model::Schedule predicted;
    const auto messages = strategy::MessagesOf("shift", 16, 10'000);
    ASSERT_TRUE(messages.ok());
    ASSERT_TRUE(strategy::BuildPattern(*messages, {.ranks = 16, .shape = &shape}, &predicted).ok());
    EXPECT_DOUBLE_EQ(C3Units(fitted), C3Units(predicted)) << domain::TopologyName(topology);
  }
}

// Pairs between two nodes share the two nodes' network.
TEST(SampleKinds, PingPongsUseTwoNodes) {
  const domain::Shape mesh{domain::Topology::kMesh, {8, 8}};
  Sample sample;
  sample.kind = "pingpong";
  sample.pairs = 4;
  model::Schedule schedule;
  FindSampleKind(sample.kind)->build(sample, mesh, &schedule);
  EXPECT_EQ(schedule.whole().processors_count, 8);
  EXPECT_EQ(schedule.whole().distance_hops, model::ExtentOf(mesh, 2).distance_hops);
  sample.level = domain::Level::kNode;
  FindSampleKind(sample.kind)->build(sample, mesh, &schedule);
  EXPECT_EQ(schedule.whole().distance_hops, 0);
}

}  // namespace
}  // namespace cox::learn
