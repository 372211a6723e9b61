#include "agent/steering/private_comm_backoff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace cox::agent {
namespace {

// The calls, counted from 1, in which a communicator asks that is refused each time.
std::vector<uint32_t> RefusedAt(bool is_world, uint32_t calls) {
  PrivateCommBackoff backoff = {};
  std::vector<uint32_t> refused;
  for (uint32_t call = 1; call <= calls; ++call) {
    if (!backoff.IsDue(is_world)) continue;
    refused.push_back(call);
    backoff.Refuse(1);
  }
  return refused;
}

TEST(AskingTest, TheWorldAsksAtOnceAndOthersWhenTheyAreWorthIt) {
  EXPECT_EQ(RefusedAt(true, 1), std::vector<uint32_t>{1});
  EXPECT_EQ(RefusedAt(false, 200), std::vector<uint32_t>{101});
}

TEST(AskingTest, EachRefusalIsFollowedByTwiceAsManyCalls) {
  EXPECT_THAT(RefusedAt(true, 1000), ::testing::ElementsAre(1, 102, 303, 704));
  EXPECT_THAT(RefusedAt(false, 1000), ::testing::ElementsAre(101, 202, 403, 804));
}

TEST(AskingTest, ThePauseIsBounded) {
  const std::vector<uint32_t> refused = RefusedAt(false, 5 * kMostCallsBetween);
  ASSERT_GE(refused.size(), 12U);
  const size_t last = refused.size() - 1;
  EXPECT_EQ(refused[last] - refused[last - 1], kMostCallsBetween + 1);
  EXPECT_EQ(refused[last - 1] - refused[last - 2], kMostCallsBetween + 1);
}

TEST(AskingTest, WhereThereIsRoomEachCallMayAsk) {
  PrivateCommBackoff backoff = {};
  for (uint32_t call = 0; call < kCallsBeforePrivate; ++call) EXPECT_FALSE(backoff.IsDue(false));
  for (int call = 0; call < 10; ++call) EXPECT_TRUE(backoff.IsDue(false));
}

TEST(AskingTest, RanksThatCannotAffordItAskWhenTheyCan) {
  PrivateCommBackoff backoff = {};
  std::vector<uint32_t> asked;
  for (uint32_t call = 1; call <= 2000; ++call) {
    if (backoff.IsDue(false)) {
      asked.push_back(call);
      // A private communicator pays after calls of 1.5 ms in all.
      const double calls =
          backoff.CallsUntil(1.5e-3 - 1e-9 * static_cast<double>(backoff.waited_ns));
      if (calls == 0) break;
      backoff.Refuse(calls);
    }
    backoff.Wait(1000);
  }
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(asked[0], 101U);
  EXPECT_NEAR(asked[1], 1501, 1);
}

TEST(AskingTest, ALateRankDoesNotPayForAPrivateCommunicator) {
  PrivateCommBackoff backoff = {};
  for (int call = 0; call < 99; ++call) backoff.Wait(1000);
  backoff.Wait(4'000'000);
  EXPECT_EQ(backoff.waited_ns, 99'000 + 16'000);
  // The first call was the late one: it counts no more than the others allow.
  PrivateCommBackoff first = {};
  first.Wait(4'000'000);
  EXPECT_EQ(first.waited_ns, 4'000'000);
  first.Wait(1000);
  EXPECT_EQ(first.waited_ns, 2 * 16'000);
}

TEST(AskingTest, CallsUntilThereIsEnough) {
  PrivateCommBackoff backoff = {};
  EXPECT_EQ(backoff.CallsUntil(1), kMostCallsBetween) << "no call yet, so no pace";
  EXPECT_EQ(backoff.CallsUntil(0), 0);
  backoff.Wait(1000);
  backoff.Wait(1000);
  EXPECT_EQ(backoff.CallsUntil(-1), 0);
  EXPECT_DOUBLE_EQ(backoff.CallsUntil(1e-3), 1000);
  EXPECT_EQ(backoff.CallsUntil(1e-9), 1) << "a question is later than now";
  EXPECT_EQ(backoff.CallsUntil(1e9), kMostCallsBetween);
}

}  // namespace
}  // namespace cox::agent
