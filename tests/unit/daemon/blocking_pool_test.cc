#include "daemon/blocking_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>

namespace cox::daemon {
namespace {

TEST(BlockingPool, RunsEverythingItTookBeforeItEnds) {
  std::atomic<int> ran = 0;
  {
    BlockingPool pool(3, 1000);
    for (int i = 0; i < 500; ++i) ASSERT_TRUE(pool.Run([&] { ++ran; }).ok());
  }
  EXPECT_EQ(ran, 500);
}

TEST(BlockingPool, RefusesOverItsLimit) {
  std::promise<void> open;
  std::shared_future<void> gate = open.get_future().share();
  std::promise<void> started;
  std::atomic<int> ran = 0;
  {
    BlockingPool pool(1, 2);
    ASSERT_TRUE(pool.Run([&, gate] {
                      started.set_value();
                      gate.wait();
                    })
                    .ok());
    started.get_future().wait();
    EXPECT_TRUE(pool.Run([&] { ++ran; }).ok());
    EXPECT_TRUE(pool.Run([&] { ++ran; }).ok());
    EXPECT_EQ(pool.Run([&] { ++ran; }).code(), absl::StatusCode::kResourceExhausted);
    open.set_value();
  }
  EXPECT_EQ(ran, 2);
}

TEST(BlockingPool, IsIdleWhenNothingWaitsOrRuns) {
  using Clock = std::chrono::steady_clock;
  std::promise<void> open;
  std::shared_future<void> gate = open.get_future().share();
  BlockingPool pool(2, 10);
  EXPECT_TRUE(pool.AwaitIdle(Clock::now()));
  ASSERT_TRUE(pool.Run([gate] { gate.wait(); }).ok());
  EXPECT_FALSE(pool.AwaitIdle(Clock::now()));
  open.set_value();
  EXPECT_TRUE(pool.AwaitIdle(Clock::now() + std::chrono::minutes(1)));
}

}  // namespace
}  // namespace cox::daemon
