#include "agent/job/requests.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace cox::agent {
namespace {

TEST(RequestsTest, WhatBeganEndsOnce) {
  auto requests = std::make_unique<Requests>();
  Requests::Started started;
  EXPECT_FALSE(requests->any());
  EXPECT_TRUE(requests->Begin(4096, {3, 77}));
  EXPECT_TRUE(requests->any());
  EXPECT_TRUE(requests->Has(4096));
  EXPECT_FALSE(requests->Has(8192));
  EXPECT_FALSE(requests->End(8192, &started));
  ASSERT_TRUE(requests->End(4096, &started));
  EXPECT_EQ(started.total, 3);
  EXPECT_EQ(started.start_ns, 77);
  EXPECT_FALSE(requests->End(4096, &started));
  EXPECT_FALSE(requests->any());
}

TEST(RequestsTest, AHandleThatIsUsedAgainIsTheNewOne) {
  auto requests = std::make_unique<Requests>();
  EXPECT_TRUE(requests->Begin(4096, {3, 77}));
  EXPECT_TRUE(requests->Begin(4096, {5, 99}));
  Requests::Started started;
  ASSERT_TRUE(requests->End(4096, &started));
  EXPECT_EQ(started.total, 5);
  EXPECT_FALSE(requests->any());
}

TEST(RequestsTest, IsBounded) {
  auto requests = std::make_unique<Requests>();
  int kept = 0;
  for (uint64_t handle = 64; handle < 64 * 5000; handle += 64) {
    if (requests->Begin(handle, {1, handle})) ++kept;
  }
  EXPECT_GT(kept, 500);
  EXPECT_LE(kept, 1024);
  Requests::Started started;
  for (uint64_t handle = 64; handle < 64 * 5000; handle += 64) {
    if (!requests->End(handle, &started)) continue;
    EXPECT_EQ(started.start_ns, handle);
    --kept;
  }
  EXPECT_EQ(kept, 0);
  EXPECT_FALSE(requests->any());
}

TEST(RequestsTest, ThreadsHaveTheirOwn) {
  auto requests = std::make_unique<Requests>();
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (uint64_t thread = 1; thread <= 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (uint64_t i = 0; i < 20'000; ++i) {
        const uint64_t handle = thread << 20 | (i % 50) << 6;
        Requests::Started started;
        if (!requests->Begin(handle, {static_cast<int>(thread), i})) continue;
        if (!requests->End(handle, &started) || started.start_ns != i) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_FALSE(requests->any());
}

}  // namespace
}  // namespace cox::agent
