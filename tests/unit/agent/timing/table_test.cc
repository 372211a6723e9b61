#include "agent/timing/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "domain/collective.h"

namespace cox::agent {
namespace {

class TableTest : public testing::Test {
 protected:
  // As the system gives the memory: all zero.
  TableTest() : memory_(new uint64_t[sizeof(Table) / sizeof(uint64_t) + 1]()) {
    table().Initialise();
  }
  Table& table() { return *reinterpret_cast<Table*>(memory_.get()); }

  std::unique_ptr<uint64_t[]> memory_;
};

TEST_F(TableTest, SumsUpPerKey) {
  const Key small = Key::Make(domain::Collective::kBcast, 4, 8, 8);
  const Key large = Key::Make(domain::Collective::kBcast, 4, 1 << 20, 8);
  table().Add(small, 10);
  table().Add(large, 1000);
  table().Add(small, 30);
  Table::Half* half = table().Swap();
  ASSERT_NE(half, nullptr);
  ASSERT_EQ(half->used, 2);
  EXPECT_EQ(half->entry[0].count, 2);
  EXPECT_EQ(half->entry[0].sum_ns, 40);
  EXPECT_EQ(half->entry[0].sum_squares_ns2, 1000);
  EXPECT_EQ(half->entry[1].count, 1);
  EXPECT_EQ(half->dropped, 0);
}

TEST_F(TableTest, KeepsTheLatestTimings) {
  for (int i = 1; i <= Entry::kRecent + 3; ++i) {
    table().Add(Key::Make(domain::Collective::kBcast, 4, 8, 8), static_cast<uint64_t>(i));
  }
  const Entry& entry = table().Swap()->entry[0];
  EXPECT_EQ(entry.count, Entry::kRecent + 3);
  float least = entry.recent_ns[0];
  float sum = 0;
  for (const float time_ns : entry.recent_ns) {
    least = std::min(least, time_ns);
    sum += time_ns;
  }
  EXPECT_EQ(least, 4);
  EXPECT_EQ(sum, Entry::kRecent * (4 + Entry::kRecent + 3) / 2.0F);
}

TEST_F(TableTest, KeysKeepTheirParts) {
  const Key key = Key::Make(domain::Collective::kScatterv, 2147483647, int64_t{1} << 62, 1 << 30);
  EXPECT_EQ(key.collective(), domain::Collective::kScatterv);
  EXPECT_EQ(key.origin(), Origin::kPassive);
  const Key sampled = Key::Make(domain::Collective::kScatterv, 3, 8, 8, Origin::kSynchronised);
  EXPECT_EQ(sampled.collective(), domain::Collective::kScatterv);
  EXPECT_EQ(sampled.origin(), Origin::kSynchronised);
  EXPECT_EQ(sampled.type_bytes(), 8);
  EXPECT_EQ(sampled.number(), 0);
  const Key told =
      Key::Make(domain::Collective::kScatterv, 2147483647, 8, 1 << 30, Origin::kSynchronised, 31);
  EXPECT_EQ(told.collective(), domain::Collective::kScatterv);
  EXPECT_EQ(told.origin(), Origin::kSynchronised);
  EXPECT_EQ(told.number(), 31);
  EXPECT_EQ(told.ranks(), 2147483647);
  EXPECT_EQ(told.type_bytes(), static_cast<int64_t>(Key::kMaxTypeBytes));
  EXPECT_EQ(key.ranks(), 2147483647);
  EXPECT_EQ(key.block_bytes, uint64_t{1} << 62);
  EXPECT_EQ(key.type_bytes(), static_cast<int64_t>(Key::kMaxTypeBytes));
}

TEST_F(TableTest, AHalfThatWasSwappedOutIsEmptyWhenItComesBack) {
  table().Add(Key::Make(domain::Collective::kBcast, 4, 8, 8), 10);
  Table::Clear(table().Swap());
  table().Add(Key::Make(domain::Collective::kBcast, 4, 8, 8), 10);
  Table::Clear(table().Swap());
  EXPECT_EQ(table().Swap()->used, 0);
}

TEST_F(TableTest, IsBoundedAndCountsWhatDidNotFit) {
  for (int i = 0; i < Table::kEntries + 100; ++i) {
    table().Add(Key::Make(domain::Collective::kAlltoall, 8, i, 1), 5);
  }
  // What is known already still counts.
  table().Add(Key::Make(domain::Collective::kAlltoall, 8, 7, 1), 5);
  table().Drop();
  Table::Half* half = table().Swap();
  EXPECT_EQ(half->used, Table::kEntries);
  EXPECT_EQ(half->dropped, 101);
  EXPECT_EQ(half->entry[7].count, 2);
}

TEST_F(TableTest, NoTimingIsLostBetweenThreads) {
  constexpr int kThreads = 3;
  constexpr uint64_t kAdds = 50'000;
  std::atomic<int> running = kThreads;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (uint64_t i = 0; i < kAdds; ++i) {
        table().Add(
            Key::Make(domain::Collective::kAlltoall, t + 1, static_cast<int64_t>(i % 16), 1), 1);
      }
      --running;
    });
  }
  uint64_t count = 0;
  uint64_t sum_ns = 0;
  const auto drain = [&] {
    Table::Half* half = table().Swap();
    if (half == nullptr) return;
    for (uint32_t i = 0; i < half->used; ++i) {
      count += half->entry[i].count;
      sum_ns += half->entry[i].sum_ns;
    }
    count += half->dropped;
    sum_ns += half->dropped;
    Table::Clear(half);
  };
  while (running > 0) drain();
  for (std::thread& thread : threads) thread.join();
  drain();
  drain();
  EXPECT_EQ(count, kThreads * kAdds);
  EXPECT_EQ(sum_ns, kThreads * kAdds);
}

}  // namespace
}  // namespace cox::agent
