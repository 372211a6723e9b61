#include "domain/sharing/fair_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace cox::domain {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> PopAll(FairQueue<std::string>& queue) {
  std::vector<std::string> order;
  while (!queue.empty()) {
    EXPECT_EQ(std::string(queue.front()), queue.front());
    order.push_back(queue.Pop());
  }
  return order;
}

TEST(FairQueueTest, OwnersTakeTurnsAndKeepTheirOrder) {
  FairQueue<std::string> queue;
  for (const char* item : {"a1", "a2", "a3"}) queue.Push("a", 1, item);
  for (const char* item : {"b1", "b2"}) queue.Push("b", 1, item);
  EXPECT_EQ(queue.size(), 5U);
  EXPECT_THAT(PopAll(queue), ElementsAre("a1", "b1", "a2", "b2", "a3"));
}

TEST(FairQueueTest, WhoMayNotGoKeepsThePlace) {
  FairQueue<std::string> queue;
  for (const char* item : {"a1", "a2"}) queue.Push("a", 1, item);
  for (const char* item : {"b1", "b2", "b3"}) queue.Push("b", 1, item);
  const auto is_not_a = [](const std::string& item) { return item[0] != 'a'; };
  EXPECT_EQ(queue.PopIf(is_not_a), "b1");
  EXPECT_EQ(queue.PopIf(is_not_a), "b2");
  queue.Push("c", 1, "c1");
  EXPECT_EQ(queue.Pop(), "a1");
  EXPECT_EQ(queue.Pop(), "a2");
  EXPECT_EQ(queue.PopIf([](const std::string& /*item*/) { return false; }), std::nullopt);
  EXPECT_THAT(PopAll(queue), ElementsAre("c1", "b3"));
}

TEST(FairQueueTest, WhoComesNewPassesAllThatOthersQueued) {
  FairQueue<std::string> queue;
  for (int i = 0; i < 100; ++i) queue.Push("mallory", 1, absl::StrCat("m", i));
  EXPECT_EQ(queue.Pop(), "m0");
  EXPECT_EQ(queue.Pop(), "m1");
  queue.Push("ada", 1, "ada");
  EXPECT_EQ(queue.Pop(), "ada");
  EXPECT_EQ(queue.Pop(), "m2");
}

TEST(FairQueueTest, TurnsAreByCost) {
  FairQueue<std::string> queue;
  queue.Push("large", 100, "l1");
  queue.Push("large", 100, "l2");
  for (int i = 0; i < 4; ++i) queue.Push("small", 30, absl::StrCat("s", i));
  EXPECT_THAT(PopAll(queue), ElementsAre("l1", "s0", "s1", "s2", "s3", "l2"));
}

// Also when the queue was empty between: what was served last counts.
TEST(FairQueueTest, WhoWasServedLastWaitsForTheOthers) {
  FairQueue<std::string> queue;
  queue.Push("mallory", 1'000, "m1");
  EXPECT_EQ(queue.Pop(), "m1");
  queue.Push("mallory", 1'000, "m2");
  queue.Push("ada", 1, "a1");
  EXPECT_THAT(PopAll(queue), ElementsAre("a1", "m2"));
}

TEST(FairQueueTest, AnItemOfNobodyGoesAfterAllThatWaits) {
  FairQueue<std::string> queue;
  queue.Push("a", 10, "a1");
  queue.Push("a", 10, "a2");
  queue.PushLast("last");
  queue.Push("b", 1, "b1");
  queue.Push("a", 10, "a3");
  EXPECT_THAT(PopAll(queue), ElementsAre("a1", "b1", "a2", "last", "a3"));
}

// An owner who always has something queued must not keep an item of nobody waiting for ever.
TEST(FairQueueTest, NothingWaitsForEver) {
  FairQueue<std::string> queue;
  queue.Push("a", 5, "first");
  queue.PushLast("last");
  int passed = 0;
  for (int i = 0; i < 1'000; ++i) {
    queue.Push("a", 5, "a");
    queue.Push(absl::StrCat("other", i % 10), 1, "other");
    const std::string item = queue.Pop();
    if (item == "last") break;
    ++passed;
  }
  EXPECT_LT(passed, 100);
}

TEST(FairQueueTest, ManyOwnersComeAndGo) {
  FairQueue<int> queue;
  for (int i = 0; i < 100'000; ++i) {
    queue.Push(absl::StrCat("owner", i), 1, i);
    EXPECT_EQ(queue.Pop(), i);
  }
}

}  // namespace
}  // namespace cox::domain
