#include "gateway/recent_facts.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace cox::gateway {
namespace {

using std::chrono::milliseconds;

TEST(RecentFacts, AreReadAgainWhenTheyAreASecondOld) {
  std::chrono::steady_clock::time_point now{};
  int readings = 0;
  RecentFacts facts(
      [&]() -> RecentFacts::Result {
        now += milliseconds(5'000);  // a slow database
        service::Facts read;
        read.database_bytes = ++readings;
        return read;
      },
      [&] { return now; });
  EXPECT_EQ((*facts.Get())->database_bytes, 1);
  now += milliseconds(1'000);
  EXPECT_EQ((*facts.Get())->database_bytes, 1);
  now += milliseconds(1);
  EXPECT_EQ((*facts.Get())->database_bytes, 2);
}

TEST(RecentFacts, AFailureIsNotTriedAgainAtOnce) {
  int readings = 0;
  RecentFacts facts([&]() -> RecentFacts::Result {
    ++readings;
    return absl::UnavailableError("no connection to the database");
  });
  EXPECT_FALSE(facts.Get()->ok());
  EXPECT_FALSE(facts.Get()->ok());
  EXPECT_EQ(readings, 1);
}

// Or 64 scrapers would take all read connections.
TEST(RecentFacts, OneThreadReadsForAll) {
  std::atomic<int> readings = 0;
  RecentFacts facts([&]() -> RecentFacts::Result {
    ++readings;
    std::this_thread::sleep_for(milliseconds(50));
    return service::Facts();
  });
  std::vector<std::thread> scrapers;
  for (int i = 0; i < 8; ++i) {
    scrapers.emplace_back([&] { EXPECT_TRUE(facts.Get()->ok()); });
  }
  for (std::thread& scraper : scrapers) scraper.join();
  EXPECT_EQ(readings, 1);
}

}  // namespace
}  // namespace cox::gateway
