// Exchanges of more ranks than are counted one by one, against their enumeration. The busiest rank
// and the totals are exact, the split into levels is an estimate.
#include "strategy/traffic/exchange.h"

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "counted_traffic.h"
#include "gtest/gtest.h"
#include "strategy/traffic/residues.h"

namespace cox::strategy {
namespace {

using model::LevelTraffic;
using model::RankTraffic;

constexpr double RankTraffic::*kRankFields[] = {
    &RankTraffic::sends_count, &RankTraffic::receives_count, &RankTraffic::out_bytes,
    &RankTraffic::in_bytes, &RankTraffic::max_message_bytes};

bool Near(double a, double b, double slack) { return std::abs(a - b) <= slack; }

// How far off the estimate may be: what stays in nodes, as a share of everything; the busiest rank
// of a level and the busiest node, as shares of themselves.
struct Case {
  const char* strategy;
  int64_t ranks;
  double slack_of_division = 0.02;
  double slack_of_busiest = 0.1;
};

class LargeExchange : public ::testing::TestWithParam<Case> {};

TEST_P(LargeExchange, IsNearlyItsEnumeration) {
  ASSERT_GT(GetParam().ranks, kCountedRanks);
  const Strategy strategy = *ParseStrategy(GetParam().strategy);
  for (int64_t ppn : {int64_t{1}, int64_t{4}, int64_t{24}, GetParam().ranks}) {
    for (Placement placement : {Placement::kBlock, Placement::kCyclic}) {
      const bool exact = ppn == 1 || ppn == GetParam().ranks;
      const Scenario scenario{.collective = strategy.algorithm->collective,
                              .ranks = GetParam().ranks,
                              .ppn = ppn,
                              .block_bytes = 3,
                              .placement = placement};
      if (!strategy.algorithm->applies(scenario, strategy.knobs).ok()) continue;
      const bool repeats = scenario.ranks % ppn == 0;
      if (GetParam().slack_of_busiest == 0 && !repeats) continue;
      model::Schedule schedule;
      Build(strategy, scenario, &schedule);
      const auto counted = CountTraffic(strategy, scenario, schedule);
      ASSERT_EQ(schedule.size(), counted.size());
      for (size_t i = 0; i < counted.size(); ++i) {
        SCOPED_TRACE(absl::StrCat("phase ", i, " ppn ", ppn,
                                  placement == Placement::kBlock ? " block" : " cyclic"));
        const model::Traffic& built = schedule[i].traffic;
        const model::Traffic& truth = counted[i].traffic;
        for (double RankTraffic::*field : kRankFields) {
          EXPECT_EQ(built.any.*field, truth.any.*field);
          EXPECT_LE(built.node.*field, truth.node.*field);
          EXPECT_LE(built.network.*field, truth.network.*field);
          const double slack = exact ? 0 : GetParam().slack_of_busiest * truth.any.*field;
          EXPECT_TRUE(Near(built.node.*field, truth.node.*field, slack));
          EXPECT_TRUE(Near(built.network.*field, truth.network.*field, slack));
        }
        EXPECT_EQ(built.disjoint, truth.disjoint);
        const double volume_bytes = truth.node.volume_bytes + truth.network.volume_bytes;
        const double messages = truth.node.messages_count + truth.network.messages_count;
        EXPECT_EQ(built.node.volume_bytes + built.network.volume_bytes, volume_bytes);
        EXPECT_EQ(built.node.messages_count + built.network.messages_count, messages);
        const double slack = exact ? 0 : GetParam().slack_of_division;
        EXPECT_TRUE(Near(built.node.volume_bytes, truth.node.volume_bytes, slack * volume_bytes));
        EXPECT_TRUE(Near(built.node.messages_count, truth.node.messages_count, slack * messages));
        const double node_slack = exact ? 0 : GetParam().slack_of_busiest;
        EXPECT_TRUE(Near(built.network.node_out_bytes, truth.network.node_out_bytes,
                         node_slack * truth.network.node_out_bytes))
            << built.network.node_out_bytes << " " << truth.network.node_out_bytes;
        EXPECT_TRUE(Near(built.network.node_in_bytes, truth.network.node_in_bytes,
                         node_slack * truth.network.node_in_bytes))
            << built.network.node_in_bytes << " " << truth.network.node_in_bytes;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, LargeExchange,
    ::testing::Values(Case{"alltoall/mesh2d", 2500}, Case{"alltoall/mesh2d", 2969},
                      Case{"alltoall/grid3d", 2744}, Case{"alltoall/grid3d", 3001},
                      Case{"alltoall/hypercube", 2050}, Case{"alltoall/hypercube", 3001},
                      Case{"alltoall/2-lev-rc", 2401}, Case{"alltoall/2-lev-sq", 2401},
                      Case{"scatter/2-lev-rec", 2401, 0.05, 0.3},
                      Case{"scatter/2-lev?fanout=60", 2501, 0.05, 0.3},
                      Case{"gather/3-lev-sq", 2401, 0.05, 0.3}, Case{"scatter/logp-lev-rec", 2401},
                      Case{"gather/windowed?window=9", 2401}));

// If nodes of one size repeat, a few represent all: exact for any number of ranks.
INSTANTIATE_TEST_SUITE_P(NodesRepeat, LargeExchange,
                         ::testing::Values(Case{"alltoall/mesh2d", 4096, 0, 0},
                                           Case{"alltoall/2-lev-rc", 3600, 0, 0},
                                           Case{"alltoall/grid3d", 4096, 0, 0},
                                           Case{"alltoall/grid3d", 13824, 0, 0}));

TEST(Stride, CountsAnyStep) {
  for (int64_t modulus = 1; modulus <= 13; ++modulus) {
    for (int64_t step : {1, 3, 6, 7, 10, 26, 100}) {
      const Stride stride(step, modulus);
      for (int64_t first : {-5, 0, 20}) {
        std::vector<int64_t> counts(static_cast<size_t>(modulus));
        for (int64_t terms = 0; terms < 30; ++terms) {
          for (int64_t residue = 0; residue < modulus; ++residue) {
            ASSERT_EQ(stride.CountAt(residue, {first, terms}),
                      counts[static_cast<size_t>(residue)]);
          }
          ++counts[static_cast<size_t>(Mod(first + terms * step, modulus))];
        }
      }
    }
  }
}

}  // namespace
}  // namespace cox::strategy
