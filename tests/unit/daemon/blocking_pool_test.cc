#include "daemon/blocking_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cox::daemon {
namespace {

using ::testing::ElementsAre;

TEST(BlockingPool, RunsEverythingItTookBeforeItEnds) {
  std::atomic<int> ran = 0;
  {
    BlockingPool pool("test", 3, 1000);
    for (int i = 0; i < 500; ++i) ASSERT_TRUE(pool.Run("ada", [&] { ++ran; }).ok());
  }
  EXPECT_EQ(ran, 500);
}

// A pool of one thread, which waits until Open().
class ClosedPool {
 public:
  explicit ClosedPool(size_t queue_limit) : pool_("test", 1, queue_limit) {
    EXPECT_TRUE(Run("gate", [this] {
                  started_.set_value();
                  open_.get_future().wait();
                }).ok());
    started_.get_future().wait();
  }
  absl::Status Run(const std::string& caller, std::function<void()> work, int64_t cost = 1) {
    return pool_.Run(caller, std::move(work), cost);
  }
  // Runs all that waits.
  void Open() {
    open_.set_value();
    EXPECT_TRUE(pool_.AwaitIdle(std::chrono::steady_clock::now() + std::chrono::minutes(1)));
  }

 private:
  std::promise<void> open_;
  std::promise<void> started_;
  BlockingPool pool_;
};

TEST(BlockingPool, RefusesOverItsLimit) {
  int ran = 0;
  ClosedPool pool(2);
  EXPECT_TRUE(pool.Run("ada", [&] { ++ran; }).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(pool.Run("ada", [&] { ++ran; })));
  pool.Open();
  EXPECT_EQ(ran, 1);
}

TEST(BlockingPool, OneCallerLeavesPlacesToTheOthers) {
  ClosedPool pool(64);
  int taken = 0;
  while (pool.Run("mallory", [] {}).ok()) ++taken;
  EXPECT_EQ(taken, 48);
  EXPECT_TRUE(pool.Run("ada", [] {}).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(pool.Run("mallory", [] {})));
  pool.Open();
  EXPECT_TRUE(pool.Run("mallory", [] {}).ok());
}

TEST(BlockingPool, CallersTakeTurns) {
  std::vector<std::string> ran;
  ClosedPool pool(64);
  for (const char* caller : {"mallory", "mallory", "mallory", "mallory", "ada", "bob"}) {
    ASSERT_TRUE(pool.Run(caller, [&ran, caller] { ran.emplace_back(caller); }).ok());
  }
  pool.Open();
  EXPECT_THAT(ran, ElementsAre("mallory", "ada", "bob", "mallory", "mallory", "mallory"));
}

// As large requests, whose bytes wait with them.
TEST(BlockingPool, WhatCostsMoreTakesMorePlacesAndFewerTurns) {
  std::vector<std::string> ran;
  ClosedPool pool(640);
  const auto run = [&](const std::string& caller, int64_t cost) {
    return pool.Run(
        caller, [&ran, caller] { ran.push_back(caller); }, cost);
  };
  int taken = 0;
  while (run("mallory", 80).ok()) ++taken;
  EXPECT_EQ(taken, 6);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(run("ada", 20).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(run("ada", 80)));
  pool.Open();
  EXPECT_THAT(ran, ElementsAre("mallory", "ada", "ada", "ada", "ada", "mallory", "mallory",
                               "mallory", "mallory", "mallory"));
  EXPECT_TRUE(run("mallory", 480).ok());
}

// How often each of `count` was worked on.
std::vector<int> WorkedOn(BlockingPool* pool, size_t count, size_t step) {
  std::vector<std::atomic<int>> times(count);
  pool->RunInParts(count, step, [&](size_t begin, size_t end) {
    EXPECT_LT(begin, end);
    EXPECT_LE(end - begin, step);
    for (size_t i = begin; i < end; ++i) ++times[i];
  });
  return {times.begin(), times.end()};
}

TEST(BlockingPool, PartsAreDoneOnceEach) {
  BlockingPool pool("test", 3, 10);
  for (const size_t count : {0, 1, 9, 10, 11, 1000}) {
    EXPECT_EQ(WorkedOn(&pool, count, 10), std::vector<int>(count, 1)) << count;
  }
}

TEST(BlockingPool, PartsRunAtTheSameTime) {
  BlockingPool pool("test", 2, 10);
  std::promise<void> both;
  const std::shared_future<void> started = both.get_future().share();
  std::atomic<int> running = 0;
  // Each part waits until the other one runs.
  pool.RunInParts(2, 1, [&](size_t, size_t) {
    if (++running == 2) both.set_value();
    EXPECT_EQ(started.wait_for(std::chrono::minutes(1)), std::future_status::ready);
  });
}

TEST(BlockingPool, PartsAreDoneThoughNoThreadIsIdle) {
  std::promise<void> open;
  std::shared_future<void> gate = open.get_future().share();
  BlockingPool pool("test", 1, 10);
  ASSERT_TRUE(pool.Run("ada", [gate] { gate.wait(); }).ok());
  EXPECT_EQ(WorkedOn(&pool, 100, 7), std::vector<int>(100, 1));
  open.set_value();
}

TEST(BlockingPool, AThreadOfThePoolMayRunParts) {
  BlockingPool pool("test", 2, 10);
  std::promise<std::vector<int>> done;
  ASSERT_TRUE(pool.Run("ada", [&] { done.set_value(WorkedOn(&pool, 100, 7)); }).ok());
  EXPECT_EQ(done.get_future().get(), std::vector<int>(100, 1));
}

TEST(BlockingPool, OneCallersLongWorkLeavesAThreadToTheOthers) {
  std::promise<void> open;
  const std::shared_future<void> gate = open.get_future().share();
  std::atomic<int> running = 0;
  std::atomic<int> most_running = 0;
  std::promise<void> bob;
  {
    BlockingPool pool("test", 2, 64, 1);
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(pool.Run("mallory",
                           [&, gate] {
                             most_running = std::max<int>(most_running, ++running);
                             gate.wait();
                             --running;
                           })
                      .ok());
    }
    ASSERT_TRUE(pool.Run("bob", [&] { bob.set_value(); }).ok());
    EXPECT_EQ(bob.get_future().wait_for(std::chrono::seconds(20)), std::future_status::ready);
    open.set_value();
  }
  EXPECT_EQ(running, 0);
  EXPECT_EQ(most_running, 1);
}

TEST(BlockingPool, PartsOfOneCallersWorkMayRunAtTheSameTime) {
  BlockingPool pool("test", 2, 10, 1);
  std::promise<std::vector<int>> done;
  std::promise<void> both;
  std::atomic<int> begun = 0;
  ASSERT_TRUE(pool.Run("ada",
                       [&] {
                         const std::shared_future<void> meet = both.get_future().share();
                         pool.RunInParts(2, 1, [&](size_t /*begin*/, size_t /*end*/) {
                           if (++begun == 2) both.set_value();
                           EXPECT_EQ(meet.wait_for(std::chrono::seconds(20)),
                                     std::future_status::ready);
                         });
                         done.set_value({});
                       })
                  .ok());
  done.get_future().wait();
}

TEST(BlockingPool, IsIdleWhenNothingWaitsOrRuns) {
  using Clock = std::chrono::steady_clock;
  std::promise<void> open;
  std::shared_future<void> gate = open.get_future().share();
  BlockingPool pool("test", 2, 10);
  EXPECT_TRUE(pool.AwaitIdle(Clock::now()));
  ASSERT_TRUE(pool.Run("ada", [gate] { gate.wait(); }).ok());
  EXPECT_FALSE(pool.AwaitIdle(Clock::now()));
  open.set_value();
  EXPECT_TRUE(pool.AwaitIdle(Clock::now() + std::chrono::minutes(1)));
}

}  // namespace
}  // namespace cox::daemon
