#include "agent/job/private_comm_backoff.h"

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
    backoff.Refuse();
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

}  // namespace
}  // namespace cox::agent
