// C3's algorithms of several levels: the bytes that the busiest processor touches, and the
// submachines, as in the paper (S. E. Hambrusch, A. A. Khokhar, section 4) for a square mesh of 256
// processors.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "domain/collective.h"
#include "domain/shape.h"
#include "gtest/gtest.h"
#include "model/extent.h"
#include "model/model.h"
#include "model/models/c3_units.h"
#include "strategy/catalogue.h"

namespace cox::strategy {
namespace {

const domain::Shape& SquareMesh() {
  static const auto& shape = *new domain::Shape{domain::Topology::kMesh, {16, 16}};
  return shape;
}

model::Schedule On256(const std::string& name, int64_t block_bytes, int64_t root = 0) {
  const Strategy strategy = *ParseStrategy(name);
  Scenario scenario{.collective = strategy.algorithm->collective,
                    .ranks = 256,
                    .block_bytes = block_bytes,
                    .root = root};
  scenario.shape = &SquareMesh();
  model::Schedule schedule;
  Build(strategy, scenario, &schedule);
  return schedule;
}

struct Touched {
  const char* algorithm;
  double blocks;
};

class Figure3 : public ::testing::TestWithParam<Touched> {};

TEST_P(Figure3, SaysWhatTheBusiestProcessorTouches) {
  for (const char* collective : {"scatter/", "gather/"}) {
    for (int64_t root : {0, 100, 255}) {
      double touched_bytes = 0;
      for (const model::Phase& phase :
           On256(absl::StrCat(collective, GetParam().algorithm), 3, root)) {
        touched_bytes += phase.times * phase.work.touched_bytes;
      }
      EXPECT_EQ(touched_bytes, 3 * GetParam().blocks) << collective;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Figure3,
                         ::testing::Values(Touched{"linear", 1}, Touched{"1-lev-our-br", 256},
                                           Touched{"2-lev-rec", 16}, Touched{"2-lev", 16},
                                           Touched{"2-lev?fanout=64", 4},
                                           Touched{"2-lev?fanout=100", 3},
                                           Touched{"3-lev-sq", 16 + 4},
                                           Touched{"logp-lev-sq", 255}));

// Halves by cuts across the longer side: 16 x 16, 16 x 8, 8 x 8, ... down to two.
TEST(Levels, HalveTheMeshByAlternatingCuts) {
  const std::vector<double> links = {16, 8, 8, 4, 4, 2, 2, 1};
  const std::vector<double> thirds = {32, 24, 16, 12, 8, 6, 4, 2};
  for (const char* name : {"scatter/logp-lev-sq", "scatter/1-lev-our-br"}) {
    for (int64_t bytes : {0, 512}) {
      const model::Schedule schedule = On256(name, bytes);
      ASSERT_EQ(schedule.size(), links.size()) << name;
      for (size_t i = 0; i < links.size(); ++i) {
        const model::Extent& part = schedule.ExtentOf(schedule[i]);
        EXPECT_EQ(part.processors_count, 256 >> i);
        EXPECT_DOUBLE_EQ(part.bisection_links, links[i]);
        EXPECT_DOUBLE_EQ(part.distance_hops, thirds[i] / 3);
        EXPECT_EQ(schedule[i].traffic.network.pairs_count, 1 << i) << "one in each part";
      }
    }
  }
}

// All blocks reach every rank: a share of them by the scatter, the others round the ring.
TEST(Levels, TheSystemsBroadcastSendsEverythingToEverybody) {
  const model::Schedule schedule = On256("scatter/1-lev-sys-br", 3);
  const model::Phase& ring = *(schedule.end() - 1);
  EXPECT_EQ(ring.times, 255);
  EXPECT_EQ(ring.traffic.any.in_bytes, 3);
  EXPECT_EQ(ring.traffic.network.pairs_count, 256);
  EXPECT_DOUBLE_EQ(ring.times * ring.work.touched_bytes, 256 * 3);
  double scattered = 0;
  for (const model::Phase& phase : schedule) {
    if (&phase != &ring) scattered += phase.times * phase.traffic.any.out_bytes;
  }
  EXPECT_EQ(scattered, 255 * 3) << "the root sends each block once";
}

TEST(Levels, WorkInLinesAndSquares) {
  const model::Schedule two = On256("scatter/2-lev-rec", 1);
  ASSERT_EQ(two.size(), 2U);
  for (const model::Phase& phase : two) {
    EXPECT_EQ(phase.submachine.processors_count, 16);
    EXPECT_EQ(phase.submachine.bisection_links, 1);
    EXPECT_DOUBLE_EQ(phase.submachine.distance_hops, 16.0 / 3);
    EXPECT_EQ(phase.traffic.any.sends_count, 15);
  }
  EXPECT_EQ(two[0].traffic.any.max_message_bytes, 16);
  EXPECT_EQ(two[1].traffic.any.max_message_bytes, 1);

  const model::Schedule three = On256("gather/3-lev-sq", 1);
  ASSERT_EQ(three.size(), 3U);
  EXPECT_EQ(three[0].submachine.processors_count, 4);
  EXPECT_EQ(three[1].submachine.processors_count, 4);
  EXPECT_EQ(three[2].submachine.processors_count, 0) << "the whole machine";
  EXPECT_EQ(three[2].traffic.any.in_bytes, 15 * 16);
}

// Units under C3 with s = 8 and packets of 512 bytes, for blocks of a packet; in thirds, because
// the mean distance of a line of n is n / 3.
double UnitThirds(const char* name) {
  const model::Model& c3 = **model::FindModel("c3");
  std::vector<double> values;
  for (const model::ParameterSpec& parameter : c3.parameters()) {
    values.push_back(parameter.name == "s" ? 8 : parameter.name == "l" ? 512 : 0);
  }
  return 3 * c3.Price(values, On256(name, 512)).units;
}

TEST(Levels, CostWhatTheSectionSays) {
  // Each stage: s + h + k (2 + h), and the touched bytes. k = 256 packets; 128, 64, ... 1.
  double halves = 0;
  double everything = 0;
  double packets = 256;
  for (double h_thirds : {32, 24, 16, 12, 8, 6, 4, 2}) {
    packets /= 2;
    everything += 24 + h_thirds + 256 * (6 + h_thirds);
    halves += 24 + h_thirds + packets * (6 + h_thirds) + 3 * packets;
  }
  EXPECT_NEAR(UnitThirds("scatter/1-lev-our-br"), everything + 3 * 256, 1e-6);
  EXPECT_NEAR(UnitThirds("scatter/logp-lev-sq"), halves, 1e-6);
  EXPECT_NEAR(UnitThirds("gather/logp-lev-sq"), halves, 1e-6);

  // n messages of k packets from one rank: n s + h + n k, k ceil(n / b), k h.
  const auto star = [](double n, double k, double links, double h_thirds) {
    return 3 * (8 * n + n * k + k * std::ceil(n / links)) + h_thirds * (1 + k);
  };
  EXPECT_NEAR(UnitThirds("scatter/2-lev-rec"), star(15, 16, 1, 16) + 3 * 16 + star(15, 1, 1, 16),
              1e-6);
  EXPECT_NEAR(UnitThirds("scatter/3-lev-sq"),
              star(15, 16, 16, 32) + 3 * 16 + star(3, 4, 1, 4) + 3 * 4 + star(3, 1, 1, 4), 1e-6);
}

// s p^alpha + k' (p^alpha + ceil(p^alpha / b) + h) for the leaders on the whole mesh, and the same
// with p^(1 - alpha) in squares: section 4.1 with alpha = 1/2 and 1/4.
TEST(Levels, TwoLevelsMayHaveAnyNumberOfLeaders) {
  const auto star = [](double n, double k, double links, double h_thirds) {
    return 3 * (8 * n + n * k + k * std::ceil(n / links)) + h_thirds * (1 + k);
  };
  for (const char* name : {"scatter/2-lev", "scatter/2-lev?fanout=16"}) {
    EXPECT_NEAR(UnitThirds(name), star(15, 16, 16, 32) + 3 * 16 + star(15, 1, 4, 8), 1e-6);
  }
  EXPECT_NEAR(UnitThirds("scatter/2-lev?fanout=4"),
              star(3, 64, 16, 32) + 3 * 64 + star(63, 1, 8, 16), 1e-6);
  // With a leader for each rank, or one for all, it is linear, which counts the touched block.
  EXPECT_NEAR(UnitThirds("scatter/2-lev?fanout=256"), UnitThirds("scatter/linear") - 3, 1e-6);
  EXPECT_NEAR(UnitThirds("gather/2-lev?fanout=1"), UnitThirds("gather/linear") - 3, 1e-6);
}

// 10 ranks in 4 parts: 3, 3, 2 and 2. The root's is the first.
TEST(Levels, PartsDifferByOneRankAtMost) {
  const Strategy strategy = *ParseStrategy("scatter/2-lev");
  std::vector<std::vector<int64_t>> sent;
  strategy.algorithm->enumerate(
      {.collective = domain::Collective::kScatter, .ranks = 10, .block_bytes = 5, .root = 8},
      strategy.knobs, [&](const Message& m) {
        sent.push_back({m.phase, m.source, m.destination, static_cast<int64_t>(m.bytes)});
      });
  EXPECT_EQ(sent, (std::vector<std::vector<int64_t>>{{0, 8, 1, 15},
                                                     {0, 8, 4, 10},
                                                     {0, 8, 6, 10},
                                                     {1, 8, 9, 5},
                                                     {1, 8, 0, 5},
                                                     {1, 1, 2, 5},
                                                     {1, 1, 3, 5},
                                                     {1, 4, 5, 5},
                                                     {1, 6, 7, 5}}));
}

// Without a shape or its sides, parts are connected like the whole machine.
TEST(Levels, PartsOfOtherMachinesAreLikeTheWhole) {
  const Strategy strategy = *ParseStrategy("scatter/2-lev-rec");
  const domain::Shape tree{domain::Topology::kTree, {}};
  Scenario scenario{.collective = domain::Collective::kScatter, .ranks = 256};
  model::Schedule schedule;
  Build(strategy, scenario, &schedule);
  EXPECT_EQ(schedule[0].submachine.bisection_links, 8);
  EXPECT_EQ(schedule[0].submachine.distance_hops, 1);
  scenario.shape = &tree;
  Build(strategy, scenario, &schedule);
  EXPECT_EQ(schedule[0].submachine.bisection_links, 1);
  EXPECT_EQ(schedule[0].submachine.distance_hops, 4);
}

// A share of a half gives logp-lev-sq.
TEST(Levels, UnevenHalvesMayBeEven) {
  for (const char* collective : {"scatter/", "gather/"}) {
    const model::Schedule even = On256(absl::StrCat(collective, "logp-lev-sq"), 7, 5);
    const model::Schedule uneven = On256(absl::StrCat(collective, "logp-lev-rec?gamma=500"), 7, 5);
    ASSERT_EQ(uneven.size(), even.size());
    for (size_t i = 0; i < even.size(); ++i) {
      EXPECT_EQ(uneven[i].traffic.any.out_bytes, even[i].traffic.any.out_bytes);
      EXPECT_EQ(uneven[i].traffic.network.volume_bytes, even[i].traffic.network.volume_bytes);
      EXPECT_EQ(uneven[i].traffic.network.node_in_bytes, even[i].traffic.network.node_in_bytes);
      EXPECT_EQ(uneven[i].submachine.distance_hops, even[i].submachine.distance_hops);
      EXPECT_EQ(uneven[i].work.touched_bytes, even[i].work.touched_bytes);
    }
  }
}

// The more a leader keeps, the smaller the first messages and the more steps.
TEST(Levels, UnevenHalvesTradeBytesForSteps) {
  const model::Schedule even = On256("scatter/logp-lev-sq", 1);
  const model::Schedule uneven = On256("scatter/logp-lev-rec", 1);
  EXPECT_GT(uneven.size(), even.size());
  EXPECT_EQ(uneven[0].traffic.any.out_bytes, 64);
  EXPECT_EQ(even[0].traffic.any.out_bytes, 128);
  double messages = 0;
  for (const model::Phase& phase : uneven) messages += phase.traffic.network.messages_count;
  EXPECT_EQ(messages, 255) << "one for each rank but the root";
}

constexpr double kSetup = 8;
constexpr double kPacketBytes = 512;

// Communication units of C3 on the Delta's mesh for blocks of one packet.
double CommunicationUnitsOf(const std::string& name) {
  const model::Model& c3 = **model::FindModel("c3");
  std::vector<double> values;
  for (const model::ParameterSpec& spec : c3.parameters()) {
    values.push_back(spec.name == "l" ? kPacketBytes : spec.name == "s" ? kSetup : 0);
  }
  const model::Schedule schedule = On256(name, static_cast<int64_t>(kPacketBytes));
  double computation = 0;
  for (const model::Phase& phase : schedule) {
    computation += phase.times * model::ComputationUnits(phase.work.touched_bytes, kPacketBytes);
  }
  return c3.Price(values, schedule).units - computation;
}

struct RootsWay {
  double setups = 0;
  double packet_units = 0;  // what the packets cost: k (2 + h) for k packets
  double hops = 0;          // the head of each message
  double units() const { return setups * kSetup + packet_units + hops; }
};

// The root keeps three quarters of its part and sends the blocks of the rest: the longest of the
// ways, because it is the busiest. `hops_of` is the distance within a part of n ranks.
RootsWay WayThroughUnevenHalves(double (*hops_of)(double n)) {
  RootsWay way;
  for (double part = 256; part > 1;) {
    const double kept = std::min(std::ceil(0.75 * part), part - 1);
    const double hops = hops_of(part);
    way.setups += 1;
    way.packet_units += (part - kept) * (2 + hops);
    way.hops += hops;
    part = kept;
  }
  return way;
}

// docs/validation.md explains why the paper's metric rates logp-lev-rec(0.75) no better at 512
// bytes, and the formulas rate it a few percent better.
TEST(Levels, UnevenHalvesAreAFewPercentBetterByTheirDistances) {
  const double even = CommunicationUnitsOf("scatter/logp-lev-sq");
  const double uneven = CommunicationUnitsOf("scatter/logp-lev-rec");
  EXPECT_LT(uneven, even);
  EXPECT_GT(uneven, 0.95 * even);

  // Parts of any size as meshes of that size: what the price has.
  const RootsWay smooth = WayThroughUnevenHalves([](double n) { return 2.0 / 3.0 * std::sqrt(n); });
  EXPECT_NEAR(uneven, smooth.units(), 0.02 * uneven);
  EXPECT_EQ(smooth.setups, 19) << "eleven more than the eight of even halves";
  EXPECT_NEAR(smooth.packet_units / kPacketBytes, 4.8, 0.05);
  EXPECT_NEAR((even - 8 * kSetup) / kPacketBytes, 5.2, 0.1);

  // Parts as the even halves that hold them: the order turns round.
  const RootsWay coarse = WayThroughUnevenHalves(
      [](double n) { return 2.0 / 3.0 * std::sqrt(std::exp2(std::ceil(std::log2(n)))); });
  EXPECT_GT(coarse.units(), even);
}

}  // namespace
}  // namespace cox::strategy
