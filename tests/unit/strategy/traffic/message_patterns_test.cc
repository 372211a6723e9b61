#include "strategy/traffic/message_patterns.h"

#include <chrono>
#include <iostream>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "counted_traffic.h"
#include "domain/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace cox::strategy {
namespace {

using model::Transfer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<Transfer> Messages(absl::string_view text, int64_t ranks, double bytes = 10) {
  const auto messages = MessagesOf(text, ranks, bytes);
  EXPECT_TRUE(messages.ok()) << messages.status();
  return *messages;
}

TEST(NamedPatterns, AreWhatTheirNamesSay) {
  EXPECT_THAT(Messages("shift?by=2", 3),
              ElementsAre(Transfer{0, 2, 10}, Transfer{1, 0, 10}, Transfer{2, 1, 10}));
  EXPECT_EQ(Messages("shift?by=-1", 5), Messages("shift?by=4", 5));
  EXPECT_TRUE(Messages("shift?by=6", 3).empty());
  EXPECT_THAT(Messages("transpose", 4), ElementsAre(Transfer{1, 2, 10}, Transfer{2, 1, 10}));
  EXPECT_THAT(Messages("bit-reversal", 8), ElementsAre(Transfer{1, 4, 10}, Transfer{3, 6, 10},
                                                       Transfer{4, 1, 10}, Transfer{6, 3, 10}));
  EXPECT_THAT(Messages("one-to-all?root=1", 3),
              ElementsAre(Transfer{1, 0, 10}, Transfer{1, 2, 10}));
  EXPECT_THAT(Messages("all-to-one", 3), ElementsAre(Transfer{1, 0, 10}, Transfer{2, 0, 10}));
  EXPECT_EQ(Messages("all-to-all", 7).size(), 42u);
  EXPECT_THAT(Messages("planes", 3), ElementsAre(Transfer{0, 1, 10}, Transfer{1, 2, 10}));
  EXPECT_THAT(Messages("neighbours", 3), ElementsAre(Transfer{0, 1, 10}, Transfer{1, 0, 10},
                                                     Transfer{1, 2, 10}, Transfer{2, 1, 10}));
}

TEST(NamedPatterns, OfOneRankAreEmpty) {
  for (const NamedPattern& pattern : NamedPatterns()) {
    EXPECT_TRUE(Messages(pattern.name, 1).empty()) << pattern.name;
  }
}

// No rank sends to itself, no pair occurs twice, all are in range.
TEST(NamedPatterns, AreSound) {
  for (const NamedPattern& pattern : NamedPatterns()) {
    for (const int64_t ranks : {2, 4, 16, 64, 100, 127}) {
      if (!pattern.fits(ranks)) continue;
      std::set<std::pair<int64_t, int64_t>> pairs;
      const std::vector<Transfer> messages = Messages(pattern.name, ranks);
      EXPECT_LE(static_cast<int64_t>(messages.size()), pattern.count(ranks)) << pattern.name;
      for (const Transfer& message : messages) {
        EXPECT_NE(message.source, message.destination) << pattern.name;
        EXPECT_LT(std::max(message.source, message.destination), ranks) << pattern.name;
        EXPECT_TRUE(pairs.emplace(message.source, message.destination).second) << pattern.name;
      }
    }
  }
}

// The same on every machine: these are SplitMix64's.
TEST(NamedPatterns, RandomIsAPermutationThatTheSeedFixes) {
  std::set<int64_t> destinations;
  const std::vector<Transfer> messages = Messages("random?seed=1", 1000);
  for (const Transfer& message : messages) destinations.insert(message.destination);
  EXPECT_EQ(destinations.size(), messages.size());
  EXPECT_GT(messages.size(), 980u);
  EXPECT_NE(messages, Messages("random?seed=2", 1000));
  EXPECT_EQ(messages, Messages("random", 1000));
  EXPECT_THAT(Messages("random?seed=7", 4),
              ElementsAre(Transfer{0, 1, 10}, Transfer{1, 2, 10}, Transfer{2, 0, 10}));
}

TEST(NamedPatterns, RefuseWhatIsNone) {
  const auto status = [](absl::string_view text, int64_t ranks, double bytes) {
    return MessagesOf(text, ranks, bytes).status();
  };
  EXPECT_EQ(status("spiral", 4, 1).code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status("spiral", 4, 1).message()), HasSubstr("shift, transpose"));
  for (const char* text : {"shift?to=1", "shift?by=x", "shift?by", "transpose?by=1",
                           "one-to-all?root=4", "one-to-all?root=-1"}) {
    EXPECT_EQ(domain::FieldOf(status(text, 4, 1)), "pattern") << text;
  }
  EXPECT_EQ(domain::FieldOf(status("all-to-all", 2001, 1)), "pattern");
  EXPECT_EQ(domain::FieldOf(status("shift", 0, 1)), "ranks");
  EXPECT_EQ(domain::FieldOf(status("shift", kMaxPatternRanks + 1, 1)), "ranks");
  EXPECT_EQ(domain::FieldOf(status("shift", 4, -1)), "block_bytes");
  EXPECT_EQ(domain::FieldOf(status("shift", 4, std::numeric_limits<double>::quiet_NaN())),
            "block_bytes");
  EXPECT_EQ(status("transpose", 8, 1).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status("bit-reversal", 12, 1).code(), absl::StatusCode::kFailedPrecondition);
}

void ExpectEqual(const model::RankTraffic& ours, const model::RankTraffic& counted) {
  EXPECT_EQ(ours.sends_count, counted.sends_count);
  EXPECT_EQ(ours.receives_count, counted.receives_count);
  EXPECT_EQ(ours.out_bytes, counted.out_bytes);
  EXPECT_EQ(ours.in_bytes, counted.in_bytes);
  EXPECT_EQ(ours.max_message_bytes, counted.max_message_bytes);
}

void ExpectEqual(const model::LevelTraffic& ours, const model::LevelTraffic& counted) {
  ExpectEqual(static_cast<const model::RankTraffic&>(ours), counted);
  EXPECT_EQ(ours.pairs_count, counted.pairs_count);
  EXPECT_EQ(ours.messages_count, counted.messages_count);
  EXPECT_EQ(ours.volume_bytes, counted.volume_bytes);
  EXPECT_EQ(ours.node_out_bytes, counted.node_out_bytes);
  EXPECT_EQ(ours.node_in_bytes, counted.node_in_bytes);
}

// The list under test, where an algorithm's enumeration is looked for.
const std::vector<Transfer>* enumerated = nullptr;
void EnumerateThem(const Scenario& /*scenario*/, const Knobs& /*knobs*/, MessageSink sink) {
  for (const Transfer& message : *enumerated) {
    sink({0, 0, message.source, message.destination, message.bytes});
  }
}

model::Traffic Counted(const std::vector<Transfer>& messages, const Scenario& scenario) {
  Algorithm algorithm{};
  algorithm.enumerate = EnumerateThem;
  enumerated = &messages;
  return CountTraffic({&algorithm, {}}, scenario, model::Schedule()).at(0).traffic;
}

// Many messages of few ranks, pairs that come again, empty ones among them.
std::vector<Transfer> Crowd(int64_t ranks, size_t count) {
  std::vector<Transfer> messages;
  uint64_t state = 12345;
  const auto below = [&state](uint64_t bound) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return static_cast<int64_t>((state >> 33) % bound);
  };
  while (messages.size() < count) {
    const Transfer message = {below(static_cast<uint64_t>(ranks)),
                              below(static_cast<uint64_t>(ranks)),
                              static_cast<double>(below(1000))};
    if (message.source != message.destination) messages.push_back(message);
  }
  return messages;
}

TEST(TrafficOf, EqualsWhatIsCountedMessageByMessage) {
  for (const Placement placement : {Placement::kBlock, Placement::kCyclic}) {
    for (const int64_t ppn : {1, 3, 8, 200}) {
      for (const int64_t ranks : {2, 16, 64, 100, 127}) {
        const Scenario scenario = {.ranks = ranks, .ppn = ppn, .placement = placement};
        std::vector<std::vector<Transfer>> lists = {Crowd(ranks, 5), Crowd(ranks, 2000)};
        for (const NamedPattern& pattern : NamedPatterns()) {
          if (pattern.fits(ranks)) lists.push_back(Messages(pattern.name, ranks, 7));
        }
        for (const std::vector<Transfer>& messages : lists) {
          if (messages.empty()) continue;
          const model::Traffic counted = Counted(messages, scenario);
          const model::Traffic ours = TrafficOf(messages, scenario)->traffic;
          ExpectEqual(ours.node, counted.node);
          ExpectEqual(ours.network, counted.network);
          ExpectEqual(ours.any, counted.any);
          EXPECT_EQ(ours.disjoint, counted.disjoint);
          ASSERT_FALSE(HasFailure()) << ranks << " ranks, " << ppn << " per node";
        }
      }
    }
  }
}

TEST(TrafficOf, CopiesWhatARankHasForItself) {
  const std::vector<Transfer> messages = {{1, 1, 30}, {1, 1, 12}, {0, 0, 5}, {0, 1, 8}};
  const model::Phase phase = *TrafficOf(messages, {.ranks = 2});
  EXPECT_EQ(phase.work.copied_bytes, 42);
  EXPECT_EQ(phase.traffic.network.messages_count, 1);
  EXPECT_EQ(phase.traffic.any.out_bytes, 8);
  EXPECT_TRUE(phase.traffic.disjoint);
}

TEST(TrafficOf, OfNothingIsNothing) {
  model::Schedule schedule;
  ASSERT_TRUE(BuildPattern({}, {.ranks = 4}, &schedule).ok());
  EXPECT_TRUE(schedule.empty());
  EXPECT_EQ(schedule.whole().processors_count, 4);
  ASSERT_TRUE(BuildPattern(Messages("shift", 4), {.ranks = 4}, &schedule).ok());
  EXPECT_EQ(schedule.size(), 1u);
}

TEST(TrafficOf, StaysFiniteForHugeMessages) {
  const std::vector<Transfer> messages = Messages("shift", 1000, 4.6e18);
  EXPECT_NEAR(TrafficOf(messages, {.ranks = 1000})->traffic.network.volume_bytes, 4.6e21, 1e9);
}

TEST(TrafficOf, RefusesWhatIsOutOfRange) {
  const auto field = [](const std::vector<Transfer>& messages, const Scenario& scenario) {
    return domain::FieldOf(TrafficOf(messages, scenario).status());
  };
  EXPECT_EQ(field({{0, 1, 1}, {4, 1, 1}}, {.ranks = 4}), "messages[1].source");
  EXPECT_EQ(field({{0, -1, 1}}, {.ranks = 4}), "messages[0].destination");
  EXPECT_EQ(field({{0, 1, -1}}, {.ranks = 4}), "messages[0].bytes");
  EXPECT_EQ(field({{0, 1, std::numeric_limits<double>::infinity()}}, {.ranks = 4}),
            "messages[0].bytes");
  EXPECT_EQ(field({}, {.ranks = 0}), "ranks");
  EXPECT_EQ(field({}, {.ranks = kMaxPatternRanks + 1}), "ranks");
}

// Time grows with the messages, not with their square: ten times as many take less than a hundred
// times as long, even on a busy machine. The test prints the time of a million.
TEST(TrafficOf, IsQuickForAMillionMessages) {
  const auto seconds = [](int64_t ranks, const std::vector<Transfer>& messages) {
    double best_s = std::numeric_limits<double>::infinity();
    for (int run = 0; run < 3; ++run) {
      const auto start = std::chrono::steady_clock::now();
      EXPECT_TRUE(TrafficOf(messages, {.ranks = ranks, .ppn = 64}).ok());
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      best_s = std::min(best_s, took.count());
    }
    return best_s;
  };
  for (const int64_t ranks : {1000, 65'536, 1'000'000, 16'000'000}) {
    const double many_s = seconds(ranks, Crowd(ranks, 1'000'000));
    const double few_s = seconds(ranks, Crowd(ranks, 100'000));
    std::cout << "a million messages among " << ranks << " ranks: " << many_s * 1e3 << " ms\n";
    EXPECT_LT(many_s, 100 * few_s) << ranks;
  }
}

}  // namespace
}  // namespace cox::strategy
