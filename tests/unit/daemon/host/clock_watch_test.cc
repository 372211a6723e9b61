#include "daemon/host/clock_watch.h"

#include <gtest/gtest.h>

namespace cox::daemon {
namespace {

constexpr int64_t kHour_us = int64_t{3'600} * 1'000'000;

TEST(ClockWatch, NoticesOnceThatTheClockWasSetAhead) {
  constexpr int64_t kNow_us = 1'000'000 * kHour_us;
  ClockWatch watch(kNow_us, 5);
  EXPECT_FALSE(watch.WasSetAhead(kNow_us + kHour_us, 5 + kHour_us));
  // Ten years.
  const int64_t ahead_us = kNow_us + 87'660 * kHour_us;
  EXPECT_TRUE(watch.WasSetAhead(ahead_us, 5 + 2 * kHour_us));
  EXPECT_FALSE(watch.WasSetAhead(kNow_us + 3 * kHour_us, 5 + 3 * kHour_us)) << "it is right again";
  EXPECT_FALSE(watch.WasSetAhead(kNow_us + 5 * kHour_us, 5 + 4 * kHour_us)) << "by an hour";
}

}  // namespace
}  // namespace cox::daemon
