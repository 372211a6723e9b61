#include "strategy/traffic/many_to_many.h"

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "domain/collective.h"
#include "domain/errors.h"
#include "gtest/gtest.h"
#include "strategy/catalogue.h"
#include "strategy/traffic/message_patterns.h"

namespace cox::strategy {
namespace {

using model::Transfer;

constexpr Route kRoutes[] = {Route::kMesh2d, Route::kGrid3d, Route::kHypercube};

model::Schedule Routed(Route route, const std::vector<Transfer>& messages, const Scenario& scenario,
                       const ManyToManyOptions& options = {}) {
  model::Schedule schedule;
  const absl::Status status = BuildManyToMany(route, messages, scenario, options, &schedule);
  EXPECT_TRUE(status.ok()) << status;
  return schedule;
}

void ExpectEqual(const model::RankTraffic& ours, const model::RankTraffic& other) {
  EXPECT_EQ(ours.sends_count, other.sends_count);
  EXPECT_EQ(ours.receives_count, other.receives_count);
  EXPECT_EQ(ours.out_bytes, other.out_bytes);
  EXPECT_EQ(ours.in_bytes, other.in_bytes);
  EXPECT_EQ(ours.max_message_bytes, other.max_message_bytes);
}

void ExpectEqual(const model::LevelTraffic& ours, const model::LevelTraffic& other) {
  ExpectEqual(static_cast<const model::RankTraffic&>(ours), other);
  EXPECT_EQ(ours.pairs_count, other.pairs_count);
  EXPECT_EQ(ours.messages_count, other.messages_count);
  EXPECT_EQ(ours.volume_bytes, other.volume_bytes);
  EXPECT_EQ(ours.node_out_bytes, other.node_out_bytes);
  EXPECT_EQ(ours.node_in_bytes, other.node_in_bytes);
}

// If every rank sends to every rank, the result is all-to-all: phase by phase the closed forms.
TEST(ManyToMany, OfAllPairsIsAllToAll) {
  for (const Route route : kRoutes) {
    for (int64_t ranks = 2; ranks <= 40; ++ranks) {
      for (const int64_t ppn : {1, 4}) {
        const Scenario scenario = {.ranks = ranks, .ppn = ppn, .block_bytes = 24};
        const Algorithm* algorithm = FindAlgorithm(domain::Collective::kAlltoall, RouteName(route));
        ASSERT_NE(algorithm, nullptr);
        model::Schedule expected;
        Build({algorithm, {}}, scenario, &expected);
        const model::Schedule ours = Routed(route, *MessagesOf("all-to-all", ranks, 24), scenario);
        size_t at = 0;
        for (const model::Phase& phase : expected) {
          for (double i = 0; i < phase.times; ++i, ++at) {
            ASSERT_LT(at, ours.size());
            ExpectEqual(ours[at].traffic.any, phase.traffic.any);
            ExpectEqual(ours[at].traffic.node, phase.traffic.node);
            ExpectEqual(ours[at].traffic.network, phase.traffic.network);
            EXPECT_EQ(ours[at].traffic.disjoint, phase.traffic.disjoint);
          }
        }
        EXPECT_EQ(at, ours.size());
        ASSERT_FALSE(HasFailure()) << RouteName(route) << " " << ranks << " ranks, " << ppn;
      }
    }
  }
}

// Phase by phase, the listed messages have the schedule's bytes and number, and go between the
// pairs that it counts.
TEST(ManyToMany, ListsTheMessagesOfItsSchedule) {
  std::vector<Transfer> messages = *MessagesOf("random?seed=3", 24, 100);
  messages.push_back({3, 17, 5000});
  messages.push_back({3, 17, 6000});
  for (const bool copies : {false, true}) {
    if (copies) messages.push_back({5, 5, 40});
    for (const Route route : {Route::kDirect, Route::kMesh2d, Route::kGrid3d, Route::kHypercube}) {
      for (const double direct_above : {1000.0, std::numeric_limits<double>::infinity()}) {
        const Scenario scenario = {.ranks = 24, .ppn = 3};
        const ManyToManyOptions options = {.direct_above_bytes = direct_above};
        const model::Schedule schedule = Routed(route, messages, scenario, options);
        struct Listed {
          std::set<std::pair<int64_t, int64_t>> pairs;
          double messages = 0;
          double bytes = 0;
        };
        std::vector<Listed> listed(schedule.size());
        int64_t last = 0;
        EnumerateManyToMany(route, messages, scenario, options, [&](const Message& message) {
          EXPECT_GE(message.phase, last);
          last = message.phase;
          Listed& phase = listed.at(static_cast<size_t>(message.phase));
          phase.pairs.emplace(message.source, message.destination);
          phase.messages += 1;
          phase.bytes += message.bytes;
        });
        for (size_t i = 0; i < schedule.size(); ++i) {
          const model::Traffic& traffic = schedule[i].traffic;
          EXPECT_EQ(listed[i].bytes, traffic.node.volume_bytes + traffic.network.volume_bytes);
          EXPECT_EQ(listed[i].messages,
                    traffic.node.messages_count + traffic.network.messages_count)
              << RouteName(route) << " phase " << i;
          EXPECT_EQ(static_cast<double>(listed[i].pairs.size()),
                    traffic.node.pairs_count + traffic.network.pairs_count)
              << RouteName(route) << " phase " << i;
        }
      }
    }
  }
}

// The virtual mesh that lies on the machine's nodes uses the network in one of its two phases, and
// sends less often over it than a mesh that does not.
TEST(ManyToMany, AMeshOnTheNodesUsesTheNetworkInOnePhase) {
  const auto messages = *MessagesOf("random?seed=1", 96, 512);
  const Scenario block = {.ranks = 96, .ppn = 8};
  const model::Schedule by_rows = Routed(Route::kMesh2d, messages, block, {.columns = 8});
  ASSERT_EQ(by_rows.size(), 2U);
  EXPECT_EQ(by_rows[0].traffic.network.messages_count, 0);
  EXPECT_EQ(by_rows[0].traffic.node.messages_count, 96 * 7);
  EXPECT_EQ(by_rows[1].traffic.node.messages_count, 0);
  EXPECT_EQ(by_rows[1].traffic.network.messages_count, 96 * 11);

  Scenario cyclic = block;
  cyclic.placement = Placement::kCyclic;
  const model::Schedule by_columns = Routed(Route::kMesh2d, messages, cyclic, {.columns = 12});
  EXPECT_EQ(by_columns[0].traffic.node.messages_count, 0);
  EXPECT_EQ(by_columns[1].traffic.network.messages_count, 0);

  model::Schedule schedule;
  const absl::Status one =
      BuildManyToMany(Route::kMesh2d, messages, block, {.columns = 1}, &schedule);
  EXPECT_EQ(domain::FieldOf(one), "columns");
  const model::Schedule square = Routed(Route::kMesh2d, messages, block);
  EXPECT_GT(square[0].traffic.network.messages_count + square[1].traffic.network.messages_count,
            96 * 11);
}

// Without data the messages are still sent.
TEST(ManyToMany, SendsDummies) {
  for (const Route route : kRoutes) {
    double messages = 0, bytes = 0;
    for (const model::Phase& phase : Routed(route, {}, {.ranks = 27})) {
      messages += phase.traffic.any.sends_count;
      bytes += phase.traffic.network.volume_bytes;
    }
    EXPECT_GT(messages, 0) << RouteName(route);
    EXPECT_EQ(bytes, 0) << RouteName(route);
  }
  EXPECT_TRUE(Routed(Route::kDirect, {}, {.ranks = 27}).empty());
  for (const Route route : kRoutes) EXPECT_TRUE(Routed(route, {}, {.ranks = 1}).empty());
}

// A degree of 16 among 256: on a full mesh and hypercube every byte takes two hops, or half of the
// dimensions, on average; no more than the paper's uniform formulas say.
TEST(ManyToMany, CarriesUniformPatternsAsFarAsTheFormulasSay) {
  std::vector<Transfer> messages;
  for (int64_t by = 1; by <= 256; by += 16) {
    const std::vector<Transfer> shift = *MessagesOf("shift?by=" + std::to_string(by), 256, 10);
    messages.insert(messages.end(), shift.begin(), shift.end());
  }
  const double all_bytes = 16 * 256 * 10;
  const auto volume = [&messages](Route route) {
    double bytes = 0;
    for (const model::Phase& phase : Routed(route, messages, {.ranks = 256})) {
      bytes += phase.traffic.network.volume_bytes;
    }
    return bytes;
  };
  EXPECT_LE(volume(Route::kMesh2d), 2 * all_bytes);
  EXPECT_GE(volume(Route::kMesh2d), 1.5 * all_bytes);
  EXPECT_LE(volume(Route::kGrid3d), 3 * all_bytes);
  EXPECT_NEAR(volume(Route::kHypercube), 4 * all_bytes, all_bytes);
  EXPECT_EQ(volume(Route::kDirect), all_bytes);
}

// Few senders, many receivers: the price is that of the busiest rank, not of the mean.
TEST(ManyToMany, IsPricedFromTheRealDestinations) {
  const std::vector<Transfer> messages = *MessagesOf("one-to-all", 64, 100);
  const model::Schedule mesh = Routed(Route::kMesh2d, messages, {.ranks = 64});
  ASSERT_EQ(mesh.size(), 2u);
  EXPECT_EQ(mesh[0].traffic.any.out_bytes, 56 * 100);
  EXPECT_EQ(mesh[0].traffic.any.in_bytes, 8 * 100);
  EXPECT_EQ(mesh[0].traffic.any.max_message_bytes, 8 * 100);
  EXPECT_EQ(mesh[1].traffic.any.out_bytes, 7 * 100);
  EXPECT_EQ(mesh[0].work.copied_bytes, 0);
  EXPECT_EQ(mesh[1].work.copied_bytes, 7 * 100);
  EXPECT_EQ(mesh[1].traffic.network.volume_bytes, 56 * 100);
}

TEST(ManyToMany, TakesOutWhatIsTooLargeToCombine) {
  std::vector<Transfer> messages = *MessagesOf("shift", 64, 100);
  messages[5].bytes = 1e6;
  const model::Schedule all = Routed(Route::kMesh2d, messages, {.ranks = 64});
  const model::Schedule split =
      Routed(Route::kMesh2d, messages, {.ranks = 64}, {.direct_above_bytes = 1000});
  ASSERT_EQ(split.size(), all.size() + 1);
  EXPECT_EQ(split[0].traffic.network.messages_count, 1);
  EXPECT_EQ(split[0].traffic.network.volume_bytes, 1e6);
  EXPECT_EQ(split[1].traffic.any.sends_count, all[0].traffic.any.sends_count);
  EXPECT_LT(split[1].traffic.any.max_message_bytes, 1000);
  EXPECT_EQ(CombiningLimitBytes(5e-6, 1e-9, 2), 5000);
  EXPECT_TRUE(std::isinf(CombiningLimitBytes(5e-6, 1e-9, 1)));
  EXPECT_TRUE(std::isinf(CombiningLimitBytes(5e-6, 0, 3)));
}

TEST(ManyToMany, CopiesWhatARankHasForItself) {
  const std::vector<Transfer> messages = {{3, 3, 50}, {0, 1, 10}};
  const model::Schedule schedule = Routed(Route::kHypercube, messages, {.ranks = 4});
  ASSERT_EQ(schedule.size(), 3u);
  EXPECT_EQ(schedule[0].work.copied_bytes, 50);
  EXPECT_EQ(schedule[0].traffic.any.sends_count, 0);
}

TEST(ManyToMany, RefusesWhatIsOutOfRange) {
  model::Schedule schedule;
  const auto field = [&schedule](const std::vector<Transfer>& messages, double direct_above_bytes) {
    return domain::FieldOf(BuildManyToMany(Route::kMesh2d, messages, {.ranks = 4},
                                           {.direct_above_bytes = direct_above_bytes}, &schedule));
  };
  EXPECT_EQ(field({{0, 4, 1}}, 0), "messages[0].destination");
  EXPECT_EQ(field({}, -1), "direct_above_bytes");
  EXPECT_EQ(field({}, std::numeric_limits<double>::quiet_NaN()), "direct_above_bytes");
  EXPECT_EQ(domain::FieldOf(ParseRoute("ring").status()), "routes");
  for (int i = 0; i < kRouteCount; ++i) {
    EXPECT_EQ(*ParseRoute(RouteName(static_cast<Route>(i))), static_cast<Route>(i));
  }
}

}  // namespace
}  // namespace cox::strategy
