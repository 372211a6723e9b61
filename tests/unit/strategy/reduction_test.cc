// Reductions, scans and barriers: the messages carry enough data, in time.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "rank_counts.h"
#include "strategy/algorithms/halving_exchange.h"
#include "strategy/catalogue.h"

namespace cox::strategy {
namespace {

using Stage = std::pair<int64_t, int64_t>;  // phase, repetition
using Steps = std::map<Stage, std::vector<Message>>;

Steps StepsOf(const Strategy& strategy, Scenario scenario) {
  scenario.collective = strategy.algorithm->collective;
  Steps steps;
  strategy.algorithm->enumerate(scenario, strategy.knobs, [&](const Message& message) {
    steps[{message.phase, message.repetition}].push_back(message);
  });
  return steps;
}

// How often each rank has each rank's contribution in the end, if every rank always sends all that
// it has. A rank that passes on everything keeps nothing to pass on again.
using Counts = std::vector<std::vector<int>>;

Counts Spread(const Steps& steps, int64_t ranks) {
  const auto size = static_cast<size_t>(ranks);
  Counts counts(size, std::vector<int>(size));
  for (size_t rank = 0; rank < size; ++rank) counts[rank][rank] = 1;
  for (const auto& [when, messages] : steps) {
    const Counts before = counts;
    for (const Message& message : messages) {
      const auto& sent = before[static_cast<size_t>(message.source)];
      auto& has = counts[static_cast<size_t>(message.destination)];
      for (size_t rank = 0; rank < size; ++rank) has[rank] += sent[rank];
    }
  }
  return counts;
}

std::string NameOf(const ::testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

class Reduction : public ::testing::TestWithParam<const char*> {};

TEST_P(Reduction, TakesEachContributionOnce) {
  const Strategy strategy = *ParseStrategy(GetParam());
  for (const int64_t ranks : RankCountsUpTo(70)) {
    for (int64_t root : {int64_t{0}, ranks / 3, ranks - 1}) {
      if (strategy.algorithm->name == "in-order-binary" && root != ranks - 1) continue;
      const Counts counts = Spread(StepsOf(strategy, {.ranks = ranks, .root = root}), ranks);
      for (int times : counts[static_cast<size_t>(root)]) ASSERT_EQ(times, 1) << ranks;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Reduction,
                         ::testing::Values("reduce/linear", "reduce/chain", "reduce/pipeline",
                                           "reduce/binary", "reduce/binomial",
                                           "reduce/in-order-binary"),
                         NameOf);

// Each segment of a pipeline leaves after the same segment from below has arrived.
TEST(SegmentedReduction, PassesOnWhatHasCome) {
  for (const char* name : {"reduce/chain?segment=100&fanout=3", "reduce/pipeline?segment=100",
                           "reduce/binary?segment=100", "reduce/in-order-binary?segment=100"}) {
    for (int64_t ranks = 2; ranks < 40; ++ranks) {
      std::map<int64_t, Stage> last_arrival;  // of a first segment, at a rank
      std::map<int64_t, Stage> first_send;
      for (const auto& [when, messages] :
           StepsOf(*ParseStrategy(name), {.ranks = ranks, .block_bytes = 350, .root = ranks - 1})) {
        for (const Message& message : messages) {
          if (!first_send.contains(message.source)) {
            first_send[message.source] = when;
            last_arrival[message.destination] = when;
          }
        }
      }
      for (const auto& [rank, stage] : first_send) {
        if (!last_arrival.contains(rank)) continue;
        ASSERT_LT(last_arrival[rank], stage) << name << " " << rank;
      }
    }
  }
}

class Barrier : public ::testing::TestWithParam<const char*> {};

TEST_P(Barrier, EveryoneHearsOfEveryone) {
  const Strategy strategy = *ParseStrategy(GetParam());
  for (int64_t ranks = 2; ranks <= 30; ++ranks) {
    const Steps steps = StepsOf(strategy, {.ranks = ranks, .block_bytes = 77});
    std::vector<std::set<int64_t>> heard(static_cast<size_t>(ranks));
    for (int64_t rank = 0; rank < ranks; ++rank) heard[static_cast<size_t>(rank)].insert(rank);
    for (const auto& [when, messages] : steps) {
      const auto before = heard;
      for (const Message& message : messages) {
        ASSERT_EQ(message.bytes, 0);
        const auto& from = before[static_cast<size_t>(message.source)];
        heard[static_cast<size_t>(message.destination)].insert(from.begin(), from.end());
      }
    }
    for (const auto& of_rank : heard) {
      ASSERT_EQ(static_cast<int64_t>(of_rank.size()), ranks) << ranks;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Barrier,
                         ::testing::Values("barrier/linear", "barrier/double-ring",
                                           "barrier/recursive-doubling", "barrier/dissemination",
                                           "barrier/tree"),
                         NameOf);

class Scan : public ::testing::TestWithParam<const char*> {};

TEST_P(Scan, EveryoneHearsOfAllBefore) {
  const Strategy strategy = *ParseStrategy(GetParam());
  for (const int64_t ranks : RankCountsUpTo(70)) {
    const Counts counts = Spread(StepsOf(strategy, {.ranks = ranks}), ranks);
    for (size_t rank = 0; rank < counts.size(); ++rank) {
      for (size_t before = 0; before <= rank; ++before) {
        ASSERT_EQ(counts[rank][before], 1) << ranks << " " << rank << " " << before;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Scan,
                         ::testing::Values("scan/linear", "scan/recursive-doubling",
                                           "exscan/linear", "exscan/recursive-doubling"),
                         NameOf);

model::Schedule ScheduleOf(const char* name, const Scenario& scenario) {
  model::Schedule schedule;
  const Strategy strategy = *ParseStrategy(name);
  Build(strategy, scenario, &schedule);
  return schedule;
}

TEST(Rabenseifner, HalvesThenGathers) {
  const model::Schedule schedule =
      ScheduleOf("reduce/rabenseifner", {.ranks = 8, .block_bytes = 800, .root = 5});
  std::vector<double> bytes;
  for (const model::Phase& phase : schedule) {
    bytes.push_back(phase.traffic.any.max_message_bytes);
    EXPECT_EQ(phase.times, 1);
  }
  EXPECT_EQ(bytes, (std::vector<double>{400, 200, 100, 100, 200, 400}));
  EXPECT_EQ(schedule[0].work.reduced_bytes, 400);
  EXPECT_EQ(schedule[5].traffic.network.messages_count, 1);
  EXPECT_EQ(schedule[3].traffic.network.messages_count, 4);
}

// Rank 1 of 6 hands its part to rank 0 and gets the place of rank 0 for the gather.
TEST(Rabenseifner, ARootThatTookNoPartReplacesRank0) {
  const auto steps =
      StepsOf(*ParseStrategy("reduce/rabenseifner"), {.ranks = 6, .block_bytes = 400, .root = 1});
  ASSERT_EQ(steps.size(), 2U + 2U + 1U + 2U);
  const std::vector<Message>& handed_over = steps.at({4, 0});
  ASSERT_EQ(handed_over.size(), 1U);
  EXPECT_EQ(handed_over[0].source, 0);
  EXPECT_EQ(handed_over[0].destination, 1);
  EXPECT_EQ(handed_over[0].bytes, 100);
  const std::vector<Message>& last = steps.at({6, 0});
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last[0].source, 2);
  EXPECT_EQ(last[0].destination, 1);
  EXPECT_EQ(last[0].bytes, 200);
}

TEST(LinearReduction, CombinesAllAtTheRoot) {
  const model::Schedule schedule =
      ScheduleOf("reduce/linear", {.ranks = 9, .block_bytes = 10, .root = 3});
  ASSERT_EQ(schedule.size(), 1U);
  EXPECT_EQ(schedule[0].work.reduced_bytes, 80);
  EXPECT_EQ(schedule[0].traffic.any.receives_count, 8);
}

// The first segment is combined at each of 3 ranks on its way, all at the root: 3 + (3 - 1).
TEST(SegmentedReduction, CombinesASegmentInEachStage) {
  const model::Schedule schedule =
      ScheduleOf("reduce/pipeline?segment=100", {.ranks = 4, .block_bytes = 300});
  double stages = 0;
  double reduced_bytes = 0;
  for (const model::Phase& phase : schedule) {
    stages += phase.times;
    reduced_bytes += phase.times * phase.work.reduced_bytes;
  }
  EXPECT_EQ(stages, 5);
  EXPECT_DOUBLE_EQ(reduced_bytes, 500);
  const model::Schedule binary = ScheduleOf("reduce/binary", {.ranks = 7, .block_bytes = 300});
  EXPECT_EQ(binary[0].times, 2);
  EXPECT_EQ(binary[0].work.reduced_bytes, 600);
  EXPECT_EQ(binary[0].traffic.any.receives_count, 2);
}

// 2 turns of 12 links on 3 nodes: one link in four crosses.
TEST(Relay, GoesOverNodeBordersOneAfterTheOther) {
  const model::Schedule ring = ScheduleOf("barrier/double-ring", {.ranks = 12, .ppn = 4});
  ASSERT_EQ(ring.size(), 2U);
  EXPECT_EQ(ring[0].times, 18);
  EXPECT_EQ(ring[0].traffic.node.messages_count, 1);
  EXPECT_EQ(ring[1].times, 6);
  EXPECT_EQ(ring[1].traffic.network.messages_count, 1);
  const model::Schedule scan = ScheduleOf("scan/linear", {.ranks = 12, .ppn = 4, .block_bytes = 8});
  EXPECT_EQ(scan[0].times, 9);
  EXPECT_EQ(scan[1].times, 2);
  EXPECT_EQ(scan[1].work.reduced_bytes, 8);
}

using Sent = std::vector<std::vector<double>>;  // by phase: the messages' bytes, ascending

Sent BytesSent(const char* name, const Scenario& scenario) {
  Sent sent;
  for (const auto& [when, messages] : StepsOf(*ParseStrategy(name), scenario)) {
    std::vector<double>& bytes = sent.emplace_back();
    for (const Message& message : messages) bytes.push_back(message.bytes);
    std::sort(bytes.begin(), bytes.end());
  }
  return sent;
}

// Of 6 ranks 4 are active, and the first two represent two each: 2 + 2 + 1 + 1 blocks.
TEST(RecursiveHalving, SendsTheBlocksThatTheOtherHalfStandsFor) {
  const Sent expected = {{60, 60}, {20, 20, 40, 40}, {10, 10, 20, 20}, {10, 10}};
  for (const char* name :
       {"reduce_scatter/recursive-halving", "reduce_scatter_block/recursive-halving"}) {
    EXPECT_EQ(BytesSent(name, {.ranks = 6, .block_bytes = 10}), expected) << name;
  }
  EXPECT_EQ(BytesSent("reduce_scatter/recursive-halving", {.ranks = 4, .block_bytes = 10}),
            (Sent{{20, 20, 20, 20}, {10, 10, 10, 10}}));
}

TEST(Butterfly, SendsBlocksHomeInTheEnd) {
  const Strategy strategy = *ParseStrategy("reduce_scatter_block/butterfly");
  const Steps steps = StepsOf(strategy, {.ranks = 6, .block_bytes = 10});
  EXPECT_EQ(BytesSent("reduce_scatter_block/butterfly", {.ranks = 6, .block_bytes = 10}),
            (Sent{{60, 60}, {20, 20, 40, 40}, {10, 10, 20, 20}, {10, 10, 10, 10}}));
  std::set<std::pair<int64_t, int64_t>> home;
  for (const Message& message : steps.at({3, 0})) {
    home.emplace(message.source, message.destination);
  }
  EXPECT_EQ(home, (std::set<std::pair<int64_t, int64_t>>{{1, 0}, {3, 4}, {4, 2}, {4, 3}}));
  // Two ranks have their own blocks already.
  EXPECT_EQ(BytesSent("reduce_scatter/butterfly", {.ranks = 2, .block_bytes = 10}).size(), 1U);
}

// For both orders of partners: each active rank has met all others in the end, it keeps one rank's
// blocks, and together the active ranks keep all blocks.
TEST(HalvingExchange, LeavesEachRankABlockOfItsOwn) {
  for (int64_t ranks = 2; ranks <= 130; ++ranks) {
    const Fold fold(ranks, Takes::kOdd);
    for (const HalvingOrder order : {HalvingOrder::kFarFirst, HalvingOrder::kNearFirst}) {
      int64_t met = 0;
      double kept = 0;
      for (int64_t i = 0; (int64_t{1} << i) < fold.active; ++i) {
        const HalvingExchange exchange(fold, {order, i});
        met |= exchange.PartnerOf(0);
        kept = 0;
        for (int64_t v = 0; v < fold.active; ++v) kept += exchange.BlocksFor(v);
      }
      ASSERT_EQ(met, fold.active - 1) << ranks;
      ASSERT_EQ(kept, ranks);
    }
    for (int64_t v = 0; v < fold.active; ++v) {
      ASSERT_EQ(ReversedBits(fold, ReversedBits(fold, v)), v);
      ASSERT_EQ(PlaceIn(fold, fold.RankOf(v)), v);
    }
  }
}

TEST(ReversedBits, AreThoseOfTheNumberOfActiveRanks) {
  EXPECT_EQ(ReversedBits(Fold(1, Takes::kOdd), 0), 0);
  EXPECT_EQ(ReversedBits(Fold(2, Takes::kOdd), 1), 1);
  EXPECT_EQ(ReversedBits(Fold(8, Takes::kOdd), 0b110), 0b011);
  EXPECT_EQ(ReversedBits(Fold(1000, Takes::kOdd), 0b1'0000'0110), 0b0'1100'0001);
  EXPECT_EQ(ReversedBits(Fold(1 << 20, Takes::kOdd), 0b1101), 0b1011 << 16);
}

TEST(ReduceScatter, MovesWhatItsSourcesSay) {
  // Doubling, p = 8: (8 - 1) + (8 - 2) + (8 - 4) blocks.
  double sent = 0;
  for (const model::Phase& phase :
       ScheduleOf("reduce_scatter_block/recursive-doubling", {.ranks = 8, .block_bytes = 10})) {
    sent += phase.times * phase.traffic.any.out_bytes;
  }
  EXPECT_EQ(sent, 170);
  const model::Schedule ring = ScheduleOf("reduce_scatter/ring", {.ranks = 8, .block_bytes = 10});
  ASSERT_EQ(ring.size(), 1U);
  EXPECT_EQ(ring[0].times, 7);
  EXPECT_EQ(ring[0].work.reduced_bytes, 10);
  const model::Schedule ordered =
      ScheduleOf("reduce_scatter/noncommutative", {.ranks = 8, .block_bytes = 10});
  EXPECT_EQ(ordered[0].work.copied_bytes, 80);
  EXPECT_EQ(ordered[0].traffic.any.out_bytes, 40);
  EXPECT_EQ(ordered[2].traffic.any.out_bytes, 10);
  const model::Schedule pairwise =
      ScheduleOf("reduce_scatter/pairwise", {.ranks = 7, .block_bytes = 10});
  ASSERT_EQ(pairwise.size(), 1U);
  EXPECT_EQ(pairwise[0].times * pairwise[0].work.reduced_bytes, 60);
}

}  // namespace
}  // namespace cox::strategy
