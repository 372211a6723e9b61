// What is admitted, what is refused, and what is given back.
#include "daemon/host/memory_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace cox::daemon {
namespace {

using ::testing::HasSubstr;

TEST(MemoryBudgetTest, RefusesWhatDoesNotFitBesideTheRest) {
  MemoryBudget budget(100);
  auto first = budget.Take("ada", 60);
  ASSERT_TRUE(first.ok());
  const auto second = budget.Take("bob", 50);
  EXPECT_TRUE(absl::IsResourceExhausted(second.status()));
  EXPECT_THAT(second.status().message(), HasSubstr("max-memory"));
  EXPECT_TRUE(budget.Take("bob", 30).ok()) << "it fits, and is three times what is left";
  first->reset();
  EXPECT_EQ(budget.held_bytes(), 0);
  EXPECT_TRUE(budget.Take("ada", 50).ok());
}

TEST(MemoryBudgetTest, OneCallerLeavesSomeToTheOthers) {
  MemoryBudget budget(100);
  const auto first = budget.Take("mallory", 70);
  ASSERT_TRUE(first.ok());
  EXPECT_TRUE(absl::IsResourceExhausted(budget.Take("mallory", 10).status()));
  EXPECT_TRUE(budget.Take("ada", 10).ok());
}

TEST(MemoryBudgetTest, GivesBackWithTheLastCopy) {
  MemoryBudget budget(100);
  auto lease = budget.Take("ada", 70);
  ASSERT_TRUE(lease.ok());
  MemoryBudget::Lease copy = *lease;
  lease->reset();
  EXPECT_EQ(budget.held_bytes(), 70);
  copy.reset();
  EXPECT_EQ(budget.held_bytes(), 0);
}

TEST(MemoryBudgetTest, ARequestLargerThanTheLimitGetsItsTurnAlone) {
  MemoryBudget budget(100);
  const auto large = budget.Take("ada", 1'000);
  ASSERT_TRUE(large.ok());
  EXPECT_TRUE(absl::IsResourceExhausted(budget.Take("bob", 1).status()));
}

TEST(MemoryBudgetTest, ThreadsNeverHoldMoreThanTheLimit) {
  constexpr int64_t kLimit = 10;
  MemoryBudget budget(kLimit);
  std::atomic<int64_t> most{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int taken = 0; taken < 2'000;) {
        const auto lease = budget.Take("ada", 3);
        if (!lease.ok()) continue;
        ++taken;
        const int64_t held = budget.held_bytes();
        int64_t known = most;
        while (held > known && !most.compare_exchange_weak(known, held)) {
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most, kLimit);
  EXPECT_EQ(budget.held_bytes(), 0);
}

}  // namespace
}  // namespace cox::daemon
