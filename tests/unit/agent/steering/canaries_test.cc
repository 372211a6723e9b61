#include "agent/steering/canaries.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "domain/canary_arm.h"

namespace cox::agent {
namespace {

using domain::CanaryArm;

// What each of `calls` calls on a new communicator is.
std::vector<CanaryArm> Drawn(const Canaries& canaries, int calls, uint32_t salt = 0) {
  CanaryTurn turn = {};
  std::vector<CanaryArm> drawn;
  for (int call = 0; call < calls; ++call) drawn.push_back(canaries.Take(salt, &turn));
  return drawn;
}

int64_t CountOf(const std::vector<CanaryArm>& drawn, CanaryArm arm) {
  return std::count(drawn.begin(), drawn.end(), arm);
}

TEST(CanariesTest, NoneUnlessStarted) {
  EXPECT_EQ(CountOf(Drawn(Canaries(), 1000), CanaryArm::kTuned), 1000);
  Canaries none;
  none.Start(0, 7);
  EXPECT_FALSE(none.are_on());
  EXPECT_EQ(CountOf(Drawn(none, 1000), CanaryArm::kTuned), 1000);
}

TEST(CanariesTest, EachBlockOfCallsHasOneAndItsPeer) {
  for (const int block_calls : {2, 3, 20}) {
    Canaries canaries;
    canaries.Start(1.0 / block_calls, 42);
    const std::vector<CanaryArm> drawn = Drawn(canaries, block_calls * 500);
    for (int block = 0; block < 500; ++block) {
      const auto begin = drawn.begin() + block * block_calls;
      EXPECT_EQ(std::count(begin, begin + block_calls, CanaryArm::kCanary), 1);
      EXPECT_EQ(std::count(begin, begin + block_calls, CanaryArm::kPeer), 1);
    }
  }
}

TEST(CanariesTest, ATinyShareIsALargeBlock) {
  for (const double share : {1e-9, 1e-10, 1e-22, 1e-300}) {
    Canaries canaries;
    canaries.Start(share, 42);
    ASSERT_TRUE(canaries.are_on());
    EXPECT_LE(CountOf(Drawn(canaries, 1000), CanaryArm::kCanary), 1) << share;
  }
}

// A program that repeats a pattern of calls must not meet the canaries, or their peers, at one
// place of it.
TEST(CanariesTest, EveryPlaceOfABlockIsAsLikely) {
  Canaries canaries;
  canaries.Start(0.1, 3);
  const std::vector<CanaryArm> drawn = Drawn(canaries, 10 * 10'000);
  for (const CanaryArm arm : {CanaryArm::kCanary, CanaryArm::kPeer}) {
    std::vector<int> counts(10);
    for (size_t call = 0; call < drawn.size(); ++call) {
      if (drawn[call] == arm) ++counts[call % 10];
    }
    // 1000 each, with a standard deviation of 30.
    EXPECT_GT(*std::min_element(counts.begin(), counts.end()), 850);
    EXPECT_LT(*std::max_element(counts.begin(), counts.end()), 1150);
  }
}

TEST(CanariesTest, RanksThatCountAlikeDrawAlike) {
  Canaries canaries;
  canaries.Start(0.05, 9);
  const Canaries sent = canaries;  // as it goes to the other ranks
  EXPECT_EQ(Drawn(canaries, 5000), Drawn(sent, 5000));
}

TEST(CanariesTest, SeedsAndSaltsDrawDifferently) {
  std::set<std::vector<CanaryArm>> draws;
  for (const uint64_t seed : {1, 2, 3}) {
    Canaries canaries;
    canaries.Start(0.05, seed);
    draws.insert(Drawn(canaries, 400, 1));
    draws.insert(Drawn(canaries, 400, 2));
  }
  EXPECT_EQ(draws.size(), 6);
}

TEST(CanariesTest, ABlockEndsWithItsLastCall) {
  Canaries canaries;
  canaries.Start(0.25, 1);
  CanaryTurn turn = {};
  EXPECT_FALSE(turn.is_between_blocks());
  for (int call = 1; call <= 12; ++call) {
    canaries.Take(0, &turn);
    EXPECT_EQ(turn.is_between_blocks(), call % 4 == 0) << call;
  }
}

}  // namespace
}  // namespace cox::agent
